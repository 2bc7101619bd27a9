/*
 * Looks up rows, and reads an argv by a row. scan.c splits the argv into options and operands, and the row's
 * `when` entries adjust their kinds. Then each of them becomes a use. If the scan is unsure, every possible
 * role of an operand is reported.
 */
#include "knowledge/knowledge.h"

#include "knowledge/apply.h"

#define SUB_DEPTH_MAX 4 /* "docker compose exec" is 2 */

static const struct know_row *blob_rows(const void *blob)
{
	return (const void *)((const char *)blob + sizeof(struct know_blob));
}

/* Binary search in rows sorted by name, for `base` or "`base` `sub`". */
static const struct know_row *row_find(const struct know_row *rows, size_t n, struct str base, struct str sub)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct str name = str_of(know_string(&rows[mid], rows[mid].name));
		int c = str_cmp(str_first(name, base.n), base);
		if (c == 0 && sub.n) {
			c = name.n == base.n ? -1 : name.p[base.n] < ' ' ? -1 : name.p[base.n] > ' ' ? 1 : 0;
			if (c == 0)
				c = str_cmp(str_from(name, base.n + 1), sub);
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
	uint64_t key = know_key(base, sub);
	size_t lo = 0, hi = b->nrows, n = 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (know_keys[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo + n < b->nrows && know_keys[lo + n] == key)
		n++;
	return row_find(blob_rows(b) + lo, n, base, sub);
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
	const struct know_row *r = (const void *)b == (const void *)know_baked ? NULL : row_find(blob_rows(b),
			b->nrows, base, sub);
	return r ? r : baked_find(base, sub);
}

const struct know_row *know_forwarded(const struct know_row *row)
{
	const struct know_row *baked = row->bits & ROW_FORWARD ?
			baked_find(str_of(know_string(row, row->name)), STR("")) : NULL;
	return baked ? baked : row;
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

static void override_operands(struct know_operands *ops, const struct know_operands *by)
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

/* Determines the kinds of the operands and the effects, by the options that are present. */
static void settle_operands(struct know_applying *ap, bool sub)
{
	const struct know_row *r = ap->s->row;
	const struct know_when *w = know_whens(r);
	ap->ops = r->ops;
	if (!sub) /* a subcommand has its own effects */
		ap->ret->effects |= r->effects;
	ap->active = 0;
	ap->suffix = NULL;
	for (size_t i = 0; i < ap->s->nhits; i++)
		if (ap->s->hits[i].flag && (ap->s->hits[i].flag->arg.mods & MOD_SUFFIX) &&
				ap->s->hits[i].has_value)
			ap->suffix = &ap->s->hits[i];
	for (size_t i = 0; i < r->nwhens; i++)
		if (has_flag(ap->s, know_list(r, w[i].flags), w[i].nflags)) {
			ap->active |= (uint64_t)1 << i;
			override_operands(&ap->ops, &w[i].ops);
			if ((w[i].ops.set & OPS_HARMLESS) && !ap->s->maybe_option)
				ap->ret->effects = 0;
			ap->ret->effects |= w[i].effects;
		}
}

static void emit_hit(struct know_applying *ap, const struct know_hit *h)
{
	const struct know_row *r = ap->s->row;
	if (!h->flag) {
		know_use_add(ap, USE_ASSIGN, 0, h->at, h->to, &h->value);
		know_emit_keyed(ap, false, h->at, h->to, h->value);
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
		spec.mods |= USE_MORE; /* -exec ... {} + */
	if (r->style == STYLE_FIND && spec.kind == KIND_DELETE && !h->has_value) {
		struct word w = know_here(ap);
		for (size_t i = 0; i < ap->s->noperands; i++)
			know_emit(ap, spec, ap->s->operands[i], ap->s->operands[i] + 1,
					ap->s->argv[ap->s->operands[i]]);
		if (!ap->s->noperands)
			know_emit(ap, spec, h->at, h->to, w);
		return;
	}
	if (h->has_value || spec.kind == KIND_OPAQUE)
		know_emit(ap, spec, h->at, h->to, h->has_value ? h->value : ap->s->argv[h->at]);
}

static bool is_colons(struct word w)
{
	return w.kind == WORD_EXACT && str_is_any(w.text, "::: :::: :::+ ::::+");
}

/*
 * parallel CMD ::: ARG...; without CMD the arguments themselves are scripts. Returns the index of the end of
 * the command.
 */
static size_t count_colons(struct know_applying *ap, size_t from)
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
		know_use_add(ap, i > at && str_starts(s->argv[i].text, "::::") ? USE_OPAQUE : USE_SCRIPT, 0,
				i, i + 1, &s->argv[i]);
	}
	if (s->argv[at].text.n > 3 && s->argv[at].text.p[3] == ':')
		know_use_add(ap, USE_OPAQUE, 0, at, at + 1, &s->argv[at]);
	return at;
}

/* The kind of operand k if nothing is uncertain. */
static struct know_spec operand_spec(const struct know_applying *ap, size_t k, size_t n)
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

/*
 * True if the words from operand k on are not contiguous: a program that also looks for options among the
 * words of its inner command (choom) removes some.
 */
static bool is_torn(const struct know_scan *s, size_t k)
{
	return s->operands[k] + (s->noperands - k) != s->argc;
}

/* Emits operand k. True if it includes all further operands. */
static bool emit_operand(struct know_applying *ap, size_t k)
{
	struct know_scan *s = ap->s;
	size_t at = s->operands[k];
	struct know_spec spec = operand_spec(ap, k, s->noperands);
	bool after = ap->ops.after.kind && k >= s->dashdash;
	if (is_range(spec) && (k >= ap->ops.nfirst || after)) {
		size_t to = s->row->bits & ROW_COLONS ? count_colons(ap, at) : s->argc;
		if (to > at)
			know_emit(ap, spec, at, to, s->argv[at]);
		if (is_torn(s, k) && !s->opaque)
			know_use_add(ap, USE_OPAQUE, 0, at, to, &s->argv[at]);
		return true;
	}
	/* chrt: the command may be the first operand or follow a priority */
	know_emit(ap, spec, at, spec.kind == KIND_COMMAND ? s->argc : at + 1, s->argv[at]);
	return false;
}

/* Collects every role that an operand of the row can have, once each. */
static size_t all_specs(const struct know_applying *ap, size_t sure, struct know_spec *out, size_t max)
{
	const struct know_row *r = ap->s->row;
	size_t n = 0;
	/*
	 * If no word can be an option, the `when` entries are settled, and so are the operands before the
	 * first uncertain word.
	 */
	bool settled = !ap->s->maybe_option;
	for (size_t i = 0; i <= (settled ? 0 : r->nwhens); i++) {
		const struct know_operands *o = settled ? &ap->ops : i ? &know_whens(r)[i - 1].ops : &r->ops;
		/* a missing `last` or `alone` is KIND_NONE */
		for (size_t k = sure < o->nfirst ? sure : o->nfirst; k < o->nfirst + 3; k++) {
			struct know_spec spec = k < o->nfirst ? know_specs(r, o->first)[k] : k == o->nfirst ?
					o->rest : k == o->nfirst + 1 ? o->last : o->alone;
			bool seen = spec.kind <= KIND_WORD || is_range(spec);
			for (size_t j = 0; j < n && !seen; j++)
				seen = out[j].kind == spec.kind && out[j].mods == spec.mods &&
						out[j].lang == spec.lang;
			if (!seen && n < max)
				out[n++] = spec;
		}
	}
	return n;
}

/* True if one of the operands from number k on may run. */
static bool operands_run(const struct know_applying *ap, const struct know_operands *o, size_t k)
{
	if (know_runs(o->rest.kind) || know_runs(o->last.kind) || know_runs(o->after.kind))
		return true;
	for (; k < o->nfirst; k++)
		if (know_runs(know_specs(ap->s->row, o->first)[k].kind))
			return true;
	return false;
}

/*
 * True if an option is not in the row while another option provides code (node -e), so that no operand runs.
 * PowerShell is exempt: its options ignore case, and its own reader handles them.
 */
static bool unlisted_beside_code(const struct know_applying *ap)
{
	const struct know_scan *s = ap->s;
	bool code = false;
	for (size_t i = 0; i < s->nhits; i++) {
		const struct know_flag *f = s->hits[i].flag;
		enum lang lang = f ? lang_find(str_of(know_string(s->row, f->arg.lang))) : LANG_OTHER;
		bool folds = lang == LANG_POWERSHELL || lang == LANG_POWERSHELL_ENCODED;
		code |= f && f->arg.kind == KIND_CODE && !folds;
	}
	return code && s->lost && s->argv[s->lost].kind == WORD_EXACT && str_starts(s->argv[s->lost].text,
			"-") && operands_run(ap, &s->row->ops, s->lost_operands);
}

/* True if a word that may expand to any number of words is among the `first` operands. */
static bool first_is_loose(const struct know_applying *ap)
{
	for (size_t k = 0; k < ap->ops.nfirst && k < ap->s->noperands; k++)
		if (ap->s->argv[ap->s->operands[k]].kind == WORD_REST)
			return true;
	return false;
}

/*
 * True if the word that makes the operands uncertain is a pattern (bot[1]) and the row judges each operand by
 * its prefix.
 */
static bool keyed_pattern(const struct know_applying *ap)
{
	const struct know_operands *o = &ap->ops;
	struct word w = ap->s->argv[ap->s->lost];
	return o->rest.kind == KIND_KEYED && !know_runs(o->last.kind) && !know_runs(o->after.kind) &&
		!o->nfirst && w.glob && !ap->s->maybe_option;
}

#define SPECS_MAX 16

/*
 * True if operand k is certainly the last. A single word after any number of words (`mv a* .`) is the last
 * operand, or the only one if the others expand to nothing. It has no other role, unless one of the words is
 * an option that changes the roles.
 */
static bool ends_operands(const struct know_applying *ap, size_t k)
{
	const struct know_scan *s = ap->s;

	return !s->maybe_option && (ap->ops.set & OPS_LAST) && k + 1 == s->noperands && k >= ap->ops.nfirst &&
	       s->argv[s->operands[k]].kind != WORD_REST;
}

/* True if a later operand is certainly the last. */
static bool another_ends(const struct know_applying *ap, size_t k)
{
	return k + 1 < ap->s->noperands && ends_operands(ap, ap->s->noperands - 1);
}

static void emit_end(struct know_applying *ap, size_t k)
{
	size_t at = ap->s->operands[k];

	know_emit(ap, ap->ops.last, at, at + 1, ap->s->argv[at]);
	know_emit(ap, ap->ops.set & OPS_ALONE ? ap->ops.alone : ap->ops.rest, at, at + 1, ap->s->argv[at]);
}

struct operand_roles { /* possible roles of operands whose number is uncertain */
	struct know_spec specs[SPECS_MAX];
	size_t n;    /* 0: each operand has exactly one role */
	size_t sure; /* operands before this one keep their single role */
};

/* Emits operand k in all its roles. True if it includes all further operands. */
static bool emit_one(struct know_applying *ap, const struct operand_roles *roles, size_t k)
{
	const struct know_scan *s = ap->s;
	size_t at = s->operands[k];

	if (!roles->n || k < roles->sure || is_range(operand_spec(ap, k, s->noperands)))
		return emit_operand(ap, k);
	if (ends_operands(ap, k))
		emit_end(ap, k);
	else if (k >= ap->ops.nfirst && another_ends(ap, k))
		know_emit(ap, ap->ops.rest, at, at + 1, s->argv[at]);
	else
		for (size_t i = 0; i < roles->n; i++)
			know_emit(ap, roles->specs[i], at, at + 1, s->argv[at]);
	return false;
}

static bool is_directory_hit(const struct know_hit *h) { return h->flag && h->flag->arg.kind == KIND_DIR; }

/* Emits uses without a word of their own, and directories first: all other uses are relative to them. */
static void emit_first(struct know_applying *ap)
{
	struct know_scan *s = ap->s;
	size_t needed = ap->ops.nfirst + (know_runs(ap->ops.rest.kind) ? 1 : 0);

	if (s->opaque)
		know_use_add(ap, USE_OPAQUE, 0, s->opaque, s->opaque + 1, &s->argv[s->opaque]);
	for (size_t i = 0; i < s->nhits; i++)
		if (is_directory_hit(&s->hits[i]))
			emit_hit(ap, &s->hits[i]);
	if (ap->ops.always.kind)
		know_emit(ap, ap->ops.always, 0, 0, know_here(ap));
	if (s->noperands < needed && ap->ops.empty.kind)
		know_emit(ap, ap->ops.empty, 0, 0,
				(struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = s->argv[0].at});
}

/* Emits options and operands in argv order. */
static void emit_all(struct know_applying *ap)
{
	struct know_scan *s = ap->s;
	struct operand_roles roles = {.n = 0};
	bool loose = first_is_loose(ap), taken = false;
	bool lost = s->lost && !keyed_pattern(ap) && operands_run(ap, &ap->ops, s->lost_operands);
	size_t h = 0, k = 0;

	if (lost || (loose && operands_run(ap, &ap->ops, 0)) || unlisted_beside_code(ap))
		s->opaque = s->opaque ? s->opaque : s->lost ? s->lost : s->operands[0];
	roles.sure = s->lost && !s->maybe_option && !loose ? s->lost_operands : 0;
	if (s->unsure || loose)
		roles.n = all_specs(ap, roles.sure, roles.specs, SPECS_MAX);
	emit_first(ap);
	while (h < s->nhits || (k < s->noperands && !taken)) {
		bool option = h < s->nhits && (k >= s->noperands || taken || s->hits[h].at <= s->operands[k]);

		if (!option)
			taken = emit_one(ap, &roles, k++);
		else if (!is_directory_hit(&s->hits[h++]))
			emit_hit(ap, &s->hits[h - 1]);
	}
}

/* True if this invocation certainly only reads. */
static bool only_reads(struct know_applying *ap)
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
		if (u->role != USE_READ && u->role != USE_DIR && u->role != USE_HOST &&
				u->role != USE_ASSIGN && u->role != USE_CODE)
			/*
			 * Code is judged separately: `readonly` in a row with code refers to everything else.
			 */
			return false;
	return true;
}

