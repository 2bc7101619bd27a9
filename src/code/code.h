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

#define CODE_TEXT_MAX ((size_t)2 << 20) /* longest code that is read */
#define CODE_NODES_MAX 4000000          /* most nodes of one tree that are walked */
#define CODE_DEPTH_MAX 200
#define CODE_MEMORY_MAX ((size_t)256 << 20) /* arena bytes for one text: half of a request's budget */

/* a command that the code starts; without text and argv: only the settings */
struct code_run {
	struct code_run *next;
	struct str text;         /* shell text, abstract */
	const struct word *argv; /* else: the program and its arguments */
	size_t argc;
	struct str cwd;          /* abstract */
	struct span at;          /* span in the snippet's text */
	/* all variables that the code sets for its child processes, unordered */
	const struct setting *settings;
};

/*
 * True if this module is in Python's standard library. A file of that name in the working directory shadows
 * it.
 */
bool code_python_module(struct str name);
/*
 * True if the awk program can neither run a command nor open a file of its own choice. Integers in it may be
 * unknown.
 */
bool code_awk_harmless(struct str text);
/* True if this language has a reader. */
bool code_knows(enum lang lang);
/*
 * Reads one snippet whose text is exact, and sets s->code. Appends to *f: the text of the code (so that its
 * spans can be shown), accesses, touches, and snippets that the code evaluates. *ret_runs receives the
 * commands for the shell reader. A full arena releases the parser's memory and leaves the caller's
 * arena_run().
 */
void code_read(struct arena *a, struct facts *f, struct snippet *s, const struct view *v,
		struct code_run **ret_runs);
