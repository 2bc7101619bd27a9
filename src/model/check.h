/*
 * Check ids, generated from check_rows.h. Code passes the enum. Names are for output (answers, the record,
 * messages) and for input (policies, rows of the record).
 */
#pragma once
#include "base/str.h"

enum check_id {
	CHECK_NONE = 0,
#define GATE_CHECK(constant, ...) CHECK_##constant,
#include "model/check_rows.h"
#undef GATE_CHECK
	CHECK_IDS
};

#define CHECK_NAME_MAX 24

/* A static string; "" for CHECK_NONE. */
const char *check_name(enum check_id id);
/* Returns CHECK_NONE if no check has this name. */
enum check_id check_find(struct str name);
