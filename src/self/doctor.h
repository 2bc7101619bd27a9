/*
 * Finds out which walls this host can enforce for this caller, and how to close the gaps: first the rows of
 * src/box/probe.c, then Caisson's own files, and finally a real run in a box.
 */
#pragma once
#include "box/probe.h"
#include "run/run.h"

enum doctor_end { DOCTOR_ALL /* a box with all walls runs */,
		DOCTOR_FALLBACKS /* boxes run, but a wall is missing */, DOCTOR_NONE /* no box runs */,
		DOCTOR_DENIES /* no policy or no record: every command is denied */ };

struct doctor_wall {
	const char *name;
	enum enforcer by;
};

struct doctor_backend { /* one row of the matrix */
	struct doctor_backend *next;
	const char *name, *about;
	bool runs;                /* a box of it ran */
	struct str why;           /* else the reason, and how to get what is missing */
	struct enforced enforced; /* who enforced the limits of that box */
	struct texts *lacks;      /* what it refuses */
};

struct doctor {
	struct probes rows;
	struct doctor_backend *backends;
	enum doctor_end end;
};

void doctor_look(struct arena *a, const char *config, struct doctor *ret);
/* doctor_backends.c: runs this spec with every backend, and shows the matrix (a list below 80 columns). */
void doctor_backends(struct arena *a, const struct spec *s, struct doctor *d);
void doctor_backends_json(struct buf *out, const struct doctor *d);
void doctor_backends_text(struct buf *out, const struct doctor *d, size_t width);
/* Appends the rows as a JSON object on one line (docs/box.md). */
void doctor_json(struct buf *b, const struct doctor *d);
