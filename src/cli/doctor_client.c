/*
 * caisson doctor --client: reports if the hooks of agent clients are live, and what these clients cannot
 * enforce.
 */
#define _GNU_SOURCE
#include "cli/doctor_client.h"

#include <unistd.h>

#include "base/chars.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "client/live.h"
#include "judge/pause.h"
#include "judge/world.h"

extern char **environ;

#define ID_COLUMN 9
#define STATE_COLUMN 7
#define TEXT_AT (2 + ID_COLUMN + 1 + STATE_COLUMN + 1)

static const char states[][8] = {"no", "partly", "yes"};
static const char tints[][8] = {"\033[31m", "\033[33m", "\033[32m"};

static void put_state(struct buf *b, enum live_state s, bool colour)
{
	buf_fmt(b, "%s%-*s%s ", colour ? tints[s] : "", STATE_COLUMN, states[s], colour ? "\033[0m" : "");
}

static void put_note(struct buf *b, const char *title, const char *text, size_t width)
{
	buf_fmt(b, "  %s:", title);
	buf_wrapped(b, text, 2 + strlen(title) + 1, 4, width);
}

static void put_text(struct buf *b, const struct live *l, bool colour, size_t width)
{
	static const char ends[][52] = {"is not guarded", "is guarded, with warnings",
			"is guarded"};

	buf_fmt(b, "%s (%s) %s.\n", l->title, l->row->name, ends[l->state]);
	for (const struct live_finding *f = l->first; f; f = f->next) {
		buf_fmt(b, "  %-*s ", ID_COLUMN, f->id);
		put_state(b, f->state, colour);
		buf_wrapped(b, str_c(b->a, str_visible(b->a, f->text)), TEXT_AT, TEXT_AT, width);
		if (f->todo.n && f->state != LIVE_YES) {
			buf_fmt(b, "%*s-> ", TEXT_AT, "");
			put_visible(b, f->todo); /* a command, to be copied */
			buf_char(b, '\n');
		}
	}
	if (l->row->afterwards[0])
		put_note(b, "note", l->row->afterwards, width);
	if (l->cannot)
		put_note(b, "this client cannot enforce", l->cannot, width);
}

static void put_json(struct doc *o, const struct live *l)
{
	doc_map(o, NULL);
	doc_word(o, "client", l->row->name);
	doc_word(o, "title", l->title);
	doc_word(o, "live", states[l->state]);
	doc_list(o, "findings");
	for (const struct live_finding *f = l->first; f; f = f->next) {
		doc_map(o, NULL);
		doc_word(o, "id", f->id);
		doc_word(o, "state", states[f->state]);
		doc_text(o, "text", f->text);
		doc_text(o, "todo", f->todo);
		doc_end(o);
	}
	doc_end(o);
	doc_word(o, "cannot", l->cannot ? l->cannot : "");
	doc_end(o);
}

/* Selects the named clients, or all that are in use here. */
static size_t choose(struct arena *a, const struct init_request *rq, char *const *names, size_t n,
		const struct init_row **ret)
{
	size_t many = 0;

	for (size_t i = 0; i < n; i++)
		ret[many++] = init_find(str_of(names[i]));
	for (size_t i = 0; !n && init_at(i); i++)
		if (!init_at(i)->rules && live_present(a, rq, init_at(i)))
			ret[many++] = init_at(i);
	return many;
}

int doctor_clients(struct arena *a, char *const *names, size_t n, bool json)
{
	const struct init_row **rows = arena_array(a, n + DOCTOR_CLIENTS_MAX, sizeof *rows);
	bool colour = terminal_colour(STDOUT_FILENO);
	size_t width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : SIZE_MAX;
	enum live_state worst = LIVE_YES;
	struct init_request rq = {0};
	struct pause paused;
	struct view v;
	struct buf b;
	struct doc o;
	size_t many;

	world_view(a, context_or_own(NULL), NULL, &v);
	rq = (struct init_request){.home = v.home, .project = v.project, .uid = v.uid};
	many = choose(a, &rq, names, n, rows);
	buf_init(&b, a, 0);
	doc_start(&o, &b, json);
	if (json)
		doc_list(&o, "clients");
	for (size_t i = 0; i < many; i++) {
		struct live l;

		live_look(a, &rq, rows[i], environ, &l);
		worst = l.state < worst ? l.state : worst;
		if (json) {
			put_json(&o, &l);
		} else {
			buf_c(&b, i ? "\n" : "");
			put_text(&b, &l, colour, width);
		}
	}
	if (json) {
		doc_end(&o);
		doc_finish(&o);
	} else if (!many) {
		buf_fmt(&b, "no client is set up here (caisson init sets up: %.*s)\n",
				STR_ARG(init_names(a)));
	}
	pause_look(a, &v, &paused);
	if (paused.on && !json)
		buf_fmt(&b, "\ncaisson is paused until %.*s: hooks neither ask nor contain; caisson pause "
				"--end ends it\n", STR_ARG(paused.until));
	return output_write(buf_view(&b), !many ? 2 : worst == LIVE_YES ? 0 : worst == LIVE_PARTLY ? 1 : 2);
}
