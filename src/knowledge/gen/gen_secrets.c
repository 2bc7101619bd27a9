/*
 * Compiles the forms of knowledge/secrets.yaml for result/redact_table.h. A form becomes a literal prefix and
 * steps; a step is a set of characters with a minimum and a maximum. Equal sets are stored once. A form with
 * less than three literal characters at its start becomes one row for each spelling of them.
 */
#include "knowledge/gen/gen_secrets.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/start_bits.h"
#include "knowledge/gen/gen_texts.h"

#define SETS_MAX 250
#define STEPS_MAX 8000
#define ROWS_MAX 4000
#define FORM_STEPS_MAX 100
#define PREFIX_MIN 3
#define PREFIX_MAX 60
#define TEXTS_MAX 60000 /* offsets are uint16_t */
#define NO_MAXIMUM 65535
#define WHOLE 255 /* the prefix is replaced, too */
#define FLAG_NOCASE 1u /* as in result/redact_table.h */
#define FLAG_ANYWHERE 2u

struct set_bits {
	uint32_t bits[8];
};

struct form_step {
	struct set_bits set;
	unsigned min, max;
};

struct form_row {
	uint32_t kind, prefix;
	size_t step, nsteps;
	unsigned from, to; /* steps that are replaced */
	unsigned flags;
	uint32_t start;    /* see start_of() */
};

struct name_row {
	uint32_t kind, word, after, start;
	size_t value;
};

/* The same as redact_start() of result/redact_table.h. */
static uint32_t start_of(const char *p)
{
	return start_of_three(p) | 0x202020;
}

/* The same as redact_next(); 0 for a shorter text, and one of these characters: any text can follow. */
static unsigned next_of(const char *p, const char *any)
{
	if (strlen(p) < 5 || strchr(any, p[3]) || strchr(any, p[4]))
		return 0;
	return ((unsigned)(unsigned char)p[3] | (unsigned)(unsigned char)p[4] << 8) | 0x2020;
}

struct secret_bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	const struct ynode *at; /* for messages */
	struct gen_texts texts;
	struct set_bits sets[SETS_MAX];
	size_t nsets;
	struct { size_t set; unsigned min, max; } steps[STEPS_MAX];
	size_t nsteps;
	struct form_row rows[ROWS_MAX];
	size_t nrows;
	uint32_t four[START_WORDS];
	uint32_t forms_four[START_KIND_WORDS], inside_four[START_KIND_WORDS], names_four[START_KIND_WORDS];
	struct name_row names[ROWS_MAX];
	size_t nnames;
};

struct form_parse { /* one form */
	struct form_step steps[FORM_STEPS_MAX];
	size_t n;
	unsigned from, to; /* WHOLE and FORM_STEPS_MAX: no group */
	char prefix[PREFIX_MAX];
	size_t nprefix;
	bool nocase;
};

static int fail(struct secret_bake *b, struct str form, const char *text)
{
	return yaml_fail(b->file, b->at, false, b->e, "'%.*s' %s", STR_ARG(form), text);
}

static void set_add(struct set_bits *s, unsigned char c) { s->bits[c / 32] |= 1u << c % 32; }

static bool set_has(const struct set_bits *s, unsigned char c) { return s->bits[c / 32] >> c % 32 & 1; }

static void add_range(struct set_bits *s, unsigned from, unsigned to)
{
	for (unsigned c = from; c <= to; c++)
		set_add(s, (unsigned char)c);
}

/* Adds the characters that one after a backslash stands for. */
static void add_escaped(struct set_bits *s, char c)
{
	switch (c) {
	case 'w':
		add_range(s, 'A', 'Z');
		add_range(s, 'a', 'z');
		add_range(s, '0', '9');
		set_add(s, '_');
		break;
	case 'd': add_range(s, '0', '9'); break;
	case 'h':
		add_range(s, '0', '9');
		add_range(s, 'a', 'f');
		break;
	case 's':
		set_add(s, ' ');
		set_add(s, '\t');
		break;
	case 'n': set_add(s, '\n'); break;
	case 't': set_add(s, '\t'); break;
	default: set_add(s, (unsigned char)c); break;
	}
}

/* [...] from its second character on; returns the place after it, 0 without an end. */
static size_t parse_set(struct str form, size_t i, struct set_bits *ret)
{
	bool negated = i < form.n && form.p[i] == '^';
	struct set_bits s = {0};

	for (i += negated; i < form.n && form.p[i] != ']'; i++) {
		if (form.p[i] == '\\' && i + 1 < form.n) {
			add_escaped(&s, form.p[++i]);
		} else if (i + 2 < form.n && form.p[i + 1] == '-' && form.p[i + 2] != ']') {
			add_range(&s, (unsigned char)form.p[i], (unsigned char)form.p[i + 2]);
			i += 2;
		} else {
			set_add(&s, (unsigned char)form.p[i]);
		}
	}
	for (size_t k = 0; negated && k < ARRAY_SIZE(s.bits); k++)
		s.bits[k] = ~s.bits[k];
	*ret = s;
	return i < form.n ? i + 1 : 0;
}

