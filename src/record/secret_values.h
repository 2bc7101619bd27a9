/*
 * Secret values of environment variables: those of variables that look like credentials, or that the caller
 * names.
 */
#pragma once
#include "model/policy.h"

/* `also`: names of further variables. */
struct str *secret_values(struct arena *a, char *const *environ, const struct texts *also, size_t *ret_n);
