/* Fills the tree of a new image from an archive or a directory. Nothing of it is trusted (image_tree.h). */
#pragma once
#include "image/image_tree.h"

/* Adds all entries of a tar archive, read from a descriptor. */
int image_add_tar(struct arena *a, struct image_tree *t, int fd, struct err *e);
/* Adds all that is in a directory. Follows no link and descends into mounts. */
int image_add_dir(struct arena *a, struct image_tree *t, const char *path, struct err *e);
