/* Reads the settings of a skill from its front matter. See skill.h. */
#include "run/skill.h"

#include <sys/stat.h>

#include "config/yaml.h"
#include "image/image_store.h"
#include "model/limits.h"
#include "sys/file.h"

struct skill_reader {
	struct arena *a;
	struct yaml_file f;
	struct skill s;
	size_t nbinaries;
};

/*
 * Returns the text between a first line of three dashes and the next one; empty: none. Front matter without
 * an end is an error: it may hold a limit.
 */
static int front_matter(struct str name, struct str text, struct str *ret, struct err *e)
{
	ptrdiff_t line;
	size_t from;

	if (str_starts(text, "\xEF\xBB\xBF"))
		text = str_from(text, 3);
	line = str_find(text, '\n', 0);
	from = (size_t)line + 1;
	if (line < 3 || !str_starts(text, "---") || !(line == 3 || (line == 4 && text.p[3] == '\r'))) {
		*ret = STR("");
		return 0;
	}
	for (size_t at = from; at < text.n;) {
		ptrdiff_t end = str_find(text, '\n', at);
		struct str s = str_sub(text, at, end < 0 ? text.n : (size_t)end);

		if (str_is(s, "---") || str_is(s, "---\r")) {
			/* includes its first line, so that line numbers are those of the file */
			*ret = str_first(text, at);
			return 0;
		}
		if (end < 0)
			break;
		at = (size_t)end + 1;
	}
	return err_input(e, "%.*s:1:1: the front matter does not end: a line '---' is missing",
			STR_ARG(name));
}

/* ---- keys ---- */

static int take_limit(struct skill_reader *r, const struct ynode *n, enum limit l, const char *expected,
		struct err *e)
{
	struct err why = {0};

	if (n->kind != YNODE_SCALAR || limit_parse(l, n->text, &r->s.limits[l], &why) != 0)
		return yaml_fail(&r->f, n, false, e, "%.*s: %s", STR_ARG(n->key),
				n->kind != YNODE_SCALAR ? expected : why.text);
	return 0;
}

static int take_timeout(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	return take_limit(r, n, LIMIT_TIME, "expected a number of seconds", e);
}

static int take_memory(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	return take_limit(r, n, LIMIT_MEMORY, "expected a number of megabytes", e);
}

static int take_cpus(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	return take_limit(r, n, LIMIT_CPUS, "expected a number of CPUs", e);
}

/* A list of names, or one text with commas; as --columns has it. */
static int take_columns(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	struct buf b;

	buf_init(&b, r->a, 0);
	if (n->kind == YNODE_SCALAR)
		buf_str(&b, n->text);
	for (const struct ynode *c = n->child; n->kind == YNODE_LIST && c; c = c->next) {
		if (c->kind != YNODE_SCALAR || str_has(c->text, ','))
			return yaml_fail(&r->f, c, false, e, "%.*s: expected names of columns",
					STR_ARG(n->key));
		buf_fmt(&b, "%s%.*s", b.n ? "," : "", STR_ARG(c->text));
	}
	r->s.columns = buf_view(&b);
	return b.n ? 0 : yaml_fail(&r->f, n, false, e, "%.*s: expected names of columns", STR_ARG(n->key));
}

/* A file of the skill, by its path inside the skill's directory. */
static int take_file(struct skill_reader *r, const struct ynode *n, const char **ret, struct err *e)
{
	struct str name = r->s.name, dir = str_first(name, name.n - str_base(name).n);

	if (n->kind != YNODE_SCALAR || !n->text.n || n->text.p[0] == '/' || str_has(n->text, 0) ||
			str_starts(n->text, "..") || str_contains(n->text, STR("/..")))
		return yaml_fail(&r->f, n, false, e, "%.*s: expected a file in the skill's directory",
				STR_ARG(n->key));
	*ret = str_c(r->a, str_cat(r->a, dir, n->text));
	return 0;
}

static int take_schema(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	return take_file(r, n, &r->s.schema, e);
}

static int take_validator(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	return take_file(r, n, &r->s.validator, e);
}

/* An image that the person imported. A skill cannot ask for the machine's own root instead of it. */
static int take_image(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	struct err why = {0};

	if (n->kind != YNODE_SCALAR ||
			(!str_starts(n->text, IMAGE_PREFIX) && image_check_name(n->text, &why) != 0))
		return yaml_fail(&r->f, n, false, e, "%.*s: %s", STR_ARG(n->key),
				why.text[0] ? why.text : "expected the name of an image");
	r->s.image = n->text;
	return 0;
}

static int take_task(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	if (n->kind != YNODE_SCALAR || !n->text.n)
		return yaml_fail(&r->f, n, false, e, "%.*s: expected a name", STR_ARG(n->key));
	r->s.task = task_find(n->text);
	return r->s.task ? 0 : yaml_fail(&r->f, n, false, e, "the skill's task '%.*s': expected " TASK_NAMES,
			(int)(n->text.n < 40 ? n->text.n : 40), n->text.p);
}

