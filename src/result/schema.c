/*
 * JSON Schema: the table of keywords, and the keywords that contain schemas.
 *
 * A schema is evaluated member by member; the row of each member is looked up once and cached in the tree. A
 * member without a row might restrict, so it makes the answer unknown. No beats unknown, unknown beats yes: a
 * violation counts even if other parts could not be checked.
 */
#include "result/schema.h"

#include <stdio.h>

#include "result/schema_inner.h"

#define MESSAGE_MAX 200
#define POINTER_MAX 160   /* bytes of a path in a message */
#define UP_MAX 64         /* steps of a path */

static enum schema_answer eval(struct schema_run *r, struct json *schema, struct json *v,
		const struct schema_path *path, bool quiet);

static enum schema_answer combine_answers(enum schema_answer x, enum schema_answer y)
{
	return x == SCHEMA_NO || y == SCHEMA_NO ? SCHEMA_NO : x == SCHEMA_UNKNOWN ||
			y == SCHEMA_UNKNOWN ? SCHEMA_UNKNOWN : SCHEMA_YES;
}

bool schema_spend(struct schema_run *r, int64_t n)
{
	r->left->work -= n;
	return r->left->work >= 0;
}

/* ---- notes ---- */

static struct str pointer_text(struct arena *a, const struct schema_path *path)
{
	const struct schema_path *steps[UP_MAX];
	size_t n = 0;
	struct buf b;
	buf_init(&b, a, 0);
	for (; path && path->up && n < UP_MAX; path = path->up)
		steps[n++] = path;
	while (n > 0 && b.n < POINTER_MAX) {
		const struct schema_path *s = steps[--n];
		if (s->key.p)
			buf_fmt(&b, "/%.*s", SCHEMA_SHOW(s->key));
		else
			buf_fmt(&b, "/%zu", s->index);
	}
	return buf_view(&b);
}

static void add_note(struct schema_run *r, struct schema_note **list, size_t *n, const struct schema_at *at,
		const char *text, bool unknown)
{
	if (*n >= SCHEMA_NOTES_MAX)
		return;
	while (*list)
		list = &(*list)->next;
	struct schema_note *note = arena_copy(r->a, (struct schema_note){.path = pointer_text(r->a, at->path),
			.why = str_dup(r->a, str_of(text)), .unknown = unknown});
	*list = note;
	++*n;
}

enum schema_answer schema_no(struct schema_run *r, const struct schema_at *at, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;
	if (at->quiet || r->nviolations >= SCHEMA_NOTES_MAX)
		return SCHEMA_NO;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	add_note(r, &r->violations, &r->nviolations, at, text, false);
	return SCHEMA_NO;
}

enum schema_answer schema_unknown(struct schema_run *r, const struct schema_at *at, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list ap;
	if (r->nunknowns >= SCHEMA_NOTES_MAX)
		return SCHEMA_UNKNOWN;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (const struct schema_note *n = r->unknowns; n; n = n->next)
		if (str_is(n->why, text))
			return SCHEMA_UNKNOWN;
	add_note(r, &r->unknowns, &r->nunknowns, at, text, true);
	return SCHEMA_UNKNOWN;
}

/* ---- subschemas for members ---- */

static enum schema_answer eval_key(struct schema_run *r, const struct schema_at *at, struct json *schema,
		struct json *member)
{
	struct schema_path path = {at->path, member->key, 0};
	return eval(r, schema, member, &path, at->quiet);
}

static enum schema_answer eval_item(struct schema_run *r, const struct schema_at *at, struct json *schema,
		struct json *item, size_t index)
{
	struct schema_path path = {at->path, {0}, index};
	return eval(r, schema, item, &path, at->quiet);
}

static enum schema_answer properties(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	if (at->v->kind != JSON_OBJECT)
		return SCHEMA_YES;
	for (struct json *m = at->v->first; m; m = m->next) {
		struct json *schema = schema_spend(r, 1) ? json_get(at->word, m->key) : NULL;
		if (schema)
			answer = combine_answers(answer, eval_key(r, at, schema, m));
	}
	return answer;
}

