/* Parses single values and lists of them, and words the errors. See load.h. */
#include <stdio.h>

#include "base/num.h"
#include "config/load.h"

#define SHOWN_MAX 32 /* bytes of an unknown key that a note shows */
#define MILLIS_MAX 600000
#define SIZE_BYTES_MAX ((int64_t)1 << 30)

int value_fail(struct load *l, const struct ynode *n, const char *what)
{
	return yaml_fail(&l->file, n, false, l->e, "%s", what);
}

int value_unknown(struct load *l, const struct ynode *n, const char *nearest)
{
	const char *guess = nearest ? ", did you mean " : "", *quote = nearest ? "'" : "";
	nearest = nearest ? nearest : "";
	if (l->src->dialect != CONFIG_FENCEPOST)
		return yaml_fail(&l->file, n, true, l->e, "unknown key%s%s%s%s", guess, quote, nearest,
				quote);
	if (++l->unknown > UNKNOWN_MAX)
		return yaml_fail(&l->file, n, true, l->e, "too many unknown keys");
	value_note(l, n, "unknown key '%.*s' is ignored%s%s%s%s",
			(int)(n->key.n > SHOWN_MAX ? SHOWN_MAX : n->key.n), n->key.p, guess, quote, nearest,
			quote);
	return 0;
}

void value_note(struct load *l, const struct ynode *n, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (char *c = what; *c; c++) /* a hostile file must not send escape sequences to the terminal */
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	struct config_note *note = arena_new(l->a, struct config_note);
	uint32_t line = n->key_line ? n->key_line : n->line, column = n->key_line ? n->key_column : n->column;
	note->text = str_fmt(l->a, "%.*s:%u:%u: %s", STR_ARG(l->file.name), line, column, what);
	LIST_ADD(l->notes_end, note);
}

struct str value_where(struct load *l, const struct ynode *n)
{
	char digits[16];
	struct str name = l->file.name;
	size_t at = sizeof(digits);
	for (uint32_t line = n->line; line || at == sizeof(digits); line /= 10)
		digits[--at] = (char)('0' + line % 10);
	digits[--at] = ':';
	char *p = arena_alloc(l->a, name.n + sizeof(digits) - at);
	memcpy(p, name.p, name.n);
	memcpy(p + name.n, digits + at, sizeof(digits) - at);
	return str_n(p, name.n + sizeof(digits) - at);
}

static struct str trim_blanks(struct str s)
{
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\n'))
		s.n--;
	while (s.n && s.p[0] == ' ')
		s = str_from(s, 1);
	return s;
}

int value_text(struct load *l, const struct ynode *n, void *field)
{
	if (n->kind != YNODE_SCALAR)
		return value_fail(l, n, "expected a text");
	struct str s = trim_blanks(n->text);
	if (n->plain && str_is(s, "~"))
		return value_fail(l, n, "a bare ~ is YAML's null: quote it, or write ~/ and a name");
	if (!s.n || yaml_null(n))
		return value_fail(l, n, "the text is empty");
	if (s.n > RULE_TEXT_MAX)
		return value_fail(l, n, "the text is too long");
	for (size_t i = 0; i < s.n; i++)
		if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 127)
			return value_fail(l, n, "the text has a control character or more than one line");
	*(struct str *)field = s;
	return 0;
}

int value_prose(struct load *l, const struct ynode *n, void *field)
{
	if (n->kind != YNODE_SCALAR)
		return value_fail(l, n, "expected a text");
	struct str s = yaml_null(n) ? STR("") : trim_blanks(n->text);
	if (s.n > RULE_TEXT_MAX)
		return value_fail(l, n, "the text is too long");
	char *copy = NULL;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == '\n' || c == '\t') {
			copy = copy ? copy : str_c(l->a, s);
			copy[i] = ' ';
		} else if (c < ' ' || c == 127)
			return value_fail(l, n, "the text has a control character");
	}
	/* an untrusted file's text must not reach the model */
	bool drop = l->src->who == WHO_ANYONE && !l->preset;
	*(struct str *)field = drop ? STR("") : copy ? str_n(copy, s.n) : s;
	return 0;
}

int value_nothing(struct load *l, const struct ynode *n, void *field)
{
	struct str ignored;
	(void)field;
	return value_prose(l, n, &ignored);
}

int value_bool(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"true", 1}, {"True", 1}, {"TRUE", 1}, {"false", 0},
			{"False", 0}, {"FALSE", 0}};
	int v = 0;
	if (!n->plain)
		return value_fail(l, n, "expected true or false");
	if (value_choice(l, n, names, 6, "expected true or false", &v) < 0)
		return -1;
	*(bool *)field = v;
	return 0;
}

