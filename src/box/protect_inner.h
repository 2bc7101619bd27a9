/*
 * Shared declarations of protect*.c.
 *
 * All names are relative to the workspace and are looked up below its descriptor without following any link
 * (below_open), before as well as after the run: whatever a program in the box makes of the workspace, it
 * cannot lead this code anywhere else.
 */
#pragma once
#include <sys/stat.h>
#include <time.h>

#include "base/pmap.h"
#include "box/protect.h"
#include "sys/git_config.h"
#include "sys/sha256.h"

/* Longest path in bytes. Deeper new names are moved away; deeper old ones make the search incomplete. */
#define PROTECT_PATH_MAX 3072
#define PROTECT_ENTRIES_MAX ((size_t)4 << 20) /* directory entries looked at by one search */
/* Most mounts for one workspace. Further names are judged by content after the run. */
#define PROTECT_PINS_MAX 1024
#define PROTECT_CHANGES_MAX 200     /* reported for one run */
#define PROTECT_HELD_MAX 32         /* descriptors open at once */
#define PROTECT_CONFIG_MAX ((size_t)256 << 10)
#define VET_SMALL 5000              /* entries of a workspace that is searched while the caller waits */
#define VET_LOOK 500                /* entries searched before a run in a larger one */
#define VET_NAME 32
#define PROTECT_HOOKS_MAX ((size_t)100000) /* entries of one directory of hooks */

/* ---- names (protect_table.c) ---- */

enum {
	NAME_MASK = 1,       /* absent: covered by an empty directory, so that it cannot be made */
	/* With NAME_MASK, for files: covered by an empty file, and a socket on the host (protect_made.c). */
	NAME_SOCKET = 256,
	/* Absent: covered by an empty file (or one with `text`), where a directory would disturb git. */
	NAME_MASK_FILE = 2,
	/* Absent and not to be masked: quarantined when it has appeared; else only reported. */
	NAME_MOVE = 4,
	NAME_NESTED = 8,     /* also protected in directories below, where it exists at the start */
	NAME_WRITABLE = 16,  /* only pinned: its content may change */
	NAME_REPORT = 64,    /* never pinned or moved: reported when the program has changed it */
	NAME_GIT = 32,       /* if it is a link, its target is treated as a repository */
	NAME_PRIVATE = 128,  /* the box has a copy of its own, which it may change (protect_private.c) */
};

struct protect_name {
	char path[28];
	unsigned flags;
	char text[4];  /* empty: none */
};

const struct protect_name *protect_name_find(struct str path); /* NULL: not in the table */
/* The row of a name that is also protected in directories below; NULL: none. */
const struct protect_name *protect_nested_find(const char *parent, const char *name);
const struct protect_name *gitdir_names(bool worktree, size_t *ret_n);
bool gitdir_name(const char *name);
/* True for directories of dependencies and build products, which are searched last. */
bool heavy_name(const char *name);
/*
 * True if some file system takes this name for `.git`: in any case, with ignorable characters, as a short
 * name of FAT or NTFS.
 */
bool dotgit_name(const char *name);

/* ---- state ---- */

enum kept_kind {
	KEPT_PATH,   /* exists, pinned read-only */
	KEPT_ABOVE,  /* exists, pinned */
	KEPT_LINK,   /* a link: cannot be pinned */
	KEPT_MADE,   /* absent, covered by our placeholder */
	KEPT_ABSENT, /* absent, only watched */
	KEPT_WATCHED, /* the program may change it; changes are reported */
};

struct kept {
	struct kept *next;
	const char *path;
	enum kept_kind kind;
	unsigned flags;
	struct stat st;
	const char *link; /* KEPT_LINK: its text */
};

struct made { /* a placeholder: a directory, a socket, or a file whose size is known */
	struct made *next;
	const char *parent, *name;
	mode_t kind;          /* S_IFDIR, S_IFSOCK, S_IFREG */
	off_t size;
	dev_t dev;
	ino_t ino;
};

enum gitdir_part { PART_CONFIG, PART_WORKTREE_CONFIG, PART_COMMONDIR, PART_HOOKS, PART_ALTERNATES, PARTS };

