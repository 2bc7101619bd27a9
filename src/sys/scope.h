/*
 * A scope: a control group that the user's own systemd manager makes for processes of ours and hands over
 * (Delegate=yes). An ordinary user in a login session has no group of their own; their manager
 * (user@UID.service) has.
 *
 *   launcher ── connects ──> RUNTIME/systemd/private, the manager's own socket; else RUNTIME/bus, a message
 *   bus
 *            ── StartTransientUnit("caisson-PID-RANDOM.scope", PIDs, Delegate) ──> manager, which asks the
 *            system's manager to move the processes <── JobRemoved(unit, "done") ──
 *
 * RUNTIME is $XDG_RUNTIME_DIR, else /run/user/UID; it must belong to this user alone. No other address is
 * used, whatever the environment says. The peer's word is not trusted: cg_make_in_scope() asks the kernel
 * where the processes are.
 *
 * The manager removes the scope, with the groups below it, when its last process has ended.
 */
#pragma once
#include "sys/dbus.h"

#define SCOPE_NAME_MAX 64
#define SCOPE_PIDS_MAX 4

struct scope { /* zeroed: nobody to ask */
	bool open;                 /* connected */
	bool direct;               /* to the manager itself */
	char unit[SCOPE_NAME_MAX];
	struct dbus bus;           /* the largest part stands last */
};

/* Connects to this user's manager, without waiting. -1: there is none; that costs one look at a directory. */
int scope_open(struct scope *s, struct err *e);
/* The same at a given runtime directory. */
int scope_open_at(struct scope *s, const char *runtime, struct err *e);
/* Asks for a scope with these processes, children of this one, and does not wait. */
int scope_ask(struct scope *s, const pid_t *pids, size_t n, struct err *e);
/* The question as a message. */
void scope_question(struct dbus_out *m, const char *unit, const pid_t *pids, size_t n);
/*
 * Waits until the processes are in the scope. -1: they will not be, or it takes too long. A manager that
 * hangs costs a run the time to its first sign of life, counted from this call; the rest counts from the
 * question. `patient`: the caller cannot do without a scope.
 */
#define SCOPE_FIRST_MS 250
#define SCOPE_ALL_MS 2000
#define SCOPE_PATIENT_MS 10000 /* both */
int scope_wait(struct scope *s, bool patient, struct err *e);
/* Closes the connection, if there is one; the scope stays as long as its processes. */
void scope_close(struct scope *s);
