/*
 * Properties of the shell reader as a whole: it fails closed when memory ends, its byte ranges lie in its
 * texts, it gives the same result twice, and it answers any input, however odd. tests/cases has its findings
 * for particular texts.
 */
#include <stdlib.h>

#include "shell/shell.h"
#include "torture.h"
#include "unit.h"

static const struct view view = {.cwd = {"/w", 2}, .home = {"/home/u", 7}};

static int read_in(struct arena *a, struct str text, enum dialect d, struct facts *f)
{
	struct err e = {0};
	struct shell_request rq = {.text = text, .dialect = d, .view = &view};
	return shell_read(a, &rq, f, &e);
}

/* A script that goes through most of the reader. */
static const char *const everything =
	"x=(a b); y=${x[@]/a/c}; f() { local z=$1; \"$@\" >out; return; }; f evil $((y+1))\n"
	"for i in {1..3} *.c; do case $i in 1|2) echo $i;& *) break;; esac; done <<E >>log 2>&1\n"
	"body $(cmd `nested`) ${u:-def}\nE\n"
	"if [[ $a == b* && -n ${x##*/} ]]; then cd sub && pushd ..; else eval \"ec\"'ho hi'; fi | sh -c "
	"'cat | xargs rm'\n"
	"alias l='ls -l'\nl x; trap 'rm -f t' EXIT; coproc c { :; }; select s in a; do :; done; while read "
	"-r a b; do $a; done <<< 'p q'\n"
	"sudo -u root env A=1 timeout 5 find . -exec rm {} + ; echo cm0= | base64 -d | bash; declare -A "
	"m=([k]=v); ${m[k]} ${!x} $(<f) <(a)\n"
	"printf -v v '%s' ev; $v; set -- 1 2; shift; (( q = 2 ** 3, r[q]++ )); echo ~/a ~+ $'\\x41' \"$@\"; "
	"git -c alias.x='!y' x\n";

static int read_everything(struct arena *a, void *ctx)
{
	struct facts f;
	return read_in(a, str_of(everything), *(enum dialect *)ctx, &f);
}

static void test_torture(void)
{
	for (enum dialect d = DIALECT_BASH; d <= DIALECT_ZSH; d++) {
		struct torture t;
		CHECK_INT(torture_fallible(read_everything, &d, 2000, &t), 0);
		CHECK(t.runs > 100);
		CHECK_INT(t.result, 0);
	}
}

/* ---- ranges ---- */

static bool inside(const struct facts *f, struct span at)
{
	return at.text < f->ntexts && at.from <= at.to && at.to <= f->texts[at.text].bytes.n;
}

static bool ranges_hold(const struct facts *f)
{
	bool good = true;
	for (const struct command *c = f->commands; c; c = c->next) {
		good &= inside(f, c->at) && c->argc > 0 && c->via != NULL;
		for (size_t i = 0; i < c->argc; i++)
			good &= inside(f, c->argv[i].at) &&
					(c->argv[i].kind != WORD_EXACT || text_exact(c->argv[i].text));
	}
	for (const struct access *x = f->accesses; x; x = x->next)
		good &= inside(f, x->at) && (x->by || x->cause == CAUSE_REDIRECT);
	for (const struct trouble *t = f->troubles; t; t = t->next)
		good &= inside(f, t->at) && t->message != NULL;
	for (const struct setting *t = f->settings; t; t = t->next)
		good &= inside(f, t->at) && t->name.n > 0;
	for (const struct mark *m = f->marks; m; m = m->next)
		good &= inside(f, m->at) && m->kind < MARK_KINDS;
	for (size_t i = 1; i < f->ntexts; i++)
		good &= f->texts[i].in < i && inside(f, f->texts[i].origin);
	return good && (f->complete || f->troubles);
}

