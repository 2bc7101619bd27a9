/*
 * Looking rows up, and reading an argv by a row: scan.c splits it into options and operands, `when` entries of the row adjust what they
 * are, and here each becomes a use. Where the scan is not sure, every role an operand could have is reported.
 */
#include "knowledge/knowledge.h"

#include "knowledge/scan.h"

#define SUB_DEPTH_MAX 4 /* "docker compose exec" is 2 */

static const struct know_row *blob_rows(const void *blob) { return (const void *)((const char *)blob + sizeof(struct know_blob)); }

/* Among rows sorted by name: the one called `base`, or `base` blank `sub`. */
static const struct know_row *row_find(const struct know_row *rows, size_t n, struct str base, struct str sub)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct str name = str_of(know_string(&rows[mid], rows[mid].name));
		int c = str_cmp(str_sub(name, 0, base.n), base);
		if (c == 0 && sub.n) {
			c = name.n == base.n ? -1 : name.p[base.n] < ' ' ? -1 : name.p[base.n] > ' ' ? 1 : 0;
			if (c == 0)
				c = str_cmp(str_sub(name, base.n + 1, name.n), sub);
		} else if (c == 0) {
			c = name.n > base.n;
		}
		if (c == 0)
			return &rows[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static const struct know_row *baked_find(struct str base, struct str sub)
{
	const struct know_blob *b = (const void *)know_baked;
	return row_find(blob_rows(b), b->nrows, base, sub);
}

const struct know_row *know_find(struct str base, const struct know_row *own, size_t nown)
{
	const struct know_row *r = own ? row_find(own, nown, base, STR("")) : NULL;
	return r ? r : baked_find(base, STR(""));
}

const struct know_row *know_sub_find(const struct know_row *row, struct str sub)
{
	const struct know_blob *b = (const void *)know_base(row);
	struct str base = str_of(know_string(row, row->name));
	const struct know_row *r = row_find(blob_rows(b), b->nrows, base, sub);
	return r || (const void *)b == (const void *)know_baked ? r : baked_find(base, sub);
}

const struct know_row *know_forwarded(const struct know_row *row)
{
	const struct know_row *baked = row->bits & ROW_FORWARD ? baked_find(str_of(know_string(row, row->name)), STR("")) : NULL;
	return baked ? baked : row;
}

struct apply {
	struct arena *a;
	struct know_scan *s;
	struct know_result *ret;
	struct know_use **end;
	struct know_operands ops;
	uint64_t active; /* bit i: `when` number i applies */
	const struct know_hit *suffix; /* the last option whose argument is a suffix for backups */
	bool changes;    /* a KIND_SYSTEM or KIND_CHANGE was found */
};

static struct know_use *add(struct apply *ap, enum know_role role, unsigned flags, size_t from, size_t to, const struct word *value)
{
	struct know_use *u = arena_new(ap->a, struct know_use);
	*u = (struct know_use){.role = role, .flags = flags, .from = from, .to = to};
	if (value)
		u->value = *value;
	*ap->end = u;
	ap->end = &u->next;
	return u;
}

static struct word here(struct apply *ap)
{
	return (struct word){.kind = WORD_EXACT, .text = STR("."), .at = ap->s->argv[0].at};
}

static void add_parents(struct apply *ap, enum know_role role, size_t from, size_t to, struct word w)
{
	if (w.kind != WORD_EXACT)
		return;
	for (size_t i = 1; i + 1 < w.text.n; i++)
		if (w.text.p[i] == '/' && w.text.p[i - 1] != '/') {
			struct word parent = w;
			parent.text = str_sub(w.text, 0, i);
			add(ap, role, 0, from, to, &parent);
		}
}

static struct word parent_of(struct word w)
{
	size_t i = w.text.n;
	while (i > 0 && w.text.p[i - 1] == '/')
		i--;
	while (i > 0 && w.text.p[i - 1] != '/')
		i--;
	while (i > 1 && w.text.p[i - 1] == '/')
		i--;
	w.text = i ? str_sub(w.text, 0, i) : STR(".");
	w.kind = text_exact(w.text) ? WORD_EXACT : WORD_UNKNOWN;
	return w;
}

static void add_suffixed(struct apply *ap, size_t from, size_t to, struct word w, struct str suffix)
{
	while (w.text.n > 1 && w.text.p[w.text.n - 1] == '/')
		w.text.n--; /* mv -bT a dir/ makes dir~ */
	w.text = str_cat(ap->a, w.text, suffix);
	add(ap, USE_WRITE, 0, from, to, &w);
}

/* Other files that are written because of this one. */
static void add_company(struct apply *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	bool beside = spec.mods & MOD_BESIDE;
	if (w.kind == WORD_REST || (w.kind == WORD_UNKNOWN && !w.text.n)) {
		if (spec.mods & (MOD_BESIDE | MOD_SUFFIX))
			add(ap, USE_WRITE, 0, from, to, &w);
		return;
	}
	if ((spec.mods & MOD_SUFFIX) && spec.lang)
		add_suffixed(ap, from, to, w, str_of(know_string(ap->s->row, spec.lang)));
	if ((spec.mods & MOD_SUFFIX) && ap->suffix) {
		struct word v = ap->suffix->value;
		if (v.kind == WORD_EXACT && str_find(v.text, '*', 0) < 0 && str_find(v.text, '/', 0) < 0)
			add_suffixed(ap, from, to, w, v.text);
		else
			beside = true; /* sed -i DIR/STAR names anything */
	}
	if (beside) {
		w = parent_of(w);
		add(ap, USE_WRITE, USE_BELOW, from, to, &w);
	}
}

enum match { MATCH_NO, MATCH_YES, MATCH_MAYBE };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* Does the text start with the prefix? '*' in it stands for anything but '=' (at most a few stand in one). *ret_end is where the rest starts. */
static enum match starts_with(struct str text, size_t i, const char *prefix, size_t *ret_end)
{
	for (; *prefix; prefix++, i++) {
		if (*prefix == '*') {
			for (size_t k = i; k <= text.n; k++) {
				enum match m = starts_with(text, k, prefix + 1, ret_end);
				if (m != MATCH_NO || k == text.n || text.p[k] == '=')
					return m;
			}
			return MATCH_NO;
		}
		if (i < text.n && text_hole(text.p[i]))
			return MATCH_MAYBE;
		if (i >= text.n || lower(text.p[i]) != lower(*prefix))
			return MATCH_NO;
	}
	*ret_end = i;
	return MATCH_YES;
}

static void emit(struct apply *ap, struct know_spec spec, size_t from, size_t to, struct word w);

#define CONTAINED_MAX 64

/* "~x": what follows each x inside the value, up to ';' or '}' (curl -F a=@FILE;type=b, -w %output{FILE}). */
static void emit_contained(struct apply *ap, struct know_spec spec, size_t from, size_t to, struct word w, const char *needle)
{
	size_t n = strlen(needle), found = 0;
	for (size_t i = 0; n && i + n <= w.text.n; i++) {
		if (memcmp(w.text.p + i, needle, n) != 0)
			continue;
		size_t end = i + n;
		while (end < w.text.n && w.text.p[end] != ';' && w.text.p[end] != '}')
			end++;
		struct word part = {.kind = WORD_EXACT, .ambient = w.ambient, .text = str_sub(w.text, i + n, end), .at = w.at};
		if (!text_exact(part.text))
			part.kind = WORD_UNKNOWN;
		if (++found > CONTAINED_MAX)
			add(ap, USE_OPAQUE, 0, from, to, &w);
		if (found > CONTAINED_MAX)
			return;
		emit(ap, spec, from, to, part);
	}
	if (!found && !text_exact(w.text)) /* it may stand in what is not known */
		emit(ap, spec, from, to, (struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = w.at});
}

/* A value whose beginning says what it is (git -c core.pager=..., dd of=...). */
static void emit_keyed(struct apply *ap, size_t from, size_t to, struct word w)
{
	const struct know_row *r = ap->s->row;
	const struct know_value *v = know_values(r);
	if (w.kind == WORD_REST) {
		add(ap, USE_OPAQUE, 0, from, to, &w);
		return;
	}
	for (size_t i = 0; i < r->nvalues; i++) {
		size_t end = 0;
		const char *prefix = know_string(r, v[i].prefix);
		if (prefix[0] == '~') {
			emit_contained(ap, v[i].spec, from, to, w, prefix + 1);
			continue; /* there may be more, and others */
		}
		enum match m = starts_with(w.text, 0, prefix, &end);
		if (m == MATCH_MAYBE) {
			bool runs = know_runs(v[i].spec.kind);
			struct word any = {.kind = WORD_UNKNOWN, .text = STR(""), .at = w.at};
			if (runs)
				add(ap, USE_OPAQUE, 0, from, to, &w);
			else
				emit(ap, v[i].spec, from, to, any);
		}
		if (m == MATCH_YES) {
			/* "Key = value" and "Key  value": more separator than the row has */
			bool blank = end && w.text.p[end - 1] == ' ' && end < w.text.n && (w.text.p[end] == ' ' || w.text.p[end] == '\t' || w.text.p[end] == '=');
			if (blank && know_runs(v[i].spec.kind))
				add(ap, USE_OPAQUE, 0, from, to, &w);
			else if (v[i].spec.kind != KIND_KEYED)
				emit(ap, v[i].spec, from, to, know_part(w, end));
			return;
		}
	}
}

static const uint8_t role_of[KIND_COUNT] = {
	[KIND_READ] = USE_READ, [KIND_WRITE] = USE_WRITE, [KIND_DELETE] = USE_DELETE, [KIND_EXEC] = USE_EXEC, [KIND_DIR] = USE_DIR,
	[KIND_SCRIPT] = USE_SCRIPT, [KIND_SPLIT] = USE_SPLIT, [KIND_CODE] = USE_CODE, [KIND_HOST] = USE_HOST, [KIND_ASSIGN] = USE_ASSIGN,
	[KIND_OPAQUE] = USE_OPAQUE, [KIND_STDIN_SCRIPT] = USE_STDIN_SCRIPT, [KIND_STDIN_COMMAND] = USE_STDIN_COMMAND,
	[KIND_COMMAND] = USE_COMMAND,
};

static void add_host(struct apply *ap, bool host, size_t from, size_t to, struct word w)
{
	if (!host)
		return; /* a container: neither a file here nor the network */
	add(ap, USE_HOST, 0, from, to, &w);
	ap->ret->effects |= EFFECT_NETWORK;
}

/* HOST:PATH, SCHEME://...: a host, and no file. A word that is not known may be either. */
static bool emit_remote(struct apply *ap, bool host, size_t from, size_t to, struct word w)
{
	for (size_t i = 0; i < w.text.n && w.kind != WORD_REST; i++) {
		if (text_hole(w.text.p[i]))
			break;
		if (w.text.p[i] == '/')
			return false;
		if (w.text.p[i] == ':') {
			add_host(ap, host, from, to, w);
			return i > 0;
		}
	}
	if (w.kind != WORD_EXACT)
		add_host(ap, host, from, to, w);
	return false;
}

/* Where the value of source= or src= starts in a --mount, or -1. */
static ptrdiff_t mount_source(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (i > 0 && s.p[i - 1] != ',')
			continue;
		struct str rest = str_sub(s, i, s.n);
		if (str_starts(rest, "source="))
			return (ptrdiff_t)i + 7;
		if (str_starts(rest, "src="))
			return (ptrdiff_t)i + 4;
	}
	return -1;
}

