/*
 * Environment variables that make a harmless program do something else: run other code, load other files,
 * talk to another place.
 */
#pragma once
#include "model/facts.h"

/*
 * By its name alone. Letters count in either case: zsh ties `path` to PATH, and proxies and npm's settings
 * are read in both.
 */
bool leading_variable_is_dangerous(struct str name);
/* The same, but PAGER=cat, EDITOR=true and their kin, which switch something off, are harmless. */
bool leading_variable_matters(const struct setting *s);
