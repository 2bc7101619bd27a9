/* See git_merge.h. */
#include "box/git_merge.h"

#include "box/protect_inner.h"

#define LINES_MAX 2000 /* of one configuration */
#define NAME_MAX_SHOWN 60
#define SUB_MAX 200
#define LINE_MAX_BYTES 200
#define TEXT_MAX_BYTES 4096

/* ---- which settings, with which values ---- */

enum value_kind {
	VALUE_REMOTE,     /* "." or a remote of the host's configuration */
	VALUE_BRANCH,     /* refs/heads/NAME */
	VALUE_REFSPEC,    /* from any ref to refs/remotes/REMOTE/ */
	VALUE_WORD,       /* one of `words` */
	VALUE_LINE,       /* plain text */
	VALUE_TEXT,       /* plain text of several lines */
	VALUE_MODULE_URL, /* the address that .gitmodules names */
};

#define BOOLEAN "true false"

static const struct merge_row {
	char section[12], key[24]; /* as they are written */
	bool sub;                  /* in a subsection, else in none */
	enum value_kind kind;
	char words[28];
	bool stays;                /* removing it is not taken over */
} rows[] = {
	{"branch", "remote", true, VALUE_REMOTE, "", false},
	{"branch", "merge", true, VALUE_BRANCH, "", false},
	{"branch", "rebase", true, VALUE_WORD, "true false merges", false},
	{"branch", "description", true, VALUE_TEXT, "", false},
	{"remote", "fetch", true, VALUE_REFSPEC, "", true},
	{"remote", "prune", true, VALUE_WORD, BOOLEAN, false},
	{"user", "name", false, VALUE_LINE, "", true},
	{"user", "email", false, VALUE_LINE, "", true},
	{"pull", "rebase", false, VALUE_WORD, "true false merges", false},
	{"pull", "ff", false, VALUE_WORD, "true false only", false},
	{"submodule", "active", true, VALUE_WORD, BOOLEAN, false},
	{"submodule", "url", true, VALUE_MODULE_URL, "", false},
	{"submodule", "update", true, VALUE_WORD, "checkout rebase merge none", false},
	{"core", "sparseCheckout", false, VALUE_WORD, BOOLEAN, false},
	{"core", "sparseCheckoutCone", false, VALUE_WORD, BOOLEAN, false},
	{"index", "sparse", false, VALUE_WORD, BOOLEAN, false},
	{"extensions", "worktreeConfig", false, VALUE_WORD, BOOLEAN, true},
	{"lfs", "repositoryformatversion", false, VALUE_WORD, "0", true},
};

static const struct merge_row *row_of(const struct git_setting *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_is_like(s->section, rows[i].section) && str_is_like(s->key, rows[i].key) &&
				rows[i].sub == (s->sub.n > 0))
			return &rows[i];
	return NULL;
}

/* ---- lists of settings ---- */

struct setting_list {
	struct git_setting *v;
	size_t n;
};

static void list_one(void *ctx, const struct git_setting *s)
{
	struct setting_list *l = ctx;

	l->v[l->n++] = *s;
}

static bool list_read(struct arena *a, struct str text, struct setting_list *ret)
{
	size_t lines = (size_t)str_count(text, '\n') + 1;

	*ret = (struct setting_list){0};
	if (lines > LINES_MAX)
		return false;
	ret->v = arena_array(a, lines, sizeof *ret->v);
	return git_config_each(a, text, list_one, ret);
}

static bool same_section(const struct git_setting *x, const struct git_setting *y)
{
	return str_eq(x->section, y->section) && str_eq(x->sub, y->sub);
}

static bool same_name(const struct git_setting *x, const struct git_setting *y)
{
	return str_eq(x->key, y->key) && same_section(x, y);
}

/* The next value of a setting, at or after *at. */
static const struct git_setting *next_value(
		const struct setting_list *l, const struct git_setting *name, size_t *at)
{
	while (*at < l->n)
		if (same_name(&l->v[(*at)++], name))
			return &l->v[*at - 1];
	return NULL;
}

static bool has(const struct setting_list *l, const struct git_setting *name)
{
	size_t at = 0;

	return next_value(l, name, &at) != NULL;
}

