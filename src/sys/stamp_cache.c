/* Answers about files, kept while their stamps hold. See stamp_cache.h. */
#define _GNU_SOURCE
#include "sys/stamp_cache.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/file.h"

static struct stamp_slot *find_slot(struct stamp_cache *c, enum stamp_use use, const char *path)
{
	for (size_t i = 0; c && i < STAMP_CACHE_SLOTS; i++)
		if (c->slots[i].path && c->slots[i].use == use && !strcmp(c->slots[i].path, path))
			return &c->slots[i];
	return NULL;
}

const char *stamp_cache_path(const struct stamp_cache *c, enum stamp_use use)
{
	for (size_t i = 0; c && i < STAMP_CACHE_SLOTS; i++)
		if (c->slots[i].path && c->slots[i].use == use)
			return c->slots[i].path;
	return NULL;
}

bool stamp_cache_get(const struct stamp_cache *c, enum stamp_use use, struct arena *a, const char *path,
		const struct stamp *now, struct str *ret)
{
	const struct stamp_slot *s = find_slot((struct stamp_cache *)c, use, path);

	if (!s || !(now ? stamp_same(&s->stamp, now) : stamp_holds(&s->stamp, path)))
		return false;
	*ret = str_dup(a, str_n(s->path + strlen(s->path) + 1, s->n));
	return true;
}

void stamp_cache_put(struct stamp_cache *c, enum stamp_use use, const char *path, const struct stamp *s,
		struct str text)
{
	size_t room = strlen(path) + 1;
	struct stamp_slot *slot = find_slot(c, use, path);

	if (!c || !s->settled || text.n > STAMP_CACHE_TEXT)
		return;
	if (!slot)
		slot = &c->slots[c->next++ % STAMP_CACHE_SLOTS];
	free(slot->path);
	*slot = (struct stamp_slot){.use = use, .stamp = *s, .path = malloc(room + text.n), .n = text.n};
	if (!slot->path)
		return;
	memcpy(slot->path, path, room);
	if (text.n)
		memcpy(slot->path + room, text.p, text.n);
}

/*
 * The kernel grants a read lease only on a file that nobody has open for writing. A program that opens the
 * file meanwhile makes the kernel signal us: SIGURG, which does nothing by default, in place of SIGIO.
 */
static bool lease_granted(int fd)
{
	if (fcntl(fd, F_SETSIG, SIGURG) != 0 || fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return false;
	return fcntl(fd, F_SETLEASE, F_UNLCK) == 0;
}

bool stamp_cache_may_keep(const struct stamp *s, int fd)
{
	struct stat st;

	if (!s->settled || s->errnum || fstat(fd, &st) != 0 ||
			!identity_same(s->id, (struct identity){.dev = st.st_dev, .ino = st.st_ino}))
		return false;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode); /* each change of its entries changes the stamp */
	/* Leases are for the owner. Others can keep a file of root that root alone may write. */
	return st.st_uid == 0 && geteuid() != 0 ? !(st.st_mode & (S_IWGRP | S_IWOTH)) : lease_granted(fd);
}

int stamp_cache_read(struct stamp_cache *c, struct arena *a, const char *path, size_t max, struct str *ret,
		struct err *e)
{
	struct stamp stamp;
	struct stat st;
	bool keep;
	FD_SCOPE f = {0};

	if (stamp_cache_get(c, STAMP_CONTENT, a, path, NULL, ret))
		return 0;
	if (c) {
		stamp_take(path, &stamp);
		if (stamp.errnum)
			return err_set(e, ERR_SYSTEM, stamp.errnum, "cannot open '%s'", path);
	}
	fd_scope(&f, a, file_open(path, &st, e));
	if (f.fd < 0)
		return -1;
	keep = c && stamp_cache_may_keep(&stamp, f.fd);
	if (fd_read_file(a, f.fd, path, &st, max, ret, e) != 0)
		return -1;
	if (keep)
		stamp_cache_put(c, STAMP_CONTENT, path, &stamp, *ret);
	return 0;
}

/* ---- names in directories ---- */

static bool stamps_directories(const char *dir)
{
	static const uint32_t known[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
			F2FS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
	struct statfs fs;

	if (statfs(dir, &fs) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if ((uint32_t)fs.f_type == known[i])
			return true;
	return false;
}

/* Returns the slot of the path, or the one that it may take. */
static struct stamp_entry *entry_slot(const struct stamp_cache *c, struct str path)
{
	struct stamp_entry *slots = (struct stamp_entry *)c->entries;
	size_t first = str_key_hash(path) % STAMP_ENTRY_SLOTS;

	for (size_t i = 0; i < STAMP_ENTRY_PROBES; i++) {
		struct stamp_entry *s = &slots[(first + i) % STAMP_ENTRY_SLOTS];

		if (!s->path || str_is(path, s->path))
			return s;
	}
	return &slots[first];
}

enum stamp_name stamp_cache_name(const struct stamp_cache *c, struct str path, const struct stamp *dir)
{
	const struct stamp_entry *s = c ? entry_slot(c, path) : NULL;
	bool holds = s && s->path && str_is(path, s->path) && (!dir || stamp_same(&s->dir, dir));

	return holds ? s->state : STAMP_NAME_UNKNOWN;
}

void stamp_cache_put_name(struct stamp_cache *c, struct str path, enum stamp_name state,
		const struct stamp *dir)
{
	struct str parent = str_first(path, path.n - str_base(path).n);
	struct stamp_entry *s = c ? entry_slot(c, path) : NULL;
	uint64_t *refused = c ? &c->refused[dir->id.dev % STAMP_REFUSED_SLOTS] : NULL;
	char *copy;

	if (!c || !dir->settled || dir->errnum || *refused == dir->id.dev)
		return;
	copy = strndup(path.p, path.n);
	if (!copy)
		return;
	free(s->path);
	s->path = NULL;
	copy[parent.n] = '\0';
	if (stamps_directories(copy)) {
		copy[parent.n] = path.p[parent.n];
		*s = (struct stamp_entry){.path = copy, .state = state, .dir = *dir};
	} else {
		free(copy);
		*refused = dir->id.dev;
	}
}

void stamp_cache_free(struct stamp_cache *c)
{
	for (size_t i = 0; i < STAMP_CACHE_SLOTS; i++)
		free(c->slots[i].path);
	for (size_t i = 0; i < STAMP_ENTRY_SLOTS; i++)
		free(c->entries[i].path);
	*c = (struct stamp_cache){0};
}
