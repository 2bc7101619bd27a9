/*
 * The process that becomes the program: its limits, walls and exec. program.h has the theory. Nothing here
 * allocates.
 */
#define _GNU_SOURCE
#include "box/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/ns_network.h"
#include "sys/cpus.h"
#include "sys/directory.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/landlock.h"
#include "sys/namespace.h"
#include "sys/seccomp.h"

#define PROGRAM_STACK ((size_t)32 << 10)
#define NETWORK_TRIES 100

/* ---- limits and walls ---- */

/* Without a cgroup quota the program gets as many CPUs as the limit, rounded up. */
static int set_affinity(uint32_t cpu_milli)
{
	uint32_t wanted = (cpu_milli + 999) / 1000, n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return -1;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && ++n > wanted)
			CPU_CLR(cpu, &set);
	return n > wanted ? sched_setaffinity(0, sizeof(set), &set) : 0;
}

struct group_entry { /* the launcher's permission to start, and the way into the cgroup */
	int word;                      /* the byte that the launcher sent: NS_START and further bits */
	int doors[CG_HIERARCHIES_MAX]; /* descriptors to enter the group; none if init was born in it */
	size_t n;
};

/* Without a group the launcher watches memory, and rlimits bound the rest. */
static bool has_no_group(const struct group_entry *g) { return !(g->word & NS_GROUP); }

/* RLIMIT_NPROC counts only the processes of this user namespace, init included. */
static int set_process_limits(const struct group_entry *g, const struct ns_task *t, struct err *e)
{
	int rc = has_no_group(g) ? limit_lower(RLIMIT_NPROC, (uint64_t)t->limits.pids + 1) : 0;

	if (rc == 0 && t->open_files)
		rc = limit_lower(RLIMIT_NOFILE, t->open_files);
	if (rc == 0 && g->word & NS_FEWER_CPUS)
		rc = set_affinity(t->limits.cpu_milli);
	return rc == 0 ? 0 : err_system(e, "cannot set limits");
}

/*
 * exec closes these descriptors, and init closes its own soon after: nothing in the box can reach its own
 * limits.
 */
static int enter_group(const struct group_entry *g, struct err *e)
{
	if (has_no_group(g) || cg_enter(g->doors, g->n) == 0)
		return 0;
	return err_system(e, "cannot enter the cgroup of the box");
}

/* Loads the filters that only some boxes have. */
static int load_more_filters(const struct group_entry *g, struct err *e)
{
	int why = seccomp_refuse(has_no_group(g), g->word & NS_KEEP_CPUS);

	return why ? err_set(e, ERR_SYSTEM, why, "cannot load the system call filter") : 0;
}

/* Landlock repeats the mounts: everything mounted is readable, everything mounted writable is writable. */
static int set_landlock(const struct ns_task *t, struct err *e)
{
	int rules = landlock_version() > 0 ? landlock_start(network_has_sockets(&t->network)) : -1;

	if (rules < 0)
		return landlock_version() > 0 ? err_system(e, "cannot start Landlock") : 0;
	if (landlock_allow(rules, "/", false) != 0)
		return err_system(e, "cannot set Landlock");
	for (const struct op *op = t->ops; op; op = op->next)
		if (op->flags & OP_WRITABLE && !(op->flags & OP_COVERED) && op->kind != OP_INSIDE &&
				landlock_allow(rules, op->target, true) != 0 && errno != ENOENT)
			return err_system(e, "cannot set Landlock for '%s'", op->target);
	if (landlock_enforce(rules) != 0)
		return err_system(e, "cannot enforce Landlock");
	close(rules);
	return 0;
}

static int set_streams(const struct ns_child *c, bool input, struct err *e)
{
	if (dup2(input ? c->in : c->null, STDIN_FILENO) < 0 || dup2(c->out, STDOUT_FILENO) < 0 ||
			dup2(c->err, STDERR_FILENO) < 0)
		return err_system(e, "cannot set the streams of the program");
	return 0;
}

/* The other descriptors close at exec: init shares the table and needs them until then. */
static int hold_streams_only(struct err *e)
{
	/* no descriptor is larger, and gVisor takes no larger number */
	return syscall(SYS_close_range, STDERR_FILENO + 1, INT_MAX, 4u /* CLOSE_RANGE_CLOEXEC */) == 0
			? 0
			: err_system(e, "cannot close descriptors");
}

