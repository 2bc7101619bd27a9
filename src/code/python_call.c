/* Calls in Python code: the effects of a call, of a mention without a call, and of an import. */
#include "code/python.h"

/* ---- arguments of a call, for rules ---- */

static void record_call(struct python *p, struct str name, const struct pv *self, const struct py_args *args,
		TSNode n)
{
	size_t count = args->n + (self != NULL) + (args->open || args->escaped);
	struct word *words = arena_array(p->a, count + 1, sizeof(*words));
	struct str *names = arena_array(p->a, count + 1, sizeof(*names));
	size_t at = 0;

	if (self)
		words[at++] = py_word(p, pvs_one(p, self), n);
	for (size_t i = 0; i < args->n; i++) {
		names[at] = args->v[i].name;
		words[at++] = py_word(p, args->v[i].v, args->v[i].node);
	}
	if (args->open || args->escaped)
		words[at] = (struct word){.kind = WORD_REST, .at = node_at(p->w, n)};
	code_call_add(p->w, name, words, names, count, n);
}

/* ---- names ---- */

static bool is_module(struct str name) { return py_module(name) != PY_MODULE_OTHER; }

/* True for a._b: a private attribute of a module may be another module. */
static bool has_private(struct str path)
{
	for (size_t from = 0; from < path.n;) {
		size_t dot = str_end(path, '.', from);
		struct str part = str_sub(path, from, dot);

		if (str_starts(part, "_") && !py_special_name(part))
			return true;
		from += part.n + 1;
	}
	return false;
}

static size_t first_part(struct str path)
{
	return !str_has(path, '.') ? path.n : (size_t)str_find(path, '.', 0);
}

/* Judges Class.method of a module by the method's name, like a method of an unknown object. */
static enum marker inner_trouble(struct str attr)
{
	for (size_t from = first_part(attr) + 1; from < attr.n;) {
		size_t next = str_end(attr, '.', from);
		struct str part = str_sub(attr, from, next);

		if (!py_harmless_name(part) && !py_special_name(part))
			return MARKER_UNKNOWN_CALL;
		from += part.n + 1;
	}
	return MARKER_NONE;
}

/* Judges a name without a row by its module. Returns MARKER_NONE if harmless. */
static enum marker name_trouble(struct str name)
{
	struct str module = name;

	if (py_is_builtin(name))
		return MARKER_NONE;
	for (size_t i = name.n; i-- > 0;) {
		if (name.p[i] != '.')
			continue;
		module = str_first(name, i);
		struct str attr = str_from(name, i + 1);
		const struct py_row *r = py_row(module);

		if (r && r->kind != PY_NOTHING)
			return MARKER_UNKNOWN_CALL; /* an attribute of a function with effects */
		if (r || py_is_builtin(module))
			return MARKER_NONE;
		switch (py_module(module)) {
		case PY_MODULE_PURE: return str_is_any(attr, "main test") ||
				py_is_inner(str_first(name, module.n + 1 + first_part(attr))) ?
				MARKER_UNKNOWN_CALL : has_private(attr) ? MARKER_PRIVATE :
				inner_trouble(attr);
		case PY_MODULE_LISTED: case PY_MODULE_STDLIB: return py_special_name(attr) ? MARKER_NONE :
				MARKER_UNKNOWN_CALL;
		case PY_MODULE_OTHER: break;
		}
	}
	/* otherwise a third-party module: its code runs in the box */
	return py_is_stdlib(name) ? MARKER_UNKNOWN_CALL : MARKER_NONE;
}

static const struct py_row *method_row(struct python *p, const struct pv *m)
{
	if (m->of->kind == PV_PATH || (m->of->kind == PV_BELOW && m->of->many))
		return py_row(str_fmt(p->a, "pathlib.Path.%.*s", STR_ARG(m->text)));
	if (m->of->kind == PV_INST)
		return py_row(str_fmt(p->a, "%.*s.%.*s", STR_ARG(m->of->text), STR_ARG(m->text)));
	return NULL;
}

