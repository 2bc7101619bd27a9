/*
 * pid 1 of a virtual machine. vm.h has the theory.
 *
 *   1. mounts what a kernel needs, loads modules, opens the stream
 *   2. lays an overlay over the workspace, makes a cgroup for the user of the box
 *   3. VM_READY, and waits for VM_START
 *   4. forks the runner, which becomes the user and runs a native box with the launcher's plan
 *   5. passes the streams of the runner on until it has ended; then sends the changes, and how it ended
 *
 * The agent never ends: the launcher ends the machine.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#include "box/vm.h"
#include "sys/file.h"
#include "sys/process.h"

#define GROUPS "/sys/fs/cgroup"
#define GROUP GROUPS "/agents"
#define UPPER "/caisson.upper"
#define PORT_TRIES 2000 /* of 10 ms: a machine without KVM is slow */
#define RUNNER_ARENA ((size_t)256 << 20)
#define DEPTH_MAX 128

/* ---- frames, for both sides ---- */

int vm_read(struct vm_reader *r, int fd, struct vm_head *ret, const char **ret_bytes)
{
	size_t want = sizeof(*ret);
	ssize_t n;

	if (r->n >= sizeof(*ret)) {
		memcpy(ret, r->at, sizeof(*ret));
		if (ret->size > VM_FRAME_MAX)
			return -1;
		want += ret->size;
	}
	if (r->n < want) {
		n = read(fd, r->at + r->n, want - r->n);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0)
			return -1;
		r->n += (size_t)n;
	}
	if (r->n < sizeof(*ret))
		return 0;
	memcpy(ret, r->at, sizeof(*ret));
	if (ret->size > VM_FRAME_MAX || r->n < sizeof(*ret) + ret->size)
		return ret->size > VM_FRAME_MAX ? -1 : 0;
	*ret_bytes = r->at + sizeof(*ret);
	r->n = 0;
	return 1;
}

int vm_write(int fd, enum vm_kind kind, const void *bytes, size_t n)
{
	const struct vm_head head = {kind, (uint32_t)n};
	char frame[sizeof(head) + VM_FRAME_MAX];

	memcpy(frame, &head, sizeof(head));
	if (n)
		memcpy(frame + sizeof(head), bytes, n);
	for (size_t at = 0; at < sizeof(head) + n;) {
		ssize_t done = write(fd, frame + at, sizeof(head) + n - at);

		if (done < 0 && errno == EAGAIN)
			(void)poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		else if (done < 0 && errno != EINTR)
			return -1;
		else if (done > 0)
			at += (size_t)done;
	}
	return 0;
}

/* ---- the machine ---- */

struct agent {
	int stream;
	const struct vm_task *head;
	const struct ns_task *task;
	struct vm_reader reader;
};

static void __attribute__((noreturn)) rest(void)
{
	for (;;)
		pause();
}

static void __attribute__((noreturn)) fail(const struct agent *a, const struct err *e)
{
	if (a->stream >= 0)
		(void)vm_write(a->stream, VM_FAILED, e, sizeof(*e));
	rest();
}

static int mount_kernel(struct err *e)
{
	static const struct {
		const char *type, *at;
	} rows[] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"cgroup2", GROUPS}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (mkdir(rows[i].at, 0755) != 0 && errno != EEXIST)
			return err_system(e, "cannot make '%s' in the machine", rows[i].at);
		if (mount(rows[i].type, rows[i].at, rows[i].type, MS_NOSUID | MS_NOEXEC, NULL) != 0 &&
				errno != EBUSY)
			return err_system(e, "cannot mount '%s' in the machine", rows[i].at);
	}
	return 0;
}

/* A kernel may have any of them built in. The one that is needed will be missed later. */
static void load_modules(void)
{
	for (int i = 0; i < VM_MODULES_MAX; i++) {
		char path[64];

		str_put(path, sizeof(path), VM_MODULES "/%02d.ko", i);
		FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			(void)syscall(SYS_finit_module, fd, "", 0);
	}
}

static bool has_vsock(void)
{
	char line[4096];
	FD_CLEANUP int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line));

	return n > 0 && memmem(line, (size_t)n, VM_VSOCK, sizeof(VM_VSOCK) - 1);
}

static int accept_launcher(struct err *e)
{
	struct sockaddr_vm at = {.svm_family = AF_VSOCK, .svm_port = VM_PORT, .svm_cid = VMADDR_CID_ANY},
			   peer;
	socklen_t size = sizeof(peer);
	FD_CLEANUP int listener = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd;

	if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
			listen(listener, 1) != 0)
		return err_system(e, "the machine has no vsock");
	fd = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC);
	return fd < 0 ? err_system(e, "the machine has no vsock") : fd;
}

