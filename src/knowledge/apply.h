/*
 * State shared by knowledge.c (assigns a kind to each word) and uses.c (turns kinds into uses) while they
 * read one argv by its row. Internal to src/knowledge.
 */
#pragma once
#include "knowledge/scan.h"

struct know_applying {
	struct arena *a;
	struct know_scan *s;
	struct know_result *ret;
	struct know_use **end;
	struct know_operands ops;
	uint64_t active; /* bit i: `when` number i applies */
	const struct know_hit *suffix; /* the last option whose argument is a backup suffix */
	bool changes;    /* a KIND_SYSTEM or KIND_CHANGE was found */
};

struct know_use *know_use_add(struct know_applying *ap, enum know_role role, unsigned flags, size_t from,
		size_t to, const struct word *value);
/* Returns the working directory as a word. */
struct word know_here(const struct know_applying *ap);
/* Adds the uses of word w, found at argv[from, to), by its spec. */
void know_emit(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w);
/* after all other uses: adds the backups, made with a suffix, inside a directory */
void know_backups(struct know_applying *ap);
/*
 * Handles a value whose prefix decides its kind (git -c core.pager=..., dd of=...). inside: the value
 * contains placeholders, which keys of the form "~%x" match.
 */
void know_emit_keyed(struct know_applying *ap, bool inside, size_t from, size_t to, struct word w);
