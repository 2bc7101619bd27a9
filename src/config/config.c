/* YAML into a policy: a table of keys, a small parser for each kind of value. See config.h and docs/config.md. */
#include "config/config.h"

#include <sodium.h>
#include <stddef.h>
#include <stdio.h>

#include "config/knowledge_yaml.h"
#include "config/yaml.h"

#define RULE_TEXT_MAX 4096 /* bytes of a prefix or of a text shown for it */
#define KEY_MAX 128        /* bytes of a dotted key */

struct load {
	struct arena *a;
	struct err *e;
	struct yaml_file file;
	struct policy policy;
	struct str name, bytes;
	int result;
};

static int fail(struct load *l, const struct ynode *n, const char *what)
{
	return yaml_fail(&l->file, n, false, l->e, "%s", what);
}

static int parse_verdict(struct load *l, const struct ynode *n, void *field)
{
	static const struct {
		const char *name;
		enum verdict verdict;
	} names[] = {{"allow", VERDICT_ALLOW}, {"ask", VERDICT_ASK}, {"deny", VERDICT_DENY}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n->kind == YNODE_SCALAR && str_is(n->text, names[i].name)) {
			*(enum verdict *)field = names[i].verdict;
			return 0;
		}
	return fail(l, n, "expected allow, ask or deny");
}

/* Text of one line, not empty, without blanks around it. */
static int parse_text(struct load *l, const struct ynode *n, struct str *ret)
{
	if (n->kind != YNODE_SCALAR)
		return fail(l, n, "expected a text");
	struct str s = n->text;
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\n'))
		s.n--;
	while (s.n && s.p[0] == ' ')
		s = str_sub(s, 1, s.n);
	if (!s.n || yaml_null(n))
		return fail(l, n, "the text is empty");
	if (s.n > RULE_TEXT_MAX)
		return fail(l, n, "the text is too long");
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && s.p[i] != '\t')
			return fail(l, n, "the text has a control character or more than one line");
	*ret = s;
	return 0;
}

static int parse_rule_map(struct load *l, const struct ynode *n, struct prefix_rule *r)
{
	for (const struct ynode *c = n->child; c; c = c->next) {
		bool prefix = str_is(c->key, "prefix") || str_is(c->key, "command");
		struct str *field = prefix ? &r->prefix : str_is(c->key, "description") ? &r->rule.description : str_is(c->key, "alternative") ? &r->rule.alternative : NULL;
		if (!field)
			return yaml_fail(&l->file, c, true, l->e, "unknown key, expected prefix, description or alternative");
		if (prefix && r->prefix.n)
			return yaml_fail(&l->file, c, true, l->e, "prefix is given twice");
		if (parse_text(l, c, field) < 0)
			return -1;
	}
	return r->prefix.n ? 0 : fail(l, n, "a rule needs 'prefix'");
}

/* A list of prefixes, or of {prefix, description, alternative}; goes after what the list holds already. */
static int parse_rules(struct load *l, const struct ynode *n, void *field)
{
	struct prefix_rule **end = field;
	while (*end)
		end = &(*end)->next;
	if (yaml_null(n))
		return 0;
	if (n->kind != YNODE_LIST)
		return fail(l, n, "expected a list");
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct prefix_rule *r = arena_new(l->a, struct prefix_rule);
		r->rule.description = r->rule.alternative = STR("");
		if (c->kind == YNODE_MAP ? parse_rule_map(l, c, r) < 0 : parse_text(l, c, &r->prefix) < 0)
			return -1;
		r->rule.where = str_fmt(l->a, "%.*s:%u", STR_ARG(l->name), c->line);
		*end = r;
		end = &r->next;
	}
	return 0;
}

static int parse_commands(struct load *l, const struct ynode *n, void *field)
{
	struct know_packed packed;
	(void)field;
	if (yaml_null(n))
		return 0;
	struct know_source src = {&l->file, n};
	if (know_yaml_pack(l->a, &src, 1, &packed, l->e) < 0)
		return -1;
	l->policy.commands = packed.rows;
	l->policy.ncommands = packed.nrows;
	return 0;
}

static const struct key {
	struct config_key key;
	int (*parse)(struct load *l, const struct ynode *n, void *field);
	size_t offset;
} keys[] = {
	{{"default", WHO_TRUSTED, "verdict for a command that no check and no rule speaks about: allow, ask or deny"},
	 parse_verdict, offsetof(struct policy, fallback)},
	{{"tools.bash.deny", WHO_ANYONE, "commands that are denied, by how they start"}, parse_rules, offsetof(struct policy, deny)},
	{{"tools.bash.ask", WHO_ANYONE, "commands that a person must confirm"}, parse_rules, offsetof(struct policy, ask)},
	{{"tools.bash.allow", WHO_TRUSTED, "commands that may run although a check would ask"}, parse_rules, offsetof(struct policy, allow)},
	{{"commands", WHO_TRUSTED, "what commands of your own do with their arguments"}, parse_commands, 0},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

const struct config_key *config_key(size_t i)
{
	return i < KEYS ? &keys[i].key : NULL;
}

static bool leads_somewhere(const char *dotted)
{
	size_t n = strlen(dotted);
	for (size_t i = 0; i < KEYS; i++)
		if (strncmp(keys[i].key.name, dotted, n) == 0 && keys[i].key.name[n] == '.')
			return true;
	return false;
}

static int read_map(struct load *l, const struct ynode *map, const char *prefix);

static int read_key(struct load *l, const struct ynode *n, const char *prefix)
{
	char dotted[KEY_MAX];
	int len = snprintf(dotted, sizeof(dotted), "%s%s%.*s", prefix, *prefix ? "." : "", n->key.n > KEY_MAX ? KEY_MAX : (int)n->key.n, n->key.p);
	if (len < 0 || (size_t)len >= sizeof(dotted))
		return yaml_fail(&l->file, n, true, l->e, "unknown key");
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i].key.name, dotted) == 0)
			return keys[i].parse(l, n, (char *)&l->policy + keys[i].offset);
	if (!leads_somewhere(dotted))
		return yaml_fail(&l->file, n, true, l->e, "unknown key");
	return read_map(l, n, dotted);
}

