/* The text of a git configuration: each of its settings, in order. The only reader of this format. */
#pragma once
#include "base/str.h"

#define GIT_CONFIG_MAX ((size_t)1 << 20) /* bytes of one file */

struct git_setting {
	struct str section, key; /* in lower case */
	struct str sub;          /* the name in quotes, without them; empty: none */
	struct str value;        /* without quotes and escapes; "true" where there is only a key */
};

typedef void git_setting_fn(void *ctx, const struct git_setting *s);
/* Calls fn for each setting. False: there is something in it that is not understood. Such a line is given to
 * fn as the value of "?.?". */
bool git_config_each(struct arena *a, struct str text, git_setting_fn *fn, void *ctx);
/* True for git's boolean texts: true, yes, on, or a number other than 0. */
bool git_config_true(struct str value);
