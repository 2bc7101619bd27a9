/*
 * Podman: how it is told about a container, by the specification of its own API (libpod). engine_api.h has
 * the rest.
 *
 * Podman takes a directory as the root of a container, so nothing is imported. It refuses a limit of files in
 * an empty directory, and owners: the guest sets both, for which it has two capabilities until it gives up
 * all of them.
 */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "box/engine_api.h"
#include "box/oci_json.h"

#define CPU_PERIOD 100000 /* microseconds */
#define PROCESSES_MAX (16 << 10) /* the cgroup limits those of the box */

static void put_namespace(struct buf *j, const char *key, const char *mode)
{
	json_put_open(j, key, '{');
	json_put_field(j, "nsmode", str_of(mode));
	buf_char(j, '}');
}

static void put_capabilities(struct buf *j, const struct guest_box *g)
{
	/* The third maps root of the host in the guest's user namespace. */
	static const char *const all[] = {"ALL"},
				 *const some[] = {"CAP_SYS_ADMIN", "CAP_CHOWN", "CAP_SETFCAP"};
	const struct api_box *api = g->more;

	oci_put_strings(j, "cap_drop", all, ARRAY_SIZE(all));
	oci_put_strings(j, "cap_add", some, api->uid ? 2 : 3);
}

static void put_ulimit(struct buf *j, const char *type, int which, uint64_t most)
{
	struct rlimit l;

	if (getrlimit(which, &l) == 0 && l.rlim_max < most)
		most = l.rlim_max;
	json_put_open(j, NULL, '{');
	json_put_field(j, "type", str_of(type));
	oci_put_number(j, "soft", most);
	oci_put_number(j, "hard", most);
	buf_char(j, '}');
}

static void put_limits(struct buf *j, const struct box_state *b)
{
	const struct limits *l = &b->spec->limits;
	const struct guest_box *g = b->own;

	if (!g->own_group) {
		json_put_open(j, "resource_limits", '{');
		buf_fmt(j, "\"memory\":{\"limit\":%ju,\"swap\":%ju},\"pids\":{\"limit\":%ju}",
				(uintmax_t)l->memory, (uintmax_t)l->memory, (uintmax_t)l->pids + 1);
		if (!g->ns.cpus_suffice)
			buf_fmt(j, ",\"cpu\":{\"period\":%d,\"quota\":%ju}", CPU_PERIOD,
					(uintmax_t)l->cpu_milli * (CPU_PERIOD / 1000));
		buf_char(j, '}');
	}
	/* Podman raises those that nobody names, which a launcher in a container of its own may not. */
	json_put_open(j, "r_limits", '[');
	put_ulimit(j, "nofile", RLIMIT_NOFILE, API_OPEN_FILES);
	put_ulimit(j, "nproc", RLIMIT_NPROC, PROCESSES_MAX);
	buf_char(j, ']');
}

static void put_mounts(struct buf *j, const struct guest_box *g)
{
	json_put_open(j, "mounts", '[');
	buf_c(j, "{\"destination\":\"/dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"ro\","
		 "\"nosuid\",\"noexec\",\"mode=755\",\"size=65536k\"]}");
	oci_put_mounts(j, g, &(struct oci_tmpfs){.more = "notmpcopyup"});
	buf_char(j, ']');
	json_put_open(j, "mask", '[');
	buf_c(j, "\"/sys\",\"/dev/mqueue\",\"/proc/kcore\"");
	oci_put_masked(j, g);
	buf_char(j, ']');
}

static struct str describe(const struct box_state *b)
{
	static const char *const entry[] = {STAGE_GUEST}, *const arguments[] = {BOX_GUEST, GUEST_TALK_PATH},
				 *const no_labels[] = {"disable"};
	const struct guest_box *g = b->own;
	const struct api_box *api = g->more;
	struct buf j;

	buf_init(&j, b->a, 0);
	buf_char(&j, '{');
	json_put_field(&j, "name", str_of(g->id));
	json_put_field(&j, "rootfs", str_of(g->stage.root));
	oci_put_strings(&j, "entrypoint", entry, ARRAY_SIZE(entry));
	oci_put_strings(&j, "command", arguments, ARRAY_SIZE(arguments));
	json_put_field(&j, "user", str_fmt(b->a, "%u:%u", (unsigned)api->uid, (unsigned)api->gid));
	json_put_field(&j, "hostname", STR(NS_HOSTNAME));
	json_put_field(&j, "work_dir", STR("/"));
	json_put_field(&j, "systemd", STR("false"));
	json_put_field(&j, "sdnotifyMode", STR("ignore"));
	json_put_open(&j, "labels", '{');
	json_put_field(&j, API_LABEL, api_launcher(b->a));
	buf_char(&j, '}');
	put_namespace(&j, "netns", network_isolated(&b->spec->network) ? "none" : "host");
	put_namespace(&j, "ipcns", "private");
	put_namespace(&j, "pidns", "private");
	put_namespace(&j, "utsns", "private");
	put_namespace(&j, "cgroupns", "private");
	oci_put_word(&j, "read_only_filesystem", "true");
	oci_put_word(&j, "remove", "true");
	oci_put_word(&j, "no_new_privileges", "true");
	oci_put_word(&j, "manage_password", "false"); /* the box has its own users */
	oci_put_word(&j, "use_image_hosts", "true");
	oci_put_word(&j, "use_image_resolve_conf", "true");
	json_put_field(&j, "seccomp_profile_path", STR("unconfined"));
	oci_put_strings(&j, "selinux_opts", no_labels, ARRAY_SIZE(no_labels));
	buf_c(&j, ",\"log_configuration\":{\"driver\":\"none\"}");
	put_capabilities(&j, g);
	put_limits(&j, b);
	put_mounts(&j, g);
	buf_char(&j, '}');
	return buf_view(&j);
}

static const struct api_row row = {.variable = "CONTAINER_HOST",
		.usual = "/run/podman/podman.sock",
		.usual_own = "podman/podman.sock",
		.install = "apt-get install podman, and podman system service --time 0 in the background",
		.prefix = "/v4.0.0/libpod",
		.describe = describe};

static const struct engine engine = {.settle = api_settle,
		.launch = api_launch,
		.remove = api_remove,
		.connects = true,
		.finishes = GUEST_FINISHES_FILES,
		.row = &row};

const struct backend backend_podman = {
		.name = "podman",
		.about = "Podman makes the container and its cgroup; Landlock and seccomp by caisson itself",
		.engine = &engine,
		.probe = api_probe,
		.lacks = guest_lacks_disks,
		GUEST_BACKEND,
};
