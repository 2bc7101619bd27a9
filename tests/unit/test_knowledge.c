/*
 * The knowledge table: every row's own examples (in the YAML files), then what examples cannot say: unknown
 * words, look-up, users' rows, bounds. An example's command is split at blanks; '...' and "..." quote; "$v"
 * is one unknown word, $v any number of words.
 */
#include <glob.h>
#include <stdlib.h>

#include "config/knowledge_yaml.h"
#include "knowledge/knowledge.h"
#include "knowledge/scan.h"
#include "unit.h"

#define ARGV_MAX 64

static struct arena arena;

static size_t split(struct str s, struct word *argv)
{
	size_t n = 0, i = 0;
	while (i < s.n && n < ARGV_MAX) {
		if (s.p[i] == ' ') {
			i++;
			continue;
		}
		struct buf b;
		enum word_kind kind = WORD_EXACT;
		char quote = 0;
		buf_init(&b, &arena, 0);
		for (; i < s.n && (quote || s.p[i] != ' '); i++) {
			if (quote ? s.p[i] == quote : s.p[i] == '\'' || s.p[i] == '"') {
				quote = quote ? 0 : s.p[i];
			} else if (s.p[i] == '$' && quote != '\'' && i + 1 < s.n && s.p[i + 1] == 'v') {
				kind = quote ? WORD_UNKNOWN : WORD_REST;
				buf_char(&b, HOLE_ANY);
				i++;
			} else {
				buf_char(&b, s.p[i]);
			}
		}
		argv[n++] = (struct word){.kind = kind, .text = kind == WORD_REST ? STR("") : buf_view(&b)};
	}
	return n;
}

static void show_word(struct buf *b, struct word w, bool quote)
{
	if (w.kind == WORD_REST) {
		buf_c(b, "$v");
		return;
	}
	quote = quote && str_find(w.text, ' ', 0) >= 0;
	if (quote)
		buf_char(b, '\'');
	if (w.kind == WORD_UNKNOWN && !w.text.n)
		buf_char(b, '?');
	for (size_t i = 0; i < w.text.n; i++)
		buf_char(b, w.text.p[i] == HOLE_ANY || w.text.p[i] == HOLE_NUM ? '?' : w.text.p[i]);
	if (quote)
		buf_char(b, '\'');
}

static struct str show_use(const struct know_use *u, const struct word *argv)
{
	struct buf b;
	buf_init(&b, &arena, 0);
	if (u->role == USE_COMMAND || (u->role == USE_SCRIPT && u->to > u->from + 1)) {
		for (size_t i = u->from; i < u->to; i++) {
			if (i > u->from)
				buf_char(&b, ' ');
			show_word(&b, argv[i], u->role == USE_COMMAND);
		}
	} else {
		show_word(&b, u->value, false);
	}
	return buf_view(&b);
}

static bool from_stdin(const struct know_use *u)
{
	return u->role == USE_STDIN_SCRIPT || u->role == USE_STDIN_COMMAND ||
			((u->role == USE_CODE || u->role == USE_DATA) && u->from == u->to);
}

/* The keys of an example; strict keys must list everything even if they are absent. */
static const struct {
	const char *key;
	enum know_role role;
	bool strict;
} keys[] = {
	{"commands", USE_COMMAND, true}, {"scripts", USE_SCRIPT, true}, {"code", USE_CODE, true},
	{"writes", USE_WRITE, true}, {"deletes", USE_DELETE, true},
	{"execs", USE_EXEC, true}, {"split", USE_SPLIT, true}, {"reads", USE_READ, false},
	{"hosts", USE_HOST, false}, {"dirs", USE_DIR, false},
	{"assigns", USE_ASSIGN, false},
};

static void check_list(const char *what, const char *key, enum know_role role, const struct ynode *want,
		const struct know_result *r, const struct word *argv)
{
	const struct ynode *w = want ? want->child : NULL;
	for (const struct know_use *u = r->uses; u; u = u->next) {
		if (u->role != role || from_stdin(u))
			continue;
		struct str got = show_use(u, argv);
		if (!w || !str_eq(w->text, got))
			unit_fail(__FILE__, __LINE__, "%s: %s: got '%.*s', want '%.*s'", what, key,
					STR_ARG(got), w ? (int)w->text.n : 4, w ? w->text.p : "none");
		w = w ? w->next : NULL;
	}
	if (w)
		unit_fail(__FILE__, __LINE__, "%s: %s: missing '%.*s'", what, key, STR_ARG(w->text));
}

static void check_bool(const char *what, const struct ynode *ex, const char *key, bool got, bool strict)
{
	const struct ynode *n = yaml_get(ex, key);
	bool want = n && str_is(n->text, "true");
	if ((n || strict) && got != want)
		unit_fail(__FILE__, __LINE__, "%s: %s is %s", what, key, got ? "true" : "false");
}

static bool has_role(const struct know_result *r, enum know_role role)
{
	for (const struct know_use *u = r->uses; u; u = u->next)
		if (u->role == role)
			return true;
	return false;
}

