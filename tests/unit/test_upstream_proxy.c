/* src/net/upstream_proxy: the variables that name the host's own proxy, its exceptions, and its dialogue. */
#include "net/upstream_proxy.h"

#include <stdlib.h>

#include "unit.h"

#define VARIABLES_MAX 5

static struct upstream_proxies read_all(char *const *environ)
{
	struct upstream_proxies p;
	upstream_proxies_read(environ, &p);
	return p;
}

/* ---- variables ---- */

static void test_variables(void)
{
	static const struct {
		char environ[VARIABLES_MAX][64];
		char host[16];
		uint16_t port;
		char want[16]; /* host of the proxy; "": none */
	} rows[] = {
			{{""}, "a.test", 443, ""},
			{{"https_proxy=http://p.test:3128"}, "a.test", 443, "p.test"},
			{{"HTTPS_PROXY=http://p.test:3128"}, "a.test", 443, "p.test"},
			{{"HTTPS_PROXY=http://p.test", "https_proxy=http://q.test"}, "a.test", 443, "q.test"},
			{{"HTTPS_PROXY=http://p.test", "https_proxy="}, "a.test", 443, "p.test"},
			{{"https_proxy=http://p.test"}, "a.test", 80, ""},
			{{"https_proxy=http://p.test"}, "a.test", 8443, "p.test"},
			{{"http_proxy=http://p.test"}, "a.test", 80, "p.test"},
			{{"http_proxy=http://p.test"}, "a.test", 443, ""},
			/* a web server's gateway lets clients set it */
			{{"HTTP_PROXY=http://p.test"}, "a.test", 80, ""},
			{{"ALL_PROXY=http://p.test"}, "a.test", 80, "p.test"},
			{{"all_proxy=http://p.test", "https_proxy=http://q.test"}, "a.test", 443, "q.test"},
			/* ssh on the host ignores the other two */
			{{"https_proxy=http://p.test", "http_proxy=http://p.test"}, "a.test", 22, ""},
			{{"all_proxy=socks5://p.test"}, "a.test", 22, "p.test"},
			{{"https_proxyx=http://p.test"}, "a.test", 443, ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *environ[VARIABLES_MAX + 1] = {NULL};
		for (size_t k = 0; k < VARIABLES_MAX && rows[i].environ[k][0]; k++)
			environ[k] = (char *)rows[i].environ[k];
		struct upstream_proxies all = read_all(environ);
		const struct upstream_proxy *p = upstream_proxy_for(&all, str_of(rows[i].host), rows[i].port);
		CHECK_ROW(!strcmp(p ? p->host : "", rows[i].want), rows[i].environ[0]);
	}
	CHECK(upstream_proxy_for(&(struct upstream_proxies){0}, STR("a.test"), 443) == NULL);
}

static void test_values(void)
{
	static const struct {
		char value[64];
		enum proxy_kind kind;
		char host[24];
		uint16_t port;
		char user[8], password[8];
	} rows[] = {
			{"http://p.test:3128", PROXY_HTTP, "p.test", 3128, "", ""},
			{"p.test:3128", PROXY_HTTP, "p.test", 3128, "", ""},
			{"HTTP://P.Test:3128/", PROXY_HTTP, "p.test", 3128, "", ""},
			{"http://p.test", PROXY_HTTP, "p.test", 1080, "", ""},
			{"http://10.0.0.1:8080/x", PROXY_HTTP, "10.0.0.1", 8080, "", ""},
			{"http://[fd00::1]:8080", PROXY_HTTP, "fd00::1", 8080, "", ""},
			{"http://localhost:8080", PROXY_HTTP, "localhost", 8080, "", ""},
			{"http://u:p%40%3a@p.test:1", PROXY_HTTP, "p.test", 1, "u", "p@:"},
			{"http://u:a@b@p.test:1", PROXY_HTTP, "p.test", 1, "u", "a@b"},
			{"http://u@p.test:1", PROXY_HTTP, "p.test", 1, "u", ""},
			{"socks5h://p.test:1", PROXY_SOCKS5, "p.test", 1, "", ""},
			{"socks5://p.test:1", PROXY_SOCKS5, "p.test", 1, "", ""},
			{"socks4://p.test:1", PROXY_UNUSABLE, "", 0, "", ""},
			{"https://p.test:1", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://p.test:0", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://p.test:65536", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://p.test:80:80", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://u:%4@p.test:1", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://u:%00@p.test:1", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://[fd00::1:8080", PROXY_UNUSABLE, "", 0, "", ""},
			{"http://a b:1", PROXY_UNUSABLE, "", 0, "", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char variable[128];
		char *environ[] = {variable, NULL};
		str_put(variable, sizeof variable, "https_proxy=%s", rows[i].value);
		struct upstream_proxies all = read_all(environ);
		CHECK_ROW(all.https.kind == rows[i].kind, rows[i].value);
		if (rows[i].kind == PROXY_UNUSABLE)
			continue;
		CHECK_ROW(!strcmp(all.https.host, rows[i].host), rows[i].value);
		CHECK_ROW(all.https.port == rows[i].port, rows[i].value);
		CHECK_ROW(!strcmp(all.https.user, rows[i].user), rows[i].value);
		CHECK_ROW(!strcmp(all.https.password, rows[i].password), rows[i].value);
	}
}

static void test_long_values(void)
{
	char *text = malloc(20000);
	char *environ[] = {text, NULL};
	for (size_t n = 1; n < 19000; n += n < 600 ? 1 : 701) {
		memset(text, 'a', n + 30);
		memcpy(text, "https_proxy=http://", 19);
		text[n + 19] = 0;
		read_all(environ);
		memcpy(text, "https_proxy=http://a:", 21);
		memcpy(text + n + 21, "@h:1", 5);
		read_all(environ);
	}
	memset(text, ',', 19000);
	text[19000] = 0;
	memcpy(text, "no_proxy=", 9);
	struct upstream_proxies p = read_all(environ);
	CHECK_INT(p.https.kind, PROXY_UNUSABLE); /* a list that is cut would send connections another way */
	free(text);
}

/* ---- exceptions ---- */

static void test_exceptions(void)
{
	static const struct {
		char list[48], host[20];
		uint16_t port;
		bool direct;
	} rows[] = {
			{"", "a.test", 443, false},
			{"*", "a.test", 443, true},
			{"a.test", "a.test", 443, true},
			{"A.Test", "a.test", 443, true},
			{"a.test", "b.a.test", 443, true},
			{".a.test", "a.test", 443, true},
			{".a.test", "b.a.test", 443, true},
			{"*.a.test", "b.a.test", 443, true},
			{"a.test.", "a.test", 443, true},
			{"a.test", "ba.test", 443, false},
			{"a.test", "a.test.org", 443, false},
			{"x, y  a.test", "a.test", 443, true},
			{"x,,a.test,", "a.test", 443, true},
			{"a.test:443", "a.test", 443, true},
			{"a.test:8443", "a.test", 443, false},
			{"*test", "a.test", 443, false},
			{".", "a.test", 443, false},
			{"10.0.0.1", "10.0.0.1", 443, true},
			{"10.0.0.1:443", "10.0.0.1", 443, true},
			{"10.0.0.1:80", "10.0.0.1", 443, false},
			{"10.0.0.0/8", "10.9.8.7", 443, true},
			{"10.0.0.0/8", "11.9.8.7", 443, false},
			{"10.0.0.0/33", "10.9.8.7", 443, false},
			{"0.0.0.1", "10.0.0.1", 443, false},
			{"fd00::/8", "fd00::5", 443, true},
			{"fd00::5", "fd00::5", 443, true},
			{"[fd00::5]:443", "fd00::5", 443, true},
			{"[fd00::5]:80", "fd00::5", 443, false},
			{"::/0", "10.0.0.1", 443, true},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char list[64];
		char *environ[] = {(char *)"https_proxy=p.test:1", list, NULL};
		str_put(list, sizeof list, "NO_PROXY=%s", rows[i].list);
		struct upstream_proxies all = read_all(environ);
		bool direct = !upstream_proxy_for(&all, str_of(rows[i].host), rows[i].port);
		CHECK_ROW(direct == rows[i].direct, list);
	}
}

/* ---- the dialogue ---- */

static struct str words(const struct proxy_dialogue *d)
{
	return str_n(d->words, d->n);
}

static void test_connect(void)
{
	static const struct {
		char answer[64];
		enum proxy_progress want;
		size_t used;
	} rows[] = {
			{"", PROXY_MORE, 0},
			{"HTTP/1.1 200 OK\r\n\r", PROXY_MORE, 0},
			{"HTTP/1.1 200 OK\r\n\r\n", PROXY_OPEN, 19},
			{"HTTP/1.0 200 OK\r\nA: b\r\n\r\nfirst bytes", PROXY_OPEN, 25},
			{"HTTP/1.1 407 No\r\n\r\n", PROXY_FAILED, 19},
			{"HTTP/1.1 502 No\r\n\r\n", PROXY_FAILED, 19},
			{"SSH-2.0-x\r\n\r\n", PROXY_FAILED, 13},
	};
	struct upstream_proxy p = {.kind = PROXY_HTTP};
	struct proxy_dialogue d;
	size_t used;
	CHECK_INT(proxy_begin(&d, &p, STR("a.test"), 443), PROXY_SAY);
	CHECK_STR(words(&d), "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(proxy_answer(&d, str_of(rows[i].answer), &used) == rows[i].want, rows[i].answer);
		CHECK_ROW(used == rows[i].used, rows[i].answer);
	}
	static char endless[PROXY_REPLY_MAX];
	CHECK_INT(proxy_answer(&d, str_n(endless, sizeof endless), &used), PROXY_FAILED);
	CHECK_INT(proxy_begin(&d, &p, STR("2001:db8::1"), 22), PROXY_SAY);
	CHECK_STR(words(&d), "CONNECT [2001:db8::1]:22 HTTP/1.1\r\nHost: [2001:db8::1]:22\r\n\r\n");
}

static void test_authorization(void)
{
	char *environ[] = {(char *)"https_proxy=http://pat:s%3Acret@p.test:1", NULL};
	struct upstream_proxies all = read_all(environ);
	struct proxy_dialogue d;
	proxy_begin(&d, &all.https, STR("a.test"), 443);
	CHECK(str_contains(words(&d), STR("\r\nProxy-Authorization: Basic cGF0OnM6Y3JldA==\r\n\r\n")));
	struct upstream_proxy longest = {.kind = PROXY_HTTP, .has_user = true};
	char host[NETWORK_HOST_MAX];
	memset(longest.user, 'u', sizeof longest.user - 1);
	memset(longest.password, 'p', sizeof longest.password - 1);
	memset(host, 'h', sizeof host);
	CHECK_INT(proxy_begin(&d, &longest, str_n(host, sizeof host), 65535), PROXY_SAY);
	CHECK(str_ends(words(&d), "\r\n\r\n"));
}

static void test_socks(void)
{
	struct upstream_proxy p = {.kind = PROXY_SOCKS5};
	struct proxy_dialogue d;
	size_t used;
	CHECK_INT(proxy_begin(&d, &p, STR("a.test"), 258), PROXY_SAY);
	CHECK_STRN(words(&d), STR("\5\1\0"));
	CHECK_INT(proxy_answer(&d, STR("\5"), &used), PROXY_MORE);
	CHECK_INT(proxy_answer(&d, STR("\5\0"), &used), PROXY_SAY);
	CHECK_INT(used, 2);
	CHECK_STRN(words(&d), STR("\5\1\0\3\6a.test\1\2"));
	CHECK_INT(proxy_answer(&d, STR("\5\0\0\1aaaab"), &used), PROXY_MORE);
	CHECK_INT(proxy_answer(&d, STR("\5\0\0\1aaaabbXX"), &used), PROXY_OPEN);
	CHECK_INT(used, 10);
	CHECK_INT(proxy_answer(&d, STR("\5\0\0\3\2hhbb"), &used), PROXY_OPEN);
	CHECK_INT(proxy_answer(&d, STR("\5\4\0\1aaaabb"), &used), PROXY_FAILED);
	proxy_begin(&d, &p, STR("10.0.0.1"), 22);
	proxy_answer(&d, STR("\5\0"), &used);
	CHECK_STRN(words(&d), STR("\5\1\0\1\12\0\0\1\0\26"));
	/* a proxy that wants a password, when there is none */
	proxy_begin(&d, &p, STR("a.test"), 443);
	CHECK_INT(proxy_answer(&d, STR("\5\2"), &used), PROXY_FAILED);
}

static void test_socks_password(void)
{
	struct upstream_proxy p = {
			.kind = PROXY_SOCKS5, .has_user = true, .user = "pat", .password = "secret"};
	struct proxy_dialogue d;
	size_t used;
	CHECK_INT(proxy_begin(&d, &p, STR("a.test"), 443), PROXY_SAY);
	CHECK_STRN(words(&d), STR("\5\1\2"));
	CHECK_INT(proxy_answer(&d, STR("\5\2"), &used), PROXY_SAY);
	CHECK_STRN(words(&d), STR("\1\3pat\6secret"));
	CHECK_INT(proxy_answer(&d, STR("\1\1"), &used), PROXY_FAILED);
	CHECK_INT(proxy_answer(&d, STR("\1\0"), &used), PROXY_SAY);
	CHECK(str_contains(words(&d), STR("a.test")));
}

/* ---- absolute form ---- */

static void test_absolute(void)
{
	static const struct {
		char host[12], head[64], want[80];
	} rows[] = {
			{"a.test", "GET /x?y HTTP/1.1\r\nA: b\r\n\r\nbody",
					"GET http://a.test/x?y HTTP/1.1\r\nA: b\r\n\r\nbody"},
			{"a.test", "GET http://a.test/ HTTP/1.1\r\n\r\n",
					"GET http://a.test/ HTTP/1.1\r\n\r\n"},
			{"a.test", "OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS http://a.test HTTP/1.1\r\n\r\n"},
			{"fd00::1", "OPTIONS * HTTP/1.1\r\n\r\n",
					"OPTIONS http://[fd00::1] HTTP/1.1\r\n\r\n"},
			{"fd00::1", "GET / HTTP/1.1\r\n\r\n", "GET http://[fd00::1]/ HTTP/1.1\r\n\r\n"},
			{"a.test", "nonsense", ""},
			{"a.test", "\r\nGET / HTTP/1.1\r\n\r\n", ""},
	};
	struct upstream_proxy p = {.kind = PROXY_HTTP};
	char to[256];
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = proxy_absolute_form(&p, str_of(rows[i].host), str_of(rows[i].head), to, sizeof to);
		CHECK_STR(str_n(to, n), rows[i].want);
	}
	CHECK_INT(proxy_absolute_form(&p, STR("a.test"), STR("GET / HTTP/1.1\r\n\r\n"), to, 20), 0);
	size_t without = proxy_absolute_form(&p, STR("a.test"),
			STR("GET / HTTP/1.1\r\nproxy-Authorization: x\r\nProxies: 1\r\nProxy_Connection: "
			    "y\r\n"
			    "\r\nProxy-Body: z\r\n"),
			to, sizeof to);
	CHECK_STR(str_n(to, without), "GET http://a.test/ HTTP/1.1\r\nProxies: 1\r\n\r\nProxy-Body: z\r\n");
	struct upstream_proxy login = {.kind = PROXY_HTTP, .has_user = true, .user = "u", .password = "p"};
	size_t n = proxy_absolute_form(
			&login, STR("a.test"), STR("GET / HTTP/1.1\r\nA: b\r\n\r\n"), to, sizeof to);
	CHECK_STR(str_n(to, n),
			"GET http://a.test/ HTTP/1.1\r\nProxy-Authorization: Basic dTpw\r\nA: b\r\n\r\n");
}

int main(void)
{
	RUN(test_variables);
	RUN(test_values);
	RUN(test_long_values);
	RUN(test_exceptions);
	RUN(test_connect);
	RUN(test_authorization);
	RUN(test_socks);
	RUN(test_socks_password);
	RUN(test_absolute);
	return unit_end();
}
