/* caisson ports: the ports on which boxes in the background listen, and publishing them on this machine. */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/num.h"
#include "cli/boxes.h"
#include "cli/change.h"
#include "cli/doc.h"
#include "client/person.h"
#include "judge/engine.h"
#include "judge/world.h"
#include "run/publish.h"

#define LISTENING_MAX 16 /* ports of one box */
#define ROWS_MAX 256

struct ports_job {
	struct boxes boxes;
	struct policies policies;
	struct view v;
	bool json;
	const char *what; /* NULL: list */
	char *const *words;
	size_t n;
};

struct ports_row {
	uint16_t port;
	struct str network, project;
	bool published, listens;
};

static const struct option_row options[] = {
		{"json", OPTION_FLAG, offsetof(struct ports_job, json), "", "print one JSON object"},
		OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
		{0, "listed, published, or not published any more"},
		{1, "a port could not be published, or was not"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
		{"caisson ports", "The ports on which boxes in the background listen, and which are "
				  "published."},
		{"caisson ports publish 3000", "http://127.0.0.1:3000 leads to the project's server."},
		{"caisson ports unpublish 3000", "It does not any more."},
};

/* ---- list ---- */

static struct ports_row *row_of(struct ports_row *rows, size_t *n, uint16_t port, struct str network)
{
	for (size_t i = 0; i < *n; i++)
		if (rows[i].port == port && str_eq(rows[i].network, network))
			return &rows[i];
	if (*n == ROWS_MAX)
		return NULL;
	rows[*n] = (struct ports_row){.port = port, .network = network};
	return &rows[(*n)++];
}

/* Boxes that share a network listen on the same ports: they have one row. */
static size_t collect(struct ports_job *j, struct ports_row *rows)
{
	struct arena *a = &j->boxes.a;
	struct keeper_port published[KEEPER_PORTS_MAX];
	size_t n = 0, npublished = keeper_ports(j->boxes.state, published);
	const struct background *all = background_list(a, j->boxes.state);

	for (size_t i = 0; i < npublished; i++)
		row_of(rows, &n, published[i].port, str_dup(a, str_of(published[i].network)))->published =
				true;
	for (const struct background *b = all; b; b = b->next) {
		struct str network = b->network.n ? b->network : b->id;
		uint16_t at[LISTENING_MAX];
		size_t count = b->state == BACKGROUND_LIVES ? background_ports(a, b, at, LISTENING_MAX) : 0;

		for (size_t i = 0; i < count; i++) {
			struct ports_row *r = row_of(rows, &n, at[i], network);

			if (r)
				r->listens = true;
		}
		for (size_t i = 0; i < n; i++)
			if (b->state == BACKGROUND_LIVES && str_eq(rows[i].network, network))
				rows[i].project = b->project;
	}
	return n;
}

static void put_json(struct buf *out, const struct ports_row *rows, size_t n)
{
	struct doc o;

	doc_start(&o, out, true);
	doc_number(&o, "v", 1);
	doc_list(&o, "ports");
	for (size_t i = 0; i < n; i++) {
		doc_map(&o, NULL);
		doc_number(&o, "port", rows[i].port);
		doc_bool(&o, "published", rows[i].published);
		doc_bool(&o, "listening", rows[i].listens);
		doc_text(&o, "project", rows[i].project);
		doc_end(&o);
	}
	doc_end(&o);
	doc_finish(&o);
}

static void put_rows(struct buf *out, const struct ports_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_fmt(out, "%5u  %-32s  ", rows[i].port, !rows[i].published ? "in the box" :
				rows[i].listens ? str_fmt_c(out->a, "http://127.0.0.1:%u", rows[i].port) :
				"published; nobody listens");
		put_visible(out, rows[i].project);
		buf_char(out, '\n');
	}
	if (!n)
		buf_c(out, "no box in the background listens\n");
}

static int list(struct ports_job *j)
{
	struct ports_row *rows = arena_array(&j->boxes.a, ROWS_MAX, sizeof(*rows));
	size_t n = collect(j, rows);
	struct buf out;

	buf_init(&out, &j->boxes.a, 0);
	(j->json ? put_json : put_rows)(&out, rows, n);
	return output_write(buf_view(&out), 0);
}

/* ---- publish ---- */

/* The network of the project's boxes; of several the one in which somebody listens on the port. */
static struct str network_of_project(struct ports_job *j, uint16_t port)
{
	struct str found = STR("");

