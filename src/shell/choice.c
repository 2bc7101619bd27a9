/*
 * Known texts that an unknown value may have. A text is either known or a hole, so `cat ${X:-FILE}` and a
 * variable that differs on two joined paths would lose the texts that they may stand for. This file remembers
 * those texts:
 *
 *   choice_list    the texts of one variable, in struct shell_value; state_join() collects them
 *   e->choices     the largest number of texts that an expansion of the current command could choose from
 *   e->choice      0: holes stay holes; k: each of those expansions takes its k-th text
 *
 * After the evaluation with holes, choice_eval() evaluates the command once more for each k. It keeps only
 * the facts, contents of files and texts of variables found that way, so a choice adds facts and never
 * removes one.
 */
#include "shell/eval.h"

static size_t count_choices(const struct choice_list *t)
{
	size_t n = 0;
	for (; t; t = t->next)
		n++;
	return n;
}

static const struct choice_list *add_choice(struct eval *e, const struct choice_list *to, struct str text)
{
	if (!text.n || !text_exact(text) || text.n > CHOICE_TEXT_MAX)
		return to;
	size_t n = 0;
	for (const struct choice_list *t = to; t; t = t->next, n++)
		if (str_eq(t->text, text))
			return to;
	if (n >= CHOICES_MAX)
		return to;
	struct choice_list *t = arena_copy(e->a, (struct choice_list){to, text});
	return t;
}

const struct choice_list *choice_of(struct eval *e, const struct choice_list *to, const struct shell_value *v)
{
	if (!v || v->kind != VALUE_TEXT || !v->set)
		return to;
	for (const struct choice_list *t = v->may; t; t = t->next)
		to = add_choice(e, to, t->text);
	return add_choice(e, to, v->text);
}

static void offer_choices(struct eval *e, size_t n)
{
	if (e->choices < n)
		e->choices = (unsigned)n;
}

bool choice_text(struct eval *e, const struct choice_list *may, struct str *ret)
{
	size_t n = count_choices(may);
	offer_choices(e, n);
	if (!e->choice || e->choice > n)
		return false;
	for (unsigned k = 1; k < e->choice; k++)
		may = may->next;
	*ret = may->text;
	return true;
}

bool choice_word(struct eval *e, const struct choice_list *may)
{
	offer_choices(e, count_choices(may) + 1);
	return e->choice > count_choices(may);
}

/*
 * True if the command's own words or redirections may choose. In a pipeline, one stage's output is another's
 * input.
 */
static bool may_choose(const struct syn_node *n)
{
	bool words = n->kind == NODE_SIMPLE || n->kind == NODE_FOR || n->kind == NODE_SELECT;
	return words || n->kind == NODE_PIPE || n->redirs;
}

static void eval_again(struct eval *e, const struct syn_node *n, const struct shell_state *before,
	uint32_t start)
{
	struct shell_state after = e->s;
	struct output_sink *out = e->out, *captured = e->captured;
	uint32_t end = e->clock;
	unsigned reads = e->reads;
	e->s = *before;
	e->out = e->captured = NULL;
	e->clock = start; /* it is the same command */
	eval_once(e, n);
	e->out = out;
	e->captured = captured;
	e->clock = e->clock > end ? e->clock : end;
	e->reads = reads;
	after.vars = vars_join(e, after.vars, e->s.vars);
	after.files = content_join(e, after.files, e->s.files);
	e->s = after;
}

void choice_eval(struct eval *e, const struct syn_node *n)
{
	unsigned outer = e->choices, inner = e->choices_inside;
	if (e->choice || !may_choose(n)) {
		eval_once(e, n);
		return;
	}
	struct shell_state before = e->s;
	uint32_t start = e->clock;
	e->choices = e->choices_inside = 0;
	eval_once(e, n);
	unsigned all = e->choices > e->choices_inside ? e->choices : e->choices_inside;
	unsigned own = n->kind == NODE_PIPE ? all : e->choices;
	for (e->choice = 1; e->choice <= own; e->choice++)
		eval_again(e, n, &before, start);
	e->choice = 0;
	e->choices = outer;
	e->choices_inside = inner > all ? inner : all;
}

unsigned choice_substitution(struct eval *e)
{
	unsigned outer = e->choices_inside;
	e->choices_inside = 0;
	return outer;
}

void choice_substituted(struct eval *e, unsigned outer)
{
	offer_choices(e, e->choices_inside);
	e->choices_inside = outer;
}
