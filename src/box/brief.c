/*
 * What init is told when it is known what for. Init is older than the launcher's knowledge, and a copy of it: memory that was set aside before has the
 * same address in both, so what is put together there can be sent as it is, with its pointers.
 *
 * The launcher must not wait for an init that is dead: it holds both ends of the socket then, so nobody would tell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "box/ns.h"

#define BRIEF_ALIGN 16
#define BRIEF_CHUNK ((size_t)32 << 10) /* bytes of a message */

/* Zeroed. Once something did not fit, nothing does. */
static void *take(struct brief *b, size_t n)
{
	size_t from = (b->used + BRIEF_ALIGN - 1) & ~(size_t)(BRIEF_ALIGN - 1);

	if (b->full || n > BRIEF_BYTES - from) {
		b->full = true;
		return NULL;
	}
	b->used = from + n;
	return b->at + from;
}

static const char *copy(struct brief *b, const char *text, size_t n)
{
	char *to = take(b, n + 1);

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
	to = take(b, (n + 1) * sizeof(*to));
	for (size_t i = 0; to && i < n; i++)
		to[i] = copy(b, v[i], strlen(v[i]));
	return (char *const *)to;
}

static char *const *copy_environment(struct brief *b, const struct spec_var *vars)
{
	char **to;
	size_t n = 0;

	for (const struct spec_var *v = vars; v; v = v->next)
		n++;
	to = take(b, (n + 1) * sizeof(*to));
	n = 0;
	for (const struct spec_var *v = vars; v && to; v = v->next) {
		char *text = to[n++] = take(b, v->name.n + v->value.n + 2);

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
		struct op *to = take(b, sizeof(*to));

		if (!to)
			break;
		*to = *op;
		to->next = NULL;
		to->source = copy(b, op->source, strlen(op->source));
		to->target = copy(b, op->target, strlen(op->target));
		to->text = op->text ? copy(b, op->text, op->ntext) : NULL;
		*end = to;
		end = &to->next;
	}
	return first;
}

int brief_make(struct brief *b, const struct spec *spec, const struct op *ops, struct str cwd, const struct ns_streams *streams, struct err *e)
{
	struct ns_task *t = take(b, sizeof(*t));

	*t = (struct ns_task){.limits = spec->limits, .network = spec->network, .streams = *streams};
	t->argv = copy_vector(b, spec->argv);
	t->envp = copy_environment(b, spec->env);
	t->ops = copy_ops(b, ops);
	t->cwd = copy(b, cwd.p, cwd.n);
	return b->full ? err_set(e, ERR_LIMIT, 0, "the arguments, the environment and the files of the box are more than %zu MB", BRIEF_BYTES >> 20) : 0;
}

/* ---- on its way ---- */

int brief_send(const struct brief *b, int talk, int pidfd, struct err *e)
{
	for (size_t at = 0; at < b->used;) {
		size_t left = b->used - at;
		ssize_t n = send(talk, b->at + at, left < BRIEF_CHUNK ? left : BRIEF_CHUNK, MSG_NOSIGNAL | MSG_DONTWAIT);
		struct pollfd fds[] = {{.fd = talk, .events = POLLOUT}, {.fd = pidfd, .events = POLLIN}};

		if (n > 0) {
			at += (size_t)n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
		if (poll(fds, 2, -1) > 0 && fds[1].revents)
			return 0; /* it has said why, or will be found dead */
	}
	return 0;
}

const struct ns_task *brief_take(struct brief *b, int talk, size_t bytes)
{
	size_t at = 0;

	while (at < bytes && bytes <= BRIEF_BYTES) {
		ssize_t n = recv(talk, b->at + at, bytes - at, 0);

		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	return at == bytes ? (const struct ns_task *)(const void *)b->at : NULL;
}
