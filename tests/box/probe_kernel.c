/* Attacks on the kernel by its own calls: items 11 to 13 of the list. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

/* ---- terminals ---- */

/*
 * A session of our own with a terminal of our own: there the call works for anybody, unless something forbids
 * it.
 */
static int own_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64];
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || ptsname_r(master, name, sizeof name))
		return -1;
	setsid();
	int fd = open(name, O_RDWR);
	if (fd >= 0)
		ioctl(fd, TIOCSCTTY, 0);
	return fd;
}

static struct answer terminal(char **args)
{
	(void)args;
	unsigned long cmd = probe_flags();
	char arg[16] = {'x'};
	if ((uint32_t)cmd == TIOCLINUX)
		arg[0] = 6; /* the shift state: reads only */
	else if ((uint32_t)cmd == TIOCSETD)
		memset(arg, 0, sizeof arg); /* N_TTY, which it has */
	int fd = own_terminal();
	if (fd < 0)
		fd = open("/dev/tty", O_RDWR);
	return fd < 0 ? absent("a terminal") : result(syscall(SYS_ioctl, fd, cmd, arg));
}

/* ---- calls that a box has no use for ---- */

static struct answer io_uring(char **args)
{
	struct io_uring_params p = {0};
	(void)args;
	return result(syscall(SYS_io_uring_setup, 4, &p));
}

static struct answer keyctl(char **args)
{
	(void)args;
	return result(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
}

static struct answer add_key(char **args)
{
	(void)args;
	return result(syscall(SYS_add_key, "user", "caisson-probe", "x", 1, KEY_SPEC_PROCESS_KEYRING));
}

static struct answer request_key(char **args)
{
	(void)args;
	long id = syscall(SYS_request_key, "user", "caisson-probe-none", NULL, KEY_SPEC_PROCESS_KEYRING);
	return id < 0 && errno == ENOKEY ? done() : result(id); /* it looked, so it may */
}

/*
 * Keyrings outlive a run: what the caller keeps there, or another box of the same user left, must not be
 * seen. A fresh session's own ring, which has no name but _ses, is nothing.
 */
static struct answer keyring(char **args)
{
	char line[256];
	(void)args;
	FILE *f = fopen("/proc/keys", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strstr(line, " _ses"))
			return leak("a key in /proc/keys: %.*s", (int)strcspn(line, " "), line);
	if (f)
		fclose(f);
	return result(syscall(SYS_keyctl, KEYCTL_DESCRIBE, KEY_SPEC_USER_KEYRING, NULL, 0));
}

static struct answer bpf(char **args)
{
	union bpf_attr a = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
	(void)args;
	return result(syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof a));
}

static struct answer userfaultfd(char **args)
{
	(void)args;
	return result(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC));
}

static struct answer perf(char **args)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .size = sizeof a,
			.config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1};
	(void)args;
	return result(syscall(SYS_perf_event_open, &a, 0, -1, -1, 0));
}

static pid_t sleeper(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static struct answer end(pid_t pid, struct answer a)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return a;
}

static struct answer ptrace_init(char **args)
{
	(void)args;
	long r = ptrace(PTRACE_SEIZE, 1, NULL, NULL);
	if (r == 0)
		ptrace(PTRACE_DETACH, 1, NULL, NULL);
	return result(r);
}

static struct answer ptrace_child(char **args)
{
	(void)args;
	pid_t pid = sleeper();
	return end(pid, result(ptrace(PTRACE_SEIZE, pid, NULL, NULL)));
}

