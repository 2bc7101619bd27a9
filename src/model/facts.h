/*
 * The facts about a command line, which the gate judges. Plain structs, arena-owned, filled by src/shell and
 * src/code.
 *
 * Promise: `commands`, and `accesses` of kind write and delete, list everything that may happen (they may
 * list more, never less), or `complete` is false and `troubles` says why. A TROUBLE_OPAQUE_SCRIPT stands for
 * any command and any write: it is a fact, not a gap.
 *
 * Abstract text. A value that is not fully known is bytes with holes in it: HOLE_ANY stands for any bytes,
 * also none, HOLE_NUM for an integer (-?[0-9]+), HOLE_NAME for the name of a file, or a part of one: not
 * empty, no slash and no newline in it, neither "." nor ".."; it may start with a dash. No real shell value
 * can hold a NUL; a real byte 1 or 2 in the input becomes HOLE_ANY. A text is exact if it has no hole.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define HOLE_ANY '\0'
#define HOLE_NUM '\1'
#define HOLE_NAME '\2'

static inline bool text_hole(char c) { return c == HOLE_ANY || c == HOLE_NUM || c == HOLE_NAME; }
/* May blanks, quotes, operators stand in it that are not written there? An integer has none. */
static inline bool text_open(struct str s)
{
	return s.n && (memchr(s.p, HOLE_ANY, s.n) || memchr(s.p, HOLE_NAME, s.n));
}
static inline bool text_exact(struct str s)
{
	return s.n == 0 || !(text_open(s) || memchr(s.p, HOLE_NUM, s.n));
}

/* A byte range [from, to) of facts.texts[text]. */
struct span {
	uint32_t text, from, to;
};

static inline bool span_encloses(struct span outer, struct span in)
{
	return outer.text == in.text && outer.from <= in.from && in.to <= outer.to;
}
static inline bool span_overlaps(struct span a, struct span b)
{
	return a.text == b.text && a.from < b.to && b.from < a.to;
}

/*
 * When a fact may happen. Time is counted in simple commands of the request. `first` is when the fact was
 * found first, `last` the latest moment at which it may still happen: later than `first` when the command is
 * found again (a function called twice), or runs beside others (a pipeline, a background job, a trap).
 */
struct moment {
	uint32_t first, last;
	bool again;      /* it may happen more than once, so it may come after itself */
};

/*
 * True if something that happens at `a` may come before something at `b`. All effects of one command have one
 * moment, which does not precede itself.
 */
static inline bool moment_precedes(struct moment a, struct moment b)
{
	return a.first < b.last && (a.first != b.first || b.again);
}

enum word_kind {
	/* exactly one word, not known: JSON null. `text` may say which parts are (with holes) */
	WORD_UNKNOWN = 0,
	WORD_EXACT,       /* exactly one word, known */
	WORD_REST,        /* any number of words, also none: JSON {"rest": true} */
};

struct word {
	enum word_kind kind;
	bool glob;       /* WORD_REST from a file name pattern; `text` is the pattern */
	/*
	 * what is unknown in it comes from the environment or the caller's arguments alone, not from data the
	 * text reads
	 */
	bool ambient;
	struct str text;
	struct span at;
};

/* Languages that a reader or a scanner knows. */
enum lang {
	LANG_OTHER = 0, /* none knows it; a row of knowledge gives its name */
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

const char *lang_name(enum lang l);   /* of constant memory; "" for LANG_OTHER */
enum lang lang_find(struct str name); /* by the name that rows of knowledge and policies use */

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
	VIA_STDIN_SHELL, /* a shell reads it from its input */
	VIA_XARGS,
	VIA_FIND,
	VIA_WRAPPER,     /* a program that runs another: `name` */
	VIA_CODE,        /* code in the language `lang` */
	VIA_KINDS
};

/* How a command is reached, innermost first. */
struct via {
	enum via_kind kind;
	enum lang lang;   /* VIA_CODE */
	const char *name; /* VIA_WRAPPER: the program with its subcommand: "sudo", "npm exec" */
	const struct via *outer;
};

bool via_same(const struct via *a, const struct via *b); /* whatever lies around them */
/* One step as answers and explanations show it: "direct", "subst", "wrapper:sudo". */
struct str via_text(struct arena *a, const struct via *v);