static int open_port(struct err *e)
{
	int fd = -1;

	if (has_vsock())
		return accept_launcher(e);

	for (int i = 0; fd < 0 && i < PORT_TRIES; i++) {
		fd = open("/dev/vport0p1", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			usleep(10000);
	}
	return fd < 0 ? err_system(e, "the machine has no virtio port") : fd;
}

/* The kernel's first root cannot be pivoted away from: a mount of it lies above it. */
static int enter_root(struct err *e)
{
	static const char at[] = "/caisson.root";

	if (mkdir(at, 0755) != 0 || mount("/", at, NULL, MS_BIND | MS_REC, NULL) != 0 || chdir(at) != 0 ||
			mount(at, "/", NULL, MS_MOVE, NULL) != 0 || chroot(".") != 0 || chdir("/") != 0)
		return err_system(e, "cannot enter the root of the machine");
	return mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0
			       ? 0
			       : err_system(e, "cannot enter the root of the machine");
}

static int read_task(struct agent *a, struct err *e)
{
	struct vm_task *head = malloc(sizeof(*head));
	FD_CLEANUP int fd = open(VM_TASK, O_RDONLY | O_CLOEXEC);

	if (!head || fd < 0 || read(fd, head, sizeof(*head)) != (ssize_t)sizeof(*head) || brief_open(e) != 0)
		return err_system(e, "the machine has no task");
	a->head = head;
	a->task = brief_read_moved(fd, head->brief);
	return a->task ? 0 : err_host(e, "the machine has no task");
}

static int make_overlay(const struct agent *a, struct err *e)
{
	const char *at = a->head->workspace;
	char options[2 * VM_PATH_MAX];
	uid_t uid = a->head->uid;
	struct stat st;

	if (!at[0])
		return 0;
	/* "," and ":" separate options and layers: the lower layer is the directory of the process */
	str_put(options, sizeof(options), "lowerdir=.,upperdir=" UPPER "/upper,workdir=" UPPER "/work");
	if (mkdir(UPPER, 0755) != 0 ||
			mount("tmpfs", UPPER, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0 ||
			mkdir(UPPER "/upper", 0755) != 0 || mkdir(UPPER "/work", 0755) != 0 ||
			stat(at, &st) != 0 || chown(UPPER "/upper", uid, a->head->gid) != 0 ||
			chmod(UPPER "/upper", st.st_mode & 07777) != 0 || chdir(at) != 0 ||
			mount("overlay", at, "overlay", MS_NOSUID | MS_NODEV, options) != 0 ||
			chdir("/") != 0)
		return err_system(e, "cannot lay an overlay over the workspace");
	return 0;
}

static int make_group(const struct agent *a, struct err *e)
{
	static const char controllers[] = "+memory +pids +cpu";
	static const char *const owned[] = {GROUP, GROUP "/cgroup.procs", GROUP "/cgroup.subtree_control",
			GROUP "/cgroup.threads", GROUP "/main", GROUP "/main/cgroup.procs"};

	if (file_put_word(GROUPS "/cgroup.subtree_control", controllers) != 0 || mkdir(GROUP, 0755) != 0 ||
			mkdir(GROUP "/main", 0755) != 0 ||
			file_put_word(GROUP "/cgroup.subtree_control", controllers) != 0)
		return err_system(e, "cannot make a cgroup in the machine");
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		if (chown(owned[i], a->head->uid, a->head->gid) != 0)
			return err_system(e, "cannot make a cgroup in the machine");
	return 0;
}

/* ---- the runner ---- */

static struct spec_var *variables(struct arena *a, char *const *envp)
{
	struct spec_var *first = NULL, **end = &first;

	for (; *envp; envp++) {
		size_t n = strcspn(*envp, "=");
		struct spec_var v = {
				.name = str_n(*envp, n), .value = str_of(*envp + n + ((*envp)[n] == '='))};

		*end = arena_copy(a, v);
		end = &(*end)->next;
	}
	return first;
}

static void run_box(const struct ns_task *t, struct vm_end *ret, struct err *e)
{
	static struct box box;
	struct arena a;
	struct outcome o = {0};

	arena_init(&a, RUNNER_ARENA);
	struct spec s = {.profile = PROFILE_EXEC,
			.argv = t->argv,
			.shell = t->shell,
			.env = variables(&a, t->envp),
			.cwd = str_of(t->cwd),
			.limits = t->limits,
			.network = t->network,
			.ptrace = t->ptrace,
			.require_cgroup = true,
			.input = t->input ? STDIN_FILENO : -1,
			.layer_lock = -1,
			.pass_through = true};

	if (box_run(&box, &a, box_backend(NULL), &(struct box_start){.plan = t->ops}, &s, NULL, &o, e) != 0)
		return;
	*ret = (struct vm_end){.status = o.status,
			.exit_code = o.exit_code,
			.signal = o.signal,
			.cpu_ms = o.cpu_ms,
			.peak_memory = o.peak_memory,
			.enforced = o.enforced,
			.by_cpu_time = o.by_cpu_time};
	memcpy(ret->dropped, o.dropped, sizeof(ret->dropped));
}

struct runner_end {
	struct err err; /* kind 0: none */
	struct vm_end end;
};

static void __attribute__((noreturn)) become_runner(const struct agent *a, int result)
{
	static struct runner_end r;

	/* the last step gives the files of this process in /proc to its user, who maps the users of the box
	 */
	if (file_put_word(GROUP "/main/cgroup.procs", "0") != 0 || setgroups(0, NULL) != 0 ||
			setresgid(a->head->gid, a->head->gid, a->head->gid) != 0 ||
			setresuid(a->head->uid, a->head->uid, a->head->uid) != 0 ||
			prctl(PR_SET_DUMPABLE, 1) != 0)
		err_system(&r.err, "cannot become the user of the box");
	else
		run_box(a->task, &r.end, &r.err);
	(void)!write(result, &r, sizeof(r));
	_exit(0);
}

struct runner {
	pid_t pid;
	int in, out, err, result; /* -1: closed */
	const char *waiting;      /* input that the pipe has no room for yet */
	size_t nwaiting;
	char kept[VM_FRAME_MAX];
};

static int start_runner(const struct agent *a, struct runner *r, struct err *e)
{
	int in[2], out[2], err[2], result[2];

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 ||
			pipe2(result, O_CLOEXEC) != 0)
		return err_system(e, "cannot create the sockets of the box");
	r->pid = process_fork(NULL);
	if (r->pid < 0)
		return err_system(e, "cannot start a process in the machine");
	if (!r->pid) {
		if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0)
			_exit(NS_LOST);
		close(in[1]); /* or its reader would never see EOF */
		become_runner(a, result[1]);
	}
	close(in[0]);
	close(out[1]);
	close(err[1]);
	close(result[1]);
	r->in = in[1];
	r->out = out[0];
	r->err = err[0];
	r->result = result[0];
	(void)fcntl(r->in, F_SETFL, O_NONBLOCK);
	return 0;
}

