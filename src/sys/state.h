/*
 * Where caisson's own files are: policies, trust store, state. state_paths() only makes names; the others
 * look. A variable of the environment counts when it is an absolute path.
 */
#pragma once
#include "model/policy.h"
#include "sys/path.h"

#define STATE_SYSTEM_POLICY "/etc/caisson/config.yaml"
#define FENCEPOST_FOLDER ".claude/fencepost/config"
#define FENCEPOST_FILE ".claude/fencepost.yaml"
#define FENCEPOST_FILES_MAX 256 /* files of one folder form */

struct state_env { /* values of the environment, or NULL */
	const char *caisson_state, *xdg_state, *xdg_config;
};

struct state_paths { /* empty: not known */
	struct str system_policy;
	struct str config_dir, user_policy;
	struct str state_dir, trust_store;
	struct str project_policy; /* needs a project */
};

/* Locations named by the environment. */
struct state_env state_env(void);
void state_paths(struct arena *a, const struct state_env *env, struct str home, struct str project,
		struct state_paths *ret);
/*
 * May this state directory be used? Looks at it. Refused: inside the project, not the caller's, or others may
 * write it; when it does not exist yet the same is asked of the directory it would be made in. *ret is the
 * resolved directory.
 */
int state_check(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/* The same, and makes the directory (0700) and those above it that are missing. */
int state_make(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/* The same for who has just looked at it with this memo. */
int state_make_known(struct path_memo *m, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e);
/*
 * The files in fencepost's own places below one directory (the project's root, or the home directory), in the
 * order in which they are merged: the .yaml files of .claude/fencepost/config, by name, when there are any,
 * else .claude/fencepost.yaml. *ret is NULL when there are none. A folder that exists and cannot be read, or
 * has more than FENCEPOST_FILES_MAX files, is an error: its rules may be the strict ones. Fencepost lets a
 * project's files replace the user's; here they are two policies, and trust decides (docs/policy.md).
 */
int fencepost_files(struct path_memo *m, struct str base, struct texts **ret, struct err *e);
/* state_make(), and a folder in it (0700). *ret is the folder's path. */
int state_folder(struct arena *a, struct str dir, struct str project, uint32_t uid, const char *folder,
		struct str *ret, struct err *e);
/* Is this open folder of the state the caller's, and may nobody else write to it? */
int state_folder_check(int fd, const char *path, uint32_t uid, struct err *e);
/*
 * Keeps bytes in DIR/FOLDER/NAME (0600): a new file, no link is followed. The folder is made when it is not
 * there (0700). *ret is the path.
 */
int state_keep(struct arena *a, struct str dir, const char *folder, struct str name, struct str bytes,
		struct str *ret, struct err *e);
