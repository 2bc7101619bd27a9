/*
 * Blobs: contents that rows of the record refer to (outputs, views, policies), stored by digest.
 *
 *     STATE/blobs/             0700
 *       ab/                    0700, the first two digits of the name
 *         ab12...ef.zst        0600, a zstd frame; the name is the SHA-256 of its content
 *
 * A blob never changes. It gets its name when it is complete, so two writers of the same bytes produce one
 * file. blob_get() verifies the digest of every blob that it returns.
 *
 * In rows, a digest is "sha256:" and 64 hexadecimal digits.
 */
#pragma once
#include "base/str.h"

#define BLOB_HEX 64
#define BLOB_DIGEST (7 + BLOB_HEX)         /* letters of "sha256:..." */
#define BLOB_MAX ((size_t)1 << 30)         /* bytes of one */
/* shorter than the day after which an unreferenced blob is swept */
#define BLOB_YOUNG_S ((int64_t)12 * 3600)

struct blobs {
	int dir;
	uint32_t uid;
	struct str path; /* of dir, for messages */
};

/*
 * `state` is the checked state directory (sys/state.h). With `make`, a missing blob directory is created;
 * without it, the error is ENOENT.
 */
int blobs_open(struct arena *a, struct str state, uint32_t uid, bool make, struct blobs *ret, struct err *e);
void blobs_close(struct blobs *b);
/* "sha256:..." */
struct str blob_digest(struct arena *a, struct str bytes);
bool blob_is_digest(struct str digest);
/*
 * True if the blob exists and will not be swept for hours. blob_put_as() renews an older one. Costs one
 * stat().
 */
bool blob_has(const struct blobs *b, struct str digest);
/* Stores these bytes, or renews the blob that has them. `sync`: the blob is on the disk on return. */
int blob_put(struct arena *a, const struct blobs *b, struct str bytes, bool sync, struct str *ret,
		struct err *e);
/* The same for a known digest, without hashing. */
int blob_put_as(struct arena *a, const struct blobs *b, struct str digest, struct str bytes, bool sync,
		struct err *e);
/*
 * Stores content that is too large for memory. `pour` passes it to blob_take() in pieces and is called twice:
 * first to compute the digest, then to write. It must produce the same bytes both times.
 */
struct blob_sink;
typedef int blob_pour(void *ctx, struct blob_sink *to, struct err *e);
int blob_take(struct blob_sink *to, struct str bytes, struct err *e);
int blob_put_poured(struct arena *a, const struct blobs *b, blob_pour *pour, void *ctx, bool sync,
		struct str *ret, struct err *e);
/*
 * Reads at most max bytes; a larger blob is ERR_LIMIT. A missing blob is ERR_SYSTEM with ENOENT, a wrong
 * digest is ERR_CONFIG.
 */
int blob_get(struct arena *a, const struct blobs *b, struct str digest, size_t max, struct str *ret,
		struct err *e);
