/*
 * Files that a run hands out: those in the home of its box whose path matches a pattern of the request.
 *
 * The box has ended, and the launcher holds a descriptor of its home (outcome.home), so nothing changes while
 * it is read. Names are opened below it, one component at a time and without following links; only regular
 * files count.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "run/job.h"
#include "serve/serve_code.h"
#include "sys/file.h"

#define OUTPUTS_MAX 64                    /* files in an answer */
#define OUTPUTS_BYTES ((size_t)8 << 20)   /* of all of them */
#define OUTPUTS_DEPTH 8                   /* directories below each other */
#define OUTPUTS_ENTRIES 4096              /* names that are looked at */
#define PATTERNS_MAX 16
#define PATTERN_BYTES 256

struct output_search {
	struct serve_work *w;
	struct buf *b;
	size_t files, bytes, entries, left; /* left: files that match and are not in the answer */
	bool stopped;                       /* not every name was looked at */
};

int serve_take_outputs(struct serve_work *w, const struct json *list, struct err *e)
{
	struct texts **end = &w->outputs;

	if (list && (!json_is(list, JSON_ARRAY) || json_size(list) > PATTERNS_MAX))
		return err_set(e, ERR_INPUT, 0, "'outputs' is a list of at most %d patterns", PATTERNS_MAX);
	for (const struct json *v = json_items(list); v; v = v->next) {
		struct str text = json_text(v);

		if (!json_is(v, JSON_STRING) || !text.n || text.n > PATTERN_BYTES || text.p[0] == '/')
			return err_set(e, ERR_INPUT, 0,
					"'outputs' has patterns of paths in the home, as *.png or out/**");
		end = texts_add(w->a, end, text);
	}
	w->run->request.collects = w->outputs;
	return 0;
}

static bool is_wanted(const struct output_search *o, struct str path)
{
	for (const struct texts *t = o->w->outputs; t; t = t->next)
		if (glob_path(t->text, path, 0))
			return true;
	return false;
}

static void put_base64(struct buf *b, struct str s)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i += 3) {
		size_t n = s.n - i < 3 ? s.n - i : 3;
		unsigned v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (k < n ? (unsigned char)s.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_char(b, k <= n ? letters[v >> (18 - 6 * k) & 63] : '=');
	}
	buf_char(b, '"');
}

static void put_output(struct output_search *o, int dir, const char *name, struct str path)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct str text;
	struct stat st;
	struct err e;
	bool plain;

	if (o->files == OUTPUTS_MAX || fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
			(uint64_t)st.st_size > OUTPUTS_BYTES - o->bytes ||
			fd_read_all(o->w->a, fd, "a file of the box", OUTPUTS_BYTES, &text, &e) != 0) {
		o->left++;
		return;
	}
	plain = utf8_valid(text);
	json_put_comma(o->b);
	buf_char(o->b, '{');
	json_put_field(o->b, "name", path);
	json_put_field(o->b, "encoding", plain ? STR("utf8") : STR("base64"));
	json_put_key(o->b, "content");
	if (plain)
		json_put_string(o->b, text);
	else
		put_base64(o->b, text);
	buf_char(o->b, '}');
	o->files++;
	o->bytes += text.n;
}

/* Takes `dir` over. */
static void look_into(struct output_search *o, int dir, struct str above, unsigned depth)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *at;

	if (!d && dir >= 0)
		close(dir);
	while (d && (at = readdir(d))) {
		struct str name = str_of(at->d_name);
		struct str path = above.n ? str_path(o->w->a, above, name) : name;

		if (str_is_any(name, ". .."))
			continue;
		if (++o->entries > OUTPUTS_ENTRIES || (at->d_type == DT_DIR && depth == OUTPUTS_DEPTH)) {
			o->stopped = true;
			break;
		}
		if (at->d_type == DT_REG && is_wanted(o, path))
			put_output(o, dirfd(d), at->d_name, path);
		else if (at->d_type == DT_DIR)
			look_into(o,
					openat(dirfd(d), at->d_name,
							O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					above.n ? path : str_dup(o->w->a, path), depth + 1);
	}
	if (d)
		closedir(d);
}

void serve_put_outputs(struct serve_work *w, struct buf *b)
{
	struct output_search o = {.w = w, .b = b};
	int home = w->run->outcome.home;

	if (!w->outputs)
		return;
	while (b->n && (b->p[b->n - 1] == '\n' || b->p[b->n - 1] == '}'))
		if (b->p[--b->n] == '}')
			break;
	buf_c(b, ",\"outputs\":[");
	if (home > 0)
		look_into(&o, fcntl(home, F_DUPFD_CLOEXEC, 3), STR(""), 1);
	buf_fmt(b, "],\"outputs_left\":%zu", o.left);
	json_put_bool(b, "outputs_complete", home > 0 && !o.left && !o.stopped);
	buf_c(b, "}\n");
}
