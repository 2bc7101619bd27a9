/* Writes the JSON Schema of a policy: keys and the shapes of their values. See policy_schema.h. */
#include "config/policy_schema.h"

#include "base/embedded.h"
#include "base/json_write.h"
#include "base/num.h"
#include "config/load.h"

/* ---- shapes.yaml as JSON ---- */

static void put_presets(struct buf *b)
{
	struct config_preset p;

	for (size_t i = 0; config_preset_at(i, &p); i++) {
		json_put_comma(b);
		json_put_string(b, p.name);
	}
}

static void put_checks(struct buf *b)
{
	for (int id = CHECK_NONE + 1; id < CHECK_IDS; id++) {
		json_put_comma(b);
		json_put_string(b, str_of(check_name((enum check_id)id)));
	}
}

static void put_backends(struct buf *b)
{
	for (enum backend_choice c = BACKEND_UNSET + 1; c < BACKENDS; c++) {
		json_put_comma(b);
		json_put_string(b, str_of(backend_choice_name(c)));
	}
}

static const struct {
	char name[12];
	void (*put)(struct buf *b);
} lists[] = {{"@presets", put_presets}, {"@checks", put_checks}, {"@backends", put_backends}};

static void put_scalar(struct buf *b, const struct ynode *n)
{
	int64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(lists) && !n->plain; i++)
		if (str_is(n->text, lists[i].name)) {
			buf_char(b, '[');
			lists[i].put(b);
			buf_char(b, ']');
			return;
		}
	if (yaml_null(n))
		buf_c(b, "null");
	else if (n->plain && (str_is_any(n->text, "true false") ||
			num_parse(n->text, INT64_MIN, INT64_MAX, &number) == 0))
		buf_str(b, n->text);
	else
		json_put_string(b, n->text);
}

void config_put_json(struct buf *b, const struct ynode *n)
{
	if (n->kind == YNODE_SCALAR) {
		put_scalar(b, n);
		return;
	}
	buf_char(b, n->kind == YNODE_MAP ? '{' : '[');
	for (const struct ynode *c = n->child; c; c = c->next) {
		json_put_comma(b);
		if (n->kind == YNODE_MAP) {
			json_put_string(b, c->key);
			buf_char(b, ':');
		}
		config_put_json(b, c);
	}
	buf_char(b, n->kind == YNODE_MAP ? '}' : ']');
}

int config_shapes(struct arena *a, struct yaml_file *ret, struct err *e)
{
	return yaml_read(a, STR("shapes.yaml"), str_n((const char *)policy_shapes, policy_shapes_n), ret, e);
}

/* ---- keys as properties ---- */

static void put_words(struct buf *b, const char *shape)
{
	buf_c(b, "\"enum\": [");
	for (const char *p = shape; *p; p += strspn(p, "|")) {
		size_t n = strcspn(p, "|");

		json_put_comma(b);
		json_put_string(b, str_n(p, n));
		p += n;
	}
	buf_char(b, ']');
}

static void put_shape(struct buf *b, const struct config_key *k)
{
	if (k->shape[0] == '$')
		buf_fmt(b, "\"$ref\": \"#/$defs/%s\"", k->shape + 1);
	else
		put_words(b, k->shape);
}

static const struct config_key *key_named(struct str name)
{
	for (size_t i = 0; i < config_nkeys; i++)
		if (str_is(name, config_keys[i].name))
			return &config_keys[i];
	return NULL;
}

static bool has_keys_below(struct str name)
{
	for (size_t i = 0; i < config_nkeys; i++)
		if (strncmp(config_keys[i].name, name.p, name.n) == 0 && config_keys[i].name[name.n] == '.')
			return true;
	return false;
}

static void put_indent(struct buf *b, unsigned depth)
{
	buf_fmt(b, "\n%.*s", (int)depth, "\t\t\t\t\t\t\t\t");
}

static void put_properties(struct buf *b, struct str prefix, unsigned depth);

/* A key may be both: `sandbox.network` is a word, or a map of keys. */
static void put_property(struct buf *b, struct str name, unsigned depth)
{
	const struct config_key *k = key_named(name);
	bool map = has_keys_below(name);

	buf_char(b, '{');
	if (k) {
		buf_c(b, "\"description\": ");
		json_put_string(b, str_of(k->help));
		buf_c(b, map ? ", \"anyOf\": [{" : ", ");
		put_shape(b, k);
		buf_c(b, map ? "}, {" : "");
	}
	if (map)
		put_properties(b, name, depth);
	buf_c(b, k && map ? "}]}" : "}");
}

/* The first row with a new word behind the prefix adds a property; later rows with that word are below it. */
static bool is_first(size_t row, size_t n)
{
	for (size_t i = 0; i < row; i++)
		if (strncmp(config_keys[i].name, config_keys[row].name, n) == 0 &&
				(!config_keys[i].name[n] || config_keys[i].name[n] == '.'))
			return false;
	return true;
}

/* Keys may also be written with their dots; the loader checks those. */
static void put_properties(struct buf *b, struct str prefix, unsigned depth)
{
	size_t skip = prefix.n ? prefix.n + 1 : 0;
	bool any = false;

	buf_c(b, "\"type\": [\"object\", \"null\"], \"additionalProperties\": false, "
			"\"patternProperties\": {\"[.]\": {}}, \"properties\": {");
	for (size_t i = 0; i < config_nkeys; i++) {
		const char *name = config_keys[i].name;
		size_t n = skip + strcspn(name + (strlen(name) < skip ? strlen(name) : skip), ".");

		if (strlen(name) <= skip || strncmp(name, prefix.p, prefix.n) != 0 ||
				(skip && name[prefix.n] != '.') || !is_first(i, n))
			continue;
		buf_c(b, any ? "," : "");
		any = true;
		put_indent(b, depth);
		json_put_string(b, str_n(name + skip, n - skip));
		buf_c(b, ": ");
		put_property(b, str_n(name, n), depth + 1);
	}
	put_indent(b, depth - 1);
	buf_char(b, '}');
}

int config_schema(struct arena *a, struct buf *b, struct err *e)
{
	struct yaml_file shapes;

	if (config_shapes(a, &shapes, e) != 0)
		return -1;
	buf_c(b, "{\n\t\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
			"\t\"title\": \"A policy of caisson\",\n"
			"\t\"description\": \"caisson.yaml(5) describes the keys\",\n\t");
	put_properties(b, STR(""), 2);
	buf_c(b, ",\n\t\"$defs\": {");
	for (const struct ynode *n = shapes.root->child; n; n = n->next) {
		buf_c(b, n == shapes.root->child ? "\n\t\t" : ",\n\t\t");
		json_put_string(b, n->key);
		buf_c(b, ": ");
		config_put_json(b, n);
	}
	buf_c(b, "\n\t}\n}\n");
	return 0;
}

/* ---- for people ---- */

static const char *words_text(struct arena *a, const char *shape)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (const char *p = shape; *p; p++)
		if (*p != '|')
			buf_char(&b, *p);
		else
			buf_c(&b, strchr(p + 1, '|') ? ", " : " or ");
	return str_c(a, buf_view(&b));
}

const char *config_shape_text(struct arena *a, const struct yaml_file *shapes, const struct config_key *k)
{
	const struct ynode *row, *title;

	if (k->shape[0] != '$')
		return words_text(a, k->shape);
	row = yaml_get(shapes->root, k->shape + 1);
	title = row ? yaml_get(row, "title") : NULL;
	return title ? str_c(a, title->text) : "";
}