static void call_method(struct python *p, const struct pv *m, const struct py_args *args, TSNode n)
{
	const struct py_row *r = method_row(p, m);
	bool path = m->of->kind == PV_PATH || (m->of->kind == PV_BELOW && m->of->many);

	if (path)
		record_call(p, str_fmt(p->a, "pathlib.Path.%.*s", STR_ARG(m->text)), m->of, args, n);
	else if (m->of->kind == PV_INST && !str_is(m->of->text, "*"))
		record_call(p, str_fmt(p->a, "%.*s.%.*s", STR_ARG(m->of->text), STR_ARG(m->text)), NULL, args,
			n);
	if (r)
		py_apply(p, r, m->of, false, args, n);
	else if (path && py_effect_name(m->text) && !str_is(m->text, "write"))
		code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
}

/* True if the behaviour of the function depends on an attribute that the code sets somewhere. */
static bool is_steered(struct python *p, struct str name)
{
	static const char steered[][2][16] = {{"tempfile.", "name"}, {"logging.", "baseFilename"},
			{"http.client.", "host"}, {"http.client.", "port"}, {"smtplib.", "host"},
			{"subprocess.", "pid"}, {"zipfile.", "filename"}, {"zipfile.", "fp"},
			{"tarfile.", "name"}};

	for (size_t i = 0; i < ARRAY_SIZE(steered); i++)
		if (str_starts(name, steered[i][0]) && (pmap_get(p->stored, str_of(steered[i][1])) ||
				pmap_get(p->stored, STR("*"))))
			return true;
	return false;
}

void py_call(struct python *p, const struct pv *callee, const struct py_args *args, TSNode n)
{
	const struct py_row *r;
	enum marker trouble;

	switch (callee->kind) {
	case PV_LOST:
		code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
		return;
	case PV_METHOD:
		call_method(p, callee, args, n);
		return;
	case PV_NAME:
		record_call(p, callee->text, NULL, args, n);
		if (str_starts(callee->text, "inspect.") && (py_keyword(args, "eval_str") || args->open))
			code_marker_add(p->w, MARKER_EVAL, n); /* evaluates annotations, which are strings */
		r = py_row(callee->text);
		if (is_steered(p, callee->text))
			code_marker_add(p->w, MARKER_SETATTR, n);
		trouble = r ? MARKER_NONE : name_trouble(callee->text);
		if (r)
			py_apply(p, r, NULL, r->spec[0] == 's' || str_starts(callee->text, "pathlib.Path.") ||
					str_starts(callee->text, "zipfile.ZipFile.") ||
					str_starts(callee->text, "tarfile.TarFile.e"), args, n);
		if (trouble)
			code_marker_add(p->w, trouble, n);
		return;
	default:
		if (callee->text.n && (callee->kind == PV_UNKNOWN || callee->kind == PV_USER))
			record_call(p, callee->text, NULL, args, n);
	}
}

/* True for functions that read the environment and keep at most a copy. */
static bool reads_environment(struct python *p, TSNode call)
{
	struct str name = node_text(p->w, node_field(call, "function"));

	if (!p->hides && str_is_any(name,
			"bool dict enumerate iter len list print repr set sorted str tuple"))
		return true;
	return str_starts(name, "os.") || str_starts(name, "subprocess.") || str_starts(name, "asyncio.");
}

/*
 * True if os.environ escapes: into a call, a list, a function's result. Code that holds it there may set
 * variables in it.
 */
static bool environment_leaks(struct python *p, TSNode n)
{
	TSNode up = ts_node_parent(n);

	while (node_is(up, "parenthesized_expression") || node_is(up, "keyword_argument"))
		up = ts_node_parent(up);
	if (node_is(up, "argument_list"))
		return !reads_environment(p, ts_node_parent(up));
	return !node_is(up, "subscript") && !node_is(up, "dictionary_splat") &&
			!node_is(up, "for_statement") && !node_is(up, "for_in_clause") &&
	       !node_is(up, "comparison_operator") && !node_is(up, "interpolation");
}

