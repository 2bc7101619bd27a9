/*
 * Lists the options and operands of an argv, for rules that ask "is there a --force?". An option in the row
 * gets its first spelling there. Other options are read by the conventions of most programs; if two readings
 * are possible (-force: one name, or five letters), both count.
 */
#include "knowledge/scan.h"

#define OPTIONS_DEPTH_MAX 4 /* as for know_apply() */

struct option_collector {
	struct arena *a;
	struct know_options *ret;
	size_t cap;
};

static void add_option(struct option_collector *l, const struct know_row *row, const struct know_hit *h,
	bool global)
{
	struct know_options *o = l->ret;
	if (!h->flag && !h->name.n)
		return; /* NAME=VALUE */
	o->options = arena_room(l->a, o->options, o->noptions, &l->cap, sizeof(*o->options));
	const char *name = h->flag ? know_string(row, h->flag->same) : str_c(l->a, h->name);
	o->options[o->noptions++] = (struct know_option){
		.name = name, .value = h->value, .has_value = h->has_value, .at = h->word, .global = global,
				.listed = h->flag != NULL, .row = row,
	};
}

/* Reads one level of commands. Returns the row of its subcommand, or NULL. */
static const struct know_row *read_level(struct option_collector *l, const struct know_row *row,
		const struct know_row *lookup, const struct word *argv, size_t argc, size_t *start)
{
	struct know_scan s = {.a = l->a, .row = row, .argv = argv, .argc = argc, .start = *start,
			.generic = true};
	s.subs = (row->bits | lookup->bits) & ROW_SUBCOMMANDS;
	know_scan(&s);
	const struct know_row *sub = s.sub && argv[s.sub].kind == WORD_EXACT ? know_sub_find(lookup,
			argv[s.sub].text) : NULL;
	l->ret->maybe_option |= s.maybe_option || (s.sub && argv[s.sub].kind != WORD_EXACT);
	if (s.sub && !sub && row->style != STYLE_POSIX) { /* not a subcommand: options may follow it */
		s = (struct know_scan){.a = l->a, .row = row, .argv = argv, .argc = argc, .start = *start,
				.generic = true};
		know_scan(&s);
		l->ret->maybe_option |= s.maybe_option;
	}
	for (size_t i = 0; i < s.nhits; i++)
		add_option(l, row, &s.hits[i], sub != NULL);
	for (size_t i = 0; i < s.noperands && !sub; i++)
		l->ret->maybe_option |= argv[s.operands[i]].kind == WORD_REST;
	if (!sub)
		l->ret->operands = s.operands, l->ret->noperands = s.noperands;
	if (sub && l->ret->nwords < KNOW_WORDS_MAX)
		l->ret->words[l->ret->nwords++] = s.sub;
	*start = s.sub + 1;
	return sub;
}

static const char *program_name(struct arena *a, const struct word *argv, size_t argc)
{
	return str_c(a, argc && argv[0].kind == WORD_EXACT ? str_base(argv[0].text) : STR(""));
}

void know_options(struct arena *a, const struct know_row *row, const struct word *argv, size_t argc,
		struct know_options *ret)
{
	static const struct know_row nothing = {.bits = ROW_ABBREV};
	struct option_collector l = {.a = a, .ret = ret};
	size_t start = 1;
	*ret = (struct know_options){.name = row ? know_string(row, row->name) : program_name(a, argv, argc),
			.row = row ? row : &nothing};
	if (!row)
		row = &nothing;
	for (int depth = 0; row && argc && depth < OPTIONS_DEPTH_MAX; depth++) {
		const struct know_row *lookup = row;
		row = know_forwarded(row);
		ret->row = row;
		if (row != &nothing)
			ret->name = know_string(row, row->name);
		row = read_level(&l, row, lookup, argv, argc, &start);
	}
}

/* Strips the dashes if one and two dashes mean the same. */
static struct str bare_name(const struct know_row *row, struct str name)
{
	size_t i = 0;
	while (row->style == STYLE_LONG_DASH && i < 2 && i < name.n && name.p[i] == '-')
		i++;
	return str_from(name, i);
}

/*
 * True if the option as given may mean `name`. Long options may be abbreviated, but "--force" does not mean
 * "--force-with-lease".
 */
