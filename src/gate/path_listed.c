/*
 * Secrets that one command lists and another one reads: find . -name .env | xargs cat. A list counts only
 * where its names can get: into a pipe, a substitution, a function, a file, or a command that find itself
 * runs. Searches that select secrets by a pattern (rg -g .env) are here, too.
 */
#include "base/glob.h"
#include "gate/judge.h"
#include "gate/path_find.h"
#include "gate/path_table.h"
#include "shell/escape.h"

/* Stands for a working directory that is not known. No table has a name in it. */
#define SOMEWHERE "/x"

/* Commands that look at names, not into files. */
static const char lookers[] =
		"ls stat wc du test [ file dirname basename readlink realpath chmod touch cd find";

static struct str directory_of(const struct subject *s)
{
	return text_exact(s->c->cwd) && s->c->cwd.n ? s->c->cwd : STR(SOMEWHERE);
}

/* ---- patterns ---- */

/* fd takes a regular expression: returns it without anchors and backslashes. */
static struct str plain_regex(struct judge *j, struct str text)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("^$\\", text.p[i]))
			buf_char(&b, text.p[i]);
	return buf_view(&b);
}

/* Returns the file name pattern that is closest to a regular expression: '.*\.env$' is '*.env'. */
static struct str pattern_of_regex(struct judge *j, struct str text)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < text.n; i++) {
		char next = i + 1 < text.n ? text.p[i + 1] : '\0';

		if (strchr("^$()", text.p[i]) || (text.p[i] == '\\' && next && strchr("()", next)))
			continue;
		if (text.p[i] == '\\' && next)
			buf_char(&b, text.p[++i]);
		else if (text.p[i] == '.' && next && strchr("*+", next))
			buf_char(&b, '*'), i++;
		else
			buf_char(&b, text.p[i] == '.' ? '?' : text.p[i]);
	}
	return buf_view(&b);
}

/* Returns the pattern with x in place of [x]. */
static struct str without_brackets(struct judge *j, struct str pattern)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < pattern.n; i++) {
		bool bracket = i + 2 < pattern.n && pattern.p[i] == '[' && pattern.p[i + 2] == ']';

		buf_char(&b, pattern.p[i + bracket]);
		i += bracket ? 2 : 0;
	}
	return buf_view(&b);
}

/* True for a pattern such as *env, which finds .env and no ordinary file. */
static bool picks_env(struct str pattern)
{
	static const char others[][12] = {
			"main.c", "index.js", "README.md", ".gitignore", "a.json", "Makefile"};

	if (!glob_path(pattern, STR(".env"), 0))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (glob_path(pattern, str_of(others[i]), 0))
			return false;
	return true;
}

/* True if a pattern that selects files by name selects secrets: rg -g .env, grep --include='.env*'. */
static bool selects_secret(struct judge *j, const struct subject *s, struct str pattern)
{
	struct where w;

	pattern = without_brackets(j, pattern);
	if (text_exact(pattern) && picks_env(pattern))
		return true;
	if (!pattern.n || pattern.p[0] == '!')
		return false;
	w = paths_lexical(j, directory_of(s), pattern);
	w.wild = !strchr("*?[", pattern.p[0]);
	return path_table_secret(j, &w, false);
}

/* The same for each pattern of {.env,x}; a pattern with text around the braces is taken as it is. */
static bool any_selects_secret(struct judge *j, const struct subject *s, struct str pattern)
{
	bool any = selects_secret(j, s, pattern);

	if (!str_starts(pattern, "{") || !str_ends(pattern, "}"))
		return any;
	pattern = str_sub(pattern, 1, pattern.n - 1);
	for (size_t at = 0; at < pattern.n;) {
		size_t end = str_end(pattern, ',', at);

		any |= selects_secret(j, s, str_sub(pattern, at, end));
		at = end + 1;
	}
	return any;
}

/* ---- searches ---- */

/* Options of programs that search in files, and those with which they print no content. */
static const struct {
	char programs[40], select[40], silent[48];
} searchers[] = {
	{"grep egrep fgrep zgrep ugrep ug", "--include", "-l -L -c -q"},
	{"rg", "-g --iglob --type-add", "-l -c -q --files --files-without-match"},
	{"ag", "-G", "-l -L -c -g"},
};

