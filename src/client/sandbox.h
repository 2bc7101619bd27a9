/* Sandboxes that clients put around commands, as far as they are known before a command runs. */
#pragma once
#include "client/hook.h"
#include "model/walls.h"

/*
 * Computes the walls that the client puts around this command; mode "none" if it has no sandbox. *ret_refuse
 * says why a box cannot reproduce these walls, so that the command must stay inside them; it is empty if a
 * box can.
 */
void sandbox_walls(struct hook_call *c, const struct view *v, struct client_walls *ret,
	struct str *ret_refuse);
