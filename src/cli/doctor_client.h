/* The part of `caisson doctor` that is about agent clients. */
#pragma once
#include "base/str.h"

#define DOCTOR_CLIENTS_MAX 64 /* rows of clients */

/*
 * Prints what client/live.h finds out, for the named clients (known ones) or those that are used here. The
 * exit code: as of the host, but of hooks.
 */
int doctor_clients(struct arena *a, char *const *names, size_t n, bool json);
