/*
 * The root of a box as a list of operations. Parts that every box has are rows here: system directories,
 * names of /etc, devices. Init builds those by itself, without a plan. The rest comes from the spec.
 */
#define _GNU_SOURCE
#include "box/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/directory.h"
#include "base/glob.h"
#include "sys/file.h"
#include "sys/mount_list.h"
#include "sys/path.h"

#define SETTINGS_MAX ((size_t)64 << 10) /* bytes of a file of /etc that is copied */
#define ETC_ENTRIES_MAX 4096
#define ROOT_ENTRIES_MAX 256 /* of a root directory given by the user */

/*
 * Directories of the system; links among them (bin -> usr/bin) become the same links. The names of /etc are
 * those that programs need and that hold no secret. Users, hosts and name service get files of the box's own
 * below.
 */
static const char system_paths[][24] = {
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/etc/alternatives",
	"/etc/fonts", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/os-release", "/etc/perl", "/etc/php",
	"/etc/pki", "/etc/python3.11", "/etc/python3.12", "/etc/python3.13", "/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
};
/* Names of /etc for a box with sockets. */
static const char etc_network[][16] = {"etc/protocols", "etc/services"};
/* Settings of tools for the work profile: patterns of names in /etc. */
static const char etc_tools[][20] = {
	"ImageMagick-*", "OpenCL", "R", "X11", "alpine-release", "ant", "ant.conf", "bazel.bazelrc",
	"chromium", "chromium.d", "crypto-policies", "debian_version", "dotnet", "enscript.cfg",
	"findlib.conf", "fpc*.cfg", "gemrc", "ghostscript", "gitattributes", "gitconfig", "gnucobol",
	"gnutls", "gradle", "groff", "inputrc", "java-*-openjdk", "julia", "locale.alias", "lsb-release",
	"magic", "magic.mime", "manpath.config", "matplotlibrc", "maven", "mke2fs.conf", "mono",
	"mtools.conf", "nanorc", "npmrc", "octave*", "odbcinst.ini", "papersize", "pip.conf",
	"postgresql-common", "python3.*", "redhat-release", "rpm", "terminfo", "texmf", "timezone",
	"vulkan", "xattr.conf", "xml",
};

/*
 * The name server of a box with a network by name is its relay (ns_network.c). It answers at once or is dead,
 * so waiting long for it is no use.
 */
#define RELAY_RESOLV "nameserver 198.18.0.1\nnameserver fd00:ca15::1\noptions timeout:1 attempts:2\n"
/* In a root of the caller, the file that covers its /etc/resolv.conf. */
#define RELAY_RESOLV_PATH "/caisson/resolv.conf"

#define DEVICE OP_WRITABLE | OP_DEVICES | OP_IS_FILE | OP_COVERED

static const struct {
	char source[16], target[16];
	enum op_kind kind;
	unsigned flags;
	bool system; /* only with the system's root */
} usual[] = {
	{"", "/proc", OP_PROC, 0, false},
	/* for Landlock: the directory itself belongs to the root, which is read-only */
	{"", "/dev", OP_DIR, OP_WRITABLE, false},
	{"/dev/null", "/dev/null", OP_BIND, DEVICE, false},
	{"/dev/zero", "/dev/zero", OP_BIND, DEVICE, false},
	{"/dev/full", "/dev/full", OP_BIND, DEVICE, false},
	{"/dev/random", "/dev/random", OP_BIND, DEVICE, false},
	{"/dev/urandom", "/dev/urandom", OP_BIND, DEVICE, false},
	{"/proc/self/fd", "/dev/fd", OP_LINK, 0, false},
	{"/proc/self/fd/0", "/dev/stdin", OP_LINK, 0, false},
	{"/proc/self/fd/1", "/dev/stdout", OP_LINK, 0, false},
	{"/proc/self/fd/2", "/dev/stderr", OP_LINK, 0, false},
	{"pts/ptmx", "/dev/ptmx", OP_LINK, 0, false},
	{"", "/dev/pts", OP_PTS, OP_WRITABLE | OP_DEVICES | OP_COVERED, false},
	{"", "/dev/shm", OP_SCRATCH, OP_WRITABLE | OP_STICKY | OP_COVERED, false},
	{"", "/tmp", OP_SCRATCH, OP_WRITABLE | OP_STICKY, false},
	{"", "/var/tmp", OP_SCRATCH, OP_WRITABLE | OP_STICKY, true},
};

