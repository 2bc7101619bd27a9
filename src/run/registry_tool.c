/*
 * Answers of package managers, kept below the state directory: STATE/registries/TOOL, one JSON object.
 *
 * An answer is valid as long as its key is: a digest of the tool's row, of the programs that would be asked
 * and of all configuration files, each by path, device, inode, size and times. Further bounds on its age
 * catch changes of files that no row names.
 */
#include "run/registry_tool.h"

#include <inttypes.h>
#include <time.h>

#include "base/json_write.h"
#include "sys/file.h"
#include "sys/sha256.h"
#include "sys/stamp.h"
#include "sys/state.h"

#define VERSION 1
#define FOLDER "registries"
#define KEPT_MAX ((size_t)64 << 10)     /* bytes of a kept answer */
#define KEPT_SEC (24 * 60 * 60)
#define KEPT_FAILURE_SEC (10 * 60)      /* a tool that fails is not asked again at once */

struct kept_answer {
	struct texts *hosts;
	struct str failure; /* why the tool could not be asked; empty: it was */
};

bool registry_tool_exists(struct registry_tools *t, const struct registry_row *row)
{
	struct str words = registry_list(row, REGISTRY_PROGRAMS), word;

	registry_open(t);
	while ((word = str_word(&words)).n)
		if (t->world && registry_program(t, word).n)
			return true;
	return false;
}

/* ---- the key ---- */

static void put_stamp(struct registry_tools *t, struct buf *b, struct str path, bool *settled)
{
	struct stamp s;

	stamp_take(str_c(t->a, path), &s);
	*settled &= s.settled || s.errnum;
	buf_fmt(b, "%.*s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %d\n", STR_ARG(path),
			s.id.dev, s.id.ino, s.size, s.modified_ns, s.changed_ns, s.errnum);
}

static int put_files(struct registry_tools *t, struct buf *b, struct str words, bool *settled)
{
	struct str word, at;
	struct texts *files;

	while ((word = str_word(&words)).n) {
		(void)registry_file(t, word, &at);
		put_stamp(t, b, at, settled);
		if (registry_files(t, word, &files, NULL) != 0)
			return -1;
		for (; files; files = files->next)
			put_stamp(t, b, files->text, settled);
	}
	return 0;
}

/* The programs of the row and the first words of its questions. */
static void put_programs(struct registry_tools *t, struct buf *b, struct str words, bool *settled)
{
	struct str word, real;

	while ((word = str_word(&words)).n) {
		real = registry_program(t, word);
		if (real.n)
			put_stamp(t, b, real, settled);
	}
}

/* -1 if an answer must not be kept: a file has just changed, or cannot be looked at. */
static int answer_key(struct registry_tools *t, const struct registry_row *row, char ret[SHA256_HEX + 1])
{
	bool settled = true;
	struct buf b;

	buf_init(&b, t->a, 0);
	for (enum registry_list l = 0; l < REGISTRY_LISTS; l++)
		buf_fmt(&b, "%.*s\n", STR_ARG(registry_list(row, l)));
	put_programs(t, &b, registry_list(row, REGISTRY_PROGRAMS), &settled);
	if (put_files(t, &b, registry_list(row, REGISTRY_CONFIG), &settled) != 0 ||
			put_files(t, &b, registry_list(row, REGISTRY_READ), &settled) != 0)
		return -1;
	sha256_hex(buf_view(&b), ret);
	return settled ? 0 : -1;
}

/* ---- kept answers ---- */

static const char *kept_path(struct registry_tools *t, const struct registry_row *row)
{
	struct str name = registry_list(row, REGISTRY_NAME), state = t->world->context.view->state_dir;

	return str_fmt_c(t->a, "%.*s/" FOLDER "/%.*s", STR_ARG(state), STR_ARG(name));
}

static bool load_answer(struct registry_tools *t, const struct registry_row *row, const char *key,
		struct kept_answer *ret)
{
	struct texts **end = &ret->hosts;
	struct json *v;
	struct str text;
	int64_t age;

	if (!t->world->context.view->state_dir.n ||
			file_read(t->a, kept_path(t, row), KEPT_MAX, &text, NULL, NULL) != 0 ||
			json_read(t->a, text, &v, NULL) != 0)
		return false;
	age = (int64_t)time(NULL) - json_int_at(v, "asked");
	ret->failure = json_text_at(v, "failure");
	if (json_int_at(v, "v") != VERSION || !str_is(json_text_at(v, "key"), key) || age < 0 ||
			age > (ret->failure.n ? KEPT_FAILURE_SEC : KEPT_SEC))
		return false;
	for (const struct json *h = json_items(json_key(v, "hosts")); h; h = h->next)
		end = texts_add(t->a, end, json_text(h));
	return true;
}

/* An answer that cannot be kept is asked for again next time. */
static void keep_answer(struct registry_tools *t, const struct registry_row *row, const char *key,
		const struct kept_answer *answer)
{
	const struct view *w = t->world->context.view;
	struct str folder;
	struct buf b;

	if (!w->state_dir.n ||
			state_folder(t->a, w->state_dir, w->project, w->uid, FOLDER, &folder, NULL) != 0)
		return;
	buf_init(&b, t->a, 0);
	buf_fmt(&b, "{\"v\":%d,\"key\":\"%s\",\"asked\":%" PRId64, VERSION, key, (int64_t)time(NULL));
	json_put_field(&b, "failure", answer->failure);
	json_put_texts(&b, "hosts", answer->hosts);
	buf_c(&b, "}\n");
	(void)file_replace(kept_path(t, row), buf_view(&b), NULL);
}

/* ---- asking ---- */

void registry_note(struct registry_tools *t, struct str text)
{
	if (!texts_have(*t->notes, text))
		texts_add(t->a, t->notes, text);
}

static void note_failure(struct registry_tools *t, const struct registry_row *row, struct str why)
{
	struct str name = registry_list(row, REGISTRY_NAME);

	registry_note(t, str_fmt(t->a,
			"cannot ask %.*s for its registries (%.*s); only its built-in hosts are reachable",
			STR_ARG(name), STR_ARG(why)));
}

/* A tool that is not there names nothing; files of its configuration may still be there and are read. */
static bool has_question(struct registry_tools *t, const struct registry_row *row)
{
	return registry_list(row, REGISTRY_READ).n ||
			(registry_list(row, REGISTRY_ASK).n && registry_tool_exists(t, row));
}

struct texts *registry_tool_hosts(struct registry_tools *t, const struct registry_row *row)
{
	struct kept_answer answer = {0};
	char key[SHA256_HEX + 1];
	struct err e = {0};
	bool keep;

	registry_open(t);
	if (!t->world || !has_question(t, row))
		return NULL;
	keep = answer_key(t, row, key) == 0;
	if (t->again || !keep || !load_answer(t, row, key, &answer)) {
		answer = (struct kept_answer){0};
		if (registry_ask(t, row, &answer.hosts, &e) != 0)
			answer.failure = str_dup(t->a, str_of(e.text));
		if (keep)
			keep_answer(t, row, key, &answer);
	}
	if (answer.failure.n)
		note_failure(t, row, answer.failure);
	return answer.hosts;
}
