/*
 * Packs YAML rows into a blob. Each key of a row has a small parser in a table. See knowledge_yaml.h and
 * docs/knowledge.md.
 */
#include "config/knowledge_yaml.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/pmap.h"

#define WHENS_MAX 64
#define FLAGS_MAX 1000
#define FIRST_MAX 16
#define NAMES_MAX 64

struct pack {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	struct buf out;              /* data behind the rows; offsets count from the blob's start */
	size_t base;                 /* bytes of header and rows */
	const struct pmap *strings;  /* text -> offset */
	const struct ynode *row;     /* being read */
	struct know_flag *flags;     /* of the row, sorted */
};

static int fail_at(struct pack *p, const struct ynode *n, const char *what)
{
	return yaml_fail(p->file, n, false, p->e, "%s", what);
}

static uint32_t append_bytes(struct pack *p, const void *bytes, size_t n)
{
	while (p->out.n % 4)
		buf_char(&p->out, '\0');
	uint32_t at = (uint32_t)(p->base + p->out.n);
	buf_add(&p->out, bytes, n);
	return at;
}

static uint32_t intern_text(struct pack *p, struct str s)
{
	const uint32_t *known = pmap_get(p->strings, s);
	if (known)
		return *known;
	uint32_t *at = arena_new(p->a, uint32_t);
	*at = (uint32_t)(p->base + p->out.n);
	buf_str(&p->out, s);
	buf_char(&p->out, '\0');
	p->strings = pmap_set(p->a, p->strings, str_dup(p->a, s), at);
	return *at;
}

/*
 * Takes the next option name: "-f,--force -v" has three. *ret_same: the name is another spelling of the
 * previous one.
 */
static struct str next_name(struct str *rest, bool *ret_same)
{
	*ret_same = rest->n && rest->p[0] == ',';
	if (*ret_same)
		*rest = str_from(*rest, 1);
	struct str before = *rest, w = str_word(rest);
	ptrdiff_t comma = str_find(w, ',', 0);
	if (comma <= 0)
		return w;
	size_t end = (size_t)(w.p - before.p) + (size_t)comma;
	*rest = str_from(before, end);
	return str_first(w, (size_t)comma);
}

struct named { char name[20]; uint32_t value; };

static const struct named kinds[] = {
	{"none", KIND_NONE}, {"word", KIND_WORD}, {"regex", KIND_WORD}, {"pattern", KIND_WORD},
	{"read", KIND_READ}, {"path-read", KIND_READ},
	{"write", KIND_WRITE}, {"path-write", KIND_WRITE}, {"delete", KIND_DELETE},
	{"path-delete", KIND_DELETE}, {"exec", KIND_EXEC},
	{"path-exec", KIND_EXEC}, {"dir", KIND_DIR}, {"command", KIND_COMMAND}, {"script", KIND_SCRIPT},
	{"split", KIND_SPLIT},
	{"host", KIND_HOST}, {"url", KIND_HOST}, {"assign", KIND_ASSIGN}, {"keyed", KIND_KEYED},
	{"opaque", KIND_OPAQUE},
	{"stdin-script", KIND_STDIN_SCRIPT}, {"stdin-command", KIND_STDIN_COMMAND}, {"dest", KIND_DEST},
	{"write-cwd", KIND_WRITE_CWD}, {"write-tmp", KIND_WRITE_TMP},
	{"volume", KIND_VOLUME}, {"change", KIND_CHANGE}, {"system", KIND_SYSTEM}, {"names", KIND_NAMES},
	{"work-tree", KIND_WORK_TREE}, {"repository", KIND_REPOSITORY},
	{"git-dir", KIND_GIT_DIR}, {"fetch", KIND_FETCH}, {"mirror", KIND_MIRROR},
	{"options", KIND_OPTIONS}, {"alias", KIND_ALIAS}, {"", 0},
};

