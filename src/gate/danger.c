/*
 * Commands that are dangerous by their words. The words are taken apart by what is known of the command's options, so clusters,
 * abbreviations, global options before a subcommand and `--` make no difference; a word that is not known asks where it could matter.
 */
#include "gate/danger.h"

#include "base/glob.h"

#define LIST_WORD_MAX 128 /* bytes of one word of a row's list */

/* The next blank-separated word of a list at *at. */
static bool next_word(const char *list, size_t *at, struct str *ret)
{
	size_t from;

	while (list[*at] == ' ')
		++*at;
	from = *at;
	while (list[*at] && list[*at] != ' ')
		++*at;
	*ret = str_n(list + from, *at - from);
	return ret->n > 0;
}

static enum match from_glob(enum glob_match m) { return m == GLOB_YES ? MATCH_YES : m == GLOB_MAYBE ? MATCH_MAYBE : MATCH_NO; }

static enum match worse(enum match a, enum match b) { return a < b ? a : b; }

/* One word of the command against a word of the row; a word that is not known may be anything it can be. */
static enum match word_is(const struct word *w, struct str want)
{
	if (w->kind == WORD_REST && !w->glob)
		return MATCH_MAYBE;
	if (w->kind == WORD_REST)
		return MATCH_NO; /* names of files */
	if (w->kind == WORD_UNKNOWN && !w->text.n)
		return MATCH_MAYBE;
	return from_glob(glob_may(want, w->text, GLOB_FOLD));
}

/* The program and the operands that must follow it. *ret_rest is the index of the first operand after them. */
static enum match command_is(struct judge *j, struct subject *s, const char *command, size_t *ret_rest)
{
	struct know_options *o;
	struct str want, have;
	size_t at = 0, known = 0, operand = 0;
	enum match m = MATCH_YES;

	if (!next_word(command, &at, &want) || !glob_name(want, s->base))
		return MATCH_NO;
	if (!command[at]) {
		*ret_rest = 0;
		return MATCH_YES;
	}
	o = subject_options(j, s);
	next_word(o->name, &known, &have); /* the program; the row's subcommand words follow */
	while (next_word(command, &at, &want)) {
		if (next_word(o->name, &known, &have)) {
			if (!glob_name(want, have))
				return MATCH_NO;
			continue;
		}
		if (operand >= o->noperands)
			return o->maybe_option ? worse(m, MATCH_MAYBE) : MATCH_NO;
		m = worse(m, word_is(&s->c->argv[o->operands[operand++]], want));
		if (m == MATCH_NO)
			return m;
	}
	*ret_rest = operand;
	return m;
}

/* "-f" is present; "-m=077*": with such a value. */
static enum match option_is(const struct know_options *o, struct str want)
{
	char name[LIST_WORD_MAX];
	ptrdiff_t eq = str_find(want, '=', 0);
	struct str bare = eq > 0 ? str_sub(want, 0, (size_t)eq) : want, value = eq > 0 ? str_sub(want, (size_t)eq + 1, want.n) : STR("");
	enum match best = MATCH_NO;

	if (bare.n >= sizeof(name))
		return MATCH_NO;
	memcpy(name, bare.p, bare.n);
	name[bare.n] = '\0';
	if (eq <= 0)
		return know_has(o, name) ? MATCH_YES : MATCH_NO;
	for (const struct know_option *x = know_option_find(o, name, NULL); x; x = know_option_find(o, name, x)) {
		enum match m = x->has_value ? word_is(&x->value, value) : MATCH_MAYBE;

		if (m > best)
			best = m;
	}
	return best;
}

static enum match any_option(const struct know_options *o, const char *list)
{
	enum match best = o->maybe_option ? MATCH_MAYBE : MATCH_NO;
	struct str want;

	for (size_t at = 0; next_word(list, &at, &want);) {
		enum match m = want.p[0] == '-' ? option_is(o, want) : MATCH_NO;

		if (m > best)
			best = m;
	}
	return best;
}

static enum match any_operand(const struct subject *s, const struct know_options *o, size_t from, const char *list)
{
	enum match best = MATCH_NO;
	struct str want;

	for (size_t at = 0; next_word(list, &at, &want);)
		for (size_t i = from; i < o->noperands && best < MATCH_YES; i++) {
			enum match m = want.p[0] == '-' ? MATCH_NO : word_is(&s->c->argv[o->operands[i]], want);

			if (m > best)
				best = m;
		}
	return best;
}

static enum match danger_is(struct judge *j, struct subject *s, const struct danger *d)
{
	size_t rest = 0;
	enum match m = command_is(j, s, d->command, &rest);
	struct know_options *o;

	if (m == MATCH_NO)
		return m;
	o = subject_options(j, s);
	if (d->except && (any_option(o, d->except) == MATCH_YES || any_operand(s, o, rest, d->except) == MATCH_YES))
		return MATCH_NO;
	if (d->options)
		m = worse(m, any_option(o, d->options));
	if (d->operands)
		m = worse(m, any_operand(s, o, rest, d->operands));
	return m;
}

