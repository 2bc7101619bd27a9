/*
 * A session of a client, as far as it must outlive one event: which project it is about. The project is
 * pinned at the session's first event by path, device and inode. What is created, deleted or renamed later
 * (`.git/HEAD`, a nested `git init`, links) moves nothing: later events use what is written here.
 *
 * STATE/sessions/HASH.json (0600). HASH is the SHA-256 of client and session id, so that nothing a client
 * sends becomes a file name. A session that had no event for SESSION_AGE_S is removed.
 */
#pragma once
#include "model/identity.h"

#define SESSION_ROOTS_MAX 16
#define SESSION_AGE_S (7 * 86400)
#define SESSION_FRESH_S 3600            /* `last` is written again when it is older than this */
#define SESSION_SWEEP_MAX 4096          /* names that are looked at */
#define SESSION_BYTES_MAX ((size_t)256 << 10)

struct session {
	struct str client, id;
	struct str boot;                        /* of the machine, when `roots` were looked at */
	struct directory roots[SESSION_ROOTS_MAX]; /* the first is the project it began with */
	size_t n;
	int64_t started, last;                  /* seconds */
};

/*
 * 1: *ret is the session; 0: there is none yet; -1: there is a file that cannot be relied on, and nothing
 * may run.
 */
int session_read(struct arena *a, struct str state, struct str client, struct str id, uint32_t uid,
		 struct session *ret, struct err *e);
/*
 * `state`: made and checked. Replaces what is there; a new one (`fresh`) that somebody else has just made
 * is an error.
 */
int session_write(struct arena *a, struct str state, const struct session *s, uint32_t uid, bool fresh,
		struct err *e);
void session_sweep(struct arena *a, struct str state, int64_t now_s);
/* The boot id of the running machine; empty: not known. */
struct str session_boot(struct arena *a);