static const struct named mods[] = {
	{"more", USE_MORE}, {"inside", USE_INSIDE}, {"elsewhere", USE_ELSEWHERE}, {"tree", USE_TREE},
	{"below", USE_BELOW},
	{"parents", MOD_PARENTS}, {"last", MOD_LAST}, {"optional", MOD_OPTIONAL}, {"pair", MOD_PAIR},
	{"joined", MOD_JOINED},
	{"digits", MOD_DIGITS | MOD_OPTIONAL}, {"suffix", MOD_SUFFIX}, {"beside", MOD_BESIDE},
	{"remote", MOD_REMOTE},
	{"attached", MOD_ATTACHED}, {"second", MOD_SECOND | MOD_PAIR}, {"", 0},
};

static const struct named styles[] = {
	{"getopt", STYLE_GETOPT}, {"posix", STYLE_POSIX}, {"long-dash", STYLE_LONG_DASH},
	{"find", STYLE_FIND}, {"tar", STYLE_TAR}, {"none", STYLE_NONE}, {"", 0},
};

static const struct named effects[] = {
	{"network", EFFECT_NETWORK}, {"privilege", EFFECT_PRIVILEGE}, {"persistence", EFFECT_PERSISTENCE},
	{"system", EFFECT_SYSTEM},
	{"history-rewrite", EFFECT_HISTORY}, {"executes-workspace", EFFECT_WORKSPACE},
	{"copies", EFFECT_COPIES}, {"links", EFFECT_LINKS}, {"includes", EFFECT_INCLUDES}, {"", 0},
};

static const struct named *find_named(const struct named *table, struct str name)
{
	for (; table->name[0]; table++)
		if (str_is(name, table->name))
			return table;
	return NULL;
}

/* "KIND[?] [modifier ...]", "code:LANG" */
static int parse_spec(struct pack *p, const struct ynode *n, struct know_spec *ret)
{
	struct know_spec spec = {0};
	if (n->kind != YNODE_SCALAR)
		return fail_at(p, n, "expected a kind of argument, such as 'word' or 'path-read'");
	struct str rest = n->text, kind = str_word(&rest), mod;
	if (str_ends(kind, "?")) {
		spec.mods |= MOD_OPTIONAL;
		kind.n--;
	}
	const struct named *k = find_named(kinds, kind);
	if (str_starts(kind, "code:") && kind.n > 5) {
		spec.kind = KIND_CODE;
		spec.lang = intern_text(p, str_from(kind, 5));
	} else if (str_starts(kind, "data:") && kind.n > 5) {
		spec.kind = KIND_DATA;
		spec.lang = intern_text(p, str_from(kind, 5));
	} else if (k) {
		spec.kind = (uint16_t)k->value;
	} else {
		return fail_at(p, n, "no such kind of argument");
	}
	while ((mod = str_word(&rest)).n) {
		if (str_starts(mod, "suffix=") && mod.n > 7 && !spec.lang) {
			spec.lang = intern_text(p, str_from(mod, 7));
			mod.n = 6;
		}
		const struct named *m = find_named(mods, mod);
		if (!m)
			return fail_at(p, n, "no such modifier");
		spec.mods |= (uint16_t)m->value;
	}
	*ret = spec;
	return 0;
}

static int parse_bool(struct pack *p, const struct ynode *n, bool *ret)
{
	bool yes = n->kind == YNODE_SCALAR && str_is(n->text, "true");
	if (!yes && !(n->kind == YNODE_SCALAR && str_is(n->text, "false")))
		return fail_at(p, n, "expected true or false");
	*ret = yes;
	return 0;
}