/*
 * Parts of /proc that describe the machine or other users, and that no program in a box needs. A mount hides
 * each: an empty file for a file, an empty directory for a directory (with a slash). `keys` lists the
 * caller's keys, since the box has the caller's user. The list follows docker's, without files that only root
 * can read.
 */
static const char masked[][32] = {
	"/proc/acpi/", "/proc/asound/", "/proc/bus/", "/proc/fs/", "/proc/irq/", "/proc/scsi/",
	"/proc/bootconfig", "/proc/cmdline", "/proc/config.gz", "/proc/diskstats", "/proc/interrupts",
	"/proc/iomem", "/proc/ioports", "/proc/kallsyms", "/proc/key-users", "/proc/keys",
	"/proc/latency_stats", "/proc/locks", "/proc/modules", "/proc/partitions", "/proc/sched_debug",
	"/proc/timer_list", "/proc/sys/kernel/random/boot_id",
};

#define EACH(i, table) for (size_t i = 0; i < ARRAY_SIZE(table); i++)

struct op *ops_add(struct arena *a, struct ops *ops, enum op_kind kind, unsigned flags, struct str source,
		struct str target)
{
	struct op *op = arena_copy(a, (struct op){.kind = kind, .flags = flags, .source = str_c(a, source),
			.target = str_c(a, target), .tree = -1});

	if (!ops->end)
		ops->end = &ops->first;
	LIST_ADD(ops->end, op);
	return op;
}

bool op_is_source(const struct op *op, const struct stat *st)
{
	if (!(op->flags & OP_IS_FILE) || !identity_known(op->expected))
		return directory_is(st, op->expected);
	return S_ISREG(st->st_mode) &&
			identity_same((struct identity){st->st_dev, st->st_ino}, op->expected);
}

int op_unusable(const struct op *op, struct err *e)
{
	if (identity_known(op->expected) && (errno == ESTALE || errno == ELOOP || errno == ENOENT ||
			errno == ENOTDIR))
		return err_input(e, "the %s '%s' was moved or replaced since the command was judged; run the "
				"command again", op->flags & OP_IS_FILE ? "file" : "workspace", op->source);
	return err_system(e, "cannot use '%s' in the box", op->source);
}

static struct op *add_file(struct arena *a, struct ops *ops, const char *target, struct str text)
{
	struct op *op = ops_add(a, ops, OP_FILE, 0, STR(""), str_of(target));

	op->text = str_c(a, text);
	op->ntext = text.n;
	return op;
}

/*
 * One entry of a root, or of the system: a link stays a link, everything else is bound. A missing entry is
 * skipped.
 */
static int add_entry(struct arena *a, struct ops *ops, struct str from, const char *name, struct err *e)
{
	struct str source = str_path(a, from, str_of(name)), target = str_fmt(a, "/%s", name);
	char to[4096];
	struct stat st;
	ssize_t n;

	if (lstat(str_c(a, source), &st) != 0)
		return errno == ENOENT ? 0 : err_system(e, "cannot stat '%.*s'", STR_ARG(source));
	if (S_ISLNK(st.st_mode)) {
		n = readlink(str_c(a, source), to, sizeof(to));
		if (n < 0 || n == (ssize_t)sizeof(to))
			return err_set(e, ERR_SYSTEM, n < 0 ? errno : ENAMETOOLONG,
					"cannot read the link '%.*s'", STR_ARG(source));
		ops_add(a, ops, OP_LINK, 0, str_n(to, (size_t)n), target);
	} else if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) {
		ops_add(a, ops, OP_BIND,
				(S_ISDIR(st.st_mode) ? OP_IS_DIR : OP_IS_FILE) | (from.n ? OP_IMAGE : 0),
				source, target);
	}
	return 0;
}

