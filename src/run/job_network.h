/*
 * The network that the boxes of a project share while one of them is in the background, so that a command
 * reaches the servers of earlier ones at 127.0.0.1.
 *
 * A key stands for one network: the project, and everything that a box with it reaches. Only the standing
 * network of the project has one. A box that reaches more or less (hosts of a ticket, a part that an agent
 * asked for, walls of a client's own sandbox) has a network of its own.
 *
 * The first box that goes to the background gives the keeper its network with the key (job_hold.c); later
 * ones ask for it, and each of them that stays gives it once more.
 */
#pragma once
#include "run/job.h"
#include "sys/sha256.h"

/* True and the key, if the boxes of this run's project may share its network. */
bool job_network_key(struct arena *a, const struct job *j, char ret[SHA256_HEX + 1]);
/* Sets spec.joins if a box of the project shares its network. The descriptors live in the arena. */
void job_network_join(struct arena *a, struct job *j);