/* A directory of this machine that a container sees. A name without a slash is a volume of the engine's own. */
static void emit_volume(struct apply *ap, size_t from, size_t to, struct word w)
{
	bool mount = str_starts(w.text, "type=") || mount_source(w.text) >= 0;
	ptrdiff_t at = mount ? mount_source(w.text) : 0;
	if (at < 0)
		return; /* a tmpfs, or an anonymous volume */
	size_t end = (size_t)at;
	while (end < w.text.n && w.text.p[end] != (mount ? ',' : ':'))
		end++;
	struct word path = w;
	if (w.kind != WORD_REST) {
		path.text = str_sub(w.text, (size_t)at, end);
		path.kind = text_exact(path.text) ? WORD_EXACT : WORD_UNKNOWN;
	}
	bool name = path.kind == WORD_EXACT && str_find(path.text, '/', 0) < 0 && !str_starts(path.text, ".") && !str_starts(path.text, "~");
	struct str options = str_sub(w.text, end, w.text.n);
	bool ro = str_ends(options, ":ro") || str_contains(options, STR(",readonly")) || str_contains(options, STR(",ro"));
	if (!name && path.text.n + (path.kind != WORD_EXACT))
		add(ap, ro && text_exact(options) ? USE_READ : USE_WRITE, USE_TREE, from, to, &path);
}

