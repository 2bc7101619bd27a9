/*
 * Adds our hooks to the text of settings, and removes them. Each step changes the text once and parses it
 * again: files are small, and every step starts from the real text.
 *
 * Our insertions have a recognisable layout. A container that we added ends on its own line or directly after
 * its last value; one that was empty before has a space there (jsontext.h). A file that we created ends in a
 * newline. A file that was empty before ends in a space and its old content.
 */
#include "client/init_hooks.h"
#include "client/jsontext.h"

#define STEPS_MAX 100     /* changes to one text */
#define EVENTS_MAX 8

struct texting {
	struct arena *a;
	const struct init_row *row;
	const struct init_program *program;
	struct str text;
	struct json *root;
	struct jstyle style;
	struct err *e;
};

/* ---- pieces ---- */

static void put_entry(struct texting *t, struct buf *b, const char *event)
{
	for (const char *p = t->row->entry; *p; p++) {
		if (*p == '%')
			json_put_string(b, init_command(t->a, t->row, t->program, event));
		else if (*p != '&')
			buf_char(b, *p);
		else if (init_blocks(t->row, event))
			buf_fmt(b, ", %s", t->row->needs);
	}
}

/* "Event": [ENTRY], at this depth */
static void put_event(struct texting *t, struct buf *b, const char *event, unsigned depth)
{
	jstyle_break(b, &t->style, depth);
	buf_fmt(b, "\"%s\": [", event);
	jstyle_break(b, &t->style, depth + 1);
	put_entry(t, b, event);
	jstyle_break(b, &t->style, depth);
	buf_char(b, ']');
}

static size_t split_events(struct arena *a, const struct init_row *row, char *ret[EVENTS_MAX])
{
	struct str all = str_of(row->events);
	size_t n = 0;

	while (all.n && n < EVENTS_MAX)
		ret[n++] = str_c(a, str_cut(&all, ' '));
	return n;
}

/* "hooks": {all events} */
static void put_hooks(struct texting *t, struct buf *b)
{
	char *events[EVENTS_MAX];
	size_t n = split_events(t->a, t->row, events);

	jstyle_break(b, &t->style, 1);
	buf_c(b, "\"hooks\": {");
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_c(b, *t->style.newline ? "," : ", ");
		put_event(t, b, events[i], 2);
	}
	jstyle_break(b, &t->style, 1);
	buf_char(b, '}');
}

static void put_version(struct texting *t, struct buf *b)
{
	if (!t->row->version)
		return;
	jstyle_break(b, &t->style, 1);
	buf_c(b, "\"version\": 1,");
}

/* ---- reading ---- */

static int read_text(struct texting *t)
{
	if (jsontext_read(t->a, t->text, t->row->comments, &t->root, t->e) != 0)
		return -1;
	t->style = jsontext_style(t->text, t->root);
	return 0;
}

/* Finds the object `hooks`; *ret is NULL if it is missing. */
static int find_hooks(struct texting *t, struct json **ret)
{
	struct json *hooks;

	if (t->root && t->root->kind != JSON_OBJECT)
		return jsontext_wrong(t->a, t->text, t->root, "an object", t->e);
	hooks = json_key(t->root, "hooks");
	if (hooks && hooks->kind != JSON_OBJECT)
		return jsontext_wrong(t->a, t->text, hooks, "an object", t->e);
	*ret = hooks;
	return 0;
}

/* Checks the types before any change, so that positions in messages refer to the file. */
static int check_kinds(struct texting *t)
{
	struct json *hooks;

	if (find_hooks(t, &hooks) != 0)
		return -1;
	for (const struct json *n = hooks ? hooks->first : NULL; n; n = n->next) {
		struct str all = str_of(t->row->events), name = str_fmt(t->a, " %.*s ", STR_ARG(n->key));

		if (n->kind != JSON_ARRAY && str_contains(str_fmt(t->a, " %.*s ", STR_ARG(all)), name))
			return jsontext_wrong(t->a, t->text, n, "an array", t->e);
	}
	return 0;
}