/* Effects, when an example gives them, must be exactly these. */
static void check_effects(const char *what, const struct ynode *want, unsigned got)
{
	static const char *const names[] = {"network", "privilege", "persistence", "system",
			"history-rewrite", "executes-workspace", "copies", "links", "includes"};
	unsigned bits = 0;
	for (const struct ynode *c = want ? want->child : NULL; c; c = c->next) {
		size_t i = 0;
		while (i < ARRAY_SIZE(names) && !str_is(c->text, names[i]))
			i++;
		CHECK_ROW(i < ARRAY_SIZE(names), what);
		bits |= 1u << i;
	}
	if (want && bits != got)
		unit_fail(__FILE__, __LINE__, "%s: effects are %#x, want %#x", what, got, bits);
}

static size_t examples;

static void run_example(const struct ynode *ex)
{
	const struct ynode *cmd = yaml_get(ex, "cmd");
	struct word argv[ARGV_MAX];
	struct know_result r;
	size_t argc = split(cmd->text, argv);
	const char *what = str_c(&arena, cmd->text);
	const struct know_row *row = argc ? know_find(argv[0].text, NULL, 0) : NULL;
	examples++;
	if (!row) {
		unit_fail(__FILE__, __LINE__, "%s: no row", what);
		return;
	}
	know_apply(&arena, row, argv, argc, &r);
	for (const struct ynode *c = ex->child; c; c = c->next) {
		bool known = str_is(c->key, "cmd") || str_is(c->key, "opaque") || str_is(c->key, "stdin") ||
				str_is(c->key, "readonly") ||
		             str_is(c->key, "effects");
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			known |= str_is(c->key, keys[i].key);
		if (!known)
			unit_fail(__FILE__, __LINE__, "%s: an example cannot say '%.*s'", what,
					STR_ARG(c->key));
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct ynode *want = yaml_get(ex, keys[i].key);
		if (want || keys[i].strict)
			check_list(what, keys[i].key, keys[i].role, want, &r, argv);
	}
	bool stdin_used = false;
	for (const struct know_use *u = r.uses; u; u = u->next)
		stdin_used |= from_stdin(u);
	check_bool(what, ex, "opaque", has_role(&r, USE_OPAQUE), true);
	check_bool(what, ex, "stdin", stdin_used, true);
	check_bool(what, ex, "readonly", r.readonly, false);
	check_effects(what, yaml_get(ex, "effects"), r.effects);
}

static struct str read_whole(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *p = malloc(YAML_BYTES_MAX);
	size_t n = f && p ? fread(p, 1, YAML_BYTES_MAX, f) : 0;
	if (f)
		fclose(f);
	struct str s = str_dup(&arena, str_n(p, n));
	free(p);
	return s;
}

static struct yaml_file files[64];
static size_t nfiles;

/* Files whose rows are no commands have tests of their own. */
static bool of_other_kind(const char *path)
{
	static const char others[][16] = {"caches", "network", "registries", "secrets", "toolchains",
			"variables"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(path, others[i]))
			return true;
	return false;
}

