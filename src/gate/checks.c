/*
 * The table of checks, generated from model/check_rows.h, and the checks about unknown words, paths and code.
 * Modelled on git fsck's messages: a person may regrade a check by its id, except a fixed one. To add a
 * check: a row, a function, a hit and a near miss in tests/cases, a line in docs/checks.md; `make check`
 * fails if one is missing.
 */
#include "base/descriptor.h"
#include "base/glob.h"
#include "code/code.h"
#include "gate/judge.h"

/* ---- unknown words and paths ---- */

/*
 * True for "./build/NAME" or "/tmp/tmp.NAME/a": an unknown file in that directory, but no command of the
 * shell or the system. It is executed like any other file.
 */
static bool is_some_file(const struct word *w)
{
	ptrdiff_t slash = str_find(w->text, '/', 0);

	if (w->kind != WORD_UNKNOWN || !path_known(w) || slash < 0)
		return false;
	if (slash == 0) { /* ".." could lead to a system directory */
		for (size_t i = 0; i + 2 < w->text.n; i++)
			if (!memcmp(w->text.p + i, "/..", 3))
				return false;
		return str_starts(w->text, "/tmp/") || str_starts(w->text, "/var/tmp/");
	}
	for (size_t i = 0; i < (size_t)slash; i++)
		if (text_hole(w->text.p[i]))
			return false;
	return true;
}

#define EDIT_CONTAINED ", so it may only run in the box"

/* True for -i, -pi, -0777pi: only flags without a value precede the i. The i of -Mstrict does not count. */
static bool in_place_flag(struct str s)
{
	size_t i = 1;

	while (i < s.n && s.p[0] == '-' && strchr("0123456789acflnpsSuUtTwWX", s.p[i]))
		i++;
	return i < s.n && s.p[0] == '-' && s.p[i] == 'i';
}

/*
 * Programs that edit the files they are given in place: xargs sed -i, black $(git diff --name-only). Whatever
 * their unknown words are, the box limits them to the project, like a script of the project. perl counts only
 * with -i.
 */
static bool edits_in_place(const struct judge *j, const char *name, struct span at)
{
	if (str_is_any(str_of(name),
			"sed gsed black isort ruff autopep8 yapf autoflake pyupgrade djlint gofmt gofumpt "
			"goimports shfmt clang-format stylua rustfmt biome taplo dos2unix unix2dos sd"))
		return true;
	for (const struct command *k = j->f->commands; k && !strcmp(name, "perl"); k = k->next)
		if (k->argc > 1 && k->argv[0].at.text == at.text && k->argv[0].at.from == at.from &&
				k->argv[1].kind == WORD_EXACT && in_place_flag(k->argv[1].text))
			return true;
	return false;
}

/*
 * Raises a finding about something unknown. In the box an unknown command can do no more than a script of the
 * project: change unprotected files of the project, without network, keys or foreign processes. So contain is
 * enough, unless a command around it works outside of the box.
 */
static void say_unknown(struct judge *j, const struct check *c, struct span at, struct str message)
{
	judge_raise_graded(j, c, judge_leaves_box(j, at) ? judge_grade_unbounded(j, c) : judge_grade(j, c),
		at, message, NULL);
}

static void opaque_command(struct judge *j, const struct check *c)
{
	for (const struct command *k = j->f->commands; k; k = k->next) {
		if (!k->argc || k->argv[0].kind == WORD_EXACT || is_some_file(&k->argv[0]))
			continue;
		/* only "any words" below a wrapper: its own words do not name the command */
		bool hidden = k->argc == 1 && k->argv[0].kind == WORD_REST && k->via->kind == VIA_WRAPPER;
		/* no rule lifts this: a rule for sed does not cover what sed may run */
		if (hidden && edits_in_place(j, k->via->name, k->argv[0].at)) {
			const struct check *edit = gate_check(CHECK_OPAQUE_EDIT);

			judge_raise(j, edit, &(struct finding){.grade = judge_grade(j, edit),
					.message = judge_quote(j, "the arguments of ", k->argv[0].at,
					" are unknown before it runs" EDIT_CONTAINED),
				.at = k->argv[0].at});
			continue;
		}
		say_unknown(j, c, k->argv[0].at,
			hidden ? judge_quote(j, "", k->argv[0].at,
					 " may run a command that cannot be read in advance; write its "
					 "arguments out, or quote them")
			       : judge_quote(j, "the command that ", k->argv[0].at,
					 " runs is unknown before it runs; write its name out"));
	}
}

