/*
 * A fast parser for simple YAML, used by yaml_read(); see yaml_plain.c. Against libfyaml alone it saves 3 %
 * of a check whose policy has one line, and 23 % of one with 500 lines (bench/versus.py).
 */
#pragma once
#include "config/yaml.h"

/*
 * Parses f->bytes into f->root; false, with nothing changed, if the text is outside the subset. Leaves the
 * arena_run if the arena is full.
 */
bool yaml_plain(struct arena *a, struct yaml_file *f);
