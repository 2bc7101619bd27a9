/* For tests of the record: a record below the temporary directory, with a clock that the test sets. */
#pragma once
#include "audit/audit.h"
#include "place.h"

#define NOON ((int64_t)1767268800 * 1000000) /* 2026-01-01T12:00:00Z */

static int64_t clock_us = NOON;
static inline int64_t test_clock(void) { return clock_us; }

static inline struct audit open_at(const char *state)
{
	struct audit au = {.dir = -1};
	struct err e = {0};
	if (audit_open(A, str_of(at(state)), (uint32_t)getuid(), true, &au, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	au.sync = AUDIT_SYNC_NONE;
	au.now = test_clock;
	return au;
}
