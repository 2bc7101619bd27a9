/* PowerShell expressions: operators, members, and known types and methods of .NET. See powershell.h. */
#include <strings.h>

#include "base/num.h"
#include "code/powershell.h"

#define ARGUMENTS_MAX 16

/* ---- operators ---- */

struct operator {
	char names[384]; /* separated by blanks: "-a -b" */
	unsigned level;
};

static const struct operator operators[] = {
	{"-and -or -xor", 1},
	{"-band -bor -bxor", 2},
	{"-eq -ne -gt -ge -lt -le -like -notlike -match -notmatch -contains -notcontains -in -notin -is "
			"-isnot -as -replace -split -join -shl -shr -ceq -cne -cgt -cge -clt -cle "
	 "-clike -cnotlike -cmatch -cnotmatch -ccontains -cnotcontains -creplace -csplit -ieq -ine -igt "
	 "-ige -ilt -ile -ilike -inotlike -imatch -inotmatch -icontains -inotcontains "
	 "-ireplace -isplit -cin -cnotin -iin -inotin", 3},
	{"-f", 6},
};

/* Returns the precedence of the operator here, 0 if there is none. *ret receives its text. */
static unsigned operator_at(struct ps *p, struct str *ret)
{
	char c = ps_at(p, 0);
	size_t n = 1;

	if (c == '-' && ((ps_at(p, 1) | 32) >= 'a' && (ps_at(p, 1) | 32) <= 'z')) {
		while (ps_name_char(ps_at(p, n)))
			n++;
		*ret = str_sub(p->s, p->i, p->i + n);
		for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
			if (str_like_any(*ret, operators[i].names))
				return operators[i].level;
		return 0;
	}
	*ret = str_sub(p->s, p->i, p->i + 1);
	if ((c == '+' || c == '-') && ps_at(p, 1) != '=' && ps_at(p, 1) != c)
		return 4;
	if ((c == '*' || c == '/' || c == '%') && ps_at(p, 1) != '=')
		return 5;
	if (c == '.' && ps_at(p, 1) == '.') {
		*ret = str_sub(p->s, p->i, p->i + 2);
		return 7;
	}
	if (c == '?' && ps_at(p, 1) == '?' && ps_at(p, 2) != '=') {
		*ret = str_sub(p->s, p->i, p->i + 2);
		return 1;
	}
	return 0;
}

static struct ps_val join_values(struct ps *p, const struct ps_val *list, struct str by)
{
	struct buf b;

	if (list->kind != PS_LIST || !text_exact(by))
		return list->kind == PS_TEXT ? *list : (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < list->nitems; i++) {
		if (i)
			buf_str(&b, by);
		buf_str(&b, ps_text(p, &list->items[i]));
	}
	return ps_of(buf_view(&b));
}

static struct ps_val format_values(struct ps *p, struct str f, const struct ps_val *v)
{
	struct buf b;

	if (!text_exact(f))
		return ps_of(CODE_HOLE);
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < f.n; i++) {
		if (f.p[i] != '{' && f.p[i] != '}') {
			buf_char(&b, f.p[i]);
		} else if (f.p[i] == '{' && i + 2 < f.n && ascii_is_digit(f.p[i + 1]) && f.p[i + 2] == '}') {
			size_t k = (size_t)(f.p[i + 1] - '0');
			const struct ps_val *arg = v->kind == PS_LIST ?
					(k < v->nitems ? &v->items[k] : NULL) : k == 0 ? v : NULL;

			buf_str(&b, arg ? ps_text(p, arg) : CODE_HOLE);
			i += 2;
		} else {
			return ps_of(CODE_HOLE);
		}
	}
	return ps_of(buf_view(&b));
}

static enum ps_kind worse(enum ps_kind a, enum ps_kind b)
{
	if (a == PS_FETCHED || b == PS_FETCHED)
		return PS_FETCHED;
	return a == PS_DECODED || b == PS_DECODED ? PS_DECODED : PS_DATA;
}

