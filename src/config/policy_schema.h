/*
 * The JSON Schema of a policy file, for editors. The column `shape` of a key is a list of words
 * ("allow|ask|deny") or "$" and the name of a row in knowledge/policy/shapes.yaml.
 */
#pragma once
#include "config/config.h"
#include "config/yaml.h"

/* Appends the schema. Fails only if shapes.yaml is broken. */
int config_schema(struct arena *a, struct buf *b, struct err *e);
/* Reads shapes.yaml. */
int config_shapes(struct arena *a, struct yaml_file *ret, struct err *e);
/* The shape of a key in a few words: "allow, ask or deny", "a list of texts". */
const char *config_shape_text(struct arena *a, const struct yaml_file *shapes, const struct config_key *k);
/* Appends a node as JSON; a plain scalar becomes a number, a truth value or null if it looks like one. */
void config_put_json(struct buf *b, const struct ynode *n);
