/*
 * Docker, through the HTTP API at its Unix socket: create, start, delete.
 *
 * The container's image is the box's own root (stage.h), packed and kept by the engine under its digest. All
 * other files are mounts of the host, as in a native box, so no image has to be built or fetched. The guest
 * connects to a socket in the stage; the program's streams go through it and not through the engine, and its
 * end is told by the guest. So neither attaching nor waiting is asked of the engine, and a killed engine
 * changes no report.
 *
 * A container has the launcher's pid and start time as a label. Every run removes containers of dead
 * launchers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "box/guest.h"
#include "sys/sha256.h"
#include "sys/unix_http.h"

#define API "/v1.40"
#define ASK_MS 60000
#define PROBE_MS 3000
#define LABEL "caisson.launcher"
/* begins the names of images; the digest of the root follows */
#define REPOSITORY "localhost/caisson-root-"
#define SWEEP_MAX 32
#define OPEN_FILES 20000
#define START_FIELD 22 /* of /proc/PID/stat */

struct docker_kind {
	const char *name;
	const char *variable; /* names the socket */
	const char *usual;    /* path of the socket */
	const char *install;
};

static const struct docker_kind docker_kind = {"docker", "DOCKER_HOST", "/var/run/docker.sock",
		"apt-get install docker.io, and membership in the group docker"};

/* ---- asking ---- */

static const char *socket_of(const struct docker_kind *k)
{
	const char *given = getenv(k->variable);

	return given && !strncmp(given, "unix:///", 8) ? given + 7 : k->usual;
}

static int ask(struct arena *a, const struct docker_kind *k, const char *method, struct str target,
		const char *type, struct str body, struct unix_http_answer *ret, struct err *e)
{
	struct unix_http_request rq = {.socket = socket_of(k),
			.method = method,
			.target = str_cat(a, STR(API), target),
			.type = type,
			.body = body,
			.timeout_ms = ASK_MS};
	struct err why = {0};

	return unix_http(a, &rq, ret, &why) == 0 ? 0 : err_wrap(e, &why, k->name);
}

/* The engine's own words about a failure. */
static int refused(struct arena *a, const struct docker_kind *k, const struct unix_http_answer *r,
		const char *what, struct err *e)
{
	struct json *v = NULL;
	struct str why = json_read(a, r->body, &v, NULL) == 0 ? json_text_at(v, "message") : STR("");

	return err_set(e, ERR_SYSTEM, 0, "%s %s (%d): %.*s", k->name, what, r->status,
			why.n > 300 ? 300 : (int)why.n, why.p);
}

/* ---- launchers ---- */

