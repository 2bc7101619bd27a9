/* PowerShell commands: the effects of cmdlets, by their parameters. See powershell.h. */
#include <strings.h>

#include "code/powershell_call.h"

/* ---- effects ---- */

static bool is_literal(const struct bound *b)
{
	return b->name && (!strncasecmp(b->name, "Literal", 7) || !strncasecmp(b->name, "PSPath", 6) ||
			!strncasecmp(b->name, "Out", 3));
}

static void change_directory(struct ps *p, const struct ps_val *v)
{
	struct str path = ps_text(p, v), cwd = p->w->s->cwd;

	if (!p->moves)
		/* the first pass did not see this command, so earlier relative paths may be wrong */
		ps_mark(p, MARKER_DIRECTORY);

	if (!text_exact(path) || !path.n || !text_exact(cwd) || strchr("-+~", path.p[0]) ||
			(str_has(path, ':')) || str_has(path, '*')) {
		p->w->s->cwd = path.n && path.p[0] == '~' && path.n == 1 && p->w->v->home.n ? p->w->v->home :
				CODE_HOLE;
		return;
	}
	char *c = str_c(p->a, path);
	for (size_t i = 0; i < path.n; i++)
		if (c[i] == '\\')
			c[i] = '/';
	p->w->s->cwd = c[0] == '/' ? str_n(c, path.n) : str_path(p->a, cwd, str_of(c));
}

static void note_effect(struct ps *p, struct ps_call *c, char kind, const struct ps_val *v, bool lit)
{
	const char *op = c->row->name;

	switch (kind) {
	case 'r': ps_access(p, ACCESS_READ, v, ps_has(c, "Recurse") != NULL, lit, op); break;
	case 'w': ps_access(p, ACCESS_WRITE, v, false, lit, op); break;
	case 'D': ps_access(p, ACCESS_WRITE, v, true, true, op); break;
	case 'W': ps_access(p, ACCESS_WRITE, v, true, true, "Expand-Archive"); break;
	case 'd': ps_access(p, ACCESS_DELETE, v, ps_has(c, "Recurse") || ps_has(c, "Destination"), lit,
			op); break;
	case 'e': ps_access(p, ACCESS_EXEC, v, false, lit, op); break;
	case 'u': case 'h': ps_touch(p, v); break;
	case 'c': ps_code(p, v); break;
	case 't': change_directory(p, v); break;
	case 'M': ps_mark(p, MARKER_METHOD); break;
	default: break;
	}
}

static void rename_beside(struct ps *p, struct ps_call *c, const struct bound *b)
{
	struct ps_val name = ps_of(ps_text(p, &b->val)), source = PS_UNKNOWN;
	const struct bound *from = ps_has(c, "Path") ? ps_has(c, "Path") : ps_has(c, "LiteralPath");

	if (from)
		source = from->val;
	else if (c->in)
		source = *c->in;
	if (b->val.kind == PS_BLOCK)
		name = ps_of(CODE_HOLE);
	if (source.kind == PS_TEXT || source.kind == PS_FILES)
		name.text = str_cat(p->a, ps_parent(source.text), name.text);
	else
		name.text = CODE_HOLE;
	ps_access(p, ACCESS_WRITE, &name, false, true, "Rename-Item");
}

static void fetched_file(struct ps *p, const struct ps_call *c)
{
	const struct bound *out = ps_has(c, "OutFile") ? ps_has(c, "OutFile") : ps_has(c, "Destination");

	if (out && p->nfetched < PS_FETCHED_MAX && !p->mute)
		p->fetched[p->nfetched++] = ps_text(p, &out->val);
}

static void new_item(struct ps *p, struct ps_call *c)
{
	const struct bound *type = ps_has(c, "ItemType") ? ps_has(c, "ItemType") : ps_has(c, "Type"),
			*name = ps_has(c, "Name"), *path = ps_has(c, "Path");
	struct str t = type ? ps_text(p, &type->val) : STR("file");

	if (!text_exact(t))
		ps_mark(p, MARKER_LINK);
	if (str_like_any(t, "SymbolicLink Junction HardLink")) {
		struct ps_val target = ps_has(c, "Target") ? ps_has(c, "Target")->val : ps_has(c, "Value") ?
				ps_has(c, "Value")->val : PS_UNKNOWN;

		/* writes through the link change its target */
		ps_access(p, ACCESS_WRITE, &target, true, true, "New-Item");
		p->w->change = CHANGE_LINK; /* reset at the end of the call */
	}
	if (name) {
		struct str dir = path ? ps_text(p, &path->val) : STR(".");
		struct ps_val v =
				ps_of(str_path(p->a, dir, ps_text(p, &name->val)));

		if (!text_exact(dir) || !text_exact(ps_text(p, &name->val)))
			v.text = CODE_HOLE;
		ps_access(p, ACCESS_WRITE, &v, false, true, "New-Item");
	}
}