/*
 * True for make in an unknown directory: it executes files there, so it is contained anyway, and the box
 * limits its writes to the project.
 */
static bool runs_as_well(const struct judge *j, const struct access *x)
{
	for (const struct access *e = j->f->accesses; e; e = e->next)
		if (e->kind == ACCESS_EXEC && e->cause == x->cause && e->by == x->by && !e->elsewhere &&
			span_same(e->at, x->at))
			return x->below && !access_is_redirection(x);
	return false;
}

/* Returns the directory of the command at this place, empty if unknown. */
static struct str directory_at(const struct judge *j, struct span at)
{
	struct str cwd = STR("");

	for (size_t i = 0; i < j->nsubjects; i++)
		if (span_encloses(j->subjects[i].c->at, at))
			cwd = text_exact(j->subjects[i].c->cwd) ? j->subjects[i].c->cwd : STR("");
	return cwd;
}

/*
 * Returns the known directory before the first hole of an unknown path (empty: none). known_name() returns
 * the name after its last slash.
 */
static struct str known_dir(struct judge *j, struct str path, struct span at)
{
	size_t slash = 0;
	struct str dir;

	for (size_t i = 0; i < path.n && !text_hole(path.p[i]) && !strchr("*?[\\", path.p[i]); i++)
		if (path.p[i] == '/')
			slash = i + 1;
	if (!path.n || text_hole(path.p[0]))
		return STR("");
	dir = str_first(path, slash);
	if (path.p[0] != '/') {
		struct str cwd = directory_at(j, at);

		dir = cwd.n ? str_path(j->a, cwd, dir) : STR("");
	}
	return dir.n && path_descriptor(dir) == DESCRIPTOR_NONE ? path_plain(j->a, dir) : STR("");
}

static struct str known_name(struct str path)
{
	struct str base = str_base(path);

	return base.n < path.n && text_exact(base) ? base : STR("");
}

static bool is_root(const struct judge *j, struct str dir)
{
	for (const struct root *r = j->v->roots; r; r = r->next)
		if (str_eq(dir, r->path))
			return true;
	return false;
}

static bool in_box(const struct judge *j, struct str dir)
{
	enum place place = dir.n ? path_place(j, dir) : PLACE_OUTSIDE;

	return place == PLACE_ROOT || place == PLACE_TEMP || path_is_temp(dir);
}

/* True if this could be the name of the project's root, or of a directory above it. */
static bool may_name_root(const struct judge *j, struct str name)
{
	for (const struct root *r = j->v->roots; r; r = r->next)
		for (size_t from = 1; from < r->path.n;) {
			size_t to = str_end(r->path, '/', from);

			if (glob_may(name, str_sub(r->path, from, to), 0) != GLOB_NO)
				return true;
			from = to + 1;
		}
	return false;
}

/*
 * True if this name, in an unknown directory, denotes a part of the project: neither all of it nor its
 * history.
 */
static bool names_part(const struct judge *j, struct str name)
{
	bool letter = false, plain = true;

	for (size_t i = 0; i < name.n; i++) {
		letter |= name.p[i] != '*' && name.p[i] != '?' && name.p[i] != '.';
		plain &= name.p[i] != '*' && name.p[i] != '?';
		if (strchr("[({\\", name.p[i]))
			return false;
	}
	if (str_starts(name, ".") && (!plain || str_starts(name, ".g")))
		return false; /* .git */
	return letter && !may_name_root(j, name);
}

/* False if mv or ln puts files into a temporary directory of the box, where they are lost. */
static bool moves_within(struct judge *j, const struct access *x)
{
	for (const struct access *y = j->f->accesses; y; y = y->next)
		if (y->kind == ACCESS_WRITE && access_same_cause(y, x) && y->at.text == x->at.text &&
			y->at.from == x->at.from &&
			path_place(j, known_dir(j, str_cat(j->a, y->path.text, STR("/")), y->at)) !=
				PLACE_ROOT)
			return false;
	return true;
}

