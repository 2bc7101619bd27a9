/*
 * The lock of a workspace: shared by the boxes that run in it, exclusive for the launcher that removes
 * placeholders.
 *
 * A lock on the workspace itself can be taken by any program that can open the workspace, also in a box that
 * sees it read-only. So the lock that counts is one byte of a file in the state directory, where no box sees
 * it. The byte's number is a hash of the workspace's device and inode, so one file serves all workspaces. The
 * lock belongs to the open file description, which the launcher and its undertaker share.
 *
 * Two more bytes order the vetters of the workspace (protect_vet.c).
 *
 * Launchers with another state directory (another user's) are met by a flock() on the workspace. It never
 * refuses a run: if a stranger holds it, placeholders stay until a later run can remove them. Without a state
 * directory it is the only lock, and then it is needed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define LOCK_FILE "locks"
#define LOCK_TRIES 5000      /* milliseconds; the first search of a large workspace takes a while */
#define LOCK_TRIES_GUEST 20  /* for the workspace's own, which a stranger may hold for as long as it likes */

/* <sys/file.h> would be ours. */
static int flock_directory(int fd, int how) { return (int)syscall(SYS_flock, fd, how); }

/* Any mixing does: two workspaces that share a byte only wait for each other. */
static off_t byte_of(const struct stat *st)
{
	uint64_t h = ((uint64_t)st->st_dev * 0x9e3779b97f4a7c15u) ^
			((uint64_t)st->st_ino * 0xc2b2ae3d27d4eb4fu);

	return (off_t)((h ^ (h >> 29)) & 0x3ffffffffffffffc);
}

enum { BYTE_BOXES, BYTE_SEARCHING, BYTE_WAITING }; /* of a workspace's four */

static struct flock lock_range(const struct protect *p, int which, short type)
{
	return (struct flock){
			.l_type = type, .l_whence = SEEK_SET, .l_start = p->lock_byte + which, .l_len = 1};
}

static int lock_byte(const struct protect *p, short type)
{
	struct flock l = lock_range(p, BYTE_BOXES, type);

	return fcntl(p->lock, F_OFD_SETLK, &l);
}

static bool is_free(const struct protect *p, int which)
{
	struct flock l = lock_range(p, which, F_WRLCK);

	return p->lock >= 0 && fcntl(p->lock, F_OFD_GETLK, &l) == 0 && l.l_type == F_UNLCK;
}

static bool is_held(int why) { return why == EWOULDBLOCK || why == EACCES || why == EINTR; }

/* Another launcher that has it alone is about to remove its placeholders. */
static int wait_shared(const struct protect *p, bool directory, int tries)
{
	for (int i = 0; i < tries; i++) {
		if ((directory ? flock_directory(p->ws, LOCK_SH | LOCK_NB) : lock_byte(p, F_RDLCK)) == 0)
			return 0;
		if (!is_held(errno))
			return -1;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return -1;
}

static int locks_open(struct protect *p)
{
	return open(path_join(p->a, protect_state(p), LOCK_FILE),
			O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

void workspace_lock_open(struct protect *p)
{
	const char *state = protect_state(p);
	struct stat st;

	if (!state[0] || fstat(p->ws, &st) < 0)
		return;
	p->lock = locks_open(p);
	p->lock_byte = byte_of(&st);
	if (p->lock >= 0 && (fstat(p->lock, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()))
		fd_close(&p->lock);
}

int workspace_lock_share(const struct protect *p)
{
	if (p->lock < 0)
		return wait_shared(p, true, LOCK_TRIES);
	if (wait_shared(p, false, LOCK_TRIES) < 0)
		return -1;
	(void)wait_shared(p, true, LOCK_TRIES_GUEST);
	return 0;
}

bool workspace_lock_alone(const struct protect *p)
{
	return (p->lock < 0 || lock_byte(p, F_WRLCK) == 0) && flock_directory(p->ws, LOCK_EX | LOCK_NB) == 0;
}

void workspace_unlock(const struct protect *p)
{
	flock_directory(p->ws, LOCK_UN);
	if (p->lock >= 0)
		lock_byte(p, F_UNLCK);
}

/* ---- for vetters ---- */

bool boxes_lock_alone(const struct protect *p) { return lock_byte(p, F_WRLCK) == 0; }

short boxes_lock(const struct protect *p)
{
	struct flock l = lock_range(p, BYTE_BOXES, F_WRLCK);

	return p->lock >= 0 && fcntl(p->lock, F_OFD_GETLK, &l) == 0 ? l.l_type : F_WRLCK;
}

/*
 * A vetter locks BYTE_SEARCHING before it frees BYTE_WAITING. In the other order, this would miss it in
 * between.
 */
bool vet_idle(const struct protect *p) { return is_free(p, BYTE_WAITING) && is_free(p, BYTE_SEARCHING); }

bool vet_nobody_waits(const struct protect *p) { return is_free(p, BYTE_WAITING); }

int vet_search_lock(const struct protect *p)
{
	struct flock l = lock_range(p, BYTE_SEARCHING, F_WRLCK);
	int got;

	do
		got = p->lock < 0 ? -1 : fcntl(p->lock, F_OFD_SETLKW, &l);
	while (got < 0 && errno == EINTR);
	return got;
}

int vet_wait_lock(struct protect *p)
{
	struct flock l = lock_range(p, BYTE_WAITING, F_WRLCK);
	int fd = locks_open(p);

	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &l) == 0)
		return fd;
	fd_close(&fd);
	return is_held(errno) ? VET_WAITS : -1;
}