/* One flag's value: a spec, nothing, or {arg, optional, last}. */
static int parse_flag_value(struct pack *p, const struct ynode *n, struct know_spec *ret)
{
	bool b;
	*ret = (struct know_spec){0};
	if (n->kind == YNODE_SCALAR)
		return yaml_null(n) ? 0 : parse_spec(p, n, ret);
	if (n->kind != YNODE_MAP)
		return fail_at(p, n, "expected what the option's argument is");
	const struct ynode *arg = yaml_get(n, "arg");
	if (arg && parse_spec(p, arg, ret) < 0)
		return -1;
	for (const struct ynode *c = n->child; c; c = c->next) {
		if (c == arg)
			continue;
		if (parse_bool(p, c, &b) < 0)
			return -1;
		if (str_is(c->key, "optional"))
			ret->mods |= b ? MOD_OPTIONAL : 0;
		else if (str_is(c->key, "last"))
			ret->mods |= b ? MOD_LAST : 0;
		else if (!str_is(c->key, "abbrev")) /* the row's `abbrev` decides; accepted as a comment */
			return yaml_fail(p->file, c, true, p->e, "unknown key");
	}
	return 0;
}

struct flag_order { struct str name, same; struct know_spec spec; };

static int flag_cmp(const void *x, const void *y)
{
	return str_cmp(((const struct flag_order *)x)->name, ((const struct flag_order *)y)->name);
}

static int parse_flags(struct pack *p, const struct ynode *n, struct know_row *r)
{
	if (n->kind != YNODE_MAP)
		return fail_at(p, n, "expected a map of options");
	struct flag_order *list = arena_array(p->a, FLAGS_MAX, sizeof(*list));
	size_t count = 0;
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct str rest = c->key, name;
		struct know_spec spec;
		struct str first = STR("");
		bool same;
		if (parse_flag_value(p, c, &spec) < 0)
			return -1;
		while ((name = next_name(&rest, &same)).n) {
			first = same && first.n ? first : name;
			if (name.p[0] != '-' && !str_is_any(name, "+ @"))
				return yaml_fail(p->file, c, true, p->e, "an option starts with '-'");
			if (count == FLAGS_MAX)
				return fail_at(p, c, "too many options");
			list[count++] = (struct flag_order){name, first, spec};
		}
	}
	qsort(list, count, sizeof(*list), flag_cmp);
	p->flags = arena_array(p->a, count + 1, sizeof(*p->flags));
	for (size_t i = 0; i < count; i++) {
		if (i && str_eq(list[i].name, list[i - 1].name))
			return yaml_fail(p->file, n, true, p->e, "option %.*s is listed twice",
					STR_ARG(str_first(list[i].name, 40)));
		p->flags[i] = (struct know_flag){intern_text(p, list[i].name), intern_text(p, list[i].same),
				list[i].spec};
		if (know_runs(list[i].spec.kind))
			r->bits |= ROW_RUNS;
	}
	r->nflags = (uint32_t)count;
	r->flags = append_bytes(p, p->flags, count * sizeof(*p->flags));
	return 0;
}

/* The index of a flag of the row by its name. */
static int flag_index(struct pack *p, const struct ynode *n, const struct know_row *r, struct str name,
		uint32_t *ret)
{
	for (uint32_t i = 0; i < r->nflags; i++)
		if (str_is(name, p->out.p + (p->flags[i].name - p->base))) {
			*ret = i;
			return 0;
		}
	return yaml_fail(p->file, n, false, p->e, "option %.*s is not in the row's flags",
			STR_ARG(str_first(name, 40)));
}

static int add_flag_refs(struct pack *p, const struct ynode *n, const struct know_row *r, uint32_t *list,
		size_t *count)
{
	struct str rest = n->text, name;
	bool same;
	while ((name = next_name(&rest, &same)).n) {
		uint32_t one;
		if (flag_index(p, n, r, name, &one) < 0)
			return -1;
		for (uint32_t i = 0; i < r->nflags; i++) { /* one spelling represents all */
			if (p->flags[i].same != p->flags[one].same)
				continue;
			if (*count == FLAGS_MAX)
				return fail_at(p, n, "too many options");
			list[(*count)++] = i;
		}
	}
	return 0;
}