	for (const struct background *b = background_list(&j->boxes.a, j->boxes.state); b; b = b->next) {
		uint16_t at[LISTENING_MAX];
		size_t n;

		if (b->state != BACKGROUND_LIVES || !b->network.n || !str_eq(b->project, j->v.project))
			continue;
		n = background_ports(&j->boxes.a, b, at, LISTENING_MAX);
		for (size_t i = 0; i < n; i++)
			if (at[i] == port)
				return b->network;
		if (!found.n)
			found = b->network;
	}
	return found;
}

static bool lists_port(const struct texts *t, uint16_t port)
{
	int64_t n;

	for (; t; t = t->next)
		if (num_parse(t->text, 1, UINT16_MAX, &n) == 0 && n == port)
			return true;
	return false;
}

static int publish_one(struct ports_job *j, uint16_t port, struct buf *out, struct err *e)
{
	struct str network = network_of_project(j, port);
	bool before;

	if (publish_check(&j->policies.own, port, e) != 0)
		return -1;
	if (j->policies.own.no_lifting && !lists_port(j->policies.own.sandbox.publish, port))
		return err_input(e, "the system's policy says forbid_lifting, and does not list the port");
	if (!network.n)
		return err_input(e, "no box of this project is in the background; sandbox.network.publish of "
				"your policy publishes a port whenever one is");
	if (record_deed(&j->boxes.a, &j->v, &j->policies,
			    str_fmt(&j->boxes.a, "caisson ports publish %u", port),
			    str_fmt(&j->boxes.a, "a person published port %u of %.*s", port,
					    STR_ARG(j->v.project)),
			    e) != 0 ||
			publish_port(&j->boxes.a, j->boxes.state, network, port, &before, e) != 0)
		return -1;
	buf_fmt(out, "http://127.0.0.1:%u %sleads to the project's boxes until the last of them ends\n", port,
			before ? "already " : "");
	return 0;
}

static int change(struct ports_job *j)
{
	bool publishes = !strcmp(j->what, "publish");
	struct buf out;
	int rc = 0;

	buf_init(&out, &j->boxes.a, 0);
	for (size_t i = 0; i < j->n; i++) {
		struct err e = {0};
		int64_t port = 0;

		if (num_parse(str_of(j->words[i]), 1, UINT16_MAX, &port) != 0)
			err_input(&e, "expected a port from %d to 65535", PUBLISH_PORT_MIN);
		else if (publishes)
			(void)publish_one(j, (uint16_t)port, &out, &e);
		else
			(void)keeper_unpublish(j->boxes.state, (uint16_t)port, &e);
		if (!e.kind)
			continue;
		output_error("ports: %.20s: %s", j->words[i], e.text);
		rc = 1;
	}
	return output_write(buf_view(&out), rc);
}

static int work(void *arg)
{
	struct ports_job *j = arg;
	struct err e = {0};
	int rc = boxes_open(&j->boxes, "ports");

	if (rc != 0)
		return rc;
	if (!j->what)
		return list(j);
	if (person_check(&j->boxes.a, 0, &e) != 0 ||
			policies_load(&j->boxes.a, &(struct policies_request){0}, &j->policies, &e) != 0) {
		output_error("ports: %s", e.text);
		return 1;
	}
	world_view(&j->boxes.a, context_or_own(NULL), &j->policies.own, &j->v);
	return change(j);
}

static int run_ports(const struct command_row *self, int argc, char **argv)
{
	struct ports_job j = {0};
	int code, first = options_take(self, argc, argv, &j, &code);

	if (first < 0)
		return code;
	if (first < argc) {
		j.what = argv[first];
		j.words = argv + first + 1;
		j.n = (size_t)(argc - first - 1);
		if ((strcmp(j.what, "publish") != 0 && strcmp(j.what, "unpublish") != 0) || !j.n)
			return usage_wrong(self, "publish PORT or unpublish PORT is expected, or nothing");
	}
	return with_arena(&j.boxes.a, work, &j);
}

const struct command_row command_ports = {
		.name = "ports",
		.synopsis = "[--json]\n"
			    "publish PORT...\n"
			    "unpublish PORT...",
		.summary = "list the ports of boxes in the background, or publish them here",
		.about = "The servers of boxes listen in a network of their project's own, which nothing on "
			 "this "
			 "machine reaches. A published port is a port of this machine's 127.0.0.1 that leads "
			 "there, for "
			 "a browser: `caisson ports publish 3000` in the project, or sandbox.network.publish "
			 "of "
			 "a policy. It is a port from 1024 on that nobody uses here and that is not known as "
			 "that of "
			 "another service, and it ends with the project's last box in the background. "
			 "Publishing is for "
			 "people: a fixed check denies it to agents.\n\n"
			 "A page from a box is code of the agent in your browser. Browsers share cookies "
			 "between all ports of a host name, so open it as 127.0.0.1 in a window or profile "
			 "without logins to other servers there.",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_ports,
};
