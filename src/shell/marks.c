/*
 * Marks: features of a text that a stricter policy may want to see, although the reader understood it. They
 * are found on the syntax tree, where quoting is exact, once for each line that is parsed. Features that only
 * evaluation finds (prompts, arithmetic) are marked there.
 */
#include "shell/marks.h"

#include "base/chars.h"
#include "base/utf8.h"

#define BRACE_DEPTH_MAX 32 /* nested braces of one word; deeper ones count as an expansion */

struct marks_walk {
	struct eval *e;
	struct str s;        /* the text */
	uint32_t text;
	bool separated;      /* the text has more than one command */
};

/* The context of parts. */
enum {
	AT_QUOTED = 1,       /* inside double quotes or a here-document */
	AT_ARGUMENT = 2,     /* in an argument of a command */
	AT_VALUE = 4,        /* in the value of an assignment */
};

static void walk_node(const struct marks_walk *w, const struct syn_node *n);
static void walk_parts(const struct marks_walk *w, const struct syn_part *part, unsigned where);

static void add_mark(const struct marks_walk *w, enum mark_kind kind, struct span at)
{
	emit_mark(w->e, kind, at);
}
static char byte_at(const struct marks_walk *w, size_t i) { return i < w->s.n ? w->s.p[i] : 0; }
static struct str source_text(const struct marks_walk *w, struct span at)
{
	return at.text == w->text && at.from <= at.to && at.to <= w->s.n ? str_sub(w->s, at.from, at.to) :
			(struct str){"", 0};
}
static bool has_any(struct str s, const char *chars)
{
	for (; *chars; chars++)
		if (str_has(s, *chars))
			return true;
	return false;
}

/* ---- whole texts ---- */

void marks_text(struct eval *e, uint32_t text)
{
	struct str s = e->f->texts[text].bytes;
	size_t i = 0;
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\n'))
		i++;
	/* a tab is ordinary at the start of a script that stands inside another, such as a here-document */
	bool tab = i < s.n && s.p[i] == '\t' && text == 0;
	while (i < s.n && s.p[i] == '\t')
		i++;
	if (tab || (i < s.n && memchr("-&|;<>)", s.p[i], 7)))
		emit_mark(e, MARK_FRAGMENT, (struct span){text, 0, (uint32_t)(i < s.n && !tab ? i + 1 : i)});
	const char *cr = memchr(s.p, '\r', s.n);
	if (cr)
		emit_mark(e, MARK_CARRIAGE_RETURN,
				(struct span){text, (uint32_t)(cr - s.p), (uint32_t)(cr - s.p) + 1});
}

/* True if the character changes how the text around it is displayed. */
static bool steers(enum char_class c) { return c == CHAR_BIDI || c == CHAR_TAG || c == CHAR_CONTROL; }

/* Marks characters in [from, to) that mislead a human reader in any context. */
static void mark_controls(const struct marks_walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to;) {
		unsigned char c = (unsigned char)w->s.p[i];
		/* a derived text may have holes */
		if ((c >= 0x20 && c < 0x7F) || (text_hole((char)c) && w->text > 0)) {
			i++;
			continue;
		}
		size_t at = i;
		if (steers(char_class(utf8_next(w->s, &i))))
			add_mark(w, MARK_INVISIBLE, (struct span){w->text, (uint32_t)at, (uint32_t)i});
	}
}

/* ---- characters of unquoted text ---- */

static void unquoted_char(const struct marks_walk *w, size_t at, size_t *i, bool after_ascii)
{
	struct str s = w->s;
	uint32_t c = utf8_next(s, i);
	struct span here = {w->text, (uint32_t)at, (uint32_t)*i};
	switch (char_class(c)) {
	case CHAR_BLANK: case CHAR_LINE: add_mark(w, MARK_UNICODE_BLANK, here); break;
	case CHAR_INVISIBLE: add_mark(w, MARK_INVISIBLE, here); break;
	case CHAR_JOINER:
		if (after_ascii) /* ordinary between letters of other scripts, and in emoji */
			add_mark(w, MARK_INVISIBLE, here);
		break;
	default: break; /* mark_controls() marks those that change the display */
	}
}

