/*
 * The tree of a JavaScript text: nodes, strings, and a first pass that records the values assigned to each
 * name.
 */
#include "code/javascript.h"

#include "base/utf8.h"

struct js_memo *js_memo_get(struct code_walk *w, TSNode n)
{
	struct js_memo **at =
			&js_of(w)->memos[((uintptr_t)n.id / 8 ^ (uintptr_t)n.id / 65536) & (
			js_of(w)->nchains - 1)];

	while (*at && (*at)->id != n.id)
		at = &(*at)->next;
	if (!*at) {
		*at = arena_new(w->a, struct js_memo);
		(*at)->id = n.id;
	}
	return *at;
}

TSNode *js_children(struct code_walk *w, TSNode n, size_t *ret_n)
{
	uint32_t count;
	TSNode *list = node_children(w, n, &count);

	*ret_n = count;
	return list;
}

TSNode js_last_child(struct code_walk *w, TSNode n)
{
	size_t count;
	TSNode *c = js_children(w, n, &count);

	return count ? c[count - 1] : (TSNode){0};
}

struct js_name *js_name_get(struct code_walk *w, struct str name)
{
	struct js_name **at = &js_of(w)->names[str_hash(name) & (js_of(w)->nchains - 1)];

	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	if (!*at) {
		*at = arena_new(w->a, struct js_name);
		(*at)->name = name;
	}
	return *at;
}

/* ---- strings ---- */

static struct str code_point(struct code_walk *w, uint32_t c)
{
	struct buf b;

	if (c <= HOLE_NAME || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return CODE_HOLE;
	buf_init(&b, w->a, 8);
	if (c < 0x80) {
		buf_char(&b, (char)c);
	} else if (c < 0x800) {
		buf_char(&b, (char)(0xc0 | c >> 6));
		buf_char(&b, (char)(0x80 | (c & 63)));
	} else {
		if (c >= 0x10000)
			buf_char(&b, (char)(0xf0 | c >> 18));
		buf_char(&b, (char)(c < 0x10000 ? 0xe0 | c >> 12 : 0x80 | (c >> 12 & 63)));
		buf_char(&b, (char)(0x80 | (c >> 6 & 63)));
		buf_char(&b, (char)(0x80 | (c & 63)));
	}
	return buf_view(&b);
}

static struct str hex_escape(struct code_walk *w, struct str digits)
{
	uint32_t c = 0;

	for (size_t i = 0; i < digits.n; i++) {
		if (ascii_hex_value(digits.p[i]) < 0 || c > 0x10ffff)
			return CODE_HOLE;
		c = c * 16 + (uint32_t)ascii_hex_value(digits.p[i]);
	}
	return digits.n ? code_point(w, c) : CODE_HOLE;
}

struct str js_escape(struct code_walk *w, struct str e)
{
	static const char from[] = "nrtbfv", to[] = "\n\r\t\b\f\v";
	const char *at;

	if (e.n < 2)
		return CODE_HOLE;
	if (e.p[1] == 'x')
		return hex_escape(w, str_from(e, 2));
	if (e.p[1] == 'u')
		return e.n > 3 && e.p[2] == '{' ? hex_escape(w, str_sub(e, 3, e.n - 1)) : hex_escape(w,
				str_from(e, 2));
	if (e.p[1] >= '0' && e.p[1] <= '7') {
		uint32_t c = 0;

		for (size_t i = 1; i < e.n; i++)
			c = c * 8 + (uint32_t)(e.p[i] - '0');
		return code_point(w, c);
	}
	if (e.p[1] == '\n' || e.p[1] == '\r' || (e.n == 4 && !memcmp(e.p + 1, "\xe2\x80", 2)))
		return STR(""); /* line continuation */
	at = strchr(from, e.p[1]);
	return at ? str_n(to + (at - from), 1) : str_from(e, 1);
}

static void add_fragment(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, text_hole(s.p[i]) || s.p[i] == '\r' ? HOLE_ANY : s.p[i]);
}

struct str js_string(struct code_walk *w, TSNode string)
{
	size_t n;
	TSNode *c = js_children(w, string, &n);
	struct buf b;

	if (node_is(string, "string_fragment")) {
		buf_init(&b, w->a, CODE_TEXT_MAX);
		add_fragment(&b, node_text(w, string));
		return buf_view(&b);
	}
	buf_init(&b, w->a, 2 * CODE_TEXT_MAX);
	for (size_t i = 0; i < n; i++) {
		if (node_is(c[i], "string_fragment"))
			add_fragment(&b, node_text(w, c[i]));
		else if (node_is(c[i], "escape_sequence"))
			buf_str(&b, js_escape(w, node_text(w, c[i])));
		else
			buf_char(&b, HOLE_ANY);
	}
	return buf_view(&b);
}