static bool same_values(
		const struct setting_list *x, const struct setting_list *y, const struct git_setting *name)
{
	for (size_t i = 0, j = 0;;) {
		const struct git_setting *a = next_value(x, name, &i), *b = next_value(y, name, &j);

		if (!a || !b)
			return a == b;
		if (!str_eq(a->value, b->value))
			return false;
	}
}

/* ---- values ---- */

struct merge_judge {
	struct arena *a;
	struct setting_list base, box, now, modules;
};

static bool is_plain(struct str s, size_t max, const char *also)
{
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < ' ' && !strchr(also, s.p[i])) || !s.p[i] || s.p[i] == 127)
			return false;
	return s.n && s.n <= max;
}

/* A part of what git takes for a ref: nothing that is syntax elsewhere. */
static bool is_ref(struct str s, const char *prefix, unsigned stars)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr(" ~^:?[\\$`", s.p[i]) || (s.p[i] == '*' && !stars--))
			return false;
		if (i && (s.p[i] == '.' || s.p[i] == '/') && (s.p[i - 1] == '.' || s.p[i - 1] == '/'))
			return false;
	}
	return str_starts(s, prefix) && s.n > strlen(prefix) && is_plain(s, LINE_MAX_BYTES, "") &&
			!str_contains(s, STR("@{")) && !str_ends(s, "/") && !str_ends(s, ".lock");
}

static bool is_remote(const struct merge_judge *j, struct str name)
{
	const struct git_setting url = {.section = STR("remote"), .sub = name, .key = STR("url")};

	return name.n && has(&j->now, &url);
}

static bool is_refspec(const struct merge_judge *j, const struct git_setting *s)
{
	struct str text = s->value, to = str_fmt(j->a, "refs/remotes/%.*s/", STR_ARG(s->sub));
	ptrdiff_t colon;

	if (!is_remote(j, s->sub))
		return false;
	if (str_starts(text, "^"))
		return is_ref(str_sub(text, 1, text.n), "refs/", 1);
	if (str_starts(text, "+"))
		text = str_sub(text, 1, text.n);
	colon = str_find(text, ':', 0);
	return colon > 0 && is_ref(str_sub(text, 0, (size_t)colon), "refs/", 1) &&
			is_ref(str_sub(text, (size_t)colon + 1, text.n), str_c(j->a, to), 1);
}

/* Cuts off the last component, as git does for addresses such as host:path. */
static bool url_up(struct str *url)
{
	size_t n = url->n;

	while (n && url->p[n - 1] != '/' && url->p[n - 1] != ':')
		n--;
	if (n < 2)
		return false;
	url->n = n - (url->p[n - 1] == '/');
	return true;
}

/* `git submodule init` resolves ../NAME against the address of a remote. */
static struct str url_resolved(struct arena *a, struct str remote, struct str url)
{
	while (str_ends(remote, "/"))
		remote.n--;
	for (;;) {
		if (str_starts(url, "./"))
			url = str_sub(url, 2, url.n);
		else if (str_starts(url, "../") && url_up(&remote))
			url = str_sub(url, 3, url.n);
		else
			break;
	}
	return str_fmt(a, "%.*s%s%.*s", STR_ARG(remote), str_ends(remote, ":") ? "" : "/", STR_ARG(url));
}

static bool is_module_url(const struct merge_judge *j, const struct git_setting *s)
{
	size_t at = 0;
	const struct git_setting *m = next_value(&j->modules, s, &at);

	if (!m || !is_plain(s->value, TEXT_MAX_BYTES, "") || next_value(&j->modules, s, &at))
		return false;
	if (!str_starts(m->value, "./") && !str_starts(m->value, "../"))
		return str_eq(m->value, s->value);
	for (size_t i = 0; i < j->now.n; i++) {
		const struct git_setting *r = &j->now.v[i];

		if (str_is(r->section, "remote") && str_is(r->key, "url") &&
				str_eq(url_resolved(j->a, r->value, m->value), s->value))
			return true;
	}
	return false;
}

