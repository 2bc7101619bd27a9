/* Dropping days, sweeping blobs. retain.h has the theory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "audit/retain.h"
#include "sys/file.h"

#define FIRST_BYTES ((size_t)64 << 10) /* bytes read at a time to find a file's first row */
#define TORN_MAX 100000                /* entries of torn/ */
#define ROTATED_CAP ((size_t)64 << 20)

/* ---- which days ---- */

struct day_names {
	char (*names)[DAY_NAME + 1];
	size_t n, drop; /* the first `drop` go */
};

/* The first day that stays, as text; `today` is the name of a day's file. */
static int first_kept(const struct audit *au, const char *today, unsigned days, char ret[AUDIT_TS_CHARS + 1],
		struct err *e)
{
	char newest[AUDIT_TS_CHARS + 1];
	int64_t now = au->now(), last;
	snprintf(newest, sizeof newest, "%.*sT00:00:00.000000Z", DAY_CHARS, today);
	last = audit_time_of(str_of(newest));
	if (last < 0)
		return err_config(e, "'%.*s/%s' is not named after a day", STR_ARG(au->path), today);
	if (last + AUDIT_DAY_US < now)
		now = last;
	audit_time_text(now > (int64_t)days * AUDIT_DAY_US ? now - (int64_t)days * AUDIT_DAY_US : 0, ret);
	return 0;
}

static int list_days(struct arena *a, const struct audit *au, struct day_names *ret, struct err *e)
{
	size_t max;
	if (day_count(au, &max, e) < 0)
		return -1;
	max += DAYS_SPARE;
	ret->names = arena_array(a, max, sizeof *ret->names);
	return day_list(au, ret->names, max, &ret->n, e);
}

/* `back`: today is this many days before the newest one. */
static int pick_days(struct arena *a, const struct audit *au, unsigned days, size_t back,
		struct day_names *ret, struct err *e)
{
	char kept[AUDIT_TS_CHARS + 1];
	*ret = (struct day_names){0};
	if (list_days(a, au, ret, e) < 0)
		return -1;
	if (ret->n <= back)
		return 0;
	if (first_kept(au, ret->names[ret->n - 1 - back], days, kept, e) < 0)
		return -1;
	while (ret->drop + 1 < ret->n && memcmp(ret->names[ret->drop], kept, DAY_CHARS) < 0)
		ret->drop++;
	return 0;
}

/* ---- where the chain is cut ---- */

struct retain_cut {
	uint64_t first_seq, seq; /* seq of the first dropped row (0: none), and of the last */
	char hash[AUDIT_HASH + 1];
};

/*
 * Reads the first row of a file: 1 and its frame, 0 if the file is empty, or -1. `room` has AUDIT_ROW_MAX
 * bytes.
 */
static int first_row(const struct audit *au, const char *name, char *room, struct row_frame *ret,
	struct err *e)
{
	off_t size;
	size_t n = 0;
	char *end = NULL;
	FD_CLEANUP int fd = day_open(au, name, O_RDONLY, &size, e);
	if (fd < 0)
		return -1;
	while (!end && n < AUDIT_ROW_MAX) {
		ssize_t got = fd_read(fd, room + n, AUDIT_ROW_MAX - n < FIRST_BYTES ? AUDIT_ROW_MAX - n :
				FIRST_BYTES);
		if (got < 0)
			return err_system(e, "cannot read '%s' of the record", name);
		if (!got)
			break;
		end = memchr(room + n, '\n', (size_t)got);
		n += (size_t)got;
	}
	if (!n)
		return 0;
	struct str line = str_n(room, end ? (size_t)(end - room) : 0);
	if (!frame_start(line, ret) || !frame_end(line, ret))
		return err_config(e,
				"the first line of '%s' is not a row; caisson audit verify says more", name);
	return 1;
}

/* The hash of the last row of a file. */
static int last_hash(const struct audit *au, const char *name, char ret[AUDIT_HASH + 1], struct err *e)
{
	char end[FRAME_END + 1];
	struct row_frame f;
	off_t size;
	FD_CLEANUP int fd = day_open(au, name, O_RDONLY, &size, e);
	if (fd < 0)
		return -1;
	if (!size) {
		ret[0] = '\0';
		return 0;
	}
	if (size < (off_t)sizeof end ||
			pread(fd, end, sizeof end, size - (off_t)sizeof end) != (ssize_t)sizeof end ||
			end[FRAME_END] != '\n' || !frame_end(str_n(end, FRAME_END), &f))
		return err_config(e,
				"the last line of '%s' is not a row; caisson audit verify says more", name);
	memcpy(ret, f.hash.p, AUDIT_HASH);
	ret[AUDIT_HASH] = '\0';
	return 0;
}

/* The `prev` of the first row that stays must be the hash of the last dropped row. */
static int find_cut(struct arena *a, const struct audit *au, const struct day_names *d,
		struct retain_cut *ret, struct err *e)
{
	char *room = arena_alloc(a, AUDIT_ROW_MAX), last[AUDIT_HASH + 1] = "";
	struct row_frame f = {0};
	int got = 0;
	*ret = (struct retain_cut){0};
	for (size_t i = 0; i < d->drop && !ret->first_seq; i++) {
		got = first_row(au, d->names[i], room, &f, e);
		if (got < 0)
			return -1;
		ret->first_seq = got ? f.seq : 0;
	}
	if (!ret->first_seq)
		return 0; /* empty files */
	got = 0;
	for (size_t i = d->drop; i < d->n && !got; i++)
		if ((got = first_row(au, d->names[i], room, &f, e)) < 0)
			return -1;
	for (size_t i = d->drop; i-- > 0 && !last[0];)
		if (last_hash(au, d->names[i], last, e) < 0)
			return -1;
	if (!got)
		return err_config(e, "the days that would stay have no row");
	if (f.seq <= ret->first_seq || memcmp(last, f.prev.p, AUDIT_HASH) != 0)
		return err_config(e,
				"the chain is broken before '%s'; nothing is dropped; caisson audit verify "
				"says more", d->names[d->drop]);
	ret->seq = f.seq - 1;
	memcpy(ret->hash, last, sizeof last);
	return 0;
}

