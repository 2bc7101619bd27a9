/* Arrays and linked lists. */
#pragma once

/* The number of elements of an array. Compilers warn if it is used on a pointer. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/* Appends an element to a list. `end` is an lvalue: the address of the last `next`. */
#define LIST_ADD(end, element) (*(end) = (element), (end) = &(element)->next)
/* Appends a copy of a value: LIST_NEW(a, end, (struct point){.x = 1}). Needs base/arena.h. */
#define LIST_NEW(a, end, ...) (*(end) = arena_copy((a), __VA_ARGS__), (end) = &(*(end))->next)
