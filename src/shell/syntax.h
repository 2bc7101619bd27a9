/*
 * The syntax tree of a shell script, built by the parser (parse*.c, word.c, param.c, lex.c) and walked by
 * eval.c. All nodes live in one arena.
 *
 * Lists are singly linked through `next`. Every node has its byte range in the source. Words keep their
 * source text, because brace expansion in bash works on text and its results are parsed again as words.
 */
#pragma once
#include "model/facts.h"
#include "model/view.h"

struct syn_node;
struct syn_word;

/* ---- words ---- */

enum part_kind {
	/* unquoted literal characters, active for globbing, tilde and braces; no backslashes left */
	PART_TEXT,
	PART_QUOTED,  /* '...', $'...' (decoded), or one character after a backslash: exact */
	PART_DOUBLE,  /* "..." or $"...": inside */
	PART_PARAM,   /* $x, ${...}: param */
	/* $( ... ): body; `...`: text is the decoded source, body is NULL, parsed when evaluated */
	PART_COMMAND,
	PART_ARITH,   /* $(( ... )) or $[ ... ]: inside, read as in double quotes */
	PART_PROCESS, /* <( ... ) >( ... ) =( ... ): body, text[0] is the sign */
};

struct syn_part {
	struct syn_part *next;
	enum part_kind kind;
	struct str text;
	struct syn_part *inside;
	struct syn_node *body;
	struct syn_param *param;
	struct span at;
};

enum param_op {
	PARAM_PLAIN = 0,
	PARAM_DEFAULT,    /* -  */
	PARAM_ASSIGN,     /* =  */
	PARAM_ERROR,      /* ?  */
	PARAM_ALTERNATE,  /* +  */
	PARAM_CUT_HEAD,   /* #  */
	PARAM_CUT_HEAD_MAX,
	PARAM_CUT_TAIL,   /* %  */
	PARAM_CUT_TAIL_MAX,
	PARAM_REPLACE,    /* /pat/rep */
	PARAM_REPLACE_ALL,
	PARAM_REPLACE_HEAD,
	PARAM_REPLACE_TAIL,
	PARAM_UPPER,      /* ^  */
	PARAM_UPPER_ALL,
	PARAM_LOWER,      /* ,  */
	PARAM_LOWER_ALL,
	PARAM_TOGGLE,     /* ~  */
	PARAM_TOGGLE_ALL,
	PARAM_SLICE,      /* :offset:length */
	PARAM_TRANSFORM,  /* @X: letter */
	PARAM_KEYS,       /* ${!a[@]} ${!a[*]} */
	PARAM_NAMES,      /* ${!prefix*} ${!prefix@} */
};

struct syn_param {
	struct str name;             /* a name, digits, or one of @ * # ? - $ ! _ 0 */
	bool length;                 /* ${#x} */
	bool indirect;               /* ${!x} */
	bool colon;                  /* the ":" of :- := :? :+ */
	/* a form that is not modelled: the value is unknown, the parts inside are still evaluated */
	bool unknown;
	char letter;                 /* letter of PARAM_TRANSFORM */
	bool subscripted;            /* has a [..] */
	char all;                    /* '@' or '*' for [@] and [*] */
	struct syn_part *subscript;  /* read as in double quotes */
	enum param_op op;
	struct syn_part *arg, *arg2; /* word, pattern and replacement, or offset and length */
};

struct syn_word {
	struct syn_word *next;
	struct syn_part *parts;
	struct str source;
	struct span at;
	/* the word parsed as an assignment, if it has that form (arguments of declare, export ...) */
	struct syn_assign *assign;
	bool made;     /* made by brace expansion */
	bool braces;   /* has an unquoted '{': try brace expansion */
	bool plain;    /* one PART_TEXT and nothing else, or empty parts */
};

struct syn_assign {
	struct syn_assign *next;
	struct str name;
	bool append;                 /* += */
	bool subscripted;
	struct syn_part *subscript;
	struct syn_word *value;      /* NULL for an array */
	bool array;
	struct syn_element *elements;
	struct span at;
};

struct syn_element {                 /* elements of a=( ... ) */
	struct syn_element *next;
	bool subscripted, append;
	struct syn_part *subscript;
	struct syn_word *value;
};

/* ---- redirections ---- */

struct syn_redir {
	struct syn_redir *next;
	enum redir_op op;
	int fd;                      /* -1: the operator's default */
	struct str var;              /* {var}> */
	/* file name, descriptor, here-string, or the here-document's delimiter */
	struct syn_word *target;
	bool here_quoted, here_dash;
	struct str here_source;      /* the raw body, with tabs removed for <<- */
	struct syn_part *here;       /* the body; PART_QUOTED when the delimiter is quoted */
	struct syn_redir *here_next; /* next here-document whose body is still unread */
	struct span at;
};

/* ---- commands ---- */

enum node_kind {
	NODE_SIMPLE,
	NODE_PIPE,     /* first: stages */
	NODE_ANDOR,    /* first: members; each has join set */
	NODE_LIST,     /* first: members; each may have `background` */
	NODE_GROUP,    /* { } */
	NODE_SUBSHELL, /* ( ) */
	NODE_IF,       /* cond, body, orelse (an elif is a NODE_IF there) */
	NODE_WHILE,
	NODE_UNTIL,
	NODE_FOR,      /* name, words, in; body */
	NODE_SELECT,
	NODE_ARITH_FOR,/* arith[3], body */
	NODE_CASE,     /* words: the subject; clauses */
	NODE_FUNCTION, /* name, body */
	NODE_COND,     /* [[ ]]: test */
	NODE_ARITH,    /* (( )): arith[0] */
	NODE_COPROC,   /* name, body */
};

enum join { JOIN_FIRST = 0, JOIN_AND, JOIN_OR };
enum clause_end { CLAUSE_STOP, CLAUSE_FALL, CLAUSE_TEST }; /* ;; ;& ;;& */

struct syn_clause {
	struct syn_clause *next;
	struct syn_word *patterns;
	struct syn_node *body;       /* may be NULL */
	enum clause_end end;
};

enum test_kind { TEST_AND, TEST_OR, TEST_NOT, TEST_UNARY, TEST_BINARY, TEST_WORD };

struct syn_test {
	enum test_kind kind;
	struct str op;               /* "-f", "==", "=~", "-eq", "<" ... */
	struct syn_test *left, *right;
	struct syn_word *a, *b;
};

struct syn_node {
	struct syn_node *next;
	enum node_kind kind;
	struct span at;
	struct syn_redir *redirs;

	enum join join;              /* as a member of NODE_ANDOR */
	bool background;             /* as a member of NODE_LIST: & */
	bool stderr_too;             /* as a stage of NODE_PIPE: |& follows */
	bool negated, timed;         /* NODE_PIPE */
	bool in;                     /* NODE_FOR, NODE_SELECT: has "in" */

	struct syn_assign *assigns;  /* NODE_SIMPLE */
	struct syn_word *words;
	struct syn_node *first;      /* members */
	struct syn_node *cond, *body, *orelse;
	struct str name;
	struct syn_word *name_word;  /* coproc and for names as read */
	struct syn_part *arith[3];
	struct syn_clause *clauses;
	struct syn_test *test;
};
