/*
 * The table of variables (knowledge/variables.yaml): every name is found, every value of `ordinary` and
 * `acts` is what it says, and a variable that acts is judged alike wherever it is set: by a shell, by Python,
 * JavaScript or PowerShell.
 */
#include <stdlib.h>

#include "config/config.h"
#include "config/yaml.h"
#include "gate/gate.h"
#include "gate/leading_variables.h"
#include "judge/engine.h"
#include "knowledge/variables.h"
#include "run/run.h"
#include "sys/file.h"
#include "unit.h"

#define TABLE_MAX ((size_t)1 << 20)
#define HOME "/home/dev"

static struct arena arena;
static struct yaml_file table;
static struct policy policy;

static void test_load(void)
{
	struct err e = {0};
	struct str text;

	CHECK_INT(file_read(&arena, "knowledge/variables.yaml", TABLE_MAX, &text, NULL, &e), 0);
	CHECK_INT(yaml_read(&arena, STR("variables.yaml"), text, &table, &e), 0);
	CHECK(table.root && yaml_get(table.root, "variables"));
}

/* ---- rows ---- */

struct visit {
	const struct ynode *row;
	struct str name;        /* as the row spells it */
	struct str real;        /* with ZQ in place of stars */
	const struct var_row *r;
};

static struct str without_stars(struct str name)
{
	struct buf b;

	buf_init(&b, &arena, 0);
	for (size_t i = 0; i < name.n; i++)
		name.p[i] == '*' ? buf_c(&b, "ZQ") : buf_char(&b, name.p[i]);
	return buf_view(&b);
}

static bool has_effect(const struct ynode *row)
{
	struct str effect = yaml_get(row, "effect")->text;

	return !str_is(effect, "secret") && !str_is(effect, "place");
}

static void each_name(void (*fn)(const struct visit *v))
{
	for (const struct ynode *row = yaml_get(table.root, "variables")->child; row; row = row->next) {
		struct str rest = yaml_get(row, "name")->text, name;

		while (has_effect(row) && (name = str_word(&rest)).n) {
			struct visit v = {.row = row, .name = name, .real = without_stars(name)};

			v.r = var_find(v.real);
			fn(&v);
		}
	}
}

static size_t names;

static void is_found(const struct visit *v)
{
	char *lower = str_c(&arena, v->real);

	names++;
	CHECK_ROW(v->r && str_is(v->name, var_text(v->r->name)), str_c(&arena, v->name));
	for (size_t i = 0; i < v->real.n; i++)
		lower[i] = (char)(lower[i] >= 'A' && lower[i] <= 'Z' ? lower[i] + 32 : lower[i]);
	CHECK_ROW(var_find_folded(str_of(lower)), lower);
	CHECK_ROW(leading_variable_is_dangerous(v->real) == (v->r->effect != VAR_NONE),
			str_c(&arena, v->real));
	CHECK_ROW(variable_hijacks(v->real) == !!(v->r->bits & VAR_HIJACKS), str_c(&arena, v->real));
}

static void test_names(void)
{
	each_name(is_found);
	printf("# %zu names\n", names);
	CHECK(names > 600);
	CHECK(!var_find(STR("")) && !var_find(STR("FOO")) && !var_find(str_n("PATH\0", 5)));
	CHECK(!var_find(STR("ld_preload")) && var_find(STR("NPM_CONFIG_SHELL")) &&
			var_find(STR("npm_config_shell")));
	CHECK(var_find(STR("GIT_FOO"))->effect == VAR_CHANGES &&
			var_find(STR("GIT_AUTHOR_NAME"))->effect == VAR_NONE);
}

/* ---- values ---- */

static struct str with_home(struct str value)
{
	return str_starts(value, "~") ? str_cat(&arena, STR(HOME), str_sub(value, 1, value.n)) : value;
}

