/*
 * YAML as plain nodes in an arena, with the place of each for messages. Strict on purpose, since the text may be hostile: one document,
 * no aliases, no tags, no duplicate keys, keys are scalars; size, depth and number of nodes are bounded. libfyaml does the reading and never prints;
 * texts of the plain kind are read by yaml_plain.c, to the same nodes.
 */
#pragma once
#include "base/str.h"

#define YAML_BYTES_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 32
#define YAML_NODES_MAX 200000

enum ynode_kind { YNODE_SCALAR, YNODE_LIST, YNODE_MAP };

struct ynode {
	enum ynode_kind kind;
	bool plain;          /* a scalar without quotes */
	struct str text;     /* scalar */
	struct str key;      /* when it is a value of a map */
	struct ynode *child, *next; /* items of a list, values of a map, in order */
	struct ynode *tail;  /* last child */
	uint32_t line, column;     /* 1-based */
	uint32_t key_line, key_column;
	uint32_t count;      /* children */
};

struct yaml_file {
	struct str name, bytes;
	struct ynode *root;  /* NULL: nothing in it */
};

/* Reads bytes. Failure is ERR_CONFIG with "name:line:column: what: 'the line'". */
int yaml_read(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e);
/* The same without the quick reader of yaml_plain.c, to compare with. */
int yaml_read_full(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e);
/* An error at a node (at its key when key is true); quotes the line. Returns -1. */
int yaml_fail(const struct yaml_file *f, const struct ynode *n, bool key, struct err *e, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
const struct ynode *yaml_get(const struct ynode *map, const char *key);
/* A plain null (~, null, nothing at all)? */
bool yaml_null(const struct ynode *n);
