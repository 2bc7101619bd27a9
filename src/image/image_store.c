/* See image_store.h. */
#define _GNU_SOURCE
#include "image/image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/num.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/state.h"
#include "sys/tree_walk.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define IMAGES_MAX 4096  /* that are listed */
#define ABOUT_MAX ((size_t)64 << 10)
#define NAME_TEXT_MAX 256
#define DIR_PREFIX "sha256-"

int image_check_name(struct str name, struct err *e)
{
	bool ok = name.n && name.n <= IMAGE_NAME_MAX && ascii_is_alnum(name.p[0]) &&
			!str_is(name, IMAGE_NONE) && !str_starts(name, "sha256");

	return ok && str_is_alnum_or(name, "._-") ? 0 : err_input(e,
			"invalid name of an image '%.*s' (use at most %d letters, digits, '.', '_', '-', not "
			IMAGE_NONE " or sha256…)", (int)(name.n < 80 ? name.n : 80), name.p, IMAGE_NAME_MAX);
}

/* ---- locks ---- */

/* Takes a lock of a file (F_WRLCK, F_RDLCK), with `wait` or at once. Returns the descriptor, or -1: errno. */
static int lock_file(int dir, const char *name, short type, bool wait)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
	int lock = fd;

	if (fd < 0)
		return -1;
	while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &whole) != 0)
		if (errno != EINTR)
			return -1;
	fd = -1;
	return lock;
}

/* The store's folder, made if necessary. */
static int open_folder(struct arena *a, const struct image_store *s, struct err *e)
{
	struct str path;
	int fd;

	if (state_folder(a, s->state, STR(""), s->uid, IMAGE_FOLDER, &path, e) != 0)
		return -1;
	fd = open(str_c(a, path), DIRECTORY);
	if (fd < 0 || (mkdirat(fd, "names", 0700) != 0 && errno != EEXIST)) {
		int rc = err_system(e, "cannot open '%.*s'", STR_ARG(path));

		fd_close(&fd);
		return rc;
	}
	return fd;
}

/* Directories of imports and removals that were killed. Call it with the store's lock. */
static void sweep(int folder)
{
	const struct dirent *entry;
	DIR *d = fdopendir(openat(folder, ".", DIRECTORY));
	char name[64];

	while (d && (entry = readdir(d))) {
		bool new = str_starts(str_of(entry->d_name), "new-");

		if ((!new && !str_starts(str_of(entry->d_name), "gone-")) ||
				str_put(name, sizeof(name), "%s", entry->d_name) >= sizeof(name))
			continue;
		FD_CLEANUP int dir = openat(folder, name, DIRECTORY);
		FD_CLEANUP int lock = dir >= 0 && new ? lock_file(dir, "lock", F_WRLCK, false) : -1;
		if (!new || lock >= 0)
			(void)tree_remove(folder, name);
	}
	if (d)
		closedir(d);
}

/* ---- looking ---- */

/* Reads STATE/images/names/NAME. False: there is none. */
static bool read_name(struct arena *a, const struct image_store *s, struct str name, struct str *ret)
{
	const char *path = str_fmt_c(a, "%.*s/" IMAGE_FOLDER "/names/%.*s", STR_ARG(s->state), STR_ARG(name));
	struct str text;

	if (file_read(a, path, NAME_TEXT_MAX, &text, NULL, NULL) != 0)
		return false;
	text = str_trim(text, "\n");
	if (!str_take(&text, IMAGE_PREFIX) || !str_is_hex(text, SHA256_HEX))
		return false;
	*ret = text;
	return true;
}

static uint64_t number_of(const struct json *o, const char *key)
{
	const struct json *n = json_key(o, key);
	int64_t value;

	return n && num_parse(n->text, 0, INT64_MAX, &value) == 0 ? (uint64_t)value : 0;
}

static struct str text_of(const struct json *o, const char *key)
{
	const struct json *n = json_key(o, key);

	return n && n->kind == JSON_STRING ? n->text : STR("");
}

/* Fills in what the store knows about a digest. False: it has no such image. */
static bool read_image(struct arena *a, const struct image_store *s, struct str digest, struct image *ret)
{
	struct str dir = str_fmt(a, "%.*s/" IMAGE_FOLDER "/" DIR_PREFIX "%.*s", STR_ARG(s->state),
			STR_ARG(digest));
	struct json *o;
	struct str text;

	if (file_read(a, str_c(a, str_path(a, dir, STR("about.json"))), ABOUT_MAX, &text, NULL, NULL) != 0 ||
			json_read(a, text, &o, NULL) != 0)
		return false;
	*ret = (struct image){.digest = digest, .root = str_path(a, dir, STR("root")),
			.entries = number_of(o, "entries"), .bytes = number_of(o, "bytes"),
			.source = text_of(o, "source"), .created = text_of(o, "created")};
	return true;
}

