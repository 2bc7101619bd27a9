/*
 * The files that a git command changes in a working tree. Checkout, merge and similar commands run on the
 * host, where nothing can be undone. So the gate finds out first which files differ between the commits that
 * the words name. The world answers this (QUESTION_TREE).
 */
#pragma once
#include "gate/judge.h"

enum git_changes_state {
	GIT_CHANGES_NONE,    /* another command, or no file changes */
	GIT_CHANGES_UNKNOWN, /* any file of the working tree may change */
	/* the answer lists the differences between commits; uncommitted changes may be replaced, too */
	GIT_CHANGES_PARTLY,
	GIT_CHANGES_KNOWN,   /* exactly the listed files change, apart from files that do not matter */
	GIT_CHANGES_ASKED,   /* the world has not answered yet */
};

struct git_changes {
	enum git_changes_state state;
	bool followed; /* a command whose words are read here; for others NONE says nothing */
	/* UNKNOWN: why no answer can list the files; NULL: for no reason worth an ask */
	const char *blind;
	bool unnamed;      /* a word that names a commit is unknown */
	const struct tree_answer *answer; /* PARTLY, KNOWN; NULL: nothing changes */
	const struct str *paths;          /* only these and paths below them change; absolute, plain */
	size_t npaths;                    /* 0: all paths */
};

/* Finds the changes of a command that starts in the directory `start` (abstract text). */
void git_changes_of(struct judge *j, struct subject *s, struct str start, struct git_changes *ret);
/* True if the command changes this path of the answer. */
bool git_changes_touch(const struct git_changes *t, struct str path);
/* Raises protected-write for protected files that git commands change. */
void git_changes_check(struct judge *j);
