/*
 * The shell reader: text in, facts out. Pure; bounded by the arena's cap, by depth and by fuel that grows
 * linearly with the text.
 */
#pragma once
#include "knowledge/knowledge.h"
#include "model/facts.h"
#include "model/view.h"

#define SHELL_TEXT_MAX ((size_t)2 << 20) /* bytes; a longer request is a TROUBLE_BOUND */

struct shell_request {
	struct str text;
	enum dialect dialect;
	const struct view *view;
	const struct know_row *own; /* the user's knowledge rows */
	size_t nown;
};

/* A text that code inside the request passes to a shell, or a program that it starts. */
struct shell_more {
	enum lang lang;           /* LANG_PYTHON: the facts are reached via code:python */
	struct str text;          /* text for sh; if empty, argv counts */
	const struct word *argv;
	size_t argc;
	struct str cwd;           /* abstract text */
	struct span origin;       /* place in the code */
	struct moment when;       /* moment of the code */
	/*
	 * variables that the code sets, with their places in the code; without text and argv, they alone
	 * count
	 */
	const struct setting *settings;
};
/* Evaluates *more as shell_read() does and adds to the facts. 0, or -1 as shell_read(). */
int shell_read_more(struct arena *a, const struct shell_request *rq, const struct shell_more *more,
		struct facts *f, struct err *e);

/*
 * Fills *ret. A text for `sh` is evaluated as dash and as bash, and *ret has the facts of both. Returns 0, or
 * -1 only if the arena is full or on an internal error. Everything else (syntax error, bound, unknown
 * construct) is a trouble in the facts.
 */
int shell_read(struct arena *a, const struct shell_request *rq, struct facts *ret, struct err *e);