static enum schema_answer pattern_properties(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	if (at->v->kind != JSON_OBJECT)
		return SCHEMA_YES;
	for (struct json *m = at->v->first; m; m = m->next)
		for (struct json *p = at->word->first; p; p = p->next) {
			if (!schema_spend(r, 1))
				return SCHEMA_UNKNOWN;
			enum schema_answer match = schema_matches(r, at, p, p->key, m->key);
			answer = combine_answers(answer, match == SCHEMA_YES ? eval_key(r, at, p, m) :
					match == SCHEMA_NO ? SCHEMA_YES : match);
		}
	return answer;
}

/* True if properties or patternProperties applies to the name. */
static enum schema_answer is_named(struct schema_run *r, const struct schema_at *at, struct str name)
{
	if (json_get(json_key(at->schema, "properties"), name))
		return SCHEMA_YES;
	struct json *patterns = json_key(at->schema, "patternProperties");
	enum schema_answer answer = SCHEMA_NO;
	for (struct json *p = json_is(patterns, JSON_OBJECT) ? patterns->first : NULL; p; p = p->next) {
		if (!schema_spend(r, 1))
			return SCHEMA_UNKNOWN;
		enum schema_answer match = schema_matches(r, at, p, p->key, name);
		if (match == SCHEMA_YES)
			return SCHEMA_YES;
		if (match == SCHEMA_UNKNOWN)
			answer = SCHEMA_UNKNOWN;
	}
	return answer;
}

static enum schema_answer additional_properties(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	if (at->v->kind != JSON_OBJECT || at->word->kind == JSON_TRUE)
		return SCHEMA_YES;
	for (struct json *m = at->v->first; m; m = m->next) {
		enum schema_answer named = schema_spend(r, 1) ? is_named(r, at, m->key) : SCHEMA_UNKNOWN;
		if (named == SCHEMA_UNKNOWN)
			answer = combine_answers(answer, SCHEMA_UNKNOWN);
		else if (named == SCHEMA_NO && at->word->kind == JSON_FALSE)
			answer = schema_no(r, at, "has '%.*s', which the schema does not know",
					SCHEMA_SHOW(m->key));
		else if (named == SCHEMA_NO)
			answer = combine_answers(answer, eval_key(r, at, at->word, m));
	}
	return answer;
}

static enum schema_answer property_names(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	for (struct json *m = at->v->kind == JSON_OBJECT ? at->v->first : NULL; m; m = m->next) {
		struct json name = {.kind = JSON_STRING, .text = m->key, .key = m->key};
		answer = combine_answers(answer, eval_key(r, at, at->word, &name));
	}
	return answer;
}

/* dependentRequired, dependentSchemas, and the older dependencies, which combines both. */
static enum schema_answer dependent(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	if (at->v->kind != JSON_OBJECT)
		return SCHEMA_YES;
	for (struct json *d = at->word->first; d; d = d->next) {
		if (!schema_spend(r, 1))
			return SCHEMA_UNKNOWN;
		if (!json_get(at->v, d->key))
			continue;
		struct schema_at inner = *at;
		inner.word = d;
		answer = combine_answers(answer, d->kind == JSON_ARRAY ? schema_required(r, &inner) : eval(r,
				d, at->v, at->path, at->quiet));
	}
	return answer;
}

/* Checks items from `from` on against one schema. */
static enum schema_answer items_from(struct schema_run *r, const struct schema_at *at, size_t from)
{
	enum schema_answer answer = SCHEMA_YES;
	size_t i = 0;
	for (struct json *m = at->v->first; m && (answer != SCHEMA_NO || !at->quiet); m = m->next, i++)
		if (i >= from)
			answer = combine_answers(answer, eval_item(r, at, at->word, m, i));
	return answer;
}

static enum schema_answer prefix_items(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	size_t i = 0;
	if (at->v->kind != JSON_ARRAY)
		return SCHEMA_YES;
	struct json *s = at->word->first;
	for (struct json *m = at->v->first; m && s; m = m->next, s = s->next, i++)
		answer = combine_answers(answer, eval_item(r, at, s, m, i));
	return answer;
}

