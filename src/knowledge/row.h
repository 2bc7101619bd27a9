/*
 * The inside of a knowledge row. Rows, flags, operand patterns and strings live in one block of 32-bit words
 * (a "blob") and name each other by byte offsets from its start, so the baked-in table needs no relocation
 * and a user's rows look the same as ours.
 *
 * Layout: struct know_blob, then its rows sorted by name, then whatever they refer to. Every row knows its
 * own offset (`self`), so a pointer to a row is enough to find its blob. One name is one row: the names of a
 * YAML row share their flags and patterns. Offset 0 is "nothing" (it is the blob's header).
 */
#pragma once
#include "knowledge/knowledge.h"

#define KNOW_MAGIC 0x4b4e4f57u

enum know_kind { /* what an option's argument or an operand is */
	KIND_NONE,          /* a flag without argument; an operand of no interest */
	KIND_WORD,          /* some word: a number, a pattern, a user's name */
	KIND_READ, KIND_WRITE, KIND_DELETE, KIND_EXEC, KIND_DIR,
	KIND_COMMAND, KIND_SCRIPT, KIND_SPLIT, KIND_CODE, KIND_HOST, KIND_ASSIGN,
	KIND_KEYED,         /* the row's `values` say what it is, by how it starts */
	KIND_OPAQUE,        /* something will run that cannot be known from the argv */
	KIND_STDIN_SCRIPT, KIND_STDIN_COMMAND,
	KIND_DEST,          /* a file that is written, or a directory below which files are */
	KIND_WRITE_CWD,     /* unknown names below the working directory are written */
	KIND_WRITE_TMP,     /* ... below the temporary directory */
	/* HOST-PATH:PATH[:OPTIONS] or type=bind,source=HOST-PATH,...: what a container may write */
	KIND_VOLUME,
	KIND_CHANGE,        /* no file, but given it the command does not only read (git branch NAME) */
	/* no file, but given it the command changes the system (hostname NAME, date 01010000) */
	KIND_SYSTEM,
	KIND_NAMES,         /* a directory below which data choose the names that are written (tar -C) */
	/* a host; what it gives is written to the file that its address names (wget URL, curl -O URL) */
	KIND_FETCH,
	KIND_MIRROR,        /* a KIND_DEST whose other content is deleted (rsync --delete) */
	/* a file, or standard input, whose content names the files that are written (patch -i) */
	KIND_DATA,
	KIND_WORK_TREE,     /* git brings names into the whole work tree; a word only says that it does */
	KIND_REPOSITORY,    /* git makes a repository of this directory; `tree`: and fills it */
	KIND_GIT_DIR,       /* git makes this very directory a git directory (--bare, --separate-git-dir) */
	/* a file of further options: it is read, and they are KIND_OPAQUE (curl -K, gcc @FILE) */
	KIND_OPTIONS,
	/* of a setting of git's: the word after it is a command of git's, or with "!" of the shell's */
	KIND_ALIAS,
	KIND_COUNT
};

enum { /* modifiers; the first five are USE_MORE ... USE_BELOW themselves */
	MOD_USE_FLAGS = 31,
	MOD_PARENTS = 32,   /* the path's parents too (mkdir -p) */
	MOD_LAST = 64,      /* no options after this one (python -c) */
	MOD_OPTIONAL = 128, /* the argument is optional and only attached (-i[SUFFIX], --color[=WHEN]) */
	MOD_PAIR = 256,     /* one more word follows the argument (find -fprintf FILE FORMAT) */
	/* an optional argument of digits only; the cluster goes on after them (perl -l0ne) */
	MOD_DIGITS = 1024,
	/*
	 * of a file: it is also written with a suffix added (know_spec.lang, or an option's argument marked
	 * the same), or, for "-", without it
	 */
	MOD_SUFFIX = 2048,
	/* unknown names in the file's directory are written too (mktemp, cp --backup, gzip) */
	MOD_BESIDE = 4096,
	MOD_SECOND = 32768, /* with MOD_PAIR: the kind is that of the second word (jq --rawfile NAME FILE) */
	MOD_JOINED = 512,   /* a command that is also joined and handed to a shell (parallel) */
	/* of a file: HOST:PATH and SCHEME://... name a host instead (scp, rsync, aws s3 cp) */
	MOD_REMOTE = 8192,
	MOD_ATTACHED = 16384, /* STYLE_LONG_DASH: the argument may follow without a blank (gcc -ofile) */
};

