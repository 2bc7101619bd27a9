/*
 * Text that the request itself writes into files. The reader also reads a file with known text when a
 * later command executes or sources it. The facts about every executed file stay, so stale text adds facts
 * and hides none. Where states are joined, each of the texts may be there. Reading files has a fuel budget
 * of its own: when that is used up, the text is not known.
 */
#include "shell/eval.h"

struct content {
	const struct content *or; /* another possible text */
	struct str text;
};

/* ---- paths ---- */

/* Returns the absolute, exact paths that the word may mean now. */
static size_t paths_of(struct eval *e, struct word w, struct str ret[DIRS_MAX])
{
	size_t n = 0;
	if (w.kind != WORD_EXACT || !w.text.n || !text_exact(w.text) || e->elsewhere)
		return 0;
	if (w.text.p[0] == '/') {
		ret[n++] = path_normal(e->a, STR(""), w.text);
		return n;
	}
	for (size_t i = 0; i < e->s.dirs.n; i++)
		if (text_exact(e->s.dirs.at[i]))
			ret[n++] = path_normal(e->a, e->s.dirs.at[i], w.text);
	return n;
}

/* ---- writing ---- */

bool content_spend(struct eval *e, uint64_t n)
{
	uint64_t *fuel = e->reading ? &e->fuel : &e->content_fuel;
	bool enough = *fuel > n;
	*fuel -= enough ? n : *fuel;
	return enough;
}

/* Appends text to each text that the file may have. */
static const struct content *append_to_each(struct eval *e, const struct content *old, struct str text)
{
	const struct content *all = NULL;
	do {
		size_t n = text.n + (old ? old->text.n : 0);
		if (n <= VALUE_MAX && content_spend(e, n + 1)) {
			struct content *c = arena_copy(e->a,
					(struct content){all, old ? str_cat(e->a, old->text, text) : text});
			all = c;
		}
		old = old ? old->or : NULL;
	} while (old);
	return all;
}

static void put_content(struct eval *e, struct str path, const struct content *c)
{
	if (!c && !e->s.files)
		return;
	if (c && ++e->ncontents > CONTENTS_MAX)
		c = NULL;
	e->s.files = pmap_set(e->a, e->s.files, path, c);
}

void content_open(struct eval *e, struct word path, bool append, struct io *io)
{
	struct str paths[DIRS_MAX];
	bool follow = !e->s.dead && !may_be_device(e, path) && content_spend(e, 64);
	io->nfiles = follow ? paths_of(e, path, paths) : 0;
	for (size_t i = 0; i < io->nfiles; i++)
		io->files[i] = (struct written){paths[i], append ? pmap_get(e->s.files, paths[i]) : NULL};
	io->sink = (struct output_sink){.file = true};
	buf_init(&io->sink.b, e->a, 0);
}

void content_close(struct eval *e, const struct io *io)
{
	struct str text = buf_view(&io->sink.b);
	bool whole = out_known(e, &io->sink, true) && !io->sink.may_miss;
	bool known = whole && text_exact(text) && text.n <= VALUE_MAX;
	for (size_t i = 0; i < io->nfiles; i++)
		put_content(e, io->files[i].path, known ? append_to_each(e, io->files[i].old, text) : NULL);
}

void content_tee(struct eval *e, const struct word *argv, size_t argc, const struct pmap *before)
{
	struct str paths[DIRS_MAX], text = e->s.in.rest;
	bool append = argc > 1 && str_is_any(argv[1].text, "-a --append");
	if (!e->s.in.known || !text_exact(text) || text.n > VALUE_MAX || e->s.dead)
		return;
	for (size_t i = 1 + append; i < argc; i++) {
		size_t n = str_starts(argv[i].text, "-") ? 0 : paths_of(e, argv[i], paths);
		for (size_t k = 0; k < n; k++)
			put_content(e, paths[k],
				append_to_each(e, append ? pmap_get(before, paths[k]) : NULL, text));
	}
}

/* ---- forgetting ---- */

struct removal {
	struct eval *e;
	struct str root;
	const struct pmap *left;
};

static void keep_outside(void *ctx, struct str key, const void *value)
{
	struct removal *r = ctx;
	size_t n = r->root.n;
	(void)value;
	bool starts = key.n >= n && memcmp(key.p, r->root.p, n) == 0;
	if (starts && (key.n == n || key.p[n] == '/' || str_ends(r->root, "/")))
		r->left = pmap_set(r->e->a, r->left, key, NULL);
}

/* Programs whose write leaves the file's text unchanged. */
static bool keeps_text(const struct access *x)
{
	return access_by(x, "chmod") || access_by(x, "chown") || access_by(x, "touch");
}

void content_changed(struct eval *e, const struct access *x)
{
	struct str paths[DIRS_MAX];
	bool below = x->below || x->kind == ACCESS_DELETE || e->change != CHANGE_PLAIN;
	if (!e->s.files || keeps_text(x))
		return;
	size_t n = paths_of(e, x->path, paths);
	for (size_t i = 0; i < n; i++) {
		struct removal r = {e, paths[i], e->s.files};
		if (below)
			pmap_each(e->s.files, keep_outside, &r);
		else
			r.left = pmap_set(e->a, e->s.files, paths[i], NULL);
		e->s.files = r.left;
	}
}

/* ---- joining ---- */

