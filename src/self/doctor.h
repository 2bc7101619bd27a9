/*
 * Finds out which walls this host can enforce for this caller, and how to close the gaps: first the rows of
 * src/box/probe.c, then Caisson's own files, and finally a real run in a box.
 */
#pragma once
#include "box/probe.h"
#include "run/run.h"

enum doctor_end { DOCTOR_ALL /* a box with all walls runs */,
		DOCTOR_FALLBACKS /* boxes run, but a wall is missing */, DOCTOR_NONE /* no box runs */ };

struct doctor {
	struct probes rows;
	enum doctor_end end;
};

void doctor_look(struct arena *a, const char *config, struct doctor *ret);
/* Appends the rows as a JSON object on one line (docs/box.md). */
void doctor_json(struct buf *b, const struct doctor *d);
