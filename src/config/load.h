/*
 * Internal to src/config: shared by the parsers of values. A parser gets a node and the destination of its
 * value, and returns 0, or -1 with an error at the node. Memory belongs to the arena; the caller is inside
 * arena_run().
 */
#pragma once
#include "base/near.h"
#include "config/config.h"
#include "config/yaml.h"

#define RULE_TEXT_MAX 4096 /* bytes of a pattern or of its displayed text */
#define KEY_MAX 128        /* bytes of a dotted key */
#define REGEXES_MAX 2000   /* patterns of one policy: each may have to be compiled */
#define UNKNOWN_MAX 100    /* unknown keys that get a note */

struct own_commands { /* `commands` of one file */
	struct own_commands *next;
	struct yaml_file file;
	const struct ynode *rows;
};

struct load {
	struct arena *a;
	struct err *e;
	const struct config_source *src; /* the one being read */
	struct yaml_file file;
	bool preset;                     /* ... which is one of ours */
	struct policy policy;
	struct own_commands *commands;   /* the last file's first */
	struct example **examples_end;
	struct config_note *notes, **notes_end;
	size_t regexes, unknown;         /* so far */
};

typedef int value_parser(struct load *l, const struct ynode *n, void *field);

/* keys.c, made of key_rows.h */
extern const struct config_key config_keys[];
extern const size_t config_nkeys;
/* Reads the value of key i. */
int config_key_parse(struct load *l, size_t i, const struct ynode *n);

int config_pack_commands(struct load *l);

/* ---- load_value.c: single values and lists of them ---- */

int value_fail(struct load *l, const struct ynode *n, const char *what);
/*
 * Removes calls from a callee pattern: `*Path(*).unlink` becomes `*Path.unlink`. callee_never: no callee has
 * this name.
 */
struct str callee_pattern(struct arena *a, struct str pattern);
bool callee_never(struct str pattern);
/*
 * Reports an unknown key at n, with the nearest known one (or NULL): an error, or in a fencepost file a note
 * and 0.
 */
int value_unknown(struct load *l, const struct ynode *n, const char *nearest);
void value_note(struct load *l, const struct ynode *n, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));
/* "file:line" of a node */
struct str value_where(struct load *l, const struct ynode *n);

value_parser value_text;    /* struct str: one line, not empty, no blanks around it */
value_parser value_prose;   /* struct str: for people; newlines become spaces; may be empty */
value_parser value_texts;   /* struct texts *: a list of texts, appended to the existing ones */
value_parser value_words;   /* the same, or a single text */
value_parser value_bool;    /* bool */
value_parser value_verdict; /* enum verdict: allow, ask, deny */
value_parser value_millis;  /* unsigned, 1 ms to ten minutes */
value_parser value_size;    /* uint64_t, bytes, 1 to 1 GiB */
value_parser value_nothing; /* a text that is checked and discarded */

struct value_name {
	char name[20];
	int value;
};

/* One of the names; `expected` is the error message for any other text. */
int value_choice(struct load *l, const struct ynode *n, const struct value_name *names, size_t count,
		const char *expected, int *ret);
/* "a|b|c" taken apart. */
int value_split(struct load *l, const struct ynode *n, struct texts **ret);

/*
 * Parses a list of structs of this size, each with `next` first; `item` fills a zeroed one. Appends to the
 * existing list.
 */
int value_list(struct load *l, const struct ynode *n, void *head, size_t size, value_parser *item);

/* ---- load_rules.c: rules ---- */

value_parser rules_prefix, rules_checks, rules_allow_checks, rules_redirects, rules_arguments,
		rules_normalise, rules_only, rules_tools;
value_parser rules_permissions, rules_grades, rules_interpreters;

/* Parses a map by a table of rows; each value goes to base + offset. */
struct value_field {
	const char *name;
	value_parser *parse;
	size_t offset;
};
int value_map(struct load *l, const struct ynode *n, const struct value_field *fields, size_t count,
		void *base);
