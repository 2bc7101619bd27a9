/*
 * The person's own sockets in a box of the work profile: the agents that keep their keys, and Docker's. Only
 * the person's policy and the system's give them (sandbox.sockets); whoever holds one can do what the person
 * can do there. Keys themselves are never shown.
 */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "run/spec_builder.h"

#define GPG_HOME ".gnupg"

/* A socket of the person, or of root, that its resolved path leads to. */
static bool is_socket(const struct spec_builder *m, struct str real)
{
	struct stat st;

	return real.n && lstat(str_c(m->a, real), &st) == 0 && S_ISSOCK(st.st_mode) &&
			(st.st_uid == m->at->uid || st.st_uid == 0);
}

static bool give(struct spec_builder *m, struct path_memo *memo, struct str path, struct str at)
{
	struct path_answer found;

	if (!str_starts(path, "/"))
		return false;
	path_look(memo, path, &found);
	if (!is_socket(m, found.real))
		return false;
	spec_add_path(m, found.real, at, false);
	return true;
}

/* ssh-agent answers its own user alone, and root's boxes have another. */
static bool give_ssh(struct spec_builder *m, struct path_memo *memo)
{
	struct str path = spec_callers_value(m, "SSH_AUTH_SOCK");

	m->ssh_agent = m->at->uid && give(m, memo, path, STR(SPEC_SSH_AGENT));
	return m->ssh_agent;
}

/*
 * The agent's extra socket, where there is one, takes fewer commands. gpg also needs the public keys; it
 * looks for both below the home, where the box has no /run/user.
 */
static bool give_gpg(struct spec_builder *m, struct path_memo *memo)
{
	static const char public[][16] = {"pubring.kbx", "pubring.gpg", "trustdb.gpg"};
	struct str home = str_path(m->a, m->r->spec.home, STR(GPG_HOME));
	struct str dirs[] = {str_fmt(m->a, "/run/user/%u/gnupg", (unsigned)m->at->uid), home};
	struct str at = str_path(m->a, home, STR("S.gpg-agent"));
	bool given = false;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !given; i++)
		given = give(m, memo, str_path(m->a, dirs[i], STR("S.gpg-agent.extra")), at) ||
				give(m, memo, str_path(m->a, dirs[i], STR("S.gpg-agent")), at);
	for (size_t i = 0; i < ARRAY_SIZE(public) && given; i++) {
		struct str file = str_path(m->a, home, str_of(public[i]));
		enum path_kind kind;

		if (str_eq(path_real(memo, file, &kind), file) && kind == PATH_FILE)
			spec_add_path(m, file, file, false);
	}
	return given;
}

static bool give_docker(struct spec_builder *m, struct path_memo *memo)
{
	struct str host = spec_callers_value(m, "DOCKER_HOST");

	if (str_starts(host, "unix://"))
		return give(m, memo, str_from(host, 7), STR("/var/run/docker.sock"));
	return !host.n && give(m, memo, STR("/var/run/docker.sock"), STR("/var/run/docker.sock"));
}

static const char *why_lacking(const struct spec_builder *m, size_t i)
{
	if (1u << i == BOX_SOCKET_SSH && !m->at->uid)
		return "an agent answers only its own user, and the boxes of root run as another user";
	if (1u << i == BOX_SOCKET_SSH && !spec_callers_value(m, "SSH_AUTH_SOCK").n)
		return "SSH_AUTH_SOCK is not set where the client or the command was started";
	return "no socket that the user of the box can use";
}

void spec_build_sockets(struct spec_builder *m, struct path_memo *memo)
{
	static bool (*const givers[BOX_SOCKETS])(struct spec_builder *m, struct path_memo *memo) = {give_ssh,
			give_gpg, give_docker};
	bool walls = m->rq->walls && m->rq->walls->mode != CLIENT_SANDBOX_NONE;
	unsigned wanted = m->p->own.sandbox.sockets;

	if (m->r->spec.profile != PROFILE_WORK || m->r->spec.root.n)
		return;
	for (size_t i = 0; i < BOX_SOCKETS; i++)
		if (wanted >> i & 1 && (walls || !givers[i](m, memo)))
			spec_note_path(m, str_fmt(m->a, "sandbox.sockets '%s': %s", box_socket_name(i),
					walls ? "the client's own sandbox does not permit it"
					      : why_lacking(m, i)));
}
