/*
 * probe NAME [ARG...] | attacks | benign | list: see probe.h.
 *
 * Ends with 0 when the answer is what it should be in a sealed box (an attack refused or absent, a benign
 * twin done), else with 1; 64 for a name that does not exist. `attacks` and `benign` run all that need no
 * argument, each in a child, one line each with the name before it.
 */
#define _GNU_SOURCE
#include "probe.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 10

static unsigned long flags_now;

unsigned long probe_flags(void)
{
	return flags_now;
}

struct answer refused(int errnum)
{
	return (struct answer){.kind = REFUSED, .errnum = errnum};
}

struct answer done(void)
{
	return (struct answer){.kind = DONE};
}

struct answer leak(const char *fmt, ...)
{
	struct answer a = {.kind = LEAK};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(a.text, sizeof a.text, fmt, ap);
	va_end(ap);
	return a;
}

struct answer absent(const char *what)
{
	struct answer a = {.kind = ABSENT};
	snprintf(a.text, sizeof a.text, "%s", what);
	return a;
}

struct answer result(long value)
{
	return value < 0 ? refused(errno) : done();
}

const char *fresh_path(const char *suffix)
{
	static char path[256];
	const char *dir = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/probe-%d-%s", dir ? dir : "/tmp", (int)getpid(), suffix);
	return path;
}

struct answer in_child(struct answer (*fn)(char **args), char **args)
{
	struct answer *a = mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
			ret;
	int status = 0;
	if (a == MAP_FAILED)
		return absent("memory");
	*a = absent("an answer");
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		return absent("a child");
	if (pid == 0) {
		alarm(CHILD_SECONDS);
		*a = fn(args);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	ret = *a;
	munmap(a, sizeof *a);
	if (!WIFSIGNALED(status))
		return ret;
	ret = refused(0);
	snprintf(ret.text, sizeof ret.text, "SIG%s", sigabbrev_np(WTERMSIG(status)));
	return ret;
}

static void say(const struct answer *a)
{
	static const char *const words[] = {[DONE] = "done", [LEAK] = "leak", [ABSENT] = "absent"};
	const char *name = a->errnum ? strerrorname_np(a->errnum) : a->text;
	if (a->kind == REFUSED)
		printf("refused %s\n", name ? name : "?");
	else
		printf("%s%s%s\n", words[a->kind], a->text[0] ? " " : "", a->text);
}

static bool run_one(const struct probe *p, char **args, bool benign, bool with_name)
{
	flags_now = p->flags;
	struct answer a = in_child(p->fn, args);
	if (with_name)
		printf("%s ", p->name);
	say(&a);
	return benign ? a.kind == DONE : a.kind == REFUSED || a.kind == ABSENT;
}

static const struct {
	const struct probe *probes;
	bool benign;
} families[] = {{probes_kernel, false}, {probes_box, false}, {probes_mount, false}, {probes_benign, true}};
#define FAMILIES (sizeof families / sizeof *families)

static int run_family(bool benign)
{
	static char *none[] = {NULL};
	int bad = 0;
	for (size_t i = 0; i < FAMILIES; i++)
		for (const struct probe *p = families[i].probes; p->name && families[i].benign == benign; p++)
			if (!p->needs)
				bad |= !run_one(p, none, benign, true);
	return bad;
}

static int list(void)
{
	for (size_t i = 0; i < FAMILIES; i++)
		for (const struct probe *p = families[i].probes; p->name; p++)
			printf("%s %s%s%s\n", families[i].benign ? "benign" : "attack", p->name,
					p->needs ? " " : "", p->needs ? p->needs : "");
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	if (!strcmp(name, "attacks") || !strcmp(name, "benign"))
		return run_family(name[0] == 'b');
	if (!strcmp(name, "list"))
		return list();
	for (size_t i = 0; i < FAMILIES; i++)
		for (const struct probe *p = families[i].probes; p->name; p++)
			if (!strcmp(p->name, name) && (!p->needs || argc > 2))
				return !run_one(p, argv + 2, families[i].benign, false);
	fprintf(stderr, "probe: no such attack, or an argument is missing: '%s'; try 'probe list'\n", name);
	return 64;
}
