/*
 * The gate on facts made by hand: tiers, matching, lifting, the scanners of small languages, explaining, and
 * failing closed.
 */
#include <ctype.h>

#include "config/config.h"
#include "gate/judge.h"
#include "judge/engine.h"
#include "sys/fold.h"
#include "unit.h"

static struct arena a;
static const struct via direct = {.kind = VIA_DIRECT};

static struct facts empty_facts(struct str text)
{
	struct facts f = {.complete = true, .ntexts = 1, .texts = arena_new(&a, struct text)};

	f.texts[0] = (struct text){.bytes = text};
	return f;
}

/*
 * A command whose words are split at blanks; a word "$" is unknown, "*" is any words. Its range is the whole
 * text.
 */
static struct command *command_of(const char *line)
{
	static const struct str here = {"/w", 2};
	struct command *c = arena_new(&a, struct command);
	struct str s = str_of(line);
	size_t i = 0;

	*c = (struct command){.argv = arena_array(&a, 32, sizeof(struct word)), .via = &direct,
			.at = {0, 0, (uint32_t)s.n}};
	c->cwd = here;
	c->dirs = &here;
	c->ndirs = 1;
	while (i < s.n) {
		ptrdiff_t end = str_find(s, ' ', i);
		struct str w = str_sub(s, i, end < 0 ? s.n : (size_t)end);

		c->argv[c->argc++] = (struct word){.kind = str_is(w, "$") ? WORD_UNKNOWN : str_is(w, "*") ?
				WORD_REST : WORD_EXACT, .text = str_is(w, "$") ? STR("") : w,
			.at = {0, (uint32_t)i, (uint32_t)(i + w.n)}};
		i += w.n + 1;
	}
	return c;
}

static struct prefix_rule *rule_of(const char *prefix)
{
	struct prefix_rule *r = arena_new(&a, struct prefix_rule);

	r->prefix = str_of(prefix);
	r->rule.where = STR("x.yaml:1");
	return r;
}

static enum verdict judge_line(const char *line, const struct policy *p, struct judgement *ret)
{
	static const struct view view = {.closed = true};
	struct facts f = empty_facts(str_of(line));

	f.commands = *line ? command_of(line) : NULL;
	gate_judge(&a, &f, p, &view, ret);
	return ret->verdict;
}

static void test_zero_denies(void)
{
	struct judgement j = {0};

	CHECK_INT(j.verdict, VERDICT_DENY);
	CHECK(!strcmp(verdict_name(0), "deny"));
}

static void test_nothing_is_allowed(void)
{
	struct policy deny = {.fallback = VERDICT_DENY};
	struct judgement j;

	CHECK_INT(judge_line("", &deny, &j), VERDICT_ALLOW);
	CHECK(!j.reasons);
	CHECK(j.complete);
}

static void test_incomplete_never_allows(void)
{
	struct policy allow = {.fallback = VERDICT_ALLOW, .on_error = VERDICT_ALLOW, .allow = rule_of("ls")};
	struct facts f = empty_facts(STR("ls"));
	struct view view = {.closed = true};
	struct judgement j;

	f.complete = false;
	f.commands = command_of("ls");
	gate_judge(&a, &f, &allow, &view, &j);
	CHECK_INT(j.verdict, VERDICT_ASK);
	CHECK(!j.complete);
	CHECK(j.reasons && j.reasons->id == CHECK_UNKNOWN_CONSTRUCT);
}

static void test_tiers(void)
{
	struct policy p = {.fallback = VERDICT_DENY, .deny = rule_of("git push"), .ask = rule_of("git"),
			.allow = rule_of("ls")};
	struct judgement j;

	CHECK_INT(judge_line("git push x", &p, &j), VERDICT_DENY);
	CHECK_STR(j.reasons->rule, "x.yaml:1");
	CHECK_INT(judge_line("git status", &p, &j), VERDICT_ASK);
	CHECK_INT(judge_line("ls -l", &p, &j), VERDICT_ALLOW);
	CHECK_INT(judge_line("lsx", &p, &j), VERDICT_DENY);
	CHECK(j.reasons->id == CHECK_CONFIGURED_DEFAULT);
	CHECK_INT(judge_line("$ x", &p, &j), VERDICT_DENY);
	CHECK_INT(judge_line("git $", &p, &j), VERDICT_ASK);
}

