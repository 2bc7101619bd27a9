/* Commands of PowerShell: their words, which parameter each belongs to, and what follows from it. See powershell.h. */
#include <strings.h>

#include "code/powershell.h"

#define BOUND_MAX 64
#define COMMON "Verbose! vb! Debug! db! ErrorAction ea WarningAction wa InformationAction infa ProgressAction ErrorVariable ev WarningVariable wv InformationVariable iv OutVariable ov OutBuffer ob PipelineVariable pv WhatIf! wi! Confirm! cf!"

struct bound {
	const char *name; /* in the row's text */
	size_t n;
	char kind;
	bool on;          /* a switch */
	struct ps_val val;
};

struct call {
	struct str name;
	const struct ps_cmdlet *row;
	struct ps_arg args[PS_ARGS_MAX];
	size_t nargs;
	struct bound bound[BOUND_MAX];
	size_t nbound;
	const struct ps_val *in;
	struct span at;
};

/* ---- words ---- */

static bool delimiter(struct ps *p) { return ps_end(p) || strchr(" \t\r\n\f\v;,(){}|&<>", ps_at(p, 0)) != NULL; }

static struct ps_val item(struct ps *p)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);
	size_t from = p->i;
	struct ps_val v;

	if (c == '$' && (ps_name_char(next) || strchr("({$^?", next))) {
		bool mute = p->mute;

		p->mute = true; /* only to see where it ends */
		if (next == '(') {
			p->i += 2;
			ps_statements(p, ')');
		} else {
			ps_variable(p);
		}
		p->mute = mute;
		bool member = (ps_at(p, 0) == '.' && ps_name_char(ps_at(p, 1))) || ps_at(p, 0) == '[' || (ps_at(p, 0) == ':' && ps_at(p, 1) == ':');
		bool alone = delimiter(p);
		p->i = from;
		if (!member && !alone)
			return ps_bare(p);
		v = ps_primary(p);
		if (!delimiter(p)) {
			ps_mark(p, "word");
			ps_bare(p);
		}
		return v;
	}
	if (c == '\'' || c == '"' || c == '(' || c == '{' || (c == '@' && strchr("({'\"", next) && next))
		return ps_primary(p);
	v = ps_bare(p);
	v.number = v.text.n > 0;
	for (size_t i = 0; i < v.text.n; i++)
		v.number &= v.text.p[i] >= '0' && v.text.p[i] <= '9';
	return v;
}

/* a, b: a list, as everywhere. */
static struct ps_val argument(struct ps *p)
{
	struct ps_val first = item(p), *items;
	size_t n = 1, back = p->i;

	ps_blanks(p);
	if (ps_at(p, 0) != ',' || ps_end(p)) {
		p->i = back;
		return first;
	}
	items = arena_alloc(p->a, PS_LIST_MAX * sizeof(*items));
	items[0] = first;
	while (!ps_end(p) && ps_at(p, 0) == ',') {
		p->i++;
		ps_newlines(p);
		struct ps_val v = item(p);
		if (n == PS_LIST_MAX) {
			ps_mark(p, "bound");
			n--;
		}
		items[n++] = v;
		back = p->i;
		ps_blanks(p);
	}
	p->i = back;
	return (struct ps_val){.kind = PS_LIST, .items = items, .nitems = n};
}

bool ps_redirection(struct ps *p)
{
	char c = ps_at(p, 0);
	size_t n = c == '>' ? 0 : 1, from = p->i;
	struct ps_val v;

	if (c != '>' && !(((c >= '1' && c <= '6') || c == '*') && ps_at(p, 1) == '>'))
		return false;
	p->i += n + 1;
	bool append = ps_at(p, 0) == '>';
	p->i += append;
	if (ps_at(p, 0) == '&') {
		p->i += 2;
		return true;
	}
	ps_blanks(p);
	if (ps_end(p) || ps_at(p, 0) == '\n') {
		ps_fail(p);
		return true;
	}
	v = item(p);
	ps_at_span(p, from, p->i);
	if (v.kind != PS_NULL)
		ps_access(p, ACCESS_WRITE, &v, false, true, append ? ">>" : ">");
	return true;
}

/* -name, -name:value */
static void parameter(struct ps *p, struct ps_arg *a)
{
	size_t from = p->i++;

	while (ps_name_char(ps_at(p, 0)) || ps_at(p, 0) == '-' || ps_at(p, 0) == '?')
		p->i++;
	if (!delimiter(p) && ps_at(p, 0) != ':' && ps_at(p, 0) != '.' && ps_at(p, 0) != '[') { /* -x=y, -x"y": a word of its own */
		p->i = from;
		a->val = ps_bare(p);
		a->has = true;
		return;
	}
	a->param = str_sub(p->s, from + 1, p->i);
	if (ps_at(p, 0) == ':' && !ps_end(p)) {
		p->i++;
		ps_blanks(p);
		a->val = argument(p);
		a->has = true;
	}
}

