/*
 * The tree of an image: files, directories and links below an open directory, which is empty at first and
 * which nobody else knows. Names come from archives that are not trusted:
 * - a name is relative, has no "..", and leads through no link (openat2);
 * - a symbolic link that climbs above the root is refused; an absolute one means the root of the box;
 * - a hard link leads to a file of the tree;
 * - devices, pipes and sockets are refused; owners, times, attributes, set-user-ID bits are not kept;
 * - sizes, names and depth are bounded.
 *
 * A box has its own /dev, /home, /proc, /run, /sys and /tmp: names below these are left out.
 *
 * image_tree_seal() makes the tree read-only and computes its digest. That is the SHA-256 of a listing, each
 * directory before its content, names sorted by their bytes, with NUL after each field:
 *     "d" PATH    "f" PATH "x" or "-", SIZE, SHA-256 of the content    "l" PATH TARGET
 * Hard links count as files. So an archive and the directory that it was made of are the same image.
 */
#pragma once
#include "base/arena.h"
#include "base/str.h"
#include "sys/sha256.h"

#define IMAGE_ENTRIES_MAX 400000
#define IMAGE_BYTES_MAX ((uint64_t)8 << 30)
#define IMAGE_DEPTH_MAX 96

struct image_tree {
	int root;                /* an open directory */
	uint64_t entries, bytes; /* so far */
	uint64_t entries_max, bytes_max;
	int file;                /* being written; -1: none */
	bool merge_usr;          /* names in /bin, /lib … go to /usr, as Debian's packages expect */
};

struct image_seal {
	char digest[SHA256_HEX + 1];
	uint64_t entries, bytes; /* of the tree as it is */
};

/* Empty tree in an open directory, which the caller closes. */
void image_tree_init(struct image_tree *t, int root);
/*
 * Each adds one name. A file or link replaces one of the same name; a directory may exist. Returns 0, or 1 if
 * the name is left out, or -1 and *e.
 */
int image_tree_dir(struct image_tree *t, struct str name, struct err *e);
int image_tree_link(struct image_tree *t, struct str name, struct str target, struct err *e);
int image_tree_hard_link(struct image_tree *t, struct str name, struct str target, struct err *e);
/* The same for a file of this size. Its content follows, then image_tree_file_end(). */
int image_tree_file(struct image_tree *t, struct str name, uint64_t size, struct err *e);
int image_tree_write(struct image_tree *t, struct str bytes, struct err *e);
int image_tree_file_end(struct image_tree *t, bool executable, struct err *e);
/* Closes a file that is being written. */
void image_tree_close(struct image_tree *t);
/*
 * Adds files of /etc that container engines mount something on, where they are missing: a mount needs a
 * name, and nobody can make one in a read-only root.
 */
int image_tree_complete(struct image_tree *t, struct err *e);
/* Makes the tree read-only. An empty tree is an error. */
int image_tree_seal(struct arena *a, struct image_tree *t, struct image_seal *ret, struct err *e);
/* With merge_usr: the i-th directory that is in /usr. NULL after the last. */
const char *image_usr_dir(size_t i);
/* For qsort() of names (const char *). */
int image_name_order(const void *a, const void *b);
