/*
 * The brief: the task that the launcher sends to init. The launcher clones init before it knows the task, so
 * both have the buffer of the brief at the same address. The launcher therefore sends the buffer as it is,
 * with its pointers:
 *   1. its size
 *   2. its bytes, in several messages
 *   3. the descriptors of mounts, in the order of the operations that have one
 * A box that was primed gets the task of its run in a second brief, which follows the first in the buffer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/ns_network.h"
#include "sys/cpus.h"
#include "sys/fds.h"

/* The kernel takes at most 6 MB of arguments and environment. Unused pages are never touched. */
#define BRIEF_BYTES ((size_t)16 << 20)
#define BRIEF_ALIGN 16
#define BRIEF_CHUNK ((size_t)32 << 10) /* bytes of a message */

struct brief {
	size_t from;               /* the first byte of the task: behind the brief that init has, or 0 */
	size_t used;
	bool full;                 /* something did not fit */
	_Alignas(BRIEF_ALIGN) char at[BRIEF_BYTES];
};

/* Mapped, not static: static memory counts for every command, and a hook must run with little memory. */
static struct brief *brief;

int brief_open(struct err *e)
{
	void *at = brief ? brief
			 : mmap(NULL, sizeof(*brief), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return err_system(e, "out of memory for the brief of the box");
	(void)madvise(at, sizeof(*brief), MADV_NOHUGEPAGE); /* usually a few KB are used */
	brief = at;
	return 0;
}

/* Returns zeroed memory, or NULL once the brief is full. */
static void *brief_alloc(struct brief *b, size_t n)
{
	size_t from = (b->used + BRIEF_ALIGN - 1) & ~(size_t)(BRIEF_ALIGN - 1);

	if (b->full || n > BRIEF_BYTES - from) {
		b->full = true;
		return NULL;
	}
	b->used = from + n;
	return b->at + from;
}

static const char *copy_text(struct brief *b, const char *text, size_t n)
{
	char *to = brief_alloc(b, n + 1);

	if (to)
		memcpy(to, text, n);
	return to;
}

static char *const *copy_vector(struct brief *b, char *const *v)
{
	const char **to;
	size_t n = 0;

	while (v[n])
		n++;
	to = brief_alloc(b, (n + 1) * sizeof(*to));
	for (size_t i = 0; to && i < n; i++)
		to[i] = copy_text(b, v[i], strlen(v[i]));
	return (char *const *)to;
}

static char *const *copy_environment(struct brief *b, const struct spec_var *vars)
{
	char **to;
	size_t n = 0;

	for (const struct spec_var *v = vars; v; v = v->next)
		n++;
	to = brief_alloc(b, (n + 1) * sizeof(*to));
	n = 0;
	for (const struct spec_var *v = vars; v && to; v = v->next) {
		char *text = to[n++] = brief_alloc(b, v->name.n + v->value.n + 2);

		if (!text)
			break;
		memcpy(text, v->name.p, v->name.n);
		text[v->name.n] = '=';
		memcpy(text + v->name.n + 1, v->value.p, v->value.n);
	}
	return to;
}

static const struct op *copy_ops(struct brief *b, const struct op *ops)
{
	struct op *first = NULL, **end = &first;

	for (const struct op *op = ops; op; op = op->next) {
		struct op *to = brief_alloc(b, sizeof(*to));

		if (!to)
			break;
		*to = *op;
		to->next = NULL;
		to->source = copy_text(b, op->source, strlen(op->source));
		to->target = copy_text(b, op->target, strlen(op->target));
		to->text = op->text ? copy_text(b, op->text, op->ntext) : NULL;
		LIST_ADD(end, to);
	}
	return first;
}

static const struct ns_network *copy_network(struct brief *b, const struct ns_network *n)
{
	struct ns_network *to = n ? brief_alloc(b, sizeof(*to)) : NULL;
	struct netlink_prefix *prefixes = to ? brief_alloc(b, n->nprefixes * sizeof(*prefixes)) : NULL;

	if (!prefixes)
		return NULL;
	memcpy(prefixes, n->prefixes, n->nprefixes * sizeof(*prefixes));
	*to = *n;
	to->prefixes = prefixes;
	return to;
}

size_t brief_size(void)
{
	return (brief->used + BRIEF_ALIGN - 1) & ~(size_t)(BRIEF_ALIGN - 1);
}

void brief_prime(void) { ((struct ns_task *)(void *)(brief->at + brief->from))->primed = true; }

int brief_make(const struct spec *spec, uint32_t open_files, const struct op *ops, struct str cwd,
		const struct ns_network *names, size_t behind, struct err *e)
{
	struct brief *b = brief;
	struct ns_task *t;

	if (b->used > behind)
		memset(b->at + behind, 0, b->used - behind); /* left over from another box of this process */
	b->from = b->used = behind;
	b->full = false;
	t = brief_alloc(b, sizeof(*t));

	*t = (struct ns_task){.limits = spec->limits, .open_files = open_files,
			.network.mode = spec->network.mode, .input = spec->input >= 0 || spec->preload,
			.preload = spec->preload,
			.shell = spec->shell, .ptrace = spec->ptrace, .background = spec->background,
			.collects = spec->collects};
	t->cwd_id = spec->cwd.n ? spec->cwd_id : spec->workspace_id;
	cpus_own(&t->cpus);
	t->argv = copy_vector(b, spec->preload ? spec->preload : spec->argv);
	t->envp = copy_environment(b, spec->env);
	t->ops = copy_ops(b, ops);
	t->cwd = copy_text(b, cwd.p, cwd.n);
	t->names = copy_network(b, names);
	return b->full ? err_limit(e, "the arguments, the environment and the files of the box are more than "
			"%zu MB", BRIEF_BYTES >> 20) : 0;
}

/* ---- sending and receiving ---- */

static const struct ns_task *brief_task(void)
{
	return (const struct ns_task *)(const void *)(brief->at + brief->from);
}

static const struct op *next_tree(const struct op *op)
{
	while (op && op->tree < 0)
		op = op->next;
	return op;
}

static int send_trees(const struct op *op, int talk)
{
	int fds[FDS_MAX];
	size_t n = 0;

	for (op = next_tree(op); op; op = next_tree(op->next)) {
		fds[n++] = op->tree;
		if (n < FDS_MAX && next_tree(op->next))
			continue;
		if (fds_send(talk, "", 1, fds, n) < 0)
			return -1;
		n = 0;
	}
	return 0;
}

static int send_all(const struct brief *b, int talk)
{
	if (fds_send(talk, &b->used, sizeof(b->used), NULL, 0) < 0)
		return -1;
	for (size_t at = b->from; at < b->used;) {
		size_t left = b->used - at;
		ssize_t n = fds_send(talk, b->at + at, left < BRIEF_CHUNK ? left : BRIEF_CHUNK, NULL, 0);

		if (n < 0)
			return -1;
		at += (size_t)n;
	}
	return send_trees(brief_task()->ops, talk);
}

int brief_send(int talk, struct err *e)
{
	return send_all(brief, talk) == 0 ||
			errno == EPIPE || errno == ECONNRESET ? 0 : err_system(e, "cannot talk to the box");
}

static int take_bytes(struct brief *b, int talk, size_t from)
{
	size_t none = 0, at = from;

	b->from = from;
	if (fds_recv(talk, &b->used, sizeof(b->used), NULL, &none, 0) != (ssize_t)sizeof(b->used) ||
			b->used > BRIEF_BYTES || b->used < from)
		return -1;
	while (at < b->used) {
		ssize_t n = fds_recv(talk, b->at + at, b->used - at, NULL, &none, 0);

		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

static int take_trees(const struct op *op, int talk)
{
	op = next_tree(op);
	while (op) {
		int fds[FDS_MAX];
		size_t n = FDS_MAX;
		char word;

		if (fds_recv(talk, &word, 1, fds, &n, 0) != 1 || !n)
			return -1;
		for (size_t i = 0; i < n && op; i++, op = next_tree(op->next))
			((struct op *)op)->tree = fds[i]; /* the buffer is ours, so writing is safe */
	}
	return 0;
}

const struct ns_task *brief_take(int talk)
{
	return take_bytes(brief, talk, 0) == 0 && take_trees(brief_task()->ops, talk) == 0 ? brief_task()
											    : NULL;
}

const struct ns_task *brief_take_run(int talk)
{
	return take_bytes(brief, talk, brief_size()) == 0 ? brief_task() : NULL;
}

/* ---- a brief for another address ---- */

uint64_t brief_address(void) { return (uint64_t)(uintptr_t)brief->at; }

struct brief_move {
	uint64_t from;             /* the launcher's address of the buffer */
	bool lost;                 /* a pointer led out of the buffer */
};

static const void *moved(struct brief_move *m, const void *p)
{
	uint64_t offset = (uint64_t)(uintptr_t)p - m->from;

	if (!p)
		return NULL;
	if (offset >= brief->used) {
		m->lost = true;
		return NULL;
	}
	return brief->at + offset;
}

static char *const *moved_vector(struct brief_move *m, char *const *v)
{
	const char **to = (const char **)moved(m, v);

	for (size_t i = 0; to && to[i] && !m->lost; i++)
		to[i] = moved(m, to[i]);
	return (char *const *)to;
}

static const struct op *moved_ops(struct brief_move *m, const struct op *ops)
{
	struct op *first = (struct op *)moved(m, ops);

	for (struct op *op = first; op && !m->lost; op = op->next) {
		op->source = moved(m, op->source);
		op->target = moved(m, op->target);
		op->text = moved(m, op->text);
		op->next = (struct op *)moved(m, op->next);
		op->tree = -1;
	}
	return first;
}

static const struct ns_task *moved_task(uint64_t launchers)
{
	struct brief_move m = {.from = launchers};
	struct ns_task *t = (struct ns_task *)(void *)brief->at;

	if (brief->used < sizeof(*t))
		return NULL;
	t->argv = moved_vector(&m, t->argv);
	t->envp = moved_vector(&m, t->envp);
	t->ops = moved_ops(&m, t->ops);
	t->cwd = moved(&m, t->cwd);
	t->names = NULL;
	return m.lost || !t->argv || !t->envp || !t->cwd ? NULL : t;
}

const struct ns_task *brief_take_moved(int talk, uint64_t launchers)
{
	return take_bytes(brief, talk, 0) == 0 ? moved_task(launchers) : NULL;
}

struct str brief_bytes(void) { return str_n(brief->at, brief->used); }

const struct ns_task *brief_read_moved(int file, uint64_t launchers)
{
	const struct ns_task *t;
	ssize_t n;

	brief->used = 0;
	while ((n = read(file, brief->at + brief->used, BRIEF_BYTES - brief->used)) > 0)
		brief->used += (size_t)n;
	t = n == 0 ? moved_task(launchers) : NULL;
	brief = NULL; /* the task stays; a box of this process gets another buffer */
	return t;
}
