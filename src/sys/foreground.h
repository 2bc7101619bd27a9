/*
 * Runs a program in the foreground: it shares our streams, environment and process group, and dies with us.
 */
#pragma once
#include "base/err.h"

/*
 * Runs `argv` (looked up in PATH) in this directory and waits for it. *ret_status is its exit code, or 128 +
 * the signal.
 */
int foreground_run(const char *dir, char *const *argv, int *ret_status, struct err *e);