/* {n} {n,} {n,m} after a part; returns the place after it. */
static size_t parse_count(struct str form, size_t i, struct form_step *ret)
{
	unsigned v[2] = {0, 0}, k = 0;
	size_t from = i;

	ret->min = ret->max = 1;
	if (i >= form.n || form.p[i] != '{' || i + 1 >= form.n || !ascii_is_digit(form.p[i + 1]))
		return i;
	for (i++; i < form.n && form.p[i] != '}'; i++) {
		if (form.p[i] == ',')
			k = 1;
		else
			v[k] = v[k] * 10 + (unsigned)(form.p[i] - '0');
	}
	ret->min = v[0];
	ret->max = !k ? v[0] : v[1] ? v[1] : NO_MAXIMUM;
	return i < form.n ? i + 1 : from;
}

static void add_other_case(struct set_bits *s)
{
	for (unsigned c = 'a'; c <= 'z'; c++)
		if (set_has(s, (unsigned char)c) || set_has(s, (unsigned char)(c - 32))) {
			set_add(s, (unsigned char)c);
			set_add(s, (unsigned char)(c - 32));
		}
}

static int parse_form(struct secret_bake *b, struct str form, struct form_parse *ret)
{
	ret->from = WHOLE;
	ret->to = FORM_STEPS_MAX;
	for (size_t i = 0; i < form.n;) {
		struct form_step *s = &ret->steps[ret->n];
		char c = form.p[i++];

		if (ret->n + 1 >= FORM_STEPS_MAX)
			return fail(b, form, "is too long");
		if (c == '(' || c == ')') {
			*(c == '(' ? &ret->from : &ret->to) = (unsigned)ret->n;
			continue;
		}
		*s = (struct form_step){0};
		if (c == '[')
			i = parse_set(form, i, &s->set);
		else if (c == '\\' && i < form.n)
			add_escaped(&s->set, form.p[i++]);
		else
			set_add(&s->set, (unsigned char)c);
		if (!i)
			return fail(b, form, "has a set without an end");
		i = parse_count(form, i, s);
		if (ret->nocase)
			add_other_case(&s->set);
		ret->n++;
	}
	return 0;
}

/* ---- rows ---- */

static size_t set_index(struct secret_bake *b, const struct set_bits *s)
{
	for (size_t i = 0; i < b->nsets; i++)
		if (memcmp(&b->sets[i], s, sizeof(*s)) == 0)
			return i;
	if (b->nsets < SETS_MAX)
		b->sets[b->nsets++] = *s;
	return b->nsets - 1;
}

/* Equal tails of forms share their steps. */
static size_t put_steps(struct secret_bake *b, const struct form_step *s, size_t n)
{
	for (size_t i = 0; i + n <= b->nsteps; i++) {
		size_t k = 0;

		while (k < n && b->steps[i + k].set == set_index(b, &s[k].set) &&
				b->steps[i + k].min == s[k].min && b->steps[i + k].max == s[k].max)
			k++;
		if (k == n)
			return i;
	}
	for (size_t k = 0; k < n && b->nsteps < STEPS_MAX; k++, b->nsteps++) {
		b->steps[b->nsteps].set = set_index(b, &s[k].set);
		b->steps[b->nsteps].min = s[k].min;
		b->steps[b->nsteps].max = s[k].max;
	}
	return b->nsteps - n;
}

/* The only character of a literal step; in lower case where both cases are in it. -1: not literal. */
static int literal_char(const struct form_step *s, bool nocase)
{
	int found = -1;

	if (s->min != 1 || s->max != 1)
		return -1;
	for (int c = 255; c >= 0; c--) {
		if (!set_has(&s->set, (unsigned char)c))
			continue;
		if (found >= 0 && !(nocase && ascii_is_letter((char)c) && (c | 32) == (found | 32)))
			return -1;
		found = found < 0 ? c : found;
	}
	return found;
}

