/*
 * The network that somebody asks for, before policies decide: a mode, or words that name hosts and presets
 * ("registry.npmjs.org:443", "preset:registries/npm"). Building a spec expands the words to rules.
 */
#pragma once
#include "model/network.h"
#include "model/policy.h"

#define NETWORK_WORDS_MAX 512

struct network_request { /* zeroed: nothing requested, so profile and skill decide */
	bool given;
	enum network_mode mode;  /* meaningless with words */
	struct texts *words;     /* NULL: the mode alone */
};

/*
 * Checks one word: the text of a rule (network.h), or "preset:NAME" or "preset:NAME/TOOL". The presets that
 * exist are known where words are expanded.
 */
int network_word_check(struct arena *a, struct str word, struct err *e);
/* Parses "host", "deny", "a.example:443,preset:b". A mode stands alone; words are not checked further. */
int network_request_parse(struct arena *a, struct str text, struct network_request *ret, struct err *e);
/* Makes a request of words: none, one mode, or others. */
struct network_request network_request_of(struct texts *words);
/* The same notation; empty if nothing is requested. */
struct str network_request_text(struct arena *a, const struct network_request *n);
/* True if it requests a network without a wall. */
bool network_request_is_host(const struct network_request *n);
