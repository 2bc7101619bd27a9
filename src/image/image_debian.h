/*
 * Images of Debian packages, without root, chroot or Docker.
 *
 * - apt-get downloads the packages, what they depend on, and Debian's essential packages, for an empty
 *   system: from the sources of this machine, whose signatures it checks. It installs nothing.
 * - dpkg-deb writes the files of each package as a tar archive, read like any other (image_import.h).
 * - Scripts of packages never run. Tables in image_debian.c have the files and links that the scripts of the
 *   most common packages would make: users, alternatives, certificates.
 */
#pragma once
#include "base/texts.h"
#include "image/image_store.h"

#define DEBIAN_PACKAGES_MAX 256 /* that can be named */

/* Downloads into the stage's directory, and fills its tree. `packages` are names, with =VERSION or :ARCH. */
int image_add_debian(struct image_stage *g, const struct texts *packages, struct err *e);
