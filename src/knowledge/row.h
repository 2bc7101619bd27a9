/*
 * Memory layout of a knowledge row. Rows, flags, operand patterns and strings live in one block of 32-bit
 * words, a "blob". They refer to each other by byte offsets from its start. So the embedded table needs no
 * relocation, and a user's rows have the same layout.
 *
 * Layout: struct know_blob, then its rows sorted by name, then the data they refer to. Every row stores its
 * own offset (`self`), so a pointer to a row is enough to find its blob. Each name has its own row: the names
 * of one YAML row share their flags and patterns. Offset 0, the blob's header, means "nothing".
 */
#pragma once
#include "knowledge/knowledge.h"

#define KNOW_MAGIC 0x4b4e4f57u

enum know_kind { /* kind of an option's argument or of an operand */
	KIND_NONE,          /* no argument; an operand without effect */
	KIND_WORD,          /* a plain word: a number, a pattern, a user name */
	KIND_READ, KIND_WRITE, KIND_DELETE, KIND_EXEC, KIND_DIR,
	KIND_COMMAND, KIND_SCRIPT, KIND_SPLIT, KIND_CODE, KIND_HOST, KIND_ASSIGN,
	KIND_KEYED,         /* the row's `values` decide by the prefix of the word */
	KIND_OPAQUE,        /* runs something that the argv does not show */
	KIND_STDIN_SCRIPT, KIND_STDIN_COMMAND,
	KIND_DEST,          /* a file to write, or a directory to write files into */
	KIND_WRITE_CWD,     /* writes unknown names below the working directory */
	KIND_WRITE_TMP,     /* ... below the temporary directory */
	/* HOST-PATH:PATH[:OPTIONS] or type=bind,source=HOST-PATH,...: a container may write there */
	KIND_VOLUME,
	KIND_CHANGE,        /* not a file; with it the command does not only read (git branch NAME) */
	/* not a file; with it the command changes the system (hostname NAME, date 01010000) */
	KIND_SYSTEM,
	KIND_NAMES,         /* a directory below which data choose the names to write (tar -C) */
	/* a host; its answer is written to the file that the URL names (wget URL, curl -O URL) */
	KIND_FETCH,
	KIND_MIRROR,        /* a KIND_DEST whose other content is deleted (rsync --delete) */
	/* a file, or standard input, whose content names the files to write (patch -i) */
	KIND_DATA,
	KIND_WORK_TREE,     /* git writes names anywhere in the work tree; the word itself names no file */
	KIND_REPOSITORY,    /* git creates a repository in this directory; with `tree` it also fills it */
	KIND_GIT_DIR,       /* git makes this directory itself a git directory (--bare, --separate-git-dir) */
	/* a file with further options: it is read, and the options are KIND_OPAQUE (curl -K, gcc @FILE) */
	KIND_OPTIONS,
	/* name of a git alias: the next word is a git command, or with "!" a shell command */
	KIND_ALIAS,
	KIND_COUNT
};

enum { /* modifiers; the first five are identical to USE_MORE ... USE_BELOW */
	MOD_USE_FLAGS = 31,
	MOD_PARENTS = 32,   /* the path's parents too (mkdir -p) */
	MOD_LAST = 64,      /* ends the options (python -c) */
	MOD_OPTIONAL = 128, /* the argument is optional and only attached (-i[SUFFIX], --color[=WHEN]) */
	MOD_PAIR = 256,     /* one more word follows the argument (find -fprintf FILE FORMAT) */
	/* the argument is optional and only digits; the cluster continues after them (perl -l0ne) */
	MOD_DIGITS = 1024,
	/*
	 * file: also written with a suffix added (know_spec.lang, or the argument of an option with the same
	 * modifier); "-": with its suffix removed
	 */
	MOD_SUFFIX = 2048,
	/* also writes unknown names in the file's directory (mktemp, cp --backup, gzip) */
	MOD_BESIDE = 4096,
	MOD_SECOND = 32768, /* with MOD_PAIR: the kind applies to the second word (jq --rawfile NAME FILE) */
	MOD_JOINED = 512,   /* the command is also joined and passed to a shell (parallel) */
	/* file: HOST:PATH and SCHEME://... name a host instead (scp, rsync, aws s3 cp) */
	MOD_REMOTE = 8192,
	MOD_ATTACHED = 16384, /* STYLE_LONG_DASH: the argument may follow without a blank (gcc -ofile) */
};

enum know_style {
	STYLE_GETOPT,       /* options anywhere; clusters; abbreviated long options */
	STYLE_POSIX,        /* like STYLE_GETOPT, but options end at the first operand */
	STYLE_LONG_DASH,    /* -name value, -name=value, --name; no clusters */
	STYLE_FIND,         /* start paths, then an expression */
	STYLE_TAR,          /* like STYLE_GETOPT, but the first word may be a cluster without a dash */
	STYLE_NONE,         /* every word is an operand */
};

