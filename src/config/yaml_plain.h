/* A quick reader for plain YAML, used by yaml_read(); see yaml_plain.c. */
#pragma once
#include "config/yaml.h"

/* Reads f->bytes into f->root; false, with nothing changed, when the text is not of the plain kind. Leaves the arena_run when the arena is full. */
bool yaml_plain(struct arena *a, struct yaml_file *f);
