/* The launcher's side of a box in a virtual machine. vm.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/vm.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/file.h"

#define MS ((int64_t)1000000)
#define BOOT_MS 240000  /* without KVM a kernel takes its time */
#define GRACE_MS 120000 /* the machine's own clock is first: then the changes still come back */
#define OUTPUT_MORE ((uint64_t)1 << 20)
#define KERNEL_BYTES ((uint64_t)192 << 20) /* of memory, for kernel and agent */
#define CHANGES_MAX ((uint64_t)1 << 30)

/* In the order of their dependencies. Debian's kernels have most of them as modules. */
static const char modules[][56] = {"drivers/virtio/virtio_ring.ko", "drivers/virtio/virtio.ko",
		"drivers/virtio/virtio_pci_legacy_dev.ko", "drivers/virtio/virtio_pci_modern_dev.ko",
		"drivers/virtio/virtio_pci.ko", "drivers/char/virtio_console.ko",
		"drivers/virtio/virtio_mmio.ko",
		"net/vmw_vsock/vsock.ko", "net/vmw_vsock/vmw_vsock_virtio_transport_common.ko",
		"net/vmw_vsock/vmw_vsock_virtio_transport.ko", "fs/overlayfs/overlay.ko"};
_Static_assert(ARRAY_SIZE(modules) <= VM_MODULES_MAX, "more kernel modules than the guest agent loads");

static struct vm_box *vm_of(const struct box_state *b)
{
	return ((struct guest_box *)b->own)->more;
}

const char *vm_kernels(void)
{
	const char *given = getenv("CAISSON_VM");

	return given && given[0] == '/' ? given : "/usr/lib/caisson/vm";
}

/* ---- refusals ---- */

static bool has_cache(const struct spec *s)
{
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (p->cache != CACHE_NOT || p->writable)
			return true;
	return false;
}

int vm_lacks(const struct spec *s, struct err *e)
{
	if (guest_lacks_disks(s, e) != 0)
		return -1;
	if (!network_isolated(&s->network))
		return err_input(e, "this backend has no network (use --network deny or loopback)");
	if (s->tmp.n || s->tmp_files || s->tmp_dirs || has_cache(s) || s->git_common.n)
		return err_input(e,
				"this backend writes to the workspace only: it has no work profile, no "
				"--write and no linked worktrees (use --backend native)");
	return 0;
}

/* The host's own system does not travel. A spec that asks for nothing is the question of `caisson doctor`. */
static int check_root(const struct spec *s, struct err *e)
{
	return s->root.n ? 0
			 : err_input(e, "this backend needs a root for its machine (--image or --root): the "
					"host's own system does not travel");
}

int vm_probe(const struct vm_monitor *m, struct err *e)
{
	char path[STAGE_PATH_MAX];

	str_put(path, sizeof(path), "%s/%s", vm_kernels(), m->kernel);
	if (access(path, R_OK) != 0)
		return err_set(e, ERR_SYSTEM, 0,
				"there is no kernel for the machine at '%s' (scripts/vm-kernel DIR makes "
				"one, CAISSON_VM=DIR names it)",
				path);
	return 0;
}

/* ---- the image ---- */

/*
 * The plan for the machine: files have other identities there, and nothing but the workspace can be written,
 * because nothing else is brought back.
 */
static struct op *plan_inside(struct box_state *b)
{
	struct op *first = NULL, **end = &first;

	for (const struct op *op = b->ops.first; op; op = op->next) {
		struct op *copy = arena_dup(b->a, op, sizeof(*op));
		bool workspace = str_is(b->spec->workspace, op->source);

		copy->expected = (struct identity){0};
		copy->tree = -1;
		if (op->kind == OP_BIND && !(op->flags & OP_DEVICES) && !workspace)
			copy->flags &= ~(unsigned)OP_WRITABLE;
		copy->next = NULL;
		LIST_ADD(end, copy);
	}
	return first;
}

