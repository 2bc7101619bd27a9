/* Checks of the host. See doctor.h. */
#define _GNU_SOURCE
#include "self/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "audit/retain.h"
#include "base/json_write.h"
#include "judge/pause.h"
#include "judge/world.h"
#include "keeper/keeper.h"
#include "sys/confined.h"
#include "sys/state.h"

static void add_row(struct arena *a, struct doctor *d, const char *id, const char *title,
		enum probe_weight weight, enum probe_state state, struct str by)
{
	struct probe *p = probe_add(a, &d->rows, id, title, weight);

	p->state = state;
	p->by = by;
}

static struct probe *last_row(struct doctor *d)
{
	struct probe *p = d->rows.first;

	while (p->next)
		p = p->next;
	return p;
}

static void look_policy(struct arena *a, struct doctor *d, const char *config)
{
	struct policies p;
	struct err e = {0};

	if (policies_load(a, &(struct policies_request){.config = config}, &p, &e) == 0) {
		add_row(a, d, "policy", "policy", PROBE_WALL, PROBE_YES,
				p.files ? str_fmt(a, "loads: %.*s", STR_ARG(p.files->path)) :
				STR("the built-in one"));
		return;
	}
	add_row(a, d, "policy", "policy", PROBE_WALL, PROBE_NO,
			str_fmt(a, "does not load, so everything is denied: %s", e.text));
	probe_todo(a, last_row(d), "caisson config verify");
	d->end = DOCTOR_DENIES;
}

/*
 * Writes a page to an unnamed file in the directory, or in its nearest parent that exists: a full or
 * read-only file system shows in no other way. File systems without unnamed files are not tried.
 */
