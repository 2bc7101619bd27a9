/*
 * The settings of a skill for its runs, from the YAML front matter of its file (docs/skills.md): time limit,
 * task, network, and an allow-list of programs. The author of a skill is not the owner of the machine: a
 * skill never exceeds the person's policy. A mistake in it is an error; foreign keys are ignored.
 */
#pragma once
#include "model/network_request.h"
#include "model/spec.h"
#include "model/validation.h"

#define SKILL_BYTES_MAX ((size_t)1 << 20)
#define SKILL_BINARIES_MAX 256
#define SKILL_NAME_MAX 64 /* characters of a program's name */

struct skill {
	struct str name;             /* file of the skill */
	uint64_t time_ms;            /* 0: not given */
	enum task task;
	struct network_request network;
	bool iso_times;              /* show Unix times in outputs as ISO 8601 */
	struct texts *binaries;      /* NULL: not given */
	/* the allow-list as a policy file; empty: not given */
	struct str policy;
};

/* `path` is the file, or the directory with a SKILL.md. */
int skill_load(struct arena *a, const char *path, struct skill *ret, struct err *e);
/* The same from the file's text. */
int skill_read(struct arena *a, struct str name, struct str text, struct skill *ret, struct err *e);
