/* Namespaces, capabilities and resource limits of the processes that set up a box. */
#pragma once
#include <sys/types.h>

#include "sys/file.h"

/*
 * Forks into a new user and a new pid namespace. The child creates the other namespaces itself, so the caller
 * need not wait for them. Returns the child's pid, 0 in the child, -1 with errno. `into` is the directory of
 * the version 2 cgroup that the child starts in, or -1. *ret_pidfd is the child's pidfd.
 */
pid_t namespace_clone(int into, int *ret_pidfd);

struct namespace_birth { /* of a child in a network namespace that is not its parent's */
	int network;     /* a descriptor of it */
	int into;        /* as for namespace_clone() */
	/* The child, which never returns. */
	void (*born)(void *ctx);
	/* Called in a process that may write the child's maps of users; it shares our memory. */
	int (*map)(void *ctx, pid_t child, struct err *e);
	void *ctx;
};

/*
 * Like namespace_clone(), for a network namespace that the same user made. Whoever is not root has to enter
 * the user namespace that owns it first; the child's own user namespace then lies below that one. *ret_pidfd
 * and the child's pid, or -1 and *e. The child is a child of ours.
 */
pid_t namespace_clone_beside(const struct namespace_birth *how, int *ret_pidfd, struct err *e);
/* Moves this process into such a network; if need be, into the user namespace that owns it first. */
int namespace_enter_network(int network, struct err *e);
/*
 * Moves this process into new mount, ipc, uts and cgroup namespaces. Not the network: that takes longer than
 * all the others together. 0, or -1 with errno.
 */
int namespace_leave(void);
/*
 * Maps one user and one group of the child's user namespace to ids outside. Only root may pass
 * may_drop_groups; otherwise setgroups() is denied in the child.
 */
int namespace_map(pid_t child, uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid,
		bool may_drop_groups, struct err *e);
/*
 * True if this uid is mapped here. In a user namespace, for instance of a rootless container, most ids are
 * unmapped and cannot be mapped further.
 */
bool namespace_knows(uid_t id);
/*
 * Creates a user namespace with the same kind of map, for mount_idmap(). Returns its descriptor, or -1 and
 * *e.
 */
int namespace_for_idmap(uid_t from_uid, uid_t to_uid, gid_t from_gid, gid_t to_gid, struct err *e);
/*
 * Sets *e for namespaces that the kernel refused with `why`, an errno: ENOSPC means a limit here, which the
 * system's own text calls a full device. `what` names them. Returns -1. Allocates nothing.
 */
int namespace_error(struct err *e, int why, const char *what);
/* Brings up the loopback interface of this network namespace. 0, or -1 with errno. */
int loopback_up(void);
/*
 * Gives up every way to gain capabilities through exec; keeps the current ones. 0, or -1 with errno. Neither
 * this function nor privileges_drop() allocates.
 */
int privileges_bound(void);
/* Gives up all capabilities. */
int privileges_drop(void);
/* Sets the soft and the hard limit to n, or to the hard limit if that is lower. 0, or -1 with errno. */
int limit_lower(int what, uint64_t n);
/* The same with the caller's soft limit divided by `parts`, at most `most`. */
int limit_share(int what, unsigned parts, uint64_t most);
/*
 * Makes this process and its descendants the first victims of the OOM killer. No effect if /proc is not
 * writable.
 */
void process_spare_others(void);
/*
 * Limits this user namespace to a share of the host's inotify instances and watches per user: they also count
 * for the user who created the namespace. No effect if /proc/sys is not writable, as in some containers.
 * Allocates nothing.
 */
void namespace_share_inotify(unsigned parts);
