/*
 * Boxes that another program makes: bubblewrap, a container engine. Inside of src/box only.
 *
 * The engine makes namespaces, mounts and, unless it cannot, the cgroup. The first process in its container
 * is the guest: this program again, started as `caisson box-guest` (guest.c). The guest does what init does
 * in a native box after the root is made, with the same code: limits, privileges, filter, Landlock, exec,
 * reaping.
 *
 *   launcher   stages the root (stage.h), starts the engine, waits for the guest,   backend_guest.c
 *              then supervises it as a native init (ns_control.c)
 *   engine     makes the container: a client process of ours, or a daemon           engine_*.c
 *   guest      pid 1 of the container; never runs foreign code                      guest.c
 *   program    a child of the guest                                                 program.c
 *
 * Channels: `talk`, a message socket between launcher and guest. The guest inherits it, or connects to a path
 * in the stage. The guest's first message carries its credentials, by which the kernel tells its pid. The
 * program's streams are pipes of the launcher, which travel through `talk`: no engine touches output.
 *
 * Trust, but verify. The guest compares the container with the plan before anything foreign runs: namespaces,
 * the identity of every mount, read-only mounts, interfaces. The launcher reads the limits of an engine's
 * cgroup. A difference is a setup error.
 *
 * Ends. The guest ends with EOF of `talk`, so a killed launcher ends its box; the end of pid 1 ends all. A
 * killed engine does not change how an end is told: the guest's message and its pidfd tell it.
 */
#pragma once
#include "box/ns.h"
#include "box/stage.h"

#define GUEST_TALK_FD 3 /* the inherited socket */
#define GUEST_TALK_PATH STAGE_CAISSON "/talk"

enum guest_namespace { GUEST_MNT, GUEST_PID, GUEST_IPC, GUEST_UTS, GUEST_NET, GUEST_NAMESPACES };

struct guest_hello {    /* from the launcher, with the program's ends of the three streams */
	uint64_t brief; /* brief_address() */
	struct identity outside[GUEST_NAMESPACES]; /* the launcher's */
	unsigned finishes;                         /* GUEST_FINISHES_*: see struct engine */
	bool isolated;                             /* the network must be the container's own, and empty */
	bool born_in;                              /* the guest is in the cgroup of the box already */
	dev_t devices;                             /* the file system of the launcher's /dev */
	uid_t uid;                                 /* of the program: another one than the engine's is */
	gid_t gid;                                 /* made by a user namespace of the guest's own */
};

#define GUEST_STREAMS 3

/* The identity of one of this process's namespaces; not known: all zero. */
struct identity guest_namespace(enum guest_namespace n);
/*
 * True if the operation makes its name in an empty directory of the box that the program may write: no stage
 * holds that, so the guest does it.
 */
bool guest_makes(const struct op *ops, const struct op *op);
/* The operation whose mount shows this path: the last of those with the longest target. NULL: the root. */
const struct op *guest_mount_of(const struct op *ops, const char *path);

/* The engine cannot do this. The guest has the capabilities that it needs for it, and does. */
enum {
	GUEST_FINISHES_FILES = 1,   /* the number of files in empty directories, and their owner */
	GUEST_FINISHES_DEVICES = 2, /* pseudo-terminals; read-only devices and /proc */
	/*
	 * The box has a kernel that is not the host's: inodes and namespaces that the guest sees are made up,
	 * and the launcher compares them (check()). The guest limits processes, and owns empty directories.
	 */
	GUEST_OWN_KERNEL = 4,
	GUEST_FINISHES_MOUNTS = 8, /* mounts of stage_defer() */
	GUEST_FINISHES_PROC = 16, /* hidden parts of /proc; a guest that nests has its own /proc */
};

struct guest_box;

struct engine {
	/*
	 * Starts the container: a process that ends with the container and is a child of ours (g->client), or
	 * none. The guest then says hello on g->ns.talk, or connects to g->listener.
	 */
	int (*launch)(struct box_state *b, struct err *e);
	/*
	 * Chooses g->user and g->own_group for this plan, before anything is started. NULL: the user is the
	 * caller, in a user namespace of the engine's.
	 */
	int (*settle)(struct box_state *b, struct err *e);
	/* In the client's process, before its exec: -1 ends it. Allocates nothing. NULL: nothing to do. */
	int (*prepare)(const struct guest_box *g);
	/* Compares container and plan from outside, after the guest's hello. NULL: the guest does. */
	int (*check)(struct box_state *b, struct err *e);
	/* Removes what the engine keeps after the end. The guest is dead. */
	void (*remove)(struct box_state *b);
	bool connects; /* the guest connects by path; else it inherits the socket */
	unsigned finishes; /* GUEST_FINISHES_* */
	bool own_group; /* the launcher makes the cgroup; else the engine does, unless settle() says so */
	bool needs_group; /* the launcher puts the client in it; without one there is no box */
	const void *row; /* data of this engine among those with the same functions */
	unsigned extra; /* processes of its own in the cgroup, beside the guest */
};

