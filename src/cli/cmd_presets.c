/* caisson presets: lists the presets, or prints one: a policy, or the hosts of package registries. */
#include "base/json_write.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "config/config.h"
#include "knowledge/registry_rows.h"
#include "run/registries.h"

#define COLUMN 19

struct presets_job {
	struct arena a;
	bool json, again;
	const char *name; /* NULL: list all */
};

static const struct option_row options[] = {
	{"json", OPTION_FLAG, offsetof(struct presets_job, json), "", "print one JSON object"},
	{"again", OPTION_FLAG, offsetof(struct presets_job, again), "",
	 "ask the tools again, even if their configuration is unchanged"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"}, {1, "no such preset"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson presets", "Lists every preset with its purpose."},
	{"caisson presets git > rules.yaml", "Prints the rules of one preset."},
	{"caisson presets preset:registries/npm", "Lists the hosts that this value of --network stands for "
			"here."},
};

static void put_rules(struct presets_job *j, struct buf *b, const struct network_rule *rules)
{
	for (; rules; rules = rules->next) {
		struct str text = network_rule_text(&j->a, rules);

		if (j->json) {
			json_put_comma(b);
			json_put_string(b, text);
		} else {
			buf_fmt(b, "%.*s\n", STR_ARG(text));
		}
	}
}

static void put_object(struct presets_job *j, struct buf *b, const struct network_rule *rules,
		const struct texts *notes)
{
	buf_char(b, '{');
	json_put_field(b, "preset", str_of(j->name));
	json_put_open(b, "hosts", '[');
	put_rules(j, b, rules);
	buf_char(b, ']');
	json_put_texts(b, "notes", notes);
	buf_c(b, "}\n");
}

/* Asks the tools as a run would. */
static int show_hosts(struct presets_job *j)
{
	struct network_rule *rules = NULL;
	struct registries r = {.again = j->again};
	struct run_world world;
	struct err e = {0};
	struct buf b;

	if (run_world(&j->a, NULL, &world, &e) == 0)
		r.world = &world;
	if (!r.world || registries_expand(&j->a, &r, str_of(j->name), &rules, &e) != 0) {
		output_error("%s", e.text);
		return 1;
	}
	buf_init(&b, &j->a, 0);
	if (j->json)
		put_object(j, &b, rules, r.notes);
	else
		put_rules(j, &b, rules);
	for (const struct texts *t = r.notes; t && !j->json; t = t->next)
		output_error("%.*s", STR_ARG(t->text));
	return output_write(buf_view(&b), 0);
}

static int list_json(struct buf *b)
{
	struct config_preset p;

	buf_char(b, '{');
	json_put_open(b, "presets", '[');
	for (size_t i = 0; config_preset_at(i, &p); i++) {
		json_put_comma(b);
		buf_char(b, '{');
		json_put_field(b, "name", p.name);
		json_put_field(b, "title", p.title);
		buf_char(b, '}');
	}
	buf_c(b, "]}\n");
	return output_write(buf_view(b), 0);
}

static void put_line(struct buf *b, const char *name, const char *title)
{
	buf_fmt(b, "%-*s ", COLUMN - 1, name);
	buf_wrapped(b, title, COLUMN, COLUMN, terminal_width(1));
}

static int presets_job_run(void *arg)
{
	struct presets_job *j = arg;
	struct config_preset p;
	struct buf b;

	if (j->name && registries_is_preset(str_of(j->name)))
		return show_hosts(j);
	if (j->name && !config_preset(str_of(j->name), &p)) {
		output_error("no preset '%.100s'%s", j->name,
				config_preset_near(&j->a, str_of(j->name), " (caisson presets lists them)"));
		return 1;
	}
	if (j->name)
		return output_write(p.text, 0);
	buf_init(&b, &j->a, 0);
	if (j->json)
		return list_json(&b);
	for (size_t i = 0; config_preset_at(i, &p); i++)
		put_line(&b, str_c(&j->a, p.name), str_c(&j->a, p.title));
	put_line(&b, REGISTRY_PRESET, "for --network: the hosts of package managers, or of one with /TOOL");
	return output_write(buf_view(&b), 0);
}

static int run_presets(const struct command_row *self, int argc, char **argv)
{
	struct presets_job j = {0};
	int code;

	if (!options_operand(self, argc, argv, &j, "give one name", &j.name, &code))
		return code;
	return with_arena(&j.a, presets_job_run, &j);
}

const struct command_row command_presets = {
	.name = "presets",
	.synopsis = "[PRESET]",
	.summary = "list the presets, or print one",
	.about = "Presets are policies that come with the program. A policy imports them by name: `import: "
			"[git, secrets]`. Without NAME this command lists them; with NAME it prints the "
			"rules, to read or copy.\n\npreset:registries is a value of `run --network`: the "
			"hosts from which the package managers of this machine install; "
			"preset:registries/TOOL are those of one tool. Caisson asks the tools themselves, "
			"each in a box without network; files of the project are ignored.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_presets,
};
