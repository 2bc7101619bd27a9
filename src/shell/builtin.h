/*
 * Shared by builtin.c (the table), builtin_vars.c and builtin_flow.c. Each function is one builtin; argv[0]
 * is its name.
 */
#pragma once
#include "shell/eval.h"

typedef void builtin_fn(struct builtin_call *b);

/* builtin_vars.c */
builtin_fn builtin_declare, builtin_export, builtin_unset, builtin_read, builtin_mapfile, builtin_let,
		builtin_getopts, builtin_printf, builtin_set,
	builtin_shift, builtin_wait;
/* builtin_flow.c */
builtin_fn builtin_eval, builtin_source, builtin_exec, builtin_command, builtin_builtin, builtin_cd,
		builtin_pushd, builtin_popd, builtin_trap,
	builtin_alias, builtin_exit, builtin_return, builtin_break, builtin_shopt, builtin_guarded,
	builtin_jobs;

#define OPTIONS_MAX 64 /* option letters; with more, the options count as unknown */
/*
 * Scans leading options, getopt-style, and returns the index of the first operand. `seen` gets the letters.
 * An unknown word ends the scan and makes *ret_known false. `with_arg` lists the letters that take an
 * argument; option_arg() finds it.
 */
size_t builtin_options(const struct builtin_call *b, const char *with_arg, char seen[OPTIONS_MAX],
	bool *ret_known);
/* Returns the argument of the option `letter`, or NULL. */
const struct word *option_arg(const struct builtin_call *b, const char *with_arg, char letter,
		struct word *ret_inside);
