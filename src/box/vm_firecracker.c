/*
 * Firecracker as the monitor of a machine. It needs KVM, and was never run by its authors: its requests are
 * tested against Firecracker's published API description alone (docs/backends.md).
 *
 *   launcher      asks by HTTP at the API's socket (firecracker_boot()), then connects to the agent
 *                 (firecracker_connect())
 *   jailer        started by root: enters a directory of its own as a user that owns nothing, and becomes
 *                 firecracker. An ordinary user starts firecracker itself, which has its own call filter
 *   agent         listens at a vsock port (vm_agent.c)
 *
 * The machine has no disk and no network device: its initial file system is the image. Since that holds the
 * task and the workspace, a snapshot would be good for one box only, and none is made.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "box/firecracker.h"
#include "sys/file.h"

#define INSTALL "https://github.com/firecracker-microvm/firecracker/releases, into /usr/local/bin"
#define ASK_MS 10000
#define SOCKET_TRIES 500 /* of 20 ms: until the API listens */
#define AGENT_TRIES 6000 /* until the agent does */
#define TRY_MS 20
#define KERNEL_MAX ((size_t)256 << 20)
#define ANSWER_MAX 64
#define PATH_ROOM (STAGE_PATH_MAX + 64)

/* ---- the API ---- */

static int put(struct arena *a, const char *socket, const char *target, struct str body, struct err *e)
{
	struct unix_http_answer r;
	struct unix_http_request rq = {.socket = socket,
			.method = "PUT",
			.target = str_of(target),
			.type = "application/json",
			.body = body,
			.timeout_ms = ASK_MS};
	struct json *v = NULL;
	struct err why = {0};

	if (unix_http(a, &rq, &r, &why) != 0)
		return err_wrap(e, &why, "firecracker");
	if (r.status == 204)
		return 0;
	struct str said = json_read(a, r.body, &v, NULL) == 0 ? json_text_at(v, "fault_message") : STR("");
	return err_host(e, "firecracker refused %s (%d): %.*s", target, r.status,
			said.n > 300 ? 300 : (int)said.n, said.p);
}

int firecracker_boot(struct arena *a, const char *socket, const struct firecracker_machine *m, struct err *e)
{
	struct str machine, boot, vsock;
	struct buf b;

	machine = str_fmt(a, "{\"vcpu_count\":%u,\"mem_size_mib\":%ju}", m->cpus, (uintmax_t)m->memory_mib);
	buf_init(&b, a, 0);
	buf_char(&b, '{');
	json_put_field(&b, "kernel_image_path", str_of(m->kernel));
	json_put_field(&b, "initrd_path", str_of(m->image));
	json_put_field(&b, "boot_args",
			str_fmt(a, "quiet panic=-1 reboot=k pci=off " VM_VSOCK "%d", VM_PORT));
	buf_char(&b, '}');
	boot = buf_view(&b);
	buf_init(&b, a, 0);
	buf_fmt(&b, "{\"guest_cid\":%d", FIRECRACKER_CID);
	json_put_field(&b, "uds_path", str_of(m->vsock));
	buf_char(&b, '}');
	vsock = buf_view(&b);
	if (put(a, socket, "/machine-config", machine, e) != 0 ||
			put(a, socket, "/boot-source", boot, e) != 0 ||
			put(a, socket, "/vsock", vsock, e) != 0)
		return -1;
	return put(a, socket, "/actions", STR("{\"action_type\":\"InstanceStart\"}"), e);
}

/* ---- the agent ---- */

/* 1: connected; 0: not yet; -1: no socket can be made */
static int try_connect(const char *path, int *ret, struct err *e)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char ask[32], said[ANSWER_MAX] = "";
	size_t n = 0, want = str_put(ask, sizeof(ask), "CONNECT %d\n", VM_PORT);
	struct timeval patience = {.tv_sec = ASK_MS / 1000};
	int fd;

	if (str_put(at.sun_path, sizeof(at.sun_path), "%s", path) >= sizeof(at.sun_path))
		return err_input(e, "the path '%s' is too long for a socket", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_system(e, "cannot make the channels of the box");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
			send(fd, ask, want, MSG_NOSIGNAL) == (ssize_t)want)
		while (n < sizeof(said) - 1 && read(fd, said + n, 1) == 1 && said[n] != '\n')
			n++;
	if (!strncmp(said, "OK ", 3) && said[n] == '\n') {
		*ret = fd;
		return 1;
	}
	close(fd);
	return 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t si = {0};

	return pid > 0 && waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid;
}

int firecracker_connect(const char *path, pid_t monitor, int tries, struct err *e)
{
	for (int i = 0, fd = -1; i < tries && !has_ended(monitor); i++) {
		int got = try_connect(path, &fd, e);

		if (got)
			return got > 0 ? fd : -1;
		(void)poll(NULL, 0, TRY_MS);
	}
	return err_host(e, "firecracker started no machine: its agent does not answer");
}

/* ---- starting it ---- */

static int await_api(const char *path, pid_t monitor, struct err *e)
{
	for (int i = 0; i < SOCKET_TRIES && !has_ended(monitor); i++) {
		if (access(path, F_OK) == 0)
			return 0;
		(void)poll(NULL, 0, TRY_MS);
	}
	return err_host(e, "firecracker does not listen at '%s'", path);
}

