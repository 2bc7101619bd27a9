/*
 * The features of this host, found out by trying: every row uses a feature in a child of its own, sees if it
 * works, and leaves nothing behind. Nothing asks for the version of the kernel.
 */
#pragma once
#include "base/arena.h"
#include "model/policy.h"

enum probe_state { PROBE_NO, PROBE_PARTLY, PROBE_YES };
enum probe_weight {
	PROBE_NEEDED, /* without it there is no box */
	PROBE_WALL,   /* a wall or a limit; a box without it falls back to another, and says so */
	PROBE_EXTRA,  /* a faster or second way to something that works anyway, or a feature of some runs */
};

struct probe {
	struct probe *next;
	const char *id, *title;
	enum probe_weight weight;
	enum probe_state state;
	struct str by;        /* the enforcing mechanism, or the reason why it is missing */
	struct texts *todo;   /* commands and hints, one on each line */
};

struct probes { /* a list that grows at its end */
	struct probe *first, **end;
};

struct probe *probe_add(struct arena *a, struct probes *list, const char *id, const char *title,
		enum probe_weight weight);
void probe_todo(struct arena *a, struct probe *p, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* All rows about the kernel and its settings. `dir` is where a workspace could be. */
void probe_host(struct arena *a, const char *dir, const char *state, struct probes *list);
