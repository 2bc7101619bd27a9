/*
 * Removes unreferenced blobs: lists the old ones, reads all rows and crosses off the blobs that they name,
 * removes the rest. retain.h has the theory.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "audit/retain.h"
#include "sys/file.h"

#define FOLDERS 256
#define FOLDER_MAX ((size_t)1 << 20)  /* entries of one folder of blobs */
#define POLICY_MAX ((size_t)16 << 20) /* bytes of a blob that names others */
#define YOUNG_S ((int64_t)86400)
#define NAME_CHARS (BLOB_HEX + 4)     /* <hex>.zst */
#define DIGEST_BYTES 32
#define SET_START 1024                /* places of a set at first; a power of two */

/* A set of digests: open addressing, at most half full. */
struct digest_slot {
	unsigned char digest[DIGEST_BYTES];
	bool used, named;
	uint64_t bytes;
};

struct digest_set {
	struct arena *a;
	struct digest_slot *places;
	size_t n, cap;
};

static struct digest_slot *find_slot(struct digest_set *s, const unsigned char *digest)
{
	uint64_t at;
	memcpy(&at, digest, sizeof at);
	for (;; at++) {
		struct digest_slot *p = &s->places[at & (s->cap - 1)];
		if (!p->used || !memcmp(p->digest, digest, DIGEST_BYTES))
			return p;
	}
}

static struct digest_slot *set_add(struct digest_set *s, const unsigned char *digest)
{
	if (2 * (s->n + 1) > s->cap) {
		struct digest_set old = *s;
		s->cap = old.cap ? 2 * old.cap : SET_START;
		s->places = arena_array(s->a, s->cap, sizeof *s->places);
		for (size_t i = 0; i < old.cap; i++)
			if (old.places[i].used)
				*find_slot(s, old.places[i].digest) = old.places[i];
	}
	struct digest_slot *p = find_slot(s, digest);
	if (!p->used) {
		p->used = true;
		memcpy(p->digest, digest, DIGEST_BYTES);
		s->n++;
	}
	return p;
}

struct sweep {
	struct arena *a;
	const struct audit *au;
	const struct blobs *blobs;
	int64_t before;          /* seconds since 1970: what is younger stays */
	struct digest_set old, read;    /* candidates for removal; candidates already renamed */
	struct audit_swept done;
	const struct audit_pruned *would;
	struct err *e;
};

static bool unhex(const char *hex, unsigned char ret[DIGEST_BYTES])
{
	size_t n;
	return sodium_hex2bin(ret, DIGEST_BYTES, hex, BLOB_HEX, NULL, &n, NULL) == 0 && n == DIGEST_BYTES;
}

/* ---- listing ---- */

/* Calls fn with each entry of each folder. */
static int each_blob(const struct blobs *b, int (*fn)(void *ctx, int folder, const char *name), void *ctx,
		struct err *e)
{
	for (unsigned i = 0; i < FOLDERS; i++) {
		char folder[3];
		snprintf(folder, sizeof folder, "%02x", i);
		int fd = openat(b->dir, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), bad = 0;
		if (fd < 0 && errno == ENOENT)
			continue;
		DIR *dir = fd < 0 ? NULL : fdopendir(fd);
		if (!dir) {
			bad = err_system(e, "cannot list '%.*s/%s'", STR_ARG(b->path), folder);
			fd_close(&fd);
			return bad;
		}
		size_t n = 0;
		for (struct dirent *entry; !bad && (entry = readdir(dir));)
			if (++n > FOLDER_MAX)
				bad = err_limit(e, "'%.*s/%s' has more than %zu entries",
						STR_ARG(b->path), folder, FOLDER_MAX);
			else
				bad = fn(ctx, fd, entry->d_name);
		closedir(dir);
		if (bad)
			return -1;
	}
	return 0;
}

static bool is_blob(const char *name, unsigned char ret[DIGEST_BYTES])
{
	return strlen(name) == NAME_CHARS && !strcmp(name + BLOB_HEX, ".zst") && unhex(name, ret);
}

struct size {
	uint64_t n, bytes;
};

