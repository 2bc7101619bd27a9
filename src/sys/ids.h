/* Unique ids that nobody can guess. */
#pragma once
#include "base/err.h"

#define ID_LETTERS 32

/* Writes ID_LETTERS hexadecimal digits and a NUL. */
int id_new(char ret[ID_LETTERS + 1], struct err *e);