enum know_style {
	STYLE_GETOPT,       /* options anywhere, clustered, abbreviated long ones */
	STYLE_POSIX,        /* the same, but they end at the first operand */
	STYLE_LONG_DASH,    /* -name value, -name=value, --name; no clusters */
	STYLE_FIND,         /* start paths, then an expression */
	STYLE_TAR,          /* getopt, and the first word may be a bundle without dash */
	STYLE_NONE,         /* every word is an operand */
};

enum { /* row bits */
	ROW_ABBREV = 1,     /* unique prefixes of long options count */
	ROW_SUBCOMMANDS = 2,/* rows named "NAME SUB" exist in this blob */
	ROW_FORWARD = 4,    /* no content of its own: a user added a subcommand to a baked-in command */
	ROW_ASSIGN_FIRST = 8, /* NAME=VALUE words before the operands (env, sudo) */
	ROW_ASSIGN_ANY = 16,  /* NAME=VALUE words anywhere (make) */
	ROW_RUNS = 64,      /* an option's argument runs something */
	ROW_READONLY = 128,
	ROW_COLONS = 256,   /* ::: ends the command (parallel) */
};

/* lang: string; KIND_CODE's language, KIND_DATA's format, MOD_SUFFIX's text */
struct know_spec { uint16_t kind, mods; uint32_t lang; };
/* sorted by name within a row; same: the option's first spelling */
struct know_flag { uint32_t name, same; struct know_spec arg; };
/* KIND_KEYED: the first prefix that matches; "~x": x anywhere */
struct know_value { uint32_t prefix; struct know_spec spec; };
/* `when`: another kind for this flag's argument */
struct know_arg { uint32_t flag; struct know_spec spec; };

enum { OPS_FIRST = 1, OPS_REST = 2, OPS_LAST = 4, OPS_ALONE = 8, OPS_EMPTY = 16, OPS_ALWAYS = 32,
		OPS_AFTER = 64,
       OPS_HARMLESS = 128 /* of a `when`: the row's effects do not happen (effects: []) */ };

struct know_operands {
	uint32_t set;           /* OPS_ bits: which fields are given (a `when` replaces only those) */
	uint32_t first, nfirst; /* struct know_spec[]: the first operands, one by one */
	struct know_spec rest;  /* all others */
	struct know_spec last;  /* the last one, when there are two or more after `first` */
	struct know_spec alone; /* instead of `rest`, when there is exactly one after `first` */
	/* fewer operands than `first` (and a `rest` that runs) need, or a program called "-" */
	struct know_spec empty;
	struct know_spec always;/* in any case, without a word of its own */
	struct know_spec after; /* from the first word after "--" on */
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
	uint32_t until;         /* STYLE_POSIX: options are still read after this many operands */
	uint32_t flags, nflags;
	uint32_t values, nvalues;
	uint32_t whens, nwhens;
	uint32_t unless, nunless; /* uint32_t[]: flags with which it does not only read */
	uint32_t only, nonly;     /* uint32_t[]: flags without any of which it does not only read */
	uint32_t effects;
	/* string: words that alone only print ("--version --help"); 0: the usual ones */
	uint32_t info;
	uint32_t fires, obeys;  /* strings: hooks and settings of a git repository; 0: none */
	struct know_operands ops;
};

struct know_blob {
	uint32_t magic, bytes, nrows, pad;
	/* struct know_row rows[nrows] */
};

extern const uint32_t know_baked[]; /* made by gen-knowledge */
/*
 * The first bytes of each row's name, as a number that sorts like the names: a look-up touches this and
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
/* Does something of this kind run? */
static inline bool know_runs(uint32_t kind)
{
	return kind == KIND_EXEC || kind == KIND_COMMAND || kind == KIND_SCRIPT || kind == KIND_SPLIT ||
			kind == KIND_CODE || kind == KIND_OPAQUE || kind == KIND_OPTIONS ||
	       kind == KIND_KEYED || kind == KIND_ALIAS;
}
