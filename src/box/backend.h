/*
 * The seam between a box and the backend that makes it. Inside of src/box only; box.h is for callers.
 *
 * A run has the same steps with every backend. box_run() takes them:
 *
 *   1. check      the spec is complete
 *   2. begin      the backend makes what needs no plan; box_begin() may have done so before the spec was
 *                 known
 *   3. plan       plan.c and protection.c turn the spec into a list of operations, the root of the box
 *   4. start      the backend carries the operations out, calls box_before_program(), and starts the program
 *   5. supervise  supervise.c takes the streams, keeps the limits, and decides how the program ended
 *   6. stop       the backend ends everything that is left, and removes it
 *   7. compare    protection.c compares the workspace with its state before, and quarantines planted files
 *
 * A backend is one struct backend with functions for 2, 4 and 6 and the small interface that step 5 needs:
 * streams, kill, usage, events. It enforces the whole spec or refuses it with the reason. It keeps its own
 * data behind box_state.own.
 *
 * Streams. The backend sets in.to, out.fd and err.fd to nonblocking ends of its own, at the latest in
 * start(). A backend that gets both streams through one connection makes pipes and pumps into them from a
 * poll source.
 *
 * Events. The backend adds poll sources for whatever tells it about the box (a socket, a pidfd, an eventfd),
 * and notes the facts in box_state.events. It never decides what a fact means for the outcome: supervise.c
 * does.
 */
#pragma once
#include <sys/types.h>

#include "box/box.h"
#include "box/capture.h"
#include "box/feed.h"
#include "box/plan.h"
#include "box/protection.h"
#include "box/sources.h"

struct box_events { /* facts about the box, noted by the backend; none is ever taken back */
	bool failed;               /* setup failed: the program never ran, and `err` says why */
	bool ended;                /* the program has ended, and so has everything else in the box */
	bool gone;                 /* nothing of the box is left, not even in the kernel */
	bool left;                 /* the program has ended, and others have not; `status` is set */
	bool kept;                 /* the box no longer ends with the launcher */
	bool shared;               /* others may enter its network */
	bool oom;                  /* the kernel killed a process for the memory limit */
	/* The backend supervised the program itself and decided; 0: it did not. */
	enum status decided;
	bool by_cpu_time;          /* decided: STATUS_TIMEOUT for CPU time */
	struct err err;
	int status;                /* ended: of the program, as from wait() */
	uint64_t cpu_ms, peak_memory; /* ended: counted by wait(); 0: not known */
};

/* USAGE_NETWORK sets outcome.network, if the box has a relay. */
enum { USAGE_MEMORY = 1, USAGE_CPU = 2, USAGE_PEAK = 4, USAGE_NETWORK = 8 };

struct box_usage { /* 0: not known */
	uint64_t memory;           /* USAGE_MEMORY: bytes in use now */
	uint64_t cpu_ms;           /* USAGE_CPU: never more than what was used */
	uint64_t peak_memory;      /* USAGE_PEAK: bytes, counted by the kernel for the box as a whole */
	uint64_t oom_kills;        /* USAGE_PEAK */
};

enum box_stop {
	/* Everything has ended: the processes that are exiting go to box_leave(). */
	STOP_LATER,
	STOP_NOW,                  /* kills everything, and returns when nothing can change a file any more */
	/* Nothing runs any more, but the kernel needs long to free it: nobody waits. */
	STOP_LINGERING,
};

#define BOX_SOURCES_MAX (SOURCES_MAX - 4) /* that a backend may add */

/* A box from begin to stop. Large members stand last: only what is used of them is ever touched. */
struct box_state {
	const struct backend *backend;
	struct arena *a;
	struct arena_cleanup cleanup; /* ends the box when the arena is left */
	struct box *box;           /* that it was begun for; NULL: it runs, or ran */
	struct box *late;          /* that stops it in box_wait(); NULL: none */
	bool stopped;
	struct outcome outcome;    /* so far */
	void *own;                 /* the backend's data; NULL: none yet, and stop() is not called */
	const struct spec *spec;   /* NULL: not known yet */
	const char *tmp;           /* spec->tmp; NULL: none */
	const char *caches;        /* spec->caches if it has a limit; NULL: none */
	const struct box_start *start;
	bool primed;               /* `ops` was carried out, for a guess */
	bool may_start;            /* box_before_program() was called, and said yes */
	struct ops ops;            /* the plan */
	/*
	 * The first process of the box as the launcher sees it: when it is gone, nothing in the box is alive.
	 * 0: none (yet). The undertakers read it in shared memory.
	 */
	pid_t init;
	struct undertaker_call bury; /* set by start(): ends an engine that is still at work */
	int64_t started;           /* ns of the monotonic clock: set by start() when the program may run */
	/* Set by start(): nothing enforces the memory limit but looking often enough. */
	bool memory_watched;
	bool cpu_counted;          /* set by start(): USAGE_CPU is a counter, else a sum of what was seen */
	struct box_events events;
	bool lent;                 /* others are in its network, although it ends with the launcher */
	pid_t leaving[BOX_LEAVING_MAX];
	size_t nleaving;
	struct feed in;
	struct capture out, err;
	struct protection protection;
};

