/*
 * Directories that their own mode closes.
 *
 * A program may take away its own permissions (chmod 311, chmod 555) and so hide a directory from the search
 * after the run, or keep something in it from being moved. The launcher is the owner as well: it lifts the
 * mode for as long as the search lasts and restores it afterwards. The mode is changed through an O_PATH
 * descriptor, which needs no permission on the directory itself and can be led nowhere else.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/directory.h"
#include "sys/file.h"

#define OWNER_ALL 0700
#define MODE_KEEP ((mode_t)-1) /* nothing to restore */
#define OWNER_SEARCH 0500 /* what listing a directory and looking at its entries takes */

/* Does the owner lack one of these permissions? Only the owner can change that; root needs none. */
static bool is_closed(const struct stat *st, mode_t need)
{
	return geteuid() && st->st_uid == geteuid() && (~st->st_mode & need);
}

bool mode_lift(struct protect *p, const char *path, mode_t need)
{
	HELD dir = {p, held_open(p, path, O_PATH | O_DIRECTORY)};
	struct lifted *l;
	struct stat st;

	if (dir.fd < 0 || fstat(dir.fd, &st) < 0 || !is_closed(&st, need))
		return false;
	l = arena_new(p->a, struct lifted); /* first: a mode that is lifted must be on the list */
	*l = (struct lifted){.next = p->lifted, .path = str_c(p->a, str_of(path)), .st = st};
	if (directory_chmod(dir.fd, (st.st_mode & 07777) | OWNER_ALL) < 0)
		return false;
	p->lifted = l;
	return true;
}

/* The innermost first: a path leads through those above. Takes no memory. */
void modes_restore(struct protect *p)
{
	for (; p->lifted; p->lifted = p->lifted->next) {
		const struct lifted *l = p->lifted;
		FD_CLEANUP int fd = below_open(p->ws, l->path, O_PATH | O_DIRECTORY);
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0 || st.st_dev != l->st.st_dev || st.st_ino != l->st.st_ino)
			continue; /* it was moved to quarantine */
		directory_chmod(fd, l->st.st_mode & 07777);
	}
}

mode_t workspace_lift(const struct protect *p)
{
	struct stat st;

	if (fstat(p->ws, &st) < 0 || !is_closed(&st, OWNER_ALL))
		return MODE_KEEP;
	return fchmod(p->ws, (st.st_mode & 07777) | OWNER_ALL) < 0 ? MODE_KEEP : st.st_mode & 07777;
}

void workspace_restore(const struct protect *p, mode_t was)
{
	if (was != MODE_KEEP)
		fchmod(p->ws, was);
}

int held_list(struct protect *p, const char *path)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK;
	int fd = held_open(p, path, flags), why = errno;
	struct stat st;

	if (fd >= 0 && geteuid() && fstat(fd, &st) == 0 && is_closed(&st, OWNER_SEARCH))
		mode_lift(p, path, OWNER_SEARCH); /* it can be listed, but not searched */
	if (fd >= 0 || why != EACCES || !mode_lift(p, path, OWNER_SEARCH)) {
		errno = why;
		return fd;
	}
	return held_open(p, path, flags);
}

bool foreign_closed(struct protect *p, const char *path)
{
	FD_CLEANUP int fd = below_open(p->ws, path, O_PATH | O_DIRECTORY);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid != geteuid() &&
			faccessat(fd, ".", X_OK, AT_EACCESS) < 0;
}
