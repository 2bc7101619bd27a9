/* Turns knowledge/toolchains.yaml into a C table. */
#pragma once
#include "config/yaml.h"

/* Prints toolchains_table.c. Returns 0, or -1 and *e with the position and the error. */
int toolchains_print(struct arena *a, const struct yaml_file *f, struct err *e);
