/*
 * The classifier, with real small programs in its place: what it may lift, what it may not, and everything
 * that can go wrong with it.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/json.h"
#include "base/num.h"
#include "config/config.h"
#include "judge/classifier.h"
#include "place.h"
#include "sys/process.h"

#define ASKS "curl https://example.com/list.txt"
#define TOLERANCE_MS 1500 /* machines that run tests are busy */

static struct judgement got;
static struct facts facts;
static long took_ms;
static unsigned limit_ms;

static long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct policies policies_with(const char *program)
{
	struct texts *t = arena_new(A, struct texts);
	struct policies p;
	t->text = str_of(program);
	policies_default(&p);
	p.own.classifier = (struct classifier){t, limit_ms};
	return p;
}

static enum verdict judge_by(const struct policies *p, const char *command)
{
	struct engine_request rq = {.command = str_of(command),
			.context = &(struct context){.cwd = STR("/w/p"), .home = STR("/home/dev"),
			.user = STR("dev")}};
	struct err e = {0};
	long from = now_ms();
	int fds = count_fds();
	CHECK_INT(engine_judge(A, &rq, p, &facts, &got, &e), 0);
	took_ms = now_ms() - from;
	CHECK_INT(count_fds(), fds);
	return got.verdict;
}

/* The verdict with a shell script of this body as the classifier. */
static enum verdict ask_script(const char *body, const char *command)
{
	make_file("judge", str_fmt_c(A, "#!/bin/sh\n%s\n", body), 0700);
	struct policies p = policies_with(at("judge"));
	return judge_by(&p, command);
}

static const struct reason *said(const struct reason *list)
{
	for (; list; list = list->next)
		if (list->id == CHECK_CLASSIFIER)
			return list;
	return NULL;
}

static bool stepped(const char *what, const char *rule)
{
	for (const struct step *s = got.steps; s; s = s->next)
		if (!strcmp(step_name(s->kind), what) && str_is(s->rule, rule))
			return true;
	return false;
}

/* The ask is as it was, and a warning says why. */
static void check_no_answer(const char *why)
{
	CHECK_INT(got.verdict, VERDICT_ASK);
	CHECK(!said(got.reasons));
	CHECK(stepped("no answer", "classifier"));
	const struct reason *r = said(got.warnings);
	CHECK(r && r->grade == GRADE_WARN);
	if (r && !str_contains(r->message, str_of(why)))
		unit_str(__FILE__, __LINE__, why, r->message, str_of(why));
}

#define SAY(verdict) "echo '{\"verdict\": \"" verdict "\", \"reason\": \"I looked\"}'"

static void test_without_one_it_asks(void)
{
	struct policies p;
	policies_default(&p);
	CHECK_INT(judge_by(&p, ASKS), VERDICT_ASK);
	CHECK(!said(got.reasons) && !said(got.warnings));
}

static void test_answers(void)
{
	CHECK_INT(ask_script(SAY("allow"), ASKS), VERDICT_ALLOW);
	CHECK(!got.reasons);
	CHECK(said(got.warnings) && said(got.warnings)->grade == GRADE_WARN);
	CHECK_STR(said(got.warnings)->message, "the classifier says allow: I looked");
	CHECK(stepped("allow", "classifier") && stepped("lifted", "network"));

	CHECK_INT(ask_script(SAY("contain"), ASKS), VERDICT_CONTAIN);
	CHECK(said(got.reasons) && said(got.reasons)->grade == GRADE_CONTAIN && !got.reasons->next);
	CHECK(stepped("contain", "classifier") && stepped("lifted", "network"));

	CHECK_INT(ask_script(SAY("deny"), ASKS), VERDICT_DENY);
	CHECK(said(got.reasons) && said(got.reasons)->grade == GRADE_DENY);
	CHECK(stepped("deny", "classifier") && !stepped("lifted", "network"));

	CHECK_INT(ask_script("echo '{\"verdict\": \"allow\"}'", ASKS), VERDICT_ALLOW);
	CHECK_STR(said(got.warnings)->message, "the classifier says allow");
}

static void test_only_asks_are_asked_about(void)
{
	char *mark = at("called"), *body = str_fmt_c(A, "echo x > %s; %s", mark, SAY("allow"));
	CHECK_INT(ask_script(body, "ls"), VERDICT_ALLOW);
	CHECK(access(mark, F_OK) != 0);
	CHECK_INT(ask_script(body, "./run"), VERDICT_CONTAIN);
	CHECK(access(mark, F_OK) != 0);
	CHECK_INT(ask_script(body, "rm -rf /etc"), VERDICT_DENY);
	CHECK(access(mark, F_OK) != 0);
	CHECK_INT(ask_script(body, ASKS "; rm -rf /etc"), VERDICT_DENY);
	CHECK(access(mark, F_OK) != 0);
	CHECK_INT(ask_script(body, ASKS), VERDICT_ALLOW);
	CHECK(access(mark, F_OK) == 0);
}