static const char *path_of(char *const *envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/* The error of a program that cannot be executed is kept for the message. */
void program_exec(const struct ns_task *t, struct err *e)
{
	char *const *argv = t->argv;
	const char *dirs = path_of(t->envp);
	char path[PATH_MAX];
	int why = ENOENT;

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, t->envp);
		why = errno;
		dirs = "";
	}
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		size_t len = str_put(path, sizeof(path), "%.*s/%s", n ? (int)n : 1, n ? dirs : ".", argv[0]);

		bool skipped = t->shell && !strncmp(path, SPEC_STAND_INS, sizeof(SPEC_STAND_INS) - 1);

		if (len < sizeof(path) && !skipped) {
			execve(path, argv, t->envp);
			if (errno != ENOENT && errno != ENOTDIR)
				why = errno;
		}
		dirs += n + (dirs[n] == ':');
	}
	err_set(e, ERR_SYSTEM, why, "cannot run '%.200s' in the box", argv[0]);
}

/* Sends the descriptors with which the launcher watches a box without a cgroup. */
static int hand_out(int talk, struct err *e)
{
	FD_CLEANUP int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int proc = root < 0 ? -1 : open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct ns_message m = {.kind = NS_LOOK_IN};

	if (proc < 0 || fds_send(talk, &m, sizeof(m), (int[]){proc, root}, 2) < 0)
		return err_system(e, "cannot let the launcher look into the box");
	return 0;
}

/*
 * Waits for the launcher's NS_START and the descriptors of the group, unless this process is `inside`
 * already. The launcher's death ends this process.
 */
static void await_start(const struct ns_child *c, bool inside, struct group_entry *ret)
{
	char word = 0;

	errno = 0;
	ret->n = CG_HIERARCHIES_MAX;
	if (fds_recv(c->talk, &word, 1, ret->doors, &ret->n, 0) != 1)
		ns_not_told(c->talk);
	ret->word = word;
	inside = inside || has_no_group(ret) || ret->n || c->born_in || c->moved_in;
	if (!(word & (NS_START | NS_PRIME)) || !inside)
		_exit(NS_LOST);
}

static int make_network(struct err *e)
{
	int why = 0, before;

	for (int tries = 0; tries < NETWORK_TRIES; tries++) {
		if (unshare(CLONE_NEWNET) == 0)
			return 0;
		before = why;
		/* Init may have changed the shared errno: believed if the second try sets the same. */
		why = errno;
		if (why && why == before)
			break;
	}
	return namespace_error(e, why, "a network namespace");
}

/* ---- steps ---- */

