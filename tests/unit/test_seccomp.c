/*
 * src/sys/seccomp: the filter in force, by real calls in children that loaded it.
 *
 * No row could do harm if the filter let it through: pointers are bad, numbers senseless. The kernel would
 * then answer EFAULT, EBADF or EINVAL, so the filter's own answer is told apart, also for root.
 */
#define _GNU_SOURCE
#include "sys/seccomp.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "jail.h"
#include "unit.h"

#define BAD 1L /* no address */
#define HIGH (1L << 32) /* what the kernel does not look at */
#define SAME (-1) /* whatever it is without the filter */
#define NR_FCHMODAT2 452
#define NR_OPEN_TREE_ATTR 467
#define NR_UNHEARD_OF 500

struct row {
	const char *name;
	long nr, args[6];
	int sealed, networked; /* what each filter answers */
};

#define BOTH(want) (want), (want)

static const struct row rows[] = {
	{"io_uring_setup", SYS_io_uring_setup, {1, BAD}, BOTH(ENOSYS)},
	{"io_uring_enter", SYS_io_uring_enter, {-1}, BOTH(ENOSYS)},
	{"io_uring_register", SYS_io_uring_register, {-1}, BOTH(ENOSYS)},
	{"keyctl", SYS_keyctl, {-1}, BOTH(EPERM)},
	{"add_key", SYS_add_key, {BAD, BAD}, BOTH(EPERM)},
	{"request_key", SYS_request_key, {BAD, BAD}, BOTH(EPERM)},
	{"bpf", SYS_bpf, {-1, BAD, 0}, BOTH(EPERM)},
	{"userfaultfd", SYS_userfaultfd, {-1}, BOTH(EPERM)},
	{"perf_event_open", SYS_perf_event_open, {BAD, 0, -1, -1, 0}, BOTH(EPERM)},
	{"ptrace", SYS_ptrace, {-1, 0}, BOTH(EPERM)},
	{"ptrace traceme", SYS_ptrace, {0}, BOTH(EPERM)},
	{"process_vm_readv", SYS_process_vm_readv, {1, BAD, 1, BAD, 1, 0}, BOTH(EPERM)},
	{"process_vm_writev", SYS_process_vm_writev, {1, BAD, 1, BAD, 1, 0}, BOTH(EPERM)},
	{"process_madvise", SYS_process_madvise, {-1}, BOTH(ENOSYS)},
	{"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}, BOTH(EPERM)},
	{"kcmp", SYS_kcmp, {1, 1, -1}, BOTH(EPERM)},
	{"open_by_handle_at", SYS_open_by_handle_at, {-1, BAD}, BOTH(EPERM)},
	{"name_to_handle_at", SYS_name_to_handle_at, {-1, BAD, BAD, BAD, 0}, BOTH(EPERM)},
	{"fanotify_init", SYS_fanotify_init, {-1, -1}, BOTH(EPERM)},
	{"mount", SYS_mount, {BAD, BAD, BAD, 0, BAD}, BOTH(EPERM)},
	{"umount2", SYS_umount2, {BAD, 0}, BOTH(EPERM)},
	{"pivot_root", SYS_pivot_root, {BAD, BAD}, BOTH(EPERM)},
	{"chroot", SYS_chroot, {BAD}, BOTH(EPERM)},
	{"fsopen", SYS_fsopen, {BAD, 0}, BOTH(EPERM)},
	{"fsconfig", SYS_fsconfig, {-1}, BOTH(EPERM)},
	{"fsmount", SYS_fsmount, {-1}, BOTH(EPERM)},
	{"fspick", SYS_fspick, {-1, BAD}, BOTH(EPERM)},
	{"open_tree", SYS_open_tree, {-1, BAD, 0}, BOTH(EPERM)},
	{"open_tree_attr", NR_OPEN_TREE_ATTR, {-1, BAD, 0}, BOTH(EPERM)},
	{"move_mount", SYS_move_mount, {-1, BAD, -1, BAD, 0}, BOTH(EPERM)},
	{"mount_setattr", SYS_mount_setattr, {-1, BAD, 0, BAD, 0}, BOTH(EPERM)},
	{"setns", SYS_setns, {-1, 0}, BOTH(EPERM)},
	{"swapon", SYS_swapon, {BAD, 0}, BOTH(EPERM)},
	{"swapoff", SYS_swapoff, {BAD}, BOTH(EPERM)},
	{"acct", SYS_acct, {BAD}, BOTH(EPERM)},
	{"quotactl", SYS_quotactl, {-1, BAD}, BOTH(EPERM)},
	{"reboot", SYS_reboot, {0, 0, 0}, BOTH(EPERM)},
	{"kexec_load", SYS_kexec_load, {0, -1, BAD, -1}, BOTH(EPERM)},
	{"kexec_file_load", SYS_kexec_file_load, {-1, -1, 0, 0, -1}, BOTH(EPERM)},
	{"init_module", SYS_init_module, {BAD, 0, BAD}, BOTH(EPERM)},
	{"finit_module", SYS_finit_module, {-1, BAD, -1}, BOTH(EPERM)},
	{"delete_module", SYS_delete_module, {BAD, 0}, BOTH(EPERM)},
	{"iopl", SYS_iopl, {99}, BOTH(EPERM)},
	{"ioperm", SYS_ioperm, {-1, 0, 0}, BOTH(EPERM)},
	{"syslog", SYS_syslog, {10, 0, 0}, BOTH(EPERM)},
	{"settimeofday", SYS_settimeofday, {BAD, 0}, BOTH(EPERM)},
	{"clock_settime", SYS_clock_settime, {0, BAD}, BOTH(EPERM)},
	{"adjtimex", SYS_adjtimex, {BAD}, BOTH(EPERM)},
	{"sethostname", SYS_sethostname, {BAD, 5}, BOTH(EPERM)},
	{"setdomainname", SYS_setdomainname, {BAD, 5}, BOTH(EPERM)},
	{"modify_ldt", SYS_modify_ldt, {99}, BOTH(EPERM)},
	{"mbind", SYS_mbind, {0, 0, -1, BAD, 0, 0}, BOTH(ENOSYS)},
	{"move_pages", SYS_move_pages, {-1}, BOTH(ENOSYS)},
	{"a call of a later kernel", NR_UNHEARD_OF, {0}, BOTH(ENOSYS)},

	{"clone3", SYS_clone3, {BAD, 0}, BOTH(ENOSYS)},
	{"clone user", SYS_clone, {CLONE_NEWUSER | CLONE_THREAD}, BOTH(EPERM)},
	{"clone user, high bits", SYS_clone, {(CLONE_NEWUSER | CLONE_THREAD) + HIGH}, BOTH(EPERM)},
	{"clone mount", SYS_clone, {CLONE_NEWNS | CLONE_FS}, BOTH(EPERM)},
	{"clone nonsense", SYS_clone, {CLONE_THREAD}, BOTH(SAME)},
	{"unshare user", SYS_unshare, {CLONE_NEWUSER}, BOTH(EPERM)},
	{"unshare user, high bits", SYS_unshare, {CLONE_NEWUSER + HIGH}, BOTH(EPERM)},
	{"unshare mount", SYS_unshare, {CLONE_NEWNS}, BOTH(EPERM)},
	{"unshare pid", SYS_unshare, {CLONE_NEWPID}, BOTH(EPERM)},
	{"unshare time", SYS_unshare, {0x80}, BOTH(EPERM)},
	{"unshare files", SYS_unshare, {CLONE_FILES}, BOTH(SAME)},

	{"TIOCSTI", SYS_ioctl, {-1, TIOCSTI, BAD}, BOTH(EPERM)},
	{"TIOCSTI, high bits", SYS_ioctl, {-1, TIOCSTI + HIGH, BAD}, BOTH(EPERM)},
	{"TIOCLINUX", SYS_ioctl, {-1, TIOCLINUX, BAD}, BOTH(EPERM)},
	{"TIOCLINUX, all high bits", SYS_ioctl, {-1, TIOCLINUX - HIGH, BAD}, BOTH(EPERM)},
	{"TIOCSETD", SYS_ioctl, {-1, TIOCSETD, BAD}, BOTH(EPERM)},
	{"TCGETS", SYS_ioctl, {-1, TCGETS, BAD}, BOTH(SAME)},
	{"TIOCGWINSZ", SYS_ioctl, {0, TIOCGWINSZ, BAD}, BOTH(SAME)},
	{"PR_SET_MM", SYS_prctl, {35, 99, 0, 0, 0}, BOTH(EPERM)},
	{"PR_SET_NAME", SYS_prctl, {15, BAD, 0, 0, 0}, BOTH(SAME)},
	{"PR_SET_MM, high bits", SYS_prctl, {35 + HIGH, 99, 0, 0, 0}, BOTH(EPERM)},
	{"personality 0", SYS_personality, {0}, BOTH(SAME)},
	{"personality query", SYS_personality, {0xffffffff}, BOTH(SAME)},
	{"personality no random", SYS_personality, {ADDR_NO_RANDOMIZE}, BOTH(SAME)},
	{"personality read implies exec", SYS_personality, {READ_IMPLIES_EXEC}, BOTH(EPERM)},
	{"personality linux32", SYS_personality, {8}, BOTH(EPERM)},

	{"chmod", SYS_chmod, {BAD, 0755}, BOTH(SAME)},
	{"chmod sticky", SYS_chmod, {BAD, 01777}, BOTH(SAME)},
	{"chmod u+s", SYS_chmod, {BAD, 04755}, BOTH(EPERM)},
	{"chmod g+s", SYS_chmod, {BAD, 02755}, BOTH(EPERM)},
	{"chmod u+s, high bits", SYS_chmod, {BAD, 04755 + HIGH}, BOTH(EPERM)},
	{"fchmod u+s", SYS_fchmod, {-1, 04755}, BOTH(EPERM)},
	{"fchmod", SYS_fchmod, {-1, 0755}, BOTH(SAME)},
	{"fchmodat u+s", SYS_fchmodat, {AT_FDCWD, BAD, 04755}, BOTH(EPERM)},
	{"fchmodat", SYS_fchmodat, {AT_FDCWD, BAD, 0755}, BOTH(SAME)},
	{"fchmodat2 u+s", NR_FCHMODAT2, {AT_FDCWD, BAD, 04755, 0}, BOTH(EPERM)},
	{"fchmodat2", NR_FCHMODAT2, {AT_FDCWD, BAD, 0755, 0}, BOTH(SAME)},
	{"creat u+s", SYS_creat, {BAD, 04755}, BOTH(EPERM)},
	{"open, a mode in the register", SYS_open, {BAD, O_RDONLY, 04755}, BOTH(SAME)},
	{"open O_CREAT u+s", SYS_open, {BAD, O_CREAT | O_WRONLY, 04755}, BOTH(EPERM)},
	{"openat, a mode in the register", SYS_openat, {AT_FDCWD, BAD, O_RDONLY | O_DIRECTORY, 06755},
			BOTH(SAME)},
	{"openat O_CREAT", SYS_openat, {AT_FDCWD, BAD, O_CREAT, 0644}, BOTH(SAME)},
	{"openat O_CREAT u+s", SYS_openat, {AT_FDCWD, BAD, O_CREAT, 04755}, BOTH(EPERM)},
	{"openat O_TMPFILE u+s", SYS_openat, {AT_FDCWD, BAD, O_TMPFILE | O_RDWR, 04755}, BOTH(EPERM)},
	{"openat2", SYS_openat2, {AT_FDCWD, BAD, BAD, 24}, BOTH(ENOSYS)},
	{"mknod device", SYS_mknod, {BAD, S_IFCHR | 0600, 0x103}, BOTH(EPERM)},
	{"mknodat block", SYS_mknodat, {AT_FDCWD, BAD, S_IFBLK | 0600, 0x800}, BOTH(EPERM)},
	{"mknod file u+s", SYS_mknod, {BAD, S_IFREG | 04755, 0}, BOTH(EPERM)},
	{"mknod fifo", SYS_mknod, {BAD, S_IFIFO | 0600, 0}, BOTH(SAME)},
	{"mknodat socket", SYS_mknodat, {AT_FDCWD, BAD, S_IFSOCK | 0600, 0}, BOTH(SAME)},

	{"mmap huge", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0},
			BOTH(ENOMEM)},
	{"mmap", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}, BOTH(SAME)},
	{"memfd huge", SYS_memfd_create, {BAD, 4}, BOTH(ENOMEM)},
	{"memfd", SYS_memfd_create, {BAD, 1}, BOTH(SAME)},
	{"shmget huge", SYS_shmget, {IPC_PRIVATE, 4096, IPC_CREAT | SHM_HUGETLB}, BOTH(ENOMEM)},
	{"shmget", SYS_shmget, {IPC_PRIVATE, 0, IPC_CREAT}, BOTH(SAME)},

	{"socket unix", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, BOTH(SAME)},
	{"socket inet", SYS_socket, {AF_INET, SOCK_STREAM, 0}, EAFNOSUPPORT, SAME},
	{"socket inet, high bits", SYS_socket, {AF_INET + HIGH, SOCK_STREAM, 0}, EAFNOSUPPORT, SAME},
	{"socket inet6", SYS_socket, {AF_INET6, SOCK_DGRAM, 0}, EAFNOSUPPORT, SAME},
	{"socket tcp", SYS_socket, {AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP}, EAFNOSUPPORT, SAME},
	{"socket udp", SYS_socket, {AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP}, EAFNOSUPPORT, SAME},
	{"socket icmp", SYS_socket, {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, EAFNOSUPPORT, SAME},
	{"socket icmp6", SYS_socket, {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6}, EAFNOSUPPORT, SAME},
	{"socket mptcp", SYS_socket, {AF_INET, SOCK_STREAM, 262}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket mptcp6", SYS_socket, {AF_INET6, SOCK_STREAM, 262}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket udplite", SYS_socket, {AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket sctp", SYS_socket, {AF_INET, SOCK_STREAM, IPPROTO_SCTP}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket sctp by its type", SYS_socket, {AF_INET, SOCK_SEQPACKET, 0}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket dccp", SYS_socket, {AF_INET6, SOCK_DCCP, IPPROTO_DCCP}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket dccp by its type", SYS_socket, {AF_INET6, SOCK_DCCP, 0}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket l2tp", SYS_socket, {AF_INET, SOCK_DGRAM, 115}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket raw", SYS_socket, {AF_INET, SOCK_RAW, IPPROTO_RAW}, EAFNOSUPPORT, EPROTONOSUPPORT},
	{"socket phonet", SYS_socket, {AF_INET + 32, SOCK_STREAM, 0}, BOTH(EAFNOSUPPORT)},
	{"socket route", SYS_socket, {AF_NETLINK, SOCK_RAW, 0}, EAFNOSUPPORT, SAME},
	{"socket netfilter", SYS_socket, {AF_NETLINK, SOCK_RAW, 12}, BOTH(EAFNOSUPPORT)},
	{"socket packet", SYS_socket, {AF_PACKET, SOCK_RAW, 0}, BOTH(EAFNOSUPPORT)},
	{"socket vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}, BOTH(EAFNOSUPPORT)},
	{"socket alg", SYS_socket, {AF_ALG, SOCK_SEQPACKET, 0}, BOTH(EAFNOSUPPORT)},
	{"socketpair unix", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, BAD}, BOTH(SAME)},
	{"socketpair tipc", SYS_socketpair, {AF_TIPC, SOCK_STREAM, 0, BAD}, BOTH(EAFNOSUPPORT)},

	{"setuid", SYS_setuid, {-1}, BOTH(SAME)},
	{"sched_setaffinity", SYS_sched_setaffinity, {0, 8, BAD}, BOTH(SAME)},
	{"setrlimit core", SYS_setrlimit, {RLIMIT_CORE, BAD}, BOTH(0)},
	{"setrlimit core, high bits", SYS_setrlimit, {RLIMIT_CORE + HIGH, BAD}, BOTH(0)},
	{"setrlimit", SYS_setrlimit, {RLIMIT_NOFILE, BAD}, BOTH(SAME)},
	{"prlimit core", SYS_prlimit64, {0, RLIMIT_CORE, BAD, 0}, BOTH(0)},
	{"prlimit core, high pointer", SYS_prlimit64, {0, RLIMIT_CORE, HIGH, 0}, BOTH(0)},
	{"prlimit core, both", SYS_prlimit64, {0, RLIMIT_CORE, BAD, BAD}, BOTH(EPERM)},
	{"prlimit core, both high", SYS_prlimit64, {0, RLIMIT_CORE, HIGH, HIGH}, BOTH(EPERM)},
	{"prlimit core, asked", SYS_prlimit64, {0, RLIMIT_CORE, 0, BAD}, BOTH(SAME)},
	{"prlimit core, asked high", SYS_prlimit64, {0, RLIMIT_CORE, 0, HIGH}, BOTH(SAME)},
	{"prlimit", SYS_prlimit64, {0, RLIMIT_NOFILE, BAD, BAD}, BOTH(SAME)},
	{"statx", SYS_statx, {AT_FDCWD, BAD, 0, 0, BAD}, BOTH(SAME)},
	{"seccomp", SYS_seccomp, {2, 0, BAD}, BOTH(SAME)},
	{"rseq", SYS_rseq, {BAD, 0, 0, 0}, BOTH(SAME)},
	{"inotify_init1", SYS_inotify_init1, {-1}, BOTH(SAME)},
};
#define ROWS ARRAY_SIZE(rows)
_Static_assert(ROWS <= JAIL_RESULTS_MAX, "more rows than results");

enum which { PLAIN, SEALED, NETWORKED, TRACED };

/* Without a filter only the rows run whose answer is needed. */
static void try_rows(int *results, const void *arg)
{
	enum which which = *(const enum which *)arg;
	if (which != PLAIN && seccomp_load(which == NETWORKED || which == TRACED, which == TRACED))
		_exit(98);
	for (size_t i = 0; i < ROWS; i++)
		if (which != PLAIN || rows[i].sealed == SAME || rows[i].networked == SAME) {
			const long *a = rows[i].args;
			results[i] = jail_errno(syscall(rows[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]));
		}
}

static void compare_rows(bool network)
{
	int *plain = jail_results(), *got = jail_results();
	enum which none = PLAIN, which = network ? NETWORKED : SEALED;
	CHECK_INT(jail_run(try_rows, plain, &none), 0);
	CHECK_INT(jail_run(try_rows, got, &which), 0);
	for (size_t i = 0; i < ROWS; i++) {
		int want = network ? rows[i].networked : rows[i].sealed;
		want = want == SAME ? plain[i] : want;
		if (got[i] != want)
			unit_fail(__FILE__, __LINE__, "%s: %s, want %s", rows[i].name, strerror(got[i]),
					strerror(want));
	}
}

static void test_sealed(void)
{
	compare_rows(false);
}

static void test_networked(void)
{
	compare_rows(true);
}

/* The filter for boxes that may trace differs only in calls that trace, and not for init. */
static void test_traced(void)
{
	static const long tracing[] = {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev};
	int *plain = jail_results(), *got = jail_results();
	enum which none = PLAIN, which = TRACED;

	CHECK_INT(jail_run(try_rows, plain, &none), 0);
	CHECK_INT(jail_run(try_rows, got, &which), 0);
	for (size_t i = 0; i < ROWS; i++) {
		bool traces = false, of_init = rows[i].args[rows[i].nr == SYS_ptrace] == 1;
		int want = rows[i].networked == SAME ? plain[i] : rows[i].networked;

		for (size_t k = 0; k < ARRAY_SIZE(tracing); k++)
			traces |= rows[i].nr == tracing[k];
		if (traces && !of_init ? got[i] == EPERM : got[i] != want)
			unit_fail(__FILE__, __LINE__, "%s: %s", rows[i].name, strerror(got[i]));
	}
}

#ifdef __x86_64__
static void call_i386(int *results, const void *arg)
{
	(void)arg;
	long ret = 20; /* getpid there, writev here */
	if (seccomp_load(true, false))
		_exit(98);
	__asm__ volatile("int $0x80" : "+a"(ret)::"memory", "r8", "r9", "r10", "r11");
	results[0] = (int)ret;
}

static void call_x32(int *results, const void *arg)
{
	(void)arg;
	if (seccomp_load(true, false))
		_exit(98);
	results[0] = (int)syscall(0x40000000 | SYS_getpid);
}

static void test_foreign(void)
{
	int *r = jail_results();
	int status = jail_run(call_i386, r, NULL);
	/* SIGSEGV: a kernel without 32-bit calls */
	CHECK(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
	status = jail_run(call_x32, r, NULL);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	CHECK_INT(r[0], 0);
}
#endif

static void *in_thread(void *arg)
{
	*(int *)arg += 1;
	return NULL;
}

/* Ordinary activities of programs: threads, children, files, sockets, terminals. */
static void live(int *results, const void *arg)
{
	static char *argv[] = {"true", NULL};
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "\0caisson-none"};
	pthread_t t;
	pid_t pid;
	int fds[2], status = -1;
	if (seccomp_load(*(const bool *)arg, false))
		_exit(98);
	results[0] = pthread_create(&t, NULL, in_thread, &results[1]) ?: pthread_join(t, NULL);
	results[2] = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1);
	results[3] = waitpid(pid, &status, 0) == pid ? status : -1;
	results[4] = jail_errno(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	results[5] = jail_errno(connect(fds[0], (struct sockaddr *)&to, sizeof to)) == EPERM;
	int pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	results[6] = pty >= 0 && isatty(pty);
	results[7] = jail_errno(ioctl(pty, TIOCSTI, "x"));
}

static void test_life(void)
{
	for (int network = 0; network < 2; network++) {
		int *r = jail_results();
		bool arg = network;
		CHECK_INT(jail_run(live, r, &arg), 0);
		CHECK_INT(r[0], 0);
		CHECK_INT(r[1], 1);
		CHECK_INT(r[2], 0);
		CHECK_INT(r[3], 0);
		CHECK_INT(r[4], 0);
		CHECK_INT(r[5], 0);
		CHECK_INT(r[6], 1);
		CHECK_INT(r[7], EPERM);
	}
}

/* Loading one filter over another only ever takes away. */
static void load_both(int *results, const void *arg)
{
	(void)arg;
	results[0] = seccomp_load(false, false);
	results[1] = seccomp_load(true, false);
	results[2] = jail_errno(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static void test_twice(void)
{
	int *r = jail_results();
	CHECK_INT(jail_run(load_both, r, NULL), 0);
	CHECK_INT(r[0], 0);
	CHECK_INT(r[1], 0);
	CHECK_INT(r[2], EAFNOSUPPORT);
}

static void hide(int *results, const void *arg)
{
	(void)arg;
	results[0] = seccomp_load(true, false) ?: seccomp_refuse(true, true);
	results[1] = jail_errno(memfd_create("x", MFD_CLOEXEC));
	results[2] = jail_errno(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
	results[3] = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
	results[4] = jail_errno((long)syscall(SYS_keyctl, -1));
	results[5] = jail_errno((long)syscall(SYS_sched_setaffinity, 0, 0, NULL));
	results[6] = jail_errno((long)syscall(SYS_sched_getaffinity, 0, 0, NULL));
}

static void test_hidden_memory(void)
{
	int *r = jail_results();
	CHECK_INT(jail_run(hide, r, NULL), 0);
	CHECK_INT(r[0], 0);
	CHECK_INT(r[1], ENOSYS);
	CHECK_INT(r[2], ENOSYS);
	CHECK_INT(r[3], 0);
	CHECK_INT(r[4], EPERM); /* the other filter is in force as before */
	CHECK_INT(r[5], EPERM);
	CHECK_INT(r[6], EINVAL); /* by the kernel */
}

static void keep_only(int *results, const void *arg)
{
	/* AddressSanitizer needs the last three when a process ends. */
	static const unsigned short calls[] = {SYS_getpid, SYS_write, SYS_exit_group, SYS_sigaltstack,
			SYS_mmap, SYS_munmap};
	(void)arg;
	results[0] = seccomp_load(true, false) ?: seccomp_only(calls, ARRAY_SIZE(calls));
	results[1] = jail_errno((long)syscall(SYS_getpid));
	results[2] = jail_errno((long)syscall(SYS_getppid));
	results[3] = jail_errno((long)syscall(SYS_write, -1, NULL, 0));
	results[4] = jail_errno((long)syscall(SYS_execve, NULL, NULL, NULL));
	results[5] = jail_errno((long)syscall(NR_UNHEARD_OF));
}

static void test_only(void)
{
	static const unsigned short many[SECCOMP_ONLY_MAX + 1];
	int *r = jail_results();
	CHECK_INT(jail_run(keep_only, r, NULL), 0);
	CHECK_INT(r[0], 0);
	CHECK_INT(r[1], 0);
	CHECK_INT(r[2], EPERM);
	CHECK_INT(r[3], EBADF); /* by the kernel */
	CHECK_INT(r[4], EPERM);
	CHECK_INT(r[5], EPERM); /* of two errors the kernel takes that of the newer filter */
	CHECK_INT(seccomp_only(many, ARRAY_SIZE(many)), E2BIG);
}

int main(void)
{
	RUN(test_sealed);
	RUN(test_networked);
	RUN(test_traced);
#ifdef __x86_64__
	RUN(test_foreign);
#endif
	RUN(test_life);
	RUN(test_twice);
	RUN(test_hidden_memory);
	RUN(test_only);
	return unit_end();
}