static void test_matching(void)
{
	static const struct {
		const char *rule, *command;
		enum prefix_match deny;
		bool allow;
	} rows[] = {
		{"git push", "git push", MATCH_YES, true},
		{"git push", "git push --force", MATCH_YES, true},
		{"git push", "git pushx", MATCH_NO, false},
		{"git push", "git", MATCH_NO, false},
		{"git push", "git $", MATCH_MAYBE, false},
		{"git push", "git *", MATCH_MAYBE, false},
		{"git push", "/usr/bin/git push", MATCH_YES, true},
		{"git push", "/tmp/git push", MATCH_YES, false},
		{"git push", "./git push", MATCH_YES, false},
		{"git push", "/usr/bin/../../tmp/git push", MATCH_YES, false},
		{"git", "git $", MATCH_YES, true},
		{"mkfs", "mkfs.ext4 x", MATCH_NO, false},
		{"rm -rf /", "rm -rf /", MATCH_YES, true},
		{"rm -rf /", "rm -rf /home", MATCH_NO, false},
		{"rm -rf /", "rm -rf $", MATCH_MAYBE, false},
		{"git  push", "git push", MATCH_YES, true},
		{"", "git push", MATCH_NO, false},
		{"git", "$ push", MATCH_NO, false}, /* opaque-command asks */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct command *c = command_of(rows[i].command);

		CHECK_ROW(rule_match(rule_of(rows[i].rule), c) == rows[i].deny, rows[i].command);
		CHECK_ROW(rule_allows(rule_of(rows[i].rule), c) == rows[i].allow, rows[i].command);
	}
}

static void test_matching_quoted_and_partly_known(void)
{
	struct command *c = command_of("git x");

	c->argv[1].text = STR("push --force");
	CHECK_INT(rule_match(rule_of("git push --force"), c), MATCH_YES);
	CHECK(!rule_allows(rule_of("git push --force"), c));
	c->argv[1] = (struct word){.kind = WORD_UNKNOWN, .text = str_n("pu\0", 3)};
	CHECK_INT(rule_match(rule_of("git push"), c), MATCH_MAYBE);
	CHECK_INT(rule_match(rule_of("git pull"), c), MATCH_MAYBE);
	CHECK_INT(rule_match(rule_of("git status"), c), MATCH_NO);
	c->argv[1] = (struct word){.kind = WORD_REST, .glob = true, .text = STR("*.c")};
	CHECK_INT(rule_match(rule_of("git -f"), c), MATCH_NO);
	CHECK_INT(rule_match(rule_of("git /"), c), MATCH_NO);
	CHECK_INT(rule_match(rule_of("git push"), c), MATCH_MAYBE);
}

static void test_lifting_belongs_to_the_innermost(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .allow = rule_of("echo"), .sandbox = {.enabled = true}};
	struct facts f = empty_facts(STR("echo $(make)"));
	struct command *outer = command_of("echo x"), *inner = command_of("make");
	struct access x = {.kind = ACCESS_EXEC,
		.path = {.kind = WORD_EXACT, .text = STR("/w/Makefile")},
		.by = "make",
		.at = {0, 7, 11}};
	struct view view = {.closed = true};
	struct judgement j;

	outer->at = (struct span){0, 0, 12};
	inner->at = (struct span){0, 7, 11};
	outer->next = inner;
	f.commands = outer;
	f.accesses = &x;
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_CONTAIN);
	p.allow = rule_of("make");
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_CONTAIN); /* both must be allowed */
	p.allow->next = rule_of("echo");
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_ALLOW);
	p.allow->next = NULL;
	outer->next = NULL;
	f.commands = inner;
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_ALLOW);
	inner->next = outer; /* a wrapper and what it runs: the finding stands in the wrapper's range only */
	inner->at = (struct span){0, 0, 4};
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_CONTAIN);
}

