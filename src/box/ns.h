/*
 * The native backend: Linux namespaces, mounts, cgroups, Landlock, seccomp. Inside of src/box only.
 *
 * Processes:
 *
 *   launcher     caisson itself, outside of the box: plans, makes the cgroup,    backend_ns.c, ns_*.c
 *                supervises
 *   init         pid 1 of the box, cloned into a user and a pid namespace;       init.c, setup.c
 *                never runs foreign code
 *   program      shares init's memory until its exec; makes the network          program.c
 *                namespace
 *   relay        a child of the launcher, only for a network by name: carries      ns_network.c, ns_relay.c,
 *                connections to the listed hosts                                  net/relay.h
 *   undertaker   shares the launcher's memory, outside of the box; sleeps        undertaker.c
 *                until the launcher dies
 *
 * Channels:
 *
 *   talk         a socket pair of whole messages: launcher and init (up to its exec, also the program)
 *   in, out, err three pipes: the program's standard streams
 *   launcher     a pidfd of the launcher, with which init sees that the launcher has died
 *
 * A run, step by step. The launcher begins a box before it knows the spec, so that both work at once:
 *
 *   1. launcher  clones init, writes the uid map, sends struct ns_user
 *      init      makes the other namespaces, becomes the user of the box, drops privileges
 *      program   makes the network namespace, which takes the kernel longest
 *      init      puts together the part of the root that does not depend on the spec
 *   2. launcher  sends the brief (brief.c), makes the cgroup, and sends NS_START
 *      init      finishes the root, enters it
 *      program   loads its filter, follows init into the root, sets Landlock, waits for NS_START, enters the
 *                cgroup, exec
 *   3. launcher  supervises: output, clock, memory, init's messages
 *      init      reaps orphans. When the program has ended, it kills the rest and sends NS_ENDED
 *
 * A box that gets no brief is ended: nothing foreign was in it.
 *
 * A primed box has taken step 2 for a guessed spec, up to the exec of the program, before there is a run. A
 * run whose plan is the guessed one sends a second brief (limits, arguments, environment, files in the home)
 * and NS_START; any other run begins a new box.
 *
 * With spec.preload the program's process of a primed box has called exec as well: an interpreter waits there
 * (preload.c). Init takes the second brief and NS_START in its place, makes the files, and hands the
 * arguments to the interpreter, which becomes the program. It serves one run, as any program does.
 *
 * Ends. Init is pid 1, so its end is the end of every process in the box. Init dies with the launcher
 * (PDEATHSIG), unless it was told to keep the box: then it ends with one of two life lines (hold.h). An
 * undertaker then removes what a dead launcher cannot: the cgroup, and the placeholders in
 * the workspace. For the latter there is an undertaker of its own, which exists before the first placeholder
 * and waits for the end of the box.
 *
 * cgroup version 2. Init is born in its cgroup. Where an ordinary user has none, the launcher asks the user's
 * systemd manager for a scope (sys/scope.h) and tells init its user only when the manager has moved it there.
 * The undertaker is moved as well, and keeps the scope alive until its counters were read.
 *
 * Failures of setup, up to the exec of the program, travel as a message with a struct err, so they can never
 * look like the program's own doing.
 */
#pragma once
#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "box/backend.h"
#include "box/undertaker.h"
#include "box/watch.h"
#include "sys/cgroup.h"
#include "sys/scope.h"

/*
 * The user of the box on the host when the launcher is root: an id that owns no file. Boxes that run at once
 * get different ids from this range, so that none uses up what the kernel counts by user for another.
 */
#define NS_ID_OUTSIDE 1822512384u
#define NS_IDS_OUTSIDE 65536u
/*
 * Smaller than any core; unlike 0 it also keeps the kernel from starting the host's program for core dumps.
 */
#define NS_CORE_BYTES 1
#define NS_HOSTNAME "box"
#define NS_LOST 127 /* exit status of a process of ours that has failed */

struct ns_user { /* the user of the program, in the box and on the host */
	uid_t uid, outside_uid;
	gid_t gid, outside_gid;
	/* The launcher is root: groups are dropped, and the caller's files are mapped to this user. */
	bool nobody;
};
/*
 * Root of a user namespace that maps a single user of the host (a container without root) counts as an
 * ordinary user.
 */
struct ns_user ns_user(pid_t init);

/*
 * NS_LOOK_IN brings the descriptors with which the launcher watches a box without a cgroup, NS_NETWORK the
 * sockets of the relay (ns_network.c). NS_CACHES tells that caches have no overlay, and why (`err`).
 * NS_DROPPED lists files that end with the box (err.text). NS_HOME brings a descriptor of the home. NS_READY
 * tells that a preloaded interpreter waits for its run.
 */
enum ns_message_kind {
	NS_LOOK_IN = 1, NS_FAILED, NS_ENDED, NS_NETWORK, NS_CACHES, NS_LEFT, NS_KEPT, NS_DROPPED, NS_SHARED,
	NS_HOME, NS_READY
};
/*
 * The launcher sends to init a struct ns_user (the uid map is written) and the brief (brief.c). It sends to
 * the program one byte of these bits: the program may start, in its cgroup or not, with fewer CPUs, and
 * without changing its CPUs. NS_PRIME: it enters its cgroup and waits for its task.
 */