/* "-x --extract" or [-x, --extract] */
static int parse_flag_refs(struct pack *p, const struct ynode *n, const struct know_row *r, uint32_t *ret_at,
		uint32_t *ret_n)
{
	uint32_t *list = arena_array(p->a, FLAGS_MAX, sizeof(*list));
	size_t count = 0;
	if (n->kind == YNODE_MAP)
		return fail_at(p, n, "expected a list of options");
	if (n->kind == YNODE_SCALAR && add_flag_refs(p, n, r, list, &count) < 0)
		return -1;
	for (const struct ynode *c = n->child; c; c = c->next)
		if (c->kind != YNODE_SCALAR || add_flag_refs(p, c, r, list, &count) < 0)
			return c->kind != YNODE_SCALAR ? fail_at(p, c, "expected an option") : -1;
	*ret_at = append_bytes(p, list, count * sizeof(*list));
	*ret_n = (uint32_t)count;
	return 0;
}

static int parse_values(struct pack *p, const struct ynode *n, struct know_row *r)
{
	if (n->kind != YNODE_MAP)
		return fail_at(p, n, "expected a map of beginnings");
	struct know_value *v = arena_array(p->a, n->count + 1, sizeof(*v));
	size_t i = 0;
	for (const struct ynode *c = n->child; c; c = c->next, i++) {
		if (parse_spec(p, c, &v[i].spec) < 0)
			return -1;
		ptrdiff_t star = str_find(c->key, '*', 0);
		if (star >= 0 && str_find(c->key, '*', (size_t)star + 1) >= 0)
			/* a bound, since more would make matching slow */
			return yaml_fail(p->file, c, true, p->e, "at most one '*'");
		v[i].prefix = intern_text(p, c->key);
	}
	r->values = append_bytes(p, v, i * sizeof(*v));
	r->nvalues = (uint32_t)i;
	return 0;
}

static const struct named op_fields[] = {
	{"rest", OPS_REST}, {"role", OPS_REST}, {"last", OPS_LAST}, {"alone", OPS_ALONE},
	{"empty", OPS_EMPTY}, {"always", OPS_ALWAYS}, {"after", OPS_AFTER}, {"", 0},
};

static struct know_spec *op_field(struct know_operands *o, uint32_t bit)
{
	switch (bit) {
	case OPS_REST: return &o->rest;
	case OPS_LAST: return &o->last;
	case OPS_ALONE: return &o->alone;
	case OPS_EMPTY: return &o->empty;
	case OPS_ALWAYS: return &o->always;
	default: return &o->after;
	}
}

static int parse_first(struct pack *p, const struct ynode *n, struct know_operands *o)
{
	struct know_spec first[FIRST_MAX];
	if (n->kind != YNODE_LIST || n->count > FIRST_MAX)
		return fail_at(p, n, "expected a short list of kinds");
	for (const struct ynode *c = n->child; c; c = c->next)
		if (parse_spec(p, c, &first[o->nfirst++]) < 0)
			return -1;
	o->first = append_bytes(p, first, o->nfirst * sizeof(*first));
	o->set |= OPS_FIRST;
	return 0;
}

/* The two roles that are patterns by themselves. */
static bool parse_compound(struct pack *p, struct str role, struct know_operands *o)
{
	static const struct know_spec word = {.kind = KIND_WORD};
	if (str_is(role, "pattern-then-read")) {
		o->first = append_bytes(p, &word, sizeof(word));
		o->nfirst = 1;
		o->rest.kind = KIND_READ;
		o->set |= OPS_FIRST | OPS_REST;
		return true;
	}
	if (str_is(role, "src-then-dest")) {
		o->rest.kind = KIND_READ;
		o->last.kind = KIND_DEST;
		o->set |= OPS_REST | OPS_LAST;
		return true;
	}
	return false;
}

