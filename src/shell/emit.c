/*
 * Adds to the facts. Each fact is listed once: the same command found again on another path through the
 * script adds nothing.
 */
#include "shell/marks.h"

void eval_stop(struct eval *e, const char *message)
{
	emit_trouble(e, TROUBLE_BOUND, message, e->at);
	arena_leave(e->a, LEAVE_STOPPED);
}

static struct seen_slot *slot_of(const struct seen_table *s, struct str key)
{
	size_t i = str_key_hash(key) & (s->cap - 1);
	while (s->slots[i].key.p && !str_eq(s->slots[i].key, key))
		i = (i + 1) & (s->cap - 1);
	return &s->slots[i];
}

/* Returns the slot of `key`; a new slot has an empty key. */
static struct seen_slot *look_up(struct eval *e, struct str key)
{
	struct seen_table *s = e->seen;
	if (s->n * 2 >= s->cap) {
		struct seen_table old = *s;
		s->cap = old.cap ? old.cap * 2 : 64;
		s->slots = arena_array(e->a, s->cap, sizeof *s->slots);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].key.p)
				*slot_of(s, old.slots[i].key) = old.slots[i];
	}
	return slot_of(s, key);
}

/* Limits the facts found in texts of files, so that they do not crowd out the rest of the request. */
static void count_finding(struct eval *e)
{
	if (e->reading && ++e->nfound > CONTENT_FACTS_MAX)
		eval_stop(e, "too much in a file that is executed");
}

/* Returns the slot of a new key. NULL if the key is known; then the fact happens now, too. */
static struct seen_slot *new_slot(struct eval *e, const struct buf *b, struct seen_slot **ret_old)
{
	struct str key = buf_view(b);
	struct seen_slot *slot = look_up(e, key);
	if (ret_old)
		*ret_old = slot;
	if (slot->key.p) {
		if (slot->when)
			order_found_again(e, slot->when);
		return NULL;
	}
	count_finding(e); /* before the slot is taken: this may end the reading of a file */
	slot->key = key;
	e->seen->n++;
	return slot;
}

/* True if the key is new. */
static bool first_time(struct eval *e, const struct buf *b) { return new_slot(e, b, NULL) != NULL; }

/* Keys are bytes: a letter for the kind of fact, then the data that identify it. */
static void key_begin(struct eval *e, struct buf *b, char kind)
{
	buf_init(b, e->a, 0);
	buf_char(b, kind);
}

static void key_bytes(struct buf *b, const void *p, size_t n) { buf_add(b, p, n); }

static void key_via(struct buf *b, const struct via *v)
{
	buf_char(b, (char)v->kind);
	buf_char(b, (char)v->lang);
	if (v->name)
		key_bytes(b, v->name, strlen(v->name) + 1);
}

static void key_word(struct buf *b, const struct word *w)
{
	uint32_t head[3] = {(uint32_t)w->kind, (uint32_t)w->text.n, (uint32_t)w->likely.n};
	key_bytes(b, head, sizeof head);
	buf_str(b, w->text);
	buf_str(b, w->likely);
}

static void key_span(struct buf *b, struct span at)
{
	uint32_t v[3] = {at.text, at.from, at.to};
	key_bytes(b, v, sizeof v);
}

static void key_setting(struct buf *b, const struct setting *t)
{
	uint32_t head[2] = {(uint32_t)t->name.n, (uint32_t)t->value.n};
	key_bytes(b, head, sizeof head);
	buf_str(b, t->name);
	buf_str(b, t->value);
	key_span(b, t->at);
	buf_char(b, t->leading);
}

void emit_setting(struct eval *e, struct str name, struct str value, bool leading, struct span at)
{
	struct setting *own = arena_copy(e->a, (struct setting){.next = e->settings,
			.name = str_dup(e->a, name), .value = value, .leading = leading, .at = at});
	if (leading)
		e->settings = own;
	struct buf b;
	key_begin(e, &b, 'e');
	key_setting(&b, own);
	if (!first_time(e, &b))
		return;
	eval_burn(e, 1);
	struct setting *t = arena_new(e->a, struct setting);
	*t = *own;
	t->next = NULL;
	LIST_ADD(e->f->settings_end, t);
}