static void words(struct ps *p, struct call *c)
{
	while (ps_step(p)) {
		ps_blanks(p);
		char ch = ps_at(p, 0);
		struct ps_arg a = {.at = {p->w->text, (uint32_t)p->i, 0}};

		if (ps_end(p) || strchr("\n;|)}&", ch))
			return;
		if (ps_redirection(p))
			continue;
		if (ch == '-' && ps_at(p, 1) == '-' && ps_at(p, 2) == '%') {
			ps_mark(p, "word");
			while (!ps_end(p) && ps_at(p, 0) != '\n')
				p->i++;
			return;
		}
		if (ch == '-' && (ps_name_char(ps_at(p, 1)) || ps_at(p, 1) == '-') && !(ps_at(p, 1) >= '0' && ps_at(p, 1) <= '9')) {
			parameter(p, &a);
		} else if (ch == '@' && ps_name_char(ps_at(p, 1))) {
			p->i++;
			ps_variable_name(p);
			a.splat = a.has = true;
			a.val = PS_UNKNOWN;
		} else {
			a.val = argument(p);
			a.has = true;
		}
		a.at.to = (uint32_t)p->i;
		if (c->nargs == PS_ARGS_MAX) {
			p->stopped = true;
			ps_mark(p, "bound");
			return;
		}
		c->args[c->nargs++] = a;
	}
}

/* ---- binding ---- */

static bool next_param(const char **at, struct bound *ret, char *ret_position)
{
	const char *s = *at;

	while (*s == ' ')
		s++;
	if (!*s)
		return false;
	*ret_position = *s >= '0' && *s <= '9' ? *s++ : '\0';
	*ret = (struct bound){.name = s, .n = strcspn(s, " !="), .kind = 'o'};
	s += ret->n;
	if (*s == '!') {
		ret->on = true;
		s++;
	}
	if (*s == '=') {
		ret->kind = s[1];
		s += 2;
	}
	*at = s;
	return true;
}

/* The whole name, or the only one that starts like this. */
static bool find_param(const char *list, struct str name, struct bound *ret, unsigned *hits)
{
	struct bound b;
	char position;

	while (next_param(&list, &b, &position)) {
		if (b.n < name.n || strncasecmp(b.name, name.p, name.n))
			continue;
		if (b.n == name.n) {
			*ret = b;
			*hits = 1;
			return true;
		}
		if (!*hits || b.kind != ret->kind || b.on != ret->on)
			++*hits;
		*ret = b;
	}
	return false;
}

static bool position_param(const struct call *c, const struct ps_val *v, struct bound *ret)
{
	const char *list = c->row->params;
	struct bound b, more = {0};
	char position, best = '9';
	bool found = false;

	while (next_param(&list, &b, &position)) {
		bool taken = false;

		for (size_t i = 0; i < c->nbound; i++)
			taken |= c->bound[i].name == b.name;
		if (position == '9')
			more = b;
		if (!position || position == '9' || taken || (b.kind == 'b' && v->kind == PS_TEXT && c->row->out == 'i'))
			continue;
		if (position < best) {
			best = position;
			*ret = b;
			found = true;
		}
	}
	if (!found && more.name) {
		*ret = more;
		ret->name = NULL; /* may come again */
		found = true;
	}
	return found;
}

static bool bind_one(struct call *c, struct bound b)
{
	if (c->nbound == BOUND_MAX)
		return false;
	c->bound[c->nbound++] = b;
	return true;
}

/* Which parameter each word belongs to; false when one is not known. */
static bool bind(struct call *c)
{
	for (int named = 1; named >= 0; named--) { /* names first: they take their positions */
		for (size_t i = 0; i < c->nargs; i++) {
			struct ps_arg *a = &c->args[i];
			struct bound b = {0};
			unsigned hits = 0;

			if (a->splat)
				return false;
			if (!a->param.n) {
				if (named || !a->has)
					continue;
				if (!position_param(c, &a->val, &b))
					return false;
				b.val = a->val;
			} else {
				bool value = true;

				if (!find_param(c->row->params, a->param, &b, &hits))
					find_param(COMMON, a->param, &b, &hits);
				if (hits != 1)
					return false;
				if (b.on || a->has)
					value = false;
				if (value && (i + 1 >= c->nargs || c->args[i + 1].param.n || c->args[i + 1].splat))
					return false;
				if (named && value)
					c->args[i + 1].has = false; /* it is this parameter's */
				b.val = value ? c->args[i + 1].val : a->val;
				if (!named)
					continue;
			}
			if (!bind_one(c, b))
				return false;
		}
	}
	return true;
}