enum { NS_START = 64, NS_GROUP = 1, NS_FEWER_CPUS = 2, NS_KEEP_CPUS = 4, NS_PRIME = 8 };

/*
 * To init while the program runs, only if spec.background: the box ends with the life line that comes with
 * the message, and with this socket, no longer with the launcher (init answers NS_KEPT, with a descriptor of
 * its network namespace); or, after NS_LEFT, the box ends now; or init answers NS_SHARED, with the same
 * descriptor.
 */
enum ns_word { NS_KEEP = 1, NS_FINISH, NS_SHARE };
struct ns_order {
	enum ns_word word;
	uint64_t time_ms;          /* NS_KEEP: until the end of the box */
};

struct ns_message { /* from init (or, up to its exec, the program) */
	enum ns_message_kind kind;
	struct err err;            /* NS_FAILED */
	int status;                /* NS_ENDED, NS_LEFT: of the program, as from wait() */
	struct rusage usage;       /* NS_ENDED, NS_LEFT: of all that init waited for */
};

struct ns_network; /* ns_network.h */
struct relay;

/* The namespaces and the cgroup that clone3() gives to init. */
struct ns_child {
	bool own_network;          /* the box makes its network namespace */
	/* Init was born in its cgroup; else the program gets descriptors to enter it. */
	bool born_in;
	/* The manager moves init to its scope (or to none) before init learns its user. */
	bool moved_in;
	int talk;                  /* our end of the socket pair */
	/* The program's ends of the streams; null: instead of `in` when there is no input. */
	int in, out, err, null;
	int launcher;              /* a pidfd */
};

/* The work that init does: limits, mounts, the program. */
struct ns_task {
	struct limits limits;
	uint32_t open_files;       /* of each process; 0: as init has it */
	struct network_spec network; /* without its rules */
	const struct ns_network *names; /* NULL: the box reaches no host by name */
	const struct op *ops;
	char *const *argv, *const *envp;
	const char *cwd;
	struct identity cwd_id;    /* the expected identity of cwd; unknown: cwd is the box's own */
	bool input;                /* standard input is not empty */
	bool shell;                /* argv[0] is not one of SPEC_STAND_INS */
	bool ptrace;               /* programs may trace each other */
	bool background;           /* init tells when processes are left, and takes orders */
	bool collects;             /* init sends NS_HOME before NS_ENDED */
	bool primed;               /* another task follows: that of the run. Its ops are files in the home */
	bool preload;              /* argv starts before the run */
	/* The caller's: init may have been moved before it started the program's process. */
	cpu_set_t cpus;
};

#define NS_ENDS_MAX 6

/* The launcher's data of one box. Large members stand last: only what is used of them is touched. */
struct ns_box {
	struct ns_child child;
	int ends[NS_ENDS_MAX];     /* init's ends of the channels, inherited at its birth; -1: closed */
	size_t nends;
	int talk, pidfd;           /* -1: none */
	bool adopted;              /* this is the holder */
	bool killed;               /* no message is to be expected any more */
	size_t primed;             /* bytes of the brief of a primed box; 0: it is not primed */
	bool ready;                /* NS_READY was received */
	struct limits primed_limits; /* that its group has */
	struct op *files;          /* that a run adds to the home of a primed box */
	struct ns_user user;
	struct cgroup cg;
	bool grouped;              /* cg holds a group */
	struct err no_group;       /* else the reason */
	unsigned want;             /* what the group limits besides memory and processes: bits of CG_HAS_* */
	/* The machine has no more CPUs than the limit: there is no quota to enforce. */
	bool cpus_suffice;
	bool keep_cpus;            /* but the program may not move to others */
	/* A user namespace that maps owners of the caller's files; only root needs one. */
	int idmap;
	uid_t idmap_uid;
	gid_t idmap_gid;
	struct scope scope;        /* asked for where no other group can be had */
	/* The box's own /proc and /, sent by the program when there is no cgroup; -1: none. */
	int procfd, rootfd;
	int netfd;                 /* the box's network namespace, of NS_KEPT and NS_SHARED; -1: none */
	struct ns_network *network; /* a network by name; NULL: none */
	struct relay *relay;       /* runs; NULL: none */
	struct network_report *report; /* the launcher's copy; NULL: none */
	struct watch_times times;
	struct undertaker undertaker; /* for the cgroup; it also keeps a scope alive */
};

/* brief.c: the way of a task to init. One at a time: what was made is sent before the next is. */
int brief_open(struct err *e); /* before init is cloned: both have the buffer at the same address */
int brief_make(const struct spec *spec, uint32_t open_files, const struct op *ops, struct str cwd,
		const struct ns_network *names, size_t behind, struct err *e);
/* Bytes of the brief so far: the next task goes `behind` them, if init keeps them; else behind is 0. */
size_t brief_size(void);
/* The task that was made is a guess: that of the run will follow. */
void brief_prime(void);
/*
 * The launcher: sends the brief and its mounts. Also 0 when init is dead: it has said why, or will be found
 * dead.
 */