/* The box knows only its own user, without the caller's name. Root has another id inside, PLAN_ID. */
static void add_users(struct arena *a, const struct spec *s, struct ops *ops)
{
	unsigned uid = geteuid() ? geteuid() : PLAN_ID, gid = geteuid() ? getegid() : PLAN_ID;

	struct str users = str_fmt(a,
			"root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
			"box:x:%u:%u::%.*s:/bin/bash\n"
			"nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n",
			uid, gid, STR_ARG(s->home));

	add_file(a, ops, "/etc/passwd", users);
	add_file(a, ops, "/etc/group", str_fmt(a, "root:x:0:\nbox:x:%u:\nnogroup:x:65534:\n", gid));
}

/*
 * A directory is bound; a file is copied, which is cheaper. A name that not every user of the machine can
 * read may hold a secret, and is skipped.
 */
static int add_settings(struct arena *a, struct ops *ops, struct str path, unsigned char type, struct err *e)
{
	struct stat st = {.st_mode = S_IFREG};
	struct str text;

	if (type != DT_REG && stat(path.p, &st) != 0)
		return 0;
	if (S_ISDIR(st.st_mode)) {
		if (!(st.st_mode & S_IROTH) || !(st.st_mode & S_IXOTH))
			return 0;
		if (type != DT_DIR) /* it may be a link */
			return add_entry(a, ops, STR(""), path.p + 1, e);
		ops_add(a, ops, OP_BIND, OP_IS_DIR, path, path);
	} else if (S_ISREG(st.st_mode) && file_read(a, path.p, SETTINGS_MAX, &text, &st, NULL) == 0 &&
			st.st_mode & S_IROTH) {
		add_file(a, ops, path.p, text);
	}
	return 0;
}

static bool is_tool(const char *name)
{
	EACH(i, etc_tools)
		if (etc_tools[i][0] == name[0] && glob_name(str_of(etc_tools[i]), str_of(name)))
			return true;
	return false;
}

/* Init has bound these already. */
static bool is_system(struct str path)
{
	EACH(i, system_paths)
		if (str_is(path, system_paths[i]))
			return true;
	return false;
}

/* One look at the directory is cheaper than one at each name, and finds names with versions. */
static int add_tools(struct arena *a, struct ops *ops, struct err *e)
{
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	int rc = 0;

	dir_scope(&d, a, opendir("/etc"));
	for (size_t n = 0; rc == 0 && d.dir && n < ETC_ENTRIES_MAX && (entry = readdir(d.dir)); n++) {
		struct str path;

		if (!is_tool(entry->d_name))
			continue;
		path = str_fmt(a, "/etc/%s", entry->d_name);
		if (!is_system(path))
			rc = add_settings(a, ops, path, entry->d_type, e);
	}
	return rc;
}

static int add_etc(struct arena *a, const struct spec *s, struct ops *ops, struct err *e)
{
	struct stat st;

	if (s->profile == PROFILE_WORK && add_tools(a, ops, e) != 0)
		return -1;
	EACH(i, etc_network)
		if (network_has_sockets(&s->network) && add_entry(a, ops, STR(""), etc_network[i], e) != 0)
			return -1;
	add_users(a, s, ops);
	add_file(a, ops, "/etc/nsswitch.conf", STR("passwd: files\ngroup: files\nhosts: files dns\n"));
	add_file(a, ops, "/etc/hosts", STR("127.0.0.1 localhost box\n::1 localhost box\n"));
	if (network_has_names(&s->network))
		add_file(a, ops, "/etc/resolv.conf", STR(RELAY_RESOLV));
	if (network_uses_host_dns(&s->network) && stat("/etc/resolv.conf", &st) == 0)
		ops_add(a, ops, OP_BIND, 0, STR("/etc/resolv.conf"), STR("/etc/resolv.conf"));
	return 0;
}

static bool is_own(const char *name)
{
	return str_is_any(str_of(name), SPEC_ROOT_OWN " . ..");
}

static int add_given_root(struct arena *a, const struct spec *s, struct ops *ops, struct err *e)
{
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;
	int rc = 0;

	dir_scope(&d, a, opendir(str_c(a, s->root)));
	if (!d.dir)
		return err_system(e, "cannot read the root '%.*s'", STR_ARG(s->root));
	while (rc == 0 && (entry = readdir(d.dir))) {
		if (is_own(entry->d_name))
			continue;
		if (++n > ROOT_ENTRIES_MAX)
			rc = err_limit(e, "the root '%.*s' has more than %d entries", STR_ARG(s->root),
					ROOT_ENTRIES_MAX);
		else
			rc = add_entry(a, ops, s->root, entry->d_name, e);
	}
	if (rc == 0 && n == 0)
		return err_input(e, "the root '%.*s' is empty", STR_ARG(s->root));
	return rc;
}