/* Returns the pattern of file names in the value of an option of `searchers`. */
static struct str selecting_pattern(struct judge *j, const char *option, struct str value)
{
	if (!strcmp(option, "--iglob"))
		return str_lower(j->a, value);
	if (!strcmp(option, "--type-add")) /* NAME:PATTERN */
		return str_sub(value, str_end(value, ':', 0) + 1, value.n);
	return !strcmp(option, "-G") ? plain_regex(j, value) : value;
}

/* True if this program searches the directory that it runs in, because no path is given. */
static bool searches_cwd(struct judge *j, struct subject *s)
{
	struct know_options *o = NULL;

	if (str_is_any(s->base, "grep egrep fgrep git"))
		o = subject_options(j, s);
	else if (!str_is_any(s->base, "rg ag ack pt sift rgrep ug ugrep"))
		return false;
	if (str_is(s->base, "git") && !(o && o->name && !strcmp(o->name, "git grep") &&
			know_has(o, "--no-index")))
		return false;
	if (o && !str_is(s->base, "git") && !know_has(o, "-r") && !know_has(o, "-R"))
		return false;
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_READ && x->below && command_covers_given(s->c, x->at))
			return false;
	return text_exact(s->c->cwd);
}

/* True if the patterns of a search select secrets. *ret_silent: it prints no content, but perhaps names. */
static bool search_selects(struct judge *j, struct subject *s, bool *ret_silent)
{
	bool selects = false;

	*ret_silent = false;
	for (size_t i = 0; i < ARRAY_SIZE(searchers); i++) {
		struct know_options *o = str_is_any(s->base, searchers[i].programs) ? subject_options(j, s)
										      : NULL;
		struct str rest = str_of(searchers[i].silent), word;

		while (o && (word = str_word(&rest)).n)
			*ret_silent |= know_has(o, str_c(j->a, word));
		rest = str_of(searchers[i].select);
		while (o && (word = str_word(&rest)).n) {
			const struct know_option *k = NULL;
			const char *option = str_c(j->a, word);

			while ((k = know_option_find(o, option, k)))
				selects |= k->value.kind == WORD_EXACT && any_selects_secret(j, s,
						selecting_pattern(j, option, k->value.text));
		}
	}
	return selects;
}

static void selected_secrets(struct judge *j, struct subject *s)
{
	bool silent;

	if (searches_cwd(j, s)) {
		struct where w = paths_lexical(j, s->c->cwd, STR("."));

		if (path_table_secret(j, &w, true) || path_table_process(w.path))
			paths_raise_secret(j, s, " searches a directory that likely holds secrets");
	}
	if (search_selects(j, s, &silent) && !silent)
		paths_raise_secret(j, s, " searches in a likely secret");
}

/* rg --files -g .env, grep -l --include=.env; rg --files -uu also lists ignored and hidden files. */
static bool search_lists(struct judge *j, struct subject *s)
{
	bool silent = false;

	if (str_is(s->base, "rg") && know_has(subject_options(j, s), "--files") &&
			know_has(subject_options(j, s), "-u") && !subject_options(j, s)->noperands)
		return true;
	return search_selects(j, s, &silent) && silent;
}

/* ---- find ---- */

/* How a find command selects files: its start paths, and the names that one of its alternatives asks for. */
struct find_words {
	const struct subject *s;
	size_t first;      /* first start path among the words */
	size_t tests;      /* first word of the expression */
	bool any_name;     /* an alternative asks for no name */
	bool named, prune; /* the alternative that is being read */
};

static bool starts_expression(struct str word) { return word.n && strchr("-(!,", word.p[0]); }

static struct find_words find_words(const struct subject *s)
{
	const struct command *c = s->c;
	struct find_words f = {.s = s, .first = 1};

	while (f.first < c->argc && str_is_any(c->argv[f.first].text, "-H -L -P"))
		f.first++;
	f.tests = f.first;
	while (f.tests < c->argc && !starts_expression(c->argv[f.tests].text))
		f.tests++;
	return f;
}

