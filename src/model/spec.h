/*
 * A program to run, and its walls. Made by src/run from a profile, the policies and the caller's options; a
 * backend enforces all of it or refuses, it never weakens any of it.
 */
#pragma once
#include "model/identity.h"
#include "model/limits.h"
#include "model/network.h"
#include "model/policy.h"

struct spec_path { /* a file or directory of the host that is seen in the box */
	struct spec_path *next;
	struct str path;      /* absolute and resolved */
	/* where it is seen, absolute and without links; empty: at the same path. It may lie below the home */
	struct str at;
	bool writable;
};

struct spec_file { /* a text that is seen in the box as a file */
	struct spec_file *next;
	/* in the box: below /caisson, or a name in the home, where the program may change it */
	struct str path;
	struct str text;
	bool link;            /* a symbolic link, and `text` is where it leads to */
};

struct spec_var {
	struct spec_var *next;
	struct str name, value;
};

struct spec {
	enum profile profile;
	char *const *argv;         /* the first is looked up in the box's PATH unless it has a slash */
	struct spec_var *env;      /* the whole environment of the program */
	struct str cwd;            /* in the box; empty: the workspace, else the home */
	/* the directory that the program starts in; not known where that is the box's own */
	struct identity cwd_id;
	struct str workspace;      /* absolute and resolved; empty: none. Seen at the same path */
	struct identity workspace_id; /* exactly this directory is mounted, or nothing runs */
	bool workspace_writable;
	/*
	 * The workspace is a linked worktree: the git directory that it shares, outside of it. Seen at the
	 * same path and writable; its configuration and hooks are protected as those of a repository in the
	 * workspace. Empty: none.
	 */
	struct str git_common;
	struct identity git_common_id;
	/*
	 * Existing parts of the box, absolute and without links: those that are read-only besides, and those
	 * that cannot be read.
	 */
	struct texts *closed, *hidden;
	/* paths relative to the workspace that stay as they are although it is writable */
	struct texts *protected;
	struct str callers_home;   /* the person's; empty: not known */
	/* configurations of git outside of any repository: the person's and the system's */
	struct texts *git_configs;
	/*
	 * STATE/quarantine/ID, made when needed: for what is moved out of the workspace afterwards; empty:
	 * renamed in place
	 */
	struct str quarantine;
	struct spec_path *paths;   /* besides; one that lies below another comes after it */
	struct spec_file *files;   /* the script, git's idea of who the caller is */
	/* a directory whose content is the root, read-only; empty: the host's system directories */
	struct str root;
	/* where the home is in the box: a directory of the scratch, empty but for `paths` */
	struct str home;
	struct limits limits;
	struct network_spec network;
	bool require_cgroup;       /* memory and processes must be limited by a cgroup */
	bool refuse_watched;       /* the memory limit was asked for: it must be enforced, not just watched */
	int input;                 /* descriptor for standard input; -1: empty */
	/* a directory on a disk for output that is too long for memory: files without a name; NULL: any */
	const char *spool;
	bool pass_through;         /* output also goes to our own standard output and error at once */
};
