/*
 * caisson completion: completes command lines in bash, zsh and fish.
 *
 * `caisson completion SHELL` prints a short script. For each completion the script calls
 * `caisson completion --words N -- WORD...`, which knows commands and options from the tables that parse
 * them. Candidates come one per line, with a tab and a description; the line ":files" stands for the names of
 * files.
 *
 * The placeholder of an option's value says what may be completed there: "a|b" lists the values, and the
 * kinds below name lists that the program or this machine has.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/ascii.h"
#include "base/num.h"
#include "cli/boxes.h"
#include "client/init_hooks.h"
#include "config/config.h"
#include "gate/gate.h"
#include "image/image_store.h"
#include "model/backend_choice.h"
#include "model/validation.h"
#include "run/language.h"

#define WORDS_MAX 4096

struct completion_job {
	struct boxes boxes; /* its arena is that of the job */
	const char *words; /* number of the word to complete */
	char **argv;
	int argc;
	struct buf b;
};

static const struct option_row options[] = {
	{"words", OPTION_VALUE, offsetof(struct completion_job, words), "N",
			"print candidates for word number N of the command line that follows"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"source <(caisson completion bash)", "Enables completion in this shell; add the line to ~/.bashrc "
			"to keep it."},
	{"source <(caisson completion zsh)", "Does the same in zsh, after compinit."},
	{"caisson completion fish > ~/.config/fish/completions/caisson.fish", "For fish."},
};

/* ---- scripts ---- */

static const struct {
	char name[8];
	const char *text;
} scripts[] = {
	{"bash",
	 "_caisson() {\n"
	 "\tlocal line cur=${COMP_WORDS[COMP_CWORD]}\n"
	 "\tCOMPREPLY=()\n"
	 "\twhile IFS= read -r line; do\n"
	 "\t\tif [[ $line == :files ]]; then\n"
	 "\t\t\tcompopt -o filenames\n"
	 "\t\t\twhile IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -f -- \"$cur\")\n"
	 "\t\telif [[ ${line%%$'\\t'*} == \"$cur\"* ]]; then\n"
	 "\t\t\tCOMPREPLY+=(\"${line%%$'\\t'*}\")\n"
	 "\t\tfi\n"
	 "\tdone < <(\"${COMP_WORDS[0]}\" completion --words \"$COMP_CWORD\" -- \"${COMP_WORDS[@]}\" "
	 "2>/dev/null)\n"
	 "}\n"
	 "complete -F _caisson caisson\n"},
	{"zsh",
	 "#compdef caisson\n"
	 "_caisson() {\n"
	 "\tlocal line\n"
	 "\tlocal -a found\n"
	 "\tfor line in ${(f)\"$(\"${words[1]}\" completion --words $((CURRENT - 1)) -- \"${words[@]}\" "
	 "2>/dev/null)\"}; do\n"
	 "\t\tif [[ $line == :files ]]; then\n"
	 "\t\t\t_files\n"
	 "\t\telse\n"
	 "\t\t\tfound+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
	 "\t\tfi\n"
	 "\tdone\n"
	 "\t(( $#found )) && _describe caisson found\n"
	 "}\n"
	 "compdef _caisson caisson\n"},
	{"fish",
	 "function __caisson_complete\n"
	 "\tset -l words (commandline -opc) (commandline -ct)\n"
	 "\tset -l last (math (count $words) - 1)\n"
	 "\tfor line in ($words[1] completion --words $last -- $words 2>/dev/null)\n"
	 "\t\tif test \"$line\" = :files\n"
	 "\t\t\t__fish_complete_path (commandline -ct)\n"
	 "\t\telse\n"
	 "\t\t\techo $line\n"
	 "\t\tend\n"
	 "\tend\n"
	 "end\n"
	 "complete -c caisson -f -a '(__caisson_complete)'\n"},
};

/* ---- candidates ---- */

static void put(struct completion_job *j, const char *word, const char *about)
{
	buf_fmt(&j->b, "%s\t%s\n", word, about);
}

static void put_clients(struct completion_job *j)
{
	const char *last = "";

	for (size_t i = 0; init_at(i); i++)
		if (strcmp(init_at(i)->name, last)) {
			last = init_at(i)->name;
			put(j, last, "");
		}
}

