/*
 * gVisor (runsc): a kernel in user space, which a process of the host is. It takes the same bundle as runc.
 *
 *   runsc run       our child; starts the next two, ends with them
 *   runsc-gofer     opens files of the host for the kernel; its root is the root of the box
 *   runsc-sandbox   the kernel: the guest and the program are threads of control in it, and stubs that it
 *                   traces. The launcher takes it for the first process of the box
 *   guest           pid 1 in that kernel; its standard input is `talk`
 *
 * All of them are in a cgroup of the launcher's, so the memory of the kernel counts for the box, and nobody
 * removes the counters before they were read. The cgroup counts the host's processes, of which a process of
 * the box needs several: the guest limits those of the box in a group of gVisor's own (guest_kernel.c).
 *
 * The guest sees made-up inodes and namespaces. The launcher compares what is outside instead: namespaces of
 * the kernel's process, and every mount by way of the gofer's root.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "box/guest.h"
#include "box/oci_json.h"
#include "sys/file.h"
#include "sys/mounts.h"

#define MISSING "there is no runsc here (apt-get install runsc)"
#define PROGRAM_MAX 64
#define STATE_MAX ((size_t)4 << 20) /* bytes of what runsc notes about a container */
/* With less, gVisor itself may be killed for memory before the program has started. */
#define MEMORY_MIN ((uint64_t)48 << 20)

struct gvisor_box { /* guest_box.more */
	char program[PROGRAM_MAX];
	const char *runtime; /* directory of the runtime's own data */
	struct oci_container container;
};

static int gvisor_probe(const struct backend *self, struct err *e)
{
	char path[PROGRAM_MAX];

	(void)self;
	if (geteuid())
		return err_host(e, "gVisor makes boxes for root alone");
	return guest_find("runsc", path, sizeof(path)) ? 0 : err_host(e, MISSING);
}

static int gvisor_settle(struct box_state *b, struct err *e)
{
	/* To limit files and processes in its own kernel, and to map root: the guest gives them up. */
	static const char *const finish[] = {
			"CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_SETFCAP",
			"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL"};
	struct guest_box *g = b->own;
	struct gvisor_box *v = arena_new(b->a, struct gvisor_box);

	if (gvisor_probe(b->backend, e) != 0)
		return -1;
	(void)guest_find("runsc", v->program, sizeof(v->program));
	g->more = v;
	v->container = (struct oci_container){.talk = "0",
			.capabilities = finish,
			.ncapabilities = ARRAY_SIZE(finish),
			.own_kernel = true};
	guest_choose_nobody(b);
	v->container.uid = g->user.outside_uid;
	v->container.gid = g->user.outside_gid;
	return 0;
}

/*
 * The gofer opens the file on which it mounts, which no socket allows, and placeholders are sockets. So they
 * are covered before, in a mount namespace of the client's own.
 */
static int gvisor_prepare(const struct guest_box *g)
{
	static const char why[] = "cannot cover placeholders for gVisor";
	bool done = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

	for (const struct stage_mount *m = g->stage.mounts; done && m; m = m->next)
		if (m->socket)
			done = mount(m->source, m->socket, NULL, MS_BIND, NULL) == 0;
	if (!done)
		(void)!write(STDERR_FILENO, why, sizeof(why) - 1);
	return done ? 0 : -1;
}

static int gvisor_launch(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct gvisor_box *v = g->more;
	const char *network = network_isolated(&b->spec->network) ? "--network=none" : "--network=host";
	FD_CLEANUP int talk = g->guests_end;

	g->guests_end = -1;
	v->runtime = str_fmt_c(b->a, "%s/runtime", g->stage.dir);
	if (stage_write(b->a, &g->stage, "config.json", oci_describe(b, &v->container), e) != 0)
		return -1;
	char *const argv[] = {v->program, "--root", (char *)v->runtime, "--platform=ptrace", (char *)network,
			"--ignore-cgroups", "run", "--bundle", g->stage.dir, g->id, NULL};
	return guest_spawn(b, talk, v->program, argv, e);
}

/* ---- the container from outside ---- */

