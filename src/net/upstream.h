/*
 * Addresses of names, asked outside the box at connect time: c-ares with the host's own resolv.conf and
 * /etc/hosts, but without its search list. Static glibc has no resolver of its own (NSS).
 *
 * The answers of one relay's life are kept in a table. Nobody waits in here: a caller asks again after
 * upstream_process() until the answer is there.
 */
#pragma once
#include <stdbool.h>

#include "base/err.h"
#include "base/ip.h"

#define UPSTREAM_NAMES_MAX 256   /* names in the table */
#define UPSTREAM_ADDRESSES_MAX 8 /* of one name; the first ones count */

struct upstream_addresses {
	uint8_t ip[UPSTREAM_ADDRESSES_MAX][IP_BYTES];
	size_t n;
};

enum upstream_answer { UPSTREAM_FAILED, UPSTREAM_PENDING, UPSTREAM_READY };

/* Watches a descriptor of c-ares for reading and writing; both false: c-ares closes it. */
typedef void upstream_watch(void *ctx, int fd, bool read, bool write);

struct upstream;

/* Reads the host's configuration, so call it before access to files is confined. */
int upstream_new(upstream_watch *watch, void *ctx, struct upstream **ret, struct err *e);
/*
 * Starts a query, or says how it stands. `name` is valid by network_name_valid(). *ret is filled only for
 * UPSTREAM_READY: addresses in the order in which they should be tried, families in turn.
 */
enum upstream_answer upstream_resolve(struct upstream *u, struct str name, struct upstream_addresses *ret);
/* Handles what a watched descriptor reported; fd -1: time has passed. */
void upstream_process(struct upstream *u, int fd, bool readable, bool writable);
/* Milliseconds until upstream_process(u, -1, …) is due; -1: no query is under way. */
int upstream_timeout(struct upstream *u);