static int put_modules(struct vm_image *m, struct err *e)
{
	if (vm_image_dir(m, VM_MODULES, e) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		char from[STAGE_PATH_MAX], name[64];

		str_put(from, sizeof(from), "%s/modules/%s", vm_kernels(), modules[i]);
		str_put(name, sizeof(name), VM_MODULES "/%02zu.ko", i);
		if (access(from, R_OK) == 0 && vm_image_file(m, name, S_IFREG | 0600, from, e) != 0)
			return -1;
	}
	return 0;
}

static int put_task(struct box_state *b, struct vm_image *m, struct err *e)
{
	const struct spec *s = b->spec;
	const struct guest_box *g = b->own;
	struct vm_task *head = arena_new(b->a, struct vm_task);
	struct str cwd = s->cwd.n ? s->cwd : s->workspace.n ? s->workspace : s->home;
	struct spec inside = *s;
	struct str text;

	if (s->workspace.n >= sizeof(head->workspace))
		return err_input(e, "the path of the workspace is too long");
	inside.cwd_id = inside.workspace_id = (struct identity){0};
	if (brief_make(&inside, 0, plan_inside(b), cwd, NULL, 0, e) != 0)
		return -1;
	head->brief = brief_address();
	head->uid = g->user.uid;
	head->gid = g->user.gid;
	if (s->workspace_writable)
		memcpy(head->workspace, s->workspace.p, s->workspace.n);
	text = str_cat(b->a, str_n((const char *)head, sizeof(*head)), brief_bytes());
	return vm_image_text(m, VM_TASK, S_IFREG | 0600, text, e);
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* A source below one that is packed already is there. */
static bool is_packed(const struct op *ops, const struct op *op)
{
	for (; ops != op; ops = ops->next)
		if (ops->kind == OP_BIND && !(ops->flags & OP_DEVICES) && is_below(op->source, ops->source))
			return true;
	return false;
}

/* The caller's files are the box's user's in the machine; the files of the root are root's. */
static int put_sources(struct box_state *b, struct vm_image *m, struct err *e)
{
	const struct guest_box *g = b->own;

	for (const struct op *op = b->ops.first; op; op = op->next) {
		if (op->kind != OP_BIND || op->flags & OP_DEVICES || is_packed(b->ops.first, op))
			continue;
		m->partly = op->flags & OP_IMAGE;
		m->uid = op->flags & OP_IMAGE ? 0 : g->user.uid;
		m->gid = op->flags & OP_IMAGE ? 0 : g->user.gid;
		if (vm_image_tree(m, op->source, e) != 0)
			return -1;
	}
	m->uid = m->gid = 0;
	return 0;
}

static int make_image(struct box_state *b, struct err *e)
{
	struct vm_box *v = vm_of(b);
	struct vm_image *m = arena_new(b->a, struct vm_image);
	const char *program = guest_program(b->a);
	int rc = -1;

	if (!program)
		return err_system(e, "cannot find this program's own file");
	if (vm_image_open(m, v->image, e) != 0)
		return -1;
	if (vm_image_dir(m, "/dev", e) == 0 && vm_image_dir(m, "/run", e) == 0 &&
			vm_image_dir(m, "/tmp", e) == 0 &&
			vm_image_file(m, BOX_VM_AGENT, S_IFREG | 0755, program, e) == 0 &&
			put_modules(m, e) == 0 && put_task(b, m, e) == 0 && put_sources(b, m, e) == 0)
		rc = vm_image_close(m, e);
	fd_close(&m->fd);
	/* The archive and its content are in memory at once, until the kernel has unpacked it. */
	v->memory = b->spec->limits.memory + b->spec->limits.scratch + KERNEL_BYTES + 2 * m->total;
	return rc;
}

/* ---- begin, start ---- */

int vm_begin(struct box_state *b, const struct spec *s, struct err *e)
{
	struct vm_box *v;
	struct guest_box *g;

	if (guest_begin(b, s, e) != 0)
		return -1;
	g = b->own;
	g->more = v = arena_new(b->a, struct vm_box);
	v->monitor = g->engine->row;
	v->changes = -1;
	return 0;
}

static int open_stage(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	const struct limits *l = &b->spec->limits;
	unsigned most = cpus_count(), wanted = (l->cpu_milli + 999) / 1000;

	if (stage_dir(b->a, b->spec, &g->stage, e) != 0)
		return -1;
	v->dir = g->stage.dir;
	v->image = str_c(b->a, str_fmt(b->a, "%s/image", v->dir));
	v->kernel = str_c(b->a, str_fmt(b->a, "%s/%s", vm_kernels(), v->monitor->kernel));
	v->cpus = wanted < most ? wanted : most;
	v->changes = open(v->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return v->changes >= 0 ? 0 : err_system(e, "cannot make a file in '%s'", v->dir);
}

static int no_machine(struct box_state *b, const char *what, struct err *e)
{
	struct guest_box *g = b->own;
	char words[300];
	ssize_t n = g->messages < 0 ? 0 : read(g->messages, words, sizeof(words) - 1);

	words[n > 0 ? n : 0] = 0;
	words[strcspn(words, "\r\n")] = 0;
	return err_set(e, ERR_SYSTEM, 0, "%s %s%s%s", b->backend->name, what, words[0] ? ": " : "", words);
}

/* Words of the machine: whatever sent them, they are one line of plain text. */
static void tame_text(char *text, size_t size)
{
	text[size - 1] = 0;
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

static int note_failure(struct err *to, const struct vm_head *head, const char *bytes)
{
	if (head->kind != VM_FAILED || head->size != sizeof(*to))
		return err_set(to, ERR_SYSTEM, 0, "the answer of the virtual machine is malformed");
	memcpy(to, bytes, sizeof(*to));
	tame_text(to->text, sizeof(to->text));
	if (to->kind == ERR_NONE || (unsigned)to->kind > ERR_INTERNAL)
		to->kind = ERR_SYSTEM;
	return -1;
}

static int await_ready(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	int64_t until = clock_now() + BOOT_MS * MS, left;
	struct vm_head head;
	const char *bytes;

	while ((left = (until - clock_now()) / MS) > 0) {
		struct pollfd p[] = {
				{.fd = g->ns.talk, .events = POLLIN}, {.fd = g->ns.pidfd, .events = POLLIN}};

		if (poll(p, ARRAY_SIZE(p), (int)left) < 0)
			continue;
		int got = p[0].revents ? vm_read(&v->reader, g->ns.talk, &head, &bytes) : 0;

		if (got > 0 && head.kind == VM_READY)
			return 0;
		if (got > 0)
			return note_failure(e, &head, bytes);
		if (got < 0 || p[1].revents)
			return no_machine(b, "did not start the virtual machine", e);
	}
	return no_machine(b, "did not start the virtual machine in time", e);
}

/* The box in the machine keeps the limits. Those of the launcher are further away. */
static const struct spec *lenient(struct box_state *b)
{
	struct spec *s = arena_dup(b->a, b->spec, sizeof(*s));

	s->limits.time_ms += GRACE_MS;
	s->limits.output += OUTPUT_MORE;
	s->limits.cpu_ms = 0;
	return s;
}

int vm_start(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	struct ns_child *c = &g->ns.child;

	if (check_root(b->spec, e) != 0 || open_stage(b, e) != 0 || make_image(b, e) != 0 ||
			v->monitor->launch(b, e) != 0)
		return -1;
	b->init = g->client;
	g->ns.pidfd = (int)syscall(SYS_pidfd_open, g->client, 0);
	if (g->ns.pidfd < 0 || fcntl(g->ns.talk, F_SETFL, O_NONBLOCK) != 0 ||
			fcntl(c->in, F_SETFL, O_NONBLOCK) != 0 || fcntl(c->out, F_SETFL, O_NONBLOCK) != 0 ||
			fcntl(c->err, F_SETFL, O_NONBLOCK) != 0)
		return err_system(e, "cannot talk to the machine");
	if (await_ready(b, e) != 0 || box_before_program(b, e) != 0)
		return -1;
	(void)unlink(v->image);
	b->spec = lenient(b);
	b->started = clock_now();
	return vm_write(g->ns.talk, VM_START, NULL, 0) == 0 ? 0 : no_machine(b, "ended the machine", e);
}

/* ---- while it runs ---- */

/* The agent never ends by itself, so the machine does not either. */
static void give_up(struct box_state *b)
{
	b->events.failed = true;
	ns_kill(b);
}

static void lose(struct box_state *b, const char *why)
{
	err_set(&b->events.err, ERR_SYSTEM, 0, "%s", why);
	give_up(b);
}

static void flush_output(struct vm_box *v)
{
	ssize_t n = write(v->waits_for, v->waiting + v->written, v->nwaiting - v->written);

	if (n > 0)
		v->written += (size_t)n;
	if (v->written == v->nwaiting || (n < 0 && errno != EAGAIN && errno != EINTR))
		v->nwaiting = v->written = 0;
}

/* They become indices of names. */
static bool are_enforcers(const struct enforced *f)
{
	const unsigned all[] = {f->cpu, f->memory, f->pids, f->scratch, f->output, f->time, f->cpu_time,
			f->io, f->network};

	_Static_assert(sizeof(all) == sizeof(*f), "an enforcer is not looked at");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] > ENFORCED_AFFINITY)
			return false;
	return true;
}

static void note_end(struct box_state *b, const struct vm_head *head, const char *bytes)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	struct box_events *ev = &b->events;

	if (head->size == sizeof(v->end))
		memcpy(&v->end, bytes, sizeof(v->end));
	if (head->size != sizeof(v->end) || !are_enforcers(&v->end.enforced)) {
		v->end = (struct vm_end){0};
		lose(b, "the answer of the virtual machine is malformed");
		return;
	}
	tame_text(v->end.dropped, sizeof(v->end.dropped));
	fd_close(&g->ns.child.out);
	fd_close(&g->ns.child.err);
	if (b->spec->workspace_writable &&
			vm_changes_apply(v->changes, b->ops.first, b->spec, &ev->err) != 0) {
		give_up(b);
		return;
	}
	ev->ended = true;
	ev->decided = v->end.status > STATUS_SETUP_ERROR && v->end.status < STATUS_DENIED ? v->end.status
											  : STATUS_UNKNOWN;
	ev->by_cpu_time = v->end.by_cpu_time != 0;
	ev->status = v->end.signal ? v->end.signal & 0x7f : (v->end.exit_code & 0xff) << 8;
	ev->cpu_ms = v->end.cpu_ms;
	ev->peak_memory = v->end.peak_memory;
	memcpy(b->outcome.dropped, v->end.dropped, sizeof(b->outcome.dropped));
}

