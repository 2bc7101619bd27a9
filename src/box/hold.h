/*
 * A box that outlives its launcher. Inside of src/box only; struct box_hold in box.h is for callers, and
 * keeper/keeper.h says who ends with whom.
 *
 *   1. launcher  asks for a place (box_hold.ask()), and forks the holder, which waits
 *   2. launcher  sends the life line to init; init gives up its parent-death signal and answers
 *   3. launcher  sends the holder its word, and returns from supervise_box(): the box is the holder's
 *      holder    drops the descriptors of the caller, and goes on supervising
 *
 * Both have the same memory and descriptors until the word. If the launcher dies before it, the holder sees
 * EOF, kills the box, and cleans up as the launcher would have. If the holder dies before it, or init does
 * not answer, nothing was handed over. The undertakers stay the launcher's children and use its memory, which
 * the kernel keeps for them; the holder holds their pipes.
 */
#pragma once
#include "box/backend.h"

enum hold_side {
	HOLD_FAILED,   /* launcher: it still has the box */
	HOLD_LAUNCHER, /* launcher: it has the box no more */
	HOLD_HOLDER,   /* holder: it has the box */
	HOLD_ORPHAN,   /* holder: the launcher died on the way; the box must end */
};

/* Steps 1 (without asking) to 3. `life` is closed. */
enum hold_side hold_box(struct box_state *b, int life, struct err *e);
