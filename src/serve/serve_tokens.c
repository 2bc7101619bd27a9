/* Tokens of callers: STATE/serve/tokens.json has a hash of each, its scopes and its limits. */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>

#include "base/json_write.h"
#include "serve/serve.h"
#include "sys/file.h"

#define TOKENS_BYTES_MAX ((size_t)1 << 20)
#define SECRET_BYTES 24
#define SECRET_PREFIX "csn_" /* so that scanners for secrets know it */

static const struct {
	char name[8];
	unsigned bit;
} scopes[] = {{"check", SERVE_CHECK}, {"run", SERVE_RUN}, {"read", SERVE_READ}, {"admin", SERVE_ADMIN}};

static unsigned scope_find(struct str word)
{
	if (str_is(word, "all"))
		return SERVE_CHECK | SERVE_RUN | SERVE_READ | SERVE_ADMIN;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		if (str_is(word, scopes[i].name))
			return scopes[i].bit;
	return 0;
}

int serve_scopes_parse(struct str words, unsigned *ret, struct err *e)
{
	unsigned all = 0;

	for (size_t from = 0; from <= words.n;) {
		ptrdiff_t end = str_find(words, ',', from);
		size_t to = end < 0 ? words.n : (size_t)end;
		unsigned bit = scope_find(str_sub(words, from, to));

		if (!bit)
			return err_set(e, ERR_INPUT, 0,
					"unknown scope '%.*s' (use check, run, read, admin or all)",
					(int)(to - from), words.p + from);
		all |= bit;
		from = to + 1;
	}
	*ret = all;
	return 0;
}

void serve_scopes_put(struct buf *b, unsigned bits)
{
	buf_char(b, '[');
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		if (bits & scopes[i].bit) {
			json_put_comma(b);
			json_put_string(b, str_of(scopes[i].name));
		}
	buf_char(b, ']');
}

static int take_token(const struct json *v, struct serve_token *ret)
{
	struct str name = json_text_at(v, "name"), hash = json_text_at(v, "hash");
	int64_t parallel = json_int_at(v, "parallel"), minute = json_int_at(v, "per_minute");

	*ret = (struct serve_token){0};
	if (!name.n || name.n > SERVE_NAME_MAX || !str_is_hex(hash, SHA256_HEX) || parallel < 0 ||
			parallel > UINT32_MAX || minute < 0 || minute > UINT32_MAX)
		return -1;
	memcpy(ret->name, name.p, name.n);
	memcpy(ret->hash, hash.p, hash.n);
	ret->parallel = (uint32_t)parallel;
	ret->per_minute = (uint32_t)minute;
	for (const struct json *s = json_items(json_key(v, "scopes")); s; s = s->next)
		ret->scopes |= scope_find(json_text(s));
	return 0;
}

int serve_tokens_read(struct arena *a, const char *path, struct serve_tokens *ret, struct err *e)
{
	struct json *list;
	struct str text;
	struct err why = {0};

	*ret = (struct serve_tokens){0};
	if (file_read(a, path, TOKENS_BYTES_MAX, &text, NULL, &why) != 0) {
		if (why.kind == ERR_SYSTEM && why.errnum == ENOENT)
			return 0;
		*e = why;
		return -1;
	}
	if (json_read(a, text, &list, &why) != 0 || !json_is(list, JSON_ARRAY))
		return err_set(e, ERR_CONFIG, 0, "'%s' is not a list of tokens%s%s", path,
				why.kind ? ": " : "", why.text);
	for (const struct json *v = json_items(list); v; v = v->next)
		if (ret->n == SERVE_TOKENS_MAX || take_token(v, &ret->v[ret->n++]) != 0)
			return err_set(e, ERR_CONFIG, 0, "'%s' has a token that cannot be read", path);
	return 0;
}

int serve_tokens_write(struct arena *a, const char *path, const struct serve_tokens *t, struct err *e)
{
	struct buf b;

	buf_init(&b, a, TOKENS_BYTES_MAX);
	buf_char(&b, '[');
	for (size_t i = 0; i < t->n; i++) {
		json_put_open(&b, NULL, '{');
		json_put_field(&b, "name", str_of(t->v[i].name));
		json_put_field(&b, "hash", str_of(t->v[i].hash));
		json_put_key(&b, "scopes");
		serve_scopes_put(&b, t->v[i].scopes);
		buf_fmt(&b, ",\"parallel\":%u,\"per_minute\":%u}", t->v[i].parallel, t->v[i].per_minute);
	}
	buf_c(&b, "]\n");
	return file_replace(path, buf_view(&b), e);
}

/* The hash of a random text of 192 bits tells nothing about it, so comparing hashes needs no constant time.
 */
const struct serve_token *serve_token_find(const struct serve_tokens *t, struct str secret)
{
	char hash[SHA256_HEX + 1];

	sha256_hex(secret, hash);
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].hash, hash))
			return &t->v[i];
	return NULL;
}

int serve_token_new(struct serve_token *t, char *ret_secret, struct err *e)
{
	unsigned char bytes[SECRET_BYTES];
	char hex[2 * SECRET_BYTES + 1];

	if (sodium_init() < 0)
		return err_set(e, ERR_SYSTEM, 0, "there are no random numbers");
	randombytes_buf(bytes, sizeof(bytes));
	sodium_bin2hex(hex, sizeof(hex), bytes, sizeof(bytes));
	str_put(ret_secret, SERVE_SECRET_MAX, SECRET_PREFIX "%s", hex);
	sha256_hex(str_of(ret_secret), t->hash);
	sodium_memzero(bytes, sizeof(bytes));
	return 0;
}