static void escape_one(struct python *p, const struct pv *v, TSNode n)
{
	const struct py_row *r;

	if (py_is_environment(v) && environment_leaks(p, n))
		p->environment_leak = n;
	if (v->kind == PV_LOST) {
		code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
	} else if (v->kind == PV_METHOD) {
		r = method_row(p, v);
		if (r && r->kind != PY_NOTHING)
			call_method(p, v, &py_nothing, n);
	} else if (v->kind == PV_NAME) {
		r = py_row(v->text);
		if (str_is(v->text, "__builtins__"))
			code_marker_add(p->w, MARKER_MODULE, n);
		if (r ? str_is_any(v->text, "os.path sys.path") : is_module(v->text))
			if (!str_is(v->text, "sys.path"))
				code_marker_add(p->w, MARKER_MODULE, n);
		if ((r && r->kind != PY_NOTHING) || (!r && !is_module(v->text) && name_trouble(v->text)))
			py_call(p, v, &py_nothing, n);
	} else if (v->kind == PV_SEQ) {
		for (size_t i = 0; i < v->nitems; i++)
			for (size_t k = 0; k < v->items[i]->n; k++)
				if (v->items[i]->v[k]->kind == PV_LOST)
					code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
	}
}

void py_escape(struct python *p, const struct pvs *v, TSNode n)
{
	for (size_t i = 0; i < v->n; i++)
		escape_one(p, v->v[i], n);
}

/* ---- attributes of unknown objects ---- */

static size_t count_positional(const struct py_args *args)
{
	size_t count = 0;

	for (size_t i = 0; i < args->n; i++)
		count += !args->v[i].name.n;
	return count;
}

/* Handles names that mean different things on different types, by their arguments. True if handled. */
static bool told_by_arguments(struct python *p, struct str attr, const struct py_args *args, TSNode n)
{
	if (str_is_any(attr, "execute executemany executescript")) {
		if (!p->foreign)
			py_sql(p, args, n);
		return true;
	}
	if (str_is(attr, "write") && p->writes_trees && args && args->n) {
		const struct pvs *v = py_arg(p, args, 0, "file_or_filename");

		for (size_t i = 0; v && i < v->n; i++)
			if (v->v[i]->kind != PV_INST)
				py_writes(p, v->v[i], "write", n);
		return true;
	}
	if (str_is(attr, "write") || !args || args->open)
		return str_is(attr, "write");
	if (str_is(attr, "replace")) /* Path.replace() has one argument, str.replace() two */
		return count_positional(args) >= 2 ||
		       (!count_positional(args) && !py_keyword(args, "target"));
	if (str_is(attr, "copy"))
		return !count_positional(args) && !py_keyword(args, "target");
	if (str_is(attr, "open")) {
		bool reads = true;

		for (size_t i = 0; i < args->n && i < 3; i++)
			reads &= !args->v[i].name.n || str_is(args->v[i].name, "mode") ? !py_mode_writes(p,
					args->v[i].v, false) : !str_is(args->v[i].name, "opener");
		return reads;
	}
	return false;
}

/* True for methods that initialise an object again: __init__ of an open file opens another file. */
static bool is_maker(struct str attr) { return str_is_any(attr, "__init__ __new__"); }

static bool is_class_name(struct str name)
{
	return py_is_builtin(name) && (ascii_is_upper(name.p[0]) || str_is_any(name,
			"object dict list str int tuple set"));
}

/* True for super().__init__(), Base.__init__(self) and object.__new__(cls). */
static bool on_super(struct python *p, TSNode n)
{
	TSNode object = node_field(n, "object");
	struct str name = node_text(p->w, node_is(object, "call") ? node_field(object, "function") : object);
	const struct py_binding *b = pmap_get(p->module->names, name);

	if (node_is(object, "call"))
		return str_is(name, "super") && !b;
	return node_is(object, "identifier") &&
			(b ? b->ndefs == 1 && b->defs->kind == DEF_USER : is_class_name(name));
}

void py_unknown_attribute(struct python *p, struct str attr, const struct py_args *args, TSNode n)
{
	if (str_starts(attr, "__") && str_ends(attr, "__")) {
		if (!py_special_name(attr) || (args && is_maker(attr) && !on_super(p, n)))
			code_marker_add(p->w, MARKER_DUNDER, n);
		return;
	}
	if (told_by_arguments(p, attr, args, n) || py_harmless_name(attr))
		return;
	if (!py_effect_name(attr) && (p->foreign || pmap_get(p->own, attr)))
		return;
	code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
}

/* ---- imports and stores ---- */