struct git_danger { /* settings or hooks in one part of a git directory that could make git run something */
	bool any;
	bool fresh;          /* the file or one of its hooks changed since the start */
	unsigned char digest[SHA256_BYTES];
	struct str text;     /* the text of a readable configuration, or of alternates */
};

struct gitdir {
	struct gitdir *next;
	const char *path;
	/* .git/worktrees/NAME: uses the configuration and hooks of the main repository. */
	bool worktree;
	bool pinned;         /* no box could change its parts, or files that they name */
	bool heavy;          /* in a directory of dependencies: never pinned */
	dev_t dev;
	ino_t ino;
	struct git_danger parts[PARTS];
};

struct git_config { /* a configuration outside of any repository */
	struct git_config *next;
	const char *file;
	struct str text;
};

struct private_config { /* a configuration of which the box has a copy */
	struct private_config *next;
	const char *path;    /* relative to the workspace */
	const char *name;    /* of the copy */
	struct str base;     /* its text at the start; empty: there was none */
	struct str modules;  /* the text of .gitmodules; empty: none */
};

struct lifted { /* a directory whose mode is changed during the search */
	struct lifted *next;
	const char *path;
	struct stat st;      /* its original mode */
};

struct protect {
	struct arena *a;  /* arena of the current call */
	int ws;           /* -1: nothing is protected */
	int lock;         /* the state's file of locks; -1: none */
	off_t lock_byte;  /* the byte of this workspace */
	struct str workspace, quarantine;
	struct str home;              /* the caller's; empty: not known */
	const struct texts *git_configs; /* files of the person and of the system */
	struct git_config *persons;      /* those that exist, once persons_read */
	bool persons_read;
	struct timespec start;
	int64_t clock_offset;  /* start of the run, by the clock of time stamps */
	bool clock_set_back;   /* the clock was set back since the start, so time stamps tell nothing */
	struct kept *kept;
	size_t nkept;
	struct made *made;
	const struct pmap *kept_paths;  /* path to struct kept */
	const struct pmap *gitdirs, *gitdirs_before; /* path to struct gitdir */
	/* Directories searched at the start, to struct walk_spot. A mark that is missing there was absent. */
	const struct pmap *visited;
	const struct pmap *git_files;   /* path of each .git found at the start that is a file, to its text */
	struct texts *nested;           /* settings found below the top */
	const struct pmap *settings;    /* settings that existed at the start, to struct texts */
	int vet;               /* STATE/vetted; -1: none */
	char vet_name[VET_NAME + 1];
	struct str index;      /* as it was read */
	const struct pmap *accepted;    /* by the index: path to struct gitdir */
	struct texts *index_files, *index_names;
	bool alone;            /* no other box runs in the workspace */
	bool prepared;         /* the mark of this run has its preliminary name */
	bool dirty;            /* earlier runs are not judged yet, or other boxes run */
	bool large;            /* too large to be searched while the caller waits */
	struct lifted *lifted;
	struct texts *patterns;
	struct change *changes, **changes_end;
	size_t nchanges;
	int qfd;               /* quarantine; -1: not open */
	/* Open descriptors: when memory runs out, the functions that would close them are left. */
	int held[PROTECT_HELD_MAX];
	size_t nheld;
	bool full;             /* more names than can be pinned */
	bool looked;           /* the search before the run is over */
	bool incomplete;       /* the search after the run did not see everything */
	bool left;             /* to a vetter */
	bool burying;          /* the launcher was killed: nobody waits */
	bool over_budget;      /* the bound of entries was the reason */
	unsigned moved;
	struct private_config *privates;
	size_t nprivates;
	const char *private_dir; /* in STATE/git; NULL: none */
	int private_fd;        /* the same, locked; -1: none */
	bool private_stays;    /* for the next run */
	const char *config_lock; /* NAME.lock of a configuration that is being written; NULL: none */
	int pool;              /* directory of spare placeholders; -1: none */
	struct texts *spare_dirs, *spare_sockets, *spare_files; /* names in it */
};

/* ---- the lock of the workspace (protect_lock.c) ---- */

