/* The answer of `caisson check --json`, as docs/schema/check-answer.schema.json describes it. Written straight into a
 * buffer: the answer for a megabyte of script has some hundred thousand values, and none of them is needed twice. */
#include "base/utf8.h"
#include "gate/gate.h"
#include "judge/engine.h"

#define VIA_MAX 256 /* longest chain of wrappers that is listed */

void answer_string(struct buf *out, struct str s)
{
	size_t i = 0;

	buf_char(out, '"');
	while (i < s.n) {
		size_t from = i;
		unsigned char c = (unsigned char)s.p[i];

		if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
			while (i < s.n && s.p[i] >= 0x20 && s.p[i] < 0x7F && s.p[i] != '"' && s.p[i] != '\\')
				i++;
			buf_add(out, s.p + from, i - from);
		} else if (c == '"' || c == '\\') {
			buf_char(out, '\\');
			buf_char(out, (char)c);
			i++;
		} else if (c == '\n' || c == '\t') {
			buf_c(out, c == '\n' ? "\\n" : "\\t");
			i++;
		} else if (c < 0x20 || c == 0x7F) {
			buf_fmt(out, "\\u%04x", c);
			i++;
		} else if (utf8_next(s, &i) == UTF8_BAD) {
			buf_c(out, "\xEF\xBF\xBD");
		} else if (c == 0xC2 && (unsigned char)s.p[from + 1] < 0xA0) { /* C1: a terminal obeys these */
			buf_fmt(out, "\\u%04x", (unsigned char)s.p[from + 1]);
		} else {
			buf_add(out, s.p + from, i - from);
		}
	}
	buf_char(out, '"');
}

void answer_key(struct buf *out, const char *key)
{
	char last = out->n ? out->p[out->n - 1] : '{';

	if (last != '{' && last != '[')
		buf_char(out, ',');
	buf_char(out, '"');
	buf_c(out, key);
	buf_c(out, "\":");
}

void answer_field(struct buf *out, const char *key, struct str s)
{
	answer_key(out, key);
	answer_string(out, s);
}

static void put_next(struct buf *out)
{
	if (out->p[out->n - 1] != '[')
		buf_char(out, ',');
}

static void put_at(struct buf *out, struct span at)
{
	answer_key(out, "at");
	buf_fmt(out, "[{\"text\":%u,\"from\":%u,\"to\":%u}]", at.text, at.from, at.to);
}

static void put_word(struct buf *out, const struct word *w)
{
	if (w->kind == WORD_EXACT) {
		answer_string(out, w->text);
	} else if (w->kind == WORD_UNKNOWN) {
		buf_c(out, "null");
	} else {
		buf_c(out, "{\"rest\":true");
		if (w->glob && text_exact(w->text))
			answer_field(out, "glob", w->text);
		buf_char(out, '}');
	}
}