static void start_process(struct ps *p, struct ps_call *c)
{
	const struct bound *verb = ps_has(c, "Verb"), *file = ps_has(c, "FilePath"),
			*args = ps_has(c, "ArgumentList");
	struct ps_val hole = PS_UNKNOWN;

	if (!file)
		file = ps_has(c, "Path") ? ps_has(c, "Path") : ps_has(c, "PSPath");
	if (!args)
		args = ps_has(c, "Args");
	if (verb && !str_like_any(ps_text(p, &verb->val), "open"))
		ps_mark(p, MARKER_ELEVATION);
	if (ps_has(c, "Environment") || ps_has(c, "WorkingDirectory"))
		ps_mark(p, MARKER_PROCESS);
	ps_run_program(p, NULL, file ? &file->val : &hole, args ? &args->val : NULL);
}

static struct ps_val join_path(struct ps *p, const struct ps_call *c)
{
	const struct bound *a = ps_has(c, "Path"), *b = ps_has(c, "ChildPath"),
			*more = ps_has(c, "AdditionalChildPath");
	struct str x, y;

	if (!a || !b || more || c->nbound > 2)
		return PS_UNKNOWN;
	x = ps_text(p, &a->val);
	y = ps_text(p, &b->val);
	if (a->val.kind == PS_LIST || b->val.kind == PS_LIST)
		return PS_UNKNOWN;
	return ps_of(str_cat(p->a, str_cat(p->a, x, STR("/")), y));
}

/* The result of Get-ChildItem: the files of a directory that match a pattern. */
static struct ps_val listed_files(struct ps *p, const struct ps_call *c)
{
	const struct bound *path = ps_has(c, "Path") ? ps_has(c, "Path") : ps_has(c, "LiteralPath"),
			*filter = ps_has(c, "Filter");
	bool below = ps_has(c, "Recurse") || ps_has(c, "s") || ps_has(c, "Depth");
	struct str dir = path ? ps_text(p, &path->val) : c->in ? CODE_HOLE : STR("."), name = filter &&
			!below ? ps_text(p, &filter->val) : STR("*");

	if (!text_exact(dir) || !text_exact(name) || (path && path->val.kind == PS_LIST) ||
			ps_has(c, "FollowSymlink"))
		return PS_UNKNOWN;
	if (str_is_like(str_of(c->row->name), "Get-Item") || str_has(dir, '*'))
		return (struct ps_val){.kind = PS_FILES, .text = dir, .below = below};
	return (struct ps_val){.kind = PS_FILES, .text = str_path(p->a, dir, name), .below = below};
}

/* Walks the block once per known item from the pipe, otherwise once for any item. */
static struct ps_val each_item(struct ps *p, const struct ps_val *block, const struct ps_val *in)
{
	struct ps_val last = PS_UNKNOWN;

	if (in && in->kind == PS_LIST) {
		for (size_t i = 0; i < in->nitems && !p->failed && !p->stopped; i++)
			last = ps_block_at(p, block->from, &in->items[i]);
		return in->nitems == 1 ? last : PS_UNKNOWN;
	}
	return ps_block_at(p, block->from, in);
}

static void run_blocks(struct ps *p, struct ps_call *c, const struct ps_val *v, struct ps_val *out)
{
	if (v->kind == PS_BLOCK)
		*out = each_item(p, v, c->in);
	else if (v->kind == PS_LIST)
		ps_walk_blocks(p, v);
	else if (v->kind != PS_TEXT ||
			!str_like_any(v->text,
			"Name FullName BaseName Length Count Id Value Key Content Extension Path Line "
			"LastWriteTime Version ToString ToUpper ToLower Trim"))
		ps_mark(p, MARKER_CALL); /* the text may name a method */
}