#define NUSUAL ARRAY_SIZE(usual)
#define NMASKED ARRAY_SIZE(masked)

bool plan_usual(size_t i, struct op *ret)
{
	if (i < NUSUAL)
		*ret = (struct op){.kind = usual[i].kind, .flags = usual[i].flags | OP_USUAL,
				.source = usual[i].source, .target = usual[i].target, .tree = -1};
	else if (i < NUSUAL + NMASKED) {
		const char *path = masked[i - NUSUAL];

		*ret = (struct op){.kind = OP_MASK, .flags = OP_USUAL,
				.source = path[strlen(path) - 1] == '/' ? "/run" : "/dev/null",
				.target = path, .tree = -1};
	}
	return i < NUSUAL + NMASKED;
}

const char *plan_system(size_t i)
{
	return i < ARRAY_SIZE(system_paths) ? system_paths[i] : NULL;
}

/* Init has built the system's root already. The plan lists only its writable parts, for Landlock. */
static void add_usual(struct arena *a, const struct spec *s, struct ops *ops)
{
	struct op op;

	EACH(i, usual) {
		if (s->root.n ? !usual[i].system
			      : (usual[i].flags & (OP_WRITABLE | OP_COVERED)) == OP_WRITABLE)
			ops_add(a, ops, usual[i].kind, usual[i].flags | (s->root.n ? 0 : OP_USUAL),
					str_of(usual[i].source), str_of(usual[i].target));
	}
	for (size_t i = NUSUAL; s->root.n && plan_usual(i, &op); i++)
		ops_add(a, ops, op.kind, op.flags & ~(unsigned)OP_USUAL, str_of(op.source),
				str_of(op.target));
}

/*
 * The root is read-only, so its /etc/resolv.conf is covered by a file of the box. A link into /run is common;
 * that directory is the box's own, where the file can be made.
 */
static int add_relay_resolv(struct arena *a, const struct spec *s, struct ops *ops, struct err *e)
{
	struct str path = str_fmt(a, "%.*s/etc/resolv.conf", STR_ARG(s->root));
	char to[4096];
	struct stat st;
	ssize_t n;
	struct str link;

	if (lstat(str_c(a, path), &st) == 0 && S_ISREG(st.st_mode)) {
		add_file(a, ops, RELAY_RESOLV_PATH, STR(RELAY_RESOLV));
		ops_add(a, ops, OP_INSIDE, 0, STR(RELAY_RESOLV_PATH), STR("/etc/resolv.conf"));
		return 0;
	}
	n = readlink(str_c(a, path), to, sizeof(to));
	link = str_n(to, n > 0 && n < (ssize_t)sizeof(to) ? (size_t)n : 0);
	if (str_starts(link, "../run/"))
		link = str_sub(link, 2, link.n);
	if (!str_starts(link, "/run/") || str_contains(link, STR("/../")))
		return err_input(e, "the root '%.*s' has no file /etc/resolv.conf, which a network by name "
				"needs (an empty one will do)", STR_ARG(s->root));
	add_file(a, ops, str_c(a, link), STR(RELAY_RESOLV));
	return 0;
}

static int add_system(struct arena *a, const struct spec *s, struct ops *ops, struct err *e)
{
	if (s->root.n)
		return add_given_root(a, s, ops, e);
	ops_add(a, ops, OP_SYSTEM, 0, STR(""), STR("/"));
	return add_etc(a, s, ops, e);
}

/*
 * A path inside the workspace that was also asked for: it stays read-only in a writable workspace. Only the
 * workspace's own mode makes it writable.
 */
static bool closed_inside(const struct spec *s, const struct spec_path *p)
{
	return !p->writable && s->workspace.n && path_inside(spec_path_target(p), s->workspace);
}

/* An overlay hides mounts below its directory. */
static bool has_mounts(const struct texts *mounts, struct str path)
{
	for (; mounts; mounts = mounts->next)
		if (path_inside(mounts->text, path) && !str_eq(mounts->text, path))
			return true;
	return false;
}