/* ---- the streams ---- */

static void pass_output(const struct agent *a, enum vm_kind kind, int *fd)
{
	char chunk[VM_FRAME_MAX];
	ssize_t n = read(*fd, chunk, sizeof(chunk));

	if (n > 0)
		(void)vm_write(a->stream, kind, chunk, (size_t)n);
	else if (n == 0 || errno != EINTR)
		fd_close(fd);
}

static void pass_input(struct runner *r)
{
	ssize_t n = r->in < 0 ? -1 : write(r->in, r->waiting, r->nwaiting);

	if (n > 0) {
		r->waiting += n;
		r->nwaiting -= (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		fd_close(&r->in); /* nobody reads it */
		r->nwaiting = 0;
	}
}

static void take_frame(struct agent *a, struct runner *r)
{
	struct vm_head head;
	const char *bytes;
	int got = vm_read(&a->reader, a->stream, &head, &bytes);

	if (got < 0)
		rest(); /* the launcher is gone, and the machine will be */
	if (got == 0 || head.kind != VM_IN)
		return;
	if (!head.size)
		fd_close(&r->in);
	memcpy(r->kept, bytes, head.size);
	r->waiting = r->kept;
	r->nwaiting = r->in < 0 ? 0 : head.size;
}

static void pass_streams(struct agent *a, struct runner *r)
{
	while (r->out >= 0 || r->err >= 0) {
		struct pollfd p[] = {{.fd = r->out, .events = POLLIN}, {.fd = r->err, .events = POLLIN},
				{.fd = r->nwaiting ? r->in : a->stream,
						.events = r->nwaiting ? POLLOUT : POLLIN}};

		if (poll(p, ARRAY_SIZE(p), -1) < 0)
			continue;
		if (p[0].revents)
			pass_output(a, VM_OUT, &r->out);
		if (p[1].revents)
			pass_output(a, VM_ERR, &r->err);
		if (p[2].revents && r->nwaiting)
			pass_input(r);
		else if (p[2].revents)
			take_frame(a, r);
	}
}

/* ---- the changes ---- */

static int send_change(const struct agent *a, struct vm_change h, const char *path)
{
	h.path = strlen(path);
	return vm_write(a->stream, VM_CHANGES, &h, sizeof(h)) == 0
			       ? vm_write(a->stream, VM_CHANGES, path, h.path)
			       : -1;
}

/* The size was sent: as many bytes follow. Nothing else runs any more. */
static int send_content(const struct agent *a, const char *path, uint64_t size)
{
	char chunk[VM_FRAME_MAX];
	FD_CLEANUP int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	while (size) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n <= 0 || (uint64_t)n > size || vm_write(a->stream, VM_CHANGES, chunk, (size_t)n) != 0)
			return -1;
		size -= (uint64_t)n;
	}
	return 0;
}