static void note_changes(struct box_state *b, const char *bytes, size_t n)
{
	struct vm_box *v = vm_of(b);

	v->nchanges += n;
	if (v->nchanges > CHANGES_MAX)
		lose(b, "the virtual machine changed too many files to copy them back");
	else if (fd_write_all(v->changes, "the changes", str_n(bytes, n), &b->events.err) != 0)
		give_up(b);
}

static void take_frame(struct box_state *b, const struct vm_head *head, const char *bytes)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;

	if (b->events.ended || b->events.failed)
		return;
	switch (head->kind) {
	case VM_OUT:
	case VM_ERR:
		memcpy(v->waiting, bytes, head->size);
		v->nwaiting = head->size;
		v->waits_for = head->kind == VM_OUT ? g->ns.child.out : g->ns.child.err;
		flush_output(v);
		break;
	case VM_CHANGES: note_changes(b, bytes, head->size); break;
	case VM_ENDED: note_end(b, head, bytes); break;
	case VM_FAILED:
		(void)note_failure(&b->events.err, head, bytes);
		give_up(b);
		break;
	default: lose(b, "the answer of the virtual machine is malformed");
	}
}

void vm_take_events(struct box_state *b)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	struct vm_head head;
	const char *bytes;
	int got = 1;

	while (!v->nwaiting && g->ns.talk >= 0 && got > 0) {
		size_t before = v->reader.n;

		got = vm_read(&v->reader, g->ns.talk, &head, &bytes);
		if (got > 0)
			take_frame(b, &head, bytes);
		else if (got == 0 && v->reader.n > before)
			got = 1;
		else if (got < 0)
			fd_close(&g->ns.talk); /* the pidfd tells the rest */
	}
}

