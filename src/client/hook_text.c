/*
 * Messages for people and models about a verdict. A question shows the person the whole command, the effect
 * of a yes, and the one command that makes the answer permanent. A denial tells the model why, what to do
 * instead, and that a person can allow it. Text from the command is made visible, redacted, and put on one
 * line.
 */
#define _GNU_SOURCE
#include <string.h>

#include "base/chars.h"
#include "base/utf8.h"
#include "client/hook_pre.h"
#include "judge/rule_words.h"
#include "model/network_request.h"

#define REASONS_MAX 5                  /* reasons in a message */
#define REASONS_BYTES (HOOK_REASON_MAX - 32) /* bytes of all reasons; the rest is for the omitted count */
#define COMMAND_MAX ((size_t)32 << 10) /* bytes of a command in a question; clients accept far more */
#define COMMENT_COLUMNS 120
#define COMMENT_BYTES 4096 /* bytes searched for a command's first line */
#define EXCERPT_MAX 60
#define LINE_END "\u23ce" /* return arrow, as the sign of a line end */
#define OUTSIDE "If you approve, it runs OUTSIDE the box, with access to the whole machine"

/* Removes secrets. Keeps everything that a shell could run, because a person decides about it. */
static struct str without_secrets(struct review *g, struct str text)
{
	struct str s = g->j.view ? record_redact_command(g->c->a, &g->record, text) : text;

	return text_hide_words(g->c->a, s);
}

/* The same, with invisible characters made visible; newlines stay. */
static struct str clean_text(struct review *g, struct str text)
{
	return str_visible(g->c->a, without_secrets(g, text));
}

/* The same on one line. Unlike backslash and n, the sign for a line end cannot come from the text. */
static struct str shown_text(struct review *g, struct str text)
{
	struct str s = clean_text(g, text);
	struct buf b;

	buf_init(&b, g->c->a, 0);
	for (size_t i = 0; i < s.n; i++) {
		bool sign = str_starts(str_from(s, i), LINE_END);

		if (s.p[i] == '\n')
			buf_c(&b, LINE_END);
		else if (sign)
			buf_c(&b, "\\u{23ce}");
		else
			buf_char(&b, s.p[i] == '\t' ? ' ' : s.p[i]);
		i += sign ? strlen(LINE_END) - 1 : 0;
	}
	return buf_view(&b);
}

/* Cuts to at most n bytes without splitting a character. */
static struct str cut_text(struct str s, size_t n)
{
	if (s.n <= n)
		return s;
	while (n && utf8_continues(s.p[n]))
		n--;
	return str_first(s, n);
}

/* ---- reasons ---- */

/* A contained command needs no advice, unless it is denied because no box is available. */
static struct str advice_instead(struct review *g, const struct reason *r, enum message_kind kind)
{
	bool code = r->id == CHECK_EXECUTES_FILE || r->id == CHECK_UNKNOWN_PROGRAM;

	if (kind == MESSAGE_SPLIT || (r->grade == GRADE_CONTAIN && kind != MESSAGE_DENIAL))
		return STR("");
	if (kind == MESSAGE_DENIAL && !r->alternative.n && code)
		return STR("run its steps as separate commands, so that each is judged, or ask the user to "
			   "run it");
	return str_visible(g->c->a, r->alternative);
}

/* Appends the reasons, the gravest first. */
static void put_reasons(struct review *g, struct buf *b, enum message_kind kind)
{
	unsigned n = 0, left_out = 0;

	for (unsigned grade = GRADE_DENY; grade >= GRADE_CONTAIN; grade--)
		for (const struct reason *r = g->j.reasons; r; r = r->next) {
			struct str message, alternative = advice_instead(g, r, kind);

			if (r->grade != grade)
				continue;
			if (n >= REASONS_MAX || b->n >= REASONS_BYTES) {
				left_out++;
				continue;
			}
			message = shown_text(g, r->message); /* the message quotes the command */
			buf_fmt(b, "%s%.*s", n++ ? "; " : ": ", STR_ARG(message));
			if (alternative.n)
				buf_fmt(b, " (instead: %.*s)", STR_ARG(alternative));
			buf_fmt(b, " [%s]", check_name(r->id));
		}
	b->n = cut_text(buf_view(b), REASONS_BYTES).n;
	if (left_out)
		buf_fmt(b, "; and %u more", left_out);
}

static void put_command(struct review *g, struct buf *b)
{
	struct str all = shown_text(g, g->c->h.command), part = cut_text(all, COMMAND_MAX);

	buf_fmt(b, ". The whole command: %.*s", STR_ARG(part));
	if (part.n < all.n)
		buf_fmt(b, "... (cut: %zu of %zu bytes are not shown)", all.n - part.n, all.n);
}

struct str text_reasons(struct review *g, enum message_kind kind, const char *tail)
{
	struct buf b;

	buf_init(&b, g->c->a, 0);
	buf_c(&b, kind == MESSAGE_QUESTION ? "caisson: needs approval" : "caisson: denied");
	put_reasons(g, &b, kind);
	if (tail)
		buf_fmt(&b, ". %s", tail);
	if (kind == MESSAGE_QUESTION && review_is_shell(g))
		put_command(g, &b);
	return buf_view(&b);
}

/* ---- sentences ---- */

const char *text_join(struct review *g, const char *a, const char *b, const char *c)
{
	const char *const all[] = {a && *a ? a : NULL, b && *b ? b : NULL, c && *c ? c : NULL};
	struct buf out;

	buf_init(&out, g->c->a, 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const char *s = all[i];

		if (s)
			buf_fmt(&out, "%s%c%s", out.n ? ". " : "", ascii_to_upper(*s), s + 1);
	}
	return out.n ? str_c(g->c->a, buf_view(&out)) : NULL;
}