/* A URL may name a file here. */
static void emit_file_url(struct apply *ap, size_t from, size_t to, struct word w)
{
	struct word path = know_part(w, 7);
	if (str_starts(w.text, "file://") && path.text.n)
		add(ap, USE_READ, 0, from, to, &path);
}

/* Reports w, found at argv[from, to), as what spec says. */
static void emit(struct apply *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	unsigned flags = spec.mods & MOD_USE_FLAGS;
	if (w.kind == WORD_EXACT && str_is(w.text, "-") && spec.kind == KIND_EXEC && ap->ops.empty.kind) {
		spec = ap->ops.empty; /* python3 - : the program comes on standard input */
		from = to = 0;
		w = (struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = w.at};
	}
	if ((spec.mods & MOD_REMOTE) && emit_remote(ap, !(flags & USE_ELSEWHERE), from, to, w))
		return;
	if (spec.mods & MOD_REMOTE)
		flags &= ~(unsigned)USE_ELSEWHERE;
	if (spec.mods & (MOD_SUFFIX | MOD_BESIDE) && spec.kind != KIND_WORD)
		add_company(ap, spec, from, to, w);
	switch (spec.kind) {
	case KIND_NONE:
	case KIND_WORD:
		return;
	case KIND_KEYED:
		emit_keyed(ap, from, to, w);
		return;
	case KIND_VOLUME:
		emit_volume(ap, from, to, w);
		return;
	case KIND_SYSTEM:
		ap->ret->effects |= EFFECT_SYSTEM;
		ap->changes = true;
		return;
	case KIND_CHANGE:
		ap->changes = true;
		return;
	case KIND_DEST:
		if (spec.mods & MOD_PARENTS)
			add_parents(ap, USE_WRITE, from, to, w);
		add(ap, USE_WRITE, flags, from, to, &w);
		add(ap, USE_WRITE, flags | USE_BELOW, from, to, &w);
		return;
	case KIND_WRITE_CWD: case KIND_WRITE_TMP:
		w = here(ap);
		if (spec.kind == KIND_WRITE_TMP)
			w.text = STR("/tmp");
		add(ap, USE_WRITE, flags | USE_BELOW, from, to, &w);
		return;
	case KIND_COMMAND:
		if (to > from)
			add(ap, USE_COMMAND, flags, from, to, NULL);
		if (to > from && (spec.mods & MOD_JOINED))
			add(ap, USE_SCRIPT, flags, from, to, &ap->s->argv[from]);
		return;
	case KIND_SPLIT:
		from = to, to = ap->s->argc;
		break;
	case KIND_HOST:
		emit_file_url(ap, from, to, w);
		ap->ret->effects |= EFFECT_NETWORK;
		break;
	}
	if (spec.mods & MOD_PARENTS)
		add_parents(ap, role_of[spec.kind], from, to, w);
	struct know_use *u = add(ap, role_of[spec.kind], flags, from, to, &w);
	if (spec.kind == KIND_CODE)
		u->lang = know_string(ap->s->row, spec.lang);
}