/* ---- assignments ---- */

struct js_place {
	unsigned depth;
	bool function, block, class; /* inside a function */
	bool branch;                 /* inside a statement of the same function that may not run */
	bool hoisted;                /* inside a function that can be called before its declaration */
	const void *fn;              /* id of the innermost function */
};

static const struct js_source *new_source(struct code_walk *w, enum js_from from, TSNode node,
		const struct js_source *of, struct str key)
{
	struct js_source *s = arena_copy(w->a, (struct js_source){.from = from, .node = node, .of = of,
			.key = key});

	return s;
}

static const struct js_source *source_nowhere(struct code_walk *w)
{
	return new_source(w, JS_FROM_NOWHERE, (TSNode){0}, NULL, STR(""));
}

static void define_name(struct code_walk *w, struct str name, const struct js_source *s, bool top)
{
	struct js_name *n = js_name_get(w, name);
	struct js_def *d = arena_new(w->a, struct js_def);

	d->source = s;
	d->next = n->defs;
	n->defs = d;
	n->declared = true;
	n->top |= top;
	n->ndefs++;
	js_of(w)->shadows |= n->ndefs == 1 && js_global(w, name);
	if (str_is_any(name, "await yield"))
		/* a name await or yield: `await (x)` and `yield /x/` then parse differently */
		code_marker_add(w, MARKER_RESERVED_NAME, js_of(w)->root);
}

bool js_closed(struct code_walk *w, struct str name)
{
	const struct js_name *n = js_name_get(w, name);

	return n->nfunctions == 1 && n->ndefs == 1 && n->refs == n->nsites + 1 && !n->property &&
			!js_of(w)->uses_arguments && !js_global(w, name);
}

bool js_in_node(const struct code_walk *w)
{
	struct span at = w->s->at;

	while (at.text > 0 && at.text < w->f->ntexts && w->f->texts[at.text].lang == LANG_JAVASCRIPT &&
		w->f->texts[at.text].origin.text < at.text)
		at = w->f->texts[at.text].origin; /* nested snippet */
	for (const struct command *c = w->f->commands; c; c = c->next) {
		struct str name = c->argc ? c->argv[0].text : STR("");

		if (!c->argc || c->argv[0].at.text != at.text || c->argv[0].at.from != at.from ||
				c->argv[0].kind != WORD_EXACT)
			continue;
		for (size_t i = name.n; i > 0; i--)
			if (name.p[i - 1] == '/') {
				name = str_from(name, i);
				break;
			}
		if (str_is_any(name, "node nodejs"))
			return true;
	}
	return false;
}

bool js_is_function(TSNode n)
{
	static const char *const types[] = {"arrow_function", "function_expression", "function_declaration",
			"generator_function", "generator_function_declaration", "method_definition"};

	return node_is_any(n, types, ARRAY_SIZE(types));
}

static void add_store(struct code_walk *w, struct str key, const struct js_source *s)
{
	struct js_name *n = js_name_get(w, key);
	struct js_def *d = arena_new(w->a, struct js_def);

	n->stored = n->own = true;
	d->source = s;
	d->next = n->stores;
	n->stores = d;
}

static void note_stored(struct code_walk *w, TSNode left, const struct js_source *s)
{
	struct js *js = js_of(w);
	TSNode object = node_field(left, "object"), index = node_field(left, "index");
	bool number = node_is(index, "number");

	js->stores_any = true;
	if (node_is(left, "member_expression")) {
		struct str name = node_text(w, node_field(left, "property")), of = node_text(w, object);

		add_store(w, name, s);
		js->arrays_move |= str_is(name, "length");
		if (str_is_any(of, "globalThis global window self"))
			/* a value with an effect is recorded where it is stored */
			define_name(w, name, source_nowhere(w), false);
	} else if (node_is(left, "subscript_expression")) {
		js->arrays_change = true;
		if (node_is(index, "string"))
			add_store(w, js_string(w, index), s);
		else if (!number)
			js->stores_computed = true;
	}
}

static void bind_pattern(struct code_walk *w, TSNode p, const struct js_source *s, bool top, unsigned depth);

