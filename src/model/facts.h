/*
 * The facts about a command line, which the gate judges. Plain structs, owned by the arena; src/shell and
 * src/code fill them.
 *
 * Promise: `commands`, and `accesses` of kind write and delete, list everything that may happen (possibly
 * more, never less). Otherwise `complete` is false and `troubles` says why. A TROUBLE_OPAQUE_SCRIPT stands
 * for any command and any write: it is a fact, not a gap.
 *
 * Abstract text. A value that is not fully known is a string with holes:
 *   HOLE_ANY   any bytes, possibly none
 *   HOLE_NUM   an integer (-?[0-9]+)
 *   HOLE_NAME  a file name or a part of one: not empty, without slash and newline, neither "." nor ".."; it
 *              may start with a dash
 * No real shell value can hold a NUL; a real byte 1 or 2 in the input becomes HOLE_ANY. A text is exact if it
 * has no hole.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define HOLE_ANY '\0'
#define HOLE_NUM '\1'
#define HOLE_NAME '\2'

static inline bool text_hole(char c) { return c == HOLE_ANY || c == HOLE_NUM || c == HOLE_NAME; }
static inline bool text_digit(char c) { return ascii_is_digit(c) || c == HOLE_NUM; }
/* True if a hole may stand for blanks, quotes or operators. An integer cannot. */
static inline bool text_open(struct str s)
{
	return s.n && (str_has(s, HOLE_ANY) || str_has(s, HOLE_NAME));
}
static inline bool text_exact(struct str s)
{
	return s.n == 0 || !(text_open(s) || str_has(s, HOLE_NUM));
}

/* A byte range [from, to) of facts.texts[text]. */
struct span {
	uint32_t text, from, to;
};

static inline bool span_same(struct span a, struct span b)
{
	return a.text == b.text && a.from == b.from && a.to == b.to;
}
static inline bool span_encloses(struct span outer, struct span in)
{
	return outer.text == in.text && outer.from <= in.from && in.to <= outer.to;
}
static inline bool span_overlaps(struct span a, struct span b)
{
	return a.text == b.text && a.from < b.to && b.from < a.to;
}

/*
 * When a fact may happen, counted in simple commands of the request. `first` is the earliest moment; `last`
 * is the latest one. `last` is later than `first` if the command occurs again (a function called twice) or
 * runs concurrently (a pipeline, a background job, a trap).
 */
struct moment {
	uint32_t first, last;
	bool again;      /* it may happen more than once, so it may follow itself */
};

/*
 * True if an event at `a` may happen before an event at `b`. All effects of one command share one moment,
 * which does not precede itself.
 */
static inline bool moment_precedes(struct moment a, struct moment b)
{
	return a.first < b.last && (a.first != b.first || b.again);
}

enum word_kind {
	/* exactly one unknown word: JSON null. `text` may hold its known parts (with holes) */
	WORD_UNKNOWN = 0,
	WORD_EXACT,       /* exactly one known word */
	WORD_REST,        /* any number of words, possibly none: JSON {"rest": true} */
};

struct word {
	enum word_kind kind;
	bool glob;       /* WORD_REST from a file name pattern; `text` is the pattern */
	/*
	 * its unknown parts come only from the environment or the caller's arguments, not from data the text
	 * reads
	 */
	bool ambient;
	struct str text;
	/*
	 * How an unknown word probably looks, with holes; empty: no guess. Checks ask about secrets by it,
	 * and nothing is proved by it.
	 */
	struct str likely;
	struct span at;
};

/* The word as abstract text: an unknown word without a text is a hole. */
static inline struct str word_abstract(const struct word *w)
{
	return w->kind == WORD_EXACT || !text_exact(w->text) ? w->text : str_n("\0", 1);
}

/* Languages that have a parser or a scanner. */
enum lang {
	LANG_OTHER = 0, /* no parser or scanner; a knowledge row gives its name */
	LANG_PYTHON,
	LANG_JAVASCRIPT,
	LANG_POWERSHELL,
	LANG_POWERSHELL_ENCODED, /* base64 */
	LANG_PERL,
	LANG_PERL_PATTERN,
	LANG_RUBY,
	LANG_PHP,
	LANG_LUA,
	LANG_AWK,
	LANG_SED,
	LANG_SQL,
	LANG_JQ,
	LANG_GDB,
	LANG_LESS,
	LANGS
};

