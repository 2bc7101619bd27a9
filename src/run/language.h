/* The languages that `caisson run` can start: names, interpreters, extensions. */
#pragma once
#include "base/str.h"
#include "model/view.h"

enum run_language {
	LANGUAGE_UNKNOWN, /* not given: the script tells it */
	LANGUAGE_BASH, LANGUAGE_SH, LANGUAGE_ZSH, LANGUAGE_PYTHON, LANGUAGE_NODE, LANGUAGE_PERL,
	LANGUAGE_RUBY, LANGUAGE_PHP, LANGUAGE_LUA, LANGUAGE_R, LANGUAGE_POWERSHELL, LANGUAGES
};

struct language {
	char names[5][12];         /* names for --lang and shebangs; the first is the canonical one */
	char program[12];
	char flag[12];             /* options before code on the command line */
	char ends[4][8];           /* file name extensions */
	bool shell;                /* the code is shell text */
	enum dialect dialect;
};

const struct language *language_row(enum run_language l); /* NULL for LANGUAGE_UNKNOWN */
const char *language_name(enum run_language l);           /* the canonical name; NULL for LANGUAGE_UNKNOWN */
enum run_language language_find(struct str name);         /* LANGUAGE_UNKNOWN: no language has this name */
enum run_language language_of_dialect(enum dialect d);
/* The language of a script, by its name or its first line; NULL: not known. */
const struct language *language_by_ending(struct str path);
const struct language *language_by_shebang(struct str text);