static const struct bound *has(const struct call *c, const char *name)
{
	for (size_t i = 0; i < c->nbound; i++)
		if (c->bound[i].name && c->bound[i].n == strlen(name) && !strncasecmp(c->bound[i].name, name, c->bound[i].n))
			return &c->bound[i];
	return NULL;
}

/* ---- effects ---- */

static bool literal(const struct bound *b) { return b->name && (!strncasecmp(b->name, "Literal", 7) || !strncasecmp(b->name, "PSPath", 6) || !strncasecmp(b->name, "Out", 3)); }

static void change_directory(struct ps *p, const struct ps_val *v)
{
	struct str path = ps_text(p, v), cwd = p->w->s->cwd;

	if (!text_exact(path) || !path.n || !text_exact(cwd) || strchr("-+~", path.p[0]) || (str_find(path, ':', 0) >= 0) || str_find(path, '*', 0) >= 0) {
		p->w->s->cwd = path.n && path.p[0] == '~' && path.n == 1 && p->w->v->home.n ? p->w->v->home : CODE_HOLE;
		return;
	}
	char *c = str_c(p->a, path);
	for (size_t i = 0; i < path.n; i++)
		if (c[i] == '\\')
			c[i] = '/';
	p->w->s->cwd = c[0] == '/' ? str_n(c, path.n) : str_fmt(p->a, "%.*s/%s", STR_ARG(cwd), c);
}

static void run_program(struct ps *p, struct call *c, const struct ps_val *name, const struct ps_val *args);

static void effect(struct ps *p, struct call *c, char kind, const struct ps_val *v, bool lit)
{
	const char *op = c->row->name;

	switch (kind) {
	case 'r': ps_access(p, ACCESS_READ, v, has(c, "Recurse") != NULL, lit, op); break;
	case 'w': ps_access(p, ACCESS_WRITE, v, false, lit, op); break;
	case 'D': ps_access(p, ACCESS_WRITE, v, true, true, op); break;
	case 'W': ps_access(p, ACCESS_WRITE, v, true, true, "Expand-Archive"); break;
	case 'd': ps_access(p, ACCESS_DELETE, v, has(c, "Recurse") || has(c, "Destination"), lit, op); break;
	case 'e': ps_access(p, ACCESS_EXEC, v, false, lit, op); break;
	case 'u': case 'h': ps_touch(p, v); break;
	case 'c': ps_code(p, v); break;
	case 't': change_directory(p, v); break;
	case 'M': ps_mark(p, "method"); break;
	default: break;
	}
}

/* The words before the last separator. */
static struct str parent(struct str path)
{
	size_t n = path.n;

	while (n && path.p[n - 1] != '/' && path.p[n - 1] != '\\')
		n--;
	return str_sub(path, 0, n);
}

static void rename_beside(struct ps *p, struct call *c, const struct bound *b)
{
	struct ps_val name = ps_of(ps_text(p, &b->val)), source = PS_UNKNOWN;
	const struct bound *from = has(c, "Path") ? has(c, "Path") : has(c, "LiteralPath");

	if (from)
		source = from->val;
	else if (c->in)
		source = *c->in;
	if (b->val.kind == PS_BLOCK)
		name = ps_of(CODE_HOLE);
	if (source.kind == PS_TEXT || source.kind == PS_FILES)
		name.text = str_cat(p->a, parent(source.text), name.text);
	else
		name.text = CODE_HOLE;
	ps_access(p, ACCESS_WRITE, &name, false, true, "Rename-Item");
}

static void fetched_file(struct ps *p, const struct call *c)
{
	const struct bound *out = has(c, "OutFile") ? has(c, "OutFile") : has(c, "Destination");

	if (out && p->nfetched < PS_FETCHED_MAX && !p->mute)
		p->fetched[p->nfetched++] = ps_text(p, &out->val);
}

static struct str last_part(struct str s)
{
	struct str dir = parent(s);

	return str_sub(s, dir.n, s.n);
}

static bool was_fetched(const struct ps *p, struct str path)
{
	for (size_t i = 0; i < p->nfetched; i++)
		if (!text_exact(p->fetched[i]) || (path.n && str_eq(last_part(p->fetched[i]), last_part(path))))
			return true;
	return false;
}

