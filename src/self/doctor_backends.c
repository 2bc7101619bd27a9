/* The matrix of backends: a box of each that this host has, and who enforced its limits. See doctor.h. */
#include "base/json_write.h"
#include "base/wrap.h"
#include "box/box.h"
#include "self/doctor.h"

#define NAME 8    /* column of names */
#define COLUMN (2 + NAME + 1)
#define WIDTH 80

/* A spec with something that a backend may lack. */
static const struct {
	char name[20];
	struct spec spec;
} asked[] = {
		{"network by name", {.network = {.mode = NETWORK_NAMES}}},
		{"background", {.background = true}},
		{"disk limit", {.limits = {.io = MB}}},
};

static void note_lacks(struct arena *a, const struct backend *b, struct doctor_backend *d)
{
	struct texts **end = &d->lacks;
	struct err why;

	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (box_backend_lacks(b, &asked[i].spec, &why) != 0) {
			*end = arena_copy(a, (struct texts){.text = str_of(asked[i].name)});
			end = &(*end)->next;
		}
}

static void try_backend(
		struct arena *a, const struct backend *b, const struct spec *s, struct doctor_backend *d)
{
	struct outcome o = {0};
	struct box box = {0};
	struct err e = {0};

	if (box_backend_probe(b, &e) != 0 ||
			box_run(&box, a, b, &(struct box_start){0}, s, NULL, &o, &e) != 0) {
		d->why = str_dup(a, str_of(e.text));
		return;
	}
	box_wait(&box, &o);
	d->runs = o.status == STATUS_OK;
	d->enforced = o.enforced;
	if (!d->runs)
		d->why = str_fmt(a, "'/bin/sh -c :' ended in a box with %s", status_name(o.status));
}

void doctor_backends(struct arena *a, const struct spec *s, struct doctor *d)
{
	struct doctor_backend **end = &d->backends;

	for (size_t i = 0; box_backend_at(i); i++) {
		const struct backend *b = box_backend_at(i);
		struct doctor_backend *row = arena_new(a, struct doctor_backend);

		row->name = box_backend_name(b);
		row->about = box_backend_about(b);
		note_lacks(a, b, row);
		try_backend(a, b, s, row);
		*end = row;
		end = &row->next;
	}
}

#define WALLS 8

static void walls_of(const struct doctor_backend *b, struct doctor_wall ret[WALLS])
{
	const struct enforced *e = &b->enforced;
	const struct doctor_wall walls[WALLS] = {{"memory", e->memory}, {"pids", e->pids}, {"cpus", e->cpu},
			{"scratch", e->scratch}, {"time", e->time}, {"output", e->output},
			{"network", e->network}, {NULL, ENFORCED_NOT}};

	memcpy(ret, walls, sizeof(walls));
}

static const char *by(enum enforcer e)
{
	return enforcer_name(e) ? enforcer_name(e) : "nobody";
}

void doctor_backends_json(struct buf *out, const struct doctor *d)
{
	buf_c(out, ",\"backends\":[");
	for (const struct doctor_backend *b = d->backends; b; b = b->next) {
		struct doctor_wall walls[WALLS];

		walls_of(b, walls);
		buf_fmt(out, "%s{\"name\":\"%s\",\"about\":", b == d->backends ? "" : ",", b->name);
		json_put_string(out, str_of(b->about));
		buf_fmt(out, ",\"state\":\"%s\",\"by\":", b->runs ? "yes" : "no");
		json_put_string(out, b->why);
		buf_c(out, ",\"enforced\":{");
		for (size_t i = 0; b->runs && walls[i].name; i++)
			buf_fmt(out, "%s\"%s\":\"%s\"", i ? "," : "", walls[i].name, by(walls[i].by));
		buf_char(out, '}');
		json_put_texts(out, "lacks", b->lacks);
		buf_char(out, '}');
	}
	buf_c(out, "]");
}

/* For terminals without room for the table: which backends work, and what the others lack. */
static void list_backends(struct buf *out, const struct doctor *d, size_t width)
{
	buf_c(out, "\nBackends (--backend NAME):\n\n");
	for (const struct doctor_backend *b = d->backends; b; b = b->next) {
		buf_fmt(out, "  %s:", b->name);
		buf_wrapped(out, b->runs ? "works" : str_c(out->a, b->why), 3 + strlen(b->name), 6, width);
	}
}

void doctor_backends_text(struct buf *out, const struct doctor *d, size_t width)
{
	struct doctor_wall walls[WALLS];

	if (width < WIDTH) {
		list_backends(out, d, width);
		return;
	}
	walls_of(d->backends, walls);
	buf_fmt(out, "\nBackends (--backend NAME), and what enforces each limit of a box:\n\n  %-*s", NAME,
			"");
	for (size_t i = 0; walls[i].name; i++)
		buf_fmt(out, " %-9s", walls[i].name);
	buf_char(out, '\n');
	for (const struct doctor_backend *b = d->backends; b; b = b->next) {
		buf_fmt(out, "  %-*s%s", NAME, b->name, b->runs ? "" : " ");
		if (strlen(b->name) > NAME)
			buf_fmt(out, "\n%*s", COLUMN - b->runs, "");
		walls_of(b, walls);
		for (size_t i = 0; b->runs && walls[i].name; i++)
			buf_fmt(out, " %-9s", by(walls[i].by));
		if (b->runs)
			buf_char(out, '\n');
		else
			buf_wrapped(out, str_c(out->a, b->why), COLUMN, COLUMN, WIDTH);
		if (b->runs && b->lacks) {
			buf_fmt(out, "  %-*s refuses:", NAME, "");
			for (const struct texts *t = b->lacks; t; t = t->next)
				buf_fmt(out, "%s %.*s", t == b->lacks ? "" : ",", STR_ARG(t->text));
			buf_char(out, '\n');
		}
	}
}
