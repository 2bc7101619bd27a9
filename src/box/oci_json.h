/*
 * Pieces of JSON that describe a container: words that all engines share, and mounts as the OCI runtime
 * specification has them. Inside of src/box only.
 */
#pragma once
#include "base/json_write.h"
#include "box/guest.h"

void oci_put_strings(struct buf *j, const char *key, const char *const *words, size_t n);
void oci_put_number(struct buf *j, const char *key, uint64_t n);
void oci_put_word(struct buf *j, const char *key, const char *word); /* true, false, null */
/* The paths of the plan that must be hidden, as items of an array that has others. */
void oci_put_masked(struct buf *j, const struct guest_box *g);

/* An empty directory of this owner, with a limit of files if `files`; without one the guest sets it. */
struct oci_tmpfs {
	bool files;
	uid_t uid; /* if files */
	gid_t gid;
	const char *more; /* an option that the engine needs; NULL: none */
	bool recursive;   /* a writable mount brings those below it along */
};
/* Items of an array: {"destination", "type", "source", "options"} for each mount of the stage. */
void oci_put_mounts(struct buf *j, const struct guest_box *g, const struct oci_tmpfs *t);

/* The first process of a container, and how its runtime differs from others. */
struct oci_container {
	uid_t uid; /* of the guest, as the runtime sees it */
	gid_t gid;
	const char *talk; /* GUEST_TALK_FD, or the descriptor that the runtime passes instead */
	const char *const *capabilities;
	size_t ncapabilities;
	bool mapped;     /* in a user namespace in which the caller is root */
	bool own_kernel; /* the runtime is the kernel of the box: GUEST_OWN_KERNEL */
};
/* config.json. The runtime makes a cgroup unless guest_box.own_group. */
struct str oci_describe(const struct box_state *b, const struct oci_container *c);