static bool has_flag(const struct know_scan *s, const uint32_t *list, size_t n)
{
	const struct know_flag *flags = know_flags(s->row);
	for (size_t h = 0; h < s->nhits; h++)
		for (size_t k = 0; k < n; k++)
			if (s->hits[h].flag == &flags[list[k]])
				return true;
	return false;
}

static void override(struct know_operands *ops, const struct know_operands *by)
{
	ops->set |= by->set;
	if (by->set & OPS_FIRST)
		ops->first = by->first, ops->nfirst = by->nfirst;
	if (by->set & OPS_REST)
		ops->rest = by->rest;
	if (by->set & OPS_LAST)
		ops->last = by->last;
	if (by->set & OPS_ALONE)
		ops->alone = by->alone;
	if (by->set & OPS_EMPTY)
		ops->empty = by->empty;
	if (by->set & OPS_ALWAYS)
		ops->always = by->always;
	if (by->set & OPS_AFTER)
		ops->after = by->after;
}

/* What the operands are, given the options that are present; and the effects these add. */
static void settle(struct apply *ap, bool sub)
{
	const struct know_row *r = ap->s->row;
	const struct know_when *w = know_whens(r);
	ap->ops = r->ops;
	if (!sub) /* a subcommand has its own */
		ap->ret->effects |= r->effects;
	ap->active = 0;
	ap->suffix = NULL;
	for (size_t i = 0; i < ap->s->nhits; i++)
		if (ap->s->hits[i].flag && (ap->s->hits[i].flag->arg.mods & MOD_SUFFIX) && ap->s->hits[i].has_value)
			ap->suffix = &ap->s->hits[i];
	for (size_t i = 0; i < r->nwhens; i++)
		if (has_flag(ap->s, know_list(r, w[i].flags), w[i].nflags)) {
			ap->active |= (uint64_t)1 << i;
			override(&ap->ops, &w[i].ops);
			if ((w[i].ops.set & OPS_HARMLESS) && !ap->s->maybe_option)
				ap->ret->effects = 0;
			ap->ret->effects |= w[i].effects;
		}
}

