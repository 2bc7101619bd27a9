/* SQL and other database code that destroys or changes data: keywords outside of strings and comments. */
#include <strings.h>

#include "gate/judge.h"

#define SQL_WORDS_MAX 65536 /* words looked at; longer code is a change by itself */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Passes a string or comment at i; returns the index after it, or i when there is none. */
static size_t skip_quoted(struct str s, size_t i)
{
	char q = s.p[i];

	if (q == '\'' || q == '"' || q == '`') {
		for (i++; i < s.n && s.p[i] != q; i++)
			;
		return i + 1;
	}
	if (i + 1 < s.n && q == '-' && s.p[i + 1] == '-') {
		while (i < s.n && s.p[i] != '\n')
			i++;
		return i;
	}
	return i;
}

/* MySQL runs what stands in its comments of the form slash-star-bang, so comments of that kind are read, not passed. */
static bool sql_word(struct str s, size_t *i, struct str *ret)
{
	while (*i < s.n) {
		size_t from, next = skip_quoted(s, *i);

		if (next > *i) {
			*i = next;
			continue;
		}
		if (!is_letter(s.p[*i])) {
			++*i;
			continue;
		}
		for (from = *i; *i < s.n && (is_letter(s.p[*i]) || (s.p[*i] >= '0' && s.p[*i] <= '9')); ++*i)
			;
		*ret = str_sub(s, from, *i);
		return true;
	}
	return false;
}

static bool same(struct str a, const char *b) { return a.n == strlen(b) && !strncasecmp(a.p, b, a.n); }

/* Is it among these? The list ends with an empty one. */
static bool one_of(struct str w, const char (*list)[16])
{
	for (; (*list)[0]; list++)
		if (same(w, *list))
			return true;
	return false;
}

/*
 * What a server is asked to do, statement by statement: is each of them one that reads, or makes something new? Whatever starts otherwise (do, call, execute, merge,
 * kill), or is not SQL, is not known to be. A semicolon in a string ends a statement here as well; what follows it is then no beginning that is known.
 */
static bool sql_reads(struct str s)
{
	static const char verbs[][16] = {"select", "show", "explain", "with", "values", "table", "describe", "desc", "use", "begin", "start", "commit", "rollback", "end", "analyze", "vacuum", "set", "create", ""};
	static const char makes[][16] = {"table", "index", "unique", "view", "schema", "database", "type", "sequence", "temp", "temporary", "materialized", ""};
	static const char wide[][16] = {"global", "persist", "role", "session", "authorization", ""};

	for (size_t i = 0; i < s.n;) {
		ptrdiff_t semicolon = str_find(s, ';', i);
		struct str one = str_sub(s, i, semicolon < 0 ? s.n : (size_t)semicolon), verb, w;
		size_t at = 0;

		i += one.n + 1;
		while (one.n && (one.p[0] == ' ' || one.p[0] == '\n' || one.p[0] == '\t' || one.p[0] == '\r' || one.p[0] == '('))
			one = str_sub(one, 1, one.n);
		if (str_starts(one, "-- ")) { /* a comment: the statement goes on behind it */
			ptrdiff_t line = str_find(s, '\n', (size_t)(one.p - s.p));

			i = line < 0 ? s.n : (size_t)line;
			continue;
		}
		if (!one.n || one.p[0] == '\\')
			continue; /* a command of the client's: inline.c */
		if (!is_letter(one.p[0]) || !sql_word(one, &at, &verb) || !one_of(verb, verbs))
			return false;
		if (same(verb, "create") && (!sql_word(one, &at, &w) || !one_of(w, makes)))
			return false;
		while (same(verb, "set") && sql_word(one, &at, &w))
			if (one_of(w, wide))
				return false;
	}
	return true;
}

enum harm { HARM_NONE, HARM_CHANGE, HARM_DESTROY };

static enum harm sql_harm(struct str s)
{
	enum harm worst = HARM_NONE;
	struct str w, before = STR("");
	bool delete = false, where = false;
	size_t i = 0;

	for (size_t n = 0; sql_word(s, &i, &w); n++) {
		if (n >= SQL_WORDS_MAX)
			return HARM_CHANGE;
		if (same(w, "truncate") || (same(before, "drop") && !same(w, "column") && !same(w, "constraint") && !same(w, "default") && !same(w, "index")))
			return HARM_DESTROY;
		delete |= same(before, "delete") && same(w, "from");
		where |= same(w, "where") || same(w, "limit");
		if (same(w, "delete") || same(w, "update") || same(w, "insert") || same(w, "alter") || same(w, "drop") || same(w, "replace") || same(w, "grant") || same(w, "revoke") || same(w, "attach"))
			worst = HARM_CHANGE;
		before = w;
	}
	return delete && !where ? HARM_DESTROY : worst;
}

static enum harm mongo_harm(struct str s)
{
	static const char destroys[][16] = {"dropDatabase", ".drop(", "dropIndexes", "deleteMany({})", "remove({})", "shutdownServer", "dropUser"};
	static const char changes[][16] = {"delete", "remove", "update", "insert", "replace", "rename", "bulkWrite", "findAndModify", "$out", "$merge", "eval"};

	for (size_t i = 0; i < sizeof(destroys) / sizeof(*destroys); i++)
		if (str_contains(s, str_of(destroys[i])))
			return HARM_DESTROY;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (str_contains(s, str_of(changes[i])))
			return HARM_CHANGE;
	return HARM_NONE;
}

/* The program the code is given to. */
static struct str program_at(const struct judge *j, struct span at)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (j->subjects[i].c->argc && j->subjects[i].c->argv[0].at.text == at.text && j->subjects[i].c->argv[0].at.from == at.from)
			return j->subjects[i].base;
	return STR("");
}

/* Clients of a server that many may share. */
static bool is_server(struct str program) { return str_is(program, "psql") || str_is(program, "mysql") || str_is(program, "mariadb"); }

void database_sql(struct judge *j, const struct check *c)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next) {
		struct str program = program_at(j, s->at);
		bool mongo = str_starts(program, "mongo");
		enum harm h;

		if (!s->lang || (strcmp(s->lang, "sql") != 0 && !mongo))
			continue;
		h = mongo ? mongo_harm(s->text.text) : sql_harm(s->text.text);
		if (h == HARM_NONE && s->text.kind != WORD_REST && is_server(program) && !sql_reads(s->text.text))
			h = HARM_CHANGE;
		if (h == HARM_DESTROY) /* a file of sqlite's in the project is a file in the project */
			judge_tell_at_most(j, c->id, str_starts(program, "sqlite") || str_is(program, "duckdb") ? GRADE_ASK : GRADE_DENY, s->at,
				STR("this deletes a table, a database or all rows of one"), "let a person run it");
		else if (h == HARM_CHANGE)
			judge_tell_at_most(j, "database-change", GRADE_DENY, s->at, STR("this changes the rows or the shape of a database"), NULL);
	}
}
