/*
 * bubblewrap: the plan as its arguments. For hosts on which only the packaged bwrap may make namespaces.
 *
 * The arguments go through standard input (--args 0), so their number is no limit. bwrap makes the namespaces
 * and the mounts, and its pid 1 is the guest itself (--as-pid-1). The guest has capabilities in the box's
 * namespaces until it has limited the number of files, mounted pseudo-terminals and hidden parts of /proc:
 * bwrap has no option for the first, needs a user namespace more for the second, and for each of the third
 * reads the whole list of mounts. The launcher makes the cgroup, as for a native box.
 *
 * bwrap follows links in the targets of mounts while the host is mounted at /oldroot. Mounts in what boxes
 * share are therefore moved to their targets by the guest.
 *
 * If the launcher is killed, the kernel kills bwrap; but the child of bwrap that mounts goes on: it makes
 * mount points in the workspace once more, or waits for bwrap for ever. The undertakers end it. They know it
 * by the name of the box, which is argv[0].
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/file.h"

static void put(struct buf *b, const char *word)
{
	buf_add(b, word, strlen(word) + 1);
}

static void put_number(struct buf *b, const char *format, uint64_t n)
{
	char text[32];

	str_put(text, sizeof(text), format, (unsigned long long)n);
	put(b, text);
}

static void put_mount(struct buf *b, const struct stage_mount *m)
{
	if (m->kind != STAGE_TMPFS) {
		put(b, m->kind == STAGE_DEVICE ? "--dev-bind" : m->writable ? "--bind" : "--ro-bind");
		put(b, m->source);
		put(b, m->late ? m->late : m->target);
		return;
	}
	put(b, "--perms");
	put_number(b, "%04llo", m->mode);
	put(b, "--size");
	put_number(b, "%llu", m->size);
	put(b, "--tmpfs");
	put(b, m->late ? m->late : m->target);
}

static void put_arguments(struct buf *b, const struct box_state *s)
{
	const struct guest_box *g = s->own;
	static const char *const first[] = {"--unshare-user", "--unshare-pid", "--unshare-ipc",
			"--unshare-uts", "--unshare-cgroup-try", "--as-pid-1", "--die-with-parent",
			"--new-session", "--clearenv", "--cap-add", "ALL", "--hostname", NS_HOSTNAME};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		put(b, first[i]);
	if (network_isolated(&s->spec->network))
		put(b, "--unshare-net");
	put(b, "--uid");
	put_number(b, "%llu", g->user.uid);
	put(b, "--gid");
	put_number(b, "%llu", g->user.gid);
	put(b, "--ro-bind");
	put(b, g->stage.root);
	put(b, "/");
	put(b, "--proc");
	put(b, "/proc");
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next)
		put_mount(b, m);
	put(b, "--chdir");
	put(b, "/");
}

static void bury(void *ctx)
{
	const struct box_state *b = ctx;

	guest_end_stragglers(b->own, STR(""));
}

static int bwrap_launch(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	FD_SCOPE args = {0};
	char path[64];
	struct buf text;

	if (!guest_find("bwrap", path, sizeof(path)))
		return err_host(e, "there is no bwrap here (apt-get install bubblewrap)");
	if (stage_defer(b->a, &g->stage, e) != 0)
		return -1;
	b->bury = (struct undertaker_call){bury, b};
	g->ns.undertaker.before = &b->bury;
	if (!g->ns.undertaker.pid && undertaker_start(&g->ns.undertaker, NULL, NULL, e) != 0)
		return -1;
	buf_init(&text, b->a, 0);
	put_arguments(&text, b);
	fd_scope(&args, b->a, fd_of_text("arguments", buf_view(&text), e));
	char *const argv[] = {g->id, "--args", "0", STAGE_GUEST, BOX_GUEST, "3", NULL};
	return args.fd < 0 ? -1 : guest_spawn(b, args.fd, path, argv, e);
}

static int bwrap_probe(const struct backend *self, struct err *e)
{
	char path[64];

	return guest_find(self->name, path, sizeof(path))
			? 0 : err_host(e, "there is no bwrap here (apt-get install bubblewrap)");
}

static const struct engine engine = {.launch = bwrap_launch,
		.own_group = true,
		.finishes = GUEST_FINISHES_FILES | GUEST_FINISHES_DEVICES | GUEST_FINISHES_MOUNTS |
			    GUEST_FINISHES_PROC};

const struct backend backend_bwrap = {
		.name = "bwrap",
		.about = "bubblewrap makes the namespaces; cgroups, Landlock and seccomp by caisson itself",
		.engine = &engine,
		.probe = bwrap_probe,
		.lacks = guest_lacks,
		GUEST_BACKEND,
};
