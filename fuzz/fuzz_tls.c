/*
 * libFuzzer: the reader of a TLS client's first message; the input is what the client sent.
 * Holds: a name comes only with an acceptance, and is a host name; a shorter part of the input gets the same
 * answer or none.
 */
#include <stdlib.h>

#include "net/client_hello.h"

static bool read_copy(const uint8_t *data, size_t n, struct client_hello *ret)
{
	uint8_t *copy = malloc(n ? n : 1); /* of this size: a read past the end is seen */

	if (!copy)
		abort();
	memcpy(copy, data, n);
	bool done = client_hello_read(copy, n, ret);
	free(copy);
	return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct client_hello whole = {.refusal = NETWORK_REFUSALS}, part;

	bool done = read_copy(data, n, &whole);
	if (done && (whole.refusal == NETWORK_NOT_REFUSED) != network_name_valid(str_of(whole.name)))
		abort();
	if (done && (whole.refusal == NETWORK_NOT_REFUSED ? !whole.bytes || whole.bytes > n : whole.bytes))
		abort();
	(void)hello_answer_read(data, n);
	for (size_t i = 0; i < n; i += 1 + i / 4) {
		if (!read_copy(data, i, &part))
			continue;
		if (!done || part.refusal != whole.refusal || strcmp(part.name, whole.name) != 0)
			abort();
	}
	return 0;
}