static void new_item(struct ps *p, struct call *c)
{
	const struct bound *type = has(c, "ItemType") ? has(c, "ItemType") : has(c, "Type"), *name = has(c, "Name"), *path = has(c, "Path");
	struct str t = type ? ps_text(p, &type->val) : STR("file");

	if (!text_exact(t))
		ps_mark(p, "link");
	if (ps_listed(t, "SymbolicLink Junction HardLink")) {
		struct ps_val target = has(c, "Target") ? has(c, "Target")->val : has(c, "Value") ? has(c, "Value")->val : PS_UNKNOWN;

		ps_access(p, ACCESS_WRITE, &target, true, true, "New-Item"); /* what is written by the link's name goes there */
	}
	if (name) {
		struct str dir = path ? ps_text(p, &path->val) : STR(".");
		struct ps_val v = ps_of(str_fmt(p->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(ps_text(p, &name->val))));

		if (!text_exact(dir) || !text_exact(ps_text(p, &name->val)))
			v.text = CODE_HOLE;
		ps_access(p, ACCESS_WRITE, &v, false, true, "New-Item");
	}
}

static void start_process(struct ps *p, struct call *c)
{
	const struct bound *verb = has(c, "Verb"), *file = has(c, "FilePath"), *args = has(c, "ArgumentList");
	struct ps_val hole = PS_UNKNOWN;

	if (!file)
		file = has(c, "Path") ? has(c, "Path") : has(c, "PSPath");
	if (!args)
		args = has(c, "Args");
	if (verb && !ps_listed(ps_text(p, &verb->val), "open"))
		ps_say(p, "elevation");
	if (has(c, "Environment") || has(c, "WorkingDirectory"))
		ps_mark(p, "process");
	run_program(p, NULL, file ? &file->val : &hole, args ? &args->val : NULL);
}

static struct ps_val join_path(struct ps *p, const struct call *c)
{
	const struct bound *a = has(c, "Path"), *b = has(c, "ChildPath"), *more = has(c, "AdditionalChildPath");
	struct str x, y;

	if (!a || !b || more || c->nbound > 2)
		return PS_UNKNOWN;
	x = ps_text(p, &a->val);
	y = ps_text(p, &b->val);
	if (a->val.kind == PS_LIST || b->val.kind == PS_LIST)
		return PS_UNKNOWN;
	return ps_of(str_cat(p->a, str_cat(p->a, x, STR("/")), y));
}

/* What Get-ChildItem gives: the files of a directory, by a pattern. */
static struct ps_val listed_files(struct ps *p, const struct call *c)
{
	const struct bound *path = has(c, "Path") ? has(c, "Path") : has(c, "LiteralPath"), *filter = has(c, "Filter");
	bool below = has(c, "Recurse") || has(c, "s") || has(c, "Depth");
	struct str dir = path ? ps_text(p, &path->val) : c->in ? CODE_HOLE : STR("."), name = filter && !below ? ps_text(p, &filter->val) : STR("*");

	if (!text_exact(dir) || !text_exact(name) || (path && path->val.kind == PS_LIST) || has(c, "FollowSymlink"))
		return PS_UNKNOWN;
	if (ps_word_is(str_of(c->row->name), "Get-Item") || str_find(dir, '*', 0) >= 0)
		return (struct ps_val){.kind = PS_FILES, .text = dir, .below = below};
	return (struct ps_val){.kind = PS_FILES, .text = str_fmt(p->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)), .below = below};
}

/* One walk for each known item that comes by the pipe, else one for any. */
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

static void blocks(struct ps *p, struct call *c, const struct ps_val *v, struct ps_val *out)
{
	if (v->kind == PS_BLOCK)
		*out = each_item(p, v, c->in);
	else if (v->kind == PS_LIST)
		ps_walk_blocks(p, v);
	else if (v->kind != PS_TEXT || !ps_listed(v->text, "Name FullName BaseName Length Count Id Value Key Content Extension Path Line LastWriteTime Version ToString ToUpper ToLower Trim"))
		ps_mark(p, "call"); /* the name of a method may stand there */
}

static void registry_of(struct ps *p, const struct call *c)
{
	const struct bound *path = has(c, "Path") ? has(c, "Path") : has(c, "LiteralPath");

	if (path && !text_exact(ps_text(p, &path->val)))
		ps_say(p, "system-change");
}

static struct ps_val result(struct ps *p, const struct call *c, const struct ps_val *block)
{
	const struct bound *path = has(c, "Path") ? has(c, "Path") : has(c, "LiteralPath");