static int parse_operands(struct pack *p, const struct ynode *n, struct know_operands *ret)
{
	struct know_operands o = {0};
	if (n->kind != YNODE_MAP)
		return fail_at(p, n, "expected a map such as {role: read}");
	for (const struct ynode *c = n->child; c; c = c->next) {
		const struct named *f = find_named(op_fields, c->key);
		if (str_is(c->key, "first")) {
			if (parse_first(p, c, &o) < 0)
				return -1;
		} else if (!f) {
			return yaml_fail(p->file, c, true, p->e, "unknown key");
		} else if (!(f->value == OPS_REST && c->kind == YNODE_SCALAR &&
				parse_compound(p, c->text, &o))) {
			if (parse_spec(p, c, op_field(&o, f->value)) < 0)
				return -1;
			o.set |= f->value;
		}
	}
	*ret = o;
	return 0;
}

static int parse_effects(struct pack *p, const struct ynode *n, uint32_t *ret)
{
	if (n->kind != YNODE_LIST)
		return fail_at(p, n, "expected a list of effects");
	*ret = 0;
	for (const struct ynode *c = n->child; c; c = c->next) {
		const struct named *f = c->kind == YNODE_SCALAR ? find_named(effects, c->text) : NULL;
		if (!f)
			return fail_at(p, c, "no such effect");
		*ret |= f->value;
	}
	return 0;
}

static int parse_when_args(struct pack *p, const struct ynode *n, struct know_row *r, struct know_when *w)
{
	struct know_arg *args = arena_array(p->a, FLAGS_MAX, sizeof(*args));
	size_t count = 0;
	if (n->kind != YNODE_MAP)
		return fail_at(p, n, "expected a map of options");
	for (const struct ynode *c = n->child; c; c = c->next) {
		struct str rest = c->key, name;
		struct know_spec spec;
		if (parse_spec(p, c, &spec) < 0)
			return -1;
		bool same;
		while ((name = next_name(&rest, &same)).n) {
			if (count == FLAGS_MAX || flag_index(p, c, r, name, &args[count].flag) < 0)
				return count == FLAGS_MAX ? fail_at(p, c, "too many options") : -1;
			args[count++].spec = spec;
		}
	}
	w->args = append_bytes(p, args, count * sizeof(*args));
	w->nargs = (uint32_t)count;
	return 0;
}

static int parse_when(struct pack *p, const struct ynode *n, struct know_row *r, struct know_when *w)
{
	if (n->kind != YNODE_MAP || !yaml_get(n, "flags"))
		return fail_at(p, n, "expected {flags: ..., operands: ...}");
	for (const struct ynode *c = n->child; c; c = c->next) {
		int bad = str_is(c->key, "flags")      ? parse_flag_refs(p, c, r, &w->flags, &w->nflags)
		          : str_is(c->key, "operands") ? parse_operands(p, c, &w->ops)
		          : str_is(c->key, "args")     ? parse_when_args(p, c, r, w)
		          : str_is(c->key, "effects")  ? parse_effects(p, c, &w->effects)
		                                       : yaml_fail(p->file, c, true, p->e, "unknown key");
		if (bad < 0)
			return -1;
	}
	const struct ynode *fx = yaml_get(n, "effects");
	if (fx && !fx->child)
		w->ops.set |= OPS_HARMLESS; /* not in parse_effects(): `operands` may come after it */
	return 0;
}

static int parse_whens(struct pack *p, const struct ynode *n, struct know_row *r)
{
	if (n->kind != YNODE_LIST || n->count > WHENS_MAX)
		return fail_at(p, n, "expected a list of at most 64 maps");
	struct know_when *w = arena_array(p->a, n->count + 1, sizeof(*w));
	size_t i = 0;
	for (const struct ynode *c = n->child; c; c = c->next)
		if (parse_when(p, c, r, &w[i++]) < 0)
			return -1;
	r->whens = append_bytes(p, w, i * sizeof(*w));
	r->nwhens = (uint32_t)i;
	return 0;
}

