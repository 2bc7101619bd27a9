/*
 * Turns inline code into the same facts as the shell reader: Python and JavaScript by their grammars
 * (tree-sitter), PowerShell, awk, Perl, Ruby, PHP and Lua by parsers of our own. Pure.
 *
 * A language is a row of the table in tree.c: its name, its grammar if it has one, its reader. A command
 * without inline code touches nothing here. Text that the code passes to a shell, and programs that it
 * starts, are not followed here: they are returned as runs, which the engine passes to the shell reader.
 *
 * Soundness: `complete` is true only if every call in the text is known, by its qualified name, to have no
 * effect or the listed effects. Anything unrecognised makes it false, with a marker that says what and where.
 */
#pragma once
#include "model/facts.h"
#include "model/view.h"

#define CODE_TEXT_MAX ((size_t)2 << 20) /* longer code is not read */
#define CODE_NODES_MAX 4000000          /* nodes of one tree that are walked */
#define CODE_DEPTH_MAX 200
#define CODE_MEMORY_MAX ((size_t)256 << 20) /* of the arena, for one text: half of what a request may have */

/* something the code hands to a shell, or starts; without text and words: the settings alone */
struct code_run {
	struct code_run *next;
	struct str text;         /* for a shell; abstract text */
	const struct word *argv; /* else a program and its words */
	size_t argc;
	struct str cwd;          /* abstract */
	struct span at;          /* in the snippet's text */
	/* every variable that the code puts into the environment of programs, in any order */
	const struct setting *settings;
};

/* Is this a module of Python's own? A file of that name in the directory would be loaded instead. */
bool code_python_module(struct str name);
/* awk of which integers are not known: can it reach nothing but what it is given? */
bool code_awk_harmless(struct str text);
/* Is there a reader for this language? */
bool code_knows(enum lang lang);
/*
 * Reads one snippet whose text is exact, and sets s->code. Appends a text to f->texts (the code itself, so
 * that places in it can be shown), accesses, touches, and other snippets (code that the code evaluates).
 * *ret_runs is what is left for the shell reader. 0, or -1 when the arena is full; nothing of the parser is
 * lost then.
 */
int code_read(struct arena *a, struct facts *f, struct snippet *s, const struct view *v,
		struct code_run **ret_runs);
