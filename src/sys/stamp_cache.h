/*
 * struct stamp_cache: answers about files that a process keeps between requests, each with a stamp
 * (sys/stamp.h). An answer counts only while the stamp of its path holds, which costs one stat(2).
 *
 * A write through a shared mapping changes no time stamp while its page is dirty. So the content of a file is
 * kept only if no program had the file open for writing before it was read: a program that opens it later
 * changes the stamp with its first write.
 *
 * The cache belongs to a process that judges many requests (`check --batch`, the library). Every function
 * takes NULL for a process that judges one: then nothing is kept.
 */
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "sys/stamp.h"

#define STAMP_CACHE_SLOTS 24
#define STAMP_ENTRY_SLOTS 256
#define STAMP_ENTRY_PROBES 4 /* slots in which a name may be */
#define STAMP_REFUSED_SLOTS 4
#define STAMP_CACHE_TEXT ((size_t)64 << 10) /* a longer answer is not kept */

/* The question that an answer belongs to. */
enum stamp_use { STAMP_CONTENT, STAMP_FOLDS, STAMP_MARKS, STAMP_HOOKS, STAMP_EMPTY, STAMP_PROGRAM };

/* The state of a name in a directory: missing, or a directory or file and no link to one. */
enum stamp_name { STAMP_NAME_UNKNOWN, STAMP_NAME_MISSING, STAMP_NAME_DIRECTORY, STAMP_NAME_FILE };

struct stamp_cache { /* all zero: empty */
	struct stamp_slot {
		enum stamp_use use;
		struct stamp stamp;
		char *path; /* NULL: the slot is free. The text follows the path's NUL */
		size_t n;   /* length of the text */
	} slots[STAMP_CACHE_SLOTS];
	unsigned next; /* the slot that is replaced next */
	struct stamp_entry { /* the state of a name when its directory had this stamp */
		char *path; /* NULL: the slot is free */
		enum stamp_name state;
		struct stamp dir;
	} entries[STAMP_ENTRY_SLOTS];
	uint64_t refused[STAMP_REFUSED_SLOTS]; /* devices that may not stamp their directories */
};

/*
 * Copies the answer to the arena and returns true, if there is one and its stamp still holds. `now` is the
 * file's stamp if the caller has just looked at it; NULL: not yet.
 */
bool stamp_cache_get(const struct stamp_cache *c, enum stamp_use use, struct arena *a, const char *path,
		const struct stamp *now, struct str *ret);
/* Returns the path of an answer of which the process has only one; NULL: none is kept. */
const char *stamp_cache_path(const struct stamp_cache *c, enum stamp_use use);
/* Keeps an answer that was found after the stamp was taken. Ignores a stamp that is not settled. */
void stamp_cache_put(struct stamp_cache *c, enum stamp_use use, const char *path, const struct stamp *s,
		struct str text);
/* Reads a file as file_read() does, and keeps its content. */
int stamp_cache_read(struct stamp_cache *c, struct arena *a, const char *path, size_t max, struct str *ret,
		struct err *e);
/*
 * True if content or entries read from this descriptor from now on may be kept with this stamp: the stamp is
 * of the same file or directory, and no program has the file open for writing.
 */
bool stamp_cache_may_keep(const struct stamp *s, int fd);
/*
 * Names in directories. A name that is created, removed or replaced changes the times of its directory, so
 * one look at the directory proves that names in it are still missing, directories, or files. Only local file
 * systems count that are known to keep these times.
 * Returns the state of the name when its directory had the stamp `dir`; NULL: any stamp.
 */
enum stamp_name stamp_cache_name(const struct stamp_cache *c, struct str path, const struct stamp *dir);
/* Keeps the state that the name had after the stamp of its directory was taken. */
void stamp_cache_put_name(struct stamp_cache *c, struct str path, enum stamp_name state,
		const struct stamp *dir);
void stamp_cache_free(struct stamp_cache *c);
