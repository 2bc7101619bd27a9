/*
 * One package manager of this machine: is it there, and which hosts does its configuration name? See
 * registries.h.
 */
#pragma once
#include "knowledge/registry_rows.h"
#include "run/run.h"
#include "sys/path.h"

struct registry_tools { /* set the first four; zero the rest */
	struct arena *a;
	const struct run_world *world; /* NULL: no tool is there */
	bool again;                    /* ask even if an answer is kept */
	struct texts **notes;          /* sentences about tools that could not be asked are added here */
	bool opened;
	struct path_memo memo;
	struct run run;                /* of the box in which tools are asked */
	struct run_request request;
	struct str path;               /* directories in which programs are looked for, as in $PATH */
	struct err why;                /* why there is no such box; text empty: there is */
};

/* True if a program of this tool is installed outside the project. */
bool registry_tool_exists(struct registry_tools *t, const struct registry_row *row);
/* The hosts that the configuration of the tool names, as HOST or HOST:PORT; none if it cannot be asked. */
struct texts *registry_tool_hosts(struct registry_tools *t, const struct registry_row *row);

/* Adds a sentence to the notes, once. */
void registry_note(struct registry_tools *t, struct str text);

/* registry_ask.c */
/*
 * True if this resolved path lies in the project, or in any place that boxes could write: programs and files
 * there are not the person's.
 */
bool registry_foreign(const struct run_world *w, struct str real);
/* Prepares the box. A failure is noted in t->why. */
void registry_open(struct registry_tools *t);
/* The resolved path of an installed program, or empty. */
struct str registry_program(struct registry_tools *t, struct str name);
/*
 * The resolved path of a configuration file or directory (REGISTRY_CONFIG, REGISTRY_READ), or empty if there
 * is none, or if it is foreign. *ret_at is its place: an absolute path, with links.
 */
struct str registry_file(struct registry_tools *t, struct str word, struct str *ret_at);
/* The same for the files in a directory, or the file itself; resolved. -1 if not all can be known. */
int registry_files(struct registry_tools *t, struct str word, struct texts **ret, struct err *e);
/* Asks the tool, and reads the files of REGISTRY_READ. -1 and *e if that is not possible. */
int registry_ask(struct registry_tools *t, const struct registry_row *row, struct texts **ret, struct err *e);