/* Marks the unquoted characters of a word; `at` is the span of a PART_TEXT. */
static void mark_unquoted(const struct marks_walk *w, struct span at)
{
	bool ascii = true;
	for (size_t i = at.from; i < at.to;) {
		size_t from = i;
		if ((unsigned char)w->s.p[i] < 0x80) {
			ascii = true;
			i++;
		} else {
			unquoted_char(w, from, &i, ascii);
			ascii = false;
		}
	}
}

/* ---- parts ---- */

static bool safe_substitution(const struct syn_node *n)
{
	if (n->kind != NODE_SIMPLE || n->assigns || !n->words || n->words->next || !n->words->plain ||
			!n->words->parts)
		return false;
	const struct syn_redir *r = n->redirs;
	return str_is(n->words->parts->text, "cat") && r && !r->next && r->op == REDIR_HERE &&
			r->here_quoted && r->fd <= 0 && !r->var.n;
}

static void walk_command(const struct marks_walk *w, const struct syn_part *part)
{
	if (!part->body) {
		add_mark(w, MARK_BACKTICK, part->at); /* its text is parsed when it is evaluated */
		return;
	}
	add_mark(w, part->kind == PART_COMMAND && safe_substitution(part->body) ? MARK_SAFE_SUBST :
			MARK_SUBSTITUTION, part->at);
	walk_node(w, part->body);
}

static void walk_param(const struct marks_walk *w, const struct syn_part *part, unsigned where)
{
	const struct syn_param *pm = part->param;
	if (str_is(pm->name, "IFS") && !(where & AT_VALUE)) /* OLD=$IFS only saves it */
		add_mark(w, MARK_IFS, part->at);
	if (byte_at(w, part->at.from + 1) == '{')
		add_mark(w, MARK_PARAMETER, part->at);
	if (byte_at(w, part->at.from + 1) == '{' && byte_at(w, part->at.from + 2) == '(' &&
			w->e->dialect == DIALECT_ZSH)
		add_mark(w, MARK_ZSH_EXPANSION, part->at);
	if (pm->op == PARAM_TRANSFORM && pm->letter == 'P')
		add_mark(w, MARK_PROMPT_EXPANSION, part->at);
	walk_parts(w, pm->subscript, where | AT_QUOTED);
	walk_parts(w, pm->arg, where);
	walk_parts(w, pm->arg2, where);
}

/* '...', $'...', or a character after a backslash. */
static void walk_quoted(const struct marks_walk *w, const struct syn_part *part, unsigned where)
{
	struct str src = source_text(w, part->at);
	if (src.n && src.p[0] == '\\') {
		char c = src.n > 1 ? src.p[1] : 0;
		if (!(where & AT_QUOTED) && ascii_is_blank(c))
			add_mark(w, MARK_ESCAPED_BLANK, part->at);
		else if (!(where & AT_QUOTED) && c && strchr(";|&<>()", c))
			add_mark(w, MARK_ESCAPED_OPERATOR, part->at);
		return;
	}
	if (str_has(src, '\n'))
		add_mark(w, MARK_QUOTED_NEWLINE, part->at);
	if ((where & AT_ARGUMENT) && has_any(part->text, ";|&"))
		add_mark(w, MARK_METACHARACTER, part->at);
}

static void walk_double(const struct marks_walk *w, const struct syn_part *part, unsigned where)
{
	bool newline = false, meta = false;
	for (const struct syn_part *in = part->inside; in; in = in->next) {
		newline |= in->kind == PART_TEXT && str_has(in->text, '\n');
		meta |= in->kind == PART_TEXT && has_any(in->text, ";|&");
	}
	if (newline)
		add_mark(w, MARK_QUOTED_NEWLINE, part->at);
	if (meta && (where & AT_ARGUMENT))
		add_mark(w, MARK_METACHARACTER, part->at);
	walk_parts(w, part->inside, where | AT_QUOTED);
}

