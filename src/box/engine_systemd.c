/*
 * systemd: a transient service with the plan as its properties, started by systemd-run. Root asks the
 * system's manager, everybody else their own.
 *
 *   client     systemd-run --wait: asks the manager, and ends with the service
 *   service    its first process enters namespaces of its own (guest_nest.c): services have no process
 *              namespace, and the guest must be pid 1
 *   guest      connects to a socket in the stage, as a container's does
 *
 * The manager makes the mounts, the network and the cgroup, and its RuntimeMaxSec ends a service that nobody
 * ends. It collects the unit with its last process, so nothing has to be removed. A service that is still
 * being started makes mount points in the workspace: if its guest never came, it is stopped first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/process.h"

#define WORDS_MAX 8192       /* of the command line */
#define STOPS 3              /* a request of a killed systemd-run may be behind the first one */
#define STOPS_MS 100
#define CLOCK_MORE_MS 120000 /* the manager's clock is the last one: setup and clean-up are in it */

struct words {
	char **at;
	size_t n;
	struct arena *a;
};

static void put(struct words *w, const char *word)
{
	if (w->n < WORDS_MAX)
		w->at[w->n++] = str_c(w->a, str_of(word));
}

static void put_property(struct words *w, struct str value)
{
	put(w, "-p");
	put(w, str_c(w->a, value));
}

/* systemd-run reads words of paths: a backslash keeps the next character as it is. */
static struct str quoted(struct arena *a, const char *path)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; *path; path++) {
		if (strchr(" \t\n\r\\\"':;", *path))
			buf_char(&b, '\\');
		buf_char(&b, *path);
	}
	return buf_view(&b);
}

static void put_bind(struct words *w, const struct stage_mount *m)
{
	struct str source = quoted(w->a, m->source), target = quoted(w->a, m->target);

	put_property(w, str_fmt(w->a, "%s=%.*s:%.*s:rbind", m->writable ? "BindPaths" : "BindReadOnlyPaths",
					STR_ARG(source), STR_ARG(target)));
}

static void put_tmpfs(struct words *w, const struct guest_box *g, const struct stage_mount *m)
{
	put_property(w, str_fmt(w->a,
					"TemporaryFileSystem=%s:rw,nosuid,nodev,size=%ju,nr_inodes=%ju,mode=%"
					"04o,uid="
					"%u,gid=%u",
					m->target, (uintmax_t)m->size,
					(uintmax_t)(m->size / STAGE_INODE_BYTES), (unsigned)m->mode,
					(unsigned)g->user.outside_uid, (unsigned)g->user.outside_gid));
}

static int put_mounts(struct words *w, const struct guest_box *g, struct err *e)
{
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		/* its value is split twice, so no quoting would hold */
		if (m->kind == STAGE_TMPFS && strpbrk(m->target, " \t\n\r\\\"':;"))
			return err_input(e, "systemd cannot mount an empty directory at '%s'", m->target);
		if (m->kind == STAGE_TMPFS)
			put_tmpfs(w, g, m);
		else
			put_bind(w, m);
	}
	return 0;
}

static void put_limits(struct words *w, const struct box_state *b)
{
	const struct limits *l = &b->spec->limits;
	const struct guest_box *g = b->own;

	put_property(w, str_fmt(w->a, "MemoryMax=%ju", (uintmax_t)l->memory));
	put_property(w, str_fmt(w->a, "TasksMax=%ju", (uintmax_t)l->pids + 1 + g->engine->extra));
	put_property(w, str_fmt(w->a, "CPUQuota=%u.%u%%", (unsigned)l->cpu_milli / 10,
					(unsigned)l->cpu_milli % 10));
	put_property(w, str_fmt(w->a, "RuntimeMaxSec=%jums", (uintmax_t)l->time_ms + CLOCK_MORE_MS));
}

/*
 * The properties that every box has. ProtectHostname, ProtectProc and ProtectKernelTunables are left out: the
 * guest has a host name and a read-only /proc of its own, and could make neither with them. PrivateIPC would
 * mount message queues; the guest has an IPC namespace of its own as well. PrivateDevices
 * would show the terminals of the host.
 */