static void load_files(void)
{
	glob_t g;
	struct err e = {0};
	CHECK_INT(glob("knowledge/*.yaml", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc && nfiles < 64; i++) {
		if (of_other_kind(g.gl_pathv[i]))
			continue;
		CHECK_INT(yaml_read(&arena, str_dup(&arena, str_of(g.gl_pathv[i])), read_whole(g.gl_pathv[i]),
				&files[nfiles], &e), 0);
		nfiles += files[nfiles].root != NULL;
	}
	globfree(&g);
	CHECK(nfiles >= 3);
}

static void test_examples(void)
{
	load_files();
	for (size_t i = 0; i < nfiles; i++)
		for (const struct ynode *row = files[i].root->child; row; row = row->next) {
			const struct ynode *ex = yaml_get(row, "examples");
			for (const struct ynode *c = ex ? ex->child : NULL; c; c = c->next)
				run_example(c);
		}
	printf("# %zu examples\n", examples);
	CHECK(examples > 150);
}

/* A row that gives its operands a role must show it. */
static void test_rows_have_examples(void)
{
	for (size_t i = 0; i < nfiles; i++)
		for (const struct ynode *row = files[i].root->child; row; row = row->next) {
			const struct ynode *ops = yaml_get(row, "operands"), *ex = yaml_get(row, "examples");
			if (((ops && ops->child) || yaml_get(row, "unwrap")) && (!ex || !ex->child))
				yaml_fail(&files[i], row, false, NULL, "x"),
						unit_fail(__FILE__, __LINE__,
						"%.*s:%u: a row without examples", STR_ARG(files[i].name),
						row->line);
		}
}

/* The names of the baked table are all found again, and are many. */
static void test_lookup(void)
{
	size_t names = 0, commands = 0;
	for (size_t i = 0; i < nfiles; i++)
		for (const struct ynode *row = files[i].root->child; row; row = row->next) {
			const struct ynode *name = yaml_get(row, "name");
			for (const struct ynode *c = name->kind == YNODE_SCALAR ? name : name->child; c;
					c = name->kind == YNODE_SCALAR ? NULL : c->next) {
				names++;
				if (str_find(c->text, ' ', 0) < 0) {
					const struct know_row *r = know_find(c->text, NULL, 0);
					commands++;
					CHECK_ROW(r && str_is(c->text, know_string(r, r->name)),
							str_c(&arena, c->text));
				}
			}
		}
	printf("# %zu commands, %zu names with subcommands\n", commands, names);
	CHECK(commands >= 120);
	CHECK(!know_find(STR(""), NULL, 0));
	CHECK(!know_find(STR("no-such-command"), NULL, 0));
	CHECK(!know_find(STR("sud"), NULL, 0));
	CHECK(!know_find(STR("sudoo"), NULL, 0));
	CHECK(!know_find(STR("git push"), NULL, 0) || know_find(STR("git"), NULL, 0));
}

static struct know_result apply(const char *cmd, struct word *argv, size_t *ret_argc)
{
	struct know_result r = {0};
	*ret_argc = split(str_of(cmd), argv);
	const struct know_row *row = know_find(argv[0].text, NULL, 0);
	if (row)
		know_apply(&arena, row, argv, *ret_argc, &r);
	else
		unit_fail(__FILE__, __LINE__, "%s: no row", cmd);
	return r;
}

/* Flags of uses: what the reader of the table must be told besides the place. */
static void test_flags(void)
{
	static const struct {
		const char *cmd;
		enum know_role role;
		unsigned flags;
	} rows[] = {
		{"xargs rm", USE_COMMAND, USE_MORE},
		{"xargs -I % rm %", USE_COMMAND, USE_MORE | USE_INSIDE},
		{"xargs --repl rm {}", USE_COMMAND, USE_MORE | USE_INSIDE},
		{"find . -exec rm {} ;", USE_COMMAND, USE_INSIDE},
		{"find . -exec rm {} +", USE_COMMAND, USE_INSIDE | USE_MORE},
		{"find . -delete", USE_DELETE, USE_TREE},
		{"ssh host ls", USE_SCRIPT, USE_ELSEWHERE},
		{"docker exec box ls", USE_COMMAND, USE_ELSEWHERE},
		{"kubectl exec pod -- ls", USE_COMMAND, USE_ELSEWHERE},
		{"parallel rm {} ::: a", USE_SCRIPT, USE_MORE | USE_INSIDE},
		{"sudo rm x", USE_COMMAND, 0},
		{"rm -r x", USE_DELETE, USE_TREE},
		{"rm x", USE_DELETE, 0},
		{"tar xf a.tar", USE_WRITE, USE_BELOW | USE_NAMES},
		{"unzip a.zip -d b", USE_WRITE, USE_BELOW | USE_NAMES},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct word argv[ARGV_MAX];
		size_t argc;
		struct know_result r = apply(rows[i].cmd, argv, &argc);
		const struct know_use *u = r.uses;
		while (u && u->role != rows[i].role)
			u = u->next;
		CHECK_ROW(u && u->flags == rows[i].flags, rows[i].cmd);
	}
}

/* Whatever could hide where the inner command starts must say so. */
static void test_opaque(void)
{
	static const struct {
		const char *cmd;
		bool opaque;
	} rows[] = {
		{"sudo \"$v\"", true}, {"sudo $v", true}, {"sudo -u \"$v\" rm", false},
		{"sudo -u $v rm", true}, {"sudo -\"$v\" rm", true},
		{"sudo -u\"$v\" rm", false}, {"sudo --user=\"$v\" rm", false}, {"sudo --us\"$v\" rm", true},
		{"sudo x\"$v\" rm", true},
		{"sudo A=\"$v\" rm", false}, {"sudo rm \"$v\"", false}, {"sudo rm $v", false},
		{"sudo -Q rm", true}, {"sudo -nQ rm", true},
		{"sudo --no rm", false}, {"sudo --pr rm", true}, {"sudo -- \"$v\" x", true},
		{"env -- \"$v\" x", true}, {"nice -- \"$v\" x", false}, {"nohup x\"$v\"", false},
		{"timeout 5\"$v\" rm", false}, {"timeout $v rm", true}, {"timeout -- $v rm", true},
		{"timeout 5 $v", false},
		{"git \"$v\"", true}, {"git $v", true}, {"git log \"$v\"", false},
		{"git -c \"$v\" log", true}, {"git -c user.name=\"$v\" log", false},
		{"git -c core.\"$v\" log", true}, {"git --no-such-global log", true},
		{"git log --no-such-option", false}, {"git -C \"$v\" log", false},
		{"sed \"$v\" f", true}, {"sed -e p \"$v\"", false}, {"sed p \"$v\"", false},
		{"python3 \"$v\"", true}, {"python3 -c 1 \"$v\"", false},
		{"rm \"$v\"", false}, {"rm $v", false}, {"cp a \"$v\"", false}, {"tar $v", true},
		{"tar xf \"$v\"", false}, {"ssh \"$v\" ls", true},
		{"find . -exec echo $v ;", true}, {"find . -exec echo \"$v\" ;", false},
		{"find . -exec echo \"$v\" -exec rm ;", true},
		{"find . -name \"$v\"", false}, {"find . -name $v", true},
		{"find . -name a \"$v\" rm ;", true}, {"dd \"$v\"", false}, {"ls $v", false},
		{"busybox \"$v\" x", true}, {"xargs -n \"$v\" rm", false}, {"docker run \"$v\" ls", true},
		{"docker run -e \"$v\" img ls", false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct word argv[ARGV_MAX];
		size_t argc;
		struct know_result r = apply(rows[i].cmd, argv, &argc);
		CHECK_ROW(has_role(&r, USE_OPAQUE) == rows[i].opaque, rows[i].cmd);
	}
}

static bool use_with(const struct know_result *r, enum know_role role, const char *value)
{
	for (const struct know_use *u = r->uses; u; u = u->next)
		if (u->role == role && str_is(u->value.text, value))
			return true;
	return false;
}

/* After a word of any number every later operand may have any role. */
static void test_rest_overreports(void)
{
	struct word argv[ARGV_MAX];
	size_t argc;
	struct know_result r = apply("cp $v a b", argv, &argc);
	CHECK(use_with(&r, USE_WRITE, "a") && use_with(&r, USE_READ, "a") && use_with(&r, USE_WRITE, "b"));
	r = apply("mv a $v", argv, &argc);
	CHECK(use_with(&r, USE_DELETE, "a") && use_with(&r, USE_WRITE, "a"));
	bool rest = false;
	for (const struct know_use *u = r.uses; u; u = u->next)
		rest |= u->role == USE_WRITE && u->value.kind == WORD_REST;
	CHECK(rest);
	r = apply("rm -- $v x", argv, &argc);
	CHECK(use_with(&r, USE_DELETE, "x"));
	r = apply("tee \"$v\"", argv, &argc);
	CHECK(r.uses && r.uses->role == USE_WRITE && r.uses->value.kind == WORD_UNKNOWN);
	r = apply("sed $v p f", argv, &argc);
	CHECK(use_with(&r, USE_CODE, "p") && use_with(&r, USE_WRITE, "f"));
}

/* Uses stand in the order of the argv, and their indexes are inside it. */
static void test_order(void)
{
	static const char *const cmds[] = {"sudo -u a rm x", "cp a b c", "find a b -exec x {} ; -delete",
			"tar -cf a.tar b c", "git -C d -c core.pager=x log", "env A=b C=d rm",
			"make -f m -C d x"};
	for (size_t i = 0; i < ARRAY_SIZE(cmds); i++) {
		struct word argv[ARGV_MAX];
		size_t argc, last = 0;
		struct know_result r = apply(cmds[i], argv, &argc);
		for (const struct know_use *u = r.uses; u; u = u->next) {
			CHECK_ROW(u->from <= u->to && u->to <= argc, cmds[i]);
			CHECK_ROW(u->from >= last || u->role == USE_DELETE, cmds[i]);
			last = u->role == USE_DIR ? 0 : u->from;
		}
	}
}

/* Uses relative to a directory come after it. */
static void test_dir_first(void)
{
	struct word argv[ARGV_MAX];
	size_t argc;
	struct know_result r = apply("make -f m -C d", argv, &argc);
	CHECK(r.uses && r.uses->role == USE_DIR && str_is(r.uses->value.text, "d"));
	CHECK(use_with(&r, USE_WRITE, ".") && use_with(&r, USE_EXEC, "m"));
}

static void test_results(void)
{
	static const struct {
		const char *cmd, *name;
		unsigned effects;
		bool readonly;
	} rows[] = {
		{"git push", "git push", EFFECT_NETWORK, false},
		{"git -C x status", "git status", 0, true},
		{"git log -p", "git log", 0, true},
		{"git log --output=x", "git log", 0, false},
		{"sudo ls", "sudo", EFFECT_PRIVILEGE, false},
		{"make", "make", EFFECT_WORKSPACE, false},
		{"ls -la", "ls", 0, true},
		{"sort a", "sort", 0, true},
		{"sort -o b a", "sort", 0, false},
		{"sort --outp=b a", "sort", 0, false},
		{"sort \"$v\"", "sort", 0, false},
		{"curl http://x", "curl", EFFECT_NETWORK, false},
		{"cat $v", "cat", 0, true},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct word argv[ARGV_MAX];
		size_t argc;
		struct know_result r = apply(rows[i].cmd, argv, &argc);
		CHECK_STR(str_of(r.name ? r.name : ""), rows[i].name);
		CHECK_ROW(r.effects == rows[i].effects, rows[i].cmd);
		CHECK_ROW(r.readonly == rows[i].readonly, rows[i].cmd);
	}
}

static struct know_options options_of(const char *cmd)
{
	struct word argv[ARGV_MAX];
	struct know_options o = {0};
	size_t argc = split(str_of(cmd), argv);
	struct word *kept = arena_array(&arena, argc + 1, sizeof(*kept));
	memcpy(kept, argv, argc * sizeof(*kept));
	know_options(&arena, know_find(argv[0].text, NULL, 0), kept, argc, &o);
	return o;
}

/* An option is found by any of its names, however it was written. */
static void test_options(void)
{
	static const struct {
		const char *cmd, *name, *option;
		bool has;
	} rows[] = {
		{"rm -rf x", "rm", "-r", true}, {"rm -rf x", "rm", "--recursive", true},
		{"rm -Rf x", "rm", "-r", true}, {"rm --recur x", "rm", "-R", true},
		{"rm -rf x", "rm", "--force", true}, {"rm -i x", "rm", "-r", false},
		{"rm -- -r", "rm", "-r", false}, {"rm x -f", "rm", "-f", true},
		{"git push --force o", "git push", "-f", true},
		{"git push -f o", "git push", "--force", true},
		{"git push --force-with-lease", "git push", "--force", false},
		{"git push --force-with-lease=x", "git push", "--force-with-lease", true},
		{"git -C d push", "git push", "--force", false},
		{"git -C d push", "git push", "-C", true}, {"git -C d branch -D x", "git branch", "-D", true},
		{"git -C d branch x", "git branch", "-D", false},
		{"git -C d branch x", "git branch", "-C", false},
		{"git branch -C x y", "git branch", "-C", true},
		{"tar xzf a", "tar", "-z", true}, {"tar -xzf a", "tar", "--extract", true},
		{"tar xzf a", "tar", "--create", false},
		{"sort -o b a", "sort", "--output", true}, {"sort -ob a", "sort", "-o", true},
		{"sort --outp=b a", "sort", "-o", true},
		{"nosuch -rf x", "nosuch", "-r", true}, {"nosuch -rf x", "nosuch", "-f", true},
		{"nosuch -rf x", "nosuch", "-x", false},
		{"nosuch --force x", "nosuch", "--force", true},
		{"nosuch --force=1 x", "nosuch", "--force", true},
		{"nosuch --forc x", "nosuch", "--force", true},
		{"nosuch --force", "nosuch", "--force-with-lease", false},
		{"nosuch -force x", "nosuch", "-force", true}, {"nosuch -force x", "nosuch", "-f", true},
		{"nosuch -force x", "nosuch", "--force", false},
		{"nosuch -- --force", "nosuch", "--force", false},
		{"/usr/bin/nosuch -a", "nosuch", "-a", true},
		{"find . -delete", "find", "-delete", true}, {"find . -newthing", "find", "-newthing", true},
		{"find . -name -delete", "find", "-delete", false},
		{"timeout -k 5 -s KILL 10 rm -f", "timeout", "--kill-after", true},
		{"timeout -s KILL 10 rm -f", "timeout", "-f", false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct know_options o = options_of(rows[i].cmd);
		CHECK_STR(str_of(o.name), rows[i].name);
		CHECK_ROW(know_has(&o, rows[i].option) == rows[i].has, rows[i].cmd);
		CHECK_ROW(!o.maybe_option, rows[i].cmd);
	}
}

static void test_option_values(void)
{
	struct know_options o = options_of("git -C d push -o a --push-option=b origin -- main");
	const struct know_option *p = know_option_find(&o, "-o", NULL);
	CHECK(p && p->has_value && str_is(p->value.text, "a") && p->at == 4 && !p->global &&
			strcmp(p->name, "-o") == 0);
	p = know_option_find(&o, "--push-option", p);
	CHECK(p && p->has_value && str_is(p->value.text, "b") && p->at == 6);
	CHECK(p && !know_option_find(&o, "-o", p));
	CHECK(o.noperands == 2 && o.operands[0] == 7 && o.operands[1] == 9);
	CHECK(o.nwords == 1 && o.words[0] == 3);
	p = know_option_find(&o, "-C", NULL);
	CHECK(p && p->global && str_is(p->value.text, "d") && p->at == 1);
	CHECK(options_of("rm \"$v\"").maybe_option && options_of("git \"$v\"").maybe_option &&
			options_of("nosuch -- $v").maybe_option);
	CHECK(!options_of("rm -- \"$v\"").maybe_option &&
			!options_of("git push origin a\"$v\"").maybe_option);
	o = options_of("rm -rf --bogus a b");
	CHECK(o.noperands == 2 && o.operands[0] == 3 && know_has(&o, "--bogus"));
}

static bool names_file(struct know_spec s)
{
	return s.kind == KIND_READ || s.kind == KIND_WRITE || s.kind == KIND_DELETE || s.kind == KIND_EXEC ||
			s.kind == KIND_DEST || s.kind == KIND_DIR ||
	       s.kind == KIND_VOLUME || s.kind == KIND_WRITE_CWD || s.kind == KIND_NAMES ||
	       s.kind == KIND_DATA;
}

static bool operands_name_files(const struct know_row *r, const struct know_operands *o)
{
	for (size_t i = 0; i < o->nfirst; i++)
		if (names_file(know_specs(r, o->first)[i]))
			return true;
	return names_file(o->rest) || names_file(o->last) || names_file(o->alone) || names_file(o->after);
}

/*
 * Which commands have words that are found to be files: many, and those every reader of commands has to know.
 */
static void test_path_extractors(void)
{
	static const char *const must[] = {
		"ls", "find", "mkdir", "touch", "rm", "rmdir", "mv", "cp", "cat", "head", "tail", "sort",
		"uniq", "wc", "cut", "paste", "column", "file", "stat",
		"diff", "awk", "strings", "hexdump", "od", "base64", "nl", "grep", "rg", "sed", "jq",
		"sha256sum", "sha1sum", "md5sum", "tar", "unzip", "cpio", "7z",
		"bsdtar", "unrar", "unar", "gunzip", "unxz", "zstd", "ar", "jar", "dpkg", "unsquashfs",
		"cabextract", "Expand-Archive", "ln", "install", "dd", "tee",
		"truncate", "chmod", "chown", "rsync", "scp", "curl", "wget", "patch", "split", "shred",
		"xxd", "less", "vim",
	};
	const struct know_blob *b = (const void *)know_baked;
	const struct know_row *rows = (const void *)(b + 1);
	size_t commands = 0, subcommands = 0;
	for (size_t r = 0; r < b->nrows; r++) {
		bool files = operands_name_files(&rows[r], &rows[r].ops);
		for (size_t k = 0; k < rows[r].nwhens; k++)
			files |= operands_name_files(&rows[r], &know_whens(&rows[r])[k].ops);
		for (size_t k = 0; k < rows[r].nflags && !files; k++)
			files = names_file(know_flags(&rows[r])[k].arg);
		for (size_t k = 0; k < rows[r].nvalues && !files; k++)
			files = names_file(know_values(&rows[r])[k].spec);
		bool sub = strchr(know_string(&rows[r], rows[r].name), ' ') != NULL;
		commands += files && !sub;
		subcommands += files && sub;
		for (size_t k = 0; k < ARRAY_SIZE(must); k++)
			if (strcmp(must[k], know_string(&rows[r], rows[r].name)) == 0)
				CHECK_ROW(files, must[k]);
	}
	for (size_t k = 0; k < ARRAY_SIZE(must); k++)
		CHECK_ROW(know_find(str_of(must[k]), NULL, 0), must[k]);
	printf("# %zu commands and %zu subcommands whose words name files\n", commands, subcommands);
	CHECK(commands >= 120);
}

/*
 * Words that alone only print: for every program whose row does not say otherwise, and never beside another
 * word.
 */
static void test_info(void)
{
	static const struct {
		const char *cmd;
		bool info;
	} rows[] = {
		{"python3 --version", true}, {"python3 -V", true}, {"node -v", true}, {"npm -v", true},
		{"java -version", true}, {"make --version", true},
		{"gcc --version", true}, {"sudo --version", true}, {"rm --help", true},
		{"curl --version", true}, {"docker --version", true}, {"docker run --help", true},
		{"npm run --help", true}, {"cargo build --help", false}, {"env --version", true},
		{"go version", true}, {"terraform version", true},
		{"pytest --version", false}, {"yarn --version", false}, {"mvn --version", false},
		{"make version", false}, {"make help", false}, {"rm version", false},
		{"bash help", false}, {"python3 version", false}, {"python3 --version x.py", false},
		{"python3 -V \"$v\"", false}, {"rm --version x", false},
		{"sudo \"$v\"", false}, {"git push --help", true}, {"git frob --help", false},
		{"kill --help", true}, {"gosu --version", false}, {"npm -v x", false},
		{"rm -- --help", false},
		{"docker run --help x", false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct word argv[ARGV_MAX];
		size_t argc;
		struct know_result r = apply(rows[i].cmd, argv, &argc);
		CHECK_ROW((r.readonly && !r.effects && !r.uses) == rows[i].info, rows[i].cmd);
	}
}

/* Every row is found by its name, word by word, and what only starts like one is not. */
static void test_found(void)
{
	const struct know_blob *b = (const void *)know_baked;
	const struct know_row *rows = (const void *)(b + 1);
	for (size_t r = 0; r < b->nrows; r++) {
		struct str name = str_of(know_string(&rows[r], rows[r].name));
		ptrdiff_t at = str_find(name, ' ', 0);
		const struct know_row *found = know_find(str_sub(name, 0, at < 0 ? name.n : (size_t)at), NULL,
				0);
		while (found && at >= 0) {
			size_t from = (size_t)at + 1;
			at = str_find(name, ' ', from);
			found = know_sub_find(found, str_sub(name, from, at < 0 ? name.n : (size_t)at));
		}
		CHECK_ROW(found == &rows[r], name.p);
	}
	static const char *const none[] = {"", "gi", "git-", "zzzzzzzzzzzz", "\xff", "chmo", "terrafor",
			"terraformx"};
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		CHECK_ROW(!know_find(str_of(none[i]), NULL, 0), none[i]);
	CHECK(!know_sub_find(know_find(STR("git"), NULL, 0), STR("statu")));
	CHECK(!know_sub_find(know_find(STR("git"), NULL, 0), STR("statusx")));
}

/*
 * Every command with rows for subcommands has one of its own: what an unlisted form may do. And options are
 * no subcommands.
 */
static void test_parents(void)
{
	const struct know_blob *b = (const void *)know_baked;
	const struct know_row *rows = (const void *)(b + 1);
	for (size_t r = 0; r < b->nrows; r++) {
		const char *name = know_string(&rows[r], rows[r].name);
		CHECK_ROW(strchr(name, ' ') || !(rows[r].bits & ROW_FORWARD), name);
		CHECK_ROW(!strstr(name, " -"), name);
	}
}

/* A row that exists only because of its subcommands is no way around the effects of the one above. */
static void test_bridges(void)
{
	static const struct {
		const char *cmd, *name;
		unsigned effects;
		bool readonly;
	} rows[] = {
		{"aws ec2 describe-vpcs", "aws ec2 describe-vpcs", EFFECT_NETWORK, true},
		{"aws ec2 terminate-instances", "aws ec2", EFFECT_NETWORK, false},
		{"aws ec2", "aws ec2", EFFECT_NETWORK, false},
		{"aws --region x ec2 frob", "aws ec2", EFFECT_NETWORK, false},
		{"docker image rm x", "docker image", EFFECT_SYSTEM, false},
		{"docker image ls", "docker image ls", 0, true},
		{"gh repo delete x", "gh repo", EFFECT_NETWORK, false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct word argv[ARGV_MAX];
		size_t argc;
		struct know_result r = apply(rows[i].cmd, argv, &argc);
		CHECK_STR(str_of(r.name), rows[i].name);
		CHECK_ROW(r.effects == rows[i].effects && r.readonly == rows[i].readonly, rows[i].cmd);
		CHECK_STR(str_of(options_of(rows[i].cmd).name), rows[i].name);
	}
	struct word argv[ARGV_MAX];
	size_t argc;
	CHECK(apply("aws ec2 \"$v\"", argv, &argc).effects == EFFECT_NETWORK);
	struct know_result r = apply("aws ec2 \"$v\"", argv, &argc);
	CHECK(has_role(&r, USE_OPAQUE));
}

static int pack(const char *text, struct know_packed *ret, struct err *e)
{
	struct yaml_file f;
	*e = (struct err){0};
	if (yaml_read(&arena, STR("t.yaml"), str_of(text), &f, e) < 0)
		return -1;
	struct yaml_file *kept = arena_new(&arena, struct yaml_file);
	*kept = f;
	struct know_source src = {kept, f.root};
	return know_yaml_pack(&arena, &src, 1, ret, e);
}

/* A user's rows win over ours, and may add a subcommand to one of ours. */
static void test_own_rows(void)
{
	struct know_packed own;
	struct err e;
	struct word argv[ARGV_MAX];
	struct know_result r;
	CHECK_INT(pack(
			"- {name: [mywrap, other], style: posix, flags: {-n: word}, operands: {rest: "
			"command}}\n"
	               "- {name: rm, operands: {rest: read}}\n"
	               "- {name: git frob, operands: {rest: delete}}\n"
	               "- {name: fresh sub, operands: {rest: write}}\n",
	               &own, &e), 0);
	size_t argc = split(STR("other -n 5 rm x"), argv);
	const struct know_row *row = know_find(STR("other"), own.rows, own.nrows);
	CHECK(row);
	know_apply(&arena, row, argv, argc, &r);
	CHECK(r.uses && r.uses->role == USE_COMMAND && r.uses->from == 3);
	argc = split(STR("rm x"), argv);
	know_apply(&arena, know_find(STR("rm"), own.rows, own.nrows), argv, argc, &r);
	CHECK(r.uses && r.uses->role == USE_READ);
	argc = split(STR("git -C d frob x"), argv);
	know_apply(&arena, know_find(STR("git"), own.rows, own.nrows), argv, argc, &r);
	CHECK(use_with(&r, USE_DIR, "d") && use_with(&r, USE_DELETE, "x"));
	argc = split(STR("git -C d push"), argv);
	know_apply(&arena, know_find(STR("git"), own.rows, own.nrows), argv, argc, &r);
	CHECK(r.effects == EFFECT_NETWORK);
	argc = split(STR("fresh sub x"), argv);
	know_apply(&arena, know_find(STR("fresh"), own.rows, own.nrows), argv, argc, &r);
	CHECK(use_with(&r, USE_WRITE, "x") && r.effects == 0);
	argc = split(STR("fresh other x"), argv); /* nothing is known of it */
	know_apply(&arena, know_find(STR("fresh"), own.rows, own.nrows), argv, argc, &r);
	CHECK(r.effects == EFFECT_WORKSPACE && !r.readonly);
	CHECK(know_find(STR("sudo"), own.rows, own.nrows));
	/* `none` is a kind like others */
	CHECK_INT(pack("- {name: ends, operands: {rest: write, last: none, alone: none}}", &own, &e), 0);
	argc = split(STR("ends a b"), argv);
	know_apply(&arena, know_find(STR("ends"), own.rows, own.nrows), argv, argc, &r);
	CHECK(use_with(&r, USE_WRITE, "a") && !use_with(&r, USE_WRITE, "b"));
	argc = split(STR("ends a"), argv);
	know_apply(&arena, know_find(STR("ends"), own.rows, own.nrows), argv, argc, &r);
	CHECK(!r.uses);
}

static void test_bad_rows(void)
{
	static const char *const rows[][2] = {
		{"- {flags: {}}", "needs 'name'"},
		{"- {name: a/b}", "not a command's name"},
		{"- {name: ''}", "not a command's name"},
		{"- {name: [a, a]}", "exists already"},
		{"- {name: a}\n- {name: a}", "exists already"},
		{"- {name: a, frob: 1}", "unknown key"},
		{"- {name: a, flags: {x: {}}}", "starts with '-'"},
		{"- {name: a, flags: {-x: frob}}", "no such kind"},
		{"- {name: a, flags: {-x: word frob}}", "no such modifier"},
		{"- {name: a, flags: {-x: {arg: word, frob: true}}}", "unknown key"},
		{"- {name: a, flags: {'-x -y': {}, '-y': {}}}", "listed twice"},
		{"- {name: a, operands: {rest: frob}}", "no such kind"},
		{"- {name: a, operands: {frob: word}}", "unknown key"},
		{"- {name: a, operands: read}", "expected a map"},
		{"- {name: a, style: frob}", "no such style"},
		{"- {name: a, effects: [frob]}", "no such effect"},
		{"- {name: a, readonly: {unless: -x}}", "not in the row's flags"},
		{"- {name: a, when: [{flags: -x}]}", "not in the row's flags"},
		{"- {name: a, when: [{operands: {}}]}", "expected {flags"},
		{"- {name: a, unwrap: {operand: x}}", "expected {operand: N}"},
		{"- {name: a, unwrap: {operand: 99999999999999999999}}", "expected {operand: N}"},
		{"- {name: a, examples: [{x: y}]}", "needs 'cmd'"},
		{"- {name: a, info: [x]}", "expected words"},
		{"- a", "needs 'name'"},
		{"{a: b}", "expected a list of rows"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct know_packed p;
		struct err e;
		CHECK_ROW(pack(rows[i][0], &p, &e) == -1, rows[i][0]);
		CHECK_ROW(str_contains(str_of(e.text), str_of(rows[i][1])), rows[i][0]);
		CHECK_ROW(str_starts(str_of(e.text), "t.yaml:"), rows[i][0]);
	}
}

/* A hundred thousand words cost no more than linear time, with every row. */
static void test_large(void)
{
	enum { N = 100000 };
	struct word *argv = arena_array(&arena, N, sizeof(*argv));
	static const char *const names[] = {"sudo", "find", "tar", "git", "cp", "sed", "xargs", "parallel",
			"env", "make", "dd", "docker"};
	static const struct word fill[] = {
		{.kind = WORD_EXACT, .text = {"a", 1}}, {.kind = WORD_REST, .text = {"", 0}},
		{.kind = WORD_UNKNOWN, .text = {"", 0}},
		{.kind = WORD_EXACT, .text = {"-e", 2}}, {.kind = WORD_EXACT, .text = {"--", 2}},
		{.kind = WORD_EXACT, .text = {"-exec", 5}}, {.kind = WORD_EXACT, .text = {"A=b", 3}},
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t f = 0; f < ARRAY_SIZE(fill); f++) {
			struct know_result r;
			struct arena a;
			arena_init(&a, ARENA_CAP_DEFAULT);
			argv[0] = (struct word){.kind = WORD_EXACT, .text = str_of(names[i])};
			for (size_t k = 1; k < N; k++)
				argv[k] = fill[f];
			know_apply(&a, know_find(str_of(names[i]), NULL, 0), argv, N, &r);
			CHECK_ROW(r.name != NULL, names[i]);
			struct know_options o;
			know_options(&a, know_find(str_of(names[i]), NULL, 0), argv, N, &o);
			CHECK_ROW(o.noptions + o.noperands < 8 * N, names[i]);
			arena_free(&a);
		}
}

/* No argv of odd words may read outside of anything (run under the sanitizers). */
static void test_odd_words(void)
{
	static const char *const odd[] = {"", "-", "--", "---", "-=", "--=", "=", "+", "-#", ";", "{}", ":::",
			"::::", "-\377", "--\377=", "-o", "-c", "-e", "-S", "-exec", "!", "("};
	const struct know_blob *b = (const void *)know_baked;
	const struct know_row *rows = (const void *)(b + 1);
	size_t n = ARRAY_SIZE(odd);
	for (size_t r = 0; r < b->nrows; r++)
		for (size_t i = 0; i < n * n; i++) {
			struct arena a;
			struct know_result res;
			struct word argv[4] = {
				{.kind = WORD_EXACT, .text = str_of(know_string(&rows[r], rows[r].name))},
				{.kind = WORD_EXACT, .text = str_of(odd[i / n])},
				{.kind = i % 3 ? WORD_EXACT : WORD_UNKNOWN, .text = str_of(odd[i % n])},
				{.kind = i % 2 ? WORD_REST : WORD_UNKNOWN, .text = STR("")},
			};
			arena_init(&a, ARENA_CAP_DEFAULT);
			know_apply(&a, &rows[r], argv, 1 + i % 4, &res);
			struct know_options o;
			know_options(&a, i % 7 ? &rows[r] : NULL, argv, 1 + i % 4, &o);
			for (size_t k = 0; k < o.noptions; k++)
				CHECK_ROW(o.options[k].at <= i % 4 && o.options[k].name[0], o.name);
			for (const struct know_use *u = res.uses; u; u = u->next)
				CHECK_ROW(u->to <= 1 + i % 4 && u->from <= u->to,
						know_string(&rows[r], rows[r].name));
			arena_free(&a);
		}
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_examples);
	RUN(test_rows_have_examples);
	RUN(test_lookup);
	RUN(test_flags);
	RUN(test_opaque);
	RUN(test_rest_overreports);
	RUN(test_order);
	RUN(test_dir_first);
	RUN(test_results);
	RUN(test_options);
	RUN(test_option_values);
	RUN(test_path_extractors);
	RUN(test_info);
	RUN(test_found);
	RUN(test_parents);
	RUN(test_bridges);
	RUN(test_own_rows);
	RUN(test_bad_rows);
	RUN(test_large);
	RUN(test_odd_words);
	arena_free(&arena);
	return unit_end();
}
