/*
 * Everything that a judgement may know of the world. src/judge/world.c fills the view; pure code never does.
 * Every decision is recorded with its view, so that it can be replayed: a judgement depends only on (command,
 * view, policy).
 */
#pragma once
#include "base/str.h"

enum dialect { DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_POWERSHELL };

enum path_kind { PATH_ABSENT, PATH_FILE, PATH_DIR, PATH_LINK, PATH_DEVICE, PATH_OTHER, PATH_UNREADABLE };

/*
 * The result of stat and resolution of a path. Links are followed component by component. If the path does
 * not exist, its longest existing part is resolved and the rest is appended.
 */
struct path_answer {
	struct path_answer *next;
	struct str path;       /* from the question: absolute */
	enum path_kind kind;   /* kind of `path` itself; a final link is not followed */
	struct str place;      /* resolved except for a final link: where a delete or rename acts */
	/* fully resolved: where a read or write acts. Empty: a loop of links, or too many */
	struct str real;
	enum path_kind target; /* kind of `real` */
	uint32_t owner;        /* uid of `real`, if it exists */
	uint32_t links;        /* number of hard links of a file */
	/* group or others may write it, or, if it is absent, the directory that would hold it */
	bool shared;
	/* absent: boxes of the project have it, or its directory, in their /tmp. A directory: they have files
	 * in it, and can be shown those of the host */
	bool kept;
};

struct glob_answer {
	struct glob_answer *next;
	struct str pattern;    /* from the question: absolute, as the shell would expand it */
	struct str *matches;   /* in order */
	size_t nmatches;
	bool more;             /* more matches exist than are listed */
	bool kept;             /* it matches files of boxes, as in path_answer */
};

struct git_item {
	struct git_item *next;
	struct str name, text;
};

/*
 * The project's hooks and programs that git would run in a directory. Those of the person and of the system
 * are not listed.
 */
struct git_answer {
	struct git_answer *next;
	struct str dir;        /* from the question: absolute */
	bool found;            /* the directory is in a repository */
	/* its configuration cannot be read or understood: it may name any program */
	bool unclear;
	bool signs_commits, signs_tags;
	struct str top;        /* working tree, resolved; empty: none */
	struct git_item *hooks;    /* name and file */
	struct git_item *programs; /* setting ("filter.x.clean") and command */
	/*
	 * Name and address (without a password) of remotes over HTTPS or SSH that were there when the session
	 * began, or are there if there is no session.
	 */
	struct git_item *remotes;
	bool other_remotes;        /* there may be others */
	bool submodules;           /* a fetch may go on in submodules, from remotes of theirs */
	bool redirected;           /* its settings may lead remotes elsewhere, add data, or run something */
	bool partial;              /* git fetches missing objects from some remote */
	bool local_upstream;       /* a branch merges another one of this repository by default */
	bool path_remotes;         /* a remote has a name like a path: "../b" would mean its address */
};

/*
 * Changes of a working tree by git whose names are known in advance, from the commits that the operands name.
 */
enum git_change {
	GIT_CHANGE_CHECKOUT,   /* switches to a commit: checkout, switch, reset, restore --source */
	GIT_CHANGE_MERGE,      /* changes of a commit since the common ancestor */
	GIT_CHANGE_PICK,       /* changes of single commits: cherry-pick, revert */
	GIT_CHANGE_STASH,      /* changes in a stash */
	GIT_CHANGE_REVERT,     /* removal of uncommitted changes: git stash */
	GIT_CHANGE_STASH_BRANCH, /* switch to the base commit of a stash, plus its changes */
};

enum git_touch_kind { GIT_TOUCH_FILE, GIT_TOUCH_LINK, GIT_TOUCH_REPOSITORY, GIT_TOUCH_DELETE };

struct git_touch {             /* a name that a git change writes or deletes */
	struct git_touch *next;
	enum git_touch_kind kind;
	struct str path;       /* absolute */
};

/*
 * The names that a git change touches, restricted to those that may matter: links, nested repositories
 * (submodules), names that `keep` matches, names with a component that starts with a dot or a dash, and names
 * that a repository consists of.
 */
struct tree_answer {
	struct tree_answer *next;
	struct str dir;        /* the question: `dir`, `change`, `revs` and `keep` */
	enum git_change change;
	struct str revs;       /* separated by blanks */
	struct str keep;       /* patterns of protected paths, one per line */
	bool known;            /* false: the names cannot be determined */
	bool more;             /* more names exist than are listed */
	struct git_touch *touched;
};

static inline bool tree_same(const struct tree_answer *a, const struct tree_answer *b)
{
	return a->change == b->change && str_eq(a->dir, b->dir) && str_eq(a->revs, b->revs) &&
			str_eq(a->keep, b->keep);
}

struct root {              /* a writable directory, or a workspace */
	struct root *next;
	struct str path;       /* resolved */
};

struct classified { /* the answer of the person's classifier: a part of the world like a path */
	bool asked;
	struct str verdict;    /* "deny", "contain", "allow"; empty: no answer */
	struct str said;       /* explanation, or why there is no answer */
};

/* Workspaces where boxed programs ran or still run, and the search for planted files is not finished. */
struct unvetted {
	struct root *workspaces; /* resolved when the box was created */
	bool everywhere;         /* the list is incomplete */
	bool marked;             /* there are marks, maybe of workspaces that are gone */
};

#define VIEW_PORTS_MAX 32

/* Ports on which boxes of the project listen, in the network that its other boxes share. */
struct box_ports {
	uint16_t at[VIEW_PORTS_MAX];
	size_t n;
};

struct view {
	struct str cwd;  /* absolute; empty: not known */
	struct str home; /* $HOME if it is a directory of the user, else from the password database */
	struct str user;
	struct str entry_home; /* home in the user's password entry, regardless of HOME; valid if has_entry */
	bool has_entry;
	uint32_t uid;
	struct str project;    /* root of the project, resolved; empty: none */
	struct root *roots;    /* all writable roots, including the project's */
	struct str config_dir, state_dir; /* Caisson's own directories, resolved; empty: not known */
	struct str program;    /* Caisson's executable */
	struct str tmp;        /* $TMPDIR or /tmp */
	bool closed;           /* no more answers will come: judge by the existing ones */
	struct path_answer *paths, **paths_end;
	struct glob_answer *globs, **globs_end;
	struct git_answer *gits;   /* unordered */
	struct tree_answer *trees;
	struct classified classified;
	/*
	 * Stat cache (sys/path.h) of this request, for policies, judgement and record. NULL: none, or a wait
	 * made it old.
	 */
	struct path_memo *memo;
	const struct remembered *remembered; /* roots that were found before (sys/remembered.h), or NULL */
	bool fold_case;        /* the project's file system is case-insensitive: .GIT is .git */
	struct unvetted unvetted;
	struct box_ports box_ports;
	/*
	 * The caller's PATH up to its last directory in a writable root, resolved: boxes of the project write
	 * there. NULL: no directory of the PATH is in one.
	 */
	struct root *search;
	/* addresses of the remotes when the session began, if there is one; see git_answer.remotes */
	bool in_session;
	const struct git_item *session_remotes;
	/*
	 * fold_case, program, tmp, unvetted, box_ports and search are not filled in; only a judgement needs
	 * them
	 */
	bool places;
};
