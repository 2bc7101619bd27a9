/*
 * Finds out what this host can enforce for this caller, and what to do about the gaps: the rows of
 * src/box/probe.c, then caisson's own files, and at last a box that is really run.
 */
#pragma once
#include "box/probe.h"
#include "run/run.h"

enum doctor_end { DOCTOR_ALL /* a box with everything on runs */,
		DOCTOR_FALLBACKS /* boxes run; something is missing */, DOCTOR_NONE /* no box runs */ };

struct doctor {
	struct probes rows;
	enum doctor_end end;
};

void doctor_look(struct arena *a, const char *config, struct doctor *ret);
/* The rows as one JSON object on one line (docs/box.md). */
void doctor_json(struct buf *b, const struct doctor *d);
