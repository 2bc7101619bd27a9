/* Inline code without a grammar: the scanners of small languages, and what the reader of PowerShell notes. */
#include "code/code.h"
#include "gate/judge.h"
#include "unit.h"

static struct arena A;
static struct facts F;

static const struct snippet *read_snippet(const char *lang, const char *text)
{
	static struct view v;
	struct snippet *s = arena_new(&A, struct snippet);
	struct code_run *runs;

	v = (struct view){.cwd = STR("/w/p"), .home = STR("/home/dev")};
	facts_init(&F);
	*s = (struct snippet){.lang = lang_find(str_of(lang)),
		.text = {.kind = WORD_EXACT, .text = str_of(text)},
		.cwd = v.cwd};
	code_read(&A, &F, s, &v, &runs);
	return s;
}

static const struct code *read_code(const char *text) { return read_snippet("powershell", text)->code; }

static void test_scanners(void)
{
	static const struct {
		const char *lang, *text;
		bool harmless;
	} rows[] = {
		{"perl", "print $h{system}", false}, {"perl", "print $h{key}", true},
		{"perl", "if(1){wait}", false}, {"perl", "List::Util=sum", true}, {"perl", "Evil", false},
		{"perl", "print 'a' . q(system)", true},
		{"perl", "s/a/b/gr", true}, {"perl", "s/a/b/ge", false},
		{"perl", "print \"${system 1}\"", false}, {"perl", "", true}, {"perl", "print \"open", false},
		{"ruby", "puts 'exec'", true}, {"ruby", "puts \"#{1 + 1}\"", true},
		{"ruby", "puts \"#{exec 1}\"", false}, {"ruby", "p :system", false},
		{"ruby", "p [1].map(&:to_s)", true}, {"ruby", "p [1].map(&:send)", false},
		{"php", "echo 'eval(1)';", true}, {"php", "echo $x();", false},
		{"php", "echo $x /* */ (1);", false}, {"php", "echo strlen('a');", true},
		{"lua", "print('os.execute()')", true}, {"lua", "print(os.time())", true},
		{"lua", "local e = os.execute", false}, {"lua", "x = math; x()", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(inline_harmless(read_snippet(rows[i].lang, rows[i].text)) == rows[i].harmless,
				rows[i].text);
	CHECK(!code_knows(lang_find(STR("tcl"))));
	CHECK(!inline_harmless(&(struct snippet){.lang = LANG_PERL,
		.text = {.kind = WORD_UNKNOWN,
			.text = str_n("print 1\0", 8)}})); /* a part of it is not known */
}

/* Deleted files and started programs, with constant arguments. */
static void test_script_effects(void)
{
	static const char *const rows[][3] = {
		{"perl", "unlink 'a'", "/w/p/a"}, {"perl", "unlink('b', \"/a\") or die;", "/a"},
		{"ruby", "File.delete(\"/a\")", "/a"}, {"ruby", "FileUtils.rm_rf '/a' if true", "/a"},
		{"php", "unlink('/a');", "/a"}, {"lua", "os.remove '/a'", "/a"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct code *c = read_snippet(rows[i][0], rows[i][1])->code;
		const struct access *x = F.accesses;

		while (x && x->next)
			x = x->next;
		CHECK_ROW(c->complete && x && x->kind == ACCESS_DELETE && str_is(x->path.text, rows[i][2]),
				rows[i][1]);
	}
}

/* Deleted files, as the reader folds their names. */
static void test_powershell_paths(void)
{
	static const char *const rows[][2] = {
		{"Remove-Item a", "/w/p/a"}, {"ri .\\a\\b", "/w/p/./a/b"}, {"Remove-Item ~/a", "/home/dev/a"},
		{"Remove-Item \"$HOME/a\"", "/home/dev/a"}, {"Remove-Item C:\\a", "/C:/a"},
		{"$x = '/a'; Remove-Item \"$x/b\"", "/a/b"},
		{"Remove-Item ('/a' + '/b')", "/a/b"}, {"Remove-Item ('/{0}' -f 'a')", "/a"},
		{"Remove-Item (-join ('/', 'a'))", "/a"}, {"Remove-Item '/a''b'", "/a'b"},
		{"Remove-Item \"/a`tb\"", "/a\tb"}, {"Remove-Item /a`'b", "/a'b"},
		{"Remove-Item -LiteralPath:/a", "/a"}, {"cd /b; Remove-Item a", "/b/a"},
		{"'/a' | Remove-Item", "/a"}, {"Remove-Item (Join-Path /a b)", "/a/b"},
		{"Remove-Item ([char]47 + 'a')", "/a"}, {"[IO.File]::Delete('/a')", "/a"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct code *c = read_code(rows[i][0]);
		const struct access *x = F.accesses;

		while (x && x->kind != ACCESS_DELETE)
			x = x->next;
		CHECK_ROW(c->parsed && c->complete && x && str_is(x->path.text, rows[i][1]), rows[i][0]);
	}
}

static void test_powershell_notes(void)
{
	const struct code *c = read_code("ls | % { saps git }");

	CHECK(c->complete && c->calls);
	bool found = false;
	for (const struct code_call *k = c->calls; k; k = k->next)
		found |= str_is(k->name, "Start-Process");
	CHECK(found);
	c = read_code("Get-Date )");
	CHECK(!c->parsed && c->error_at.from == 9);
	c = read_code("& $x");
	CHECK(c->parsed && !c->complete && c->markers && c->markers->id == MARKER_CALL);
	c = read_code("Format-Volume D");
	CHECK(c->complete && c->markers && c->markers->id == MARKER_DESTRUCTION);
}

int main(void)
{
	arena_init(&A, (size_t)64 << 20);
	RUN(test_scanners);
	RUN(test_script_effects);
	RUN(test_powershell_paths);
	RUN(test_powershell_notes);
	arena_free(&A);
	return unit_end();
}
