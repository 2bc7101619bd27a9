/*
 * The native backend: Linux namespaces, mounts, cgroups, Landlock, seccomp. Inside of src/box only.
 *
 * Theory of operation. Processes of ours, and the program:
 *
 *   launcher (caisson run) ── clone: user, pid namespace ──> init (pid 1 of the box) ── clone, shared memory ──> program, and what it starts
 *      └── clone, shared memory ──> undertaker (outside the box)
 *
 * A box is begun before it is known what for. Init makes the other namespaces but one, becomes the user of the box once the launcher has written the uid map,
 * gives up what it can, and puts together the root of every box. The process that becomes the program makes the network namespace. Meanwhile the launcher finds
 * out what is to run and makes the plan, which it sends as a brief, then the cgroup, and says when it is ready. Init finishes the root while the other loads its
 * filter; in the root, and with the launcher's word, that enters the group, walls itself in and becomes the program. A box for which there is no task is ended:
 * nothing foreign was in it.
 *
 * The launcher then watches: output, the clock, memory, init's end. Init never runs foreign code: it reaps what is orphaned, and when the program has
 * ended kills the rest and tells how it ended. Since init is pid 1, its end is the end of everything in the box; it dies with the launcher (parent-death
 * signal). The undertaker sleeps until the launcher is gone without having said good-bye, then removes what a dead launcher cannot: the cgroup and
 * the placeholders in the workspace (the latter a second undertaker, which is there before the first placeholder and waits for the end of the box).
 *
 * On version 2 init is born in its cgroup. Where an ordinary user has none the launcher asks the user's systemd manager for a scope (sys/scope.h) and
 * tells init who it is when that has moved it there; the undertaker is moved as well and keeps the scope until its counters were read.
 *
 * Launcher and init talk over one socket pair of whole messages. A failure of setup, up to the exec of the program, is a message with a
 * struct err, so it can never look like the program's own doing.
 */
#pragma once
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/terminal.h"
#include "box/box.h"
#include "box/plan.h"
#include "box/protect.h"
#include "box/watch.h"
#include "sys/cgroup.h"

#define NS_ID_OUTSIDE 1822512384u /* what the user of the box is on the host when the launcher is root: nobody's, so that no file of the host is theirs */
#define NS_IDS_OUTSIDE 65536u     /* and as many after it: boxes that run at once are different users, so none takes from another what the kernel counts by user */
#define NS_CHUNK 65536
#define NS_HEAD ((size_t)256 << 10) /* bytes of a stream in memory */
#define NS_CORE_BYTES 1 /* less than any core; unlike 0 it also keeps the kernel from starting the host's program for them */
#define NS_HOSTNAME "box"
#define NS_LOST 127 /* how a process of ours ends that has failed */

extern const struct backend backend_ns;

struct ns_user { /* who the program is, in the box and on the host */
	uid_t uid, outside_uid;
	gid_t gid, outside_gid;
	bool nobody;               /* on the host it is nobody, so groups must be dropped, and the caller's files lent to it: the caller is root */
};
/* Root of a user namespace that is no more than one user of the host (a container without root) is an ordinary user. */
struct ns_user ns_user(pid_t init);

enum ns_message_kind { NS_READY = 1, NS_FAILED, NS_ENDED };
/*
 * The launcher sends to init a struct ns_user (the uid map is written) and the brief (brief.c). It sends to the program
 * one byte of these bits: the program may start, in its cgroup or not, with fewer CPUs, and without changing its CPUs.
 */
enum { NS_START = 64, NS_GROUP = 1, NS_FEWER_CPUS = 2, NS_KEEP_CPUS = 4 };

struct ns_message { /* from init (or, up to its exec, the program) */
	enum ns_message_kind kind;
	struct err err;            /* NS_FAILED */
	int status;                /* NS_ENDED: of the program, as from wait() */
	struct rusage usage;       /* NS_ENDED: of all that init waited for */
};

/* The namespaces and the cgroup that clone3() gives to init. */
struct ns_child {
	bool own_network;          /* the box gets a network namespace of its own */
	bool born_in;              /* init was born in its cgroup; else the program is given its doors */
	bool moved_in;             /* or it was moved there (or to none) before it was told its user */
	int talk;                  /* our end of the socket pair */
	int in, out, err, null;    /* the program's ends of the streams; null: in place of `in` where there is no input */
	int launcher;              /* the process */
};