/* True if a search below this directory by this pattern of a name may find a secret. */
static bool name_finds(struct judge *j, struct str start, struct str pattern)
{
	struct where w;

	pattern = without_brackets(j, pattern);
	if (picks_env(pattern) || path_table_secret_below(j, start, pattern))
		return true;
	w = paths_lexical(j, start, pattern);
	w.wild = pattern.n && !strchr("*?[", pattern.p[0]); /* '*.c' asks for no secret */
	return path_table_secret(j, &w, false);
}

/* The same for a pattern of the whole path, where a star also matches slashes: ./.env. */
static bool path_finds(struct judge *j, struct str start, struct str pattern)
{
	return name_finds(j, start, path_base(pattern)) || path_table_secret_anywhere(j, pattern);
}

/* The same for a regular expression of the whole path: each of its alternatives. */
static bool regex_finds(struct judge *j, struct str start, struct str regex)
{
	for (size_t from = 0; from < regex.n;) {
		size_t to = str_end(regex, '|', from);
		struct str one = str_sub(regex, from, to);

		if (str_ends(one, "\\"))
			one.n--;
		if (path_finds(j, start, pattern_of_regex(j, one)))
			return true;
		from = to + 1;
	}
	return false;
}

/* The kinds of tests by which find asks for a name. */
static const struct {
	char test[12];
	bool whole, regex, folds;
} name_tests[] = {
	{"-name", false, false, false}, {"-iname", false, false, true}, {"-path", true, false, false},
	{"-ipath", true, false, true}, {"-wholename", true, false, false},
	{"-iwholename", true, false, true},
	{"-samefile", false, false, false}, {"-regex", true, true, false}, {"-iregex", true, true, true},
};

/* True if the test at word k may find a secret below `start`. *ret_names: it asks for a name. */
static bool test_finds(struct judge *j, const struct find_words *f, size_t k, struct str start,
		bool *ret_names)
{
	const struct word *argv = f->s->c->argv;

	for (size_t t = 0; t < ARRAY_SIZE(name_tests); t++) {
		struct str pattern = k + 1 < f->s->c->argc ? argv[k + 1].text : STR("");

		if (!str_is(argv[k].text, name_tests[t].test) || !pattern.n ||
				str_is_any(argv[k - 1].text, "! -not"))
			continue;
		*ret_names = !str_only(pattern, "*");
		if (argv[k + 1].kind != WORD_EXACT)
			return false;
		if (name_tests[t].folds)
			pattern = str_lower(j->a, pattern);
		if (name_tests[t].regex)
			return regex_finds(j, start, pattern);
		return name_tests[t].whole ? path_finds(j, start, pattern) : name_finds(j, start, pattern);
	}
	return false;
}

/* An alternative of the expression ends: without a name it finds everything, unless it only prunes. */
static void alternative_ends(struct find_words *f)
{
	f->any_name |= !f->named && !f->prune;
	f->named = f->prune = false;
}

static bool start_finds(struct judge *j, struct find_words *f, struct str start)
{
	const struct command *c = f->s->c;
	struct where w = paths_lexical(j, directory_of(f->s), start), inside;
	bool found = false, pending = false;

	for (size_t k = f->tests; k < c->argc; k = find_skip(c, k) + 1) {
		bool names = false;

		pending |= test_finds(j, f, k, w.path, &names);
		f->named |= names;
		f->prune |= str_is(c->argv[k].text, "-prune");
		if (!str_is_any(c->argv[k].text, "-o -or ,"))
			continue;
		found |= pending && !f->prune;
		pending = false;
		alternative_ends(f);
	}
	found |= pending && !f->prune;
	alternative_ends(f);
	if (!f->any_name)
		return found;
	inside = paths_lexical(j, w.path, STR("x"));
	return found || path_table_secret(j, &w, true) || path_table_secret(j, &inside, false);
}

/* Returns the path with letters in place of its stars and unknown parts. */
static struct str some_path(struct judge *j, const struct word *w)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < w->text.n; i++)
		buf_char(&b, text_hole(w->text.p[i]) || strchr("*?[", w->text.p[i]) ? 'x' : w->text.p[i]);
	return buf_view(&b);
}

/* True if find, by its start paths and tests, may list a secret. */
static bool find_lists(struct judge *j, const struct subject *s)
{
	struct find_words f = find_words(s);

	if (f.first == f.tests)
		return start_finds(j, &f, STR("."));
	for (size_t k = f.first; k < f.tests; k++)
		if (start_finds(j, &f, some_path(j, &s->c->argv[k])))
			return true;
	return false;
}