/* True if this object is a hook that runs caisson. */
static bool runs_us(struct texting *t, const struct json *n)
{
	static const char keys[][8] = {"command", "bash"};

	for (size_t i = 0; i < 2; i++) {
		const struct json *c = json_key(n, keys[i]);

		if (json_is(c, JSON_STRING) && init_is_ours(t->a, c->text, NULL))
			return true;
	}
	return false;
}

/* Returns our part of an entry: the entry itself, one of its hooks if it has foreign ones, or NULL. */
static struct json *ours_of(struct texting *t, struct json *entry)
{
	struct json *list = json_key(entry, "hooks");

	if (runs_us(t, entry))
		return entry;
	for (struct json *h = json_items(list); h; h = h->next)
		if (runs_us(t, h))
			return list->first == h && !h->next ? entry : h;
	return NULL;
}

/* ---- adding ---- */

/* Returns the text for a missing or blank file. */
static struct str whole_file(struct texting *t, const struct str *text)
{
	struct buf b;

	buf_init(&b, t->a, 0);
	if (text && str_starts(*text, "\xef\xbb\xbf"))
		buf_c(&b, "\xef\xbb\xbf");
	buf_char(&b, '{');
	put_version(t, &b);
	put_hooks(t, &b);
	jstyle_break(&b, &t->style, 0);
	buf_c(&b, "}");
	if (!text) {
		buf_c(&b, t->style.newline);
	} else {
		buf_char(&b, ' ');
		buf_str(&b, str_from(*text, str_starts(*text, "\xef\xbb\xbf") ? 3 : 0));
	}
	return buf_view(&b);
}

/*
 * Brings one event's entry up to date. Returns 1 if the text was changed, 0 if nothing is left to do, -1 on
 * error.
 */
static int settle_event(struct texting *t, const struct json *list, const char *event)
{
	struct buf want, piece;
	bool seen = false;

	buf_init(&want, t->a, 0);
	put_entry(t, &want, event);
	for (struct json *n = list->first; n; n = n->next) {
		struct json *ours = ours_of(t, n);

		if (!ours)
			continue;
		if (ours == n && !seen && str_eq(str_sub(t->text, n->from, n->to), buf_view(&want))) {
			seen = true;
			continue;
		}
		if (ours == n && !seen) { /* another version, or edited by hand */
			t->text = str_cat(t->a, str_cat(t->a, str_first(t->text, n->from), buf_view(&want)),
					str_from(t->text, n->to));
			return 1;
		}
		t->text = jsontext_take(t->a, t->text, ours);
		return 1;
	}
	if (seen)
		return 0;
	buf_init(&piece, t->a, 0);
	jstyle_break(&piece, &t->style, 3);
	buf_str(&piece, buf_view(&want));
	t->text = jsontext_put(t->a, t->text, list, buf_view(&piece));
	return 1;
}