static void bind_object(struct code_walk *w, TSNode p, const struct js_source *s, bool top, unsigned depth)
{
	size_t n;
	TSNode *c = js_children(w, p, &n);

	for (size_t i = 0; i < n; i++) {
		TSNode left = node_is(c[i], "object_assignment_pattern") ? node_field(c[i], "left") : c[i];

		if (node_is(c[i], "object_assignment_pattern"))
			bind_pattern(w, left, new_source(w, JS_FROM_EXPR, node_field(c[i], "right"), NULL,
					STR("")), top, depth + 1);
		if (node_is(left, "shorthand_property_identifier_pattern"))
			define_name(w, node_text(w, left),
					new_source(w, JS_FROM_MEMBER, left, s, node_text(w, left)), top);
		else if (node_is(left, "pair_pattern"))
			bind_pattern(w, node_field(left, "value"),
					new_source(w, JS_FROM_KEY, node_field(left, "key"), s, STR("")), top,
					depth + 1);
		else if (node_is(left, "rest_pattern"))
			/* the rest has the same members, or fewer */
			bind_pattern(w, js_last_child(w, left), s, top, depth + 1);
		else
			bind_pattern(w, left, s, top, depth + 1);
	}
}

/* Binds a pattern to a source. */
static void bind_pattern(struct code_walk *w, TSNode p, const struct js_source *s, bool top, unsigned depth)
{
	size_t n;
	TSNode *c;

	if (depth > JS_PATTERN_DEPTH_MAX) {
		code_marker_add(w, MARKER_BOUND, p);
	} else if (node_is(p, "identifier") || node_is(p, "shorthand_property_identifier_pattern") ||
			node_is(p, "undefined")) {
		define_name(w, node_text(w, p), s, top);
	} else if (node_is(p, "assignment_pattern")) {
		bind_pattern(w, node_field(p, "left"), s, top, depth + 1);
		bind_pattern(w, node_field(p, "left"), new_source(w, JS_FROM_EXPR, node_field(p, "right"),
				NULL, STR("")), top, depth + 1);
	} else if (node_is(p, "object_pattern")) {
		bind_object(w, p, s, top, depth);
	} else if (node_is(p, "array_pattern")) {
		c = js_children(w, p, &n);
		for (size_t i = 0; i < n; i++)
			bind_pattern(w, node_is(c[i], "rest_pattern") ? js_last_child(w, c[i]) : c[i],
					node_is(c[i], "rest_pattern") ? s : new_source(w, JS_FROM_ELEMENT, p,
					s, STR("")), top, depth + 1);
	} else if (node_is(p, "rest_pattern") || node_is(p, "parenthesized_expression")) {
		bind_pattern(w, js_last_child(w, p), node_is(p, "rest_pattern") ? source_nowhere(w) : s, top,
				depth + 1);
	} else {
		/* a member: storing a value with an effect is recorded at the assignment */
		note_stored(w, p, s);
	}
}

static void collect_bindings(struct code_walk *w, TSNode n, struct js_place at);

static void collect_children(struct code_walk *w, TSNode n, struct js_place at)
{
	size_t count;
	TSNode *c = js_children(w, n, &count);

	at.depth++;
	for (size_t i = 0; i < count; i++)
		collect_bindings(w, c[i], at);
}

static const struct js_source *parameter_source(struct code_walk *w, struct str function, size_t i)
{
	struct js_source *s = arena_copy(w->a, (struct js_source){.from = function.n ? JS_FROM_PARAM :
			JS_FROM_NOWHERE, .key = function, .index = i});

	return s;
}

/*
 * Collects a function. `given`: known sources of its parameters; without it they are the arguments of the
 * calls of `owner`.
 */
static void collect_function(struct code_walk *w, TSNode n, struct js_place at,
		const struct js_source *const *given, size_t ngiven, struct str owner)
{
	TSNode one = node_field(n, "parameter"), all = node_field(n, "parameters"),
			name = node_field(n, "name");
	size_t count = 0;
	TSNode *c = ts_node_is_null(all) ? NULL : js_children(w, all, &count);

	if (!ts_node_is_null(name) && !node_is(n, "method_definition"))
		define_name(w, node_text(w, name), new_source(w, JS_FROM_EXPR, n, NULL, STR("")),
				node_is(n, "function_declaration") && !at.function && !at.block);
	if (node_is(n, "function_declaration") || node_is(n, "generator_function_declaration"))
		owner = node_text(w, name);
	if (owner.n)
		js_name_get(w, owner)->nfunctions++;
	if (!ts_node_is_null(one))
		bind_pattern(w, one, given && ngiven ? given[0] : parameter_source(w, owner, 0), false, 0);
	for (size_t i = 0; i < count; i++)
		bind_pattern(w, c[i], node_is(c[i], "rest_pattern") ? source_nowhere(w) : given &&
				i < ngiven ? given[i] : parameter_source(w, owner, i), false, 0);
	for (size_t i = 0; ngiven && !ts_node_is_null(name) && i < count; i++)
		bind_pattern(w, c[i], source_nowhere(w), false, 0); /* it may call itself */
	at.function = at.block = true;
	at.branch = false;
	at.hoisted |= node_is(n, "function_declaration") || node_is(n, "generator_function_declaration");
	at.fn = n.id;
	collect_children(w, n, at);
}