/* ---- other commands that list names ---- */

/* Returns the name that this word of fd asks for; fd -e env asks for *.env. */
static struct str fd_name(struct judge *j, const struct subject *s, size_t k)
{
	struct str text = plain_regex(j, without_brackets(j, s->c->argv[k].text)),
			option = s->c->argv[k - 1].text;

	if (str_is_any(option, "-e --extension"))
		return str_fmt(j->a, "*.%.*s", STR_ARG(text));
	return text;
}

#define FD_PART_MIN 3 /* letters of a part of .env that fd finds it by */

static bool fd_lists(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);
	bool hidden = know_has(o, "-H") || know_has(o, "-u"), globs = know_has(o, "-g");
	bool runs = know_has(o, "-x") || know_has(o, "-X");

	for (size_t k = 1; k < s->c->argc; k++) {
		struct str text = s->c->argv[k].text;
		struct where w;

		if (runs && str_starts(text, "--search-path=")) {
			w = paths_lexical(j, directory_of(s), str_from(text, 14));
			if (path_table_secret(j, &w, true))
				return true;
		}
		if (hidden && text.n >= FD_PART_MIN && str_contains(STR(".env"), fd_name(j, s, k)))
			return true;
		if (s->c->argv[k].kind != WORD_EXACT || !text.n || text.p[0] == '-')
			continue;
		w = paths_lexical(j, directory_of(s), fd_name(j, s, k));
		w.wild = globs && !strchr("*?[", text.p[0]); /* '*.c' asks for no secret */
		if (path_table_secret(j, &w, runs && k > 1))
			return true;
	}
	return false;
}

/* ls -a src: a part of the project, which hardly has a .env. */
static bool lists_part(const struct subject *s, const struct know_options *o)
{
	for (size_t i = 0; i < o->noperands; i++) {
		const struct word *w = &s->c->argv[o->operands[i]];

		if (w->kind != WORD_EXACT || !w->text.n || strchr("./", w->text.p[0]))
			return false;
	}
	return o->noperands > 0;
}

/* ls -a, and git's lists of files that it ignores: .env is among them. */
static bool lists_hidden(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	if (str_is_any(s->base, "ls eza exa"))
		return (know_has(o, "-a") || know_has(o, "-A")) && !lists_part(s, o);
	if (!str_is(s->base, "git") || !o->name)
		return false;
	if (!strcmp(o->name, "git ls-files"))
		return know_has(o, "-i") || (know_has(o, "-o") && !know_has(o, "--exclude-standard"));
	return !strcmp(o->name, "git status") && know_has(o, "--ignored");
}

/* ls -a ~: the names of more secrets are there than of .env. */
static bool lists_outside(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	for (size_t i = 0; i < o->noperands; i++)
		if (path_place(j, paths_lexical(j, directory_of(s), s->c->argv[o->operands[i]].text).path) !=
				PLACE_ROOT)
			return true;
	return false;
}

/* Cuts the next name from a text. A NUL stands for one that an escape makes. */
static struct str next_name(struct str *text)
{
	struct str name;
	size_t n = 0;

	while (n < text->n && text->p[n] && !ascii_is_space(text->p[n]))
		n++;
	name = str_first(*text, n);
	*text = str_from(*text, n < text->n ? n + 1 : n);
	return name;
}

/* A secret is among the words: ls ~/.ssh, echo .env, git check-ignore .env. */
static bool names_secret(struct judge *j, const struct subject *s)
{
	bool prints = str_is_any(s->base, "echo printf");

	for (size_t k = 1; k < s->c->argc; k++) {
		struct str text = s->c->argv[k].text;

		if (s->c->argv[k].kind != WORD_EXACT || !text.n || text.p[0] == '-')
			continue;
		if (str_starts(text, "HEAD:"))
			text = str_from(text, 5);
		if (prints)
			text = escape_decode(j->a, text, ESCAPE_FORMAT, NULL);
		while (text.n) {
			struct str name = prints ? next_name(&text) : text;
			struct where w = paths_lexical(j, directory_of(s), name);

			if (name.n && path_table_secret(j, &w, false))
				return true;
			text = prints ? text : STR("");
		}
	}
	return false;
}

