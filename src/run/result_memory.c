/* Memory of test runs: files of JSON, one per project and command. See result_memory.h. */
#define _GNU_SOURCE
#include "run/result_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/json_write.h"
#include "config/config.h"
#include "result/validate.h"
#include "sys/file.h"
#include "sys/state.h"

#define FOLDER "results"
#define FILES_MAX 512               /* commands that are remembered; the oldest is forgotten */
#define FILE_MAX ((size_t)1 << 20)
#define NAME_DIGITS 16              /* of a digest, or of a hash of a name */

struct counted { /* one run */
	bool known;
	int64_t total, skipped;
	struct str names; /* NAME_DIGITS for each test, sorted; empty: not known */
};

struct memory {
	struct str session;
	struct counted base; /* the run that this session compares with */
	struct counted last;
};

/* ---- names ---- */

static int by_number(const void *x, const void *y)
{
	uint64_t m = *(const uint64_t *)x, n = *(const uint64_t *)y;

	return m < n ? -1 : m > n;
}

static struct str names_text(struct arena *a, const struct validation *v)
{
	uint64_t *sorted;
	struct buf b;

	if (!v->nnames)
		return STR("");
	sorted = arena_array(a, v->nnames, sizeof(*sorted));
	memcpy(sorted, v->names, v->nnames * sizeof(*sorted));
	qsort(sorted, v->nnames, sizeof(*sorted), by_number);
	buf_init(&b, a, 0);
	for (size_t i = 0; i < v->nnames; i++)
		buf_fmt(&b, "%016llx", (unsigned long long)sorted[i]);
	return buf_view(&b);
}

/* Counts names that are in `x` and not in `y`. Both are sorted. */
static int64_t names_missing(struct str x, struct str y)
{
	int64_t n = 0;
	size_t i = 0, j = 0;

	while (i + NAME_DIGITS <= x.n) {
		int order = j + NAME_DIGITS <= y.n ? memcmp(x.p + i, y.p + j, NAME_DIGITS) : -1;

		n += order < 0;
		i += order <= 0 ? NAME_DIGITS : 0;
		j += order >= 0 ? NAME_DIGITS : 0;
	}
	return n;
}

/* ---- the file ---- */

static void read_counted(const struct json *o, struct counted *ret)
{
	*ret = (struct counted){.known = json_is_int(json_key(o, "total")), .total = json_int_at(o, "total"),
			.skipped = json_int_at(o, "skipped"), .names = json_text_at(o, "names")};
}

/* An unreadable memory is none. */
static struct memory read_memory(struct arena *a, const char *path)
{
	struct memory m = {0};
	struct json *o;
	struct str text;

	if (file_read(a, path, FILE_MAX, &text, NULL, NULL) != 0 || json_read(a, text, &o, NULL) != 0)
		return m;
	m.session = json_text_at(o, "session");
	read_counted(json_key(o, "base"), &m.base);
	read_counted(json_key(o, "last"), &m.last);
	return m;
}

static void put_counted(struct buf *b, const char *key, const struct counted *c)
{
	if (!c->known)
		return;
	json_put_open(b, key, '{');
	buf_fmt(b, "\"total\":%lld,\"skipped\":%lld", (long long)c->total, (long long)c->skipped);
	json_put_field(b, "names", c->names);
	buf_char(b, '}');
}

/* Removes the oldest file if there are too many. */
static void forget_oldest(const char *dir)
{
	FD_CLEANUP int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	char oldest[NAME_MAX + 1] = "";
	const struct dirent *e;
	struct timespec age = {0};
	size_t n = 0;

	if (!d)
		return;
	while ((e = readdir(d))) {
		struct stat st;

		if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		n++;
		if (!oldest[0] || st.st_mtim.tv_sec < age.tv_sec) {
			age = st.st_mtim;
			memcpy(oldest, e->d_name, strlen(e->d_name) + 1);
		}
	}
	if (n > FILES_MAX)
		unlinkat(dirfd(d), oldest, 0);
	fd = -1; /* closedir() closes it */
	closedir(d);
}

static void write_memory(struct arena *a, const char *dir, const char *path, const struct memory *m)
{
	struct buf b;

	buf_init(&b, a, 0);
	buf_c(&b, "{\"v\":1");
	json_put_field(&b, "session", m->session);
	put_counted(&b, "base", &m->base);
	put_counted(&b, "last", &m->last);
	buf_c(&b, "}\n");
	if (b.n <= FILE_MAX && file_replace(path, buf_view(&b), NULL) == 0)
		forget_oldest(dir);
}

/* ---- comparing ---- */

static const char *tests(int64_t n) { return n == 1 ? "test" : "tests"; }

static void suspect(struct arena *a, struct validation *v, const struct counted *was,
		const struct counted *is)
{
	int64_t gone = was->names.n && is->names.n ? names_missing(was->names, is->names) : 0,
			added = was->names.n && is->names.n ? names_missing(is->names, was->names) : 0;

	if (is->total < was->total)
		validation_suspect(a, v, NOTE_FEWER_TESTS,
				"%lld %s ran, but %lld when this command ran before; explain which tests are "
				"gone, and why", (long long)is->total, tests(is->total),
				(long long)was->total);
	if (gone > added)
		validation_suspect(a, v, NOTE_TESTS_VANISHED,
				"%lld %s of the previous run did not run, and %lld %s new; explain why",
				(long long)gone, tests(gone), (long long)added,
				added == 1 ? "is" : "are");
	/* a new test that is skipped takes nothing away */
	if (is->skipped > was->skipped && is->total - is->skipped < was->total - was->skipped)
		validation_suspect(a, v, NOTE_MORE_SKIPPED,
				"%lld %s skipped, but %lld when this command ran before; explain why",
				(long long)is->skipped, is->skipped == 1 ? "test was" : "tests were",
				(long long)was->skipped);
}

bool result_memory_compare(struct arena *a, struct str session, struct report *report)
{
	const struct run *r = report->run;
	const struct view *at = r->world->context.view;
	struct validation *v;
	struct str dir, digest;
	struct test_totals t;
	struct memory m;
	struct counted now;
	const char *path;

	if (!report->validation || !validation_totals(report->validation, &t) || !r->spec.workspace.n ||
			!at->state_dir.n ||
			state_folder(a, at->state_dir, r->spec.workspace, at->uid, FOLDER, &dir, NULL) != 0)
		return false;
	v = arena_new(a, struct validation);
	*v = *report->validation;
	report->validation = v;
	digest = config_digest(a, str_fmt(a, "%.*s\n%.*s\n%.*s", STR_ARG(r->spec.workspace),
			STR_ARG(r->spec.cwd), STR_ARG(r->gate_request.command)));
	path = str_fmt_c(a, "%.*s/%.*s", STR_ARG(dir), NAME_DIGITS, digest.p + digest.n - 2 * 32);
	m = read_memory(a, path);
	now = (struct counted){true, t.total, t.skipped, names_text(a, v)};
	if (!session.n || !str_eq(session, m.session))
		m.base = m.last;
	m.session = session;
	if (m.base.known && v->result == RESULT_PASS)
		suspect(a, v, &m.base, &now);
	/* a run that fails, for example because a file cannot be loaded, does not lower what is expected */
	if (v->result == RESULT_PASS || !m.last.known || now.total >= m.last.total)
		m.last = now;
	write_memory(a, str_c(a, dir), path, &m);
	return m.base.known;
}
