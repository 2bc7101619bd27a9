/* A policy as the gate uses it: plain lists, made by src/config. */
#pragma once
#include "model/verdict.h"

struct prefix_rule { /* tools.bash.deny / ask / allow: matches a command that equals it or starts with it and a blank */
	struct prefix_rule *next;
	struct str prefix;
	struct str description, alternative;
	struct str rule;   /* "file:line" */
};

struct policy {
	enum verdict fallback; /* `default` */
	struct prefix_rule *deny, *ask, *allow;
	struct str digest;     /* "sha256:..." of what was loaded */
	const struct know_row *commands; /* the user's own knowledge rows */
	size_t ncommands;
};
