/*
 * The launcher while a box lives, for every backend: takes output, watches the clock, the memory and the CPU
 * time, and decides how the program ended.
 *
 * One loop around ppoll, with an array of sources {fd, events, handler} for each turn:
 *
 *   out, err            pipes: the program's output                             capture.c
 *   in                  the caller's standard input, or the program's pipe      feed.c
 *   backend's sources   whatever tells it about setup, end, OOM                 backend->add_sources()
 *   signals             a signalfd: SIGINT, SIGTERM, SIGHUP, SIGQUIT to the launcher
 *
 * The launcher kills the box at the first limit that is reached (backend->kill()), and reports that limit. It
 * does not wait for EOF of the output, because any process can hold a pipe open. When the box is gone, no
 * writer is left, and the launcher reads the rest of the pipe.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/backend.h"
#include "box/hold.h"
#include "box/watch_disk.h"
#include "sys/clock.h"
#include "sys/file.h"

#define MS 1000000LL
#define PROGRESS_EVERY (500 * MS)
#define WATCH_EVERY (10 * MS)    /* memory that nothing else enforces */
#define WATCH_EVERY_MIN (MS)     /* the same shortly before the limit */
#define WATCH_EVERY_LONG (50 * MS) /* ... of a box that lasts */
#define WATCH_SHARE 20           /* looks while a box becomes twice as old */
#define FILL_RATE 8              /* bytes of memory that a machine fills in a nanosecond */
#define DISK_FIRST (250 * MS)    /* files in /tmp: most commands are over by then */
#define DISK_EVERY (1000 * MS)
#define DISK_EVERY_MIN (20 * MS) /* shortly before the limit */
#define DISK_RATE 2              /* bytes that a machine writes to a disk in a nanosecond */
#define CACHES_FIRST (50 * MS)
#define CACHES_EVERY (100 * MS)
/* Bytes fewer on the disk of the caches, after which they are added up again. */
#define CACHES_STEP ((uint64_t)128 << 20)
#define DISK_SHARE 20            /* looking takes at most one part in this many of a CPU */
#define CPU_EVERY_MIN (5 * MS)   /* CPU time, at most this often */
#define WATCH_EVERY_HELD (250 * MS) /* memory of a box in the background */
#define USAGE_EVERY (5000 * MS)  /* of a box in the background */
#define HELD_RATE 4              /* bytes of output of a box in the background in a microsecond */
#define HELD_BURST (16 << 20)    /* bytes that may come at once */
#define LEND_EVERY (500 * MS)    /* looks for a server in a box that lasts, each pause twice the last */
#define LEND_EVERY_MAX (4000 * MS)
#define LOOK_FIRST (1000 * MS)   /* at what was printed so far */
#define LOOK_SHARE 4             /* each further pause is this part of the box's age */
#define HELD_PAUSE (50 * MS)     /* before more is read */
#define GONE_WAIT (10000 * MS)   /* for a killed box; longer only when the kernel cannot end a process */
#define EXITING_EVERY (100 * MS) /* looks at a killed box that is still not gone */
/* In a row that found nothing running; the second sees what was born during the first. */
#define EXITING_LOOKS 2

enum kill_reason {
	NOT_KILLED,
	KILLED_FOR_TIME,
	KILLED_FOR_CPU,
	KILLED_FOR_OUTPUT,
	KILLED_FOR_MEMORY,
	KILLED_FOR_DISK,
	KILLED_FOR_CACHES,
	KILLED_BY_CALLER,
	KILLED_BY_ERROR,
};

struct supervisor {
	struct box_state *b;
	const struct box_progress *progress;
	enum kill_reason reason;  /* the first one */
	int64_t killed;           /* when; 0: not yet */
	bool over;
	unsigned quiet;           /* looks at a killed box, in a row, in which nothing could run any more */
	int64_t exiting_due, progress_due, memory_due, cpu_due, disk_due, caches_due;
	uint64_t free;            /* bytes on the disk of the caches at the last look; 0: none yet */
	uint64_t peak, cpu_ms;    /* the largest values seen */
	bool tried;               /* the box was to go to the background */
	bool waits;               /* it goes there once the caller has read the output */
	bool held;                /* this is the holder: it did */
	bool handed;              /* this is the launcher: the box is another's */
	int64_t held_until, usage_due;
	int64_t lend_due, lend_every; /* 0: its network is not lent */
	int64_t look_due;         /* 0: nobody wants to know */
	int64_t read_until;       /* holder: when the output so far would have come at HELD_RATE */
	uint64_t read_bytes;
	int signals;              /* signalfd */
	int signal;               /* the signal that interrupted the run; 0: none */
};

