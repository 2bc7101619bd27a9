/*
 * Parses the rules of a policy file. Each kind of rule is a small table of keys; description, alternative and
 * examples are common to all. See load.h.
 */
#include "base/regex.h"
#include "config/load.h"

/* ---- common to all rules ---- */

static int read_regex(struct load *l, const struct ynode *n, struct str pattern, struct regex **ret)
{
	struct err why = {0};
	if (++l->regexes > REGEXES_MAX)
		return value_fail(l, n, "too many regular expressions");
	if (regex_new(l->a, pattern, 0, ret, NULL, &why) == 0)
		return 0;
	return yaml_fail(&l->file, n, false, l->e, "%s", why.text);
}

static void rule_start(struct load *l, const struct ynode *n, struct rule *r)
{
	r->description = r->alternative = STR("");
	r->where = value_where(l, n);
}

static int add_examples(struct load *l, const struct ynode *n, const struct rule *r, bool match)
{
	struct texts one = {0};
	if (l->preset)
		return 0; /* test_presets runs them: they are the same wherever the preset is imported */
	if (n->kind != YNODE_LIST)
		return value_fail(l, n, "expected a list of commands");
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct example *x = arena_new(l->a, struct example);
		if (value_text(l, c, &one.text) < 0)
			return -1;
		x->rule = r;
		x->command = one.text;
		x->match = match;
		x->where = str_fmt(l->a, "%.*s:%u:%u", STR_ARG(l->file.name), c->line, c->column);
		LIST_ADD(l->examples_end, x);
	}
	return 0;
}

enum { WITH_EXAMPLES = 1 };

static const char shared_keys[][12] = {"description", "alternative", "match", "not_match"};

/* Parses a key that all rules have. 1: it is one; 0: it is not; -1: it is one, with an error. */
static int shared_key(struct load *l, const struct ynode *c, struct rule *r, int flags)
{
	int done = 0;
	if (str_is(c->key, "description"))
		done = value_prose(l, c, &r->description);
	else if (str_is(c->key, "alternative"))
		done = value_prose(l, c, &r->alternative);
	else if ((flags & WITH_EXAMPLES) && str_is(c->key, "match"))
		done = add_examples(l, c, r, true);
	else if ((flags & WITH_EXAMPLES) && str_is(c->key, "not_match"))
		done = add_examples(l, c, r, false);
	else
		return 0;
	return done < 0 ? -1 : 1;
}

static int unknown_rule_key(struct load *l, const struct ynode *c, const struct value_field *fields,
		size_t count, int flags)
{
	struct near guess = {.word = c->key};
	for (size_t i = 0; i < count; i++)
		near_try(&guess, fields[i].name);
	for (size_t i = 0; i < (flags & WITH_EXAMPLES ? ARRAY_SIZE(shared_keys) : 2); i++)
		near_try(&guess, shared_keys[i]);
	return value_unknown(l, c, guess.best);
}

/* Parses a rule written as a map; *ret_seen has one bit per field present. */
static int rule_map(struct load *l, const struct ynode *n, const struct value_field *fields, size_t count,
		void *base, struct rule *r, int flags,
                    unsigned *ret_seen)
{
	unsigned seen = 0;
	if (n->kind != YNODE_MAP)
		return value_fail(l, n, "expected a rule with keys and values");
	for (const struct ynode *c = n->child; c; c = c->next) {
		size_t i = 0;
		while (i < count && !str_is(c->key, fields[i].name))
			i++;
		if (i < count) {
			seen |= 1u << i;
			if (fields[i].parse(l, c, (char *)base + fields[i].offset) < 0)
				return -1;
			continue;
		}
		int shared = shared_key(l, c, r, flags);
		if (shared < 0 || (shared == 0 && unknown_rule_key(l, c, fields, count, flags) < 0))
			return -1;
	}
	*ret_seen = seen;
	return 0;
}

#define SEEN(seen, i) (((seen) >> (i)) & 1u)

static int need_decision(struct load *l, const struct ynode *n, bool seen)
{
	return seen ? 0 : value_fail(l, n, "a rule needs 'decision'");
}

/* ---- tools.bash.deny, ask, allow ---- */

static int prefix_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {{"prefix", value_text, 0}, {"command", value_text, 0}};
	struct prefix_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (n->kind != YNODE_MAP)
		return value_text(l, n, &r->prefix);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), &r->prefix, &r->rule, WITH_EXAMPLES, &seen) < 0)
		return -1;
	if (SEEN(seen, 0) && SEEN(seen, 1))
		return yaml_fail(&l->file, yaml_get(n, "command"), true, l->e, "prefix is given twice");
	return seen ? 0 : value_fail(l, n, "a rule needs 'prefix'");
}

int rules_prefix(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct prefix_rule), prefix_item);
}

/* ---- tools.bash.checks, allowChecks ---- */

