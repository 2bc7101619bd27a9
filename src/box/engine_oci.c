/*
 * Runtimes of the Open Container Initiative: runc, crun. A stage with a config.json is their bundle; the
 * runtime's own directory lies in the stage as well.
 *
 *   runc run    our child; makes the container, waits for the guest, removes the container
 *   guest       inherits `talk` (--preserve-fds)
 *
 * The runtime of root makes the cgroup. That of an ordinary user cannot: the launcher makes it, as for a
 * native box, and the container has a user namespace in which the caller is root.
 *
 * A runtime that was killed leaves its container: the launcher, or the undertaker of a killed launcher, has
 * it deleted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/guest.h"
#include "box/oci_json.h"
#include "sys/process.h"

#define CPU_PERIOD 100000 /* microseconds */
#define OPEN_FILES 20000
#define PROGRAM_MAX 64
#define GROUP_TRIES 40 /* until the processes of a killed runtime are gone */
#define GROUP_MS 50

struct oci_row {
	const char *program;
	const char *install;
};

struct oci_box { /* guest_box.more */
	char program[PROGRAM_MAX];
	const char *runtime; /* directory of the runtime's own data */
	struct oci_container container;
};

static const struct oci_row *row_of(const struct backend *b) { return b->engine->row; }

/* ---- config.json ---- */

static void put_process(struct buf *j, const struct oci_container *c)
{
	const char *const args[] = {STAGE_GUEST, BOX_GUEST, c->talk}, *const env[] = {"PATH=/usr/bin"};
	static const char sets[][12] = {"bounding", "effective", "permitted"};
	struct rlimit files;
	uint64_t most = OPEN_FILES;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < most)
		most = files.rlim_max;
	json_put_open(j, "process", '{');
	json_put_open(j, "user", '{');
	oci_put_number(j, "uid", c->uid);
	oci_put_number(j, "gid", c->gid);
	buf_char(j, '}');
	oci_put_strings(j, "args", args, ARRAY_SIZE(args));
	oci_put_strings(j, "env", env, ARRAY_SIZE(env));
	json_put_field(j, "cwd", STR("/"));
	json_put_open(j, "capabilities", '{');
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		oci_put_strings(j, sets[i], c->capabilities, c->ncapabilities);
	buf_char(j, '}');
	buf_fmt(j, ",\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":%ju,\"hard\":%ju}]", (uintmax_t)most,
			(uintmax_t)most);
	oci_put_word(j, "noNewPrivileges", "true");
	buf_char(j, '}');
}

static void put_mounts(struct buf *j, const struct guest_box *g, const struct oci_container *c)
{
	json_put_open(j, "mounts", '[');
	buf_c(j, "{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\","
		 "\"options\":[\"nosuid\",\"noexec\",\"nodev\"]},");
	if (c->own_kernel) /* it would have a /sys otherwise */
		buf_c(j, "{\"destination\":\"/sys\",\"type\":\"tmpfs\",\"source\":\"tmpfs\","
			 "\"options\":[\"ro\",\"nosuid\",\"nodev\",\"noexec\",\"size=4096\"]},");
	buf_fmt(j, "{\"destination\":\"/dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\","
		   "\"options\":[\"%s\",\"nosuid\",\"noexec\",\"mode=755\",\"size=65536k\"]},"
		   "{\"destination\":\"/dev/pts\",\"type\":\"devpts\",\"source\":\"devpts\","
		   "\"options\":[\"nosuid\",\"noexec\",\"newinstance\",\"ptmxmode=0666\",\"mode=0620\","
		   "\"max=256\"]}",
			c->own_kernel ? "rw" : "ro");
	oci_put_mounts(j, g,
			&(struct oci_tmpfs){.files = !c->own_kernel,
					.uid = c->uid,
					.gid = c->gid,
					.recursive = c->own_kernel});
	buf_char(j, ']');
}

static void put_namespaces(struct buf *j, const struct box_state *b, const struct oci_container *c)
{
	const struct guest_box *g = b->own;

	json_put_open(j, "namespaces", '[');
	buf_c(j, "{\"type\":\"pid\"},{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"mount\"}");
	if (network_isolated(&b->spec->network))
		buf_c(j, ",{\"type\":\"network\"}");
	if (access("/proc/self/ns/cgroup", F_OK) == 0)
		buf_c(j, ",{\"type\":\"cgroup\"}");
	if (c->mapped)
		buf_c(j, ",{\"type\":\"user\"}");
	buf_char(j, ']');
	if (c->mapped)
		buf_fmt(j,
				",\"uidMappings\":[{\"containerID\":0,\"hostID\":%u,\"size\":1}],"
				"\"gidMappings\":[{\"containerID\":0,\"hostID\":%u,\"size\":1}]",
				(unsigned)g->user.outside_uid, (unsigned)g->user.outside_gid);
}

/* On version 1 the group lies below the launcher's own; on version 2 a group with processes has none. */
static void put_group(struct buf *j, const struct box_state *b)
{
	const struct limits *l = &b->spec->limits;
	const struct guest_box *g = b->own;

	if (g->own_group)
		return;
	json_put_field(j, "cgroupsPath", str_fmt(b->a, "%s%s", cg_guess_v2() ? "/" : "", g->id));
	json_put_open(j, "resources", '{');
	buf_fmt(j, "\"memory\":{\"limit\":%ju,\"swap\":%ju},\"pids\":{\"limit\":%ju}", (uintmax_t)l->memory,
			(uintmax_t)l->memory, (uintmax_t)l->pids + 1);
	if (!g->ns.cpus_suffice)
		buf_fmt(j, ",\"cpu\":{\"period\":%d,\"quota\":%ju}", CPU_PERIOD,
				(uintmax_t)l->cpu_milli * (CPU_PERIOD / 1000));
	buf_c(j, ",\"devices\":[{\"allow\":false,\"access\":\"rwm\"}]}");
}

