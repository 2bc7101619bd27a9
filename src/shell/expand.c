/*
 * Expands words to fields: tilde, parameters, substitutions and arithmetic, then splitting, then file name
 * patterns.
 *
 * A word under expansion is an array of characters, each with its kind: literal, quoted, or the result of an
 * unquoted expansion. Splitting considers only the last kind, patterns all but quoted ones. An unknown text
 * among split characters makes the whole word WORD_REST.
 */
#include "shell/eval.h"
#include "shell/pattern.h"

struct word word_rest(struct span at) { return (struct word){.kind = WORD_REST, .text = HOLE, .at = at}; }

struct word word_of(struct str text, struct span at)
{
	return (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text, .at = at};
}

void fields_add(struct eval *e, struct fields *fs, struct word w)
{
	if (fs->n >= FIELDS_MAX)
		eval_stop(e, "a command has too many words");
	fs->at = arena_room(e->a, fs->at, fs->n, &fs->cap, sizeof(*fs->at));
	fs->at[fs->n++] = w;
}

struct str fields_join(struct eval *e, const struct word *at, size_t n)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_char(&b, ' ');
		buf_str(&b, at[i].kind == WORD_REST ? HOLE : at[i].text);
	}
	return buf_view(&b);
}

/* ---- characters ---- */

static void chars_init(struct chars *c, struct arena *a)
{
	buf_init(&c->b, a, 0);
	buf_init(&c->kinds, a, 0);
	c->foreign = false;
	c->hint.n = 0;
}

void chars_add(struct chars *c, struct str s, enum char_kind kind)
{
	/* adjacent unknown texts are one */
	if (s.n && s.p[0] == HOLE_ANY && c->b.n && c->b.p[c->b.n - 1] == HOLE_ANY &&
			c->kinds.p[c->b.n - 1] == (char)kind)
		s = str_from(s, 1);
	buf_str(&c->b, s);
	for (size_t i = 0; i < s.n; i++)
		buf_char(&c->kinds, (char)kind);
}

void chars_mark(struct chars *c, enum char_kind kind)
{
	buf_char(&c->b, ' ');
	buf_char(&c->kinds, (char)kind);
}

#define LIKELY_MAX 4096 /* bytes of a guess */

void chars_hint(struct chars *c, size_t n, struct str likely)
{
	if (!n || !likely.n || likely.n > LIKELY_MAX || str_eq(likely, HOLE))
		return;
	c->hint = likely;
	c->hint_at = c->b.n - n;
	c->hint_to = c->b.n;
}

/* Most secrets lie in hidden files or directories; few names of a project tell anything. */
static int likely_rank(struct str s)
{
	static const char tell[][8] = {"secret", "key", "cred", "_rsa", "environ", "passw", "token"};
	int rank = s.n && s.p[0] == '/';

	for (size_t i = 0; i < ARRAY_SIZE(tell); i++)
		if (str_contains(s, str_of(tell[i])))
			rank = 2;
	for (size_t i = 0; i + 1 < s.n; i++)
		if (s.p[i] == '.' && (i == 0 || s.p[i - 1] == '/') && !strchr("./", s.p[i + 1]))
			rank = 3;
	return rank;
}

struct str word_likely_best(struct str a, struct str b)
{
	return !a.n || likely_rank(b) > likely_rank(a) ? b : a;
}

/* Under dotglob a star may find a hidden name, which says more than any other. */
static struct str hidden_name(struct eval *e, struct str names)
{
	size_t base = names.n;

	while (base > 0 && names.p[base - 1] != '/')
		base--;
	if (!e->odd_globs || base >= names.n || names.p[base] != HOLE_NAME)
		return names;
	return str_fmt(e->a, "%.*s.%.*s", STR_ARG(str_first(names, base)), STR_ARG(str_from(names, base)));
}

struct str word_likely(struct eval *e, const struct word *w)
{
	struct str names;

	if (w->kind != WORD_REST)
		return w->likely.n ? w->likely : w->text;
	if (!w->glob)
		return w->likely;
	names = names_of_pattern(e, w->text);
	return str_eq(names, HOLE) ? w->text : hidden_name(e, names);
}

/* The characters as one text with its guess in place; empty if that says nothing. */
static struct str chars_likely(struct eval *e, const struct chars *c)
{
	struct buf b;