/*
 * Handles one level: the row's own options and operands. Returns the subcommand's row and sets *ret_sub to
 * the index of its name, or returns NULL.
 */
static const struct know_row *apply_row(struct know_applying *ap, const struct know_row *lookup, size_t start,
		size_t *ret_sub)
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
			s->noperands = 0; /* they belong to the subcommand */
			*ret_sub = s->sub;
		/* not a subcommand but an ordinary operand: options may follow it */
		} else if (w.kind == WORD_EXACT && s->row->style != STYLE_POSIX) {
			*s = (struct know_scan){.a = s->a, .row = s->row, .argv = s->argv, .argc = s->argc,
					.start = start};
			know_scan(s);
		}
	}
	settle_operands(ap, sub != NULL);
	if (sub) {
		ap->ops = (struct know_operands){0};
		/* after an unknown global option the subcommand is uncertain */
		ap->ops.rest.kind = s->lost ? KIND_OPAQUE : KIND_NONE;
	}
	emit_all(ap);
	return sub;
}

/*
 * True if the list contains the word. An entry "--help*" means --help in any position; with `anywhere` only
 * these count.
 */
static bool in_list(const char *list, struct str word, bool anywhere)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, " "), star = n && p[n - 1] == '*';
		if (word.n && word.n == n - star && memcmp(p, word.p, n - star) == 0 && (star || !anywhere))
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