static void walk_parts(const struct marks_walk *w, const struct syn_part *part, unsigned where)
{
	for (; part; part = part->next) {
		if (part->at.text != w->text)
			continue; /* part of another text, which has its own walk */
		switch (part->kind) {
		case PART_TEXT:
			if (!(where & AT_QUOTED))
				mark_unquoted(w, part->at);
			break;
		case PART_QUOTED: walk_quoted(w, part, where); break;
		case PART_DOUBLE: walk_double(w, part, where); break;
		case PART_PARAM: walk_param(w, part, where); break;
		case PART_COMMAND: case PART_PROCESS: walk_command(w, part); break;
		case PART_ARITH:
			if (byte_at(w, part->at.from + 1) == '[')
				add_mark(w, MARK_OLD_ARITHMETIC, part->at);
			walk_parts(w, part->inside, where | AT_QUOTED);
			break;
		}
	}
}

/* ---- words ---- */

/* {a,b} and {1..9}; other text between the braces does not matter. */
static void mark_braces(const struct marks_walk *w, const struct syn_word *word)
{
	bool makes[BRACE_DEPTH_MAX] = {false};
	size_t depth = 0;
	bool found = false;
	for (const struct syn_part *part = word->parts; part; part = part->next) {
		for (size_t i = 0; i < part->text.n && part->kind == PART_TEXT; i++) {
			char c = part->text.p[i];
			if (c == '{' && depth < BRACE_DEPTH_MAX)
				makes[depth++] = false;
			else if (c == '{')
				found = true;
			else if (depth &&
					(c == ',' || (c == '.' && i + 1 < part->text.n &&
					part->text.p[i + 1] == '.')))
				makes[depth - 1] = true;
			else if (depth && c == '}')
				found |= makes[--depth];
		}
	}
	if (found)
		add_mark(w, MARK_BRACES, word->at);
}

/* Marks a # that starts no comment because it is inside a word, next to a quote. */
static void mark_hash(const struct marks_walk *w, const struct syn_word *word)
{
	for (const struct syn_part *part = word->parts; part; part = part->next) {
		if (part->kind != PART_TEXT || part->at.text != w->text)
			continue;
		for (size_t i = part->at.from; i < part->at.to; i++) {
			if (w->s.p[i] != '#' || i == word->at.from)
				continue;
			char before = byte_at(w, i - 1), after = byte_at(w, i + 1);
			if ((before && strchr("'\"", before)) || (after && strchr("'\"", after)))
				add_mark(w, MARK_MIDWORD_HASH,
						(struct span){w->text, (uint32_t)i, (uint32_t)i + 1});
		}
	}
}

/*
 * Marks unbalanced brackets, or an odd number of escaped quotes, outside of quotes. A bracket that is the
 * whole word is a command or an operator.
 */
static void mark_malformed(const struct marks_walk *w, const struct syn_word *word)
{
	int round = 0, square = 0, curly = 0, single = 0, twice = 0;
	size_t n = 0;
	for (const struct syn_part *part = word->parts; part; part = part->next) {
		bool escaped = part->kind == PART_QUOTED && byte_at(w, part->at.from) == '\\';
		n += part->kind == PART_TEXT || escaped ? part->text.n : 2;
		for (size_t i = 0; i < part->text.n && (part->kind == PART_TEXT || escaped); i++) {
			char c = part->text.p[i];
			round += (c == '(') - (c == ')');
			square += (c == '[') - (c == ']');
			curly += (c == '{') - (c == '}');
			single += c == '\'';
			twice += c == '"';
		}
	}
	if (n > 1 && !(n == 2 && square == 2 * (square > 0 ? 1 : -1)) &&
			(round || square || curly || single % 2 || twice % 2))
		add_mark(w, MARK_MALFORMED, word->at);
}

