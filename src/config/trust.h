/*
 * The project policies that a person trusts: a list of path, SHA-256 of the content and time, in
 * STATE/trust.json. A changed file is no longer trusted. These functions work on the store's text. Malformed
 * text is an error, which denies; empty text is an empty list.
 */
#pragma once
#include "base/str.h"

#define TRUST_BYTES_MAX ((size_t)4 << 20)
#define TRUST_ENTRIES_MAX 10000

struct trust_entry {
	struct trust_entry *next;
	struct str path;   /* absolute, resolved */
	struct str sha256; /* 64 digits */
	struct str when;   /* for people */
};

/* Reads the store; an absent file is empty. Refuses a file that others may write. */
int trust_load(struct arena *a, struct str file, uint32_t uid, struct str *ret_store, struct err *e);
/* Replaces the file atomically. Its directory exists (state_make). */
int trust_save(struct arena *a, struct str file, struct str store, struct err *e);

int trust_read(struct arena *a, struct str store, struct trust_entry **ret, struct err *e);
/*
 * True if this content of this path is trusted. `digest` is "sha256:<hex>" (config_digest) or the digits
 * alone.
 */
int trust_is(struct arena *a, struct str store, struct str path, struct str digest, bool *ret, struct err *e);
/* The text in which exactly this content of the path is trusted. */
int trust_add(struct arena *a, struct str store, struct str path, struct str digest, struct str when,
		struct str *ret_store, struct err *e);
/* The text without the path; *ret_found: it had an entry. */
int trust_remove(struct arena *a, struct str store, struct str path, struct str *ret_store, bool *ret_found,
		struct err *e);