/* Appends the current directories to the old ones, without duplicates. */
static const struct str *dirs_copy(struct eval *e, const struct str *old, size_t nold, size_t *ret_n)
{
	struct str *all = arena_array(e->a, nold + e->s.dirs.n, sizeof *all);
	size_t n = nold;
	if (nold)
		memcpy(all, old, nold * sizeof *all);
	for (size_t i = 0; i < e->s.dirs.n; i++) {
		bool listed = false;
		for (size_t k = 0; k < n && !listed; k++)
			listed = str_eq(all[k], e->s.dirs.at[i]);
		if (!listed)
			all[n++] = e->s.dirs.at[i];
	}
	*ret_n = n;
	return all;
}

/* The same command again, perhaps in another directory. */
static void add_dirs(struct eval *e, struct command *c)
{
	if (!c->ndirs)
		return; /* its directory is already unknown */
	if (e->s.dirs.n == 0 || c->ndirs > COMMAND_DIRS_MAX) {
		c->ndirs = 0;
		return;
	}
	c->dirs = dirs_copy(e, c->dirs, c->ndirs, &c->ndirs);
}

void emit_command(struct eval *e, const struct word *argv, size_t argc, struct span at)
{
	struct buf b;
	key_begin(e, &b, 'c');
	for (size_t i = 0; i < argc; i++)
		key_word(&b, &argv[i]);
	key_span(&b, at);
	for (const struct via *v = e->via; v; v = v->outer)
		key_via(&b, v);
	for (const struct setting *t = e->settings; t; t = t->next)
		key_setting(&b, t);
	eval_burn(e, b.n / 16);
	order_tick(e);
	struct seen_slot *old, *slot = new_slot(e, &b, &old);
	if (!slot) {
		struct command *same = old->fact;
		add_dirs(e, same);
		for (size_t i = 0; i < argc; i++)
			same->argv[i].ambient &= argv[i].ambient; /* in a loop it may hold data by now */
		return;
	}
	e->fuel -= e->fuel < argc + 1 ? e->fuel : argc + 1;
	struct command *c = arena_new(e->a, struct command);
	c->argv = arena_array(e->a, argc, sizeof *c->argv);
	for (size_t i = 0; i < argc; i++)
		c->argv[i] = argv[i];
	c->argc = argc;
	c->via = e->via;
	c->at = at;
	c->cwd = e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE;
	c->dirs = dirs_copy(e, NULL, 0, &c->ndirs);
	c->settings = e->settings;
	c->elsewhere = e->elsewhere > 0;
	order_found(e, &c->when);
	slot->when = &c->when;
	slot->fact = c;
	LIST_ADD(e->f->commands_end, c);
}

void emit_launch(struct eval *e, struct str name, struct span at)
{
	struct buf b;
	key_begin(e, &b, 'p');
	buf_str(&b, name);
	key_span(&b, at);
	if (!first_time(e, &b))
		return;
	LIST_NEW(e->a, e->f->launches_end, (struct launch){.name = name, .at = at});
}

static void add_access(struct eval *e, const struct access *x)
{
	struct buf b;
	bool changes = x->kind == ACCESS_WRITE || x->kind == ACCESS_DELETE;
	key_begin(e, &b, 'a');
	char head[4] = {(char)x->kind, (char)x->below, (char)x->path.glob, (char)e->change};
	key_bytes(&b, head, sizeof head);
	key_word(&b, &x->path);
	key_span(&b, x->at);
	e->nchanges += changes;
	if (changes)
		content_changed(e, x);
	struct seen_slot *slot = new_slot(e, &b, NULL);
	if (!slot)
		return;
	e->fuel -= e->fuel > 0;
	struct access *a = arena_new(e->a, struct access);
	*a = *x;
	a->elsewhere = e->elsewhere > 0;
	a->change = x->kind == ACCESS_WRITE ? e->change : CHANGE_PLAIN;
	order_found(e, &a->when);
	slot->when = &a->when;
	LIST_ADD(e->f->accesses_end, a);
}

/* Adds the other meanings of the pattern under dotglob and nocaseglob. */
static void add_odd(struct eval *e, struct access x)
{
	struct str patterns[ODD_PATTERNS_MAX];
	struct word path = x.path;
	size_t n = 0;
	if (!e->odd_globs || path.kind == WORD_EXACT || !str_starts(path.text, "/") || !names_only(path.text))
		return;
	if (!odd_patterns(e, &path, patterns, &n)) {
		x.path = word_rest(path.at); /* too many variants: any path */
		add_access(e, &x);
	}
	for (size_t i = 0; i < n; i++) {
		x.path = (struct word){.kind = WORD_REST, .glob = true, .text = patterns[i], .at = path.at};
		add_access(e, &x);
	}
}

/* Adds the pattern as written and its variants (add_odd()). */
static void add_access_all(struct eval *e, const struct access *x)
{
	add_access(e, x);
	add_odd(e, *x);
}