static void local_files(struct python *p, struct str dir, TSNode n)
{
	struct access *x = arena_copy(p->a, (struct access){.kind = ACCESS_EXEC, .cause = CAUSE_IMPORT,
			.at = node_at(p->w, n)});

	x->path = (struct word){.kind = WORD_REST, .glob = true, .text = py_path_join(p, dir, STR("*")),
			.at = x->at};
	x->when = snippet_moment(p->w->s);
	LIST_ADD(p->w->f->accesses_end, x);
}

/* True for a known absolute path without characters of a pattern. */
static bool can_be_listed(struct str dir)
{
	for (size_t i = 0; i < dir.n; i++)
		if (memchr("*?[]\\{}()!+@", dir.p[i], 13))
			return false;
	return text_exact(dir) && str_starts(dir, "/");
}

/*
 * The working directory comes first in the module search path. That also applies to modules that the standard
 * library imports, and to those that Python loads to show an error. So any module in that directory may run.
 * Code that changes its directory searches each one.
 */
void py_shadows(struct python *p, TSNode n)
{
	for (size_t i = 0; i < p->ncwds; i++) {
		struct str dir = p->cwds[i];

		if (can_be_listed(dir))
			/* the gate examines only files with the name of a module */
			local_files(p, dir, n);
		else if (p->w->code->imports || (dir.n && text_exact(dir) && dir.p[0] == '/'))
			code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "python module", n);
	}
}

void py_import(struct python *p, struct str module, bool in_class, TSNode n)
{
	static const char marked[][8] = {"ctypes", "cffi"};
	ptrdiff_t dot = str_find(module, '.', 0);
	struct str top = dot < 0 ? module : str_first(module, (size_t)dot);

	code_import_add(p->w, module, n);
	if (in_class)
		code_marker_add(p->w, MARKER_MODULE, n); /* the module becomes an attribute of the class */
	p->writes_trees |= str_starts(module, "xml.etree");
	/* __main__, and private modules of the standard library */
	if (str_starts(top, "_") && !str_is(top, "__future__")) {
		code_marker_add(p->w, MARKER_MODULE, n);
		return;
	}
	if (!py_is_stdlib(top)) {
		p->foreign = true;
		code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "python module", n);
		return;
	}
	if (py_module(module) == PY_MODULE_STDLIB || (dot >= 0 && py_module(module) == PY_MODULE_OTHER &&
			!py_row(module)))
		code_marker_add(p->w, MARKER_MODULE, n);
	for (size_t i = 0; i < ARRAY_SIZE(marked); i++)
		if (str_is(top, marked[i]))
			code_marker_add(p->w, MARKER_CTYPES, n);
}

void py_store(struct python *p, const struct pvs *object, struct str attr, TSNode n)
{
	static const char free_to_set[][24] = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.argv",
			"sys.tracebacklimit", "sys.dont_write_bytecode", "sys.excepthook",
			"csv.field_size_limit", "random.seed", "decimal.getcontext"};

	for (size_t i = 0; i < object->n; i++) {
		const struct pv *v = object->v[i];
		size_t k = 0;

		if (v->kind == PV_PATH || v->kind == PV_BELOW || v->kind == PV_INST || v->kind == PV_TEXT ||
				v->kind == PV_METHOD)
			/* its later behaviour may depend on the attribute */
			code_marker_add(p->w, MARKER_SETATTR, n);

		if (v->kind == PV_NAME && (py_is_stdlib(v->text) || py_is_builtin(v->text))) {
			struct str full = str_fmt(p->a, "%.*s.%.*s", STR_ARG(v->text), STR_ARG(attr));

			while (k < ARRAY_SIZE(free_to_set) && !str_is(full, free_to_set[k]))
				k++;
			if (str_is(full, "sys.path"))
				code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "sys.path", n);
			else if (k == ARRAY_SIZE(free_to_set))
				code_marker_add(p->w, MARKER_SETATTR, n);
		} else if (v->kind == PV_LOST ||
				(str_starts(attr, "__") && str_ends(attr, "__") &&
				(v->kind != PV_USER || !py_special_name(attr) || str_is_any(attr,
						"__class__ __match_args__")))) {
			code_marker_add(p->w, MARKER_SETATTR, n);
		}
	}
}
