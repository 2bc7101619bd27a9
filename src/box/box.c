/* The table of backends, and the way to each. */
#define _GNU_SOURCE
#include "box/box.h"

#include <errno.h>
#include <sys/wait.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "box/ns.h"
#include "sys/stream.h"

static const struct backend *const backends[] = {&backend_ns};
#define NBACKENDS (sizeof(backends) / sizeof(*backends))

const struct backend *box_backend_at(size_t i)
{
	return i < NBACKENDS ? backends[i] : NULL;
}

const struct backend *box_backend(const char *name)
{
	for (size_t i = 0; i < NBACKENDS; i++)
		if (!name || !strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

static int check_limits(const struct limits *l, struct err *e)
{
	if (!l->cpu_milli || !l->pids || !l->memory || !l->scratch || !l->output || !l->time_ms)
		return err_set(e, ERR_INPUT, 0, "every limit must be more than 0");
	return 0;
}

struct box *box_begin(struct arena *a, const struct backend *b) { return b->begin(a); }

void box_end(const struct backend *b, struct box *begun)
{
	if (begun)
		b->end(begun);
}

static int check(const struct spec *s, struct err *e)
{
	return s->argv && s->argv[0] ? check_limits(&s->limits, e) : err_set(e, ERR_INPUT, 0, "there is nothing to run");
}

int box_run(struct arena *a, const struct backend *b, const struct box_start *start, const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	if (check(s, e) == 0)
		return b->run(a, start, s, p, ret, e);
	box_end(b, start->begun);
	return -1;
}

bool box_inside(void)
{
	struct utsname u;

	return uname(&u) == 0 && !strcmp(u.nodename, NS_HOSTNAME) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

void box_wait(struct outcome *o)
{
	stream_close(&o->out);
	stream_close(&o->err);
	for (size_t i = 0; i < sizeof(o->leaving) / sizeof(*o->leaving); i++)
		while (o->leaving[i] > 0 && waitpid(o->leaving[i], NULL, 0) < 0 && errno == EINTR)
			;
}