static void test_redirections_are_not_lifted(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .allow = rule_of("cp")};
	struct facts f = empty_facts(STR("cp a $X"));
	struct access x = {.kind = ACCESS_WRITE, .by = "cp", .at = {0, 5, 6}};
	struct view view = {.closed = true};
	struct judgement j;

	f.commands = command_of("cp a $");
	f.accesses = &x;
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_ALLOW);
	x.cause = CAUSE_REDIRECT;
	x.redirect = REDIR_WRITE;
	gate_judge(&a, &f, &p, &view, &j);
	CHECK_INT(j.verdict, VERDICT_ASK);
}

/* On a file system that folds case, .GIT is .git. */
static void test_folded_names(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .on_error = VERDICT_ALLOW};
	struct root root = {.path = STR("/w/p")};
	struct access x = {.kind = ACCESS_WRITE,
		.cause = CAUSE_REDIRECT,
		.redirect = REDIR_WRITE,
		.at = {0, 7, 23},
		.path = {.kind = WORD_EXACT, .text = STR("/w/p/.GIT/hooks/x")}};
	struct path_answer there = {.path = STR("/w/p/.GIT/hooks/x"), .kind = PATH_ABSENT,
			.target = PATH_ABSENT, .real = STR("/w/p/.GIT/hooks/x")};

	for (int folds = 0; folds < 2; folds++) {
		struct facts f = empty_facts(STR("echo x > .GIT/hooks/x"));
		struct view view = {.closed = true, .cwd = STR("/w/p"), .project = STR("/w/p"),
				.roots = &root, .paths = &there, .fold_case = folds};
		struct judgement j;

		f.commands = command_of("echo x");
		f.accesses = &x;
		gate_judge(&a, &f, &p, &view, &j);
		CHECK_INT(j.verdict, folds ? VERDICT_ASK : VERDICT_ALLOW);
		CHECK(!folds || (j.reasons && j.reasons->id == CHECK_PROTECTED_WRITE));
	}
	CHECK(fold_by_type(0x4d44) && fold_by_type(0xfe534d42) && !fold_by_type(0xef53));
	CHECK(!fold_probe(STR("/proc")) && !fold_probe(STR("/no/such")) && !fold_probe(STR("")));
}

static void test_many_reasons_are_bounded(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .on_error = VERDICT_ALLOW};
	struct str numbers = STR("");
	struct facts f;
	struct command *cs = arena_array(&a, 1000, sizeof(*cs));
	struct word *ws = arena_array(&a, 1000, sizeof(*ws));
	struct view view = {.closed = true};
	struct judgement j;
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		numbers = str_fmt(&a, "%.*s%04d", STR_ARG(numbers), i);
	f = empty_facts(numbers); /* each place has words of its own: the same reason is listed once */
	for (size_t i = 0; i < 1000; i++) {
		ws[i].at = (struct span){0, (uint32_t)i * 4, (uint32_t)i * 4 + 4};
		cs[i] = (struct command){.argv = &ws[i], .argc = 1, .next = i + 1 < 1000 ? &cs[i + 1] : NULL};
	}
	f.commands = cs;
	gate_judge(&a, &f, &p, &view, &j);
	for (const struct reason *r = j.reasons; r; r = r->next)
		n++;
	CHECK_INT(n, GATE_REASONS_MAX);
	CHECK_INT(j.verdict, VERDICT_ASK);
}

