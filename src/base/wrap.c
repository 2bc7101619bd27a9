/* Breaks text at blanks. See wrap.h. */
#include "base/wrap.h"

void buf_wrapped(struct buf *b, const char *text, size_t at, size_t indent, size_t width)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > indent && at + 1 + n > width) {
			buf_fmt(b, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			buf_char(b, ' ');
			at++;
		}
		buf_add(b, text, n);
		at += n;
		text += n + (text[n] == ' ');
	}
	buf_char(b, '\n');
}
