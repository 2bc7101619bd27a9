/* See filter.h. */
#include "cli/filter.h"

#include <unistd.h>

#include "base/json_write.h"
#include "run/run.h"
#include "sys/file.h"

#define PIECE ((size_t)128 << 10)

/* One stream being filtered. */
struct filter_flow {
	const struct filter *f;
	struct normaliser n;
	struct buf plain, redacted, json;
	int rc;
};

/* Passes the normaliser's output on. */
static void push(struct filter_flow *w, bool end)
{
	struct str text = buf_view(&w->plain);

	if (w->f->redactor) {
		w->redacted.n = 0;
		redactor_feed(w->f->redactor, text, &w->redacted);
		if (end)
			redactor_end(w->f->redactor, &w->redacted);
		text = buf_view(&w->redacted);
	}
	if (w->f->json) {
		w->json.n = 0;
		json_put_string(&w->json, text);
		text = str_sub(buf_view(&w->json), 1, w->json.n - 1); /* one pair of quotes for the whole */
	}
	if (text.n && w->rc == 0)
		w->rc = output_write(text, 0);
	w->plain.n = 0;
}

static int pump(struct filter_flow *w, int fd)
{
	char *piece = arena_alloc(w->f->a, PIECE);

	while (w->rc == 0) {
		ssize_t n = fd_read(fd, piece, PIECE);

		if (n < 0) {
			output_error("cannot read '%.200s'", w->f->path ? w->f->path : "-");
			return EXIT_INTERNAL;
		}
		if (n == 0)
			break;
		normaliser_feed(&w->n, str_n(piece, (size_t)n));
		push(w, false);
	}
	normaliser_end(&w->n);
	push(w, true);
	return w->rc;
}

int filter_run(const struct filter *f)
{
	struct filter_flow w = {.f = f};
	struct err e = {0};
	FD_SCOPE file = {.fd = -1};
	struct stat st;

	if (f->path && strcmp(f->path, "-") != 0) {
		fd_scope(&file, f->a, file_open(f->path, &st, &e));
		if (file.fd < 0) {
			output_error("%s", e.text);
			return EXIT_INTERNAL;
		}
	}
	buf_init(&w.plain, f->a, f->a->cap);
	buf_init(&w.redacted, f->a, f->a->cap);
	buf_init(&w.json, f->a, f->a->cap);
	normaliser_start(&w.n, f->a, &f->options, &w.plain);
	if (f->json)
		w.rc = output_write(STR("{\"text\":\""), 0);
	w.rc = pump(&w, file.fd >= 0 ? file.fd : STDIN_FILENO);
	if (!f->json || w.rc)
		return w.rc;
	w.json.n = 0;
	buf_char(&w.json, '"');
	if (f->redactor)
		buf_fmt(&w.json, ",\"redacted\":%llu", (unsigned long long)redactor_count(f->redactor));
	buf_c(&w.json, ",\"sanitized\":");
	report_sanitized(&w.json, &w.n.counts);
	buf_c(&w.json, "}\n");
	return output_write(buf_view(&w.json), 0);
}
