/* The newest rows, read from the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "audit/inner.h"
#include "sys/file.h"

#define BLOCK 65536

/* Where the last `want` whole lines of the file start and end; *ret_n is how many there are. No arena memory is taken here. */
static int find_lines(int fd, off_t size, size_t want, off_t *ret_from, off_t *ret_end, size_t *ret_n, struct err *e)
{
	char block[BLOCK];
	off_t end = 0, at = size;
	size_t newlines = 0;
	while (at > 0 && newlines <= want) {
		size_t n = at < BLOCK ? (size_t)at : BLOCK;
		at -= (off_t)n;
		if (pread(fd, block, n, at) != (ssize_t)n)
			return err_set(e, ERR_SYSTEM, errno, "cannot read the record");
		for (size_t i = n; i > 0 && newlines <= want; i--) {
			if (block[i - 1] != '\n')
				continue;
			if (++newlines == 1)
				end = at + (off_t)i;
			if (newlines > want) {
				*ret_from = at + (off_t)i;
				*ret_end = end;
				*ret_n = want;
				return 0;
			}
		}
	}
	*ret_from = 0;
	*ret_end = end;
	*ret_n = newlines;
	return 0;
}

/* Fills lines[0, n) from the text. */
static void split(struct str text, struct str *lines, size_t n)
{
	for (size_t i = 0, from = 0; i < n; i++) {
		ptrdiff_t end = str_find(text, '\n', from);
		if (end < 0)
			return;
		lines[i] = str_sub(text, from, (size_t)end);
		from = (size_t)end + 1;
	}
}

/* The text is allocated while the file is closed: a full arena leaves nothing open. */
static int read_day(struct arena *a, const struct audit *au, const char *name, size_t want, size_t *room, struct str *ret, size_t *ret_n, struct err *e)
{
	off_t size, from = 0, end = 0;
	size_t n = 0;
	int fd = day_open(au, name, O_RDONLY, &size, e);
	int bad = fd < 0 ? -1 : find_lines(fd, size, want, &from, &end, &n, e);
	fd_close(&fd);
	if (bad)
		return -1;
	if ((uint64_t)(end - from) > *room)
		return err_set(e, ERR_LIMIT, 0, "the rows asked for are longer than %zu bytes", AUDIT_TAIL_BYTES);
	*room -= (size_t)(end - from);
	char *text = arena_alloc(a, (size_t)(end - from) + 1);
	FD_CLEANUP int again = day_open(au, name, O_RDONLY, &size, e);
	if (again < 0)
		return -1;
	if (pread(again, text, (size_t)(end - from), from) != end - from)
		return err_set(e, ERR_SYSTEM, errno, "cannot read '%s' of the record", name);
	*ret = str_n(text, (size_t)(end - from));
	*ret_n = n;
	return 0;
}

int audit_tail(struct arena *a, const struct audit *au, size_t n, struct str **ret, size_t *ret_n, struct err *e)
{
	char (*names)[DAY_NAME + 1];
	size_t ndays, room = AUDIT_TAIL_BYTES, have = 0;
	if (n > AUDIT_TAIL_MAX)
		return err_set(e, ERR_LIMIT, 0, "at most %d rows", AUDIT_TAIL_MAX);
	if (day_count(au, &ndays, e) < 0)
		return -1;
	names = arena_array(a, ndays + DAYS_SPARE, sizeof *names);
	if (day_list(au, names, ndays + DAYS_SPARE, &ndays, e) < 0)
		return -1;
	struct str *lines = arena_array(a, n + 1, sizeof *lines); /* filled from its end */
	for (size_t i = ndays; i > 0 && have < n; i--) {
		struct str text = {0};
		size_t got = 0;
		if (read_day(a, au, names[i - 1], n - have, &room, &text, &got, e) < 0)
			return -1;
		have += got;
		split(text, lines + n - have, got);
	}
	*ret = lines + n - have;
	*ret_n = have;
	return 0;
}
