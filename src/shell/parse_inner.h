/* Between parse.c and parse_test.c. */
#pragma once
#include "shell/lex.h"

struct syn_node *parse_node(struct parser *p, enum node_kind kind, size_t from);
struct syn_node *parse_test(struct parser *p, size_t from); /* past the "[[" */
