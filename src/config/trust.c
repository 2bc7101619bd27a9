/* The trust store: reading is strict, writing goes through a list. */
#include "config/trust.h"

#include <errno.h>

#include "base/json.h"
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

static struct str bare(struct str digest) { return str_starts(digest, "sha256:") ? str_sub(digest, 7, digest.n) : digest; }

/* Paths are compared byte by byte, and JSON can hold only UTF-8. */
static bool storable(struct str path) { return path.n && path.p[0] == '/' && utf8_valid(path) && !memchr(path.p, '\0', path.n); }

struct job {
	struct arena *a;
	json_t *root;
	struct trust_entry *list;
	struct str text;
	struct err *e;
};

/* arena_run functions return >= 0 */
enum { JOB_OK, JOB_FAILED };

static int broken(struct job *j, size_t i, const char *what)
{
	err_set(j->e, ERR_CONFIG, 0, "the trust store is broken: entry %zu: %s", i + 1, what);
	return JOB_FAILED;
}

static int read_entry(struct job *j, const json_t *v, size_t i, struct trust_entry *ret)
{
	const json_t *path = json_object_get(v, "path"), *sha256 = json_object_get(v, "sha256"), *when = json_object_get(v, "when");
	if (!json_is_string(path) || !json_is_string(sha256) || !json_is_string(when) || json_object_size(v) != 3)
		return broken(j, i, "not an object of path, sha256 and when");
	if (!storable(json_to_str(path)))
		return broken(j, i, "the path is not absolute");
	if (!str_is_hex(json_to_str(sha256), DIGITS))
		return broken(j, i, "sha256 is not 64 lower-case hexadecimal digits");
	*ret = (struct trust_entry){.path = str_dup(j->a, json_to_str(path)), .sha256 = str_dup(j->a, json_to_str(sha256)), .when = str_dup(j->a, json_to_str(when))};
	return JOB_OK;
}

static int read_list(void *arg)
{
	struct job *j = arg;
	struct trust_entry **end = &j->list;
	size_t n = json_array_size(j->root);
	if (!json_is_array(j->root) || n > TRUST_ENTRIES_MAX) {
		err_set(j->e, ERR_CONFIG, 0, "the trust store is broken: not a list of at most %d entries", TRUST_ENTRIES_MAX);
		return JOB_FAILED;
	}
	for (size_t i = 0; i < n; i++) {
		*end = arena_new(j->a, struct trust_entry);
		if (read_entry(j, json_array_get(j->root, i), i, *end) != JOB_OK)
			return JOB_FAILED;
		end = &(*end)->next;
	}
	return JOB_OK;
}

/* Frees the JSON value on every way out, also if the arena is full. */
int trust_read(struct arena *a, struct str store, struct trust_entry **ret, struct err *e)
{
	struct job j = {.a = a, .e = e};
	struct err why;
	if (!store.n) {
		*ret = NULL;
		return 0;
	}
	if (store.n > TRUST_BYTES_MAX)
		return err_set(e, ERR_CONFIG, 0, "the trust store is broken: longer than %zu bytes", TRUST_BYTES_MAX);
	if (json_load_strict(store, &j.root, &why) < 0)
		return err_set(e, ERR_CONFIG, 0, "the trust store is broken: %s", why.text);
	int code = arena_run(a, read_list, &j);
	json_decref(j.root);
	if (code == ARENA_FULL)
		return err_set(e, ERR_LIMIT, 0, "no memory left to read the trust store");
	if (code != JOB_OK)
		return -1;
	*ret = j.list;
	return 0;
}

static int write_list(void *arg)
{
	static const char names[][8] = {"path", "sha256", "when"};
	struct job *j = arg;
	struct buf b;
	buf_init(&b, j->a, TRUST_BYTES_MAX);
	buf_c(&b, "[");
	for (const struct trust_entry *t = j->list; t; t = t->next) {
		const struct str values[] = {t->path, t->sha256, t->when};
		buf_c(&b, t == j->list ? "\n" : ",\n");
		j->root = json_object();
		for (size_t i = 0; i < 3; i++)
			if (json_object_set_new(j->root, names[i], json_of_str(j->a, values[i])) < 0)
				return JOB_FAILED;
		if (json_dump_buf(&b, j->root, j->e) < 0)
			return JOB_FAILED;
		json_decref(j->root);
		j->root = NULL;
	}
	buf_c(&b, "\n]\n");
	j->text = buf_view(&b);
	return JOB_OK;
}

static int to_text(struct arena *a, struct trust_entry *list, struct str *ret, struct err *e)
{
	struct job j = {.a = a, .list = list, .e = e};
	int code = arena_run(a, write_list, &j);
	json_decref(j.root);
	if (code != JOB_OK)
		return err_set(e, ERR_LIMIT, 0, "no memory left to write the trust store");
	*ret = j.text;
	return 0;
}

int trust_is(struct arena *a, struct str store, struct str path, struct str digest, bool *ret, struct err *e)
{
	struct trust_entry *list;
	bool found = false;
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	digest = bare(digest);
	for (; list; list = list->next)
		found |= str_is_hex(digest, DIGITS) && str_eq(list->path, path) && str_eq(list->sha256, digest);
	*ret = found;
	return 0;
}

/* Removes every entry with this path. */
static bool drop(struct trust_entry **list, struct str path)
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

int trust_add(struct arena *a, struct str store, struct str path, struct str digest, struct str when, struct str *ret_store, struct err *e)
{
	struct trust_entry *list, **end = &list;
	size_t n = 1;
	digest = bare(digest);
	if (!storable(path))
		return err_set(e, ERR_INPUT, 0, "only an absolute path in UTF-8 can be trusted, not '%.*s'", STR_ARG(path));
	if (!str_is_hex(digest, DIGITS))
		return err_set(e, ERR_INPUT, 0, "'%.*s' is no SHA-256", STR_ARG(digest));
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	drop(&list, path);
	for (; *end; end = &(*end)->next)
		n++;
	if (n > TRUST_ENTRIES_MAX)
		return err_set(e, ERR_LIMIT, 0, "more than %d trusted files", TRUST_ENTRIES_MAX);
	*end = arena_new(a, struct trust_entry);
	**end = (struct trust_entry){.path = path, .sha256 = digest, .when = when};
	return to_text(a, list, ret_store, e);
}

int trust_remove(struct arena *a, struct str store, struct str path, struct str *ret_store, bool *ret_found, struct err *e)
{
	struct trust_entry *list;
	if (trust_read(a, store, &list, e) < 0)
		return -1;
	bool found = drop(&list, path);
	if (to_text(a, list, ret_store, e) < 0)
		return -1;
	*ret_found = found;
	return 0;
}