static int regex_text(struct load *l, const struct ynode *n, void *field)
{
	struct regex_rule *r = field;
	return value_text(l, n, &r->pattern) < 0 ? -1 : read_regex(l, n, r->pattern, &r->regex);
}

static int check_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {{"test", regex_text, 0}};
	struct regex_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (n->kind != YNODE_MAP)
		return regex_text(l, n, r);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, WITH_EXAMPLES, &seen) < 0)
		return -1;
	return seen ? 0 : value_fail(l, n, "a check needs 'test'");
}

int rules_checks(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct regex_rule), check_item);
}

int rules_allow_checks(struct load *l, const struct ynode *n, void *field)
{
	return rules_checks(l, n, field);
}

/* ---- tools.bash.redirects ---- */

static int redirect_mode(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"any", REDIRECT_ANY}, {"read", REDIRECT_READ},
			{"write", REDIRECT_WRITE}, {"append", REDIRECT_APPEND}};
	int v = 0;
	if (value_choice(l, n, names, ARRAY_SIZE(names), "expected read, write, append or any", &v) < 0)
		return -1;
	*(enum redirect_mode *)field = (enum redirect_mode)v;
	return 0;
}

static int redirect_item(struct load *l, const struct ynode *n, void *node)
{
	enum { OUTSIDE, GLOB, MODE, DECISION };
	static const struct value_field fields[] = {
		[OUTSIDE] = {"outside", value_words, offsetof(struct redirect_rule, paths)},
		[GLOB] = {"glob", value_words, offsetof(struct redirect_rule, paths)},
		[MODE] = {"mode", redirect_mode, offsetof(struct redirect_rule, mode)},
		[DECISION] = {"decision", value_verdict, offsetof(struct redirect_rule, decision)},
	};
	struct redirect_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, WITH_EXAMPLES, &seen) < 0)
		return -1;
	if (SEEN(seen, OUTSIDE) == SEEN(seen, GLOB) || !r->paths)
		return value_fail(l, n, "a redirection rule needs one of 'outside' and 'glob', with a path");
	r->outside = SEEN(seen, OUTSIDE);
	return need_decision(l, n, SEEN(seen, DECISION));
}

int rules_redirects(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct redirect_rule), redirect_item);
}

/* ---- tools.bash.arguments ---- */

static int read_split(struct load *l, const struct ynode *n, void *field) { return value_split(l, n, field); }

static int argument_regexes(struct load *l, const struct ynode *n, struct argument_rule *r)
{
	const struct ynode *c = n->kind == YNODE_LIST ? n->child : n;
	size_t i = 0;
	r->regexes = arena_array(l->a, n->kind == YNODE_LIST ? n->count + 1 : 1, sizeof(*r->regexes));
	for (const struct texts *t = r->values; t; t = t->next, c = c->next)
		if (read_regex(l, c, t->text, &r->regexes[i++]) < 0)
			return -1;
	return 0;
}

static int argument_item(struct load *l, const struct ynode *n, void *node)
{
	enum { COMMAND = ARGUMENT_ALL_MATCH + 1, DECISION };
	static const struct value_field fields[] = {
		[ARGUMENT_ANY_OUTSIDE] = {"anyArgOutside", value_words,
				offsetof(struct argument_rule, values)},
		[ARGUMENT_ALL_INSIDE] = {"allArgsInside", value_words,
				offsetof(struct argument_rule, values)},
		[ARGUMENT_ANY_MATCHES] = {"anyArgMatches", value_words,
				offsetof(struct argument_rule, values)},
		[ARGUMENT_ALL_MATCH] = {"allArgsMatch", value_words, offsetof(struct argument_rule, values)},
		[COMMAND] = {"command", read_split, offsetof(struct argument_rule, commands)},
		[DECISION] = {"decision", value_verdict, offsetof(struct argument_rule, decision)},
	};
	struct argument_rule *r = node;
	unsigned seen, tests;
	rule_start(l, n, &r->rule);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, WITH_EXAMPLES, &seen) < 0)
		return -1;
	tests = seen & 0xF;
	if (!SEEN(seen, COMMAND))
		return value_fail(l, n, "a rule needs 'command'");
	if (!tests || (tests & (tests - 1)) || !r->values)
		return value_fail(l, n,
				"a rule needs one of 'anyArgOutside', 'allArgsInside', 'anyArgMatches' and "
				"'allArgsMatch'");
	while (!SEEN(tests, r->test))
		r->test++;
	if (r->test >= ARGUMENT_ANY_MATCHES && argument_regexes(l, yaml_get(n, fields[r->test].name), r) < 0)
		return -1;
	return need_decision(l, n, SEEN(seen, DECISION));
}

int rules_arguments(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct argument_rule), argument_item);
}

/* ---- tools.bash.normalise, only ---- */

