/*
 * Secrets that a word or a piece of code gives to a program whose reads are not known: a program without a
 * row, code that caisson does not read, a program that executes files. The box does not hide their output.
 */
#include "gate/judge.h"
#include "gate/path_table.h"

static bool is_launched(const struct judge *j, const struct subject *s)
{
	for (const struct launch *l = j->f->launches; l; l = l->next)
		if (str_eq(path_base(l->name), s->base))
			return true;
	return false; /* a builtin or a function */
}

/* True if the reader or a scanner understood the code. */
static bool is_read(const struct snippet *s) { return s->code ? s->code->complete : inline_harmless(s); }

/* True for code that may take files from the words after it. Those of sed are known whatever it does. */
static bool takes_words(const struct snippet *s)
{
	if (s->lang == LANG_SED)
		return false;
	return !is_read(s) || s->lang == LANG_PYTHON || s->lang == LANG_JAVASCRIPT || s->lang == LANG_RUBY ||
	       s->lang == LANG_PHP || s->lang == LANG_LUA;
}

/* The files that a word may make a program read: none, those that its box has, or all. */
enum reach { REACH_NOTHING = 0, REACH_BOX, REACH_ALL };

/* The words of a build tool name what it makes. With -p make shows what it read. */
static bool shows_no_word(struct judge *j, struct subject *s)
{
	if (str_is(s->base, "perl") && know_has(subject_options(j, s), "-i"))
		return true; /* it edits them */
	return str_is_any(s->base, "make gmake bmake ninja just task rake") &&
	       !know_has(subject_options(j, s), "-p");
}

static enum reach reach_of(struct judge *j, struct subject *s)
{
	enum reach reach = REACH_NOTHING;

	if (!is_launched(j, s) || shows_no_word(j, s))
		return REACH_NOTHING;
	if (!s->row)
		return REACH_ALL;
	for (const struct command *k = j->f->commands; k && !reach; k = k->next)
		if (k->argc == 1 && k->argv[0].kind == WORD_REST &&
				span_same(k->argv[0].at, s->c->argv[0].at))
			reach = REACH_BOX; /* its row says that it may run any command */
	for (const struct access *x = j->f->accesses; x && !reach; x = x->next)
		if (x->kind == ACCESS_EXEC && !x->elsewhere && command_covers_given(s->c, x->at) &&
				x->cause == CAUSE_COMMAND)
			reach = REACH_BOX;
	for (const struct snippet *k = j->f->snippets; k; k = k->next)
		if (command_covers_given(s->c, k->at) && takes_words(k))
			reach = !is_read(k) || reach ? REACH_BOX : REACH_ALL;
	return reach;
}

/* No box has the secrets of a home or of the system. */
static bool is_secret(struct judge *j, const struct where *w, enum reach reach)
{
	if (reach == REACH_BOX && j->p->sandbox.enabled && w->place != PLACE_ROOT && w->place != PLACE_TEMP)
		return false;
	return path_table_secret(j, w, false);
}

/* True if this word is the code itself. */
static bool is_code(const struct judge *j, const struct word *w)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (span_same(s->text.at, w->at) && str_eq(s->text.text, w->text))
			return true;
	return false;
}

/* Names in code that are no files. */
static bool is_member(struct str text)
{
	return str_is_any(text, "process.env import.meta.env Deno.env Bun.env");
}

static bool word_is_secret(struct judge *j, const struct subject *s, const struct word *w, enum reach reach)
{
	ptrdiff_t eq = str_find(w->text, '=', 0);
	struct str text = eq < 0 ? w->text : str_from(w->text, (size_t)eq + 1);
	struct where at;

	if (w->kind != WORD_EXACT || !text.n || (w->text.p[0] == '-' && eq < 0) || is_code(j, w))
		return false;
	if (str_starts(text, "@")) /* the file that an argument comes from */
		text = str_from(text, 1);
	if (str_has(w->text, ' ') || str_has(w->text, '\n'))
		return false; /* prose, not a path */
	at = paths_lexical(j, s->c->cwd, text);
	return !is_member(text) && is_secret(j, &at, reach);
}

/* ---- code ---- */

