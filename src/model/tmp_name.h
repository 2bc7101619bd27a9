/*
 * A file in the host's /tmp that a command may use: it names the file, or its session wrote it. The run
 * decides if the box shows it (run/spec_tmp.c).
 */
#pragma once
#include "base/str.h"

#define TMP_NAMES_MAX 64 /* for one command, and for one session */

struct tmp_name {
	struct tmp_name *next;
	struct str path;       /* absolute, below /tmp, without "." and ".." */
	bool writes;           /* the command itself writes it */
	bool made;             /* the session wrote it */
};