static int take_hosts(struct skill_reader *r, const struct ynode *list, struct err *e)
{
	struct texts **end = &r->s.network.words;
	struct err why = {0};
	size_t count = 0;

	for (const struct ynode *n = list->child; n; n = n->next) {
		if (n->kind != YNODE_SCALAR || ++count > NETWORK_WORDS_MAX)
			return yaml_fail(&r->f, n, false, e, "%.*s: expected at most %d hosts",
					STR_ARG(list->key), NETWORK_WORDS_MAX);
		if (network_word_check(r->a, n->text, &why) != 0)
			return yaml_fail(&r->f, n, false, e, "%.*s: %s", STR_ARG(list->key), why.text);
		end = texts_add(r->a, end, n->text);
	}
	r->s.network.given = count > 0;
	return count ? 0 : yaml_fail(&r->f, list, false, e, "%.*s: expected at least one host (use deny)",
			STR_ARG(list->key));
}

static int take_network(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	/* Skills for other tools also use `network: none` and `network: false`. */
	bool none = str_is_any(n->text, "none false");
	struct network_spec mode;

	if (n->kind == YNODE_LIST)
		return take_hosts(r, n, e);
	if (n->kind == YNODE_SCALAR && network_parse(none ? STR("deny") : n->text, &mode) == 0) {
		r->s.network = (struct network_request){.given = true, .mode = mode.mode};
		return 0;
	}
	return yaml_fail(&r->f, n, false, e, "%.*s: expected deny, loopback, host or a list of hosts",
			STR_ARG(n->key));
}

static int take_timestamps(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	r->s.iso_times = n->kind == YNODE_SCALAR && str_is(n->text, "iso");
	if (!r->s.iso_times && (n->kind != YNODE_SCALAR || !str_is(n->text, "keep")))
		return yaml_fail(&r->f, n, false, e, "%.*s: expected iso or keep", STR_ARG(n->key));
	return 0;
}

static bool program_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(ascii_is_alnum(s.p[i]) || strchr("._+-[", s.p[i])))
			return false;
	return s.n && s.n <= SKILL_NAME_MAX && s.p[0] != '-';
}

static int add_binary(struct skill_reader *r, const struct ynode *n, const struct ynode *key, struct str name,
		struct err *e)
{
	if (!program_name(name))
		return yaml_fail(&r->f, n, false, e, "%.*s: expected names of programs, without a path",
				STR_ARG(key->key));
	if (texts_have(r->s.binaries, name))
		return 0;
	if (r->nbinaries++ >= SKILL_BINARIES_MAX)
		return yaml_fail(&r->f, n, false, e, "%.*s: more than %d names", STR_ARG(key->key),
				SKILL_BINARIES_MAX);
	texts_add(r->a, &r->s.binaries, name);
	return 0;
}

/* Parses a list, or one text separated by commas or blanks (but not blanks inside parentheses). */
static int each_item(struct skill_reader *r, const struct ynode *n,
		int (*fn)(struct skill_reader *r, const struct ynode *n, const struct ynode *key,
		struct str item, struct err *e), struct err *e)
{
	if (n->kind == YNODE_MAP)
		return yaml_fail(&r->f, n, false, e, "%.*s: expected a list of names", STR_ARG(n->key));
	for (const struct ynode *c = n->child; n->kind == YNODE_LIST && c; c = c->next) {
		if (c->kind != YNODE_SCALAR)
			return yaml_fail(&r->f, c, false, e, "%.*s: expected a list of names",
					STR_ARG(n->key));
		if (fn(r, c, n, c->text, e) != 0)
			return -1;
	}
	for (size_t i = 0, from = 0, depth = 0; n->kind == YNODE_SCALAR && i <= n->text.n; i++) {
		char c = i < n->text.n ? n->text.p[i] : ',';

		depth += c == '(';
		depth -= c == ')' && depth > 0;
		if (i < n->text.n && (depth || !strchr(", \t\n", c)))
			continue;
		if (i > from && fn(r, n, n, str_sub(n->text, from, i), e) != 0)
			return -1;
		from = i + 1;
	}
	return 0;
}

static int take_binaries(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	if (each_item(r, n, add_binary, e) != 0)
		return -1;
	return r->s.binaries ? 0 : yaml_fail(&r->f, n, false, e,
			"%.*s: expected at least one name: an empty list would deny everything",
			STR_ARG(n->key));
}

/* True for the shell without any restriction: Bash, Bash(*), Bash(:*). */
static int see_open(struct skill_reader *r, const struct ynode *n, const struct ynode *key, struct str item,
		struct err *e)
{
	(void)n, (void)key, (void)e;
	if (str_is_any(item, "Bash Bash(*) Bash(:*) *"))
		r->nbinaries = SIZE_MAX;
	return 0;
}

