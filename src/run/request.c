/* The notation of run requests: one row for each option. See request.h. */
#include "run/request.h"

#include "base/num.h"
#include "run/run_validation.h"

struct option_word { /* a word that is being parsed */
	struct arena *a;
	enum run_word word;
	const char *text;
	const struct run_words *all;
	struct run_request *rq;
};

/* ---- language ---- */

static int parse_lang(const struct option_word *w, struct err *e)
{
	struct buf known;

	if (w->all->v[WORD_SHELL])
		return err_input(e, "use either --shell or --lang");
	if (!w->rq->code && !w->rq->file)
		return err_input(e, "--lang needs -c or --file");
	w->rq->language = language_find(str_of(w->text));
	if (w->rq->language)
		return 0;
	buf_init(&known, w->a, 0);
	for (enum run_language l = LANGUAGE_UNKNOWN + 1; l < LANGUAGES; l++)
		buf_fmt(&known, "%s%s", known.n ? ", " : "", language_name(l));
	return err_input(e, "--lang '%.40s': expected one of %.*s", w->text, STR_ARG(buf_view(&known)));
}

static int parse_shell(const struct option_word *w, struct err *e)
{
	enum run_language l = language_find(str_of(w->text));

	if (!w->rq->code && !w->rq->file)
		return err_input(e, "--shell needs -c or --file");
	if (!l || !language_row(l)->shell)
		return err_input(e, "--shell '%.40s': expected bash, sh or zsh", w->text);
	w->rq->language = l;
	return 0;
}

static struct str text_lang(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->language ? str_of(language_name(rq->language)) : (struct str){0};
}

/* ---- profile, workspace, network, backend ---- */

static int parse_profile(const struct option_word *w, struct err *e)
{
	if (profile_find(str_of(w->text), &w->rq->profile) != 0)
		return err_input(e, "--profile '%.40s': expected exec or work", w->text);
	return 0;
}

static struct str text_profile(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->profile ? str_of(profile_name(rq->profile)) : (struct str){0};
}

/* DIR, DIR:ro, DIR:rw */
static int parse_workspace(const struct option_word *w, struct err *e)
{
	struct str path = str_of(w->text);
	bool read_only = str_ends(path, ":ro");

	if (str_ends(path, ":overlay"))
		return err_input(e,
				"--workspace '%.*s': overlay is not available yet; ro and rw are",
				STR_ARG(path));
	if (read_only || str_ends(path, ":rw"))
		path.n -= 3;
	w->rq->workspace = (struct run_workspace){.path = path, .given = true, .writable = !read_only};
	return 0;
}

static struct str text_workspace(struct arena *a, const struct run_request *rq, enum run_word w)
{
	const struct run_workspace *ws = &rq->workspace;
	bool ambiguous = str_ends(ws->path, ":ro") || str_ends(ws->path, ":rw") ||
			str_ends(ws->path, ":overlay");

	(void)w;
	if (!ws->given)
		return (struct str){0};
	return str_cat(a, ws->path, !ws->writable ? STR(":ro") : ambiguous ? STR(":rw") : STR(""));
}

static int parse_network(const struct option_word *w, struct err *e)
{
	struct err why = {0};

	if (network_request_parse(w->a, str_of(w->text), &w->rq->network, &why) != 0)
		return err_input(e, "--network '%.40s': %s", w->text, why.text);
	return 0;
}

static struct str text_network(struct arena *a, const struct run_request *rq, enum run_word w)
{
	const struct network_request *n = rq->network_part.given ? &rq->network_part : &rq->network;

	(void)w;
	return n->given ? network_request_text(a, n) : (struct str){0};
}

static int parse_backend(const struct option_word *w, struct err *e)
{
	w->rq->backend = backend_choice_find(str_of(w->text));
	return w->rq->backend ? 0 : err_input(e, "--backend '%.40s': expected one of "
			BACKEND_NAMES_TEXT, w->text);
}

static struct str text_backend(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->backend ? str_of(backend_choice_name(rq->backend)) : (struct str){0};
}

/* ---- limits ---- */

static int parse_require(const struct option_word *w, struct err *e)
{
	if (strcmp(w->text, "cgroup") != 0)
		return err_input(e, "--require '%.40s': expected cgroup", w->text);
	w->rq->require_cgroup = true;
	return 0;
}

static struct str text_require(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->require_cgroup ? STR("cgroup") : (struct str){0};
}

static int parse_accept(const struct option_word *w, struct err *e)
{
	if (strcmp(w->text, "watched") != 0)
		return err_input(e, "--accept '%.40s': expected watched", w->text);
	w->rq->accept_watched = true;
	return 0;
}

static struct str text_accept(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->accept_watched ? STR("watched") : (struct str){0};
}

static int parse_limit_word(const struct option_word *w, struct err *e)
{
	enum limit l = (enum limit)(w->word - WORD_LIMIT);
	struct err why = {0};

	if (limit_parse(l, str_of(w->text), &w->rq->limits[l], &why) != 0)
		return err_input(e, "--%s '%.60s': %s",
				l == LIMIT_CPU_TIME ? "cpu-time" : limit_name(l), w->text, why.text);
	return 0;
}

static struct str text_limit(struct arena *a, const struct run_request *rq, enum run_word w)
{
	enum limit l = (enum limit)(w - WORD_LIMIT);

	return rq->limits[l] ? limit_text(a, l, rq->limits[l]) : (struct str){0};
}

/* ---- task and report ---- */