static void test_inline(void)
{
	static const struct {
		const char *lang, *code;
		bool harmless;
	} rows[] = {
		{"awk", "{print $1}", true}, {"awk", "$3 > 5", true}, {"awk", "/a|b/ || x", true},
		{"awk", "{print (a > b)}", true}, {"awk", "{ print \"a>b\" }", true},
		{"awk", "{print > \"f\"}", false}, {"awk", "{print a, b >> \"f\"}", false},
		{"awk", "{printf(\"%s\", a) > \"f\"}", false}, {"awk", "{print | \"sh\"}", false},
		{"awk", "{\"ls\" | getline}", false}, {"awk", "BEGIN{system(\"x\")}", false},
		{"awk", "@load \"x\"", false}, {"awk", "{print a,\n b > \"f\"}", false},
		{"awk", "{print a \\\n > \"f\"}", false}, {"awk", "{ a = (b) /x/ 2; print > \"f\" }", false},
		{"awk", "{print $1; x = y > z}", true},
		{"sed", "s/a/b/", true}, {"sed", "s/a/b/g;s|x|y|2p", true}, {"sed", "1,5p", true},
		{"sed", "/x/d", true}, {"sed", "$!N;P;D", true}, {"sed", "/a/,/b/{s/x/y/;p}", true},
		{"sed", "y/abc/xyz/", true}, {"sed", "10q", true}, {"sed", "s/[a-z]*/x/", true},
		{"sed", "/^$/d", true}, {"sed", "a text w f", true},
		{"sed", "e", false}, {"sed", "1e ls", false}, {"sed", "s/a/b/e", false},
		{"sed", "s/a/b/ge", false}, {"sed", "s/a/b/w f", false}, {"sed", "w f", false},
		{"sed", "/x/w f", false}, {"sed", "1!e ls", false}, {"sed", "{e ls\n}", false},
		{"sed", "s/a/b/;e", false}, {"sed", "r f", false}, {"sed", "s/a/b", false},
		{"sed", "s/[]/]/;/e;#/d", false}, {"sed", "s/[[:x:]/]/;/e;#/d", false},
		{"sed", "s,a,b,\ne", false}, {"sed", "a x\ne ls", false}, {"sed", ":a;e", false},
		{"sql", "select 1;", true}, {"sql", "select * from t where a != 1.5", true},
		{"sql", ".shell ls", false}, {"sql", "select 1;\n .shell ls", false},
		{"sql", "\\! ls", false}, {"sql", "COPY t TO PROGRAM 'ls'", false},
		{"sql", "select Load_Extension('x')", false}, {"sql", "select 1 into outfile 'x'", false},
		{"jq", ".a", true}, {"python", "1", false}, {"vim", "", false}, {"", "", false},
	};
	struct snippet unknown = {.lang = LANG_SED};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snippet s = {.lang = lang_find(str_of(rows[i].lang)),
			.text = {.kind = WORD_EXACT, .text = str_of(rows[i].code)}};

		CHECK_ROW(inline_harmless(&s) == rows[i].harmless, rows[i].code);
	}
	CHECK(!inline_harmless(&unknown));
}

static void test_paths_of_programs(void)
{
	CHECK(path_is_system_program(STR("/usr/bin/git")));
	CHECK(!path_is_system_program(STR("/usr/bin/..")));
	CHECK(!path_is_system_program(STR("/usr/bin/../x")));
	CHECK(!path_is_system_program(STR("/usr/bin/")));
	CHECK(!path_is_system_program(STR("/w/usr/bin/git")));
	CHECK(!path_is_system_program(str_n("/usr/bin/\0", 10)));
}

static void test_explain_is_safe_for_a_terminal(void)
{
	struct policy p = {.fallback = VERDICT_ASK};
	struct str line = STR("a\033[31m\x9b\xe2\x80\xae\tb\n\n\xff c");
	struct facts f = empty_facts(line);
	struct view view = {.closed = true};
	struct judgement j;
	struct buf b;

	f.commands = command_of("x y");
	f.commands->at.to = (uint32_t)line.n;
	f.commands->argv[0].text = line;
	gate_judge(&a, &f, &p, &view, &j);
	for (unsigned width = 0; width < 120; width += 7) {
		buf_init(&b, &a, 0);
		gate_explain(&b, &f, &j, (struct explain_style){.width = width});
		CHECK(!memchr(b.p, '\033', b.n));
		CHECK(!memchr(b.p, (char)0x9b, b.n));
		CHECK(!str_contains(buf_view(&b), STR("\xe2\x80\xae")));
		CHECK(str_contains(buf_view(&b), STR("\\x1b[31m")));
	}
}

