/*
 * The filters as BPF programs, generated at build time by src/sys/gen. Little-endian machines only: the
 * low half of an argument comes first.
 */
#pragma once
#include <linux/filter.h>

extern const struct sock_filter seccomp_sealed[], seccomp_networked[], seccomp_sealed_traced[],
		seccomp_networked_traced[];
extern const unsigned short seccomp_sealed_n, seccomp_networked_n, seccomp_sealed_traced_n,
		seccomp_networked_traced_n;
