/* Public names of the kinds of facts. */
#include "model/facts.h"

static const char lang_names[LANGS][20] = {
	[LANG_PYTHON] = "python",
	[LANG_JAVASCRIPT] = "javascript",
	[LANG_POWERSHELL] = "powershell",
	[LANG_POWERSHELL_ENCODED] = "powershell-encoded",
	[LANG_PERL] = "perl",
	[LANG_PERL_PATTERN] = "perl-pattern",
	[LANG_RUBY] = "ruby",
	[LANG_PHP] = "php",
	[LANG_LUA] = "lua",
	[LANG_AWK] = "awk",
	[LANG_SED] = "sed",
	[LANG_SQL] = "sql",
	[LANG_JQ] = "jq",
	[LANG_GDB] = "gdb",
	[LANG_LESS] = "less",
};

const char *lang_name(enum lang l) { return lang_names[l]; }

enum lang lang_find(struct str name)
{
	for (enum lang l = LANG_OTHER + 1; l < LANGS; l++)
		if (str_is(name, lang_names[l]))
			return l;
	return LANG_OTHER;
}

const char *snippet_language(const struct snippet *s) { return s->lang ? lang_names[s->lang] : s->other; }

static const char *const marker_names[MARKERS] = {
#define CODE_MARKER(constant, name, ...) [MARKER_##constant] = name,
#include "model/marker_rows.h"
#undef CODE_MARKER
};

const char *marker_name(enum marker id) { return marker_names[id]; }

static const char via_names[VIA_KINDS][12] = {
	[VIA_DIRECT] = "direct",
	[VIA_SUBST] = "subst",
	[VIA_PROCSUB] = "procsub",
	[VIA_FUNCTION] = "function",
	[VIA_ALIAS] = "alias",
	[VIA_EVAL] = "eval",
	[VIA_TRAP] = "trap",
	[VIA_SOURCE] = "source",
	[VIA_SH_C] = "sh-c",
	[VIA_STDIN_SHELL] = "stdin-shell",
	[VIA_XARGS] = "xargs",
	[VIA_FIND] = "find",
	[VIA_WRAPPER] = "wrapper",
	[VIA_CODE] = "code",
};

bool via_same(const struct via *a, const struct via *b)
{
	return a->kind == b->kind && a->lang == b->lang &&
	       (a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name);
}

struct str via_text(struct arena *a, const struct via *v)
{
	const char *name = v->kind == VIA_CODE ? lang_names[v->lang] : v->name;

	return name ? str_fmt(a, "%s:%s", via_names[v->kind], name) : str_of(via_names[v->kind]);
}

static const char text_sources[TEXT_SOURCES][24] = {
	[TEXT_REQUEST] = "request",
	[TEXT_CODE] = "code",
	[TEXT_STDIN] = "stdin",
	[TEXT_FILE] = "file",
	[TEXT_PROCSUB] = "process substitution",
	[TEXT_SOURCE] = "source",
	[TEXT_EVAL] = "eval",
	[TEXT_BACKTICK] = "backtick",
	[TEXT_HERE_DOCUMENT] = "here-document",
	[TEXT_ALIAS] = "alias",
	[TEXT_TRAP] = "trap",
	[TEXT_PROMPT] = "prompt",
	[TEXT_PROMPT_COMMAND] = "PROMPT_COMMAND",
	[TEXT_MAPFILE] = "mapfile -C",
	[TEXT_SUBSCRIPT] = "subscript",
	[TEXT_INDIRECTION] = "indirection",
};

struct str text_source(struct arena *a, const struct text *t)
{
	switch (t->from.source) {
	case TEXT_SNIPPET: return str_of(lang_names[t->lang]);
	case TEXT_PROGRAM: return str_of(t->from.by);
	case TEXT_SH_C: return str_fmt(a, "%s -c", t->from.by);
	default: return str_of(text_sources[t->from.source]);
	}
}

uint32_t facts_add_text(struct arena *a, struct facts *f, struct text t)
{
	f->texts = arena_room(a, f->texts, f->ntexts, &f->texts_cap, sizeof(*f->texts));
	f->texts[f->ntexts] = t;
	return (uint32_t)f->ntexts++;
}

static const char redir_names[REDIR_OPS][4] = {
	[REDIR_READ] = "<",
	[REDIR_WRITE] = ">",
	[REDIR_CLOBBER] = ">|",
	[REDIR_APPEND] = ">>",
	[REDIR_READ_WRITE] = "<>",
	[REDIR_DUP_IN] = "<&",
	[REDIR_DUP_OUT] = ">&",
	[REDIR_BOTH] = "&>",
	[REDIR_BOTH_APPEND] = "&>>",
	[REDIR_HERE] = "<<",
	[REDIR_HERE_STRING] = "<<<",
};

bool access_same_cause(const struct access *a, const struct access *b)
{
	if (a->cause != b->cause)
		return false;
	switch (a->cause) {
	case CAUSE_REDIRECT: return a->redirect == b->redirect && a->fd == b->fd;
	case CAUSE_IMPORT:
	case CAUSE_LINK: return true;
	default: return a->by && b->by && !strcmp(a->by, b->by);
	}
}

struct str access_cause(struct arena *a, const struct access *x)
{
	struct str by = x->by ? str_of(x->by) : STR("");

	switch (x->cause) {
	case CAUSE_REDIRECT:
		return x->fd ? str_fmt(a, "%d%s", x->fd, redir_names[x->redirect])
			     : str_of(redir_names[x->redirect]);
	case CAUSE_LIST: return str_fmt(a, "the list for %.*s", STR_ARG(by));
	case CAUSE_IMPORT: return STR("import");
	case CAUSE_LINK: return STR("link");
	default: return by;
	}
}
