/* caisson image: read-only roots for boxes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/boxes.h"
#include "cli/doc.h"
#include "cli/rows.h"
#include "client/person.h"
#include "image/image_debian.h"
#include "image/image_import.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/state.h"

#define OPERANDS_MAX DEBIAN_PACKAGES_MAX
#define SHORT_DIGEST 12
#define NAMES_COLUMN 20

struct image_job {
	struct arena a;
	struct context here;
	struct image_store store;
	const char *name;
	bool debian, json;
	const char *operands[OPERANDS_MAX];
	size_t n;
	struct image_stage stage;
	struct image image;
	bool moved;
};

#define AT(field) offsetof(struct image_job, field)
static const struct option_row options[] = {
		{"name", OPTION_ONCE, AT(name), "NAME",
				"name of the new image (import: by default that of the file or directory)"},
		{"debian", OPTION_FLAG, AT(debian), "",
				"build: of Debian packages, from the apt sources of this machine"},
		{"json", OPTION_FLAG, AT(json), "", "print JSON"},
		OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
		{0, "added, listed or removed"},
		{1, "refused, or no such image"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
		{"docker export box | caisson image import - --name tools",
				"Makes an image of a container's files."},
		{"caisson image build --debian python3 git --name py",
				"Downloads packages with apt-get, and unpacks them; no Docker, no root."},
		{"caisson run --image py -- python3 -c 'print(1)'", "Runs a program of the image."},
		{"caisson image remove py", "Removes the name, and the image if it has no other."},
};

/* ---- adding ---- */

static void put_image(struct buf *b, const struct image *i)
{
	json_put_open(b, NULL, '{');
	json_put_field(b, "digest", str_fmt(b->a, IMAGE_PREFIX "%.*s", STR_ARG(i->digest)));
	json_put_texts(b, "names", i->names);
	buf_fmt(b, ",\"bytes\":%llu,\"entries\":%llu", (unsigned long long)i->bytes,
			(unsigned long long)i->entries);
	json_put_field(b, "source", i->source);
	json_put_field(b, "created", i->created);
	buf_char(b, '}');
}

static int tell(struct image_job *j)
{
	struct buf b;

	buf_init(&b, &j->a, 0);
	if (j->json)
		put_image(&b, &j->image);
	else
		buf_fmt(&b, IMAGE_PREFIX "%.*s", STR_ARG(j->image.digest));
	buf_char(&b, '\n');
	if (j->moved)
		output_error("image: '%.*s' was the name of another image, which still exists",
				STR_ARG(j->image.names->text));
	return output_write(buf_view(&b), 0);
}

/* A box shows everything of its image: nobody means the whole machine, or caisson's own files. */
static int refuse_place(struct image_job *j, struct str real, struct err *e)
{
	const struct view *v = j->here.view;
	const struct str own[] = {v->config_dir, j->store.state};

	if (real.n < 2 || path_inside(v->home, real))
		return err_input(e, "'%.*s' is the system's own root, the home directory, or one above it",
				STR_ARG(real));
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i].n && (path_inside(own[i], real) || path_inside(real, own[i])))
			return err_input(e, "'%.*s' contains caisson's own files", STR_ARG(real));
	return 0;
}

static int add_dir(struct image_job *j, const char *path, struct err *e)
{
	struct str name = str_of(path), real;
	struct path_memo memo;
	enum path_kind kind;

	path_memo_init(&memo, &j->a, j->here.view->cwd);
	real = path_real(&memo, path[0] == '/' ? name : str_path(&j->a, j->here.view->cwd, name), &kind);
	if (kind != PATH_DIR)
		return err_input(e, "'%s' is no directory", path);
	if (refuse_place(j, real, e) != 0)
		return -1;
	return image_add_dir(&j->a, &j->stage.tree, str_c(&j->a, real), e);
}

static int add_source(struct image_job *j, struct err *e)
{
	const char *path = j->operands[0];
	struct stat st;
	FD_SCOPE fd = {0};

	if (!strcmp(path, "-"))
		return image_add_tar(&j->a, &j->stage.tree, STDIN_FILENO, e);
	if (stat(path, &st) != 0)
		return err_system(e, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode))
		return add_dir(j, path, e);
	fd_scope(&fd, &j->a, file_open(path, NULL, e));
	return fd.fd < 0 ? -1 : image_add_tar(&j->a, &j->stage.tree, fd.fd, e);
}

