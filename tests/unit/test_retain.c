/* Retention: at the start of a day, over signed rows, while others write; blobs that come back into use. */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <time.h>

#include "audit/read.h"
#include "audit/retain.h"
#include "audit/sign.h"
#include "record_place.h"

#define WRITERS 8
#define ROWS_EACH 40

static struct audit open_kept(const char *state, unsigned days)
{
	struct audit au = open_at(state);

	au.retain_days = days;
	return au;
}

static struct audit_written add(const struct audit *au, struct str out)
{
	struct arena a;
	struct audit_row row = {.kind = AUDIT_VERDICT, .command = STR("ls"), .out = out};
	struct audit_written w = {0};
	struct err e = {0};
	arena_init(&a, 64 << 20);
	if (audit_append(&a, au, &row, &w, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	arena_free(&a);
	return w;
}

static struct audit_verdict verify(const struct audit *au, const struct audit_anchor *anchor)
{
	struct audit_verdict v = {0};
	struct err e = {0};
	if (audit_verify(A, au, anchor ? anchor : &(struct audit_anchor){0}, &v, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return v;
}

static void test_rotation(void)
{
	struct audit au = open_kept("rotation", 90);
	clock_us = NOON;
	for (int day = 0; day <= 95; day++, clock_us += AUDIT_DAY_US)
		for (int i = 0; i < 2; i++)
			add(&au, STR(""));
	/* on days 92 to 95 one day each was more than 90 days before yesterday */
	struct audit_verdict v = verify(&au, NULL);
	CHECK_INT(v.fault, AUDIT_SOUND);
	CHECK_INT(v.tombstones, 4);
	CHECK_INT(v.days, 92);
	CHECK_INT(v.first_seq, 9);
	CHECK_INT(v.last_seq, 2 * 96 + 4);
	/* an arena with room for the row alone: the row is written, and the day is dropped all the same */
	struct arena small;
	struct audit_row row = {.kind = AUDIT_VERDICT, .command = STR("ls")};
	arena_init(&small, 64 << 10);
	CHECK_INT(audit_append(&small, &au, &row, NULL, NULL), 0);
	arena_free(&small);
	CHECK_INT(verify(&au, NULL).tombstones, 5);
	/* a clock that jumps ahead and back: only one day more goes, because the day before counts */
	clock_us += 3000 * AUDIT_DAY_US;
	add(&au, STR(""));
	clock_us -= 3000 * AUDIT_DAY_US;
	add(&au, STR(""));
	v = verify(&au, NULL);
	CHECK_INT(v.fault, AUDIT_SOUND);
	CHECK_INT(v.days, 92);
	CHECK_INT(v.tombstones, 6);
	audit_close(&au);
}

static void test_none(void)
{
	struct audit au = open_kept("none", 0);
	clock_us = NOON;
	for (int day = 0; day < 3; day++, clock_us += 100 * AUDIT_DAY_US)
		add(&au, STR(""));
	CHECK_INT(verify(&au, NULL).days, 3);
	audit_close(&au);
}

static void test_signed(void)
{
	struct audit au = open_kept("signed", 0);
	struct audit_key key;
	struct audit_checkpoint early, edge, late;
	struct audit_pruned p;
	struct err e = {0};
	clock_us = NOON;
	CHECK_INT(audit_key_make(A, str_of(at("key")), &key, &e), 0);
	add(&au, STR(""));
	CHECK_INT(audit_checkpoint(A, &au, &key, &early, NULL, &e), 0); /* row 2, about row 1 */
	clock_us += AUDIT_DAY_US;
	/* row 3, about row 2: the last that will go */
	CHECK_INT(audit_checkpoint(A, &au, &key, &edge, NULL, &e), 0);
	add(&au, STR(""));
	CHECK_INT(audit_checkpoint(A, &au, &key, &late, NULL, &e), 0);
	clock_us += AUDIT_DAY_US;
	add(&au, STR(""));
	CHECK_INT(audit_prune(A, &au, 1, false, &p, &e), 0);
	CHECK_INT(p.days, 1);
	CHECK_INT(p.last_seq, 2);
	CHECK_INT(verify(&au, &(struct audit_anchor){.checkpoint = &early}).fault, AUDIT_UNANCHORED);
	CHECK_INT(verify(&au, &(struct audit_anchor){.checkpoint = &edge}).fault, AUDIT_SOUND);
	CHECK_INT(verify(&au, &(struct audit_anchor){.checkpoint = &late, .key = str_of(key.name)}).fault,
			AUDIT_SOUND);
	edge.hash[0] = edge.hash[0] == '0' ? '1' : '0';
	CHECK_INT(verify(&au, &(struct audit_anchor){.checkpoint = &edge}).fault, AUDIT_FORGED);
	checkpoint_sign(&key, &edge); /* by the key, about a row that never was */
	CHECK_INT(verify(&au, &(struct audit_anchor){.checkpoint = &edge}).fault, AUDIT_REWRITTEN);
	audit_close(&au);
}

/* Two prune while others write: every row is there or spoken of. */
static void test_many(void)
{
	struct audit au = open_kept("many", 0);
	clock_us = NOON;
	for (int day = 0; day < 5; day++, clock_us += AUDIT_DAY_US)
		add(&au, STR(""));
	for (int w = 0; w < WRITERS + 2; w++)
		if (fork() == 0) {
			struct audit_pruned p;
			for (int i = 0; i < ROWS_EACH; i++)
				if (w < WRITERS)
					add(&au, STR(""));
				else
					(void)audit_prune(A, &au, 1, false, &p, NULL);
			_exit(unit_bad != 0);
		}
	int status, bad = 0;
	while (wait(&status) > 0)
		bad |= status;
	CHECK_INT(bad, 0);
	struct audit_verdict v = verify(&au, NULL);
	CHECK_INT(v.fault, AUDIT_SOUND);
	CHECK_INT(v.last_seq, 5 + WRITERS * ROWS_EACH + (int)v.tombstones);
	CHECK(v.tombstones >= 1 && v.tombstones <= 2);
	audit_close(&au);
}

static void age(const struct str digest)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	CHECK_INT(utimensat(AT_FDCWD,
			at(str_fmt_c(A, "blobs/blobs/%.2s/%.64s.zst", digest.p + 7, digest.p + 7)), old, 0),
			0);
}

static void test_sweep(void)
{
	struct audit au = open_kept("blobs", 0);
	struct blobs b;
	struct str used, unused, again, text;
	struct audit_swept s;
	struct audit_usage u;
	struct err e = {0};
	clock_us = (int64_t)time(NULL) * 1000000;
	CHECK_INT(blobs_open(A, str_of(at("blobs")), (uint32_t)getuid(), true, &b, &e), 0);
	CHECK_INT(blob_put(A, &b, STR("used"), false, &used, &e), 0);
	CHECK_INT(blob_put(A, &b, STR("unused"), false, &unused, &e), 0);
	CHECK_INT(blob_put(A, &b, STR("again"), false, &again, &e), 0);
	add(&au, used);
	CHECK_INT(audit_sweep(A, &au, &b, NULL, &s, &e), 0);
	CHECK(s.young == 3 && s.blobs == 0);
	age(used), age(unused), age(again);
	CHECK(!blob_has(&b, again)); /* not to be relied on */
	CHECK_INT(blob_put(A, &b, STR("again"), false, &again, &e), 0);
	CHECK(blob_has(&b, again));
	CHECK_INT(audit_sweep(A, &au, &b, NULL, &s, &e), 0);
	CHECK(s.young == 1 && s.kept == 1 && s.blobs == 1);
	CHECK_INT(blob_get(A, &b, unused, 100, &text, &e), -1);
	CHECK_INT(blob_get(A, &b, used, 100, &text, &e), 0);
	CHECK_STR(text, "used");
	CHECK_INT(audit_usage(A, &au, &b, &u, &e), 0);
	CHECK(u.blobs == 2 && u.days == 1 && u.row_bytes > 0 && u.blob_bytes > 0);
	blobs_close(&b);
	audit_close(&au);
}

int main(void)
{
	if (place_begin() < 0)
		return 1;
	RUN(test_rotation);
	RUN(test_none);
	RUN(test_signed);
	RUN(test_many);
	RUN(test_sweep);
	place_end();
	return unit_end();
}
