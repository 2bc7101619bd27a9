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
EMBEDDED_FILE(policy_shapes);   /* the values of a policy, as JSON Schema (config/policy_schema.h) */
EMBEDDED_FILE(policy_starter);  /* the file that `caisson config init` writes */
EMBEDDED_FILE(witness_node);    /* what test runners load in a box (run/test_reports.h) */
EMBEDDED_FILE(witness_pytest);
EMBEDDED_FILE(witness_exec);
EMBEDDED_FILE(witness_ctest);
EMBEDDED_FILE(preload_python);  /* waits in a box for code (box/preload.c) */

/* The pages of docs/ that `caisson help TOPIC` prints: PAGE(name of the array, topic, title). */
#define EMBEDDED_PAGES(PAGE) \
	PAGE(page_audit, "audit", "the record: rows, chain, search, retention") \
	PAGE(page_backends, "backends", "other engines for boxes") \
	PAGE(page_box, "box", "the box: walls, limits, requirements of the machine") \
	PAGE(page_classifier, "classifier", "a program that answers questions for you") \
	PAGE(page_clients, "clients", "agent clients: what each enforces") \
	PAGE(page_hooks, "hooks", "hooks: inputs, answers, failures") \
	PAGE(page_images, "images", "images: roots for boxes") \
	PAGE(page_mcp, "mcp", "the MCP server") \
	PAGE(page_metrics, "metrics", "counters for monitoring") \
	PAGE(page_nested, "nested", "containers, devcontainers and virtual machines") \
	PAGE(page_network, "network", "network of boxes, by name") \
	PAGE(page_permissions, "permissions", "permission rules and modes of clients") \
	PAGE(page_policy, "policy", "the policy language") \
	PAGE(page_presets, "presets", "the presets") \
	PAGE(page_protected_paths, "protected-paths", "protected and secret files") \
	PAGE(page_result, "result", "the report of a run") \
	PAGE(page_run, "run", "running programs: files, limits, background") \
	PAGE(page_selftest, "selftest", "the self-test") \
	PAGE(page_serve, "serve", "caissond, the HTTP server") \
	PAGE(page_skills, "skills", "skill files") \
	PAGE(page_validators, "validators", "checking results of test runners") \
	PAGE(page_validators_data, "validators-data", "checking data")
#define EMBEDDED_PAGE(array, topic, title) EMBEDDED_FILE(array);
EMBEDDED_PAGES(EMBEDDED_PAGE)
#undef EMBEDDED_PAGE
