/*
 * Reads policies from YAML. Each key is a row of a table: its name, its parser, its destination and who may
 * set it (keys.c). A file that does not load is an error with file, line and column, never a milder policy.
 * docs/policy.md describes the language.
 */
#pragma once
#include "base/err.h"
#include "model/policy.h"

/* The origin of a file, and who may set a key; a later value includes the rights of the earlier ones. */
enum config_who {
	WHO_ANYONE,  /* a project's file that nobody has trusted */
	WHO_TRUSTED, /* a project's file that the user trusted */
	WHO_OWNER,   /* the user */
	WHO_SYSTEM,  /* the administrator of the machine */
};

/* In a fencepost file, unknown keys and presets only cause notes, and a missing `default` means ask. */
enum config_dialect { CONFIG_CAISSON, CONFIG_FENCEPOST };

struct config_source {
	struct str name, bytes; /* name: for messages */
	enum config_dialect dialect;
	enum config_who who;
	struct str base;        /* the file's directory, for permission rules with paths */
};

struct config_note { /* advice for the file's author: "file:line:column: ..."; nothing was refused */
	struct config_note *next;
	struct str text;
};

struct config_key {
	char name[32]; /* dotted */
	enum config_who who;
	/*
	 * A key that an untrusted file may not set, read from it anyway: the untrusted file is judged
	 * separately, and the stricter verdict holds.
	 */
	bool apart;
	char help[128];
	char example[80]; /* a value, in YAML on one line */
	char shape[56];   /* of the value: see policy_schema.h */
};

struct config_preset {
	struct str name, title, text;
};

/* Key number i, or NULL after the last. */
const struct config_key *config_key(size_t i);
/* Keys are shown in groups: the title of group number i, or NULL after the last; and the group of a key. */
const char *config_group(size_t i);
size_t config_group_of(const struct config_key *k);
/* The key that this misspelt name probably means, or NULL. */
const char *config_key_near(struct str name);
/* ", did you mean 'PRESET'" for a misspelt name, or `otherwise`. */
const char *config_preset_near(struct arena *a, struct str name, const char *otherwise);
/* The policy without any file. Points to constants only. */
void config_default(struct policy *ret);
/* For tests: the text of the built-in policy; parsing it gives config_default(). */
struct str config_default_text(void);
/*
 * Merges the sources in order: lists are concatenated, the last single value wins. A source's presets come
 * before its own content. Without a source the result is the default. On failure *ret and *ret_notes are
 * untouched and e->text is "file:line:column: what: 'the line'".
 */
int config_load(struct arena *a, const struct config_source *src, size_t n, struct policy *ret,
		struct config_note **ret_notes, struct err *e);
/* "sha256:<hex>" of the bytes. */
struct str config_digest(struct arena *a, struct str bytes);
/* Built-in presets: the i-th by name, or the one with this name; false: there is none. */
bool config_preset_at(size_t i, struct config_preset *ret);
bool config_preset(struct str name, struct config_preset *ret);
/* Splits "Tool" or "Tool(pattern)" into tool, pattern and all; false: it is neither. */
bool config_permission(struct str text, struct permission_rule *ret);
