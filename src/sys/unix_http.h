/*
 * HTTP over a Unix socket: one request, one answer, for the APIs of container engines. Every step has a time
 * limit, every answer a size limit.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct unix_http_request {
	const char *socket; /* path */
	const char *method;
	struct str target; /* path and query */
	const char *type;  /* of the body; NULL: there is none */
	struct str body;
	unsigned timeout_ms; /* for the whole exchange */
};

struct unix_http_answer {
	int status;
	uid_t peer; /* the user whose process listens at the socket */
	struct str body;
};

/* 0 with any status. -1 if there is no answer, or none that can be read. */
int unix_http(struct arena *a, const struct unix_http_request *rq, struct unix_http_answer *ret,
		struct err *e);