static struct ps_val apply_operator(struct ps *p, struct str op, const struct ps_val *l,
	const struct ps_val *r)
{
	enum ps_kind kind = worse(l->kind, r->kind);

	ps_walk_blocks(p, l);
	ps_walk_blocks(p, r);
	if (kind != PS_DATA)
		return (struct ps_val){.kind = kind, .text = CODE_HOLE};
	if (str_is(op, "+") && l->kind == PS_TEXT && !l->number && (r->kind == PS_TEXT || r->kind == PS_ANY ||
			r->kind == PS_DATA))
		return ps_of(str_cat(p->a, l->text, ps_text(p, r)));
	if (str_is_like(op, "-f"))
		return format_values(p, ps_text(p, l), r);
	if (str_is_like(op, "-join"))
		return join_values(p, l, ps_text(p, r));
	if (str_is(op, "??"))
		return PS_UNKNOWN;
	return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
}

static struct ps_val read_unary(struct ps *p);

struct ps_val ps_list(struct ps *p, struct ps_val first, struct ps_val (*item)(struct ps *p), size_t *ret_end)
{
	struct ps_val *items = arena_alloc(p->a, PS_LIST_MAX * sizeof(*items));
	size_t n = 1;

	items[0] = first;
	while (!ps_end(p) && ps_at(p, 0) == ',') {
		p->i++;
		ps_newlines(p);
		struct ps_val v = item(p);
		if (n == PS_LIST_MAX) {
			ps_mark(p, MARKER_BOUND);
			n--;
		}
		items[n++] = v;
		*ret_end = p->i;
		ps_blanks(p);
	}
	return (struct ps_val){.kind = PS_LIST, .items = items, .nitems = n};
}

/* Reads a, b, c. The comma binds more tightly than everything but unary operators. */
static struct ps_val read_comma(struct ps *p)
{
	struct ps_val first = read_unary(p);
	size_t end;

	ps_blanks(p);
	return ps_at(p, 0) == ',' ? ps_list(p, first, read_unary, &end) : first;
}

struct ps_val ps_expression(struct ps *p, unsigned level)
{
	struct ps_val l;

	if (p->depth >= PS_DEPTH_MAX) {
		p->stopped = true;
		ps_mark(p, MARKER_BOUND);
		return PS_UNKNOWN;
	}
	p->depth++;
	l = read_comma(p);
	for (struct str op;;) {
		unsigned is;

		ps_blanks(p);
		is = ps_end(p) ? 0 : operator_at(p, &op);
		if (!is || is < level)
			break;
		p->i += op.n;
		ps_newlines(p);
		struct ps_val r = ps_expression(p, is + 1);
		l = apply_operator(p, op, &l, &r);
	}
	/* a ? b : c */
	if (level <= 1 && ps_at(p, 0) == '?' && (ps_at(p, 1) == ' ' || ps_at(p, 1) == '\n') && !ps_end(p)) {
		p->i++;
		ps_newlines(p);
		ps_expression(p, 1);
		ps_newlines(p);
		if (ps_at(p, 0) != ':')
			ps_fail(p);
		p->i++;
		ps_newlines(p);
		ps_expression(p, 1);
		l = PS_UNKNOWN;
	}
	p->depth--;
	return l;
}

/* ---- types ---- */

/* Reads a type name from its [, including generic arguments, without blanks. */
static struct str type_name(struct ps *p)
{
	size_t from = ++p->i;
	unsigned open = 1;