	if (c->b.n > LIKELY_MAX)
		return STR("");
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < c->b.n; i++) {
		enum char_kind k = (enum char_kind)c->kinds.p[i];

		if (c->hint.n && i == c->hint_at)
			buf_str(&b, c->hint);
		else if (c->hint.n && i > c->hint_at && i < c->hint_to)
			continue;
		else if (k == CHAR_REST || k == CHAR_BREAK || k == CHAR_EMPTY)
			buf_char(&b, HOLE_ANY);
		else
			buf_char(&b, c->b.p[i]);
	}
	for (size_t i = 0; i < b.n; i++)
		if (b.p[i] != HOLE_ANY)
			return buf_view(&b);
	return STR("");
}

/* ---- parts ---- */

/*
 * Removes trailing newlines. A hole at the end may itself end in newlines, or be empty and make those before
 * it trailing.
 */
static struct str without_newlines(struct eval *e, struct str s)
{
	size_t n = s.n;
	while (n > 0 && s.p[n - 1] == '\n')
		n--;
	if (n == 0 || s.p[n - 1] != HOLE_ANY)
		return str_first(s, n);
	size_t k = n - 1;
	while (k > 0 && (s.p[k - 1] == '\n' || s.p[k - 1] == HOLE_ANY))
		k--;
	return str_cat(e->a, str_first(s, k), HOLE);
}

/*
 * True for one simple command that is no function and evaluates no text: nothing before its output can end
 * the script.
 */
static bool one_program(const struct eval *e, const struct syn_node *n)
{
	if (!n || n->kind != NODE_SIMPLE || !n->words || !n->words->plain || !n->words->parts ||
			pmap_get(e->s.funcs, n->words->parts->text))
		return false;
	return !str_is_any(n->words->parts->text, "eval . source command builtin exec");
}

/* Returns the output of a script that runs in a subshell, for $( ) and backticks. */
static struct str expand_substitution(struct eval *e, const struct syn_part *part)
{
	struct output_sink sink = {.spoiled = false}, *out = e->out, *captured = e->captured;
	buf_init(&sink.b, e->a, 0);
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_SUBST});
	unsigned unsure = e->unsure;
	unsigned choices = choice_substitution(e);
	e->unsure = 0;
	e->out = e->captured = &sink;
	e->substitutions += part->body != NULL;
	if (part->body)
		eval_apart(e, part->body);
	else
		eval_text_apart(e, part->text, TEXT_FROM(BACKTICK), part->at, e->dialect);
	e->substitutions -= part->body != NULL;
	choice_substituted(e, choices);
	e->may_miss = sink.may_miss;
	e->captured = captured;
	e->out = out;
	e->via = outer;
	e->unsure = unsure;
	if (!out_known(e, &sink, one_program(e, part->body)))
		return HOLE;
	return without_newlines(e, buf_view(&sink.b));
}

/* $(<file) expands to the file's content. */
static bool reads_file(struct eval *e, const struct syn_part *part)
{
	const struct syn_node *n = part->body;
	if (!n || n->kind != NODE_SIMPLE || n->words || n->assigns || !n->redirs || n->redirs->next ||
			n->redirs->op != REDIR_READ)
		return false;
	eval_apart(e, n);
	return true;
}

static void expand_parts(struct eval *e, const struct syn_part *parts, struct how how, struct chars *out);

/* "...": at least one field, unless its only content is an empty "$@". */
static void expand_double(struct eval *e, const struct syn_part *part, struct how how, struct chars *out)
{
	size_t before = out->b.n;
	/*
	 * an empty "$@" makes no field; with other parts beside it, the result depends on IFS and the shell
	 */
	bool list = false, plain = part->inside && !part->inside->next, star = false;
	for (const struct syn_part *k = part->inside; k; k = k->next) {
		bool at = k->kind == PART_PARAM && (str_is(k->param->name, "@") || k->param->all == '@') &&
				!k->param->length;
		list |= at;
		plain &= !at || k->param->op == PARAM_PLAIN;
		star |= k->kind == PART_PARAM && (str_is(k->param->name, "*") || k->param->all == '*') &&
				k->param->op;
		for (const struct syn_part *q = k->kind == PART_PARAM ? k->param->arg : NULL; q; q = q->next)
			/* nested quotes beside a list */
			star |= q->kind == PART_DOUBLE || q->kind == PART_QUOTED;
	}
	struct how inner = how;
	inner.quoted = true;
	expand_parts(e, part->inside, inner, out);
	if (out->b.n == before && (!list || !plain))
		chars_mark(out, list ? CHAR_REST : CHAR_EMPTY);
	if (list && (star || (!plain && !str_eq(param_ifs(e), STR(" \t\n")))))
		chars_mark(out, CHAR_REST); /* "${a[*]%x}$@": bash then treats * as @ */
}

