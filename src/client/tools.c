/*
 * Classifies the tools of clients by name: shells, and tools that touch files or hosts. A file that a tool
 * reads or writes becomes the same fact as for a shell command, so the gate's own checks and rules judge it;
 * nothing is judged here. An unlisted tool, such as one of an MCP server, has no such facts: rules about its
 * name decide.
 */
#include "client/client.h"

#define PATCH_LINES_MAX 100000

static const struct tool_row {
	enum tool_kind kind;
	char names[228];   /* separated by blanks */
} tools[] = {
	{TOOL_SHELL, " Bash bash Shell shell run_shell_command run_command run_terminal_cmd local_shell "
			"shell_command exec_command Monitor monitor PowerShell powershell pwsh write_bash "
			"write_powershell write_stdin "},
	{TOOL_READ, " Read read read_file read_many_files view NotebookRead view_image show_file "},
	{TOOL_LIST, " Glob glob LS ls list list_directory list_dir ListDir file_search "},
	{TOOL_SEARCH, " Grep grep rg search_file_content grep_search codebase_search LSP lsp Artifact "
			"artifact SendUserFile "},
	{TOOL_WRITE, " Write write Edit edit MultiEdit multiedit NotebookEdit notebook_edit write_file "
			"replace create str_replace str_replace_editor str_replace_based_edit_tool insert "
			"StrReplace "
		     "TabWrite Delete delete_file edit_file search_replace "},
	{TOOL_PATCH, " apply_patch patch ApplyPatch "},
	{TOOL_FETCH, " WebFetch web_fetch webfetch fetch read_web_page "},
};

#define KEY_ROOM 16

static const char command_keys[][KEY_ROOM] = {"command", "command_line", "cmd", "script"};
#define COMMAND_KEYS ARRAY_SIZE(command_keys)

/* True for tools whose `command` is not shell text: a skill's name, a command of the client itself. */
static bool names_command(struct str tool)
{
	return str_is_any(tool, "Skill skill SlashCommand");
}

/*
 * Clients get new tools, so an unlisted tool with a shell command counts as a shell. MCP tools are judged by
 * their names.
 */
bool tool_unlisted_shell(struct str name, const struct json *args)
{
	if (str_starts(name, "mcp_") || names_command(name))
		return false;
	for (size_t i = 0; i < COMMAND_KEYS; i++)
		if (json_key(args, command_keys[i]))
			return strcmp(command_keys[i], "script") != 0; /* a script may be in any language */
	return false;
}

enum tool_kind tool_kind(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		for (const char *p = tools[i].names + 1; *p;) {
			size_t n = strcspn(p, " ");

			if (str_eq(name, str_n(p, n)))
				return tools[i].kind;
			p += n + 1;
		}
	return TOOL_OTHER;
}

/* ---- shells ---- */

/* Quotes a program and its arguments as the equivalent shell text. */
static int join_words(struct arena *a, const struct json *list, struct str *ret, struct err *e)
{
	struct buf b;

	buf_init(&b, a, HOOK_INPUT_MAX * 4);
	for (const struct json *w = list->first; w; w = w->next) {
		if (w->kind != JSON_STRING)
			return err_input(e,
					"the command in the input is a list that contains more than words");
		if (b.n)
			buf_char(&b, ' ');
		buf_quoted(&b, w->text);
	}
	*ret = buf_view(&b);
	return 0;
}

