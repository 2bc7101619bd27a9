/*
 * One command of PowerShell while it is read: powershell_bind.c, powershell_cmd.c and powershell_run.c only.
 */
#pragma once
#include "code/powershell.h"

#define BOUND_MAX 64

struct bound {
	const char *name; /* in the row's text */
	size_t n;
	char kind;
	bool on;          /* a switch */
	struct ps_val val;
};

struct ps_call {
	struct str name;
	const struct ps_cmdlet *row;
	struct ps_arg args[PS_ARGS_MAX];
	size_t nargs;
	struct bound bound[BOUND_MAX];
	size_t nbound;
	const struct ps_val *in;
	struct span at;
};

/* bind */
struct ps_val ps_item(struct ps *p);               /* one word */
void ps_words(struct ps *p, struct ps_call *c);       /* all words of a command */
bool ps_next_param(const char **at, struct bound *ret, char *ret_position); /* of a row's list */
/* which parameter each word belongs to; false when one is not known */
bool ps_bind(struct ps_call *c);
const struct bound *ps_has(const struct ps_call *c, const char *name);

/* run */
void ps_run_program(struct ps *p, struct ps_call *c, const struct ps_val *name, const struct ps_val *args);
bool ps_was_fetched(const struct ps *p, struct str path);
struct str ps_parent(struct str path);             /* the words before the last separator, with it */
