/*
 * The changes that git makes in a working tree. Checkout, merge and the like run on the host, where nothing
 * is undone. So the changes are found out first, from the commits that the words name. The world answers
 * (QUESTION_TREE).
 */
#pragma once
#include "gate/judge.h"

enum git_changes_state {
	GIT_CHANGES_NONE,    /* the command is none of those, or changes no file */
	GIT_CHANGES_UNKNOWN, /* any name of the working tree may change */
	/*
	 * the answer lists what differs between commits; changes that are not committed may be replaced, too
	 */
	GIT_CHANGES_PARTLY,
	GIT_CHANGES_KNOWN,   /* exactly what the answer lists changes, and other files that do not matter */
	GIT_CHANGES_ASKED,   /* the world has not answered yet */
};

struct git_changes {
	enum git_changes_state state;
	bool followed; /* one of the commands whose words are read here; of others NONE says nothing */
	/* UNKNOWN: why no answer can tell the names; NULL: for no reason that a request is asked about */
	const char *blind;
	bool unnamed;      /* a word that names a commit is not known */
	const struct tree_answer *answer; /* PARTLY, KNOWN; NULL: nothing changes */
	const struct str *paths;          /* only these change, and what lies below them: absolute, plain */
	size_t npaths;                    /* 0: all */
};

/* `start` is the directory, abstract, that the command is started in. */
void git_changes_of(struct judge *j, struct subject *s, struct str start, struct git_changes *ret);
/* Does the change touch this path, which the answer lists? */
bool git_changes_touch(const struct git_changes *t, struct str path);
/* Protected names that such a command changes: protected-write. */
void git_changes_check(struct judge *j);
