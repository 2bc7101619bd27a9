/* Translates texts about options and limits for their reader. See audience.h. */
#include "run/audience.h"

#define NAME_ROOM 16

/*
 * Options of `caisson run` and the equivalent arguments of the MCP tool `run`. Limits come first, indexed by
 * their enum.
 */
static const struct {
	char option[NAME_ROOM];
	char argument[NAME_ROOM]; /* empty: only the person who starts the server can set it */
} names[] = {
	[LIMIT_CPUS] = {"cpus", "cpus"},
	[LIMIT_MEMORY] = {"memory", "memory_mb"},
	[LIMIT_TIME] = {"timeout", "timeout_sec"},
	[LIMIT_PIDS] = {"pids", "pids"},
	[LIMIT_SCRATCH] = {"scratch", ""},
	[LIMIT_OUTPUT] = {"output", ""},
	[LIMIT_CPU_TIME] = {"cpu-time", ""},
	[LIMIT_IO] = {"io", ""},
	{"cwd", "cwd"}, {"task", "task"}, {"columns", "columns"}, {"lang", "lang"}, {"head", "head"},
	{"tail", "tail"},
	{"stdin", "stdin"},
};
#define NAMES ARRAY_SIZE(names)

const char *audience_limit(enum audience who, enum limit l)
{
	return who == AUDIENCE_MCP && names[l].argument[0] ? names[l].argument : limit_name(l);
}

struct str audience_advice(struct arena *a, enum audience who, enum limit l)
{
	switch (who) {
	case AUDIENCE_TERMINAL: return str_fmt(a, "--%s sets another", names[l].option);
	case AUDIENCE_CLIENT:
		if (l == LIMIT_TIME)
			return STR("a call may name its own time limit, and the user can change "
				"'sandbox.limits.timeout' in " AUDIENCE_POLICY);
		return str_fmt(a, "the user can change 'sandbox.limits.%s' in " AUDIENCE_POLICY,
				limit_name(l));
	case AUDIENCE_MCP: break;
	}
	if (names[l].argument[0])
		return str_fmt(a, "the argument '%s' changes it, up to the server's own",
				names[l].argument);
	return STR("only the user who started this server can change it");
}

const char *audience_show(enum audience who)
{
	switch (who) {
	case AUDIENCE_TERMINAL: return "'--read DIR' shows it";
	case AUDIENCE_CLIENT: return "the user can show it with 'sandbox.read' in " AUDIENCE_POLICY;
	case AUDIENCE_MCP: break;
	}
	return "only the user who started this server can show it ('--read DIR')";
}

const char *audience_keep(enum audience who)
{
	switch (who) {
	case AUDIENCE_TERMINAL: return "'--write DIR' keeps them";
	case AUDIENCE_CLIENT:
		return "the user can list their directory with 'sandbox.write' in " AUDIENCE_POLICY;
	case AUDIENCE_MCP: break;
	}
	return "only the user who started this server can keep them ('--write DIR')";
}

const char *audience_registry(enum audience who)
{
	switch (who) {
	case AUDIENCE_TERMINAL: return "'--network preset:registries' lets it be fetched";
	case AUDIENCE_CLIENT:
		return "run the install as a separate command, without offline options: it can reach its "
			"registry";
	case AUDIENCE_MCP: break;
	}
	return "only the user who started this server can allow registries ('--network preset:registries')";
}

static bool option_letter(char c) { return ascii_is_lower(c) || c == '-'; }

static void put_option(struct buf *b, struct str name)
{
	for (size_t i = 0; i < NAMES; i++)
		if (str_is(name, names[i].option) && names[i].argument[0]) {
			buf_c(b, names[i].argument);
			return;
		}
	buf_fmt(b, "the server's option '%.*s'", STR_ARG(name));
}

/* An option is two dashes at the start of a word, then letters. */
struct str audience_text(struct arena *a, enum audience who, struct str text)
{
	struct buf b;

	if (who != AUDIENCE_MCP)
		return text;
	buf_init(&b, a, 0);
	for (size_t i = 0; i < text.n;) {
		size_t to = i + 2;

		bool starts = !i || text.p[i - 1] == ' ' || text.p[i - 1] == '(';

		if (!starts || !str_starts(str_from(text, i), "--")) {
			buf_char(&b, text.p[i++]);
			continue;
		}
		while (to < text.n && option_letter(text.p[to]))
			to++;
		if (to == i + 2)
			buf_c(&b, "--");
		else
			put_option(&b, str_sub(text, i + 2, to));
		i = to;
	}
	return buf_view(&b);
}
