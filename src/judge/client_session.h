/*
 * The part of a client's session that outlives one event: its project. The first event of a session pins the
 * project by path, device and inode. Later events use the pinned project: changes to `.git/HEAD`, a nested
 * `git init` or links do not move it.
 *
 * File: STATE/sessions/HASH.json (0600). HASH is the SHA-256 of client and session id, so no client text
 * becomes a file name. A sweep removes sessions without an event for CLIENT_SESSION_AGE_S.
 */
#pragma once
#include "model/identity.h"
#include "model/tmp_name.h"

#define CLIENT_SESSION_ROOTS_MAX 16
#define CLIENT_SESSION_AGE_S (7 * 86400)
#define CLIENT_SESSION_FRESH_S 3600            /* older values of `last` are rewritten */
#define CLIENT_SESSION_IDLE_S 86400            /* without an event for longer: its client is gone */
#define CLIENT_SESSION_SWEEP_MAX 4096          /* directory entries visited by a sweep */
#define CLIENT_SESSION_BYTES_MAX ((size_t)256 << 10)

struct client_session {
	struct str client, id;
	struct str boot;                        /* boot id when `roots` were examined */
	struct directory roots[CLIENT_SESSION_ROOTS_MAX]; /* roots[0]: the project pinned at the start */
	size_t n;
	/* addresses (`text`) of the remotes of the roots' repositories, when each became a root */
	struct git_item *remotes;
	struct tmp_name *tmp;                   /* files in the host's /tmp that the session wrote */
	int64_t started, last;                  /* Unix time, seconds */
	int64_t ended;                          /* the client said that it ended; 0: it goes on */
};

/*
 * Returns 1 and *ret for a known session, 0 for a new one, -1 and *e if the file cannot be relied on: then
 * nothing may run.
 */
int client_session_read(struct arena *a, struct str state, struct str client, struct str id, uint32_t uid,
		 struct client_session *ret, struct err *e);
/*
 * Writes the session's file below `state`, an existing and checked directory. Replaces an old file, but with
 * `fresh` an existing file is an error (another event won the race).
 */
int client_session_write(struct arena *a, struct str state, const struct client_session *s, uint32_t uid,
		bool fresh,
		struct err *e);
/*
 * True if another session of this project may go on: it has not ended, and had an event within
 * CLIENT_SESSION_IDLE_S. True also if that is unknown.
 */
bool client_session_shared(struct arena *a, struct str state, const struct client_session *s,
		struct str project, int64_t now_s);
void client_session_sweep(struct arena *a, struct str state, int64_t now_s);
/* Returns the boot id of the running machine, empty if unknown. */
struct str client_session_boot(struct arena *a);
