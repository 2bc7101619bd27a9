/* Reads, writes and ends a pause. See pause.h. */
#define _GNU_SOURCE
#include "judge/pause.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "judge/client_session.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/secure.h"
#include "sys/state.h"

#define VERSION 1
#define BYTES_MAX ((size_t)16 << 10)

static int64_t boot_seconds(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_BOOTTIME, &t) == 0 ? t.tv_sec : INT64_MAX;
}

static struct str clock_text(struct arena *a, int64_t seconds)
{
	time_t t = time(NULL) + seconds;
	char text[16];
	struct tm tm;

	return localtime_r(&t, &tm) && strftime(text, sizeof text, "%H:%M", &tm) ? str_dup(a, str_of(text)) :
			STR("?");
}

static struct str file_in(struct arena *a, struct str dir)
{
	return str_fmt(a, "%.*s/" PAUSE_FILE, STR_ARG(dir));
}

/* Agents may write here without an ask, so a file here proves no person's decision. */
static bool agents_write(const struct view *v, struct str dir)
{
	static const char temporary[][12] = {"/tmp", "/var/tmp", "/dev/shm"};

	for (size_t i = 0; i < ARRAY_SIZE(temporary); i++)
		if (path_inside(dir, str_of(temporary[i])))
			return true;
	for (const struct root *r = v->roots; r; r = r->next)
		if (path_inside(dir, r->path))
			return true;
	return (v->tmp.n > 1 && path_inside(dir, v->tmp)) || (v->project.n && path_inside(dir, v->project));
}

/* ---- reading ---- */

struct wanted { /* conditions for a pause to be in force */
	struct str boot, project;
	int64_t now;
};

static void note_if_in_force(struct arena *a, const struct json *o, const struct wanted *w, struct pause *ret)
{
	struct str project = json_text_at(o, "project");
	int64_t left = json_int_at(o, "until") - w->now;

	if (json_int_at(o, "v") != VERSION || !w->boot.n || !str_eq(json_text_at(o, "boot"), w->boot))
		return;
	if (left <= 0 || left > PAUSE_MAX_S || (project.n && !str_eq(project, w->project)))
		return;
	*ret = (struct pause){.on = true, .left_s = left, .project = str_dup(a, project),
			.until = clock_text(a, left)};
}

void pause_look(struct arena *a, const struct view *v, struct pause *ret)
{
	struct wanted w = {.project = v->project, .now = boot_seconds()};
	struct str dir, bytes;
	struct json *o = NULL;

	*ret = (struct pause){0};
	if (!v->state_dir.n || access(str_c(a, file_in(a, v->state_dir)), F_OK) != 0)
		return;
	if (state_check(a, v->state_dir, v->project, v->uid, &dir, NULL) != 0 || agents_write(v, dir) ||
		secure_read(a, file_in(a, dir), BYTES_MAX, v->uid, &bytes, NULL) != 0)
		return;
	w.boot = client_session_boot(a);
	if (json_read(a, bytes, &o, NULL) == 0)
		note_if_in_force(a, o, &w, ret);
}

/* ---- writing ---- */

static int usable_dir(struct arena *a, const struct view *v, struct str *ret, struct err *e)
{
	if (!v->state_dir.n)
		return err_input(e, "the home directory is unknown, so the pause cannot be stored");
	if (state_make(a, v->state_dir, v->project, v->uid, ret, e) != 0)
		return -1;
	if (agents_write(v, *ret))
		return err_input(e,
				"agents can write to the state directory '%.*s', so a pause stored there "
				"could be forged", STR_ARG(*ret));
	return 0;
}

int pause_start(struct arena *a, const struct view *v, struct str project, int64_t seconds, struct pause *ret,
		struct err *e)
{
	struct str dir, boot = client_session_boot(a);
	struct buf b;

	if (seconds < 1 || seconds > PAUSE_MAX_S)
		return err_input(e, "a pause lasts at most an hour");
	if (!boot.n)
		return err_set(e, ERR_SYSTEM, 0,
				"cannot read the boot id of this machine, so the pause could not end "
				"automatically");
	if (usable_dir(a, v, &dir, e) != 0)
		return -1;
	buf_init(&b, a, BYTES_MAX);
	buf_fmt(&b, "{\"v\":%d,\"boot\":\"%.*s\",\"until\":%lld,\"project\":", VERSION, STR_ARG(boot),
			(long long)(boot_seconds() + seconds));
	json_put_string(&b, project);
	buf_c(&b, "}\n");
	if (file_replace(str_c(a, file_in(a, dir)), buf_view(&b), e) != 0)
		return -1;
	*ret = (struct pause){.on = true, .left_s = seconds, .project = project,
			.until = clock_text(a, seconds)};
	return 0;
}

int pause_end(struct arena *a, const struct view *v, bool *ret_was, struct err *e)
{
	const char *path = str_c(a, file_in(a, v->state_dir));

	*ret_was = v->state_dir.n && unlink(path) == 0;
	if (v->state_dir.n && !*ret_was && errno != ENOENT)
		return err_system(e, "cannot remove '%s'", path);
	return 0;
}