/* Opens the state's file of locks, if there can be one. */
void workspace_lock_open(struct protect *p);
/* 0, or -1 with errno: another launcher holds it exclusively for too long. */
int workspace_lock_share(const struct protect *p);
/* Takes the lock exclusively, without waiting. Allocates nothing. */
bool workspace_lock_alone(const struct protect *p);
void workspace_unlock(const struct protect *p);
/* The same without the flock() on the directory, which strangers may hold. */
bool boxes_lock_alone(const struct protect *p);
/*
 * The state of the lock. F_UNLCK: free; F_RDLCK: boxes run; F_WRLCK: a launcher searches before or after a
 * run, or it is unknown.
 */
short boxes_lock(const struct protect *p);

/* True if no vetter searches or waits for the workspace. */
bool vet_idle(const struct protect *p);
bool vet_nobody_waits(const struct protect *p);
/* Waits for the turn of this vetter. 0, or -1. */
int vet_search_lock(const struct protect *p);
/*
 * Returns a descriptor that holds the lock of the waiting vetter; VET_WAITS: another vetter holds it; -1:
 * error.
 */
#define VET_WAITS (-2)
int vet_wait_lock(struct protect *p);

/* A descriptor for listing it, whatever its mode; -1 with errno. */
int workspace_open(const char *path, struct identity expected);

/* ---- vetting (protect_vet.c) ---- */

/* The state directory; empty: none. */
const char *protect_state(struct protect *p);
/* Opens the folder, if there can be one. */
void vet_open(struct protect *p);
/*
 * Takes the shared lock of boxes, exclusively if everything was judged, and prepares the mark. 0, or -1 with
 * errno.
 */
int vet_enter(struct protect *p);
/*
 * Makes the prepared mark: the state of the workspace is recorded, and a box may start. 0, or -1 with errno.
 */
int vet_mark(struct protect *p);
/* Removes the prepared mark of a run that never started. Allocates nothing. */
void vet_unprepare(struct protect *p);
/* Loads the index, and judges earlier runs now if no vetter does. */
void vet_begin(struct protect *p);
/* Protects the names in the index. */
void index_pin(struct protect *p);
/*
 * Sets gitdirs_before: every repository found before the run, or only those in the index if earlier runs were
 * not judged.
 */
void vet_known(struct protect *p);
void index_save(struct protect *p, size_t entries);
/* Everything is judged: removes the mark. */
void vet_done(struct protect *p);
/* Reports the findings of earlier searches. */
void vet_found(struct protect *p);
/* Leaves the search to a process that continues after the answer. False: it could not be started. */
bool vet_later(struct protect *p);

/* ---- placeholders (protect_made.c) ---- */

/* Opens the pool of spare placeholders, if there can be one. */
void pool_open(struct protect *p);
/*
 * Makes a placeholder for an absent name, or takes over an existing one. False: not possible, so the name is
 * only watched.
 */
bool placeholder_make(
		struct protect *p, const char *path, unsigned flags, const char *text, struct stat *ret);
/* True for an empty placeholder, also of another box. */
bool placeholder_at(struct protect *p, const char *path, const struct stat *st, off_t size);
/* Removes the placeholder if it is unchanged. Allocates nothing. */
void placeholder_remove(const struct protect *p, const struct made *m);

/* ---- private configurations (protect_private.c) ---- */

/* Makes copies of the configurations that are kept with NAME_PRIVATE, and appends the operations for them. */
void private_begin(struct protect *p, struct ops *ops);
/* The name in the box of the link that covers this configuration; NULL: it has no copy. */
const char *private_link(struct protect *p, const char *path);
/* Merges the copies into the configurations, and reports what is not taken over. */
void private_merge(struct protect *p);
/*
 * A copy of a repository made in the box holds a link to our copy of its configuration. Makes it a file
 * again. False: the link is another one.
 */
bool private_unlink(struct protect *p, const char *path, struct str text);
/* Removes the copies, or what programs left beside them. Allocates nothing. */
void private_end(struct protect *p);
/* Takes the lock of a killed launcher's directory. Allocates nothing. */
void private_retake(struct protect *p);
/* Removes the lock of a configuration, if it is ours. Allocates nothing. */
void private_unlock(struct protect *p);