/* The name of the image: as given, else by the file's; empty for standard input. */
static int choose_name(struct image_job *j, struct str *ret, struct err *e)
{
	struct str base = j->debian || !strcmp(j->operands[0], "-")
			? STR("")
			: str_base(str_trim(str_of(j->operands[0]), "/"));

	if (j->name) {
		*ret = str_of(j->name);
		return image_check_name(*ret, e);
	}
	if (str_ends(base, ".tar"))
		base.n -= strlen(".tar");
	*ret = base;
	if (!base.n || image_check_name(base, NULL) == 0)
		return 0;
	return err_input(e, "'%.*s' is no name for an image: give one with --name", STR_ARG(base));
}

static struct str source_text(struct image_job *j)
{
	struct buf b;

	buf_init(&b, &j->a, 0);
	buf_c(&b, j->debian ? "debian" : "import");
	for (size_t i = 0; i < j->n && b.n < 200; i++)
		buf_fmt(&b, " %s", j->debian ? j->operands[i]
					     : str_c(&j->a, str_base(str_of(j->operands[i]))));
	return buf_view(&b);
}

static int add_image(struct image_job *j, struct err *e)
{
	struct texts *packages = NULL, **end = &packages;
	struct str name;

	if (person_check(&j->a, 0, e) != 0 || choose_name(j, &name, e) != 0 ||
			state_make(&j->a, j->here.view->state_dir, STR(""), j->store.uid, &j->store.state,
			e) != 0 ||
			image_stage_begin(&j->a, &j->store, &j->stage, e) != 0)
		return -1;
	for (size_t i = 0; i < j->n; i++)
		end = texts_add(&j->a, end, str_of(j->operands[i]));
	if ((j->debian ? image_add_debian(&j->stage, packages, e) : add_source(j, e)) < 0)
		return -1;
	return image_stage_commit(&j->stage, name, source_text(j), &j->image, &j->moved, e);
}

static int add_and_tell(struct image_job *j, struct err *e)
{
	int rc = add_image(j, e);

	if (j->stage.a)
		image_stage_end(&j->stage);
	return rc < 0 ? -1 : tell(j);
}

/* ---- the rest ---- */

static void put_row(struct buf *b, const struct image *i)
{
	size_t from = b->n;

	for (const struct texts *t = i->names; t; t = t->next)
		buf_fmt(b, "%s%.*s", t == i->names ? "" : ",", STR_ARG(t->text));
	if (!i->names)
		buf_char(b, '-');
	do
		buf_char(b, ' ');
	while (b->n - from < NAMES_COLUMN);
	buf_fmt(b, IMAGE_PREFIX "%.*s  %6.1f MB  %7llu names  ", SHORT_DIGEST, i->digest.p,
			(double)i->bytes / (1 << 20), (unsigned long long)i->entries);
	/* an image's time has no fraction, which put_time() expects */
	put_time(b, i->created.n != 20 ? i->created : str_fmt(b->a, "%.19s.000000Z", i->created.p), false,
			"%Y-%m-%d %H:%M  ");
	put_visible(b, i->source);
	buf_char(b, '\n');
}

static int list(struct image_job *j, struct err *e)
{
	struct image *all = NULL;
	struct buf b;

	if (image_list(&j->a, &j->store, &all, e) != 0)
		return -1;
	buf_init(&b, &j->a, 0);
	if (j->json)
		buf_c(&b, "{\"v\":1,\"images\":[");
	for (const struct image *i = all; i; i = i->next) {
		if (j->json)
			json_put_comma(&b);
		(j->json ? put_image : put_row)(&b, i);
	}
	buf_c(&b, j->json ? "]}\n" : all ? "" : "there are no images (caisson image import makes one)\n");
	return output_write(buf_view(&b), 0);
}

static int remove_images(struct image_job *j, struct err *e)
{
	if (person_check(&j->a, 0, e) != 0)
		return -1;
	for (size_t i = 0; i < j->n; i++) {
		bool gone;

		if (image_remove(&j->a, &j->store, str_of(j->operands[i]), &gone, e) != 0)
			return -1;
		if (!gone)
			output_error("image: the image has other names, and stays");
	}
	return 0;
}

