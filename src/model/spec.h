/*
 * What is to run, and within which walls. Made by engine from a profile, the policies and the caller's wishes; a backend enforces all of it
 * or refuses, it never weakens any of it.
 */
#pragma once
#include "model/policy.h"

enum profile { PROFILE_EXEC, PROFILE_WORK };
enum network { NETWORK_DENY, NETWORK_HOST };

/* All but cpu_ms are always set; 0 there is no limit besides the wall clock's. */
struct limits {
	uint32_t cpu_milli;   /* thousandths of a CPU */
	uint32_t pids;
	uint64_t memory;      /* bytes, of all processes together, swap and scratch included */
	uint64_t scratch;     /* bytes of /tmp, the home and /dev/shm together */
	uint64_t output;      /* bytes of each stream */
	uint64_t time_ms;     /* wall clock */
	uint64_t cpu_ms;      /* CPU time of all processes together */
};

struct spec_path { /* a file or directory of the host that is seen in the box, at the same path */
	struct spec_path *next;
	struct str path;      /* absolute and resolved */
	bool writable;
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
	struct str workspace;      /* absolute and resolved; empty: none. Seen at the same path */
	bool workspace_writable;
	struct texts *protected;   /* paths relative to the workspace that stay as they are although it is writable */
	struct str quarantine;     /* directory for what is moved out of the workspace afterwards, made when needed; empty: renamed in place */
	struct spec_path *paths;   /* besides */
	struct str root;           /* a directory whose content is the root, read-only; empty: the host's system directories */
	struct str home;           /* where the home is in the box: an empty directory of the scratch */
	struct limits limits;
	enum network network;
	bool require_cgroup;       /* memory and processes must be limited by a cgroup */
	int input;                 /* descriptor for standard input; -1: empty */
	bool pass_through;         /* output also goes to our own standard output and error at once */
};

#define MB ((uint64_t)1 << 20)
