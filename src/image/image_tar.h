/*
 * Reads a tar archive from a descriptor, entry by entry: ustar, pax and GNU long names. The archive is not
 * trusted: every number and name is checked, and what is not understood is an error. The reader neither
 * resolves names nor creates anything (image_tree.h).
 *
 * An archive without its end block is incomplete, and bytes after the end block would be ignored by tar: both
 * are errors. Attributes, owners and times are skipped.
 */
#pragma once
#include "base/arena.h"
#include "base/str.h"

#define TAR_BUFFER ((size_t)64 << 10)
#define TAR_HEADER_MAX ((size_t)64 << 10) /* bytes of a pax header, or of a GNU long name */
#define TAR_PATH_MAX 4096

enum tar_kind { TAR_FILE, TAR_DIR, TAR_LINK, TAR_HARD_LINK, TAR_SPECIAL };

struct tar_entry { /* valid until the next tar_next() */
	enum tar_kind kind;
	struct str name, target; /* as the archive has them; target: of links */
	uint64_t size;           /* TAR_FILE: bytes of content */
	bool executable;         /* by anybody */
};

struct tar_reader {
	int fd;
	size_t at, n;            /* unread part of `buffer` */
	uint64_t left, padding;  /* unread content of the current entry, and what follows it */
	bool has_name, has_target, has_size; /* an extended header gives them for the next entry */
	uint64_t size;
	size_t nname, ntarget;
	char name[TAR_PATH_MAX], target[TAR_PATH_MAX];
	char header[TAR_HEADER_MAX];
	char buffer[TAR_BUFFER];
};

/* The caller owns the descriptor. */
struct tar_reader *tar_reader_new(struct arena *a, int fd);
/* Skips unread content. Returns 1 and the next entry, 0 at the end of the archive, -1 and *e. */
int tar_next(struct tar_reader *r, struct tar_entry *ret, struct err *e);
/* The next piece of the entry's content, at most TAR_BUFFER bytes; empty at its end. */
int tar_content(struct tar_reader *r, struct str *ret, struct err *e);
