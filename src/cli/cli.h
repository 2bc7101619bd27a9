/*
 * The command line: rows of commands and options that parse, print their own usage and their own manual
 * pages. Only this folder (and the daemon) prints or exits.
 */
#pragma once
#include "base/str.h"
#include "base/version.h"

enum { EXIT_ALLOW = 0, EXIT_ASK = 1, EXIT_DENY = 2, EXIT_CONTAIN = 3, EXIT_USAGE = 64, EXIT_INTERNAL = 70 };

enum option_kind {
	OPTION_FLAG,  /* bool at the offset becomes true */
	OPTION_VALUE, /* const char * at the offset; given again the last one counts */
	OPTION_ONCE,  /* likewise, but given again it is an error: one of them would be lost without a word */
	OPTION_LIST,  /* struct run_list at the offset: each use adds a value */
	OPTION_HELP,
};

struct option_row { /* texts in place, here and below: pointers would have to be relocated at each start */
	char name[20];     /* without the dashes; one of a single letter has a single dash: -c */
	enum option_kind kind;
	size_t offset;     /* in the command's own struct of options */
	char value[12];    /* what the value is called in usage: FILE, DIR ... */
	char help[160];
};

struct exit_row {
	int code;
	char meaning[160];
};

struct example_row {
	char line[112], meaning[128];
};

struct command_row {
	char name[24];            /* in place: all are compared at every start */
	const char *synopsis;     /* what follows the name, one form a line */
	const char *summary;
	const char *about;        /* paragraphs, separated by an empty line */
	const struct option_row *options;
	const struct exit_row *exits;
	const struct example_row *examples;
	uint16_t noptions, nexits, nexamples;
	int (*run)(const struct command_row *self, int argc, char **argv);
};

/* One a line, by name, so that additions meet rarely. */
extern const struct command_row command_allow;
extern const struct command_row command_ask;
extern const struct command_row command_audit;
extern const struct command_row command_audit_checkpoint;
extern const struct command_row command_audit_export;
extern const struct command_row command_audit_keygen;
extern const struct command_row command_audit_prune;
extern const struct command_row command_audit_query;
extern const struct command_row command_audit_reindex;
extern const struct command_row command_audit_replay_all;
extern const struct command_row command_audit_show;
extern const struct command_row command_audit_tail;
extern const struct command_row command_check;
extern const struct command_row command_config;
extern const struct command_row command_deny;
extern const struct command_row command_doctor;
extern const struct command_row command_hook;
extern const struct command_row command_mcp;
extern const struct command_row command_init;
extern const struct command_row command_metrics;
extern const struct command_row command_normalise;
extern const struct command_row command_pause;
extern const struct command_row command_presets;
extern const struct command_row command_redact;
extern const struct command_row command_replay;
extern const struct command_row command_run;
extern const struct command_row command_selftest;
extern const struct command_row command_stats;
extern const struct command_row command_suggest;
extern const struct command_row command_trust;
extern const struct command_row command_validate;

/*
 * options.c. Fills *into; *ret_first is the index of the first operand. 0, 1 when help was asked for, -1 with
 * the reason.
 */
int options_parse(const struct command_row *c, int argc, char **argv, void *into, int *ret_first,
		struct err *e);
/*
 * The same for a command that goes on with its operands only: the index of the first, or -1 when it ends here
 * (the usage or what is wrong was printed) with *ret_code as its exit code.
 */
int options_take(const struct command_row *c, int argc, char **argv, void *into, int *ret_code);
/* The same for a command without operands: false when it ends here. */
bool options_only(const struct command_row *c, int argc, char **argv, void *into, int *ret_code);
/* The next form of a synopsis; *at goes from one to the next. False after the last. */
bool synopsis_next(const char **at, struct str *ret);
void usage_print(struct buf *b, const struct command_row *c);
/* The usage to standard output, or one line about a wrong use; the exit code. */
int usage_output(const struct command_row *c);
int usage_wrong(const struct command_row *c, const char *why);
/* The same for the name of an agent client: cmd_init.c. */
int client_unknown(const struct command_row *c, const char *name);
/*
 * slow.c: from now on a person at a terminal is told after two seconds that the record is read; until
 * something is printed.
 */
void slow_start(void);
void slow_end(void);
/*
 * Runs fn (which returns the exit code) with a fresh arena at *a, inside an arena_run of it: a full one is an
 * error, never a crash.
 */
int with_arena(struct arena *a, int (*fn)(void *arg), void *arg);
/* man.c: a manual page from the rows; c is NULL for caisson(1). */
void man_print(struct buf *b, const struct command_row *c, const struct command_row *const *all, size_t nall);

/* output.c */
/*
 * Writes to standard output. A reader that went away (EPIPE) is not an error worth a message. EXIT_INTERNAL
 * on failure, else `code`.
 */
int output(struct str s, int code);
/* One line on standard error: "caisson: ...". Control characters in it are made visible. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned terminal_width(int fd);
bool terminal_colour(int fd);
bool terminal_utf8(void); /* by what the environment says of the language */

/*
 * confirm.c: shows *shown (and empties it), then the question, and reads one line from the controlling
 * terminal. True only for exactly this word.
 */
bool person_types(struct buf *shown, const char *question, const char *word);

/* batch.c: JSON lines in, JSON lines out. */
struct batch {
	const char *config;                  /* as in `check`; may be NULL */
	const char *cwd, *shell, *mode;      /* defaults for lines that do not say; may be NULL */
};
int batch_run(const struct batch *b);
