/*
 * JavaScript: the names of calls through aliases, the texts of their arguments, and which codes are not
 * complete.
 */
#include "code/code.h"
#include "unit.h"

static struct arena A;

/*
 * Reads one text; its calls as "name(arg, ...)" joined with blanks, "?" for an argument that is not known,
 * then the markers as "!id".
 */
static struct str read_calls(const char *text)
{
	struct facts *f = arena_new(&A, struct facts);
	struct view *v = arena_new(&A, struct view);
	struct snippet *s = arena_new(&A, struct snippet);
	struct code_run *runs;
	struct buf b;

	facts_init(f);
	f->texts = arena_new(&A, struct text);
	f->texts[0] = (struct text){.bytes = str_of(text)};
	f->ntexts = f->texts_cap = 1;
	*v = (struct view){.cwd = STR("/w/p"), .home = STR("/home/dev"), .tmp = STR("/tmp")};
	*s = (struct snippet){.lang = LANG_JAVASCRIPT,
		.text = {.kind = WORD_EXACT, .text = str_of(text)},
		.cwd = STR("/w/p")};
	f->snippets = s;
	f->snippets_end = &s->next;
	buf_init(&b, &A, 0);
	code_read(&A, f, s, v, &runs);
	if (!s->code->parsed)
		return STR("no code");
	for (const struct code_call *c = s->code->calls; c; c = c->next) {
		buf_fmt(&b, "%s%.*s(", b.n ? " " : "", STR_ARG(c->name));
		for (size_t i = 0; i < c->nargs; i++) {
			buf_c(&b, i ? "," : "");
			buf_str(&b, c->args[i].kind == WORD_EXACT ? c->args[i].text :
					c->args[i].kind == WORD_REST ? STR("...") : STR("?"));
		}
		buf_c(&b, ")");
	}
	for (const struct code_marker *m = s->code->markers; m; m = m->next)
		buf_fmt(&b, "%s!%s", b.n ? " " : "", marker_name(m->id));
	CHECK(s->code->complete == (s->code->markers == NULL));
	return buf_view(&b);
}

struct row {
	const char *text, *want;
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str got = read_calls(rows[i].text);

		CHECK_ROW(str_is(got, rows[i].want), rows[i].text);
		if (!str_is(got, rows[i].want))
			unit_bytes(" got", got);
	}
}

#define CHECK_ROWS(rows) check_rows((rows), ARRAY_SIZE(rows))

static void test_names(void)
{
	static const struct row rows[] = {
		{"fs.rmSync('a')", "fs.rmSync(a)"},
		{"const f = fs.rmSync; f('a')", "fs.rmSync(a)"},
		{"import {rm as x} from 'node:fs'; x('a')", "fs.rm(a)"},
		{"import d from 'fs'; d.rm('a')", "fs.rm(a)"},
		{"import * as n from 'fs'; n.promises.rm('a')", "fs.promises.rm(a)"},
		{"const {rm: r, promises: {unlink}} = {...fs}; r('a'); unlink('b')",
				"fs.rm(a) fs.promises.unlink(b)"},
		{"const o = {f: fs.rm}; o.f('a'); o['f']('b')", "fs.rm(a) fs.rm(b)"},
		{"const [r] = [fs.rm]; r('a')", "fs.rm(a)"},
		{"fs['r' + `m`]('a')", "fs.rm(a)"},
		{"fs.rm.call(null, 'a')", "fs.rm(a)"},
		{"fs.rm.apply(null, ['a', 'b'])", "fs.rm(a,b)"},
		{"globalThis.global.process.exit(1)", "process.exit(1)"},
		{"fs?.rm?.('a')", "fs.rm(a)"},
		{"(0, fs.rm)('a')", "fs.rm(a)"},
		{"let g; (g = fs.rm)('a')", "fs.rm(a)"},
		{"let g = fs.rm; g = fs.unlink; g('a')", "fs.unlink(a) fs.rm(a)"},
		{"for (const g of [fs.rm, fs.unlink]) g('a')", "fs.rm(a) fs.unlink(a)"},
		{"const h = c => c('a'); h(fs.rm)", "fs.rm(a)"},
		{"(m => m.rm('a'))(fs)", "fs.rm(a)"},
		{"let a = b, b = a; a.x", ""},
		{"function rm(x) { return x } rm('a')", ""},
		{"const fs = {rm() {}}; fs.rm('a')", ""},
	};
	CHECK_ROWS(rows);
}

