/*
 * Variables with effects beyond their value: they make the shell, or a program, run, load or write something.
 */
#include "knowledge/variables.h"
#include "shell/marks.h"

/* Evaluates a text that bash expands as a prompt (PS4 under set -x, ${x@P}): its substitutions run. */
void eval_prompt(struct eval *e, struct str text, struct span at)
{
	if (!str_has(text, '$') && !str_has(text, '`') && !str_has(text, '\\') &&
			text_exact(text))
		return;
	/* \044( becomes $( before the prompt is expanded */
	if (!text_exact(text) || str_has(text, '\\')) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt whose text is not known runs what is in it",
				at);
		return;
	}
	uint32_t index = emit_text(e, text, TEXT_FROM(PROMPT), at);
	struct parser p;
	struct syn_part *parts = NULL;
	parser_for(e, &p, text, index);
	if (parse_text(&p, IN_DOUBLE, &parts) != PARSE_LINE || p.unsure || p.alias_found) {
		emit_trouble(e, TROUBLE_CONSTRUCT, "a prompt that cannot be read", at);
		return;
	}
	marks_parts(e, index, parts);
	struct shell_state keep = e->s;
	struct output_sink *out = e->out;
	unsigned reads = e->reads;
	e->out = NULL;
	expand_text(e, parts);
	e->out = out;
	e->s = keep;
	e->s.in.known &= e->reads == reads;
}

/* Directories of system programs: only the administrator writes there. */
static bool system_dir(struct str dir)
{
	if (str_is_any(dir,
			"/bin /usr/bin /sbin /usr/sbin /usr/local/bin /usr/local/sbin /usr/games "
			"/opt/homebrew/bin"))
			return true;
	return false;
}

bool system_path(struct str path)
{
	struct str base = str_base(path);
	return base.n && base.n < path.n && !str_is(base, "..") &&
			system_dir(str_first(path, path.n - base.n - 1));
}

/* True for a PATH that has only system directories. */
static bool system_dirs(struct str path)
{
	for (size_t from = 0; from <= path.n;) {
		size_t to = str_end(path, ':', from);
		if (!system_dir(str_sub(path, from, to)))
			return false;
		from = to + 1;
	}
	return true;
}

/* ---- effects ---- */

static void emit_effect(struct eval *e, const struct var_row *v, struct str name, struct str value,
	struct span at)
{
	const char *op = str_c(e->a, name);

	switch ((enum var_effect)v->effect) {
	case VAR_NONE: case VAR_CHANGES: case VAR_EFFECTS: break;
	case VAR_PROMPT: /* now, and at any later time */
		marks_prompt(e, value, at);
		eval_prompt(e, value, at);
		if (text_exact(value))
			trap_add(e, value, at, TRAP_PROMPT);
		break;
	case VAR_PATH:
		if (!system_dirs(value))
			e->s.options |= OPT_PATH_CHANGED;
		break;
	case VAR_STARTUP: case VAR_LOAD: case VAR_OPTIONS: {
		bool one = v->effect != VAR_OPTIONS && text_exact(value) && !str_has(value, ':');
		emit_variable_access(e, ACCESS_EXEC, word_of(one ? value : HOLE, at), false, op, at);
		break;
	}
	case VAR_SCRIPT:
		if (text_exact(value))
			eval_text_apart(e, value, TEXT_FROM(PROMPT_COMMAND), at, e->dialect);
		else
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt command that is not known", at);
		break;
	case VAR_COMMAND: inner_script(e, op, value, true, at); break;
	case VAR_CODE: emit_snippet(e, var_lang(v), word_of(value, at), at); break;
	case VAR_WRITE: case VAR_WRITE_TREE:
		emit_variable_access(e, ACCESS_WRITE, word_of(value, at), v->effect == VAR_WRITE_TREE, op,
				at);
		break;
	case VAR_HOST: emit_touch(e, word_of(value, at), at); break;
	case VAR_UNFOLLOWED: emit_trouble(e, TROUBLE_CONSTRUCT,
			"a variable that changes how commands are read or found", at); break;
	}
}

void assign_effect(struct eval *e, struct str name, struct str value, enum assign_scope scope, struct span at)
{
	const struct var_row *v = var_find(name);

	emit_setting(e, name, value, scope == ASSIGN_LEADING, at);
	if (v && !var_ordinary(v, value, e->rq->view ? e->rq->view->home : STR("")))
		emit_effect(e, v, name, value, at);
}

/* True for an effect on files that the value names. */
static bool names_files(const struct var_row *v)
{
	return v->effect == VAR_WRITE || v->effect == VAR_WRITE_TREE || v->effect == VAR_LOAD ||
		v->effect == VAR_STARTUP;
}

void relative_effect(struct eval *e, struct str name, struct str value, struct span at)
{
	const struct var_row *row = var_find(name);

	if (!row || !names_files(row) || !value.n || str_starts(value, "/"))
		return;
	if (!var_ordinary(row, value, e->rq->view ? e->rq->view->home : STR("")))
		emit_effect(e, row, name, value, at);
}

static void relative_one(void *ctx, struct str name, const void *value)
{
	const struct shell_value *v = value;
	struct eval *e = ctx;

	if (v && v->set && v->kind == VALUE_TEXT)
		relative_effect(e, name, v->text, e->at);
}

void relative_effects(struct eval *e, const struct pmap *vars) { pmap_each(vars, relative_one, e); }