static const struct limits *limits_of_run(const struct supervisor *s) { return &s->b->spec->limits; }
static bool has_answer(const struct supervisor *s) { return s->b->events.ended || s->b->events.failed; }
static bool streams_ended(const struct supervisor *s) { return s->b->out.fd < 0 && s->b->err.fd < 0; }

static int64_t deadline(const struct supervisor *s)
{
	return s->held ? s->held_until : s->b->started + (int64_t)limits_of_run(s)->time_ms * MS;
}

/* When the box goes to the background by itself; 0: it does not. */
static int64_t hold_due(const struct supervisor *s)
{
	const struct box_hold *h = s->b->start->hold;

	return h && h->after_ms && !s->tried && !s->waits ? s->b->started + (int64_t)h->after_ms * MS : 0;
}

/* ---- limits ---- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Asks the backend, and remembers the largest values. */
static void look(struct supervisor *s, unsigned wanted, struct box_usage *ret)
{
	*ret = (struct box_usage){0};
	s->b->backend->usage(s->b, wanted, ret);
	s->cpu_ms = larger(s->cpu_ms, ret->cpu_ms);
	s->peak = larger(s->peak, ret->memory);
}

static void kill_box(struct supervisor *s, enum kill_reason why)
{
	struct box_usage u;

	if (s->reason == NOT_KILLED)
		s->reason = why;
	if (s->killed)
		return;
	s->killed = clock_now();
	s->exiting_due = s->killed + EXITING_EVERY;
	/*
	 * A killed process does not tell how much CPU time it used. A look for memory has just seen that,
	 * too.
	 */
	if (why != KILLED_FOR_MEMORY || !s->b->memory_watched)
		look(s, USAGE_CPU, &u);
	s->b->backend->kill(s->b);
}

/* Looking at thousands of processes takes long: at most a fifth of a CPU goes into it. */
static int64_t next_look(int64_t before, int64_t pause)
{
	int64_t now = clock_now(), rest = 4 * (now - before);

	return now + (pause > rest ? pause : rest);
}

static void check_memory(struct supervisor *s, int64_t now)
{
	uint64_t limit = limits_of_run(s)->memory;
	struct box_usage u;
	int64_t pause, most;

	look(s, USAGE_MEMORY | USAGE_CPU, &u);
	if (u.memory > limit)
		kill_box(s, KILLED_FOR_MEMORY);
	pause = u.memory < limit ? (int64_t)((limit - u.memory) / FILL_RATE) : 0;
	most = (now - s->b->started) / WATCH_SHARE; /* a longer one has more looks all the same */
	most = s->held ? WATCH_EVERY_HELD : most < WATCH_EVERY ? WATCH_EVERY
			: most > WATCH_EVERY_LONG ? WATCH_EVERY_LONG : most;
	pause = pause < WATCH_EVERY_MIN ? WATCH_EVERY_MIN : pause > most ? most : pause;
	s->memory_due = next_look(now, pause);
}

/* The next look, after one that began at `now`. */
static int64_t next_walk(int64_t now, int64_t pause)
{
	int64_t rest = (DISK_SHARE - 1) * (clock_now() - now);

	return clock_now() + (pause > rest ? pause : rest);
}

static void check_disk(struct supervisor *s, int64_t now)
{
	uint64_t limit = limits_of_run(s)->scratch, used = watch_disk(s->b->tmp, limit);
	int64_t pause;

	if (used > limit)
		kill_box(s, KILLED_FOR_DISK);
	pause = used < limit ? (int64_t)((limit - used) / DISK_RATE) : 0;
	pause = pause < DISK_EVERY_MIN ? DISK_EVERY_MIN : pause > DISK_EVERY ? DISK_EVERY : pause;
	s->disk_due = next_walk(now, pause);
}

/*
 * Caches can hold a million files, so they are added up only after the disk has filled by CACHES_STEP,
 * whoever has filled it.
 */
