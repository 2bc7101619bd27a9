/*
 * The blob store. A blob is written to an unnamed file (O_TMPFILE), or to a temporary name where the file
 * system has no O_TMPFILE, and gets its name when it is complete.
 *
 * Small blobs are not compressed: a file occupies a whole disk block anyway, and hooks, which write the small
 * ones, then need no compressor. They are still valid zstd frames: a header and one raw block, written by
 * hand.
 */
#define _GNU_SOURCE
#include "audit/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "audit/inner.h"
#include "sys/file.h"
#include "sys/sha256.h"

#define RAW_MAX 3072           /* bytes; a larger blob is compressed */
#define RAW_FRAME (4 + 1 + 4 + 3) /* magic, descriptor, size of the content, header of the one block */
#define LEVEL 3
#define WINDOW_LOG 19          /* zstd window of blobs written in pieces; it bounds memory */
#define PIECE ((size_t)64 << 10)
#define NAME_MAX_ (2 + 1 + BLOB_HEX + 4) /* ab/<hex>.zst */
#define SPARE_MAX 40           /* ab/.tmp-<16 hex> */

static const char prefix[] = "sha256:";

/* ---- names ---- */

static void name_bytes(struct str bytes, char ret[BLOB_DIGEST + 1])
{
	memcpy(ret, prefix, sizeof prefix - 1);
	sha256_hex(bytes, ret + sizeof prefix - 1);
}

struct str blob_digest(struct arena *a, struct str bytes)
{
	char text[BLOB_DIGEST + 1];
	name_bytes(bytes, text);
	return str_dup(a, str_n(text, BLOB_DIGEST));
}

bool blob_is_digest(struct str digest)
{
	return str_starts(digest, prefix) && str_is_hex(str_from(digest, sizeof prefix - 1),
			BLOB_HEX);
}

/* Below the directory of blobs. */
static void file_of(struct str digest, char ret[NAME_MAX_ + 1])
{
	const char *hex = digest.p + sizeof prefix - 1;
	str_put(ret, NAME_MAX_ + 1, "%.*s/%.*s.zst", 2, hex, BLOB_HEX, hex);
}

/* ---- the directory ---- */

int blobs_open(struct arena *a, struct str state, uint32_t uid, bool make, struct blobs *ret, struct err *e)
{
	struct blobs b = {.dir = -1, .uid = uid, .path = str_fmt(a, "%.*s/blobs", STR_ARG(state))};
	const char *path = str_c(a, b.path);
	struct stat st;
	FD_CLEANUP int fd = record_dir_open(path, make);
	if (fd < 0)
		return err_system(e, "cannot open '%s'", path);
	if (opened_check(b.path, b.uid, fd, S_IFDIR, ".", &st, e) < 0)
		return -1;
	b.dir = fd;
	fd = -1;
	*ret = b;
	return 0;
}

void blobs_close(struct blobs *b) { fd_close(&b->dir); }

/* An old blob may be swept at any moment (retain.h). */
enum { BLOB_NONE, BLOB_OLD, BLOB_YOUNG };

