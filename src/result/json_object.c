/* Finding a JSON object in an output, without parsing: strings and braces are enough. */
#define _GNU_SOURCE
#include "result/json_object.h"

#include "result/lines.h"

static size_t count(struct str s, const char *mark, size_t *ret_first)
{
	size_t n = 0, len = strlen(mark), from = 0;

	while (from < s.n) {
		const char *p = memmem(s.p + from, s.n - from, mark, len);

		if (!p)
			break;
		if (!n++)
			*ret_first = (size_t)(p - s.p);
		from = (size_t)(p - s.p) + len;
	}
	return n;
}

/* The end of the object at `from` (a brace), or the end of the text. */
static size_t object_end(struct str s, size_t from)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = from; i < s.n; i++) {
		char c = s.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			depth++;
		else if (!quoted && (c == '}' || c == ']') && --depth == 0)
			return i + 1;
	}
	return s.n;
}

static bool harmless(struct str line)
{
	line = trim(line);
	return !line.n || line.p[0] == '>';
}

static struct json_object_at find(struct str s, const char *mark)
{
	struct json_object_at at = {.text = STR(""), .first = true};
	struct lines l = lines_of(s);
	struct str line;
	size_t where = 0;

	if (str_starts(s, "\xEF\xBB\xBF")) {
		s = str_sub(s, 3, s.n);
		l = lines_of(s);
	}
	at.marks = count(s, mark, &where);
	if (!at.marks)
		return at;
	for (size_t from = 0; lines_next(&l, &line) && from <= where; from = l.at) {
		struct str t = trim(line);

		if (t.n && t.p[0] == '{') {
			size_t start = (size_t)(t.p - s.p), end = object_end(s, start);

			if (where < end) {
				at.text = str_sub(s, start, end);
				return at;
			}
			l.at = end > l.at ? end : l.at;
			at.first = false;
		} else if (!harmless(line)) {
			at.first = false;
		}
	}
	return at;
}

struct json_object_at json_object_find(const struct validate_input *in, const char *mark)
{
	struct json_object_at at = find(in->out, mark);

	return at.text.n ? at : find(in->err, mark);
}

int json_object_sure(const struct validate_input *in, const char *mark, const char *also)
{
	struct json_object_at at;

	if (!str_contains(in->out, str_of(mark)) && !str_contains(in->err, str_of(mark)))
		return 0;
	at = json_object_find(in, mark);
	if (!at.text.n || !str_contains(at.text, str_of(also)))
		return 0;
	return at.first ? DETECT_CERTAIN : 91; /* less than a runner with a header of its own, more than a bare summary */
}
