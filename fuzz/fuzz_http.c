/*
 * libFuzzer: the reader of HTTP requests. The first byte says where the stream is split, the rest is the
 * stream. Holds: the same bytes pass however the stream is split, nothing of a refused head passes, and every
 * line of a head that starts with "Host" names the allowed host.
 */
#include <stdlib.h>

#include "net/first_words.h"
#include "net/http_requests.h"

#define HOST "a.example"

struct stream_end {
	uint64_t passed;
	enum network_refusal refusal;
	enum http_state state;
};

/* A reader of its own, as simple as can be: lines end with LF, names with the first colon or blank. */
static void check_head(struct str s)
{
	for (size_t at = (size_t)str_find(s, '\n', 0) + 1; at < s.n;) { /* behind the request line */
		ptrdiff_t lf = str_find(s, '\n', at);
		struct str line = str_trim(str_sub(s, at, lf < 0 ? s.n : (size_t)lf), " \t\r\n");
		at = lf < 0 ? s.n : (size_t)lf + 1;
		if (line.n == 0)
			return;
		if (line.n < 5 || !str_is_like(str_sub(line, 0, 4), "host") || !strchr(": \t", line.p[4]))
			continue;
		struct str value = str_trim(str_sub(line, 5, line.n), ": \t");
		if (value.n < sizeof(HOST) - 1 || !str_is_like(str_sub(value, 0, sizeof(HOST) - 1), HOST))
			abort();
		value = str_sub(value, sizeof(HOST) - 1, value.n);
		if (!str_is(value, "") && !str_is(value, ".") && !str_is(value, ":80") &&
				!str_is(value, ".:80"))
			abort();
	}
}

/* `step` 0: the whole stream at once. */
static struct stream_end feed(const uint8_t *data, size_t n, size_t step)
{
	struct http_requests h;
	uint64_t free_bytes = 0;
	size_t at = 0, have = 0;

	http_requests_init(&h, STR(HOST), 80);
	while (have < n) {
		have = step && step < n - have ? have + step : n;
		for (;;) {
			size_t now = free_bytes < have - at ? (size_t)free_bytes : have - at;
			uint64_t pass = 0;
			at += now;
			free_bytes -= now;
			if (free_bytes)
				break;
			enum http_state state = h.state;
			enum http_step next = http_requests_next(&h, data + at, have - at, &pass);
			if (next == HTTP_REFUSED)
				return (struct stream_end){at, h.refusal, h.state};
			if (next == HTTP_WAIT)
				http_requests_answered(&h, false);
			if (next == HTTP_MORE)
				break;
			if (next == HTTP_PASS && pass == 0)
				abort();
			if (next == HTTP_PASS && state == HTTP_AT_HEAD)
				check_head(str_n((const char *)data + at, have - at));
			free_bytes = pass;
		}
	}
	return (struct stream_end){at, NETWORK_NOT_REFUSED, h.state};
}

/* A decision about the first bytes holds when more arrive. The bound keeps the input below the line's. */
static void check_first_words(const uint8_t *p, size_t n)
{
	enum relay_speech before = RELAY_UNDECIDED;

	for (size_t k = 0; k <= n && k < 256; k++) {
		enum relay_speech now = first_words_read(p, k, false, false);
		if (before != RELAY_UNDECIDED && now != before)
			abort();
		before = now;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n == 0)
		return 0;
	struct stream_end whole = feed(data + 1, n - 1, 0), split = feed(data + 1, n - 1, 1 + data[0] % 64);
	if (whole.passed != split.passed || whole.refusal != split.refusal)
		abort();
	if ((whole.state == HTTP_FAILED) != (whole.refusal != NETWORK_NOT_REFUSED))
		abort();
	(void)http_answer_read(data + 1, n - 1);
	check_first_words(data + 1, n - 1);
	return 0;
}
