/*
 * The reader of Python: what names stand for, what texts are folded to, and which calls, imports and markers
 * are found.
 */
#include "code/code.h"
#include "unit.h"

static struct arena A;
static struct facts F;

static const struct code *read_code(const char *text)
{
	static struct view v;
	struct snippet *s = arena_new(&A, struct snippet);
	struct code_run *runs;

	v = (struct view){.cwd = STR("/w/p"), .home = STR("/home/dev"), .tmp = STR("/tmp")};
	facts_init(&F);
	*s = (struct snippet){
		.lang = LANG_PYTHON, .text = {.kind = WORD_EXACT, .text = str_of(text)}, .cwd = v.cwd};
	code_read(&A, &F, s, &v, &runs);
	return s->code;
}

/* The path of the first access of a kind; "-" when there is none. Holes are shown as ?, # and *. */
static struct str path_of(const char *text, enum access_kind kind)
{
	read_code(text);
	for (const struct access *x = F.accesses; x; x = x->next) {
		char *out;

		if (x->kind != kind || x->cause == CAUSE_IMPORT)
			continue;
		out = str_c(&A, x->path.text);
		for (size_t i = 0; i < x->path.text.n; i++)
			out[i] = (char)(out[i] == HOLE_ANY ? '?' : out[i] == HOLE_NUM ? '#' :
					out[i] == HOLE_NAME ? '*' : out[i]);
		return str_n(out, x->path.text.n);
	}
	return STR("-");
}


