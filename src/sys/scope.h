/*
 * A scope: a control group that the user's systemd manager creates for our processes and delegates to us
 * (Delegate=yes). An ordinary user in a login session has no group of their own, but their manager
 * (user@UID.service) has.
 *
 * The steps:
 * 1. The launcher connects to RUNTIME/systemd/private, the manager's own socket, else to the message bus
 *    RUNTIME/bus.
 * 2. The launcher calls StartTransientUnit("caisson-PID-RANDOM.scope", PIDs, Delegate). The manager asks the
 *    system's manager to move the processes.
 * 3. The manager sends the signal JobRemoved(unit, "done").
 *
 * RUNTIME is $XDG_RUNTIME_DIR, else /run/user/UID; only this user may have access to it. No other address is
 * used, whatever the environment says. The manager's answer is not trusted: cg_make_in_scope() asks the
 * kernel where the processes are.
 *
 * The manager removes the scope and the groups below it when its last process has ended.
 */
#pragma once
#include "sys/dbus.h"

#define SCOPE_NAME_MAX 64
#define SCOPE_PIDS_MAX 4

struct scope { /* zeroed: not connected */
	bool open;                 /* connected */
	bool direct;               /* connected to the manager itself, not a bus */
	char unit[SCOPE_NAME_MAX];
	struct dbus bus;           /* last, because it is the largest member */
};

/*
 * Connects to this user's manager without blocking. -1 and *e if there is none, which costs only the open()
 * of a directory.
 */
int scope_open(struct scope *s, struct err *e);
/* The same with a given runtime directory. */
int scope_open_at(struct scope *s, const char *runtime, struct err *e);
/* Requests a scope for these processes, children of this one, and does not wait. */
int scope_ask(struct scope *s, const pid_t *pids, size_t n, struct err *e);
/* Builds the request message. */
void scope_question(struct dbus_out *m, const char *unit, const pid_t *pids, size_t n);
/*
 * Waits until the processes are in the scope. -1 and *e if the manager refuses or the time is over. The time
 * to the manager's first answer counts from this call, so a manager that hangs costs a run no more than that;
 * the total time counts from scope_ask(). `patient`: the caller cannot do without a scope.
 */
#define SCOPE_FIRST_MS 250
#define SCOPE_ALL_MS 2000
#define SCOPE_PATIENT_MS 10000 /* replaces both */
int scope_wait(struct scope *s, bool patient, struct err *e);
/* Closes the connection, if any. The scope lives as long as its processes. */
void scope_close(struct scope *s);