/* Returns dir/path; drops "./" at the start of path. */
static struct str path_join(struct arena *a, struct str dir, struct str path)
{
	while (path.n >= 2 && path.p[0] == '.' && path.p[1] == '/')
		path = str_from(path, 2);
	struct buf b;
	buf_init(&b, a, 0);
	buf_str(&b, dir);
	if (!str_ends(dir, "/"))
		buf_char(&b, '/');
	if (!str_is(path, "."))
		buf_str(&b, path);
	return buf_view(&b);
}

static bool path_in_tmp(struct str path) { return str_starts(path, "/tmp/") || str_is(path, "/tmp"); }

/* A read whose path is not known: its guess is joined to each directory that the shell may be in. */
static void add_unknown_read(struct eval *e, struct access x)
{
	struct str likely = x.path.likely.n ? x.path.likely : x.path.text;
	bool absolute = likely.n && likely.p[0] == '/';
	size_t n = absolute || !e->s.dirs.n ? 1 : e->s.dirs.n;

	for (size_t i = 0; i < n; i++) {
		struct str dir = e->s.dirs.n ? e->s.dirs.at[i] : e->likely_dir;

		x.path.likely = absolute || !dir.n ? likely : path_join(e->a, dir, likely);
		add_access_all(e, &x);
	}
}

/* Joins the path to each directory that the shell may be in. */
static void add_joined(struct eval *e, struct access x)
{
	struct word path = x.path;
	bool named = path.text.n > 0 && (path.kind == WORD_EXACT || path.glob ||
						(path.kind == WORD_UNKNOWN && names_only(path.text)));
	bool absolute = named && path.text.p[0] == '/';
	if (!named && x.kind == ACCESS_READ) {
		add_unknown_read(e, x);
		return;
	}
	if (!named || absolute) {
		add_access_all(e, &x);
		return;
	}
	if (e->s.dirs.n == 0) { /* known name in an unknown directory */
		if (e->likely_dir.n)
			x.path.likely = path_join(e->a, e->likely_dir, path.text);
		x.path.kind = path.glob ? WORD_REST : WORD_UNKNOWN;
		x.path.text = str_cat(e->a, str_cat(e->a, HOLE, STR("/")), path.text);
		x.path.glob = false;
		add_access_all(e, &x);
		return;
	}
	for (size_t i = 0; i < e->s.dirs.n; i++) {
		x.path = path;
		x.path.text = path_join(e->a, e->s.dirs.at[i], path.text);
		if (path.likely.n && path.likely.p[0] != '/')
			x.path.likely = path_join(e->a, e->s.dirs.at[i], path.likely);
		if (path.kind == WORD_EXACT && !text_exact(x.path.text)) /* the directory contains holes */
			x.path.kind = WORD_UNKNOWN;
		add_access_all(e, &x);
	}
}

void emit_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at)
{
	add_joined(e, (struct access){.kind = kind, .path = path, .below = below, .by = by, .at = at});
}

void emit_listed_access(struct eval *e, struct word path, bool below, const char *by, struct span at)
{
	add_joined(e, (struct access){.kind = ACCESS_READ, .path = path, .below = below, .cause = CAUSE_LIST,
			      .by = by, .at = at});
}

void emit_redirect_access(struct eval *e, enum access_kind kind, struct word path, bool below,
	enum redir_op op, int fd, struct span at)
{
	add_joined(e, (struct access){.kind = kind, .path = path, .below = below, .cause = CAUSE_REDIRECT,
			      .redirect = op, .fd = fd, .at = at});
}

void emit_variable_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at)
{
	add_joined(e, (struct access){.kind = kind, .path = path, .below = below, .cause = CAUSE_VARIABLE,
			      .by = by, .at = at});
}

/* ---- names that the shell looks up ---- */

static void add_look(struct eval *e, struct word path)
{
	size_t n = 0;
	if (!path_in_tmp(path.text))
		return;
	for (const struct look *l = e->f->looks; l; l = l->next)
		if (++n >= LOOKS_MAX || (l->path.glob == path.glob && str_eq(l->path.text, path.text)))
			return;
	e->f->looks = arena_copy(e->a, (struct look){.next = e->f->looks, .path = path, .at = path.at});
}