static void check_caches(struct supervisor *s, int64_t now)
{
	const struct spec *spec = s->b->spec;
	uint64_t free = watch_free(s->b->caches), step = CACHES_STEP;

	if (step > spec->caches_limit / 4)
		step = spec->caches_limit / 4;
	if (!s->free || free > s->free) {
		s->free = free;
	} else if (s->free - free >= step) {
		s->free = free;
		if (watch_disk(s->b->caches, spec->caches_limit) > spec->caches_limit)
			kill_box(s, KILLED_FOR_CACHES);
	}
	s->caches_due = next_walk(now, CACHES_EVERY);
}

static void check_cpu(struct supervisor *s, int64_t now)
{
	const struct limits *l = limits_of_run(s);
	struct box_usage u;
	int64_t left;

	look(s, USAGE_CPU, &u);
	left = s->cpu_ms < l->cpu_ms ? (int64_t)(l->cpu_ms - s->cpu_ms) * MS : 0;
	if (left <= 0)
		kill_box(s, KILLED_FOR_CPU);
	/*
	 * With a counter: no sooner than all CPUs together can use the rest. Without: often, to see short
	 * processes.
	 */
	left = s->b->cpu_counted ? left * 1000 / l->cpu_milli : 0;
	s->cpu_due = next_look(now, left > CPU_EVERY_MIN ? left : CPU_EVERY_MIN);
}

static void report_progress(struct supervisor *s, int64_t now)
{
	struct box_usage u = {0};

	s->progress_due = now + PROGRESS_EVERY;
	if (!s->progress || !s->progress->fn)
		return;
	if (!s->b->memory_watched)
		s->b->backend->usage(s->b, USAGE_MEMORY, &u);
	s->progress->fn(s->progress->ctx, (uint64_t)((now - s->b->started) / MS),
			s->b->memory_watched ? s->peak : u.memory);
}

static void report_usage(struct supervisor *s, int64_t now)
{
	const struct box_hold *h = s->b->start->hold;
	struct box_usage u;

	look(s, USAGE_MEMORY | USAGE_CPU, &u);
	h->usage(h->ctx, u.memory, s->cpu_ms);
	s->usage_due = now + USAGE_EVERY;
}

static void check_due(struct supervisor *s, int64_t now);

/* The launcher waits for the keeper. Any limit that is reached meanwhile kills the box. */
static void watch_meanwhile(void *ctx)
{
	struct supervisor *s = ctx;

	if (!s->killed)
		check_due(s, clock_now());
}

/* A server that runs for as long as its command: other boxes of the project reach it. */
static void check_lending(struct supervisor *s, int64_t now)
{
	struct box_state *b = s->b;
	struct box_hold *h = b->start->hold;
	int fds[2];
	size_t n;

	if (b->events.shared) {
		n = b->backend->shared(b, fds);
		s->lend_due = 0;
		h->tick = watch_meanwhile;
		h->tick_ctx = s;
		b->lent = n && h->lend(h->ctx, fds, n);
		return;
	}
	s->lend_due = now + s->lend_every;
	s->lend_every = s->lend_every < LEND_EVERY_MAX ? s->lend_every * 2 : s->lend_every;
	h->init = b->init;
	if (h->wants_lending(h->ctx))
		b->backend->share(b);
}

/* A client may end the launcher at any time, which then can say nothing any more. */
static void report_so_far(struct supervisor *s, int64_t now)
{
	struct box_state *b = s->b;
	struct outcome o = {.exit_code = -1, .unfinished = true};
	struct box_usage u;

	look(s, USAGE_NETWORK, &u);
	o.out = capture_look(&b->out);
	o.err = capture_look(&b->err);
	o.network = b->outcome.network;
	o.duration_ms = (uint64_t)((now - b->started) / MS);
	b->start->look(b->start->ctx, &o);
	s->look_due = now + (now - b->started) / LOOK_SHARE;
}

static bool may_look(const struct supervisor *s)
{
	return s->look_due && !s->held && !has_answer(s);
}

static bool may_lend(const struct supervisor *s)
{
	return s->lend_due && !s->held && !s->tried && !has_answer(s);
}

static void check_due(struct supervisor *s, int64_t now)
{
	if (may_lend(s) && (now >= s->lend_due || s->b->events.shared))
		check_lending(s, now);
	if (now >= deadline(s))
		kill_box(s, KILLED_FOR_TIME);
	if (s->b->memory_watched && now >= s->memory_due)
		check_memory(s, now);
	if (limits_of_run(s)->cpu_ms && now >= s->cpu_due)
		check_cpu(s, now);
	if (s->b->caches && now >= s->caches_due)
		check_caches(s, now);
	if (s->b->tmp && now >= s->disk_due)
		check_disk(s, now);
	if (now >= s->progress_due)
		report_progress(s, now);
	if (may_look(s) && now >= s->look_due)
		report_so_far(s, now);
	if (s->held && now >= s->usage_due)
		report_usage(s, now);
}