struct str oci_describe(const struct box_state *b, const struct oci_container *c)
{
	static const char *const read_only[] = {
			"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};
	const struct guest_box *g = b->own;
	struct buf j;

	buf_init(&j, b->a, 0);
	buf_c(&j, "{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"root\",\"readonly\":true}");
	json_put_field(&j, "hostname", STR(NS_HOSTNAME));
	put_process(&j, c);
	put_mounts(&j, g, c);
	json_put_open(&j, "linux", '{');
	put_namespaces(&j, b, c);
	put_group(&j, b);
	json_put_open(&j, "maskedPaths", '[');
	json_put_string(&j, STR("/proc/kcore"));
	oci_put_masked(&j, g);
	buf_char(&j, ']');
	oci_put_strings(&j, "readonlyPaths", read_only, ARRAY_SIZE(read_only));
	buf_c(&j, "}}");
	return buf_view(&j);
}

/* ---- the container ---- */

static int oci_settle(struct box_state *b, struct err *e)
{
	/* The guest needs it to map root in its user namespace, and gives it up there. */
	static const char *const root[] = {"CAP_SETFCAP"};
	struct guest_box *g = b->own;
	struct oci_box *o = arena_new(b->a, struct oci_box);
	const struct oci_row *row = row_of(b->backend);

	if (!guest_find(row->program, o->program, sizeof(o->program)))
		return err_host(e, "there is no %s here (%s)", row->program, row->install);
	g->more = o;
	g->own_group = o->container.mapped = geteuid() != 0;
	o->container.talk = "3";
	if (!g->own_group) {
		guest_choose_nobody(b);
		o->container.uid = g->user.outside_uid;
		o->container.gid = g->user.outside_gid;
	}
	o->container.capabilities = root;
	o->container.ncapabilities = o->container.uid ? 0 : ARRAY_SIZE(root);
	return 0;
}

static void delete_container(struct box_state *b)
{
	struct guest_box *g = b->own;
	struct oci_box *o = g->more;
	char at[STAGE_PATH_MAX + CG_NAME_MAX];
	char *const envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	pid_t pid;

	if (!o || !o->runtime || str_put(at, sizeof(at), "%s/%s", o->runtime, g->id) >= sizeof(at) ||
			access(at, F_OK) != 0)
		return;
	char *const argv[] = {o->program, "--root", (char *)o->runtime, "delete", "--force", g->id, NULL};
	pid = process_fork(NULL);
	if (!pid) {
		execve(o->program, argv, envp);
		_exit(NS_LOST);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A runtime that was killed early knows nothing yet of groups that it made. */
static void bury(void *ctx)
{
	const struct box_state *b = ctx;
	const struct guest_box *g = b->own;

	delete_container(ctx);
	for (int i = 0; i < GROUP_TRIES && cg_remove_named(g->id) > 0; i++)
		(void)poll(NULL, 0, GROUP_MS);
}

static void oci_remove(struct box_state *b)
{
	const struct guest_box *g = b->own;

	if (b->init || g->own_group)
		delete_container(b);
	else
		bury(b);
}

static int oci_launch(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct oci_box *o = g->more;

	o->runtime = str_fmt_c(b->a, "%s/runtime", g->stage.dir);
	if (stage_write(b->a, &g->stage, "config.json", oci_describe(b, &o->container), e) != 0)
		return -1;
	b->bury = (struct undertaker_call){bury, b};
	g->ns.undertaker.before = &b->bury;
	if (!g->ns.undertaker.pid && undertaker_start(&g->ns.undertaker, NULL, NULL, e) != 0)
		return -1;
	char *const argv[] = {o->program, "--root", (char *)o->runtime, "run", "--preserve-fds", "1",
			"--bundle", g->stage.dir, g->id, NULL};
	return guest_spawn(b, -1, o->program, argv, e);
}

/* ---- the rows ---- */

static int oci_probe(const struct backend *self, struct err *e)
{
	char path[PROGRAM_MAX];
	const struct oci_row *row = row_of(self);

	return guest_find(row->program, path, sizeof(path))
			? 0 : err_host(e, "there is no %s here (%s)", row->program, row->install);
}

static const struct engine runc = {.settle = oci_settle,
		.launch = oci_launch,
		.remove = oci_remove,
		.row = &(const struct oci_row){"runc", "apt-get install runc"}};

const struct backend backend_runc = {
		.name = "runc",
		.about = "runc makes the container and its cgroup; Landlock and seccomp by caisson itself",
		.engine = &runc,
		.probe = oci_probe,
		.lacks = guest_lacks_disks,
		GUEST_BACKEND,
};

static const struct engine crun = {.settle = oci_settle,
		.launch = oci_launch,
		.remove = oci_remove,
		.row = &(const struct oci_row){"crun", "apt-get install crun"}};

const struct backend backend_crun = {
		.name = "crun",
		.about = "crun makes the container and its cgroup; Landlock and seccomp by caisson itself",
		.engine = &crun,
		.probe = oci_probe,
		.lacks = guest_lacks_disks,
		GUEST_BACKEND,
};