static int put_row(struct secret_bake *b, struct form_parse *p, size_t step, struct str kind, unsigned flags)
{
	struct form_row *r = &b->rows[b->nrows];

	if (b->nrows + 1 >= ROWS_MAX || b->nsteps + FORM_STEPS_MAX >= STEPS_MAX || b->nsets + 1 >= SETS_MAX ||
			b->texts.b.n > TEXTS_MAX)
		return fail(b, kind, "does not fit any more: the table is full");
	*r = (struct form_row){.flags = flags, .nsteps = p->n - step, .start = start_of(p->prefix)};
	r->kind = gen_texts_add(&b->texts, kind);
	r->prefix = gen_texts_add(&b->texts, str_n(p->prefix, p->nprefix));
	r->step = put_steps(b, p->steps + step, r->nsteps);
	r->from = p->from == WHOLE ? WHOLE : p->from - (unsigned)step;
	r->to = p->to == FORM_STEPS_MAX ? (unsigned)r->nsteps : p->to - (unsigned)step;
	b->nrows++;
	return 0;
}

static int expand_prefix(struct secret_bake *b, struct form_parse *p, size_t step, struct str kind,
		unsigned flags)
{
	int c;

	while (step < p->n && step < p->from && p->nprefix + 1 < PREFIX_MAX &&
			(c = literal_char(&p->steps[step], p->nocase)) >= 0) {
		p->prefix[p->nprefix++] = (char)c;
		step++;
	}
	if (p->nprefix >= PREFIX_MIN)
		return put_row(b, p, step, kind, flags);
	if (step >= p->n || step >= p->from || !p->steps[step].min)
		return fail(b, str_n(p->prefix, p->nprefix), "is too short for the start of a form");
	for (unsigned k = 0; k < 256; k++) {
		struct form_parse *one;

		if (!set_has(&p->steps[step].set, (unsigned char)k))
			continue;
		one = arena_copy(b->a, *p);
		one->prefix[one->nprefix++] = (char)k;
		if (one->steps[step].max != NO_MAXIMUM)
			one->steps[step].max--;
		one->steps[step].min--;
		if (expand_prefix(b, one, step + !one->steps[step].max, kind, flags) != 0)
			return -1;
	}
	return 0;
}

/* Words of `at` and `needs`; the flags of result/redact_table.h by name. */
static int parse_flags(struct secret_bake *b, const struct ynode *n, unsigned *ret)
{
	static const char names[][12] = {"nocase", "anywhere", "alone", "digit", "mixed", "shape-url",
			"shape-pem"};
	struct str rest = n ? n->text : STR(""), word;

	while ((word = str_word(&rest)).n) {
		size_t i = 0;

		while (i < ARRAY_SIZE(names) && !str_is(word, names[i]))
			i++;
		if (i == ARRAY_SIZE(names))
			return fail(b, word, "is unknown here");
		*ret |= 1u << i;
	}
	return 0;
}

static int add_tokens(struct secret_bake *b, const struct ynode *row)
{
	const struct ynode *kind = yaml_get(row, "kind"), *forms = yaml_get(row, "forms");
	struct str rest, word;
	unsigned flags = 0;

	b->at = row;
	if (!kind || !forms || kind->kind != YNODE_SCALAR || forms->kind != YNODE_SCALAR)
		return fail(b, STR(""), "a row needs 'kind' and 'forms'");
	if (parse_flags(b, yaml_get(row, "at"), &flags) != 0 ||
			parse_flags(b, yaml_get(row, "needs"), &flags) != 0)
		return -1;
	rest = forms->text;
	for (;;) {
		struct form_parse *p = arena_new(b->a, struct form_parse);
		struct str form;

		word = str_word(&rest);
		if (!word.n)
			return 0;
		/* a set may contain a blank: put the words of the form together again */
		for (form = word; str_count(form, '[') > str_count(form, ']'); form.n = (size_t)(
				word.p + word.n - form.p))
			if (!(word = str_word(&rest)).n)
				return fail(b, form, "has a set without an end");
		p->nocase = flags & FLAG_NOCASE;
		if (parse_form(b, form, p) != 0 || expand_prefix(b, p, 0, kind->text, flags) != 0)
			return -1;
	}
}

/* ---- where forms and names may start ---- */

/* Marks all spellings of the first four characters. */
static void mark_four(struct secret_bake *b, uint32_t *kind, const char *p, bool nocase)
{
	for (unsigned ways = 0; ways < (nocase ? 1u << START_LENGTH : 1); ways++) {
		char c[START_LENGTH];

		for (unsigned i = 0; i < START_LENGTH; i++)
			c[i] = ascii_is_letter(p[i]) && ways >> i & 1 ? (char)(p[i] & ~0x20) : p[i];
		start_mark(b->four, start_slot(start_of_four(c)));
		start_mark(kind, start_kind_slot(start_of_four(c)));
	}
}