static void test_explain_underlines(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW};
	struct facts f = empty_facts(STR("\t\xc3\xa9 x; ls\nb"));
	struct view view = {.closed = true};
	struct judgement j;
	struct buf b;

	f.commands = command_of("e x");
	f.commands->at = (struct span){0, 1, 5};
	f.commands->next = command_of("ls");
	f.commands->next->at = (struct span){0, 7, 9};
	gate_judge(&a, &f, &p, &view, &j);
	buf_init(&b, &a, 0);
	gate_explain(&b, &f, &j, (struct explain_style){.width = 80});
	CHECK(str_contains(buf_view(&b), STR("     1 |         \xc3\xa9 x; ls\n")));
	CHECK(str_contains(buf_view(&b), STR("       |         ^~~ 1\n       |              ^~ 2\n")));
	CHECK(str_contains(buf_view(&b), STR("     2 | b\n")));
	CHECK(str_contains(buf_view(&b), STR("verdict: allow\n")));
}

static struct str explained(const char *line, const struct policy *p, struct facts *ret_facts,
		struct judgement *ret)
{
	struct engine_request rq = {.command = str_of(line), .context = &(struct context){.cwd = STR("/w/p"),
			.home = STR("/home/dev"), .user = STR("dev")}};
	struct policies all;
	struct buf b;
	struct err e = {0};

	policies_of(p, &all);
	CHECK_INT(engine_judge(&a, &rq, &all, ret_facts, ret, &e), 0);
	buf_init(&b, &a, 0);
	gate_explain(&b, ret_facts, ret, (struct explain_style){.width = 100});
	return buf_view(&b);
}

/* The byte at which a text stands in another; a text that is not there comes last. */
static size_t place_in(struct str in, const char *text)
{
	struct str want = str_of(text);

	for (size_t i = 0; i + want.n <= in.n; i++)
		if (!memcmp(in.p + i, want.p, want.n))
			return i;
	return SIZE_MAX;
}

static void test_explain_tells_the_whole_way(void)
{
	static const char *const order[] = {"     1 | git pull; npm publish; sudo make",
			"\ncommands\n     1  git pull   [git pull: network", "     4  make   [make",
			"(wrapper:sudo)\n",
		"\nexecutes\n", "\nrules\n        deny          x.yaml:1   'npm publish'\n",
		"        allow         x.yaml:1   'git pull'\n",
		"        lifted        network   'git pull'\n",
		"\nreasons\n", "  configured-deny (deny): the policy denies 'npm publish' [x.yaml:1]\n",
		"  privilege (ask): 'sudo make' runs as another user; instead: ", "\nverdict: deny\n"};
	struct policy p = {.fallback = VERDICT_ALLOW, .deny = rule_of("npm publish"),
			.allow = rule_of("git pull")};
	struct facts f;
	struct judgement j;
	struct str out = explained("git pull; npm publish; sudo make", &p, &f, &j);
	size_t last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		size_t at = place_in(out, order[i]);

		CHECK_ROW(at != SIZE_MAX && at >= last, order[i]);
		last = at == SIZE_MAX ? last : at;
	}
	CHECK(str_ends(out, "\nverdict: deny\n"));
	CHECK(place_in(out, "\nnetwork\n") == SIZE_MAX);
	CHECK(place_in(out, "\nadvice\n") == SIZE_MAX);
	CHECK(place_in(out, "\nwarnings\n") == SIZE_MAX);
}