/*
 * <( ) and >( ): the commands run concurrently; the word is the name of a pipe. The text printed into it is
 * kept, because it may be a script.
 */
static void expand_process(struct eval *e, const struct syn_part *part, struct chars *out)
{
	struct output_sink sink = {.spoiled = false}, *o = e->out, *captured = e->captured;
	struct input in = e->s.in;
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_PROCSUB});
	unsigned unsure = e->unsure;
	out_spoil(e); /* it runs concurrently with later commands */
	buf_init(&sink.b, e->a, 0);
	e->out = e->captured = &sink;
	e->unsure = 0;
	e->s.in = (struct input){0};
	struct unordered job = order_open(e);
	if (part->body)
		eval_apart(e, part->body);
	order_close(e, job, ORDER_BESIDE);
	struct pipe *p = arena_copy(e->a, (struct pipe){.next = e->pipes, .at = part->at,
			.text = buf_view(&sink.b),
			   .known = part->text.n && part->text.p[0] == '<' && !sink.may_miss &&
					out_known(e, &sink, one_program(e, part->body))});
	e->pipes = p;
	e->via = outer;
	e->out = o;
	e->captured = captured;
	e->unsure = unsure;
	e->s.in = in;
	in_forget(e);
	chars_add(out, STR("/dev/fd/"), CHAR_QUOTED);
	chars_add(out, HOLE_NUMBER, CHAR_QUOTED);
}

bool pipe_text(const struct eval *e, const struct word *w, struct str *ret)
{
	if (w->kind != WORD_UNKNOWN || !str_is(w->text, "/dev/fd/\1"))
		return false;
	/* the latest pipe at this place: a loop makes several */
	for (const struct pipe *p = e->pipes; p; p = p->next)
		if (p->at.text == w->at.text && w->at.from <= p->at.from && p->at.to <= w->at.to) {
			*ret = p->text;
			return p->known && text_exact(p->text);
		}
	return false;
}

static void expand_part(struct eval *e, const struct syn_part *part, struct how how, struct chars *out)
{
	enum char_kind result = how.quoted ? CHAR_QUOTED : CHAR_EXPANDED;
	switch (part->kind) {
	case PART_TEXT:
		chars_add(out, part->text, how.quoted ? CHAR_QUOTED : how.text);
		break;
	case PART_QUOTED:
		if (part->text.n == 0)
			chars_mark(out, CHAR_EMPTY);
		chars_add(out, part->text, CHAR_QUOTED);
		break;
	case PART_DOUBLE:
		expand_double(e, part, how, out);
		break;
	case PART_PARAM:
		expand_param(e, part->param, how, out, part->at);
		break;
	case PART_COMMAND: {
		e->may_miss = false;
		struct str text = reads_file(e, part) ? HOLE : expand_substitution(e, part);
		out->foreign |= text_open(text);
		if (e->may_miss && how.arith && str_eq(text, HOLE_NUMBER))
			may_abort(e); /* a missing number is an error */
		else if (e->may_miss)
			text = HOLE; /* a number or nothing: unknown, but no data that was read */
		chars_add(out, text, result);
		if (str_eq(text, HOLE))
			chars_hint(out, 1, e->last_word); /* of the last command in it: $(ls DIR/NAME) */
		break;
	}
	case PART_ARITH: {
		struct number_result r = eval_arith_parts(e, part->inside);
		chars_add(out, r.known ? str_fmt(e->a, "%lld", (long long)r.n) : HOLE_NUMBER, result);
		break;
	}
	case PART_PROCESS:
		out->foreign = true;
		expand_process(e, part, out);
		break;
	}
}

static void expand_parts(struct eval *e, const struct syn_part *parts, struct how how, struct chars *out)
{
	eval_enter(e);
	for (; parts; parts = parts->next)
		expand_part(e, parts, how, out);
	eval_exit(e);
}

/* ---- tilde ---- */

static struct str home_of(struct eval *e)
{
	const struct shell_value *v = var_get(e, STR("HOME"));
	if (v)
		return v->kind == VALUE_TEXT && v->set && !v->maybe ? v->text : HOLE;
	return e->rq->view && e->rq->view->home.n ? e->rq->view->home : HOLE;
}

/*
 * ~+ is $PWD in bash, even if the script set it, and the directory itself in zsh. dash reads + as a user
 * name.
 */