	for (; !ps_end(p); p->i++) {
		char c = ps_at(p, 0);

		if (c == '[')
			open++;
		else if (c == ']' && --open == 0)
			break;
		else if (c == '(') { /* an attribute: [Parameter(Mandatory)] */
			p->i++;
			while (!ps_end(p) && ps_at(p, 0) != ')') {
				if (strchr("${`", ps_at(p, 0)))
					ps_mark(p, MARKER_TYPE);
				p->i++;
			}
		} else if (!ps_name_char(c) && !strchr(".,+ \t\r\n", c)) {
			ps_fail(p);
			return STR("");
		}
	}
	if (ps_end(p)) {
		ps_fail(p);
		return STR("");
	}
	p->i++;
	struct str name = str_sub(p->s, from, p->i - 1);
	while (name.n && (name.p[0] == ' '))
		name = str_from(name, 1);
	while (name.n && name.p[name.n - 1] == ' ')
		name.n--;
	if (str_find(name, '(', 0) > 0)
		name.n = (size_t)str_find(name, '(', 0);
	if (name.n > 7 && !strncasecmp(name.p, "System.", 7))
		name = str_from(name, 7);
	return name;
}

static struct str member_name(struct ps *p)
{
	size_t from = p->i;

	if (ps_at(p, 0) == '\'' || ps_at(p, 0) == '"') {
		struct ps_val v = ps_string(p);
		return text_exact(v.text) ? v.text : STR("");
	}
	while (ps_name_char(ps_at(p, 0)))
		p->i++;
	return str_sub(p->s, from, p->i);
}

static size_t read_arguments(struct ps *p, struct ps_val *args) /* at ( */
{
	struct ps_val v;
	size_t n = 0;

	p->i++;
	ps_newlines(p);
	if (ps_at(p, 0) == ')') {
		p->i++;
		return 0;
	}
	v = ps_expression(p, 0);
	ps_newlines(p);
	ps_take(p, ')');
	if (v.kind != PS_LIST) {
		args[n++] = v;
		return n;
	}
	for (; n < v.nitems && n < ARGUMENTS_MAX; n++)
		args[n] = v.items[n];
	if (n < v.nitems)
		ps_mark(p, MARKER_BOUND);
	return n;
}

static struct ps_val of_letter(char out)
{
	switch (out) {
	case 'f': return (struct ps_val){.kind = PS_FETCHED, .text = CODE_HOLE};
	case 'e': return (struct ps_val){.kind = PS_DECODED, .text = CODE_HOLE};
	case 't': case 'd': return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	default: return PS_UNKNOWN;
	}
}

/* .NET has its own working directory, which Set-Location does not change. */
static void static_effects(struct ps *p, const struct ps_static *m, const struct ps_val *args, size_t n)
{
	struct str cwd = p->w->s->cwd;

	p->w->s->cwd = p->start;
	for (size_t i = 0; m->args[i]; i++) {
		struct ps_val hole = PS_UNKNOWN;
		const struct ps_val *v = i < n ? &args[i] : &hole;

		switch (m->args[i]) {
		case 'r': ps_access(p, ACCESS_READ, v, false, true, m->method); break;
		case 'w': ps_access(p, ACCESS_WRITE, v, false, true, m->method); break;
		case 'd': ps_access(p, ACCESS_DELETE, v, false, true, m->method); break;
		case 'D': ps_access(p, ACCESS_DELETE, v, true, true, m->method); break;
		case 'W': ps_access(p, ACCESS_WRITE, v, true, true, "Expand-Archive"); break;
		case 'u': ps_touch(p, v); break;
		case 'c': ps_code(p, v); break;
		}
	}
	p->w->s->cwd = cwd;
}

static void start_process(struct ps *p, const struct ps_val *args, size_t n)
{
	struct word *argv = arena_alloc(p->a, 2 * sizeof(*argv));
	struct str name = n ? ps_text(p, &args[0]) : CODE_HOLE;

	argv[0] = (struct word){.kind = text_exact(name) ? WORD_EXACT : WORD_UNKNOWN, .text = name,
			.at = p->w->here};
	argv[1] = (struct word){.kind = WORD_REST, .at = p->w->here};
	if (!p->mute)
		code_run_argv(p->w, argv, n > 1 ? 2 : 1, (TSNode){0});
}

