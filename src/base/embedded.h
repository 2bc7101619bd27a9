/*
 * Files of the source tree that are embedded in the program. EMBEDDED in the Makefile maps each name to its
 * file; scripts/embed generates the arrays.
 */
#pragma once

#include <stddef.h>

#define EMBEDDED_FILE(name) \
	extern const unsigned char name[]; \
	extern const size_t name##_n

EMBEDDED_FILE(selftest_attempts); /* the sets of `caisson selftest` */
EMBEDDED_FILE(selftest_ordinary);
EMBEDDED_FILE(plugin_opencode); /* plugin that `caisson init` installs for a client whose hooks are code */
EMBEDDED_FILE(schema_report);   /* documented schemas, which the MCP server sends to its clients */
EMBEDDED_FILE(schema_check_answer);
EMBEDDED_FILE(witness_node);    /* what test runners load in a box (run/test_reports.h) */
EMBEDDED_FILE(witness_pytest);
