/*
 * Environment variables that make a harmless program do something else: run other code, load other files,
 * talk to another host.
 */
#pragma once
#include "model/facts.h"

/*
 * Decides by name alone, in either case: zsh ties `path` to PATH, and programs read proxy and npm settings in
 * both.
 */
bool leading_variable_is_dangerous(struct str name);
/* The same, except that PAGER=cat, EDITOR=true and the like, which switch something off, are harmless. */
bool leading_variable_matters(const struct setting *s);
