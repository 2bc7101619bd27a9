/* Shared by parse.c, parse_simple.c and parse_test.c. */
#pragma once
#include "shell/lex.h"

struct syn_node *parse_node(struct parser *p, enum node_kind kind, size_t from);
struct syn_node *parse_test(struct parser *p, size_t from); /* after the "[[" */

/* ---- parse_simple.c ---- */
/* Sets of dialects, for the tables. */
enum { BASH = 1 << DIALECT_BASH, SH = 1 << DIALECT_SH, ZSH = 1 << DIALECT_ZSH, ALL = BASH | SH | ZSH };
struct syn_redir *parse_redirection(struct parser *p);              /* NULL if there is none here */
/* Adds the redirections in front of the next word to the list; returns the end of the list. */
struct syn_redir **parse_redirections(struct parser *p, struct syn_redir **list);
struct syn_assign *parse_assignment(struct parser *p);              /* NULL if there is none here */
/* True if the command takes assignments as arguments. */
bool parse_declares(const struct parser *p, const struct syn_word *w);
/* Parses an argument of such a command: a word that also has its form as an assignment. */
struct syn_word *parse_declared_word(struct parser *p);
