/* Prints a replayed request, for people and for programs. */
#pragma once
#include "record/replay.h"

#define REPLAY_STREAM_MAX ((size_t)64 << 20) /* bytes of an output to read */
#define REPLAY_HEAD 30                       /* lines of an output to show, without --full */
#define REPLAY_TAIL 10
#define REPLAY_DIFF 20                       /* differing lines to show, each side */

struct judged_again {
	bool tried, ok, same;
	struct str why;    /* reason if not ok */
	struct derived d;
};

struct replay_shown {
	struct replay r;
	struct str out, err, out_why, err_why; /* outputs; *_why: recorded, but unreadable */
	struct judged_again derived;   /* judged from the recorded data */
	struct judged_again policy;    /* today's policy, the recorded world */
	struct judged_again world;     /* today's policy, today's world */
	bool ran, no_input;            /* ran again; its standard input is not in the record */
	struct replay again;
	struct str again_out, again_err;
};

struct replay_style {
	bool json, full, explain, colour, utc;
	unsigned width;
};

void replay_show(struct buf *b, const struct replay_shown *s, const struct replay_style *style);
/* True if a repeated judgement or run differs from the recorded one. */
bool replay_differs(const struct replay_shown *s);
