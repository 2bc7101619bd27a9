/*
 * Blobs: what rows of the record refer to (outputs, views, policies), by content.
 *
 *     STATE/blobs/             0700
 *       ab/                    0700, the first two digits of the name
 *         ab12...ef.zst        0600, a zstd frame; the name is the SHA-256 of what is in it
 *
 * A blob is never changed. Two writers of the same bytes write the same file: it gets its name when it is whole, and one that is there is not
 * written again. Who reads one gets bytes that have its digest, or an error.
 *
 * In rows a digest is "sha256:" and 64 hexadecimal digits.
 */
#pragma once
#include "base/str.h"

#define BLOB_HEX 64
#define BLOB_DIGEST (7 + BLOB_HEX)         /* letters of "sha256:..." */
#define BLOB_MAX ((size_t)1 << 30)         /* bytes of one */
#define BLOB_YOUNG_S ((int64_t)12 * 3600)  /* less than the day after which one that no row names is swept */

struct blobs {
	int dir;
	uint32_t uid;
	struct str path; /* of dir, for messages */
};

/* `state`: the state directory, checked (sys/state.h). With `make` the directory is made; without, ENOENT when it is not there. */
int blobs_open(struct arena *a, struct str state, uint32_t uid, bool make, struct blobs *ret, struct err *e);
void blobs_close(struct blobs *b);
/* "sha256:..." */
struct str blob_digest(struct arena *a, struct str bytes);
bool blob_is_digest(struct str digest);
/* Is it there, and will it stay for hours? One that is older is for blob_put_as() to make young again. Costs one look by its name. */
bool blob_has(const struct blobs *b, struct str digest);
/* Keeps these bytes; those that are there are made young. `sync`: they are on the disk when it returns. */
int blob_put(struct arena *a, const struct blobs *b, struct str bytes, bool sync, struct str *ret, struct err *e);
/* The same when the digest is known: nothing is hashed. */
int blob_put_as(struct arena *a, const struct blobs *b, struct str digest, struct str bytes, bool sync, struct err *e);
/*
 * Bytes that are too many for memory: `pour` gives them to blob_take() in pieces, and is called twice, once to name them and once to write
 * them. It must give the same bytes both times.
 */
struct blob_sink;
typedef int blob_pour(void *ctx, struct blob_sink *to, struct err *e);
int blob_take(struct blob_sink *to, struct str bytes, struct err *e);
int blob_put_poured(struct arena *a, const struct blobs *b, blob_pour *pour, void *ctx, bool sync, struct str *ret, struct err *e);
/* At most max bytes; more is ERR_LIMIT. A blob that is not there is ERR_SYSTEM with ENOENT; one whose bytes have another digest is ERR_CONFIG. */
int blob_get(struct arena *a, const struct blobs *b, struct str digest, size_t max, struct str *ret, struct err *e);
