/*
 * Boxes in virtual machines. Inside of src/box only.
 *
 *   launcher   packs the image, starts the monitor, talks to the agent, applies     backend_vm.c, vm_image.c,
 *              the changes to the workspace                                          vm_changes.c
 *   monitor    qemu, firecracker: a child of the launcher, which dies with it        vm_qemu.c,
 *                                                                                    vm_firecracker.c
 *   agent      pid 1 of the machine: this program again, as /init                    vm_agent.c
 *   box        in the machine, a native box with the same plan, for the same user    backend_ns.c
 *
 * The image is one archive, the initial file system of the machine's kernel: the agent, the kernel's modules,
 * the task, and every path of the host that the plan shows, at the same path. The machine has no disk and no
 * network device. A writable workspace is an overlay over its part of the image. When the box has ended, the
 * agent sends the upper layer, and the launcher repeats these changes in the workspace, except where the plan
 * mounts something that cannot be written. Everything that follows, the comparison with the state before and
 * the quarantine, is that of every backend.
 *
 * One stream, a virtio port or a vsock, connects both, with frames of a kind, a size and bytes:
 *
 *   agent      VM_READY ─► … VM_OUT, VM_ERR … ─► VM_CHANGES … ─► VM_ENDED, or VM_FAILED at any time
 *   launcher   VM_START ─► … VM_IN …, the last one empty
 *
 * Nothing that the agent says is trusted further than a program in a box is: a frame that is too long, or out
 * of order, ends the run.
 */
#pragma once
#include "box/guest.h"

#define VM_FRAME_MAX ((size_t)32 << 10) /* bytes of a frame */
#define VM_TASK "/caisson.task"
#define VM_MODULES "/caisson.modules"
#define VM_MODULES_MAX 16
#define VM_PATH_MAX 4096
#define VM_VSOCK "caisson.vsock=" /* on the kernel's command line: the agent listens at this vsock port */
#define VM_PORT 52

enum vm_kind { VM_READY = 1, VM_OUT, VM_ERR, VM_CHANGES, VM_ENDED, VM_FAILED, VM_START, VM_IN };

struct vm_head {
	uint32_t kind, size;
};

struct vm_task { /* the file VM_TASK; the bytes of the brief follow */
	uint64_t brief; /* brief_address() of the launcher */
	uint32_t uid, gid;
	char workspace[VM_PATH_MAX]; /* writable; empty: none */
};

struct vm_end { /* VM_ENDED: the outcome of the box in the machine */
	enum status status;
	int exit_code, signal;
	uint64_t cpu_ms, peak_memory;
	struct enforced enforced;
	uint32_t by_cpu_time;
	char dropped[ERR_TEXT_MAX];
};

struct vm_change { /* VM_CHANGES is a stream of these, each followed by its path and its bytes */
	uint32_t what;
	uint32_t mode;
	int64_t mtime_s, mtime_ns;
	uint64_t path, size; /* lengths */
};
enum vm_what { VM_DIR = 1, VM_DIR_ANEW /* nothing of the old one is left */, VM_FILE, VM_LINK, VM_GONE };

struct vm_reader { /* of frames */
	size_t n;
	char at[sizeof(struct vm_head) + VM_FRAME_MAX];
};

/* Reads once. 1: a frame, until the next call; 0: not yet; -1: EOF, or no frame. */
int vm_read(struct vm_reader *r, int fd, struct vm_head *ret, const char **ret_bytes);
/* Writes a whole frame, and waits for room. */
int vm_write(int fd, enum vm_kind kind, const void *bytes, size_t n);

/* vm_agent.c: the life of pid 1. */
void vm_agent(void) __attribute__((noreturn));

/* ---- vm_image.c ---- */
#define VM_IMAGE_MAX ((uint64_t)2 << 30)

struct vm_image {
	int fd;
	uint32_t uid, gid; /* of entries from now on */
	bool partly;       /* of them, those that cannot be read are left out */
	uint32_t inode;
	uint64_t total;
	size_t used;
	char at[1 << 16];
};

int vm_image_open(struct vm_image *m, const char *path, struct err *e);
int vm_image_text(struct vm_image *m, const char *name, uint32_t mode, struct str text, struct err *e);
int vm_image_dir(struct vm_image *m, const char *name, struct err *e);
/* A file of the host under another name. */
int vm_image_file(struct vm_image *m, const char *name, uint32_t mode, const char *from, struct err *e);
/* A path of the host with everything in it, at the same path. Devices are left out. */
int vm_image_tree(struct vm_image *m, const char *path, struct err *e);
int vm_image_close(struct vm_image *m, struct err *e);

/* ---- vm_changes.c ---- */
/* Repeats the changes in the file, which a machine wrote, in the workspace. */
int vm_changes_apply(int file, const struct op *ops, const struct spec *s, struct err *e);

/* ---- monitors ---- */
struct vm_box { /* guest_box.more */
	const struct vm_monitor *monitor;
	const char *kernel, *image, *dir;
	uint64_t memory; /* bytes of the machine */
	unsigned cpus;
	struct vm_reader reader;
	char waiting[VM_FRAME_MAX]; /* output that its pipe has no room for yet */
	size_t nwaiting, written;
	int waits_for;              /* the pipe */
	char input[sizeof(struct vm_head) + VM_FRAME_MAX]; /* for the agent */
	size_t ninput, sent;
	bool input_over;
	int changes;                /* a file without a name; -1: none */
	uint64_t nchanges;
	struct vm_end end;
};

struct vm_monitor {
	const char *kernel; /* its name in the directory of kernels */
	/* Starts the machine (g->client) and connects g->ns.talk. */
	int (*launch)(struct box_state *b, struct err *e);
};

/* The directory with kernel and modules: $CAISSON_VM, else /usr/lib/caisson/vm. */
const char *vm_kernels(void);
int vm_begin(struct box_state *b, const struct spec *s, struct err *e);
int vm_start(struct box_state *b, struct err *e);
int vm_lacks(const struct spec *s, struct err *e);
int vm_probe(const struct vm_monitor *m, struct err *e);
void vm_add_sources(struct box_state *b, struct sources *ret);
void vm_take_events(struct box_state *b);
void vm_usage(struct box_state *b, unsigned wanted, struct box_usage *ret);
bool vm_all_exiting(struct box_state *b);
void vm_enforcers(const struct box_state *b, struct enforced *ret);
void vm_stop(struct box_state *b, enum box_stop how);
#define VM_BACKEND \
	.begin = vm_begin, .lacks = vm_lacks, .fits = guest_fits, .start = vm_start, \
	.add_sources = vm_add_sources, .take_events = vm_take_events, .kill = ns_kill, .usage = vm_usage, \
	.all_exiting = vm_all_exiting, .enforcers = vm_enforcers, .stop = vm_stop