/*
 * True for `kubectl delete pod x --help`, if the row's `info` allows it in any position. It must be the last
 * word and not an option's value; every word must be known, and none may start an inner command.
 */
static bool prints_help(
	const struct know_row *top, const struct word *argv, size_t argc, const struct know_result *r)
{
	for (const struct know_use *u = r->uses; u; u = u->next)
		if (u->role == USE_COMMAND || u->role == USE_SCRIPT || u->role == USE_SPLIT ||
			u->role == USE_OPAQUE || u->role == USE_EXEC)
			return false;
	for (size_t i = 1; i < argc; i++)
		if (argv[i].kind != WORD_EXACT || str_is(argv[i].text, "--"))
			return false;
	return top->info && argc > 2 && !str_starts(argv[argc - 2].text, "-") &&
		in_list(know_string(top, top->info), argv[argc - 1].text, true);
}

/*
 * True for `NAME --version` and similar, without any other word. A program that runs code of the project may
 * do so even then, unless the row's `info` lists the word. Words without a dash (help, version) must be
 * listed, too.
 */
static bool only_prints(const struct know_row *top, const struct know_row *row, struct word w)
{
	const char *usual = (top->effects & EFFECT_WORKSPACE) || top->style == STYLE_NONE ? "" :
			"--version --help";
	const char *list = top->info ? know_string(top, top->info) : usual;
	if (w.kind != WORD_EXACT)
		return false;
	if (row == top)
		return in_list(list, w.text, false);
	return row->info ? in_list(know_string(row, row->info), w.text, false)
			 : str_is(w.text, "--help") && in_list(list, w.text, false);
}

