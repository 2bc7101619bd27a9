/* knowledge/secrets.yaml to the tables of result/redact_table.h. */
#pragma once
#include "config/yaml.h"

int secrets_print(struct arena *a, const struct yaml_file *f, struct err *e);
