/*
 * Finds the hosts that a configuration names: in the output of a package manager, or in its own file.
 *
 * Nothing but "HOST" and "HOST:PORT" leaves this parser: no user, no password, no path. It knows two forms:
 * - JSON (the text starts with a brace): the key of a value is its path, "registries.x.index"; the items of
 *   an array have the key of the array.
 * - Lines: the key is the text before the first '=', or else before the first ':'; without one it is empty.
 *   Lines that start with '#', ';' or "//" and comments of XML do not count.
 */
#pragma once
#include "model/policy.h"

#define REGISTRY_HOSTS_MAX 256 /* hosts of one tool */

struct registry_text {
	struct str text;
	struct str keys;   /* REGISTRY_KEYS */
	struct str bare;   /* REGISTRY_BARE; empty: none */
	struct str before; /* REGISTRY_BEFORE; empty: anything */
};

/*
 * Appends the hosts to *list, each once. Returns -1, and leaves *list as it is, if a text that starts like
 * JSON is none. Hosts beyond REGISTRY_HOSTS_MAX are left out.
 */
int registry_hosts(struct arena *a, const struct registry_text *t, struct texts **list);
/* True if the key matches one of these patterns, and none that follows a '!'. */
bool registry_key_counts(struct str patterns, struct str key);
/* The key of a line, given its text up to the value. */
struct str registry_key(struct str line);
/* Bytes of the text after "://" that are user and password, with the '@'. */
size_t registry_userinfo(struct str after);