static int try_write(struct arena *a, struct str dir, struct err *e)
{
	static const char page[4096];
	int fd, why = 0;

	while ((fd = open(str_c(a, dir), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)) < 0 && errno == ENOENT &&
			dir.n > 1)
		dir = path_parent(dir);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		return 0;
	if (fd < 0 || write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
		why = errno ? errno : ENOSPC;
	if (fd >= 0)
		close(fd);
	return why ? err_set(e, ERR_SYSTEM, why, "cannot write to '%.*s', so every command is denied",
				     STR_ARG(dir)) : 0;
}

static void look_state(struct arena *a, struct doctor *d, const struct view *w)
{
	struct str dir;
	struct err e = {0};

	if (w->state_dir.n && state_check(a, w->state_dir, w->project, w->uid, &dir, &e) == 0 &&
			try_write(a, dir, &e) == 0) {
		add_row(a, d, "state", "state directory", PROBE_WALL, PROBE_YES, dir);
		return;
	}
	add_row(a, d, "state", "state directory", PROBE_WALL, PROBE_NO,
		w->state_dir.n ? str_fmt(a, "%s", e.text) : STR("the home directory is unknown"));
	d->end = DOCTOR_DENIES;
	probe_todo(a, last_row(d),
		"export CAISSON_STATE=DIR   # a directory of your own, outside the project");
}

static uint64_t quota_of(struct arena *a, const char *config)
{
	struct policies p;

	return policies_load(a, &(struct policies_request){.config = config}, &p, NULL) == 0 ?
			p.own.audit.quota : AUDIT_QUOTA;
}

/* Shown only while Caisson is paused: then nothing else here matters as much. */
static void look_pause(struct arena *a, struct doctor *d)
{
	struct pause p;
	struct view v;

	world_view(a, context_or_own(NULL), NULL, &v);
	pause_look(a, &v, &p);
	if (!p.on)
		return;
	add_row(a, d, "pause", "pause", PROBE_EXTRA, PROBE_PARTLY,
		str_fmt(a, "caisson is paused until %.*s: hooks ask about nothing and contain nothing",
		STR_ARG(p.until)));
	probe_todo(a, last_row(d), "caisson pause --end");
}

static struct str published_ports(struct arena *a, const struct view *w)
{
	struct keeper_port ports[KEEPER_PORTS_MAX];
	size_t n = keeper_ports(w->state_dir, ports);
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%u", i ? ", " : "; published on 127.0.0.1: ", ports[i].port);
	return buf_view(&b);
}

/* A keeper need not run: this says if one does, or why none could. */
static void look_keeper(struct arena *a, struct doctor *d, const struct view *w)
{
	struct keeper_status s;
	const char *by = confined_by();

	if (!w->state_dir.n)
		return;
	keeper_look(w->state_dir, &s);
	add_row(a, d, "keeper", "keeper", PROBE_EXTRA, s.runs || !by ? PROBE_YES : PROBE_NO,
		s.runs ? str_fmt(a, "process %d, version %s, holds %" PRIu64 " box%s in the background%.*s",
		s.pid, s.program, s.boxes, s.boxes == 1 ? "" : "es", STR_ARG(published_ports(a, w))) :
		by ? str_fmt(a, "nothing can stay in the background: a keeper does not start under %s", by) :
		STR("none runs; the first run with --background starts one"));
}

/* Checks if the record is usable, and if it exceeds its quota. */
static void look_record(struct arena *a, struct doctor *d, const struct view *w, const char *config)
{
	struct audit au;
	struct blobs blobs;
	struct audit_usage u;
	struct err e = {0};

	if (!w->state_dir.n)
		return;
	if (audit_open(a, w->state_dir, w->uid, false, &au, &e) < 0) {
		bool none = e.kind == ERR_SYSTEM && e.errnum == ENOENT;

		add_row(a, d, "record", "record", PROBE_WALL, none ? PROBE_YES : PROBE_NO,
				none ? STR("nothing has been recorded yet") : str_fmt(a, "%s", e.text));
		return;
	}
	bool kept = blobs_open(a, path_parent(au.path), w->uid, false, &blobs, &e) == 0;
	int rc = audit_usage(a, &au, kept ? &blobs : NULL, &u, &e);
	audit_close(&au);
	if (kept)
		blobs_close(&blobs);
	if (rc < 0) {
		add_row(a, d, "record", "record", PROBE_WALL, PROBE_NO, str_fmt(a, "%s", e.text));
		return;
	}
	const uint64_t quota = quota_of(a, config), all = u.row_bytes + u.blob_bytes;
	const bool above = quota && all > quota;
	add_row(a, d, "record", "record", above ? PROBE_EXTRA : PROBE_WALL, above ? PROBE_PARTLY : PROBE_YES,
		str_fmt(a, "%" PRIu64 " day%s, %" PRIu64 " MB%s", u.days, u.days == 1 ? "" : "s",
		(uint64_t)(all / MB),
		above ? ", more than audit.quota; nothing is dropped for it before its time" : ""));
	if (above)
		probe_todo(a, last_row(d), "caisson audit prune   # or a larger audit.quota");
}

/* Default limits of a profile, without any policy. */
static void plain_spec(struct arena *a, const struct run_world *w, struct spec *ret)
{
	static char *const argv[] = {"/bin/sh", "-c", ":", NULL};
	uint64_t limits[LIMITS];
	struct spec_var *path = arena_copy(a, (struct spec_var){.name = STR("PATH"),
			.value = STR("/usr/local/bin:/usr/bin:/bin")});

	*ret = (struct spec){.argv = argv, .env = path, .home = STR("/home/box"), .input = -1};
	for (enum limit l = 0; l < LIMITS; l++)
		limits[l] = limit_default(PROFILE_EXEC, l, &w->machine);
	limits_of(limits, &ret->limits);
}

static bool look_box(struct arena *a, struct doctor *d, const struct run_world *w)
{
	struct outcome o = {0};
	struct box box = {0};
	struct err e = {0};
	struct spec s;

	plain_spec(a, w, &s);
	doctor_backends(a, &s, d);
	if (box_run(&box, a, box_backend(NULL), &(struct box_start){0}, &s, NULL, &o, &e) != 0) {
		add_row(a, d, "box", "a box", PROBE_NEEDED, PROBE_NO, str_fmt(a, "%s", e.text));
		return false;
	}
	box_wait(&box, &o);
	if (o.status != STATUS_OK) {
		add_row(a, d, "box", "a box", PROBE_NEEDED, PROBE_NO,
				str_fmt(a, "it was made, and '/bin/sh -c :' ended in it with %s",
				status_name(o.status)));
		return false;
	}
	add_row(a, d, "box", "a box", PROBE_NEEDED, PROBE_YES,
			str_fmt(a, "'/bin/sh -c :' ran in one, %s backend", o.backend));
	return true;
}

void doctor_look(struct arena *a, const char *config, struct doctor *ret)
{
	struct doctor d = {.end = DOCTOR_ALL};
	struct run_world w = {0};
	struct err e = {0};
	bool runs;

	/* A deleted working directory says nothing about the machine, so another one is used. */
	if (run_world(a, NULL, &w, &e) != 0) {
		add_row(a, &d, "directory", "working directory", PROBE_WALL, PROBE_NO,
				str_fmt(a, "%s", e.text));
		probe_todo(a, last_row(&d), "cd   # to a directory that exists");
		const char *home = getenv("HOME");

		if (chdir(home ? home : "/") != 0 || run_world(a, NULL, &w, &e) != 0) {
			static const struct view nowhere = {.cwd = STR("/")};

			w.machine = (struct machine){.cpu_milli = 1000, .memory = 1024 * MB};
			w.context.view = &nowhere;
		}
	}
	probe_host(a, str_c(a, w.context.view->cwd), str_c(a, w.context.view->state_dir), &d.rows);
	look_policy(a, &d, config);
	look_state(a, &d, w.context.view);
	look_record(a, &d, w.context.view, config);
	look_pause(a, &d);
	look_keeper(a, &d, w.context.view);
	runs = look_box(a, &d, &w);
	for (const struct probe *p = d.rows.first; p; p = p->next)
		if (p->state != PROBE_YES && p->weight != PROBE_EXTRA && d.end == DOCTOR_ALL)
			d.end = DOCTOR_FALLBACKS;
	if (!runs && d.end != DOCTOR_DENIES)
		d.end = DOCTOR_NONE;
	d.rows.end = NULL; /* it points into d */
	*ret = d;
}

void doctor_json(struct buf *b, const struct doctor *d)
{
	static const char *const states[] = {"no", "partly", "yes"},
			*const weights[] = {"needed", "wall", "extra"},
			*const ends[] = {"all", "fallbacks", "none", "none"};

	buf_fmt(b, "{\"v\":1,\"box\":\"%s\",\"rows\":[", ends[d->end]);
	for (const struct probe *p = d->rows.first; p; p = p->next) {
		buf_fmt(b, "%s{\"id\":\"%s\",\"title\":", p == d->rows.first ? "" : ",", p->id);
		json_put_string(b, str_of(p->title));
		buf_fmt(b, ",\"state\":\"%s\",\"weight\":\"%s\",\"by\":", states[p->state],
				weights[p->weight]);
		json_put_string(b, p->by);
		json_put_texts(b, "todo", p->todo);
		buf_char(b, '}');
	}
	buf_c(b, "]");
	doctor_backends_json(b, d);
	buf_c(b, "}\n");
}
