/* Loads the system call filter; src/sys/gen/calls.c defines the policy. */
#define _GNU_SOURCE
#include "sys/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/seccomp_table.h"

static struct sock_fprog choose_filter(bool network, bool traced)
{
	const struct sock_filter *code = network ? seccomp_networked : seccomp_sealed;
	unsigned short n = network ? seccomp_networked_n : seccomp_sealed_n;

	if (traced) {
		code = network ? seccomp_networked_traced : seccomp_sealed_traced;
		n = network ? seccomp_networked_traced_n : seccomp_sealed_traced_n;
	}
	/* the kernel only reads it */
	return (struct sock_fprog){.len = n, .filter = (struct sock_filter *)code};
}

int seccomp_load(bool network, bool traced)
{
	struct sock_fprog prog = choose_filter(network, traced);

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}

/* A separate filter on top of the first: the kernel applies the stricter result of both. */
int seccomp_refuse(bool hidden_memory, bool cpus)
{
	enum { CALLS = 5 };
	static const struct {
		unsigned nr;
		unsigned short errnum;
		bool memory;
	} calls[CALLS] = {
		{SYS_memfd_create, ENOSYS, true}, {SYS_shmget, ENOSYS, true}, {SYS_semget, ENOSYS, true},
		{SYS_msgget, ENOSYS, true},
		{SYS_sched_setaffinity, EPERM, false},
	};
	struct sock_filter code[2 + 2 * CALLS];
	struct sock_fprog prog = {.filter = code};

	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < CALLS; i++) {
		if (!(calls[i].memory ? hidden_memory : cpus))
			continue;
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1);
		code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
				SECCOMP_RET_ERRNO | calls[i].errnum);
	}
	if (prog.len == 1)
		return 0;
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}

int seccomp_only(const unsigned short *calls, size_t n)
{
	struct sock_filter code[SECCOMP_ONLY_MAX + 3];
	struct sock_fprog prog = {.filter = code};

	if (n > SECCOMP_ONLY_MAX)
		return E2BIG;
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) /* jumps to the last instruction */
		code[prog.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
				(unsigned char)(n - i), 0);
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}