static int read_number(struct load *l, const struct ynode *n, int64_t max, int64_t *ret)
{
	if (n->kind != YNODE_SCALAR || !n->plain || num_parse(n->text, 1, max, ret) < 0)
		return yaml_fail(&l->file, n, false, l->e, "expected a number from 1 to %lld",
				(long long)max);
	return 0;
}

int value_millis(struct load *l, const struct ynode *n, void *field)
{
	int64_t v;
	if (read_number(l, n, MILLIS_MAX, &v) < 0)
		return -1;
	*(unsigned *)field = (unsigned)v;
	return 0;
}

int value_size(struct load *l, const struct ynode *n, void *field)
{
	int64_t v;
	if (read_number(l, n, SIZE_BYTES_MAX, &v) < 0)
		return -1;
	*(uint64_t *)field = (uint64_t)v;
	return 0;
}

int value_choice(struct load *l, const struct ynode *n, const struct value_name *names, size_t count,
		const char *expected, int *ret)
{
	for (size_t i = 0; i < count; i++)
		if (n->kind == YNODE_SCALAR && str_is(n->text, names[i].name)) {
			*ret = names[i].value;
			return 0;
		}
	return value_fail(l, n, expected);
}

int value_verdict(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"allow", VERDICT_ALLOW}, {"ask", VERDICT_ASK},
			{"deny", VERDICT_DENY}};
	int v = 0;
	if (value_choice(l, n, names, 3, "expected allow, ask or deny", &v) < 0)
		return -1;
	*(enum verdict *)field = (enum verdict)v;
	return 0;
}

/*
 * Lists are linked by their first member; these two copy the pointer as bytes, since the struct types differ.
 */
static void *next_of(const void *slot)
{
	void *next;
	memcpy(&next, slot, sizeof(next));
	return next;
}

int value_list(struct load *l, const struct ynode *n, void *head, size_t size, value_parser *item)
{
	void *end = head;
	if (yaml_null(n))
		return 0;
	if (n->kind != YNODE_LIST)
		return value_fail(l, n, "expected a list");
	while (next_of(end))
		end = next_of(end);
	for (const struct ynode *c = n->child; c; c = c->next) {
		void *node = arena_alloc(l->a, size);
		if (item(l, c, node) < 0)
			return -1;
		memcpy(end, &node, sizeof(node));
		end = node;
	}
	return 0;
}

static int text_item(struct load *l, const struct ynode *n, void *field)
{
	struct texts *t = field;
	return value_text(l, n, &t->text);
}

int value_texts(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct texts), text_item);
}

int value_words(struct load *l, const struct ynode *n, void *field)
{
	if (n->kind != YNODE_SCALAR)
		return value_texts(l, n, field);
	struct str text;
	if (value_text(l, n, &text) < 0)
		return -1;
	texts_add(l->a, field, text);
	return 0;
}

int value_split(struct load *l, const struct ynode *n, struct texts **ret)
{
	struct str s;
	struct texts *head = NULL, **end = &head;
	if (value_text(l, n, &s) < 0)
		return -1;
	for (size_t from = 0; from <= s.n;) {
		size_t to = str_end(s, '|', from);
		struct str text = trim_blanks(str_sub(s, from, to));
		if (!text.n)
			return value_fail(l, n, "nothing between two '|'");
		end = texts_add(l->a, end, text);
		from = to + 1;
	}
	*ret = head;
	return 0;
}

/* Only for a wrong key: the search takes time. */
static const char *nearest_field(struct str key, const struct value_field *fields, size_t count)
{
	struct near guess = {.word = key};
	for (size_t i = 0; i < count; i++)
		near_try(&guess, fields[i].name);
	return guess.best;
}

int value_map(struct load *l, const struct ynode *n, const struct value_field *fields, size_t count,
		void *base)
{
	if (yaml_null(n))
		return 0;
	if (n->kind != YNODE_MAP)
		return value_fail(l, n, "expected keys and values");
	for (const struct ynode *c = n->child; c; c = c->next) {
		size_t i = 0;
		while (i < count && !str_is(c->key, fields[i].name))
			i++;
		if (i == count) {
			if (value_unknown(l, c, nearest_field(c->key, fields, count)) < 0)
				return -1;
		} else if (fields[i].parse(l, c, (char *)base + fields[i].offset) < 0)
			return -1;
	}
	return 0;
}
