/*
 * The effects of commands' arguments, as data. Rows come from the YAML files in knowledge/ (embedded at build
 * time, sorted by name, no relocations) or from a user's `commands:`. know_apply() reads one argv by its row
 * and reports which words are files, commands, scripts or code. Pure. docs/knowledge.md describes the YAML
 * rows.
 */
#pragma once
#include "model/facts.h"

struct know_row; /* knowledge.c; opaque to others */

/* The role of a range of the argv, or of a value inside one word. */
enum know_role {
	USE_READ,      /* a file or directory that is read */
	/* ... written, created, or changed; "/tmp" with from == to stands for $TMPDIR, else /tmp */
	USE_WRITE,
	USE_DELETE,    /* ... removed (mv: the sources) */
	USE_EXEC,      /* a file that is executed or loaded as code */
	/* the command changes to this directory before it does anything else (git -C, make -C, env -C) */
	USE_DIR,
	USE_COMMAND,   /* argv[from, to) is an inner command; see know_use.flags */
	/* script for sh: value, or argv[from, to) joined by blanks if to > from + 1 */
	USE_SCRIPT,
	/*
	 * env -S: text that is split into words, which replace it among env's arguments; the rest is
	 * argv[from, to)
	 */
	USE_SPLIT,
	USE_STDIN_SCRIPT, /* sh runs standard input (at, batch, crontab -) */
	USE_STDIN_COMMAND, /* each line of standard input runs as a command (parallel without a command) */
	USE_CODE,      /* code in `lang`: value; from == to: on standard input (python3 -) */
	/*
	 * data in format `lang` that name the files to write: in the file `value`, or `value` itself with
	 * USE_INSIDE; from == to: on standard input
	 */
	USE_DATA,
	USE_HOST,      /* a host or URL that is contacted; value unknown if no word names it */
	USE_ASSIGN,    /* value is NAME=VALUE in the environment of the inner command */
	/*
	 * an inner command or script exists, but cannot be located or is unknown (unknown option of a
	 * wrapper, unknown words before it)
	 */
	USE_OPAQUE,
};

enum {
	/*
	 * USE_COMMAND, USE_SCRIPT: the program appends unknown words (xargs, find -exec {} +, parallel; tar
	 * -I, rsync -e)
	 */
	USE_MORE = 1,
	/*
	 * USE_COMMAND: unknown text replaces {} or % placeholders in words (find, xargs -I, parallel);
	 * USE_READ: messages quote the file (du --files0-from)
	 */
	USE_INSIDE = 2,
	USE_ELSEWHERE = 4,/* it runs on another machine or in a container (ssh, docker exec, kubectl exec) */
	USE_TREE = 8,     /* USE_READ/WRITE/DELETE: including everything below it */
	/* USE_WRITE: unknown names at any depth below this directory (tar -x, unzip, cp into a directory) */
	USE_BELOW = 16,
	/*
	 * with USE_BELOW: data choose these names, and may choose any (an archive, a patch, a repository):
	 * CHANGE_TREE
	 */
	USE_NAMES = 32,
	USE_FILES = 512,      /* USE_WRITE with USE_BELOW: CHANGE_FILES */
	USE_WORK_TREE = 64,   /* USE_WRITE: CHANGE_WORK_TREE */
	USE_REPOSITORY = 128, /* USE_WRITE: CHANGE_REPOSITORY */
	USE_GIT_DIR = 256,    /* USE_WRITE: CHANGE_GIT_DIR */
	USE_PATTERN = 1024,   /* USE_HOST: EFFECT_PATTERN_HOST */
};

struct know_use {
	struct know_use *next;
	enum know_role role;
	unsigned flags;
	size_t from, to;       /* argv indexes the use was found at */
	struct word value;     /* the word, or its part after "--opt=" or "-X"; unset for USE_COMMAND */
	const char *lang;      /* USE_CODE, USE_DATA */
};

enum { /* effects of a row, as found for this argv */
	EFFECT_NETWORK = 1, EFFECT_PRIVILEGE = 2, EFFECT_PERSISTENCE = 4, EFFECT_SYSTEM = 8,
			EFFECT_HISTORY = 16, EFFECT_WORKSPACE = 32,
	EFFECT_COPIES = 64, /* content that it reads or deletes appears where it writes */
	EFFECT_INCLUDES = 256, /* files that it reads may name further files that it reads: #include */
	EFFECT_LINKS = 128, /* its output links to its input */
	/* EFFECT_NETWORK if a pattern among its files matches a name like HOST:PATH */
	EFFECT_PATTERN_HOST = 512,
};

struct know_result {
	const char *name;      /* the row's name, with its subcommand: "git push" */
	/*
	 * in argv order, except that USE_DIR comes first: later uses are relative to it; from == to == 0: no
	 * word names it
	 */
	struct know_use *uses;
	unsigned effects;
	bool readonly;         /* this invocation only reads */
};

/*
 * Returns the row for a base name ("sudo", not "/usr/bin/sudo"), or NULL. `own`: the user's rows, searched
 * first; may be NULL.
 */
const struct know_row *know_find(struct str base, const struct know_row *own, size_t nown);
/* Reads argv (argv[0] is the command itself) by the row. Words may be unknown or WORD_REST. */
void know_apply(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_result *ret);

/*
 * Parts of a repository that a git subcommand runs, separated by spaces.
 *   know_fires()  hooks: --no-verify skips "pre-commit?"; "--continue:pre-commit" fires only with that option
 *   know_obeys()  settings that name a program: "filter.*.clean"; "gpg.*" for all keys of a section
 */
struct str know_fires(const struct know_row *row);
struct str know_obeys(const struct know_row *row);

/* An option that is present. A cluster or abbreviation with several readings yields one entry per reading. */
struct know_option {
	/* first spelling in the row; for an unlisted option: as given, without its value */
	const char *name;
	struct word value;
	bool has_value;        /* for unlisted options, only a value after '=' is known */
	bool global;           /* given before the subcommand (git -C d push) */
	bool listed;           /* in the row */
	size_t at;             /* argv index of the option's own word */
	const struct know_row *row;
};

#define KNOW_WORDS_MAX 4

struct know_options {
	/* the row's name with its subcommand words ("git push"), or the base name without a row */
	const char *name;
	struct know_option *options; /* in argv order; those before a subcommand come first */
	size_t noptions;
	/*
	 * argv indexes of the words after the (sub)command that are not options, including all words after
	 * "--"
	 */
	size_t *operands;
	size_t noperands;
	/* argv indexes of the subcommand's words: "git -C d stash drop" has 3 and 4 */
	size_t words[KNOW_WORDS_MAX];
	size_t nwords;
	bool maybe_option;     /* an unknown word may be an option, or any number of words */
	const struct know_row *row;
};

/* Splits argv by the row; with row == NULL, by the conventions of most programs. */
void know_options(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_options *ret);
/*
 * True if the word `at`, taken as an option, could run, write or change something. False after "--" and where
 * options end.
 */
bool know_option_acts(const struct know_options *o, const struct word *argv, size_t at);
/*
 * True if the option is present in any spelling: "-f" finds --force, --forc, -xf and --force=x if the row
 * lists them as one option ("-f,--force").
 */
bool know_has(const struct know_options *o, const char *name);
/* Like know_has(), but returns the option. `after` continues a search, NULL starts one. */
const struct know_option *know_option_find(const struct know_options *o, const char *name,
		const struct know_option *after);