const char *lang_name(enum lang l);   /* static string; "" for LANG_OTHER */
enum lang lang_find(struct str name); /* `name` as in knowledge rows and policies */

enum via_kind {
	VIA_DIRECT = 0,
	VIA_SUBST,       /* $( ) or backticks */
	VIA_PROCSUB,     /* <( ), >( ), =( ) */
	VIA_FUNCTION,
	VIA_ALIAS,
	VIA_EVAL,
	VIA_TRAP,
	VIA_SOURCE,
	VIA_SH_C,
	VIA_STDIN_SHELL, /* a shell that reads its script from stdin */
	VIA_XARGS,
	VIA_FIND,
	VIA_WRAPPER,     /* a program that runs another program: `name` */
	VIA_CODE,        /* code in the language `lang` */
	VIA_KINDS
};

/* One step of how a command is reached; the innermost step comes first. */
struct via {
	enum via_kind kind;
	enum lang lang;   /* VIA_CODE */
	const char *name; /* VIA_WRAPPER: program and subcommand: "sudo", "npm exec" */
	const struct via *outer;
};

bool via_same(const struct via *a, const struct via *b); /* ignores the outer steps */
/* Formats one step for answers and explanations: "direct", "subst", "wrapper:sudo". */
struct str via_text(struct arena *a, const struct via *v);

/*
 * A program that is started: found in PATH, or named by a path. Shell functions and builtins are not listed.
 */
struct launch {
	struct launch *next;
	struct str name;
	struct span at;
};

/* NAME=value, set in the environment of one command or of all later ones. */
struct setting {
	struct setting *next;
	struct str name;
	struct str value;  /* abstract text */
	bool leading;      /* applies to one command only: X=1 cmd, env X=1 cmd */
	struct span at;
};

struct command {
	struct command *next;
	struct word *argv;
	size_t argc;
	const struct via *via;
	struct span at;
	struct str cwd;   /* abstract text */
	const struct str *dirs; /* abstract: every directory it may run in; ndirs == 0: not known */
	size_t ndirs;
	/* its own leading assignments and those of wrappers around it */
	const struct setting *settings;
	bool elsewhere;   /* on another machine or in a container (ssh, docker exec) */
	struct moment when;
};

/*
 * True if the command is around this place, or has it among its words. A command that another one runs
 * (timeout, env, xargs) has the place of that one's name, so `at` alone does not say it.
 */
static inline bool command_covers(const struct command *c, struct span at)
{
	if (span_encloses(c->at, at))
		return true;
	return c->argc && c->argv[0].at.text == c->argv[c->argc - 1].at.text &&
		span_encloses((struct span){.text = c->argv[0].at.text, .from = c->argv[0].at.from,
				.to = c->argv[c->argc - 1].at.to}, at);
}

/* The same where xargs adds unknown words, which have the place of xargs, before the command. */
static inline bool command_covers_given(const struct command *c, struct span at)
{
	struct span all = c->argc ? c->argv[0].at : c->at;

	for (size_t i = c->argc; i-- > 1;)
		if (c->argv[i].at.text == all.text && c->argv[i].at.to > all.to)
			all.to = c->argv[i].at.to;
	return command_covers(c, at) || span_encloses(all, at);
}

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_DELETE, ACCESS_EXEC };

/* The state that a write leaves for later commands. */
enum change_kind {
	CHANGE_PLAIN = 0,  /* a file or directory with this name */
	CHANGE_COPY,       /* a copy of the files that the same command reads or deletes (cp, mv, rsync) */
	CHANGE_LINK,       /* a symbolic or hard link to a file that the same command reads (ln, cp -s) */
	CHANGE_FILES,      /* files with unknown names directly in this directory (gunzip, split, curl -O) */
	/* files, links and directories here and below, with names chosen by data (tar, git clone) */
	CHANGE_TREE,
	/* names that git creates in the whole work tree around this directory (git checkout) */
	CHANGE_WORK_TREE,
	/* a repository with .git (git init); `below`: git also fills it (worktree add) */
	CHANGE_REPOSITORY,
	CHANGE_GIT_DIR,    /* this directory itself becomes a git directory (--bare, --separate-git-dir) */
};