static void emit_hit(struct apply *ap, const struct know_hit *h)
{
	const struct know_row *r = ap->s->row;
	if (!h->flag) {
		add(ap, USE_ASSIGN, 0, h->at, h->to, &h->value);
		emit_keyed(ap, h->at, h->to, h->value);
		return;
	}
	struct know_spec spec = h->flag->arg;
	const struct know_when *w = know_whens(r);
	for (size_t i = 0; i < r->nwhens; i++) {
		if (!(ap->active >> i & 1))
			continue;
		const struct know_arg *args = know_args(r, w[i].args);
		for (size_t k = 0; k < w[i].nargs; k++)
			if (&know_flags(r)[args[k].flag] == h->flag)
				spec = args[k].spec;
	}
	if (r->style == STYLE_FIND && spec.kind == KIND_COMMAND && h->value.kind == WORD_UNKNOWN)
		spec.mods |= USE_MORE; /* {} + */
	if (r->style == STYLE_FIND && spec.kind == KIND_DELETE && !h->has_value) {
		struct word w = here(ap);
		for (size_t i = 0; i < ap->s->noperands; i++)
			emit(ap, spec, ap->s->operands[i], ap->s->operands[i] + 1, ap->s->argv[ap->s->operands[i]]);
		if (!ap->s->noperands)
			emit(ap, spec, h->at, h->to, w);
		return;
	}
	if (h->has_value || spec.kind == KIND_OPAQUE)
		emit(ap, spec, h->at, h->to, h->has_value ? h->value : ap->s->argv[h->at]);
}

static bool is_colons(struct word w)
{
	return w.kind == WORD_EXACT && (str_is(w.text, ":::") || str_is(w.text, "::::") || str_is(w.text, ":::+") || str_is(w.text, "::::+"));
}

