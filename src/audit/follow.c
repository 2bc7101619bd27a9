/* Rows as they come, across days. See read.h. */
#define _GNU_SOURCE
#include <errno.h>

#include "audit/inner.h"
#include "audit/read.h"

struct audit_follow {
	const struct audit *au;
	struct audit_reader *reader;
	char name[DAY_NAME + 1];  /* the file being followed; empty: none yet */
	uint64_t at;              /* behind the last row */
	/* the next file, if it existed before the last read of this one; empty: none */
	char newer[DAY_NAME + 1];
	bool open;
	char (*names)[DAY_NAME + 1];
};

int audit_follow_new(struct arena *a, const struct audit *au, const char *file, uint64_t at,
		struct audit_follow **ret, struct err *e)
{
	static const struct audit_filter all = {0};
	struct audit_follow *f = arena_copy(a, (struct audit_follow){.au = au, .at = at});
	if (file)
		memcpy(f->name, file, sizeof f->name);
	f->names = arena_array(a, AUDIT_DAYS_MAX, sizeof *f->names);
	if (audit_reader_new(a, au, &all, AUDIT_OLDEST_FIRST, &f->reader, e) < 0)
		return -1;
	*ret = f;
	return 0;
}

static int find_newer(struct audit_follow *f, struct err *e)
{
	size_t n;
	f->newer[0] = '\0';
	if (day_list(f->au, f->names, AUDIT_DAYS_MAX, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && !f->newer[0]; i++)
		if (strcmp(f->names[i], f->name) > 0)
			memcpy(f->newer, f->names[i], sizeof f->newer);
	return 0;
}

/* Look for the next day's file before reading this one to EOF, or rows appended in between are lost. */
static int look_for_rows(struct audit_follow *f, struct err *e)
{
	struct err why = {0};
	if (find_newer(f, e) < 0)
		return -1;
	f->open = f->name[0] && audit_reader_seek(f->reader, f->name, f->at, &why) == 0;
	/* dropped: it gets no more rows */
	if (f->open || !f->name[0] || (why.kind == ERR_SYSTEM && why.errnum == ENOENT))
		return 0;
	if (e)
		*e = why;
	return -1;
}

int audit_follow_next(struct audit_follow *f, struct audit_line *ret, struct err *e)
{
	for (int days = 0; days < AUDIT_DAYS_MAX; days++) {
		if (!f->open && look_for_rows(f, e) < 0)
			return -1;
		const int got = f->open ? audit_next(f->reader, ret, e) : 0;
		if (got < 0)
			return -1;
		if (got) {
			f->at = ret->at + ret->text.n + 1;
			return 1;
		}
		f->open = false;
		if (!f->newer[0])
			return 0;
		memcpy(f->name, f->newer, sizeof f->name);
		f->at = 0;
	}
	return 0;
}

void audit_follow_close(struct audit_follow *f) { audit_reader_close(f->reader); }
