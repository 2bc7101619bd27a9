/* See image_debian.h. */
#define _GNU_SOURCE
#include "image/image_debian.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ascii.h"
#include "image/image_import.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/tree_walk.h"

#define DOWNLOAD_MS (60 * 60 * 1000u)
#define UNPACK_MS (10 * 60 * 1000u)
#define MESSAGES_MAX ((size_t)64 << 10) /* bytes of apt's messages, from their end */
#define DEBS_MAX 4096
#define TEXT_MAX ((size_t)1 << 20)
#define CERTIFICATES "usr/share/ca-certificates/mozilla"
#define BUNDLE_MAX ((size_t)8 << 20)

/* Files that scripts of packages copy. */
static const struct {
	char from[48], to[24];
} copies[] = {
	{"usr/share/base-passwd/passwd.master", "etc/passwd"},
	{"usr/share/base-passwd/group.master", "etc/group"},
	{"usr/share/libc-bin/nsswitch.conf", "etc/nsswitch.conf"},
};

/* Links that update-alternatives makes; the first target that is there counts. */
static const struct {
	char name[24], target[24];
} alternatives[] = {
	{"usr/bin/awk", "mawk"}, {"usr/bin/awk", "gawk"}, {"usr/bin/which", "which.debianutils"},
	{"usr/bin/cc", "gcc"}, {"usr/bin/c++", "g++"}, {"usr/bin/c99", "c99-gcc"},
	{"usr/bin/nc", "nc.openbsd"}, {"usr/bin/nc", "nc.traditional"}, {"usr/bin/pager", "less"},
	{"usr/bin/vi", "vim.basic"}, {"usr/bin/lua", "lua5.4"}, {"usr/bin/pico", "nano"},
};

/* ---- running apt-get and dpkg-deb ---- */

static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", NULL};

struct last_words { /* the end of what a program printed */
	size_t n;
	char text[MESSAGES_MAX];
};

static void keep_last(void *ctx, const char *bytes, size_t n)
{
	struct last_words *w = ctx;

	if (n > sizeof(w->text)) {
		bytes += n - sizeof(w->text);
		n = sizeof(w->text);
	}
	if (w->n + n > sizeof(w->text)) {
		size_t drop = w->n + n - sizeof(w->text);

		memmove(w->text, w->text + drop, w->n - drop);
		w->n -= drop;
	}
	memcpy(w->text + w->n, bytes, n);
	w->n += n;
}

/* The first error that apt-get reports, else its last line. */
static struct str apt_reason(const struct last_words *w)
{
	struct str all = str_trim(str_n(w->text, w->n), "\n"), line = STR("");

	while (all.n) {
		line = str_until(all, '\n');
		if (str_starts(line, "E: "))
			return str_from(line, 3);
		all = str_from(all, line.n + 1);
	}
	return line;
}

static bool is_package(struct str name)
{
	/* apt-get would remove NAME- */
	return str_is_alnum_or(name, "+-.:=~_") && name.n > 1 && name.n <= 200 && ascii_is_alnum(name.p[0]) &&
			!str_ends(name, "-");
}

static const char *option(struct image_stage *g, const char *key, const char *path)
{
	return str_fmt_c(g->a, "-o%s=%.*s/" IMAGE_FOLDER "/%s/%s", key, STR_ARG(g->store.state), g->name,
			path);
}

/* The shell only joins standard error to the output, where apt-get tells what is wrong. */
static char *const *apt_words(struct image_stage *g, const struct texts *packages)
{
	const char *const fixed[] = {"/bin/sh", "-c", "exec 2>&1; exec \"$@\"", "sh", "/usr/bin/apt-get",
			"-q", "-y", "--download-only", "--no-install-recommends", "-oDebug::NoLocking=true",
			"-oAPT::Sandbox::User=root", "-oAPT::Get::Show-User-Simulation-Note=false",
			"-oDir::Cache::pkgcache=", "-oDir::Cache::srcpkgcache=",
			option(g, "Dir::State::status", "status"),
			option(g, "Dir::State::extended_states", "extended"),
			option(g, "Dir::Cache::archives", "debs/"), "install", "?essential"};
	size_t n = ARRAY_SIZE(fixed);
	const char **words = arena_array(g->a, n + DEBIAN_PACKAGES_MAX + 1, sizeof(*words));

	memcpy(words, fixed, sizeof(fixed));
	for (; packages; packages = packages->next)
		words[n++] = str_c(g->a, packages->text);
	return (char *const *)words;
}