void emit_look(struct eval *e, struct word path)
{
	struct str name = path.text;
	if (e->elsewhere || !name.n || !text_exact(name) || !(path.kind == WORD_EXACT || path.glob))
		return;
	if (name.p[0] == '/') {
		add_look(e, path);
		return;
	}
	for (size_t i = 0; i < e->s.dirs.n; i++) {
		if (!path_in_tmp(e->s.dirs.at[i]) || !text_exact(e->s.dirs.at[i]))
			continue;
		path.text = path_join(e->a, e->s.dirs.at[i], name);
		add_look(e, path);
	}
}

/* ---- links made by the script itself ---- */

void emit_link(struct eval *e, struct word path, struct span at)
{
	if (path.kind == WORD_REST || !names_only(path.text))
		return; /* a write to an unknown path needs a question anyway */
	for (size_t i = 0; i < e->s.dirs.n; i++) {
		struct link *l = arena_new(e->a, struct link);
		bool absolute = path.text.n && path.text.p[0] == '/';
		*l = (struct link){e->links, absolute ? path.text : path_join(e->a, e->s.dirs.at[i],
				path.text), at};
		e->links = l;
	}
}

/* True if path may start with link. After the first name or number hole anything is possible. */
static bool may_begin(struct str path, struct str link)
{
	for (size_t i = 0; i < path.n && i < link.n; i++) {
		if (text_hole(path.p[i]) || text_hole(link.p[i]))
			return true;
		if (path.p[i] != link.p[i])
			return false;
	}
	return path.n >= link.n;
}

/*
 * True if the path goes through the link. A path that is not normalized (//, /./, /../) counts as going
 * through it.
 */
static bool is_through(struct str path, struct str link, bool below)
{
	if (!text_exact(path) || !text_exact(link))
		return may_begin(path, link);
	if (str_contains(path, STR("//")) || str_contains(path, STR("/./")) ||
			str_contains(path, STR("/../")) || str_ends(path, "/.") || str_ends(path, "/.."))
		return true;
	if (below && path.n == link.n)
		return false; /* deleting the link deletes only the link */
	return path.n >= link.n && memcmp(path.p, link.p, link.n) == 0 &&
			(path.n == link.n || path.p[link.n] == '/' || str_ends(link, "/"));
}

void emit_through_links(struct eval *e)
{
	struct access *moved = e->f->accesses;
	for (; moved && e->links; moved = moved->next) /* the moved or copied file may be a link */
		if (moved->kind == ACCESS_WRITE && moved->path.kind != WORD_REST &&
			names_only(moved->path.text) && (access_by(moved, "mv") || access_by(moved, "cp"))) {
			struct link *l = arena_copy(e->a,
					(struct link){e->links, moved->path.text, moved->at});
			e->links = l;
		}
	for (struct access *a = e->f->accesses; a && e->links; a = a->next) {
		if (a->kind == ACCESS_READ || !(a->path.kind == WORD_EXACT || a->path.glob ||
				names_only(a->path.text)))
			continue;
		for (const struct link *l = e->links; l && names_only(a->path.text); l = l->next)
			if (is_through(a->path.text, l->path, a->kind == ACCESS_DELETE ||
					(a->at.text == l->at.text && a->at.from == l->at.from))) {
				a->path.kind = WORD_UNKNOWN;
				a->path.glob = false;
				a->path.text = HOLE;
			}
	}
}

void emit_touch(struct eval *e, struct word host, struct span at)
{
	LIST_NEW(e->a, e->f->touches_end, (struct touch){.host = host, .at = at});
}

void emit_snippet(struct eval *e, const char *lang, struct word text, struct span at)
{
	struct buf b;
	key_begin(e, &b, 's');
	key_bytes(&b, lang, strlen(lang) + 1);
	key_word(&b, &text);
	key_span(&b, at);
	struct seen_slot *slot = new_slot(e, &b, NULL);
	if (!slot)
		return;
	struct snippet *s = arena_new(e->a, struct snippet);
	*s = (struct snippet){.lang = lang_find(str_of(lang)),
		.other = lang,
		.text = text,
		.at = at,
		.cwd = e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE};
	order_found(e, &s->when);
	slot->when = &s->when;
	LIST_ADD(e->f->snippets_end, s);
}

void emit_trouble(struct eval *e, enum trouble_kind kind, const char *message, struct span at)
{
	if (e->reading && kind != TROUBLE_OPAQUE_SCRIPT)
		return; /* the facts list that the file is executed; that covers this trouble */
	/* an opaque script counts as able to do anything: the facts stay complete */
	e->f->complete &= kind == TROUBLE_OPAQUE_SCRIPT;
	struct buf b;
	key_begin(e, &b, 't');
	key_bytes(&b, message, strlen(message) + 1);
	key_span(&b, at);
	if (!first_time(e, &b))
		return;
	struct trouble *t = arena_copy(e->a, (struct trouble){.kind = kind, .message = message, .at = at});
	LIST_ADD(e->f->troubles_end, t);
}