static void test_folding(void)
{
	static const struct {
		const char *expression, *path;
	} rows[] = {
		{"'/a' 'b'", "/ab"}, {"r'/a\\n'", "/a\\n"}, {"'/\\x41\\u0042\\103'", "/ABC"}, {"b'/a'", "/a"},
		{"'/a' + '/b'", "/a/b"}, {"f'/a/{\"b\"}'", "/a/b"}, {"f'/a/{{{1}}}'", "/a/{1}"},
		{"f'/a/{x:>3}'", "/a/?"}, {"'/%s/%d' % ('a', 3)", "/a/3"},
		{"'/{}/{k}'.format('a', k='b')", "/a/b"}, {"'/'.join(['', 'a', 'b'])", "/a/b"},
		{"'/A'.lower()", "/a"},
		{"'/axb'.replace('x', '/')", "/a/b"}, {"' /a '.strip()", "/a"},
		{"os.path.join('/a', 'b', 'c')", "/a/b/c"}, {"os.path.join('/a', '/b')", "/b"},
		{"os.path.join('/a', input())", "?"},
		{"os.path.expanduser('~/x')", "/home/dev/x"}, {"os.path.expanduser('~root/x')", "?"},
		{"os.getcwd() + '/x'", "/w/p/x"}, {"'x'", "/w/p/x"},
		{"os.environ['HOME'] + '/x'", "/home/dev/x"},
		{"os.environ['X'] + '/x'", "?"}, {"pathlib.Path('/a') / 'b'", "/a/b"},
		{"pathlib.Path('/a/b').parent", "/a"}, {"pathlib.Path('/a').joinpath('b', 'c')", "/a/b/c"},
		{"pathlib.Path.home() / 'x'", "/home/dev/x"},
		{"str(pathlib.Path('/a'))", "/a"}, {"os.path.dirname('/a/b/c')", "/a/b"},
		{"os.sep + 'a'", "/a"}, {"os.path.join('/a', os.listdir('/a')[0])", "/a/*"},
		{"'/a' if x else '/a'", "/a"}, {"('/a', '/b')[1]", "/b"},
		{"(lambda: '/a')()", "/a"}, {"'/a' * 2", "?"}, {"open('x').read()", "?"},
		{"'/\\N{DIGIT ONE}'", "/?"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str text = str_fmt(&A, "import os, pathlib\nos.remove(%s)", rows[i].expression),
				got = path_of(str_c(&A, text), ACCESS_DELETE);

		if (!str_is(got, rows[i].path))
			unit_fail(__FILE__, __LINE__, "%s is %.*s, want %s", rows[i].expression, STR_ARG(got),
					rows[i].path);
	}
}

static void test_names(void)
{
	static const char *const rows[] = {
		"import os\nos.remove('/a')", "import os as o\no.remove('/a')",
		"from os import remove\nremove('/a')", "from os import remove as r\nr('/a')",
		"from os import *\nremove('/a')", "import os\nf = os.remove\nf('/a')",
		"import os\nf, g = print, os.remove\ng('/a')", "import os\nm = os\nm.remove('/a')",
		"import os\n(f := os.remove)('/a')", "import os\ngetattr(os, 'rem' + 'ove')('/a')",
		"__import__('os').remove('/a')",
		"import glob\nglob.os.remove('/a')", "import posix\nposix.remove('/a')",
		"import os\ndef f():\n    global g\n    g = os.remove\ng('/a')",
		"def f():\n    import os\n    os.remove('/a')",
		"import os\nclass C:\n    os.remove('/a')", "import os\n[os.remove(p) for p in ['/a']]",
		"import os\np = '/a'\nwith open('x') as f:\n    os.remove(p)",
		"import os\np = q = '/a'\nos.remove(q)",
		"\xEF\xBD\x8F\x73 = __import__('os')\n\xEF\xBD\x8F\x73.remove('/a')",
		"import os\nos.\xF0\x9D\x90\xAB\x65move('/a')", "import pathlib\npathlib.Path('/a').unlink()",
		"import pathlib\npathlib.Path.unlink('/a')",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = path_of(rows[i], ACCESS_DELETE);

		if (!str_is(got, "/a"))
			unit_fail(__FILE__, __LINE__, "%s deletes %.*s", rows[i], STR_ARG(got));
	}
}

/* A name stands for all that was bound to it; a list that may have been changed, for anything. */
static void test_unions(void)
{
	size_t n = 0;

	read_code("import os\nif x:\n    p = '/a'\nelse:\n    p = '/b'\nos.remove(p)");
	for (const struct access *x = F.accesses; x; x = x->next)
		n += x->kind == ACCESS_DELETE;
	CHECK_INT(n, 2);
	CHECK_STR(path_of("import os\nl = ['/a']\nfor p in l: os.remove(p)", ACCESS_DELETE), "/a");
	CHECK_STR(path_of("import os\nl = ['/a']\nl.append('/b')\nfor p in l: os.remove(p)", ACCESS_DELETE),
			"?");
	CHECK_STR(path_of("import os\nl = ['/a']\nm = l\nm[0] = '/b'\nfor p in l: os.remove(p)",
			ACCESS_DELETE), "?");
	CHECK_STR(path_of("import os\np = '/a'\np = p + 'b'\nos.remove(p)", ACCESS_DELETE), "?");
	CHECK_STR(path_of("import os\nlist(map(os.remove, ['/a']))", ACCESS_DELETE), "?");
	CHECK_STR(path_of("l = [1]\nl.remove(1)", ACCESS_DELETE), "-");
	CHECK_STR(path_of("class C:\n    def unlink(self): pass\nC().unlink()", ACCESS_DELETE), "-");
}

static void test_markers(void)
{
	static const struct {
		const char *text, *id; /* NULL: complete */
	} rows[] = {
		{"print(1)", NULL}, {"eval(input())", "eval"}, {"exec(input())", "exec"},
		{"import os\ngetattr(os, input())", "getattr"}, {"import ctypes", "ctypes"},
		{"import pickle\npickle.loads(b'')", "pickle"},
		{"__import__(input())", "import"}, {"import os\nx = [os]", "module"},
		{"import json\njson.dumps = print", "setattr"}, {"globals()", "globals"},
		{"x.__globals__", "dunder"}, {"\xE2\x84\x8C = 1", "identifier"},
		{"def f(p): p.unlink()", "unknown-call"}, {"def f(p): p.append(1)", NULL},
		{"def f(s): s.replace('a', 'b')", NULL}, {"def f(s): s.replace('a')", "unknown-call"},
		{"nobody()", "unknown-call"},
		{"import random\nrandom._inst.seed(1)", "private"},
		{"import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute(input())", "sql"},
		{"print(1)\r# x", "line-end"}, {"import os\nos.environ[input()] = 'x'", "environ"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct code *c = read_code(rows[i].text);
		bool found = !rows[i].id;

		CHECK_ROW(c && c->parsed && c->complete == !rows[i].id, rows[i].text);
		for (const struct code_marker *m = c->markers; m; m = m->next)
			found |= rows[i].id && !strcmp(marker_name(m->id), rows[i].id);
		CHECK_ROW(found, rows[i].text);
	}
}

static void test_calls(void)
{
	const struct code *c = read_code("from shutil import rmtree as r\nr('/a', ignore_errors=True)");

	CHECK_STR(c->imports->name, "shutil");
	CHECK_STR(c->calls->name, "shutil.rmtree");
	CHECK_INT(c->calls->nargs, 2);
	CHECK_STR(c->calls->args[0].text, "/a");
	CHECK_STR(c->calls->names[1], "ignore_errors");
	c = read_code("print(");
	CHECK(c && !c->parsed && !c->complete);
}

int main(void)
{
	arena_init(&A, (size_t)256 << 20);
	RUN(test_folding);
	RUN(test_names);
	RUN(test_unions);
	RUN(test_markers);
	RUN(test_calls);
	arena_free(&A);
	return unit_end();
}
