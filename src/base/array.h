/* The number of elements of an array. Compilers warn if it is used on a pointer. */
#pragma once

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