/* Marks look-alike letters where they can deceive: in a command name, an option or a path. */
static void mark_homoglyphs(const struct marks_walk *w, const struct syn_word *word, bool name)
{
	bool first = true;
	for (const struct syn_part *part = word->parts; part; part = part->next, first = false) {
		if (part->kind != PART_TEXT)
			continue;
		bool found = text_mixes_scripts(part->text) || (first && text_false_dash(part->text)) ||
			     (name && first && !part->next && text_all_lookalikes(part->text));
		if (found)
			add_mark(w, MARK_HOMOGLYPH, word->at);
	}
}

static void zsh_word(const struct marks_walk *w, const struct syn_word *word)
{
	const struct syn_part *part = word->parts;
	if (!part || part->kind != PART_TEXT || part->text.n < 2)
		return;
	char c = part->text.p[0], next = part->text.p[1];
	bool command = c == '=' && (ascii_is_name((unsigned char)next) || next == '/' || next == '.' ||
			next == '-');
	bool qualifier = str_ends(word->source, ")") && has_any(word->source, "(") && !word->parts->next;
	if (command || (c == '~' && next == '[') || qualifier)
		add_mark(w, MARK_ZSH_EXPANSION, word->at);
}

static void walk_word(const struct marks_walk *w, const struct syn_word *word, unsigned where)
{
	if (word->at.text != w->text)
		return;
	walk_parts(w, word->parts, where);
	if (word->braces && w->e->dialect != DIALECT_SH)
		mark_braces(w, word);
	mark_hash(w, word);
	if (w->separated)
		mark_malformed(w, word);
	if (w->e->dialect == DIALECT_ZSH)
		zsh_word(w, word);
}

static void walk_words(const struct marks_walk *w, const struct syn_word *word, unsigned where)
{
	for (; word; word = word->next)
		walk_word(w, word, where);
}

/* ---- options ---- */

/* True if the whole text is an option: - or --, a letter, and no blank before the "=". */
static bool option_like(struct str s)
{
	size_t i = 0;
	while (i < s.n && i < 2 && s.p[i] == '-')
		i++;
	if (i == 0 || i >= s.n || !ascii_is_letter(s.p[i]))
		return false;
	while (i < s.n && s.p[i] != '=' && !strchr(" \t\n", s.p[i]))
		i++;
	return i == s.n || s.p[i] == '=';
}

/* True if a text that starts with a letter follows this part. */
static bool letters_follow(const struct syn_part *part)
{
	return part->next && part->next->kind == PART_TEXT && ascii_is_letter(part->next->text.p[0]);
}

/* True if the dash itself is quoted: "-rf", '-'rf, ""-rf. */
static bool quoted_dash(const struct syn_part *part)
{
	const struct syn_part *in = part->kind == PART_DOUBLE ? part->inside : part;

	if (!in || (in == part && !in->text.n)) /* ""-rf */
		return part->next && part->next->kind == PART_TEXT && option_like(part->next->text);
	if (!in->text.n || in->text.p[0] != '-' || in->kind == PART_PARAM)
		return false;
	return option_like(in->text) || (str_is(in->text, "-") && letters_follow(part)) ||
		(str_is(in->text, "--") && part->next);
}

/*
 * True if this part of a short option hides letters: an escaped letter, empty quotes, or a quoted piece
 * before letters.
 */
static bool hides_letters(const struct marks_walk *w, const struct syn_part *in, bool short_name)
{
	struct str src = source_text(w, in->at);
	bool escape = in->kind == PART_QUOTED && src.n == 2 && src.p[0] == '\\' && ascii_is_letter(src.p[1]);
	bool empty = (in->kind == PART_QUOTED && !in->text.n) || (in->kind == PART_DOUBLE && !in->inside);
	bool expands = in->kind == PART_PARAM || in->kind == PART_COMMAND || in->kind == PART_ARITH;

	return escape || (empty && in->next) ||
		(in->kind != PART_TEXT && !expands && letters_follow(in) && short_name);
}

