/* The walls of a client's sandbox as JSON. See client_walls.h. */
#include "record/client_walls.h"

#include "base/json_write.h"
#include "base/utf8.h"
#include "judge/engine.h"

bool client_walls_add(struct arena *a, struct texts **list, struct str path)
{
	size_t n = 0;

	for (; *list; list = &(*list)->next, n++)
		if (str_eq((*list)->text, path))
			return true;
	if (n >= WALLS_PATHS_MAX)
		return false;
	texts_add(a, list, path);
	return true;
}

static bool list_survives(const struct texts *list)
{
	for (; list; list = list->next)
		if (!utf8_valid(list->text) || !str_starts(list->text, "/") ||
			str_has(list->text, 0))
			return false;
	return true;
}

bool client_walls_is_utf8(const struct client_walls *w)
{
	return list_survives(w->writable) && list_survives(w->closed) && list_survives(w->hidden);
}

void client_walls_write(struct buf *b, const struct client_walls *w)
{
	buf_fmt(b, "{\"mode\":\"%s\"", client_sandbox_name(w->mode));
	json_put_texts(b, "writable", w->writable);
	json_put_texts(b, "closed", w->closed);
	json_put_texts(b, "hidden", w->hidden);
	buf_char(b, '}');
}

static int read_list(struct arena *a, const struct json *o, const char *key, struct texts **ret)
{
	const struct json *list = json_key(o, key);

	if (!json_is(list, JSON_ARRAY))
		return -1;
	for (const struct json *v = list->first; v; v = v->next) {
		struct str path = str_dup(a, json_text(v));

		if (!str_starts(path, "/") || !client_walls_add(a, ret, path))
			return -1;
	}
	return 0;
}

int client_walls_read(struct arena *a, const struct json *o, struct client_walls *ret)
{
	struct client_walls w = {0};

	if (client_sandbox_find(json_text_at(o, "mode"), &w.mode) != 0)
		return -1;
	if (read_list(a, o, "writable", &w.writable) != 0 || read_list(a, o, "closed", &w.closed) != 0 ||
		read_list(a, o, "hidden", &w.hidden) != 0)
		return -1;
	*ret = w;
	return 0;
}
