/* Option tables: parses options and prints the usage text. */
#include "cli/cli.h"
#include "run/run.h"

#define COLUMN 22 /* column of an option's help */

static const struct option_row *find_option(const struct command_row *c, struct str name)
{
	for (size_t i = 0; i < c->noptions; i++)
		if (str_is(name, c->options[i].name))
			return &c->options[i];
	return NULL;
}

static bool has_value(const struct option_row *o)
{
	return o->kind == OPTION_VALUE || o->kind == OPTION_ONCE || o->kind == OPTION_LIST;
}

static const char *dashes(const struct option_row *o) { return o->name[1] ? "--" : "-"; }

static int add_to_list(struct run_list *list, const struct option_row *o, const char *value, struct err *e)
{
	if (list->n == RUN_LIST_MAX)
		return err_set(e, ERR_INPUT, 0, "option '%s%s' is given more than %d times", dashes(o),
				o->name, RUN_LIST_MAX);
	list->v[list->n++] = value;
	return 0;
}

static int take_value(const struct option_row *o, const char *arg, const char *value, void *into,
	struct err *e)
{
	if (has_value(o) && !value)
		return err_set(e, ERR_INPUT, 0, "option '%s' needs a value: %s", arg, o->value);
	if (o->kind == OPTION_LIST)
		return add_to_list((struct run_list *)((char *)into + o->offset), o, value, e);
	if (o->kind == OPTION_ONCE && *(const char **)((char *)into + o->offset))
		return err_set(e, ERR_INPUT, 0, "option '%s%s' is given twice", dashes(o), o->name);
	if (o->kind == OPTION_VALUE || o->kind == OPTION_ONCE)
		*(const char **)((char *)into + o->offset) = value;
	else if (o->kind == OPTION_FLAG)
		*(bool *)((char *)into + o->offset) = true;
	return o->kind == OPTION_HELP;
}

int options_parse(const struct command_row *c, int argc, char **argv, void *into, int *ret_first,
		struct err *e)
{
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *arg = argv[i], *eq = arg[1] == '-' ? strchr(arg, '=') : NULL;
		const struct option_row *o;
		int rc;

		if (!strcmp(arg, "--")) {
			i++;
			break;
		}
		if (!strcmp(arg, "-h"))
			return 1;
		o = arg[1] == '-' ? find_option(c, eq ? str_n(arg + 2, (size_t)(eq - arg - 2)) :
				str_of(arg + 2)) : find_option(c, str_of(arg + 1));
		if (!o || !o->name[1] != (arg[1] != '-'))
			return err_set(e, ERR_INPUT, 0, "unknown option '%.100s'", arg);
		if (eq && !has_value(o))
			return err_set(e, ERR_INPUT, 0, "option '--%s' takes no value", o->name);
		rc = take_value(o, arg,
			eq                             ? eq + 1
			: has_value(o) && i + 1 < argc ? argv[++i]
						       : NULL,
			into, e);
		if (rc)
			return rc;
	}
	*ret_first = i;
	return 0;
}

int options_take(const struct command_row *c, int argc, char **argv, void *into, int *ret_code)
{
	struct err e = {0};
	int first = 0, rc = options_parse(c, argc, argv, into, &first, &e);

	if (!rc)
		return first;
	*ret_code = rc > 0 ? usage_output(c) : usage_wrong(c, e.text);
	return -1;
}

bool options_only(const struct command_row *c, int argc, char **argv, void *into, int *ret_code)
{
	int first = options_take(c, argc, argv, into, ret_code);

	if (first >= 0 && first < argc)
		*ret_code = usage_wrong(c, "no operand is expected");
	return first >= argc;
}

bool synopsis_next(const char **at, struct str *ret)
{
	size_t n;

	if (!*at)
		return false;
	n = strcspn(*at, "\n");
	*ret = str_n(*at, n);
	*at = (*at)[n] ? *at + n + 1 : NULL;
	return true;
}

void usage_print(struct buf *b, const struct command_row *c)
{
	const char *at = c->synopsis;
	struct str form;

	while (synopsis_next(&at, &form))
		buf_fmt(b, "%s caisson %s %.*s\n", form.p == c->synopsis ? "usage:" : "      ", c->name,
				STR_ARG(form));
	buf_fmt(b, "\n%s\n\n", c->summary);
	for (size_t i = 0; i < c->noptions; i++) {
		const struct option_row *o = &c->options[i];
		size_t from = b->n;

		buf_fmt(b, "  %s%s%s%s", dashes(o), o->name, o->value[0] ? " " : "", o->value);
		do
			buf_char(b, ' ');
		while (b->n - from < COLUMN);
		buf_fmt(b, "%s\n", o->help);
	}
	buf_c(b, "\nexit codes:\n");
	for (size_t i = 0; i < c->nexits; i++)
		buf_fmt(b, "  %-3d  %s\n", c->exits[i].code, c->exits[i].meaning);
}

int usage_output(const struct command_row *c)
{
	struct arena a;
	struct buf b;
	int rc;

	arena_init(&a, ARENA_CAP_DEFAULT);
	buf_init(&b, &a, 0);
	usage_print(&b, c);
	rc = output_write(buf_view(&b), 0);
	arena_free(&a);
	return rc;
}

int usage_wrong(const struct command_row *c, const char *why)
{
	output_error("%s: %s; see caisson %s --help", c->name, why, c->name);
	return EXIT_USAGE;
}

int with_arena(struct arena *a, int (*fn)(void *arg), void *arg)
{
	int rc;

	arena_init(a, ARENA_CAP_DEFAULT);
	rc = arena_run(a, fn, arg);
	if (rc < 0) {
		output_error("the memory bound was reached");
		rc = EXIT_INTERNAL;
	}
	arena_free(a);
	return rc;
}