	switch (c->row->out) {
	case 'd': return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	case 'f': return (struct ps_val){.kind = PS_FETCHED, .text = CODE_HOLE};
	case 'n': return (struct ps_val){.kind = PS_NULL};
	case 'B': return *block;
	case 'i': return c->in ? *c->in : c->nargs == 1 && c->args[0].has && !c->args[0].param.n ? c->args[0].val : PS_UNKNOWN;
	case 'j': return join_path(p, c);
	case 'p': return !strncasecmp(c->row->name, "Get-", 4) ? listed_files(p, c) : path && path->val.kind == PS_TEXT ? path->val : PS_UNKNOWN;
	case 'T': {
		struct ps_val v = ps_of(str_n("/tmp/\2", 6));
		ps_access(p, ACCESS_WRITE, &v, false, true, "New-TemporaryFile");
		return v;
	}
	}
	return PS_UNKNOWN;
}

static void by_name(struct ps *p, struct call *c)
{
	struct str n = str_of(c->row->name);

	if (ps_word_is(n, "New-Item"))
		new_item(p, c);
	else if (ps_word_is(n, "Start-Process"))
		start_process(p, c);
	else if (ps_listed(n, "Invoke-WebRequest Invoke-RestMethod Start-BitsTransfer"))
		fetched_file(p, c);
	else if (ps_word_is(n, "Pop-Location") || ((ps_word_is(n, "Set-Location") || ps_word_is(n, "Push-Location")) && !c->nbound))
		p->w->s->cwd = ps_word_is(n, "Set-Location") && p->w->v->home.n ? p->w->v->home : CODE_HOLE;
	else if (ps_listed(n, "Set-ItemProperty New-ItemProperty Remove-ItemProperty"))
		registry_of(p, c);
	else if (ps_word_is(n, "Expand-Archive") && !has(c, "DestinationPath")) {
		struct ps_val here = ps_of(STR("."));
		ps_access(p, ACCESS_WRITE, &here, true, true, "Expand-Archive");
	}
	if (has(c, "ComputerName") || has(c, "Session") || has(c, "HostName"))
		ps_say(p, ps_word_is(n, "Invoke-Command") ? "remote" : "network");
}

static struct ps_val cmdlet(struct ps *p, struct call *c)
{
	struct ps_val block = PS_UNKNOWN;

	if (c->row->say && strcmp(c->row->say, "code"))
		ps_say(p, c->row->say);
	else if (c->row->say)
		ps_mark(p, "command");
	if (!c->row->params) { /* the words do not matter, but what is in them does */
		for (size_t i = 0; i < c->nargs; i++) {
			if (c->args[i].val.kind == PS_BLOCK)
				blocks(p, c, &c->args[i].val, &block);
			else
				ps_walk_blocks(p, &c->args[i].val);
		}
		return result(p, c, &block);
	}
	if (!bind(c)) {
		ps_mark(p, "parameter");
		for (size_t i = 0; i < c->nargs; i++)
			ps_walk_blocks(p, &c->args[i].val);
		return PS_UNKNOWN;
	}
	by_name(p, c);
	bool path = false;
	for (size_t i = 0; i < c->nbound; i++) {
		const struct bound *b = &c->bound[i];
		bool named = c->row->name[0] == 'N' && !strcmp(c->row->name, "New-Item") && has(c, "Name") && b->kind == 'w';

		path |= b->name && (strchr("rwde", b->kind) != NULL && (b->n == 4 || literal(b)));
		if (b->kind == 'n')
			rename_beside(p, c, b);
		else if (b->kind == 'b')
			blocks(p, c, &b->val, &block);
		else if (!b->on && !named)
			effect(p, c, b->kind, &b->val, literal(b));
		if (b->kind != 'b')
			ps_walk_blocks(p, &b->val);
	}
	if (c->in && c->row->pipe && (!path || c->row->pipe == 'c') && c->row->pipe != 'o')
		effect(p, c, c->row->pipe, c->in, true);
	return result(p, c, &block);
}

/* ---- programs ---- */