static void test_modules(void)
{
	static const struct row rows[] = {
		{"require('fs').rm('a')", "require(fs) fs.rm(a)"},
		{"(0, require)('node:fs').rm('a')", "require(node:fs) fs.rm(a)"},
		{"module.require('fs').rm('a')", "require(fs) fs.rm(a)"},
		{"process.mainModule.require('fs').rm('a')", "require(fs) fs.rm(a)"},
		{"require('fs/promises').rm('a')", "require(fs/promises) fs.promises.rm(a)"},
		{"import('fs').then(m => m.rm('a'))", "fs.rm(a)"},
		{"(async () => { (await import('fs')).default.rm('a') })()", "fs.rm(a)"},
		{"require(x)", "require(?) !require !unknown-name"},
		{"process.getBuiltinModule('fs').rm('a')", "process.getBuiltinModule(fs) fs.rm(a)"},
		{"require('util').promisify(fs.rm)('a')", "require(util) util.promisify(?) fs.rm(a)"},
	};

	/* in any order: a call is read before what it is called on */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = read_calls(rows[i].text);
		struct str want = str_of(rows[i].want);

		for (size_t from = 0, k = 0; k <= want.n; k++) {
			if (k < want.n && want.p[k] != ' ')
				continue;
			CHECK_ROW(str_contains(got, str_sub(want, from, k)), rows[i].text);
			from = k + 1;
		}
	}
}

static void test_folding(void)
{
	static const struct row rows[] = {
		{"fs.rm('a' + 'b' + 1)", "fs.rm(ab1)"},
		{"const d = 'x'; fs.rm(`${d}/y`)", "fs.rm(x/y)"},
		{"fs.rm('\\x61\\u0062\\u{63}\\144')", "fs.rm(abcd)"},
		{"fs.rm('a\\\nb')", "fs.rm(ab)"},
		{"fs.rm(path.join('a', '..', 'b', './c'))", "fs.rm(b/c) path.join(a,..,b,./c)"},
		{"fs.rm(path.resolve('..', 'q'))", "fs.rm(/w/q) path.resolve(..,q)"},
		{"fs.rm(path.join('/a', '../../b'))", "fs.rm(/b) path.join(/a,../../b)"},
		{"fs.rm(path.dirname('/a/b'))", "fs.rm(/a) path.dirname(/a/b)"},
		{"fs.rm(__dirname + '/x')", "fs.rm(/w/p/x)"},
		{"fs.rm(process.cwd() + '/x')", "fs.rm(/w/p/x) process.cwd()"},
		{"fs.rm(os.homedir() + '/x')", "fs.rm(/home/dev/x) os.homedir()"},
		{"fs.rm(process.env.HOME)", "fs.rm(/home/dev)"},
		{"fs.rm(['a', 'b'].join('/'))", "fs.rm(a/b)"},
		{"const a = ['a']; a.push(1); fs.rm(a.join('/'))", "fs.rm(?)"},
		{"const o = {p: 'a'}; fs.rm(o.p)", "fs.rm(a)"},
		{"const o = {p: 'a'}; o.p = 'b'; fs.rm(o.p)", "fs.rm(?)"},
		{"let p = 'a'; p += 'b'; fs.rm(p)", "fs.rm(?)"},
		{"function f(q) { fs.rm(q) } f('a')", "fs.rm(a)"},
		{"function f(q) { fs.rm(q) } f('a'); [f]", "fs.rm(?)"},
		{"fs.rm('\\0')", "fs.rm(?)"},
	};
	CHECK_ROWS(rows);
}

static void test_markers(void)
{
	static const struct row rows[] = {
		{"const f = () => fs; f", "!escape"},
		{"class A { x = fs }", "!escape"},
		{"with (Math) {}", "!with"},
		{"[].constructor", "!prototype"},
		{"console.log([].constructor.name)", "console.log(?)"},
		{"fs.readFileSync = 1", "!tampering"},
		{"Array.prototype.x = 1", "!tampering"},
		{"fs[k]; let k", "!computed-member"},
		{"const o = {}; let k; o[k] = 1; o[k]++", ""},
		{"let o, k; o[k](1)", "!computed-member"},
		{"nobody", "!unknown-name"},
		{"typeof nobody", ""},
		{"\\u0066s.x", "!escaped-name"},
		{"let x = ", "no code"},
	};
	CHECK_ROWS(rows);
}

/* Depth, width and length end in a marker or an answer, never in a crash. */
static void test_bounds(void)
{
	struct buf b;

	buf_init(&b, &A, 0);
	for (int i = 0; i < 2000; i++)
		buf_c(&b, "!");
	buf_c(&b, "1");
	CHECK(str_contains(read_calls(str_c(&A, buf_view(&b))), STR("!bound")));
	buf_init(&b, &A, 0);
	for (int i = 0; i < 2000; i++)
		buf_fmt(&b, "let v%d = 'a' + %d;\n", i, i);
	CHECK_STR(read_calls(str_c(&A, buf_view(&b))), "");
	buf_init(&b, &A, 0);
	buf_c(&b, "let v0 = 'a';");
	for (int i = 1; i < 500; i++)
		buf_fmt(&b, "let v%d = v%d + v%d;\n", i, i - 1, i - 1);
	buf_c(&b, "fs.rm(v499)");
	CHECK(str_contains(read_calls(str_c(&A, buf_view(&b))), STR("fs.rm(?)")));
}

int main(void)
{
	arena_init(&A, ARENA_CAP_DEFAULT);
	RUN(test_names);
	RUN(test_modules);
	RUN(test_folding);
	RUN(test_markers);
	RUN(test_bounds);
	arena_free(&A);
	return unit_end();
}
