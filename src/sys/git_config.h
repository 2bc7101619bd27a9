/* Parser for git configuration files: yields each setting in order. The only parser of this format. */
#pragma once
#include "base/str.h"

#define GIT_CONFIG_MAX ((size_t)1 << 20) /* bytes of one file */

struct git_setting {
	struct str section, key; /* lower case */
	struct str sub;          /* subsection without its quotes; may be empty */
	struct str value;        /* without quotes and escapes; "true" for a key without a value */
	struct str line;         /* its bytes in the text: without blanks, and without a header before it */
};

typedef void git_setting_fn(void *ctx, const struct git_setting *s);
/*
 * Calls fn for each setting. Returns false if the parser does not understand a line; fn gets that line as the
 * value of "?.?".
 */
bool git_config_each(struct arena *a, struct str text, git_setting_fn *fn, void *ctx);
/* True for "true", "yes", "on" and "1". */
bool git_config_true(struct str value);
/* True for "false", "no", "off" in any case, and for "0". Git takes TRUE, 2 and 1k for true. */
bool git_config_false(struct str value);