/* A tracer makes another call of its child's: unshare() instead of getpid(). */
static struct answer ptrace_call(char **args)
{
	(void)args;
#ifdef __x86_64__
	struct user_regs_struct regs;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(errno);
		raise(SIGSTOP);
		long r = syscall(SYS_getpid, CLONE_NEWUSER);
		_exit(r == 0 ? 0 : r < 0 ? errno : 99);
	}
	waitpid(pid, &status, 0);
	for (int stops = 0; WIFSTOPPED(status) && stops < 2; stops++) {
		if (stops == 1 && ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0) {
			regs.orig_rax = SYS_unshare;
			ptrace(PTRACE_SETREGS, pid, NULL, &regs);
		}
		ptrace(stops ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	return result(errno ? -1 : 0);
#else
	errno = ENOSYS;
	return result(-1);
#endif
}

static struct answer read_memory(pid_t pid)
{
	static char here[8] = "canary!", there[8];
	struct iovec l = {there, sizeof there}, r = {here, sizeof here};
	ssize_t n = process_vm_readv(pid, &l, 1, &r, 1, 0);
	return n < 0 && errno == EFAULT ? leak("memory of %d can be asked for", (int)pid) : n > 0 ?
			leak("memory of %d: %zd bytes", (int)pid, n) : result(n);
}

static struct answer process_vm(char **args)
{
	pid_t pid = args[0] ? (pid_t)strtol(args[0], NULL, 10) : 1;
	return read_memory(pid);
}

static struct answer process_vm_child(char **args)
{
	(void)args;
	pid_t pid = sleeper();
	return end(pid, read_memory(pid));
}

static struct answer process_vm_write(char **args)
{
	static char here[8];
	struct iovec v = {here, sizeof here};
	(void)args;
	pid_t pid = sleeper();
	return end(pid, result(process_vm_writev(pid, &v, 1, &v, 1, 0)));
}

static struct answer pidfd_getfd(char **args)
{
	(void)args;
	int fd = (int)syscall(SYS_pidfd_open, 1, 0);
	return fd < 0 ? result(fd) : result(syscall(SYS_pidfd_getfd, fd, 0, 0));
}

static struct answer kcmp(char **args)
{
	(void)args;
	return result(syscall(SYS_kcmp, getpid(), getpid(), 0 /* KCMP_FILE */, 0, 1));
}

struct handle { /* struct file_handle with room */
	unsigned bytes;
	int type;
	unsigned char data[128];
};

static struct answer name_to_handle(char **args)
{
	struct handle h = {.bytes = sizeof h.data};
	int mount;
	(void)args;
	return result(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &h, &mount, 0));
}

/*
 * The handle of an inode that every ext4, xfs or btrfs has: its root. Where names cannot be turned into
 * handles, one is guessed.
 */
static struct answer open_by_handle(char **args)
{
	struct handle h = {.bytes = sizeof h.data};
	int mount;
	int fd = open(args[0] ? args[0] : "/", O_RDONLY | O_DIRECTORY);
	if (syscall(SYS_name_to_handle_at, fd, "", &h, &mount, AT_EMPTY_PATH) < 0) {
		const uint32_t guess[2] = {2, 0};
		h = (struct handle){.bytes = sizeof guess, .type = 1};
		memcpy(h.data, guess, sizeof guess);
	}
	long r = syscall(SYS_open_by_handle_at, fd, &h, O_RDONLY);
	return r < 0 && errno == ESTALE ? leak("a handle was looked up") : result(r);
}

static struct answer read_implies_exec(char **args)
{
	(void)args;
	return result(personality(READ_IMPLIES_EXEC));
}

static struct answer modify_ldt(char **args)
{
	char buf[16];
	(void)args;
	return result(syscall(SYS_modify_ldt, 0, buf, sizeof buf));
}

static struct answer kernel_log(char **args)
{
	(void)args;
	return result(syscall(SYS_syslog, 10 /* the buffer's size */, NULL, 0));
}

static struct answer huge_pages(char **args)
{
	(void)args;
	int fd = (int)syscall(SYS_memfd_create, "probe", 4 /* MFD_HUGETLB */);
	return result(fd);
}

static struct answer pr_set_mm(char **args)
{
	(void)args;
	return result(syscall(SYS_prctl, 35, 9 /* ENV_START */, 0, 0, 0));
}

/* ---- other architectures ---- */

static struct answer x32(char **args)
{
	(void)args;
	return result(syscall(0x40000000 | 39));
}

static struct answer i386(char **args)
{
	long ret = 20; /* getpid */
	(void)args;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "+a"(ret)::"memory", "r8", "r9", "r10", "r11");
#endif
	errno = ret < 0 ? (int)-ret : 0;
	return result(ret);
}

/* ---- namespaces ---- */

static struct answer reap(long pid)
{
	if (pid == 0)
		_exit(0);
	struct answer a = result(pid);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	return a;
}

static struct answer do_clone(unsigned long flags)
{
	return reap(syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL));
}

static struct answer clone_flags(char **args)
{
	(void)args;
	return do_clone(probe_flags());
}

/* Any flags, in hexadecimal, with what the kernel ignores in the high half. */
static struct answer clone_ns(char **args)
{
	return do_clone(strtoul(args[0], NULL, 16));
}

