/* Loading the system call filter. What it allows is said in src/sys/gen/seccomp.c. */
#define _GNU_SOURCE
#include "sys/seccomp.h"

#include <errno.h>
#include <linux/seccomp.h>
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
