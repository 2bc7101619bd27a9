/* The trust store: reading is strict, writing goes through a list. */
#include "config/trust.h"

#include <errno.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "sys/file.h"
#include "sys/secure.h"

#define DIGITS 64

int trust_load(struct arena *a, struct str file, uint32_t uid, struct str *ret_store, struct err *e)
{
	struct err why;
	if (secure_read(a, file, TRUST_BYTES_MAX, uid, ret_store, &why) == 0)
		return 0;
	if (why.kind == ERR_SYSTEM && why.errnum == ENOENT) {
		*ret_store = STR("");
		return 0;
	}
	if (e)
		*e = why;
	return -1;
}

int trust_save(struct arena *a, struct str file, struct str store, struct err *e)
{
	return file_replace(str_c(a, file), store, e);
}

static struct str bare_digest(struct str digest)
{
	return str_starts(digest, "sha256:") ? str_from(digest, 7) : digest;
}

/* Paths are compared byte by byte, and JSON can hold only UTF-8. */
static bool is_storable(struct str path)
{
	return path.n && path.p[0] == '/' && utf8_valid(path) && !str_has(path, '\0');
}

static int fail_entry(size_t i, const char *what, struct err *e)
{
	return err_config(e, "the trust store is broken: entry %zu: %s", i + 1, what);
}

static int read_entry(const struct json *v, size_t i, struct trust_entry *ret, struct err *e)
{
	const struct json *path = json_key(v, "path"), *sha256 = json_key(v, "sha256"),
			*when = json_key(v, "when");
	if (!json_is(path, JSON_STRING) || !json_is(sha256, JSON_STRING) || !json_is(when, JSON_STRING) ||
	v->n != 3)
		return fail_entry(i, "not an object of path, sha256 and when", e);
	if (!is_storable(path->text))
		return fail_entry(i, "the path is not absolute", e);
	if (!str_is_hex(sha256->text, DIGITS))
		return fail_entry(i, "sha256 is not 64 lower-case hexadecimal digits", e);
	*ret = (struct trust_entry){.path = path->text, .sha256 = sha256->text, .when = when->text};
	return 0;
}

int trust_read(struct arena *a, struct str store, struct trust_entry **ret, struct err *e)
{
	struct trust_entry *list = NULL, **end = &list;
	struct json *root;
	struct err why;
	size_t i = 0;
	if (!store.n) {
		*ret = NULL;
		return 0;
	}
	if (store.n > TRUST_BYTES_MAX)
		return err_config(e, "the trust store is broken: longer than %zu bytes", TRUST_BYTES_MAX);
	if (json_read(a, store, &root, &why) < 0)
		return err_config(e, "the trust store is broken: %s", why.text);
	if (root->kind != JSON_ARRAY || root->n > TRUST_ENTRIES_MAX)
		return err_config(e,
				"the trust store is broken: not a list of at most %d entries",
				TRUST_ENTRIES_MAX);
	for (const struct json *v = root->first; v; v = v->next, end = &(*end)->next) {
		*end = arena_new(a, struct trust_entry);
		if (read_entry(v, i++, *end, e) < 0)
			return -1;
	}
	*ret = list;
	return 0;
}

static struct str to_text(struct arena *a, const struct trust_entry *list)
{
	struct buf b;
	buf_init(&b, a, TRUST_BYTES_MAX);
	buf_c(&b, "[");
	for (const struct trust_entry *t = list; t; t = t->next) {
		buf_c(&b, t == list ? "\n{" : ",\n{");
		json_put_field(&b, "path", t->path);
		json_put_field(&b, "sha256", t->sha256);
		json_put_field(&b, "when", t->when);
		buf_char(&b, '}');
	}
	buf_c(&b, "\n]\n");
	return buf_view(&b);
}

int trust_is(struct arena *a, struct str store, struct str path, struct str digest, bool *ret, struct err *e)
{
	struct trust_entry *list;
	bool found = false;
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	digest = bare_digest(digest);
	for (; list; list = list->next)
		found |= str_is_hex(digest, DIGITS) && str_eq(list->path, path) &&
				str_eq(list->sha256, digest);
	*ret = found;
	return 0;
}

/* Removes every entry with this path. */
static bool drop_entry(struct trust_entry **list, struct str path)
{
	bool found = false;
	while (*list) {
		if (str_eq((*list)->path, path)) {
			*list = (*list)->next;
			found = true;
		} else {
			list = &(*list)->next;
		}
	}
	return found;
}

int trust_add(struct arena *a, struct str store, struct str path, struct str digest, struct str when,
		struct str *ret_store, struct err *e)
{
	struct trust_entry *list, **end = &list;
	size_t n = 1;
	digest = bare_digest(digest);
	if (!is_storable(path))
		return err_input(e, "only an absolute path in UTF-8 can be trusted, not '%.*s'",
				STR_ARG(path));
	if (!str_is_hex(digest, DIGITS))
		return err_input(e, "'%.*s' is not a SHA-256", STR_ARG(digest));
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	drop_entry(&list, path);
	for (; *end; end = &(*end)->next)
		n++;
	if (n > TRUST_ENTRIES_MAX)
		return err_limit(e, "more than %d trusted files", TRUST_ENTRIES_MAX);
	*end = arena_copy(a, (struct trust_entry){.path = path, .sha256 = digest, .when = when});
	*ret_store = to_text(a, list);
	return 0;
}

int trust_remove(struct arena *a, struct str store, struct str path, struct str *ret_store, bool *ret_found,
		struct err *e)
{
	struct trust_entry *list;
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	*ret_found = drop_entry(&list, path);
	*ret_store = to_text(a, list);
	return 0;
}