/*
 * True if the box bounds an access to an unknown path. The box limits it to the project. A write changes
 * files there, as a script of the project may. A delete may remove the whole project with uncommitted work,
 * so it is asked about, unless it removes one file or a known part of the path limits it. If the directory is
 * known to lie outside, the box would only break the command.
 */
static bool path_bounded(struct judge *j, const struct access *x)
{
	struct str dir = known_dir(j, x->path.text, x->at);

	if (dir.n && !in_box(j, dir))
		return false;
	if (access_by(x, "mv") || access_by(x, "ln"))
		return moves_within(j, x);
	if (x->kind == ACCESS_WRITE || access_by(x, "rmdir") || paths_found(j, x))
		return true;
	if (x->path.kind == WORD_UNKNOWN && !x->below)
		return true;
	if (x->path.kind == WORD_UNKNOWN && dir.n && !is_root(j, dir) && access_by(x, "rm"))
		return true; /* rm refuses build/.. */
	return names_part(j, known_name(x->path.text));
}

static void opaque_path(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if ((x->kind != ACCESS_WRITE && x->kind != ACCESS_DELETE) || path_known(&x->path) ||
				x->elsewhere)
			continue;
		if (x->kind == ACCESS_WRITE && x->cause == CAUSE_COMMAND && x->by &&
			(edits_in_place(j, x->by, x->at) || runs_as_well(j, x))) {
			judge_say(j, gate_check(CHECK_OPAQUE_EDIT), x->at,
				judge_quote(j, "the files that ", x->at,
					" changes are unknown before it runs" EDIT_CONTAINED));
			continue;
		}
		bool bounded = path_bounded(j, x) && !judge_leaves_box(j, x->at);
		enum grade g = bounded ? judge_grade(j, c) : judge_grade_unbounded(j, c);
		struct str message = judge_quote(j, "the path that ", x->at,
				x->kind == ACCESS_DELETE ? " deletes is unknown before it runs" :
				" writes to is unknown before it runs");

		if (bounded)
			message = str_cat(j->a, message, STR(EDIT_CONTAINED));
		else if (x->kind == ACCESS_DELETE)
			message = str_cat(j->a, message, STR(", and it may be the whole project"));
		/* an allow rule for a command does not cover its redirections */
		if (access_is_redirection(x))
			judge_raise(j, c,
				&(struct finding){.grade = g,
					.message = message,
					.alternative = STR("write the path out"),
					.at = x->at});
		else
			judge_raise_graded(j, c, g, x->at, message, "write the path out");
	}
}

/* ---- limits of the reader ---- */

static void raise_troubles(struct judge *j, const struct check *c, enum trouble_kind kind)
{
	for (const struct trouble *t = j->f->troubles; t; t = t->next)
		if (t->kind == kind)
			judge_say(j, c, t->at, str_fmt(j->a, "%s", t->message ? t->message : c->about));
}

/* A rule lifts this only if the rest of the text was read to its end. */
static void opaque_script(struct judge *j, const struct check *c)
{
	for (const struct trouble *t = j->f->troubles; t; t = t->next) {
		if (t->kind != TROUBLE_OPAQUE_SCRIPT ||
			(j->f->complete && judge_grade(j, c) < GRADE_DENY && judge_lifted(j, t->at)))
			continue;
		judge_raise(j, c,
			&(struct finding){.grade = judge_leaves_box(j, t->at) ? judge_grade_unbounded(j, c)
									      : judge_grade(j, c),
				.message = str_fmt(j->a, "%s", t->message ? t->message : c->about),
				.at = t->at});
	}
}

static void syntax_error(struct judge *j, const struct check *c) { raise_troubles(j, c, TROUBLE_SYNTAX); }
static void bound_reached(struct judge *j, const struct check *c) { raise_troubles(j, c, TROUBLE_BOUND); }

/*
 * Also the safety net for other checks: if the facts are incomplete and no trouble says why, the verdict is
 * at best ask.
 */
static void unknown_construct(struct judge *j, const struct check *c)
{
	bool explained = false;

	for (const struct trouble *t = j->f->troubles; t; t = t->next) {
		explained |= t->kind != TROUBLE_OPAQUE_SCRIPT;
		if (t->kind == TROUBLE_CONSTRUCT)
			say_unknown(j, c, t->at, str_fmt(j->a, "%s", t->message ? t->message : c->about));
	}
	if (!j->f->complete && j->ret->verdict > (explained ? VERDICT_CONTAIN : VERDICT_ASK))
		judge_raise_graded(j, c, explained ? judge_grade(j, c) : judge_grade_unbounded(j, c),
			(struct span){0}, STR("this command could not be read completely"), NULL);
}