/*
 * The kernel can take long to free what a program held, millions of epoll watches for example. Nobody waits
 * for that.
 */
static void check_exiting(struct supervisor *s)
{
	int64_t now = clock_now();

	if (now >= s->killed + GONE_WAIT)
		s->over = true;
	if (s->over || now < s->exiting_due)
		return;
	s->quiet = s->b->backend->all_exiting(s->b) ? s->quiet + 1 : 0;
	s->over = s->quiet == EXITING_LOOKS;
	s->exiting_due = next_look(now, EXITING_EVERY);
}

static int64_t next_due(const struct supervisor *s)
{
	int64_t due = deadline(s);

	if (s->killed)
		return s->exiting_due;
	if (s->b->memory_watched && s->memory_due < due)
		due = s->memory_due;
	if (limits_of_run(s)->cpu_ms && s->cpu_due < due)
		due = s->cpu_due;
	if (s->b->caches && s->caches_due < due)
		due = s->caches_due;
	if (s->b->tmp && s->disk_due < due)
		due = s->disk_due;
	if (s->progress && s->progress_due < due)
		due = s->progress_due;
	if (s->held && s->usage_due < due)
		due = s->usage_due;
	if (may_lend(s) && s->lend_due < due)
		due = s->lend_due;
	if (may_look(s) && s->look_due < due)
		due = s->look_due;
	return hold_due(s) && hold_due(s) < due ? hold_due(s) : due;
}

/* ---- the loop ---- */

static void take_output(struct supervisor *s, struct capture *c, bool all)
{
	if (!capture_take(c, all))
		kill_box(s, KILLED_FOR_OUTPUT);
}

static void handle_out(void *ctx, short revents)
{
	struct supervisor *s = ctx;

	(void)revents;
	take_output(s, &s->b->out, false);
}

static void handle_err(void *ctx, short revents)
{
	struct supervisor *s = ctx;

	(void)revents;
	take_output(s, &s->b->err, false);
}

static void handle_in(void *ctx, short revents)
{
	struct supervisor *s = ctx;

	(void)revents;
	feed_step(&s->b->in);
}

/* The program has ended, and nothing else in the box is left to write. */
static bool is_over(const struct supervisor *s)
{
	return s->b->events.gone || (s->b->events.ended && !s->killed && streams_ended(s));
}