void emit_mark(struct eval *e, enum mark_kind kind, struct span at)
{
	if (e->nmarks[kind] > MARKS_MAX)
		return;
	struct buf b;
	key_begin(e, &b, 'm');
	buf_char(&b, (char)kind);
	key_span(&b, at);
	if (!first_time(e, &b))
		return;
	if (++e->nmarks[kind] > MARKS_MAX) {
		if (kind == MARK_PIPELINE) /* the data flow between commands is no longer known */
			emit_trouble(e, TROUBLE_BOUND, "more pipelines than are followed", at);
		return;
	}
	struct mark *m = arena_copy(e->a, (struct mark){.kind = kind, .at = at});
	LIST_ADD(e->f->marks_end, m);
}

bool first_reading(struct eval *e, uint32_t text, enum dialect d)
{
	struct buf b;
	key_begin(e, &b, 'r');
	key_bytes(&b, &text, sizeof text);
	buf_char(&b, (char)d);
	return first_time(e, &b);
}

uint32_t emit_text(struct eval *e, struct str bytes, struct text_from from, struct span origin)
{
	struct facts *f = e->f;
	struct text t = {.from = from, .in = origin.text, .origin = origin, .bytes = bytes};
	struct buf b;
	key_begin(e, &b, 'x');
	key_span(&b, origin);
	buf_str(&b, text_source(e->a, &t));
	buf_char(&b, 0);
	buf_str(&b, bytes);
	struct seen_slot *slot = look_up(e, buf_view(&b));
	if (slot->key.p)
		return slot->value; /* the same text from the same place (a loop) is one text */
	eval_burn(e, bytes.n + 1);
	slot->key = buf_view(&b);
	slot->value = (uint32_t)f->ntexts;
	e->seen->n++;
	return facts_add_text(e->a, f, t);
}

const struct via *via_enter(struct eval *e, struct via step)
{
	const struct via *outer = e->via;
	struct via *via = arena_new(e->a, struct via);
	*via = step;
	via->outer = outer;
	e->via = via;
	return outer;
}

/* ---- input and output ---- */

void in_forget(struct eval *e)
{
	e->s.in.known = false;
	e->reads++;
}

void out_add(struct eval *e, struct str text)
{
	if (e->out && e->out->file && (e->out->spoiled || !content_spend(e, text.n))) {
		e->out->spoiled = true;
	} else if (e->out && !e->s.dead) {
		if (!e->out->file)
			eval_burn(e, text.n);
		/* text after a line that may be missing */
		e->out->spoiled |= e->out->may_miss && text.n;
		buf_str(&e->out->b, text);
		e->out->doubtful |= (e->s.options & OPT_ABORTS) != 0;
	}
}

void out_unknown(struct eval *e)
{
	if (e->out && e->out->may_miss)
		e->out->spoiled = true;
	if (e->out && !e->s.dead && !(e->out->b.n && e->out->b.p[e->out->b.n - 1] == HOLE_ANY))
		buf_char(&e->out->b, HOLE_ANY);
}

bool out_known(const struct eval *e, const struct output_sink *s, bool one_command)
{
	return !s->spoiled && !e->trapped && (one_command || !s->doubtful);
}

void out_leave(struct eval *e)
{
	if (e->unsure)
		out_spoil(e);
}

void out_spoil(struct eval *e)
{
	if (e->out)
		e->out->spoiled = true;
	if (e->captured)
		e->captured->spoiled = true;
}

/* Marks the output before a branch, so that the outputs of two branches can be compared. */
size_t out_mark(const struct eval *e) { return e->out ? e->out->b.n : 0; }

struct str out_since(struct eval *e, size_t mark)
{
	return e->out ? str_dup(e->a, str_sub(buf_view(&e->out->b), mark, e->out->b.n)) : (struct str){"", 0};
}

void out_rewind(struct eval *e, size_t mark)
{
	if (e->out)
		e->out->b.n = mark;
}

void out_doubt(struct eval *e, size_t mark)
{
	if (!e->out || e->out->b.n == mark)
		return;
	/* a number or nothing */
	if (str_is(str_sub(buf_view(&e->out->b), mark, e->out->b.n), "\1\n") && mark == 0) {
		e->out->may_miss = true;
		return;
	}
	e->out->b.n = mark;
	out_unknown(e);
}
