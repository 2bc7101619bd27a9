/*
 * The settings of a skill for its runs, in the YAML front matter of its file (docs/skills.md): a time limit,
 * the task, the network, the only programs that may be started. The author of a skill is not the owner of the
 * machine: nothing in it goes beyond the person's policy, and a mistake in it is an error, never ignored.
 * Foreign keys are ignored.
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
	/* the same as a policy file that allows no other programs; empty: it says nothing */
	struct str policy;
};

/* `path` is the file, or the directory with a SKILL.md in it. */
int skill_load(struct arena *a, const char *path, struct skill *ret, struct err *e);
/* The same from the file's text. */
int skill_read(struct arena *a, struct str name, struct str text, struct skill *ret, struct err *e);
