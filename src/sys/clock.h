/* The clocks. */
#pragma once
#include <stdint.h>

/* The monotonic clock, in nanoseconds; in milliseconds. */
int64_t clock_now(void);
int64_t clock_now_ms(void);
/* The time of day, in microseconds since 1970. */
int64_t clock_real_us(void);
