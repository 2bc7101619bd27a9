/*
 * `caisson init`: adds our hooks to the settings files of agent clients, and removes them.
 *
 *     file --read--> text --init_text_add() or _remove()--> new text --> shown as a diff, or written
 *
 * The settings belong to the person: all other parts keep their bytes, and removing our hooks restores the
 * original bytes (jsontext.h). A file that its client could not parse is refused and left alone. Nothing here
 * prints; only init_apply() changes a file.
 */
#pragma once
#include <sys/stat.h>

#include "base/str.h"

#define INIT_COMMAND_MAX 8192

struct init_row {
	char name[12];            /* client name from client.h */
	char variable[20];        /* environment variable that replaces home/user_dir; empty: none */
	char user_dir[20];        /* below the home directory; if it exists, the client is in use */
	char user_file[20];       /* below user_dir */
	char project_dir[12], project_file[20]; /* the same two, below the project root */
	char local_file[20];      /* a second one in project_dir, which is not meant to be committed */
	/* separated by blanks; the first precedes a shell command; empty: the whole file is ours */
	char events[72];
	/*
	 * template of an event's entry on one line: % is the command as a JSON string, & is `needs` for
	 * events before a tool
	 */
	char entry[104];
	/* "key": value that makes a failing hook block the tool; empty: not needed */
	char needs[24];
	/* limit of a timeout(1) around the program, for clients whose own limit lets the tool run; 0: none */
	unsigned outer_limit_s;
	bool rules;               /* a second file of the previous row's client: rules, all ours */
	bool excludes;            /* its settings list commands that leave its sandbox (our tickets) */
	bool version;             /* a new file needs "version": 1 */
	bool comments;            /* its file may contain comments */
	bool names_event;         /* the command line names the event, since the input does not */
	/*
	 * test input before a shell command, for live.c: %C is the command, %D the directory, as JSON strings
	 */
	char probe[260];
	char afterwards[88];      /* remaining step for the person; empty: none */
};

/* init_table.c. Return row i (NULL after the last), and the first row with this name (or NULL). */
const struct init_row *init_at(size_t i);
const struct init_row *init_find(struct str name);
/* Returns "claude-code, codex, ..." for messages. */
struct str init_names(struct arena *a);

/* init_line.c */
struct init_program {
	struct str path;         /* absolute path of caisson */
	struct str timeout;      /* path of timeout(1); empty: not installed */
};

/* message of the hook line if the program fails; the status follows */
#define INIT_FAILED "caisson: the hook failed with status "

/* True if the event precedes a tool, so that a failing hook must block. */
bool init_blocks(const struct init_row *row, const char *event);
/* Returns the shell command of an event; if `event` is NULL, only the program and its arguments. */
struct str init_command(struct arena *a, const struct init_row *row, const struct init_program *p,
		const char *event);
/*
 * True if this command line is our hook, of any version and install path. *ret (may be NULL) gets the
 * programs it runs, unquoted.
 */
bool init_is_ours(struct arena *a, struct str command, struct init_program *ret);
/* Finds timeout(1): in the usual directories, then in `path` ($PATH, may be NULL). Empty: not found. */
struct str init_timeout(struct arena *a, const char *path);

/* init_text.c */
/*
 * Returns the settings with our hooks at the front of each event. `text` is NULL if there is no file. If
 * nothing needs to change, the bytes are the same.
 */
int init_text_add(struct arena *a, const struct init_row *row, const struct init_program *program,
		const struct str *text,
		struct str *ret, struct err *e);
/* Returns the settings without our hooks. *ret_gone: we created the file and nothing else is left in it. */
int init_text_remove(struct arena *a, const struct init_row *row, struct str text, struct str *ret,
		bool *ret_gone, struct err *e);

/* init_whole.c: the text of a file that is entirely ours, and a test for one. */
struct str init_whole(struct arena *a, const struct init_row *row, struct str program);
bool init_whole_is_ours(const struct init_row *row, struct str text);

/*
 * init_exclude.c: adds and removes the entry in Claude Code's settings that lets our tickets leave its
 * sandbox. init_excluded() returns the entry; init_is_excluded() recognises it with any program path.
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
	struct str home, project; /* resolved; may be empty if unused */
	/* caisson's state directory, which records the directories we create; empty: no record */
	struct str state;
	uint32_t uid;
};

struct init_change {
	const struct init_row *row; /* NULL: a policy file, not a client's */
	struct str path;         /* path as the person spells it */
	struct str real;         /* the path with links resolved; this file is written */
	struct str before, after;
	bool exists, gone;       /* exists: the file exists now; gone: remove it */
	struct stat stat;        /* valid if `exists` */
};

bool init_changes(const struct init_change *c);
/* True if the client's directory exists, that is, if the client is in use. */
bool init_present(struct arena *a, const struct init_request *rq, const struct init_row *row);
/* Returns the path of the settings; empty if unknown. */
struct str init_path(struct arena *a, const struct init_request *rq, const struct init_row *row);
/*
 * Resolves a path and reads the file: a change without its `after`. Refuses links that lead out of a project.
 */
int init_look(struct arena *a, const struct init_request *rq, struct str path, struct init_change *ret,
		struct err *e);
/* Computes the change without applying it. */
int init_plan(struct arena *a, const struct init_request *rq, const struct init_row *row,
		struct init_change *ret, struct err *e);
/*
 * Applies the change atomically and keeps the file's mode and owner. -1 also if the file has changed since
 * the plan.
 */
int init_apply(struct arena *a, const struct init_request *rq, const struct init_change *c, struct err *e);
/* Returns the absolute path of the running program; -1 if its file was deleted. */
int init_self(struct arena *a, struct str *ret, struct err *e);

/* diff.c: appends a unified diff with three lines of context; nothing if both texts are equal. */
#define DIFF_EDITS_MAX 2000 /* bound on differing lines; beyond it, all of the text is one change */
void diff_unified(struct buf *b, struct str from_name, struct str to_name, struct str from, struct str to);