/* Says what the box reaches: "the registries of npm and example.com only". */
const char *text_network(struct review *g)
{
	static const char registries[] = "preset:registries/";
	struct network_request asked = network_request_of(g->j.network);
	struct buf b;

	if (!asked.given)
		return g->c->policies.own.sandbox.network_allow ? "only the hosts of the policy"
								: "no network";
	if (network_request_is_host(&asked))
		return "the network";
	buf_init(&b, g->c->a, 0);
	for (const struct texts *t = g->j.network; t; t = t->next) {
		struct str word = shown_text(g, t->text);
		bool preset = str_take(&word, registries);

		buf_fmt(&b, "%s%s%.*s", !b.n ? "" : t->next ? ", " : " and ",
			preset ? "the package registries of " : "", STR_ARG(word));
	}
	buf_c(&b, " only");
	return str_c(g->c->a, buf_view(&b));
}

const char *text_yes(struct review *g, const struct approved *x, const char *obstacle)
{
	bool boxed = x->run == APPROVAL_BOX || x->run == APPROVAL_NETWORK;

	if (boxed && obstacle)
		return str_fmt_c(g->c->a, OUTSIDE "%s%s", *obstacle ? ": " : "", obstacle);
	if (x->run == APPROVAL_OUTSIDE && x->unboxed)
		return OUTSIDE ": it cannot run in the box";
	if (!boxed)
		return review_is_shell(g) ? "If you approve, it runs unchanged, without the box" : NULL;
	return x->run == APPROVAL_NETWORK ? str_fmt_c(g->c->a, "If you approve, it runs in the box, with %s",
			text_network(g)) : "If you approve, it runs in the box";
}

static bool has_grade(const struct judgement *j, enum grade grade)
{
	const struct reason *r = j->reasons;

	while (r && r->grade != grade)
		r = r->next;
	return r != NULL;
}

const char *text_allow(struct review *g)
{
	struct arena *a = g->c->a;
	struct str rules = STR("");

	if (review_is_shell(g) && g->c->loaded && !has_grade(&g->j, GRADE_DENY) &&
		str_eq(g->facts.texts[0].bytes, g->rq.command))
		rules = rules_allowing(a, &g->rq, &g->c->policies, &g->facts, &g->j);
	if (!rules.n || !str_eq(without_secrets(g, rules), rules))
		return NULL; /* a rule must not contain a secret */
	return str_fmt_c(a, "To always allow it%s, run in a terminal: caisson allow %.*s",
			has_grade(&g->j, GRADE_CONTAIN) ? ", outside the box" : "", STR_ARG(rules));
}

static struct str excerpt_at(struct review *g, struct span at)
{
	struct str text = STR(""), part;

	if (at.text < g->facts.ntexts)
		text = str_sub(g->facts.texts[at.text].bytes, at.from, at.to);
	while (text.n && strchr(" \t\n", text.p[text.n - 1]))
		text.n--;
	text = shown_text(g, text);
	part = cut_text(text, EXCERPT_MAX);
	return part.n < text.n ? str_cat(g->c->a, part, STR("...")) : part;
}

const char *text_split(struct review *g, const struct approved *x)
{
	struct str inside = excerpt_at(g, x->inside), outside = excerpt_at(g, x->outside);
	unsigned can = g->c->h.client->can;
	bool asks = (can & CLIENT_ASKS) && !g->c->h.event->no_ask;
	const char *title = g->c->h.client->title;

	if (!inside.n || !outside.n || str_eq(inside, outside))
		return "One part must run in the box and another cannot: run them as separate commands";
	return str_fmt_c(g->c->a, "Run them as separate commands: '%.*s' %s in the box%s%s%s, '%.*s' %s",
			STR_ARG(inside), can & CLIENT_REWRITES ? "runs" : "may run only",
			can & CLIENT_REWRITES ? "" : " (where ", can & CLIENT_REWRITES ? "" : title,
			can & CLIENT_REWRITES ? "" : " cannot put it)", STR_ARG(outside),
			asks ? "needs approval" : "cannot run there and needs approval");
}

/* ---- the comment ---- */

static size_t columns_end(struct str s, size_t columns)
{
	size_t at = 0;

	while (at < s.n && columns-- > 0)
		utf8_next(s, &at);
	return at;
}

/* A shell that keeps running reads lines as if typed, and there zsh does not accept comments. */
static bool can_comment(const struct review *g)
{
	unsigned can = g->c->h.client->can;

	return (can & CLIENT_COMMENTS) && (g->rq.dialect == DIALECT_BASH || !(can & CLIENT_TYPES));
}

/*
 * Nothing in the comment may end its line. The text is cut at its first newline, and any other character that
 * a program may treat as a line end is escaped.
 */
struct str text_comment(struct review *g)
{
	struct str text = g->c->h.command, line;
	struct buf b;
	size_t end;

	if (!can_comment(g))
		return STR("");
	while (text.n && strchr(" \t\n", text.p[0]))
		text = str_from(text, 1);
	text = clean_text(g, cut_text(text, COMMENT_BYTES));
	line = str_until(text, '\n');
	end = columns_end(line, COMMENT_COLUMNS);
	if (!line.n)
		return STR("");
	buf_init(&b, g->c->a, 0);
	buf_c(&b, "  # ");
	for (size_t i = 0; i < end; i++)
		buf_char(&b, line.p[i] == '\t' ? ' ' : line.p[i]);
	if (end < text.n)
		buf_c(&b, " ...");
	return buf_view(&b);
}
