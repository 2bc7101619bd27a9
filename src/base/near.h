/* The known word that is most similar to a mistyped one, for "did you mean". */
#pragma once
#include "base/str.h"

struct near {
	struct str word;   /* as it was typed; a long or empty one gets no guess */
	const char *best;  /* NULL: no candidate is similar */
	size_t distance;   /* edits between the two; only if there is a best */
};

/* Takes the candidate if it is similar, and more so than the best so far. The text must outlive *n. */
void near_try(struct near *n, const char *candidate);
/* ", did you mean 'best'", or `otherwise` if there is none. Lives in the arena. */
const char *near_text(struct arena *a, const struct near *n, const char *otherwise);
