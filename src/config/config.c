/*
 * Merges sources into one policy. Each source is parsed as YAML; its presets are read first, then its keys,
 * each by its row in keys.c. See config.h and docs/policy.md. The built-in policy is a set of constants in
 * this file.
 */
#include "config/config.h"

#include <sodium.h>

#include "config/load.h"

#define IMPORTS_MAX 64 /* of one file */

struct load_job {
	struct load l;
	const struct config_source *src;
	size_t n;
	crypto_hash_sha256_state hash; /* digest over the digests of all texts, if there are several */
	size_t texts;
	int result;
};

/* ---- keys ---- */

static bool leads_somewhere(const char *dotted)
{
	size_t n = strlen(dotted);
	for (size_t i = 0; i < config_nkeys; i++)
		if (strncmp(config_keys[i].name, dotted, n) == 0 && config_keys[i].name[n] == '.')
			return true;
	return false;
}

/* A key below the prefix with this last part: tools.bash.allow for allow. NULL: none. */
static const char *deeper_key(struct str name, const char *prefix, size_t skip)
{
	for (size_t i = 0; i < config_nkeys; i++) {
		const char *key = config_keys[i].name, *dot = strrchr(key, '.');

		if (dot && str_is(name, dot + 1) &&
				(!skip || (strncmp(key, prefix, skip - 1) == 0 && key[skip - 1] == '.')))
			return key;
	}
	return NULL;
}

/* Guesses a key of this name deeper, or else the known key most similar to this one below the same prefix. */
static int unknown_key(struct load *l, const struct ynode *n, const char *prefix)
{
	size_t skip = *prefix ? strlen(prefix) + 1 : 0;
	struct near guess = {.word = n->key};
	const char *deeper;
	for (size_t i = 0; i < config_nkeys; i++) {
		const char *name = config_keys[i].name;
		if (skip && (strncmp(name, prefix, skip - 1) != 0 || name[skip - 1] != '.'))
			continue;
		near_try(&guess, str_c(l->a, str_n(name + skip, strcspn(name + skip, "."))));
	}
	deeper = deeper_key(n->key, prefix, skip);
	return value_unknown(l, n, deeper ? deeper : guess.best);
}

/* A file that may not set this key sets nothing, and its author gets a note. */
static bool may_set(struct load *l, const struct ynode *n, const struct config_key *key)
{
	if (l->src->who >= key->who || key->apart)
		return true;
	if (l->preset)
		return false; /* one preset for all formats; nobody wrote this key in this file */
	const char *who = key->who == WHO_SYSTEM ? "only the system's policy" : key->who == WHO_OWNER ?
			"only your own policy and the system's" : "only a file that is trusted";
	value_note(l, n, "'%s' is ignored: %s may set it", key->name, who);
	return false;
}

static int read_map(struct load *l, const struct ynode *map, const char *prefix);

static int read_key(struct load *l, const struct ynode *n, const char *prefix)
{
	char dotted[KEY_MAX];
	size_t len = str_put(dotted, sizeof(dotted), "%s%s%.*s", prefix, *prefix ? "." : "",
			n->key.n > KEY_MAX ? KEY_MAX : (int)n->key.n, n->key.p);
	if (len >= sizeof(dotted))
		return value_unknown(l, n, NULL);
	if (n->kind == YNODE_MAP && leads_somewhere(dotted)) /* also below a key that has a short form */
		return read_map(l, n, dotted);
	for (size_t i = 0; i < config_nkeys; i++)
		if (strcmp(config_keys[i].name, dotted) == 0)
			return may_set(l, n, &config_keys[i]) ? config_key_parse(l, i, n) : 0;
	return leads_somewhere(dotted) ? read_map(l, n, dotted) : unknown_key(l, n, prefix);
}

static int read_map(struct load *l, const struct ynode *map, const char *prefix)
{
	if (yaml_null(map))
		return 0;
	if (map->kind != YNODE_MAP)
		return value_fail(l, map, "expected keys and values");
	for (const struct ynode *c = map->child; c; c = c->next)
		if (read_key(l, c, prefix) < 0)
			return -1;
	return 0;
}

/* ---- the built-in policy ---- */

/*
 * All other built-in behaviour is in the gate's checks (docs/checks.md) and their grades. The digest is that
 * of the text; test_config compares both.
 */
static const char builtin_text[] = "default: allow\n";
#define BUILTIN_DIGEST "sha256:8aa28ebc47654e2189df1da1a5d951483351c508fff9601206b590ecf17ec56c"

