/*
 * Policies from YAML. The keys are rows of a table: what each is called, how it is read, where it goes and who may set it (keys.c).
 * What does not load is an error with file, line and column, never a milder policy. The language is docs/policy.md.
 */
#pragma once
#include "base/err.h"
#include "model/policy.h"

/* Whose file it is, and who may set a key; a later one may do all that an earlier one may. */
enum config_who {
	WHO_ANYONE,  /* a project's file that nobody has trusted */
	WHO_TRUSTED, /* a project's file that the user trusted */
	WHO_OWNER,   /* the user */
	WHO_SYSTEM,  /* the administrator of the machine */
};

/* In a fencepost file unknown keys and unknown presets are notes, and `default` is ask when it is not given. */
enum config_dialect { CONFIG_CAISSON, CONFIG_FENCEPOST };

struct config_source {
	struct str name, bytes; /* name: for messages */
	enum config_dialect dialect;
	enum config_who who;
	struct str base;        /* the directory it lies in, for permission rules with paths */
};

struct config_note { /* something worth telling its author: "file:line:column: ...". Nothing was refused. */
	struct config_note *next;
	struct str text;
};

struct config_key {
	char name[32]; /* dotted */
	enum config_who who;
	/* A key above what an untrusted file may set, read from it all the same: such a file is judged by itself, and the stricter verdict holds. */
	bool apart;
	char help[128];
	char example[80]; /* a value, in YAML on one line */
};

struct config_preset {
	struct str name, title, text;
};

/* Key number i, or NULL after the last. */
const struct config_key *config_key(size_t i);
/* The key that somebody may have meant by this name, or NULL. */
const char *config_key_near(struct str name);
/* The policy that holds when there is no file. Points to constants only. */
void config_default(struct policy *ret);
/* For tests: the built-in policy as a user would write it; config_default() says the same. */
struct str config_default_text(void);
/*
 * Reads the sources in order into one policy: lists follow one another, of single values the last holds. Presets that a source imports come
 * before its own content. No source at all is the default.
 * On failure *ret and *ret_notes are untouched and e->text is "file:line:column: what: 'the line'".
 */
int config_load(struct arena *a, const struct config_source *src, size_t n, struct policy *ret, struct config_note **ret_notes, struct err *e);
/* "sha256:<hex>" of the bytes. */
struct str config_digest(struct arena *a, struct str bytes);
/* Presets are baked in. The i-th by name, or the one with this name; false: there is none. */
bool config_preset_at(size_t i, struct config_preset *ret);
bool config_preset(struct str name, struct config_preset *ret);
/* Takes "Tool" or "Tool(pattern)" apart into tool, pattern and all; false: it is neither. */
bool config_permission(struct str text, struct permission_rule *ret);