static void handle_stream(void *ctx, short revents)
{
	(void)revents;
	vm_take_events(ctx);
}

static void handle_room(void *ctx, short revents)
{
	(void)revents;
	flush_output(vm_of(ctx));
}

static void handle_gone(void *ctx, short revents)
{
	struct box_state *b = ctx;

	(void)revents;
	vm_take_events(b);
	b->events.gone = true;
}

/* A frame without bytes says that there is no more. */
static void handle_input(void *ctx, short revents)
{
	struct box_state *b = ctx;
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	ssize_t n = read(g->ns.child.in, v->input + sizeof(struct vm_head), VM_FRAME_MAX);

	(void)revents;
	if (n < 0)
		return;
	const struct vm_head head = {VM_IN, (uint32_t)n};
	memcpy(v->input, &head, sizeof(head));
	v->ninput = sizeof(head) + (size_t)n;
	v->sent = 0;
	v->input_over = n == 0;
}

static void handle_input_room(void *ctx, short revents)
{
	struct box_state *b = ctx;
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	ssize_t n = write(g->ns.talk, v->input + v->sent, v->ninput - v->sent);

	(void)revents;
	if (n > 0)
		v->sent += (size_t)n;
	if (v->sent == v->ninput || (n < 0 && errno != EAGAIN && errno != EINTR))
		v->ninput = v->sent = 0;
}

