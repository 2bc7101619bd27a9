/* Turns knowledge/caches.yaml into a C table. */
#pragma once
#include "config/yaml.h"

/* Prints caches_table.c. Returns 0, or -1 and *e with the position and the error. */
int caches_print(struct arena *a, const struct yaml_file *f, struct err *e);
