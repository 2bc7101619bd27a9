/* What the judge may know of the world (CONTRACTS.md, "View"). Filled by engine, never by pure code. */
#pragma once
#include "base/str.h"

enum dialect { DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_POWERSHELL };

struct view {
	struct str cwd;  /* absolute, or empty when not known */
	struct str home; /* from the password database */
	struct str user;
};