static struct ps_val call_static(struct ps *p, struct str type, struct str name, const struct ps_val *args,
		size_t n)
{
	const struct ps_static *m = ps_static(type, name);

	if (str_is_like(type, "Environment") && str_is_like(name, "SetEnvironmentVariable")) {
		if (n > 2)
			ps_mark(p, MARKER_PERSISTENCE);
		if (n >= 2)
			ps_setting(p, ps_text(p, &args[0]), ps_text(p, &args[1]));
		return (struct ps_val){.kind = PS_NULL};
	}
	if (str_is_like(type, "Diagnostics.Process") && str_is_like(name, "Start")) {
		start_process(p, args, n);
		return PS_UNKNOWN;
	}
	if (str_is_like(type, "IO.Path") && str_like_any(name, "Combine Join")) {
		struct ps_val v = {.kind = PS_LIST, .items = args, .nitems = n};

		/* a later absolute path replaces the earlier ones, so the result is known only without one */
		return join_values(p, &v, STR("/"));
	}
	if (str_is_like(type, "string") && str_is_like(name, "Join") && n == 2)
		return join_values(p, &args[1], ps_text(p, &args[0]));
	if (!m) {
		ps_mark(p, MARKER_METHOD);
		return PS_UNKNOWN;
	}
	for (size_t i = 0; i < n; i++)
		ps_walk_blocks(p, &args[i]); /* [regex]::Replace($a, $b, { ... }) */
	static_effects(p, m, args, n);
	if (m->out == 'e' && n && args[0].kind != PS_TEXT && args[0].kind != PS_ANY &&
			args[0].kind != PS_DATA)
		return args[0];
	return of_letter(m->out);
}

static bool any_absolute(const struct ps_val *args, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (args[i].kind != PS_TEXT || !args[i].text.n || strchr("/\\", args[i].text.p[0]) ||
				text_hole(args[i].text.p[0]) ||
				(args[i].text.n > 1 && args[i].text.p[1] == ':'))
			return true;
	return false;
}

static bool static_assigned(const struct ps *p)
{
	size_t k = 0;

	while (ascii_is_blank(ps_at(p, k)))
		k++;
	return ps_at(p, k) == '=';
}

/* Reads a type in brackets: a cast, [x]::member, or the type itself. */
static struct ps_val type_expression(struct ps *p)
{
	size_t from = p->i;
	struct str type = type_name(p), name;
	struct ps_val args[ARGUMENTS_MAX];
	size_t n;

	ps_at_span(p, from, p->i);
	if (ps_at(p, 0) == ':' && ps_at(p, 1) == ':') {
		p->i += 2;
		name = member_name(p);
		if (!name.n) {
			ps_mark(p, MARKER_METHOD);
			return ps_at(p, 0) == '$' ? ps_variable(p) : PS_UNKNOWN;
		}
		if (ps_at(p, 0) == '(') {
			args[0] = PS_UNKNOWN;
			n = read_arguments(p, args);
			ps_at_span(p, from, p->i);
			if (str_is_like(type, "IO.Path") && str_like_any(name, "Combine Join") &&
					any_absolute(args, n))
				return ps_of(CODE_HOLE);
			struct ps_val *kept = arena_alloc(p->a, ARGUMENTS_MAX * sizeof(*kept));
			memcpy(kept, args, n * sizeof(*kept));
			return call_static(p, type, name, kept, n);
		}
		if (str_is_like(name, "CurrentDirectory") && static_assigned(p))
			/* the working directory of .NET and of all child processes */
			ps_mark(p, MARKER_DIRECTORY);
		return ps_type_harmless(type) || ps_static(type, name) ? (struct ps_val){.kind = PS_DATA,
				.text = CODE_HOLE} : PS_UNKNOWN;
	}
	ps_newlines(p);
	/* the type as a value: reflection starts here, and its methods are not listed */
	if (ps_end(p) || strchr(").;|},]\n=", ps_at(p, 0))) {
		if (str_is_like(type, "Ref") || str_is_like(type, "Reflection.Assembly"))
			ps_mark(p, MARKER_REFLECTION);
		return PS_UNKNOWN;
	}
	struct ps_val v = read_unary(p);
	if (str_is_like(type, "char") && v.number && text_exact(v.text)) {
		int64_t code;
		char *c = arena_alloc(p->a, 2);

		if (num_parse(v.text, 1, 127, &code) == 0) {
			c[0] = (char)code;
			return ps_of(str_n(c, 1));
		}
	}
	if (str_like_any(type, "string IO.FileInfo IO.DirectoryInfo"))
		return v.kind == PS_TEXT ? v : (struct ps_val){.kind = v.kind == PS_FETCHED ||
				v.kind == PS_DECODED ? v.kind : str_is_like(type, "string") ? PS_DATA :
				PS_ANY,
				.text = CODE_HOLE};
	if (!ps_type_harmless(type))
		ps_mark(p, MARKER_TYPE);
	if (str_like_any(type, "array string[] object[] char[]") || v.kind == PS_FETCHED ||
			v.kind == PS_DECODED)
		return v;
	return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
}

