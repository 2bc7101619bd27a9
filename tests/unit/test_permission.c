/*
 * Permission rules: commands, wrappers, assignments, files, over-broad allows, and the client's settings
 * files.
 */
#include "base/glob.h"
#include "config/config.h"
#include "config/settings_json.h"
#include "gate/broad.h"
#include "gate/leading_variables.h"
#include "gate/permission.h"
#include "shell/shell.h"
#include "torture.h"
#include "unit.h"

#define WORDS_MAX 64

static struct arena a;
static const struct via direct = {.kind = VIA_DIRECT};
static const struct view view = {.cwd = {"/home/u/p", 9}, .home = {"/home/u", 7},
		.project = {"/home/u/p", 9}};

static struct permission_rule rule_of(const char *text)
{
	struct permission_rule r = {.base = STR("/home/u/p")};

	if (!config_permission(str_of(text), &r))
		printf("# bad rule %s\n", text);
	return r;
}

/*
 * Words between blanks: $ is unknown, ... any words, a word with * a file name pattern, one with % has a hole
 * there, _ is a blank inside a word.
 */
static struct command command_of(const char *line)
{
	struct command c = {.argv = arena_array(&a, WORDS_MAX, sizeof(struct word)), .via = &direct};
	struct str s = str_of(line);

	for (size_t i = 0; i < s.n && c.argc < WORDS_MAX;) {
		ptrdiff_t end = str_find(s, ' ', i);
		struct str w = str_sub(s, i, end < 0 ? s.n : (size_t)end);
		char *copy = str_c(&a, w);
		struct word out = {.kind = WORD_EXACT, .text = {copy, w.n},
				.at = {0, (uint32_t)i, (uint32_t)(i + w.n)}};

		for (size_t k = 0; k < w.n; k++) {
			if (copy[k] == '%')
				copy[k] = HOLE_ANY, out.kind = WORD_UNKNOWN;
			else if (copy[k] == '_')
				copy[k] = ' ';
			else if (copy[k] == '*')
				out.kind = WORD_REST, out.glob = true;
		}
		if (str_is(w, "$") || str_is(w, "..."))
			out = (struct word){.kind = str_is(w, "$") ? WORD_UNKNOWN : WORD_REST, .at = out.at};
		c.argv[c.argc++] = out;
		i += w.n + 1;
	}
	return c;
}

struct row {
	const char *rule, *line;
	int want;
};

static const char *row_name(const struct row *r)
{
	return str_fmt_c(&a, "%s on '%s'", r->rule, r->line);
}

#define N MATCH_NO
#define M MATCH_MAYBE
#define Y MATCH_YES

static void test_deny(void)
{
	static const struct row rows[] = {
		{"Bash", "anything at all", Y}, {"Bash(*)", "ls", Y}, {"Bash()", "ls", Y},
		{"Bash(:*)", "ls", Y}, {"*", "ls", Y}, {"Read", "ls", N}, {"Read(ls)", "ls", N},
		/* exact */
		{"Bash(npm test)", "npm test", Y}, {"Bash(npm test)", "npm test x", N},
		{"Bash(npm test)", "npm tests", N}, {"Bash(npm test)", "npm", N},
		{"Bash(npm  test)", "npm test", Y}, {"Bash( npm test )", "npm test", Y},
		/* prefix */
		{"Bash(git push:*)", "git push", Y}, {"Bash(git push:*)", "git push -f origin", Y},
		{"Bash(git push:*)", "git pushx", N}, {"Bash(git push:*)", "git pull", N},
		{"Bash(git push *)", "git push", Y}, {"Bash(git push *)", "git push -f", Y},
		{"Bash(git push *)", "git pushx", N}, {"Bash(ls*)", "lsof", Y}, {"Bash(ls:*)", "lsof", N},
		/* stars anywhere */
		{"Bash(git * main)", "git push origin main", Y},
		{"Bash(git * main)", "git push origin maint", N}, {"Bash(* --force)", "git push --force", Y},
		{"Bash(* --force)", "git push --force x", N},
		{"Bash(*--force*)", "git push --force-with-lease x", Y}, {"Bash(echo \\*)", "echo x", N},
		{"Bash(npm run *:*)", "npm run x y", Y},
		/* the name's directory */
		{"Bash(rm:*)", "/bin/rm x", Y}, {"Bash(rm:*)", "/tmp/x/rm x", Y}, {"Bash(rm:*)", "./rm", Y},
		{"Bash(rm:*)", "/tmp/rmx", N}, {"Bash(/bin/rm:*)", "/bin/rm x", Y},
		{"Bash(rm:*)", "ls /bin/rm", N},
		/* unknown words */
		{"Bash(git push:*)", "git $", M}, {"Bash(git push:*)", "git $ x", M},
		{"Bash(git push:*)", "git ...", M}, {"Bash(git push:*)", "git push $", Y},
		{"Bash(git push:*)", "git push ...", Y}, {"Bash(git push)", "git push ...", M},
		{"Bash(git push)", "git push $", N}, {"Bash(git push:*)", "git pu%", M},
		{"Bash(git push:*)", "git st%", N}, {"Bash(git push:*)", "$ push", M},
		{"Bash(git push:*)", "g% push", M}, {"Bash(git push:*)", "h% push", N},
		{"Bash(git push:*)", "...", M},
		{"Bash(git push --force:*)", "git push $ --force", M},
		{"Bash(git push * --force)", "git push $ --force", Y}, {"Bash(git:*)", "git ...", Y},
		{"Bash(gitk)", "git ...", N}, {"Bash(rm:*)", "/opt/%/rm x", Y}, {"Bash(rm:*)", "%rm x", M},
		/* file name patterns */
		{"Bash(rm -rf:*)", "rm *", N}, {"Bash(rm x.c)", "rm *.c", M}, {"Bash(rm x.c)", "rm y*.c", N},
		{"Bash(rm:*)", "rm *", Y}, {"Bash(rm -rf *.c)", "rm -rf *", M},
		/* quotes, blanks inside words */
		{"Bash(git commit -m \"wip it\")", "git commit -m wip_it", Y},
		{"Bash(git commit -m 'wip it')", "git commit -m wip_it", Y},
		{"Bash(git push -f)", "git push_-f", Y},
		{"Bash(echo \")", "echo \"", Y}, {"Bash(git commit -m \"x\":*)", "git commit -m x --amend",
				Y},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct permission_rule r = rule_of(rows[i].rule);
		struct command c = command_of(rows[i].line);

		CHECK_ROW((int)permission_bash(&r, &c) == rows[i].want, row_name(&rows[i]));
	}
}