/* Sets ret[] to the sources of a callback's parameters, for this method of `object`. Returns their number. */
static size_t callback_sources(struct code_walk *w, TSNode object, struct str method,
	const struct js_source **ret)
{
	static const char each[] = "forEach map filter some every find findIndex findLast flatMap";
	const struct js_source *of = new_source(w, JS_FROM_EXPR, object, NULL, STR(""));

	if (str_is_any(method, each)) {
		ret[0] = new_source(w, JS_FROM_ELEMENT, object, of, method);
		ret[1] = new_source(w, JS_FROM_INDEX, object, of, method);
		ret[2] = of;
		return 3;
	}
	ret[0] = new_source(w, JS_FROM_ELEMENT, object, of, method);
	return str_is(method, "then");
}

static void add_site(struct code_walk *w, struct str name, TSNode call)
{
	struct js_name *n = js_name_get(w, name);
	struct js_site *s = arena_copy(w->a, (struct js_site){.next = n->sites, .call = call});

	n->sites = s;
	n->nsites++;
}

static void collect_call(struct code_walk *w, TSNode n, struct js_place at)
{
	TSNode f = node_field(n, "function"), args = node_field(n, "arguments"), inner = f;
	size_t count;
	TSNode *c = js_children(w, args, &count);
	const struct js_source *given[JS_ARGS_MAX];
	size_t ngiven = 0;

	at.depth++;
	while (node_is(inner, "parenthesized_expression"))
		inner = js_last_child(w, inner);
	if (js_is_function(inner) && node_is(args, "arguments")) { /* called immediately */
		for (; ngiven < count && ngiven < JS_ARGS_MAX && !node_is(c[ngiven], "spread_element");
				ngiven++)
			given[ngiven] = new_source(w, JS_FROM_EXPR, c[ngiven], NULL, STR(""));
		collect_function(w, inner, at, given, ngiven, STR(""));
	} else {
		if (node_is(f, "identifier") && node_is(args, "arguments"))
			add_site(w, node_text(w, f), n);
		collect_bindings(w, f, at);
	}
	ngiven = node_is(f, "member_expression") ? callback_sources(w, node_field(f, "object"),
			node_text(w, node_field(f, "property")), given) : 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 && ngiven && js_is_function(c[i]))
			collect_function(w, c[i], at, given, ngiven, STR(""));
		else
			collect_bindings(w, c[i], at);
	}
}

static void collect_import(struct code_walk *w, TSNode n)
{
	TSNode from = node_field(n, "source");
	struct str module = js_builtin(js_string(w, from));
	const struct js_source *s = module.n ? new_source(w, JS_FROM_PATH, from, NULL, module) :
			source_nowhere(w);
	size_t count, nc, ns;
	TSNode *c = js_children(w, n, &count);

	for (size_t i = 0; i < count; i++) {
		TSNode *parts = node_is(c[i], "import_clause") ? js_children(w, c[i], &nc) : NULL;

		for (size_t k = 0; parts && k < nc; k++) {
			TSNode *names = node_is(parts[k], "named_imports") ? js_children(w, parts[k], &ns) :
					NULL;

			if (!names) /* default import, or the whole namespace */
				define_name(w, node_text(w, node_is(parts[k], "identifier") ? parts[k] :
						js_last_child(w, parts[k])), s, true);
			for (size_t x = 0; names && x < ns; x++) {
				TSNode name = node_field(names[x], "name"),
						alias = node_field(names[x], "alias");
				struct str key = node_is(name, "string") ? js_string(w, name) : node_text(w,
						name);

				define_name(w, node_text(w, ts_node_is_null(alias) ? name : alias),
						new_source(w, JS_FROM_MEMBER, name, s, key), true);
			}
		}
	}
}