/* A prefix of three characters: the first step says what may follow. */
static void mark_form_start(struct secret_bake *b, const struct form_row *r)
{
	const char *prefix = b->texts.b.p + r->prefix;
	uint32_t *kind = r->flags & FLAG_ANYWHERE ? b->inside_four : b->forms_four;
	bool nocase = r->flags & FLAG_NOCASE, any = !r->nsteps || !b->steps[r->step].min;
	char c[START_LENGTH];

	if (prefix[PREFIX_MIN]) {
		mark_four(b, kind, prefix, nocase);
		return;
	}
	memcpy(c, prefix, PREFIX_MIN);
	for (unsigned k = 0; k < 256; k++) {
		c[PREFIX_MIN] = (char)k;
		if (any || set_has(&b->sets[b->steps[r->step].set], (unsigned char)k))
			mark_four(b, kind, c, nocase);
	}
}

/* A name of three letters ends there. */
static void mark_name_start(struct secret_bake *b, struct str word)
{
	char c[START_LENGTH];

	if (word.n > PREFIX_MIN) {
		mark_four(b, b->names_four, word.p, true);
		return;
	}
	memcpy(c, word.p, PREFIX_MIN);
	for (const char *k = " \t:=>\"'`]\\0123456789"; *k; k++) {
		c[PREFIX_MIN] = *k;
		mark_four(b, b->names_four, c, true);
	}
}

static void print_bits(const char *name, const uint32_t *bits, size_t words)
{
	printf("const uint32_t %s[] = {", name);
	for (size_t i = 0; i < words; i++)
		printf("%s%#x,", i % 16 ? "" : "\n", bits[i]);
	printf("};\n\n");
}

static void print_starts(struct secret_bake *b)
{
	for (size_t i = 0; i < b->nrows; i++)
		mark_form_start(b, &b->rows[i]);
	print_bits("secret_four", b->four, START_WORDS);
	print_bits("secret_forms_four", b->forms_four, START_KIND_WORDS);
	print_bits("secret_inside_four", b->inside_four, START_KIND_WORDS);
	print_bits("secret_names_four", b->names_four, START_KIND_WORDS);
}

/* ---- printing ---- */

/* Insertion keeps the order of rows with the same start. */
static void sort_rows(struct secret_bake *b)
{
	for (size_t i = 1; i < b->nrows; i++) {
		struct form_row r = b->rows[i];
		size_t k = i;

		for (; k && b->rows[k - 1].start > r.start; k--)
			b->rows[k] = b->rows[k - 1];
		b->rows[k] = r;
	}
	for (size_t i = 1; i < b->nnames; i++) {
		struct name_row r = b->names[i];
		size_t k = i;

		for (; k && b->names[k - 1].start > r.start; k--)
			b->names[k] = b->names[k - 1];
		b->names[k] = r;
	}
}

static void print_rows(struct secret_bake *b)
{
	printf("const struct secret_form secret_forms[] = {\n");
	for (size_t i = 0; i < b->nrows; i++) {
		const struct form_row *r = &b->rows[i];

		printf("\t{%u, %u, %zu, %zu, %u, %u, %u},\n", r->kind, r->prefix, r->step, r->nsteps, r->from,
				r->to, r->flags);
	}
	printf("};\n\nconst size_t secret_nforms = %zu;\n\n", b->nrows);
	printf("const uint32_t secret_form_starts[] = {");
	for (size_t i = 0; i < b->nrows; i++)
		printf("%uu, ", b->rows[i].start);
	printf("};\n\nconst uint16_t secret_form_next[] = {");
	for (size_t i = 0; i < b->nrows; i++)
		printf("%u, ", next_of(b->texts.b.p + b->rows[i].prefix, ""));
	printf("};\n\nconst struct secret_name secret_names[] = {\n");
	for (size_t i = 0; i < b->nnames; i++)
		printf("\t{%u, %u, %u, %zu},\n", b->names[i].kind, b->names[i].word, b->names[i].after,
				b->names[i].value);
	printf("};\n\nconst size_t secret_nnames = %zu;\n\n", b->nnames);
	printf("const uint32_t secret_name_starts[] = {");
	for (size_t i = 0; i < b->nnames; i++)
		printf("%uu, ", b->names[i].start);
	printf("};\n\nconst uint16_t secret_name_next[] = {");
	for (size_t i = 0; i < b->nnames; i++)
		printf("%u, ", next_of(b->texts.b.p + b->names[i].word, "_"));
	printf("};\n\n");
}