/* The start time of a process; 0: there is none. */
static uint64_t start_of(int64_t pid)
{
	char path[40], text[1024];
	const char *p;
	int64_t start;
	ssize_t n;

	str_put(path, sizeof(path), "/proc/%jd/stat", (intmax_t)pid);
	n = cg_read(AT_FDCWD, path, text, sizeof(text));
	p = n > 0 ? strrchr(text, ')') : NULL;
	for (int field = 2; p && field < START_FIELD; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	p++;
	return num_parse(str_n(p, strcspn(p, " ")), 1, INT64_MAX, &start) == 0 ? (uint64_t)start : 0;
}

static struct str launcher_label(struct arena *a)
{
	return str_fmt(a, "%d-%ju", (int)getpid(), (uintmax_t)start_of(getpid()));
}

static bool is_dead(struct str label)
{
	ptrdiff_t dash = str_find(label, '-', 0);
	int64_t pid, start;

	if (dash < 0 || num_parse(str_sub(label, 0, (size_t)dash), 1, INT32_MAX, &pid) != 0 ||
			num_parse(str_sub(label, (size_t)dash + 1, label.n), 1, INT64_MAX, &start) != 0)
		return false;
	return start_of(pid) != (uint64_t)start;
}

static void remove_container(struct arena *a, const struct docker_kind *k, struct str id)
{
	struct unix_http_answer r;

	(void)ask(a, k, "DELETE", str_fmt(a, "/containers/%.*s?force=1&v=1", STR_ARG(id)), NULL, STR(""), &r,
			NULL);
}

/* Containers of killed launchers. A failure here is none of this run. */
static void sweep(struct arena *a, const struct docker_kind *k)
{
	struct unix_http_answer r;
	struct json *list;
	int n = 0;

	if (ask(a, k, "GET", STR("/containers/json?all=1&filters=%7B%22label%22%3A%5B%22" LABEL "%22%5D%7D"),
			    NULL, STR(""), &r, NULL) != 0 ||
			r.status != 200 || json_read(a, r.body, &list, NULL) != 0)
		return;
	for (const struct json *c = json_items(list); c && n < SWEEP_MAX; c = c->next)
		if (is_dead(json_text_at(json_key(c, "Labels"), LABEL))) {
			remove_container(a, k, json_text_at(c, "Id"));
			n++;
		}
}

/* ---- the image ---- */

static int have_image(struct box_state *b, struct str *ret, struct err *e)
{
	const struct docker_kind *k = &docker_kind;
	struct guest_box *g = b->own;
	struct unix_http_answer r;
	char digest[SHA256_HEX + 1];
	struct str tar, target;

	if (stage_tar(b->a, &g->stage, &tar, e) != 0)
		return -1;
	sha256_hex(tar, digest);
	*ret = str_fmt(b->a, REPOSITORY "%.32s:latest", digest);
	if (ask(b->a, k, "GET", str_fmt(b->a, "/images/%.*s/json", STR_ARG(*ret)), NULL, STR(""), &r, e) != 0)
		return -1;
	if (r.status == 200)
		return 0;
	target = str_fmt(b->a, "/images/create?fromSrc=-&repo=" REPOSITORY "%.32s&tag=latest", digest);
	if (ask(b->a, k, "POST", target, "application/x-tar", tar, &r, e) != 0)
		return -1;
	return r.status == 200 ? 0 : refused(b->a, k, &r, "did not take the root of the box", e);
}

/* ---- the container ---- */

static bool shows_callers(const struct op *op)
{
	for (; op; op = op->next)
		if (op->flags & (OP_CALLERS | OP_IMAGE))
			return true;
	return false;
}

/* Nothing of the caller's is in the box of root: its user is an id that owns nothing. */
static void choose_user(struct box_state *b)
{
	struct guest_box *g = b->own;
	const struct ns_child *c = &g->ns.child;
	uint32_t outside = NS_ID_OUTSIDE + (uint32_t)getpid() % NS_IDS_OUTSIDE;

	if (geteuid() || shows_callers(b->ops.first))
		return;
	if (fchown(c->in, outside, outside) != 0 || fchown(c->out, outside, outside) != 0 ||
			fchown(c->err, outside, outside) != 0)
		return;
	g->user.outside_uid = g->user.outside_gid = outside;
}

static void put_strings(struct buf *j, const char *key, const char *const *words, size_t n)
{
	json_put_open(j, key, '[');
	for (size_t i = 0; i < n; i++) {
		json_put_comma(j);
		json_put_string(j, str_of(words[i]));
	}
	buf_char(j, ']');
}

static void put_number(struct buf *j, const char *key, uint64_t n)
{
	json_put_key(j, key);
	buf_fmt(j, "%ju", (uintmax_t)n);
}

static void put_word(struct buf *j, const char *key, const char *word)
{
	json_put_key(j, key);
	buf_c(j, word);
}

static void put_tmpfs(struct buf *j, const struct guest_box *g)
{
	json_put_open(j, "Tmpfs", '{');
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		if (m->kind != STAGE_TMPFS)
			continue;
		json_put_comma(j);
		json_put_string(j, str_of(m->target));
		buf_fmt(j, ":\"rw,exec,nosuid,nodev,size=%ju,nr_inodes=%ju,mode=%04o,uid=%u,gid=%u\"",
				(uintmax_t)m->size, (uintmax_t)(m->size / STAGE_INODE_BYTES),
				(unsigned)m->mode, (unsigned)g->user.outside_uid,
				(unsigned)g->user.outside_gid);
	}
	buf_char(j, '}');
}

static void put_mounts(struct buf *j, const struct guest_box *g)
{
	json_put_open(j, "Mounts", '[');
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		if (m->kind != STAGE_BIND)
			continue;
		json_put_open(j, NULL, '{');
		json_put_field(j, "Type", STR("bind"));
		json_put_field(j, "Source", str_of(m->source));
		json_put_field(j, "Target", str_of(m->target));
		put_word(j, "ReadOnly", m->writable ? "false" : "true");
		buf_c(j, ",\"BindOptions\":{\"Propagation\":\"rprivate\",\"NonRecursive\":true}}");
	}
	buf_char(j, ']');
}

static void put_masks(struct buf *j, const struct guest_box *g)
{
	static const char *const read_only[] = {
			"/dev", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};

	json_put_open(j, "MaskedPaths", '[');
	buf_c(j, "\"/sys\",\"/dev/mqueue\",\"/proc/kcore\"");
	for (const struct texts *t = g->stage.masked; t; t = t->next) {
		json_put_comma(j);
		json_put_string(j, str_ends(t->text, "/") ? str_sub(t->text, 0, t->text.n - 1) : t->text);
	}
	buf_char(j, ']');
	put_strings(j, "ReadonlyPaths", read_only, ARRAY_SIZE(read_only));
}