/* ---- known, but not harmless ---- */

static void present_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x;
	*(bool *)ctx |= !w->answer || w->answer->target != PATH_ABSENT;
}

static struct str module_name(struct str file)
{
	for (size_t i = 0; i < file.n; i++)
		if (file.p[i] == '.' || file.p[i] == '/')
			return str_first(file, i);
	return file;
}

/* True if this request itself writes a matching module into the directory. `dir` ends in a slash. */
static bool is_made(struct judge *j, struct str dir)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		struct str path = x->path.kind == WORD_EXACT ? path_plain(j->a, x->path.text) : STR("");

		if (x->kind != ACCESS_WRITE || !path.n)
			continue;
		if (path.n > dir.n && str_eq(str_first(path, dir.n), dir) &&
				code_python_module(module_name(str_from(path, dir.n))))
			return true;
		if (x->below && path_within(str_first(dir, dir.n - 1), path))
			return true;
	}
	return false;
}

/* True if Python would load this file or directory in place of a standard module. */
static bool is_loaded(struct judge *j, struct str path)
{
	struct str file = path_base(path), name = module_name(file);
	const struct glob_answer *g;

	if (!code_python_module(name))
		return false;
	if (name.n < file.n)
		return str_contains(file, STR(".py")) || str_ends(file, ".so");
	g = pmap_get(j->glob_answers, str_cat(j->a, path, STR(PACKAGE_FILES)));
	return !g || g->more || g->nmatches;
}

/* True if the pattern matches a file with the name of a Python standard module. */
static bool stands_in(struct judge *j, struct str pattern)
{
	const struct glob_answer *g = pmap_get(j->glob_answers, pattern);
	ptrdiff_t star = str_find(pattern, '*', 0);

	if (!g || g->more || star < 0 || is_made(j, str_first(pattern, (size_t)star)))
		return true;
	for (size_t i = 0; i < g->nmatches; i++)
		if (is_loaded(j, g->matches[i]))
			return true;
	return false;
}

/* True for an import of a standard module that no file in the directory shadows. */
static bool import_absent(struct judge *j, const struct access *x)
{
	bool present = false;

	if (access_is_import(x) && x->path.glob)
		return !stands_in(j, x->path.text);
	return access_is_import(x) && paths_each(j, x, present_one, &present) && !present;
}

static void executes_file(struct judge *j, const struct check *c)
{
	for (const struct command *k = j->f->commands; k; k = k->next)
		if (k->argc && is_some_file(&k->argv[0]))
			judge_say(j, c, k->argv[0].at,
					judge_quote(j, "", k->argv[0].at,
					" executes a file whose content was not judged, so it may only run "
					"in the box"));
	path_programs(j, c);
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_EXEC || x->cause == CAUSE_VARIABLE || import_absent(j, x) ||
			(x->path.kind == WORD_EXACT && path_is_system_program(x->path.text)))
			continue;
		if (access_is_import(x))
			judge_say(j, c, x->at,
					STR("a file in the directory would be loaded instead of a standard "
					"module of Python, so it may only run in the box"));
		else if (x->cause == CAUSE_LINK)
			judge_say(j, c, x->at,
					judge_quote(j, "", x->at,
					" may go through a link that leads elsewhere, so it may only run in "
					"the box"));
		else if (x->path.kind != WORD_EXACT)
			judge_say(j, c, x->at,
					judge_quote(j, "", x->at,
					" runs code from files that were not judged, so it may only run in "
					"the box"));
		else
			judge_say(j, c, x->at,
					str_fmt(j->a, "the content of '%.*s' would run and was not judged, "
					"so it may only run in the box",
					STR_ARG(path_plain(j->a, x->path.text))));
	}
}

