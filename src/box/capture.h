/*
 * Output of a box: the bytes that a program wrote to one stream, in memory up to a small size, then in a file
 * without a name (struct stream).
 */
#pragma once
#include <poll.h>

#include "base/terminal.h"
#include "model/outcome.h"
#include "model/spec.h"

#define CAPTURE_CHUNK 65536
#define CAPTURE_HEAD ((size_t)256 << 10) /* bytes of a stream in memory */

struct capture { /* fd and file are -1 before capture_start() */
	int fd;                    /* the read end; -1: EOF */
	int pass;                  /* a descriptor that gets a copy at once; -1: none */
	int pass_error;            /* errno of a failed copy; 0: none, or the reader went away */
	int file;                  /* -1: everything is in head */
	const char *spool;         /* the directory for the file */
	unsigned place;            /* how many places for the file were tried */
	bool lost;                 /* no place is left: nothing more is kept */
	uint64_t total, max, kept, lines, lost_lines;
	bool open_line;            /* the last byte is no newline */
	/* Bytes to be passed on, and how many are done: of `shown` for a terminal, else of `chunk`. */
	size_t waiting, passed;
	bool terminal;
	struct terminal screen;
	char head[CAPTURE_HEAD], chunk[CAPTURE_CHUNK], shown[CAPTURE_CHUNK + TERMINAL_END_MAX];
};

/* Starts to take what comes from c->fd. */
void capture_start(struct capture *c, int pass, const struct spec *s);
/* The event to poll for: input to read, or room to pass it on. */
struct pollfd capture_poll(const struct capture *c);
/* Reads what is there: a fair part, or all of it. False when the program wrote more than the limit. */
bool capture_take(struct capture *c, bool all);
/* In the background: output goes to this descriptor (-1: none), and no amount of it is too much. */
void capture_hold(struct capture *c, int to);
/* The stream so far. Its text and its file stay the capture's. */
struct stream capture_look(const struct capture *c);
/* The stream that was kept. Its text lies in the capture, its file belongs to *ret. */
void capture_end(struct capture *c, struct stream *ret);
/* Closes a capture whose stream nobody wants. */
void capture_close(struct capture *c);