static bool value_allowed(const struct merge_judge *j, const struct merge_row *row,
		const struct git_setting *s)
{
	if (!config_setting_inert(s))
		return false;
	switch (row->kind) {
	case VALUE_REMOTE: return str_is(s->value, ".") || is_remote(j, s->value);
	case VALUE_BRANCH: return is_ref(s->value, "refs/heads/", 0);
	case VALUE_REFSPEC: return is_refspec(j, s);
	case VALUE_WORD: return str_is_any(s->value, row->words);
	case VALUE_LINE: /* nothing that a prompt or a script could take for more than a name */
		return is_plain(s->value, LINE_MAX_BYTES, "") && !strpbrk(str_c(j->a, s->value), "<>\\\"$`");
	case VALUE_TEXT: return is_plain(s->value, TEXT_MAX_BYTES, "\n\t");
	case VALUE_MODULE_URL: return is_module_url(j, s);
	}
	return false;
}

static bool sub_allowed(struct str sub)
{
	return !sub.n || (is_plain(sub, SUB_MAX, "") && sub.p[0] != '-' && !str_contains(sub, STR("..")));
}

/* True if the box's values of this setting may replace those of the host. */
static bool change_allowed(const struct merge_judge *j, const struct git_setting *name)
{
	const struct merge_row *row = row_of(name);
	const struct git_setting *s;
	size_t at = 0, n = 0;

	if (!row || !sub_allowed(name->sub) || !same_values(&j->base, &j->now, name))
		return false;
	for (; (s = next_value(&j->box, name, &at)); n++)
		if (!value_allowed(j, row, s))
			return false;
	return n || !row->stays;
}

/* ---- the new text ---- */

struct merge_text {
	const struct merge_judge *j;
	const struct git_setting **taken; /* names; their values are those of the box */
	size_t n;
	struct buf b;
	size_t header, after_header;      /* the last header in `b`, if `emptied` may remove it */
	bool emptied;
};

static bool is_taken(const struct merge_text *t, const struct git_setting *s)
{
	for (size_t i = 0; i < t->n; i++)
		if (same_name(t->taken[i], s))
			return true;
	return false;
}

static void put_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n' || s.p[i] == '\t') {
			buf_c(b, s.p[i] == '\n' ? "\\n" : "\\t");
			continue;
		}
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(b, '\\');
		buf_char(b, s.p[i]);
	}
}

static bool needs_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_alnum(s.p[i]) && !strchr("_-./:+*@^", s.p[i]))
			return true;
	return !s.n;
}

static void put_values(struct merge_text *t, const struct git_setting *name)
{
	const struct git_setting *s;

	for (size_t at = 0; (s = next_value(&t->j->box, name, &at));) {
		const char *quote = needs_quotes(s->value) ? "\"" : "";

		buf_fmt(&t->b, "\t%s = %s", row_of(s)->key, quote);
		put_escaped(&t->b, s->value);
		buf_fmt(&t->b, "%s\n", quote);
	}
}

/* All settings taken over for this section. */
static void put_section(struct merge_text *t, const struct git_setting *in)
{
	for (size_t i = 0; i < t->n; i++)
		if (same_section(t->taken[i], in))
			put_values(t, t->taken[i]);
}

static bool last_of_section(const struct setting_list *l, size_t at)
{
	for (size_t i = at + 1; i < l->n; i++)
		if (same_section(&l->v[i], &l->v[at]))
			return false;
	return true;
}

/* Removes the last header if nothing of its section is left. */
static void end_section(struct merge_text *t)
{
	if (t->emptied && t->b.n == t->after_header)
		t->b.n = t->header;
	t->emptied = false;
}

static void put_line(struct merge_text *t, struct str line, const struct git_setting *s)
{
	const bool drop = s && is_taken(t, s);

	if (str_starts(str_trim(line, " \t"), "[")) {
		end_section(t);
		t->header = t->b.n;
		buf_str(&t->b, drop ? str_sub(line, 0, (size_t)(s->line.p - line.p)) : line);
		buf_char(&t->b, '\n');
		t->after_header = t->b.n;
	} else if (!drop) {
		buf_str(&t->b, line);
		buf_char(&t->b, '\n');
	}
	t->emptied |= drop;
}

static void put_new_sections(struct merge_text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct git_setting *s = t->taken[i];
		bool old = !has(&t->j->box, s);

		for (size_t k = 0; k < t->j->now.n && !old; k++)
			old = same_section(&t->j->now.v[k], s);
		for (size_t k = 0; k < i && !old; k++)
			old = same_section(t->taken[k], s) && has(&t->j->box, t->taken[k]);
		if (old)
			continue;
		buf_fmt(&t->b, "[%s", row_of(s)->section);
		if (s->sub.n) {
			buf_c(&t->b, " \"");
			put_escaped(&t->b, s->sub);
			buf_char(&t->b, '"');
		}
		buf_c(&t->b, "]\n");
		put_section(t, s);
	}
}

