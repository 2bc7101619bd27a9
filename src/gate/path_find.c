/* The expression of a find command: the files that it selects. path_find.h has the contracts. */
#include "gate/path_find.h"

#include "base/glob.h"

/*
 * True if the pattern may match a file by which git runs programs or finds its configuration, or the
 * directory of such a file.
 */
static bool names_gits_own(struct str pattern)
{
	static const char names[][20] = {"config", "config.worktree", "commondir", "HEAD", "hooks",
			"attributes", "pre-commit", "post-commit", "prepare-commit-msg", "commit-msg",
		"pre-push", "pre-rebase", "post-checkout", "post-merge", "post-rewrite", "applypatch-msg",
		"update", "pre-receive", "post-receive", "fsmonitor-watchman",
		".git", ".husky", ".envrc"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (glob_may(pattern, str_of(names[i]), GLOB_PATH | GLOB_FOLD) != GLOB_NO)
			return true;
	return false;
}

/* The same for a test of the whole path, where a star also matches slashes. */
static bool finds_gits_own(struct str pattern)
{
	static const char paths[][24] = {"./.git", "./.git/config", "./.git/HEAD", "./.git/hooks/pre-commit",
		"./.git/objects/ab/cd", "./.husky/pre-commit", "./.envrc"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (glob_may(pattern, str_of(paths[i]), GLOB_FOLD) != GLOB_NO)
			return true;
	return str_contains(pattern, STR(".git"));
}

/* The subject of a find test: the last component, the whole path, or something else. */
enum find_test_kind { TEST_NAME, TEST_PATH, TEST_REGEX, TEST_EMPTY, TEST_OTHER };

static const struct find_test {
	char name[16];
	enum find_test_kind kind;
} find_tests[] = {
	{"-name", TEST_NAME}, {"-iname", TEST_NAME}, {"-path", TEST_PATH}, {"-ipath", TEST_PATH},
	{"-wholename", TEST_PATH}, {"-regex", TEST_REGEX}, {"-iregex", TEST_REGEX},
	{"-empty", TEST_EMPTY}, {"-size", TEST_OTHER}, {"-newer", TEST_OTHER}, {"-mtime", TEST_OTHER},
	{"-mmin", TEST_OTHER}, {"-ctime", TEST_OTHER}, {"-atime", TEST_OTHER}, {"-perm", TEST_OTHER},
};

static bool is_or(struct str w) { return str_is_any(w, "-o -or ,"); }

size_t find_skip(const struct command *c, size_t k)
{
	if (!str_starts(c->argv[k].text, "-exec") && !str_starts(c->argv[k].text, "-ok"))
		return k;
	while (k < c->argc && !str_is(c->argv[k].text, ";") &&
			!(str_is(c->argv[k].text, "+") && str_is(c->argv[k - 1].text, "{}")))
		k++;
	return k;
}

bool find_spares_git(const struct command *c)
{
	size_t alternatives = 0;
	bool without = false, pruned = false;

	for (size_t k = 1; k < c->argc; k = find_skip(c, k) + 1) {
		struct str value = k + 1 < c->argc ? c->argv[k + 1].text : STR("");

		alternatives += is_or(c->argv[k].text);
		if (!str_is_any(c->argv[k].text, "-path -wholename"))
			continue;
		if ((str_is(c->argv[k - 1].text, "-not") || str_is(c->argv[k - 1].text, "!")) &&
				str_is_any(value, "./.git/* */.git/*"))
			without = true;
		else if (k + 3 < c->argc && str_is_any(value, "./.git */.git") &&
				str_is(c->argv[k + 2].text, "-prune") && is_or(c->argv[k + 3].text))
			pruned = true;
	}
	return (without && !alternatives) || (pruned && alternatives == 1);
}

/* True if the expression only prunes what the test matches: -name .git -prune -o ... */
static bool only_pruned(const struct command *c, size_t test)
{
	int depth = 0;

	for (size_t k = 1; k + 1 < c->argc; k++) {
		struct str w = c->argv[k].text;

		depth += str_is(w, "(") - str_is(w, ")");
		if (k > test && (str_is(w, "-delete") || str_starts(w, "-exec") || str_starts(w, "-ok")))
			return false;
		if (k > test && !depth && str_is(w, "-prune"))
			return is_or(c->argv[k + 1].text);
	}
	return false;
}

/*
 * True if a find test excludes something: not negated, no pattern of stars alone, and not for git's own
 * files.
 */
static bool narrows(const struct command *c, size_t test, enum find_test_kind kind)
{
	struct str value = test + 1 < c->argc ? c->argv[test + 1].text : STR("");

	if (str_is(c->argv[test - 1].text, "!") || str_is(c->argv[test - 1].text, "-not"))
		return false;
	if (kind == TEST_NAME && names_gits_own(value))
		return only_pruned(c, test);
	if (kind == TEST_PATH && finds_gits_own(value))
		return only_pruned(c, test);
	if (kind == TEST_OTHER)
		return find_spares_git(c);
	if (kind == TEST_REGEX && (str_contains(value, STR("git")) || str_contains(value, STR("hook"))))
		return false;
	for (size_t i = 0; i < value.n; i++)
		if (!strchr("*./?", value.p[i]))
			return true;
	return !value.n || kind == TEST_EMPTY;
}

/* If find rewrites files, only a test on the name, or a start path beside .git, keeps git's own files out. */
static bool test_chooses(const struct command *c, size_t k, bool rewritten)
{
	for (size_t t = 0; t < ARRAY_SIZE(find_tests); t++) {
		struct str value = k + 1 < c->argc ? c->argv[k + 1].text : STR("");

		if (c->argv[k].kind != WORD_EXACT || !str_is(c->argv[k].text, find_tests[t].name))
			continue;
		if (rewritten &&
				(find_tests[t].kind >= TEST_REGEX ||
				(find_tests[t].kind == TEST_PATH &&
				(value.n < 3 || !str_starts(value, "./") || strchr(".*?[\\", value.p[2])))))
			return false;
		return narrows(c, k, find_tests[t].kind);
	}
	return false;
}

bool find_chooses(const struct command *c, bool rewritten)
{
	bool chosen = false;

	for (size_t k = 1; k < c->argc; k++) {
		bool not = str_is_any(c->argv[k].text, "! -not");

		if (not && k + 1 < c->argc && str_is(c->argv[k + 1].text, "("))
			return false;
		k = find_skip(c, k);
		if (k >= c->argc)
			break;
		if (is_or(c->argv[k].text)) {
			if (!chosen)
				return false;
			chosen = false;
		} else if (test_chooses(c, k, rewritten)) {
			chosen = true;
			k += !str_is(c->argv[k].text, "-empty");
		}
	}
	return chosen;
}

bool find_names_git(const struct command *c)
{
	for (size_t k = 1; k + 1 < c->argc; k = find_skip(c, k) + 1)
		for (size_t i = 0; i < ARRAY_SIZE(find_tests); i++) {
			struct str value = c->argv[k + 1].text;
			enum find_test_kind kind = find_tests[i].kind;
			bool own = kind == TEST_NAME ? names_gits_own(value) : kind == TEST_PATH &&
					finds_gits_own(value);

			if (!str_is(c->argv[k].text, find_tests[i].name) || !own ||
					!str_trim(value, "*./?").n)
				continue;
			if (!str_is(c->argv[k - 1].text, "!") && !str_is(c->argv[k - 1].text, "-not") &&
					!only_pruned(c, k))
				return true;
		}
	return false;
}

/* xargs -a FILE reads the names from the file. */
static bool reads_list(const struct command *c)
{
	for (size_t k = 1; k < c->argc; k++)
		if (str_starts(c->argv[k].text, "-a") || str_starts(c->argv[k].text, "--a"))
			return true;
	return false;
}

/* True if find starts inside the project, or at an unknown path. */
static bool starts_inside(struct judge *j, const struct command *c)
{
	for (size_t k = 1; k < c->argc && c->argv[k].kind == WORD_EXACT &&
		!strchr("-(!,", c->argv[k].text.n ? c->argv[k].text.p[0] : '-');
		k++) {
		struct str text = c->argv[k].text, cwd = text_exact(c->cwd) ? c->cwd : STR("");

		if (text.p[0] != '/' && !cwd.n)
			continue;
		if (path_place(j,
			    path_plain(j->a,
				    text.p[0] == '/' ? text
						     : str_path(j->a, cwd, text))) != PLACE_ROOT)
			return false;
	}
	return true;
}

/*
 * True if find selected by its tests what is deleted here, directly or through xargs. Filters between them
 * only drop lines.
 */
bool paths_found(struct judge *j, const struct access *x)
{
	struct span pipeline = {0};
	bool found = false;

	for (const struct mark *m = j->f->marks; m; m = m->next)
		if (m->kind == MARK_PIPELINE && span_encloses(m->at, x->at) &&
			(!pipeline.to || m->at.to - m->at.from < pipeline.to - pipeline.from))
			pipeline = m->at;
	if (pipeline.text < j->f->ntexts && pipeline.to &&
		str_has(str_sub(j->f->texts[pipeline.text].bytes, pipeline.from, pipeline.to), '<'))
		return false; /* another input would replace the pipe */
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];
		bool filter = x->by && str_is(s->base, x->by);

		if (str_is(s->base, "find") &&
			(command_covers(s->c, x->at) || span_encloses(pipeline, s->c->at)) &&
			find_chooses(s->c, true)) {
			if (!starts_inside(j, s->c) || !subject_is_program(j, s))
				return false;
			found = true;
			continue;
		}
		filter |= str_is_any(s->base, "grep egrep fgrep head tail sort uniq xargs");
		if (pipeline.to && span_overlaps(s->c->at, pipeline) && !filter)
			return false;
		if (str_is(s->base, "xargs") && span_overlaps(s->c->at, pipeline) && reads_list(s->c))
			return false;
	}
	return found;
}