/* parallel CMD ::: ARG...; without CMD the arguments themselves are scripts. Returns the end of the command. */
static size_t colons(struct apply *ap, size_t from)
{
	struct know_scan *s = ap->s;
	size_t at = from;
	while (at < s->argc && !is_colons(s->argv[at]))
		at++;
	if (at > from || at == s->argc)
		return at;
	for (size_t i = at; i < s->argc; i++) {
		if (is_colons(s->argv[i]))
			continue;
		add(ap, i > at && str_starts(s->argv[i].text, "::::") ? USE_OPAQUE : USE_SCRIPT, 0, i, i + 1, &s->argv[i]);
	}
	if (s->argv[at].text.n > 3 && s->argv[at].text.p[3] == ':')
		add(ap, USE_OPAQUE, 0, at, at + 1, &s->argv[at]);
	return at;
}

/* The operand number k, when nothing is uncertain. */
static struct know_spec operand_spec(const struct apply *ap, size_t k, size_t n)
{
	const struct know_operands *o = &ap->ops;
	if (o->after.kind && k >= ap->s->dashdash)
		return o->after;
	if (k < o->nfirst)
		return know_specs(ap->s->row, o->first)[k];
	if ((o->set & OPS_ALONE) && n == o->nfirst + 1)
		return o->alone;
	if ((o->set & OPS_LAST) && k + 1 == n && n >= o->nfirst + 2)
		return o->last;
	return o->rest;
}

static bool is_range(struct know_spec spec) { return spec.kind == KIND_COMMAND || spec.kind == KIND_SCRIPT; }

/* A program that looks for options among the words of its inner command too (choom) takes some of them away. */
static bool is_torn(const struct know_scan *s, size_t k)
{
	return s->operands[k] + (s->noperands - k) != s->argc;
}

/* Emits operand k; true when it takes all others with it. */
static bool emit_operand(struct apply *ap, size_t k)
{
	struct know_scan *s = ap->s;
	size_t at = s->operands[k];
	struct know_spec spec = operand_spec(ap, k, s->noperands);
	bool after = ap->ops.after.kind && k >= s->dashdash;
	if (is_range(spec) && (k >= ap->ops.nfirst || after)) {
		size_t to = s->row->bits & ROW_COLONS ? colons(ap, at) : s->argc;
		if (to > at)
			emit(ap, spec, at, to, s->argv[at]);
		if (is_torn(s, k) && !s->opaque)
			add(ap, USE_OPAQUE, 0, at, to, &s->argv[at]);
		return true;
	}
	emit(ap, spec, at, spec.kind == KIND_COMMAND ? s->argc : at + 1, s->argv[at]); /* chrt: with or without a priority before it */
	return false;
}

/* Every role that any operand of the row can have, once each. */
static size_t all_specs(const struct apply *ap, size_t sure, struct know_spec *out, size_t max)
{
	const struct know_row *r = ap->s->row;
	size_t n = 0;
	/* when no option can hide among the words, what the options say is settled, and so are the operands before the loose one */
	for (size_t i = 0; i <= (sure ? 0 : r->nwhens); i++) {
		const struct know_operands *o = sure ? &ap->ops : i ? &know_whens(r)[i - 1].ops : &r->ops;
		for (size_t k = sure < o->nfirst ? sure : o->nfirst; k < o->nfirst + 3; k++) { /* a `last` or `alone` that is not given is KIND_NONE */
			struct know_spec spec = k < o->nfirst ? know_specs(r, o->first)[k] : k == o->nfirst ? o->rest : k == o->nfirst + 1 ? o->last : o->alone;
			bool seen = spec.kind <= KIND_WORD || is_range(spec);
			for (size_t j = 0; j < n && !seen; j++)
				seen = out[j].kind == spec.kind && out[j].mods == spec.mods && out[j].lang == spec.lang;
			if (!seen && n < max)
				out[n++] = spec;
		}
	}
	return n;
}