/*
 * A program that is started: looked up in PATH, or named by a path. Functions and builtins of the shell are
 * none.
 */
struct launch {
	struct launch *next;
	struct str name;
	struct span at;
};

/* NAME=value put into the environment of a command, or of everything after it. */
struct setting {
	struct setting *next;
	struct str name;
	struct str value;  /* abstract text */
	bool leading;      /* for one command only: X=1 cmd, env X=1 cmd */
	struct span at;
};

struct command {
	struct command *next;
	struct word *argv;
	size_t argc;
	const struct via *via;
	struct span at;
	struct str cwd;   /* abstract text */
	const struct str *dirs; /* every directory it may run in, abstract; ndirs == 0: not known */
	size_t ndirs;
	/* its own leading assignments, those of wrappers around it included */
	const struct setting *settings;
	struct moment when;
};

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_DELETE, ACCESS_EXEC };

/* The state that a write leaves behind for later commands. */
enum change_kind {
	CHANGE_PLAIN = 0,  /* a file or directory of this name */
	CHANGE_COPY,       /* what the same command reads or deletes also appears here (cp, mv, rsync) */
	CHANGE_LINK,       /* a link, or another name of a file, to what the same command reads (ln, cp -s) */
	CHANGE_FILES,      /* files of some name right in this directory (gunzip, split, curl -O) */
	/* names that data choose, here and below: files, links, directories (tar, git clone) */
	CHANGE_TREE,
	/* names that git brings into the whole work tree around this directory (git checkout) */
	CHANGE_WORK_TREE,
	/* git makes a repository, with .git (git init); `below`: and fills it (worktree add) */
	CHANGE_REPOSITORY,
	CHANGE_GIT_DIR,    /* git makes this very directory a git directory (--bare, --separate-git-dir) */
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

/* Why a file is touched. */
enum cause {
	CAUSE_COMMAND = 0, /* a program, a builtin, a function of code or a tool of the client: `by` */
	CAUSE_REDIRECT,    /* the operator `redirect`, on descriptor `fd` */
	CAUSE_VARIABLE,    /* a variable of the environment makes a program touch it: `by` */
	CAUSE_LIST,        /* a program reads the names of files from it: `by` */
	CAUSE_IMPORT,      /* code would load it in place of a module of the language's own, if it is there */
	CAUSE_LINK,        /* a path that code uses may go through a link that leads elsewhere */
};

/*
 * A file that is touched. `path` is joined to the working directory of that moment; "." and ".." are left for
 * the world to resolve.
 */
struct access {
	struct access *next;
	enum access_kind kind;
	struct word path;
	bool below;       /* and anything below it (rm -r, tar -x, cp into a directory) */
	bool elsewhere;   /* on another machine or in a container (ssh, docker exec) */
	enum change_kind change; /* of a write */
	enum cause cause;
	const char *by;   /* a name; NULL: none is known, or the cause needs none */
	enum redir_op redirect;
	int fd;           /* of what a redirection opens to be read, where it is not the input; else 0 */
	struct span at;
	struct moment when;
};

/* Is it a command of this name, with its subcommand ("git mv")? */
static inline bool access_by(const struct access *x, const char *name)
{
	return x->cause == CAUSE_COMMAND && x->by && !strcmp(x->by, name);
}
/* ... of one of these names: texts in place, the last one empty. */
#define ACCESS_BY_ONE_OF(x, list) \
	((x)->cause == CAUSE_COMMAND && (x)->by && STR_LISTED(str_of((x)->by), (list)))
/* Do both have the same cause, by the same name? Not where the name is not known. */
bool access_same_cause(const struct access *a, const struct access *b);
/* The cause as answers and explanations show it: ">>", "3<", "import", "git mv"; empty: not known. */
struct str access_cause(struct arena *a, const struct access *x);

struct touch {            /* a host on the network */
	struct touch *next;
	struct word host;
	struct span at;
};

/*
 * The effects of code in another language, as src/code found them. Effects on files, hosts and programs are
 * facts of their own (accesses, touches, commands).
 */
struct code_call {
	struct code_call *next;
	struct str name;          /* qualified, through aliases: "shutil.rmtree", "fs.rmSync" */
	const struct word *args;  /* positional first; abstract text */
	const struct str *names;  /* of keyword arguments; empty for positional ones */
	size_t nargs;
	struct span at;
};

struct code_import {
	struct code_import *next;
	struct str name;          /* "os", "os.path", "fs", "node:fs" as written, without the prefix node: */
	struct span at;
};

/*
 * Code that stays dynamic, or leads where no reader follows. Ids are public: "getattr", "eval", "exec",
 * "import", "ctypes", "pickle", ...
 */
struct code_marker {
	struct code_marker *next;
	const char *id;
	struct span at;
};

struct code {
	/* the whole text is code of its language; else `error_at` says where it is not */
	bool parsed;
	bool complete;            /* all effects are listed: nothing dynamic, nothing unknown is called */
	struct span error_at;
	struct code_call *calls;
	struct code_import *imports;
	struct code_marker *markers;
};

struct snippet {          /* code in another language, for src/code */
	struct snippet *next;
	enum lang lang;
	const char *other; /* LANG_OTHER: its name; NULL: not known */
	struct word text;
	struct span at;
	struct str cwd;           /* abstract: the directory it would run in */
	struct moment when;
	const struct code *code;  /* NULL: nobody has read it */
};

const char *snippet_language(const struct snippet *s); /* NULL: not known */

/* The moment of all that a snippet does. Its order is not followed: all of it may come after all of it. */
static inline struct moment snippet_moment(const struct snippet *s)
{
	uint32_t next = s->when.first + 1;

	return (struct moment){s->when.first, s->when.last > next ? s->when.last : next, true};
}

/* Text 0 is the request's own; others were derived from text `in`, at `origin` there. */
struct text {
	const char *from; /* "request", "sh -c", "backtick", "here-document", "eval", "alias", ... */
	enum lang lang;   /* of code in another language; else LANG_OTHER */
	uint32_t in;
	struct span origin;
	struct str bytes;
};

/*
 * Features of the text itself that a stricter policy may want to see, although the reader understood them.
 * One for each of the validators of docs/checks.md that looks at syntax; `at` is the place in its text.
 * Inside quotes, comments and here-documents only where that is the point.
 */
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
	 * < or > to a file that is not one of the exact safe ones: 2>&1 >&2 (any fd copy), >/dev/null,
	 * 2>/dev/null, &>/dev/null, </dev/null
	 */
	MARK_REDIRECTION,
	MARK_ESCAPED_BLANK,     /* a backslash before a blank, outside of quotes */
	MARK_ESCAPED_OPERATOR,  /* a backslash before ; | & < > ( ), outside of quotes */
	MARK_UNICODE_BLANK,     /* white space that is not ASCII, outside of quotes */
	MARK_MIDWORD_HASH,      /* # inside a word, next to a quote */
	MARK_BRACES,            /* {a,b} or {1..9} outside of quotes */
	/* a word with unbalanced ( ) [ ] { } or an odd quote in it, in a text with separators */
	MARK_MALFORMED,
	/*
	 * zero-width, bidirectional-control, tag or other invisible characters anywhere outside a quoted
	 * here-document
	 */
	MARK_INVISIBLE,
	/*
	 * a command name, option or path outside quotes that mixes ASCII letters with look-alikes of other
	 * scripts
	 */
	MARK_HOMOGLYPH,
	MARK_PROMPT_EXPANSION,  /* ${x@P}, PS4 and its kin with an expansion in them */
	MARK_ARITHMETIC_CODE,   /* arithmetic over a value that may hold a subscript with a substitution */
	MARK_PIPELINE,          /* not a finding: the whole of a pipeline of two or more commands */
	MARK_SPAWNS,            /* a loop without end that does nothing but start background jobs */
	MARK_KINDS
};

struct mark {
	struct mark *next;
	enum mark_kind kind;
	struct span at;
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
	bool tool_known;       /* what that tool does with files and hosts is listed here */
	/* of the client, when the request is no shell command but a call of it; else empty */
	struct str tool;
	struct command *commands, **commands_end;
	struct launch *launches, **launches_end;
	struct access *accesses, **accesses_end;
	struct touch *touches, **touches_end;
	struct snippet *snippets, **snippets_end;
	struct trouble *troubles, **troubles_end;
	/* every assignment that may reach the environment of a program */
	struct setting *settings, **settings_end;
	struct mark *marks, **marks_end;
	struct text *texts;
	size_t ntexts, texts_cap;
};

/* Empty facts, to be added to. */
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