static const struct image_verb {
	char name[8];
	bool debian;       /* takes --debian, and no verb else does */
	bool named;        /* takes --name */
	size_t least, most; /* operands */
	int (*fn)(struct image_job *j, struct err *e);
	char usage[72];
} verbs[] = {
		{"import", false, true, 1, 1, add_and_tell,
				"import needs one tar archive, one directory, or -"},
		{"build", true, true, 1, OPERANDS_MAX, add_and_tell,
				"build needs --debian and names of packages"},
		{"list", false, false, 0, 0, list, "list takes no operand and no --name"},
		{"remove", false, false, 1, OPERANDS_MAX, remove_images, "remove needs names or digests"},
};

struct image_call {
	struct image_job *j;
	const struct image_verb *verb;
};

static int work(void *arg)
{
	const struct image_call *c = arg;
	struct image_job *j = c->j;
	struct err e = {0};
	int rc;

	j->here = (struct context){.places = true};
	context_open(&j->a, &j->here);
	j->store.uid = j->here.view->uid;
	if (state_check(&j->a, j->here.view->state_dir, STR(""), j->store.uid, &j->store.state, &e) != 0) {
		output_error("image: %s", e.text);
		return EXIT_INTERNAL;
	}
	rc = c->verb->fn(j, &e);
	if (rc >= 0)
		return rc;
	output_error("image: %s", e.text);
	return e.kind == ERR_SYSTEM ? EXIT_INTERNAL : 1;
}

/* Options may stand before, between and after operands. -1: the command ends here with *ret_code. */
static int take_words(const struct command_row *self, struct image_job *j, int argc, char **argv,
		int *ret_code)
{
	for (;;) {
		int first = options_take(self, argc, argv, j, ret_code);

		if (first < 0)
			return -1;
		if (first == argc)
			return 0;
		if (j->n == OPERANDS_MAX) {
			*ret_code = usage_wrong(self, "too many words");
			return -1;
		}
		j->operands[j->n++] = argv[first];
		argc -= first;
		argv += first;
	}
}

static int run_image(const struct command_row *self, int argc, char **argv)
{
	struct image_job j = {0};
	struct image_call call = {.j = &j};
	int code;

	if (take_words(self, &j, argc, argv, &code) != 0)
		return code;
	for (size_t i = 0; j.n && i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(j.operands[0], verbs[i].name))
			call.verb = &verbs[i];
	if (!call.verb)
		return usage_wrong(self, "import, build, list or remove is expected");
	memmove(j.operands, j.operands + 1, --j.n * sizeof(*j.operands));
	if (j.n < call.verb->least || j.n > call.verb->most || j.debian != call.verb->debian ||
			(j.name && !call.verb->named))
		return usage_wrong(self, call.verb->usage);
	return with_arena(&j.a, work, &call);
}

const struct command_row command_image = {
		.name = "image",
		.synopsis = "import [--name NAME] [--json] FILE\n"
			    "build [--name NAME] [--json] --debian PACKAGE...\n"
			    "list [--json]\n"
			    "remove IMAGE...",
		.summary = "read-only roots for boxes: import, build, list, remove",
		.about = "An image is a tree of files that a box has as its root, in place of the system's "
			 "directories: caisson run --image, the key sandbox.image of a policy, or a skill. "
			 "Every backend takes it. The digest of its content is its identity; it never "
			 "changes. IMAGE is a name, or sha256: with at least 8 digits.\n\n"
			 "import takes an uncompressed tar archive, - for one on standard input, or a "
			 "directory. "
			 "It refuses names that are absolute, contain .. or lead through links, links that "
			 "climb out, devices, more than 400,000 names and more than 8 GB. It keeps no owners "
			 "and no modes but that of executable files. Names in /dev, /home, /proc, /run, /sys "
			 "and /tmp are left out: a box has its own.\n\n"
			 "build downloads the packages, what they depend on, and Debian's essential packages "
			 "with apt-get, which verifies them. Scripts of packages do not run.\n\n"
			 "remove takes a name away, and the image with its last name. It refuses while a box "
			 "uses the image. Changing images is for people: a fixed check denies it to agents.",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_image,
};