static unsigned callers_flags(const struct texts *mounts, struct str path, bool writable)
{
	if (writable)
		return OP_CALLERS | OP_WRITABLE;
	return OP_CALLERS | (has_mounts(mounts, path) ? 0 : OP_APART);
}

/* True for a read-only path below a directory that has the same path in the box. */
static bool is_part(struct str base, const struct spec_path *p)
{
	return base.n && !p->writable && !p->at.n && path_inside(p->path, base);
}

/* The directory that two directories have in common. */
static struct str common_dir(struct str a, struct str b)
{
	while (!path_inside(a, b))
		b = path_parent(b);
	return b;
}

/*
 * The source of OP_HOME: the home, or, if the box has nothing of it, the directory that all other read-only
 * paths have in common, such as those of a PATH that leads to another home. Empty: none.
 */
static struct str parts_base(const struct spec *s, const struct texts *mounts)
{
	struct str base = STR("");
	size_t n = 0;

	for (const struct spec_path *p = s->paths; p; p = p->next) {
		if (is_part(s->home, p))
			return has_mounts(mounts, s->home) ? STR("") : s->home;
		if (is_part(STR("/"), p))
			base = common_dir(path_parent(p->path), n++ ? base : path_parent(p->path));
	}
	return n > 1 && base.n > 1 && !s->layer.n && !has_mounts(mounts, base) ? base : STR("");
}

static void add_home(struct arena *a, const struct spec *s, struct str base, struct ops *ops)
{
	if (s->image.n) /* without caches, so without a layer */
		ops_add(a, ops, OP_HOLD, 0, STR(""), s->home)->tree =
				fcntl(s->image_lock, F_DUPFD_CLOEXEC, 3);
	if (s->layer.n) {
		ops_add(a, ops, OP_HOLD, 0, STR(""), s->home)->tree =
				fcntl(s->layer_lock, F_DUPFD_CLOEXEC, 3);
		ops_add(a, ops, OP_LAYER, OP_CALLERS, s->layer, s->home);
	}
	if (base.n)
		ops_add(a, ops, OP_HOME, OP_CALLERS, base, base);
}

static unsigned path_flags(const struct spec *s, const struct texts *mounts, struct str base,
		const struct spec_path *p)
{
	unsigned part = is_part(base, p) ? OP_PART : 0;

	if (p->cache && s->layer.n)
		return OP_CALLERS | OP_CACHE | OP_WRITABLE | part |
				(path_inside(spec_path_target(p), s->home) ? OP_COVERED : 0) |
				(p->cache == CACHE_READ ? OP_LOWER : 0);
	return callers_flags(mounts, p->path, p->writable) | part;
}

static bool has_inside(const struct texts *paths, struct str dir)
{
	for (; paths; paths = paths->next)
		if (path_inside(paths->text, dir))
			return true;
	return false;
}

/* Operations after all others hide or close something in it. */
static bool is_anchor(const struct spec *s, struct str dir)
{
	return has_inside(s->hidden, dir) || has_inside(s->cache_hidden, dir) || has_inside(s->closed, dir);
}

static bool is_left_out(const struct spec *s, bool home, const struct spec_path *p)
{
	if (p->cache == CACHE_ABSENT && !home)
		return true;
	return !s->layer.n && (p->cache == CACHE_PRIVATE || p->cache == CACHE_ABSENT);
}

static void add_paths(struct arena *a, const struct spec *s, const struct texts *mounts, struct str base,
		bool closed, struct ops *ops)
{
	bool home = !has_mounts(mounts, s->home);

	for (const struct spec_path *p = s->paths; p; p = p->next) {
		struct op *op;

		if (closed_inside(s, p) != closed || is_left_out(s, home, p))
			continue;
		op = ops_add(a, ops, OP_BIND, path_flags(s, mounts, base, p), p->path, spec_path_target(p));
		if (is_anchor(s, spec_path_target(p)))
			op->flags |= OP_ANCHOR;
		if (op->flags & OP_CACHE) {
			op->text = str_c(a, p->upper);
			op->ntext = p->upper.n;
		}
	}
}

static bool has_readonly(const struct spec *s)
{
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (!p->writable)
			return true;
	return s->workspace.n && !s->workspace_writable;
}

