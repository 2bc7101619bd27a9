/* Reads the words of a PowerShell command, and binds them to parameters. See powershell.h. */
#include <strings.h>

#include "code/powershell_call.h"

#define COMMON \
	"Verbose! vb! Debug! db! ErrorAction ea WarningAction wa InformationAction infa ProgressAction " \
			"ErrorVariable ev WarningVariable wv InformationVariable iv OutVariable ov " \
			"OutBuffer ob PipelineVariable pv WhatIf! wi! Confirm! cf!"

/* ---- words ---- */

static bool at_delimiter(struct ps *p)
{
	return ps_end(p) || strchr(" \t\r\n\f\v;,(){}|&<>", ps_at(p, 0)) != NULL;
}

struct ps_val ps_item(struct ps *p)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);
	size_t from = p->i;
	struct ps_val v;

	if (c == '$' && (ps_name_char(next) || strchr("({$^?", next))) {
		bool mute = p->mute;

		p->mute = true; /* only to find its end */
		if (next == '(') {
			p->i += 2;
			ps_statements(p, ')');
		} else {
			ps_variable(p);
		}
		p->mute = mute;
		bool member = (ps_at(p, 0) == '.' && ps_name_char(ps_at(p, 1))) || ps_at(p, 0) == '[' ||
				(ps_at(p, 0) == ':' && ps_at(p, 1) == ':');
		bool alone = at_delimiter(p);
		p->i = from;
		if (next == '(')
			return ps_primary(p); /* text directly after it is a separate word */
		if (!member && !alone)
			return ps_bare(p);
		v = ps_primary(p);
		if (!at_delimiter(p)) {
			ps_mark(p, MARKER_WORD);
			ps_bare(p);
		}
		return v;
	}
	if (c == '\'' || c == '"' || c == '(' || c == '{' || (c == '@' && strchr("({'\"", next) && next))
		return ps_primary(p);
	v = ps_bare(p);
	v.number = v.text.n > 0;
	for (size_t i = 0; i < v.text.n; i++)
		v.number &= ascii_is_digit(v.text.p[i]);
	return v;
}

/* Reads one argument: a word, or a list a, b. */
static struct ps_val read_argument(struct ps *p)
{
	struct ps_val v = ps_item(p);
	size_t end = p->i;

	ps_blanks(p);
	if (ps_at(p, 0) == ',' && !ps_end(p))
		v = ps_list(p, v, ps_item, &end);
	p->i = end;
	return v;
}

static void write_to(struct ps *p, const struct ps_val *v, enum redir_op op)
{
	struct access **added = p->w->f->accesses_end;

	ps_access(p, ACCESS_WRITE, v, false, true, NULL);
	for (struct access *x = *added; x; x = x->next) {
		x->cause = CAUSE_REDIRECT;
		x->redirect = op;
	}
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
	v = ps_item(p);
	ps_at_span(p, from, p->i);
	write_to(p, &v, append ? REDIR_APPEND : REDIR_WRITE);
	return true;
}

/* Reads -name or -name:value. */
static void read_parameter(struct ps *p, struct ps_arg *a)
{
	size_t from = p->i++;

	while (ps_name_char(ps_at(p, 0)) || ps_at(p, 0) == '-' || ps_at(p, 0) == '?')
		p->i++;
	/* -x=y, -x"y": an ordinary word */
	if (!at_delimiter(p) && ps_at(p, 0) != ':' && ps_at(p, 0) != '.' && ps_at(p, 0) != '[') {
		p->i = from;
		a->val = ps_bare(p);
		a->has = true;
		return;
	}
	a->param = str_sub(p->s, from + 1, p->i);
	if (ps_at(p, 0) == ':' && !ps_end(p)) {
		p->i++;
		ps_blanks(p);
		a->val = read_argument(p);
		a->has = true;
	}
}

void ps_words(struct ps *p, struct ps_call *c)
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
			ps_mark(p, MARKER_WORD);
			while (!ps_end(p) && ps_at(p, 0) != '\n')
				p->i++;
			return;
		}
		if (ch == '-' && (ps_name_char(ps_at(p, 1)) || ps_at(p, 1) == '-') &&
				!(ps_at(p, 1) >= '0' && ps_at(p, 1) <= '9')) {
			read_parameter(p, &a);
		} else if (ch == '@' && ps_name_char(ps_at(p, 1))) {
			p->i++;
			ps_variable_name(p);
			a.splat = a.has = true;
			a.val = PS_UNKNOWN;
		} else {
			a.val = read_argument(p);
			a.has = true;
		}
		a.at.to = (uint32_t)p->i;
		if (c->nargs == PS_ARGS_MAX) {
			p->stopped = true;
			ps_mark(p, MARKER_BOUND);
			return;
		}
		c->args[c->nargs++] = a;
	}
}

/* ---- binding ---- */

bool ps_next_param(const char **at, struct bound *ret, char *ret_position)
{
	const char *s = *at;

	while (*s == ' ')
		s++;
	if (!*s)
		return false;
	*ret_position = ascii_is_digit(*s) ? *s++ : '\0';
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

/* Finds a parameter by its exact name or by an unambiguous prefix. *hits counts different matches. */
static bool find_param(const char *list, struct str name, struct bound *ret, unsigned *hits)
{
	struct bound b;
	char position;

	while (ps_next_param(&list, &b, &position)) {
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

static bool position_param(const struct ps_call *c, const struct ps_val *v, struct bound *ret)
{
	const char *list = c->row->params;
	struct bound b, more = {0};
	char position, best = '9';
	bool found = false;

	while (ps_next_param(&list, &b, &position)) {
		bool taken = false;

		for (size_t i = 0; i < c->nbound; i++)
			taken |= c->bound[i].name == b.name;
		if (position == '9')
			more = b;
		if (!position || position == '9' || taken ||
				(b.kind == 'b' && v->kind == PS_TEXT && c->row->out == 'i'))
			continue;
		if (position < best) {
			best = position;
			*ret = b;
			found = true;
		}
	}
	if (!found && more.name) {
		*ret = more;
		ret->name = NULL; /* may be bound several times */
		found = true;
	}
	return found;
}

static bool bind_one(struct ps_call *c, struct bound b)
{
	if (c->nbound == BOUND_MAX)
		return false;
	c->bound[c->nbound++] = b;
	return true;
}

bool ps_bind(struct ps_call *c)
{
	for (int named = 1; named >= 0; named--) { /* named parameters first: they occupy their positions */
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
				if (value && (i + 1 >= c->nargs || c->args[i + 1].param.n ||
						c->args[i + 1].splat))
					return false;
				if (named && value)
					/* the word is the value of this parameter */
					c->args[i + 1].has = false;
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

const struct bound *ps_has(const struct ps_call *c, const char *name)
{
	for (size_t i = 0; i < c->nbound; i++)
		if (c->bound[i].name && c->bound[i].n == strlen(name) && !strncasecmp(c->bound[i].name, name,
				c->bound[i].n))
			return &c->bound[i];
	return NULL;
}
