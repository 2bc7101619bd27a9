/*
 * The two filters as the kernel takes them, made at build time by src/sys/gen. Little-endian machines only:
 * an argument's low half comes first.
 */
#pragma once
#include <linux/filter.h>

extern const struct sock_filter seccomp_sealed[], seccomp_networked[];
extern const unsigned short seccomp_sealed_n, seccomp_networked_n;