/* The names in a folder of the store, unsorted; none if it does not exist. */
static int list_folder(struct arena *a, const struct image_store *s, const char *folder, struct texts **ret,
		struct err *e)
{
	const char *path = str_fmt_c(a, "%.*s/" IMAGE_FOLDER "%s", STR_ARG(s->state), folder);
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;

	*ret = NULL;
	dir_scope(&d, a, opendir(path));
	if (!d.dir)
		return errno == ENOENT ? 0 : err_system(e, "cannot read '%s'", path);
	while ((entry = readdir(d.dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (++n > IMAGES_MAX)
			return err_limit(e, "'%s' has more than %d names", path, IMAGES_MAX);
		texts_push(a, ret, str_dup(a, str_of(entry->d_name)));
	}
	return 0;
}

static void insert_name(struct arena *a, struct texts **to, struct str name)
{
	while (*to && str_cmp((*to)->text, name) < 0)
		to = &(*to)->next;
	texts_push(a, to, name);
}

static void add_names(struct arena *a, const struct image_store *s, const struct texts *names,
		struct image *of)
{
	struct str digest;

	for (; names; names = names->next)
		if (image_check_name(names->text, NULL) == 0 && read_name(a, s, names->text, &digest) &&
				str_eq(digest, of->digest))
			insert_name(a, &of->names, names->text);
}

static void insert_image(struct image **to, struct image *image)
{
	while (*to && str_cmp((*to)->created, image->created) > 0)
		to = &(*to)->next;
	image->next = *to;
	*to = image;
}

int image_list(struct arena *a, const struct image_store *s, struct image **ret, struct err *e)
{
	struct texts *dirs, *names;

	if (list_folder(a, s, "", &dirs, e) != 0 || list_folder(a, s, "/names", &names, e) != 0)
		return -1;
	*ret = NULL;
	for (; dirs; dirs = dirs->next) {
		struct str digest = str_from(dirs->text, strlen(DIR_PREFIX));
		struct image *image = arena_new(a, struct image);

		if (!str_starts(dirs->text, DIR_PREFIX) || !str_is_hex(digest, SHA256_HEX) ||
				!read_image(a, s, digest, image))
			continue;
		add_names(a, s, names, image);
		insert_image(ret, image);
	}
	return 0;
}

static int not_there(struct str ref, struct err *e)
{
	return err_input(e, "there is no image '%.*s' (caisson image list shows them)",
			(int)(ref.n < 100 ? ref.n : 100), ref.p);
}

static int find_digest(struct arena *a, const struct image_store *s, struct str ref, struct image *ret,
		struct err *e)
{
	struct str digits = str_from(ref, strlen(IMAGE_PREFIX));
	const struct image *found = NULL;
	struct image *all;

	if (digits.n < IMAGE_DIGITS_MIN || !str_is_hex(digits, digits.n))
		return err_input(e, "'%.*s' is no digest: expected at least %d digits after " IMAGE_PREFIX,
				(int)(ref.n < 100 ? ref.n : 100), ref.p, IMAGE_DIGITS_MIN);
	if (image_list(a, s, &all, e) != 0)
		return -1;
	for (; all; all = all->next) {
		if (!str_eq(str_first(all->digest, digits.n), digits))
			continue;
		if (found)
			return err_input(e, "several images begin with '%.*s': give more digits",
					STR_ARG(ref));
		found = all;
	}
	if (!found)
		return not_there(ref, e);
	*ret = *found;
	return 0;
}

int image_find(struct arena *a, const struct image_store *s, struct str ref, struct image *ret,
		struct err *e)
{
	struct str digest;

	if (str_starts(ref, IMAGE_PREFIX))
		return find_digest(a, s, ref, ret, e);
	if (image_check_name(ref, e) != 0)
		return -1;
	if (!read_name(a, s, ref, &digest) || !read_image(a, s, digest, ret))
		return not_there(ref, e);
	texts_push(a, &ret->names, ref);
	return 0;
}

/* ---- using ---- */

/* True if the lock is that of the image in its place: a removal takes the directory away first. */
static bool is_in_place(const char *path, int lock)
{
	struct stat st, now;

	return fstat(lock, &st) == 0 && lstat(path, &now) == 0 && st.st_dev == now.st_dev &&
			st.st_ino == now.st_ino;
}

int image_hold(struct arena *a, const struct image_store *s, struct str digest, struct err *e)
{
	const char *dir = str_fmt_c(a, "%.*s/" IMAGE_FOLDER "/" DIR_PREFIX "%.*s", STR_ARG(s->state),
			STR_ARG(digest));
	const char *path = str_fmt_c(a, "%s/lock", dir);
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	FD_CLEANUP int lock = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int held = lock;

	if (lock < 0 || fcntl(lock, F_OFD_SETLK, &whole) != 0 || !is_in_place(path, lock))
		return err_input(e, "the image " IMAGE_PREFIX "%.12s was removed", digest.p);
	lock = -1;
	return held;
}

/* ---- making ---- */

static void drop_stage(void *ptr)
{
	struct image_stage *g = ptr;

	image_tree_close(&g->tree);
	if (g->name[0] && g->folder >= 0)
		(void)tree_remove(g->folder, g->name);
	fd_close(&g->tree.root);
	fd_close(&g->lock);
	fd_close(&g->dir);
	fd_close(&g->folder);
}

/* Takes the store's lock, so that no sweep sees the directory without its own. */
static int make_stage(struct image_stage *g, struct err *e)
{
	char id[ID_LETTERS + 1];
	FD_CLEANUP int store = lock_file(g->folder, "lock", F_WRLCK, true);

	if (store < 0)
		return err_system(e, "cannot lock the images");
	sweep(g->folder);
	if (id_new(id, e) != 0)
		return -1;
	str_put(g->name, sizeof(g->name), "new-%s", id);
	if (mkdirat(g->folder, g->name, 0700) == 0)
		g->dir = openat(g->folder, g->name, DIRECTORY);
	if (g->dir >= 0 && mkdirat(g->dir, "root", 0700) == 0) {
		g->lock = lock_file(g->dir, "lock", F_WRLCK, false);
		image_tree_init(&g->tree, openat(g->dir, "root", DIRECTORY));
	}
	return g->lock >= 0 && g->tree.root >= 0 ? 0 : err_system(e, "cannot make a directory for the image");
}

int image_stage_begin(struct arena *a, const struct image_store *s, struct image_stage *ret, struct err *e)
{
	*ret = (struct image_stage){.a = a, .store = *s, .folder = -1, .dir = -1, .lock = -1,
			.tree = {.root = -1, .file = -1}};
	arena_defer(a, &ret->cleanup, drop_stage, ret);
	ret->folder = open_folder(a, s, e);
	return ret->folder < 0 ? -1 : make_stage(ret, e);
}

void image_stage_end(struct image_stage *g) { arena_release(g->a, &g->cleanup); }

static int write_about(struct image_stage *g, const struct image_seal *seal, struct str source,
		struct err *e)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[32];
	struct buf b;

	if (!gmtime_r(&now, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		date[0] = 0;
	buf_init(&b, g->a, 0);
	buf_c(&b, "{\"v\":1");
	json_put_field(&b, "digest", str_fmt(g->a, IMAGE_PREFIX "%s", seal->digest));
	buf_fmt(&b, ",\"entries\":%llu,\"bytes\":%llu", (unsigned long long)seal->entries,
			(unsigned long long)seal->bytes);
	json_put_field(&b, "source", source);
	json_put_field(&b, "created", str_of(date));
	buf_c(&b, "}\n");
	FD_CLEANUP int fd = openat(g->dir, "about.json", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	return fd < 0 ? err_system(e, "cannot write about the image")
		      : fd_write_all(fd, "about.json", buf_view(&b), e);
}

/* Puts the directory in its place, unless the store has the same image already. */
static int place_image(struct image_stage *g, const char *dir, struct err *e)
{
	if (renameat2(g->folder, g->name, g->folder, dir, RENAME_NOREPLACE) == 0) {
		g->name[0] = 0;
		return 0;
	}
	return errno == EEXIST || errno == ENOTEMPTY ? 0 : err_system(e, "cannot add the image");
}

static int set_name(struct image_stage *g, struct str name, struct str digest, bool *ret_moved, struct err *e)
{
	struct arena *a = g->a;
	struct str old, text = str_fmt(a, IMAGE_PREFIX "%.*s\n", STR_ARG(digest));

	*ret_moved = read_name(a, &g->store, name, &old) && !str_eq(old, digest);
	return file_replace(str_fmt_c(a, "%.*s/" IMAGE_FOLDER "/names/%.*s", STR_ARG(g->store.state),
			STR_ARG(name)), text, e);
}

int image_stage_commit(struct image_stage *g, struct str name, struct str source, struct image *ret,
		bool *ret_moved, struct err *e)
{
	struct image_seal seal;
	struct str digest;

	*ret_moved = false;
	if (image_tree_complete(&g->tree, e) != 0 || image_tree_seal(g->a, &g->tree, &seal, e) != 0 ||
			write_about(g, &seal, source, e) != 0)
		return -1;
	digest = str_dup(g->a, str_of(seal.digest));
	const char *dir = str_fmt_c(g->a, DIR_PREFIX "%.*s", STR_ARG(digest));
	if (syncfs(g->dir) != 0)
		return err_system(e, "cannot write the image to the disk");
	FD_SCOPE store = {0};
	fd_scope(&store, g->a, lock_file(g->folder, "lock", F_WRLCK, true));
	if (store.fd < 0)
		return err_system(e, "cannot lock the images");
	fd_close(&g->lock); /* a box may use it as soon as it is in its place */
	if (place_image(g, dir, e) != 0)
		return -1;
	if (name.n && set_name(g, name, digest, ret_moved, e) != 0)
		return -1;
	if (!read_image(g->a, &g->store, digest, ret))
		return err_host(e, "the image cannot be read back");
	if (name.n)
		texts_push(g->a, &ret->names, name);
	return 0;
}

/* ---- removing ---- */

static int remove_names(struct arena *a, int folder, const struct texts *names, struct err *e)
{
	FD_SCOPE dir = {0};

	fd_scope(&dir, a, openat(folder, "names", DIRECTORY));
	for (; names; names = names->next)
		if (unlinkat(dir.fd, str_c(a, names->text), 0) != 0 && errno != ENOENT)
			return err_system(e, "cannot remove the name '%.*s'", STR_ARG(names->text));
	return 0;
}

/* Takes the image away at once; its files follow. */
static int remove_image(struct arena *a, int folder, const struct image *image, const struct texts *names,
		char *gone, size_t room, struct err *e)
{
	const char *dir = str_fmt_c(a, DIR_PREFIX "%.*s", STR_ARG(image->digest));
	char id[ID_LETTERS + 1];
	FD_SCOPE fd = {0}, lock = {0};

	if (id_new(id, e) != 0)
		return -1;
	str_put(gone, room, "gone-%s", id);
	fd_scope(&fd, a, openat(folder, dir, DIRECTORY));
	if (fd.fd < 0)
		return err_system(e, "cannot open the image");
	fd_scope(&lock, a, lock_file(fd.fd, "lock", F_WRLCK, false));
	if (lock.fd < 0)
		return errno == EAGAIN || errno == EACCES
				? err_input(e, "a box uses the image " IMAGE_PREFIX "%.12s", image->digest.p)
				: err_system(e, "cannot lock the image");
	if (remove_names(a, folder, names, e) != 0)
		return -1;
	return renameat(folder, dir, folder, gone) == 0 ? 0 : err_system(e, "cannot remove the image");
}

/* The image with all its names, which is more than image_find() tells. */
static int find_whole(struct arena *a, const struct image_store *s, struct str ref, struct image *ret,
		struct err *e)
{
	struct texts *names;

	if (image_find(a, s, ref, ret, e) != 0 || list_folder(a, s, "/names", &names, e) != 0)
		return -1;
	ret->names = NULL;
	add_names(a, s, names, ret);
	return 0;
}

int image_remove(struct arena *a, const struct image_store *s, struct str ref, bool *ret_gone, struct err *e)
{
	struct texts one = {.text = ref};
	bool by_digest = str_starts(ref, IMAGE_PREFIX);
	char gone[48];
	struct image image;
	FD_SCOPE folder = {0}, store = {0};

	fd_scope(&folder, a, open_folder(a, s, e));
	if (folder.fd < 0)
		return -1;
	fd_scope(&store, a, lock_file(folder.fd, "lock", F_WRLCK, true));
	if (store.fd < 0)
		return err_system(e, "cannot lock the images");
	if (find_whole(a, s, ref, &image, e) != 0)
		return -1;
	*ret_gone = by_digest || !image.names || !image.names->next;
	if (!*ret_gone)
		return remove_names(a, folder.fd, &one, e);
	if (remove_image(a, folder.fd, &image, image.names, gone, sizeof(gone), e) != 0)
		return -1;
	/* with the lock: a sweep would remove the same files */
	return tree_remove(folder.fd, gone) == 0 ? 0 : err_system(e, "cannot remove all files of the image");
}