static int send_link(const struct agent *a, struct vm_change h, const char *host, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(host, to, sizeof(to));

	if (n < 0)
		return -1;
	h.what = VM_LINK;
	h.size = (uint64_t)n;
	return send_change(a, h, path) == 0 ? vm_write(a->stream, VM_CHANGES, to, (size_t)n) : -1;
}

static int send_dir(const struct agent *a, const char *dir, unsigned depth);

static int send_entry(const struct agent *a, const char *at, unsigned depth)
{
	const char *path = at + sizeof(UPPER "/upper");
	struct stat st;
	char opaque;

	if (lstat(at, &st) != 0)
		return -1;
	struct vm_change h = {.mode = st.st_mode & 07777,
			.mtime_s = st.st_mtim.tv_sec,
			.mtime_ns = st.st_mtim.tv_nsec};

	if (S_ISLNK(st.st_mode))
		return send_link(a, h, at, path);
	h.what = S_ISREG(st.st_mode) ? VM_FILE : S_ISDIR(st.st_mode) ? VM_DIR : VM_GONE;
	if (S_ISDIR(st.st_mode) && lgetxattr(at, "trusted.overlay.opaque", &opaque, 1) == 1 && opaque == 'y')
		h.what = VM_DIR_ANEW;
	if (h.what == VM_GONE && !(S_ISCHR(st.st_mode) && st.st_rdev == 0))
		return 0; /* pipes and sockets stay in the machine */
	h.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (send_change(a, h, path) != 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return send_dir(a, at, depth + 1);
	return h.size ? send_content(a, at, h.size) : 0;
}

static int send_dir(const struct agent *a, const char *dir, unsigned depth)
{
	DIR *d = depth < DEPTH_MAX ? opendir(dir) : NULL;
	const struct dirent *entry;
	char at[PATH_MAX];
	int rc = d ? 0 : -1;

	while (rc == 0 && (entry = readdir(d)))
		if (!path_is_dots(entry->d_name))
			rc = str_put(at, sizeof(at), "%s/%s", dir, entry->d_name) < sizeof(at)
					     ? send_entry(a, at, depth)
					     : -1;
	if (d)
		closedir(d);
	return rc;
}

/* ---- all of it ---- */

static void await_start(struct agent *a)
{
	struct vm_head head = {0};
	const char *bytes;
	int got;

	do
		got = vm_read(&a->reader, a->stream, &head, &bytes);
	while (got == 0);
	if (got < 0 || head.kind != VM_START)
		rest();
}

static void finish(struct agent *a, const struct runner *r)
{
	static struct runner_end end;
	struct err e = {0};

	if (read(r->result, &end, sizeof(end)) != (ssize_t)sizeof(end))
		err_host(&end.err, "the runner in the machine has died");
	process_wait(r->pid);
	if (end.err.kind)
		fail(a, &end.err);
	if (a->head->workspace[0] && send_dir(a, UPPER "/upper", 0) != 0) {
		err_system(&e, "cannot copy the changes of the workspace back");
		fail(a, &e);
	}
	(void)vm_write(a->stream, VM_ENDED, &end.end, sizeof(end.end));
}

static int prepare(struct agent *a, struct err *e)
{
	if (mount_kernel(e) != 0)
		return -1;
	load_modules();
	if (read_task(a, e) != 0)
		return -1;
	a->stream = open_port(e);
	if (a->stream < 0 || enter_root(e) != 0 || make_overlay(a, e) != 0)
		return -1;
	return make_group(a, e);
}

void vm_agent(void)
{
	static struct agent a = {.stream = -1};
	static struct runner r;
	struct err e = {0};

	init_default_signals();
	umask(022);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", O_RDWR);
	if (prepare(&a, &e) != 0 || vm_write(a.stream, VM_READY, NULL, 0) != 0)
		fail(&a, &e);
	await_start(&a);
	if (start_runner(&a, &r, &e) != 0)
		fail(&a, &e);
	pass_streams(&a, &r);
	finish(&a, &r);
	rest();
}
