/*
 * The known output of harmless commands: echo, printf, cat of its input, base64 -d, tr, rev, cut, head, tail,
 * seq, basename ... known_output.c has one row per command. Arguments and input are abstract texts
 * (model/facts.h); the result may have holes. A row returns false if it knows nothing.
 *
 * Results equal the output of the real program of Debian 12 (or bash's/dash's builtin), byte for byte: unit
 * tests compare them. A real byte 0, 1 or 2 in an output is written as HOLE_ANY.
 *
 * A hole in an argument may be anything, also an option or an escape sequence: the result covers that, or the
 * row returns false. A result holds for a run that succeeds; a command that fails may have written less.
 */
#pragma once
#include "model/facts.h"
#include "model/view.h"

struct output_env {
	enum dialect dialect;
	const struct str *in; /* standard input, NULL if unknown */
	struct str cwd;       /* abstract text */
	struct str tmp;       /* directory for temporary files: abstract text; empty: unknown */
	/* not the shell's builtin: named by a path, or run by a wrapper (env, xargs) */
	bool external;
};

/*
 * argv[0] is a base name. True and *ret if the output is known, at least in part. A command whose output is
 * always an integer yields HOLE_NUM.
 */
bool output_of(struct arena *a, const struct word *argv, size_t argc, const struct output_env *env,
		struct str *ret);
/* Formats as printf does (also for printf -v); argv[0] is the format. False if the output is unknown. */
bool output_printf(struct arena *a, const struct word *argv, size_t argc, enum dialect d, struct str *ret);