struct engine;

struct backend {
	const char *name;
	const char *about;
	/* How another program makes the box (guest.h); NULL: caisson makes it by itself. */
	const struct engine *engine;
	/* 0 when this host can run it, else -1: e says what is missing, and the command that installs it. */
	int (*probe)(const struct backend *self, struct err *e);
	/* Refuses a spec that it cannot enforce as a whole: -1 with the reason. NULL: it refuses none. */
	int (*lacks)(const struct spec *s, struct err *e);

	/*
	 * Makes what needs no plan: for this spec, or for most specs (NULL). After a failure stop() is called
	 * as well.
	 */
	int (*begin)(struct box_state *b, const struct spec *s, struct err *e);
	/*
	 * Goes on with the begun box for a guess, b->spec and b->ops, up to the start of the program. -1: the
	 * box must be discarded, or with ERR_INPUT it is as it was. NULL: the backend cannot.
	 */
	int (*prime)(struct box_state *b, struct err *e);
	/* Can what was begun without a spec, or primed for another, run this one? */
	bool (*fits)(struct box_state *b, const struct spec *s);
	/*
	 * Carries out b->ops and lets the program start. -1: nothing foreign has run, and stop() is called
	 * next.
	 */
	int (*start)(struct box_state *b, struct err *e);

	/* Adds at most BOX_SOURCES_MAX sources. Their handlers get b. */
	void (*add_sources)(struct box_state *b, struct sources *ret);
	/* Takes the events that are there, without waiting. */
	void (*take_events)(struct box_state *b);
	/* Kills everything in the box, from outside. Does not wait. */
	void (*kill)(struct box_state *b);
	/* `wanted` are bits of USAGE_*; the rest of *ret, which is zeroed, stays as it is. */
	void (*usage)(struct box_state *b, unsigned wanted, struct box_usage *ret);
	/*
	 * After kill(): nothing in the box will execute another instruction. False also when that is not
	 * known.
	 */
	bool (*all_exiting)(struct box_state *b);

	/* Tells who enforces each limit of the spec, once the program was started. */
	void (*enforcers)(const struct box_state *b, struct enforced *ret);
	void (*stop)(struct box_state *b, enum box_stop how);

	/* ---- for boxes that outlive their launcher (hold.h) ---- */
	/* The box ends with this life line from now on, no longer with the launcher. events.kept answers. */
	int (*keep)(struct box_state *b, int life, uint64_t time_ms, struct err *e);
	/* After events.left: nothing stays. */
	void (*finish)(struct box_state *b);
	/* In the holder: what was a child of the launcher is a stranger's now. */
	void (*adopt)(struct box_state *b);
	/* Asks the box for its network; events.shared answers. */
	void (*share)(struct box_state *b);
	/*
	 * After events.kept or events.shared: descriptors with which other boxes enter the network of this
	 * one (spec.joins). Their number; 0: they cannot.
	 */
	size_t (*shared)(const struct box_state *b, int ret_fds[2]);
};

/* The table of backends has these; the first is the default. */
extern const struct backend backend_ns, backend_bwrap, backend_docker, backend_podman, backend_runc,
		backend_crun, backend_gvisor, backend_systemd, backend_qemu, backend_firecracker;

/*
 * The box is put together, and nothing foreign runs in it yet: asks the caller whether the program may start.
 * start() calls it exactly once.
 */
int box_before_program(struct box_state *b, struct err *e);
/* A process of ours that is on its way out; box_wait() waits for it. 0 is none. */
void box_leave(struct box_state *b, pid_t pid);
/*
 * supervise.c: takes the streams of a started box, keeps its limits and waits for its end. *ret has
 * everything but the streams. -1 when setup failed.
 */
int supervise_box(struct box_state *b, const struct box_progress *p, struct outcome *ret, struct err *e);
