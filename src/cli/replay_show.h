/* A replayed request, for people and for programs. */
#pragma once
#include "record/replay.h"

#define REPLAY_STREAM_MAX ((size_t)64 << 20) /* bytes of an output that is read */
#define REPLAY_HEAD 30                       /* lines of an output that are shown, unless all are asked for */
#define REPLAY_TAIL 10
#define REPLAY_DIFF 20                       /* lines of a difference, each side */

struct judged_again {
	bool tried, ok, same;
	struct str why;    /* not ok: why */
	struct derived d;
};

struct replay_shown {
	struct replay r;
	struct str out, err, out_why, err_why; /* outputs; why: they are in the record and cannot be read */
	struct judged_again derived;   /* by what was recorded */
	struct judged_again policy;    /* by today's policy, in the world as it was */
	struct judged_again world;     /* by today's policy, in today's world */
	bool ran, no_input;            /* it was run again; it had an input, which is not in the record */
	struct replay again;
	struct str again_out, again_err;
};

struct replay_style {
	bool json, full, explain, colour;
	unsigned width;
};

void replay_show(struct buf *b, const struct replay_shown *s, const struct replay_style *style);
/* Is anything that was done again different from what was recorded? */
bool replay_differs(const struct replay_shown *s);