static int download(struct image_stage *g, const struct texts *packages, struct err *e)
{
	struct last_words *last = arena_new(g->a, struct last_words);
	struct process_request rq = {.path = "/bin/sh", .argv = apt_words(g, packages), .envp = environment,
			.timeout_ms = DOWNLOAD_MS, .sink = keep_last, .sink_ctx = last};
	struct process_result result;

	if (access("/usr/bin/apt-get", X_OK) != 0 || access("/usr/bin/dpkg-deb", X_OK) != 0)
		return err_input(e,
				"apt-get and dpkg-deb are missing: images of Debian packages need a Debian "
				"system (caisson image import takes archives)");
	FD_CLEANUP int status = openat(g->dir, "status", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (status < 0 || mkdirat(g->dir, "debs", 0700) != 0 || mkdirat(g->dir, "debs/partial", 0700) != 0)
		return err_system(e, "cannot make a directory for packages");
	if (process_ask(&rq, &result, e) != 0)
		return -1;
	return result.status == 0 ? 0 : err_input(e, "apt-get failed: %.*s",
			(int)(apt_reason(last).n < 300 ? apt_reason(last).n : 300), apt_reason(last).p);
}

/* ---- packages ---- */

struct tar_sink { /* receives an archive: apt has checked the package, but its size is not known */
	int fd;
	uint64_t n;
	bool failed;
};

static void keep_tar(void *ctx, const char *bytes, size_t n)
{
	struct tar_sink *s = ctx;

	s->n += n;
	s->failed |= s->n > 2 * IMAGE_BYTES_MAX ||
			fd_write_all(s->fd, "a package", str_n(bytes, n), NULL) != 0;
}

static int unpack(struct image_stage *g, const char *name, struct err *e)
{
	const char *path = str_fmt_c(g->a, "%.*s/" IMAGE_FOLDER "/%s/debs/%s", STR_ARG(g->store.state),
			g->name, name);
	char *const words[] = {"dpkg-deb", "--fsys-tarfile", (char *)path, NULL};
	struct tar_sink sink = {0};
	struct process_request rq = {.path = "/usr/bin/dpkg-deb", .argv = words, .envp = environment,
			.timeout_ms = UNPACK_MS, .sink = keep_tar, .sink_ctx = &sink};
	struct process_result result;
	struct err why = {0};
	FD_SCOPE file = {0};

	fd_scope(&file, g->a, openat(g->dir, "tar", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600));
	sink.fd = file.fd;
	if (file.fd < 0 || unlinkat(g->dir, "tar", 0) != 0)
		return err_system(e, "cannot make a file for '%s'", name);
	if (process_ask(&rq, &result, e) != 0)
		return -1;
	if (result.status != 0 || sink.failed || lseek(file.fd, 0, SEEK_SET) != 0)
		return err_input(e, "cannot unpack '%s'", name);
	return image_add_tar(g->a, &g->tree, file.fd, &why) == 0 ? 0 : err_wrap(e, &why, name);
}

static int unpack_all(struct image_stage *g, struct err *e)
{
	const char **names = arena_array(g->a, DEBS_MAX, sizeof(*names));
	const struct dirent *entry;
	size_t n = 0;
	DIR_SCOPE d = {0};

	dir_scope(&d, g->a, fdopendir(openat(g->dir, "debs", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
	while (d.dir && n < DEBS_MAX && (entry = readdir(d.dir)))
		if (str_ends(str_of(entry->d_name), ".deb"))
			names[n++] = str_c(g->a, str_of(entry->d_name));
	if (!d.dir || !n || n == DEBS_MAX)
		return err_input(e, "apt-get has downloaded %s", n ? "too many packages" : "nothing");
	qsort(names, n, sizeof(*names), image_name_order);
	for (size_t i = 0; i < n; i++)
		if (unpack(g, names[i], e) != 0)
			return -1;
	return 0;
}

/* ---- what scripts would do ---- */

static int put_file(struct image_tree *t, const char *name, struct str text, struct err *e)
{
	return image_tree_file(t, str_of(name), text.n, e) == 0 && image_tree_write(t, text, e) == 0
			? image_tree_file_end(t, false, e)
			: -1;
}

/* Reads a file of the tree; a link is none. */
static bool read_file(struct image_stage *g, const char *path, struct str *ret)
{
	FD_SCOPE fd = {0};

	fd_scope(&fd, g->a, openat(g->tree.root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	return fd.fd >= 0 && fd_read_all(g->a, fd.fd, path, TEXT_MAX, ret, NULL) == 0;
}

static bool is_there(struct image_stage *g, const char *path)
{
	return faccessat(g->tree.root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int add_copies(struct image_stage *g, struct err *e)
{
	struct str text;

	for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
		if (!is_there(g, copies[i].to) && read_file(g, copies[i].from, &text) &&
				put_file(&g->tree, copies[i].to, text, e) != 0)
			return -1;
	return 0;
}

static int add_links(struct image_stage *g, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(alternatives); i++) {
		const char *target = str_fmt_c(g->a, "usr/bin/%s", alternatives[i].target);

		if (!is_there(g, alternatives[i].name) && is_there(g, target) &&
				image_tree_link(&g->tree, str_of(alternatives[i].name),
				str_of(alternatives[i].target), e) != 0)
			return -1;
	}
	g->tree.merge_usr = false;
	for (size_t i = 0; image_usr_dir(i); i++) {
		const char *target = str_fmt_c(g->a, "usr/%s", image_usr_dir(i));

		if (is_there(g, target) &&
				image_tree_link(&g->tree, str_of(image_usr_dir(i)), str_of(target), e) != 0)
			return -1;
	}
	return 0;
}

/* The bundle that update-ca-certificates makes of the package's certificates. */
static int add_certificates(struct image_stage *g, struct err *e)
{
	const char **names = arena_array(g->a, DEBS_MAX, sizeof(*names));
	const struct dirent *entry;
	size_t n = 0;
	struct str text;
	struct buf b;
	DIR_SCOPE d = {0};

	dir_scope(&d, g->a, fdopendir(openat(g->tree.root, CERTIFICATES,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
	if (!d.dir)
		return 0;
	while (n < DEBS_MAX && (entry = readdir(d.dir)))
		if (str_ends(str_of(entry->d_name), ".crt"))
			names[n++] = str_fmt_c(g->a, CERTIFICATES "/%s", entry->d_name);
	qsort(names, n, sizeof(*names), image_name_order);
	buf_init(&b, g->a, BUNDLE_MAX);
	for (size_t i = 0; i < n; i++)
		if (read_file(g, names[i], &text))
			buf_str(&b, text);
	return put_file(&g->tree, "etc/ssl/certs/ca-certificates.crt", buf_view(&b), e);
}

int image_add_debian(struct image_stage *g, const struct texts *packages, struct err *e)
{
	size_t n = 0;

	for (const struct texts *t = packages; t; t = t->next)
		if (!is_package(t->text) || ++n > DEBIAN_PACKAGES_MAX)
			return err_input(e, "'%.*s' is no name of a package, or there are more than %d",
					STR_ARG(t->text), DEBIAN_PACKAGES_MAX);
	g->tree.merge_usr = true;
	if (download(g, packages, e) != 0 || unpack_all(g, e) != 0 || add_copies(g, e) != 0 ||
			add_links(g, e) != 0 || add_certificates(g, e) != 0)
		return -1;
	if (tree_remove(g->dir, "debs") != 0 || unlinkat(g->dir, "status", 0) != 0 ||
			(unlinkat(g->dir, "extended", 0) != 0 && errno != ENOENT))
		return err_system(e, "cannot remove the packages");
	return 0;
}