static void say_life(struct program *p, pid_t life)
{
	__atomic_store_n(&p->life, life, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &p->life, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Waits for init's next word. Dies with init. */
static int await_word(const struct program *p, struct err *e)
{
	uint64_t word;

	return read(p->words, &word, sizeof(word)) == (ssize_t)sizeof(word)
			? 0 : err_system(e, "cannot listen to a process in the box");
}

int program_enclose(const struct program *p, struct err *e)
{
	int why;

	if (set_streams(p->child, p->task->input, e) != 0)
		return -1;
	if (privileges_drop() != 0)
		return err_system(e, "cannot drop privileges");
	why = seccomp_load(network_has_sockets(&p->task->network), p->task->ptrace);
	return why ? err_set(e, ERR_SYSTEM, why, "cannot load the system call filter") : 0;
}

/* The steps that do not need the new root directory: network, session, CPUs. */
static int enclose_before_root(struct program *p, struct err *e)
{
	if (p->child->own_network && make_network(e) != 0)
		return -1;
	say_life(p, PROGRAM_NETWORK);
	setsid(); /* not earlier: on a shared CPU setsid() would schedule this process behind init */
	if (await_word(p, e) != 0)
		return -1;
	if (cpus_restore(&p->task->cpus) != 0)
		return err_system(e, "cannot give the program its CPUs");
	if (p->child->own_network && network_has_loopback(&p->task->network) && loopback_up() != 0)
		return err_system(e, "cannot give the box its loopback");
	if (p->task->names && ns_network_join(p->task->names, p->child->talk, e) != 0)
		return -1;
	return program_enclose(p, e);
}

/* Another box with the same workspace may have renamed it in the meantime. */
static int change_directory(const struct program *p, struct err *e)
{
	const struct ns_task *t = p->task;
	bool compare = identity_known(t->cwd_id) && !p->start_checked;
	struct stat st;

	if (chdir(t->cwd) != 0 && !compare)
		return err_system(e, "cannot change to '%s' in the box", t->cwd);
	if (compare && (stat(".", &st) != 0 || !directory_is(&st, t->cwd_id)))
		return err_input(e, "the directory '%s' was moved or replaced since the command was judged; "
				"run the command again", t->cwd);
	return 0;
}

/* ---- a primed box ---- */

/* A file of a run in its home. Names of directories above it are made where they are missing. */
static int make_file(const struct op *op)
{
	FD_CLEANUP int fd = -1;
	char path[PATH_MAX];

	for (size_t i = 1; op->target[i]; i++) {
		if (op->target[i] != '/')
			continue;
		if (str_put(path, sizeof(path), "%.*s", (int)i, op->target) >= sizeof(path))
			return -1;
		if (mkdir(path, 0755) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return -1;
	}
	fd = open(op->target, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			op->flags & OP_EXECUTABLE ? 0755 : 0644);
	return fd >= 0 && write(fd, op->text, op->ntext) == (ssize_t)op->ntext ? 0 : -1;
}

int program_take_task(struct program *p, struct err *e)
{
	struct op **end;
	struct ns_task *t;

	errno = 0;
	t = (struct ns_task *)brief_take_run(p->child->talk); /* the buffer is ours, so writing is safe */
	if (!t)
		ns_not_told(p->child->talk);
	for (end = (struct op **)&t->ops; *end; end = &(*end)->next)
		if (make_file(*end) != 0)
			return err_system(e, "cannot make '%s' in the box", (*end)->target);
	*end = (struct op *)p->task->ops;
	p->task = t;
	return 0;
}

int program_await_start(const struct ns_child *c, struct err *e)
{
	struct group_entry g;

	await_start(c, true, &g);
	return g.word & NS_START ? 0 : err_internal(e, "a box was primed twice");
}

/* Waits, inside of all walls and in the cgroup, for the task of the run. */
static int take_run(struct program *p, struct group_entry *g, struct err *e)
{
	const struct ns_task *t;

	if (enter_group(g, e) != 0)
		return -1;
	say_life(p, PROGRAM_PRIMED);
	if (program_take_task(p, e) != 0)
		return -1;
	t = p->task;
	if (t->input && dup2(p->child->in, STDIN_FILENO) < 0)
		return err_system(e, "cannot set the streams of the program");
	if (change_directory(p, e) != 0)
		return -1;
	await_start(p->child, true, g);
	return g->word & NS_START ? 0 : err_internal(e, "a box was primed twice");
}

/* The interpreter that starts ahead finds its socket to init at one number, in descriptors of its own. */
static int keep_loader(const struct program *p, struct err *e)
{
	int fd = p->loader[1];

	if (unshare(CLONE_FILES) != 0 ||
			(fd == PROGRAM_LOADER ? fcntl(fd, F_SETFD, 0) : dup2(fd, PROGRAM_LOADER)) < 0)
		return err_system(e, "cannot start an interpreter ahead");
	return 0;
}

int program_enter(struct program *p, struct err *e)
{
	struct group_entry group;
	bool waits;

	if (change_directory(p, e) != 0)
		return -1;
	if (set_landlock(p->task, e) != 0)
		return -1;
	await_start(p->child, false, &group);
	waits = group.word & NS_PRIME && !p->task->preload;
	if (waits && take_run(p, &group, e) != 0)
		return -1;
	p->started = true;
	if ((has_no_group(&group) && hand_out(p->child->talk, e) != 0) ||
			set_process_limits(&group, p->task, e) != 0 ||
			(!waits && enter_group(&group, e) != 0))
		return -1;
	if (load_more_filters(&group, e) != 0 || hold_streams_only(e) != 0)
		return -1;
	return p->task->preload ? keep_loader(p, e) : 0;
}

/* The steps in the new root. From here on this process has its own working directory and root. */
static int enter_walls(struct program *p, struct err *e)
{
	if (unshare(CLONE_FS) != 0)
		return err_system(e, "cannot start a process in the box");
	return program_enter(p, e);
}

/* Returns only after a failure, and so ends the process. */
static int become_program(void *arg)
{
	struct program *p = arg;
	struct err e = {0};

	if (enclose_before_root(p, &e) == 0 && await_word(p, &e) == 0 && enter_walls(p, &e) == 0)
		program_exec(p->task, &e);
	ns_tell_why(p->child->talk, &e);
	return NS_LOST;
}

/* ---- for init ---- */

int program_start(struct program *p, struct err *e)
{
	static _Alignas(16) char stack[PROGRAM_STACK];
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |
			SIGCHLD;
	pid_t pid = -1;

	p->words = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (p->words >= 0)
		pid = clone(become_program, stack + PROGRAM_STACK, flags, p, &p->life, NULL, &p->life);
	if (pid < 0)
		return err_system(e, "cannot start a process in the box");
	p->pid = pid;
	return 0;
}

int program_say(const struct program *p, struct err *e)
{
	const uint64_t word = 1;

	return write(p->words, &word, sizeof(word)) == (ssize_t)sizeof(word)
			? 0 : err_system(e, "cannot talk to a process in the box");
}

pid_t program_await(struct program *p, pid_t life, const struct timespec *patience)
{
	pid_t now;

	while ((now = __atomic_load_n(&p->life, __ATOMIC_SEQ_CST)) == life)
		if (syscall(SYS_futex, &p->life, FUTEX_WAIT, life, patience, NULL, 0) != 0 &&
				errno == ETIMEDOUT)
			break;
	return now;
}