/* ---- protected names (protect.c) ---- */

/*
 * Runs a function that may run out of memory. After that its open descriptors are closed and changed modes
 * are restored.
 */
int protect_part(struct protect *p, int (*part)(void *), void *arg);
/* Protects one path; `flags` say what happens if it is absent. */
void protect_keep(struct protect *p, const char *path, unsigned flags, const char *text);
bool protect_kept(const struct protect *p, const char *path);
/* True if the inode was created, renamed or changed since the start. Only the kernel sets ctime. */
bool protect_is_new(const struct protect *p, const struct stat *st);
/*
 * True if everything on the way to this path is older than the start, and a file at its end is unchanged.
 * Renaming changes the ctime of the inode and of both directories: a name is the same as before if its own
 * ctime or its directory's is older than the start.
 */
bool path_unchanged(const struct protect *p, const char *path);
/* Appends a row to the report. */
void protect_report(struct protect *p, const char *path, const char *what, struct str moved_to);
/* ---- paths (protect_path.c) ---- */

const char *path_join(struct arena *a, const char *dir, const char *name);
/* The directory part of a relative path, "" for the workspace itself. */
const char *path_dirname(struct arena *a, const char *path);
const char *path_basename(const char *path);
/*
 * Relative, without empty, "." and ".." components; a slash at the end is dropped. NULL: it is no such path.
 */
const char *path_clean(struct arena *a, struct str s);
/*
 * Where a path of the host leads to, when that is below the workspace: relative. NULL: elsewhere, or nowhere.
 */
const char *protect_inside(struct protect *p, struct str path);
/* The first component that is a link; NULL: none of those above the last. */
const char *protect_link_above(struct protect *p, const char *path);
/*
 * Where a path given in `dir` (relative) or as absolute leads to, relative to the workspace. NULL: not into
 * it.
 */
const char *protect_resolve(struct protect *p, const char *dir, struct str path);
/*
 * The same for what must stay so: NULL as well when a link is on the way, or `..` behind a name, which a link
 * could turn elsewhere.
 */
const char *protect_plain(struct protect *p, const char *dir, struct str path);
/* The same as text only: where it would lead if there were no links. */
const char *protect_as_text(struct protect *p, const char *dir, struct str path);

/* ---- looking (protect_walk.c) ---- */

/*
 * Opens below a directory without following links, staying beneath it. "" is the directory itself. A
 * descriptor or -1 with errno.
 */
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
/* As lstat(), below the descriptor. 0 or -1 with errno. */
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
/*
 * Calls fn for each entry (d_type is always known), *left times at most. False: there were more, or the
 * directory cannot be read.
 */
bool dir_each(int fd, size_t *left, dir_entry_fn *fn, void *ctx);

enum gitdir_kind {
	GITDIR_NONE,
	GITDIR_DOTGIT,   /* called .git */
	GITDIR_WORKTREE, /* .git/worktrees/NAME */
	GITDIR_MODULE,   /* in .git/modules */
	GITDIR_BARE,     /* a repository by itself */
};

struct walk_spot { /* a directory met by a walk */
	struct walk_spot *next;
	const struct walk_spot *up;   /* the directory it is in; NULL: this is the workspace */
	const char *path;
	bool dotgit;             /* called .git, or the workspace itself is */
	unsigned marks;          /* complete when the walk leaves it */
	bool heavy;              /* it or a directory above it has a heavy name */
	enum gitdir_kind kind;   /* known when the walk leaves it */
};

struct walk {
	struct protect *p;
	size_t left;             /* entries that may still be looked at */
	/* NULL: into every directory. */
	bool (*descend)(const struct walk *w, const struct walk_spot *dir, int fd, const char *name);
	void (*entry)(struct walk *w, struct walk_spot *dir, int fd, const char *name, unsigned char type);
	void (*leave)(struct walk *w, struct walk_spot *dir);
	void (*too_deep)(struct walk *w, const struct walk_spot *dir, const char *name);
	void *ctx;
	bool incomplete;         /* a bound was reached, or a directory could not be read */
};