int tool_command(struct arena *a, struct hook_input *h, struct err *e)
{
	static const char typed[][KEY_ROOM] = {"input", "chars"};
	/* input typed into a running shell or other program */
	bool types = str_starts(h->tool, "write_");
	const char (*list)[KEY_ROOM] = types ? typed : command_keys;
	const struct json *v = NULL;

	h->dialect = str_is_any(h->tool, "PowerShell powershell pwsh write_powershell") ? DIALECT_POWERSHELL :
			DIALECT_BASH;
	for (size_t i = 0; i < (types ? ARRAY_SIZE(typed) : COMMAND_KEYS); i++) {
		const struct json *x = json_key(h->args, list[i]);

		if (v && x) /* ambiguous: the tool may run either */
			return err_input(e,
					"the input of '%.*s' has two commands: '%.*s' and '%s'",
					(int)(h->tool.n < 60 ? h->tool.n : 60), h->tool.p,
					STR_ARG(h->command_key), list[i]);
		if (!x)
			continue;
		v = x;
		h->command_key = str_of(list[i]);
	}
	h->words = types || json_is(v, JSON_ARRAY) || tool_kind(h->tool) != TOOL_SHELL;
	if (json_is(v, JSON_ARRAY) && join_words(a, v, &h->command, e) != 0)
		return -1;
	if (json_is(v, JSON_STRING))
		h->command = v->text;
	else if (!json_is(v, JSON_ARRAY))
		return err_input(e, "the input of '%.*s' has no command",
				(int)(h->tool.n < 60 ? h->tool.n : 60), h->tool.p);
	return h->command.n && str_has(h->command, 0) ? err_input(e, "the command contains a NUL") : 0;
}

/* ---- files ---- */

struct facts_builder { /* facts being built */
	struct arena *a;
	const struct hook_input *h;
	struct facts *f;
	struct buf text;  /* description of the call: the tool and the files it touches */
	size_t n;
	const char *by;
};

static struct span add_said(struct facts_builder *m, struct str what)
{
	struct span at = {.from = (uint32_t)m->text.n + 1};

	buf_char(&m->text, ' ');
	buf_str(&m->text, what);
	at.to = (uint32_t)m->text.n;
	return at;
}

static int add_path(struct facts_builder *m, enum access_kind kind, struct str path, bool below,
	struct err *e)
{
	struct access *x;

	if (!path.n || str_has(path, 0))
		return err_input(e, "a path in the input is empty or contains a NUL");
	if (++m->n > HOOK_PATHS_MAX)
		return err_limit(e, "more than %d paths in one call", HOOK_PATHS_MAX);
	x = arena_copy(m->a, (struct access){.kind = kind, .below = below, .by = m->by,
			.at = add_said(m, path)});
	x->path = (struct word){.kind = WORD_EXACT, .at = x->at, .text = path};
	if (path.p[0] != '/')
		x->path.text = str_path(m->a, m->h->paths_base.n ? m->h->paths_base : m->h->cwd, path);
	LIST_ADD(m->f->accesses_end, x);
	return 0;
}

/* Some tools expand ~, others take it as a name: record both paths. */
static int add_file(struct facts_builder *m, enum access_kind kind, struct str path, struct str home,
		bool below, struct err *e)
{
	if (str_starts(path, "file:/")) /* file:/x and file:///x are the same */
		path = str_from(path, str_starts(path, "file://") ? 7 : 5);
	if (home.n && (str_is(path, "~") || str_starts(path, "~/")) &&
			add_path(m, kind, str_cat(m->a, home, str_from(path, 1)), below, e) != 0)
		return -1;
	return add_path(m, kind, path, below, e);
}

/* Adds every path in the input, under any client's key. */
static int add_files(struct facts_builder *m, enum access_kind kind, struct str home, bool below,
	struct err *e)
{
	static const char keys[][24] = {"file_path", "filePath", "path", "absolute_path", "notebook_path",
			"dir_path", "directory", "target_file", "target_directory",
		"relative_workspace_path", "paths", "file_paths", "files", "include"};
	enum { PLAIN_KEYS = 13 }; /* the last key holds a pattern if it is a string */
	/* a search without a path covers the working directory */
	bool needed = kind != ACCESS_READ || m->h->kind == TOOL_READ;
	size_t before = m->n;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct json *v = json_key(m->h->args, keys[i]);

		if (json_is(v, JSON_STRING) && v->text.n && i < PLAIN_KEYS && add_file(m, kind, v->text, home,
				below, e) != 0)
			return -1;
		for (const struct json *x = json_is(v, JSON_ARRAY) ? v->first : NULL; x; x = x->next)
			if (x->kind != JSON_STRING)
				return err_input(e, "a list of paths in the input contains something else");
			else if (x->text.n && add_file(m, kind, x->text, home, below, e) != 0)
				return -1;
	}
	return m->n == before && needed ? err_input(e, "the input of '%.*s' names no file",
			(int)(m->h->tool.n < 60 ? m->h->tool.n : 60), m->h->tool.p) : 0;
}