static int add_size(void *ctx, int folder, const char *name)
{
	struct size *s = ctx;
	struct stat st;
	if (name[0] == '.' || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	s->n++;
	s->bytes += (uint64_t)st.st_size;
	return 0;
}

int blobs_size(const struct blobs *b, uint64_t *ret_n, uint64_t *ret_bytes, struct err *e)
{
	struct size s = {0};
	if (each_blob(b, add_size, &s, e) < 0)
		return -1;
	*ret_n = s.n;
	*ret_bytes = s.bytes;
	return 0;
}

struct blob_listing {
	uint64_t old, young, bytes;
	int64_t before;
	struct {
		unsigned char digest[DIGEST_BYTES];
		uint64_t bytes;
	} *list;
	size_t max;
};

/* Called with an open directory and outside any arena_run, so nothing is allocated here. */
static int list_one(void *ctx, int folder, const char *name)
{
	struct blob_listing *l = ctx;
	struct stat st;
	unsigned char digest[DIGEST_BYTES];
	if (!is_blob(name, digest) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (st.st_mtime >= l->before) {
		l->young++;
		return 0;
	}
	if (l->list && l->old < l->max) {
		memcpy(l->list[l->old].digest, digest, DIGEST_BYTES);
		l->list[l->old].bytes = (uint64_t)st.st_size;
	}
	l->old++;
	return 0;
}

static int list_old(struct sweep *s)
{
	struct blob_listing l = {.before = s->before};
	if (each_blob(s->blobs, list_one, &l, s->e) < 0)
		return -1;
	if (l.old > RETAIN_BLOBS_MAX)
		return err_limit(s->e, "there are more than %zu blobs", RETAIN_BLOBS_MAX);
	l.max = l.old;
	l.list = arena_array(s->a, l.max + 1, sizeof *l.list);
	l.old = l.young = 0;
	if (each_blob(s->blobs, list_one, &l, s->e) < 0)
		return -1;
	for (size_t i = 0; i < l.old && i < l.max; i++)
		set_add(&s->old, l.list[i].digest)->bytes = l.list[i].bytes;
	s->done.young = l.young;
	return 0;
}

/* ---- striking off ---- */

static void strike_digest(struct sweep *s, const unsigned char *digest)
{
	struct digest_slot *p = s->old.n ? find_slot(&s->old, digest) : NULL;
	if (p && p->used)
		p->named = true;
}

/* Every digest in a text, wherever it stands. */
static void strike_all(struct sweep *s, struct str text)
{
	static const char prefix[] = "sha256:";
	unsigned char digest[DIGEST_BYTES];
	for (const char *at = text.p, *end = text.p + text.n;
			(at = memmem(at, (size_t)(end - at), prefix, sizeof prefix - 1));) {
		at += sizeof prefix - 1;
		if (end - at >= BLOB_HEX && unhex(at, digest))
			strike_digest(s, digest);
	}
}

/* A policy's blob names the blobs of its files. */
static int strike_policy(struct sweep *s, struct str value)
{
	unsigned char digest[DIGEST_BYTES];
	struct str name = str_sub(value, 1, value.n ? value.n - 1 : 0), text;
	struct err why = {0};
	if (!blob_is_digest(name) || !unhex(name.p + name.n - BLOB_HEX, digest))
		return 0;
	struct digest_slot *p = set_add(&s->read, digest);
	if (p->named)
		return 0;
	p->named = true;
	if (blob_get(s->a, s->blobs, name, POLICY_MAX, &text, &why) == 0) {
		strike_all(s, text);
		return 0;
	}
	if (why.kind == ERR_SYSTEM && why.errnum == ENOENT)
		return 0; /* damaged: nobody can read the blobs that it named through it */
	if (s->e)
		*s->e = why;
	return -1;
}

static int strike_rows(struct sweep *s)
{
	struct audit_reader *r;
	struct audit_line *l = arena_new(s->a, struct audit_line);
	struct audit_filter f = {0};
	int got = -1;
	if (s->would && s->would->days)
		f.since = audit_time_of(str_fmt(s->a, "%sT00:00:00.000000Z", s->would->to)) + AUDIT_DAY_US;
	if (audit_reader_new(s->a, s->au, &f, AUDIT_OLDEST_FIRST, &r, s->e) < 0)
		return -1;
	while ((got = audit_next(r, l, s->e)) > 0) {
		strike_all(s, l->text);
		if (strike_policy(s, audit_field(l, "policy")) < 0) {
			got = -1;
			break;
		}
	}
	const struct audit_passed passed = audit_reader_passed(r);
	audit_reader_close(r);
	if (got == 0 && passed.odd)
		return err_config(s->e, "%" PRIu64
				" lines of the record are not rows and may refer to blobs; no blob is "
				"removed", passed.odd);
	return got;
}

/* ---- removing ---- */

/*
 * Rename before unlinking: a writer that has just renewed the blob relies on it, so it gets the name back; a
 * later writer does not find it and writes it again.
 */
static bool remove_one(const struct sweep *s, const unsigned char *digest)
{
	char hex[BLOB_HEX + 1], name[BLOB_HEX + 16], aside[BLOB_HEX + 16];
	struct stat st;
	sodium_bin2hex(hex, sizeof hex, digest, DIGEST_BYTES);
	snprintf(name, sizeof name, "%.2s/%s.zst", hex, hex);
	snprintf(aside, sizeof aside, "%.2s/.%s.gone", hex, hex);
	if (renameat(s->blobs->dir, name, s->blobs->dir, aside) < 0)
		return false;
	if (fstatat(s->blobs->dir, aside, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime >= s->before &&
			linkat(s->blobs->dir, aside, s->blobs->dir, name, 0) == 0) {
		unlinkat(s->blobs->dir, aside, 0);
		return false;
	}
	return unlinkat(s->blobs->dir, aside, 0) == 0;
}

static void remove_rest(struct sweep *s)
{
	for (size_t i = 0; i < s->old.cap; i++) {
		const struct digest_slot *p = &s->old.places[i];
		if (!p->used)
			continue;
		if (p->named || !(s->would || remove_one(s, p->digest))) {
			s->done.kept++;
			continue;
		}
		s->done.blobs++;
		s->done.bytes += p->bytes;
	}
}

/* Leftovers of a killed writer or sweep: names that start with a dot. */
static int remove_leftover(void *ctx, int folder, const char *name)
{
	const struct sweep *s = ctx;
	struct stat st;
	if (name[0] == '.' && name[1] && strcmp(name, "..") != 0 &&
			fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ctime < s->before)
		unlinkat(folder, name, 0);
	return 0;
}

int audit_sweep(struct arena *a, const struct audit *au, const struct blobs *blobs,
		const struct audit_pruned *would, struct audit_swept *ret, struct err *e)
{
	struct sweep s = {.a = a, .au = au, .blobs = blobs, .before = au->now() / 1000000 - YOUNG_S,
			.old.a = a, .read.a = a, .would = would, .e = e};
	if (list_old(&s) < 0 || strike_rows(&s) < 0)
		return -1;
	remove_rest(&s);
	if (!would && each_blob(blobs, remove_leftover, &s, e) < 0)
		return -1;
	*ret = s.done;
	return 0;
}