void firecracker_jail(struct arena *a, const struct firecracker_jail *j, char *ret[FIRECRACKER_WORDS])
{
	char *id = str_fmt_c(a, "%u", (unsigned)j->id);
	char *const words[] = {(char *)j->jailer, "--id", FIRECRACKER_NAME, "--exec-file", (char *)j->program,
			"--uid", id, "--gid", id, "--chroot-base-dir", (char *)j->base, "--resource-limit",
			"no-file=256", "--", "--api-sock", "/api.sock", NULL};

	_Static_assert(ARRAY_SIZE(words) <= FIRECRACKER_WORDS, "more words than there is room for");
	memcpy(ret, words, sizeof(words));
}

/* The jailer makes the directory only if it is not there; files in it must be readable for its user. */
static int fill_jail(struct box_state *b, const char *root, uid_t id, struct err *e)
{
	const struct vm_box *v = ((struct guest_box *)b->own)->more;
	char part[PATH_ROOM], kernel[PATH_ROOM], image[PATH_ROOM];
	struct str bytes;

	for (const char *slash = strchr(root + strlen(v->dir) + 1, '/'); slash;
			slash = strchr(slash + 1, '/')) {
		str_put(part, sizeof(part), "%.*s", (int)(slash - root), root);
		if (mkdir(part, 0711) != 0 && errno != EEXIST)
			return err_system(e, "cannot make '%s'", part);
	}
	str_put(kernel, sizeof(kernel), "%s/kernel", root);
	str_put(image, sizeof(image), "%s/image", root);
	if ((mkdir(root, 0700) != 0 && errno != EEXIST) || chown(root, id, id) != 0)
		return err_system(e, "cannot make '%s'", root);
	if (file_read(b->a, v->kernel, KERNEL_MAX, &bytes, NULL, e) != 0 ||
			file_replace(kernel, bytes, e) != 0)
		return -1;
	if (rename(v->image, image) != 0 || chown(image, id, id) != 0 || chown(kernel, id, id) != 0)
		return err_system(e, "cannot fill '%s'", root);
	return 0;
}

static int launch_jailed(struct box_state *b, const char *program, const char *root, struct err *e)
{
	const struct vm_box *v = ((struct guest_box *)b->own)->more;
	char jailer[64], base[PATH_ROOM], *argv[FIRECRACKER_WORDS];
	struct firecracker_jail j = {.jailer = jailer,
			.program = program,
			.base = base,
			.id = NS_ID_OUTSIDE + (uint32_t)getpid() % NS_IDS_OUTSIDE};

	if (!guest_find("jailer", jailer, sizeof(jailer)))
		return err_host(e, "there is no jailer here (" INSTALL ")");
	str_put(base, sizeof(base), "%s/jail", v->dir);
	if (fill_jail(b, root, j.id, e) != 0)
		return -1;
	firecracker_jail(b->a, &j, argv);
	return guest_spawn(b, -1, jailer, argv, e);
}

static int firecracker_launch(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	const struct vm_box *v = g->more;
	bool jailed = geteuid() == 0;
	char program[64], root[PATH_ROOM], api[PATH_ROOM], vsock[PATH_ROOM];
	struct firecracker_machine m = {.cpus = v->cpus,
			.memory_mib = (v->memory >> 20) + 1,
			.kernel = jailed ? "/kernel" : v->kernel,
			.image = jailed ? "/image" : v->image,
			.vsock = jailed ? "/v.sock" : vsock};

	if (!guest_find("firecracker", program, sizeof(program)))
		return err_host(e, "there is no firecracker here (" INSTALL ")");
	/* The jailer's own way: BASE/NAME OF THE PROGRAM/ID/root. */
	str_put(root, sizeof(root), "%s%s", v->dir,
			jailed ? "/jail/firecracker/" FIRECRACKER_NAME "/root" : "");
	str_put(api, sizeof(api), "%s/api.sock", root);
	str_put(vsock, sizeof(vsock), "%s/v.sock", root);
	char *const argv[] = {program, "--api-sock", api, NULL};
	if ((jailed ? launch_jailed(b, program, root, e) : guest_spawn(b, -1, program, argv, e)) != 0)
		return -1;
	if (await_api(api, g->client, e) != 0 || firecracker_boot(b->a, api, &m, e) != 0)
		return -1;
	g->ns.talk = firecracker_connect(vsock, g->client, AGENT_TRIES, e);
	return g->ns.talk < 0 ? -1 : 0;
}

static const struct vm_monitor firecracker = {.kernel = "vmlinux", .launch = firecracker_launch};

static int firecracker_probe(const struct backend *self, struct err *e)
{
	char path[64];

	(void)self;
	if (!guest_find("firecracker", path, sizeof(path)) ||
			(!geteuid() && !guest_find("jailer", path, sizeof(path))))
		return err_host(e, "there is no firecracker or no jailer here (" INSTALL ")");
	if (access("/dev/kvm", R_OK | W_OK) != 0)
		return err_system(e, "firecracker needs '/dev/kvm' (a member of the group kvm may open it)");
	return vm_probe(&firecracker, e);
}

static const struct engine engine = {.row = &firecracker};

const struct backend backend_firecracker = {
		.name = "firecracker",
		.about = "a virtual machine of Firecracker, with a native box inside; never run by its "
			 "authors",
		.engine = &engine,
		.probe = firecracker_probe,
		VM_BACKEND,
};
