/*
 * What a reader found in a command line: the facts the gate judges. Plain structs, arena-owned, filled by src/shell (and src/code).
 *
 * Promise: `commands`, `accesses` of kind write and delete list everything that may happen (they may list more, never less), or
 * `complete` is false and `troubles` says why. A TROUBLE_OPAQUE_SCRIPT stands for any command and any write: it is a fact, not a gap.
 *
 * Abstract text. A value that is not fully known is kept as bytes with holes in it: HOLE_ANY stands for any bytes, also none, HOLE_NUM
 * for an integer (-?[0-9]+). No real shell value can hold a NUL; a real byte 1 in the input becomes HOLE_ANY. A text is exact when it
 * has no hole.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define HOLE_ANY '\0'
#define HOLE_NUM '\1'

static inline bool text_exact(struct str s) { return s.n == 0 || (!memchr(s.p, HOLE_ANY, s.n) && !memchr(s.p, HOLE_NUM, s.n)); }

/* A byte range [from, to) of facts.texts[text]. */
struct span {
	uint32_t text, from, to;
};

enum word_kind {
	WORD_UNKNOWN = 0, /* exactly one word, not known: JSON null. `text` may say which parts are (with holes) */
	WORD_EXACT,       /* exactly one word, known */
	WORD_REST,        /* any number of words, also none: JSON {"rest": true} */
};

struct word {
	enum word_kind kind;
	bool glob;       /* WORD_REST from a file name pattern; `text` is the pattern */
	bool ambient;    /* what is unknown in it comes from the environment or the caller's arguments alone, not from data the text reads */
	struct str text;
	struct span at;
};

/* How a command is reached, innermost first: "direct", "subst", "wrapper:sudo", ... (CONTRACTS.md lists the values). */
struct via {
	const char *name;
	const struct via *outer;
};

struct command {
	struct command *next;
	struct word *argv;
	size_t argc;
	const struct via *via;
	struct span at;
	struct str cwd;   /* abstract text */
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_DELETE, ACCESS_EXEC };

/* A file that is touched. `path` is joined to the working directory of that moment; "." and ".." are left for the world to resolve. */
struct access {
	struct access *next;
	enum access_kind kind;
	struct word path;
	bool below;       /* and anything below it (rm -r, tar -x, cp into a directory) */
	const char *op;   /* ">" ">>" "<" "<>" or the command's name */
	struct span at;
};

struct touch {            /* a host on the network */
	struct touch *next;
	struct word host;
	struct span at;
};

struct snippet {          /* code in another language, for src/code */
	struct snippet *next;
	const char *lang; /* "python", "javascript", "powershell", "perl", "awk", "sed", "sql", ... */
	struct word text;
	struct span at;
};

/* Text 0 is the request's own; others were derived from text `in`, at `origin` there. */
struct text {
	const char *from; /* "request", "sh -c", "backtick", "here-document", "eval", "alias", ... */
	uint32_t in;
	struct span origin;
	struct str bytes;
};

/* Why the facts are not complete, or something in them is not knowable. Ids are public (docs/checks.md). */
enum trouble_kind {
	TROUBLE_SYNTAX,        /* the shell would refuse the text here */
	TROUBLE_BOUND,         /* a named bound or the fuel was reached */
	TROUBLE_CONSTRUCT,     /* something this reader does not follow */
	TROUBLE_OPAQUE_SCRIPT, /* shell text that will be run but is not known; the facts stay complete */
	TROUBLE_KINDS
};

struct trouble {
	struct trouble *next;
	enum trouble_kind kind;
	const char *message;   /* one sentence: what, lower case */
	struct span at;
};

struct facts {
	bool complete;
	struct command *commands, **commands_end;
	struct access *accesses, **accesses_end;
	struct touch *touches, **touches_end;
	struct snippet *snippets, **snippets_end;
	struct trouble *troubles, **troubles_end;
	struct text *texts;
	size_t ntexts, texts_cap;
};
