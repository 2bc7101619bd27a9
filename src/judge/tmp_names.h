/* Files in the host's /tmp that a command names. */
#pragma once
#include "model/facts.h"
#include "model/tmp_name.h"
#include "model/view.h"

/*
 * Lists the known names below /tmp that the facts read, execute, write or look up, those in words that only a
 * program understands, and the directories that commands work in, at most TMP_NAMES_MAX. Where boxes have
 * files beside those of the host, the view says so, and the host's are listed one by one. Names in the
 * project are left out.
 */
struct tmp_name *tmp_names(struct arena *a, const struct facts *f, const struct view *v, struct str project);
/* Adds a name if there is room, or the properties of `name` to the same name. */
void tmp_names_add(struct arena *a, struct tmp_name **list, const struct tmp_name *name);