/* Operators of redirections. */
enum redir_op {
	REDIR_READ,        /* <   */
	REDIR_WRITE,       /* >   */
	REDIR_CLOBBER,     /* >|  */
	REDIR_APPEND,      /* >>  */
	REDIR_READ_WRITE,  /* <>  */
	REDIR_DUP_IN,      /* <&  */
	REDIR_DUP_OUT,     /* >&  */
	REDIR_BOTH,        /* &>  */
	REDIR_BOTH_APPEND, /* &>> */
	REDIR_HERE,        /* << and <<- */
	REDIR_HERE_STRING, /* <<< */
	REDIR_OPS
};

/* Why a file is accessed. */
enum cause {
	CAUSE_COMMAND = 0, /* a program, builtin, function in code, or client tool: `by` */
	CAUSE_REDIRECT,    /* a redirection: operator `redirect`, descriptor `fd` */
	CAUSE_VARIABLE,    /* an environment variable makes a program access it: `by` */
	CAUSE_LIST,        /* a program reads a list of file names from it: `by` */
	CAUSE_IMPORT,      /* if the file exists, code loads it instead of a module of the language */
	CAUSE_LINK,        /* a path in code may lead through a symbolic link */
};

/*
 * An access to a file. `path` is joined to the working directory of that moment; "." and ".." stay, since
 * only the view can resolve them.
 */
struct access {
	struct access *next;
	enum access_kind kind;
	struct word path;
	bool below;       /* also everything below it (rm -r, tar -x, cp into a directory) */
	bool elsewhere;   /* on another machine or in a container (ssh, docker exec) */
	enum change_kind change; /* ACCESS_WRITE */
	enum cause cause;
	const char *by;   /* name of the cause; NULL: not known, or not needed */
	enum redir_op redirect;
	int fd;           /* of a redirection opened for reading, other than stdin; else 0 */
	struct span at;
	struct moment when;
};

/* True if the cause is the command `name`, subcommand included ("git mv"). */
static inline bool access_by(const struct access *x, const char *name)
{
	return x->cause == CAUSE_COMMAND && x->by && !strcmp(x->by, name);
}
/* True if the cause is one of the commands; blanks separate them. ASCII case is ignored. */
static inline bool access_by_any(const struct access *x, const char *commands)
{
	return x->cause == CAUSE_COMMAND && x->by && str_like_any(str_of(x->by), commands);
}
/* True if both have the same cause and the same known name. */
bool access_same_cause(const struct access *a, const struct access *b);
/* Formats the cause for answers and explanations: ">>", "3<", "import", "git mv"; empty: not known. */
struct str access_cause(struct arena *a, const struct access *x);

/*
 * A name in /tmp that the shell itself looks up: a test, cd, a pattern that it expands. Nothing is read or
 * changed, so no check asks about it. `path` is joined as in struct access, exact or a glob.
 */
struct look {
	struct look *next;
	struct word path;
	struct span at;
};
#define LOOKS_MAX 64

struct touch {            /* a host on the network */
	struct touch *next;
	struct word host;
	struct span at;
};

/*
 * The effects of code in another language, as src/code found them. Effects on files, hosts and programs are
 * listed as accesses, touches and commands.
 */
struct code_call {
	struct code_call *next;
	struct str name;          /* qualified, aliases resolved: "shutil.rmtree", "fs.rmSync" */
	const struct word *args;  /* positional first; abstract text */
	const struct str *names;  /* keyword of each argument; empty for positional ones */
	size_t nargs;
	struct span at;
};

struct code_import {
	struct code_import *next;
	struct str name;          /* as written, without the prefix node: ("os", "os.path", "fs") */
	struct span at;
};

