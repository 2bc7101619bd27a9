/* The walls of a client's own sandbox as JSON, a part of a ticket (ticket.h). */
#pragma once
#include "base/json.h"

#include "model/walls.h"

/* Appends a path to a list. False if the list is full. */
bool client_walls_add(struct arena *a, struct texts **list, struct str path);
/* True if all texts are UTF-8. Other bytes would change on their way through JSON. */
bool client_walls_is_utf8(const struct client_walls *w);
/*
 * {"mode": …, "writable": […], "closed": […], "hidden": […]}; client_walls_read() returns -1 for any
 * other value.
 */
void client_walls_write(struct buf *b, const struct client_walls *w);
int client_walls_read(struct arena *a, const struct json *o, struct client_walls *ret);