static enum schema_answer items(struct schema_run *r, const struct schema_at *at)
{
	struct json *prefix = json_key(at->schema, "prefixItems");
	if (at->v->kind != JSON_ARRAY)
		return SCHEMA_YES;
	if (at->word->kind == JSON_ARRAY) /* up to 2019-09 */
		return prefix_items(r, at);
	return items_from(r, at, json_is(prefix, JSON_ARRAY) ? prefix->n : 0);
}

static enum schema_answer additional_items(struct schema_run *r, const struct schema_at *at)
{
	struct json *list = json_key(at->schema, "items");
	return at->v->kind == JSON_ARRAY && json_is(list, JSON_ARRAY) ? items_from(r, at, list->n) :
			SCHEMA_YES;
}

/* Parses a count in the schema, written 2 or 2.0; -1: not a count. */
static int64_t named_count(const struct json *schema, const char *name, int64_t otherwise)
{
	const struct json *v = json_key(schema, name);
	if (!v)
		return otherwise;
	struct str text = json_is(v, JSON_NUMBER) ? v->text : STR("");
	while (str_find(text, '.', 0) >= 0 && (str_ends(text, "0") || str_ends(text, ".")))
		text.n--;
	struct json whole = {.kind = JSON_NUMBER, .text = text};
	return json_int(&whole, -1);
}

static enum schema_answer contains(struct schema_run *r, const struct schema_at *at)
{
	int64_t found = 0, perhaps = 0, min = named_count(at->schema, "minContains", 1),
			max = named_count(at->schema, "maxContains", INT64_MAX);
	if (at->v->kind != JSON_ARRAY)
		return SCHEMA_YES;
	if (min < 0 || max < 0)
		return schema_unknown(r, at, "the schema's minContains or maxContains is no count");
	for (struct json *m = at->v->first; m; m = m->next) {
		enum schema_answer answer = eval(r, at->word, m, at->path, true);
		found += answer == SCHEMA_YES;
		perhaps += answer == SCHEMA_UNKNOWN;
	}
	if (found > max || found + perhaps < min)
		return schema_no(r, at, "has %lld items of the kind that it must contain", (long long)found);
	return found >= min && found + perhaps <= max ? SCHEMA_YES : SCHEMA_UNKNOWN;
}

/* ---- subschemas for the same value ---- */

static enum schema_answer all_of(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	for (struct json *s = at->word->first; s; s = s->next)
		answer = combine_answers(answer, eval(r, s, at->v, at->path, at->quiet));
	return answer;
}

/* Counts the schemas in the list that answer yes, and those that answer unknown. */
static void count_of(struct schema_run *r, const struct schema_at *at, size_t *yes, size_t *unknown)
{
	for (struct json *s = at->word->first; s; s = s->next) {
		enum schema_answer answer = eval(r, s, at->v, at->path, true);
		*yes += answer == SCHEMA_YES;
		*unknown += answer == SCHEMA_UNKNOWN;
	}
}

static enum schema_answer any_of(struct schema_run *r, const struct schema_at *at)
{
	size_t yes = 0, unknown = 0;
	count_of(r, at, &yes, &unknown);
	return yes ? SCHEMA_YES : unknown ? SCHEMA_UNKNOWN : schema_no(r, at,
			"fits none of the %u schemas of anyOf", at->word->n);
}

static enum schema_answer one_of(struct schema_run *r, const struct schema_at *at)
{
	size_t yes = 0, unknown = 0;
	count_of(r, at, &yes, &unknown);
	if (yes > 1 || (yes == 0 && !unknown))
		return schema_no(r, at, "fits %zu of the %u schemas of oneOf, must fit one", yes,
				at->word->n);
	return unknown ? SCHEMA_UNKNOWN : SCHEMA_YES;
}

