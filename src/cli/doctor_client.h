/* The part of `caisson doctor` about agent clients. */
#pragma once
#include "base/str.h"

#define DOCTOR_CLIENTS_MAX 64 /* bound on selected clients */

/*
 * Prints the findings of client/live.h for the named (known) clients, or for those in use here. Returns an
 * exit code with the meanings of `caisson doctor`, for hooks instead of the host.
 */
int doctor_clients(struct arena *a, char *const *names, size_t n, bool json);
