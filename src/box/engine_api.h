/*
 * Container engines with an HTTP API at a Unix socket: Docker and Podman. Inside of src/box only.
 *
 * engine_api.c asks: create, start, delete; and removes what killed launchers left. A row has what differs
 * between the engines: where the socket is, and how a container is described (engine_docker.c,
 * engine_podman.c).
 *
 * The guest connects to a socket in the stage; the program's streams go through it and not through the
 * engine, and its end is told by the guest. So neither attaching nor waiting is asked of the engine, and a
 * killed engine changes no report.
 *
 * A rootless engine has a user namespace of its own in which its user is root. The container's first process
 * is that root, which is the caller on the host.
 */
#pragma once
#include "box/guest.h"
#include "sys/unix_http.h"

#define API_LABEL "caisson.launcher" /* of containers: pid and start time of the launcher */
#define API_OPEN_FILES 20000

struct api_row {
	const char *variable;  /* names the socket */
	const char *usual;     /* path of root's socket */
	const char *usual_own; /* of an ordinary user's, below XDG_RUNTIME_DIR; NULL: the same as root's */
	const char *install;
	const char *prefix; /* of every target */
	/* Sees that the engine has all that describe() names. NULL: that needs nothing. */
	int (*provide)(struct box_state *b, struct err *e);
	/* The body of the request that makes the container. */
	struct str (*describe)(const struct box_state *b);
};

struct api_box {       /* guest_box.more */
	uid_t peer;    /* the user that the engine runs as */
	bool made;     /* there may be a container */
	uid_t uid;     /* of the guest, as the engine sees it */
	gid_t gid;
	struct str image;
	struct str id; /* of the container, given by the engine; empty: not known */
};

/* One exchange. -1 if the engine did not answer. */
int api_ask(struct box_state *b, const char *method, struct str target, const char *type, struct str body,
		struct unix_http_answer *ret, struct err *e);
/* Fails with the engine's own words. */
int api_refused(struct box_state *b, const struct unix_http_answer *r, const char *what, struct err *e);
struct str api_launcher(struct arena *a); /* the value of the label */

/* ---- the functions of both rows ---- */
int api_probe(const struct backend *self, struct err *e);
int api_settle(struct box_state *b, struct err *e);
int api_launch(struct box_state *b, struct err *e);
void api_remove(struct box_state *b);