enum { /* row bits */
	ROW_ABBREV = 1,     /* long options may be abbreviated to a unique prefix */
	ROW_SUBCOMMANDS = 2,/* rows named "NAME SUB" exist in this blob */
	ROW_FORWARD = 4,    /* no content of its own: a user added a subcommand to an embedded command */
	ROW_ASSIGN_FIRST = 8, /* NAME=VALUE words before the operands (env, sudo) */
	ROW_ASSIGN_ANY = 16,  /* NAME=VALUE words anywhere (make) */
	ROW_RUNS = 64,      /* the argument of some option runs something */
	ROW_READONLY = 128,
	ROW_COLONS = 256,   /* ::: ends the command (parallel) */
};

/* lang: string; the language of KIND_CODE, the format of KIND_DATA, or the suffix of MOD_SUFFIX */
struct know_spec { uint16_t kind, mods; uint32_t lang; };
/* sorted by name within a row; same: the option's first spelling */
struct know_flag { uint32_t name, same; struct know_spec arg; };
/* KIND_KEYED: the first prefix that matches; "~x": x anywhere */
struct know_value { uint32_t prefix; struct know_spec spec; };
/* in a `when`: another kind for this flag's argument */
struct know_arg { uint32_t flag; struct know_spec spec; };

enum { OPS_FIRST = 1, OPS_REST = 2, OPS_LAST = 4, OPS_ALONE = 8, OPS_EMPTY = 16, OPS_ALWAYS = 32,
		OPS_AFTER = 64,
       OPS_HARMLESS = 128 /* in a `when`: the row's effects do not happen (effects: []) */ };

struct know_operands {
	uint32_t set;           /* OPS_ bits: fields that are given (a `when` replaces only those) */
	uint32_t first, nfirst; /* struct know_spec[]: the first operands, one by one */
	struct know_spec rest;  /* all other operands */
	struct know_spec last;  /* the last operand, if two or more follow `first` */
	struct know_spec alone; /* replaces `rest` if exactly one operand follows `first` */
	/* fewer operands than `first` (and a `rest` that runs) need, or a program called "-" */
	struct know_spec empty;
	struct know_spec always;/* applies always, without a word of its own */
	struct know_spec after; /* all words after "--" */
};

struct know_when {              /* applies when one of the flags is present */
	uint32_t flags, nflags; /* uint32_t[]: indexes of flags */
	uint32_t args, nargs;   /* struct know_arg[] */
	uint32_t effects;
	struct know_operands ops;
};

struct know_row {
	uint32_t self, name;
	uint32_t style, bits;
	uint32_t until;         /* STYLE_POSIX: number of operands after which options may still follow */
	uint32_t flags, nflags;
	uint32_t values, nvalues;
	uint32_t whens, nwhens;
	uint32_t unless, nunless; /* uint32_t[]: flags with which the command does not only read */
	uint32_t only, nonly;     /* uint32_t[]: the command only reads if one of these flags is present */
	uint32_t effects;
	/* string: words that, given alone, only print ("--version --help"); 0: the usual ones */
	uint32_t info;
	uint32_t fires, obeys;  /* strings: hooks and settings of a git repository; 0: none */
	struct know_operands ops;
};

struct know_blob {
	uint32_t magic, bytes, nrows, pad;
	/* struct know_row rows[nrows] */
};

extern const uint32_t know_baked[]; /* generated by gen-knowledge */
/*
 * The first bytes of each row's name, as a number with the same sort order. A lookup reads this array and
 * little else of the blob.
 */
#define KNOW_KEY_BYTES 8
extern const uint64_t know_keys[];

static inline uint64_t know_key(struct str base, struct str sub)
{
	uint64_t key = 0;

	for (size_t i = 0; i < KNOW_KEY_BYTES; i++) {
		bool blank = sub.n && i == base.n;
		unsigned char c = i < base.n ? (unsigned char)base.p[i] : blank ? ' ' : i > base.n &&
				i - base.n - 1 < sub.n ? (unsigned char)sub.p[i - base.n - 1] : 0;

		key = key << 8 | c;
	}
	return key;
}

static inline const char *know_base(const struct know_row *r) { return (const char *)r - r->self; }
static inline const char *know_string(const struct know_row *r, uint32_t off) { return know_base(r) + off; }
static inline const struct know_flag *know_flags(const struct know_row *r)
{
	return (const void *)(know_base(r) + r->flags);
}
static inline const struct know_value *know_values(const struct know_row *r)
{
	return (const void *)(know_base(r) + r->values);
}
static inline const struct know_when *know_whens(const struct know_row *r)
{
	return (const void *)(know_base(r) + r->whens);
}
static inline const uint32_t *know_list(const struct know_row *r, uint32_t off)
{
	return (const void *)(know_base(r) + off);
}
static inline const struct know_spec *know_specs(const struct know_row *r, uint32_t off)
{
	return (const void *)(know_base(r) + off);
}
static inline const struct know_arg *know_args(const struct know_row *r, uint32_t off)
{
	return (const void *)(know_base(r) + off);
}
/* True if a word of this kind runs something. */
static inline bool know_runs(uint32_t kind)
{
	return kind == KIND_EXEC || kind == KIND_COMMAND || kind == KIND_SCRIPT || kind == KIND_SPLIT ||
			kind == KIND_CODE || kind == KIND_OPAQUE || kind == KIND_OPTIONS ||
	       kind == KIND_KEYED || kind == KIND_ALIAS;
}