static void registry_of(struct ps *p, const struct ps_call *c)
{
	const struct bound *path = ps_has(c, "Path") ? ps_has(c, "Path") : ps_has(c, "LiteralPath");

	if (path && !text_exact(ps_text(p, &path->val)))
		ps_mark(p, MARKER_SYSTEM_CHANGE);
}

/* True for select @{n='Path';e={...}}, whose output is a different object. */
static bool is_calculated(const struct ps_call *c)
{
	for (size_t i = 0; i < c->nargs; i++) {
		const struct ps_val *v = &c->args[i].val;

		if (v->kind != PS_TEXT && v->kind != PS_NULL && v->kind != PS_BLOCK &&
				(c->args[i].has || c->args[i].param.n) && c->in)
			return true;
		if (c->args[i].param.n && c->in && !strncasecmp(c->args[i].param.p, "exp",
				c->args[i].param.n < 3 ? c->args[i].param.n : 3))
			return true; /* -ExpandProperty */
	}
	return false;
}

static struct ps_val result_of(struct ps *p, const struct ps_call *c, const struct ps_val *block)
{
	const struct bound *path = ps_has(c, "Path") ? ps_has(c, "Path") : ps_has(c, "LiteralPath");

	switch (c->row->out) {
	case 'd': return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	case 'f': return (struct ps_val){.kind = PS_FETCHED, .text = CODE_HOLE};
	case 'n': return (struct ps_val){.kind = PS_NULL};
	case 'B': return *block;
	case 'i': return is_calculated(c) ? PS_UNKNOWN : c->in ? *c->in : c->nargs == 1 && c->args[0].has &&
			!c->args[0].param.n ? c->args[0].val : PS_UNKNOWN;
	case 'j': return join_path(p, c);
	case 'p': return !strncasecmp(c->row->name, "Get-", 4) ? listed_files(p, c) : path &&
			path->val.kind == PS_TEXT ? path->val : PS_UNKNOWN;
	case 'T': {
		struct ps_val v = ps_of(str_n("/tmp/\2", 6));
		ps_access(p, ACCESS_WRITE, &v, false, true, "New-TemporaryFile");
		return v;
	}
	}
	return PS_UNKNOWN;
}

static void by_name(struct ps *p, struct ps_call *c)
{
	struct str n = str_of(c->row->name);

	if (str_is_like(n, "New-Item") || str_is_like(n, "mkdir"))
		new_item(p, c);
	else if (str_is_like(n, "Start-Process"))
		start_process(p, c);
	else if (str_like_any(n, "Invoke-WebRequest Invoke-RestMethod Start-BitsTransfer"))
		fetched_file(p, c);
	else if (str_is_like(n, "Pop-Location") ||
			((str_is_like(n, "Set-Location") || str_is_like(n, "Push-Location")) && !c->nbound))
		p->w->s->cwd = str_is_like(n, "Set-Location") && p->w->v->home.n ? p->w->v->home : CODE_HOLE;
	else if (str_is_like(n, "Start-Job") && ps_has(c, "WorkingDirectory"))
		ps_mark(p, MARKER_PROCESS);
	else if (str_like_any(n, "Set-ItemProperty New-ItemProperty Remove-ItemProperty"))
		registry_of(p, c);
	else if (str_is_like(n, "Expand-Archive") && !ps_has(c, "DestinationPath")) {
		struct ps_val here = ps_of(STR("."));
		ps_access(p, ACCESS_WRITE, &here, true, true, "Expand-Archive");
	}
	if (ps_has(c, "ComputerName") || ps_has(c, "Session") || ps_has(c, "HostName"))
		ps_mark(p, str_is_like(n, "Invoke-Command") ? MARKER_REMOTE : MARKER_NETWORK);
}

/*
 * Properties of a piped object bind to parameters of the same name that are not given: Destination, Path ...
 */
