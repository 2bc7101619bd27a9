/* Detects case-insensitive directories. */
#pragma once
#include "base/str.h"

/*
 * True for file systems that are always case-insensitive, by f_type of statfs(): FAT, NTFS, HFS+, SMB, and
 * shares of a host.
 */
bool fold_by_type(uint64_t type);
/* True if the directory is case-insensitive. False also if it cannot be opened. */
bool fold_probe(struct str dir);
