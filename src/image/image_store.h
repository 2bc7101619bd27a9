/*
 * Images: read-only roots for boxes, in the state directory, named by the digest of their content.
 *
 *     STATE/images/lock               held while names or directories change
 *     STATE/images/names/NAME         "sha256:DIGEST"
 *     STATE/images/sha256-DIGEST/     root (the tree), about.json, lock
 *     STATE/images/new-ID/            an import at work: it holds the lock in it, and renames it at its end
 *     STATE/images/gone-ID/           being removed
 *
 * So nobody sees half an image, two imports do not disturb each other, and whoever takes the lock removes
 * what a killed import has left. A box holds a read lock of its image's lock as long as it lives.
 */
#pragma once
#include "base/arena.h"
#include "base/texts.h"
#include "image/image_tree.h"

#define IMAGE_FOLDER "images"
#define IMAGE_NAME_MAX 64
#define IMAGE_NONE "none"     /* no name of an image: a run without one */
#define IMAGE_PREFIX "sha256:"
#define IMAGE_DIGITS_MIN 8    /* of a digest, to name an image */

struct image {
	struct image *next;
	struct texts *names;  /* sorted; NULL: it has none */
	struct str digest;    /* SHA256_HEX digits */
	struct str root;      /* path of its tree */
	uint64_t entries, bytes;
	struct str source, created;
};

struct image_store { /* where images are */
	struct str state;     /* resolved; its directory belongs to the caller (state_make()) */
	uint32_t uid;
};

/* ERR_INPUT says what a name looks like. */
int image_check_name(struct str name, struct err *e);
/* All images, the newest first. A store that does not exist has none. */
int image_list(struct arena *a, const struct image_store *s, struct image **ret, struct err *e);
/* The image with this name, or with a digest that begins with sha256:DIGITS. */
int image_find(struct arena *a, const struct image_store *s, struct str ref, struct image *ret,
		struct err *e);
/*
 * Removes a name and, with its last name, the image; or the image of a digest with all its names. Refused
 * while a box uses the image. *ret_gone tells if the image is gone.
 */
int image_remove(struct arena *a, const struct image_store *s, struct str ref, bool *ret_gone, struct err *e);

/* A lock that keeps the image from being removed. -1 and *e; else a descriptor. */
int image_hold(struct arena *a, const struct image_store *s, struct str digest, struct err *e);

struct image_stage { /* an image that is being made; must not move */
	struct arena *a;
	struct arena_cleanup cleanup;
	struct image_store store;
	int folder, dir, lock; /* of the store, of the image, its lock */
	char name[48];
	struct image_tree tree;
};

/* Makes an empty tree, which is removed unless it is committed. Also removes what killed imports left. */
int image_stage_begin(struct arena *a, const struct image_store *s, struct image_stage *ret, struct err *e);
/*
 * Seals the tree and adds the image with this name (empty: none), which then means this image only.
 * *ret_moved tells if the name meant another one before.
 */
int image_stage_commit(struct image_stage *g, struct str name, struct str source, struct image *ret,
		bool *ret_moved, struct err *e);
/* Ends the stage, committed or not. */
void image_stage_end(struct image_stage *g);