static void test_what_it_cannot_lift(void)
{
	/* read only in part: the box at most */
	CHECK_INT(ask_script(SAY("allow"), "sh -c \"$X\""), VERDICT_CONTAIN);
	CHECK_INT(ask_script(SAY("allow"), "$X"), VERDICT_CONTAIN);
	CHECK_INT(ask_script(SAY("allow"), "python3 -c 'import os; getattr(os, input())()'"),
			VERDICT_CONTAIN);
	CHECK(!got.complete);
	CHECK_INT(ask_script(SAY("allow"), "echo 'a"), VERDICT_CONTAIN);
	/* the box stays where the gate wants it */
	CHECK_INT(ask_script(SAY("allow"), "./run && " ASKS), VERDICT_CONTAIN);
	CHECK(got.complete);
	/* plan mode */
	make_file("judge", "#!/bin/sh\n" SAY("allow") "\n", 0700);
	struct policies p = policies_with(at("judge"));
	p.own.mode = MODE_PLAN;
	CHECK_INT(judge_by(&p, ASKS), VERDICT_ASK);
	CHECK(said(got.warnings) && !stepped("lifted", "network"));
	make_file("judge", "#!/bin/sh\n" SAY("deny") "\n", 0700);
	CHECK_INT(judge_by(&p, ASKS), VERDICT_DENY);
}

static void test_fixed_checks(void)
{
	struct reason fixed = {.id = CHECK_CAISSON_FILES, .grade = GRADE_ASK, .message = STR("x")};
	struct reason unknown = {.id = CHECK_NONE, .grade = GRADE_ASK};
	struct reason plain = {.id = CHECK_NETWORK, .grade = GRADE_ASK, .message = STR("x")};
	struct engine_request rq = {.command = STR("x"), .context = &(struct context){.cwd = STR("/")}};
	struct reason *const rows[] = {&fixed, &unknown, &plain};

	make_file("judge", "#!/bin/sh\n" SAY("allow") "\n", 0700);
	struct policies p = policies_with(at("judge"));
	for (size_t i = 0; i < 3; i++) {
		struct judgement j = {.verdict = VERDICT_ASK, .complete = true, .reasons = rows[i]};
		classifier_consult(A, &rq, &p.own, &(struct facts){0}, &(struct classified){0}, &j);
		CHECK_INT(j.verdict, i < 2 ? VERDICT_ASK : VERDICT_ALLOW);
	}
}

static void test_a_project_still_tightens(void)
{
	make_file("judge", "#!/bin/sh\n" SAY("allow") "\n", 0700);
	struct policies p = policies_with(at("judge"));
	p.apart = true;
	p.project = p.own;
	p.project.classifier.command = NULL;
	p.project.fallback = VERDICT_ASK;
	CHECK_INT(judge_by(&p, ASKS), VERDICT_ASK);
	p = policies_with(at("judge"));
	p.project = p.own;
	p.own.classifier.command = NULL;
	p.apart = true;
	CHECK_INT(judge_by(&p, ASKS), VERDICT_ASK); /* a project's own is never started */
	CHECK(!said(got.warnings));
}

static void test_nonsense(void)
{
	static const struct {
		const char *body, *why;
	} rows[] = {
		{"echo yes", "not JSON"},
		{":", "not JSON"},
		{"echo '[\"allow\"]'", "not an object"},
		{"echo '{}'", "must be allow"},
		{SAY("ask"), "must be allow"},
		{SAY("ALLOW"), "must be allow"},
		{"echo '{\"verdict\": true}'", "must be allow"},
		{"echo '{\"verdict\": \"allow\", \"reason\": 5}'", "not an object with"},
		{"echo '{\"verdict\": \"deny\", \"verdict\": \"allow\"}'", "not JSON"},
		{SAY("allow") "; " SAY("allow"), "not JSON"},
		{SAY("allow") "; exit 3", "status 3"},
		{SAY("allow") "; kill -9 $$", "status 137"},
		{"printf '{\"verdict\": \"allow\\\\u0000\"}'", "must be allow"},
		{"exec head -c 10000000 /dev/zero", "wrote more than 65536"},
		{SAY("allow") "; exec cat /dev/zero", "wrote more than 65536"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ask_script(rows[i].body, ASKS);
		check_no_answer(rows[i].why);
	}
}

static void test_programs_that_cannot_be_started(void)
{
	static const struct {
		const char *program, *why;
	} rows[] = {
		{"judge", "'judge' is not in the system's directories"},
		{"./judge", "neither an absolute path nor a name"},
		{"", "neither an absolute path nor a name"},
		{"/nowhere/judge", "does not exist"},
		{"/tmp", "is not a file"},
	};
	make_file("judge", "#!/bin/sh\n" SAY("allow") "\n", 0700);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policies p = policies_with(rows[i].program);
		judge_by(&p, ASKS);
		check_no_answer(rows[i].why);
	}
	struct policies p = policies_with(at("judge"));
	CHECK_INT(chmod(at("judge"), 0722), 0);
	judge_by(&p, ASKS);
	check_no_answer("other users can write");
	CHECK_INT(chmod(at("judge"), 0600), 0);
	judge_by(&p, ASKS);
	check_no_answer("cannot start");
	make_file("judge", "#!/nowhere/interpreter\n", 0700);
	judge_by(&p, ASKS);
	check_no_answer("cannot start");
	make_file("judge", SAY("allow") "\n", 0700); /* no shell takes over a text without its first line */
	judge_by(&p, ASKS);
	check_no_answer("cannot start");
}

