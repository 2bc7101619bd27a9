/*
 * The known output of harmless commands: echo, printf, cat of its input, base64 -d, tr, rev, cut, head, tail,
 * seq, basename ... One row per command in known_output.c. Arguments and input are abstract texts
 * (model/facts.h: holes); the result may have holes where only a part is known. A row answers false if
 * nothing is known. Results equal the output of the real program of Debian 12 (or bash's/dash's builtin),
 * byte for byte: unit tests compare. A real byte 0, 1 or 2 in an output is written as HOLE_ANY.
 *
 * A hole in an argument may be anything, also an option or an escape: the result covers that, or the answer
 * is false. An answer holds for a run that succeeds; a command that fails may have written less.
 */
#pragma once
#include "model/facts.h"
#include "model/view.h"

struct output_env {
	enum dialect dialect;
	const struct str *in; /* standard input, NULL when not known */
	struct str cwd;       /* abstract */
	struct str tmp;       /* where temporary files go: abstract; empty: not known */
	/* not the shell's builtin: named by a path, or run by a wrapper such as env or xargs */
	bool external;
};

/*
 * argv[0] is a base name. True and *ret when the output is (partly) known. A command whose output is always
 * an integer answers HOLE_NUM.
 */
bool output_of(struct arena *a, const struct word *argv, size_t argc, const struct output_env *env,
		struct str *ret);
/* printf's output alone (also for printf -v): argv[0] is the format. False when not known. */
bool output_printf(struct arena *a, const struct word *argv, size_t argc, enum dialect d, struct str *ret);