/* Programs of Windows that mean a category; `words`: only with one of these. */
static const struct {
	const char *names, *words, *say;
} natives[] = {
	{"schtasks", "/create /change /run /delete", "persistence"}, {"sc.exe sc", "create config start delete", "persistence"}, {"at", NULL, "persistence"}, {"reg", "add delete import restore load copy", "persistence"},
	{"wmic", "create call delete set", "system-change"}, {"diskpart", NULL, "destruction"}, {"format format.com", NULL, "destruction"}, {"cipher", NULL, "destruction"}, {"bcdedit", NULL, "destruction"},
	{"vssadmin wbadmin", "delete resize", "destruction"}, {"fsutil", NULL, "destruction"}, {"runas gsudo", NULL, "elevation"}, {"takeown icacls cacls", NULL, "elevation"}, {"net net1", "user localgroup share stop start use", "elevation"},
	{"netsh", "add set delete reset", "protections"}, {"wevtutil", "cl clear-log", "protections"}, {"auditpol", "/set /clear", "protections"}, {"mshta regsvr32 rundll32 cscript wscript msiexec installutil msbuild", NULL, "code"},
	{"bitsadmin certutil", NULL, "network"}, {"cmd wsl command.com bash.exe wsl.exe forfiles pcalua conhost hh ftp", NULL, "code"}, {"powershell_ise.exe regedit taskschd.msc", NULL, "code"}, {"taskkill", NULL, "system-change"},
	{"shutdown", NULL, "protections"}, {"robocopy", "/mir /purge /move /mov", "destruction"}, {"setx", NULL, "persistence"},
};

static const char *native_category(struct str name, const struct word *argv, size_t argc)
{
	for (size_t i = 0; i < sizeof(natives) / sizeof(*natives); i++) {
		if (!ps_listed(name, natives[i].names))
			continue;
		if (!natives[i].words)
			return natives[i].say;
		for (size_t k = 1; k < argc; k++)
			if (argv[k].kind != WORD_EXACT || ps_listed(argv[k].text, natives[i].words))
				return natives[i].say;
		return "";
	}
	return NULL;
}

static struct word word_of(struct ps *p, const struct ps_val *v, struct span at)
{
	struct str text = ps_text(p, v);
	struct word w = {.kind = text_exact(text) ? WORD_EXACT : v->kind == PS_TEXT ? WORD_UNKNOWN : WORD_REST, .text = text, .at = at};

	if (v->kind == PS_FILES)
		w = (struct word){.kind = WORD_REST, .at = at};
	if (v->bare && w.kind == WORD_EXACT && text.n && text.p[0] == '~' && (text.n == 1 || text.p[1] == '/') && p->w->v->home.n)
		w.text = str_cat(p->a, p->w->v->home, str_sub(text, 1, text.n));
	if (v->bare && w.kind == WORD_EXACT && text.n && (memchr(text.p, '*', text.n) || memchr(text.p, '?', text.n)) && text.p[0] != '-')
		w = (struct word){.kind = WORD_REST, .glob = true, .text = w.text, .at = at};
	return w;
}

static size_t put_value(struct ps *p, struct word *argv, size_t n, const struct ps_val *v, struct span at)
{
	if (v->kind == PS_NULL)
		return n;
	if (v->kind != PS_LIST) {
		if (n < PS_ARGS_MAX)
			argv[n++] = word_of(p, v, at);
		return n;
	}
	for (size_t i = 0; i < v->nitems; i++)
		n = put_value(p, argv, n, &v->items[i], at);
	return n;
}

static struct str program_name(struct ps *p, struct str name)
{
	struct str s = str_dup(p->a, name);

	if (s.n > 4 && !strncasecmp(s.p + s.n - 4, ".exe", 4))
		s.n -= 4;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\\')
			((char *)s.p)[i] = '/';
	return s;
}

static void run_words(struct ps *p, struct word *argv, size_t argc)
{
	struct str base = last_part(argv[0].text);
	const char *say;

	if (p->mute)
		return;
	if (argv[0].kind != WORD_EXACT) {
		ps_mark(p, "call");
		return;
	}
	for (size_t i = 0; i < argc && p->nfetched; i++)
		if ((i == 0 || ps_listed(base, "pwsh powershell bash sh zsh python python3 node ruby perl cmd")) && was_fetched(p, argv[i].text))
			ps_say(p, "download-execute");
	say = native_category(base, argv, argc);
	if (say && !strcmp(say, "code"))
		ps_mark(p, "process");
	else if (say && *say)
		ps_say(p, say);
	else if (!say && (str_ends(argv[0].text, ".ps1") || str_ends(argv[0].text, ".psm1"))) {
		struct ps_val v = ps_of(argv[0].text);
		ps_access(p, ACCESS_EXEC, &v, false, true, "&");
	} else if (!say && (argv[0].text.n > 2 && argv[0].text.p[1] == ':'))
		ps_mark(p, "process");
	else if (!say)
		code_run_argv(p->w, argv, argc, (TSNode){0});
}

