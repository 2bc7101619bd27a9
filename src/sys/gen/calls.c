/*
 * The system calls that a program in the box may use.
 *
 * Allowed calls are those that shells, compilers, interpreters and their libraries use. Refused calls reach
 * beyond the box, or serve only to attack the kernel. They fail with EPERM, or with ENOSYS if programs have a
 * fallback; the latter are unnamed or in the ENOSYS lists.
 */
#define _GNU_SOURCE
#include "calls.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>

const struct call_list call_lists[] = {
	/* files */
	{ALLOW, "read write close stat fstat lstat newfstatat statx poll ppoll lseek pread64 pwrite64 readv "
			"writev preadv pwritev preadv2 pwritev2"},
	{ALLOW, "access faccessat faccessat2 pipe pipe2 select pselect6 dup dup2 dup3 flock close_range "
			"umask"},
	{ALLOW, "sendfile splice tee vmsplice copy_file_range readahead fadvise64 fallocate truncate "
			"ftruncate"},
	{ALLOW, "fsync fdatasync sync syncfs sync_file_range statfs fstatfs getdents getdents64 getcwd "
			"chdir fchdir"},
	{ALLOW, "rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink "
			"symlinkat readlink readlinkat"},
	{ALLOW, "chown fchown lchown fchownat utime utimes futimesat utimensat"},
	{ALLOW, "setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr "
			"removexattr lremovexattr fremovexattr"},
	{ALLOW, "setxattrat getxattrat listxattrat removexattrat"},
	{ALLOW, "inotify_init inotify_init1 inotify_add_watch inotify_rm_watch"},
	{ALLOW, "epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 "
			"signalfd signalfd4"},
	/* memory */
	{ALLOW, "mprotect munmap brk mremap msync mincore madvise mlock mlock2 munlock mlockall munlockall "
			"mseal"},
	{ALLOW, "pkey_mprotect pkey_alloc pkey_free membarrier map_shadow_stack remap_file_pages"},
	/* processes, threads, signals */
	{ALLOW, "fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill pidfd_open "
			"pidfd_send_signal"},
	{ALLOW, "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigqueueinfo "
			"rt_tgsigqueueinfo rt_sigsuspend sigaltstack"},
	{ALLOW, "pause restart_syscall getpid getppid gettid getpgid getpgrp setpgid getsid setsid "
			"set_tid_address arch_prctl rseq seccomp"},
	{ALLOW, "futex futex_waitv futex_wake futex_wait futex_requeue set_robust_list get_robust_list"},
	{ALLOW, "landlock_create_ruleset landlock_add_rule landlock_restrict_self"},
	/*
	 * Changing the identity has no effect without capabilities, but programs do it if they believe that
	 * they are root.
	 */
	{ALLOW, "getuid geteuid getgid getegid getresuid getresgid getgroups capget"},
	{ALLOW, "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset"},
	/* scheduling, limits, time */
	{ALLOW, "sched_yield sched_getparam sched_getscheduler sched_get_priority_max "
			"sched_get_priority_min"},
	{ALLOW, "sched_rr_get_interval sched_getaffinity sched_getattr getpriority ioprio_get"},
	{ALLOW, "getrlimit getrusage sysinfo times uname getcpu getrandom"},
	{ALLOW, "nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time alarm getitimer "
			"setitimer"},
	{ALLOW, "timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create "
			"timerfd_settime timerfd_gettime"},
	/* IPC: the box has its own namespaces for these */
	{ALLOW, "shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl"},
	{ALLOW, "mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr"},
	/* The rules for socket() decide which sockets can exist. */
	{ALLOW, "connect accept accept4 bind listen shutdown getsockname getpeername setsockopt getsockopt"},
	{ALLOW, "sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg"},

	/* Callers have a fallback: an older call, or they do without. */
	{ENOSYS, "clone3"},  /* a filter cannot see its flags; C libraries fall back to clone */
	{ENOSYS, "openat2"}, /* a filter cannot see its mode, which could create a set-user-ID file */
	{ENOSYS, "io_uring_setup io_uring_enter io_uring_register"},
	/* a single limit for the whole machine */
	{ENOSYS, "io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel"},
	/* as without NUMA */
	{ENOSYS, "get_mempolicy set_mempolicy mbind migrate_pages move_pages set_mempolicy_home_node"},
	{ENOSYS, "memfd_secret process_madvise process_mrelease cachestat statmount listmount"},

	/* mounts and roots */
	{EPERM, "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig "
			"fsmount fspick mount_setattr setns"},
	{EPERM, "name_to_handle_at open_by_handle_at fanotify_init fanotify_mark quotactl quotactl_fd acct "
			"swapon swapoff"},
	/* other processes, and parts of the kernel that programs rarely need and attackers like */
	{EPERM, "kcmp pidfd_getfd perf_event_open bpf userfaultfd"},
	{EPERM, "add_key request_key keyctl modify_ldt"},
	/* the machine itself */
	{EPERM, "reboot kexec_load kexec_file_load init_module finit_module delete_module iopl ioperm "
			"syslog vhangup lookup_dcookie"},
	{EPERM, "settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname"},
};
const size_t call_lists_n = sizeof call_lists / sizeof *call_lists;