static int read_map(struct load *l, const struct ynode *map, const char *prefix)
{
	if (yaml_null(map))
		return 0;
	if (map->kind != YNODE_MAP)
		return fail(l, map, "expected keys and values");
	for (const struct ynode *c = map->child; c; c = c->next)
		if (read_key(l, c, prefix) < 0)
			return -1;
	return 0;
}

/* of builtin_text; test_config says what it should be when the text changes */
#define BUILTIN_DIGEST "sha256:a0fabf6036a5d3dd53f281f5e7da9c76d46cf4264bb2d38514a92706b71d71b2"

/* Nothing an agent is asked to do in a project needs these, and none can be undone. X(number, prefix, why) */
#define BUILTIN(X) \
	X(0, "mkfs", "makes a new file system over what is there") \
	X(1, "mkfs.ext2", "makes a new file system over what is there") \
	X(2, "mkfs.ext3", "makes a new file system over what is there") \
	X(3, "mkfs.ext4", "makes a new file system over what is there") \
	X(4, "mkfs.xfs", "makes a new file system over what is there") \
	X(5, "mkfs.btrfs", "makes a new file system over what is there") \
	X(6, "mkfs.vfat", "makes a new file system over what is there") \
	X(7, "mke2fs", "makes a new file system over what is there") \
	X(8, "shutdown", "stops the machine") \
	X(9, "reboot", "stops the machine") \
	X(10, "halt", "stops the machine") \
	X(11, "poweroff", "stops the machine") \
	X(12, "systemctl reboot", "stops the machine") \
	X(13, "systemctl halt", "stops the machine") \
	X(14, "systemctl poweroff", "stops the machine")
#define BUILTINS 15

#define AS_TEXT(i, p, d) "      - {prefix: " p ", description: " d "}\n"
static const char builtin_text[] = "default: allow\ntools:\n  bash:\n    deny:\n" BUILTIN(AS_TEXT);

static const struct prefix_rule builtin_deny[BUILTINS];
#define AS_RULE(i, p, d) [i] = {i + 1 < BUILTINS ? (struct prefix_rule *)&builtin_deny[i + 1 < BUILTINS ? i + 1 : 0] : NULL, \
                                {{d, sizeof(d) - 1}, {"", 0}, {"built-in", 8}}, {p, sizeof(p) - 1}},
static const struct prefix_rule builtin_deny[BUILTINS] = {BUILTIN(AS_RULE)};

void config_default(struct policy *ret)
{
	*ret = (struct policy){
		.fallback = VERDICT_ALLOW,
		.deny = (struct prefix_rule *)builtin_deny, /* read only: the gate never writes to rules */
		.digest = STR(BUILTIN_DIGEST),
	};
}

struct str config_default_text(void)
{
	return str_n(builtin_text, sizeof(builtin_text) - 1);
}

struct str config_digest(struct arena *a, struct str bytes)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	struct buf b;
	crypto_hash_sha256(hash, (const unsigned char *)bytes.p, bytes.n);
	buf_init(&b, a, 0);
	buf_c(&b, "sha256:");
	for (size_t i = 0; i < sizeof(hash); i++)
		buf_fmt(&b, "%02x", hash[i]);
	return buf_view(&b);
}

/* The built-in rules, in the arena, so that a file's own can follow them. */
static struct prefix_rule *copy_builtin(struct arena *a)
{
	struct prefix_rule *r = arena_array(a, BUILTINS, sizeof(*r));
	for (size_t i = 0; i < BUILTINS; i++) {
		r[i] = builtin_deny[i];
		r[i].next = i + 1 < BUILTINS ? &r[i + 1] : NULL;
	}
	return r;
}

static int load(void *arg)
{
	struct load *l = arg;
	l->result = yaml_read(l->a, l->name, l->bytes, &l->file, l->e);
	if (l->result < 0)
		return 0;
	config_default(&l->policy);
	l->policy.deny = copy_builtin(l->a);
	l->policy.digest = config_digest(l->a, l->bytes);
	if (l->file.root)
		l->result = read_map(l, l->file.root, "");
	return 0;
}

int config_load(struct arena *a, struct str path_name, struct str bytes, struct policy *ret, struct err *e)
{
	struct err ignored;
	struct load l = {.a = a, .e = e ? e : &ignored, .name = path_name, .bytes = bytes};
	if (arena_run(a, load, &l) < 0)
		return err_set(e, ERR_LIMIT, 0, "'%.*s' needs too much memory", STR_ARG(path_name));
	if (l.result < 0)
		return -1;
	*ret = l.policy;
	return 0;
}
