/*
 * A program to run and the walls around it. src/run builds a spec from a profile, the policies and the
 * caller's options. A backend enforces all of it or refuses to run; it never weakens a part.
 */
#pragma once
#include "model/identity.h"
#include "model/limits.h"
#include "model/network.h"
#include "model/policy.h"

/* Where local engines find what they mount: a directory of the user with this id, in memory (box/stage.h). */
#define SPEC_STAGE_MEMORY "/dev/shm/caisson-boxes-%u"

/* A cache of the person: a lower layer, below what boxes of this project wrote (spec.layer). */
enum spec_cache {
	CACHE_NOT,
	CACHE_PRIVATE, /* without an overlay: left out, since the project has its own */
	CACHE_ABSENT,  /* the person has none: left out unless the whole home is one overlay */
	CACHE_READ,    /* without an overlay: the person's directory, read-only */
};

struct spec_path { /* a file or directory of the host that is visible in the box */
	struct spec_path *next;
	struct str path;      /* absolute and resolved */
	/* path in the box, absolute and without links, possibly below the home; empty: the same path */
	struct str at;
	bool writable;
	enum spec_cache cache;
	struct str upper;     /* cache: its path in the upper layer */
};

static inline struct str spec_path_target(const struct spec_path *p) { return p->at.n ? p->at : p->path; }

struct spec_file { /* a text that is visible in the box as a file */
	struct spec_file *next;
	/* path in the box: below /caisson, or in the home, where the program may change it */
	struct str path;
	struct str text;
	bool executable;
	bool link;            /* a symbolic link with the target `text` */
};

struct spec_tmp_file { /* a file of the host's /tmp that is visible in the box at the same path */
	struct spec_tmp_file *next;
	struct str path;      /* absolute, below /tmp, without links */
	struct identity id;   /* the backend mounts exactly this file or refuses */
	bool writable;
};

/*
 * Directories of the box's PATH below this one hold stand-ins for programs that the box lacks; they only
 * print a message (run/search_path.h).
 */
#define SPEC_STAND_INS "/caisson/hidden/"

/* Directories of spec.root that the box replaces by its own: words with blanks between them. */
#define SPEC_ROOT_OWN "dev home proc run sys tmp"

struct spec_var {
	struct spec_var *next;
	struct str name, value;
};

struct spec {
	enum profile profile;
	char *const *argv;         /* argv[0] is searched in the box's PATH unless it has a slash */
	/* argv[0] is the shell of a command, and Caisson's choice: a stand-in is not meant */
	bool shell;
	struct spec_var *env;      /* the complete environment of the program */
	struct str cwd;            /* path in the box; empty: the workspace, or else the home */
	/* identity of `cwd`; not known for a directory of the box itself */
	struct identity cwd_id;
	struct str workspace;      /* absolute and resolved, at the same path in the box; empty: none */
	struct identity workspace_id; /* the backend mounts exactly this directory or refuses */
	bool workspace_writable;
	/*
	 * If the workspace is a linked worktree or a submodule: its git directory outside of it; else empty.
	 * It is visible at the same path and writable. Its configuration and hooks are protected like those
	 * of a repository in the workspace.
	 */
	struct str git_common;
	struct identity git_common_id;
	/*
	 * Existing paths in the box, absolute and without links: further read-only ones (`closed`) and
	 * unreadable ones (`hidden`).
	 */
	struct texts *closed, *hidden;
	/* paths relative to a writable workspace that stay read-only */
	struct texts *protected;
	struct str callers_home;   /* the person's; empty: not known */
	/* git configuration files outside any repository: the person's and the system's */
	struct texts *git_configs;
	/*
	 * STATE/quarantine/ID, created on demand, for files moved out of the workspace afterwards; empty:
	 * rename in place
	 */
	struct str quarantine;
	struct spec_path *paths;   /* further paths; a path comes after its parents */
	/* directory of the host that is mounted at /tmp; empty: /tmp is an empty scratch directory */
	struct str tmp;
	struct spec_tmp_file *tmp_files;
	struct texts *tmp_dirs;    /* directories below /tmp, without the host's content */
	/*
	 * STATE/caches/KEY/layers/N, which no other living box has: the upper layer of all caches among
	 * `paths` is in its `upper`, its `work` is empty. Empty: there is none, and each cache is as without
	 * an overlay. layer_lock is held as long as the box lives.
	 */
	struct str layer;
	int layer_lock;
	struct texts *cache_hidden; /* paths in the box that stay hidden in caches, where they exist */
	/* STATE/caches/KEY, where boxes of this project write caches, and its size; empty or 0: no limit */
	struct str caches;
	uint64_t caches_limit;
	struct spec_file *files;   /* the script, and the caller's identity for git */
	/* directory used as the root, read-only; empty: the host's system directories */
	struct str root;
	/*
	 * The digest of the image that `root` is; empty: it is none. Its files stay as long as image_lock is
	 * open, which the box holds.
	 */
	struct str image;
	int image_lock;
	/* home in the box: a scratch directory, empty except for `paths` */
	struct str home;
	struct limits limits;
	struct network_spec network;
	/*
	 * The network of another box, which this one enters: descriptors of its namespace and of the life
	 * line of its relay (-1: none); NULL: the box has its own.
	 */
	const int *joins;
	bool shares;               /* other boxes may enter the network of this one */
	bool ptrace;               /* programs of the box may trace each other (debuggers, leak search) */
	bool require_cgroup;       /* a cgroup must limit memory and processes, or the run is refused */
	bool refuse_watched;       /* the memory limit was requested explicitly: watching it is not enough */
	int input;                 /* descriptor for stdin; -1: empty input */
	/* directory on a disk for unnamed files with long output; NULL: any */
	const char *spool;
	/*
	 * STATE/boxes, created on demand, for what other engines than native mount; empty: one in /tmp. Local
	 * engines use SPEC_STAGE_MEMORY in its place where they can.
	 */
	struct str stage;
	bool background;           /* processes may outlive the program and the launcher (box_hold) */
	bool collects;             /* outcome.home is wanted */
	/*
	 * Only of a guess (box_prime()): starts in place of argv, inside of all walls, and waits for the
	 * arguments of a run, whose first two are those of argv (preload/). NULL: nothing starts ahead.
	 */
	char *const *preload;
	bool pass_through;         /* output is also copied to our stdout and stderr at once */
};
