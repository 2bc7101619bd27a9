/* Bakes knowledge/variables.yaml into a table. */
#pragma once
#include "config/yaml.h"

/* Prints variables_table.c. 0, or -1 with the place and what is wrong there. */
int variables_print(struct arena *a, const struct yaml_file *f, struct err *e);