/*
 * True if the option is disguised: the dash itself is quoted, or a part that is not plain text begins inside
 * the name. The name of a long option ends at "=". In short options the first letter is the name, and the end
 * of the word may be a value (-m"text", -j$(nproc)).
 */
static bool is_disguised(const struct marks_walk *w, const struct syn_word *word)
{
	const struct syn_part *part = word->parts;

	if (part->kind == PART_QUOTED || part->kind == PART_DOUBLE)
		return quoted_dash(part);
	if (part->kind != PART_TEXT || part->text.p[0] != '-' || !part->next)
		return false;
	if (str_starts(part->text, "--"))
		return part->text.n > 2 || part->next->next ? !str_has(part->text, '=') :
				part->text.n == 2;
	if (part->text.n == 1)
		return true;
	if (!ascii_is_letter(part->text.p[1]) || str_has(part->text, '='))
		return false;
	for (const struct syn_part *in = part->next; in; in = in->next)
		if (hides_letters(w, in, part->text.n <= 3))
			return true;
	return false;
}

static void builtin_options(const struct marks_walk *w, const struct syn_word *word)
{
	for (; word; word = word->next) {
		if (word->plain && word->parts && str_is(word->parts->text, "--"))
			return; /* no options follow */
		if (!word->plain && word->parts && word->at.text == w->text && is_disguised(w, word))
			add_mark(w, MARK_OBFUSCATED_FLAG, word->at);
	}
}

/* ---- commands ---- */

static bool has_variable(const struct syn_part *part)
{
	for (; part; part = part->next)
		if (part->kind == PART_PARAM || (part->kind == PART_DOUBLE && has_variable(part->inside)))
			return true;
	return false;
}

static bool digits_or_dash(struct str s)
{
	size_t i = 0;
	while (i < s.n && ascii_is_digit(s.p[i]))
		i++;
	return s.n && (i == s.n || (i == s.n - 1 && s.p[i] == '-'));
}

static void walk_redirs(const struct marks_walk *w, const struct syn_redir *r)
{
	for (; r; r = r->next) {
		struct str plain = r->target->plain && r->target->parts ? r->target->parts->text :
				(struct str){"", 0};
		bool copy = (r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT) && digits_or_dash(plain);
		if (r->op == REDIR_HERE)
			continue; /* the body is a separate text, or data */
		walk_word(w, r->target, 0);
		if (r->op == REDIR_HERE_STRING || copy)
			continue;
		if (!str_is(plain, "/dev/null"))
			add_mark(w, MARK_REDIRECTION, r->at);
		if (has_variable(r->target->parts))
			add_mark(w, MARK_VARIABLE_CONTEXT, r->at);
		mark_homoglyphs(w, r->target, false);
	}
}

static void walk_assigns(const struct marks_walk *w, const struct syn_assign *as)
{
	for (; as; as = as->next) {
		walk_parts(w, as->subscript, AT_QUOTED | AT_VALUE);
		if (as->value)
			walk_word(w, as->value, AT_VALUE);
		for (const struct syn_element *el = as->elements; el; el = el->next) {
			walk_parts(w, el->subscript, AT_QUOTED | AT_VALUE);
			walk_word(w, el->value, AT_VALUE);
		}
	}
}

static void walk_simple(const struct marks_walk *w, const struct syn_node *n)
{
	walk_assigns(w, n->assigns);
	if (!n->words)
		return;
	walk_word(w, n->words, 0);
	mark_homoglyphs(w, n->words, true);
	for (const struct syn_word *word = n->words->next; word; word = word->next) {
		mark_homoglyphs(w, word, false);
		if (word->assign) { /* argument of declare or a related builtin */
			struct syn_assign one = *word->assign;
			one.next = NULL;
			walk_assigns(w, &one);
		} else {
			walk_word(w, word, AT_ARGUMENT);
		}
	}
	builtin_options(w, n->words->next);
}

