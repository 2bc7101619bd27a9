/* The monotonic clock, in nanoseconds. */
#pragma once
#include <stdint.h>

int64_t clock_now(void);