struct guest_box {
	struct ns_box ns; /* first: ns_control.c works on it */
	const struct engine *engine;
	struct box_stage stage;
	struct ns_user user;  /* the program's user; outside_* as the host sees it */
	int guests_end;       /* of talk, to be inherited; -1: none */
	int listener;         /* -1: none */
	int messages;         /* what the client prints; -1: none */
	bool own_group;       /* the launcher makes the cgroup */
	pid_t client;         /* the engine's process; 0: none */
	struct guest_hello hello;
	char id[CG_NAME_MAX]; /* unique name of the container */
	void *more;           /* the engine's data */
};

/*
 * guest_nest.c: for engines without process namespaces. Enters namespaces of its own, with a user namespace
 * that shows the caller as UID:GID, and forks. The child is pid 1 with a /proc, and returns; the parent waits
 * for its end.
 */
int guest_nest(const char *ids, struct err *e);
/* Hides the parts of /proc that no program of a box needs. */
int guest_mask_processes(struct err *e);
/* Makes a user namespace in which the caller has these ids, and namespaces of the other CLONE_NEW* flags. */
int guest_map(uid_t uid, gid_t gid, int flags, struct err *e);

/* guest_late.c: moves the mounts of stage_defer() to their targets. Follows no links. */
int guest_place_late(const struct op *ops, struct err *e);

/*
 * guest_kernel.c: for GUEST_OWN_KERNEL. The first lets nothing into the box but the guest and this many
 * processes and threads; the second keeps everybody from changing /dev, and hides parts of /proc.
 */
int guest_limit_processes(uint32_t pids, struct err *e);
int guest_disown_devices(struct err *e);
struct guest_user { /* of the program */
	uid_t outer_uid, uid; /* as the guest was started, and in a user namespace of the program's own */
	gid_t outer_gid, gid;
};
/* The guest, before and after it starts the program; the program's process. */
int guest_leave_user(struct err *e);
int guest_keep_kill(struct err *e);
int guest_return_to_user(const struct guest_user *u, struct err *e);

/*
 * engine_stragglers.c: the engine was killed. Ends processes that still make the container, which have its
 * name (g->id) or the engine's id of it among their arguments.
 */
void guest_end_stragglers(const struct guest_box *g, struct str id);

/* ---- backend_guest.c: the functions of a struct backend for every engine ---- */
int guest_lacks(const struct spec *s, struct err *e);
int guest_lacks_disks(const struct spec *s, struct err *e); /* for engines that make the cgroup */
int guest_begin(struct box_state *b, const struct spec *s, struct err *e);
/* If nothing of the caller's is in the box of root, its user becomes an id that owns nothing. */
void guest_choose_nobody(struct box_state *b);
bool guest_fits(struct box_state *b, const struct spec *s);
int guest_start(struct box_state *b, struct err *e);
void guest_usage(struct box_state *b, unsigned wanted, struct box_usage *ret);
void guest_enforcers(const struct box_state *b, struct enforced *ret);
void guest_stop(struct box_state *b, enum box_stop how);
/* Those of them that no engine has its own of. */
#define GUEST_BACKEND \
	.begin = guest_begin, .fits = guest_fits, .start = guest_start, .add_sources = ns_add_sources, \
	.take_events = ns_take_events, .kill = ns_kill, .usage = guest_usage, \
	.all_exiting = ns_all_exiting, .enforcers = guest_enforcers, .stop = guest_stop
/*
 * Starts the engine's client with GUEST_TALK_FD and this standard input (-1: none); its messages go to
 * g->messages.
 */
int guest_spawn(struct box_state *b, int input, const char *path, char *const *argv, struct err *e);
/* The path of this program, which is mounted as the guest. NULL: not known. */
const char *guest_program(struct arena *a);
/* Finds a program on the usual search path. NULL: there is none. */
const char *guest_find(const char *name, char *buffer, size_t size);