static void test_ranges(void)
{
	for (enum dialect d = DIALECT_BASH; d <= DIALECT_ZSH; d++) {
		struct arena a;
		struct facts f;
		arena_init(&a, ARENA_CAP_DEFAULT);
		CHECK_INT(read_in(&a, str_of(everything), d, &f), 0);
		CHECK(f.commands != NULL);
		CHECK(ranges_hold(&f));
		arena_free(&a);
	}
}

/* ---- pure ---- */

static struct str listing(struct arena *a, const struct facts *f)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (const struct command *c = f->commands; c; c = c->next)
		for (size_t i = 0; i < c->argc; i++) {
			buf_fmt(&b, "%d:", (int)c->argv[i].kind);
			buf_str(&b, c->argv[i].text);
		}
	for (const struct trouble *t = f->troubles; t; t = t->next)
		buf_fmt(&b, "!%d%s", (int)t->kind, t->message);
	return buf_view(&b);
}

static void test_same_twice(void)
{
	struct arena a;
	struct facts x, y;
	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK_INT(read_in(&a, str_of(everything), DIALECT_SH, &x), 0);
	CHECK_INT(read_in(&a, str_of(everything), DIALECT_SH, &y), 0);
	CHECK_STRN(listing(&a, &y), listing(&a, &x));
	arena_free(&a);
}

/* ---- odd input ---- */

static struct str repeated(const char *unit, size_t n)
{
	size_t len = strlen(unit);
	char *p = malloc(len * n);
	for (size_t i = 0; p && i < n; i++)
		memcpy(p + i * len, unit, len);
	return (struct str){p, p ? len * n : 0};
}

static const struct {
	const char *unit;
	size_t n;
	bool complete;
} odd[] = {
	{"", 0, true}, {"\n", 100000, true}, {"# rm -rf /\n", 1000, true}, {" \t", 1000, true},
	{"(", 100000, false}, {"((", 100000, false}, {"$(", 100000, false}, {"${x:-", 100000, false},
	{"{ ", 100000, false},
	{"[[ ( ", 100000, false}, {"`\\", 100000, false}, {"\"$(", 100000, false}, {"if ", 100000, false},
	{"echo {a,b}{c,d}{e,f}{g,h}", 4000, false},
	{"\xff\xfe", 5000, true}, {"x", 11000000, false}, {"f() { f|f& };f\n", 1, false},
	{"while :; do x=$x$x; done\n", 1, true},
	{"case x in ", 50000, false}, {"<<E ", 50000, true}, {"! ", 100000, true}, {"$((", 100000, false},
	{"a[", 100000, false}, {"\\", 1, true},
};

static void test_odd_input(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		for (enum dialect d = DIALECT_BASH; d <= DIALECT_ZSH; d++) {
			struct arena a;
			struct facts f;
			struct str s = repeated(odd[i].unit, odd[i].n);
			arena_init(&a, ARENA_CAP_DEFAULT);
			if (read_in(&a, s, d, &f))
				unit_fail(__FILE__, __LINE__, "'%s' %zu times, dialect %d: no answer",
						odd[i].unit, odd[i].n, (int)d);
			else if ((d == DIALECT_BASH && f.complete != odd[i].complete) ||
					!(f.complete || f.troubles))
				unit_fail(__FILE__, __LINE__, "'%s' %zu times, dialect %d: complete is %d",
						odd[i].unit, odd[i].n, (int)d, f.complete);
			arena_free(&a);
			free((void *)(uintptr_t)s.p);
		}
}

static void test_nul(void)
{
	struct arena a;
	struct facts f;
	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK_INT(read_in(&a, str_n("ls\0; evil", 9), DIALECT_BASH, &f), 0);
	CHECK(!f.complete);
	CHECK(f.commands && f.commands->next && str_is(f.commands->next->argv[0].text, "evil"));
	arena_free(&a);
}

int main(void)
{
	RUN(test_torture);
	RUN(test_ranges);
	RUN(test_same_twice);
	RUN(test_odd_input);
	RUN(test_nul);
	return unit_end();
}