/* Returns the end of a node without the blanks and newlines that the parser consumed after it. */
static size_t end_of(const struct syn_node *n)
{
	if (n->kind == NODE_LIST || n->kind == NODE_ANDOR || n->kind == NODE_PIPE) {
		const struct syn_node *last = n->first;
		while (last && last->next)
			last = last->next;
		return last ? end_of(last) : n->at.to;
	}
	size_t to = n->kind == NODE_SIMPLE ? n->at.from : n->at.to;
	for (const struct syn_assign *as = n->assigns; as; as = as->next)
		to = as->at.to > to ? as->at.to : to;
	for (const struct syn_word *word = n->words; word && n->kind == NODE_SIMPLE; word = word->next)
		to = word->at.to > to ? word->at.to : to;
	for (const struct syn_redir *r = n->redirs; r; r = r->next)
		to = r->at.to > to ? r->at.to : to;
	return to;
}

/* Marks the newline between two commands, if there is one. */
static void newline_between(const struct marks_walk *w, const struct syn_node *one,
	const struct syn_node *two)
{
	if (!one || !two || two->at.from > w->s.n)
		return;
	for (size_t i = end_of(one); i < two->at.from; i++) {
		char c = w->s.p[i];
		if (c == '\\') {
			i++;
		} else if (c == '#') { /* a newline ends a comment, even after a backslash */
			while (i + 1 < two->at.from && w->s.p[i + 1] != '\n')
				i++;
		} else if (c == '\n') {
			add_mark(w, MARK_NEWLINE, (struct span){w->text, (uint32_t)i, (uint32_t)i + 1});
			return;
		}
	}
}

static void walk_members(const struct marks_walk *w, const struct syn_node *n)
{
	for (const struct syn_node *m = n->first; m; m = m->next) {
		walk_node(w, m);
		if (n->kind == NODE_LIST)
			newline_between(w, m, m->next);
		if (n->kind == NODE_PIPE && n->first->next && m->kind == NODE_SIMPLE && m->words &&
				has_variable(m->words->parts))
			add_mark(w, MARK_VARIABLE_CONTEXT, m->words->at);
	}
	if (n->kind == NODE_PIPE && n->first && n->first->next)
		add_mark(w, MARK_PIPELINE, n->at);
}

static void walk_test(const struct marks_walk *w, const struct syn_test *t)
{
	if (!t)
		return;
	walk_test(w, t->left);
	walk_test(w, t->right);
	if (t->a)
		walk_parts(w, t->a->parts, 0);
	if (t->b)
		walk_parts(w, t->b->parts, 0);
}

/* ---- loops that start processes without end ---- */

static bool simple_is(const struct syn_node *n, const char *names)
{
	const struct syn_part *name = n->kind == NODE_SIMPLE && n->words ? n->words->parts : NULL;
	return name && n->words->plain && str_is_any(name->text, names);
}

/* Unwraps lists and pipelines that have only one command. */
static const struct syn_node *single_command(const struct syn_node *n)
{
	while (n && (n->kind == NODE_LIST || n->kind == NODE_ANDOR || n->kind == NODE_PIPE) && n->first &&
			!n->first->next && !n->negated && !n->first->background)
		n = n->first;
	return n;
}

static bool is_endless(const struct syn_node *n)
{
	const struct syn_node *c = single_command(n->cond);
	if (n->kind == NODE_ARITH_FOR)
		return !n->arith[1];
	if (n->kind == NODE_WHILE)
		return c && simple_is(c, ": true");
	return n->kind == NODE_UNTIL && c && simple_is(c, "false");
}

/*
 * True if the code starts background jobs and does nothing that takes time or leaves the loop. Commands known
 * to do neither may stand beside the jobs.
 */