/* Bash(git status:*) names the program git. Other tools are ignored. */
static int add_tool(struct skill_reader *r, const struct ynode *n, const struct ynode *key, struct str item,
		struct err *e)
{
	size_t to = 5;

	if (!str_starts(item, "Bash("))
		return 0;
	while (to < item.n && !strchr(" :*)", item.p[to]))
		to++;
	return add_binary(r, n, key, str_sub(item, 5, to), e);
}

/* Reads the programs from the client's own key `allowed-tools`. `allowed_binaries` takes precedence. */
static int take_tools(struct skill_reader *r, const struct ynode *n, struct err *e)
{
	bool open;

	if (r->s.binaries)
		return 0;
	if (each_item(r, n, see_open, e) != 0)
		return -1;
	open = r->nbinaries == SIZE_MAX;
	r->nbinaries = 0;
	return open ? 0 : each_item(r, n, add_tool, e);
}

static const struct key_row {
	const char *name;
	int (*take)(struct skill_reader *r, const struct ynode *n, struct err *e);
} keys[] = {
	{"sandbox_timeout_sec", take_timeout}, {"sandbox_memory_mb", take_memory}, {"memory", take_memory},
	{"sandbox_cpus", take_cpus}, {"cpus", take_cpus}, {"columns", take_columns}, {"schema", take_schema},
	{"validator", take_validator}, {"task", take_task}, {"network", take_network},
	{"timestamps", take_timestamps}, {"sandbox_image", take_image}, {"image", take_image},
	{"allowed_binaries", take_binaries}, {"allowed-binaries", take_binaries},
	{"allowed-tools", take_tools}, {"allowed_tools", take_tools},
};

/*
 * Names consist of letters, digits and few punctuation characters, so they cannot end the quotes. Shell
 * builtins that start no program need not be listed.
 */
static struct str policy_of(struct arena *a, const struct texts *names)
{
	static const char builtins[] =
			"\":\", \"[\", \"cd\", \"declare\", \"echo\", \"exit\", \"export\", \"false\", "
			"\"let\", \"local\", \"printf\", \"pwd\", \"read\", \"readonly\", \"return\", "
			"\"set\", "
				       "\"shift\", \"shopt\", \"test\", \"true\", \"type\", \"umask\", "
				       "\"unset\", \"wait\"";
	struct buf b;

	if (!names)
		return STR("");
	buf_init(&b, a, 0);
	buf_fmt(&b, "tools: {bash: {only: [%s", builtins);
	for (const struct texts *t = names; t; t = t->next)
		buf_fmt(&b, ", \"%.*s\"", STR_ARG(t->text));
	buf_c(&b, "]}}\n");
	return buf_view(&b);
}

/* A key that starts like ours and is none: its author relies on something that does not happen. */
static void note_unknown(struct skill_reader *r)
{
	struct texts **end = &r->s.unknown;
	size_t count = 0;

	for (const struct ynode *n = r->f.root ? r->f.root->child : NULL; n; n = n->next) {
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) && !str_is(n->key, keys[i].name))
			i++;
		if (i < ARRAY_SIZE(keys) || count >= SKILL_UNKNOWN_MAX ||
				!(str_starts(n->key, "sandbox_") || str_starts(n->key, "sandbox-")))
			continue;
		*end = arena_new(r->a, struct texts);
		(*end)->text = str_first(n->key, SKILL_NAME_MAX);
		count++;
		end = &(*end)->next;
	}
}

int skill_read(struct arena *a, struct str name, struct str text, struct skill *ret, struct err *e)
{
	struct skill_reader r = {.a = a, .s = {.name = name, .policy = STR("")}};
	struct str front;

	if (front_matter(name, text, &front, e) != 0 || yaml_read(a, name, front, &r.f, e) != 0)
		return -1;
	if (r.f.root && r.f.root->kind != YNODE_MAP)
		return yaml_fail(&r.f, r.f.root, false, e, "the front matter is not a map");
	for (size_t i = 0; r.f.root && i < ARRAY_SIZE(keys); i++) {
		const struct ynode *n = yaml_get(r.f.root, keys[i].name);

		if (n && keys[i].take(&r, n, e) != 0)
			return -1;
	}
	note_unknown(&r);
	r.s.policy = policy_of(a, r.s.binaries);
	*ret = r.s;
	return 0;
}

int skill_load(struct arena *a, const char *path, struct skill *ret, struct err *e)
{
	struct stat st;
	bool dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	const char *file = dir ? str_fmt_c(a, "%s/SKILL.md", path) : path;
	struct str text;

	return file_read(a, file, SKILL_BYTES_MAX, &text, NULL, e) != 0 ? -1 : skill_read(a, str_of(file),
			text, ret, e);
}