static int parse_readonly(struct pack *p, const struct ynode *n, struct know_row *r)
{
	bool yes = true;
	if (n->kind == YNODE_SCALAR && parse_bool(p, n, &yes) < 0)
		return -1;
	if (n->kind == YNODE_LIST)
		return fail_at(p, n, "expected true, or {unless: options}");
	for (const struct ynode *c = n->child; c; c = c->next) {
		int bad = str_is(c->key, "unless") ? parse_flag_refs(p, c, r, &r->unless, &r->nunless)
		          : str_is(c->key, "only") ? parse_flag_refs(p, c, r, &r->only, &r->nonly)
		                                   : yaml_fail(p->file, c, true, p->e, "unknown key");
		if (bad < 0)
			return -1;
	}
	r->bits |= yes ? ROW_READONLY : 0;
	return 0;
}

static int parse_row_operands(struct pack *p, const struct ynode *n, struct know_row *r)
{
	return parse_operands(p, n, &r->ops);
}
static int parse_row_effects(struct pack *p, const struct ynode *n, struct know_row *r)
{
	return parse_effects(p, n, &r->effects);
}

/* unwrap: {operand: N}: N words, then a command. */
static int parse_unwrap(struct pack *p, const struct ynode *n, struct know_row *r)
{
	struct know_spec first[FIRST_MAX] = {0};
	int64_t count;
	const struct ynode *c = yaml_get(n, "operand");
	if (!c || n->count != 1 || c->kind != YNODE_SCALAR || num_parse(c->text, 0, FIRST_MAX, &count) < 0)
		return fail_at(p, n, "expected {operand: N}");
	for (int64_t i = 0; i < count; i++)
		first[i].kind = KIND_WORD;
	r->ops.nfirst = (uint32_t)count;
	r->ops.first = append_bytes(p, first, (size_t)count * sizeof(*first));
	r->ops.rest.kind = KIND_COMMAND;
	return 0;
}

static int parse_style(struct pack *p, const struct ynode *n, struct know_row *r)
{
	const struct named *s = n->kind == YNODE_SCALAR ? find_named(styles, n->text) : NULL;
	if (!s)
		return fail_at(p, n, "no such style");
	r->style = s->value;
	return 0;
}

static int parse_abbrev(struct pack *p, const struct ynode *n, struct know_row *r)
{
	bool b;
	if (parse_bool(p, n, &b) < 0)
		return -1;
	r->bits = b ? r->bits | ROW_ABBREV : r->bits & ~(uint32_t)ROW_ABBREV;
	return 0;
}

static int parse_assigns(struct pack *p, const struct ynode *n, struct know_row *r)
{
	bool any = n->kind == YNODE_SCALAR && str_is(n->text, "any");
	if (!any && !(n->kind == YNODE_SCALAR && str_is(n->text, "first")))
		return fail_at(p, n, "expected first or any");
	r->bits |= any ? ROW_ASSIGN_ANY : ROW_ASSIGN_FIRST;
	return 0;
}

static int parse_until(struct pack *p, const struct ynode *n, struct know_row *r)
{
	int64_t v;
	if (n->kind == YNODE_SCALAR && str_is(n->text, ":::")) {
		r->bits |= ROW_COLONS;
		return 0;
	}
	if (n->kind != YNODE_SCALAR || num_parse(n->text, 0, FIRST_MAX, &v) < 0)
		return fail_at(p, n, "expected a small number");
	r->until = (uint32_t)v;
	return 0;
}

/* Words with which a program only prints. An empty list: no such word. */
static int parse_info(struct pack *p, const struct ynode *n, struct know_row *r)
{
	if (n->kind != YNODE_SCALAR)
		return fail_at(p, n, "expected words such as \"--version --help\"");
	r->info = intern_text(p, n->text);
	return 0;
}

static int parse_words(struct pack *p, const struct ynode *n, uint32_t *ret)
{
	if (n->kind != YNODE_SCALAR)
		return fail_at(p, n, "expected words such as \"pre-commit? post-commit\"");
	*ret = intern_text(p, n->text);
	return 0;
}

static int parse_fires(struct pack *p, const struct ynode *n, struct know_row *r)
{
	return parse_words(p, n, &r->fires);
}
static int parse_obeys(struct pack *p, const struct ynode *n, struct know_row *r)
{
	return parse_words(p, n, &r->obeys);
}