static void print_sets(struct secret_bake *b)
{
	printf("const uint32_t secret_sets[][8] = {\n");
	for (size_t i = 0; i < b->nsets; i++) {
		printf("\t{");
		for (size_t k = 0; k < 8; k++)
			printf("%uu, ", b->sets[i].bits[k]);
		printf("},\n");
	}
	printf("};\n\nconst struct secret_step secret_steps[] = {\n");
	for (size_t i = 0; i < b->nsteps; i++)
		printf("\t{%zu, %u, %u},\n", b->steps[i].set, b->steps[i].min, b->steps[i].max);
	printf("};\n\n");
}

static int add_names(struct secret_bake *b, const struct ynode *names)
{
	static const char values[][8] = {"any", "strong", "data"};

	for (const struct ynode *row = names->child; row; row = row->next) {
		const struct ynode *kind = yaml_get(row, "kind"), *words = yaml_get(row, "words"),
				*value = yaml_get(row, "value"), *after = yaml_get(row, "after");
		struct str rest, word;
		size_t v = 0;

		b->at = row;
		if (!kind || !words || !value)
			return fail(b, STR(""), "a row needs 'kind', 'words' and 'value'");
		while (v < ARRAY_SIZE(values) && !str_is(value->text, values[v]))
			v++;
		if (v == ARRAY_SIZE(values))
			return fail(b, value->text, "is no kind of value");
		for (rest = words->text; (word = str_word(&rest)).n;) {
			if (word.n < PREFIX_MIN || b->nnames == ROWS_MAX)
				return fail(b, word, "is too short for a name, or there are too many");
			b->names[b->nnames++] = (struct name_row){gen_texts_add(&b->texts, kind->text),
					gen_texts_add(&b->texts, word), gen_texts_add(&b->texts,
					after ? after->text : STR("")), start_of(word.p), v};
			mark_name_start(b, word);
		}
	}
	return 0;
}

/* KIND | NEAR | FORM. The steps are printed later, with those of the other forms. */
static int bake_vendors(struct secret_bake *b, const struct ynode *rows, struct buf *out)
{
	size_t n = 0;

	buf_fmt(out, "const struct secret_vendor secret_vendors[] = {\n");
	for (const struct ynode *row = rows->child; row; row = row->next, n++) {
		struct form_parse *p = arena_new(b->a, struct form_parse);
		ptrdiff_t one = str_find(row->text, '|', 0), two = one < 0 ? -1 : str_find(row->text, '|',
				(size_t)one + 1);

		b->at = row;
		if (two < 0)
			return fail(b, row->text, "is not KIND | NEAR | FORM");
		if (parse_form(b, str_trim(str_from(row->text, (size_t)two + 1), " "), p) != 0)
			return -1;
		buf_fmt(out, "\t{%u, %u, %zu, %zu},\n",
				gen_texts_add(&b->texts, str_trim(str_first(row->text, (size_t)one), " ")),
				gen_texts_add(&b->texts, str_trim(str_sub(row->text, (size_t)one + 1,
				(size_t)two), " ")), put_steps(b, p->steps, p->n), p->n);
	}
	buf_fmt(out, "};\n\nconst size_t secret_nvendors = %zu;\n\n", n);
	return 0;
}

int secrets_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct secret_bake *b = arena_new(a, struct secret_bake);
	const struct ynode *tokens = yaml_get(f->root, "tokens"), *names = yaml_get(f->root, "names"),
			*vendors = yaml_get(f->root, "vendors"), *none = yaml_get(f->root, "placeholders"),
			*words = none ? yaml_get(none, "words") : NULL, *parts = none ? yaml_get(none,
			"parts") : NULL;
	struct buf later;

	b->a = a;
	b->e = e;
	b->file = f;
	gen_texts_init(&b->texts, a);
	buf_init(&later, a, 0);
	if (!tokens || !names || !vendors || !words || !parts)
		return err_config(e, "%.*s: expected tokens, names, vendors and placeholders",
				STR_ARG(f->name));
	for (const struct ynode *row = tokens->child; row; row = row->next)
		if (add_tokens(b, row) != 0)
			return -1;
	printf("/* Made by gen-knowledge from knowledge/secrets.yaml. */\n"
	       "#include \"result/redact_table.h\"\n\n");
	if (bake_vendors(b, vendors, &later) != 0 || add_names(b, names) != 0)
		return -1;
	sort_rows(b);
	printf("%.*s", STR_ARG(buf_view(&later)));
	print_rows(b);
	print_sets(b);
	print_starts(b);
	printf("const uint16_t secret_placeholder_words = %u, secret_placeholder_parts = %u;\n\n",
			gen_texts_add(&b->texts, words->text), gen_texts_add(&b->texts, parts->text));
	gen_texts_print(&b->texts, "secret_texts");
	return 0;
}