static void test_explain_says_where_files_lie(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW};
	struct access x[] = {{.kind = ACCESS_WRITE,
				     .cause = CAUSE_REDIRECT,
				     .redirect = REDIR_WRITE,
				     .path = {.kind = WORD_EXACT, .text = STR("/w/p/a/../link")}},
		{.kind = ACCESS_READ, .path = {.kind = WORD_EXACT, .text = STR("/home/dev/x")}},
		{.kind = ACCESS_DELETE,
			.below = true,
			.by = "rm",
			.path = {.kind = WORD_UNKNOWN, .text = str_n("/tmp/t.\0", 8)}}};
	struct path_answer link = {.path = STR("/w/p/a/../link"), .kind = PATH_LINK,
			.place = STR("/w/p/link"), .real = STR("/etc/x"), .target = PATH_FILE};
	struct root root = {.path = STR("/w/p")};
	struct view view = {.closed = true, .project = STR("/w/p"), .roots = &root, .home = STR("/home/dev"),
			.paths = &link};
	struct facts f = empty_facts(STR("x"));
	struct judgement j;
	struct buf b;

	x[0].next = &x[1], x[1].next = &x[2];
	f.accesses = x;
	gate_judge(&a, &f, &p, &view, &j);
	buf_init(&b, &a, 0);
	gate_explain(&b, &f, &j, (struct explain_style){.width = 80});
	CHECK(place_in(buf_view(&b), "        /w/p/link -> /etc/x   system   (>)\n") != SIZE_MAX);
	CHECK(place_in(buf_view(&b), "        /home/dev/x   home\n") != SIZE_MAX);
	CHECK(place_in(buf_view(&b), "        /tmp/t.<unknown> and below   (rm)\n") != SIZE_MAX);
}

static void test_derivation_is_bounded(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .allow = rule_of("ls")};
	struct facts f = empty_facts(STR("ls"));
	struct access *xs = arena_array(&a, 1000, sizeof(*xs));
	struct command *cs = arena_array(&a, 1000, sizeof(*cs));
	struct view view = {.closed = true};
	struct judgement j;
	size_t steps = 0, placed = 0, known = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		cs[i] = *command_of("ls");
		cs[i].at = (struct span){0, 0, i % 500};
		cs[i].next = i < 999 ? &cs[i + 1] : NULL;
		xs[i] = (struct access){.next = i < 999 ? &xs[i + 1] : NULL, .kind = ACCESS_READ,
				.path = {.kind = WORD_EXACT, .text = STR("/x")}};
	}
	f.commands = cs;
	f.accesses = xs;
	gate_judge(&a, &f, &p, &view, &j);
	for (const struct step *s = j.steps; s; s = s->next)
		steps++;
	for (const struct placed *s = j.placed; s; s = s->next)
		placed++;
	for (const struct known *s = j.known; s; s = s->next)
		known++;
	CHECK_INT(steps, GATE_STEPS_MAX);
	CHECK_INT(placed, GATE_PLACED_MAX);
	CHECK_INT(known, GATE_KNOWN_MAX);
	cs[1].next = NULL; /* the same twice is one step */
	cs[1].at = cs[0].at;
	gate_judge(&a, &f, &p, &view, &j);
	CHECK(j.steps && !j.steps->next);
}

static void test_answer_has_steps_and_advice(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW, .allow = rule_of("curl")};
	struct facts f;
	struct judgement j;
	struct buf b;

	explained("curl https://x.example/", &p, &f, &j);
	buf_init(&b, &a, 0);
	answer_json(&b, STR(""), &f, &j, STR("d"));
	CHECK(place_in(buf_view(&b),
			"\"advice\":[],\"steps\":[{\"what\":\"allow\",\"rule\":\"x.yaml:1\","
			"\"subject\":\"curl https://x.example/\",\"at\":[{\"text\":0,\"from\":0,"
			"\"to\":23}]},"
		"{\"what\":\"lifted\",\"rule\":\"network\",") != SIZE_MAX);
	CHECK(place_in(explained("cat x", &p, &f, &j), "\nadvice\n  file-route: for plain file work") !=
			SIZE_MAX);
	b.n = 0;
	answer_json(&b, STR(""), &f, &j, STR("d"));
	CHECK(place_in(buf_view(&b), "\"verdict\":\"allow\"") != SIZE_MAX);
	CHECK(place_in(buf_view(&b), "\"advice\":[{\"id\":\"file-route\",\"message\":\"") != SIZE_MAX);
	CHECK(place_in(buf_view(&b),
			"\"alternative\":\"Read\",\"at\":[{\"text\":0,\"from\":0,\"to\":5}]}],"
			"\"steps\":[]") != SIZE_MAX);
}

