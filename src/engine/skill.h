/* A skill's own wishes, in the YAML front matter of its file: a time limit (`sandbox_timeout_sec`) and what its runs are for (`task`). */
#pragma once
#include "base/str.h"

#define SKILL_BYTES_MAX ((size_t)1 << 20)

/* `path` is the file, or the directory with a SKILL.md in it. *ret is in milliseconds; 0: the skill says nothing. */
int skill_timeout(struct arena *a, const char *path, uint64_t *ret, struct err *e);
/* The same from the file's text. */
int skill_timeout_of(struct arena *a, struct str name, struct str text, uint64_t *ret, struct err *e);
/* `task`, as it is written; empty: the skill says nothing. */
int skill_task(struct arena *a, const char *path, struct str *ret, struct err *e);
int skill_task_of(struct arena *a, struct str name, struct str text, struct str *ret, struct err *e);