/* Is something that runs among the operands from number k on? */
static bool runs_after(const struct apply *ap, size_t k)
{
	const struct know_operands *o = &ap->ops;
	if (know_runs(o->rest.kind) || know_runs(o->last.kind) || know_runs(o->after.kind))
		return true;
	for (; k < o->nfirst; k++)
		if (know_runs(know_specs(ap->s->row, o->first)[k].kind))
			return true;
	return false;
}

/* A word of any number stands where single operands are counted. */
static bool first_is_loose(const struct apply *ap)
{
	for (size_t k = 0; k < ap->ops.nfirst && k < ap->s->noperands; k++)
		if (ap->s->argv[ap->s->operands[k]].kind == WORD_REST)
			return true;
	return false;
}

#define SPECS_MAX 16

static void emit_all(struct apply *ap)
{
	struct know_scan *s = ap->s;
	struct know_spec specs[SPECS_MAX];
	bool loose = first_is_loose(ap), taken = false;
	size_t h = 0, k = 0, nspecs = 0;
	if ((s->lost && runs_after(ap, s->lost_operands)) || (loose && runs_after(ap, 0)))
		s->opaque = s->opaque ? s->opaque : s->lost ? s->lost : s->operands[0];
	if (s->opaque)
		add(ap, USE_OPAQUE, 0, s->opaque, s->opaque + 1, &s->argv[s->opaque]);
	size_t sure = s->lost && !s->maybe_option && !loose ? s->lost_operands : 0;
	if (s->unsure || loose)
		nspecs = all_specs(ap, sure, specs, SPECS_MAX);
	for (size_t i = 0; i < s->nhits; i++)
		if (s->hits[i].flag && s->hits[i].flag->arg.kind == KIND_DIR)
			emit_hit(ap, &s->hits[i]); /* before anything that is relative to it */
	if (ap->ops.always.kind)
		emit(ap, ap->ops.always, 0, 0, here(ap));
	if (s->noperands < ap->ops.nfirst + (know_runs(ap->ops.rest.kind) ? 1 : 0) && ap->ops.empty.kind)
		emit(ap, ap->ops.empty, 0, 0, (struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = s->argv[0].at});
	while (h < s->nhits || (k < s->noperands && !taken)) {
		if (h < s->nhits && (k >= s->noperands || taken || s->hits[h].at <= s->operands[k])) {
			if (!s->hits[h].flag || s->hits[h].flag->arg.kind != KIND_DIR)
				emit_hit(ap, &s->hits[h]);
			h++;
			continue;
		}
		size_t at = s->operands[k];
		bool range = is_range(operand_spec(ap, k, s->noperands));
		for (size_t i = 0; i < nspecs && !range && k >= sure; i++)
			emit(ap, specs[i], at, at + 1, s->argv[at]);
		if (!nspecs || range || k < sure)
			taken = emit_operand(ap, k);
		k++;
	}
}

/* Does this form only read? Every doubt says no. */
static bool only_reads(struct apply *ap)
{
	const struct know_row *r = ap->s->row;
	if (!(r->bits & ROW_READONLY) || ap->s->opaque || ap->changes)
		return false;
	if ((r->nunless || r->nonly) && ap->s->maybe_option)
		return false;
	if (has_flag(ap->s, know_list(r, r->unless), r->nunless))
		return false;
	if (r->nonly && !has_flag(ap->s, know_list(r, r->only), r->nonly))
		return false;
	for (const struct know_use *u = ap->ret->uses; u; u = u->next)
		if (u->role != USE_READ && u->role != USE_DIR && u->role != USE_HOST && u->role != USE_ASSIGN && u->role != USE_CODE)
			return false; /* code is judged by itself: a row that has some and says `readonly` speaks of the rest */
	return true;
}