/* Below the directory itself the kept files are those of the box; the host's files cover them. */
static void add_tmp(struct arena *a, const struct spec *s, struct ops *ops)
{
	if (s->tmp.n)
		ops_add(a, ops, OP_BIND, OP_CALLERS | OP_WRITABLE | OP_IS_DIR | OP_COVERED, s->tmp,
				STR("/tmp"));
	for (const struct spec_tmp_file *f = s->tmp_files; f; f = f->next)
		ops_add(a, ops, OP_BIND,
				OP_CALLERS | OP_IS_FILE | OP_COVERED | (f->writable ? OP_WRITABLE : 0),
				f->path, f->path)->expected = f->id;
}

static int add_callers(struct arena *a, const struct spec *s, struct ops *ops, struct err *e)
{
	struct texts *mounts = NULL;
	struct str base;

	if (has_readonly(s) && mount_list(a, &mounts, e) != 0)
		return -1;
	base = parts_base(s, mounts);
	add_home(a, s, base, ops);
	add_paths(a, s, mounts, base, false, ops);
	if (s->git_common.n)
		ops_add(a, ops, OP_BIND, OP_CALLERS | OP_WRITABLE | OP_ANCHOR, s->git_common,
				s->git_common)->expected = s->git_common_id;
	if (s->workspace.n) {
		unsigned flags = callers_flags(mounts, s->workspace, s->workspace_writable);

		ops_add(a, ops, OP_BIND, flags | OP_ANCHOR, s->workspace, s->workspace)->expected =
				s->workspace_id;
	}
	add_paths(a, s, mounts, base, true, ops);
	return 0;
}

int plan_root(struct arena *a, const struct spec *s, struct ops *ret, struct err *e)
{
	if (add_system(a, s, ret, e) != 0)
		return -1;
	add_usual(a, s, ret);
	if (s->root.n && network_has_names(&s->network) && add_relay_resolv(a, s, ret, e) != 0)
		return -1;
	add_tmp(a, s, ret);
	ops_add(a, ret, OP_SCRATCH, OP_WRITABLE | OP_ANCHOR, STR(""), s->home);
	for (const struct spec_file *f = s->files; f; f = f->next)
		if (f->link)
			ops_add(a, ret, OP_LINK, 0, f->text, f->path);
		else
			add_file(a, ret, str_c(a, f->path), f->text)->flags |= f->executable ?
					OP_EXECUTABLE : 0;
	return add_callers(a, s, ret, e);
}

/* A path that no mount of the box shows needs no hiding. */
static bool is_seen(const struct spec *s, struct str path)
{
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (path_inside(path, spec_path_target(p)))
			return true;
	return s->workspace.n && path_inside(path, s->workspace);
}

/* Covers a file by a device that cannot be opened, a directory by an empty directory. */
static int hide(struct arena *a, struct str path, struct ops *ops, unsigned flags, struct err *e)
{
	struct stat st;

	if (lstat(str_c(a, path), &st) != 0)
		return errno == ENOENT || errno ==
				ENOTDIR ? 0 : err_system(e, "cannot hide '%.*s' in the box", STR_ARG(path));
	if (S_ISLNK(st.st_mode))
		return err_input(e, "cannot hide '%.*s' in the box: it is a symbolic link", STR_ARG(path));
	if (S_ISDIR(st.st_mode))
		ops_add(a, ops, OP_EMPTY, flags, STR(""), path);
	else
		ops_add(a, ops, OP_INSIDE, flags, STR("/dev/null"), path);
	return 0;
}

int plan_close(struct arena *a, const struct spec *s, struct ops *ret, struct err *e)
{
	for (const struct texts *t = s->workspace_writable ? s->closed : NULL; t; t = t->next)
		ops_add(a, ret, OP_INSIDE, 0, t->text, t->text);
	for (const struct texts *t = s->hidden; t; t = t->next)
		if (is_seen(s, t->text) && hide(a, t->text, ret, 0, e) != 0)
			return -1;
	for (const struct texts *t = s->cache_hidden; t; t = t->next)
		if (is_seen(s, t->text) && hide(a, t->text, ret, OP_CACHE, e) != 0)
			return -1;
	return 0;
}