void config_default(struct policy *ret)
{
	*ret = (struct policy){
		.title = STR("built-in"),
		.digest = STR(BUILTIN_DIGEST),
		.fallback = VERDICT_ALLOW,
		.on_error = VERDICT_ALLOW, /* not given: the checks keep their grades */
		.contain_fallback = VERDICT_ASK,
		.guidance = {.enabled = true, .include_defaults = true},
		.redirect = {.target = STR("/tmp/claude")},
		.secrets = {.scan_inputs = true, .scan_outputs = true, .scanner = STR("auto"),
				.scan_bytes_max = 5 << 20, .timeout_ms = 10000},
		.sandbox = {.enabled = true, .background = true, .caches_project = CACHES_PROJECT,
				.caches_total = CACHES_TOTAL},
		.hooks = {.deadline_ms = 8000},
		.audit = {.retention_days = AUDIT_RETENTION_DAYS, .quota = AUDIT_QUOTA,
				.outputs = AUDIT_OUTPUTS},
	};
}

struct str config_default_text(void)
{
	return str_n(builtin_text, sizeof(builtin_text) - 1);
}

/* ---- what was loaded, as a number ---- */

static struct str hash_text(struct arena *a, const unsigned char hash[crypto_hash_sha256_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	char *p = arena_alloc(a, 7 + 2 * crypto_hash_sha256_BYTES);
	memcpy(p, "sha256:", 7);
	for (size_t i = 0; i < crypto_hash_sha256_BYTES; i++) {
		p[7 + 2 * i] = digits[hash[i] >> 4];
		p[8 + 2 * i] = digits[hash[i] & 15];
	}
	return str_n(p, 7 + 2 * crypto_hash_sha256_BYTES);
}

struct str config_digest(struct arena *a, struct str bytes)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(hash, (const unsigned char *)bytes.p, bytes.n);
	return hash_text(a, hash);
}

/* One text: its own digest. Several texts (files, presets): the digest of their digests. */
static void add_digest(struct load_job *j, struct str bytes)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(hash, (const unsigned char *)bytes.p, bytes.n);
	crypto_hash_sha256_update(&j->hash, hash, sizeof(hash));
	if (j->texts++) {
		crypto_hash_sha256_state copy = j->hash;
		crypto_hash_sha256_final(&copy, hash);
	}
	j->l.policy.digest = hash_text(j->l.a, hash);
}

/* ---- sources and the presets they import ---- */

static int read_text(struct load_job *j, struct str name, struct str bytes)
{
	struct load *l = &j->l;
	if (yaml_read(l->a, name, bytes, &l->file, l->e) < 0)
		return -1;
	add_digest(j, bytes);
	return 0;
}

static int read_preset(struct load_job *j, const struct config_preset *p)
{
	struct load *l = &j->l;
	struct yaml_file outer = l->file;
	const struct config_source *outer_src = l->src;
	struct config_source src = {.name = str_fmt(l->a, "preset %.*s", STR_ARG(p->name)),
			.who = outer_src->who, .base = outer_src->base};
	l->src = &src;
	l->preset = true;
	int r = read_text(j, src.name, p->text);
	if (r == 0 && l->file.root)
		r = read_map(l, l->file.root, "");
	l->preset = false;
	l->src = outer_src;
	l->file = outer;
	return r;
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!(ascii_is_name(c) || c == '-'))
			return false;
	}
	return s.n > 0 && s.n < KEY_MAX;
}

const char *config_preset_near(struct arena *a, struct str name, const char *otherwise)
{
	struct config_preset p;
	struct near guess = {.word = name};
	for (size_t i = 0; config_preset_at(i, &p); i++)
		near_try(&guess, str_c(a, p.name));
	return near_text(a, &guess, otherwise);
}

static int missing_preset(struct load *l, const struct ynode *n)
{
	if (l->src->dialect == CONFIG_FENCEPOST && str_is(n->text, "user")) {
		value_note(l, n, "'user' is not needed: your own policy always applies");
		return 0;
	}
	if (l->src->dialect == CONFIG_FENCEPOST) {
		value_note(l, n, "no preset '%.*s' (caisson presets lists them)", STR_ARG(n->text));
		return 0;
	}
	return yaml_fail(&l->file, n, false, l->e, "no such preset%s",
			config_preset_near(l->a, n->text, ""));
}

/*
 * A preset named by a fencepost file. Some mean more there: `filesystem` also allows read-only commands,
 * `python-safety` also covers JavaScript.
 */
static int import_fencepost(struct load_job *j, const struct config_preset *p)
{
	struct config_preset javascript;

	j->l.policy.allow_readonly |= str_is(p->name, "filesystem");
	if (str_is(p->name, "python-safety") && config_preset(STR("javascript-safety"), &javascript) &&
			read_preset(j, &javascript) < 0)
		return -1;
	return read_preset(j, p);
}