/* Examples are for the tests; only their shape is checked here. */
static int parse_examples(struct pack *p, const struct ynode *n, struct know_row *r)
{
	(void)r;
	if (n->kind != YNODE_LIST)
		return fail_at(p, n, "expected a list of examples");
	for (const struct ynode *c = n->child; c; c = c->next)
		if (!yaml_get(c, "cmd"))
			return fail_at(p, c, "an example needs 'cmd'");
	return 0;
}

static int parse_nothing(struct pack *p, const struct ynode *n, struct know_row *r)
{
	(void)p, (void)n, (void)r;
	return 0;
}

/* The keys of a row in parsing order: flags come before the keys that refer to them. */
static const struct {
	const char *key;
	int (*parse)(struct pack *p, const struct ynode *n, struct know_row *r);
} row_keys[] = {
	{"name", parse_nothing}, {"note", parse_nothing}, {"style", parse_style}, {"abbrev", parse_abbrev},
	{"until", parse_until}, {"assigns", parse_assigns},
	{"flags", parse_flags}, {"values", parse_values}, {"operands", parse_row_operands},
	{"unwrap", parse_unwrap}, {"when", parse_whens},
	{"effects", parse_row_effects}, {"readonly", parse_readonly}, {"info", parse_info},
	{"fires", parse_fires}, {"obeys", parse_obeys}, {"examples", parse_examples},
};

#define ROW_KEYS ARRAY_SIZE(row_keys)

static int parse_body(struct pack *p, const struct ynode *n, struct know_row *r)
{
	p->flags = NULL;
	*r = (struct know_row){.bits = ROW_ABBREV};
	for (const struct ynode *c = n->child; c; c = c->next) {
		size_t i = 0;
		while (i < ROW_KEYS && !str_is(c->key, row_keys[i].key))
			i++;
		if (i == ROW_KEYS)
			return yaml_fail(p->file, c, true, p->e, "unknown key");
	}
	for (size_t i = 0; i < ROW_KEYS; i++) {
		const struct ynode *c = yaml_get(n, row_keys[i].key);
		if (c && row_keys[i].parse(p, c, r) < 0)
			return -1;
	}
	return 0;
}

struct entry { /* one name */
	struct str name;
	const struct ynode *row, *at; /* row NULL: a parent with subcommands only */
	size_t src;
};

static int entry_cmp(const void *x, const void *y)
{
	return str_cmp(((const struct entry *)x)->name, ((const struct entry *)y)->name);
}

static bool name_ok(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == '/' ||
				(s.p[i] == ' ' && (i == 0 || i + 1 == s.n || s.p[i - 1] == ' ')))
			return false;
	return s.n > 0;
}

struct entries {
	struct entry *p;
	size_t n, cap;
	const struct pmap *names;
};

static int add_name(struct pack *p, struct entries *es, const struct ynode *at, const struct ynode *row,
		size_t src)
{
	if (at->kind != YNODE_SCALAR || !name_ok(at->text))
		return fail_at(p, at, "not a command's name");
	if (pmap_get(es->names, at->text))
		return fail_at(p, at, "a row with this name exists already");
	es->names = pmap_set(p->a, es->names, at->text, at);
	es->p = arena_room(p->a, es->p, es->n, &es->cap, sizeof(*es->p));
	es->p[es->n++] = (struct entry){at->text, row, at, src};
	return 0;
}

static int collect_names(struct pack *p, const struct know_source *src, size_t index, struct entries *es)
{
	p->file = src->file;
	if (src->rows->kind != YNODE_LIST)
		return fail_at(p, src->rows, "expected a list of rows");
	for (const struct ynode *r = src->rows->child; r; r = r->next) {
		const struct ynode *name = yaml_get(r, "name");
		if (!name || name->kind == YNODE_MAP || name->count > NAMES_MAX)
			return fail_at(p, r, "a row needs 'name': a name, or a list of up to 64");
		if (name->kind == YNODE_SCALAR && add_name(p, es, name, r, index) < 0)
			return -1;
		for (const struct ynode *c = name->child; c; c = c->next)
			if (add_name(p, es, c, r, index) < 0)
				return -1;
	}
	return 0;
}