/* Code that stays dynamic, or that no parser can follow, or a category of effects: marker_rows.h. */
enum marker {
	MARKER_NONE = 0,
#define CODE_MARKER(constant, ...) MARKER_##constant,
#include "model/marker_rows.h"
#undef CODE_MARKER
	MARKERS,
	MARKER_LAST_CATEGORY = MARKER_REMOTE /* categories come first */
};

const char *marker_name(enum marker id); /* a static string */

struct code_marker {
	struct code_marker *next;
	enum marker id;
	struct span at;
};

struct code {
	/* the whole text is valid in its language; else the error is at `error_at` */
	bool parsed;
	bool complete;            /* all effects are listed: no dynamic code, no unknown calls */
	struct span error_at;
	struct code_call *calls;
	struct code_import *imports;
	struct code_marker *markers;
};

struct snippet {          /* code in another language, for src/code */
	struct snippet *next;
	enum lang lang;
	const char *other; /* LANG_OTHER: name of the language; NULL: not known */
	struct word text;
	struct span at;
	struct str cwd;           /* abstract: the directory it runs in */
	struct moment when;
	const struct code *code;  /* NULL: not parsed */
};

const char *snippet_language(const struct snippet *s); /* NULL: not known */

/*
 * The moment of everything that a snippet does. The order inside is not tracked: any part may follow any
 * other.
 */
static inline struct moment snippet_moment(const struct snippet *s)
{
	uint32_t next = s->when.first + 1;

	return (struct moment){s->when.first, s->when.last > next ? s->when.last : next, true};
}

enum text_source {
	TEXT_REQUEST = 0,
	TEXT_CODE,       /* code passes it to a shell */
	TEXT_SNIPPET,    /* code in the language `lang` */
	TEXT_PROGRAM,    /* a program passes it to a shell: `by` */
	TEXT_SH_C,       /* operand of the shell `by` */
	TEXT_STDIN,
	TEXT_FILE,
	TEXT_PROCSUB,
	TEXT_SOURCE,
	TEXT_EVAL,
	TEXT_BACKTICK,
	TEXT_HERE_DOCUMENT,
	TEXT_ALIAS,
	TEXT_TRAP,
	TEXT_PROMPT,
	TEXT_PROMPT_COMMAND,
	TEXT_MAPFILE,
	TEXT_SUBSCRIPT,
	TEXT_INDIRECTION,
	TEXT_SOURCES
};

/* How the text was found. */
struct text_from {
	enum text_source source;
	const char *by; /* formatted step of the program (via_text()), or name of the shell */
};
#define TEXT_FROM(kind) ((struct text_from){.source = TEXT_##kind})

/* Text 0 is the request itself. Each other text was derived from text `in`, at `origin` there. */
struct text {
	struct text_from from;
	enum lang lang;   /* language of the code; LANG_OTHER for shell text */
	uint32_t in;
	struct span origin;
	struct str bytes;
};

/*
 * Features of the text that a stricter policy may reject although the parser understood them. There is one
 * for each syntax validator of docs/checks.md; `at` is the place in its text. Quotes, comments and
 * here-documents count only where the mark is about them.
 */
/* Formats it for answers and explanations: "request", "eval", "bash -c", "wrapper:sudo", "python". */
struct str text_source(struct arena *a, const struct text *t);

