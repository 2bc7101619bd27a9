/*
 * What the files of protect*.c share.
 *
 * All names are relative to the workspace and are looked up below its descriptor without following any link (below_open), before as well as
 * after the run: whatever a program in the box makes of the workspace cannot lead this code anywhere else.
 */
#pragma once
#include <sys/stat.h>
#include <time.h>

#include "box/protect.h"

#define PROTECT_PATH_MAX 3072       /* longer paths are not looked at; noted */
#define PROTECT_ENTRIES_MAX 20000   /* directory entries looked at by one search */
#define PROTECT_BUDGET ((size_t)10 * PROTECT_ENTRIES_MAX) /* by all searches before a run, and by all after it */
#define PROTECT_DEPTH_BEFORE 4      /* directories below the workspace in which repositories are searched, before */
#define PROTECT_DEPTH_AFTER 12      /* and after */
#define PROTECT_REPOSITORIES_MAX 64
#define PROTECT_NEST_MAX 4          /* repositories inside the .git of others, and so on */
#define PROTECT_PINS_MAX 1024       /* mounts for one workspace */
#define PROTECT_CHANGES_MAX 200     /* reported for one run */
#define PROTECT_HELD_MAX 32         /* descriptors open at once */
#define PROTECT_CONFIG_MAX ((size_t)256 << 10)

/* ---- names (protect_table.c) ---- */

enum {
	NAME_MASK = 1,       /* absent: covered by an empty directory, so that it cannot be made */
	NAME_MASK_FILE = 2,  /* absent: covered by an empty file (or one with `text`), where a directory would disturb git */
	NAME_MOVE = 4,       /* absent and not to be masked: quarantined when it has appeared; else only reported */
	NAME_NESTED = 8,     /* protected in directories below as well, where it exists at the start */
	NAME_WRITABLE = 16,  /* only pinned: its content may change */
	NAME_GIT = 32,       /* when it is a link, where it leads to is a repository and handled as such */
};

struct protect_name {
	char path[28];
	unsigned flags;
	char text[4];  /* empty: none */
};

const struct protect_name *protect_name_find(struct str path); /* NULL: not in the table */
const struct protect_name *gitdir_names(bool worktree, size_t *ret_n);
bool gitdir_name(const char *name);
/* Directories that hold what tools made: searched last. */
bool heavy_name(const char *name);

/* ---- state ---- */

enum kept_kind {
	KEPT_PATH,   /* there, pinned read-only */
	KEPT_ABOVE,  /* there, pinned */
	KEPT_LINK,   /* a link: cannot be pinned */
	KEPT_MADE,   /* absent, a placeholder of ours stands there */
	KEPT_ABSENT, /* absent, only watched */
};

struct kept {
	struct kept *next;
	const char *path;
	enum kept_kind kind;
	unsigned flags;
	struct stat st;
	const char *link; /* KEPT_LINK: its text */
};

struct made { /* a placeholder: a directory, or a file whose size is known */
	struct made *next;
	const char *parent, *name;
	bool file;
	off_t size;
	dev_t dev;
	ino_t ino;
};

struct gitdir {
	struct gitdir *next;
	const char *path;
	bool worktree;       /* of the kind .git/worktrees/NAME: configuration and hooks are the main one's */
};

struct seen { /* a directory that held one of the names that make a repository */
	struct seen *next;
	const char *path;
	unsigned marks;
};

enum trust { /* in a repository that is found after the run, what is said of its parts that could run something */
	TRUST_NONE,   /* it was not there before: they go */
	TRUST_UNSURE, /* it may have been: new ones go, others are named */
	TRUST_OLD,    /* it was, and could not be protected: new ones go */
};

struct protect {
	struct arena *a;  /* of the call under way */
	int ws;           /* -1: nothing is protected */
	int lock;         /* the state's file of locks; -1: none */
	off_t lock_byte;  /* the workspace's byte of it */
	struct str workspace, quarantine;
	struct timespec start;
	struct kept *kept;
	size_t nkept;
	struct made *made;
	struct gitdir *gitdirs, *gitdirs_before;
	struct texts *gits;    /* paths of all .git found at the start */
	size_t ngitdirs;
	struct seen *seen;
	struct texts *visited; /* directories searched at the start: what is not recorded of them was not there */
	struct texts *patterns;
	struct change *changes, **changes_end;
	size_t nchanges;
	int qfd;               /* quarantine; -1: not open */
	int held[PROTECT_HELD_MAX]; /* descriptors in use: running out of memory leaves the functions that would close them */
	size_t nheld;
	size_t budget;         /* directory entries that may still be looked at */
	unsigned nest;         /* repositories of repositories being looked at */
	enum trust trust;      /* in the repository whose inner ones are being looked at */
	bool full;             /* more repositories than can be protected */
	bool looked;           /* all that was there is known */
	unsigned moved;
	int pool;              /* directory of spare placeholders; -1: none */
	struct texts *spare;   /* names in it */
};

/* ---- the lock of the workspace (protect_lock.c) ---- */