/* Adds the fixed start of a file name pattern: the part before its first special character. */
static int add_pattern(struct facts_builder *m, struct str home, struct err *e)
{
	const struct json *v = json_key(m->h->args, "pattern");
	struct str p = json_is(v, JSON_STRING) ? v->text : STR("");
	size_t n = 0;

	if (!(str_starts(p, "/") || str_starts(p, "~") || str_starts(p, "..")))
		return 0;
	while (n < p.n && !strchr("*?[{", p.p[n]))
		n++;
	while (n > 1 && p.p[n - 1] != '/')
		n--;
	return add_file(m, ACCESS_READ, str_first(p, n ? n : 1), home, true, e);
}

/* A search may be limited to file names: if such a name belongs to a secret, record that it is read. */
static int add_names(struct facts_builder *m, struct str home, struct err *e)
{
	static const char keys[][16] = {"glob", "include", "include_pattern"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct json *v = json_key(m->h->args, keys[i]);

		if (json_is(v, JSON_STRING) && v->text.n && v->text.p[0] != '!' &&
				add_file(m, ACCESS_READ, v->text, home, false, e) != 0)
			return -1;
	}
	return 0;
}

/* ---- patches ---- */

/* Returns the bytes of a white space character at the start (or end) of a text; 0: none. */
static size_t count_white(struct str s, bool at_end)
{
	static const char wide[][4] = {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
		"\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
	struct str three = at_end && s.n > 3 ? str_from(s, s.n - 3) : s;
	char c = s.n ? s.p[at_end ? s.n - 1 : 0] : 'x';

	if (c == ' ' || (c >= '\t' && c <= '\r'))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (at_end ? str_ends(s, wide[i]) : str_starts(s, wide[i]))
			return strlen(wide[i]);
	if (three.n < 3 || !str_starts(three, "\xE2\x80")) /* U+2000 to U+200A */
		return 0;
	return (unsigned char)three.p[2] >= 0x80 && (unsigned char)three.p[2] <= 0x8A ? 3 : 0;
}

struct str tool_trimmed(struct str s)
{
	for (size_t n; (n = count_white(s, false));)
		s = str_from(s, n);
	for (size_t n; (n = count_white(s, true));)
		s.n -= n;
	return s;
}

/*
 * Clients parse these lines leniently, each in its own way: blanks before them and around the colon, either
 * case.
 */
static int patch_line(struct facts_builder *m, struct str line, struct str home, struct err *e)
{
	static const struct {
		char start[16];
		enum access_kind kind;
		bool marked; /* the path may have a prefix "a/" or "b/" */
	} marks[] = {
		{"***addfile:", ACCESS_WRITE, false}, {"***updatefile:", ACCESS_WRITE, false},
		{"***deletefile:", ACCESS_DELETE, false}, {"***moveto:", ACCESS_WRITE, false},
		{"+++", ACCESS_WRITE, true}, {"---", ACCESS_WRITE, true},
	};

	line = tool_trimmed(line);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t at = 0, k = 0;
		struct str path;

		for (; marks[i].start[k] && at < line.n; at++)
			if ((line.p[at] | 0x20) == (marks[i].start[k] | 0x20))
				k++;
			else if (line.p[at] != ' ' && line.p[at] != '\t')
				break;
		if (marks[i].start[k] ||
				(marks[i].marked &&
				(at == line.n || (line.p[at] != ' ' && line.p[at] != '\t'))))
			continue;
		path = tool_trimmed(str_from(line, at));
		if (marks[i].marked && (str_starts(path, "a/") || str_starts(path, "b/")))
			path = str_from(path, 2);
		return str_is(path, "/dev/null") || !path.n ? 0 : add_file(m, marks[i].kind, path, home,
				false, e);
	}
	return 0;
}

static int patch_text(struct facts_builder *m, struct str text, struct str home, struct err *e)
{
	size_t lines = 0;

	while (text.n) {
		if (++lines > PATCH_LINES_MAX)
			return err_limit(e, "the patch has more than %d lines", PATCH_LINES_MAX);
		if (patch_line(m, str_cut(&text, '\n'), home, e) != 0)
			return -1;
	}
	return 0;
}

