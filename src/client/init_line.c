/*
 * The command line of a client's hook, for any POSIX shell:
 *
 *     before a tool   trap 'MESSAGE to standard error; exit 2' EXIT;
 *                     [timeout -k 1 25] PROGRAM hook --client NAME
 *     other events    PROGRAM hook --client NAME || exit 0
 *
 * The trap denies if the program cannot answer: it is missing, was killed, or crashed before its own handlers
 * were installed (cli/watchdog.h). `||` would not do: a bash that can no longer fork exits with 254 and
 * runs only its trap, and clients take 254 as a yes. Exit 2 is the program's own denial and keeps its own
 * message. Our message has no quotes and no character that is special to a shell or to JSON.
 */
#include <unistd.h>

#include "client/client.h"
#include "client/init_hooks.h"

#define TRAP "trap '"
#define TRAP_END "' EXIT; "
#define TIMEOUT_OPTIONS " -k 1"
#define PATH_DIRS_MAX 256

static void put_quoted(struct buf *b, struct str word)
{
	if (str_is_alnum_or(word, "/._-+:@%"))
		buf_str(b, word);
	else
		buf_quoted(b, word);
}

bool init_blocks(const struct init_row *row, const char *event)
{
	return client_phase(row->name, event) == PHASE_PRE;
}

struct str init_command(struct arena *a, const struct init_row *row, const struct init_program *p,
		const char *event)
{
	bool blocks = event && init_blocks(row, event);
	struct buf b;

	buf_init(&b, a, INIT_COMMAND_MAX);
	if (blocks)
		buf_fmt(&b, TRAP "c=$?; [ $c = 0 ] && exit 0; [ $c = 2 ] || echo " INIT_FAILED
				"$c, so nothing runs. "
			"A person should run: caisson doctor --client %s >&2; exit 2" TRAP_END, row->name);
	if (blocks && row->outer_limit_s && p->timeout.n) {
		put_quoted(&b, p->timeout);
		buf_fmt(&b, TIMEOUT_OPTIONS " %u ", row->outer_limit_s);
	}
	put_quoted(&b, p->path);
	buf_fmt(&b, " hook --client %s", row->name);
	if (event && row->names_event)
		buf_fmt(&b, " --event %s", event);
	if (event && !blocks)
		buf_c(&b, " || exit 0");
	return buf_view(&b);
}

/* Parses the first word as put_quoted() writes it. Returns the offset after it, or 0. */
static size_t first_word(struct str command, struct buf *word)
{
	size_t i = 0;
	bool quoted = false;

	for (; i < command.n && (quoted || command.p[i] != ' '); i++) {
		if (command.p[i] == '\'')
			quoted = !quoted;
		else if (command.p[i] == '\\' && !quoted && i + 1 < command.n)
			buf_char(word, command.p[++i]);
		else
			buf_char(word, command.p[i]);
	}
	return quoted ? 0 : i;
}

static struct str take_word(struct arena *a, struct str *rest)
{
	struct buf word;
	size_t at;

	buf_init(&word, a, INIT_COMMAND_MAX);
	at = first_word(*rest, &word);
	*rest = str_from(*rest, at);
	return at ? buf_view(&word) : STR("");
}

/* Skips the trap at the front, if any. */
static struct str skip_trap(struct str line)
{
	ptrdiff_t end = str_starts(line, TRAP) ? str_find(line, '\'', sizeof(TRAP) - 1) : -1;
	struct str rest = end < 0 ? line : str_from(line, (size_t)end);

	return end >= 0 && str_starts(rest, TRAP_END) ? str_from(rest, sizeof(TRAP_END) - 1) : line;
}

/* Skips the options and the limit of timeout(1), up to the program. */
static struct str skip_limit(struct str rest)
{
	size_t i = 0;

	if (str_starts(rest, TIMEOUT_OPTIONS " "))
		i = sizeof(TIMEOUT_OPTIONS);
	while (i < rest.n && ascii_is_digit(rest.p[i]))
		i++;
	return str_from(rest, i < rest.n && rest.p[i] == ' ' ? i + 1 : i);
}

bool init_is_ours(struct arena *a, struct str command, struct init_program *ret)
{
	struct init_program p = {0};
	struct str rest = skip_trap(command);

	if (command.n > INIT_COMMAND_MAX / 2)
		return false;
	p.path = take_word(a, &rest);
	if (str_is(str_base(p.path), "timeout")) {
		p.timeout = p.path;
		rest = skip_limit(rest);
		p.path = take_word(a, &rest);
	}
	if (!str_starts(str_base(p.path), "caisson") ||
			!(str_starts(rest, " hook ") || str_is(rest, " hook")))
		return false;
	if (ret)
		*ret = p;
	return true;
}

static bool find_executable(struct arena *a, struct str dir, struct str *ret)
{
	struct str path = str_fmt(a, "%.*s/timeout", STR_ARG(dir));

	if (!str_starts(dir, "/") || access(str_c(a, path), X_OK) != 0)
		return false;
	*ret = path;
	return true;
}

struct str init_timeout(struct arena *a, const char *path)
{
	struct str dirs = str_of(path ? path : ""), found = STR("");

	if (find_executable(a, STR("/usr/bin"), &found) || find_executable(a, STR("/bin"), &found))
		return found;
	for (unsigned n = 0; dirs.n && n < PATH_DIRS_MAX; n++)
		if (find_executable(a, str_cut(&dirs, ':'), &found))
			return found;
	return found;
}
