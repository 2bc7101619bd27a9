/* See tool_output_cleaner.h. */
#include "client/tool_output_cleaner.h"

#include "record/secret_values.h"
#include "run/run.h"

#define PICTURE_MIN 64 /* a shorter text is not an image */

/* True if the tool returns the content of files. */
static bool shows_files(enum tool_kind kind)
{
	switch (kind) {
	case TOOL_READ:
	case TOOL_SEARCH:
	case TOOL_LIST:
	case TOOL_WRITE:
	case TOOL_PATCH: return true;
	case TOOL_SHELL:
	case TOOL_FETCH:
	case TOOL_OTHER: break;
	}
	return false;
}

void tool_output_cleaner_start(struct hook_call *c, struct tool_output_cleaner *k)
{
	const struct secrets *s = &c->policies.own.secrets;
	bool files = shows_files(c->h.kind);
	struct str *values;
	size_t n = 0;

	*k = (struct tool_output_cleaner){.c = c, .normalise = !files};
	k->redact = !files;
	if (s->enabled)
		k->redact = s->scan_outputs && (!s->output_tools || texts_have(s->output_tools, c->h.tool));
	values = secret_values(c->a, c->o->environ, NULL, &n);
	k->redactor = redactor_new(c->a, values, n);
}

struct str tool_output_cleaner_text(struct tool_output_cleaner *k, struct str raw)
{
	struct sanitized counts = {0};
	struct str text = raw;
	uint64_t n = 0;

	if (k->normalise) {
		text = normalise_text(k->c->a, text, &k->options, &counts);
		sanitized_add(&k->sanitized, &counts);
	}
	if (k->redact)
		text = redact_text(k->c->a, k->redactor, text, &n);
	k->redacted += n;
	if (str_eq(text, raw))
		return raw;
	k->changed = true;
	return text;
}

static bool is_kind(const struct json *v, const char *name)
{
	return json_is(v, JSON_STRING) && str_is(v->text, name);
}

/*
 * True for images and audio in base64, which are not text. `in` is the object that holds the string. A string
 * that only claims to be one is cleaned.
 */
static bool is_picture(const struct json *in, const struct json *v)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_";
	const struct json *mime = json_key(in, "mimeType"), *type = json_key(in, "type");
	bool claims = json_is(mime, JSON_STRING) && !str_starts(mime->text, "text/");

	if (!str_is(v->key, "data") || v->text.n < PICTURE_MIN)
		return false;
	if (!claims && !is_kind(type, "image") && !is_kind(type, "audio") && !is_kind(type, "base64"))
		return false;
	for (size_t i = 0; i < v->text.n; i++)
		if (!memchr(letters, v->text.p[i], sizeof(letters) - 1))
			return false;
	return true;
}

/* Recursive; the JSON parser bounds the depth. */
static struct json *clean_value(struct tool_output_cleaner *k, const struct json *in, const struct json *v)
{
	struct json *copy = arena_new(k->c->a, struct json), **end = &copy->first;

	*copy = *v;
	copy->next = NULL;
	copy->index = NULL;
	if (v->kind == JSON_STRING && !is_picture(in, v))
		copy->text = tool_output_cleaner_text(k, v->text);
	for (const struct json *x = v->first; x; x = x->next) {
		*end = clean_value(k, v, x);
		end = &(*end)->next;
	}
	*end = NULL;
	return copy;
}

const struct json *tool_output_cleaner_value(struct tool_output_cleaner *k, const struct json *v)
{
	return clean_value(k, NULL, v);
}