/* The presets that `all` stands for in a fencepost file. */
static int import_all(struct load_job *j)
{
	static const char names[][12] = {"ansible", "claude", "claude-web", "context7", "filesystem", "gh",
			"git", "helm", "helmfile", "kubernetes", "playwright", "secrets", "ssh"};
	struct config_preset p;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (config_preset(str_of(names[i]), &p) && import_fencepost(j, &p) < 0)
			return -1;
	return 0;
}

static int import_one(struct load_job *j, const struct ynode *n)
{
	struct load *l = &j->l;
	struct config_preset p;
	if (n->kind != YNODE_SCALAR || !is_name(n->text) || yaml_null(n))
		return value_fail(l, n, "expected the name of a preset");
	if (config_preset(n->text, &p))
		return l->src->dialect == CONFIG_FENCEPOST ? import_fencepost(j, &p) : read_preset(j, &p);
	if (l->src->dialect == CONFIG_FENCEPOST && str_is(n->text, "all"))
		return import_all(j);
	return missing_preset(l, n);
}

static int read_imports(struct load_job *j)
{
	const struct ynode *n = yaml_get(j->l.file.root, "import");
	if (!n || yaml_null(n))
		return 0;
	if (j->l.src->dialect == CONFIG_FENCEPOST)
		value_note(&j->l, n,
				"presets are caisson's own and may decide otherwise than those of "
				"fencepost; 'caisson presets NAME' shows one");
	if (n->kind == YNODE_SCALAR)
		return import_one(j, n);
	if (n->kind != YNODE_LIST)
		return value_fail(&j->l, n, "expected a list of presets");
	if (n->count > IMPORTS_MAX)
		return value_fail(&j->l, n, "too many presets");
	for (const struct ynode *c = n->child; c; c = c->next) {
		bool again = false;
		for (const struct ynode *d = n->child; d != c && !again; d = d->next)
			again = d->kind == YNODE_SCALAR && c->kind == YNODE_SCALAR &&
					str_eq(d->text, c->text);
		if (!again && import_one(j, c) < 0)
			return -1;
	}
	return 0;
}

static int read_source(struct load_job *j, const struct config_source *src)
{
	struct load *l = &j->l;
	l->src = src;
	if (read_text(j, src->name, src->bytes) < 0)
		return -1;
	if (!l->file.root)
		return 0;
	if (l->file.root->kind != YNODE_MAP)
		return value_fail(l, l->file.root, "expected keys and values");
	return read_imports(j) < 0 ? -1 : read_map(l, l->file.root, "");
}

/*
 * The policy before the first file: the built-in one, plus fencepost's own default if a fencepost file takes
 * part.
 */
static void start_load(struct load_job *j)
{
	struct load *l = &j->l;
	static const char titles[][8] = {[WHO_ANYONE] = "project", [WHO_TRUSTED] = "project",
			[WHO_OWNER] = "user", [WHO_SYSTEM] = "system"};
	config_default(&l->policy);
	if (j->n)
		l->policy.title = str_of(titles[j->src[j->n - 1].who]);
	for (size_t i = 0; i < j->n; i++)
		if (j->src[i].dialect == CONFIG_FENCEPOST) {
			l->policy.fallback = VERDICT_ASK;
			l->policy.discourage_chaining = l->policy.offer_manual_run = true;
		}
	l->examples_end = &l->policy.examples;
	l->notes_end = &l->notes;
	crypto_hash_sha256_init(&j->hash);
}

static int load_sources(void *arg)
{
	struct load_job *j = arg;
	start_load(j);
	for (size_t i = 0; i < j->n && j->result == 0; i++)
		j->result = read_source(j, &j->src[i]);
	if (j->result == 0 && j->n)
		j->result = config_pack_commands(&j->l);
	return 0;
}

int config_load(struct arena *a, const struct config_source *src, size_t n, struct policy *ret,
		struct config_note **ret_notes, struct err *e)
{
	struct err ignored;
	struct load_job j = {.l = {.a = a, .e = e ? e : &ignored}, .src = src, .n = n};
	if (arena_run(a, load_sources, &j) < 0)
		return err_limit(e, "'%.*s' needs too much memory",
				STR_ARG(j.l.src ? j.l.src->name : STR("policy")));
	if (j.result < 0)
		return -1;
	*ret = j.l.policy;
	if (ret_notes)
		*ret_notes = j.l.notes;
	return 0;
}