/* Makes one change. Returns 1 if the text was changed, 0 if nothing is left to do, -1 on error. */
static int add_step(struct texting *t)
{
	char *events[EVENTS_MAX];
	size_t n = split_events(t->a, t->row, events);
	struct json *hooks;
	struct buf b;

	buf_init(&b, t->a, 0);
	if (read_text(t) != 0 || find_hooks(t, &hooks) != 0)
		return -1;
	if (!hooks) {
		if (!t->root->first)
			put_version(t, &b);
		put_hooks(t, &b);
		t->text = jsontext_put(t->a, t->text, t->root, buf_view(&b));
		return 1;
	}
	while (n--) { /* the last insertion ends up first */
		struct json *list = json_key(hooks, events[n]);
		int rc;

		if (!list) {
			put_event(t, &b, events[n], 2);
			t->text = jsontext_put(t->a, t->text, hooks, buf_view(&b));
			return 1;
		}
		rc = settle_event(t, list, events[n]);
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- public functions ---- */

int init_text_add(struct arena *a, const struct init_row *row, const struct init_program *program,
		const struct str *text,
		struct str *ret, struct err *e)
{
	struct str unused;
	struct texting t = {.a = a, .row = row, .program = program, .text = text ? *text : STR(""), .e = e};
	int rc = 1;

	if (!row->events[0]) {
		if (text && text->n && !init_whole_is_ours(row, *text))
			return err_input(e, "1:1: this file was not written by caisson");
		*ret = init_whole(a, row, program->path);
		return 0;
	}
	if (read_text(&t) != 0)
		return -1;
	if (t.root && (check_kinds(&t) != 0 ||
			(row->excludes && init_exclude(a, t.text, program->path, &unused, e) != 0)))
		return -1;
	if (!t.root)
		t.text = whole_file(&t, text);
	for (unsigned i = 0; i < STEPS_MAX && t.root && rc > 0; i++)
		rc = add_step(&t);
	if (rc > 0 && t.root)
		return err_limit(e, "1:1: more than %d changes", STEPS_MAX);
	if (rc < 0 || (row->excludes && init_exclude(a, t.text, program->path, &t.text, e) != 0))
		return -1;
	*ret = t.text;
	return 0;
}


/*
 * Removes `hooks` after its last event was ours. Also removes the enclosing object, and the file, if we
 * created them.
 */
static void take_hooks(struct texting *t, struct json *hooks, bool *ret_gone)
{
	bool first = t->root->first == hooks && !hooks->next;
	bool versioned = t->row->version && t->root->first->next == hooks && !hooks->next &&
			str_is(t->root->first->key, "version");
	struct str rest = str_from(t->text, t->root->to);
	bool marked = t->text.p[hooks->to] == ' ';

	if (!first && !versioned) {
		t->text = jsontext_take(t->a, t->text, hooks);
		return;
	}
	if (marked) { /* the object existed before, empty */
		t->text = str_cat(t->a, str_first(t->text, t->root->from + 1),
				str_from(t->text, hooks->to + 1));
		return;
	}
	if (str_starts(rest, " ")) { /* the file existed before, empty */
		t->text = str_cat(t->a, str_first(t->text, t->root->from), str_from(rest, 1));
		return;
	}
	/* otherwise somebody added a comment */
	*ret_gone = str_only(str_first(t->text, t->root->from), " \t\r\n") && str_only(rest, " \t\r\n");
	t->text = *ret_gone ? STR("") : jsontext_take(t->a, t->text, hooks);
}

static int remove_step(struct texting *t, bool *ret_gone)
{
	struct json *hooks;

	if (read_text(t) != 0 || !t->root || find_hooks(t, &hooks) != 0)
		return t->root ? -1 : 0;
	for (struct json *list = hooks ? hooks->first : NULL; list; list = list->next)
		for (struct json *n = list->kind == JSON_ARRAY ? list->first : NULL; n; n = n->next) {
			struct json *ours = ours_of(t, n);

			if (!ours)
				continue;
			if (ours != n || !jsontext_made(t->text, n))
				t->text = jsontext_take(t->a, t->text, ours);
			else if (!jsontext_made(t->text, list))
				t->text = jsontext_take(t->a, t->text, list);
			else
				take_hooks(t, hooks, ret_gone);
			return *ret_gone ? 0 : 1;
		}
	return 0;
}

int init_text_remove(struct arena *a, const struct init_row *row, struct str text, struct str *ret,
		bool *ret_gone, struct err *e)
{
	struct texting t = {.a = a, .row = row, .text = text, .e = e};
	bool gone = false;
	int rc = 1;

	if (!row->events[0]) {
		*ret_gone = init_whole_is_ours(row, text);
		*ret = *ret_gone ? STR("") : text;
		return 0;
	}
	if (row->excludes && init_include(a, text, &t.text, e) != 0)
		return -1;
	for (unsigned i = 0; i < STEPS_MAX && rc > 0; i++)
		rc = remove_step(&t, &gone);
	if (rc != 0)
		return rc < 0 ? -1 : err_limit(e, "1:1: more than %d changes", STEPS_MAX);
	*ret = t.text;
	*ret_gone = gone;
	return 0;
}
