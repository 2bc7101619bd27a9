/*
 * Locations of Caisson's own files: policies, trust store, state. state_paths() only builds names; the other
 * functions access the file system. An environment variable counts only if it is an absolute path.
 */
#pragma once
#include "model/policy.h"
#include "sys/path.h"

#define STATE_SYSTEM_POLICY "/etc/caisson/config.yaml"
#define FENCEPOST_FOLDER ".claude/fencepost/config"
#define FENCEPOST_FILE ".claude/fencepost.yaml"
#define FENCEPOST_FILES_MAX 256 /* files of one folder form */

struct state_env { /* values of environment variables, or NULL */
	const char *caisson_state, *xdg_state, *xdg_config;
};

struct state_paths { /* empty: unknown */
	struct str system_policy;
	struct str config_dir, user_policy;
	struct str state_dir, trust_store;
	struct str project_policy; /* set if there is a project */
};

/*
 * Returns the name of a project's own directories in the state directory (caches, /tmp): digits of a digest
 * of its resolved path.
 */
struct str state_project_key(struct arena *a, struct str path);
/* Reads the environment variables that name locations. */
struct state_env state_env(void);
void state_paths(struct arena *a, const struct state_env *env, struct str home, struct str project,
		struct state_paths *ret);
/*
 * Checks that this state directory may be used. Fails if it is inside the project, not the caller's, or
 * writable for others; for a missing directory, the same applies to the deepest existing parent. *ret is the
 * resolved directory.
 */
int state_check(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/* The same; creates the directory (0700) and its missing parents. */
int state_make(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/* The same for a caller whose memo already knows the directory. */
int state_make_known(struct path_memo *m, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/*
 * Lists fencepost's files below a directory (the project's root or the home directory), in the order in which
 * they are merged: the .yaml files of .claude/fencepost/config by name, or else .claude/fencepost.yaml. *ret
 * is NULL if there are none. A folder that is unreadable or has more than FENCEPOST_FILES_MAX files is an
 * error, since its rules may be the strict ones. Fencepost lets a project's files replace the user's; here
 * they are two policies, and trust decides (docs/policy.md).
 */
int fencepost_files(struct path_memo *m, struct str base, struct texts **ret, struct err *e);
/* Like state_make(); also creates a folder in it (0700). *ret is the folder's path. */
int state_folder(struct arena *a, struct str dir, struct str project, uint32_t uid, const char *folder,
		struct str *ret, struct err *e);
/* Checks that this open folder of the state belongs to the caller and that nobody else may write it. */
int state_folder_check(int fd, const char *path, uint32_t uid, struct err *e);
/*
 * Writes bytes to a new file DIR/FOLDER/NAME (0600), following no links. Creates the folder (0700) if it is
 * missing. *ret is the path.
 */
int state_keep(struct arena *a, struct str dir, const char *folder, struct str name, struct str bytes,
		struct str *ret, struct err *e);