/* ---- dropping ---- */

static int measure_days(const struct audit *au, const struct day_names *d, struct audit_pruned *ret,
	struct err *e)
{
	for (size_t i = 0; i < d->drop; i++) {
		off_t size;
		FD_CLEANUP int fd = day_open(au, d->names[i], O_RDONLY, &size, e);
		if (fd < 0)
			return -1;
		ret->bytes += (uint64_t)size;
	}
	ret->days = d->drop;
	memcpy(ret->from, d->names[0], DAY_CHARS);
	memcpy(ret->to, d->names[d->drop - 1], DAY_CHARS);
	return 0;
}

static int write_tombstone(struct arena *a, const struct audit *au, const struct audit_pruned *p,
		const struct retain_cut *cut, struct err *e)
{
	struct audit synced = *au;
	const struct audit_row row = {.kind = AUDIT_TOMBSTONE,
			.dropped = {.from = str_of(p->from), .to = str_of(p->to), .days = p->days,
			.rows = p->rows, .bytes = p->bytes},
				      .until = {.seq = cut->seq, .hash = str_of(cut->hash)}};
	synced.sync = AUDIT_SYNC_ALWAYS; /* whatever the policy is: the files go next */
	synced.retain_days = 0;          /* this is the pruning */
	return audit_append(a, &synced, &row, NULL, e);
}

/* Removes the files in torn/ of the days up to `to`; -1 only if the directory exists and cannot be read. */
static int drop_torn(const struct audit *au, const char *to, bool dry, uint64_t *ret, struct err *e)
{
	int fd = openat(au->dir, "torn", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : err_system(e, "cannot open '%.*s/torn'", STR_ARG(au->path));
	if (!dir) {
		fd_close(&fd);
		return err_system(e, "cannot list '%.*s/torn'", STR_ARG(au->path));
	}
	for (struct dirent *entry; n++ < TORN_MAX && (entry = readdir(dir));)
		if (entry->d_name[0] != '.' && strlen(entry->d_name) > DAY_CHARS &&
				entry->d_name[DAY_CHARS] == '-' && memcmp(entry->d_name, to, DAY_CHARS) <= 0)
			*ret += dry || unlinkat(fd, entry->d_name, 0) == 0;
	closedir(dir);
	return 0;
}

static int drop_days(const struct audit *au, const struct day_names *d, struct err *e)
{
	for (size_t i = 0; i < d->drop; i++)
		if (unlinkat(au->dir, d->names[i], 0) < 0 && errno != ENOENT)
			return err_system(e, "cannot remove '%.*s/%s'", STR_ARG(au->path), d->names[i]);
	return fsync(au->dir) < 0 ? err_system(e, "cannot sync '%.*s'", STR_ARG(au->path)) :
			0;
}

static int prune_days(struct arena *a, const struct audit *au, unsigned days, size_t back, bool dry,
		struct audit_pruned *ret, struct err *e)
{
	struct audit_pruned p = {0};
	struct day_names d;
	struct retain_cut cut;
	if (!days || days > RETAIN_DAYS_MAX)
		return err_input(e, "days are kept for 1 to %d days", RETAIN_DAYS_MAX);
	if (pick_days(a, au, days, back, &d, e) < 0)
		return -1;
	if (d.drop) {
		if (find_cut(a, au, &d, &cut, e) < 0 || measure_days(au, &d, &p, e) < 0)
			return -1;
		p.rows = cut.first_seq ? cut.seq - cut.first_seq + 1 : 0;
		p.last_seq = cut.seq;
		if (!dry && cut.first_seq && write_tombstone(a, au, &p, &cut, e) < 0)
			return -1;
		if ((!dry && drop_days(au, &d, e) < 0) || drop_torn(au, p.to, dry, &p.torn, e) < 0)
			return -1;
	}
	*ret = p;
	return 0;
}

int audit_prune(struct arena *a, const struct audit *au, unsigned days, bool dry, struct audit_pruned *ret,
		struct err *e)
{
	return prune_days(a, au, days, 0, dry, ret, e);
}

struct rotated {
	struct arena a;
	const struct audit *au;
};

static int prune_rotated(void *arg)
{
	struct rotated *r = arg;
	struct audit_pruned p;
	(void)prune_days(&r->a, r->au, r->au->retain_days, 1, false, &p, NULL);
	return 0;
}

/*
 * Uses its own arena: the caller's row is already written, and a full arena must not look like a failed
 * append.
 */
void audit_prune_rotated(const struct audit *au)
{
	struct rotated r = {.au = au};
	arena_init(&r.a, ROTATED_CAP);
	(void)arena_run(&r.a, prune_rotated, &r);
	arena_free(&r.a);
}

int audit_usage(struct arena *a, const struct audit *au, const struct blobs *blobs, struct audit_usage *ret,
		struct err *e)
{
	struct audit_usage u = {0};
	struct day_names d = {0};
	if (list_days(a, au, &d, e) < 0)
		return -1;
	for (size_t i = 0; i < d.n; i++) {
		struct stat st;
		if (fstatat(au->dir, d.names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			u.row_bytes += (uint64_t)st.st_size;
	}
	u.days = d.n;
	if (blobs && blobs_size(blobs, &u.blobs, &u.blob_bytes, e) < 0)
		return -1;
	*ret = u;
	return 0;
}
