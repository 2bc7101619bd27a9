/* The mount points of this namespace, from /proc/self/mountinfo. */
#include "sys/mount_list.h"

#include "sys/file.h"

#define MOUNTINFO_MAX ((size_t)4 << 20) /* some 20,000 mounts */
#define POINT_FIELD 4                   /* index of the mount point in a line */

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

/* Decodes blanks and backslashes, which mountinfo writes as \040 and so on. */
static struct str unescape(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		bool escape = s.p[i] == '\\' && s.n - i >= 4 && is_octal(s.p[i + 1]) &&
				is_octal(s.p[i + 2]) && is_octal(s.p[i + 3]);

		buf_char(&b, escape ? (char)((s.p[i + 1] - '0') << 6 | (s.p[i + 2] - '0') << 3 |
				(s.p[i + 3] - '0')) : s.p[i]);
		i += escape ? 3 : 0;
	}
	return buf_view(&b);
}

static struct str field_at(struct str line, unsigned number)
{
	size_t from = 0;

	for (ptrdiff_t blank; number-- > 0; from = (size_t)blank + 1) {
		blank = str_find(line, ' ', from);
		if (blank < 0)
			return STR("");
	}
	return str_sub(line, from, str_end(line, ' ', from));
}

int mount_list(struct arena *a, struct texts **ret, struct err *e)
{
	struct texts *list = NULL;
	struct str all;

	if (file_read(a, "/proc/self/mountinfo", MOUNTINFO_MAX, &all, NULL, e) != 0)
		return -1;
	for (size_t from = 0; from < all.n;) {
		size_t to = str_end(all, '\n', from);

		texts_push(a, &list, unescape(a, field_at(str_sub(all, from, to), POINT_FIELD)));
		from = to + 1;
	}
	*ret = list;
	return 0;
}
