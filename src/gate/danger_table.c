/*
 * The table of dangerous commands, generated from danger_rows.h. The texts of all rows form one block, and a
 * row holds offsets into it: pointers would have to be relocated at each start of the program.
 */
#include <stddef.h>

#include "gate/danger.h"

#define GLUE(a, b) a##b
#define ROW_OF(line) GLUE(row_, line)
#define ROW ROW_OF(__LINE__)

static const struct danger_texts {
#define DANGER(c, w, o, p, x, m, a) \
	struct { \
		char command[sizeof(w)], options[sizeof(o)], operands[sizeof(p)], except[sizeof(x)], \
			message[sizeof(m)], alternative[sizeof(a)]; \
	} ROW;
#include "gate/danger_rows.h"
#undef DANGER
} texts = {
#define DANGER(c, ...) {__VA_ARGS__},
#include "gate/danger_rows.h"
#undef DANGER
};

#define AT(field) offsetof(struct danger_texts, ROW.field)

const struct danger danger_rows[] = {
#define DANGER(c, w, ...) \
	{CHECK_##c, AT(command), AT(options), AT(operands), AT(except), AT(message), AT(alternative)},
#include "gate/danger_rows.h"
#undef DANGER
};

const char danger_firsts[] = {
#define DANGER(c, w, ...) (w)[0],
#include "gate/danger_rows.h"
#undef DANGER
};

const size_t danger_nrows = ARRAY_SIZE(danger_rows);

_Static_assert(sizeof(texts) <= UINT16_MAX, "every text can be pointed to");
_Static_assert(CHECK_IDS <= UINT8_MAX, "a row has room for its check");

const char *danger_text(uint16_t at) { return (const char *)&texts + at; }
