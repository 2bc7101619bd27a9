/*
 * `caisson init`: adds our hooks to the settings of agent clients, and removes them. The settings belong to
 * somebody else:
 *
 *     file --read--> text --init_text_add() or _remove()--> text --shown as a diff, or--> a new file in its
 *     place
 *
 * Foreign parts keep their bytes, and removing our hooks restores the original bytes (jsontext.h). A file
 * that its client could not parse is refused and not touched. Nothing here prints; only init_apply() changes
 * anything.
 */
#pragma once
#include <sys/stat.h>

#include "base/str.h"

#define INIT_COMMAND_MAX 8192

struct init_row {
	char name[12];            /* as in client.h */
	char variable[20];        /* of the environment: stands in for home/user_dir; empty: none */
	char user_dir[20];        /* below the home directory; it exists: the client is used here */
	char user_file[20];       /* below that */
	char project_dir[12], project_file[20]; /* the same below the project's root */
	/* between blanks; the first is the one before a shell command; empty: the file is all ours */
	char events[72];
	/*
	 * of an event, on one line; % is the command as a JSON string, & is `needs` where the event precedes
	 * a tool
	 */
	char entry[104];
	/* "key": value without which the client runs the tool when the hook fails; empty: it has none */
	char needs[24];
	/* for timeout(1) around the program: the client's own limit runs the tool; 0: without */
	unsigned outer_limit_s;
	bool rules;               /* another file of the client in the row before: rules, all ours */
	bool excludes;            /* its settings say which commands leave its sandbox: those with a ticket */
	bool version;             /* a new file says "version": 1 */
	bool comments;            /* its file may have some */
	bool names_event;         /* the hook is told its event: the input does not say */
	/*
	 * its input before a shell command, for live.c: %C is the command, %D the directory, as JSON strings
	 */
	char probe[260];
	char afterwards[88];      /* what is left for a person to do; empty: nothing */
};

/* init_table.c. Row i, or NULL after the last; the first of this name, or NULL. */
const struct init_row *init_at(size_t i);
const struct init_row *init_find(struct str name);
/* "claude-code, codex, ...", for messages. */
struct str init_names(struct arena *a);

/* init_line.c */
struct init_program {
	struct str path;         /* of caisson itself, absolute */
	struct str timeout;      /* of timeout(1); empty: there is none */
};

/* what the line says when the program fails; its status follows */
#define INIT_FAILED "caisson: the hook failed with status "

/* Does the event precede a tool, so that a hook that fails must block? */
bool init_blocks(const struct init_row *row, const char *event);
/* The shell command of an event. `event` is NULL for the program and its arguments alone. */
struct str init_command(struct arena *a, const struct init_row *row, const struct init_program *p,
		const char *event);
/*
 * Is this command line a hook of ours, of whatever version and place? *ret is what it runs, without quotes;
 * NULL: not asked.
 */
bool init_is_ours(struct arena *a, struct str command, struct init_program *ret);
/*
 * timeout(1) of this machine: in the usual directories, then in those of `path` ($PATH, may be NULL). Empty:
 * there is none.
 */
struct str init_timeout(struct arena *a, const char *path);

/* init_text.c */
/*
 * The settings with our hooks, at the front of each event. `text` is NULL when there is no file. Nothing to
 * do: the same bytes.
 */
int init_text_add(struct arena *a, const struct init_row *row, const struct init_program *program,
		const struct str *text,
		struct str *ret, struct err *e);
/* The settings without them. *ret_gone: nothing else is left of a file that we had made. */
int init_text_remove(struct arena *a, const struct init_row *row, struct str text, struct str *ret,
		bool *ret_gone, struct err *e);

/* init_whole.c: a file that is all ours. Is this text such a file? */
struct str init_whole(struct arena *a, const struct init_row *row, struct str program);
bool init_whole_is_ours(const struct init_row *row, struct str text);

/*
 * init_exclude.c: the settings of Claude Code with the entry by which our tickets leave its sandbox, and
 * without it. init_excluded() is that entry, init_is_excluded() recognises it whatever the place of the
 * program.
 */
int init_exclude(struct arena *a, struct str text, struct str program, struct str *ret, struct err *e);
int init_include(struct arena *a, struct str text, struct str *ret, struct err *e);
struct str init_excluded(struct arena *a, struct str program);
bool init_is_excluded(struct str entry);

/* init_hooks.c */
enum init_scope { INIT_USER, INIT_PROJECT };

struct init_request {
	enum init_scope scope;
	bool remove;
	struct init_program program;
	struct str home, project; /* resolved; may be empty when not needed */
	/* caisson's own directory: which directories were made is kept there; empty: nowhere */
	struct str state;
	uint32_t uid;
};

struct init_change {
	const struct init_row *row; /* NULL: a policy file, which belongs to no client */
	struct str path;         /* of the settings, as a person knows it */
	struct str real;         /* the same with links followed: this is written */
	struct str before, after;
	bool exists, gone;       /* it is there now; it is to be removed */
	struct stat stat;        /* when it is there */
};

bool init_changes(const struct init_change *c);
/* Is the client used here: is its directory there? */
bool init_present(struct arena *a, const struct init_request *rq, const struct init_row *row);
/* Where the settings are. Empty: not known. */
struct str init_path(struct arena *a, const struct init_request *rq, const struct init_row *row);
/*
 * Where a path leads, and what is there: a change without its `after`. Out of a project no link is followed.
 */
int init_look(struct arena *a, const struct init_request *rq, struct str path, struct init_change *ret,
		struct err *e);
/* The planned change. */
int init_plan(struct arena *a, const struct init_request *rq, const struct init_row *row,
		struct init_change *ret, struct err *e);
/* Does it: all or nothing, with the mode and owner the file had. -1 also when the file has changed since. */
int init_apply(struct arena *a, const struct init_request *rq, const struct init_change *c, struct err *e);
/* The program that is running, absolute; -1 when its file is gone. */
int init_self(struct arena *a, struct str *ret, struct err *e);

/* diff.c: a unified diff of two texts, with three lines around each change. Empty when they are the same. */
#define DIFF_EDITS_MAX 2000 /* lines that differ; beyond them all is one change */
void diff_unified(struct buf *b, struct str from_name, struct str to_name, struct str from, struct str to);