static void put_checks(struct completion_job *j)
{
	size_t n;
	const struct check *rows = gate_checks(&n);

	for (size_t i = 0; i < n; i++)
		put(j, check_name(rows[i].id), rows[i].about);
}

static void put_presets(struct completion_job *j)
{
	struct config_preset p;

	for (size_t i = 0; config_preset_at(i, &p); i++)
		put(j, str_c(&j->boxes.a, p.name), str_c(&j->boxes.a, p.title));
}

static void put_keys(struct completion_job *j)
{
	for (size_t i = 0; config_key(i); i++)
		put(j, config_key(i)->name, config_key(i)->help);
}

static void put_boxes(struct completion_job *j)
{
	if (boxes_open(&j->boxes, "completion") != 0)
		return;
	for (const struct background *b = background_list(&j->boxes.a, j->boxes.state); b; b = b->next)
		put(j, str_c(&j->boxes.a, b->id), str_c(&j->boxes.a, b->command));
}

static void put_images(struct completion_job *j)
{
	struct image *all = NULL;

	if (boxes_open(&j->boxes, "completion") != 0 || image_list(&j->boxes.a,
			&(struct image_store){j->boxes.state, j->boxes.here.view->uid}, &all, NULL) != 0)
		return;
	for (; all; all = all->next)
		for (const struct texts *t = all->names; t; t = t->next)
			put(j, str_c(&j->boxes.a, t->text), str_c(&j->boxes.a, all->source));
}

static void put_commands(struct completion_job *j)
{
	const struct command_row *c;

	for (size_t i = 0; (c = command_at(i)); i++)
		if (!strchr(c->name, ' '))
			put(j, c->name, c->summary);
	put(j, "help", "explain a command, or print a page of the documentation");
	put(j, "version", "print the version");
}

static void put_languages(struct completion_job *j)
{
	for (enum run_language l = LANGUAGE_UNKNOWN + 1; l < LANGUAGES; l++)
		put(j, language_name(l), "");
}

static void put_backends(struct completion_job *j)
{
	for (enum backend_choice c = BACKEND_UNSET + 1; c < BACKENDS; c++)
		put(j, backend_choice_name(c), "");
}

static void put_tasks(struct completion_job *j)
{
	for (enum task t = TASK_ANY + 1; t < TASKS; t++)
		put(j, task_name(t), "");
}

static void put_files(struct completion_job *j) { buf_c(&j->b, ":files\n"); }

static const struct {
	char kind[12];
	void (*put)(struct completion_job *j);
} kinds[] = {
	{"CLIENT", put_clients}, {"CHECK", put_checks}, {"PRESET", put_presets}, {"KEY", put_keys},
	{"BOX", put_boxes},      {"COMMAND", put_commands}, {"FILE", put_files}, {"DIR", put_files},
	{"LANG", put_languages}, {"TASK", put_tasks}, {"IMAGE", put_images},
	{"BACKEND", put_backends},
	{"PATH", put_files},     {"DIR[:ro|rw]", put_files}, {"PROGRAM", put_files},
};

/* A value by its placeholder: a kind, or the alternatives themselves. */
static void put_values(struct completion_job *j, struct str what)
{
	ptrdiff_t i = STR_ROW(kinds, kind, what);

	if (i >= 0) {
		kinds[i].put(j);
		return;
	}
	if (str_find(what, '|', 0) < 0)
		return;
	for (size_t from = 0; from < what.n;) {
		size_t to = str_end(what, '|', from);

		put(j, str_c(&j->boxes.a, str_sub(what, from, to)), "");
		from = to + 1;
	}
}

static void put_options(struct completion_job *j, const struct command_row *c)
{
	for (size_t i = 0; i < c->noptions; i++) {
		const struct option_row *o = &c->options[i];

		if (o->kind != OPTION_GROUP)
			put(j, str_fmt_c(&j->boxes.a, "%s%s", o->name[1] ? "--" : "-", o->name), o->help);
	}
}

/* The last operand of a form: "KEY" of "explain [--json] [KEY]". Empty if it ends with an option. */
static struct str last_operand(struct str form)
{
	size_t from = form.n;

	while (from && form.p[from - 1] != ' ')
		from--;
	form = str_sub(form, from, form.n);
	if (str_ends(form, "..."))
		form.n -= 3;
	if (form.n && form.p[0] == '[' && form.p[form.n - 1] == ']')
		form = str_sub(form, 1, form.n - 1);
	return form.n && form.p[0] == '-' ? STR("") : form;
}

