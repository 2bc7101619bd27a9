/*
 * Docker: how it is told about a container. engine_api.h has the rest.
 *
 * The container's image is the box's own root (stage.h), packed and kept by the engine under its digest. All
 * other files are mounts of the host, as in a native box, so no image has to be built or fetched. The newest
 * roots stay; the others are removed when a new one is made.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "box/engine_api.h"
#include "box/oci_json.h"
#include "sys/sha256.h"

/* begins the names of images; the digest of the root follows */
#define REPOSITORY "localhost/caisson-root-"
#define ROOTS_KEPT 8
#define ROOTS_MAX 256 /* looked at in one run */

/* ---- the image ---- */

struct docker_root {
	struct str name;
	int64_t made;
};

static int newest_first(const void *x, const void *y)
{
	const struct docker_root *p = x, *q = y;

	return (p->made < q->made) - (p->made > q->made);
}

/* One that a container uses stays: the engine refuses. A failure here is none of this run. */
static void remove_old_roots(struct box_state *b)
{
	static const struct str all = STR("/images/json?filters=%7B%22reference%22%3A%5B%22" REPOSITORY
					  "%2A%22%5D%7D");
	struct docker_root roots[ROOTS_MAX];
	struct unix_http_answer r;
	struct json *list;
	size_t n = 0;

	if (api_ask(b, "GET", all, NULL, STR(""), &r, NULL) != 0 || r.status != 200 ||
			json_read(b->a, r.body, &list, NULL) != 0)
		return;
	for (const struct json *i = json_items(list); i && n < ROOTS_MAX; i = i->next) {
		const struct json *tag = json_items(json_key(i, "RepoTags"));

		roots[n] = (struct docker_root){.name = tag ? json_text(tag) : STR(""),
				.made = json_int_at(i, "Created")};
		n += roots[n].name.n > 0;
	}
	qsort(roots, n, sizeof(*roots), newest_first);
	for (size_t i = ROOTS_KEPT - 1; i < n; i++)
		(void)api_ask(b, "DELETE", str_fmt(b->a, "/images/%.*s", STR_ARG(roots[i].name)), NULL,
				STR(""), &r, NULL);
}

static int provide_image(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct api_box *api = g->more;
	struct unix_http_answer r;
	char digest[SHA256_HEX + 1];
	struct str tar, target;

	if (stage_tar(b->a, &g->stage, &tar, e) != 0)
		return -1;
	sha256_hex(tar, digest);
	api->image = str_fmt(b->a, REPOSITORY "%.32s:latest", digest);
	target = str_fmt(b->a, "/images/%.*s/json", STR_ARG(api->image));
	if (api_ask(b, "GET", target, NULL, STR(""), &r, e) != 0)
		return -1;
	if (r.status == 200)
		return 0;
	remove_old_roots(b);
	target = str_fmt(b->a, "/images/create?fromSrc=-&repo=" REPOSITORY "%.32s&tag=latest", digest);
	if (api_ask(b, "POST", target, "application/x-tar", tar, &r, e) != 0)
		return -1;
	return r.status == 200 ? 0 : api_refused(b, &r, "did not take the root of the box", e);
}

/* ---- the container ---- */

static void put_tmpfs(struct buf *j, const struct guest_box *g)
{
	const struct api_box *api = g->more;

	json_put_open(j, "Tmpfs", '{');
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		if (m->kind != STAGE_TMPFS)
			continue;
		json_put_comma(j);
		json_put_string(j, str_of(m->target));
		buf_fmt(j, ":\"rw,exec,nosuid,nodev,size=%ju,nr_inodes=%ju,mode=%04o,uid=%u,gid=%u\"",
				(uintmax_t)m->size, (uintmax_t)(m->size / STAGE_INODE_BYTES),
				(unsigned)m->mode, (unsigned)api->uid, (unsigned)api->gid);
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
		oci_put_word(j, "ReadOnly", m->writable ? "false" : "true");
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
	oci_put_masked(j, g);
	buf_char(j, ']');
	oci_put_strings(j, "ReadonlyPaths", read_only, ARRAY_SIZE(read_only));
}

