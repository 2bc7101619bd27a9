/*
 * The part of a client's session that outlives one event: its project. The project is pinned at the session's
 * first event by path, device and inode. Later changes (`.git/HEAD`, a nested `git init`, links) move
 * nothing: later events use the pinned one.
 *
 * STATE/sessions/HASH.json (0600). HASH is the SHA-256 of client and session id, so that no text of a client
 * becomes a file name. A session without an event for CLIENT_SESSION_AGE_S is removed.
 */
#pragma once
#include "model/identity.h"

#define CLIENT_SESSION_ROOTS_MAX 16
#define CLIENT_SESSION_AGE_S (7 * 86400)
#define CLIENT_SESSION_FRESH_S 3600            /* `last` is written again when it is older than this */
#define CLIENT_SESSION_SWEEP_MAX 4096          /* names that are looked at */
#define CLIENT_SESSION_BYTES_MAX ((size_t)256 << 10)

struct client_session {
	struct str client, id;
	struct str boot;                        /* of the machine, when `roots` were looked at */
	struct directory roots[CLIENT_SESSION_ROOTS_MAX]; /* the first is the project it began with */
	size_t n;
	int64_t started, last;                  /* seconds */
};

/*
 * 1: *ret is the session; 0: there is none yet; -1: there is a file that cannot be relied on, and nothing
 * may run.
 */
int client_session_read(struct arena *a, struct str state, struct str client, struct str id, uint32_t uid,
		 struct client_session *ret, struct err *e);
/*
 * `state`: made and checked. Replaces what is there; a new one (`fresh`) that somebody else has just made
 * is an error.
 */
int client_session_write(struct arena *a, struct str state, const struct client_session *s, uint32_t uid,
		bool fresh,
		struct err *e);
void client_session_sweep(struct arena *a, struct str state, int64_t now_s);
/* The boot id of the running machine; empty: not known. */
struct str client_session_boot(struct arena *a);