static void by_property(struct ps *p, struct ps_call *c)
{
	const char *list = c->row->params;
	struct ps_val hole = PS_UNKNOWN;
	struct bound b;
	char position, missing = '\0';

	if (!c->in || c->in->kind == PS_TEXT || c->in->kind == PS_FILES || c->in->kind == PS_NULL ||
			c->in->kind == PS_LIST)
		return;
	for (size_t i = 0; i < c->nbound; i++)
		if (strchr("wdDWne", c->bound[i].kind) && c->bound[i].kind != c->row->pipe)
			return; /* a destination is given, so the others do not apply */
	while (ps_next_param(&list, &b, &position))
		if (strchr("wdDW", b.kind) && b.kind != c->row->pipe)
			missing = b.kind;
	if (missing && !str_like_any(str_of(c->row->name),
			"Tee-Object Invoke-WebRequest Invoke-RestMethod Start-Process"))
		note_effect(p, c, missing, &hole, true);
}

/*
 * Marks abbreviated parameters that name a variable, and cmdlets that set one, if the first pass did not see
 * them.
 */
static void hidden_variable(struct ps *p, const struct ps_call *c)
{
	static const char stems[][20] = {"OutV", "ErrorV", "WarningV", "InformationV", "Pip", "Va",
			"SessionV", "StatusCodeV", "ResponseHeadersV", "ov", "ev", "wv", "iv", "pv"};

	if (p->loose)
		return;
	for (size_t i = 0; i < c->nargs; i++)
		for (size_t k = 0; k < ARRAY_SIZE(stems); k++)
			if (c->args[i].param.n >= strlen(stems[k]) && !strncasecmp(c->args[i].param.p,
					stems[k], strlen(stems[k])) && !str_is_like(c->args[i].param,
					"Value"))
				ps_mark(p, MARKER_VARIABLE);
	if (str_like_any(c->name, "sv nv set clv rv") ||
			str_like_any(c->name, "Set-Variable New-Variable Clear-Variable Remove-Variable"))
		ps_mark(p, MARKER_VARIABLE);
}

/* Handles Get-Process -ComputerName and any other cmdlet that queries another machine. */
static void other_machine(struct ps *p, const struct ps_call *c)
{
	for (size_t i = 0; i < c->nargs; i++) {
		struct str n = c->args[i].param;

		if (!n.n || strncasecmp(c->row->name[0] ? c->row->name : "Get-", "Get-", 4))
			continue;
		if (str_like_any(n, "cn CimSession HostName") ||
				(n.n > 1 && n.n <= strlen("ComputerName") && !strncasecmp("ComputerName", n.p,
				n.n))) {
			struct ps_val hole = PS_UNKNOWN;

			ps_mark(p, MARKER_NETWORK);
			ps_touch(p, &hole);
		}
	}
}

static struct ps_val run_cmdlet(struct ps *p, struct ps_call *c)
{
	struct ps_val block = PS_UNKNOWN;

	hidden_variable(p, c);
	other_machine(p, c);
	if (c->row->say)
		ps_mark(p, c->row->say);
	if (!c->row->name[0]) { /* parameters have no effect, but script blocks in them may run */
		for (size_t i = 0; i < c->nargs; i++) {
			if (c->args[i].val.kind == PS_BLOCK)
				run_blocks(p, c, &c->args[i].val, &block);
			else
				ps_walk_blocks(p, &c->args[i].val);
		}
		return result_of(p, c, &block);
	}
	if (!ps_bind(c)) {
		ps_mark(p, MARKER_PARAMETER);
		for (size_t i = 0; i < c->nargs; i++)
			ps_walk_blocks(p, &c->args[i].val);
		return PS_UNKNOWN;
	}
	by_name(p, c);
	bool path = false;
	for (size_t i = 0; i < c->nbound; i++) {
		const struct bound *b = &c->bound[i];
		bool named = (!strcmp(c->row->name, "New-Item") || !strcmp(c->row->name, "mkdir")) &&
				ps_has(c, "Name") && b->kind == 'w';

		path |= b->name && (strchr("rwde", b->kind) != NULL && (b->n == 4 || is_literal(b)));
		if (b->kind == 'n')
			rename_beside(p, c, b);
		else if (b->kind == 'b')
			run_blocks(p, c, &b->val, &block);
		else if (!b->on && !named)
			note_effect(p, c, b->kind, &b->val, is_literal(b));
		if (b->kind != 'b')
			ps_walk_blocks(p, &b->val);
	}
	by_property(p, c);
	if (c->in && c->row->pipe && (!path || c->row->pipe == 'c') && c->row->pipe != 'o')
		note_effect(p, c, c->row->pipe, c->in, true);
	p->w->change = CHANGE_PLAIN;
	return result_of(p, c, &block);
}