static struct str working_dir(struct eval *e)
{
	const struct shell_value *v = var_get(e, STR("PWD"));
	if (e->dialect == DIALECT_SH || (v && e->dialect != DIALECT_BASH))
		return HOLE;
	if (v)
		return v->kind == VALUE_TEXT && v->set && !v->maybe ? v->text : HOLE;
	return e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE;
}

static struct str expand_tilde(struct eval *e, struct str prefix)
{
	if (str_is(prefix, "~"))
		return home_of(e);
	if (str_is(prefix, "~root"))
		return STR("/root");
	return str_is(prefix, "~+") ? working_dir(e) : HOLE;
}

/*
 * Adds a literal part with its tildes expanded: at the start of the word, and in assignments after each
 * colon.
 */
static void expand_tildes(struct eval *e, const struct syn_part *part, bool first, bool assigned,
		struct chars *out, enum char_kind kind)
{
	struct str s = part->text;
	size_t from = 0;
	bool may = first;
	while (from < s.n) {
		if (may && s.p[from] == '~') {
			size_t to = from + 1;
			while (to < s.n && s.p[to] != '/' && !(assigned && s.p[to] == ':'))
				to++;
			if (to < s.n || !part->next) {
				chars_add(out, expand_tilde(e, str_sub(s, from, to)), CHAR_QUOTED);
				from = to;
				may = false;
				continue;
			}
		}
		chars_add(out, str_sub(s, from, from + 1), kind);
		may = assigned && s.p[from] == ':';
		from++;
	}
}

/* Index after NAME= in any argument: bash expands tildes there as in an assignment. 0: no such prefix. */
static size_t assigned_from(struct str s)
{
	ptrdiff_t eq = str_find(s, '=', 0);
	return eq > 0 && name_valid(str_first(s, (size_t)eq)) ? (size_t)eq + 1 : 0;
}

static bool has_tilde(const struct syn_part *parts)
{
	for (; parts; parts = parts->next)
		if (parts->kind == PART_TEXT && str_has(parts->text, '~'))
			return true;
	return false;
}

void expand_whole(struct eval *e, const struct syn_part *parts, struct how how, bool assigned,
		struct chars *out)
{
	if (how.quoted || !has_tilde(parts)) {
		expand_parts(e, parts, how, out);
		return;
	}
	bool first = true;
	for (const struct syn_part *part = parts; part; part = part->next) {
		if (part->kind != PART_TEXT) {
			expand_part(e, part, how, out);
		} else {
			size_t eq = first && !assigned && !how.made &&
					e->dialect != DIALECT_SH ? assigned_from(part->text) : 0;
			if (first && part->next && part->text.n && part->text.p[0] == '~' &&
					(str_has(part->text, '=') ||
					str_has(part->text, ':')))
				chars_mark(out, CHAR_REST); /* bash then expands nothing else in the word */
			struct syn_part rest = *part;
			rest.text = str_from(part->text, eq);
			chars_add(out, str_first(part->text, eq), how.text);
			assigned |= eq > 0;
			expand_tildes(e, &rest, first, assigned, out, how.text);
		}
		first = false;
	}
}

/* ---- splitting ---- */

struct splitter {
	struct eval *e;
	struct fields *fs;
	struct span at;
	/* the field so far; the same as a pattern with quoted characters escaped */
	struct buf text, pattern;
	bool any, active;
	bool ambient; /* see struct word */
	struct str likely;
};

static void field_end(struct splitter *sp)
{
	if (!sp->any)
		return;
	struct str text = str_dup(sp->e->a, buf_view(&sp->text)), pattern = buf_view(&sp->pattern);
	struct word w = word_of(text, sp->at);
	w.ambient = w.kind == WORD_UNKNOWN && sp->ambient;
	if (w.kind == WORD_UNKNOWN)
		w.likely = sp->likely;
	if (sp->active && pattern_active(pattern)) {
		w = word_rest(sp->at);
		w.glob = true;
		w.text = str_dup(sp->e->a, pattern);
		emit_look(sp->e, w);
	}
	fields_add(sp->e, sp->fs, w);
	sp->text.n = sp->pattern.n = 0;
	sp->any = sp->active = false;
}

static void field_char(struct splitter *sp, char c, enum char_kind kind)
{
	bool special = strchr("*?[]\\@+!()|", c) && c;
	if (kind == CHAR_QUOTED && special)
		buf_char(&sp->pattern, '\\');
	else if (special)
		sp->active = true;
	buf_char(&sp->pattern, c);
	buf_char(&sp->text, c);
	sp->any = true;
}