static int normalise_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {
		{"prefix", value_text, offsetof(struct normalise_rule, prefix)},
		{"strip", rules_checks, offsetof(struct normalise_rule, strip)},
	};
	struct normalise_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, 0, &seen) < 0)
		return -1;
	return seen == 3 && r->strip ? 0 : value_fail(l, n, "a rule needs 'prefix' and 'strip'");
}

int rules_normalise(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct normalise_rule), normalise_item);
}

int rules_only(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] =
			{{"names", value_texts, offsetof(struct names_rule, names)}};
	struct names_rule *r = arena_new(l->a, struct names_rule), **end = field;
	unsigned seen;
	if (yaml_null(n))
		return 0;
	rule_start(l, n, &r->rule);
	if (n->kind == YNODE_MAP ? rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, WITH_EXAMPLES,
			&seen) < 0 : value_texts(l, n, &r->names) < 0)
		return -1;
	if (!r->names)
		return value_fail(l, n, "expected at least one name: an empty list would deny everything");
	while (*end)
		end = &(*end)->next;
	*end = r;
	return 0;
}

/* ---- tools.deny, ask, allow; permissions; checks_grade ---- */

static int tool_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {{"tool", value_text, offsetof(struct tool_rule, tool)}};
	struct tool_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (n->kind != YNODE_MAP)
		return value_text(l, n, &r->tool);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, 0, &seen) < 0)
		return -1;
	return seen ? 0 : value_fail(l, n, "a rule needs 'tool'");
}

int rules_tools(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct tool_rule), tool_item);
}

static bool tool_name_byte(char c)
{
	return ascii_is_name(c) || c == '-' || c == '*' || c == '.' || c == ':';
}

bool config_permission(struct str text, struct permission_rule *ret)
{
	size_t n = 0;
	while (n < text.n && tool_name_byte(text.p[n]))
		n++;
	if (!n || (n < text.n && (text.p[n] != '(' || text.p[text.n - 1] != ')')))
		return false;
	ret->tool = str_first(text, n);
	ret->pattern = n < text.n ? str_sub(text, n + 1, text.n - 1) : STR("");
	ret->all = !ret->pattern.n || str_is(ret->pattern, "*");
	return true;
}

static int permission_text(struct load *l, const struct ynode *n, void *field)
{
	struct permission_rule *r = field;
	struct str s;
	if (value_text(l, n, &s) < 0)
		return -1;
	return config_permission(s, r) ? 0 : value_fail(l, n,
			"expected a permission such as Bash(npm run test:*), Read(~/.ssh/**) or WebFetch");
}

static int permission_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {{"rule", permission_text, 0}};
	struct permission_rule *r = node;
	unsigned seen;
	rule_start(l, n, &r->rule);
	r->base = l->src->base;
	if (n->kind != YNODE_MAP)
		return permission_text(l, n, r);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, WITH_EXAMPLES, &seen) < 0)
		return -1;
	return seen ? 0 : value_fail(l, n, "a permission needs 'rule'");
}

int rules_permissions(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct permission_rule), permission_item);
}

static int is_id(struct load *l, const struct ynode *n)
{
	bool ok = n->key.n > 0 && n->key.n < KEY_MAX;
	for (size_t i = 0; i < n->key.n && ok; i++)
		ok = ascii_is_lower(n->key.p[i]) || ascii_is_digit(n->key.p[i]) || n->key.p[i] == '-';
	return ok ? 0 : yaml_fail(&l->file, n, true, l->e, "not the id of a check");
}

int rules_grades(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"off", GRADE_OFF}, {"warn", GRADE_WARN},
			{"contain", GRADE_CONTAIN}, {"ask", GRADE_ASK}, {"deny", GRADE_DENY}};
	struct regrade **end = field;
	int grade = 0;
	if (yaml_null(n))
		return 0;
	if (n->kind != YNODE_MAP)
		return value_fail(l, n, "expected the ids of checks with a grade for each");
	while (*end)
		end = &(*end)->next;
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct regrade *r = arena_new(l->a, struct regrade);
		rule_start(l, c, &r->rule);
		if (is_id(l, c) < 0 || value_choice(l, c, names, ARRAY_SIZE(names),
					       "expected off, warn, contain, ask or deny", &grade) < 0)
			return -1;
		r->id = check_find(c->key);
		r->name = c->key;
		r->grade = (enum grade)grade;
		LIST_ADD(end, r);
	}
	return 0;
}

/* ---- tools.bash.interpreters ---- */

static int call_regex(struct load *l, const struct ynode *n, void *field)
{
	struct str pattern;
	return value_text(l, n, &pattern) < 0 ? -1 : read_regex(l, n, pattern, field);
}

enum { CALL_MATCH, CALL_DECISION, CALL_OUTSIDE, CALL_ARG };

