/*
 * The settings of a skill for its runs, from the YAML front matter of its file (docs/skills.md): limits,
 * task, network, and an allow-list of programs. The author of a skill is not the owner of the machine: a
 * skill never exceeds the person's policy. A mistake in it is an error; foreign keys are ignored, and those
 * that look like ours are noted.
 */
#pragma once
#include "model/limits.h"
#include "model/network_request.h"
#include "model/spec.h"
#include "model/validation.h"

#define SKILL_BYTES_MAX ((size_t)1 << 20)
#define SKILL_BINARIES_MAX 256
#define SKILL_NAME_MAX 64 /* characters of a program's name */
#define SKILL_UNKNOWN_MAX 8 /* unknown keys that are named */

struct skill {
	struct str name;             /* file of the skill */
	uint64_t limits[LIMITS];     /* time, memory, CPUs; 0: not given */
	enum task task;
	struct network_request network;
	struct str image;            /* the root of its boxes; empty: not given */
	struct str columns;          /* of the task data, as --columns has them; empty: not given */
	/* files of the tasks json and custom; NULL: not given */
	const char *schema, *validator;
	struct texts *unknown;       /* keys that start like ours */
	bool iso_times;              /* show Unix times in outputs as ISO 8601 */
	struct texts *binaries;      /* NULL: not given */
	/* the allow-list as a policy file; empty: not given */
	struct str policy;
};

/* `path` is the file, or the directory with a SKILL.md. */
int skill_load(struct arena *a, const char *path, struct skill *ret, struct err *e);
/* The same from the file's text. */
int skill_read(struct arena *a, struct str name, struct str text, struct skill *ret, struct err *e);
