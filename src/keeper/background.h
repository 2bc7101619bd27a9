/*
 * Boxes in the background, as files: STATE/background/ID/, made before a box is handed over (run/job_hold.h).
 *
 *   info.json     what runs: the run it belongs to, command (redacted), session, project, start
 *   lock          locked for as long as the holder lives; its text is the holder's pid and start time
 *   log           the output of the box from the hand-over on, normalised and without secrets: an agent can
 *                 read it. Beyond BACKGROUND_LOG_MAX it goes to log.old. A box that only lends its
 *                 network has none
 *   report.json   the report, once the box has ended
 *   lost          instead of it: the holder was killed, and the record says so
 *
 * An entry without report.json whose lock is free is lost. Entries of ended boxes are removed when there are
 * more than BACKGROUND_KEPT.
 */
#pragma once
#include "base/json.h"
#include "base/str.h"

#define BACKGROUND_FOLDER "background"
#define BACKGROUND_KEPT 32
#define BACKGROUND_LIST_MAX 512 /* entries that are looked at */
#define BACKGROUND_LOG_MAX ((uint64_t)4 << 20)
#define BACKGROUND_REPORT_MAX ((size_t)16 << 20)

enum background_state { BACKGROUND_LIVES, BACKGROUND_ENDED, BACKGROUND_LOST };

struct background { /* texts are empty if not known */
	struct background *next;
	enum background_state state;
	struct str id; /* of the box */
	struct str of; /* of the run that left it behind; equals id if the run itself goes on */
	struct str command, session, client, project;
	struct str started; /* a time stamp */
	int init;           /* pid 1 of the box, and its start time; 0: not known */
	uint64_t init_start;
	bool shares; /* other boxes of the project are in its network */
	struct str network; /* key of that network */
	struct str status;  /* of an ended one */
	int pid;            /* of the holder; 0: not known */
	uint64_t start_time;
	int dir; /* of background_open(); else -1 */
};

/*
 * Makes the entry. *ret_dir and *ret_lock are open, and the lock is taken, for as long as one of the
 * processes that inherit it lives.
 */
int background_make(struct arena *a, struct str state, const struct background *b, int *ret_dir,
		int *ret_lock, struct err *e);
/* The holder names itself. */
void background_name(int lock);
/* Opens the log of the entry for appending; -1 with errno. */
int background_log(int dir);
/* Removes it: the output of a box that is still its launcher's goes to the launcher's caller. */
void background_unlog(int dir);
/* Makes room in it once it is too large; another process may be writing. */
void background_bound_log(int dir, int log);
/* Writes the report, or, if it is empty, the mark of a lost box. */
void background_end(int dir, struct str report);
/* Removes an entry for which nothing was handed over. */
void background_unmake(struct arena *a, struct str state, struct str id);
/* Reads the report of a box that has ended. -1: there is none. */
int background_report(struct arena *a, struct str state, struct str id, struct json **ret);
/* Appends the box as a JSON object, as an item of an array. */
void background_json(struct buf *out, const struct background *b);
const char *background_state_name(enum background_state s);
/* All entries, the newest first. NULL: none. */
struct background *background_list(struct arena *a, struct str state);
/* The entry whose id begins with this text. -1 and *e: none, or several. ret->dir is open until the arena
 * ends. */
int background_open(struct arena *a, struct str state, struct str id, struct background *ret, struct err *e);
/* Takes the lock of a lost entry: its caller writes what is missing. -1: another does, or it is not lost. */
int background_claim(const struct background *b, struct arena *a, struct str state);
/* The ports on which the box listens now, as far as there is room. */
size_t background_ports(struct arena *a, const struct background *b, uint16_t *ret, size_t room);
/* Removes the oldest entries of ended boxes. */
void background_prune(struct arena *a, struct str state);
/* Asks the holder to end its box, and does not wait. */
void background_ask_end(const struct background *b);
/*
 * Asks the holder to end its box, and kills the holder if it does not within `ms`; init ends the box then.
 * Waits for the end. -1 and *e if it is still there.
 */
int background_stop(
		const struct background *b, struct arena *a, struct str state, unsigned ms, struct err *e);
/* True once the holder has ended; waits for at most `ms`. */
bool background_wait(const struct background *b, struct arena *a, struct str state, uint64_t ms);
