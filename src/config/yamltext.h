/*
 * YAML as text: puts one item into a list of a file that a person wrote, or takes it out, and leaves every other byte as it is.
 *
 * The nodes of yaml.h say where the list is. An edit is a few bytes at one place (a line of a block list, a few letters of a flow list, missing
 * keys above it). The new text is then read again: unless it holds exactly the old values and the item, the edit is not made. So a layout that is not
 * understood here is refused, and never damaged.
 */
#pragma once
#include "config/yaml.h"

#define YAMLTEXT_DEPTH_MAX 4 /* keys above a list */

/* The list at a dotted key; NULL: there is none, or it is empty. */
const struct ynode *yamltext_list(const struct yaml_file *f, const char *path);
/* The entry of a list that is this text, or a map in which one of prefix, command, test, rule, tool is; NULL: there is none. */
const struct ynode *yamltext_find(const struct ynode *list, struct str item);
/*
 * The text with the item at the end of the list (else at its front). -1: "name:line: ..." and what to write by hand. The item is one
 * line of printable text.
 */
int yamltext_add(struct arena *a, struct str name, struct str text, const char *path, struct str item, struct str *ret, struct err *e);
/* The text without the entry that is just this text. */
int yamltext_remove(struct arena *a, struct str name, struct str text, const char *path, struct str item, struct str *ret, struct err *e);