#define WHOLE UINT32_MAX
#define SET_ID ((uint32_t)(S_ISUID | S_ISGID))
/* otherwise the mode argument is ignored */
#define MAKES_FILE ((uint32_t)(O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
/* In clone() the bit of CLONE_NEWTIME belongs to the signal number; in unshare() it is a flag. */
#define NAMESPACES \
	((uint32_t)CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
			CLONE_NEWPID | CLONE_NEWNET)
#define NEWTIME 0x80u
#define INIT 1u
/*
 * Denied for init, which has the same uid: a program that starves or limits init would outlive the time
 * limit, because init ends the box.
 */
#define NOT_INIT {{EPERM, .arg = 0, .mask = WHOLE, .value = INIT}}
/* Denied for all processes of a user, and for init. */
#define NOT_INIT_AMONG(user) \
	{{EPERM, .arg = 0, .mask = WHOLE, .value = (user)}, {EPERM, .arg = 1, .mask = WHOLE, .value = INIT}}
#define SET_DELEGATION 1040 /* F_SETDELEG, Linux 6.19 */
#define IO_OF_USER 3        /* IOPRIO_WHO_USER */
#define INET_OR_INET6 ((uint32_t)(AF_INET ^ AF_INET6)) /* the only bit in which they differ */
#define UNUSUAL_TYPE 0xcu   /* set in every socket type but SOCK_STREAM, SOCK_DGRAM and SOCK_RAW */

_Static_assert(((AF_INET ^ AF_INET6) & ((AF_INET ^ AF_INET6) - 1)) == 0,
		"a mask matches both families and no other");

