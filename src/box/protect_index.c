/*
 * The index of a repository. Git believes the paths in it: an entry `../x` leads git out of the working tree,
 * where it reads and writes files and enters submodules. So an index that a program could have changed is
 * read here. One that has such a path, or that cannot be read, is moved away; `git reset` makes it again.
 *
 * The reader takes lengths from where git takes them (create_from_disk() and do_read_index() of git's
 * read-cache.c). Extensions that let git read entries in another order (IEOT, EOIE) are refused: git writes
 * them only when it is told to.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define CHUNK 16384
#define ENTRY_FIXED 40           /* bytes before the object's name: times, device, inode, mode, owner, size */
/* The bits of an entry's flags that hold the length of its path; all ones: longer, up to a NUL. */
#define NAME_MASK_BITS 0x0fff
#define FLAG_EXTENDED 0x4000
#define INDEX_PATH_MAX 65536
#define INDEX_BYTES_MAX ((uint64_t)1 << 30)
#define OID_MAX 32
#define EXTENSIONS_MAX 64

struct index_reader {
	int fd;
	size_t at, n;            /* bytes in buf */
	uint64_t left;           /* bytes left before the trailing checksum */
	size_t oid;              /* bytes of an object's name */
	/* An entry without a path replaces one of the shared index. */
	bool unnamed;
	size_t length;           /* of `path` */
	char *path;              /* of the last entry, INDEX_PATH_MAX bytes */
	unsigned char buf[CHUNK];
};

static bool take_byte(struct index_reader *r, unsigned char *ret)
{
	if (!r->left)
		return false;
	if (r->at == r->n) {
		ssize_t got = fd_read(r->fd, r->buf, sizeof r->buf);

		if (got <= 0)
			return false;
		r->at = 0;
		r->n = (size_t)got;
	}
	r->left--;
	*ret = r->buf[r->at++];
	return true;
}

/* With ret NULL the bytes are skipped. */
static bool take_bytes(struct index_reader *r, void *ret, size_t n)
{
	unsigned char c, *to = ret;

	for (size_t i = 0; i < n; i++) {
		if (!take_byte(r, &c))
			return false;
		if (to)
			to[i] = c;
	}
	return true;
}

static bool take_number(struct index_reader *r, uint32_t *ret)
{
	uint32_t n;

	if (!take_bytes(r, &n, sizeof n))
		return false;
	*ret = ntohl(n);
	return true;
}