int brief_send(int talk, struct err *e);
/* Init: NULL when the launcher is gone. */
const struct ns_task *brief_take(int talk);
/* The program of a primed box: the task of its run, behind the first one. NULL as above. */
const struct ns_task *brief_take_run(int talk);
/*
 * For a guest, another process of the same program with another address of the buffer: brief_address() is the
 * launcher's. The operations have no descriptors.
 */
uint64_t brief_address(void);
const struct ns_task *brief_take_moved(int talk, uint64_t launchers);
/* The same through a file: the bytes of the brief that was made, and what is left of a file. */
struct str brief_bytes(void);
const struct ns_task *brief_read_moved(int file, uint64_t launchers);

/* init.c: the life of pid 1. Never returns. */
void ns_init(const struct ns_child *c) __attribute__((noreturn));
/* Steps of it that the guest takes as well (guest.c): signals, limits of every box, the box's own clock. */
void init_default_signals(void);
int init_set_limits(struct err *e);
int init_start_clock(uint64_t limit_ms, struct err *e);
/*
 * dropped.c: lists files that the program leaves in the scratch, one path per line. Returns the bytes of the
 * text; 0: none.
 */
size_t ns_dropped(const struct op *ops, char *text, size_t size);
/* Init: closes every descriptor but these two; -1: none. */
int init_close_all_but(int fd, int other, struct err *e);
/* Sends the reason why the box ends to the launcher. */
void ns_tell_why(int talk, const struct err *why);
/*
 * A message never arrived: the launcher is dead, or no descriptor was free (EMFILE, which is told). Ends the
 * process.
 */
void ns_not_told(int talk) __attribute__((noreturn));

struct setup_notes {
	bool start_checked;        /* cwd is the expected directory, with another identity in the box */
	int no_overlay;            /* errno: why the caches have no overlay, although there is a layer */
};

/* setup.c: builds the part of the root that does not depend on the spec. */
int setup_begin(struct err *e);
/*
 * Carries out the plan. With a root directory of the caller's, the part that setup_begin() built stays below
 * it, unused.
 */
int setup_root(const struct ns_task *t, struct setup_notes *ret, struct err *e);
/* Enters the new root. *ret_old is a descriptor of the old one. */
int setup_enter(int *ret_old, struct err *e);
/* Unmounts the old root. */
int setup_seal(int old, struct err *e);

/*
 * ns_group.c: on version 2 init must be started inside its cgroup, or moved there while it is alone. A
 * descriptor of it, or -1.
 */
int ns_group_begin(struct ns_box *n);
/* Makes sure that the box has a cgroup with its limits: the one that init is in already, or a new one. */
int ns_group_ready(struct box_state *b, struct err *e);
/* The box is set up: its limit of processes no longer counts those that only set it up. */
int ns_group_settle(struct box_state *b, struct err *e);
/* Controllers that the group of these limits needs besides memory and processes: bits of CG_HAS_*. */
unsigned ns_group_wants(const struct limits *l);
/*
 * A cgroup quota limits the CPUs if the group has one and the machine has more CPUs than the limit. Otherwise
 * the CPU affinity of the program does.
 */
enum enforcer ns_group_cpus(const struct ns_box *n);
/*
 * On version 2 an ordinary user often has no group, but a systemd manager that makes one. Init waits for its
 * user meanwhile, so it is a single process when it is moved. The undertaker goes along: the manager removes
 * a scope with its last process, and this one stays until the counters were read. If anything fails, the box
 * has no group, and no_group keeps the reason.
 */
void ns_scope_begin(struct box_state *b);
void ns_scope_finish(struct box_state *b);

/*
 * ns_idmap.c: for a launcher that is root, a detached mount with mapped owners for each path of the caller's.
 */
int ns_trees_open(struct box_state *b, struct err *e);
void ns_trees_close(struct box_state *b);

/* backend_ns.c: sends the brief, and makes the cgroup. */
int ns_send_task(struct box_state *b, bool guess, struct err *e);
/* Bits of the byte that starts the program: how its group and its CPUs are. */
int ns_start_bits(const struct ns_box *n);
/* ns_prime.c: backend.h has the contract of the first. Can a primed box run this spec? */
int ns_prime(struct box_state *b, struct err *e);
bool ns_prime_fits(struct box_state *b, const struct spec *s);
/* Gives the group of a primed box the limits of its run. */
int ns_prime_ready(struct box_state *b, struct err *e);

/* ns_control.c: the launcher's side of a box that runs; backend.h has the contracts. */
void ns_add_sources(struct box_state *b, struct sources *ret);
void ns_take_events(struct box_state *b);
void ns_kill(struct box_state *b);
void ns_usage(struct box_state *b, unsigned wanted, struct box_usage *ret);
bool ns_all_exiting(struct box_state *b);
int ns_keep(struct box_state *b, int life, uint64_t time_ms, struct err *e);
void ns_finish(struct box_state *b);
void ns_adopt(struct box_state *b);
void ns_share(struct box_state *b);
size_t ns_shared(const struct box_state *b, int ret_fds[2]);