/* Markers with a check of their own: the effect of the code is known. */
static bool category_said(struct judge *j, const struct code_marker *m)
{
	static const struct {
		enum check_id check;
		char message[72];
	} said[MARKERS] = {
#define CODE_MARKER(constant, name, check, message) {CHECK_##check, message},
		{CHECK_NONE, ""},
#include "model/marker_rows.h"
#undef CODE_MARKER
	};

	if (said[m->id].check)
		judge_say(j, gate_check(said[m->id].check), m->at, str_of(said[m->id].message));
	return said[m->id].check;
}

/* Raises the construct that stopped the language's reader. False if it has no name. */
static bool code_said(struct judge *j, const struct snippet *s)
{
	const struct check *dynamic = gate_check(CHECK_CODE_DYNAMIC);

	if (!s->code->parsed) {
		say_unknown(j, gate_check(CHECK_CODE_ERROR), s->code->error_at.to ? s->code->error_at : s->at,
			str_fmt(j->a, "cannot parse this %s code", snippet_language(s)));
		return true;
	}
	for (const struct code_marker *m = s->code->markers; m; m = m->next) {
		struct str message =
			str_fmt(j->a, "the effect of this %s code is unknown before it runs (%s)",
				snippet_language(s), marker_name(m->id));

		if (category_said(j, m))
			continue;
		if (m->id == MARKER_BOUND) /* not read to its end */
			judge_raise_graded(
				j, dynamic, judge_grade_unbounded(j, dynamic), m->at, message, NULL);
		else
			say_unknown(j, dynamic, m->at, message);
	}
	return s->code->markers != NULL;
}

enum perl_open { PERL_OPENS_FILES, PERL_OPENS_SOME, PERL_OPENS_MORE };

static bool perl_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/*
 * perl -n and -p open their operands as a shell would: "id|" runs a command, ">x" writes a file. An unknown
 * name may be either.
 */
static enum perl_open perl_opens_word(const struct word *word)
{
	struct str w = word->text;

	while (w.n && perl_blank(w.p[w.n - 1]))
		w.n--;
	while (w.n && perl_blank(w.p[0]))
		w = str_from(w, 1);
	if (word->glob)
		return w.n && strchr("*?]", w.p[w.n - 1]) ? PERL_OPENS_SOME : PERL_OPENS_FILES;
	if (word->kind == WORD_REST)
		return PERL_OPENS_SOME;
	if (w.n && (w.p[0] == '|' || w.p[0] == '>' || w.p[0] == '+' || w.p[w.n - 1] == '|'))
		return PERL_OPENS_MORE;
	return w.n && (text_hole(w.p[0]) || text_hole(w.p[w.n - 1])) ? PERL_OPENS_SOME : PERL_OPENS_FILES;
}

/* True if the code reads the files that its words name. */
static bool perl_reads(const struct command *k, const struct snippet *s)
{
	if (str_contains(s->text.text, STR("<>")) || str_contains(s->text.text, STR("eof")))
		return true;
	for (size_t i = 1; i < k->argc; i++) {
		struct str w = k->argv[i].text;

		for (size_t n = 1; w.n > 1 && w.p[0] == '-' && n < w.n && !strchr("eEMmIF", w.p[n]); n++)
			if (w.p[n] == 'n' || w.p[n] == 'p')
				return true;
	}
	return false;
}

/* True if this word is code, not a file name. */
static bool is_code(const struct judge *j, const struct word *w)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (s->text.at.text == w->at.text && s->text.at.from == w->at.from &&
				s->text.at.to == w->at.to && str_eq(s->text.text, w->text))
			return true;
	return false;
}

static enum perl_open perl_opens(const struct judge *j, const struct snippet *s)
{
	enum perl_open worst = PERL_OPENS_FILES;

	for (const struct command *k = s->lang == LANG_PERL ? j->f->commands : NULL; k; k = k->next) {
		if (!k->argc || k->argv[0].at.text != s->at.text || k->argv[0].at.from != s->at.from)
			continue;
		for (size_t i = 1; i < k->argc; i++) {
			enum perl_open is = perl_opens_word(&k->argv[i]);

			if (is > worst && (is == PERL_OPENS_MORE || perl_reads(k, s)) &&
					!is_code(j, &k->argv[i]))
				worst = is;
		}
	}
	return worst;
}

/*
 * True for sed "s/$old/$new/" or awk "/$word/": code that edits text. The literal part is judged by its
 * words; the unknown part can do no more than a script of the project.
 */