static void collect_loop(struct code_walk *w, TSNode n, struct js_place at)
{
	TSNode left = node_field(n, "left"), op = node_field(n, "operator");
	const struct js_source *s = new_source(w, JS_FROM_EXPR, node_field(n, "right"), NULL, STR(""));

	bind_pattern(w, left, node_is(op, "of") ? new_source(w, JS_FROM_ELEMENT, left, s, STR("")) :
			source_nowhere(w), false, 0);
	at.block = at.branch = true;
	collect_children(w, n, at);
}

/* A `var` is declared from the start of its function, but without a value; `let x;` has no value either. */
static void declare_name(struct code_walk *w, TSNode name, bool var, bool value, const struct js_place *at)
{
	struct js_name *n = js_name_get(w, node_text(w, name));

	n->declared = true;
	if (!value || (var && at->branch) || (var && n->is_var && n->var_fn != at->fn))
		n->undef = true;
	if (var && !n->is_var) {
		n->is_var = true;
		n->var_at = ts_node_start_byte(name);
		n->var_fn = at->fn;
	}
}

/* var {a, b} = ...: every name may be undefined, without further analysis. */
static void declare_pattern(struct code_walk *w, TSNode p, unsigned depth)
{
	size_t n;
	TSNode *c = js_children(w, p, &n);

	if (node_is(p, "identifier") || node_is(p, "shorthand_property_identifier_pattern"))
		js_name_get(w, node_text(w, p))->undef = true;
	for (size_t i = 0; depth < JS_PATTERN_DEPTH_MAX && i < n; i++)
		declare_pattern(w, c[i], depth + 1);
}

static void note_used(struct code_walk *w, TSNode name, const struct js_place *at)
{
	struct js_name *n = js_name_get(w, node_text(w, name));

	if (!n->refs++)
		n->ref_at = ts_node_start_byte(name);
	if (!at->hoisted)
		return;
	n->ref_many |= n->ref_fn && n->ref_fn != at->fn;
	n->ref_fn = at->fn;
}

static void collect_declarators(struct code_walk *w, TSNode n, struct js_place at)
{
	bool top = node_is(n, "lexical_declaration") && !at.function && !at.block;
	size_t count;
	TSNode *c = js_children(w, n, &count);

	at.depth += 2;
	for (size_t i = 0; i < count; i++) {
		TSNode name = node_field(c[i], "name"), value = node_field(c[i], "value");

		if (!node_is(c[i], "variable_declarator"))
			continue;
		if (!ts_node_is_null(value))
			bind_pattern(w, name, new_source(w, JS_FROM_EXPR, value, NULL, STR("")), top, 0);
		if (node_is(name, "identifier"))
			declare_name(w, name, node_is(n, "variable_declaration"), !ts_node_is_null(value),
					&at);
		else if (node_is(n, "variable_declaration"))
			declare_pattern(w, name, 0);
		collect_bindings(w, name, at);
		if (js_is_function(value) && node_is(name, "identifier"))
			collect_function(w, value, at, NULL, 0, node_text(w, name));
		else if (!ts_node_is_null(value))
			collect_bindings(w, value, at);
	}
}

static const char change[] =
		"push unshift splice fill copyWithin assign defineProperty defineProperties set with";
static const char move[] = "sort reverse shift pop slice filter toSorted toReversed toSpliced delete";
static const char assign[] = "assign defineProperty defineProperties __defineGetter__ __defineSetter__";
static const char inputs[] = "stdin input stdio";

static void collect_word(struct code_walk *w, struct str s)
{
	js_of(w)->arrays_move |= js_of(w)->arrays_change || str_is_any(s, move);
	js_of(w)->arrays_change |= str_is_any(s, change);
	js_of(w)->stores_computed |= str_is_any(s, assign);
	js_name_get(w, s)->property = true;
	js_of(w)->feeds |= str_is_any(s, inputs);
	if (str_is(s, "chdir"))
		w->s->cwd = CODE_HOLE; /* unknown from here on */
}

bool js_unseen(struct code_walk *w, struct str key)
{
	const struct js_name *n = js_name_get(w, key);

	return !n->property && (n->declared || str_is_any(key, move) || str_is_any(key, change) ||
	str_is_any(key, assign) ||
			str_is_any(key, inputs) || str_is_any(key, "chdir length cwd env"));
}