void walk_run(struct walk *w);

/* ---- directories that their own mode closes (protect_modes.c) ---- */

/*
 * Gives the owner all permissions on this directory if the owner lacks one of `need`, until modes_restore().
 * False: nothing was changed.
 */
bool mode_lift(struct protect *p, const char *path, mode_t need);
void modes_restore(struct protect *p);
/* The same for the workspace itself, without memory. A mode for workspace_restore(). */
mode_t workspace_lift(const struct protect *p);
void workspace_restore(const struct protect *p, mode_t was);
/* held_open() of a directory for listing it and looking at its entries, whatever its mode. */
int held_list(struct protect *p, const char *path);
/* A directory of somebody else's that lets nobody like us in: git would not get in either. */
bool foreign_closed(struct protect *p, const char *path);

/* ---- git (protect_git.c, protect_compare.c) ---- */

/*
 * Is the workspace itself a git directory? That of a linked worktree or a submodule is one; no other box gets
 * a directory of this name, or in one.
 */
static inline bool is_git_workspace(const struct protect *p)
{
	return str_ends(p->workspace, "/.git") || str_contains(p->workspace, STR("/.git/modules/"));
}
/* The working tree around a git directory; absolute when it lies outside of the workspace. */
const char *gitdir_top(struct protect *p, const char *gitdir);
/* Tells what a directory is to git. Its marks must be complete. */
enum gitdir_kind gitdir_kind(const struct walk_spot *s);
/* The innermost directory called .git that this one is or lies in; NULL: none. */
const struct walk_spot *dotgit_around(const struct walk_spot *s);
/*
 * Notes everything that makes git run something, in a directory with a repository's content, and pins it if
 * told so.
 */
void gitdir_before(struct protect *p, const char *path, bool worktree, bool pin);
/* The same for a `.git` that is a file that names a git directory, or a link. */
void git_before(struct protect *p, const char *path, unsigned char type, bool pin);
/* The path after "gitdir:" in a .git file; empty: there is none. */
struct str git_file_target(struct protect *p, const char *path);
/* Finds settings or hooks in one part of a git directory that could make git run something. */
void part_danger(struct protect *p, const char *gitdir, bool worktree, enum gitdir_part part,
		struct git_danger *ret);
const char *part_name(enum gitdir_part part);
/* A name that is protected in directories below the top, in this one? */
const struct protect_name *protect_nested(const struct walk_spot *dir, const char *name);
/*
 * Calls fn for each path below the workspace that the configuration in `gitdir`, or a person's own, names,
 * for a working tree at `top`.
 */
typedef void named_fn(void *ctx, const char *path, bool directory);
void named_each(struct protect *p, const char *gitdir, const char *top, named_fn *fn, void *ctx);
/* The same for the configurations that belong to no repository. */
void named_persons(struct protect *p, const char *top, named_fn *fn, void *ctx);
/* Protects what repositories around the workspace name in it. */
void git_around(struct protect *p);
/*
 * After the run: every repository in the workspace is judged by its content and identity. How many entries
 * were looked at.
 */
size_t git_after(struct protect *p, size_t entries_max);

/*
 * Moves the index of a git directory away if it changed and has a path that leads out of the working tree.
 * `config`: of the repository.
 */
void index_after(struct protect *p, const char *gitdir, struct str config);

/* ---- objects from elsewhere (protect_alternates.c) ---- */

/* Finds paths in objects/info/alternates that lead out of the workspace. */
void alternates_danger(struct protect *p, const char *path, struct git_danger *ret);
/* Shows the directories of objects that accepted repositories name, read-only. */
void alternates_show(struct protect *p, struct ops *ops);

/* ---- configuration of git (protect_config.c) ---- */

/* Does this setting name no program, file or further configuration? */
bool config_setting_inert(const struct git_setting *s);

/* ---- quarantine (protect_move.c) ---- */

/*
 * Moves what is at the path out of the way and reports it. 0, or -1: it is still there (which is reported as
 * well).
 */
int protect_move(struct protect *p, const char *path, const char *what);
