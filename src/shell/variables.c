/* Variables that matter beyond their value: those that make the shell, or a program, run something. */
#include "shell/marks.h"

/* A text that bash expands as a prompt (PS4 under set -x, ${x@P}): its substitutions run. */
void eval_prompt(struct eval *e, struct str text, struct span at)
{
	if (!memchr(text.p, '$', text.n) && !memchr(text.p, '`', text.n) && !memchr(text.p, '\\', text.n) && text_exact(text))
		return;
	if (!text_exact(text) || memchr(text.p, '\\', text.n)) { /* \044( becomes $( before the prompt is expanded */
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt whose text is not known runs what is in it", at);
		return;
	}
	uint32_t index = emit_text(e, text, "prompt", at);
	struct parser p;
	struct syn_part *parts = NULL;
	parser_for(e, &p, text, index);
	if (parse_text(&p, IN_DOUBLE, &parts) != PARSE_LINE || p.unsure || p.alias_found) {
		emit_trouble(e, TROUBLE_CONSTRUCT, "a prompt that cannot be read", at);
		return;
	}
	marks_parts(e, index, parts);
	struct state keep = e->s;
	struct sink *out = e->out;
	unsigned reads = e->reads;
	e->out = NULL;
	expand_text(e, parts);
	e->out = out;
	e->s = keep;
	e->s.in.known &= e->reads == reads;
}

/* Where the system keeps its programs: only its administrator writes there. */
static bool system_dir(struct str dir)
{
	static const char *const dirs[] = {"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games", "/opt/homebrew/bin"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
		if (str_is(dir, dirs[i]))
			return true;
	return false;
}

bool system_path(struct str path)
{
	struct str base = base_name(path);
	return base.n && base.n < path.n && !str_is(base, "..") && system_dir(str_sub(path, 0, path.n - base.n - 1));
}

/* A PATH of such directories alone. */
static bool system_dirs(struct str path)
{
	for (size_t from = 0; from <= path.n;) {
		ptrdiff_t colon = str_find(path, ':', from);
		size_t to = colon < 0 ? path.n : (size_t)colon;
		if (!system_dir(str_sub(path, from, to)))
			return false;
		from = to + 1;
	}
	return true;
}

enum variable_effect { EFFECT_PROMPT, EFFECT_PATH, EFFECT_STARTUP, EFFECT_SCRIPT, EFFECT_UNFOLLOWED, EFFECT_EXEC, EFFECT_COMMAND };

/* Variables whose value makes the shell, or a program, run something. */
static const struct {
	const char *name;
	enum variable_effect effect;
} variables[] = {
	{"PS4", EFFECT_PROMPT}, {"PS0", EFFECT_PROMPT}, {"PS1", EFFECT_PROMPT}, {"PS2", EFFECT_PROMPT},
	{"PATH", EFFECT_PATH}, {"path", EFFECT_PATH},
	{"BASH_ENV", EFFECT_STARTUP}, {"ENV", EFFECT_STARTUP}, {"ZDOTDIR", EFFECT_STARTUP},
	{"PROMPT_COMMAND", EFFECT_SCRIPT},
	{"BASH_CMDS", EFFECT_UNFOLLOWED}, {"BASH_ALIASES", EFFECT_UNFOLLOWED}, {"BASH_LOADABLES_PATH", EFFECT_UNFOLLOWED},
	{"SHELLOPTS", EFFECT_UNFOLLOWED}, {"BASH_XTRACEFD", EFFECT_UNFOLLOWED}, {"FUNCNEST", EFFECT_UNFOLLOWED}, {"BASHOPTS", EFFECT_UNFOLLOWED}, {"BASH_COMPAT", EFFECT_UNFOLLOWED}, {"POSIXLY_CORRECT", EFFECT_UNFOLLOWED},
	{"GIT_SSH_COMMAND", EFFECT_COMMAND}, {"GIT_SSH", EFFECT_COMMAND}, {"GIT_EXTERNAL_DIFF", EFFECT_COMMAND}, {"GIT_PAGER", EFFECT_COMMAND},
	{"GIT_EDITOR", EFFECT_COMMAND}, {"GIT_SEQUENCE_EDITOR", EFFECT_COMMAND}, {"GIT_ASKPASS", EFFECT_COMMAND}, {"GIT_PROXY_COMMAND", EFFECT_COMMAND},
	{"PAGER", EFFECT_COMMAND}, {"MANPAGER", EFFECT_COMMAND}, {"EDITOR", EFFECT_COMMAND}, {"VISUAL", EFFECT_COMMAND}, {"BROWSER", EFFECT_COMMAND},
	{"RSYNC_RSH", EFFECT_COMMAND}, {"SSH_ASKPASS", EFFECT_COMMAND}, {"SUDO_ASKPASS", EFFECT_COMMAND},
	{"LESSOPEN", EFFECT_UNFOLLOWED}, {"LESSCLOSE", EFFECT_UNFOLLOWED}, {"TAR_OPTIONS", EFFECT_UNFOLLOWED}, {"GIT_CONFIG_PARAMETERS", EFFECT_UNFOLLOWED},
	{"GIT_CONFIG_COUNT", EFFECT_UNFOLLOWED}, {"GIT_EXEC_PATH", EFFECT_EXEC}, {"GIT_TEMPLATE_DIR", EFFECT_EXEC},
	{"NODE_OPTIONS", EFFECT_EXEC}, {"NODE_PATH", EFFECT_EXEC}, {"PERL5OPT", EFFECT_EXEC}, {"PERL5LIB", EFFECT_EXEC}, {"PYTHONSTARTUP", EFFECT_EXEC},
	{"PYTHONPATH", EFFECT_EXEC}, {"PYTHONHOME", EFFECT_EXEC}, {"RUBYOPT", EFFECT_EXEC}, {"RUBYLIB", EFFECT_EXEC},
	{"LD_PRELOAD", EFFECT_EXEC}, {"LD_LIBRARY_PATH", EFFECT_EXEC}, {"LD_AUDIT", EFFECT_EXEC},
};

void assign_effect(struct eval *e, struct str name, struct str value, enum assign_scope scope, struct span at)
{
	emit_setting(e, name, value, scope == ASSIGN_LEADING, at);
	if (name.n == 0 || !strchr("PpBEZSGLMVRTNF", name.p[0]))
		return;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		if (!str_is(name, variables[i].name))
			continue;
		switch (variables[i].effect) {
		case EFFECT_PROMPT: /* now, and at any later time */
			marks_prompt(e, value, at);
			eval_prompt(e, value, at);
			if (text_exact(value))
				trap_add(e, value, at, TRAP_PROMPT);
			break;
		case EFFECT_PATH:
			if (!system_dirs(value))
				e->s.options |= OPT_PATH_CHANGED;
			break;
		case EFFECT_STARTUP: case EFFECT_EXEC:
			if (value.n)
				emit_access(e, ACCESS_EXEC, word_of(value, at), false, variables[i].name, at);
			break;
		case EFFECT_SCRIPT:
			if (text_exact(value))
				eval_text_apart(e, value, "PROMPT_COMMAND", at, e->dialect);
			else
				emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt command that is not known", at);
			break;
		case EFFECT_COMMAND: /* a command line that a program runs, with words of its own added */
			if (value.n)
				inner_script(e, variables[i].name, value, true, at);
			break;
		case EFFECT_UNFOLLOWED: emit_trouble(e, TROUBLE_CONSTRUCT, "a variable that changes how the shell reads or finds commands", at); break;
		}
		return;
	}
}