/* ---- commands ---- */

static struct ps_val new_object(struct ps *p, const struct ps_call *c)
{
	struct str type = c->nargs && c->args[0].param.n == 0 ? ps_text(p, &c->args[0].val) : c->nargs > 1 ?
			ps_text(p, &c->args[1].val) : STR("");

	if (type.n > 7 && !strncasecmp(type.p, "System.", 7))
		type = str_from(type, 7);
	for (size_t i = 0; i < c->nargs; i++)
		ps_walk_blocks(p, &c->args[i].val);
	if (str_like_any(type, "Net.WebClient Net.Http.HttpClient"))
		return (struct ps_val){.kind = PS_CLIENT, .text = CODE_HOLE};
	if (str_like_any(type,
			"Random Text.StringBuilder Collections.ArrayList Collections.Hashtable PSObject "
			"PSCustomObject Object DateTime Version Guid Uri Xml.XmlDocument "
			"Text.UTF8Encoding Diagnostics.Stopwatch") ||
		(type.n > 20 && !strncasecmp(type.p, "Collections.Generic.", 20)))
		return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	ps_mark(p, MARKER_OBJECT);
	return PS_UNKNOWN;
}

/* True if the words are typical of PowerShell: rm, cp, ls, ... then mean its aliases. */
static bool looks_powershell(struct ps *p, const struct ps_call *c)
{
	for (size_t i = 0; i < c->nargs; i++) {
		const struct ps_arg *a = &c->args[i];
		struct str t = ps_text(p, &a->val);

		if (a->param.n > 2 && a->param.p[0] != '-')
			return true;
		if (!a->param.n && (a->val.kind != PS_TEXT || str_has(t, '\\') ||
				(t.n > 1 && t.p[1] == ':')))
			return true;
	}
	return c->in != NULL && !str_like_any(c->name, "sort tee diff");
}

/* Records a call for rules: the full name of the cmdlet, and its words as paths. */
static void note_call(struct ps *p, const struct ps_call *c, struct str name)
{
	struct word *args = arena_alloc(p->a, (c->nargs + 1) * sizeof(*args));
	struct str *names = arena_alloc(p->a, (c->nargs + 1) * sizeof(*names));

	for (size_t i = 0; i < c->nargs; i++) {
		struct str text = c->args[i].has ? ps_path(p, ps_text(p, &c->args[i].val)) : STR("");

		names[i] = c->args[i].param;
		args[i] = (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text,
				.at = c->args[i].at};
	}
	if (!p->mute)
		code_call_add(p->w, name, args, names, c->nargs, (TSNode){0});
}

/*
 * Resolves an alias of PowerShell on Windows that is a program on other systems. The words decide which one
 * is meant.
 */
static const char *alias_of(struct ps *p, struct ps_call *c)
{
	/* alias and program have the same effects */
	static const char same[] = "echo sleep clear man select start compare more pwd";
	bool mkdir = str_is_like(c->name, "mkdir");
	const char *alias = mkdir ? (looks_powershell(p, c) ? "mkdir" : NULL) : ps_alias(c->name);

	if ((alias || mkdir) && ps_unix_alias(c->name) && c->nargs && !looks_powershell(p, c) &&
			!str_like_any(c->name, same))
		return NULL;
	return alias;
}

/* Strips the module: Microsoft.PowerShell.Management\Remove-Item becomes Remove-Item. */
static struct str without_module(struct str name)
{
	ptrdiff_t slash = str_find(name, '\\', 0);

	if (slash > 0 && !strncasecmp(name.p, "Microsoft.PowerShell.", slash > 21 ? 21 : (size_t)slash))
		return str_from(name, (size_t)slash + 1);
	return name;
}

/* True for Verb-Noun without a path: a cmdlet of some module. */
static bool looks_cmdlet(struct str name)
{
	if (str_find(name, '-', 0) <= 1 || !ascii_is_upper(name.p[0]))
		return false;
	return !str_has(name, '/') && !str_has(name, '\\') && !str_has(name, '.');
}

static struct ps_val run_program(struct ps *p, struct ps_call *c, struct str name)
{
	bool fetched = c->in && c->in->kind == PS_FETCHED;
	struct ps_val v = ps_of(name);