static void test_a_name_in_the_system(void)
{
	struct policies p = policies_with("printf");
	struct texts *t = arena_new(A, struct texts);
	t->text = STR("{\"verdict\": \"contain\"}");
	p.own.classifier.command->next = t;
	CHECK_INT(judge_by(&p, ASKS), VERDICT_CONTAIN);
}

/* Gone, or a zombie that somebody else has to reap. */
static bool ended(const char *pidfile)
{
	struct str text;
	for (int i = 0; i < 100; i++, usleep(10000)) {
		char name[64], state = 'Z';
		int64_t pid;
		if (file_read(A, at(pidfile), 100, &text, NULL, NULL) != 0 ||
				num_parse(str_sub(text, 0, text.n - 1), 1, INT32_MAX, &pid) != 0)
			return false;
		snprintf(name, sizeof(name), "/proc/%" PRId64 "/stat", pid);
		FD_CLEANUP int fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return true;
		char stat[256] = {0};
		if (read(fd, stat, sizeof(stat) - 1) <= 0)
			return true;
		const char *end = strrchr(stat, ')');
		state = end && end[1] ? end[2] : 'Z';
		if (state == 'Z' || state == 'X')
			return true;
	}
	return false;
}

static void test_time(void)
{
	limit_ms = 200;
	ask_script(str_fmt_c(A, "echo $$ > %s; sleep 60; %s", at("pid"), SAY("allow")), ASKS);
	check_no_answer("took longer than 200 ms");
	CHECK(took_ms >= 200 && took_ms < 200 + TOLERANCE_MS);
	CHECK(ended("pid"));

	ask_script("trap '' TERM INT HUP; while :; do :; done", ASKS);
	check_no_answer("took longer than 200 ms");
	CHECK(took_ms < 200 + TOLERANCE_MS);

	ask_script(SAY("allow") "; exec >&-; sleep 60", ASKS); /* an answer counts when its giver has ended */
	check_no_answer("took longer than 200 ms");
	CHECK(took_ms < 200 + TOLERANCE_MS);
	limit_ms = 0;
}

static void test_grandchildren(void)
{
	limit_ms = 5000;
	/* it keeps the pipe open, and its parent ends: nothing waits for it, and it does not stay */
	CHECK_INT(ask_script(str_fmt_c(A, "sleep 60 & echo $! > %s; %s", at("pid2"), SAY("contain")), ASKS),
			VERDICT_CONTAIN);
	CHECK(took_ms < TOLERANCE_MS);
	CHECK(ended("pid2"));
	/* one that leaves the group keeps the pipe, and still delays nothing */
	CHECK_INT(ask_script("setsid sleep 3 & " SAY("contain"), ASKS), VERDICT_CONTAIN);
	CHECK(took_ms < TOLERANCE_MS);
	limit_ms = 200;
	ask_script("setsid sleep 3 & sleep 60", ASKS);
	check_no_answer("took longer than 200 ms");
	CHECK(took_ms < 200 + TOLERANCE_MS);
	limit_ms = 0;
}

