/* True if the file system distinguishes upper and lower case. */
#pragma once
#include "base/str.h"

/* File systems that never do, by the type that statfs tells: FAT, NTFS, HFS+, SMB, and shares of a host. */
bool fold_by_type(uint64_t type);
/*
 * Does the directory take a name in another case for the same file? False as well when it cannot be looked
 * at.
 */
bool fold_probe(struct str dir);