static void put_reasons(struct buf *out, const char *key, const struct reason *r)
{
	answer_key(out, key);
	buf_char(out, '[');
	for (; r; r = r->next) {
		put_next(out);
		buf_char(out, '{');
		answer_field(out, "id", str_of(check_name(r->id)));
		if (r->grade != GRADE_OFF) /* advice has none */
			answer_field(out, "grade", str_of(grade_name(r->grade)));
		answer_field(out, "message", r->message);
		if (r->alternative.n)
			answer_field(out, "alternative", r->alternative);
		put_at(out, r->at);
		if (r->rule.n)
			answer_field(out, "rule", r->rule);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

void answer_words(struct buf *out, const char *key, struct str words)
{
	struct str word;

	answer_key(out, key);
	buf_char(out, '[');
	while ((word = str_word(&words)).n) {
		put_next(out);
		answer_string(out, word);
	}
	buf_char(out, ']');
}

/* The derivation: which rules of the policy spoke about what, and which findings they lifted. */
static void put_steps(struct buf *out, const struct step *s)
{
	answer_key(out, "steps");
	buf_char(out, '[');
	for (; s; s = s->next) {
		put_next(out);
		buf_char(out, '{');
		answer_field(out, "what", str_of(s->what));
		answer_field(out, "rule", s->rule);
		answer_field(out, "subject", s->subject);
		put_at(out, s->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

/* The chain is kept innermost first and told outermost first. */
static void put_via(struct buf *out, const struct via *v)
{
	const struct via *steps[VIA_MAX];
	size_t n = 0;

	for (; v && n < VIA_MAX; v = v->outer)
		steps[n++] = v;
	answer_key(out, "via");
	buf_char(out, '[');
	while (n > 0) {
		put_next(out);
		answer_string(out, via_text(out->a, steps[--n]));
	}
	buf_char(out, ']');
}

static void put_commands(struct buf *out, const struct facts *f)
{
	answer_key(out, "commands");
	buf_char(out, '[');
	for (const struct command *c = f->commands; c; c = c->next) {
		put_next(out);
		buf_c(out, "{\"argv\":[");
		for (size_t i = 0; i < c->argc; i++) {
			put_next(out);
			put_word(out, &c->argv[i]);
		}
		buf_char(out, ']');
		put_via(out, c->via);
		put_at(out, c->at);
		buf_char(out, '}');
	}
	for (const struct trouble *t = f->troubles; t; t = t->next) { /* a script that is not known: any command */
		if (t->kind != TROUBLE_OPAQUE_SCRIPT)
			continue;
		put_next(out);
		buf_c(out, "{\"argv\":[{\"rest\":true}],\"via\":[\"direct\"]");
		put_at(out, t->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_accesses(struct buf *out, const char *key, const struct facts *f, enum access_kind kind)
{
	answer_key(out, key);
	buf_char(out, '[');
	for (const struct access *x = f->accesses; x; x = x->next) {
		if (x->kind != kind)
			continue;
		put_next(out);
		buf_char(out, '{');
		answer_key(out, "path");
		if (x->path.kind == WORD_EXACT)
			answer_string(out, x->path.text);
		else
			buf_c(out, "null");
		if (x->path.glob && text_exact(x->path.text))
			answer_field(out, "glob", x->path.text);
		/* What find has found, DIR/STAR STAR, lies at any depth. */
		if (x->below || (x->path.glob && str_ends(x->path.text, "/**")))
			buf_c(out, ",\"below\":true");
		if (x->op)
			answer_field(out, "op", str_of(x->op));
		put_at(out, x->at);
		buf_char(out, '}');
	}
	for (const struct trouble *t = f->troubles; t; t = t->next) { /* ... that touches any file */
		if (t->kind != TROUBLE_OPAQUE_SCRIPT || (kind != ACCESS_WRITE && kind != ACCESS_DELETE))
			continue;
		put_next(out);
		buf_c(out, "{\"path\":null,\"op\":\"script\"");
		put_at(out, t->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_network(struct buf *out, const struct facts *f)
{
	answer_key(out, "network");
	buf_char(out, '[');
	for (const struct touch *t = f->touches; t; t = t->next) {
		put_next(out);
		buf_c(out, "{\"host\":");
		if (t->host.kind == WORD_EXACT)
			answer_string(out, t->host.text);
		else
			buf_c(out, "null");
		put_at(out, t->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_calls(struct buf *out, const struct code *code)
{
	buf_c(out, ",\"calls\":[");
	for (const struct code_call *c = code ? code->calls : NULL; c; c = c->next) {
		put_next(out);
		buf_char(out, '{');
		answer_field(out, "name", c->name);
		buf_c(out, ",\"args\":[");
		for (size_t i = 0; i < c->nargs; i++) {
			put_next(out);
			put_word(out, &c->args[i]);
		}
		buf_char(out, ']');
		put_at(out, c->at);
		buf_char(out, '}');
	}
	buf_c(out, "],\"imports\":[");
	for (const struct code_import *i = code ? code->imports : NULL; i; i = i->next) {
		put_next(out);
		answer_string(out, i->name);
	}
	buf_c(out, "],\"markers\":[");
	for (const struct code_marker *m = code ? code->markers : NULL; m; m = m->next) {
		put_next(out);
		answer_string(out, str_of(m->id));
	}
	buf_char(out, ']');
}

static void put_code(struct buf *out, const struct facts *f)
{
	answer_key(out, "code");
	buf_char(out, '[');
	for (const struct snippet *s = f->snippets; s; s = s->next) {
		put_next(out);
		buf_char(out, '{');
		answer_field(out, "lang", str_of(s->lang ? s->lang : "unknown"));
		put_calls(out, s->code);
		put_at(out, s->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_texts(struct buf *out, const struct facts *f)
{
	answer_key(out, "texts");
	buf_char(out, '[');
	for (size_t i = 0; i < f->ntexts; i++) {
		const struct text *t = &f->texts[i];

		put_next(out);
		buf_char(out, '{');
		answer_field(out, "from", str_of(t->from ? t->from : "request"));
		if (i > 0) {
			answer_key(out, "in");
			buf_fmt(out, "%u", t->in);
			put_at(out, t->origin);
		}
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

void answer_json(struct buf *out, struct str id, const struct facts *f, const struct judgement *j, struct str policy_digest)
{
	static const struct {
		char key[8];
		enum access_kind kind;
	} lists[] = {{"reads", ACCESS_READ}, {"writes", ACCESS_WRITE}, {"deletes", ACCESS_DELETE}, {"execs", ACCESS_EXEC}};

	buf_char(out, '{');
	if (id.n) {
		answer_key(out, "id");
		buf_str(out, id);
	}
	answer_field(out, "verdict", str_of(verdict_name(j->verdict)));
	answer_key(out, "complete");
	buf_c(out, j->complete ? "true" : "false");
	if (j->verdict == VERDICT_ASK || (j->verdict == VERDICT_CONTAIN && j->approval != APPROVAL_OUTSIDE))
		answer_field(out, "approval", str_of(approval_name(j->approval)));
	put_reasons(out, "reasons", j->reasons);
	put_reasons(out, "warnings", j->warnings);
	put_reasons(out, "advice", j->advice);
	put_steps(out, j->steps);
	put_commands(out, f);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		put_accesses(out, lists[i].key, f, lists[i].kind);
	put_network(out, f);
	put_code(out, f);
	put_texts(out, f);
	answer_field(out, "policy", policy_digest);
	buf_c(out, "}\n");
}

void answer_question(struct buf *out, struct str command, struct str cwd, const struct facts *f, const struct judgement *j)
{
	buf_char(out, '{');
	answer_field(out, "command", command);
	answer_field(out, "cwd", cwd);
	answer_field(out, "verdict", str_of(verdict_name(j->verdict)));
	answer_key(out, "complete");
	buf_c(out, j->complete ? "true" : "false");
	answer_key(out, "reasons");
	buf_char(out, '[');
	for (const struct reason *r = j->reasons; r; r = r->next) {
		put_next(out);
		buf_char(out, '{');
		answer_field(out, "id", str_of(check_name(r->id)));
		answer_field(out, "message", r->message);
		buf_char(out, '}');
	}
	buf_char(out, ']');
	put_commands(out, f);
	buf_c(out, "}\n");
}
