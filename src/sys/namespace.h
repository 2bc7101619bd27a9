/* Namespaces and identities. */
#pragma once
#include <sys/types.h>

#include "sys/file.h"

/*
 * A copy of this process in a new user and a new pid namespace; the others it makes by itself, which nobody
 * has to wait for here. The child's pid, 0 in the child, -1 with errno. `into`: the directory of a version 2
 * cgroup it is born in, or -1. *ret_pidfd is the child's.
 */
pid_t namespace_clone(int into, int *ret_pidfd);
/*
 * The rest of them: mount, ipc, uts, cgroup; but the network's, which takes longer than all others together.
 * 0 or -1 with errno.
 */
int namespace_leave(void);
/*
 * Gives the child's user namespace one user and one group: inside and outside. Dropping groups is only
 * possible for root.
 */
int namespace_map(pid_t child, uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid,
		bool may_drop_groups, struct err *e);
/*
 * Is there such a user here? In a user namespace, as of a container without root, most ids mean nobody and
 * cannot be mapped.
 */
bool namespace_knows(uid_t id);
/* A user namespace by itself, with the same kind of map, for mount_idmap(). The descriptor or -1. */
int namespace_for_idmap(uid_t from_uid, uid_t to_uid, gid_t from_gid, gid_t to_gid, struct err *e);
/* Brings up the loopback interface of this network namespace. 0 or -1 with errno. */
int loopback_up(void);
/*
 * Gives up every way to get capabilities by running something; those it has remain. 0 or -1 with errno. Takes
 * no memory, nor does the next.
 */
int privileges_bound(void);
/* Gives up all capabilities. */
int privileges_drop(void);
/* Sets a limit for good, if it is not lower already. 0 or -1 with errno. */
int limit_lower(int what, uint64_t n);
/* The same for a share of what the caller has, and no more than `most`. */
int limit_share(int what, unsigned parts, uint64_t most);
/*
 * When the machine has no memory left, this process and those it starts are ended before others. Where /proc
 * cannot be written nothing changes.
 */
void process_spare_others(void);
/*
 * Lets this user namespace have no more than a share of the inotify instances and watches that the host gives
 * a user: what is made here counts for the user who made the namespace as well. Where /proc/sys cannot be
 * written (in some containers) nothing changes. Takes no memory.
 */
void namespace_share_inotify(unsigned parts);
