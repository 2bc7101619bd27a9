/* The number of elements of an array. A compiler warns when it is given a pointer. */
#pragma once

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