static struct answer clone3_flags(char **args)
{
	struct clone_args c = {.flags = probe_flags(), .exit_signal = SIGCHLD};
	(void)args;
	return reap(syscall(SYS_clone3, &c, sizeof c));
}

static struct answer unshare_flags(char **args)
{
	(void)args;
	return result(syscall(SYS_unshare, probe_flags()));
}

/* Entering the namespace that one is in needs a privilege in it as well. */
static struct answer setns_file(char **args)
{
	int fd = open(args[0] ? args[0] : "/proc/1/ns/net", O_RDONLY);
	if (fd < 0)
		fd = open("/proc/self/ns/net", O_RDONLY);
	return fd < 0 ? result(fd) : result(setns(fd, 0));
}

static struct answer setns_pidfd(char **args)
{
	(void)args;
	int fd = (int)syscall(SYS_pidfd_open, getppid(), 0);
	return fd < 0 ? result(fd) : result(setns(fd, CLONE_NEWUTS));
}

#define HIGH (1UL << 32)

const struct probe probes_kernel[] = {
	{"tiocsti", terminal, TIOCSTI, NULL},
	{"tiocsti-high", terminal, TIOCSTI + HIGH, NULL},
	{"tioclinux", terminal, TIOCLINUX, NULL},
	{"tioclinux-high", terminal, TIOCLINUX - HIGH, NULL},
	{"tiocsetd", terminal, TIOCSETD, NULL},
	{"io_uring", io_uring, 0, NULL},
	{"keyctl", keyctl, 0, NULL},
	{"add-key", add_key, 0, NULL},
	{"request-key", request_key, 0, NULL},
	{"keyring", keyring, 0, NULL},
	{"bpf", bpf, 0, NULL},
	{"userfaultfd", userfaultfd, 0, NULL},
	{"perf", perf, 0, NULL},
	{"ptrace-init", ptrace_init, 0, NULL},
	{"ptrace-child", ptrace_child, 0, NULL},
	{"ptrace-call", ptrace_call, 0, NULL},
	{"process-vm", process_vm, 0, NULL},
	{"process-vm-child", process_vm_child, 0, NULL},
	{"process-vm-write", process_vm_write, 0, NULL},
	{"pidfd-getfd", pidfd_getfd, 0, NULL},
	{"kcmp", kcmp, 0, NULL},
	{"name-to-handle", name_to_handle, 0, NULL},
	{"open-by-handle", open_by_handle, 0, NULL},
	{"personality", read_implies_exec, 0, NULL},
	{"modify-ldt", modify_ldt, 0, NULL},
	{"syslog", kernel_log, 0, NULL},
	{"huge-pages", huge_pages, 0, NULL},
	{"set-mm", pr_set_mm, 0, NULL},
	{"x32", x32, 0, NULL},
	{"i386", i386, 0, NULL},
	{"userns-clone", clone_flags, CLONE_NEWUSER, NULL},
	{"userns-clone-high", clone_flags, CLONE_NEWUSER + HIGH, NULL},
	{"userns-clone3", clone3_flags, CLONE_NEWUSER, NULL},
	{"userns-unshare", unshare_flags, CLONE_NEWUSER, NULL},
	{"userns-unshare-high", unshare_flags, CLONE_NEWUSER + HIGH, NULL},
	{"unshare-user", unshare_flags, CLONE_NEWUSER, NULL},
	{"unshare-mnt", unshare_flags, CLONE_NEWNS, NULL},
	{"unshare-pid", unshare_flags, CLONE_NEWPID, NULL},
	{"unshare-net", unshare_flags, CLONE_NEWNET, NULL},
	{"unshare-ipc", unshare_flags, CLONE_NEWIPC, NULL},
	{"unshare-uts", unshare_flags, CLONE_NEWUTS, NULL},
	{"unshare-cgroup", unshare_flags, CLONE_NEWCGROUP, NULL},
	{"unshare-time", unshare_flags, 0x80, NULL},
	{"unshare-all", unshare_flags, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			CLONE_NEWIPC | CLONE_NEWUTS, NULL},
	{"clone-mnt", clone_flags, CLONE_NEWNS, NULL},
	{"clone-pid", clone_flags, CLONE_NEWPID, NULL},
	{"clone-ns", clone_ns, 0, "HEX"},
	{"setns", setns_file, 0, NULL},
	{"setns-pidfd", setns_pidfd, 0, NULL},
	{NULL, NULL, 0, NULL},
};