/* A run that is over by itself was not interrupted: the signal stays pending, for the caller's process. */
static void handle_signal(void *ctx, short revents)
{
	struct supervisor *s = ctx;
	struct signalfd_siginfo si;

	(void)revents;
	if (!is_over(s) && read(s->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		s->signal = (int)si.ssi_signo;
		kill_box(s, KILLED_BY_CALLER);
	}
}

/* ---- the background ---- */

/*
 * A box in the background may print any amount: its output has no reader that waits. The holder cleans it
 * outside of the box's limits, so it reads at a bounded rate, and the programs wait.
 */
static bool may_read(struct supervisor *s)
{
	uint64_t total = s->b->out.total + s->b->err.total;
	int64_t now, earliest;

	if (!s->held || s->killed)
		return true;
	now = clock_now();
	earliest = now - (int64_t)HELD_BURST / HELD_RATE * 1000;
	if (s->read_until < earliest)
		s->read_until = earliest;
	s->read_until += (int64_t)((total - s->read_bytes) / HELD_RATE * 1000);
	s->read_bytes = total;
	return s->read_until <= now;
}

static void handle_keeper(void *ctx, short revents)
{
	struct supervisor *s = ctx;
	struct box_hold *h = s->b->start->hold;

	(void)revents;
	if (!h->wants_end(h->ctx))
		return;
	h->keeper = -1;
	s->signal = SIGTERM;
	kill_box(s, KILLED_BY_CALLER);
}

static void handle_client(void *ctx, short revents)
{
	struct supervisor *s = ctx;
	struct box_hold *h = s->b->start->hold;

	(void)revents;
	fd_close(&h->client);
	h->client_ended(h->ctx);
	s->signal = SIGTERM;
	kill_box(s, KILLED_BY_CALLER);
}

static void go_on_as_holder(struct supervisor *s)
{
	struct box_hold *h = s->b->start->hold;
	bool shown;

	s->held = true;
	s->progress = NULL;
	s->held_until = clock_now() + (int64_t)h->age_ms * MS;
	s->usage_due = clock_now();
	s->read_bytes = s->b->out.total + s->b->err.total;
	shown = h->begin(h->ctx);
	capture_hold(&s->b->out, shown ? STDOUT_FILENO : -1);
	capture_hold(&s->b->err, shown ? STDERR_FILENO : -1);
}

static void hand_over(struct supervisor *s)
{
	struct box_state *b = s->b;
	struct box_hold *h = b->start->hold;
	enum hold_side side = HOLD_FAILED;
	int life;

	take_output(s, &b->out, false);
	take_output(s, &b->err, false);
	s->waits = b->out.waiting || b->err.waiting;
	if (s->waits || s->killed)
		return; /* the caller has to read first: this output is the launcher's */
	s->tried = true;
	h->init = b->init;
	h->tick = watch_meanwhile;
	h->tick_ctx = s;
	if (h->ask(h->ctx, b->events.left, &life, &b->outcome.err_hold) != 0) {
		life = -1;
	} else if (s->killed) {
		fd_close(&life);
		h->cancel(h->ctx);
	}
	if (life >= 0) {
		side = hold_box(b, life, &b->outcome.err_hold);
		if (side == HOLD_FAILED)
			h->cancel(h->ctx);
	}
	s->handed = s->over = side == HOLD_LAUNCHER;
	if (side == HOLD_HOLDER || side == HOLD_ORPHAN)
		go_on_as_holder(s);
	if (side == HOLD_ORPHAN) {
		s->signal = SIGTERM;
		kill_box(s, KILLED_BY_CALLER);
	}
	/* Nothing stays, as in a box that may not go to the background. An init without orders has to end. */
	if (side == HOLD_FAILED && b->events.kept)
		kill_box(s, KILLED_BY_ERROR);
	else if (side == HOLD_FAILED && b->events.left)
		b->backend->finish(b);
}

/* Processes are left behind by their program, or the program takes long. */
static bool wants_background(const struct supervisor *s)
{
	const struct box_events *ev = &s->b->events;

	if (!s->b->start->hold || s->tried || s->killed || ev->ended || ev->failed)
		return false;
	return ev->left || s->waits || (hold_due(s) && clock_now() >= hold_due(s));
}

static void poll_once(struct supervisor *s)
{
	struct box_state *b = s->b;
	struct sources sources = {.n = 0};
	bool reads = may_read(s);
	int64_t due = next_due(s);

	if (reads) {
		sources_add(&sources, capture_poll(&b->out), handle_out, s);
		sources_add(&sources, capture_poll(&b->err), handle_err, s);
	} else if (due > clock_now() + HELD_PAUSE)
		due = clock_now() + HELD_PAUSE;
	sources_add(&sources, feed_poll(&b->in), handle_in, s);
	b->backend->add_sources(b, &sources);
	if (s->held) {
		sources_add(&sources, (struct pollfd){.fd = b->start->hold->keeper, .events = POLLIN},
				handle_keeper, s);
		sources_add(&sources, (struct pollfd){.fd = b->start->hold->client, .events = POLLIN},
				handle_client, s);
	}
	sources_add(&sources, (struct pollfd){.fd = s->signals, .events = POLLIN}, handle_signal, s);
	if (sources_wait(&sources, due - clock_now()) != 0)
		kill_box(s, KILLED_BY_ERROR);
}

static void take_turn(struct supervisor *s)
{
	struct box_state *b = s->b;

	poll_once(s);
	s->over = is_over(s);
	if (s->over)
		return;
	if (b->events.oom && !s->killed)
		kill_box(s, KILLED_FOR_MEMORY);
	if (s->killed)
		check_exiting(s);
	else
		check_due(s, clock_now());
	if (wants_background(s))
		hand_over(s);
}

/* ---- the outcome ---- */

/* Our own reason first, then the kernel's, then the program's. */
static enum status status_of(const struct supervisor *s, uint64_t oom_kills)
{
	const struct box_events *ev = &s->b->events;

	if (s->reason == KILLED_FOR_TIME || s->reason == KILLED_FOR_CPU)
		return STATUS_TIMEOUT;
	if (s->reason == KILLED_FOR_OUTPUT || s->reason == KILLED_FOR_DISK ||
			s->reason == KILLED_FOR_CACHES)
		return STATUS_OUTPUT_LIMIT;
	if (s->reason == KILLED_FOR_MEMORY || oom_kills)
		return STATUS_OOM;
	if (s->reason == NOT_KILLED && ev->decided)
		return ev->decided;
	if (s->handed && !ev->left)
		return STATUS_RUNNING;
	if (s->reason == KILLED_BY_CALLER || (!ev->ended && !s->handed))
		return STATUS_UNKNOWN;
	if (WIFSIGNALED(ev->status))
		return STATUS_SIGNAL;
	return WEXITSTATUS(ev->status) ? STATUS_EXIT_NONZERO : STATUS_OK;
}

static void conclude(const struct supervisor *s, uint64_t oom_kills, struct outcome *ret)
{
	const struct box_events *ev = &s->b->events;

	ret->status = status_of(s, oom_kills);
	ret->exit_code = -1;
	ret->held = s->handed;
	if ((ev->ended || ev->left) && WIFSIGNALED(ev->status))
		ret->signal = WTERMSIG(ev->status);
	else if (ev->ended || ev->left)
		ret->exit_code = WEXITSTATUS(ev->status);
	ret->by_cpu_time = s->reason == KILLED_FOR_CPU || ev->by_cpu_time;
	ret->by_caches = s->reason == KILLED_FOR_CACHES;
	ret->by_scratch = s->reason == KILLED_FOR_DISK;
	ret->interrupted = s->signal;
	ret->lingers = s->quiet == EXITING_LOOKS;
}

/* No value is larger than what was used, so the largest is the best. */
static void measure(const struct supervisor *s, const struct box_usage *end, struct outcome *ret)
{
	const struct box_events *ev = &s->b->events;

	ret->peak_by_cgroup = end->peak_memory > 0;
	ret->peak_memory = end->peak_memory ? end->peak_memory : larger(s->peak, ev->peak_memory);
	ret->cpu_ms = larger(s->cpu_ms, ev->cpu_ms);
	ret->duration_ms = (uint64_t)((clock_now() - s->b->started) / MS);
}

static int signals_open(sigset_t *ret_before)
{
	sigset_t wanted, held;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGQUIT);
	/* In the background, reading or writing a terminal would stop the launcher, and with it the clock. */
	held = wanted;
	sigaddset(&held, SIGTTIN);
	sigaddset(&held, SIGTTOU);
	sigprocmask(SIG_BLOCK, &held, ret_before);
	return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void streams_start(struct box_state *b)
{
	const struct spec *s = b->spec;

	feed_start(&b->in, s->input);
	capture_start(&b->out, s->pass_through ? STDOUT_FILENO : -1, s);
	capture_start(&b->err, s->pass_through ? STDERR_FILENO : -1, s);
}

static void run_loop(struct supervisor *s)
{
	sigset_t before;

	s->signals = signals_open(&before);
	while (!s->over)
		take_turn(s);
	if (!s->handed) { /* the last words, and the last output */
		s->b->backend->take_events(s->b);
		take_output(s, &s->b->out, true);
		take_output(s, &s->b->err, true);
	}
	fd_close(&s->signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* The backend's own clock was first: the launcher was stopped. */
	if (s->reason == NOT_KILLED && !s->handed && !has_answer(s) && clock_now() >= deadline(s))
		s->reason = KILLED_FOR_TIME;
}

int supervise_box(struct box_state *b, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	const uint64_t lend_ms = b->start->hold ? b->start->hold->lend_ms : 0;
	struct supervisor s = {
		.b = b, .progress = p, .progress_due = b->started + PROGRESS_EVERY, .memory_due = b->started,
		.lend_due = lend_ms ? b->started + (int64_t)lend_ms * MS : 0, .lend_every = LEND_EVERY,
		.cpu_due = b->started, .disk_due = b->started + DISK_FIRST,
		.caches_due = b->started + CACHES_FIRST,
		.look_due = b->start->look ? b->started + LOOK_FIRST : 0,
	};
	struct box_usage end;

	streams_start(b);
	run_loop(&s);
	if (b->events.failed && s.reason == NOT_KILLED) {
		*e = b->events.err;
		return -1;
	}
	look(&s, USAGE_PEAK | (b->cpu_counted ? USAGE_CPU : 0), &end);
	conclude(&s, end.oom_kills, ret);
	measure(&s, &end, ret);
	return 0;
}
