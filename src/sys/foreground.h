/* A program in our place: it has our streams, environment and process group, and ends with us. */
#pragma once
#include "base/err.h"

/* Runs `argv` (the program is looked up in the PATH) in this directory and waits. *ret_status is its exit
 * code, or 128 + the signal. */
int foreground_run(const char *dir, char *const *argv, int *ret_status, struct err *e);
