/* A fast parser for simple YAML, used by yaml_read(); see yaml_plain.c. */
#pragma once
#include "config/yaml.h"

/*
 * Parses f->bytes into f->root; false, with nothing changed, if the text is outside the subset. Leaves the
 * arena_run if the arena is full.
 */
bool yaml_plain(struct arena *a, struct yaml_file *f);