/* Returns the text from `at` on that may be a path. */
static struct str path_at(struct str code, size_t at)
{
	size_t end = at;

	while (end < code.n && (ascii_is_alnum(code.p[end]) || strchr("._/~+-", code.p[end])))
		end++;
	return str_sub(code, at, end);
}

/* The path starts like one, as in .env and ~/x. */
static bool is_marked(struct str path) { return path.n && strchr("./~", path.p[0]); }

static bool is_file_name(struct str path) { return str_has(path, '.') || str_has(path, '/'); }

/* True if code that is not read has the path of a secret as a text or a word of its own. */
static bool code_names_secret(struct judge *j, const struct snippet *s)
{
	struct str code = s->text.text, cwd = text_exact(s->cwd) ? s->cwd : STR("/");

	for (size_t i = 0; i < code.n; i++) {
		bool quoted = i > 0 && strchr("'\"`", code.p[i - 1]);
		struct str path;

		if (i > 0 && !quoted && !strchr(" \t\n<=", code.p[i - 1]))
			continue;
		path = path_at(code, i);
		if (path.n < 2 || is_member(path) || !(quoted ? is_file_name(path) : is_marked(path)))
			continue;
		if (str_starts(path, "~/"))
			path = str_cat(j->a, j->v->home, str_from(path, 1));
		struct where w = paths_lexical(j, cwd, path);
		if (is_secret(j, &w, REACH_BOX))
			return true;
	}
	return false;
}

static void secrets_in_code(struct judge *j)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (!is_read(s) && text_exact(s->text.text) && code_names_secret(j, s))
			judge_raise_at_most(j, CHECK_SECRET_READ, GRADE_DENY, s->at,
				judge_quote(j, "the code of ", s->at,
					" names a likely secret, and caisson cannot read the code"),
				NULL);
}

/* True if code lists files by a pattern that selects secrets: glob.glob('.*'), Path('.').glob('.e*'). */
static bool code_lists_secret(struct judge *j, const struct snippet *s)
{
	struct str cwd = text_exact(s->cwd) ? s->cwd : STR("/");

	for (const struct code_call *c = s->code ? s->code->calls : NULL; c; c = c->next) {
		struct where w;

		if (!(str_ends(c->name, "glob") || str_ends(c->name, "globSync")) || !c->nargs ||
				c->args[0].kind != WORD_EXACT)
			continue;
		w = paths_lexical(j, cwd, c->args[0].text);
		w.wild = true;
		if (path_table_secret(j, &w, false))
			return true;
	}
	return false;
}

/* True if this access belongs to the code. */
static bool is_of_code(const struct judge *j, const struct snippet *s, const struct access *x)
{
	bool inside = span_overlaps(s->at, x->at);

	for (uint32_t t = x->at.text; !inside && t > 0 && t < j->f->ntexts; t = j->f->texts[t].in)
		inside = span_overlaps(j->f->texts[t].origin, s->at);
	return inside;
}

static void listed_by_code(struct judge *j)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next) {
		bool lists = code_lists_secret(j, s), reads = false;

		for (const struct access *x = j->f->accesses; x && lists && !reads; x = x->next)
			reads = x->kind == ACCESS_READ && !path_known(&x->path) && is_of_code(j, s, x);
		if (reads)
			judge_say(j, gate_check(CHECK_SECRET_READ), s->at,
				STR("this code lists likely secrets and reads files"));
	}
}

void paths_given_secrets(struct judge *j)
{
	secrets_in_code(j);
	listed_by_code(j);
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		bool named = false;
		enum reach reach;

		for (size_t k = 1; text_exact(s->c->cwd) && k < s->c->argc && !named; k++)
			named = word_is_secret(j, s, &s->c->argv[k], REACH_ALL);
		/* looked up only for the few commands that name a secret */
		reach = named && s->base.n && !s->c->elsewhere ? reach_of(j, s) : REACH_NOTHING;
		for (size_t k = 1; reach && k < s->c->argc; k++)
			if (word_is_secret(j, s, &s->c->argv[k], reach))
				paths_raise_secret(j, s, " may read a likely secret");
	}
}