/* A program and its words; `args` are those of Start-Process -ArgumentList, which are split at blanks. */
static void run_program(struct ps *p, struct call *c, const struct ps_val *name, const struct ps_val *args)
{
	struct word *argv = arena_alloc(p->a, (PS_ARGS_MAX + 1) * sizeof(*argv));
	struct str text = ps_text(p, name);
	size_t n = 1;

	argv[0] = (struct word){.kind = text_exact(text) && text.n ? WORD_EXACT : WORD_UNKNOWN, .text = program_name(p, text), .at = p->w->here};
	for (size_t i = 0; c && i < c->nargs; i++) {
		const struct ps_arg *a = &c->args[i];

		ps_walk_blocks(p, &a->val);
		if (a->splat) {
			argv[n++] = (struct word){.kind = WORD_REST, .at = a->at};
		} else if (a->param.n) {
			struct ps_val v = ps_of(str_fmt(p->a, "-%.*s%s", STR_ARG(a->param), a->has ? ":" : ""));

			if (a->has)
				v.text = str_cat(p->a, v.text, ps_text(p, &a->val));
			n = put_value(p, argv, n, &v, a->at);
		} else {
			n = put_value(p, argv, n, &a->val, a->at);
		}
		if (n >= PS_ARGS_MAX) {
			ps_mark(p, "bound");
			break;
		}
	}
	if (args && args->kind == PS_TEXT && (memchr(args->text.p, ' ', args->text.n) || !text_exact(args->text)))
		argv[n++] = (struct word){.kind = WORD_REST, .at = p->w->here};
	else if (args)
		n = put_value(p, argv, n, args, p->w->here);
	run_words(p, argv, n);
}

/* ---- the command ---- */

static struct ps_val new_object(struct ps *p, const struct call *c)
{
	struct str type = c->nargs && c->args[0].param.n == 0 ? ps_text(p, &c->args[0].val) : c->nargs > 1 ? ps_text(p, &c->args[1].val) : STR("");

	if (type.n > 7 && !strncasecmp(type.p, "System.", 7))
		type = str_sub(type, 7, type.n);
	for (size_t i = 0; i < c->nargs; i++)
		ps_walk_blocks(p, &c->args[i].val);
	if (ps_listed(type, "Net.WebClient Net.Http.HttpClient"))
		return (struct ps_val){.kind = PS_CLIENT, .text = CODE_HOLE};
	if (ps_listed(type, "Random Text.StringBuilder Collections.ArrayList Collections.Hashtable PSObject PSCustomObject Object DateTime Version Guid Uri Xml.XmlDocument Text.UTF8Encoding Diagnostics.Stopwatch") ||
		(type.n > 20 && !strncasecmp(type.p, "Collections.Generic.", 20)))
		return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	ps_mark(p, "object");
	return PS_UNKNOWN;
}

/* Words that only PowerShell understands: then rm, cp, ls, ... are its own. */
static bool looks_powershell(struct ps *p, const struct call *c)
{
	for (size_t i = 0; i < c->nargs; i++) {
		const struct ps_arg *a = &c->args[i];
		struct str t = ps_text(p, &a->val);

		if (a->param.n > 2 && a->param.p[0] != '-')
			return true;
		if (!a->param.n && (a->val.kind != PS_TEXT || memchr(t.p, '\\', t.n) || (t.n > 1 && t.p[1] == ':')))
			return true;
	}
	return c->in != NULL && !ps_listed(c->name, "sort tee diff");
}

/* For rules about calls: the cmdlet by its own name, its words as paths would be read. */
static void note_call(struct ps *p, const struct call *c, struct str name)
{
	struct word *args = arena_alloc(p->a, (c->nargs + 1) * sizeof(*args));
	struct str *names = arena_alloc(p->a, (c->nargs + 1) * sizeof(*names));

	for (size_t i = 0; i < c->nargs; i++) {
		struct str text = c->args[i].has ? ps_path(p, ps_text(p, &c->args[i].val)) : STR("");

		names[i] = c->args[i].param;
		args[i] = (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text, .at = c->args[i].at};
	}
	if (!p->mute)
		code_call_add(p->w, name, args, names, c->nargs, (TSNode){0});
}

static struct ps_val dispatch(struct ps *p, struct call *c)
{
	const struct ps_function *f;
	struct str name = c->name;
	const char *alias = ps_alias(name);
	ptrdiff_t slash;

