/*
 * One PowerShell command while it is read. Only for powershell_bind.c, powershell_cmd.c and powershell_run.c.
 */
#pragma once
#include "code/powershell.h"

#define BOUND_MAX 64

struct bound {
	const char *name; /* points into the row's text */
	size_t n;
	char kind;
	bool on;          /* switch that is set */
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

/* powershell_bind.c */
struct ps_val ps_item(struct ps *p);               /* one word */
void ps_words(struct ps *p, struct ps_call *c);       /* all words of a command */
/* next parameter of a row's list */
bool ps_next_param(const char **at, struct bound *ret, char *ret_position);
/* binds each word to a parameter; false if one is unknown */
bool ps_bind(struct ps_call *c);
const struct bound *ps_has(const struct ps_call *c, const char *name);

/* powershell_run.c */
void ps_run_program(struct ps *p, struct ps_call *c, const struct ps_val *name, const struct ps_val *args);
bool ps_was_fetched(const struct ps *p, struct str path);
struct str ps_parent(struct str path);             /* the path up to and including its last separator */
