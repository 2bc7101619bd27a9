/* Reports that wait for the hook after a run. See handoff.h. */
#define _GNU_SOURCE
#include "record/handoff.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/ticket.h"
#include "sys/file.h"
#include "sys/state.h"

#define FOLDER "reports"
#define NAME_LETTERS 32

static struct str name_of(struct arena *a, struct str session, struct str id)
{
	return ticket_hash(a, session, id, NAME_LETTERS);
}

static const char *path_of(struct arena *a, struct str state, struct str session, struct str id)
{
	return str_fmt_c(a, "%.*s/" FOLDER "/%.*s", STR_ARG(state), STR_ARG(name_of(a, session, id)));
}

void handoff_drop(struct arena *a, struct str state, struct str session, struct str tool_use_id)
{
	unlink(path_of(a, state, session, tool_use_id));
}

int handoff_write(struct arena *a, struct str state, struct str session, struct str tool_use_id,
		struct str report)
{
	struct str path;

	if (!tool_use_id.n)
		return 0;
	/* a repeated id: the later report replaces the earlier */
	handoff_drop(a, state, session, tool_use_id);
	return state_keep(a, state, FOLDER, name_of(a, session, tool_use_id), report, &path, NULL);
}

int handoff_look(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid,
		struct str *ret, struct err *e)
{
	struct stat st;

	if (!tool_use_id.n || !state.n)
		return err_input(e, "no report");
	FD_SCOPE f = {0};
	fd_scope(&f, a, open(path_of(a, state, session, tool_use_id),
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (f.fd < 0)
		return err_input(e, "no report");
	if (fstat(f.fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != uid || (st.st_mode & 077))
		return err_input(e, "not a report of caisson");
	return fd_read_all(a, f.fd, "report", HANDOFF_BYTES_MAX, ret, e);
}

int handoff_take(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid,
		struct str *ret, struct err *e)
{
	int rc = handoff_look(a, state, session, tool_use_id, uid, ret, e);

	if (rc == 0)
		handoff_drop(a, state, session, tool_use_id);
	return rc;
}

/* Tickets expire soon; only the file with a command's final directory is kept as long as reports. */
static bool is_old(const char *name, const struct stat *st, bool tickets, int64_t now_s)
{
	bool ticket = tickets && !str_ends(str_of(name), ".cwd");

	return st->st_mtime + (ticket ? 2 * TICKET_AGE_MS / 1000 : HANDOFF_AGE_S) < now_s;
}

static void sweep_folder(const char *folder, bool tickets, int64_t now_s)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	struct stat st;

	for (size_t n = 0; d && n < HANDOFF_SWEEP_MAX && (entry = readdir(d)); n++)
		if (entry->d_name[0] != '.' && fstatat(dirfd(d), entry->d_name, &st,
				AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
				is_old(entry->d_name, &st, tickets, now_s))
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}

void handoff_sweep(struct arena *a, struct str state, int64_t now_s)
{
	sweep_folder(str_c(a, str_cat(a, state, STR("/" FOLDER))), false, now_s);
	sweep_folder(str_c(a, str_cat(a, state, STR("/tickets"))), true, now_s);
}

void handoff_note_box_failure(struct arena *a, struct str state, bool failed)
{
	const char *path = str_c(a, str_cat(a, state, STR("/" FOLDER "/no-box")));
	struct str ignored;

	unlink(path);
	if (failed)
		(void)state_keep(a, state, FOLDER, STR("no-box"), STR(""), &ignored, NULL);
}

bool handoff_box_failed(struct arena *a, struct str state, int64_t now_s)
{
	struct stat st;

	return state.n && lstat(str_c(a, str_cat(a, state, STR("/" FOLDER "/no-box"))), &st) == 0 &&
			st.st_mtime + HANDOFF_BOX_FAILED_S > now_s;
}