static void test_wrapped_commands_are_named(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW};
	struct facts f;
	struct judgement j;

	CHECK(place_in(explained("sudo nice git push -f", &p, &f, &j),
			"git-rewrite (ask): 'git push -f' overwrites") != SIZE_MAX);
	CHECK(place_in(explained("curl x.example | cat", &p, &f, &j),
			"network (ask): 'curl x.example' uses") != SIZE_MAX);
}

/* One reason is enough for the many files that a pattern matches. */
static void test_one_reason_for_a_pattern(void)
{
	struct policy p = {.fallback = VERDICT_ALLOW};
	struct access x = {.kind = ACCESS_DELETE,
		.by = "rm",
		.path = {.kind = WORD_REST, .glob = true, .text = STR("/x/*")}};
	struct str found[] = {STR("/x/a"), STR("/x/b")};
	struct glob_answer glob = {.pattern = STR("/x/*"), .matches = found, .nmatches = 2};
	struct path_answer dir = {.path = STR("/x"), .kind = PATH_DIR, .target = PATH_DIR, .place = STR("/x"),
			.real = STR("/x")};
	struct view view = {.closed = true, .project = STR("/w/p"), .globs = &glob, .paths = &dir};
	struct facts f = empty_facts(STR("x"));
	struct judgement j;
	size_t n = 0;

	f.accesses = &x;
	gate_judge(&a, &f, &p, &view, &j);
	for (const struct reason *r = j.reasons; r; r = r->next)
		n += r->id == CHECK_OUTSIDE_DELETE;
	CHECK_INT(n, 1);
	CHECK_INT(j.verdict, VERDICT_DENY);
}

/*
 * Whatever allocation fails, the answer is a denial with its reason, or the same as without a failure; never
 * something milder.
 */
static void test_engine_fails_closed(void)
{
	struct engine_request rq = {.command = STR("rm -rf \"$X\"; $Y"),
			.context = &(struct context){.cwd = STR("/w/p"), .home = STR("/home/dev"),
			.user = STR("dev")}};
	size_t denied = 0;

	for (size_t n = 1; n < 100000; n++) {
		struct arena small;
		struct policy p;
		struct facts f = {0};
		struct judgement j = {0};
		struct err e = {0};
		bool failed;

		struct policies all;

		config_default(&p);
		policies_of(&p, &all);
		arena_init(&small, ARENA_CAP_DEFAULT);
		small.fail_at = n;
		if (engine_judge(&small, &rq, &all, &f, &j, &e) != 0)
			CHECK_INT(j.verdict, VERDICT_DENY);
		else if (j.verdict == VERDICT_DENY)
			CHECK(j.reasons && j.reasons->id == CHECK_INTERNAL_ERROR), denied++;
		else
			CHECK_INT(j.verdict, VERDICT_ASK);
		failed = small.allocs >= n;
		arena_free(&small);
		if (!failed)
			break;
	}
	CHECK(denied > 0);
}

static void test_every_check_says_what_it_is(void)
{
	size_t n;
	const struct check *rows = gate_checks(&n);

	CHECK_INT(n, CHECK_IDS - 1);
	for (size_t i = 0; i < n; i++) {
		const char *name = check_name(rows[i].id);

		CHECK_ROW(*rows[i].about, name);
		CHECK_ROW(gate_check(rows[i].id) == &rows[i], name);
		CHECK_ROW(check_find(str_of(name)) == rows[i].id, name);
	}
	CHECK_INT(check_find(STR("nonsense")), CHECK_NONE);
	CHECK_INT(check_find(STR("")), CHECK_NONE);
	CHECK_INT(*check_name(CHECK_NONE), 0);
}

