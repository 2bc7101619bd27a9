/*
 * Client files that are entirely ours and are replaced or removed as a whole: opencode's plugin and Codex's
 * rules. The first line marks a file as ours.
 *
 * Codex runs commands in its own sandbox, where no ticket can be redeemed and no box can be made. Its rules
 * name the commands that run outside it without a question: exactly our program with a ticket. The box keeps
 * closed whatever the sandbox keeps closed (codex.h).
 */
#include "base/embedded.h"
#include "client/init_hooks.h"
#include "client/jsontext.h"

#define PLUGIN_MARK "\"caisson\"" /* placeholder of the program's path */

static struct str plugin_text(void)
{
	return str_n((const char *)plugin_opencode, plugin_opencode_n);
}

static void put_plugin(struct buf *b, struct str program)
{
	struct str all = plugin_text(), mark = STR(PLUGIN_MARK);
	size_t i = 0;

	while (i < all.n && !str_eq(str_sub(all, i, i + mark.n), mark))
		i++;
	buf_str(b, str_first(all, i));
	if (i == all.n)
		return;
	json_put_string(b, program);
	buf_str(b, str_from(all, i + mark.n));
}

#define RULES_FIRST "# Written by `caisson init`; `caisson init --remove` deletes it.\n"

static void put_rules(struct buf *b, struct str program)
{
	buf_c(b, RULES_FIRST "# Codex's own sandbox leaves no room for Caisson's box. So a command that "
			     "Caisson's hook has judged and put on a\n"
			     "# ticket runs outside of it, in the box, which opens no more than that "
			     "sandbox. A ticket is good for one run.\n"
			     "prefix_rule(\n    pattern = [");
	json_put_string(b, program);
	buf_c(b, ", \"run\", \"--ticket\"],\n    decision = \"allow\",\n"
		 "    justification = \"judged by caisson, and runs in its box\",\n)\n");
}

struct str init_whole(struct arena *a, const struct init_row *row, struct str program)
{
	struct buf b;

	buf_init(&b, a, 0);
	if (row->rules)
		put_rules(&b, program);
	else
		put_plugin(&b, program);
	return buf_view(&b);
}

bool init_whole_is_ours(const struct init_row *row, struct str text)
{
	struct str all = row->rules ? STR(RULES_FIRST) : plugin_text();
	ptrdiff_t line = str_find(all, '\n', 0);

	return line > 0 && text.n > (size_t)line &&
	       str_eq(str_first(text, (size_t)line), str_first(all, (size_t)line));
}
