/* Programs that PowerShell starts, and Windows programs with a fixed category. See powershell.h. */
#include <strings.h>

#include "code/powershell_call.h"

struct str ps_parent(struct str path)
{
	size_t n = path.n;

	while (n && path.p[n - 1] != '/' && path.p[n - 1] != '\\')
		n--;
	return str_first(path, n);
}

static struct str last_part(struct str s)
{
	struct str dir = ps_parent(s);

	return str_from(s, dir.n);
}

bool ps_was_fetched(const struct ps *p, struct str path)
{
	for (size_t i = 0; i < p->nfetched; i++)
		if (!text_exact(p->fetched[i]) ||
				(path.n && str_eq(last_part(p->fetched[i]), last_part(path))))
			return true;
	return false;
}

/* Windows programs with a fixed category; `words`: only with one of these. */
static const struct {
	char names[68], words[40];
	enum marker say;
} natives[] = {
	{"schtasks", "/create /change /run /delete", MARKER_PERSISTENCE},
	{"sc.exe sc", "create config start delete", MARKER_PERSISTENCE}, {"at", "", MARKER_PERSISTENCE},
	{"reg", "add delete import restore load copy", MARKER_PERSISTENCE},
	{"wmic", "create call delete set", MARKER_SYSTEM_CHANGE}, {"diskpart", "", MARKER_DESTRUCTION},
	{"format format.com", "", MARKER_DESTRUCTION}, {"cipher", "", MARKER_DESTRUCTION},
	{"bcdedit", "", MARKER_DESTRUCTION},
	{"vssadmin wbadmin", "delete resize", MARKER_DESTRUCTION}, {"fsutil", "", MARKER_DESTRUCTION},
	{"runas gsudo", "", MARKER_ELEVATION}, {"takeown icacls cacls", "", MARKER_ELEVATION},
	{"net net1", "user localgroup share stop start use", MARKER_ELEVATION},
	{"netsh", "add set delete reset", MARKER_PROTECTIONS},
	{"wevtutil", "cl clear-log", MARKER_PROTECTIONS},
	{"auditpol", "/set /clear", MARKER_PROTECTIONS},
	{"mshta regsvr32 rundll32 cscript wscript msiexec installutil msbuild", "", MARKER_PROCESS},
	{"bitsadmin certutil", "", MARKER_NETWORK},
	{"cmd wsl command.com bash.exe wsl.exe forfiles pcalua conhost hh ftp", "", MARKER_PROCESS},
	{"powershell_ise.exe regedit taskschd.msc", "", MARKER_PROCESS},
	{"taskkill", "", MARKER_SYSTEM_CHANGE},
	{"shutdown", "", MARKER_PROTECTIONS}, {"robocopy", "/mir /purge /move /mov", MARKER_DESTRUCTION},
	{"setx", "", MARKER_PERSISTENCE},
};

/* MARKER_NONE: a known program without effects; MARKERS: any other program. */
static enum marker native_category(struct str name, const struct word *argv, size_t argc)
{
	for (size_t i = 0; i < ARRAY_SIZE(natives); i++) {
		if (!str_like_any(name, natives[i].names))
			continue;
		if (!natives[i].words[0])
			return natives[i].say;
		for (size_t k = 1; k < argc; k++)
			if (argv[k].kind != WORD_EXACT || str_like_any(argv[k].text, natives[i].words))
				return natives[i].say;
		return MARKER_NONE;
	}
	return MARKERS;
}

static struct word word_of(struct ps *p, const struct ps_val *v, struct span at)
{
	struct str text = ps_text(p, v);
	struct word w = {.kind = text_exact(text) ? WORD_EXACT : v->kind == PS_TEXT ? WORD_UNKNOWN :
			WORD_REST, .text = text, .at = at};

	if (v->kind == PS_FILES)
		w = (struct word){.kind = WORD_REST, .at = at};
	if (v->bare && w.kind == WORD_EXACT && text.n && text.p[0] == '~' &&
			(text.n == 1 || text.p[1] == '/') && p->w->v->home.n)
		w.text = str_cat(p->a, p->w->v->home, str_from(text, 1));
	if (v->bare && w.kind == WORD_EXACT && text.n &&
			(str_has(text, '*') || str_has(text, '?')) && text.p[0] != '-')
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
	enum marker say;

	if (p->mute)
		return;
	if (argv[0].kind != WORD_EXACT) {
		ps_mark(p, MARKER_CALL);
		return;
	}
	for (size_t i = 0; i < argc && p->nfetched; i++)
		if ((i == 0 || str_like_any(base,
				"pwsh powershell bash sh zsh python python3 node ruby perl cmd")) &&
				ps_was_fetched(p, argv[i].text))
			ps_mark(p, MARKER_DOWNLOAD_EXECUTE);
	say = native_category(base, argv, argc);
	if (say == MARKER_NONE)
		return;
	if (say != MARKERS) {
		ps_mark(p, say);
	} else if (str_ends(argv[0].text, ".ps1") || str_ends(argv[0].text, ".psm1")) {
		struct ps_val v = ps_of(argv[0].text);
		ps_access(p, ACCESS_EXEC, &v, false, true, "&");
	} else if (argv[0].text.n > 2 && argv[0].text.p[1] == ':') {
		ps_mark(p, MARKER_PROCESS);
	} else {
		code_run_argv(p->w, argv, argc, (TSNode){0});
	}
}

/*
 * Runs a program with its words. `args`: the value of Start-Process -ArgumentList, which is split at blanks.
 */
void ps_run_program(struct ps *p, struct ps_call *c, const struct ps_val *name, const struct ps_val *args)
{
	struct word *argv = arena_alloc(p->a, (PS_ARGS_MAX + 1) * sizeof(*argv));
	struct str text = ps_text(p, name);
	size_t n = 1;

	argv[0] = (struct word){.kind = text_exact(text) && text.n ? WORD_EXACT : WORD_UNKNOWN,
			.text = program_name(p, text), .at = p->w->here};
	for (size_t i = 0; c && i < c->nargs; i++) {
		const struct ps_arg *a = &c->args[i];

		ps_walk_blocks(p, &a->val);
		if (a->splat) {
			argv[n++] = (struct word){.kind = WORD_REST, .at = a->at};
		} else if (a->param.n) {
			struct ps_val v =
					ps_of(str_fmt(p->a, "-%.*s%s", STR_ARG(a->param), a->has ? ":" : ""));

			if (a->has)
				v.text = str_cat(p->a, v.text, ps_text(p, &a->val));
			n = put_value(p, argv, n, &v, a->at);
		} else {
			n = put_value(p, argv, n, &a->val, a->at);
		}
		if (n >= PS_ARGS_MAX) {
			ps_mark(p, MARKER_BOUND);
			break;
		}
	}
	if (args && args->kind == PS_TEXT && (str_has(args->text, ' ') ||
			!text_exact(args->text)))
		argv[n++] = (struct word){.kind = WORD_REST, .at = p->w->here};
	else if (args)
		n = put_value(p, argv, n, args, p->w->here);
	run_words(p, argv, n);
}
