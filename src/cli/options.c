/* Option tables: parses options and prints the usage text. */
#include <inttypes.h>

#include "base/near.h"
#include "base/num.h"
#include "base/wrap.h"
#include "cli/cli.h"

#define COLUMN 22 /* where the help of an option begins */
#define WIDTH 80  /* of a usage text */
#define WHY_ROOM 160
#define COLOUR "color" /* the option that every command takes */

static const struct option_row *find_option(const struct command_row *c, struct str name)
{
	for (size_t i = 0; i < c->noptions; i++)
		if (c->options[i].kind != OPTION_GROUP && str_is(name, c->options[i].name))
			return &c->options[i];
	return NULL;
}

static bool has_value(const struct option_row *o)
{
	return o->kind == OPTION_VALUE || o->kind == OPTION_ONCE || o->kind == OPTION_LIST;
}

static const char *dashes(const struct option_row *o) { return o->name[1] ? "--" : "-"; }

/* The message ends with a guess: options of one letter are too short for one. */
static int unknown_option(const struct command_row *c, const char *arg, struct err *e)
{
	struct near guess = {.word = str_n(arg + 2, strcspn(arg + 2, "="))};

	if (arg[1] != '-')
		return err_input(e, "unknown option '%.100s'", arg);
	for (size_t i = 0; i < c->noptions; i++)
		if (c->options[i].kind != OPTION_GROUP)
			near_try(&guess, c->options[i].name);
	near_try(&guess, COLOUR);
	return err_input(e, "unknown option '%.100s'%s%s%s", arg, guess.best ? ", did you mean '--" : "",
			guess.best ? guess.best : "", guess.best ? "'" : "");
}

static int add_to_list(struct option_list *list, const struct option_row *o, const char *value, struct err *e)
{
	struct texts *t = &list->room[list->n];

	if (list->n == OPTION_LIST_MAX)
		return err_input(e, "option '%s%s' is given more than %d times", dashes(o), o->name,
				OPTION_LIST_MAX);
	*t = (struct texts){.text = str_of(value)};
	*(list->n++ ? &t[-1].next : &list->first) = t;
	return 0;
}

static int take_value(const struct option_row *o, const char *arg, const char *value, void *into,
	struct err *e)
{
	if (has_value(o) && !value)
		return err_input(e, "option '%s' needs a value: %s", arg, o->value);
	if (o->kind == OPTION_LIST)
		return add_to_list((struct option_list *)((char *)into + o->offset), o, value, e);
	if (o->kind == OPTION_ONCE && *(const char **)((char *)into + o->offset))
		return err_input(e, "option '%s%s' is given twice", dashes(o), o->name);
	if (o->kind == OPTION_VALUE || o->kind == OPTION_ONCE)
		*(const char **)((char *)into + o->offset) = value;
	else if (o->kind == OPTION_FLAG)
		*(bool *)((char *)into + o->offset) = true;
	return o->kind == OPTION_HELP;
}

/* --color, which every command takes. Returns 1 if this is another option, 0 or -1. */
static int take_colour(int argc, char **argv, int *i, struct err *e)
{
	static const char name[] = "--" COLOUR;
	const size_t n = sizeof(name) - 1;
	const char *arg = argv[*i], *when;

	if (strncmp(arg, name, n) != 0 || (arg[n] && arg[n] != '='))
		return 1;
	when = arg[n] ? arg + n + 1 : *i + 1 < argc ? argv[++*i] : "";
	if (!terminal_choose_colour(when))
		return err_input(e, "invalid --color '%.40s' (use auto, always or never)", when);
	return 0;
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
		rc = take_colour(argc, argv, &i, e);
		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		o = arg[1] == '-' ? find_option(c, eq ? str_n(arg + 2, (size_t)(eq - arg - 2)) :
				str_of(arg + 2)) : find_option(c, str_of(arg + 1));
		if (!o || !o->name[1] != (arg[1] != '-'))
			return unknown_option(c, arg, e);
		if (eq && !has_value(o))
			return err_input(e, "option '--%s' takes no value", o->name);
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
		*ret_code = usage_extra(c, argv + first, 0, "");
	return first >= argc;
}