	if (ps_word_is(name, "mkdir") && !looks_powershell(p, c))
		alias = NULL;
	else if (ps_word_is(name, "mkdir"))
		alias = "mkdir";
	if ((alias || ps_word_is(name, "mkdir")) && ps_unix_alias(name) && c->nargs && !looks_powershell(p, c) && !ps_listed(name, "echo sleep clear man select start compare more pwd"))
		alias = NULL;
	else if (alias)
		name = str_of(alias);
	else if ((slash = str_find(name, '\\', 0)) > 0 && !strncasecmp(name.p, "Microsoft.PowerShell.", slash > 21 ? 21 : (size_t)slash))
		name = str_sub(name, (size_t)slash + 1, name.n);
	f = ps_function(p, c->name);
	if (f)
		return ps_call(p, f, c->args, c->nargs);
	if (ps_word_is(name, "New-Object")) {
		note_call(p, c, STR("New-Object"));
		return new_object(p, c);
	}
	c->row = alias || !ps_word_is(name, "mkdir") ? ps_cmdlet(name) : NULL;
	if (c->row && !(ps_unix_alias(c->name) && !alias)) {
		note_call(p, c, *c->row->name ? str_of(c->row->name) : name);
		return cmdlet(p, c);
	}
	ptrdiff_t dash = str_find(name, '-', 0);
	if (dash > 1 && str_find(name, '/', 0) < 0 && str_find(name, '\\', 0) < 0 && str_find(name, '.', 0) < 0 && name.p[0] >= 'A' && name.p[0] <= 'Z') {
		ps_mark(p, "command"); /* a cmdlet of some module */
		for (size_t i = 0; i < c->nargs; i++)
			ps_walk_blocks(p, &c->args[i].val);
		return PS_UNKNOWN;
	}
	struct ps_val v = ps_of(name);
	if (c->in && c->in->kind == PS_FETCHED && ps_listed(c->name, "pwsh powershell bash sh zsh python python3 node ruby perl cmd"))
		ps_say(p, "download-execute");
	run_program(p, c, &v, NULL);
	return c->in && c->in->kind == PS_FETCHED ? *c->in : ps_listed(name, "curl wget") ? (struct ps_val){.kind = PS_FETCHED, .text = CODE_HOLE} : (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
}

static struct ps_val invoke(struct ps *p, struct call *c, const struct ps_val *v, bool source)
{
	if (v->kind == PS_BLOCK) {
		for (size_t i = 0; i < c->nargs; i++)
			ps_walk_blocks(p, &c->args[i].val);
		return ps_block_at(p, v->from, c->in);
	}
	if (v->kind == PS_TEXT && text_exact(v->text) && v->text.n) {
		c->name = v->text;
		if (!source)
			return dispatch(p, c);
		ps_access(p, ACCESS_EXEC, v, false, true, ".");
		if (was_fetched(p, v->text))
			ps_say(p, "download-execute");
		ps_forget(p);
		return PS_UNKNOWN;
	}
	for (size_t i = 0; i < c->nargs; i++)
		ps_walk_blocks(p, &c->args[i].val);
	if (v->kind == PS_FETCHED)
		ps_say(p, "download-execute");
	ps_mark(p, "call");
	return PS_UNKNOWN;
}

struct ps_val ps_command(struct ps *p, const struct ps_val *in)
{
	struct call *c = arena_new(p->a, struct call);
	size_t from = p->i;
	char op = '\0';
	struct ps_val v;

	*c = (struct call){.in = in};
	if (ps_at(p, 0) == '&' || (ps_at(p, 0) == '.' && strchr(" \t\"'$({", ps_at(p, 1)) && ps_at(p, 1))) {
		op = ps_at(p, 0);
		p->i++;
		ps_blanks(p);
	}
	v = op && strchr("$\"'({", ps_at(p, 0)) && ps_at(p, 0) ? item(p) : ps_bare(p);
	words(p, c);
	ps_at_span(p, from, p->i);
	if (p->failed || p->stopped)
		return PS_UNKNOWN;
	if (op)
		return invoke(p, c, &v, op == '.');
	c->name = v.text;
	if (!text_exact(v.text) || !v.text.n) {
		ps_mark(p, "call");
		return PS_UNKNOWN;
	}
	return dispatch(p, c);
}

bool ps_starts_command(struct ps *p)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);
	size_t n = 0;

	if (c >= '0' && c <= '9') {
		while (ps_at(p, n) >= '0' && ps_at(p, n) <= '9')
			n++;
		next = ps_at(p, n);
		return ps_name_char(next) && !strchr("kmgtpbxlduKMGTPBXLDUeE", next); /* 7z */
	}
	if (c == '.' && next >= '0' && next <= '9')
		return false;
	return !strchr("$@\"'([{!+-,", c);
}
