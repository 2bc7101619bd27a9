/*
 * The network of a box: one struct that travels in the spec, and its properties.
 *
 * Options, skills and reports name a network by its mode. Code that builds a wall asks for the property it
 * needs and never compares modes, so that a new mode is one row of the table in network.c.
 */
#pragma once
#include <stdbool.h>

#include "base/str.h"

enum network_mode {
	NETWORK_DENY,     /* nothing, not even a socket */
	NETWORK_LOOPBACK, /* the box's own 127.0.0.1 and ::1, and nothing else */
	NETWORK_HOST,     /* the host's own network, without a wall */
};

struct network_spec { /* zeroed: deny */
	enum network_mode mode;
};

/* Name of the mode in options and reports. */
const char *network_name(const struct network_spec *n);
/* -1 if no mode has this name; *ret is then untouched. */
int network_parse(struct str name, struct network_spec *ret);

/* True if the box has its own network namespace, so that it cannot reach the host's network. */
bool network_isolated(const struct network_spec *n);
/* True if programs may create Internet sockets; otherwise the system call filter and Landlock refuse them. */
bool network_has_sockets(const struct network_spec *n);
/* True if the loopback interface of the box's own namespace is up. */
bool network_has_loopback(const struct network_spec *n);
/* True if the box resolves names with the name servers of the host. */
bool network_uses_host_dns(const struct network_spec *n);
