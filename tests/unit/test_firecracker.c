/*
 * src/box/vm_firecracker.c against a small server that speaks Firecracker's published API description (1.17):
 * it knows the paths, the members that each body must and may have, and the order. Firecracker itself cannot
 * run here, so this proves the requests and nothing about machines.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/json.h"
#include "box/firecracker.h"
#include "place.h"

struct described { /* a path of the description */
	const char *target;
	const char *members[4]; /* all that caisson may send */
	bool number[4];
	unsigned required; /* so many of them, from the first */
};

static const struct described description[] = {
		{"/machine-config", {"vcpu_count", "mem_size_mib"}, {true, true}, 2},
		{"/boot-source", {"kernel_image_path", "boot_args", "initrd_path"}, {false}, 1},
		{"/vsock", {"guest_cid", "uds_path"}, {true, false}, 2},
		{"/actions", {"action_type"}, {false}, 1},
};

static int listen_at(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	str_put(to.sun_path, sizeof(to.sun_path), "%s", path);
	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(fd, 8) == 0);
	return fd;
}

/* NULL: the body is as described. */
static const char *fault(const struct described *d, struct str body)
{
	struct json *v;

	if (json_read(A, body, &v, NULL) != 0)
		return "not JSON";
	for (const struct json *m = v->first; m; m = m->next) {
		bool known = false;

		for (unsigned i = 0; i < ARRAY_SIZE(d->members) && d->members[i]; i++)
			if (str_is(m->key, d->members[i]))
				known = d->number[i] ? json_int_at(v, d->members[i]) > 0
						     : json_text_at(v, d->members[i]).n > 0;
		if (!known)
			return "unknown field";
	}
	for (unsigned i = 0; i < d->required; i++)
		if (!json_key(v, d->members[i]))
			return "missing field";
	return d->number[0] && !strcmp(d->members[0], "guest_cid") && json_int_at(v, "guest_cid") < 3
			       ? "invalid guest_cid"
			       : NULL;
}

/* Answers one request for each path in their order; `refuse` gets the fault of a machine without a kernel. */
static void __attribute__((noreturn)) serve(int listener, const char *refuse)
{
	for (size_t i = 0; i < ARRAY_SIZE(description); i++) {
		const struct described *d = &description[i];
		char text[8192], answer[512], start[64];
		int fd = accept(listener, NULL, NULL);
		ssize_t n = recv(fd, text, sizeof(text) - 1, 0);
		const char *why = "no request", *body;

		text[n > 0 ? n : 0] = 0;
		body = strstr(text, "\r\n\r\n");
		str_put(start, sizeof(start), "PUT %s HTTP/1.1\r\n", d->target);
		if (body)
			why = strncmp(text, start, strlen(start)) != 0 ? "wrong path"
								       : fault(d, str_of(body + 4));
		if (refuse && !strcmp(refuse, d->target))
			why = "The kernel file cannot be opened";
		if (why)
			str_put(answer, sizeof(answer), "HTTP/1.1 400 \r\n\r\n{\"fault_message\":\"%s\"}",
					why);
		else
			str_put(answer, sizeof(answer), "HTTP/1.1 204 \r\n\r\n");
		(void)!write(fd, answer, strlen(answer));
		close(fd);
		if (why)
			_exit(1);
	}
	_exit(0);
}

static int boot(const struct firecracker_machine *m, const char *refuse, int *ret_served, struct err *e)
{
	const char *path = at("api.sock");
	FD_CLEANUP int listener = listen_at(path);
	pid_t server = fork();
	int rc, status = 0;

	if (!server)
		serve(listener, refuse);
	rc = firecracker_boot(A, path, m, e);
	CHECK(waitpid(server, &status, 0) == server);
	*ret_served = WEXITSTATUS(status);
	unlink(path);
	return rc;
}

static void test_requests(void)
{
	struct firecracker_machine m = {.cpus = 2,
			.memory_mib = 512,
			.kernel = "/kernel",
			.image = "/image",
			.vsock = "/v.sock"};
	struct err e = {0};
	int served;

	CHECK_INT(boot(&m, NULL, &served, &e), 0);
	CHECK_INT(served, 0);
	CHECK_INT(boot(&m, "/boot-source", &served, &e), -1);
	CHECK(strstr(e.text, "firecracker refused /boot-source (400): The kernel file cannot be opened"));
	m.cpus = 0;
	CHECK_INT(boot(&m, NULL, &served, &e), -1); /* the server does look at bodies */
	CHECK_INT(firecracker_boot(A, at("nobody.sock"), &m, &e), -1);
	CHECK(strstr(e.text, "cannot connect"));
}

/* The vsock device: CONNECT PORT, and OK or the end of the connection. */
static int talk(const char *answer, char *ret_asked, size_t size, struct err *e)
{
	const char *path = at("v.sock");
	FD_CLEANUP int listener = listen_at(path);
	int ends[2];
	pid_t server;
	int fd;

	CHECK(pipe(ends) == 0);
	server = fork();
	if (!server) {
		char asked[64];
		int peer = accept(listener, NULL, NULL);
		ssize_t n = read(peer, asked, sizeof(asked));

		(void)!write(ends[1], asked, n > 0 ? (size_t)n : 0);
		(void)!write(peer, answer, strlen(answer));
		_exit(0);
	}
	close(ends[1]);
	fd = firecracker_connect(path, server, 200, e);
	ssize_t n = read(ends[0], ret_asked, size - 1);
	ret_asked[n > 0 ? n : 0] = 0;
	close(ends[0]);
	waitpid(server, NULL, 0);
	unlink(path);
	return fd;
}

static void test_vsock(void)
{
	struct err e = {0};
	char asked[64], word[8] = "";
	int fd = talk("OK 1073741824\nhello", asked, sizeof(asked), &e);

	CHECK(fd >= 0);
	CHECK(!strcmp(asked, "CONNECT 52\n"));
	CHECK(read(fd, word, 5) == 5 && !strcmp(word, "hello")); /* nothing behind the answer is lost */
	close(fd);
	CHECK_INT(talk("", asked, sizeof(asked), &e), -1);
	CHECK(strstr(e.text, "does not answer"));
	CHECK_INT(talk("NO\n", asked, sizeof(asked), &e), -1);
}

static void test_jailer(void)
{
	static const char *const want[] = {"/usr/bin/jailer", "--id", "box", "--exec-file",
			"/usr/bin/firecracker", "--uid", "70001", "--gid", "70001", "--chroot-base-dir",
			"/s/jail", "--resource-limit", "no-file=256", "--", "--api-sock", "/api.sock"};
	char *argv[FIRECRACKER_WORDS];

	firecracker_jail(A,
			&(struct firecracker_jail){
					"/usr/bin/jailer", "/usr/bin/firecracker", "/s/jail", 70001},
			argv);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		CHECK(argv[i] && !strcmp(argv[i], want[i]));
	CHECK(!argv[ARRAY_SIZE(want)]);
}

int main(void)
{
	place_begin();
	RUN(test_requests);
	RUN(test_vsock);
	RUN(test_jailer);
	place_end();
	return unit_end();
}
