/*
 * The command line: tables of commands and options. The tables drive parsing and generate the usage and the
 * manual pages. Only this folder prints or exits.
 */
#pragma once
#include "base/str.h"
#include "base/texts.h"
#include "base/version.h"

enum { EXIT_ALLOW = 0, EXIT_ASK = 1, EXIT_DENY = 2, EXIT_CONTAIN = 3, EXIT_USAGE = 64, EXIT_INTERNAL = 70 };

enum option_kind {
	OPTION_FLAG,  /* sets the bool at the offset */
	OPTION_VALUE, /* const char * at the offset; if repeated, the last one wins */
	OPTION_ONCE,  /* the same, but repeating it is an error: a value would be lost silently */
	OPTION_LIST,  /* struct option_list at the offset; each use appends a value */
	OPTION_HELP,
	OPTION_GROUP, /* no option: `help` is the heading of those below */
};

struct option_row { /* char arrays, here and below: pointers would need relocation at each start */
	char name[20];     /* without dashes; a single letter takes a single dash: -c */
	enum option_kind kind;
	size_t offset;     /* in the command's options struct */
	char value[52];    /* placeholder in the usage (FILE, a|b ...), by which values are completed */
	char help[160];
};

#define OPTION_LIST_MAX 256

struct option_list { /* the values of a repeatable option; they are parsed before there is an arena */
	struct texts *first;
	size_t n;
	struct texts room[OPTION_LIST_MAX];
};

struct exit_row {
	int code;
	char meaning[160];
};

struct example_row {
	char line[112], meaning[128];
};

/* Rows that many commands have. They need AT(), the offset of a member of the command's options. */
#define OPTION_HELP_ROW {"help", OPTION_HELP, 0, "", "print this"}
#define OPTION_JSON_ROW {"json", OPTION_FLAG, AT(json), "", "print one JSON object"}
#define OPTION_CONFIG_ROW \
	{"config", OPTION_VALUE, AT(config), "FILE", "use this policy file instead of your own"}

struct command_row {
	char name[24];            /* char array: every start compares all names */
	const char *synopsis;     /* operands after the name, one form per line */
	const char *summary;
	const char *about;        /* paragraphs, separated by empty lines */
	const struct option_row *options;
	const struct exit_row *exits;
	const struct example_row *examples;
	uint16_t noptions, nexits, nexamples;
	bool alone;               /* a program of its own, no command of caisson */
	int (*run)(const struct command_row *self, int argc, char **argv);
};

/* Its tables, each with the number of its rows. */
#define COMMAND_OPTIONS(rows) .options = (rows), .noptions = ARRAY_SIZE(rows)
#define COMMAND_EXITS(rows) .exits = (rows), .nexits = ARRAY_SIZE(rows)
#define COMMAND_EXAMPLES(rows) .examples = (rows), .nexamples = ARRAY_SIZE(rows)

/* One per line, sorted by name, so that additions rarely conflict. */
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
extern const struct command_row command_checks;
extern const struct command_row command_completion;
extern const struct command_row command_config;
extern const struct command_row command_deny;
extern const struct command_row command_doctor;
extern const struct command_row command_hook;
extern const struct command_row command_image;
extern const struct command_row command_keeper;
extern const struct command_row command_logs;
extern const struct command_row command_mcp;
extern const struct command_row command_init;
extern const struct command_row command_metrics;
extern const struct command_row command_normalise;
extern const struct command_row command_pause;
extern const struct command_row command_ports;
extern const struct command_row command_presets;
extern const struct command_row command_ps;
extern const struct command_row command_redact;
extern const struct command_row command_replay;
extern const struct command_row command_result;
extern const struct command_row command_run;
extern const struct command_row command_selftest;
extern const struct command_row command_stats;
extern const struct command_row command_stop;
extern const struct command_row command_suggest;
extern const struct command_row command_trust;
extern const struct command_row command_validate;
extern const struct command_row command_verify_tests;
extern const struct command_row command_wait;

/* commands.c. Command number i, in the order of --help, or NULL after the last. */
const struct command_row *command_at(size_t i);
const struct command_row *command_find(const char *name);
/* The name that this spelling stands for: `normalize`, `-V`; any other word stands for itself. */
const char *command_spelling(const char *word);
/* ", did you mean 'NAME'" for a misspelt command, or where to look. */
const char *command_guess(struct arena *a, const char *name);
/*
 * Append a list of the subcommands of this command, if it has any; the first lines of the help of the
 * program; all of it.
 */