static void put_host(struct buf *j, const struct box_state *b)
{
	static const char *const all[] = {"ALL"}, *const root[] = {"SETFCAP"},
				 *const security[] = {"no-new-privileges", "seccomp=unconfined"};
	const struct limits *l = &b->spec->limits;
	const struct guest_box *g = b->own;

	json_put_open(j, "HostConfig", '{');
	json_put_field(j, "NetworkMode", network_isolated(&b->spec->network) ? STR("none") : STR("host"));
	json_put_field(j, "IpcMode", STR("private"));
	json_put_field(j, "CgroupnsMode", STR("private"));
	put_word(j, "ReadonlyRootfs", "true");
	put_word(j, "AutoRemove", "true");
	put_strings(j, "CapDrop", all, ARRAY_SIZE(all));
	/* The guest needs it to map root of the host in its user namespace, and gives it up there. */
	if (!g->user.outside_uid)
		put_strings(j, "CapAdd", root, ARRAY_SIZE(root));
	put_strings(j, "SecurityOpt", security, ARRAY_SIZE(security));
	put_number(j, "PidsLimit", (uint64_t)l->pids + 1);
	put_number(j, "Memory", l->memory);
	put_number(j, "MemorySwap", l->memory);
	if (!g->ns.cpus_suffice)
		put_number(j, "NanoCpus", (uint64_t)l->cpu_milli * 1000000);
	buf_c(j, ",\"LogConfig\":{\"Type\":\"none\"}");
	buf_fmt(j, ",\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":%d,\"Hard\":%d}]", OPEN_FILES, OPEN_FILES);
	put_tmpfs(j, g);
	put_mounts(j, g);
	put_masks(j, g);
	buf_char(j, '}');
}

static struct str describe(const struct box_state *b, struct str image)
{
	static const char *const entry[] = {STAGE_GUEST}, *const arguments[] = {BOX_GUEST, GUEST_TALK_PATH};
	const struct guest_box *g = b->own;
	struct buf j;

	buf_init(&j, b->a, 0);
	buf_char(&j, '{');
	json_put_field(&j, "Image", image);
	put_strings(&j, "Entrypoint", entry, ARRAY_SIZE(entry));
	put_strings(&j, "Cmd", arguments, ARRAY_SIZE(arguments));
	json_put_field(&j, "User",
			str_fmt(b->a, "%u:%u", (unsigned)g->user.outside_uid, (unsigned)g->user.outside_gid));
	json_put_field(&j, "Hostname", STR(NS_HOSTNAME));
	json_put_field(&j, "WorkingDir", STR("/"));
	json_put_open(&j, "Labels", '{');
	json_put_field(&j, LABEL, launcher_label(b->a));
	buf_char(&j, '}');
	put_host(&j, b);
	buf_char(&j, '}');
	return buf_view(&j);
}

static int docker_launch(struct box_state *b, struct err *e)
{
	const struct docker_kind *k = &docker_kind;
	struct guest_box *g = b->own;
	struct unix_http_answer r;
	struct str image;

	sweep(b->a, k);
	if (have_image(b, &image, e) != 0)
		return -1;
	g->more = (void *)k; /* from here on there may be a container */
	if (ask(b->a, k, "POST", str_fmt(b->a, "/containers/create?name=%s", g->id), "application/json",
			    describe(b, image), &r, e) != 0)
		return -1;
	if (r.status != 201)
		return refused(b->a, k, &r, "made no container", e);
	if (ask(b->a, k, "POST", str_fmt(b->a, "/containers/%s/start", g->id), "application/json", STR(""),
			    &r, e) != 0)
		return -1;
	return r.status == 204 ? 0 : refused(b->a, k, &r, "started no container", e);
}

static void docker_remove(struct box_state *b)
{
	struct guest_box *g = b->own;
	struct arena own;

	if (!g->more)
		return;
	arena_init(&own, (size_t)64 << 20);
	remove_container(&own, g->more, str_of(g->id));
	arena_free(&own);
}

/* ---- the rows ---- */

static int probe(const struct docker_kind *k, struct err *e)
{
	struct unix_http_answer r;
	struct err why = {0};
	struct arena a;
	int rc;

	arena_init(&a, (size_t)32 << 20);
	rc = unix_http(&a,
			&(struct unix_http_request){.socket = socket_of(k),
					.method = "GET",
					.target = STR("/_ping"),
					.timeout_ms = PROBE_MS},
			&r, &why);
	if (rc == 0 && r.status != 200)
		rc = err_set(&why, ERR_SYSTEM, 0, "'%s' answers with status %d", socket_of(k), r.status);
	arena_free(&a);
	return rc == 0 ? 0 : err_set(e, ERR_SYSTEM, 0, "%s (%s)", why.text, k->install);
}

static int docker_probe(struct err *e)
{
	return probe(&docker_kind, e);
}

static const struct engine engine = {.launch = docker_launch,
		.remove = docker_remove,
		.connects = true,
		.choose_user = choose_user};

static int docker_begin(struct box_state *b, const struct spec *s, struct err *e)
{
	(void)s;
	return guest_begin(b, &engine, e);
}

const struct backend backend_docker = {
	.name = "docker",
	.about = "Docker makes the container and its cgroup; Landlock and seccomp by caisson itself",
	.probe = docker_probe, .begin = docker_begin, .lacks = guest_lacks_disks, .fits = guest_fits,
	.start = guest_start, .add_sources = ns_add_sources, .take_events = ns_take_events, .kill = ns_kill,
	.usage = guest_usage, .all_exiting = ns_all_exiting, .enforcers = guest_enforcers, .stop = guest_stop,
};
