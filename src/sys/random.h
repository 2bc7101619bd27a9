/* Names that nobody else has, and nobody can guess. */
#pragma once
#include "base/err.h"

#define RANDOM_ID 32

/* That many hexadecimal digits and a NUL. */
int random_id(char ret[RANDOM_ID + 1], struct err *e);