static bool only_spawns(const struct syn_node *n, bool *ret_spawns)
{
	static const char quick[] = ": true false echo printf let test [ local export declare";
	if (!n)
		return true;
	if (n->kind == NODE_SIMPLE)
		return !n->words || simple_is(n, quick);
	if (n->kind == NODE_ARITH || n->kind == NODE_COND)
		return true;
	if (n->kind == NODE_GROUP || n->kind == NODE_SUBSHELL || n->kind == NODE_IF)
		return only_spawns(n->cond, ret_spawns) && only_spawns(n->body, ret_spawns) &&
				only_spawns(n->orelse, ret_spawns);
	if (n->kind != NODE_LIST && n->kind != NODE_ANDOR && n->kind != NODE_PIPE)
		return false;
	for (const struct syn_node *m = n->first; m; m = m->next) {
		*ret_spawns |= m->background;
		if (!m->background && !only_spawns(m, ret_spawns))
			return false;
	}
	return true;
}

static void walk_loop(const struct marks_walk *w, const struct syn_node *n)
{
	bool spawns = false;
	if (is_endless(n) && only_spawns(n->body, &spawns) && spawns)
		add_mark(w, MARK_SPAWNS, n->at);
}

static void walk_node(const struct marks_walk *w, const struct syn_node *n)
{
	if (!n)
		return;
	walk_redirs(w, n->redirs);
	if (n->kind == NODE_SIMPLE) {
		walk_simple(w, n);
		return;
	}
	walk_words(w, n->words, n->kind == NODE_FOR || n->kind == NODE_SELECT ? AT_ARGUMENT : 0);
	walk_members(w, n);
	walk_loop(w, n);
	walk_node(w, n->cond);
	walk_node(w, n->body);
	walk_node(w, n->orelse);
	newline_between(w, n->cond, n->body);
	newline_between(w, n->body, n->orelse && n->orelse->kind == NODE_IF &&
			n->orelse->cond ? n->orelse->cond : n->orelse);
	for (size_t i = 0; i < 3; i++)
		walk_parts(w, n->arith[i], AT_QUOTED);
	for (const struct syn_clause *c = n->clauses; c; c = c->next) {
		walk_words(w, c->patterns, 0);
		walk_node(w, c->body);
	}
	walk_test(w, n->test);
}

/* ---- entries ---- */

void marks_line(struct eval *e, const struct parser *p, size_t start, const struct syn_node *n)
{
	struct marks_walk w = {.e = e, .s = {p->s, p->end}, .text = p->text};
	/* text after an error is not parsed, but a human may read it */
	size_t to = n || !p->error ? p->pos : p->end;
	size_t at = start;
	/* bodies with a quoted delimiter are data: skip them */
	for (const struct lex_note *body = p->bodies; body; body = body->next) {
		if (body->from < at || body->to > to)
			continue;
		mark_controls(&w, at, body->from);
		at = body->to;
	}
	mark_controls(&w, at, to);
	for (const struct lex_note *c = p->comments; c; c = c->next)
		add_mark(&w, MARK_COMMENT_QUOTE, (struct span){p->text, (uint32_t)c->from, (uint32_t)c->to});
	if (!n)
		return;
	w.separated = n->kind == NODE_LIST || n->kind == NODE_ANDOR || start > 0 || p->pos < p->end;
	walk_node(&w, n);
}

void marks_parts(struct eval *e, uint32_t text, const struct syn_part *parts)
{
	struct marks_walk w = {.e = e, .s = e->f->texts[text].bytes, .text = text};
	mark_controls(&w, 0, w.s.n);
	walk_parts(&w, parts, AT_QUOTED);
}

void marks_prompt(struct eval *e, struct str value, struct span at)
{
	bool expands = memchr(value.p, '`', value.n) || text_open(value);
	for (size_t i = 0; i + 1 < value.n; i++)
		expands |= value.p[i] == '$' && (i == 0 || value.p[i - 1] != '\\') &&
				(ascii_is_name_start((unsigned char)value.p[i + 1]) ||
				strchr("({[", value.p[i + 1]));
	if (expands)
		emit_mark(e, MARK_PROMPT_EXPANSION, at);
}
