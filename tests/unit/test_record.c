/*
 * Writing the record: blobs; views and policies that give the same judgement again, for every row of
 * tests/cases; rows, redacted; what cannot be written.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "audit/read.h"
#include "base/json.h"
#include "gate/gate.h"
#include "record/record.h"
#include "place.h"
#include "rows.h"


/* ---- blobs ---- */

static struct blobs blobs_at(const char *state)
{
	struct blobs b = {.dir = -1};
	struct err e = {0};

	make_dir(state, 0700);
	if (blobs_open(A, str_of(at(state)), (uint32_t)getuid(), true, &b, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return b;
}

static char *blob_path(const char *state, struct str digest)
{
	return at(str_fmt_c(A, "%s/blobs/%.2s/%.64s.zst", state, digest.p + 7, digest.p + 7));
}

static struct str pattern(size_t n)
{
	char *p = arena_alloc(A, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = (char)(i * i >> 3);
	return str_n(p, n);
}

static void test_blobs(void)
{
	static const size_t sizes[] = {0, 1, 100, 3071, 3072, 3073, 100000, 5 << 20};
	struct blobs b = blobs_at("blobs1");
	struct err e = {0};
	struct str digest, back;
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct str bytes = pattern(sizes[i]);

		CHECK(!blob_has(&b, blob_digest(A, bytes)));
		CHECK_INT(blob_put(A, &b, bytes, i % 2, &digest, &e), 0);
		CHECK(blob_is_digest(digest) && blob_has(&b, digest));
		CHECK_INT(blob_get(A, &b, digest, sizes[i], &back, &e), 0);
		CHECK(str_eq(back, bytes));
		CHECK_INT(stat(blob_path("blobs1", digest), &st), 0);
		CHECK_INT(st.st_mode & 07777, 0600);
		if (sizes[i])
			CHECK_INT(blob_get(A, &b, digest, sizes[i] - 1, &back, &e), -1),
					CHECK_INT(e.kind, ERR_LIMIT);
		if (sizes[i] > 1 << 20)
			CHECK((size_t)st.st_size < sizes[i]); /* compressed */
	}
	CHECK_STR(blob_digest(A, STR("abc")),
			"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	blobs_close(&b);
}

/* Existing blobs are not written again, and changed ones are noticed. */
static void test_blob_kept(void)
{
	struct blobs b = blobs_at("blobs2");
	struct str digest, again, back;
	struct stat first, second;
	struct err e = {0};
	char *path;

	CHECK_INT(blob_put(A, &b, STR("kept as it is"), false, &digest, &e), 0);
	path = blob_path("blobs2", digest);
	CHECK_INT(stat(path, &first), 0);
	CHECK_INT(blob_put(A, &b, STR("kept as it is"), false, &again, &e), 0);
	CHECK_INT(stat(path, &second), 0);
	CHECK(first.st_ino == second.st_ino && str_eq(digest, again));
	struct str file;
	CHECK_INT(file_read(A, path, 1000, &file, NULL, &e), 0);
	for (size_t i = 0; i < file.n; i++) { /* every byte of it counts */
		char *copy = str_c(A, file);

		copy[i] ^= 0x41;
		FD_CLEANUP int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		CHECK_INT(fd_write_all(fd, path, str_n(copy, file.n), NULL), 0);
		if (blob_get(A, &b, digest, 1000, &back, &e) == 0)
			/* a bit of the frame that says nothing about the content */
			CHECK_STR(back, "kept as it is");
	}
	CHECK_INT(truncate(path, 0), 0);
	CHECK_INT(blob_get(A, &b, digest, 1000, &back, &e), -1);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(blob_get(A, &b, digest, 1000, &back, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	CHECK_INT(symlink("/etc/passwd", path), 0);
	CHECK_INT(blob_get(A, &b, digest, 1000, &back, &e), -1);
	CHECK_INT(blob_get(A, &b, STR("sha256:../../x"), 1000, &back, &e), -1);
	CHECK_INT(e.kind, ERR_INPUT);
	blobs_close(&b);
}

static void test_blobs_refused(void)
{
	struct blobs b = blobs_at("blobs3");
	struct err e = {0};

	blobs_close(&b);
	CHECK_INT(chmod(at("blobs3/blobs"), 0770), 0);
	CHECK_INT(blobs_open(A, str_of(at("blobs3")), (uint32_t)getuid(), true, &b, &e), -1);
	CHECK(strstr(e.text, "other users can write"));
	CHECK_INT(rmdir(at("blobs3/blobs")), 0);
	make_link("/tmp", "blobs3/blobs");
	CHECK_INT(blobs_open(A, str_of(at("blobs3")), (uint32_t)getuid(), true, &b, &e), -1);
	CHECK_INT(unlink(at("blobs3/blobs")), 0);
	CHECK_INT(blobs_open(A, str_of(at("blobs3")), (uint32_t)getuid(), false, &b, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
}

/* ---- deriving a verdict again ---- */

/* Counts over all files. */
struct again_totals {
	const struct blobs *blobs;
	size_t judged, asked;
};

struct again {
	struct arena *a;
	const char *file;
	const struct row *r;
	struct again_totals *totals;
};

static struct policy_file *file_of(struct arena *a, const char *name, struct str bytes,
		struct policy_file *next)
{
	struct policy_file *f = arena_new(a, struct policy_file);

	*f = (struct policy_file){.next = next, .path = str_of(name), .base = STR("/etc"),
			.bytes = str_cat(a, bytes, STR("\n")), .who = WHO_OWNER};
	return f;
}

/* All of an answer but what it is an answer to: verdict, reasons with their places and rules, facts. */
static struct str answer(struct arena *a, const struct facts *f, const struct judgement *j)
{
	struct buf b;

	buf_init(&b, a, 0);
	answer_json(&b, STR("1"), f, j, STR(""));
	return buf_view(&b);
}

static int put_policies(struct again *t, const struct policies *p, struct str *ret, struct err *e)
{
	struct str ignored;
	struct buf b;

	for (const struct policy_file *f = p->files; f; f = f->next)
		if (blob_put(t->a, t->totals->blobs, f->bytes, false, &ignored, e) != 0)
			return -1;
	buf_init(&b, t->a, 0);
	record_policies_json(&b, p);
	return blob_put(t->a, t->totals->blobs, buf_view(&b), false, ret, e);
}

static int judge_twice(void *arg)
{
	struct again *t = arg;
	const struct row *r = t->r;
	struct str config = row_get(r, "config"), digest;
	struct context at = {.cwd = row_get(r, "cwd"), .home = STR("/home/dev"), .user = STR("dev")};
	struct engine_request rq = {.command = r->command, .context = &at}, then = {0};
	struct policy_file *files = config.n ? file_of(t->a, "case.yaml", config, NULL) : NULL;
	struct policies p, q;
	struct judgement first, second;
	struct facts f, g;
	struct view v;
	struct err e = {0};
	struct buf json, answers;

	if (!at.cwd.n)
		at.cwd = STR("/w/p");
	engine_dialect(row_get(r, "shell"), &rq.dialect);
	engine_mode(row_get(r, "mode"), &rq.mode);
	if (r->policy.n)
		files = file_of(t->a, "file.yaml", r->policy, files);
	if (policies_of_files(t->a, files, STR("/w/p"), &p, &e) != 0)
		return 0; /* a row about policies that do not load */
	if (engine_judge(t->a, &rq, &p, &f, &first, &e) != 0 || !first.view)
		return unit_fail(t->file, (int)r->line, "not judged: %s", e.text), 0;
	buf_init(&json, t->a, 0);
	record_view_json(&json, first.view, &rq);
	buf_init(&answers, t->a, 0);
	CHECK(record_answers_json(&answers, first.view) == (answers.n > 0));
	if (put_policies(t, &p, &digest, &e) != 0 ||
		record_policies(t->a, t->totals->blobs, digest, &q, &e) != 0 ||
		record_view_parse(t->a, buf_view(&json), buf_view(&answers), &v, &then, &e) != 0)
		return unit_fail(t->file, (int)r->line, "%s", e.text), 0;
	then.command = rq.command;
	CHECK(str_eq(p.digest, q.digest) && then.dialect == rq.dialect && then.mode == rq.mode &&
			p.apart == q.apart);
	if (engine_judge_again(t->a, &then, &q, &v, &g, &second, &e) != 0)
		return unit_fail(t->file, (int)r->line, "not judged again: %s", e.text), 0;
	if (first.verdict != second.verdict || !str_eq(answer(t->a, &f, &first), answer(t->a, &g, &second))) {
		unit_fail(t->file, (int)r->line, "another answer: %s, then %s", verdict_name(first.verdict),
				verdict_name(second.verdict));
		unit_bytes("command", r->command);
	}
	t->totals->judged++;
	t->totals->asked += first.view->paths || first.view->globs;
	return 0;
}

static void judge_file(const char *path, void *arg)
{
	struct again_totals *all = arg;
	struct arena rows, a;
	struct rows f;
	struct row r;

	arena_init(&rows, ARENA_CAP_DEFAULT);
	if (rows_open(&rows, path, &f))
		while (rows_next(&f, &r)) {
			struct again t = {.a = &a, .file = path, .r = &r, .totals = all};

			arena_init(&a, ARENA_CAP_DEFAULT);
			if (arena_run(&a, judge_twice, &t) < 0)
				unit_fail(path, (int)r.line, "the arena is full");
			arena_free(&a);
		}
	arena_free(&rows);
}

static void test_again(void)
{
	struct blobs blobs = blobs_at("again");
	struct again_totals all = {.blobs = &blobs};

	CHECK(cases_each(judge_file, &all) > 0);
	CHECK(all.judged > 7000);
	CHECK(all.asked > 500);
	printf("# %zu rows judged again by what was recorded, %zu of them about paths\n", all.judged,
		all.asked);
	blobs_close(&blobs);
}

/* A question that was not asked then is not answered now. */
static void test_closed(void)
{
	const struct engine_request rq = {.command = STR("rm -f /etc/x"),
			.context = &(struct context){.cwd = STR("/")}};
	struct policies p;
	struct view v;
	struct engine_request then;
	struct facts f;
	struct judgement j;
	struct err e = {0};
	struct str json =
			STR("{\"v\":1,\"shell\":\"bash\",\"mode\":\"default\",\"cwd\":\"/w\","
			"\"home\":\"/h\",\"user\":\"u\",\"uid\":7,\"project\":\"/w\",\"roots\":[\"/w\"],"
			"\"config_dir\":\"\",\"state_dir\":\"\","
			      "\"program\":\"/c\",\"tmp\":\"/tmp\"}");

	policies_default(&p);
	CHECK_INT(record_view_parse(A, json, STR(""), &v, &then, &e), 0);
	CHECK(v.uid == 7 && v.roots && !v.roots->next && !v.closed);
	CHECK_STR(then.context->home, "/h");
	CHECK_INT(engine_judge_again(A, &rq, &p, &v, &f, &j, &e), 0);
	CHECK(j.verdict <= VERDICT_ASK && v.closed && !v.paths);
	CHECK_INT(record_view_parse(A, json, STR("{\"v\":1,\"paths\":[{\"path\":\"/x\",\"kind\":\"frob\"}]}"),
			&v, &then, &e), -1);
	CHECK_INT(record_view_parse(A, STR("{\"v\":2}"), STR(""), &v, &then, &e), -1);
	CHECK_INT(record_view_parse(A, STR("[]"), STR(""), &v, &then, &e), -1);
	CHECK_INT(record_view_parse(A, STR("{"), STR(""), &v, &then, &e), -1);
}

#define VIEW \
	"{\"v\":1,\"shell\":\"bash\",\"mode\":\"default\",\"cwd\":\"/w\",\"home\":\"/h\",\"user\":\"u\"," \
			"\"uid\":7,\"project\":\"/w\",\"roots\":[\"/w\"],\"boxed\":true"

/* Workspaces that were not vetted then are not vetted in the replay, whatever they are now. */
static void test_unvetted(void)
{
	static const struct {
		const char *view, *again;
		enum verdict verdict;
	} rows[] = {
		{VIEW "}", "", VERDICT_ALLOW},
		{VIEW ",\"unvetted\":true}", "\"unvetted\":true", VERDICT_CONTAIN},
		{VIEW ",\"unvetted_workspaces\":[\"/x\",\"/w/d\"]}",
				"\"unvetted_workspaces\":[\"/x\",\"/w/d\"]", VERDICT_CONTAIN},
		{VIEW ",\"unvetted_workspaces\":[\"/\"]}", "", VERDICT_CONTAIN},
		{VIEW ",\"unvetted_workspaces\":[\"/wd\"]}", "", VERDICT_ALLOW},
	};
	const struct engine_request rq = {.command = STR("git status"),
			.context = &(struct context){.cwd = STR("/w")}};
	const struct path_answer here[] =
			{{.path = STR("/w/HEAD"), .kind = PATH_ABSENT, .real = STR("/w/HEAD")},
			{.path = STR("/w/."), .kind = PATH_DIR, .target = PATH_DIR, .real = STR("/w")},
		{.path = STR("/w"), .kind = PATH_DIR, .target = PATH_DIR, .real = STR("/w"),
				.place = STR("/w")}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view v, known = {.paths = arena_array(A, ARRAY_SIZE(here), sizeof *here)};
		struct engine_request then;
		struct policies p;
		struct facts f;
		struct judgement j;
		struct err e = {0};
		struct buf b, answers;

		memcpy(known.paths, here, sizeof here);
		known.paths->next = known.paths + 1;
		known.paths->next->next = known.paths + 2;
		buf_init(&b, A, 0);
		buf_init(&answers, A, 0);
		record_answers_json(&answers, &known);
		policies_default(&p);
		CHECK_INT(record_view_parse(A, str_of(rows[i].view), buf_view(&answers), &v, &then, &e), 0);
		record_view_json(&b, &v, &then);
		CHECK_ROW(str_contains(buf_view(&b), str_of(rows[i].again)), rows[i].view);
		CHECK_INT(engine_judge_again(A, &rq, &p, &v, &f, &j, &e), 0);
		CHECK_ROW(j.verdict == rows[i].verdict, rows[i].view);
	}
}

/* Whose a file was, and what kind, decides what it may say. */
static void test_policies(void)
{
	struct policy_file project = {.path = STR("/w/p/.caisson.yaml"), .base = STR("/w/p"),
			.bytes = STR("tools: {bash: {ask: [make]}}\n"), .who = WHO_ANYONE, .project = true};
	struct policy_file own = {.next = &project, .path = STR("/h/config.yaml"), .base = STR("/h"),
			.bytes = STR("tools: {bash: {deny: [frob]}}\n"), .who = WHO_OWNER};
	struct blobs blobs = blobs_at("policies");
	struct again_totals totals = {.blobs = &blobs};
	struct again t = {.a = A, .totals = &totals};
	struct policies p, q;
	struct err e = {0};
	struct str digest, back;

	CHECK_INT(policies_of_files(A, &own, STR("/w/p"), &p, &e), 0);
	CHECK(p.apart && p.own.deny && p.project.ask);
	CHECK_INT(put_policies(&t, &p, &digest, &e), 0);
	CHECK_INT(record_policies(A, &blobs, digest, &q, &e), 0);
	CHECK(q.apart && q.own.deny && q.project.ask && q.project.silent && str_eq(p.digest, q.digest));
	CHECK_STR(q.own.deny->rule.where, "/h/config.yaml:1");
	CHECK_STR(q.root, "/w/p");
	CHECK_INT(blob_get(A, &blobs, digest, 1 << 20, &back, &e), 0);
	CHECK(str_contains(back, STR("\"who\":\"anyone\"")) && str_contains(back, STR("\"who\":\"user\"")));
	CHECK_INT(unlink(blob_path("policies", blob_digest(A, own.bytes))), 0);
	/* part of it is gone: nothing is derived from the rest */
	CHECK_INT(record_policies(A, &blobs, digest, &q, &e), -1);
	blobs_close(&blobs);
}

/* ---- rows ---- */

static struct str newest(const char *state)
{
	struct audit_filter all = {0};
	struct audit_reader *r;
	struct audit_line l = {0};
	struct audit au;
	struct str line = STR("");
	struct err e = {0};

	if (audit_open(A, str_of(at(state)), (uint32_t)getuid(), false, &au, &e) != 0 ||
			audit_reader_new(A, &au, &all, AUDIT_NEWEST_FIRST, &r, &e) != 0)
		return unit_fail(__FILE__, __LINE__, "%s: %s", state, e.text), line;
	CHECK_INT(audit_next(r, &l, &e), 1);
	line = str_dup(A, l.text);
	audit_reader_close(r);
	audit_close(&au);
	return line;
}

static struct str field(struct str line, const char *key)
{
	struct audit_line l;

	return audit_line_parse(line, &l) ? audit_text(A, audit_field(&l, key)) : STR("");
}

#define SECRET "Zq8vLk2mNp4rTs6wXy"
static char *const env[] = {"MY_API_TOKEN=" SECRET, "PLAIN=hello", NULL};

static int open_record(const char *state, const struct policies *p, struct record *ret, struct err *e)
{
	return record_open(A, &(struct view){.state_dir = str_of(at(state)), .uid = (uint32_t)getuid()},
			&(struct record_options){.environ = env}, p, ret, e);
}

static void test_rows(void)
{
	const struct record_who who = {STR("agent-1"), STR("session-1"), STR("claude-code"), STR("Bash"),
			STR("toolu_1")};
	const struct engine_request rq =
			{.command = STR("curl -H 'X: " SECRET
			"' https://u:hunter2hunter2@h/ ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
			.context = &(struct context){.cwd = STR("/w/p")}};
	struct policies p;
	struct record r;
	struct record_id id;
	struct judgement j;
	struct facts f;
	struct err e = {0};
	struct str line, view;

	policies_default(&p);
	CHECK_INT(open_record("rows", &p, &r, &e), 0);
	CHECK_INT(engine_judge(A, &rq, &p, &f, &j, &e), 0);
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, &j, &id, &e), 0);
	line = newest("rows");
	CHECK_STR(field(line, "kind"), "verdict");
	CHECK_STR(field(line, "id"), id.text);
	CHECK(!str_contains(line, STR(SECRET)) && !str_contains(line, STR("hunter2")) &&
			!str_contains(line, STR("ghp_abc")));
	CHECK(str_contains(field(line, "command"), STR("[redacted:")));
	CHECK_STR(field(line, "agent_id"), "agent-1");
	CHECK_STR(field(line, "session"), "session-1");
	CHECK_STR(field(line, "client"), "claude-code");
	CHECK_STR(field(line, "tool"), "Bash");
	CHECK_STR(field(line, "tool_use_id"), "toolu_1");
	CHECK_STR(field(line, "cwd"), "/w/p");
	CHECK_STR(field(line, "verdict"), verdict_name(j.verdict));
	CHECK_INT(blob_get(A, &r.blobs, field(line, "view"), RECORD_JSON_MAX, &view, &e), 0);
	CHECK(!str_contains(view, STR(SECRET)));
	CHECK_INT(record_policies(A, &r.blobs, field(line, "policy"), &p, &e), 0);
	record_close(&r);
}

#define TOKEN "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
#define CUT ((size_t)1 << 20) /* where a command of a row ends */

/*
 * Secrets where nobody looks for them: in names, directories, the policies' root, and across the place where
 * a long command is cut.
 */
static void test_secret_names(void)
{
	const struct record_who who = {STR("a " TOKEN), STR("s " TOKEN), STR("claude-code"), STR("t " TOKEN),
			STR("u " TOKEN)};
	struct engine_request rq = {.command = STR("true"),
			.context = &(struct context){.cwd = STR("/w/" TOKEN)}};
	struct policies p;
	struct record r;
	struct judgement j;
	struct facts f;
	struct err e = {0};
	struct str line, policy;
	char *text = arena_alloc(A, 2 * CUT);

	policies_default(&p);
	p.root = STR("/w/" TOKEN);
	CHECK_INT(open_record("names", &p, &r, &e), 0);
	CHECK_INT(engine_judge(A, &rq, &p, &f, &j, &e), 0);
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, &j, NULL, &e), 0);
	line = newest("names");
	CHECK(!str_contains(line, STR("ghp_")));
	CHECK_STR(field(line, "cwd"), "/w/[redacted:github-token]");
	CHECK_STR(field(line, "session"), "s [redacted:github-token]");
	CHECK_INT(blob_get(A, &r.blobs, field(line, "policy"), RECORD_JSON_MAX, &policy, &e), 0);
	CHECK(!str_contains(policy, STR("ghp_")) && str_contains(policy, STR("/w/[redacted:github-token]")));

	memset(text, ' ', 2 * CUT);
	memcpy(text, "true", 4);
	memcpy(text + CUT - 12, TOKEN, sizeof(TOKEN) - 1);
	rq.command = str_n(text, 2 * CUT);
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, NULL, NULL, &e), 0);
	line = newest("names");
	CHECK(!str_contains(line, STR("ghp_")));
	CHECK(field(line, "command").n <= CUT && field(line, "command").n > CUT - 64);
	CHECK(str_contains(line, STR("\"note\":\"the command has 2097152 bytes")));
	record_close(&r);
}

static void test_run_rows(void)
{
	const struct record_who who = {.agent = STR("a")};
	const struct engine_request rq = {.command = STR("make"),
			.context = &(struct context){.cwd = STR("/w")}};
	const struct record_start start = {.id = STR("run-7"), .rq = &rq,
			.spec = STR("{\"profile\":\"exec\"}"), .backend = "native"};
	struct outcome o = {.status = STATUS_TIMEOUT, .duration_ms = 5, .cpu_ms = 4, .peak_memory = 3 << 20,
			.backend = "native",
		.out = {.text = STR("token " SECRET "\n"), .total = 6 + sizeof(SECRET)}};
	struct record_stop stop = {.id = STR("run-7"), .outcome = &o, .exit_code = 124};
	struct record r;
	struct err e = {0};
	struct str line, out;
	bool cut = true;

	CHECK_INT(open_record("runs", NULL, &r, &e), 0);
	CHECK_INT(record_begin(A, &r, &who, &start, &e), 0);
	line = newest("runs");
	CHECK_STR(field(line, "kind"), "begin");
	CHECK_STR(field(line, "id"), "run-7");
	CHECK(str_contains(line, STR("\"spec\":{\"profile\":\"exec\"}")));
	CHECK_INT(record_stream(A, &r, &o.out, &stop.out, &cut, &e), 0);
	CHECK(!cut);
	CHECK_INT(record_end(A, &r, &who, &stop, &e), 0);
	line = newest("runs");
	CHECK_STR(field(line, "kind"), "end");
	CHECK_STR(field(line, "status"), "timeout");
	CHECK(str_contains(line,
			STR("\"exit_code\":124,\"duration_ms\":5,\"cpu_ms\":4,\"peak_memory_mb\":3")));
	CHECK_INT(blob_get(A, &r.blobs, field(line, "stdout"), 1000, &out, &e), 0);
	CHECK_STR(out, "token [redacted:value]\n");
	record_close(&r);
}

/* For a stream that is too long both ends are kept; secrets split by terminal sequences are not kept raw. */
static void test_streams(void)
{
	struct stream split = {.text = STR("tok Zq8vLk2m\033[0mNp4rTs6wXy end\n")}, none = {0}, big = {0};
	struct record r;
	struct err e = {0};
	struct str digest, out;
	struct buf b;
	bool cut = false;

	CHECK_INT(open_record("streams", NULL, &r, &e), 0);
	split.total = split.text.n;
	CHECK_INT(record_stream(A, &r, &split, &digest, &cut, &e), 0);
	CHECK_INT(blob_get(A, &r.blobs, digest, 1000, &out, &e), 0);
	CHECK_STR(out, "tok [redacted:value] end\n");
	CHECK_INT(record_stream(A, &r, &none, &digest, &cut, &e), 0);
	CHECK_INT(digest.n, 0);
	buf_init(&b, A, 0);
	for (int i = 0; i < 40000; i++)
		buf_fmt(&b, i % 50 ? "line %d\n" : "line %d " SECRET "\n", i);
	big.text = buf_view(&b);
	big.total = big.text.n;
	for (r.output_max = 1000; r.output_max < 600000; r.output_max = r.output_max * 3 + 1) {
		cut = false;
		CHECK_INT(record_stream(A, &r, &big, &digest, &cut, &e), 0);
		CHECK_INT(blob_get(A, &r.blobs, digest, 1 << 20, &out, &e), 0);
		CHECK(str_starts(out, "line 0 [redacted:value]\nline 1\n") && str_ends(out, "line 39999\n"));
		CHECK(!str_contains(out, STR(SECRET)) && str_contains(out, STR(" bytes are not kept]\n")));
		CHECK(cut == (big.total > r.output_max));
		CHECK(out.n <= r.output_max + 200);
	}
	r.output_max = 0;
	CHECK_INT(record_stream(A, &r, &big, &digest, &cut, &e), 0);
	CHECK_INT(digest.n, 0);
	record_close(&r);
}

static void test_required(void)
{
	const struct engine_request rq = {.command = STR("ls"),
			.context = &(struct context){.cwd = STR("/")}};
	const struct record_who who = {0};
	struct judgement j = {.verdict = VERDICT_ALLOW};
	struct policies p;
	struct record r;
	struct record_id id;
	struct err e = {0};

	policies_default(&p);
	make_file("state-file", "", 0600);
	CHECK_INT(open_record("state-file", &p, &r, &e), -1);
	CHECK(strstr(e.text, "nothing can be recorded"));
	record_close(&r);
	record_refuse(A, &e, &j);
	CHECK(j.verdict == VERDICT_DENY && j.reasons->id == CHECK_RECORD_ERROR);
	CHECK_INT(record_open(A, &(struct view){.state_dir = STR(""), .uid = 0}, &(struct record_options){0},
			NULL, &r, &e), -1);
	CHECK(strstr(e.text, "CAISSON_STATE"));
	p.own.audit.optional = true;
	CHECK_INT(open_record("state-file", &p, &r, &e), 0);
	CHECK(r.off && r.why.kind);
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, &j, &id, &e), 0);
	CHECK(!id.text[0]);
	record_close(&r);
	make_dir("lost", 0700);
	CHECK_INT(open_record("lost", &p, &r, &e), 0);
	CHECK_INT(rmdir(at("lost/audit")), 0); /* behind our back */
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, &j, &id, &e), 0);
	CHECK(r.off);
	record_close(&r);
	p.own.audit.optional = false;
	CHECK_INT(open_record("lost", &p, &r, &e), 0);
	CHECK_INT(rmdir(at("lost/audit")), 0);
	CHECK_INT(record_verdict(A, &r, &who, STR(""), &rq, &j, &id, &e), -1);
	CHECK(strstr(e.text, "cannot be recorded"));
	record_close(&r);
}

int main(void)
{
	if (place_begin() < 0)
		return 1;
	RUN(test_blobs);
	RUN(test_blob_kept);
	RUN(test_blobs_refused);
	RUN(test_again);
	RUN(test_closed);
	RUN(test_unvetted);
	RUN(test_policies);
	RUN(test_rows);
	RUN(test_secret_names);
	RUN(test_run_rows);
	RUN(test_streams);
	RUN(test_required);
	place_end();
	return unit_end();
}
