/* The tool `background`: the boxes that calls of this server left in the background. See mcp.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "client/mcp.h"
#include "judge/context.h"
#include "keeper/background.h"
#include "run/job_hold.h"
#include "sys/file.h"
#include "sys/state.h"

#define STOP_MS 10000

struct kept_boxes {
	struct arena *a;
	struct str state;
	const struct mcp_background *q;
};

/* A session sees its own boxes alone. */
static bool is_own(const struct kept_boxes *k, const struct background *b)
{
	return k->q->session.n && str_eq(b->session, k->q->session) && str_is(b->client, MCP_CLIENT);
}

static const struct background *find_box(struct kept_boxes *k)
{
	for (const struct background *b = background_list(k->a, k->state); b; b = b->next)
		if (is_own(k, b) && str_eq(b->id, k->q->id))
			return b;
	return NULL;
}

static int open_log(struct kept_boxes *k, const struct background *b, const char *name)
{
	const char *path = str_fmt_c(k->a, "%.*s/" BACKGROUND_FOLDER "/%.*s/%s", STR_ARG(k->state),
			STR_ARG(b->id), name);

	return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* The last bytes of one file of the log, cleaned when they were written. */
static struct str read_tail(struct kept_boxes *k, const struct background *b, const char *name, size_t bytes)
{
	FD_CLEANUP int fd = open_log(k, b, name);
	struct stat st;
	char *p;
	ssize_t n;

	if (fd < 0 || !bytes || fstat(fd, &st) != 0 || st.st_size <= 0)
		return STR("");
	if ((uint64_t)st.st_size < bytes)
		bytes = (size_t)st.st_size;
	p = arena_alloc(k->a, bytes);
	n = pread(fd, p, bytes, st.st_size - (off_t)bytes);
	return str_n(p, n > 0 ? (size_t)n : 0);
}

static void put_log(struct kept_boxes *k, const struct background *b, struct buf *out)
{
	struct str last = read_tail(k, b, "log", k->q->bytes);
	struct str older = read_tail(k, b, "log.old", k->q->bytes - last.n);
	struct buf text;

	buf_init(&text, k->a, 0);
	buf_str(&text, older);
	buf_str(&text, last);
	json_put_field(out, "log", buf_view(&text));
}

/* The report of a box that has ended; none if its holder was killed. */
static void put_report(struct kept_boxes *k, const struct background *b, struct buf *out)
{
	struct json *report;

	if (background_report(k->a, k->state, b->id, &report) == 0) {
		json_put_key(out, "report");
		json_put_value(out, report);
	}
}

static int act(struct kept_boxes *k, const struct background **b, struct err *e)
{
	const struct mcp_background *q = k->q;

	if (q->action == MCP_BACKGROUND_STOP && (*b)->state == BACKGROUND_LIVES &&
			background_stop(*b, k->a, k->state, STOP_MS, e) != 0)
		return -1;
	if (q->action == MCP_BACKGROUND_WAIT && (*b)->state == BACKGROUND_LIVES)
		(void)background_wait(*b, k->a, k->state, q->wait_ms);
	*b = find_box(k); /* as it is now */
	if (*b && q->action == MCP_BACKGROUND_LOGS) {
		FD_CLEANUP int fd = open_log(k, *b, "log");

		if (fd < 0)
			return err_input(e, "'id': this box belongs to a call that is still running, "
					"which has its output");
	}
	return *b ? 0 : err_input(e, "'id': the box ended with its call");
}

static void put_boxes(struct kept_boxes *k, const struct background *one, struct buf *out)
{
	buf_c(out, "{\"boxes\":[");
	for (const struct background *b = one ? one : background_list(k->a, k->state); b;
			b = one ? NULL : b->next)
		if (is_own(k, b))
			background_json(out, b);
	buf_char(out, ']');
}

int mcp_background_json(struct arena *a, const struct mcp_background *q, struct buf *out, struct err *e)
{
	struct kept_boxes k = {.a = a, .q = q};
	struct context at = {.places = true};
	const struct background *b = NULL;

	context_open(a, &at);
	if (state_check(a, at.view->state_dir, at.view->project, at.view->uid, &k.state, e) != 0)
		return -1;
	job_hold_settle(a, at.view, k.state);
	if (q->action != MCP_BACKGROUND_LIST) {
		if (!q->id.n)
			return err_input(e, "'id' is missing");
		b = find_box(&k);
		if (!b)
			return err_input(e, "'id': this session has no such box in the background");
		if (act(&k, &b, e) != 0)
			return -1;
	}
	put_boxes(&k, b, out);
	if (q->action == MCP_BACKGROUND_LOGS)
		put_log(&k, b, out);
	else if (b && b->state == BACKGROUND_ENDED)
		put_report(&k, b, out);
	buf_char(out, '}');
	return 0;
}