/* True if the result of splitting is unknown: an unknown text, or an unknown IFS with text to split. */
static bool is_unsplittable(const struct eval *e, const struct chars *c, struct str ifs)
{
	for (size_t i = 0; i < c->b.n; i++) {
		enum char_kind k = (enum char_kind)c->kinds.p[i];
		if (k == CHAR_REST)
			return true;
		if (k != CHAR_EXPANDED)
			continue;
		char ch = c->b.p[i];
		if (ch == HOLE_ANY || ch == HOLE_NAME || text_open(ifs))
			return true;
		if (ch == HOLE_NUM)
			for (size_t d = 0; d < ifs.n; d++)
				if (strchr("-0123456789", ifs.p[d]))
					return true;
		if (e->dialect == DIALECT_ZSH && (str_has(ifs, ch) || strchr("*?[", ch)))
			return true;
	}
	return false;
}

static void split_fields(struct eval *e, const struct chars *c, struct span at, struct fields *ret)
{
	struct str ifs = param_ifs(e);
	eval_burn(e, c->b.n + 1);
	if (is_unsplittable(e, c, ifs)) {
		struct word rest = word_rest(at);
		rest.ambient = !c->foreign;
		rest.likely = chars_likely(e, c);
		fields_add(e, ret, rest);
		return;
	}
	struct splitter sp = {.e = e, .fs = ret, .at = at, .ambient = !c->foreign,
			.likely = c->hint.n ? chars_likely(e, c) : STR("")};
	buf_init(&sp.text, e->a, 0);
	buf_init(&sp.pattern, e->a, 0);
	bool hard = false; /* the last separator was white space: another separator may join it */
	for (size_t i = 0; i < c->b.n; i++) {
		char ch = c->b.p[i];
		enum char_kind k = (enum char_kind)c->kinds.p[i];
		if (k == CHAR_BREAK) {
			field_end(&sp);
		} else if (k == CHAR_EMPTY) {
			sp.any = true;
		} else if (k == CHAR_EXPANDED && ch && str_has(ifs, ch)) {
			if (ascii_is_blank_or_newline(ch)) {
				hard = hard || sp.any;
				field_end(&sp);
				continue;
			}
			if (!sp.any && !hard)
				sp.any = true; /* an empty field between separators */
			field_end(&sp);
		} else {
			field_char(&sp, ch, k);
		}
		hard = false;
	}
	field_end(&sp);
}

/* ---- entries ---- */

/* True if a literal "$" stands beside an expansion: bash then does not split the word. */
static bool lone_dollar(const struct syn_part *parts)
{
	bool dollar = false, expansion = false;
	for (; parts; parts = parts->next) {
		dollar |= parts->kind == PART_TEXT && parts->text.n &&
				parts->text.p[parts->text.n - 1] == '$';
		expansion |= parts->kind == PART_PARAM || parts->kind == PART_COMMAND ||
				parts->kind == PART_ARITH;
	}
	return dollar && expansion;
}

/* False if the word is one field; then it was added. */
static bool expand_chars(struct eval *e, const struct syn_word *w, struct fields *ret, struct chars *c)
{
	if (w->plain && w->parts && !str_has(w->parts->text, '~') &&
			e->dialect != DIALECT_ZSH &&
	    !pattern_active(w->parts->text) && !str_has(w->parts->text, '\\')) {
		fields_add(e, ret, word_of(w->parts->text, w->at)); /* fast path for the most common word */
		return false;
	}
	chars_init(c, e->a);
	if (e->dialect == DIALECT_ZSH && w->parts && w->parts->kind == PART_TEXT &&
			w->parts->text.p[0] == '=') {
		/* =cmd is the path of cmd: as a command name it means cmd, elsewhere an unknown path */
		fields_add(e, ret,
				word_of(ret->n == 0 && w->plain ? str_from(w->parts->text, 1) : HOLE, w->at));
		return false;
	}
	expand_whole(e, w->parts, (struct how){.text = CHAR_TEXT, .made = w->made}, false, c);
	if (lone_dollar(w->parts))
		chars_mark(c, CHAR_REST);
	return true;
}

static void expand_one(struct eval *e, const struct syn_word *w, struct fields *ret)
{
	struct chars c;
	if (expand_chars(e, w, ret, &c))
		split_fields(e, &c, w->at, ret);
}

