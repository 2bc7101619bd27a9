/* The walls of a client's own sandbox as part of a ticket (ticket.h), and in the spec of the run that takes
 * their place. */
#pragma once
#include <jansson.h>

#include "engine/run.h"
#include "model/walls.h"

/* Adds a path to the end of a list. False when the list is full. */
bool walls_add(struct arena *a, struct texts **list, struct str path);
/* Is this text UTF-8 everywhere? Other bytes would change on their way through JSON. */
bool walls_survive(const struct client_walls *w);
/* {"mode": …, "writable": […], "closed": […], "hidden": […]}; walls_read() returns -1 when the value is
 * something else. */
void walls_write(struct buf *b, const struct client_walls *w);
int walls_read(struct arena *a, const json_t *o, struct client_walls *ret);

/*
 * The parts of making a spec that these walls decide. making_walls_workspace() says which directory is the
 * workspace and whether it can be written: `project`, or the part of it that the client lets its commands
 * write. Then making_walls_close() keeps `closed` and `hidden`.
 */
struct str making_walls_workspace(struct making *m, struct str project, bool *ret_writable);
void making_walls_close(struct making *m);