/* Lines of the host stay as they are, except for those of settings that are taken over. */
static void put_text(struct merge_text *t, struct str now)
{
	const struct setting_list *l = &t->j->now;
	size_t i = 0;

	for (size_t from = 0; from < now.n;) {
		size_t end = str_end(now, '\n', from);
		struct str line = str_sub(now, from, end);
		const bool holds = i < l->n && l->v[i].line.p < line.p + line.n;

		put_line(t, line, holds ? &l->v[i] : NULL);
		if (holds && last_of_section(l, i))
			put_section(t, &l->v[i]);
		i += holds;
		from += line.n + 1;
	}
	end_section(t);
	put_new_sections(t);
}

/* The new text must say what was meant, and nothing else. */
static bool reads_back(const struct merge_text *t, const struct setting_list *got)
{
	const struct merge_judge *j = t->j;

	for (size_t i = 0; i < j->now.n; i++)
		if (!same_values(got, is_taken(t, &j->now.v[i]) ? &j->box : &j->now, &j->now.v[i]))
			return false;
	for (size_t i = 0; i < t->n; i++)
		if (!same_values(got, &j->box, t->taken[i]))
			return false;
	for (size_t i = 0; i < got->n; i++)
		if (!is_taken(t, &got->v[i]) && !has(&j->now, &got->v[i]))
			return false;
	return true;
}

/* ---- the merge ---- */

static struct str name_shown(struct arena *a, const struct git_setting *s)
{
	struct str full = str_fmt(a, s->sub.n ? "%.*s.%.*s.%.*s" : "%.*s%.*s.%.*s", STR_ARG(s->section),
			STR_ARG(s->sub), STR_ARG(s->key));
	char *text = str_c(a, str_sub(full, 0, NAME_MAX_SHOWN));

	for (char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
	return str_of(text);
}

/* Names whose values differ; a name only once. */
static void judge_list(struct merge_text *t, const struct setting_list *l, bool only_removed,
		struct texts ***refused)
{
	const struct merge_judge *j = t->j;

	for (size_t i = 0; i < l->n; i++) {
		const struct git_setting *s = &l->v[i];
		size_t at = 0;

		if (next_value(l, s, &at) != s || (only_removed && has(&j->box, s)) ||
				same_values(&j->base, &j->box, s) || same_values(&j->box, &j->now, s))
			continue;
		if (change_allowed(j, s)) {
			t->taken[t->n++] = s;
			continue;
		}
		*refused = texts_add(j->a, *refused, name_shown(j->a, s));
	}
}

/* A copy that was emptied or replaced by something else does not mean that all settings were removed. */
static bool has_core(const struct setting_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(l->v[i].section, "core"))
			return true;
	return false;
}

bool git_merge(struct arena *a, const struct git_merge *m, struct git_merged *ret)
{
	struct merge_judge *j = arena_copy(a, (struct merge_judge){.a = a});
	struct merge_text t = {.j = j};
	struct texts **refused = &ret->refused;
	struct setting_list got;

	*ret = (struct git_merged){.text = m->now};
	if (!list_read(a, m->base, &j->base) || !list_read(a, m->box, &j->box) ||
			!list_read(a, m->now, &j->now) || (has_core(&j->base) && !has_core(&j->box)))
		return false;
	if (!list_read(a, m->modules, &j->modules))
		j->modules.n = 0;
	t.taken = arena_array(a, j->box.n + j->base.n + 1, sizeof *t.taken);
	judge_list(&t, &j->box, false, &refused);
	judge_list(&t, &j->base, true, &refused);
	if (!t.n)
		return true;
	buf_init(&t.b, a, 0);
	put_text(&t, m->now);
	if (!list_read(a, buf_view(&t.b), &got) || !reads_back(&t, &got)) {
		ret->refused = NULL;
		return false;
	}
	ret->text = buf_view(&t.b);
	ret->taken = t.n;
	return true;
}