static enum schema_answer not_this(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = eval(r, at->word, at->v, at->path, true);
	return answer == SCHEMA_YES ? schema_no(r, at, "fits the schema that it must not fit") :
			answer == SCHEMA_NO ? SCHEMA_YES : SCHEMA_UNKNOWN;
}

static enum schema_answer if_then(struct schema_run *r, const struct schema_at *at)
{
	struct json *then = json_key(at->schema, "then"), *otherwise = json_key(at->schema, "else");
	if (!then && !otherwise)
		return SCHEMA_YES;
	enum schema_answer answer = eval(r, at->word, at->v, at->path, true);
	if (answer == SCHEMA_UNKNOWN)
		return answer;
	struct json *next = answer == SCHEMA_YES ? then : otherwise;
	return next ? eval(r, next, at->v, at->path, at->quiet) : SCHEMA_YES;
}

/* Decodes one step of a JSON pointer: ~0 ~1 and %XX. */
static struct str pointer_step(struct arena *a, struct str s)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (size_t i = 0; i < s.n; i++) {
		static const char hex[] = "0123456789abcdef";
		const char *high = s.p[i] == '%' && i + 2 < s.n && s.p[i + 1] ? strchr(hex, s.p[i + 1] | 32) :
				NULL;
		const char *low = high && s.p[i + 2] ? strchr(hex, s.p[i + 2] | 32) : NULL;
		if (low) {
			buf_char(&b, (char)((high - hex) * 16 + (low - hex)));
			i += 2;
		} else if (s.p[i] == '~' && i + 1 < s.n && (s.p[i + 1] == '0' || s.p[i + 1] == '1')) {
			buf_char(&b, s.p[++i] == '0' ? '~' : '/');
		} else {
			buf_char(&b, s.p[i]);
		}
	}
	return buf_view(&b);
}

static struct json *resolve_ref(struct schema_run *r, struct str ref)
{
	struct json *v = r->root;
	if (!str_starts(ref, "#") || (ref.n > 1 && ref.p[1] != '/'))
		return NULL;
	for (size_t at = 2; v && at <= ref.n && ref.n > 1;) {
		size_t slash = str_end(ref, '/', at);
		size_t end = slash, index;
		struct str step = pointer_step(r->a, str_sub(ref, at, end));
		if (v->kind == JSON_ARRAY) {
			struct json number = {.kind = JSON_NUMBER, .text = step};
			index = (size_t)json_int(&number, -1);
			for (v = v->first; v && index > 0; index--)
				v = v->next;
		} else {
			v = json_get(v, step);
		}
		at = end + 1;
	}
	return v;
}

static enum schema_answer reference(struct schema_run *r, const struct schema_at *at)
{
	/* The resolved reference is cached below the keyword. */
	if (!at->word->first)
		at->word->first = resolve_ref(r, at->word->text);
	if (!at->word->first)
		return schema_unknown(r, at, "the schema refers to '%.*s', which is not in it",
				SCHEMA_SHOW(at->word->text));
	return eval(r, at->word->first, at->v, at->path, at->quiet);
}

/* A nested $id changes the meaning of references below it. */
static enum schema_answer identifier(struct schema_run *r, const struct schema_at *at)
{
	return at->schema == r->root ? SCHEMA_YES : schema_unknown(r, at,
			"the schema has an $id within, which is not supported");
}

static enum schema_answer format(struct schema_run *r, const struct schema_at *at)
{
	(void)at;
	r->format = true;
	return SCHEMA_YES;
}

static enum schema_answer annotation(struct schema_run *r, const struct schema_at *at)
{
	(void)r;
	(void)at;
	return SCHEMA_YES;
}

/* ---- the table ---- */

/* The types allowed for a keyword's value; any other type is an error in the schema. */
#define ANY 0xffu
#define FLAG (1u << JSON_TRUE | 1u << JSON_FALSE)
#define NUMBER (1u << JSON_NUMBER)
#define TEXT (1u << JSON_STRING)
#define LIST (1u << JSON_ARRAY)
#define OBJECT (1u << JSON_OBJECT)
#define SCHEMA (OBJECT | FLAG)