/* ---- members ---- */

static struct ps_val client_call(struct ps *p, struct str name, const struct ps_val *args, size_t n)
{
	struct ps_val hole = PS_UNKNOWN;

	if (str_like_any(name,
	"DownloadString DownloadData DownloadStringTaskAsync OpenRead GetStringAsync")) {
		ps_touch(p, n ? &args[0] : &hole);
		return (struct ps_val){.kind = PS_FETCHED, .text = CODE_HOLE};
	}
	if (str_like_any(name, "DownloadFile DownloadFileTaskAsync")) {
		ps_touch(p, n ? &args[0] : &hole);
		ps_access(p, ACCESS_WRITE, n > 1 ? &args[1] : &hole, false, true, "DownloadFile");
		return (struct ps_val){.kind = PS_NULL};
	}
	ps_mark(p, MARKER_METHOD);
	return PS_UNKNOWN;
}

/* The value of a property of an object from a pipe or variable. */
static struct ps_val property_of(struct ps *p, const struct ps_val *v, struct str name)
{
	if (v->kind == PS_FILES) {
		if (str_like_any(name, "FullName PSPath Path ResolvedPath"))
			return *v;
		if (str_like_any(name, "Name BaseName PSChildName"))
			return ps_of(str_n("\2", 1));
	}
	if (v->kind == PS_FETCHED || v->kind == PS_CLIENT || v->kind == PS_DECODED)
		return *v;
	if (v->kind == PS_TEXT && str_ends(v->text, "_profile.ps1") &&
			str_like_any(name,
			"CurrentUserAllHosts CurrentUserCurrentHost AllUsersAllHosts AllUsersCurrentHost"))
		return ps_of(str_sub(v->text, 0, v->text.n));
	if (v->kind == PS_TEXT || v->kind == PS_LIST || v->kind == PS_DATA ||
			str_like_any(name,
			"Name FullName BaseName Extension Length Count Content Path Value Key Id Line "
			"Message Version"))
		return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	(void)p;
	return PS_UNKNOWN;
}

static struct ps_val call_method(struct ps *p, const struct ps_val *v, struct str name,
		const struct ps_val *args, size_t n)
{
	if (v->kind == PS_CLIENT)
		return client_call(p, name, args, n);
	if (str_is_like(name, "foreach") || str_is_like(name, "where")) {
		if (!n || args[0].kind != PS_BLOCK)
			ps_mark(p, MARKER_METHOD); /* the argument may name a method */
		return n && args[0].kind == PS_BLOCK ? ps_block_at(p, args[0].from, NULL) : PS_UNKNOWN;
	}
	if (v->kind == PS_BLOCK && str_like_any(name, "Invoke InvokeReturnAsIs"))
		return ps_block_at(p, v->from, NULL);
	if (str_like_any(name, "InvokeScript ExpandString NewScriptBlock AddScript")) {
		if (n)
			ps_code(p, &args[0]);
		ps_mark(p, MARKER_METHOD);
		return PS_UNKNOWN;
	}
	for (size_t i = 0; i < n; i++)
		ps_walk_blocks(p, &args[i]);
	if (!ps_method_harmless(name, v->kind)) {
		ps_mark(p, MARKER_METHOD);
		return PS_UNKNOWN;
	}
	if (n && (args[0].kind == PS_FETCHED || args[0].kind == PS_DECODED))
		return args[0];
	if (v->kind == PS_FETCHED || v->kind == PS_DECODED)
		return *v;
	if (v->kind == PS_TEXT && str_like_any(name, "ToString Trim"))
		return v->text.n ? *v : *v;
	return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
}