/* Opens the state's file of locks, if there can be one. */
void workspace_lock_open(struct protect *p);
/* 0, or -1 with errno: another launcher holds it alone for too long. */
int workspace_lock_share(const struct protect *p);
/* Takes it alone, at once or not at all. Takes no memory. */
bool workspace_lock_alone(const struct protect *p);
void workspace_unlock(const struct protect *p);

/* ---- placeholders (protect_made.c) ---- */

/* The spare ones, if there can be any. */
void pool_open(struct protect *p);
/* A placeholder for a name that is absent, or the one that is there. False: not possible, so the name is only watched. */
bool placeholder_make(struct protect *p, const char *path, unsigned flags, const char *text, struct stat *ret);
/* Is this an empty one, another box's perhaps? */
bool placeholder_at(struct protect *p, const char *path, const struct stat *st, off_t size);
/* Removes it, if it is still what was made. Takes no memory. */
void placeholder_remove(const struct protect *p, const struct made *m);

/* ---- what is kept (protect.c) ---- */

/* Protects one path, with what `flags` say for its absence. */
void protect_keep(struct protect *p, const char *path, unsigned flags, const char *text);
bool protect_kept(const struct protect *p, const char *path);
/* Where a path given in `dir` (relative) or as absolute leads to, relative to the workspace. NULL: not into it. */
const char *protect_resolve(struct protect *p, const char *dir, struct str path);
/* The same as text only: where it would lead if there were no links. */
const char *protect_as_text(struct protect *p, const char *dir, struct str path);
/* One more row for the report. */
void protect_report(struct protect *p, const char *path, const char *what, struct str moved_to);
const char *path_join(struct arena *a, const char *dir, const char *name);
/* The directory part of a relative path, "" for the workspace itself. */
const char *path_dirname(struct arena *a, const char *path);
const char *path_basename(const char *path);

/* ---- looking (protect_walk.c) ---- */

/* Opens below a directory without following links, staying beneath it. "" is the directory itself. A descriptor or -1 with errno. */
int below_open(int root, const char *path, int flags);
/* The same for as long as the block lasts, in functions that take memory. */
int held_open(struct protect *p, const char *path, int flags);
int held_add(struct protect *p, int fd);
struct held {
	struct protect *p;
	int fd;
};
void held_close(struct held *h);
#define HELD __attribute__((cleanup(held_close))) struct held
/* What is at a path, links as links. 0 or -1 with errno. */
int below_stat(int root, const char *path, struct stat *ret);
/* The bytes of a small regular file; -1 when it is none, too long or unreadable. */
int below_read(struct arena *a, int root, const char *path, size_t max, struct str *ret);
struct str link_text(struct arena *a, int dir, const char *name);

enum { /* names that make a directory a repository, or are part of one */
	MARK_HEAD = 1, MARK_OBJECTS = 2, MARK_REFS = 4, MARK_COMMONDIR = 8, MARK_CONFIG = 16, MARK_HOOKS = 32,
};
#define MARKS 6
extern const char *const mark_names[MARKS];

/* git takes a directory with these for a repository: with `commondir`, objects and refs may lie elsewhere. */
static inline bool marks_repository(unsigned m)
{
	return (m & MARK_HEAD) && ((m & MARK_COMMONDIR) || ((m & MARK_OBJECTS) && (m & MARK_REFS)));
}

typedef void dir_entry_fn(void *ctx, int fd, const char *name, unsigned char type);
/* Calls fn for each entry (d_type is always known), *left times at most. False: there were more, or the directory cannot be read. */
bool dir_each(int fd, size_t *left, dir_entry_fn *fn, void *ctx);

struct walk {
	struct protect *p;
	const char *from;     /* where to start; "" is the workspace */
	size_t depth_max, left;
	bool heavy;           /* look into heavy directories as well, last */
	void (*entry)(struct walk *w, const char *dir, const char *name, unsigned char type);
	void (*leave)(struct walk *w, const char *dir, unsigned marks);
	void *ctx;
	bool incomplete;      /* a bound was reached before all but heavy directories were seen */
};

void walk_run(struct walk *w);

/* ---- git (protect_git.c) ---- */

/* Protects what makes git run something, in a directory with a repository's content. */
void gitdir_before(struct protect *p, const char *path, bool worktree);
/* `.git` in `dir`: a directory, a file that names one, or a link. */
void git_before(struct protect *p, const char *dir, unsigned char type);
/* After the run: repositories that are new, links in those that are not. */
void git_after(struct protect *p);

/* ---- configuration of git (protect_config.c) ---- */

typedef void config_fn(void *ctx, struct str section, struct str key, struct str value);
/* Calls fn for each setting, names in lower case without the subsection. False: there is something in it that is not understood. */
bool config_each(struct arena *a, struct str text, config_fn *fn, void *ctx);
/* Does every setting in it name no program, file or further configuration? */
bool config_inert(struct arena *a, struct str text);

/* ---- quarantine (protect_move.c) ---- */

/* Moves what is at the path out of the way and reports it. 0, or -1: it is still there (which is reported as well). */
int protect_move(struct protect *p, const char *path, const char *what);
