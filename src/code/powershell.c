/* Powershell: not read yet, so nothing about it is known. */
#include "code/tree.h"

void powershell_walk(struct walk *w, TSNode root) { code_marker_add(w, "unread", root); }
