/* See job_network.h. */
#include "run/job_network.h"

#include <inttypes.h>

#include "keeper/keeper.h"
#include "sys/file.h"

static bool is_shared(const struct job *j)
{
	const struct run *r = &j->run;
	bool walls = j->request.walls && j->request.walls->mode != CLIENT_SANDBOX_NONE;

	return r->standing_network && !walls && r->backend == box_backend(NULL) &&
	       r->spec.profile == PROFILE_WORK && r->spec.workspace.n &&
	       network_isolated(&r->spec.network) && network_has_loopback(&r->spec.network);
}

bool job_network_key(struct arena *a, const struct job *j, char ret[SHA256_HEX + 1])
{
	const struct spec *s = &j->run.spec;
	struct buf b;

	if (!is_shared(j))
		return false;
	buf_init(&b, a, 0);
	buf_fmt(&b, "%.*s\n%" PRIu64 ":%" PRIu64 "\n%s\n", STR_ARG(s->workspace), s->workspace_id.dev,
			s->workspace_id.ino, network_name(&s->network));
	for (const struct network_rule *r = s->network.rules; r; r = r->next) {
		buf_str(&b, network_rule_text(a, r));
		buf_c(&b, r->on_site ? " on site\n" : "\n");
	}
	for (size_t i = 0; i < s->network.nhost_ports; i++)
		buf_fmt(&b, "host %u\n", s->network.host_ports[i]);
	sha256_hex(buf_view(&b), ret);
	return true;
}

struct joined_network {
	struct fd_scope scopes[KEEPER_NETWORK_FDS];
	int fds[KEEPER_NETWORK_FDS];
};

void job_network_join(struct arena *a, struct job *j)
{
	struct joined_network *n;
	char key[SHA256_HEX + 1];
	size_t count;

	if (!j->world.context.view->state_dir.n || !keeper_seen(j->world.context.view->state_dir) ||
			!job_network_key(a, j, key))
		return;
	n = arena_new(a, struct joined_network);
	n->fds[0] = n->fds[1] = -1;
	count = keeper_join(j->world.context.view->state_dir, str_of(key), n->fds);
	for (size_t i = 0; i < count; i++)
		fd_scope(&n->scopes[i], a, n->fds[i]);
	if (count)
		j->run.spec.joins = n->fds;
}
