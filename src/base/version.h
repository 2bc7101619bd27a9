/* The version that `caisson --version` prints. */
#pragma once

#define CAISSON_VERSION "0.1.0"
#ifndef CAISSON_COMMIT /* " (COMMIT)", which the Makefile gives to src/cli/main.c */
#define CAISSON_COMMIT ""
#endif