static const struct value_field call_fields[] = {
	[CALL_MATCH] = {"match", read_split, offsetof(struct call_rule, match)},
	[CALL_DECISION] = {"decision", value_verdict, offsetof(struct call_rule, decision)},
	[CALL_OUTSIDE] = {"pathArgsOutside", value_words, offsetof(struct call_rule, outside)},
	[CALL_ARG] = {"argMatches", call_regex, offsetof(struct call_rule, arg)},
};

static int call_rule(struct load *l, const struct ynode *n, struct call_rule *r, size_t nfields)
{
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (rule_map(l, n, call_fields, nfields, r, &r->rule, 0, &seen) < 0)
		return -1;
	if (!SEEN(seen, CALL_MATCH))
		return value_fail(l, n, "a rule needs 'match'");
	if (SEEN(seen, CALL_OUTSIDE) && !r->outside)
		return value_fail(l, n, "'pathArgsOutside' needs a path");
	return need_decision(l, n, SEEN(seen, CALL_DECISION));
}

static int call_item(struct load *l, const struct ynode *n, void *node)
{
	struct call_rule *r = node;

	if (call_rule(l, n, r, ARRAY_SIZE(call_fields)) < 0)
		return -1;
	for (struct texts *t = r->match; t; t = t->next) {
		t->text = callee_pattern(l->a, t->text);
		if (callee_never(t->text))
			value_note(l, n,
					"'%.*s' never matches: calls are named as in pathlib.Path.unlink, "
					"without arguments", STR_ARG(t->text));
	}
	return 0;
}

static int import_item(struct load *l, const struct ynode *n, void *node)
{
	return call_rule(l, n, node, CALL_OUTSIDE);
}

static int read_calls(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct call_rule), call_item);
}
static int read_imports(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct call_rule), import_item);
}

static int read_writes(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] = {
		{"outside", value_words, offsetof(struct call_rule, outside)},
		{"decision", value_verdict, offsetof(struct call_rule, decision)},
	};
	struct call_rule *r = arena_new(l->a, struct call_rule);
	unsigned seen;
	rule_start(l, n, &r->rule);
	if (rule_map(l, n, fields, ARRAY_SIZE(fields), r, &r->rule, 0, &seen) < 0)
		return -1;
	if (seen != 3 || !r->outside)
		return value_fail(l, n, "'writes' needs 'outside' with a path, and 'decision'");
	*(struct call_rule **)field = r; /* the last one holds */
	return 0;
}

#define NAMES_MAX 256 /* entries of one interpreter: each insertion scans the set */

static int read_names(struct load *l, const struct ynode *n, void *field)
{
	struct texts *fresh = NULL, **head = field;
	if (value_texts(l, n, &fresh) < 0)
		return -1;
	for (struct texts *t = fresh, *next; t; t = next) {
		struct texts **end = head;
		size_t size = 0;
		next = t->next;
		for (; *end && !str_eq((*end)->text, t->text); size++)
			end = &(*end)->next;
		if (size >= NAMES_MAX)
			return value_fail(l, n, "too many names");
		if (!*end) {
			t->next = NULL;
			*end = t;
		}
	}
	return 0;
}

static int one_interpreter(struct load *l, const struct ynode *c, struct interpreter_rules **list)
{
	static const struct value_field fields[] = {
		{"names", read_names, offsetof(struct interpreter_rules, names)},
		{"calls", read_calls, offsetof(struct interpreter_rules, calls)},
		{"imports", read_imports, offsetof(struct interpreter_rules, imports)},
		{"writes", read_writes, offsetof(struct interpreter_rules, writes)},
	};
	struct interpreter_rules **r = list;
	while (*r && !str_eq((*r)->name, c->key))
		r = &(*r)->next;
	if (!*r) {
		*r = arena_new(l->a, struct interpreter_rules);
		(*r)->lang = lang_find(c->key);
		(*r)->name = c->key;
	}
	return value_map(l, c, fields, ARRAY_SIZE(fields), *r);
}

int rules_interpreters(struct load *l, const struct ynode *n, void *field)
{
	static const char langs[][12] = {"python", "javascript", "powershell", "ruby", "perl", "php", "lua"};
	if (yaml_null(n))
		return 0;
	if (n->kind != YNODE_MAP)
		return value_fail(l, n, "expected languages with their rules");
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct near guess = {.word = c->key};
		size_t i = 0;
		while (i < ARRAY_SIZE(langs) && !str_is(c->key, langs[i]))
			i++;
		if (i < ARRAY_SIZE(langs)) {
			if (one_interpreter(l, c, field) < 0)
				return -1;
			continue;
		}
		for (size_t k = 0; k < ARRAY_SIZE(langs); k++)
			near_try(&guess, langs[k]);
		if (value_unknown(l, c, guess.best) < 0)
			return -1;
	}
	return 0;
}