void commands_below(struct buf *b, const char *name);
void commands_start(struct buf *b);
void commands_help(struct buf *b);

/*
 * topics.c: pages of the documentation. `word` is a topic, with or without docs/ and .md. topic_print()
 * returns the exit code.
 */
struct near;
bool topic_is(const char *word);
int topic_print(struct arena *a, const char *word);
void topics_try(struct near *guess);
void topics_list(struct buf *b);

/*
 * options.c. Parses options into *into; *ret_first is the index of the first operand. Returns 0, 1 if help
 * was requested, -1 and the reason in *e.
 */
int options_parse(const struct command_row *c, int argc, char **argv, void *into, int *ret_first,
		struct err *e);
/*
 * Does the same and prints help or the error itself. Returns the index of the first operand, or -1 if the
 * command ends here with *ret_code.
 */
int options_take(const struct command_row *c, int argc, char **argv, void *into, int *ret_code);
/* The same for a command without operands. False if the command ends here with *ret_code. */
bool options_only(const struct command_row *c, int argc, char **argv, void *into, int *ret_code);
/* The same for a command with at most one operand; NULL: none. `many` is the message about more. */
bool options_operand(const struct command_row *c, int argc, char **argv, void *into, const char *many,
		const char **ret, int *ret_code);
/* Reads a number, the value of an option; NULL leaves *ret. False if it is no such number: *ret_code. */
bool option_number(const struct command_row *c, const char *name, const char *value, int64_t min, int64_t max,
		int64_t *ret, int *ret_code);
/* Returns the next form of a synopsis and advances *at. False after the last. */
bool synopsis_next(const char **at, struct str *ret);
void usage_print(struct buf *b, const struct command_row *c);
/* Prints the usage to standard output, or one line about a wrong use. Returns the exit code. */
int usage_output(const struct command_row *c);
int usage_wrong(const struct command_row *c, const char *why);
/*
 * The same for words after the allowed number of operands. `many` says how many there may be; with a colon,
 * it has an example, which an option behind the operand also needs. Empty: no operand is expected.
 */
int usage_extra(const struct command_row *c, char *const *operands, int allowed, const char *many);
/* The same for an unknown client name: cmd_init.c. */
int client_unknown(const struct command_row *c, const char *name);
/*
 * slow.c: after two seconds, tells a person at a terminal that the record is being read, until slow_end() or
 * output.
 */
void slow_start(void);
void slow_end(void);
/*
 * Runs fn (which returns the exit code) inside an arena_run() of a fresh arena at *a: a full arena is an
 * error, never a crash.
 */
int with_arena(struct arena *a, int (*fn)(void *arg), void *arg);
/* man.c: appends a manual page generated from the rows; c is NULL for caisson(1). */
void man_print(struct buf *b, const struct command_row *c);
#define MAN_POLICY "caisson.yaml"
/* The same for the policy: caisson.yaml(5). Returns the exit code. */
int man_policy(struct buf *b);

/* output.c */
/*
 * Writes to standard output. Returns `code`, or EXIT_INTERNAL on failure. A reader that went away (EPIPE)
 * causes no message.
 */
int output_write(struct str s, int code);
/* Writes one line to standard error: "caisson: ...", with control characters made visible. */
void output_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
unsigned terminal_width(int fd);
bool terminal_colour(int fd); /* by NO_COLOR, CLICOLOR_FORCE, TERM and the descriptor */
/* --color: sets the variables that terminal_colour() reads. False if `when` is not auto, always or never. */
bool terminal_choose_colour(const char *when);
bool terminal_utf8(void); /* by the environment's locale */

/*
 * confirm.c: shows and empties *shown, asks the question, and reads one line from the controlling terminal.
 * True only if the line is exactly `word`.
 */
bool person_types(struct buf *shown, const char *question, const char *word);

/* batch.c: JSON lines in, JSON lines out. */
struct batch {
	const char *config;                  /* as in `check`; may be NULL */
	const char *cwd, *shell, *mode;      /* defaults for lines without these keys; may be NULL */
};
int batch_run(const struct batch *b);