/* Operands by the forms of the synopsis. A form that begins with a lower-case word is a subcommand. */
static void put_operands(struct completion_job *j, const struct command_row *c, const char *first)
{
	const char *at = c->synopsis;
	struct str form;
	const struct command_row *below;

	while (synopsis_next(&at, &form)) {
		struct str word = str_sub(form, 0, (size_t)(str_find(form, ' ', 0) < 0 ? (ptrdiff_t)form.n :
				str_find(form, ' ', 0)));
		bool literal = word.n && ascii_is_lower(word.p[0]) && str_find(word, '|', 0) < 0;

		if (literal && !first)
			put(j, str_c(&j->boxes.a, word), "");
		else if (!literal || str_is(word, first))
			put_values(j, last_operand(form));
	}
	for (size_t i = 0; !first && (below = command_at(i)); i++)
		if (str_starts(str_of(below->name), str_fmt_c(&j->boxes.a, "%s ", c->name)))
			put(j, below->name + strlen(c->name) + 1, below->summary);
}

static const struct option_row *option_of(const struct command_row *c, const char *word)
{
	for (size_t i = 0; i < c->noptions; i++) {
		const struct option_row *o = &c->options[i];

		if (o->kind != OPTION_GROUP && o->value[0] && !strcmp(word + strspn(word, "-"), o->name))
			return o;
	}
	return NULL;
}

/* The words of a command up to the one to complete, which is the last. */
static void complete(struct completion_job *j, const struct command_row *c, char **word, size_t n)
{
	const char *first = NULL, *last = word[n - 1];

	for (size_t i = 0; i + 1 < n; i++) {
		const struct option_row *o = word[i][0] == '-' ? option_of(c, word[i]) : NULL;

		if (!strcmp(word[i], "--")) {
			put_files(j);
			return;
		}
		if (o && i + 2 == n) {
			put_values(j, str_of(o->value));
			return;
		}
		i += o != NULL;
		if (!o && word[i][0] != '-' && !first)
			first = word[i];
	}
	if (last[0] == '-')
		put_options(j, c);
	else
		put_operands(j, c, first);
}

static void put_candidates(struct completion_job *j, size_t at)
{
	const char *name = at > 1 ? command_spelling(j->argv[1]) : NULL;
	const struct command_row *c = NULL;
	size_t skip = 2;

	if (at > 2) {
		c = command_find(str_fmt_c(&j->boxes.a, "%s %s", name, j->argv[2]));
		skip = c ? 3 : 2;
	}
	c = c ? c : name ? command_find(name) : NULL;
	if (at <= 1 || !strcmp(name, "help"))
		put_commands(j);
	else if (c)
		complete(j, c, j->argv + skip, at + 1 - skip);
}

/* ---- the command ---- */

static int completion_job_run(void *arg)
{
	struct completion_job *j = arg;
	int64_t at = 0;

	buf_init(&j->b, &j->boxes.a, 0);
	if (j->words && num_parse(str_of(j->words), 1, WORDS_MAX, &at) == 0 && at < j->argc)
		put_candidates(j, (size_t)at);
	for (size_t i = 0; i < ARRAY_SIZE(scripts) && !j->words; i++)
		if (!strcmp(j->argv[0], scripts[i].name))
			buf_c(&j->b, scripts[i].text);
	return output_write(buf_view(&j->b), 0);
}

static int run_completion(const struct command_row *self, int argc, char **argv)
{
	struct completion_job j = {0};
	int code, first = options_take(self, argc, argv, &j, &code);

	if (first < 0)
		return code;
	j.argv = argv + first;
	j.argc = argc - first;
	if (!j.words && (j.argc != 1 || !str_is_any(str_of(j.argv[0]), "bash zsh fish")))
		return usage_wrong(self, "give one shell: bash, zsh or fish");
	return with_arena(&j.boxes.a, completion_job_run, &j);
}

const struct command_row command_completion = {
	.name = "completion",
	.synopsis = "bash|zsh|fish",
	.summary = "print a completion script for bash, zsh or fish",
	.about = "The script asks this program for every completion. It therefore knows the commands and "
		 "options of the installed version, the checks, presets, clients, policy keys and running "
		 "boxes. make install and the Debian package install it for all three shells.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_completion,
};
