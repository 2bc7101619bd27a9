/*
 * The shell reader: text in, facts out. Pure; bounded by the arena's cap, by depth and by fuel that grows
 * linearly with the text.
 */
#pragma once
#include "knowledge/knowledge.h"
#include "model/facts.h"
#include "model/view.h"

#define SHELL_TEXT_MAX ((size_t)2 << 20) /* longer requests are a bound reached */

struct shell_request {
	struct str text;
	enum dialect dialect;
	const struct view *view;
	const struct know_row *own; /* the user's knowledge rows */
	size_t nown;
};

/* The text that code inside the request passes to a shell, and the programs that it starts. */
struct shell_more {
	enum lang lang;           /* LANG_PYTHON: the facts are reached via code:python */
	struct str text;          /* text for sh; empty: argv counts */
	const struct word *argv;
	size_t argc;
	struct str cwd;           /* abstract */
	struct span origin;       /* where in the code */
	struct moment when;       /* of the code */
	/*
	 * variables that the code sets, each at its place in the code; without text and words they alone
	 * count
	 */
	const struct setting *settings;
};
/* Reads it in the same way and adds to the facts. 0, or -1 as shell_read(). */
int shell_read_more(struct arena *a, const struct shell_request *rq, const struct shell_more *more,
		struct facts *f, struct err *e);

/*
 * Fills *ret. A text for `sh` is read as dash and as bash and the facts of both are joined. 0, or -1 only
 * when the arena is full or on an internal error; everything else (syntax error, bound, unknown construct) is
 * a trouble in the facts.
 */
int shell_read(struct arena *a, const struct shell_request *rq, struct facts *ret, struct err *e);