static struct ps_val element_of(struct ps *p, const struct ps_val *v)
{
	struct ps_val index;
	int64_t k;

	p->i++;
	ps_newlines(p);
	index = ps_expression(p, 0);
	ps_newlines(p);
	ps_take(p, ']');
	if (v->kind == PS_LIST && index.kind == PS_TEXT && index.number &&
			num_parse(index.text, 0, PS_LIST_MAX, &k) == 0 && (size_t)k < v->nitems)
		return v->items[k];
	if (v->kind == PS_DATA || v->kind == PS_FETCHED || v->kind == PS_DECODED || v->kind == PS_FILES)
		return *v;
	return v->kind == PS_TEXT || v->kind == PS_LIST ? (struct ps_val){.kind = PS_DATA,
			.text = CODE_HOLE} : PS_UNKNOWN;
}

/* Reads .name, .name(...), [index], ::name, ++ or -- directly after an operand, without a blank. */
static struct ps_val read_postfix(struct ps *p, struct ps_val v, size_t from)
{
	while (!ps_end(p) && ps_step(p)) {
		char c = ps_at(p, 0), next = ps_at(p, 1);
		struct ps_val args[ARGUMENTS_MAX];
		struct str name;

		if (c == '[') {
			v = element_of(p, &v);
			continue;
		}
		if ((c == '+' && next == '+') || (c == '-' && next == '-')) {
			p->i += 2;
			continue;
		}
		bool member = (c == '.' && next != '.') || (c == '?' && next == '.') ||
				(c == ':' && next == ':');
		if (!member)
			break;
		p->i += c == '.' ? 1 : 2;
		if (ps_at(p, 0) == '$' || ps_at(p, 0) == '(') {
			ps_mark(p, MARKER_MEMBER);
			if (ps_at(p, 0) == '$')
				ps_variable(p);
			else
				ps_primary(p);
			name = STR("");
		} else {
			name = member_name(p);
			if (!name.n)
				ps_fail(p);
		}
		if (ps_at(p, 0) == '{' && str_like_any(name, "foreach where")) {
			p->i++;
			size_t block = p->i;

			ps_skip_block(p);
			ps_block_at(p, block, NULL);
			v = PS_UNKNOWN;
		} else if (ps_at(p, 0) == '(') {
			size_t n = read_arguments(p, args);

			ps_at_span(p, from, p->i);
			v = name.n ? call_method(p, &v, name, args, n) : PS_UNKNOWN;
		} else {
			v = name.n ? property_of(p, &v, name) : PS_UNKNOWN;
		}
	}
	return v;
}

/* ---- operands ---- */

static struct ps_val read_number(struct ps *p)
{
	size_t from = p->i;

	while (ps_name_char(ps_at(p, 0)) || (ps_at(p, 0) == '.' && ps_at(p, 1) >= '0' && ps_at(p, 1) <= '9'))
		p->i++;
	return (struct ps_val){.kind = PS_TEXT, .text = str_sub(p->s, from, p->i), .number = true};
}

static void hash_key(struct ps *p)
{
	if (ps_at(p, 0) == '$' || ps_at(p, 0) == '\'' || ps_at(p, 0) == '"' || ps_at(p, 0) == '(') {
		ps_primary(p);
		return;
	}
	size_t from = p->i;
	while (ps_name_char(ps_at(p, 0)) || ps_at(p, 0) == '-' || ps_at(p, 0) == '.')
		p->i++;
	if (p->i == from)
		ps_fail(p);
}

