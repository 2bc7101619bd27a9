/* Replaces our command line in process lists. */
#include "sys/title.h"

#include <stddef.h>
#include <string.h>

static char *first;
static size_t length;

/* The kernel stores the arguments contiguously. */
void title_known(int argc, char **argv)
{
	char *end = argc > 0 ? argv[0] : NULL;

	for (int i = 0; i < argc && argv[i] == end; i++)
		end += strlen(end) + 1;
	first = argc > 0 ? argv[0] : NULL;
	length = argc > 0 ? (size_t)(end - first) : 0;
}

void title_set(const char *name)
{
	size_t n = strlen(name);

	if (!length)
		return;
	memset(first, 0, length);
	memcpy(first, name, n < length ? n : length - 1);
}