static int parse_task(const struct option_word *w, struct err *e)
{
	w->rq->task = task_find(str_of(w->text));
	return w->rq->task ? 0 : err_input(e, "--task '%.40s': expected " TASK_NAMES, w->text);
}

static struct str text_task(struct arena *a, const struct run_request *rq, enum run_word w)
{
	(void)a, (void)w;
	return rq->task ? str_of(task_name(rq->task)) : (struct str){0};
}

static int parse_columns(const struct option_word *w, struct err *e)
{
	return validation_columns(w->a, str_of(w->text), &w->rq->columns, &w->rq->ncolumns, e);
}

static struct str text_columns(struct arena *a, const struct run_request *rq, enum run_word w)
{
	struct buf b;

	(void)w;
	if (!rq->columns)
		return (struct str){0};
	buf_init(&b, a, 0);
	for (size_t i = 0; i < rq->ncolumns; i++)
		buf_fmt(&b, "%s%.*s", i ? "," : "", STR_ARG(rq->columns[i]));
	return buf_view(&b);
}

static size_t *lines_of(struct run_request *rq, enum run_word w)
{
	return w == WORD_HEAD ? &rq->head : &rq->tail;
}

static int parse_lines(const struct option_word *w, struct err *e)
{
	int64_t n;

	if (num_parse(str_of(w->text), 1, RUN_LINES_MAX, &n) != 0)
		return err_input(e, "--%s '%.60s': expected a number of lines from 1 to %d",
				w->word == WORD_HEAD ? "head" : "tail", w->text, RUN_LINES_MAX);
	*lines_of(w->rq, w->word) = (size_t)n;
	return 0;
}

static struct str text_lines(struct arena *a, const struct run_request *rq, enum run_word w)
{
	size_t n = *lines_of((struct run_request *)rq, w);

	return n ? str_fmt(a, "%zu", n) : (struct str){0};
}

/* ---- the table ---- */

static const struct request_row {
	char name[12];
	/* NULL: the option is a text, and its place is an offset in struct run_request */
	int (*parse)(const struct option_word *w, struct err *e);
	/* NULL: an alias that only the parser knows */
	struct str (*text)(struct arena *a, const struct run_request *rq, enum run_word w);
	size_t at; /* enum run_word, or the offset */
} rows[] = {
#define TEXT(field) {#field, NULL, NULL, offsetof(struct run_request, field)}
#define LIMIT_ROW(name, l) {name, parse_limit_word, text_limit, WORD_LIMIT + (l)}
	{"lang", parse_lang, text_lang, WORD_LANG},
	{"shell", parse_shell, NULL, WORD_SHELL},
	TEXT(file),
	{"profile", parse_profile, text_profile, WORD_PROFILE},
	{"workspace", parse_workspace, text_workspace, WORD_WORKSPACE},
	TEXT(root), TEXT(image), TEXT(cwd),
	{"network", parse_network, text_network, WORD_NETWORK},
	{"backend", parse_backend, text_backend, WORD_BACKEND},
	{"require", parse_require, text_require, WORD_REQUIRE},
	{"accept", parse_accept, text_accept, WORD_ACCEPT},
	TEXT(skill),
	{"task", parse_task, text_task, WORD_TASK},
	{"columns", parse_columns, text_columns, WORD_COLUMNS},
	TEXT(schema), TEXT(config),
	LIMIT_ROW("cpus", LIMIT_CPUS), LIMIT_ROW("memory", LIMIT_MEMORY), LIMIT_ROW("timeout", LIMIT_TIME),
	LIMIT_ROW("pids", LIMIT_PIDS), LIMIT_ROW("scratch", LIMIT_SCRATCH),
	LIMIT_ROW("output", LIMIT_OUTPUT), LIMIT_ROW("cpu_time", LIMIT_CPU_TIME), LIMIT_ROW("io", LIMIT_IO),
	{"head", parse_lines, text_lines, WORD_HEAD},
	{"tail", parse_lines, text_lines, WORD_TAIL},
#undef TEXT
#undef LIMIT_ROW
};

const char *request_join(struct arena *a, const struct texts *values)
{
	struct buf b;

	if (!values)
		return NULL;
	buf_init(&b, a, 0);
	for (const struct texts *t = values; t; t = t->next)
		buf_fmt(&b, "%s%.*s", t == values ? "" : ",", STR_ARG(t->text));
	return str_c(a, buf_view(&b));
}

int request_parse(struct arena *a, const struct run_words *w, struct run_request *rq, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct option_word word = {.a = a, .word = (enum run_word)rows[i].at, .all = w, .rq = rq};

		if (!rows[i].parse || !w->v[word.word])
			continue;
		word.text = w->v[word.word];
		if (rows[i].parse(&word, e) != 0)
			return -1;
	}
	return 0;
}

const char *request_option(size_t i) { return i < ARRAY_SIZE(rows) ? rows[i].name : NULL; }

struct str request_text(struct arena *a, const struct run_request *rq, size_t i)
{
	const char *text = NULL;

	if (rows[i].parse)
		return rows[i].text ? rows[i].text(a, rq, (enum run_word)rows[i].at) : (struct str){0};
	memcpy(&text, (const char *)rq + rows[i].at, sizeof(text));
	return text ? str_of(text) : (struct str){0};
}

const char **request_slot(struct run_words *w, struct run_request *rq, size_t i)
{
	return rows[i].parse ? &w->v[rows[i].at] : (const char **)((char *)rq + rows[i].at);
}
