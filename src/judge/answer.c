/*
 * The JSON answer of `caisson check --json` (docs/schema/check-answer.schema.json). The writer streams into a
 * buffer instead of building a tree: a megabyte of script yields some hundred thousand values, and none is
 * needed twice.
 */
#include "base/json_write.h"
#include "gate/gate.h"
#include "judge/engine.h"

#define VIA_MAX 256 /* listed depth of a wrapper chain */

static void put_at(struct buf *out, struct span at)
{
	json_put_key(out, "at");
	buf_fmt(out, "[{\"text\":%u,\"from\":%u,\"to\":%u}]", at.text, at.from, at.to);
}

static void put_word(struct buf *out, const struct word *w)
{
	if (w->kind == WORD_EXACT) {
		json_put_string(out, w->text);
	} else if (w->kind == WORD_UNKNOWN) {
		buf_c(out, "null");
	} else {
		buf_c(out, "{\"rest\":true");
		if (w->glob && text_exact(w->text))
			json_put_field(out, "glob", w->text);
		buf_char(out, '}');
	}
}

static void put_reasons(struct buf *out, const char *key, const struct reason *r)
{
	json_put_open(out, key, '[');
	for (; r; r = r->next) {
		json_put_open(out, NULL, '{');
		json_put_field(out, "id", str_of(check_name(r->id)));
		if (r->grade != GRADE_OFF) /* advice has no grade */
			json_put_field(out, "grade", str_of(grade_name(r->grade)));
		json_put_field(out, "message", r->message);
		if (r->alternative.n)
			json_put_field(out, "alternative", r->alternative);
		put_at(out, r->at);
		if (r->rule.n)
			json_put_field(out, "rule", r->rule);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

/* The derivation: which policy rules matched which place, and which findings they lifted. */
static void put_steps(struct buf *out, const struct step *s)
{
	json_put_open(out, "steps", '[');
	for (; s; s = s->next) {
		json_put_open(out, NULL, '{');
		json_put_field(out, "what", str_of(step_name(s->kind)));
		json_put_field(out, "rule", s->rule);
		json_put_field(out, "subject", s->subject);
		put_at(out, s->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

/* The chain is stored innermost first and printed outermost first. */
static void put_via(struct buf *out, const struct via *v)
{
	const struct via *steps[VIA_MAX];
	size_t n = 0;

	for (; v && n < VIA_MAX; v = v->outer)
		steps[n++] = v;
	json_put_open(out, "via", '[');
	while (n > 0) {
		json_put_comma(out);
		json_put_string(out, via_text(out->a, steps[--n]));
	}
	buf_char(out, ']');
}

static void put_commands(struct buf *out, const struct facts *f)
{
	json_put_open(out, "commands", '[');
	for (const struct command *c = f->commands; c; c = c->next) {
		json_put_comma(out);
		buf_c(out, "{\"argv\":[");
		for (size_t i = 0; i < c->argc; i++) {
			json_put_comma(out);
			put_word(out, &c->argv[i]);
		}
		buf_char(out, ']');
		put_via(out, c->via);
		put_at(out, c->at);
		buf_char(out, '}');
	}
	/* an unknown script may run any command */
	for (const struct trouble *t = f->troubles; t; t = t->next) {
		if (t->kind != TROUBLE_OPAQUE_SCRIPT)
			continue;
		json_put_comma(out);
		buf_c(out, "{\"argv\":[{\"rest\":true}],\"via\":[\"direct\"]");
		put_at(out, t->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_accesses(struct buf *out, const char *key, const struct facts *f, enum access_kind kind)
{
	json_put_open(out, key, '[');
	for (const struct access *x = f->accesses; x; x = x->next) {
		struct str cause;

		if (x->kind != kind)
			continue;
		json_put_open(out, NULL, '{');
		json_put_key(out, "path");
		if (x->path.kind == WORD_EXACT)
			json_put_string(out, x->path.text);
		else
			buf_c(out, "null");
		if (x->path.glob && text_exact(x->path.text))
			json_put_field(out, "glob", x->path.text);
		/* Matches of find (DIR/STAR STAR) lie at any depth. */
		if (x->below || (x->path.glob && str_ends(x->path.text, "/**")))
			buf_c(out, ",\"below\":true");
		cause = access_cause(out->a, x);
		if (cause.n)
			json_put_field(out, "op", cause);
		put_at(out, x->at);
		buf_char(out, '}');
	}
	for (const struct trouble *t = f->troubles; t; t = t->next) { /* ... and may touch any file */
		if (t->kind != TROUBLE_OPAQUE_SCRIPT || (kind != ACCESS_WRITE && kind != ACCESS_DELETE))
			continue;
		json_put_comma(out);
		buf_c(out, "{\"path\":null,\"op\":\"script\"");
		put_at(out, t->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_network(struct buf *out, const struct facts *f)
{
	json_put_open(out, "network", '[');
	for (const struct touch *t = f->touches; t; t = t->next) {
		json_put_comma(out);
		buf_c(out, "{\"host\":");
		if (t->host.kind == WORD_EXACT)
			json_put_string(out, t->host.text);
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
		json_put_open(out, NULL, '{');
		json_put_field(out, "name", c->name);
		buf_c(out, ",\"args\":[");
		for (size_t i = 0; i < c->nargs; i++) {
			json_put_comma(out);
			put_word(out, &c->args[i]);
		}
		buf_char(out, ']');
		put_at(out, c->at);
		buf_char(out, '}');
	}
	buf_c(out, "],\"imports\":[");
	for (const struct code_import *i = code ? code->imports : NULL; i; i = i->next) {
		json_put_comma(out);
		json_put_string(out, i->name);
	}
	buf_c(out, "],\"markers\":[");
	for (const struct code_marker *m = code ? code->markers : NULL; m; m = m->next) {
		json_put_comma(out);
		json_put_string(out, str_of(marker_name(m->id)));
	}
	buf_char(out, ']');
}

static void put_code(struct buf *out, const struct facts *f)
{
	json_put_open(out, "code", '[');
	for (const struct snippet *s = f->snippets; s; s = s->next) {
		json_put_open(out, NULL, '{');
		json_put_field(out, "lang", str_of(snippet_language(s) ? snippet_language(s) : "unknown"));
		put_calls(out, s->code);
		put_at(out, s->at);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

static void put_texts(struct buf *out, const struct facts *f)
{
	json_put_open(out, "texts", '[');
	for (size_t i = 0; i < f->ntexts; i++) {
		const struct text *t = &f->texts[i];

		json_put_open(out, NULL, '{');
		json_put_field(out, "from", text_source(out->a, t));
		if (i > 0) {
			json_put_key(out, "in");
			buf_fmt(out, "%u", t->in);
			put_at(out, t->origin);
		}
		buf_char(out, '}');
	}
	buf_char(out, ']');
}

void answer_json(struct buf *out, struct str id, const struct facts *f, const struct judgement *j,
		struct str policy_digest)
{
	static const struct {
		char key[8];
		enum access_kind kind;
	} lists[] = {{"reads", ACCESS_READ}, {"writes", ACCESS_WRITE}, {"deletes", ACCESS_DELETE},
			{"execs", ACCESS_EXEC}};

	buf_char(out, '{');
	if (id.n) {
		json_put_key(out, "id");
		buf_str(out, id);
	}
	json_put_field(out, "verdict", str_of(verdict_name(j->verdict)));
	json_put_bool(out, "complete", j->complete);
	if (j->verdict == VERDICT_ASK || (j->verdict == VERDICT_CONTAIN && j->approval != APPROVAL_OUTSIDE))
		json_put_field(out, "approval", str_of(approval_name(j->approval)));
	if (j->network) /* everything that the box of this command may reach */
		json_put_texts(out, "box_network", j->network);
	put_reasons(out, "reasons", j->reasons);
	put_reasons(out, "warnings", j->warnings);
	put_reasons(out, "advice", j->advice);
	put_steps(out, j->steps);
	put_commands(out, f);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		put_accesses(out, lists[i].key, f, lists[i].kind);
	put_network(out, f);
	put_code(out, f);
	put_texts(out, f);
	json_put_field(out, "policy", policy_digest);
	buf_c(out, "}\n");
}

void answer_question(struct buf *out, struct str command, struct str cwd, const struct facts *f,
		const struct judgement *j)
{
	buf_char(out, '{');
	json_put_field(out, "command", command);
	json_put_field(out, "cwd", cwd);
	json_put_field(out, "verdict", str_of(verdict_name(j->verdict)));
	json_put_bool(out, "complete", j->complete);
	json_put_open(out, "reasons", '[');
	for (const struct reason *r = j->reasons; r; r = r->next) {
		json_put_open(out, NULL, '{');
		json_put_field(out, "id", str_of(check_name(r->id)));
		json_put_field(out, "message", r->message);
		buf_char(out, '}');
	}
	buf_char(out, ']');
	put_commands(out, f);
	buf_c(out, "}\n");
}