/*
 * The patch is a string somewhere in the input, perhaps in a list of words. A patch without any file is an
 * error.
 */
static int patch_texts(struct facts_builder *m, const struct json *in, struct str home, struct err *e)
{
	for (const struct json *v = in->first; v; v = v->next)
		if ((v->kind == JSON_STRING && patch_text(m, v->text, home, e) != 0) ||
				patch_texts(m, v, home, e) != 0)
			return -1;
	return 0;
}

static int add_patch(struct facts_builder *m, struct str home, struct err *e)
{
	if (patch_texts(m, m->h->args, home, e) != 0)
		return -1;
	return m->n ? 0 : err_input(e, "the patch names no file");
}

/* ---- hosts ---- */

static struct str host_of(struct str url)
{
	ptrdiff_t scheme = str_find(url, ':', 0);
	size_t from = scheme > 0 && str_starts(str_from(url, (size_t)scheme), "://") ? (size_t)scheme +
			3 : 0, to = from;

	while (to < url.n && !strchr("/?#\\", url.p[to]))
		to++;
	for (size_t i = to; i > from; i--)
		if (url.p[i - 1] == '@') {
			from = i;
			break;
		}
	if (from < to && url.p[from] == '[')
		return str_sub(url, from, to);
	for (size_t i = from; i < to; i++)
		if (url.p[i] == ':')
			to = i;
	return str_sub(url, from, to);
}

static int add_host(struct facts_builder *m, struct str home, struct err *e)
{
	const struct json *v = json_key(m->h->args, "url");
	struct touch *t;

	if (!json_is(v, JSON_STRING)) /* Gemini passes the URL inside a prompt */
		return 0;
	if (str_starts(v->text, "file:"))
		return add_file(m, ACCESS_READ, v->text, home, false, e);
	t = arena_copy(m->a, (struct touch){.at = add_said(m, v->text)});
	t->host = (struct word){.kind = WORD_EXACT, .text = host_of(v->text), .at = t->at};
	LIST_ADD(m->f->touches_end, t);
	return 0;
}

static int add_all(struct facts_builder *m, struct str home, struct err *e)
{
	const struct json *how = json_key(m->h->args, "command");
	bool deletes = str_is_any(m->h->tool, "Delete delete_file");

	switch (m->h->kind) {
	case TOOL_READ: return add_files(m, ACCESS_READ, home, false, e);
	case TOOL_SEARCH: return add_files(m, ACCESS_READ, home, true, e) != 0 ||
			add_names(m, home, e) != 0 ? -1 : 0;
	case TOOL_LIST:
		m->by = "ls";
		return add_files(m, ACCESS_READ, home, false, e) != 0 || add_pattern(m, home, e) != 0 ? -1
												      : 0;
	case TOOL_WRITE: return add_files(m, deletes ? ACCESS_DELETE : json_is(how, JSON_STRING) &&
			str_is(how->text, "view") ? ACCESS_READ : ACCESS_WRITE, home, false, e);
	case TOOL_PATCH: return add_patch(m, home, e);
	case TOOL_FETCH: return add_host(m, home, e);
	case TOOL_SHELL:
	case TOOL_OTHER: break;
	}
	return 0;
}

int tool_facts(struct arena *a, const struct hook_input *h, struct str home, struct facts *ret, struct err *e)
{
	struct facts_builder m = {.a = a, .h = h, .f = ret, .by = str_c(a, h->tool)};

	facts_init(ret);
	ret->tool = h->tool;
	ret->tool_known = h->kind != TOOL_OTHER;
	buf_init(&m.text, a, HOOK_INPUT_MAX);
	buf_str(&m.text, h->tool);
	if (add_all(&m, home, e) != 0)
		return -1;
	ret->texts = arena_new(a, struct text);
	ret->texts[0] = (struct text){.bytes = buf_view(&m.text)};
	ret->ntexts = ret->texts_cap = 1;
	return 0;
}

void tool_texts(const struct json *v, struct buf *out)
{
	if (!v)
		return;
	if (v->kind == JSON_STRING) {
		buf_str(out, v->text);
		buf_char(out, '\n');
	}
	for (const struct json *x = v->first; x; x = x->next)
		tool_texts(x, out);
}