/* One level: the row's own options and operands. Returns the subcommand's row, and where its name stands, or NULL. */
static const struct know_row *apply_row(struct apply *ap, const struct know_row *lookup, size_t start, size_t *ret_sub)
{
	struct know_scan *s = ap->s;
	s->start = start;
	know_scan(s);
	const struct know_row *sub = NULL;
	if (s->sub) {
		struct word w = s->argv[s->sub];
		if (w.kind == WORD_EXACT)
			sub = know_sub_find(lookup, w.text);
		else if (!s->opaque)
			s->opaque = s->sub;
		if (sub) {
			s->noperands = 0; /* they are the subcommand's */
			*ret_sub = s->sub;
		} else if (w.kind == WORD_EXACT && s->row->style != STYLE_POSIX) { /* an ordinary operand: options go on after it */
			*s = (struct know_scan){.a = s->a, .row = s->row, .argv = s->argv, .argc = s->argc, .start = start};
			know_scan(s);
		}
	}
	settle(ap, sub != NULL);
	if (sub) {
		ap->ops = (struct know_operands){0};
		ap->ops.rest.kind = s->lost ? KIND_OPAQUE : KIND_NONE; /* a global option that is not known hides which subcommand it is */
	}
	emit_all(ap);
	return sub;
}

static bool in_list(const char *list, struct str word)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, " ");
		if (word.n && word.n == n && memcmp(p, word.p, n) == 0)
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

/*
 * `NAME --version` and the like, with no other word. A program that runs what the project gives it may do so even then, unless the row's
 * `info` says that it does not; words of no dash (help, version) have to be listed too.
 */
static bool only_prints(const struct know_row *top, const struct know_row *row, struct word w)
{
	const char *usual = (top->effects & EFFECT_WORKSPACE) || top->style == STYLE_NONE ? "" : "--version --help";
	const char *list = top->info ? know_string(top, top->info) : usual;
	if (w.kind != WORD_EXACT)
		return false;
	if (row == top)
		return in_list(list, w.text);
	return row->info ? in_list(know_string(row, row->info), w.text) : str_is(w.text, "--help") && in_list(list, w.text);
}

/*
 * "aws ec2" exists only because of "aws ec2 describe-vpcs": is this one of the forms it leads to? Otherwise its word is an operand of the
 * row above. A word that is not known leads to where nobody knows.
 */
static bool leads_on(const struct know_scan *s, const struct know_row *lookup, size_t start)
{
	struct know_scan probe = *s;
	probe.start = start;
	know_scan(&probe);
	return probe.sub && (probe.argv[probe.sub].kind != WORD_EXACT || know_sub_find(lookup, probe.argv[probe.sub].text));
}

void know_apply(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc, struct know_result *ret)
{
	struct apply ap = {.a = a, .ret = ret};
	size_t start = 1;
	bool lost = false;
	const struct know_row *top = row, *above = NULL; /* the last row with content of its own, and where its words start */
	size_t above_start = 0;
	*ret = (struct know_result){.name = know_string(row, row->name)};
	ap.end = &ret->uses;
	for (int depth = 0; row && argc && depth < SUB_DEPTH_MAX; depth++) {
		const struct know_row *lookup = row;
		row = know_forwarded(row);
		ret->name = know_string(row, row->name);
		bool bridge = above && (row->bits & ROW_FORWARD);
		struct know_scan s = {.a = a, .row = bridge ? above : row, .argv = argv, .argc = argc, .subs = (row->bits | lookup->bits) & ROW_SUBCOMMANDS};
		if (bridge && !leads_on(&s, lookup, start)) {
			s.subs = false;
			start = above_start;
		}
		if (!bridge)
			above = row, above_start = start;
		if (start + 1 == argc && start == (size_t)depth + 1 && only_prints(know_forwarded(top), row, argv[start])) {
			ret->effects = 0;
			ret->readonly = true;
			return;
		}
		ap.s = &s;
		const struct know_row *sub = apply_row(&ap, lookup, start, &start);
		lost |= s.opaque || (sub && s.unsure);
		ret->readonly = !lost && only_reads(&ap);
		start++;
		row = sub;
	}
}