	if (fetched && str_like_any(c->name, "pwsh powershell bash sh zsh python python3 node ruby perl cmd"))
		ps_mark(p, MARKER_DOWNLOAD_EXECUTE);
	ps_run_program(p, c, &v, NULL);
	if (fetched)
		return *c->in;
	return (struct ps_val){.kind = str_like_any(name, "curl wget") ? PS_FETCHED : PS_DATA,
			.text = CODE_HOLE};
}

static struct ps_val dispatch_call(struct ps *p, struct ps_call *c)
{
	const struct ps_function *f = ps_function(p, c->name);
	const char *alias = alias_of(p, c);
	struct str name = alias ? str_of(alias) : without_module(c->name);

	if (f)
		return ps_call(p, f, c->args, c->nargs);
	if (str_is_like(name, "New-Object")) {
		note_call(p, c, STR("New-Object"));
		return new_object(p, c);
	}
	c->row = alias || !str_is_like(name, "mkdir") ? ps_cmdlet(name) : NULL;
	if (c->row && !(ps_unix_alias(c->name) && !alias)) {
		note_call(p, c, *c->row->name ? str_of(c->row->name) : name);
		return run_cmdlet(p, c);
	}
	if (!looks_cmdlet(name))
		return run_program(p, c, name);
	ps_mark(p, MARKER_COMMAND);
	for (size_t i = 0; i < c->nargs; i++)
		ps_walk_blocks(p, &c->args[i].val);
	return PS_UNKNOWN;
}

static struct ps_val invoke_value(struct ps *p, struct ps_call *c, const struct ps_val *v, bool source)
{
	if (v->kind == PS_BLOCK) {
		for (size_t i = 0; i < c->nargs; i++)
			ps_walk_blocks(p, &c->args[i].val);
		return ps_block_at(p, v->from, c->in);
	}
	if (v->kind == PS_TEXT && text_exact(v->text) && v->text.n) {
		c->name = v->text;
		if (!source)
			return dispatch_call(p, c);
		ps_access(p, ACCESS_EXEC, v, false, true, ".");
		if (ps_was_fetched(p, v->text))
			ps_mark(p, MARKER_DOWNLOAD_EXECUTE);
		ps_forget(p);
		return PS_UNKNOWN;
	}
	for (size_t i = 0; i < c->nargs; i++)
		ps_walk_blocks(p, &c->args[i].val);
	if (v->kind == PS_FETCHED)
		ps_mark(p, MARKER_DOWNLOAD_EXECUTE);
	ps_mark(p, MARKER_CALL);
	return PS_UNKNOWN;
}

struct ps_val ps_command(struct ps *p, const struct ps_val *in)
{
	struct ps_call *c = arena_new(p->a, struct ps_call);
	size_t from = p->i;
	char op = '\0';
	struct ps_val v;

	*c = (struct ps_call){.in = in};
	if (ps_at(p, 0) == '&' || (ps_at(p, 0) == '.' && strchr(" \t\"'$({", ps_at(p, 1)) && ps_at(p, 1))) {
		op = ps_at(p, 0);
		p->i++;
		ps_blanks(p);
	}
	v = op && strchr("$\"'({", ps_at(p, 0)) && ps_at(p, 0) ? ps_item(p) : ps_bare(p);
	ps_words(p, c);
	ps_at_span(p, from, p->i);
	if (p->failed || p->stopped)
		return PS_UNKNOWN;
	if (op)
		return invoke_value(p, c, &v, op == '.');
	c->name = v.text;
	if (!text_exact(v.text) || !v.text.n) {
		ps_mark(p, MARKER_CALL);
		return PS_UNKNOWN;
	}
	return dispatch_call(p, c);
}

bool ps_starts_command(struct ps *p)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);
	size_t n = 0;

	if (ascii_is_digit(c)) {
		while (ps_at(p, n) >= '0' && ps_at(p, n) <= '9')
			n++;
		next = ps_at(p, n);
		return ps_name_char(next) && !strchr("kmgtpbxlduKMGTPBXLDUeE", next); /* 7z */
	}
	if (c == '.' && ascii_is_digit(next))
		return false;
	return !strchr("$@\"'([{!+-,", c);
}
