/*
 * Files of the source tree whose bytes are part of the program. EMBEDDED in the Makefile says which file each
 * name stands for; scripts/embed makes the arrays.
 */
#pragma once

#include <stddef.h>

#define EMBEDDED_FILE(name) \
	extern const unsigned char name[]; \
	extern const size_t name##_n

EMBEDDED_FILE(selftest_attempts); /* the sets of `caisson selftest` */
EMBEDDED_FILE(selftest_ordinary);
EMBEDDED_FILE(plugin_opencode); /* `caisson init` writes it for a client whose hooks are code */
EMBEDDED_FILE(schema_report);   /* the MCP server shows its clients the schemas of the documentation */
EMBEDDED_FILE(schema_check_answer);
