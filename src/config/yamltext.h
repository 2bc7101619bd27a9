/*
 * Edits YAML as text: adds one item to a list in a file that a person wrote, or removes it, and leaves every
 * other byte as it is.
 *
 * The nodes of yaml.h locate the list. An edit changes a few bytes at one position (a line of a block list,
 * an entry of a flow list, missing keys above it). The new text is then parsed: unless it holds exactly the
 * old values and the item, the edit is rejected. So an unsupported layout is refused, never damaged.
 */
#pragma once
#include "config/yaml.h"

#define YAMLTEXT_DEPTH_MAX 4 /* keys above a list */

/* The list at a dotted key; NULL: missing or empty. */
const struct ynode *yamltext_list(const struct yaml_file *f, const char *path);
/* The list entry that is this text, or a map whose prefix, command, test, rule or tool is; NULL: none. */
const struct ynode *yamltext_find(const struct ynode *list, struct str item);
/*
 * The text with the item at the end of the list (or at its front). -1: "name:line: ..." and the line to write
 * by hand. The item is one line of printable text.
 */
int yamltext_add(struct arena *a, struct str name, struct str text, const char *path, struct str item,
		struct str *ret, struct err *e);
/* The text without the entry that equals this text. */
int yamltext_remove(struct arena *a, struct str name, struct str text, const char *path, struct str item,
		struct str *ret, struct err *e);