/* Kinds leave the program under these names. */
static void test_kinds_have_names(void)
{
	static const struct {
		struct access x;
		char text[20];
	} causes[] = {
		{{.by = "git mv"}, "git mv"},
		{{.by = NULL}, ""},
		{{.cause = CAUSE_REDIRECT, .redirect = REDIR_BOTH_APPEND}, "&>>"},
		{{.cause = CAUSE_REDIRECT, .redirect = REDIR_READ, .fd = 3}, "3<"},
		{{.cause = CAUSE_VARIABLE, .by = "PATH"}, "PATH"},
		{{.cause = CAUSE_LIST, .by = "tar"}, "the list for tar"},
		{{.cause = CAUSE_IMPORT}, "import"},
		{{.cause = CAUSE_LINK}, "link"},
	};
	struct via wrapper = {.kind = VIA_WRAPPER, .name = "npm exec"},
		   other = {.kind = VIA_WRAPPER, .name = "npx"};

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		CHECK_STR(access_cause(&a, &causes[i].x), causes[i].text);
		CHECK_ROW(access_same_cause(&causes[i].x, &causes[i].x) == (*causes[i].text != 0),
			causes[i].text);
		CHECK_ROW(!access_same_cause(&causes[i].x, &causes[(i + 1) % 8].x), causes[i].text);
	}
	CHECK(access_by(&causes[0].x, "git mv") && !access_by(&causes[0].x, "mv"));
	CHECK(!access_by(&causes[1].x, "mv") && !access_by(&causes[4].x, "PATH") &&
		!access_by(&causes[5].x, "tar"));
	for (enum lang l = LANG_OTHER + 1; l < LANGS; l++)
		CHECK_ROW(lang_find(str_of(lang_name(l))) == l, lang_name(l));
	CHECK(lang_find(STR("python2")) == LANG_OTHER && lang_find(STR("")) == LANG_OTHER);
	CHECK_STR(str_of(snippet_language(&(struct snippet){.other = "tcl"})), "tcl");
	CHECK_STR(via_text(&a, &(struct via){.kind = VIA_CODE, .lang = LANG_PERL}), "code:perl");
	CHECK_STR(via_text(&a, &wrapper), "wrapper:npm exec");
	CHECK_STR(via_text(&a, &direct), "direct");
	CHECK(via_same(&wrapper, &wrapper) && !via_same(&wrapper, &other) && !via_same(&wrapper, &direct));
}

/* CHECK_OPAQUE_COMMAND is "opaque-command". */
static void test_constants_of_checks_are_their_names(void)
{
	static const char constants[CHECK_IDS][CHECK_NAME_MAX] = {
#define GATE_CHECK(constant, ...) [CHECK_##constant] = #constant,
#include "model/check_rows.h"
#undef GATE_CHECK
	};

	for (enum check_id id = CHECK_NONE + 1; id < CHECK_IDS; id++) {
		char want[CHECK_NAME_MAX] = "";

		for (size_t i = 0; constants[id][i]; i++)
			want[i] = constants[id][i] == '_' ? '-'
							  : (char)tolower((unsigned char)constants[id][i]);
		CHECK_STR(str_of(check_name(id)), want);
	}
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_zero_denies);
	RUN(test_nothing_is_allowed);
	RUN(test_incomplete_never_allows);
	RUN(test_tiers);
	RUN(test_matching);
	RUN(test_matching_quoted_and_partly_known);
	RUN(test_lifting_belongs_to_the_innermost);
	RUN(test_redirections_are_not_lifted);
	RUN(test_folded_names);
	RUN(test_many_reasons_are_bounded);
	RUN(test_inline);
	RUN(test_paths_of_programs);
	RUN(test_explain_is_safe_for_a_terminal);
	RUN(test_explain_underlines);
	RUN(test_explain_tells_the_whole_way);
	RUN(test_explain_says_where_files_lie);
	RUN(test_derivation_is_bounded);
	RUN(test_answer_has_steps_and_advice);
	RUN(test_wrapped_commands_are_named);
	RUN(test_one_reason_for_a_pattern);
	RUN(test_engine_fails_closed);
	RUN(test_every_check_says_what_it_is);
	RUN(test_constants_of_checks_are_their_names);
	RUN(test_kinds_have_names);
	arena_free(&a);
	return unit_end();
}
