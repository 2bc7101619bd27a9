/* Loading the system call filter. What it allows is said in src/sys/gen/seccomp.c. */
#define _GNU_SOURCE
#include "sys/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/seccomp_table.h"

int seccomp_load(bool network)
{
	struct sock_fprog prog = {
		.len = network ? seccomp_networked_n : seccomp_sealed_n,
		.filter = (struct sock_filter *)(network ? seccomp_networked : seccomp_sealed), /* the kernel only reads it */
	};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}

/* A filter of its own, in force besides the other: the stricter answer of both counts. */
int seccomp_refuse_hidden_memory(void)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_shmget, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_semget, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_msgget, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(*code), .filter = (struct sock_filter *)code};

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}
