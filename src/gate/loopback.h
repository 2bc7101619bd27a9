/* Hosts in arguments: "localhost:3000", "http://127.0.0.1:8080/x". */
#pragma once
#include "model/facts.h"

/* True if the word is certainly a host of this machine's loopback, whatever client reads it. */
bool loopback_is(const struct word *host);
/* The same. *ret gets its port, or the one that its scheme has by default. */
bool loopback_port(const struct word *host, uint16_t *ret);