static bool given_as(const struct know_option *o, struct str name)
{
	struct str given = str_of(o->name);
	if (str_eq(bare_name(o->row, given), bare_name(o->row, name)))
		return true;
	return (o->row->bits & ROW_ABBREV) && o->row->style != STYLE_LONG_DASH && given.n > 2 &&
			str_starts(given, "--") && str_starts(name, o->name) &&
	       name.p[given.n] != '-';
}

static const struct know_flag *flag_of(const struct know_row *row, struct str name)
{
	const struct know_flag *f = know_flag_find(row, name);
	if (!f && row->style == STYLE_LONG_DASH && str_starts(name, "--"))
		f = know_flag_find(row, str_from(name, 1));
	return f;
}

const struct know_option *know_option_find(const struct know_options *o, const char *name,
		const struct know_option *after)
{
	struct str n = str_of(name);
	const struct know_row *row = NULL; /* of `flag` */
	const struct know_flag *flag = NULL;
	for (size_t i = after ? (size_t)(after - o->options) + 1 : 0; i < o->noptions; i++) {
		const struct know_option *p = &o->options[i];
		if (p->global && flag_of(o->row, n))
			continue; /* the subcommand has this option; one before it is a different option */
		if (p->listed && p->row != row)
			flag = flag_of(row = p->row, n);
		if (p->listed ? flag && strcmp(know_string(row, flag->same), p->name) == 0 : given_as(p, n))
			return p;
	}
	return NULL;
}

struct str know_fires(const struct know_row *row)
{
	return row->fires ? str_of(know_string(row, row->fires)) : STR("");
}
struct str know_obeys(const struct know_row *row)
{
	return row->obeys ? str_of(know_string(row, row->obeys)) : STR("");
}

bool know_has(const struct know_options *o, const char *name)
{
	return know_option_find(o, name, NULL) != NULL;
}

/* True if the kind does more than name a word or a file to read. */
static bool spec_acts(struct know_spec spec)
{
	switch (spec.kind) {
	case KIND_NONE: case KIND_WORD: case KIND_READ: case KIND_HOST: return false;
	default: return true;
	}
}

/* True if a `when` entry acts: by the value of an option, or by the kinds it gives to operands (sed -i). */
static bool when_acts(const struct know_row *r, const struct know_when *w)
{
	const struct know_operands *o = &w->ops;
	const struct know_arg *args = know_args(r, w->args);

	for (size_t i = 0; i < w->nargs; i++)
		if (spec_acts(args[i].spec))
			return true;
	for (size_t i = 0; i < o->nfirst; i++)
		if (spec_acts(know_specs(r, o->first)[i]))
			return true;
	return w->effects || spec_acts(o->rest) || spec_acts(o->last) || spec_acts(o->alone) ||
			spec_acts(o->empty) ||
	       spec_acts(o->always) || spec_acts(o->after);
}

static bool options_ended(const struct know_options *o, const struct word *argv, size_t at)
{
	size_t before = 0;

	for (size_t i = o->nwords ? o->words[o->nwords - 1] : 1; i < at; i++)
		if (argv[i].kind == WORD_EXACT && str_is(argv[i].text, "--"))
			return true;
	for (size_t i = 0; i < o->noptions; i++) {
		const struct know_flag *f = know_flag_find(o->options[i].row, str_of(o->options[i].name));

		if (f && o->options[i].at < at && (f->arg.mods & MOD_LAST))
			return true;
	}
	for (size_t i = 0; i < o->noperands; i++)
		before += o->operands[i] < at && argv[o->operands[i]].kind != WORD_REST;
	return o->row->style == STYLE_NONE || (o->row->style == STYLE_POSIX && before > o->row->until);
}

bool know_option_acts(const struct know_options *o, const struct word *argv, size_t at)
{
	if (options_ended(o, argv, at))
		return false;
	for (size_t i = 0; i < o->row->nflags; i++)
		if (spec_acts(know_flags(o->row)[i].arg))
			return true;
	for (size_t i = 0; i < o->row->nwhens; i++)
		if (when_acts(o->row, &know_whens(o->row)[i]))
			return true;
	return o->row->nunless > 0; /* with one of these flags the command does not only read */
}
