/* Ids from the kernel's random numbers. */
#define _GNU_SOURCE
#include "sys/ids.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/random.h>

#include "base/str.h"

int id_new(char ret[ID_LETTERS + 1], struct err *e)
{
	uint64_t n[2];

	if (getrandom(n, sizeof(n), 0) != (ssize_t)sizeof(n))
		return err_system(e, "cannot get random bytes for an id");
	str_put(ret, ID_LETTERS + 1, "%016" PRIx64 "%016" PRIx64, n[0], n[1]);
	return 0;
}