static void check_values(const struct visit *v, const char *key, bool ordinary)
{
	const struct ynode *list = yaml_get(v->row, key);

	for (const struct ynode *c = list ? list->child : NULL; c; c = c->next) {
		char *what = str_fmt_c(&arena, "%.*s=%.*s is not as 'variables.yaml' says: %s",
				STR_ARG(v->real), STR_ARG(c->text), key);

		CHECK_ROW(var_ordinary(v->r, with_home(c->text), STR(HOME)) == ordinary, what);
	}
}

static bool acts(const struct var_row *r) { return r->effect != VAR_NONE && r->effect != VAR_CHANGES; }

static void has_values(const struct visit *v)
{
	check_values(v, "ordinary", true);
	check_values(v, "acts", false);
	if (!acts(v->r))
		return;
	CHECK_ROW(!var_ordinary(v->r, STR("./unlikely"), STR(HOME)) || (v->r->bits & VAR_OPERANDS),
			str_c(&arena, v->real));
	/* a value that is not known */
	CHECK_ROW(!var_ordinary(v->r, str_n("\0", 1), STR(HOME)), str_c(&arena, v->real));
	CHECK_ROW(!var_ordinary(v->r, STR("~/x/../../evil"), STR(HOME)) || (v->r->bits & VAR_OPERANDS),
			str_c(&arena, v->real));
	CHECK_ROW(!var_ordinary(v->r, STR(HOME "/.aws/../../evil"), STR(HOME)) ||
			(v->r->bits & VAR_OPERANDS) || v->r->effect == VAR_HOST, str_c(&arena, v->real));
}

static void test_values(void)
{
	each_name(has_values);
	CHECK(var_idle(STR("")) && var_idle(STR("cat")) && var_idle(STR(":")) && !var_idle(STR("vim")) &&
			!var_idle(STR("cat x")));
}

/* ---- the same wherever it is set ---- */

struct trial {
	struct arena *a;
	struct str command;
	enum dialect dialect;
	enum verdict verdict;
};

static int judge(void *arg)
{
	struct trial *t = arg;
	struct engine_request rq = {.command = t->command, .dialect = t->dialect,
			.context = &(struct context){.cwd = STR("/w/p"), .home = STR(HOME),
			.user = STR("dev")}};
	struct policies all;
	struct judgement j = {0};
	struct facts f = {0};
	struct err e = {0};

	policies_of(&policy, &all);
	CHECK_INT(engine_judge(t->a, &rq, &all, &f, &j, &e), 0);
	t->verdict = j.verdict;
	return 0;
}

static enum verdict verdict_of(struct str command, enum dialect dialect)
{
	struct arena a;
	struct trial t = {.a = &a, .command = command, .dialect = dialect};

	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK_INT(arena_run(&a, judge, &t), 0);
	arena_free(&a);
	return t.verdict;
}

/* A value with which a variable of this kind does what it can. */
static const char *bad_value(const struct var_row *r)
{
	switch ((enum var_effect)r->effect) {
	case VAR_PROMPT: return "$(./x)";
	case VAR_WRITE: case VAR_WRITE_TREE: return "/etc/x";
	case VAR_HOST: return "192.0.2.7";
	case VAR_OPTIONS: return "--unlikely ./x";
	case VAR_CODE: return "system(./x)";
	default: return "./x";
	}
}