static struct ps_val read_hash(struct ps *p) /* after @{ */
{
	for (;;) {
		ps_lines(p);
		if (ps_end(p) || ps_at(p, 0) == '}')
			break;
		hash_key(p);
		ps_blanks(p);
		if (!ps_take(p, '='))
			break;
		ps_newlines(p);
		struct ps_val v = ps_pipeline(p);
		ps_walk_blocks(p, &v);
		ps_blanks(p);
		if (!ps_end(p) && !strchr("\n;}", ps_at(p, 0)))
			ps_fail(p);
	}
	if (ps_end(p))
		ps_fail(p);
	p->i++;
	return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
}

struct ps_val ps_parenthesis(struct ps *p)
{
	struct ps_val v;

	ps_newlines(p);
	v = ps_pipeline(p);
	ps_newlines(p);
	ps_take(p, ')');
	v.bare = false;
	return v;
}

static struct ps_val read_operand(struct ps *p)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);

	if (c == '\'' || c == '"' || (c == '@' && (next == '\'' || next == '"')))
		return ps_string(p);
	if ((c == '$' || c == '@') && next == '(') {
		p->i += 2;
		struct ps_val v = ps_statements(p, ')');
		if (c == '@' && v.kind == PS_TEXT) { /* a list of one item, to which code can assign */
			struct ps_val *one = arena_new(p->a, struct ps_val);

			*one = v;
			return (struct ps_val){.kind = PS_LIST, .items = one, .nitems = 1};
		}
		if (c == '@' && v.kind == PS_NULL)
			return (struct ps_val){.kind = PS_LIST};
		return v;
	}
	if (c == '@' && next == '{') {
		p->i += 2;
		return read_hash(p);
	}
	if (c == '$')
		return ps_variable(p);
	if (c == '(') {
		p->i++;
		return ps_parenthesis(p);
	}
	if (c == '[')
		return type_expression(p);
	if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(next)))
		return read_number(p);
	if (c == '{') {
		p->i++;
		struct ps_val v = {.kind = PS_BLOCK, .text = CODE_HOLE, .from = p->i};

		ps_skip_block(p);
		return v;
	}
	ps_fail(p);
	return PS_UNKNOWN;
}

struct ps_val ps_primary(struct ps *p)
{
	size_t from = p->i;

	if (!ps_step(p))
		return PS_UNKNOWN;
	struct ps_val v = read_operand(p);
	return read_postfix(p, v, from);
}

static struct ps_val read_unary(struct ps *p)
{
	char c = ps_at(p, 0);
	struct ps_val v;

	if (!ps_enter(p))
		return PS_UNKNOWN;
	if (c == '!' || c == ',' ||
			((c == '-' || c == '+') &&
			!((ps_at(p, 1) | 32) >= 'a' && (ps_at(p, 1) | 32) <= 'z'))) {
		p->i += ps_at(p, 1) == c && c != '!' ? 2 : 1;
		ps_blanks(p);
		v = read_unary(p);
		if (c == '!')
			v = (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
		else if (c == '-' && v.kind == PS_TEXT && v.number)
			v.text = str_cat(p->a, STR("-"), v.text);
	} else if (c == '-') {
		size_t n = 1;

		while (ps_name_char(ps_at(p, n)))
			n++;
		struct str op = str_sub(p->s, p->i, p->i + n);
		if (!str_like_any(op, "-not -bnot -join -split -csplit -isplit"))
			ps_fail(p);
		p->i += n;
		ps_newlines(p);
		v = read_unary(p);
		if (str_is_like(op, "-join"))
			v = join_values(p, &v, STR(""));
		else if (v.kind != PS_FETCHED && v.kind != PS_DECODED)
			v = (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	} else {
		v = ps_primary(p);
	}
	p->depth--;
	return v;
}