static int blob_age(const struct blobs *b, const char *name)
{
	struct stat st;
	struct timespec now;
	if (fstatat(b->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return BLOB_NONE;
	clock_gettime(CLOCK_REALTIME, &now);
	return st.st_mtime > now.tv_sec - BLOB_YOUNG_S ? BLOB_YOUNG : BLOB_OLD;
}

bool blob_has(const struct blobs *b, struct str digest)
{
	char name[NAME_MAX_ + 1];
	if (!blob_is_digest(digest))
		return false;
	file_of(digest, name);
	return blob_age(b, name) == BLOB_YOUNG;
}

/* ---- writing ---- */

static void put_le(unsigned char *p, uint32_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

/*
 * RFC 8878: magic; "single segment, content size in four bytes"; size; "last block, raw" and its size; the
 * bytes.
 */
static struct str raw_frame(struct arena *a, struct str bytes)
{
	unsigned char *p = arena_alloc(a, RAW_FRAME + bytes.n);
	put_le(p, 0xFD2FB528, 4);
	p[4] = 0xA0;
	put_le(p + 5, (uint32_t)bytes.n, 4);
	put_le(p + 9, (uint32_t)bytes.n << 3 | 1, 3);
	memcpy(p + RAW_FRAME, bytes.p, bytes.n);
	return str_n((const char *)p, RAW_FRAME + bytes.n);
}

static int compress_frame(struct arena *a, struct str bytes, struct str *ret, struct err *e)
{
	if (bytes.n <= RAW_MAX) {
		*ret = raw_frame(a, bytes);
		return 0;
	}
	size_t room = ZSTD_compressBound(bytes.n);
	char *p = arena_alloc(a, room);
	size_t n = ZSTD_compress(p, room, bytes.p, bytes.n, LEVEL);
	if (ZSTD_isError(n))
		return err_internal(e, "cannot compress a blob: %s", ZSTD_getErrorName(n));
	*ret = str_n(p, n);
	return 0;
}

static int open_spare(const struct blobs *b, char spare[SPARE_MAX + 1], const char *folder)
{
	uint64_t n = 0;
	if (getrandom(&n, sizeof n, 0) != (ssize_t)sizeof n)
		return -1;
	str_put(spare, SPARE_MAX + 1, "%.*s/.tmp-%016" PRIx64, 2, folder, n);
	return openat(b->dir, spare, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Creates a file in the blob's folder: unnamed where possible, else *spare is its temporary name. */
static int new_file(const struct blobs *b, const char *name, char spare[SPARE_MAX + 1])
{
	char folder[3] = {name[0], name[1], '\0'};
	spare[0] = '\0';
	int fd = openat(b->dir, folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(b->dir, folder, 0700) < 0 && errno != EEXIST)
			return -1;
		fd = openat(b->dir, folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	}
	return fd >= 0 || errno == ENOSPC || errno == EDQUOT ? fd : open_spare(b, spare, folder);
}

/* link() gives the name once. A second writer of the same bytes finds the file, which is just as good. */
static int give_name(const struct blobs *b, int fd, const char *spare, const char *name)
{
	char self[40];
	if (spare[0])
		return renameat(b->dir, spare, b->dir, name);
	str_put(self, sizeof self, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, b->dir, name, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST ? 0 : -1;
}

struct blob_spare { /* a blob before it has its name */
	const struct blobs *b;
	int fd;
	char name[SPARE_MAX + 1]; /* empty: it has none */
};

static void drop_spare(void *ptr)
{
	struct blob_spare *s = ptr;

	fd_close(&s->fd);
	if (s->name[0])
		unlinkat(s->b->dir, s->name, 0);
}

static int name_spare(struct blob_spare *s, const char *name, bool sync, struct err *e)
{
	if (sync && fdatasync(s->fd) < 0)
		return err_system(e, "cannot sync '%.*s/%s'", STR_ARG(s->b->path), name);
	if (give_name(s->b, s->fd, s->name, name) != 0)
		return err_system(e, "cannot name '%.*s/%s'", STR_ARG(s->b->path), name);
	s->name[0] = 0;
	return 0;
}

static int store_blob(struct arena *a, const struct blobs *b, const char *name,
		int (*fill)(void *arg, int fd, struct err *e), void *arg, bool sync, struct err *e)
{
	struct blob_spare s = {.b = b};
	struct arena_cleanup cleanup;
	int rc;

	s.fd = new_file(b, name, s.name);
	if (s.fd < 0)
		return err_system(e, "cannot make a file in '%.*s'", STR_ARG(b->path));
	arena_defer(a, &cleanup, drop_spare, &s);
	rc = fill(arg, s.fd, e) == 0 ? name_spare(&s, name, sync, e) : -1;
	arena_release(a, &cleanup);
	return rc;
}

static int fill_whole(void *arg, int fd, struct err *e)
{
	return fd_write_all(fd, "blobs of the record", *(struct str *)arg, e);
}

/* Does the blob exist, and is it young enough to stay? */
static bool is_kept(const struct blobs *b, const char *name)
{
	int there = blob_age(b, name);
	return there == BLOB_YOUNG ||
			(there == BLOB_OLD && utimensat(b->dir, name, NULL, AT_SYMLINK_NOFOLLOW) == 0);
}

int blob_put_as(struct arena *a, const struct blobs *b, struct str digest, struct str bytes, bool sync,
		struct err *e)
{
	char name[NAME_MAX_ + 1];
	struct str whole;
	if (!blob_is_digest(digest) || bytes.n > BLOB_MAX)
		return err_limit(e, "a blob has a digest and at most %zu bytes", BLOB_MAX);
	file_of(digest, name);
	if (is_kept(b, name))
		return 0;
	return compress_frame(a, bytes, &whole, e) < 0 || store_blob(a, b, name, fill_whole, &whole, sync,
			e) < 0
		       ? -1
		       : 0;
}

int blob_put(struct arena *a, const struct blobs *b, struct str bytes, bool sync, struct str *ret,
		struct err *e)
{
	struct str digest = blob_digest(a, bytes);
	if (blob_put_as(a, b, digest, bytes, sync, e) < 0)
		return -1;
	*ret = digest;
	return 0;
}

/* ---- in pieces ---- */

struct blob_sink {
	crypto_hash_sha256_state hash; /* the first time */
	ZSTD_CCtx *zstd;               /* the second time; NULL: the first */
	int fd;
	uint64_t n;
	char out[PIECE];
};

struct pouring {
	blob_pour *pour;
	void *ctx;
	struct blob_sink *sink;
	uint64_t size;
	struct arena *a;
};

static int compress_bytes(struct blob_sink *to, struct str bytes, bool end, struct err *e)
{
	ZSTD_inBuffer in = {bytes.p, bytes.n, 0};
	size_t left;
	do {
		ZSTD_outBuffer out = {to->out, sizeof to->out, 0};
		left = ZSTD_compressStream2(to->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return err_internal(e, "cannot compress a blob: %s", ZSTD_getErrorName(left));
		if (fd_write_all(to->fd, "blobs of the record", str_n(to->out, out.pos), e) < 0)
			return -1;
	} while (in.pos < in.size || (end && left));
	return 0;
}

int blob_take(struct blob_sink *to, struct str bytes, struct err *e)
{
	to->n += bytes.n;
	if (to->n > BLOB_MAX)
		return err_limit(e, "a blob has at most %zu bytes", BLOB_MAX);
	if (to->zstd)
		return compress_bytes(to, bytes, false, e);
	crypto_hash_sha256_update(&to->hash, (const unsigned char *)bytes.p, bytes.n);
	return 0;
}

static int pour_all(struct pouring *p, struct err *e)
{
	p->sink->n = 0;
	return p->pour(p->ctx, p->sink, e);
}

static void free_zstd(void *ptr)
{
	struct blob_sink *to = ptr;

	ZSTD_freeCCtx(to->zstd);
	to->zstd = NULL;
}

static int fill_poured(void *arg, int fd, struct err *e)
{
	struct pouring *p = arg;
	struct blob_sink *to = p->sink;
	struct arena_cleanup cleanup;
	to->fd = fd;
	to->zstd = ZSTD_createCCtx();
	if (!to->zstd)
		return err_limit(e, "no memory left for a blob");
	arena_defer(p->a, &cleanup, free_zstd, to);
	ZSTD_CCtx_setParameter(to->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(to->zstd, ZSTD_c_windowLog, WINDOW_LOG);
	ZSTD_CCtx_setPledgedSrcSize(to->zstd, p->size);
	int bad = pour_all(p, e);
	if (!bad && to->n != p->size)
		bad = err_internal(e, "a blob was not the same twice");
	if (!bad)
		bad = compress_bytes(to, STR(""), true, e);
	arena_release(p->a, &cleanup);
	return bad;
}

int blob_put_poured(struct arena *a, const struct blobs *b, blob_pour *pour, void *ctx, bool sync,
		struct str *ret, struct err *e)
{
	struct blob_sink *to = arena_new(a, struct blob_sink);
	struct pouring p = {.pour = pour, .ctx = ctx, .sink = to, .a = a};
	unsigned char hash[SHA256_BYTES];
	char digest[BLOB_DIGEST + 1], name[NAME_MAX_ + 1];
	crypto_hash_sha256_init(&to->hash);
	if (pour_all(&p, e) < 0)
		return -1;
	p.size = to->n;
	crypto_hash_sha256_final(&to->hash, hash);
	memcpy(digest, prefix, sizeof prefix - 1);
	sodium_bin2hex(digest + sizeof prefix - 1, BLOB_HEX + 1, hash, sizeof hash);
	struct str whole = str_dup(a, str_n(digest, BLOB_DIGEST));
	file_of(whole, name);
	if (!is_kept(b, name) && store_blob(a, b, name, fill_poured, &p, sync, e) < 0)
		return -1;
	*ret = whole;
	return 0;
}

/* ---- reading ---- */

/*
 * Our frames always state the content size. A frame without it, or with a larger one than allowed, is not
 * ours.
 */
static int unpack_blob(struct arena *a, struct str file, const char *name, size_t max, struct str *ret,
		struct err *e)
{
	unsigned long long n = ZSTD_getFrameContentSize(file.p, file.n);
	if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN)
		return err_config(e, "'%s' is not a blob", name);
	if (n > max)
		return err_limit(e, "'%s' holds more than %zu bytes", name, max);
	char *p = arena_alloc(a, (size_t)n + 1);
	size_t got = ZSTD_decompress(p, (size_t)n, file.p, file.n);
	if (ZSTD_isError(got) || got != n)
		return err_config(e, "'%s' is damaged", name);
	*ret = str_n(p, (size_t)n);
	return 0;
}

int blob_get(struct arena *a, const struct blobs *b, struct str digest, size_t max, struct str *ret,
		struct err *e)
{
	char name[NAME_MAX_ + 1], is[BLOB_DIGEST + 1];
	struct str file, bytes;
	struct stat st;
	if (!blob_is_digest(digest))
		return err_input(e, "'%.*s' is not the digest of a blob",
				(int)(digest.n < 100 ? digest.n : 100), digest.p);
	if (max > BLOB_MAX)
		max = BLOB_MAX;
	file_of(digest, name);
	FD_SCOPE f = {0};
	fd_scope(&f, a, openat(b->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (f.fd < 0)
		return err_system(e, "cannot open the blob '%.*s/%s'", STR_ARG(b->path), name);
	if (opened_check(b->path, b->uid, f.fd, S_IFREG, name, &st, e) < 0 ||
			fd_read_file(a, f.fd, name, &st, ZSTD_compressBound(max), &file, e) < 0 ||
			unpack_blob(a, file, name, max, &bytes, e) < 0)
		return -1;
	name_bytes(bytes, is);
	if (memcmp(is, digest.p, BLOB_DIGEST) != 0)
		return err_config(e,
				"the blob '%.*s/%s' does not have its digest: it was changed",
				STR_ARG(b->path), name);
	*ret = bytes;
	return 0;
}