/* "git push" without "git": adds an empty row for the parent. */
static void add_parents(struct pack *p, struct entries *es)
{
	for (size_t i = 0; i < es->n; i++) {
		struct str name = es->p[i].name;
		size_t blank = name.n;
		while (blank > 0 && name.p[blank - 1] != ' ')
			blank--;
		struct str parent = str_first(name, blank ? blank - 1 : 0);
		if (!parent.n || pmap_get(es->names, parent))
			continue;
		struct ynode *at = arena_new(p->a, struct ynode);
		at->text = parent;
		add_name(p, es, at, NULL, es->p[i].src);
	}
}

/*
 * In sorted order other names may lie between a name and its subcommands ("git", "git-lfs", "git push"): look
 * up by name.
 */
static void mark_parents(struct pack *p, const struct entries *es, struct know_row *rows)
{
	const struct pmap *index = NULL;
	for (size_t i = 0; i < es->n; i++)
		index = pmap_set(p->a, index, es->p[i].name, &rows[i]);
	for (size_t i = 0; i < es->n; i++)
		for (size_t k = es->p[i].name.n; k-- > 0;)
			if (es->p[i].name.p[k] == ' ') {
				struct know_row *parent = (struct know_row *)pmap_get(index,
						str_first(es->p[i].name, k));
				if (parent)
					parent->bits |= ROW_SUBCOMMANDS;
				break;
			}
}

static int pack_rows(struct pack *p, const struct know_source *src, struct entries *es, struct know_row *rows)
{
	const struct pmap *bodies = NULL; /* by the row's offset: names of one row share its body */
	for (size_t i = 0; i < es->n; i++) {
		struct entry *en = &es->p[i];
		p->file = src[en->src].file;
		struct know_row *r = &rows[i];
		r->bits = ROW_FORWARD;
		if (en->row) {
			struct str key = str_n((const char *)&en->row, sizeof(en->row));
			const struct know_row *body = pmap_get(bodies, key);
			if (!body && parse_body(p, en->row, r) < 0)
				return -1;
			if (body)
				*r = *body;
			else
				bodies = pmap_set(p->a, bodies, key, r);
		}
		r->self = (uint32_t)(sizeof(struct know_blob) + i * sizeof(*r));
		r->name = intern_text(p, en->name);
	}
	mark_parents(p, es, rows);
	return 0;
}

int know_yaml_pack(struct arena *a, const struct know_source *src, size_t nsrc, struct know_packed *ret,
		struct err *e)
{
	struct pack p = {.a = a, .e = e};
	struct entries es = {0};
	for (size_t i = 0; i < nsrc; i++)
		if (collect_names(&p, &src[i], i, &es) < 0)
			return -1;
	add_parents(&p, &es);
	if (es.n)
		qsort(es.p, es.n, sizeof(*es.p), entry_cmp);
	p.base = sizeof(struct know_blob) + es.n * sizeof(struct know_row);
	buf_init(&p.out, a, 0);
	struct know_row *rows = arena_array(a, es.n + 1, sizeof(*rows));
	if (pack_rows(&p, src, &es, rows) < 0)
		return -1;
	while (p.out.n % 4)
		buf_char(&p.out, '\0');
	struct know_blob head = {.magic = KNOW_MAGIC, .bytes = (uint32_t)(p.base + p.out.n),
			.nrows = (uint32_t)es.n};
	char *blob = arena_alloc(a, head.bytes);
	memcpy(blob, &head, sizeof(head));
	memcpy(blob + sizeof(head), rows, es.n * sizeof(*rows));
	if (p.out.n)
		memcpy(blob + p.base, p.out.p, p.out.n);
	*ret = (struct know_packed){(const void *)blob, head.bytes, (const void *)(blob + sizeof(head)),
			es.n};
	return 0;
}
