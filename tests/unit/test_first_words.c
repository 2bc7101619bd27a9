/* src/net/first_words.c: first bytes of protocols, and of requests that some server accepts. */
#include "net/first_words.h"
#include "unit.h"

static const struct {
	struct str bytes;
	enum relay_speech speech, server_first; /* if the client spoke first; if the server did */
} first_words[] = {
		{STR("GET / HTTP/1.1\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("GET / HTTP/1.1\r"), RELAY_HTTP, RELAY_HTTP},
		{STR("get / http/1.1\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("get x http/1.1\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("G3T x HTTP/1.1\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("PRI * HTTP/2.0\r\n\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("GET\v/\vHTTP/1.1\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("GET\x1c/\x1fHTTP/1.1\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("GET\x85/\xa0HTTP/1.1\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("\xa0GET / HTTP/1.1\r\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("GET /\r\nHost: b.example\r\n\r\n"), RELAY_HTTP, RELAY_RAW},
		{STR("GET / \r\nHost: b.example\r\n\r\n"), RELAY_HTTP, RELAY_RAW},
		{STR("GET /\rHost"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("GET\rx"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("GET "), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("GET\f"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("get\t"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("get /"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("get  x"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("M-SEARCH *"), RELAY_HTTP, RELAY_UNDECIDED},
		{STR("EHLO x\r\n"), RELAY_HTTP, RELAY_RAW},
		{STR("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n"), RELAY_HTTP, RELAY_RAW},
		{STR("\r\n\r\n\0\r\nQUIT\n"), RELAY_HTTP, RELAY_HTTP},
		{STR("\nx"), RELAY_HTTP, RELAY_HTTP},
		{STR("\r\n"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("GET"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("PING\r"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("get "), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("PING\r\n"), RELAY_RAW, RELAY_RAW},
		{STR("*1\r\n$4\r\nPING\r\n"), RELAY_RAW, RELAY_RAW},
		{STR("get key\r\n"), RELAY_RAW, RELAY_RAW},
		{STR("set key 0 0 5\r\nhello\r\n"), RELAY_RAW, RELAY_RAW},
		{STR("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), RELAY_RAW, RELAY_RAW},
		{STR("0033git-upload-pack /x.git\0host=a.example\0"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("\0\0\0\x08\x04\xd2\x16\x2f"), RELAY_RAW, RELAY_RAW}, /* PostgreSQL */
		{STR("AMQP\0\0\x09\1"), RELAY_RAW, RELAY_RAW},
		{STR("\x16\3"), RELAY_TLS, RELAY_TLS},
		{STR("\x16\1\1\0\5\1"), RELAY_TLS, RELAY_TLS},
		{STR("\x15\3\1\0\2\1"), RELAY_TLS, RELAY_TLS},
		{STR("\x14\3\1\0\1\1"), RELAY_TLS, RELAY_TLS},
		{STR("\x80\x2e\1\3"), RELAY_TLS, RELAY_TLS},
		{STR("\x81\x2e\1\0\2"), RELAY_TLS, RELAY_TLS},
		{STR("\x16"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("\x15\3\1\0\2"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("\x80\x2e\1"), RELAY_UNDECIDED, RELAY_UNDECIDED},
		{STR("\x16\1\0\0\1\0"), RELAY_RAW, RELAY_RAW}, /* MongoDB: a length, then a number */
		{STR("\x16\x62"), RELAY_RAW, RELAY_RAW},
		{STR("\x80\0\1\3"), RELAY_RAW, RELAY_RAW}, /* NFS: a length */
		{STR("\x80\x2e\1\1"), RELAY_RAW, RELAY_RAW},
};

static void test_first_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(first_words); i++) {
		const uint8_t *p = (const uint8_t *)first_words[i].bytes.p;
		size_t n = first_words[i].bytes.n;
		CHECK_ROW(first_words_read(p, n, false, false) == first_words[i].speech,
				first_words[i].bytes.p);
		CHECK_ROW(first_words_read(p, n, false, true) == first_words[i].server_first,
				first_words[i].bytes.p);
		CHECK_ROW(first_words_read(p, n, true, false) != RELAY_UNDECIDED, first_words[i].bytes.p);
		/* A decision holds when the rest arrives. */
		for (size_t k = 0; k < n; k++) {
			enum relay_speech part = first_words_read(p, k, false, false);
			CHECK_ROW(part == RELAY_UNDECIDED || part == first_words[i].speech,
					first_words[i].bytes.p);
		}
	}
}

int main(void)
{
	RUN(test_first_words);
	return unit_end();
}
