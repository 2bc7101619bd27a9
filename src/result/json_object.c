/* Finds a JSON object in an output without parsing: strings and braces are enough. */
#define _GNU_SOURCE
#include "result/json_object.h"

#include "base/json.h"
#include "result/lines.h"

static size_t count_marks(struct str s, const char *mark, size_t *ret_first)
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

static bool is_harmless(struct str line)
{
	line = lines_trim(line);
	return !line.n || line.p[0] == '>';
}

static struct json_object_at find_object(struct str s, const char *mark)
{
	struct json_object_at at = {.text = STR(""), .first = true};
	struct lines l = lines_of(s);
	struct str line;
	size_t where = 0;

	if (str_starts(s, "\xEF\xBB\xBF")) {
		s = str_sub(s, 3, s.n);
		l = lines_of(s);
	}
	at.marks = count_marks(s, mark, &where);
	if (!at.marks)
		return at;
	for (size_t from = 0; lines_next(&l, &line) && from <= where; from = l.at) {
		struct str t = lines_trim(line);

		if (t.n && t.p[0] == '{') {
			size_t start = (size_t)(t.p - s.p), end = json_skip(s, start, JSON_DEPTH_MAX);

			end = end ? end : s.n; /* incomplete */

			if (where < end) {
				at.text = str_sub(s, start, end);
				return at;
			}
			l.at = end > l.at ? end : l.at;
			at.first = false;
		} else if (!is_harmless(line)) {
			at.first = false;
		}
	}
	return at;
}

struct json_object_at json_object_find(const struct validate_input *in, const char *mark)
{
	struct json_object_at at = find_object(in->out, mark);

	return at.text.n ? at : find_object(in->err, mark);
}

int json_object_sure(const struct validate_input *in, const char *mark, const char *also)
{
	struct json_object_at at;

	at = json_object_find(in, mark);
	if (!at.text.n || !str_contains(at.text, str_of(also)))
		return 0;
	/* less than a runner with a header of its own, more than a bare summary */
	return at.first ? DETECT_CERTAIN : 91;
}
