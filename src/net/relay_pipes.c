/* See relay_pipes.h. */
#define _GNU_SOURCE
#include "net/relay_pipes.h"

#include <fcntl.h>
#include <unistd.h>

static struct relay_pipe *open_pipe(struct relay_pipes *p)
{
	struct relay_pipe *pipe = p->closed;
	int ends[2];
	if ((!pipe && p->used == RELAY_PIPES_MAX) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return NULL;
	if (pipe)
		p->closed = pipe->next;
	else
		pipe = &p->pipes[p->used++];
	*pipe = (struct relay_pipe){.in = ends[1], .out = ends[0]};
	/* a refusal leaves the default size, which works as well */
	if (p->nlarge < RELAY_PIPES_LARGE && fcntl(pipe->in, F_SETPIPE_SZ, (int)RELAY_PIPE_BYTES) > 0) {
		pipe->large = true;
		p->nlarge++;
	}
	return pipe;
}

struct relay_pipe *relay_pipe_take(struct relay_pipes *p)
{
	struct relay_pipe *pipe = p->idle;
	if (!pipe)
		return open_pipe(p);
	p->idle = pipe->next;
	p->nidle--;
	return pipe;
}

void relay_pipe_give(struct relay_pipes *p, struct relay_pipe *pipe)
{
	if (pipe->n == 0 && (pipe->large || p->nidle < RELAY_PIPES_IDLE)) {
		pipe->next = p->idle;
		p->idle = pipe;
		p->nidle++;
		return;
	}
	close(pipe->in);
	close(pipe->out);
	p->nlarge -= pipe->large;
	*pipe = (struct relay_pipe){.next = p->closed};
	p->closed = pipe;
}