static void put_host(struct buf *j, const struct box_state *b)
{
	static const char *const all[] = {"ALL"}, *const root[] = {"SETFCAP"},
				 *const security[] = {"no-new-privileges", "seccomp=unconfined"};
	const struct limits *l = &b->spec->limits;
	const struct guest_box *g = b->own;
	const struct api_box *api = g->more;

	json_put_open(j, "HostConfig", '{');
	json_put_field(j, "NetworkMode", network_isolated(&b->spec->network) ? STR("none") : STR("host"));
	json_put_field(j, "IpcMode", STR("private"));
	json_put_field(j, "CgroupnsMode", STR("private"));
	oci_put_word(j, "ReadonlyRootfs", "true");
	oci_put_word(j, "AutoRemove", "true");
	oci_put_strings(j, "CapDrop", all, ARRAY_SIZE(all));
	/* The guest needs it to map root of the host in its user namespace, and gives it up there. */
	if (!api->uid)
		oci_put_strings(j, "CapAdd", root, ARRAY_SIZE(root));
	oci_put_strings(j, "SecurityOpt", security, ARRAY_SIZE(security));
	oci_put_number(j, "PidsLimit", (uint64_t)l->pids + 1);
	oci_put_number(j, "Memory", l->memory);
	oci_put_number(j, "MemorySwap", l->memory);
	if (!g->ns.cpus_suffice)
		oci_put_number(j, "NanoCpus", (uint64_t)l->cpu_milli * 1000000);
	buf_c(j, ",\"LogConfig\":{\"Type\":\"none\"}");
	buf_fmt(j, ",\"Ulimits\":[{\"Name\":\"nofile\",\"Soft\":%d,\"Hard\":%d}]", API_OPEN_FILES,
			API_OPEN_FILES);
	put_tmpfs(j, g);
	put_mounts(j, g);
	put_masks(j, g);
	buf_char(j, '}');
}

static struct str describe(const struct box_state *b)
{
	static const char *const entry[] = {STAGE_GUEST}, *const arguments[] = {BOX_GUEST, GUEST_TALK_PATH};
	const struct guest_box *g = b->own;
	const struct api_box *api = g->more;
	struct buf j;

	buf_init(&j, b->a, 0);
	buf_char(&j, '{');
	json_put_field(&j, "Image", api->image);
	oci_put_strings(&j, "Entrypoint", entry, ARRAY_SIZE(entry));
	oci_put_strings(&j, "Cmd", arguments, ARRAY_SIZE(arguments));
	json_put_field(&j, "User", str_fmt(b->a, "%u:%u", (unsigned)api->uid, (unsigned)api->gid));
	json_put_field(&j, "Hostname", STR(NS_HOSTNAME));
	json_put_field(&j, "WorkingDir", STR("/"));
	json_put_open(&j, "Labels", '{');
	json_put_field(&j, API_LABEL, api_launcher(b->a));
	buf_char(&j, '}');
	put_host(&j, b);
	buf_char(&j, '}');
	return buf_view(&j);
}

/* ---- the row ---- */

static const struct api_row row = {.variable = "DOCKER_HOST",
		.usual = "/var/run/docker.sock",
		.install = "apt-get install docker.io, and membership in the group docker",
		.prefix = "/v1.40",
		.provide = provide_image,
		.describe = describe};

static const struct engine engine = {.settle = api_settle,
		.launch = api_launch,
		.remove = api_remove,
		.connects = true,
		.row = &row};

const struct backend backend_docker = {
		.name = "docker",
		.about = "Docker makes the container and its cgroup; Landlock and seccomp by caisson itself",
		.engine = &engine,
		.probe = api_probe,
		.lacks = guest_lacks_disks,
		GUEST_BACKEND,
};