/* Notes members that the text defines in its own objects and classes. */
static void collect_own(struct code_walk *w, TSNode n)
{
	TSNode key = node_is(n, "pair") ? node_field(n, "key") : node_is(n, "field_definition") ?
			node_field(n, "property") : node_is(n, "method_definition") ? node_field(n, "name") :
			n;

	if (node_is(key, "computed_property_name"))
		js_of(w)->keys_computed = true;
	else if (node_is(key, "string"))
		js_name_get(w, js_string(w, key))->own = true;
	else
		js_name_get(w, node_text(w, key))->own = true;
}

static bool collect_assignment(struct code_walk *w, TSNode n)
{
	TSNode left = node_field(n, "left"), argument = node_field(n, "argument");

	if (node_is(n, "assignment_expression"))
		bind_pattern(w, left, new_source(w, JS_FROM_EXPR, node_field(n, "right"), NULL, STR("")),
				false, 0);
	else if (node_is(n, "augmented_assignment_expression"))
		bind_pattern(w, left, new_source(w, JS_FROM_EXPR, n, NULL, STR("")), false, 0);
	else if (node_is(n, "update_expression"))
		bind_pattern(w, argument, new_source(w, JS_FROM_NUMBER, n, NULL, STR("")), false, 0);
	else
		return false;
	js_of(w)->assigns = true;
	return true;
}

static void add_this(struct code_walk *w, TSNode n)
{
	struct js *js = js_of(w);

	js->own_this = arena_room(w->a, js->own_this, js->nthis, &js->this_cap, sizeof(*js->own_this));
	js->own_this[js->nthis++] = ts_node_start_byte(n);
}

/* Notes the names that a node uses or defines, for any type of node. */
static void collect_names(struct code_walk *w, TSNode n, const struct js_place *at)
{
	bool shorthand = node_is(n, "shorthand_property_identifier");

	if (shorthand || IS_ANY(n, "property_identifier", "shorthand_property_identifier_pattern",
			"string_fragment"))
		collect_word(w, node_text(w, n));
	if (shorthand || node_is(n, "identifier")) {
		js_of(w)->uses_arguments |= str_is(node_text(w, n), "arguments");
		note_used(w, n, at);
	}
	if (shorthand || IS_ANY(n, "pair", "method_definition", "field_definition"))
		collect_own(w, n);
	if (node_is(n, "unary_expression") && node_is(node_field(n, "operator"), "delete"))
		note_stored(w, node_field(n, "argument"), source_nowhere(w));
	js_of(w)->assigns |= !at->function && IS_ANY(n, "variable_declaration", "function_declaration",
			"for_in_statement");
}

static void collect_class(struct code_walk *w, TSNode n, struct js_place *at)
{
	bool outermost = !at->function && !at->block && node_is(n, "class_declaration");
	TSNode name = node_field(n, "name");

	if (!ts_node_is_null(name))
		define_name(w, node_text(w, name), new_source(w, JS_FROM_EXPR, n, NULL, STR("")), outermost);
	at->function = at->class = true;
}

/* Handles all other nodes: collects their children one level deeper. */
static void collect_other(struct code_walk *w, TSNode n, struct js_place at)
{
	bool statement = str_ends(str_of(ts_node_type(n)), "_statement");

	if (IS_ANY(n, "class_declaration", "class"))
		collect_class(w, n, &at);
	else if (node_is(n, "this") && at.class)
		add_this(w, n);
	else if (node_is(n, "this"))
		js_of(w)->sloppy_this = true;
	else if (node_is(n, "catch_clause") && !ts_node_is_null(node_field(n, "parameter")))
		bind_pattern(w, node_field(n, "parameter"), source_nowhere(w), false, 0);
	else
		collect_assignment(w, n);
	at.branch |= statement && !IS_ANY(n, "expression_statement", "return_statement");
	at.block |= !IS_ANY(n, "program", "export_statement");
	collect_children(w, n, at);
}

static void collect_bindings(struct code_walk *w, TSNode n, struct js_place at)
{
	if (at.depth > CODE_DEPTH_MAX)
		return; /* the second pass stops here, too, and adds a marker */
	collect_names(w, n, &at);
	if (js_is_function(n))
		collect_function(w, n, at, NULL, 0, STR(""));
	else if (node_is(n, "call_expression"))
		collect_call(w, n, at);
	else if (IS_ANY(n, "lexical_declaration", "variable_declaration", "using_declaration"))
		collect_declarators(w, n, at);
	else if (node_is(n, "for_in_statement"))
		collect_loop(w, n, at);
	else if (node_is(n, "import_statement"))
		collect_import(w, n);
	else
		collect_other(w, n, at);
}

void js_collect(struct code_walk *w, TSNode root) { collect_bindings(w, root, (struct js_place){0}); }