/* Ways to set a variable and to start a program: %s is the name, then the value. */
static const struct {
	const char *format;
	enum dialect dialect;
	/*
	 * the reader of the language gives up when a variable is set and a program started: the code runs in
	 * the box at best
	 */
	bool unread;
} ways[] = {
	{"export %s='%s'; ls", DIALECT_BASH, false},
	{"env %s='%s' ls", DIALECT_BASH, false},
	{"python3 -c 'import os,subprocess; os.environ[\"%s\"]=\"%s\"; subprocess.run([\"ls\"])'",
			DIALECT_BASH, false},
	{"python3 -c 'import os; os.putenv(\"%s\",\"%s\"); os.system(\"ls\")'", DIALECT_BASH, false},
	{"python3 -c 'import os,subprocess; os.environ.update({\"%s\":\"%s\"}); subprocess.run([\"ls\"])'",
			DIALECT_BASH, false},
	{"python3 -c 'import os,subprocess; os.environ.setdefault(\"%s\",\"%s\"); subprocess.run([\"ls\"])'",
			DIALECT_BASH, false},
	{"python3 -c 'import os,subprocess; subprocess.run([\"ls\"],env={**os.environ,\"%s\":\"%s\"})'",
			DIALECT_BASH, false},
	{"node -e 'process.env.%s=\"%s\";require(\"child_process\").execSync(\"ls\")'", DIALECT_BASH, false},
	{"node -e 'process.env[\"%s\"]=\"%s\";require(\"child_process\").spawnSync(\"ls\")'", DIALECT_BASH,
			false},
	{"node -e 'require(\"child_process\").execSync(\"ls\",{env:{...process.env,\"%s\":\"%s\"}})'",
			DIALECT_BASH, false},
	{"$env:%s='%s'; git status", DIALECT_POWERSHELL, false},
	{"perl -e '$ENV{%s}=\"%s\"; system(\"ls\")'", DIALECT_BASH, true},
	{"ruby -e 'ENV[\"%s\"]=\"%s\"; system(\"ls\")'", DIALECT_BASH, true},
	{"php -r 'putenv(\"%s=%s\"); system(\"ls\");'", DIALECT_BASH, true},
	{"awk 'BEGIN{ENVIRON[\"%s\"]=\"%s\"; system(\"ls\")}'", DIALECT_BASH, true},
};

static struct str put_into(const char *format, struct str name, const char *value)
{
	char line[1024];

	snprintf(line, sizeof(line), format, str_c(&arena, name), value);
	return str_dup(&arena, str_of(line));
}

static size_t compared;

/* No way to set it is milder than the shell's own. */
static void is_judged_alike(const struct visit *v)
{
	enum verdict shell;

	if (!acts(v->r) || str_contains(v->real, STR("%")) || str_is(v->real, "path"))
		return;
	shell = verdict_of(put_into("%s='%s' ls", v->real, bad_value(v->r)), DIALECT_BASH);
	CHECK_ROW(shell < VERDICT_ALLOW || (v->r->bits & VAR_OPERANDS), str_c(&arena, v->real));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct str command = put_into(ways[i].format, v->real, bad_value(v->r));

		compared++;
		CHECK_ROW(verdict_of(command, ways[i].dialect) <= (ways[i].unread ? VERDICT_CONTAIN : shell),
				str_c(&arena, command));
	}
}

static void test_alike(void)
{
	config_default(&policy);
	each_name(is_judged_alike);
	printf("# %zu commands\n", compared);
	CHECK(compared > 3000);
}

/*
 * Nor is any needlessly strict: what is ordinary in a shell is ordinary in the languages that are read by
 * their grammar.
 */
static void is_quiet(const struct visit *v)
{
	const struct ynode *list = yaml_get(v->row, "ordinary");

	if (str_is(v->real, "HOME"))
		return; /* the code itself finds other files by it */
	for (const struct ynode *c = list ? list->child : NULL; c; c = c->next) {
		char *value = str_c(&arena, with_home(c->text));

		for (size_t i = 0; i < 10; i++) {
			struct str command = put_into(ways[i].format, v->real, value);

			CHECK_ROW(verdict_of(command, ways[i].dialect) == VERDICT_ALLOW,
					str_c(&arena, command));
		}
	}
}

static void test_quiet(void)
{
	each_name(is_quiet);
}

int main(void)
{
	arena_init(&arena, (size_t)1 << 30);
	RUN(test_load);
	RUN(test_names);
	RUN(test_values);
	RUN(test_alike);
	RUN(test_quiet);
	arena_free(&arena);
	return unit_end();
}