/* True for ls ~/.ssh or find ~ -name id_rsa, which list secrets. *ret_hidden: among other hidden names. */
static bool lists_secrets(struct judge *j, struct subject *s, bool *ret_hidden)
{
	*ret_hidden = false;
	if (str_is(s->base, "find"))
		return find_lists(j, s);
	if (str_is_any(s->base, "fd fdfind"))
		return fd_lists(j, s);
	if (str_is_any(s->base, "ls eza exa locate plocate echo printf git") && names_secret(j, s) &&
			(!str_is(s->base, "git") || str_is(str_of(subject_options(j, s)->name ?
			subject_options(j, s)->name : ""), "git check-ignore")))
		return true;
	*ret_hidden = str_is_any(s->base, "ls eza exa git") && lists_hidden(j, s);
	return *ret_hidden || search_lists(j, s);
}

/* ---- where a list gets ---- */

/* Returns the pipeline around this place, or the place itself. */
static struct span pipeline_of(const struct judge *j, struct span at)
{
	struct span all = at;

	for (const struct mark *m = j->f->marks; m; m = m->next)
		if (m->kind == MARK_PIPELINE && span_encloses(m->at, at) &&
				(span_same(all, at) || m->at.to - m->at.from < all.to - all.from))
			all = m->at;
	return all;
}

/* True if this place, or one that its text comes from (sh -c), is in the pipeline. */
static bool leads_to(const struct judge *j, struct span all, struct span at)
{
	bool inside = span_overlaps(all, at);

	for (uint32_t t = at.text; !inside && t > 0 && t < j->f->ntexts; t = j->f->texts[t].in)
		inside = span_overlaps(j->f->texts[t].origin, all);
	return inside;
}

/* True if a pipeline has one of these commands. */
static bool pipeline_has(const struct judge *j, struct span all, const char *names)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (str_is_any(j->subjects[i].base, names) && span_overlaps(all, j->subjects[i].c->at))
			return true;
	return false;
}

/* True if the request reads the file that this access writes. */
static bool is_read_back(const struct judge *j, const struct access *written)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_READ && !access_by_any(x, lookers) &&
				str_eq(x->path.text, written->path.text))
			return true;
	return written->path.kind != WORD_EXACT;
}

/* True if this access keeps what a command prints, in a file that the request reads again. */
static bool saves_output(const struct judge *j, const struct access *x)
{
	if (x->kind != ACCESS_WRITE || str_is(x->path.text, "/dev/null"))
		return false;
	return is_read_back(j, x) &&
	       (access_is_redirection(x) || access_by_any(x, "tee find dd sponge sort"));
}

/* True if a redirection that belongs to a group, and so perhaps to any command, saves output. */
static bool group_saves(const struct judge *j)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		bool inside = !access_is_redirection(x) || x->kind != ACCESS_WRITE;

		for (size_t i = 0; i < j->nsubjects && !inside; i++)
			inside = span_encloses(j->subjects[i].c->at, x->at);
		if (!inside && saves_output(j, x))
			return true;
	}
	return false;
}

/* True if the output is kept beyond its pipeline: in a substitution, by read and mapfile, or in a file. */
static bool list_is_kept(const struct judge *j, const struct subject *s, struct span all)
{
	for (const struct via *v = s->c->via; v; v = v->outer)
		if (v->kind == VIA_SUBST || v->kind == VIA_PROCSUB || v->kind == VIA_FUNCTION)
			return true;
	if (pipeline_has(j, all, "read mapfile readarray"))
		return true;
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (span_overlaps(all, x->at) && saves_output(j, x))
			return true;
	return false;
}

static bool is_plain_pattern(struct judge *j, struct str pattern)
{
	return !strpbrk(str_c(j->a, str_from(pattern, 1)), ".*[?(|+");
}

/* True if a grep of the pipeline drops .env and its like from a list of hidden names. */
static bool list_is_filtered(struct judge *j, struct span all)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		struct know_options *o;
		struct str pattern;

		if (!str_is_any(s->base, "grep egrep fgrep") || !span_overlaps(all, s->c->at))
			continue;
		o = subject_options(j, s);
		pattern = o->noperands ? plain_regex(j, s->c->argv[o->operands[0]].text) : STR("");
		if (know_has(o, "-v") || know_has(o, "-e"))
			continue;
		if (pattern.n && text_exact(pattern) && is_plain_pattern(j, pattern) &&
				!str_contains(STR(".env"), str_lower(j->a, pattern)))
			return true;
	}
	return false;
}