bool options_operand(const struct command_row *c, int argc, char **argv, void *into, const char *many,
		const char **ret, int *ret_code)
{
	int first = options_take(c, argc, argv, into, ret_code);

	if (first >= 0 && first + 1 < argc) {
		*ret_code = usage_extra(c, argv + first, 1, many);
		return false;
	}
	if (first >= 0)
		*ret = first < argc ? argv[first] : NULL;
	return first >= 0;
}

bool option_number(const struct command_row *c, const char *name, const char *value, int64_t min, int64_t max,
		int64_t *ret, int *ret_code)
{
	char why[WHY_ROOM];

	if (!value || num_parse(str_of(value), min, max, ret) == 0)
		return true;
	str_put(why, sizeof(why), "%s must be a number from %" PRId64 " to %" PRId64, name, min, max);
	*ret_code = usage_wrong(c, why);
	return false;
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

static void put_option(struct buf *b, const struct option_row *o)
{
	size_t from = b->n;

	if (o->kind == OPTION_GROUP) {
		buf_fmt(b, "%s:\n", o->help);
		return;
	}
	buf_fmt(b, "  %s%s%s%s", dashes(o), o->name, o->value[0] ? " " : "", o->value);
	if (b->n - from + 1 < COLUMN)
		buf_fmt(b, "%*s", (int)(COLUMN - (b->n - from)), "");
	else
		buf_fmt(b, "\n%*s", COLUMN, "");
	buf_wrapped(b, o->help, COLUMN, COLUMN, WIDTH);
}

void usage_print(struct buf *b, const struct command_row *c)
{
	const char *at = c->synopsis;
	struct str form;

	while (synopsis_next(&at, &form)) {
		size_t from = b->n;

		buf_fmt(b, "%s %s%s", form.p == c->synopsis ? "usage:" : "      ", c->alone ? "" : "caisson ",
				c->name);
		/* "usage: caissond" is as long as this indent, and a blank has to follow it. */
		buf_wrapped(b, str_c(b->a, form), b->n - from, strlen("usage: caisson ") - c->alone, WIDTH);
	}
	buf_char(b, '\n');
	buf_wrapped(b, c->summary, 0, 0, WIDTH);
	buf_char(b, '\n');
	commands_below(b, c->name);
	for (size_t i = 0; i < c->noptions; i++) {
		if (i && c->options[i].kind == OPTION_GROUP)
			buf_char(b, '\n');
		put_option(b, &c->options[i]);
	}
	for (size_t i = 0; i < c->nexamples; i++)
		buf_fmt(b, "%s  %s\n", i ? "" : "\nexamples:\n", c->examples[i].line);
	buf_c(b, "\nexit codes:\n");
	for (size_t i = 0; i < c->nexits; i++) {
		buf_fmt(b, "  %-3d  ", c->exits[i].code);
		buf_wrapped(b, c->exits[i].meaning, 7, 7, WIDTH);
	}
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
	if (c->alone)
		output_error("%s; see %s --help", why, c->name);
	else
		output_error("%s: %s; see caisson %s --help", c->name, why, c->name);
	return EXIT_USAGE;
}

int usage_extra(const struct command_row *c, char *const *operands, int allowed, const char *many)
{
	const char *extra = operands[allowed];
	char why[WHY_ROOM];

	if (allowed && extra[0] == '-' && extra[1] && find_option(c, str_of(extra + 1 + (extra[1] == '-'))))
		str_put(why, sizeof(why), "option '%.20s' must come before '%.60s'%s%s", extra, operands[0],
				strchr(many, ':') ? "; or " : "", strchr(many, ':') ? many : "");
	else if (many[0])
		return usage_wrong(c, many);
	else
		str_put(why, sizeof(why), "unexpected argument '%.100s'", extra);
	return usage_wrong(c, why);
}

int with_arena(struct arena *a, int (*fn)(void *arg), void *arg)
{
	int rc;

	arena_init(a, ARENA_CAP_DEFAULT);
	rc = arena_run(a, fn, arg);
	if (rc < 0) {
		output_error("the memory limit was reached");
		rc = EXIT_INTERNAL;
	}
	arena_free(a);
	return rc;
}