const struct checked_call checked_calls[] = {
	{"clone", ALWAYS, EPERM, {{ALLOW, .arg = 0, .mask = NAMESPACES}}},
	{"unshare", ALWAYS, EPERM, {{ALLOW, .arg = 0, .mask = NAMESPACES | NEWTIME}}},
	/*
	 * TIOCSTI types input for other users of the terminal; TIOCLINUX is the console; TIOCSETD loads
	 * kernel modules for line disciplines
	 */
	{"ioctl", ALWAYS, ALLOW, {
		{EPERM, .arg = 1, .mask = WHOLE, .value = TIOCSTI},
		{EPERM, .arg = 1, .mask = WHOLE, .value = TIOCLINUX},
		{EPERM, .arg = 1, .mask = WHOLE, .value = TIOCSETD}}},
	/*
	 * A lease needs read access only, and makes every other open wait for most of a minute, even on the
	 * host.
	 */
	{"fcntl", ALWAYS, ALLOW, {
		{EINVAL, .arg = 1, .mask = WHOLE, .value = F_SETLEASE},
		{EINVAL, .arg = 1, .mask = WHOLE, .value = SET_DELEGATION}}},
	{"sched_setparam", ALWAYS, ALLOW, NOT_INIT},
	{"sched_setscheduler", ALWAYS, ALLOW, NOT_INIT},
	{"sched_setattr", ALWAYS, ALLOW, NOT_INIT},
	{"sched_setaffinity", ALWAYS, ALLOW, NOT_INIT},
	/*
	 * The host's core dump handler runs as root. Only a core limit of exactly 1 keeps the kernel from
	 * starting it, so nobody may change that limit. Programs that want no core dumps (ssh-agent, gpg)
	 * exit on an error, so the call pretends to succeed. A call that also asks for the old value fails
	 * with EPERM, because a filter cannot return it.
	 */
	{"setrlimit", ALWAYS, ALLOW, {{PRETEND, .arg = 0, .mask = WHOLE, .value = RLIMIT_CORE}}},
	{"prlimit64", ALWAYS, ALLOW, {
		{EPERM, .arg = 0, .mask = WHOLE, .value = INIT},
		{ALLOW, .arg = 1, .unless = true, .mask = WHOLE, .value = RLIMIT_CORE},
		{SKIP, .arg = 3, .unless = true, .mask = WHOLE},
		{PRETEND, .arg = 3, .high = true, .mask = WHOLE},
		{EPERM, .arg = 2, .unless = true, .mask = WHOLE},
		{EPERM, .arg = 2, .unless = true, .high = true, .mask = WHOLE}}},
	/*
	 * A tracer gets no further than its tracee, which has the same filter; the kernel applies the filter
	 * after the tracer. Init is not dumpable and outside of the Landlock domain, so it cannot be traced
	 * anyway.
	 */
	{"ptrace", UNTRACED, EPERM, {{0}}},
	{"ptrace", TRACED, ALLOW, {{EPERM, .arg = 1, .mask = WHOLE, .value = INIT}}},
	{"process_vm_readv", UNTRACED, EPERM, {{0}}},
	{"process_vm_readv", TRACED, ALLOW, NOT_INIT},
	{"process_vm_writev", UNTRACED, EPERM, {{0}}},
	{"process_vm_writev", TRACED, ALLOW, NOT_INIT},
	{"setpriority", ALWAYS, ALLOW, NOT_INIT_AMONG(PRIO_USER)},
	{"ioprio_set", ALWAYS, ALLOW, NOT_INIT_AMONG(IO_OF_USER)},
	{"prctl", ALWAYS, ALLOW, {{EPERM, .arg = 0, .mask = WHOLE, .value = PR_SET_MM}}},
	{"personality", ALWAYS, EPERM, {
		{ALLOW, .arg = 0, .mask = WHOLE, .value = 0},
		{ALLOW, .arg = 0, .mask = WHOLE, .value = UINT32_MAX},
		{ALLOW, .arg = 0, .mask = WHOLE, .value = ADDR_NO_RANDOMIZE}}},

	/*
	 * A set-ID file in a writable workspace is also one on the host, where other users could run it as
	 * its owner.
	 */
	{"chmod", ALWAYS, EPERM, {{ALLOW, .arg = 1, .mask = SET_ID}}},
	{"fchmod", ALWAYS, EPERM, {{ALLOW, .arg = 1, .mask = SET_ID}}},
	{"fchmodat", ALWAYS, EPERM, {{ALLOW, .arg = 2, .mask = SET_ID}}},
	{"fchmodat2", ALWAYS, EPERM, {{ALLOW, .arg = 2, .mask = SET_ID}}},
	{"creat", ALWAYS, EPERM, {{ALLOW, .arg = 1, .mask = SET_ID}}},
	{"open", ALWAYS, EPERM, {{ALLOW, .arg = 1, .mask = MAKES_FILE}, {ALLOW, .arg = 2, .mask = SET_ID}}},
	{"openat", ALWAYS, EPERM, {{ALLOW, .arg = 2, .mask = MAKES_FILE}, {ALLOW, .arg = 3, .mask = SET_ID}}},
	{"mknod", ALWAYS, ALLOW, {
		{EPERM, .arg = 1, .unless = true, .mask = SET_ID},
		{EPERM, .arg = 1, .mask = S_IFMT, .value = S_IFCHR},
		{EPERM, .arg = 1, .mask = S_IFMT, .value = S_IFBLK}}},
	{"mknodat", ALWAYS, ALLOW, {
		{EPERM, .arg = 2, .unless = true, .mask = SET_ID},
		{EPERM, .arg = 2, .mask = S_IFMT, .value = S_IFCHR},
		{EPERM, .arg = 2, .mask = S_IFMT, .value = S_IFBLK}}},

	/*
	 * Huge pages come from a pool of the whole machine and do not count as memory of the box. Behave as
	 * if the pool were empty.
	 */
	{"mmap", ALWAYS, ENOMEM, {{ALLOW, .arg = 3, .mask = MAP_HUGETLB}}},
	{"memfd_create", ALWAYS, ENOMEM, {{ALLOW, .arg = 1, .mask = MFD_HUGETLB}}},
	{"shmget", ALWAYS, ENOMEM, {{ALLOW, .arg = 2, .mask = SHM_HUGETLB}}},

	{"socketpair", ALWAYS, EAFNOSUPPORT, {{ALLOW, .arg = 0, .mask = WHOLE, .value = AF_UNIX}}},
	{"socket", SEALED, EAFNOSUPPORT, {{ALLOW, .arg = 0, .mask = WHOLE, .value = AF_UNIX}}},
	/*
	 * Internet sockets for TCP, UDP and ICMP only. Other protocols are large parts of the kernel that few
	 * programs need (MPTCP, SCTP, DCCP, L2TP, UDP-Lite); some socket types select them without naming a
	 * protocol. Netlink only to list addresses and routes.
	 */
	{"socket", NETWORKED, EPROTONOSUPPORT, {
		{ALLOW, .arg = 0, .mask = WHOLE, .value = AF_UNIX},
		{SKIP, .arg = 0, .mask = ~INET_OR_INET6, .value = AF_INET},
		{EAFNOSUPPORT, .arg = 0, .unless = true, .mask = WHOLE, .value = AF_NETLINK},
		{EPROTONOSUPPORT, .arg = 1, .unless = true, .mask = UNUSUAL_TYPE},
		/* default protocol of a type; NETLINK_ROUTE */
		{ALLOW, .arg = 2, .mask = WHOLE, .value = 0},
		{EAFNOSUPPORT, .arg = 0, .mask = WHOLE, .value = AF_NETLINK},
		{ALLOW, .arg = 2, .mask = WHOLE, .value = IPPROTO_TCP},
		{ALLOW, .arg = 2, .mask = WHOLE, .value = IPPROTO_UDP},
		{ALLOW, .arg = 2, .mask = WHOLE, .value = IPPROTO_ICMP},
		{ALLOW, .arg = 2, .mask = WHOLE, .value = IPPROTO_ICMPV6}}},
};
const size_t checked_calls_n = sizeof checked_calls / sizeof *checked_calls;

const struct numbered_call numbered_calls[] = {
	{"cachestat", 451}, {"fchmodat2", 452}, {"map_shadow_stack", 453}, {"futex_wake", 454},
	{"futex_wait", 455}, {"futex_requeue", 456},
	{"statmount", 457}, {"listmount", 458}, {"mseal", 462}, {"setxattrat", 463}, {"getxattrat", 464},
	{"listxattrat", 465},
	{"removexattrat", 466}, {"open_tree_attr", 467},
};
const size_t numbered_calls_n = sizeof numbered_calls / sizeof *numbered_calls;
