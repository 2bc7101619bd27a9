/*
 * The network of a box: one struct that travels in the spec, its properties, and the rules of an allow-list.
 *
 * Options, skills and reports name a network by its mode. Code that builds a wall asks for the property it
 * needs and never compares modes, so that a new mode is one row of the table in network.c.
 *
 * A rule allows one host. Its text is
 *     host | host:ports | *.domain | *.domain:ports | address | address/bits | address/bits:ports
 * where an IPv6 address stands in brackets if ports follow, and ports are numbers joined by '+' ("22+443").
 * Without ports a rule allows 80 and 443.
 */
#pragma once
#include <stdbool.h>

#include "base/err.h"
#include "base/ip.h"
#include "base/str.h"

enum network_mode {
	NETWORK_DENY,     /* nothing, not even a socket */
	NETWORK_LOOPBACK, /* the box's own 127.0.0.1 and ::1, and nothing else */
	NETWORK_NAMES,    /* the box's own loopback, and the relay to `rules` and `host_ports` */
	NETWORK_HOST,     /* the host's own network, without a wall */
};

#define NETWORK_PORTS_MAX 8
#define NETWORK_RULES_MAX 512
#define NETWORK_HOST_PORTS_MAX 16
#define NETWORK_HOST_MAX 253 /* bytes of a name without its final dot */
#define NETWORK_LABEL_MAX 63

enum network_rule_kind {
	NETWORK_NAME,
	NETWORK_DOMAIN, /* "*.x": every name below x, not x itself */
	NETWORK_ADDRESS
};

struct network_rule {
	struct network_rule *next;
	enum network_rule_kind kind;
	/* lower case, no final dot; for a domain without "*."; for an address its canonical text with "/bits"
	 */
	struct str name;
	uint8_t address[IP_BYTES];         /* NETWORK_ADDRESS: all bits after `bits` are zero */
	unsigned bits;                     /* counted in the 128 bits: 128 for a single IPv4 address, too */
	uint16_t ports[NETWORK_PORTS_MAX]; /* ascending, each once */
	size_t nports;                     /* at least 1 */
	/*
	 * NETWORK_NAME: the person's own settings name this host as a registry, so it may have an address of
	 * a private network. Not part of the text.
	 */
	bool on_site;
};

struct network_spec { /* zeroed: deny */
	enum network_mode mode;
	const struct network_rule *rules; /* NETWORK_NAMES */
	/* NETWORK_NAMES: ports of 127.0.0.1 in the box that lead to those of the host */
	uint16_t host_ports[NETWORK_HOST_PORTS_MAX];
	size_t nhost_ports;
};

/* Name of the mode in options and reports. */
const char *network_name(const struct network_spec *n);
/*
 * Parses a mode that needs no rules. -1 for any other text, also for "names": an allow-list comes from its
 * rules, so no word alone gives an empty one. *ret is then untouched.
 */
int network_parse(struct str name, struct network_spec *ret);

/* True if the box has its own network namespace, so that it cannot reach the host's network. */
bool network_isolated(const struct network_spec *n);
/* True if programs may create Internet sockets; otherwise the system call filter and Landlock refuse them. */
bool network_has_sockets(const struct network_spec *n);
/* True if the loopback interface of the box's own namespace is up. */
bool network_has_loopback(const struct network_spec *n);
/* True if the box resolves names with the name servers of the host. */
bool network_uses_host_dns(const struct network_spec *n);
/* True if a relay carries connections to the hosts of the rules, and answers the box's name queries. */
bool network_has_names(const struct network_spec *n);

/*
 * True if `name` is a host name in the form that rules and the relay use: lower case, no final dot, labels of
 * letters, digits, '-' and '_', and no number as the last label (resolvers read such names as addresses).
 */
bool network_name_valid(struct str name);
/*
 * Parses the text of one rule; ret->next is NULL and the texts live in the arena. Words for several hosts
 * ("preset:registries") and modes ("host") are errors.
 */
int network_rule_parse(struct arena *a, struct str text, struct network_rule *ret, struct err *e);
/* Canonical text of a rule, which network_rule_parse() reads again. */
struct str network_rule_text(struct arena *a, const struct network_rule *r);
/* True if `outer` allows every connection that `inner` allows. */
bool network_rule_covers(const struct network_rule *outer, const struct network_rule *inner);
/*
 * Sets *ret to the rule that allows what both allow: the narrower host, with the ports of both. It is on site
 * if `a` is, for the same name. False if they have nothing in common; *ret is then untouched.
 */
bool network_rule_meet(const struct network_rule *a, const struct network_rule *b, struct network_rule *ret);
/* True if the rule is about this name (as network_name_valid() describes it), whatever the port. */
bool network_rule_matches_name(const struct network_rule *r, struct str name);
bool network_rule_matches_address(const struct network_rule *r, const uint8_t address[IP_BYTES]);
bool network_rule_has_port(const struct network_rule *r, uint16_t port);