static bool component_harmless(const char *p, size_t n)
{
	char name[256];

	if (!n || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
		return false;
	if (n >= sizeof name)
		return true; /* no file can have such a name */
	memcpy(name, p, n);
	name[n] = 0;
	return !dotgit_name(name);
}

/* Directories of a sparse index end in a slash. */
static bool path_harmless(const char *p, size_t n)
{
	n -= n > 1 && p[n - 1] == '/';
	for (size_t from = 0, to; from <= n; from = to + 1) {
		for (to = from; to < n && p[to] != '/'; to++)
			;
		if (!component_harmless(p + from, to - from))
			return false;
	}
	return true;
}

/* Version 4: the number of bytes to drop from the last path. */
static bool take_strip(struct index_reader *r, size_t *ret_keep)
{
	unsigned char c;
	uint64_t n;

	if (!take_byte(r, &c))
		return false;
	for (n = c & 127; c & 128; n = ((n + 1) << 7) + (c & 127))
		if (n > INDEX_PATH_MAX || !take_byte(r, &c))
			return false;
	if (n > r->length)
		return false;
	*ret_keep = r->length - (size_t)n;
	return true;
}

/*
 * Reads the path of an entry after `keep` bytes of the last one: by the length in its flags, or up to a NUL.
 */
static bool take_path(struct index_reader *r, size_t keep, size_t length)
{
	bool open = length == NAME_MASK_BITS;
	unsigned char c;

	if (!open && length < keep)
		return false;
	for (r->length = keep; open || r->length < length; r->length++) {
		if (r->length + 1 >= INDEX_PATH_MAX || !take_byte(r, &c))
			return false;
		if (!c)
			return open;
		r->path[r->length] = (char)c;
	}
	return take_byte(r, &c) && !c;
}

static bool take_entry(struct index_reader *r, uint32_t version)
{
	size_t size = ENTRY_FIXED + r->oid + 2, keep = 0;
	unsigned char flags[2];
	unsigned bits;

	if (!take_bytes(r, NULL, ENTRY_FIXED + r->oid) || !take_bytes(r, flags, 2))
		return false;
	bits = (unsigned)flags[0] << 8 | flags[1];
	if (bits & FLAG_EXTENDED) {
		if (version < 3 || !take_bytes(r, NULL, 2))
			return false;
		size += 2;
	}
	if ((version == 4 && !take_strip(r, &keep)) || !take_path(r, keep, bits & NAME_MASK_BITS))
		return false;
	if (version != 4 && !take_bytes(r, NULL, 7 - (size + r->length) % 8)) /* the NUL was read already */
		return false;
	r->unnamed |= !r->length;
	return !r->length || path_harmless(r->path, r->length);
}

/*
 * Reads the extensions after the entries. *ret_base: the shared index that a split index completes; empty:
 * none.
 */
static bool take_extensions(struct index_reader *r, char ret_base[2 * OID_MAX + 1])
{
	unsigned char oid[OID_MAX];
	char name[5] = "";
	uint32_t size;

	ret_base[0] = 0;
	for (size_t i = 0; r->left; i++) {
		if (i == EXTENSIONS_MAX || !take_bytes(r, name, 4) || !take_number(r, &size) ||
				size > r->left)
			return false;
		if (str_like_any(str_of(name), "TREE REUC UNTR FSMN sdir")) {
			if (!take_bytes(r, NULL, size))
				return false;
		} else if (!strcmp(name, "link") && size >= r->oid) {
			if (!take_bytes(r, oid, r->oid) || !take_bytes(r, NULL, size - r->oid))
				return false;
			for (size_t k = 0; k < r->oid; k++)
				str_put(ret_base + 2 * k, 3, "%02x", oid[k]);
		} else {
			return false;
		}
	}
	return true;
}

/* True if every path in this index lies in the working tree. False also when the index cannot be read. */
static bool index_harmless(struct protect *p, const char *path, size_t oid, char ret_base[2 * OID_MAX + 1])
{
	HELD f = {p, held_open(p, path, O_RDONLY | O_NONBLOCK)};
	struct index_reader *r = arena_new(p->a, struct index_reader);
	uint32_t version, entries;
	struct stat st;
	char magic[4];

	if (f.fd < 0 || fstat(f.fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size < oid + 12 ||
			(uint64_t)st.st_size > INDEX_BYTES_MAX)
		return false;
	*r = (struct index_reader){.fd = f.fd, .oid = oid, .left = (uint64_t)st.st_size - oid,
			.path = arena_alloc(p->a, INDEX_PATH_MAX)};
	if (!take_bytes(r, magic, 4) || memcmp(magic, "DIRC", 4) != 0 || !take_number(r, &version) ||
			version < 2 || version > 4 || !take_number(r, &entries))
		return false;
	for (uint32_t i = 0; i < entries; i++)
		if (!take_entry(r, version))
			return false;
	return take_extensions(r, ret_base) && (!r->unnamed || ret_base[0]);
}

static void object_format(void *ctx, const struct git_setting *s)
{
	size_t *oid = ctx;

	if (str_is(s->section, "extensions") && str_is(s->key, "objectformat"))
		*oid = str_is(s->value, "sha256") ? 32 : 20;
}

void index_after(struct protect *p, const char *gitdir, struct str config)
{
	const char *path = path_join(p->a, gitdir, "index"), *shared;
	char base[2 * OID_MAX + 1] = "", more[2 * OID_MAX + 1];
	struct stat st;
	size_t oid = 20;

	if (below_stat(p->ws, path, &st) < 0 || path_unchanged(p, path))
		return;
	git_config_each(p->a, config, object_format, &oid);
	if (!index_harmless(p, path, oid, base)) {
		protect_move(p, path, "index with paths outside the working tree");
		return;
	}
	shared = base[0] ? path_join(p->a, gitdir, str_fmt_c(p->a, "sharedindex.%s", base)) : NULL;
	if (shared && below_stat(p->ws, shared, &st) == 0 && !index_harmless(p, shared, oid, more))
		protect_move(p, shared, "index with paths outside the working tree");
}
