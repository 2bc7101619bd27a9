/*
 * Everything that a judgement may know of the world. Filled by src/judge/world.c, never by pure code, and
 * recorded with every decision, so that it can be replayed: a judgement depends only on (command, view,
 * policy).
 */
#pragma once
#include "base/str.h"

enum dialect { DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_POWERSHELL };

enum path_kind { PATH_ABSENT, PATH_FILE, PATH_DIR, PATH_LINK, PATH_DEVICE, PATH_OTHER, PATH_UNREADABLE };

/*
 * The answer about a path. Links are followed component by component. If the path does not exist, its longest
 * existing part is resolved and the rest is appended.
 */
struct path_answer {
	struct path_answer *next;
	struct str path;       /* as asked: absolute */
	enum path_kind kind;   /* of the path itself, a final link not followed */
	struct str place;      /* resolved, but for a final link: where a delete or rename acts */
	/* resolved to the end: where a read or write acts. Empty: links in a circle, or too many */
	struct str real;
	enum path_kind target; /* of `real` */
	uint32_t owner;        /* of `real`, when it exists */
	uint32_t links;        /* hard links, when it is a file */
	/* group or others may write it, or (of what is absent) the directory it would be made in */
	bool shared;
};

struct glob_answer {
	struct glob_answer *next;
	struct str pattern;    /* as asked: absolute, as the shell would expand it */
	struct str *matches;   /* in order */
	size_t nmatches;
	bool more;             /* there are more than are listed */
};

struct git_item {
	struct git_item *next;
	struct str name, text;
};

/*
 * The hooks and programs of the project that git would run in a directory. Those of the person or of the
 * system are not listed.
 */
struct git_answer {
	struct git_answer *next;
	struct str dir;        /* as asked: absolute */
	bool found;            /* there is a repository */
	/* its configuration is not understood, or cannot be read: it may name any program */
	bool unclear;
	bool signs_commits, signs_tags;
	struct str top;        /* its working tree, resolved; empty: none */
	struct git_item *hooks;    /* name, and the file */
	struct git_item *programs; /* setting ("filter.x.clean"), and the command */
};

/*
 * Changes of a working tree by git whose names can be known in advance: by the commits that the operands
 * name.
 */
enum git_change {
	GIT_CHANGE_CHECKOUT,   /* to a commit: checkout, switch, reset, restore --source */
	GIT_CHANGE_MERGE,      /* what a commit has since the common ancestor */
	GIT_CHANGE_PICK,       /* what the commits changed: cherry-pick, revert */
	GIT_CHANGE_STASH,      /* what a stash holds */
	GIT_CHANGE_REVERT,     /* what is not committed goes: git stash */
	GIT_CHANGE_STASH_BRANCH, /* to the commit that a stash was made on, and what it holds */
};

enum git_touch_kind { GIT_TOUCH_FILE, GIT_TOUCH_LINK, GIT_TOUCH_REPOSITORY, GIT_TOUCH_DELETE };

struct git_touch {             /* a name that such a change writes or deletes */
	struct git_touch *next;
	enum git_touch_kind kind;
	struct str path;       /* absolute */
};

/*
 * Only names that may matter are listed: links, repositories inside (submodules), names that `keep` matches,
 * names with a component that starts with a dot or a dash, and names that a repository consists of.
 */
struct tree_answer {
	struct tree_answer *next;
	struct str dir;        /* as asked, with what follows: the question */
	enum git_change change;
	struct str revs;       /* separated by blanks */
	struct str keep;       /* patterns of protected paths, one on each line */
	bool known;            /* else nothing can be said */
	bool more;             /* there are more names than are listed */
	struct git_touch *touched;
};

static inline bool tree_same(const struct tree_answer *a, const struct tree_answer *b)
{
	return a->change == b->change && str_eq(a->dir, b->dir) && str_eq(a->revs, b->revs) &&
			str_eq(a->keep, b->keep);
}

struct root {              /* a directory that may be written, or a workspace */
	struct root *next;
	struct str path;       /* resolved */
};

struct classified { /* what the person's classifier answered: as much a part of the world as a path is */
	bool asked;
	struct str verdict;    /* "deny", "contain", "allow"; empty: no answer */
	struct str said;       /* in words, or why there is no answer */
};

/* Workspaces where programs ran in boxes, or still do, and the search for what they planted is not over. */
struct unvetted {
	struct root *workspaces; /* resolved, when the box was made */
	bool everywhere;         /* not all of them are known */
};

struct view {
	struct str cwd;  /* absolute, or empty when not known */
	struct str home; /* from the password database */
	struct str user;
	struct str entry_home; /* of the user's entry there, whatever HOME says; counts with has_entry */
	bool has_entry;
	uint32_t uid;
	struct str project;    /* the project's root, resolved; empty: none */
	struct root *roots;    /* all writable roots, the project's among them */
	struct str config_dir, state_dir; /* caisson's own, resolved; empty when not known */
	struct str program;    /* caisson itself */
	struct str tmp;        /* $TMPDIR, or /tmp */
	bool closed;           /* no more answers will come: judge by what is there */
	struct path_answer *paths, **paths_end;
	struct glob_answer *globs, **globs_end;
	struct git_answer *gits;   /* in any order */
	struct tree_answer *trees;
	struct classified classified;
	/*
	 * the directories that were looked at for this (sys/path.h). For who goes on looking at once, and for
	 * nobody later; may be NULL
	 */
	struct path_memo *memo;
	const struct remembered *remembered; /* roots that were seen before (sys/remembered.h); may be NULL */
	bool fold_case;        /* the file system of the project takes .GIT for .git */
	bool boxed;            /* a box is available, so that contain means something */
	struct unvetted unvetted;
	/* fold_case, program, tmp and unvetted are not filled in: only a judgement needs them */
	bool places;
	bool agent;            /* the command comes from an agent, not from the person at the terminal */
};