static int check_namespaces(const struct box_state *b, struct err *e)
{
	static const char names[][8] = {"user", "mnt", "ipc", "uts", "net"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char ours[32], theirs[48];
		struct stat own, box;

		str_put(ours, sizeof(ours), "/proc/self/ns/%s", names[i]);
		str_put(theirs, sizeof(theirs), "/proc/%d/ns/%s", (int)b->init, names[i]);
		if (!strcmp(names[i], "net") && !network_isolated(&b->spec->network))
			continue;
		if (stat(ours, &own) != 0 || stat(theirs, &box) != 0)
			return err_system(e, "cannot look at the namespaces of gVisor");
		if (own.st_ino == box.st_ino && own.st_dev == box.st_dev)
			return err_host(e, "gVisor has no %s namespace of its own", names[i]);
	}
	return 0;
}

/* The process that opens the host's files, as runsc notes it. Its root is the root of the box. */
static int open_gofers_root(const struct box_state *b, struct err *e)
{
	const struct guest_box *g = b->own;
	const struct gvisor_box *v = g->more;
	const char *notes = str_fmt_c(b->a, "%s/%s_sandbox:%s.state", v->runtime, g->id, g->id);
	struct json *state;
	struct str text;
	char path[32];
	int fd;

	if (file_read(b->a, notes, STATE_MAX, &text, NULL, e) != 0 || json_read(b->a, text, &state, e) != 0)
		return -1;
	str_put(path, sizeof(path), "/proc/%d/root", (int)json_int_at(state, "goferPid"));
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_system(e, "cannot look at the mounts of gVisor") : fd;
}

static int check_path(int root, const char *target, struct identity expected, struct err *e)
{
	FD_CLEANUP int fd = open_beneath(root, target + 1, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_system(e, "gVisor did not mount '%s'", target);
	if (identity_same((struct identity){st.st_dev, st.st_ino}, expected))
		return 0;
	return err_input(e, "'%s' was replaced while the box was made; run the command again", target);
}

/* Every mount that the guest of another engine would compare, and those that protect the workspace. */
static int check_mounts(const struct box_state *b, int root, struct err *e)
{
	const struct guest_box *g = b->own;
	const struct spec *s = b->spec;
	struct stat st;

	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		if (m->kind != STAGE_BIND)
			continue;
		if (stat(m->source, &st) != 0)
			return err_system(e, "cannot use '%s' in the box", m->source);
		if (check_path(root, m->target, (struct identity){st.st_dev, st.st_ino}, e) != 0)
			return -1;
	}
	for (const struct op *op = b->ops.first; op; op = op->next)
		if (identity_known(op->expected) &&
				guest_mount_of(b->ops.first, op->target) == op &&
				check_path(root, op->target, op->expected, e) != 0)
			return -1;
	return identity_known(s->cwd_id) ? check_path(root, str_c(b->a, s->cwd), s->cwd_id, e) : 0;
}

static int gvisor_check(struct box_state *b, struct err *e)
{
	if (check_namespaces(b, e) != 0)
		return -1;
	FD_CLEANUP int root = open_gofers_root(b, e);
	return root < 0 ? -1 : check_mounts(b, root, e);
}

/* ---- the row ---- */

static int gvisor_lacks(const struct spec *s, struct err *e)
{
	if (s->limits.memory && s->limits.memory < MEMORY_MIN)
		return err_input(e, "gVisor's own kernel needs memory as well: the limit must be %ju MB at "
				"least", (uintmax_t)(MEMORY_MIN >> 20));
	return guest_lacks(s, e);
}

static const struct engine engine = {.settle = gvisor_settle,
		.launch = gvisor_launch,
		.prepare = gvisor_prepare,
		.check = gvisor_check,
		.finishes = GUEST_OWN_KERNEL,
		.own_group = true,
		.needs_group = true};

const struct backend backend_gvisor = {
		.name = "gvisor",
		.about = "gVisor is the kernel of the box, and makes its mounts; cgroup and seccomp by "
			 "caisson itself",
		.engine = &engine,
		.probe = gvisor_probe,
		.lacks = gvisor_lacks,
		GUEST_BACKEND,
};