/*
 * "aws ec2" has a row only because of "aws ec2 describe-vpcs". True if one of these subcommands follows, or
 * an unknown word; otherwise "ec2" is an operand of the row above.
 */
static bool leads_on(const struct know_scan *s, const struct know_row *lookup, size_t start)
{
	struct know_scan probe = *s;
	probe.start = start;
	know_scan(&probe);
	return probe.sub && (probe.argv[probe.sub].kind != WORD_EXACT ||
			know_sub_find(lookup, probe.argv[probe.sub].text));
}

void know_apply(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_result *ret)
{
	struct know_applying ap = {.a = a, .ret = ret};
	size_t start = 1;
	bool lost = false;
	/* the last row with content of its own, and the index of its first word */
	const struct know_row *top = row, *above = NULL;
	size_t above_start = 0;
	*ret = (struct know_result){.name = know_string(row, row->name)};
	ap.end = &ret->uses;
	for (int depth = 0; row && argc && depth < SUB_DEPTH_MAX; depth++) {
		const struct know_row *lookup = row;
		row = know_forwarded(row);
		ret->name = know_string(row, row->name);
		bool bridge = above && (row->bits & ROW_FORWARD);
		struct know_scan s = {.a = a, .row = bridge ? above : row, .argv = argv, .argc = argc,
				.subs = (row->bits | lookup->bits) & ROW_SUBCOMMANDS};
		if (bridge && !leads_on(&s, lookup, start)) {
			s.subs = false;
			start = above_start;
		}
		if (!bridge)
			above = row, above_start = start;
		if (!bridge && (row->bits & ROW_FORWARD) && !leads_on(&s, lookup, start))
			/* a user's row for another subcommand: nothing is known about this one */
			ret->effects |= EFFECT_WORKSPACE;
		if (start + 1 == argc && start == (size_t)depth + 1 && only_prints(know_forwarded(top), row,
				argv[start])) {
			ret->effects = 0;
			ret->readonly = true;
			return;
		}
		ap.s = &s;
		const struct know_row *sub = apply_row(&ap, lookup, start, &start);
		know_backups(&ap);
		lost |= s.opaque || (sub && s.unsure);
		ret->readonly = !lost && only_reads(&ap);
		start++;
		row = sub;
	}
	if (argc && prints_help(know_forwarded(top), argv, argc, ret)) {
		ret->uses = NULL;
		ret->effects = 0;
		ret->readonly = true;
	}
}