void vm_add_sources(struct box_state *b, struct sources *ret)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;
	bool over = b->events.ended || b->events.failed || g->ns.killed || g->ns.talk < 0;

	if (v->nwaiting)
		sources_add(ret, (struct pollfd){.fd = v->waits_for, .events = POLLOUT}, handle_room, b);
	else if (!over)
		sources_add(ret, (struct pollfd){.fd = g->ns.talk, .events = POLLIN}, handle_stream, b);
	if (v->ninput && !over)
		sources_add(ret, (struct pollfd){.fd = g->ns.talk, .events = POLLOUT}, handle_input_room, b);
	else if (!v->input_over && !over)
		sources_add(ret, (struct pollfd){.fd = g->ns.child.in, .events = POLLIN}, handle_input, b);
	sources_add(ret, (struct pollfd){.fd = g->ns.pidfd, .events = POLLIN}, handle_gone, b);
}

void vm_usage(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	if (wanted & USAGE_PEAK)
		ret->peak_memory = vm_of(b)->end.peak_memory;
}

bool vm_all_exiting(struct box_state *b)
{
	(void)b;
	return false; /* the end of the monitor tells */
}

void vm_enforcers(const struct box_state *b, struct enforced *ret)
{
	*ret = vm_of(b)->end.enforced;
	ret->output = ENFORCED_PIPE;
	ret->time = ENFORCED_TIMER;
}

void vm_stop(struct box_state *b, enum box_stop how)
{
	struct guest_box *g = b->own;
	struct vm_box *v = g->more;

	guest_stop(b, how == STOP_LINGERING ? STOP_NOW : how);
	if (v)
		fd_close(&v->changes);
}
