/*
 * Shared by knowledge.c (which word is what) and uses.c (what that means) while they read one argv by a row.
 * Internal to src/knowledge.
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
	const struct know_hit *suffix; /* the last option whose argument is a suffix for backups */
	bool changes;    /* a KIND_SYSTEM or KIND_CHANGE was found */
};

struct know_use *know_use_add(struct know_applying *ap, enum know_role role, unsigned flags, size_t from,
		size_t to, const struct word *value);
/* The working directory, as a word. */
struct word know_here(const struct know_applying *ap);
/* Reports w, found at argv[from, to), as what spec says. */
void know_emit(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w);
/* after all uses: files that a suffix renames inside a directory */
void know_backups(struct know_applying *ap);
/*
 * A value whose beginning says what it is (git -c core.pager=..., dd of=...). inside: it holds placeholders,
 * which keys of the form "~%x" are about.
 */
void know_emit_keyed(struct know_applying *ap, bool inside, size_t from, size_t to, struct word w);