static void test_a_long_command_that_is_not_read(void)
{
	struct buf b;
	buf_init(&b, A, 0);
	buf_c(&b, ASKS " ");
	while (b.n < 300000)
		buf_c(&b, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	CHECK_INT(ask_script("exec <&-; " SAY("allow"), str_c(A, buf_view(&b))), VERDICT_ALLOW);
	CHECK_INT(ask_script("cat > /dev/null; " SAY("allow"), str_c(A, buf_view(&b))), VERDICT_ALLOW);
	while (b.n < PROCESS_INPUT_MAX)
		buf_c(&b, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	ask_script(SAY("allow"), str_c(A, buf_view(&b)));
	CHECK(got.verdict == VERDICT_ASK);
}

/* Its input and its environment. */
static void test_what_it_sees(void)
{
	struct str text;
	struct json *v = NULL;
	struct err e = {0};

	setenv("CAISSON_TEST_SECRET", "s3", 1);
	int open_fd = open("/dev/null", O_RDONLY); /* an open descriptor that is not close-on-exec */
	CHECK_INT(open_fd, 3);
	CHECK_INT(ask_script(str_fmt_c(A, "cat > %s; env > %s; pwd > %s; ls /proc/$$/fd > %s; %s", at("in"),
			at("env"), at("pwd"), at("fds"), SAY("allow")), ASKS), VERDICT_ALLOW);
	CHECK_INT(file_read(A, at("in"), 1 << 20, &text, NULL, NULL), 0);
	CHECK_INT(json_read(A, text, &v, &e), 0);
	CHECK_STR(json_text_at(v, "command"), ASKS);
	CHECK_STR(json_text_at(v, "cwd"), "/w/p");
	CHECK_STR(json_text_at(v, "verdict"), "ask");
	const struct json *first = unit_item(json_key(v, "reasons"), 0);
	CHECK_STR(json_text_at(first, "id"), "network");
	CHECK(json_text_at(first, "message").n > 0);
	const struct json *argv = json_key(unit_item(json_key(v, "commands"), 0), "argv");
	CHECK_STR(json_text(unit_item(argv, 0)), "curl");
	CHECK_INT(file_read(A, at("pwd"), 100, &text, NULL, NULL), 0);
	CHECK_STR(text, "/\n");
	CHECK_INT(file_read(A, at("env"), 10000, &text, NULL, NULL), 0);
	CHECK(!str_contains(text, STR("SECRET")) && str_contains(text, STR("PATH=/usr/local/bin:")) &&
			str_contains(text, STR("USER=")) && str_contains(text, STR("HOME=/")));
	CHECK_INT(file_read(A, at("fds"), 1000, &text, NULL, NULL), 0);
	CHECK(!str_contains(text, STR("\n3\n")) && str_starts(text, "0\n1\n"));
	close(open_fd);
}

static void test_its_reason_is_bounded(void)
{
	CHECK_INT(ask_script(
			"printf '{\"verdict\": \"deny\", \"reason\": \"'; head -c 20000 /dev/zero | tr "
			"'\\0' a; printf '\\303\\251\"}'", ASKS), VERDICT_DENY);
	CHECK(said(got.reasons) && said(got.reasons)->message.n < CLASSIFIER_REASON_MAX + 100 &&
			said(got.reasons)->message.n >= CLASSIFIER_REASON_MAX);
}

static void test_ignored_signals_do_not_matter(void)
{
	signal(SIGCHLD, SIG_IGN);
	CHECK_INT(ask_script(SAY("allow"), ASKS), VERDICT_ALLOW);
	signal(SIGCHLD, SIG_DFL);
}

/* Memory runs out at every point in turn: denied, or answered, and nothing is left open or running. */
static void test_full_arena(void)
{
	struct engine_request rq = {.command = STR(ASKS), .context = &(struct context){.cwd = STR("/w/p"),
			.home = STR("/home/dev"), .user = STR("dev")}};
	struct policies p = policies_with("printf");
	struct texts *t = arena_new(A, struct texts);
	int fds = count_fds(), denied = 0;
	enum verdict last = VERDICT_DENY;

	t->text = STR("{\"verdict\": \"contain\"}");
	p.own.classifier.command->next = t;
	bool failed = true;
	for (size_t n = 1; failed && n < 5000; n++) {
		struct arena small;
		struct judgement j = {0};
		struct facts f;
		arena_init(&small, ARENA_CAP_DEFAULT);
		small.fail_at = n;
		if (engine_judge(&small, &rq, &p, &f, &j, NULL) == 0 && (last = j.verdict) == VERDICT_DENY)
			CHECK(j.reasons->id == CHECK_INTERNAL_ERROR), denied++;
		failed = small.allocs >= n;
		arena_free(&small);
	}
	CHECK_INT(last, VERDICT_CONTAIN);
	CHECK(denied > 20);
	CHECK_INT(count_fds(), fds);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0);
}

int main(void)
{
	if (place_begin() != 0)
		return 1;
	RUN(test_without_one_it_asks);
	RUN(test_answers);
	RUN(test_only_asks_are_asked_about);
	RUN(test_what_it_cannot_lift);
	RUN(test_fixed_checks);
	RUN(test_a_project_still_tightens);
	RUN(test_nonsense);
	RUN(test_programs_that_cannot_be_started);
	RUN(test_a_name_in_the_system);
	RUN(test_time);
	RUN(test_grandchildren);
	RUN(test_a_long_command_that_is_not_read);
	RUN(test_what_it_sees);
	RUN(test_its_reason_is_bounded);
	RUN(test_ignored_signals_do_not_matter);
	RUN(test_full_arena);
	place_end();
	return unit_end();
}