/* find DIR -exec cat {} +: the command of find reads what it finds. */
static bool found_by(const struct judge *j, const struct subject *s, const struct access *x)
{
	return str_is(s->base, "find") && x->path.glob &&
	       (command_covers_given(s->c, x->at) || leads_to(j, s->c->at, x->at));
}

/* True if find starts in this directory. */
static bool starts_in(struct judge *j, const struct subject *s, struct str dir)
{
	struct find_words f = find_words(s);

	for (size_t k = f.first; k < f.tests; k++)
		if (str_eq(paths_lexical(j, directory_of(s), s->c->argv[k].text).path, dir))
			return true;
	return f.first == f.tests && str_eq(paths_lexical(j, directory_of(s), STR(".")).path, dir);
}

/* Returns the find command that chooses what this access reads; NULL: none. */
static const struct subject *finder(struct judge *j, const struct access *x)
{
	struct str text = x->path.text;

	for (size_t i = 0; str_ends(text, "/**") && i < j->nsubjects; i++)
		if (found_by(j, &j->subjects[i], x) && starts_in(j, &j->subjects[i],
				path_plain(j->a, str_first(text, text.n - 2))))
			return &j->subjects[i];
	return NULL;
}

bool paths_found_by_name(struct judge *j, const struct access *x) { return finder(j, x) != NULL; }

/* True if the names that find asks for include `environ`. */
static bool finds_environ(const struct subject *s)
{
	struct find_words f = find_words(s);
	bool named = false, pruned = false, match = false;

	for (size_t k = f.tests; k < s->c->argc; k = find_skip(s->c, k) + 1) {
		struct str next = k + 1 < s->c->argc ? s->c->argv[k + 1].text : STR("");

		if (str_is_any(s->c->argv[k].text, "-o -or ,")) {
			if (!pruned && (!named || match))
				return true;
			named = pruned = match = false;
		}
		pruned |= str_is(s->c->argv[k].text, "-prune");
		if (!str_is_any(s->c->argv[k].text, "-name -iname") ||
				str_is_any(s->c->argv[k - 1].text, "! -not"))
			continue;
		named = true;
		match |= glob_path(next, STR("environ"), 0);
	}
	return !pruned && (!named || match);
}

bool paths_finds_environ(struct judge *j, const struct access *x)
{
	const struct subject *s = finder(j, x);

	return !s || finds_environ(s);
}

/* find /proc -name environ | xargs cat, fd environ /proc -x cat */
static bool lists_environ(struct judge *j, const struct subject *s)
{
	struct find_words f = find_words(s);
	bool below = false, named = false;

	for (size_t k = 1; str_is_any(s->base, "fd fdfind") && k < s->c->argc; k++) {
		struct str text = plain_regex(j, s->c->argv[k].text);

		below |= path_table_process(path_plain(j->a, text));
		named |= text.n >= FD_PART_MIN && str_contains(STR("environ"), text);
	}
	if (below && named)
		return true;
	for (size_t k = f.first; str_is(s->base, "find") && k < f.tests; k++)
		if (path_table_process(path_plain(j->a, s->c->argv[k].text)) && finds_environ(s))
			return true;
	return false;
}

/* Programs that read names of files from standard input, and the option that says so. */
static const struct {
	char programs[24], option[24], value[4];
} list_readers[] = {
	{"cpio", "-o", ""}, {"cpio", "-p", ""}, {"pax", "-w", ""}, {"zip", "-@", ""}, {"tar", "-T", "-"},
	{"rsync", "--files-from", "-"}, {"git cat-file", "--batch", ""},
	{"git hash-object", "--stdin-paths", ""}, {"git add", "--pathspec-from-file", "-"},
	{"sort wc", "--files0-from", "-"}, {"parallel entr", "", ""}, {"7z 7za", "-i@", ""},
};

