/*
 * What a skill says about its runs, in the YAML front matter of its file (docs/skills.md): a time limit, what the runs are for, the network, the
 * only programs that may be started. Whoever wrote the skill is not the person whose machine this is: nothing of it goes beyond the person's
 * policy, and what is wrong in it is an error, never passed over. Keys that are not ours are somebody else's.
 */
#pragma once
#include "model/spec.h"

#define SKILL_BYTES_MAX ((size_t)1 << 20)
#define SKILL_BINARIES_MAX 256
#define SKILL_NAME_MAX 64 /* letters of a program's name */

struct skill {
	struct str name;             /* its file */
	uint64_t time_ms;            /* 0: it says nothing */
	struct str task;             /* as it is written; empty: it says nothing */
	bool has_network;
	struct network_spec network;
	bool iso_times;              /* Unix times in outputs become ISO 8601 */
	struct texts *binaries;      /* NULL: it says nothing */
	struct str policy;           /* the same as a policy file that allows no other programs; empty: it says nothing */
};

/* `path` is the file, or the directory with a SKILL.md in it. */
int skill_load(struct arena *a, const char *path, struct skill *ret, struct err *e);
/* The same from the file's text. */
int skill_read(struct arena *a, struct str name, struct str text, struct skill *ret, struct err *e);