struct unite {
	struct eval *e;
	const struct pmap *to;
};

static void unite_one(void *ctx, struct str key, const void *vx, const void *vy)
{
	struct unite *u = ctx;
	const struct content *all = vx;
	size_t n = 0;
	for (const struct content *c = vx; c; c = c->or)
		n++;
	for (const struct content *y = vy; y && n < CONTENT_TEXTS_MAX; y = y->or) {
		const struct content *x = vx;
		while (x && !str_eq(x->text, y->text))
			x = x->or;
		if (x)
			continue;
		struct content *c = arena_copy(u->e->a, (struct content){all, y->text});
		all = c;
		n++;
	}
	u->to = pmap_set(u->e->a, u->to, key, all);
}

const struct pmap *content_join(struct eval *e, const struct pmap *x, const struct pmap *y)
{
	struct unite u = {e, x};
	if (x != y)
		pmap_diff(x, y, unite_one, &u);
	return u.to;
}

/* ---- running ---- */

/*
 * The interpreter in the first line (#!/bin/sh, #!/usr/bin/env python3). Without such a line a shell reads
 * the file.
 */
static struct str interpreter_of(struct str text)
{
	if (!str_starts(text, "#!"))
		return STR("bash");
	for (size_t i = 2; i < text.n && text.p[i] != '\n';) {
		size_t from;
		while (i < text.n && ascii_is_blank(text.p[i]))
			i++;
		for (from = i; i < text.n && !memchr(" \t\r\n", text.p[i], 4);)
			i++;
		struct str base = str_base(str_sub(text, from, i));
		if (base.n && base.p[0] != '-' && !str_is(base, "env"))
			return base;
		if (i < text.n && text.p[i] == '\r')
			break;
	}
	return STR("");
}

struct script_run {
	struct eval *e;
	struct str by, text;
	const struct word *argv;
	size_t args, argc;
};

static void source_script(const struct script_run *r)
{
	struct eval *e = r->e;
	via_enter(e, (struct via){.kind = VIA_SOURCE});
	if (r->args < r->argc)
		e->s.params = (struct params){r->argv + r->args, r->argc - r->args};
	eval_text_apart(e, r->text, TEXT_FROM(FILE), r->argv[0].at, e->dialect);
}

static int run_script(void *arg)
{
	const struct script_run *r = arg;
	struct eval *e = r->e;
	struct span at = r->argv[0].at;
	struct str by = r->by.n ? r->by : interpreter_of(r->text);
	struct word name = word_of(by, at);
	eval_burn(e, r->text.n + 1);
	if (str_is(by, "source"))
		source_script(r);
	else if (!shell_text(e, by, r->text, r->argv, r->args, r->argc)) {
		const struct know_row *row = know_find(by, e->rq->own, e->rq->nown);
		struct know_result k = {0};
		if (row) /* without arguments it reads code from its input: that row names the language */
			know_apply(e->a, row, &name, 1, &k);
		for (const struct know_use *u = k.uses; u; u = u->next)
			if (u->role == USE_CODE && u->lang)
				emit_snippet(e, u->lang, word_of(r->text, at), at);
	}
	eval_traps(e);
	return 0;
}

/*
 * Keeps only the facts and the contents of files. Restores the rest of the reader, also after a bound was
 * reached.
 */
static void read_apart(struct eval *e, struct script_run *r)
{
	struct eval was = *e;
	if (!was.reading->outer)
		e->fuel = was.content_fuel;
	e->out = e->captured = NULL;
	e->traps = NULL;
	e->s.in = (struct input){0};
	int res = arena_run(e->a, run_script, r);
	struct eval now = *e;
	*e = was;
	e->clock = now.clock;
	e->nchanges = now.nchanges;
	e->moments = now.moments;
	e->moments_cap = now.moments_cap;
	e->nmoments = was.unordered ? now.nmoments : 0;
	e->links = now.links;
	e->ncontents = now.ncontents;
	e->nfound = now.nfound;
	*(was.reading->outer ? &e->fuel : &e->content_fuel) = now.fuel;
	if (res == 0)
		e->s.files = now.s.files;
	else if (res != LEAVE_STOPPED)
		arena_leave(e->a, res);
}

bool content_text(struct eval *e, struct word path, size_t i, struct str *ret)
{
	struct str paths[DIRS_MAX];
	size_t n = e->s.files ? paths_of(e, path, paths) : 0;
	for (size_t k = 0; k < n; k++)
		for (const struct content *c = pmap_get(e->s.files, paths[k]); c; c = c->or)
			if (i-- == 0) {
				*ret = c->text;
				return true;
			}
	return false;
}

void content_run(struct eval *e, struct word path, struct str by, const struct word *argv, size_t args,
	size_t argc)
{
	struct str paths[DIRS_MAX];
	size_t n = e->s.files ? paths_of(e, path, paths) : 0;
	for (size_t i = 0; i < n; i++)
		for (const struct content *c = pmap_get(e->s.files, paths[i]); c; c = c->or) {
			struct script_run run = {e, by, c->text, argv, args, argc};
			struct file_reading now = {e->reading, c};
			const struct file_reading *same = e->reading;
			while (same && same->content != c)
				same = same->outer;
			if (same) /* the script runs itself */
				continue;
			e->reading = &now;
			read_apart(e, &run);
			e->reading = now.outer;
		}
}
