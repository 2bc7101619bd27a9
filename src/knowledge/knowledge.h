/*
 * The effects of commands' arguments, as data. Rows come from the YAML files in knowledge/ (embedded at build
 * time, sorted by name, no relocations) or from a user's `commands:`. know_apply() reads one argv by its row
 * and says which words are files, commands, scripts or code. Pure. docs/knowledge.md describes the YAML rows.
 */
#pragma once
#include "model/facts.h"

struct know_row; /* knowledge.c; opaque to others */

/* The role of a range of the argv, or of a value inside one word. */
enum know_role {
	USE_READ,      /* a file or directory that is read */
	/* ... written, created, or changed; "/tmp" with from == to stands for $TMPDIR, else /tmp */
	USE_WRITE,
	USE_DELETE,    /* ... removed (mv: its sources) */
	USE_EXEC,      /* a file that is executed or loaded as code */
	/* the command changes to this directory before it does anything else (git -C, make -C, env -C) */
	USE_DIR,
	USE_COMMAND,   /* argv[from, to) is a command of its own; see know_use.flags */
	/* text that a shell (sh) will run: value, or argv[from, to) joined by blanks when to > from + 1 */
	USE_SCRIPT,
	/*
	 * env -S: text that is split into words, which are env's own arguments in its place; the rest is
	 * argv[from, to)
	 */
	USE_SPLIT,
	USE_STDIN_SCRIPT, /* what comes on standard input is run by sh (at, batch, crontab -) */
	USE_STDIN_COMMAND, /* lines of standard input are run as commands (parallel without a command) */
	USE_CODE,      /* code in `lang`: value; from == to: it comes on standard input (python3 -) */
	/*
	 * the names of files that are written, in the format `lang`: in the file `value`; with USE_INSIDE
	 * `value` is the text itself; from == to: on standard input
	 */
	USE_DATA,
	USE_HOST,      /* a host or URL that is contacted; value unknown when there is no word for it */
	USE_ASSIGN,    /* NAME=VALUE put into the environment of the inner command: value */
	/*
	 * an inner command or script exists but cannot be located or known (unknown option of a wrapper,
	 * unknown words before it)
	 */
	USE_OPAQUE,
};

enum {
	/*
	 * USE_COMMAND, USE_SCRIPT: unknown words are added at the end (xargs, find -exec {} +, parallel; tar
	 * -I, rsync -e)
	 */
	USE_MORE = 1,
	/*
	 * USE_COMMAND: words may contain {} or % placeholders that are replaced by unknown text (find, xargs
	 * -I, parallel); USE_READ: messages quote the file (du --files0-from)
	 */
	USE_INSIDE = 2,
	USE_ELSEWHERE = 4,/* it runs on another machine or in a container (ssh, docker exec, kubectl exec) */
	USE_TREE = 8,     /* USE_READ/WRITE/DELETE: and everything below it */
	/*
	 * USE_WRITE: unknown names directly or deeper below this directory (tar -x, unzip, cp into a
	 * directory)
	 */
	USE_BELOW = 16,
	/*
	 * with USE_BELOW: data choose these names, any name (an archive, a patch, a repository): CHANGE_TREE
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
	struct word value;     /* the word, or the part of it after "--opt=" or "-X"; for USE_COMMAND unset */
	const char *lang;      /* USE_CODE, USE_DATA */
};

enum { /* effects of a row, as found for this argv */
	EFFECT_NETWORK = 1, EFFECT_PRIVILEGE = 2, EFFECT_PERSISTENCE = 4, EFFECT_SYSTEM = 8,
			EFFECT_HISTORY = 16, EFFECT_WORKSPACE = 32,
	EFFECT_COPIES = 64, /* what is read or deleted appears where it writes */
	EFFECT_INCLUDES = 256, /* the text that it reads may name other files that it reads, too: #include */
	EFFECT_LINKS = 128, /* what it writes leads to what it reads */
	EFFECT_PATTERN_HOST = 512, /* EFFECT_NETWORK, if a pattern of its files finds a name like HOST:PATH */
};

struct know_result {
	const char *name;      /* the row's name, with its subcommand: "git push" */
	/*
	 * in argv order, but USE_DIR first: what follows is relative to it. from == to == 0: without a word
	 * of its own
	 */
	struct know_use *uses;
	unsigned effects;
	bool readonly;         /* this form only reads */
};

/*
 * The row for a base name ("sudo", not "/usr/bin/sudo"), or NULL. `own` are the user's rows, looked up first;
 * may be NULL.
 */
const struct know_row *know_find(struct str base, const struct know_row *own, size_t nown);
/* Reads argv (argv[0] is the command itself) by the row. Words may be unknown or WORD_REST. */
void know_apply(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_result *ret);

/*
 * The parts of a repository that a subcommand of git runs, words separated by spaces. Hooks: "pre-commit?" is
 * skipped by --no-verify, "--continue:pre-commit" fires only with that option. Settings that name a program:
 * "filter.*.clean", "gpg.*" for all keys of a section.
 */
struct str know_fires(const struct know_row *row);
struct str know_obeys(const struct know_row *row);

/*
 * An option that is present. Where a cluster or an abbreviation can be read in several ways, each reading is
 * one.
 */
struct know_option {
	/* as the row spells it first; of an option that is not in the row: as given, without its value */
	const char *name;
	struct word value;
	bool has_value;        /* for options the row does not list, only a value after '=' is known */
	bool global;           /* stands before the subcommand (git -C d push) */
	bool listed;           /* in the row */
	size_t at;             /* argv index of the option's own word */
	const struct know_row *row;
};

#define KNOW_WORDS_MAX 4

struct know_options {
	/* the row's name with its subcommand words ("git push"), or the base name when there is no row */
	const char *name;
	struct know_option *options; /* in argv order, those before a subcommand first */
	size_t noptions;
	/*
	 * argv indexes of the words after the (sub)command that are no options; everything after "--" is
	 * among them
	 */
	size_t *operands;
	size_t noperands;
	/* argv indexes of the subcommand's words: "git -C d stash drop" has 3 and 4 */
	size_t words[KNOW_WORDS_MAX];
	size_t nwords;
	bool maybe_option;     /* a word that is not known may be an option, or any number of words */
	const struct know_row *row;
};

/* Splits argv by the row, or, with NULL, as most programs would. */
void know_options(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_options *ret);
/*
 * Were the word `at` an option, could it be one that runs, writes or changes something? Not after "--", nor
 * where options end.
 */
bool know_option_acts(const struct know_options *o, const struct word *argv, size_t at);
/*
 * Is the option present, in any spelling: "-f" finds --force, --forc, -xf and --force=x where the row knows
 * them for one option ("-f,--force")?
 */
bool know_has(const struct know_options *o, const char *name);
/* The same, with its value; `after` continues a search, NULL starts one. */
const struct know_option *know_option_find(const struct know_options *o, const char *name,
		const struct know_option *after);