void danger_words(struct judge *j, const struct check *c)
{
	(void)c;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		for (size_t k = 0; k < danger_nrows && s->base.n; k++) {
			const struct danger *d = &danger_rows[k];
			enum match m;

			if (d->command[0] != s->base.p[0])
				continue;
			m = danger_is(j, s, d);
			if (m == MATCH_YES)
				judge_tell_at_most(j, d->check, GRADE_DENY, s->c->at, judge_quote(j, "", s->c->at, str_c(j->a, str_fmt(j->a, " %s", d->message))), d->alternative);
			else if (m == MATCH_MAYBE)
				judge_tell_at_most(j, d->check, GRADE_ASK, s->c->at, judge_quote(j, "a word that is not known may make ", s->c->at,
					str_c(j->a, str_fmt(j->a, " one that %s", d->message))), d->alternative);
		}
	}
}

/* ---- effects ---- */

static bool loopback(const struct word *host)
{
	static const char *const names[] = {"localhost", "127.*", "[::1]", "::1", "0.0.0.0", "*.localhost"};
	struct str h = host->text;
	ptrdiff_t x;

	if (host->kind != WORD_EXACT)
		return false;
	for (size_t i = 0; i + 3 <= h.n; i++)
		if (!memcmp(h.p + i, "://", 3)) {
			h = str_sub(h, i + 3, h.n);
			break;
		}
	if ((x = str_find(h, '/', 0)) >= 0)
		h = str_sub(h, 0, (size_t)x);
	if (memchr(h.p, '@', h.n) || memchr(h.p, '\\', h.n) || memchr(h.p, '#', h.n) || memchr(h.p, '?', h.n))
		return false; /* clients disagree about where the host of such an address is */
	if (h.n && h.p[0] == '[' && (x = str_find(h, ']', 0)) > 0)
		h = str_sub(h, 0, (size_t)x + 1);
	else if ((x = str_find(h, ':', 0)) >= 0 && str_find(h, ':', (size_t)x + 1) < 0)
		h = str_sub(h, 0, (size_t)x);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (glob_may(str_of(names[i]), h, GLOB_FOLD) == GLOB_YES) {
			for (size_t k = 0; k < h.n && str_starts(str_of(names[i]), "127"); k++)
				if (h.p[k] != '.' && (h.p[k] < '0' || h.p[k] > '9'))
					return false; /* 127.0.0.1.example.com */
			return true;
		}
	return false;
}

/* All hosts of the command are known and this machine. */
static bool stays_here(struct judge *j, struct subject *s)
{
	bool any = false;

	for (const struct know_use *u = subject_known(j, s)->uses; u; u = u->next) {
		if (u->role != USE_HOST)
			continue;
		any = true;
		if (!loopback(&u->value))
			return false;
	}
	return any;
}

static const struct {
	unsigned effect;
	const char *check, *message, *alternative;
} effects[] = {
	{EFFECT_NETWORK, "network", " uses the network", NULL},
	{EFFECT_PRIVILEGE, "privilege", " runs with other rights", "do without them, or ask a person to run it"},
	{EFFECT_PERSISTENCE, "persistence", " sets up something that runs later", NULL},
	{EFFECT_SYSTEM, "system-change", " changes the system", NULL},
	{EFFECT_HISTORY, "git-rewrite", " rewrites history", NULL},
};

void danger_effects(struct judge *j, const struct check *c)
{
	(void)c;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		unsigned has = s->row ? subject_known(j, s)->effects : 0;

		for (size_t k = 0; k < sizeof(effects) / sizeof(*effects); k++)
			if ((has & effects[k].effect) && !(effects[k].effect == EFFECT_NETWORK && stays_here(j, s)) &&
			    !(effects[k].effect == EFFECT_HISTORY && str_is(s->base, "git"))) /* git's own have rows in the table */
				judge_tell_at_most(j, effects[k].check, GRADE_DENY, s->c->at, judge_quote(j, "", s->c->at, effects[k].message), effects[k].alternative);
	}
}

/* A program that no row of knowledge describes may do anything. Those named by a path outside the system are executed files. */
void danger_unknown_program(struct judge *j, const struct check *c)
{
	for (const struct launch *l = j->f->launches; l; l = l->next) {
		bool path = memchr(l->name.p, '/', l->name.n) != NULL;

		if (know_find(path_base(l->name), j->p->commands, j->p->ncommands) || (path && !path_is_system_program(l->name)))
			continue;
		judge_say(j, c, l->at, judge_quote(j, "nothing is known of the program ", l->at, ", so it may only run in the box"));
	}
}

/* A variable that makes a program load or run something, by the reader's table. */
static bool is_variable(const char *op)
{
	if (!op || !((op[0] >= 'A' && op[0] <= 'Z') || op[0] == '_'))
		return false;
	for (; *op; op++)
		if (!((*op >= 'A' && *op <= 'Z') || (*op >= '0' && *op <= '9') || *op == '_'))
			return false;
	return true;
}

void danger_environment(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_EXEC && is_variable(x->op))
			judge_say(j, c, x->at, str_fmt(j->a, "%s makes programs load or run what it names", x->op));
}