static const struct schema_keyword {
	char name[24];
	unsigned kinds;
} keywords[] = {
#define KEYWORD(name, fn, kinds) {name, kinds},
#include "result/schema_rows.h"
#undef KEYWORD
	{"x-", ANY}, /* any name with this prefix is an annotation */
};

#define KEYWORDS ARRAY_SIZE(keywords)

/* Separate from the names: pointers are relocated at each start, so fewer pages should contain them. */
static schema_fn *const functions[KEYWORDS] = {
#define KEYWORD(name, fn, kinds) fn,
#include "result/schema_rows.h"
#undef KEYWORD
	annotation,
};

static const struct schema_keyword *find_keyword(struct str name)
{
	for (size_t i = 0; i < KEYWORDS - 1; i++)
		if (str_is(name, keywords[i].name))
			return &keywords[i];
	return str_starts(name, "x-") ? &keywords[KEYWORDS - 1] : NULL;
}

static enum schema_answer eval_members(struct schema_run *r, struct json *schema, struct json *v,
		const struct schema_path *path, bool quiet)
{
	enum schema_answer answer = SCHEMA_YES;
	struct json *only = r->old ? json_key(schema, "$ref") : NULL;
	for (struct json *m = only ? only : schema->first; m; m = only ? NULL : m->next) {
		const struct schema_keyword *k = find_keyword(m->key);
		struct schema_at at = {schema, m, v, path, quiet};
		if (!schema_spend(r, 1))
			return schema_unknown(r, &at, "there is too much to check");
		if (!k)
			answer = combine_answers(answer,
					schema_unknown(r, &at, "the schema's keyword '%.*s' is not supported",
					SCHEMA_SHOW(m->key)));
		else if (!(k->kinds & 1u << m->kind))
			answer = combine_answers(answer,
					schema_unknown(r, &at, "the schema's '%s' is not what it must be",
					k->name));
		else
			answer = combine_answers(answer, functions[k - keywords](r, &at));
		if (answer == SCHEMA_NO && quiet)
			break;
	}
	return answer;
}

static enum schema_answer eval(struct schema_run *r, struct json *schema, struct json *v,
		const struct schema_path *path, bool quiet)
{
	struct schema_at at = {schema, schema, v, path, quiet};
	enum schema_answer answer;
	if (!schema_spend(r, 1) || r->depth >= SCHEMA_DEPTH_MAX)
		return schema_unknown(r, &at, "there is too much to check");
	switch (schema->kind) {
	case JSON_TRUE:
		return SCHEMA_YES;
	case JSON_FALSE:
		return schema_no(r, &at, "must not be there");
	case JSON_OBJECT:
		r->depth++;
		answer = eval_members(r, schema, v, path, quiet);
		r->depth--;
		return answer;
	default:
		return schema_unknown(r, &at,
				"a schema in the schema is neither an object nor true or false");
	}
}

void schema_check(struct arena *a, struct json *schema, struct json *v, struct schema_budget *left,
		struct schema_result *ret)
{
	static const char drafts[][12] = {"draft-03", "draft-04", "draft-06", "draft-07"};
	struct schema_run r = {.a = a, .root = schema, .left = left};
	struct json *version = json_key(schema, "$schema");
	for (size_t i = 0; json_is(version, JSON_STRING) && i < ARRAY_SIZE(drafts); i++)
		r.old |= str_contains(version->text, str_of(drafts[i]));
	struct schema_path top = {0};
	struct schema_at at = {schema, schema, v, &top, false};
	/* In other schema languages keywords may have another meaning, or none. */
	bool foreign = json_is(version, JSON_STRING) && !str_contains(version->text, STR("json-schema.org/"));
	enum schema_answer answer = foreign ? schema_unknown(&r, &at, "the schema's $schema is not known") :
			eval(&r, schema, v, &top, false);
	*ret = (struct schema_result){.answer = answer, .format = r.format,
			.notes = answer == SCHEMA_NO ? r.violations : answer == SCHEMA_UNKNOWN ? r.unknowns :
			NULL};
}
