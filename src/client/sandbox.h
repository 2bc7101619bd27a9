/* Clients that run commands in a sandbox of their own: what of it is known before a command runs. */
#pragma once
#include "client/hook.h"
#include "model/walls.h"

/*
 * The walls that the client puts around the command at hand; mode none where it has no sandbox. *ret_refuse
 * is a sentence when a box cannot repeat these walls, so that the command must not leave them; empty
 * otherwise.
 */
void sandbox_walls(struct hook_call *c, const struct view *v, struct client_walls *ret,
	struct str *ret_refuse);