/* The work that init does: limits, mounts, the program. */
struct ns_task {
	struct limits limits;
	uint32_t open_files;       /* of each process; 0: as init has it */
	struct network_spec network;
	const struct op *ops;
	char *const *argv, *const *envp;
	const char *cwd;
	struct identity cwd_id;    /* what it must be; not known: the box's own */
	bool input;                /* there is something for standard input */
	cpu_set_t cpus;            /* the caller's: init may have been moved before it started the program's process */
};

/* brief.c: the way of a task to init. One at a time: what was made is sent before the next is. */
int brief_open(struct err *e); /* before init is cloned: it has the same memory then */
int brief_make(const struct spec *spec, uint32_t open_files, const struct op *ops, struct str cwd, struct err *e);
/* The launcher: all of it, and the mounts that were made for it. 0 as well when init is dead: it has said why, or will be found so. */
int brief_send(int talk, struct err *e);
/* Init: NULL when the launcher is gone. */
const struct ns_task *brief_take(int talk);

/* init.c: the life of pid 1. Never returns. */
void ns_init(const struct ns_child *c) __attribute__((noreturn));
/* Why the box ends, to the launcher. */
void ns_tell_why(int talk, const struct err *why);
/* The same after what was to come did not: the launcher is dead, or it could not be taken for want of descriptors. Ends the process. */
void ns_not_told(int talk) __attribute__((noreturn));
/* setup.c: what every box has, before it is known what for. */
int setup_begin(struct err *e);
/*
 * Carries out the plan; where that has another root than the system's, what is there is left below. *ret_start_checked: the directory that the program starts in
 * is the expected one, and has another identity in the box.
 */
int setup_root(const struct ns_task *t, bool *ret_start_checked, struct err *e);
/* Into the new root, for good. A descriptor of the old one. */
int setup_enter(int *ret_old, struct err *e);
/* The old root goes away. */
int setup_seal(int old, struct err *e);

/* capture.c: what the program wrote, in memory up to a small size, then in a file without a name (struct stream). */
struct capture {
	int fd;                    /* the read end; -1: ended */
	int pass;                  /* where it goes at once; -1: nowhere */
	int file;                  /* -1: everything is in head */
	const char *spool;         /* where the file is made */
	unsigned place;            /* how many places for it were tried */
	bool lost;                 /* there is no place left: nothing more is kept */
	uint64_t total, max, kept, lines, lost_lines;
	bool open_line;            /* the last byte is no newline */
	size_t waiting, passed;    /* bytes to be passed on, and done: of `shown` where that is a terminal, else of `chunk` */
	bool terminal;
	struct terminal screen;
	char head[NS_HEAD], chunk[NS_CHUNK], shown[NS_CHUNK + TERMINAL_END_MAX];
};
void capture_start(struct capture *c, int fd, int pass, const struct spec *s);
/* The event to poll for: input to read, or room to write it. */
struct pollfd capture_poll(const struct capture *c);
/* Takes what is there: a fair part, or all of it. False when more than `max` was written. */
bool capture_take(struct capture *c, bool all);
/* All that was kept; its memory is the capture's. */
void capture_end(struct capture *c, struct stream *ret);

/* feed.c: standard input */
struct feed {
	int from, to;              /* the caller's; the write end of the program's pipe, -1: ended */
	size_t n, at;              /* bytes in chunk, and how many are given */
	char chunk[NS_CHUNK];
};
void feed_start(struct feed *f, int from, int to);
struct pollfd feed_poll(const struct feed *f);
void feed_turn(struct feed *f, short revents);

/* supervise.c */
struct ns_watch {
	const struct spec *spec;
	struct cgroup *cg;         /* NULL: none */
	const struct box_progress *progress;
	int talk, pidfd;
	pid_t pid;
	struct capture out, err;
	struct feed in;
	int procfd, rootfd;     /* of the box, when it handed them out */
	int64_t start;             /* ns of the monotonic clock */
	struct watch_times times;
};
/* Until nothing but init can be left of the box, and that is on its way. *ret has everything but the streams' texts. -1 when setup failed. */
int supervise(struct ns_watch *w, struct outcome *ret, struct err *e);