void expand_word(struct eval *e, const struct syn_word *w, struct fields *ret)
{
	struct syn_word *words = NULL;
	if (brace_expand(e, w, &words)) {
		for (; words; words = words->next)
			expand_one(e, words, ret);
		return;
	}
	expand_one(e, w, ret);
}

/* Returns the characters as one text: breaks between list items become blanks, CHAR_REST becomes a hole. */
static struct str flatten_chars(struct eval *e, const struct chars *c, bool pattern)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	/* with another IFS, the shell decides which separator joins a list */
	bool blank = str_eq(param_ifs(e), STR(" \t\n"));
	if (str_has(buf_view(&c->kinds), CHAR_BREAK) && str_has(buf_view(&c->kinds), CHAR_EMPTY))
		return HOLE; /* shells join a list with empty items in different ways */
	for (size_t i = 0; i < c->b.n; i++) {
		enum char_kind k = (enum char_kind)c->kinds.p[i];
		if (k == CHAR_EMPTY)
			continue;
		if (k == CHAR_REST || (k == CHAR_BREAK && !blank)) {
			buf_char(&b, HOLE_ANY);
			continue;
		}
		if (pattern && k == CHAR_QUOTED && c->b.p[i] && strchr("*?[]\\@+!()|-^", c->b.p[i]))
			buf_char(&b, '\\');
		buf_char(&b, c->b.p[i]);
	}
	eval_burn(e, b.n + 1);
	return buf_view(&b);
}

/* True if only the unknown parts can split the word; the known parts then stay as they are. */
static bool splits_in_holes(struct eval *e, const struct chars *c)
{
	struct str ifs = param_ifs(e);
	for (size_t i = 0; i < c->b.n; i++) {
		bool active = c->kinds.p[i] == CHAR_TEXT || c->kinds.p[i] == CHAR_EXPANDED;
		if (active && (ascii_is_blank_or_newline(c->b.p[i]) ||
				(c->b.p[i] && strchr("*?[]@+!()|", c->b.p[i]))))
			return false;
	}
	return str_eq(ifs, STR(" \t\n"));
}

struct word expand_target(struct eval *e, const struct syn_word *w)
{
	struct fields fs = {0};
	struct syn_word *words = NULL;
	struct chars c;
	bool one = !brace_expand(e, w, &words);
	for (; words; words = words->next)
		expand_one(e, words, &fs);
	bool chars = one && expand_chars(e, w, &fs, &c);
	if (chars)
		split_fields(e, &c, w->at, &fs);
	/* a pattern means the file that it finds, or its own text if it finds none */
	if (fs.n == 1 && (fs.at[0].kind != WORD_REST || fs.at[0].glob))
		return fs.at[0];
	return word_of(chars && splits_in_holes(e, &c) ? flatten_chars(e, &c, false) : HOLE, w->at);
}

static struct str unsplit_text(struct eval *e, const struct syn_word *w, bool assigned)
{
	e->foreign = false;
	e->likely = STR("");
	if (w->plain && w->parts && !str_has(w->parts->text, '~'))
		return w->parts->text;
	struct chars c;
	chars_init(&c, e->a);
	expand_whole(e, w->parts, (struct how){.text = CHAR_TEXT}, assigned, &c);
	struct str text = flatten_chars(e, &c, false);
	e->foreign = c.foreign;
	if (c.hint.n)
		e->likely = chars_likely(e, &c);
	return text;
}

struct str expand_single(struct eval *e, const struct syn_word *w) { return unsplit_text(e, w, true); }
struct str expand_unsplit(struct eval *e, const struct syn_word *w) { return unsplit_text(e, w, false); }

struct str expand_pattern(struct eval *e, const struct syn_part *parts)
{
	struct chars c;
	chars_init(&c, e->a);
	expand_whole(e, parts, (struct how){.text = CHAR_TEXT}, false, &c);
	return flatten_chars(e, &c, true);
}

struct str expand_text(struct eval *e, const struct syn_part *parts)
{
	struct chars c;
	chars_init(&c, e->a);
	expand_parts(e, parts, (struct how){.quoted = true}, &c);
	return flatten_chars(e, &c, false);
}

struct str expand_arith_text(struct eval *e, const struct syn_part *parts)
{
	if (parts && !parts->next && parts->kind == PART_TEXT)
		return parts->text;
	struct chars c;
	chars_init(&c, e->a);
	expand_parts(e, parts, (struct how){.quoted = true, .arith = true}, &c);
	return flatten_chars(e, &c, false);
}
