/*
 * YAML as plain nodes in an arena, with line and column for messages. Strict, since the text may be hostile:
 * one document, no aliases, no tags, no duplicate keys, only scalar keys; size, depth and number of nodes are
 * bounded. libfyaml parses and never prints; yaml_plain.c parses the simple subset to the same nodes.
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
	struct ynode *child, *next; /* items of a list or values of a map, in order */
	struct ynode *tail;  /* last child */
	uint32_t line, column;     /* 1-based */
	uint32_t key_line, key_column;
	uint32_t count;      /* children */
};

struct yaml_file {
	struct str name, bytes;
	struct ynode *root;  /* NULL: nothing in it */
};

/* Parses bytes. Failure is ERR_CONFIG with "name:line:column: what: 'the line'". */
int yaml_read(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e);
/* The same without the fast path of yaml_plain.c, for comparison. */
int yaml_read_full(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e);
/* Sets an error at a node (at its key if key is true) that quotes the line. Returns -1. */
int yaml_fail(const struct yaml_file *f, const struct ynode *n, bool key, struct err *e, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));
const struct ynode *yaml_get(const struct ynode *map, const char *key);
/* A plain null (~, null, nothing at all)? */
bool yaml_null(const struct ynode *n);