static bool edits_text(const struct judge *j, const struct snippet *s)
{
	if (s->text.kind == WORD_EXACT ||
		(s->text.kind == WORD_UNKNOWN && s->text.text.n && !text_open(s->text.text)))
		return false;
	return s->lang == LANG_SED || s->lang == LANG_AWK ||
	       (s->lang == LANG_PERL && edits_in_place(j, "perl", s->at));
}

/*
 * True for code that installs packages. It is useless without the network, so the ask is about the network.
 */
static bool installs_packages(const struct snippet *s)
{
	static const char calls[][24] = {"Pkg.add", "Pkg.build", "Pkg.develop", "Pkg.instantiate",
		"Pkg.precompile", "Pkg.resolve", "Pkg.update", "install.packages(", "remotes::install",
		"devtools::install", "BiocManager::install", "pak::", "renv::restore"};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (str_contains(s->text.text, str_of(calls[i])))
			return true;
	return false;
}

/* sqlite works on a file, perhaps of the project; other clients talk to a server. */
static bool is_sqlite(const struct judge *j, const struct snippet *s)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (command_covers(j->subjects[i].c, s->at) &&
			(str_starts(j->subjects[i].base, "sqlite") || str_is(j->subjects[i].base, "duckdb")))
			return true;
	return false;
}

static void inline_code(struct judge *j, const struct check *c)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next) {
		enum perl_open opens = perl_opens(j, s);

		if (s->code && s->code->complete && opens != PERL_OPENS_MORE) {
			code_said(j, s);
			if (opens == PERL_OPENS_SOME)
				judge_say(j, gate_check(CHECK_EXECUTES_FILE), s->at,
					STR("perl runs a file name that ends with a bar as a command, so it "
					    "may only run in the box"));
			continue;
		}
		if (!s->code && inline_harmless(s))
			continue;
		if (!s->code && edits_text(j, s)) {
			judge_say(j, gate_check(CHECK_OPAQUE_EDIT), s->at,
				str_fmt(j->a, "this %s code is unknown before it runs" EDIT_CONTAINED,
					snippet_language(s)));
			continue;
		}
		j->ret->complete = false; /* the code may run commands of its own */
		if (s->code && code_said(j, s))
			continue;
		if (!s->code && installs_packages(s))
			judge_say(j, gate_check(CHECK_NETWORK), s->at,
				STR("this code installs packages, which uses the network"));
		if (s->lang == LANG_SQL && !is_sqlite(j, s)) { /* the box reaches no server */
			judge_raise_graded(j, c, judge_grade_unbounded(j, c), s->at,
				STR("this SQL may do more than read"), "write the statements out");
			continue;
		}
		say_unknown(j, c, s->at,
			str_fmt(j->a, "this %s code may run commands or write files, and caisson cannot read "
					"it",
				snippet_language(s) ? snippet_language(s) : "inline"));
	}
}

/* ---- the table ---- */

/*
 * The functions are in a separate table: pointers are relocated at each start, and fewer pages with pointers
 * start faster.
 */
#define MARK(kind) (1ul << MARK_##kind)
static const struct check rows[CHECK_IDS] = {
	[CHECK_NONE] = {.fixed = true}, /* nothing lifts a reason without a check */
#define GATE_CHECK(id, name, grade, fixed, lift, approval, run, marks, about) \
	[CHECK_##id] = {CHECK_##id, GRADE_##grade, fixed, LIFT_##lift, APPROVAL_##approval, about, marks},
#include "model/check_rows.h"
#undef GATE_CHECK
};
#undef MARK

static void (*const runs[CHECK_IDS])(struct judge *, const struct check *) = {
#define GATE_CHECK(id, name, grade, fixed, lift, approval, run, marks, about) [CHECK_##id] = run,
#include "model/check_rows.h"
#undef GATE_CHECK
};

const struct check *gate_checks(size_t *ret_n)
{
	*ret_n = CHECK_IDS - 1;
	return rows + 1;
}

const struct check *gate_check(enum check_id id) { return &rows[id]; }

/* Runs checks that are off, too: some raise reasons of other checks. */
void checks_run(struct judge *j)
{
	for (enum check_id id = CHECK_NONE + 1; id < CHECK_IDS; id++)
		if (runs[id])
			runs[id](j, &rows[id]);
}