enum mark_kind {
	MARK_FRAGMENT,          /* the text starts with a tab, an option or an operator */
	/* $(cat <<'EOF' ... EOF): a here-document with a quoted delimiter, nothing else */
	MARK_SAFE_SUBST,
	/* quotes, escapes or an expansion inside the name of an option: "-"rf, -'r'f, $'-rf', -$x */
	MARK_OBFUSCATED_FLAG,
	MARK_METACHARACTER,     /* a quoted ; | or & inside an argument */
	/* a variable as the target of a redirection, or as a command next to a pipe */
	MARK_VARIABLE_CONTEXT,
	MARK_COMMENT_QUOTE,     /* a quote character inside a comment */
	MARK_QUOTED_NEWLINE,    /* a newline inside quotes */
	MARK_CARRIAGE_RETURN,   /* CR anywhere in the text */
	MARK_NEWLINE,           /* a newline that separates two commands */
	MARK_IFS,               /* $IFS or ${IFS...} in a word of a command */
	MARK_BACKTICK,          /* `...` */
	MARK_SUBSTITUTION,      /* $(...), <(...), >(...), =(...) */
	MARK_PARAMETER,         /* ${...} */
	MARK_OLD_ARITHMETIC,    /* $[...] */
	MARK_ZSH_EXPANSION,     /* =cmd, ~[..], (e)-flags and glob qualifiers, only when read as zsh */
	/*
	 * < or > to a file. Not marked, in exactly these forms: 2>&1 >&2 (any fd copy), >/dev/null,
	 * 2>/dev/null, &>/dev/null, </dev/null
	 */
	MARK_REDIRECTION,
	MARK_ESCAPED_BLANK,     /* a backslash before a blank, outside of quotes */
	MARK_ESCAPED_OPERATOR,  /* a backslash before ; | & < > ( ), outside of quotes */
	MARK_UNICODE_BLANK,     /* white space that is not ASCII, outside of quotes */
	MARK_MIDWORD_HASH,      /* # inside a word, next to a quote */
	MARK_BRACES,            /* {a,b} or {1..9} outside of quotes */
	/* a word with unbalanced ( ) [ ] { } or an odd quote, in a text with separators */
	MARK_MALFORMED,
	/* invisible characters (zero-width, bidi control, tag, ...) outside a quoted here-document */
	MARK_INVISIBLE,
	/* an unquoted command name, option or path that mixes ASCII letters with look-alikes */
	MARK_HOMOGLYPH,
	MARK_PROMPT_EXPANSION,  /* an expansion inside ${x@P}, PS4 and the like */
	MARK_ARITHMETIC_CODE,   /* arithmetic on a value that may hold a subscript with a substitution */
	MARK_PIPELINE,          /* not a finding: spans a pipeline of two or more commands */
	MARK_SPAWNS,            /* an endless loop that only starts background jobs */
	MARK_KINDS
};

struct mark {
	struct mark *next;
	enum mark_kind kind;
	struct span at;
};

/* Why the facts are incomplete, or why a part of them is unknown. Ids are public (docs/checks.md). */
enum trouble_kind {
	TROUBLE_SYNTAX,        /* syntax error: the shell would reject the text here */
	TROUBLE_BOUND,         /* a named bound, or the fuel, is exhausted */
	TROUBLE_CONSTRUCT,     /* a construct that this parser does not follow */
	TROUBLE_OPAQUE_SCRIPT, /* shell text that runs but is unknown; the facts stay complete */
	TROUBLE_KINDS
};

struct trouble {
	struct trouble *next;
	enum trouble_kind kind;
	const char *message;   /* one sentence, lower case */
	struct span at;
};

struct facts {
	bool complete;
	bool tool_known;       /* `tool` is known: its effects on files and hosts are listed here */
	/* the client's tool if the request is a tool call; empty for a shell command */
	struct str tool;
	struct command *commands, **commands_end;
	struct launch *launches, **launches_end;
	struct access *accesses, **accesses_end;
	struct look *looks;    /* at most LOOKS_MAX, the last one first */
	struct touch *touches, **touches_end;
	struct snippet *snippets, **snippets_end;
	struct trouble *troubles, **troubles_end;
	/* all assignments that may reach the environment of a program */
	struct setting *settings, **settings_end;
	struct mark *marks, **marks_end;
	struct text *texts;
	size_t ntexts, texts_cap;
};

uint32_t facts_add_text(struct arena *a, struct facts *f, struct text t); /* returns its index */
/* Initializes empty facts. */
static inline void facts_init(struct facts *f)
{
	*f = (struct facts){.complete = true};
	f->commands_end = &f->commands;
	f->launches_end = &f->launches;
	f->accesses_end = &f->accesses;
	f->touches_end = &f->touches;
	f->snippets_end = &f->snippets;
	f->troubles_end = &f->troubles;
	f->settings_end = &f->settings;
	f->marks_end = &f->marks;
}