static void test_allow(void)
{
	static const struct row rows[] = {
		{"Bash", "anything", 1}, {"Bash(*)", "ls x", 1}, {"Bash(:*)", "ls", 0}, {"Read", "ls", 0},
		{"Bash", "$ x", 0}, {"Bash(*)", "...", 0},
		{"Bash(npm test)", "npm test", 1}, {"Bash(npm test)", "npm test x", 0},
		{"Bash(npm test)", "npm", 0}, {"Bash(npm test)", "npm_test", 0},
		{"Bash(npm run test:*)", "npm run test", 1}, {"Bash(npm run test:*)", "npm run test -- x", 1},
		{"Bash(npm run test:*)", "npm run test:unit", 0},
		{"Bash(npm run test:*)", "npm run tests", 0}, {"Bash(npm run test*)", "npm run test:unit", 1},
		{"Bash(git log *)", "git log", 1}, {"Bash(git log *)", "git logs", 0},
		{"Bash(git commit -m *)", "git commit -m a_b_c", 1},
		{"Bash(git commit -m *)", "git commit -m x --amend", 1},
		{"Bash(git commit -m *)", "git commit_-m x", 0},
		{"Bash(git commit -m \"a b\")", "git commit -m a_b", 1},
		{"Bash(git commit -m \"a b\")", "git commit -m a b", 0},
		{"Bash(git commit -m a b)", "git commit -m a_b", 0},
		/* a directory before the name: only the system's */
		{"Bash(git log:*)", "/usr/bin/git log", 1}, {"Bash(git log:*)", "/tmp/git log", 0},
		{"Bash(git log:*)", "./git log", 0}, {"Bash(./run.sh:*)", "./run.sh x", 1},
		{"Bash(/opt/x/run:*)", "/opt/x/run", 1}, {"Bash(git log:*)", "/usr/bin/../../tmp/git log", 0},
		/* unknown words: only where the rule takes any */
		{"Bash(git log:*)", "git log $", 1}, {"Bash(git log:*)", "git log ...", 1},
		{"Bash(git log:*)", "git log *.c", 1}, {"Bash(git log:*)", "git $", 0},
		{"Bash(git log:*)", "git ...", 0}, {"Bash(git log:*)", "git lo%", 0},
		{"Bash(git log)", "git log ...", 0}, {"Bash(git log)", "git log *", 0},
		{"Bash(git:*)", "$ log", 0},
		{"Bash(git * --oneline)", "git log $ --oneline", 1},
		{"Bash(git * --oneline)", "git log --oneline $", 0},
		{"Bash(git * --oneline)", "git log ...", 0},
		{"Bash(cat *.md)", "cat $", 0}, {"Bash(cat *.md)", "cat x%.md", 1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct permission_rule r = rule_of(rows[i].rule);
		struct command c = command_of(rows[i].line);

		CHECK_ROW(permission_bash_allows(&r, &c) == rows[i].want, row_name(&rows[i]));
		if (rows[i].want) /* what is allowed is matched for certain */
			CHECK_ROW(permission_bash(&r, &c) == MATCH_YES, row_name(&rows[i]));
	}
}

/* A byte of the command that the comparison uses for itself is refused. */
static void test_odd_bytes(void)
{
	struct permission_rule quoted = rule_of("Bash(echo \"a b\")"), open = rule_of("Bash(echo:*)");
	struct command c = command_of("echo a-b");

	c.argv[1].text = STR("a\3b");
	CHECK(!permission_bash_allows(&quoted, &c));
	CHECK(!permission_bash_allows(&open, &c));
	CHECK_INT(permission_bash(&open, &c), MATCH_YES);
	c.argc = 0;
	CHECK(!permission_bash_allows(&open, &c));
	CHECK_INT(permission_bash(&open, &c), MATCH_NO);
}

/* ---- through the reader: wrappers and assignments ---- */

static const struct facts *read_line(const char *line)
{
	struct facts *f = arena_new(&a, struct facts);
	struct err e;

	if (shell_read(&a, &(struct shell_request){.text = str_of(line), .view = &view}, f, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s: %s", line, e.text);
	return f;
}

/* Are all commands of the line allowed by these rules? Separated by a semicolon. */
static bool line_allowed(const char *rules, const char *line)
{
	struct permission_rule *list = NULL;
	const struct facts *f = read_line(line);
	struct str s = str_of(rules);

	for (size_t i = 0; i < s.n;) {
		ptrdiff_t end = str_find(s, ';', i);
		struct str text = str_sub(s, i, end < 0 ? s.n : (size_t)end);
		struct permission_rule *r = arena_new(&a, struct permission_rule);

		*r = rule_of(str_c(&a, text));
		r->next = list;
		list = r;
		i += text.n + 1;
	}
	if (!f->commands)
		unit_fail(__FILE__, __LINE__, "no command in '%s'", line);
	for (const struct command *c = f->commands; c; c = c->next)
		if (!permission_allowed(list, f, c))
			return false;
	return true;
}

static void test_wrappers(void)
{
	static const struct row rows[] = {
		{"Bash(npm test)", "npm test", 1}, {"Bash(npm test)", "timeout 10 npm test", 1},
		{"Bash(npm test)", "timeout -s KILL 10 npm test", 1},
		{"Bash(npm test)", "/usr/bin/timeout 10 npm test", 1},
		{"Bash(npm test)", "/tmp/timeout 10 npm test", 0}, {"Bash(npm test)", "time npm test", 1},
		{"Bash(npm test)", "nice -n 5 npm test", 1},
		{"Bash(npm test)", "nohup nice stdbuf -oL npm test", 1},
		{"Bash(npm test)", "timeout 10 npm run x", 0},
		{"Bash(npm test)", "timeout 10 npm test x", 0}, {"Bash(npm test)", "timeout 10", 0},
		{"Bash(npm test)", "nice", 0}, {"Bash(npm test)", "sudo npm test", 0},
		{"Bash(npm test)", "env npm test", 0}, {"Bash(npm test)", "xargs npm test", 0},
		{"Bash(npm test)", "timeout 10 sh -c 'npm test'", 0},
		{"Bash(npm test)", "timeout $T npm test", 0}, {"Bash(npm test)", "timeout 10 $X", 0},
		{"Bash(npm test);Bash(ls:*)", "timeout 9 npm test && ls -l | ls", 1},
		{"Bash(npm test)", "timeout 9 npm test && ls", 0},
		{"Bash(timeout:*)", "timeout 9 npm test", 0}, {"Bash(ls:*)", "ls \"$(id)\"", 0},
		{"Bash(ls:*)", "timeout 5 timeout 5 timeout 5 ls", 1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(line_allowed(rows[i].rule, rows[i].line) == rows[i].want, row_name(&rows[i]));
}

static void test_assignments(void)
{
	static const struct row rows[] = {
		{"Bash(npm test)", "NODE_ENV=test npm test", 1},
		{"Bash(npm test)", "CI=1 FOO=bar npm test", 1},
		{"Bash(npm test)", "NODE_OPTIONS=--require=./x npm test", 0},
		{"Bash(npm test)", "PATH=/tmp:$PATH npm test", 0},
		{"Bash(npm test)", "LD_PRELOAD=./x.so npm test", 0},
		{"Bash(npm test)", "LD_AUDIT=./x.so timeout 9 npm test", 0},
		{"Bash(npm test)", "CI=1 timeout 9 npm test", 1},
		{"Bash(npm test)", "CI=1 PATH=. npm test", 0}, {"Bash(npm test)", "FOO=$(cat x) npm test", 0},
		{"Bash", "BASH_ENV=x ls", 0}, {"Bash", "A=1 ls", 1},
		{"Bash(git log:*);Bash(cat:*)", "GIT_PAGER=cat git log", 1},
		{"Bash(git log:*)", "GIT_PAGER=./x git log", 0},
		{"Bash(git log:*);Bash(cat:*)", "PAGER=cat git log", 1},
		{"Bash(git log:*)", "PAGER='sh x' git log", 0},
		{"Bash(git commit:*)", "GIT_AUTHOR_DATE=now git commit -m x", 1},
		{"Bash(git commit:*)", "GIT_SSH_COMMAND=x git commit", 0},
		/* a rule that names the assignment */
		{"Bash(NODE_OPTIONS=--max-old-space-size=4096 npm test)",
				"NODE_OPTIONS=--max-old-space-size=4096 npm test", 1},
		{"Bash(NODE_OPTIONS=--max-old-space-size=4096 npm test)", "NODE_OPTIONS=--require=x npm test",
				0},
		{"Bash(NODE_OPTIONS=* npm test)", "NODE_OPTIONS=--require=x npm test", 0},
		{"Bash(FOO=1 *)", "FOO=1 LD_PRELOAD=x ls", 0}, {"Bash(FOO=1 *)", "FOO=1 ls", 1},
		{"Bash(A=1 B=2 ls)", "A=1 B=2 ls", 1}, {"Bash(A=1 B=2 ls)", "B=2 ls", 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(line_allowed(rows[i].rule, rows[i].line) == rows[i].want, row_name(&rows[i]));
}

/* As deny: assignments hide nothing, and a rule may be about them. */
static void test_assignments_denied(void)
{
	static const struct row rows[] = {
		{"Bash(npm publish:*)", "A=1 npm publish", Y},
		{"Bash(npm publish:*)", "PATH=x npm publish --tag y", Y},
		{"Bash(LD_PRELOAD=*)", "LD_PRELOAD=x ls", Y},
		{"Bash(LD_PRELOAD=*)", "FOO=x ls", N}, {"Bash(A=1 ls)", "A=$X ls", M},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct permission_rule r = rule_of(rows[i].rule);

		CHECK_ROW((int)permission_bash(&r, read_line(rows[i].line)->commands) == rows[i].want,
				row_name(&rows[i]));
	}
}

static void test_dangerous_settings(void)
{
	static const char *const bad[] = {"PATH", "path", "LD_PRELOAD", "LD_X", "DYLD_INSERT_LIBRARIES",
			"PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "GOFLAGS", "RUSTFLAGS",
		"NODE_OPTIONS", "HOME", "TMPDIR", "SHELL", "BASH_ENV", "GIT_SSH_COMMAND", "GIT_DIR", "PAGER",
		"EDITOR", "MANPAGER", "KUBE_EDITOR", "npm_config_registry", "http_proxy",
		"HTTPS_PROXY", "BASH_FUNC_ls%%", "CARGO_TARGET_X_RUNNER", "IFS", "PERL5OPT", "RUBYOPT", "CC",
		"MAKEFLAGS", "CAISSON_STATE", ""};
	static const char *const good[] = {"NODE_ENV", "CI", "FOO", "DEBUG", "LANG", "LC_ALL", "TZ", "TERM",
			"NO_COLOR", "FORCE_COLOR", "RUST_LOG", "RUST_BACKTRACE", "PORT", "PYTHONUNBUFFERED",
		"PYTHONDONTWRITEBYTECODE", "PATHS", "XPATH", "GITHUB", "GIT_AUTHOR_NAME",
		"GIT_TERMINAL_PROMPT", "CARGO_TERM_COLOR", "CGO_ENABLED", "GOOS", "GOARCH", "HOMEPAGE",
		"LDFOO", "CCC",
		"AWS_PROFILE", "VERBOSE", "DATABASE_URL"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_ROW(leading_variable_is_dangerous(str_of(bad[i])), bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		CHECK_ROW(!leading_variable_is_dangerous(str_of(good[i])), good[i]);
	CHECK(leading_variable_is_dangerous(str_n("A\0", 2)));
	CHECK(leading_variable_matters(&(struct setting){.name = STR("EDITOR"), .value = STR("vim")}));
	CHECK(!leading_variable_matters(&(struct setting){.name = STR("EDITOR"), .value = STR("true")}));
	CHECK(!leading_variable_matters(&(struct setting){.name = STR("GIT_EDITOR"), .value = STR(":")}));
	CHECK(leading_variable_matters(&(struct setting){.name = STR("GIT_EDITOR"),
			.value = str_n("\0", 1)}));
	CHECK(leading_variable_matters(&(struct setting){.name = STR("GIT_DIR"), .value = STR("cat")}));
	CHECK(leading_variable_matters(&(struct setting){.name = STR("PATH"), .value = STR("")}));
}

/* ---- the examples of docs/permissions.md ---- */

#define CELLS 4

/* "| `a` | `b` | yes | no |" into its cells; false: another line. */
static bool cells_of(char *line, char *ret[CELLS])
{
	size_t n = 0;

	if (strncmp(line, "| `", 3) != 0)
		return false;
	for (char *p = line + 2, *end; (end = strstr(p, " |")) && n < CELLS;
			p = end + 2 + strspn(end + 2, " ")) {
		*end = '\0';
		if (*p == '`' && end > p + 1 && end[-1] == '`') {
			p++;
			end[-1] = '\0';
		}
		ret[n++] = p;
	}
	return n == CELLS;
}

static void test_docs(void)
{
	static const char *const answers[] = {"no", "maybe", "yes"};
	FILE *f = fopen("docs/permissions.md", "r");
	char line[512], *cell[CELLS];
	size_t rows = 0;

	CHECK(f);
	while (f && fgets(line, sizeof line, f)) {
		enum prefix_match m = MATCH_NO;

		if (!cells_of(line, cell))
			continue;
		struct permission_rule r = rule_of(cell[0]);
		for (const struct command *c = read_line(cell[1])->commands; c; c = c->next)
			if (permission_bash(&r, c) > m)
				m = permission_bash(&r, c);
		CHECK_ROW(!strcmp(answers[m], cell[2]), cell[1]);
		CHECK_ROW(!strcmp(line_allowed(cell[0], cell[1]) ? "yes" : "no", cell[3]), cell[1]);
		rows++;
	}
	CHECK_INT(rows, 20);
	if (f)
		fclose(f);
}

/* ---- files ---- */

static void test_files(void)
{
	static const struct row rows[] = { /* % # @ are holes: any bytes, a number, a name */
		{"Read", "/etc/passwd", Y}, {"Read(*)", "/home/u/p/x", Y}, {"Read(*)", "/etc/passwd", N},
		{"Read(./.env)", "/home/u/p/.env", Y}, {"Read(.env)", "/home/u/p/.env", Y},
		{"Read(.env)", "/home/u/p/a/.env", Y}, {"Read(.env)", "/home/u/.env", N},
		{"Read(.env)", "/home/u/p/.envrc", N}, {"Read(.env.*)", "/home/u/p/.env.local", Y},
		{"Read(/.env)", "/home/u/p/.env", Y}, {"Read(/.env)", "/home/u/p/a/.env", N},
		{"Read(~/.ssh/id_*)", "/home/u/.ssh/id_rsa", Y},
		{"Read(~/.ssh/id_*)", "/home/u/.ssh/config", N},
		{"Read(~/.ssh/id_*)", "/home/u/p/.ssh/id_rsa", N},
		{"Read(~/.ssh/**)", "/home/u/.ssh/config", Y}, {"Read(~/.ssh)", "/home/u/.ssh/config", Y},
		{"Read(~)", "/home/u/x", Y}, {"Read(~)", "/home/v/x", N},
		{"Read(//etc/**)", "/etc/passwd", Y}, {"Read(//etc/**)", "/home/u/p/etc/passwd", N},
		{"Read(//etc/passwd)", "/etc/passwd", Y}, {"Read(//**)", "/x", Y},
		{"Read(//**/.env)", "/srv/a/.env", Y}, {"Edit(src/**)", "/home/u/p/src/a/b.c", Y},
		{"Edit(src/**)", "/home/u/p/lib/a.c", N}, {"Edit(src)", "/home/u/p/src/a.c", Y},
		/* forms of a path */
		{"Read(.env)", "/home/u/p/./.env", Y}, {"Read(.env)", "/home/u/p//.env", Y},
		{"Read(.env)", "/home/u/p/a/../.env", Y}, {"Read(.env)", "/home/u/p/../.env", N},
		{"Read(//etc/passwd)", "/../../etc/passwd", Y},
		{"Read(//etc/passwd)", "/home/../etc//passwd", Y}, {"Read(//etc/**)", "/etc/..", N},
		/* not fully known */
		{"Read(.env)", "/home/u/p/%", M}, {"Read(.env)", "%", M}, {"Read(.env)", "/tmp/%", M},
		{"Read(.env)", "/tmp/%/../x", M}, {"Read(.env)", "/tmp/%/../.env", M},
		{"Read(.env)", "%/.env", M}, {"Read(//etc/*.pem)", "/tmp/%.pem", M},
		{"Read(.env)", "/tmp/@", N}, {"Read(.env)", "/tmp/x#", N}, {"Read(.env)", "/home/u/p/@", M},
		{"Read(.env)", "/home/u/p/x@", N}, {"Read(.env)", "/home/u/p/#", N},
		{"Read(.env)", "/home/u/@/.env", M}, {"Read(.env)", "/home/@/../p/.env", N},
		{"Read(~/.ssh/**)", "/home/u/.ssh/%", Y}, {"Read(~/.ssh/**)", "/home/%/.ssh/id", M},
		{"Read(//etc/**)", "/etc/%", Y},
		{"Edit(build/)", "/home/u/p/build", M}, {"Edit(build/)", "/home/u/p/build/", Y},
		{"Edit(build/)", "/home/u/p/build/x", Y},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct permission_rule r = rule_of(rows[i].rule);
		char *path = str_c(&a, str_of(rows[i].line));
		size_t n = strlen(path);

		for (size_t k = 0; k < n; k++)
			path[k] = path[k] == '%' ? GLOB_HOLE_ANY : path[k] == '#' ? GLOB_HOLE_NUM :
					path[k] == '@' ? GLOB_HOLE_NAME : path[k];
		CHECK_ROW((int)permission_path(&r, &view, str_n(path, n)) == rows[i].want,
				row_name(&rows[i]));
	}
}

static void test_files_below(void)
{
	struct permission_rule ssh = rule_of("Edit(~/.ssh/id_*)"), build = rule_of("Edit(build/)"),
			env = rule_of("Edit(/.env)"), up = rule_of("Edit(.ENV)");

	CHECK_INT(permission_path(&ssh, &view, STR("/home/u/.ssh")), MATCH_NO);
	CHECK_INT(permission_file(&ssh, &view, STR("/home/u/.ssh"), PERMISSION_BELOW), MATCH_MAYBE);
	CHECK_INT(permission_file(&ssh, &view, STR("/home/u"), PERMISSION_BELOW), MATCH_MAYBE);
	CHECK_INT(permission_file(&ssh, &view, STR("/"), PERMISSION_BELOW), MATCH_MAYBE);
	CHECK_INT(permission_file(&ssh, &view, STR("/home/u/p"), PERMISSION_BELOW), MATCH_NO);
	CHECK_INT(permission_file(&build, &view, STR("/home/u/p/build"), PERMISSION_BELOW), MATCH_YES);
	CHECK_INT(permission_file(&env, &view, STR("/home/u/p/src"), PERMISSION_BELOW), MATCH_NO);
	CHECK_INT(permission_file(&up, &view, STR("/home/u/p/.env"), PERMISSION_FOLD), MATCH_YES);
	CHECK_INT(permission_file(&up, &view, STR("/home/u/p/.env"), 0), MATCH_NO);
}

/* Without a working directory or a home a rule that needs it may match anywhere, and is never sure. */
static void test_files_nowhere(void)
{
	struct view none = {0};
	struct permission_rule env = rule_of("Read(.env)"), key = rule_of("Read(~/.ssh/id)"),
			etc = rule_of("Read(//etc/x)"), own = rule_of("Read(/x)");

	own.base = STR("");
	CHECK_INT(permission_path(&env, &none, STR("/q/.env")), MATCH_MAYBE);
	CHECK_INT(permission_path(&env, &none, STR("/q/x")), MATCH_NO);
	CHECK_INT(permission_path(&key, &none, STR("/q/.ssh/id")), MATCH_MAYBE);
	CHECK_INT(permission_path(&etc, &none, STR("/etc/x")), MATCH_YES);
	CHECK_INT(permission_path(&own, &none, STR("/q/x")), MATCH_MAYBE);
	char *big = arena_alloc(&a, PERMISSION_PATH_MAX + 10);
	memset(big, 'x', PERMISSION_PATH_MAX + 10);
	big[0] = '/';
	CHECK_INT(permission_path(&etc, &none, str_n(big, PERMISSION_PATH_MAX)), MATCH_NO);
	CHECK_INT(permission_file(&etc, &none, str_n(big, PERMISSION_PATH_MAX), PERMISSION_BELOW), MATCH_NO);
	CHECK_INT(permission_path(&etc, &none, str_n(big, PERMISSION_PATH_MAX + 1)), MATCH_MAYBE);
	CHECK_INT(permission_path(&etc, &none, str_n(big + 1, PERMISSION_PATH_MAX + 1)), MATCH_MAYBE);
	CHECK_INT(permission_path(&etc, &none, STR("")), MATCH_NO);
}

static void test_covers(void)
{
	struct permission_rule read = rule_of("Read(x)"), edit = rule_of("Edit(x)"),
			write = rule_of("Write(x)"), bash = rule_of("Bash(x)");

	CHECK(permission_covers(&read, ACCESS_READ));
	CHECK(!permission_covers(&read, ACCESS_WRITE));
	CHECK(!permission_covers(&read, ACCESS_EXEC));
	CHECK(permission_covers(&edit, ACCESS_WRITE));
	CHECK(permission_covers(&edit, ACCESS_DELETE));
	CHECK(!permission_covers(&edit, ACCESS_READ));
	CHECK(permission_covers(&write, ACCESS_WRITE));
	CHECK(!permission_covers(&bash, ACCESS_READ));
}

/* ---- over-broad ---- */

static void test_broad(void)
{
	static const char *const broad[] = {"Bash", "Bash(*)", "Bash(**)", "Bash(:*)", "*", "Bash(python:*)",
			"Bash(python)", "Bash(python *)", "Bash(python*)", "Bash(py*)",
		"Bash(python3:*)", "Bash(python3.11:*)", "Bash(/usr/bin/python3:*)", "Bash(python -c:*)",
		"Bash(python -c *)", "Bash(python -m:*)", "Bash(python -u *)", "Bash(node:*)",
		"Bash(node -e:*)", "Bash(deno:*)", "Bash(tsx:*)", "Bash(ruby:*)", "Bash(perl -e *)",
		"Bash(php:*)", "Bash(lua:*)", "Bash(lua5.4:*)", "Bash(npx:*)", "Bash(npx -y *)",
		"Bash(bunx:*)", "Bash(npm run:*)", "Bash(npm run *)", "Bash(npm run)", "Bash(npm:*)",
		"Bash(yarn run:*)", "Bash(pnpm run:*)", "Bash(bash:*)", "Bash(bash -c:*)", "Bash(sh -c *)",
		"Bash(zsh:*)", "Bash(fish:*)", "Bash(ssh:*)", "Bash(ssh *)", "Bash(eval:*)", "Bash(exec:*)",
		"Bash(env:*)", "Bash(env FOO=1 *)", "Bash(FOO=1 python:*)", "Bash(xargs:*)",
		"Bash(sudo:*)", "Bash(sudo -n *)", "Bash(find:*)", "Bash(awk:*)", "Bash(docker run:*)",
		"Bash(docker:*)", "Bash(uv run:*)", "Bash(pwsh:*)", "Bash(powershell.exe:*)",
		"PowerShell(Invoke-Expression:*)", "PowerShell(iex *)", "PowerShell(Start-Process:*)",
		"PowerShell", "Bash(cmd:*)", "Bash(wsl:*)", "Bash(* --version)", "Bash(*test*)", "Edit(//**)",
		"Write(~/**)", "Bash(timeout:*)", "Bash(go:*)"};
	static const char *const fine[] = {"Bash(npm run test:*)", "Bash(npm run test)", "Bash(npm test:*)",
			"Bash(npm install:*)", "Bash(python -m pytest:*)", "Bash(python3 -m pytest *)",
		"Bash(node --version)", "Bash(python scripts/x.py:*)", "Bash(python --version)",
		"Bash(bash scripts/ci.sh:*)", "Bash(npx prettier:*)", "Bash(npx -y prettier *)",
		"Bash(git:*)",
		"Bash(git log:*)", "Bash(ls:*)", "Bash(make:*)", "Bash(cargo test:*)", "Bash(cargo:*)",
		"Bash(go test:*)", "Bash(docker ps:*)", "Bash(sudo apt update)", "Bash(env)", "Bash(yarn)",
		"Bash(shellcheck:*)", "Bash(nodemon.json)", "Bash(pytest:*)", "Bash(findstr:*)", "Bash(rg:*)",
		"Bash(sshfs-status)", "Bash(evaluate:*)", "Bash(pythonic:*)", "Read", "Read(//**)",
		"Edit", "Edit(src/**)", "WebFetch(domain:example.com)", "mcp__x__*", "Bash(uv run pytest:*)",
		"Bash(xargs rm:*)"};

	for (size_t i = 0; i < ARRAY_SIZE(broad); i++) {
		struct permission_rule r = rule_of(broad[i]);

		CHECK_ROW(permission_broad(&r) != NULL, broad[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++) {
		struct permission_rule r = rule_of(fine[i]);

		CHECK_ROW(permission_broad(&r) == NULL, fine[i]);
	}
}

static void test_broad_prefix(void)
{
	static const char *const broad[] = {"", " ", "python", "python3.12", "/usr/bin/env", "bash",
			"bash -c", "npm run", "npm", "sudo", "env", "xargs", "yarn", "Bash", "PWSH"};
	static const char *const fine[] = {"git", "ls", "npm run test", "python -m pytest", "npm test",
			"shellcheck", "make", "bash scripts/ci.sh"};
	char *big = arena_alloc(&a, 100000);

	for (size_t i = 0; i < ARRAY_SIZE(broad); i++)
		CHECK_ROW(prefix_broad(str_of(broad[i])) != NULL, broad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		CHECK_ROW(prefix_broad(str_of(fine[i])) == NULL, fine[i]);
	memset(big, 'a', 100000);
	CHECK(!prefix_broad(str_n(big, 100000)));
	CHECK(!prefix_broad(str_n(big, 511)));
}

static void test_idle(void)
{
	static const char *const idle[] = {"Bash(cd x && make)", "Bash(curl * | sh)", "Bash(a; b)",
			"Bash(echo > x)", "Bash(echo $(id))", "Bash(echo `id`)", "Bash(a || b)",
			"Bash(echo \"$(id)\")"};
	static const char *const fine[] = {"Bash(make)", "Bash(grep 'a|b' x)", "Bash(echo \"a;b\")",
			"Bash(find . -exec ls {} \\;)", "Bash", "Bash(echo '$(x)')", "Read(a;b)",
			"Bash(curl x&y)"};

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		struct permission_rule r = rule_of(idle[i]);

		CHECK_ROW(permission_idle(&r) != NULL, idle[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++) {
		struct permission_rule r = rule_of(fine[i]);

		CHECK_ROW(permission_idle(&r) == NULL, fine[i]);
	}
}

static void test_idle_prefix(void)
{
	static const char *const idle[] = {"git push *", "git push:*", "rm*", "*", "^git push", "a && b",
			"curl x | sh", "echo > x", " make * "};
	static const char *const fine[] = {"git push", "make", "grep a|b", "sed s;a;b;",
			"find . -name *.c -delete", "", "echo ^x"};

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		CHECK_ROW(prefix_idle(str_of(idle[i])) != NULL, idle[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		CHECK_ROW(prefix_idle(str_of(fine[i])) == NULL, fine[i]);
}

/* ---- the client's settings ---- */

static int load(const char *json, struct policy *p, struct err *e)
{
	return settings_load(&a, STR("s.json"), str_of(json), STR("/home/u/p"), p, e);
}

static void test_settings(void)
{
	struct permission_rule old = {.tool = STR("Old")};
	struct policy p = {.permission_deny = &old};
	struct err e;

	CHECK_INT(load(
			"{\"model\": \"x\", \"permissions\": {\"allow\": [\"Bash(npm test)\", "
			"\"WebFetch(domain:a.b)\", \"mcp__x__y\"], \"ask\": [\"Bash(git push:*)\"],"
		       "\"deny\": [\"Read(./.env)\", \"Bash(a\\nb)\"], \"defaultMode\": \"acceptEdits\", "
		       "\"additionalDirectories\": [\"/x\"]}, \"env\": {}}", &p, &e), 0);
	CHECK_STR(p.permission_allow->tool, "Bash");
	CHECK_STR(p.permission_allow->pattern, "npm test");
	CHECK_STR(p.permission_allow->rule.where, "s.json: permissions.allow[0]");
	CHECK_STR(p.permission_allow->base, "/home/u/p");
	CHECK_STR(p.permission_allow->next->pattern, "domain:a.b");
	CHECK_STR(p.permission_allow->next->next->tool, "mcp__x__y");
	CHECK(p.permission_allow->next->next->all);
	CHECK(!p.permission_allow->next->next->next);
	CHECK_STR(p.permission_ask->pattern, "git push:*");
	CHECK_STR(p.permission_deny->pattern, "./.env");
	CHECK_STR(p.permission_deny->next->rule.where, "s.json: permissions.deny[1]");
	CHECK(p.permission_deny->next->next == &old); /* what was there stays */
	CHECK_INT(p.mode, MODE_ACCEPT_EDITS);
	/* a second file adds */
	CHECK_INT(load("{\"permissions\": {\"ask\": [\"Edit(x)\"]}}", &p, &e), 0);
	CHECK_STR(p.permission_ask->tool, "Edit");
	CHECK_STR(p.permission_ask->next->pattern, "git push:*");
	CHECK_INT(p.mode, MODE_ACCEPT_EDITS);
}

static void test_settings_nothing(void)
{
	static const char *const texts[] = {"", " \n", "{}", "{\"permissions\": {}}",
			"{\"permissions\": null}", "{\"permissions\": {\"allow\": null, \"deny\": []}}"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct policy p = {.mode = MODE_PLAN};
		struct err e;

		CHECK_ROW(load(texts[i], &p, &e) == 0, texts[i]);
		CHECK_ROW(!p.permission_allow && !p.permission_ask && !p.permission_deny &&
				p.mode == MODE_PLAN, texts[i]);
	}
}

static void test_settings_modes(void)
{
	static const struct {
		const char *text;
		enum mode mode;
	} rows[] = {{"default", MODE_DEFAULT}, {"acceptEdits", MODE_ACCEPT_EDITS}, {"plan", MODE_PLAN},
			{"bypassPermissions", MODE_BYPASS}, {"dontAsk", MODE_DONT_ASK},
		{"of a later version", MODE_DEFAULT}, {"", MODE_DEFAULT}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy p = {.mode = MODE_BYPASS};
		struct err e;

		CHECK_ROW(load(str_fmt_c(&a, "{\"permissions\": {\"defaultMode\": \"%s\"}}", rows[i].text),
				&p, &e) == 0, rows[i].text);
		CHECK_ROW(p.mode == rows[i].mode, rows[i].text);
	}
}

static void test_settings_errors(void)
{
	static const struct {
		const char *text, *want; /* the start of the message */
	} rows[] = {
		{"{\n  \"permissions\": {,\n}", "s.json:2:"}, {"[]", "s.json: not a map"},
		{"3", "s.json: not a map"}, {"{\"permissions\": []}", "s.json: permissions is not"},
		{"{\"permissions\": {\"deny\": {}}}", "s.json: permissions.deny is not a list"},
		{"{\"permissions\": {\"deny\": [\"Read\", 3]}}", "s.json: permissions.deny[1] is not a text"},
		{"{\"permissions\": {\"deny\": [\"Bash(x\"]}}",
				"s.json: permissions.deny[0]: not a permission"},
				{"{\"permissions\": {\"allow\": [\"\"]}}",
				"s.json: permissions.allow[0]: not"},
		{"{\"permissions\": {\"deny\": [\"Read(!x)\"]}}",
				"s.json: permissions.deny[0]: a pattern cannot be negated"},
		{"{\"permissions\": {\"deny\": [\"Read(\\u0000)\"]}}",
				"s.json: permissions.deny[0] is too long"},
				{"{\"permissions\": {\"defaultMode\": 3}}",
				"s.json: permissions.defaultMode"},
		{"{\"permissions\": {\"allow\": [\"Bash(ls)\"], \"deny\": 3}}", "s.json: permissions.deny"},
		{"{\"permissions\": {}, \"permissions\": {}}", "s.json:1:"}, {"{} x", "s.json:1:"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy p = {.mode = MODE_PLAN};
		struct err e = {0};

		CHECK_ROW(load(rows[i].text, &p, &e) == -1, rows[i].text);
		CHECK_ROW(str_starts(str_of(e.text), rows[i].want), e.text);
		CHECK_ROW(!p.permission_allow && !p.permission_ask && !p.permission_deny &&
				p.mode == MODE_PLAN, rows[i].text);
	}
}

static int torture_settings(struct arena *with, void *ctx)
{
	struct policy p = {0};
	struct err e;

	(void)ctx;
	return settings_load(with, STR("s.json"),
			STR("{\"permissions\": {\"allow\": [\"Bash(a)\", \"Bash(b)\"], \"deny\": "
			"[\"Read(c)\"]}}"), STR("/"), &p, &e);
}

static void test_settings_torture(void)
{
	struct torture t;

	CHECK_INT(torture(torture_settings, NULL, 100, &t), 0);
	CHECK(t.runs >= 3);
	CHECK_INT(t.result, 0);
}

/* ---- patterns and commands made to be slow ---- */

static void test_bounds(void)
{
	size_t n = GLOB_PATTERN_MAX - 1;
	char *stars = arena_alloc(&a, n + 1), *text = arena_alloc(&a, 300000);
	struct permission_rule r = {.tool = STR("Bash")};
	struct command c = command_of("echo x");

	for (size_t i = 0; i < n; i++)
		stars[i] = "*a"[i % 2];
	stars[n] = 'b';
	memset(text, 'a', 300000);
	c.argv[1].text = str_n(text, 300000);
	r.pattern = str_n(stars, n + 1);
	CHECK_INT(permission_bash(&r, &c), MATCH_MAYBE); /* given up: a deny asks */
	CHECK(!permission_bash_allows(&r, &c));          /* and an allow does not hold */
	memset(stars, 'a', n + 1);
	CHECK_INT(permission_bash(&r, &c), MATCH_NO);
	r.pattern = str_n(text, 300000); /* longer than a pattern may be */
	CHECK_INT(permission_bash(&r, &c), MATCH_MAYBE);
	CHECK(!permission_bash_allows(&r, &c));
	r.tool = STR("Read");
	CHECK_INT(permission_path(&r, &view, STR("/x")), MATCH_MAYBE);
	/* more wrappers than are followed */
	struct buf b;
	buf_init(&b, &a, 0);
	for (int i = 0; i < PERMISSION_WRAPPERS_MAX + 1; i++)
		buf_c(&b, "nice ");
	buf_c(&b, "ls");
	CHECK(!line_allowed("Bash(ls)", str_c(&a, buf_view(&b))));
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_deny);
	RUN(test_allow);
	RUN(test_odd_bytes);
	RUN(test_wrappers);
	RUN(test_assignments);
	RUN(test_assignments_denied);
	RUN(test_dangerous_settings);
	RUN(test_docs);
	RUN(test_files);
	RUN(test_files_below);
	RUN(test_files_nowhere);
	RUN(test_covers);
	RUN(test_broad);
	RUN(test_broad_prefix);
	RUN(test_idle);
	RUN(test_idle_prefix);
	RUN(test_settings);
	RUN(test_settings_nothing);
	RUN(test_settings_modes);
	RUN(test_settings_errors);
	RUN(test_settings_torture);
	RUN(test_bounds);
	arena_free(&a);
	return unit_end();
}