static void put_walls(struct words *w, const struct box_state *b)
{
	static const char *const walls[] = {"MountAPIVFS=no", "ReadOnlyPaths=/",
			"BindPaths=/proc:/proc:rbind", "DevicePolicy=closed", "NoNewPrivileges=yes",
			"LockPersonality=yes", "RestrictRealtime=yes", "RestrictSUIDSGID=yes",
			"KeyringMode=private", "SystemCallArchitectures=native",
			"AmbientCapabilities=", "MemorySwapMax=0", "OOMPolicy=continue",
			"KillMode=control-group", "TimeoutStopSec=1", "LimitNOFILE=20000", "UMask=0022"};
	const struct guest_box *g = b->own;

	for (size_t i = 0; i < ARRAY_SIZE(walls); i++)
		put_property(w, str_of(walls[i]));
	put_property(w, str_fmt(w->a, "RootDirectory=%s", g->stage.root));
	if (network_isolated(&b->spec->network))
		put_property(w, STR("PrivateNetwork=yes"));
	/* The guest needs it to map root of the host in its user namespace, and gives it up there. */
	put_property(w, geteuid() ? STR("PrivateUsers=yes") : STR("CapabilityBoundingSet=CAP_SETFCAP"));
}

/* Waits until the unit is gone. One that is not there is no failure. */
static void stop_unit(const struct guest_box *g)
{
	char path[64], unit[CG_NAME_MAX + 16], own[64];
	char *const envp[] = {own, NULL};
	char *const argv[] = {"systemctl", geteuid() ? "--user" : "--system", "--quiet", "stop", unit, NULL};
	pid_t pid;

	if (!guest_find("systemctl", path, sizeof(path)))
		return;
	str_put(unit, sizeof(unit), "%s.service", g->id);
	str_put(own, sizeof(own), "XDG_RUNTIME_DIR=/run/user/%u", (unsigned)geteuid());
	pid = process_fork(NULL);
	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (null >= 0 && dup2(null, 1) >= 0 && dup2(null, 2) >= 0)
			execve(path, argv, envp);
		_exit(NS_LOST);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void bury(void *ctx)
{
	const struct box_state *b = ctx;

	for (int i = 0; i < STOPS; i++) {
		stop_unit(b->own);
		(void)poll(NULL, 0, STOPS_MS);
	}
}

static void systemd_remove(struct box_state *b)
{
	if (!b->init && b->bury.fn)
		bury(b);
}

static int systemd_launch(struct box_state *b, struct err *e)
{
	struct words w = {.at = arena_array(b->a, WORDS_MAX + 1, sizeof(char *)), .a = b->a};
	const struct guest_box *g = b->own;
	char run[64], env[64];

	if (!guest_find("systemd-run", run, sizeof(run)) || !guest_find("env", env, sizeof(env)))
		return err_host(e, "there is no systemd-run here (apt-get install systemd)");
	put(&w, env);
	put(&w, str_fmt_c(b->a, "XDG_RUNTIME_DIR=/run/user/%u", (unsigned)geteuid()));
	put(&w, run);
	put(&w, geteuid() ? "--user" : "--system");
	static const char *const how[] = {"--wait", "--pipe", "--collect", "--quiet", "--service-type=exec",
			"--description=caisson: a sandboxed command"};
	for (size_t i = 0; i < ARRAY_SIZE(how); i++)
		put(&w, how[i]);
	put(&w, str_fmt_c(b->a, "--unit=%s", g->id));
	put_walls(&w, b);
	put_limits(&w, b);
	if (put_mounts(&w, g, e) != 0)
		return -1;
	put(&w, "--");
	put(&w, STAGE_GUEST);
	put(&w, BOX_GUEST);
	put(&w, GUEST_TALK_PATH);
	put(&w, str_fmt_c(b->a, "%u:%u", (unsigned)g->user.uid, (unsigned)g->user.gid));
	if (w.n == WORDS_MAX)
		return err_limit(e, "the box has more mounts than a systemd service can have");
	b->bury = (struct undertaker_call){bury, b};
	return guest_spawn(b, -1, env, w.at, e);
}

static int systemd_probe(const struct backend *self, struct err *e)
{
	char path[64];

	(void)self;
	if (!guest_find("systemd-run", path, sizeof(path)))
		return err_host(e, "there is no systemd-run here (apt-get install systemd)");
	if (access("/run/systemd/system", F_OK) != 0)
		return err_host(e, "systemd does not run here as the first process of the machine");
	str_put(path, sizeof(path), "/run/user/%u/systemd/private", (unsigned)geteuid());
	if (geteuid() && access(path, F_OK) != 0)
		return err_host(e, "this user has no systemd manager (log in, or loginctl enable-linger)");
	return 0;
}

static const struct engine engine = {.launch = systemd_launch,
		.remove = systemd_remove,
		.connects = true,
		.finishes = GUEST_FINISHES_DEVICES,
		.extra = 1 /* the process that made the guest's namespaces */};

const struct backend backend_systemd = {
		.name = "systemd",
		.about = "a systemd service with its mounts, network and cgroup; Landlock and seccomp by "
			 "caisson "
			 "itself",
		.engine = &engine,
		.probe = systemd_probe,
		.lacks = guest_lacks_disks,
		GUEST_BACKEND,
};
