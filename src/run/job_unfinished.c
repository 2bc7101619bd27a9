/* See job_unfinished.h. */
#include "run/job_unfinished.h"

#include <unistd.h>

#include "base/json.h"
#include "base/json_write.h"
#include "record/handoff.h"
#include "sys/peer.h"

#define NOTE_ARENA_MAX ((size_t)8 << 20) /* the ends of both streams are searched */

struct unfinished_look { /* arguments of write_note() */
	struct arena *a;
	struct job *j;
	const struct outcome *so_far;
};

static struct str note_of(struct arena *a, const struct job *j, const struct hint *hints)
{
	struct buf b;

	buf_init(&b, a, HANDOFF_BYTES_MAX);
	buf_char(&b, '{');
	json_put_field(&b, "id", j->run.id);
	json_put_field(&b, "status", str_of(status_name(STATUS_RUNNING)));
	json_put_key(&b, HANDOFF_LAUNCHER);
	buf_fmt(&b, "{\"pid\":%d,\"start\":%llu}", (int)getpid(),
			(unsigned long long)peer_start_time(getpid()));
	report_hints(&b, hints);
	buf_char(&b, '}');
	return buf_view(&b);
}

static int write_note(void *arg)
{
	struct unfinished_look *l = arg;
	const struct ticket *t = &l->j->ticket;
	struct str state = l->j->world.context.view->state_dir, note;
	const struct hint *hints = denial_hints(l->a, &l->j->run, l->so_far);

	if (!hints)
		return 0;
	note = note_of(l->a, l->j, hints);
	(void)handoff_write(l->a, state, t->session, t->tool_use_id, note);
	l->j->noted |= handoff_write(l->a, state, t->session, STR(HANDOFF_ENDED), note) == 0;
	return 0;
}

void job_unfinished_note(struct job *j, const struct outcome *so_far)
{
	uint64_t bytes = so_far->out.total + so_far->err.total;
	size_t hosts = so_far->network ? so_far->network->n : 0;
	struct arena a;

	if (!j->request.ticket || !j->request.plain || (bytes == j->seen_bytes && hosts == j->seen_hosts))
		return;
	j->seen_bytes = bytes;
	j->seen_hosts = hosts;
	arena_init(&a, NOTE_ARENA_MAX);
	(void)arena_run(&a, write_note, &(struct unfinished_look){&a, j, so_far});
	arena_free(&a);
}

void job_unfinished_clear(struct arena *a, struct job *j)
{
	const struct view *v = j->world.context.view;
	struct json_reader r;
	struct str text;

	if (!j->noted || handoff_look(a, v->state_dir, j->ticket.session, STR(HANDOFF_ENDED), v->uid, &text,
			NULL) != 0)
		return;
	json_reader_init(&r, a, text, JSON_TOLERANT);
	/* else another run of the session left it */
	if (str_eq(json_text_at(json_next(&r), "id"), j->run.id))
		handoff_drop(a, v->state_dir, j->ticket.session, STR(HANDOFF_ENDED));
}