/* `kept`: the names may be in any file or process substitution as well. */
static bool reads_names(struct judge *j, struct subject *s, bool kept)
{
	for (size_t i = 0; i < ARRAY_SIZE(list_readers); i++) {
		bool git = str_starts(str_of(list_readers[i].programs), "git ");
		const struct know_option *k;
		struct know_options *o;

		if (git ? !str_is(s->base, "git") : !str_is_any(s->base, list_readers[i].programs))
			continue;
		o = subject_options(j, s);
		if (git && (!o->name || strcmp(o->name, list_readers[i].programs)))
			continue;
		if (!list_readers[i].option[0])
			return true;
		k = know_option_find(o, list_readers[i].option, NULL);
		if (k && (kept || !list_readers[i].value[0] ||
				str_is(k->value.text, list_readers[i].value)))
			return true;
	}
	return false;
}

/* ---- the check ---- */

#define LISTS_MAX 64 /* lists whose way is followed; one more counts as kept, for all others */
#define LIST_READS_MAX 4096 /* reads of what is listed that are raised */

/* A command that lists secrets, and how far its output gets. */
struct secret_list {
	const struct subject *s;
	struct span all; /* its pipeline */
	bool kept;       /* further than that */
	enum check_id id;
};

/* A list gets to a program that reads the files it names: down a pipe, or in a file. */
static void given_names(struct judge *j, const struct secret_list *l)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s != l->s && (l->kept || span_overlaps(l->all, s->c->at)) && reads_names(j, s, l->kept))
			paths_raise_secret(j, s, " reads the files of a list, and a likely secret is among "
				"them");
	}
}

/* find -name .env -exec sh -c 'cat {}': a shell or an interpreter gets what is found. */
static bool runs_code(struct judge *j, const struct subject *s)
{
	for (const struct trouble *t = j->f->troubles; t; t = t->next)
		if (t->kind == TROUBLE_OPAQUE_SCRIPT && command_covers_given(s->c, t->at)) {
			paths_raise_secret(j, s, " finds a likely secret and runs code on it");
			return true;
		}
	return false;
}

/* True if this access may read, or rename, what the command lists. */
static bool uses_list(struct judge *j, const struct subject *s, const struct access *x)
{
	if (x->elsewhere != s->c->elsewhere)
		return false;
	if (x->kind == ACCESS_DELETE)
		return access_by(x, "mv") && found_by(j, s, x);
	return x->kind == ACCESS_READ && (!path_known(&x->path) || found_by(j, s, x)) &&
			!access_by_any(x, lookers);
}

static void raise_reads(struct judge *j, const struct secret_list *l, size_t *raised)
{
	for (const struct access *x = j->f->accesses; x && *raised < LIST_READS_MAX; x = x->next) {
		bool reached = l->kept || leads_to(j, l->all, x->at) || command_covers_given(l->s->c, x->at);

		if (!reached || !uses_list(j, l->s, x) || paths_print_nothing(j, x))
			continue;
		++*raised;
		judge_raise_at_most(j, l->id, GRADE_DENY, x->at,
			judge_quote(j, "what ", l->s->c->at, l->id == CHECK_PROC_ENVIRON ?
				" lists is the environment of processes, and may be read here" :
				" lists is a likely secret and may be read here"),
			NULL);
	}
}

void paths_listed_secrets(struct judge *j)
{
	size_t nlists = 0, raised = 0;
	bool grouped = false;

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		bool hidden, environ = lists_environ(j, s);
		struct secret_list l = {.s = s, .id = environ ? CHECK_PROC_ENVIRON : CHECK_SECRET_READ};

		selected_secrets(j, s);
		if (nlists > LISTS_MAX || (!lists_secrets(j, s, &hidden) && !environ))
			continue;
		l.all = pipeline_of(j, s->c->at);
		if (hidden && !lists_outside(j, s) && list_is_filtered(j, l.all))
			continue;
		grouped |= !nlists++ && group_saves(j);
		/* the last list that is looked at stands for the further ones */
		l.kept = grouped || nlists > LISTS_MAX || list_is_kept(j, s, l.all);
		if (l.kept || !span_same(l.all, s->c->at))
			given_names(j, &l);
		if (!str_is(s->base, "find") || !runs_code(j, s))
			raise_reads(j, &l, &raised);
	}
}
