/* Code of a language in the body of a request. See serve_code.h. */
#include "serve/serve_code.h"

#include <unistd.h>

#include "run/job.h"
#include "sys/process.h"

#define DEPTH_MAX 64
#define VALUES_MAX 20000
#define ARGS_MAX 1000
#define FILES_BASE64_MAX (RUN_FILES_BYTES / 3 * 4 + 4)
#define PROBE_MS 3000

/* ---- languages ---- */

static const struct serve_code_row rows[] = {
		{{"python", "python3", "py"}, LANGUAGE_PYTHON, "", "", "python3", "--version"},
		{{"javascript", "node", "js", "nodejs"}, LANGUAGE_NODE, "", "", "node", "--version"},
		{{"bash", "sh"}, LANGUAGE_BASH, "", "", "bash", "--version"},
		{{"perl", "pl"}, LANGUAGE_PERL, "", "", "perl", "--version"},
		{{"ruby", "rb"}, LANGUAGE_RUBY, "", "", "ruby", "--version"},
		{{"php"}, LANGUAGE_PHP, "", "", "php", "--version"},
		{{"lua"}, LANGUAGE_LUA, "", "", "lua", "-v"},
		{{"rscript", "r", "R"}, LANGUAGE_R, "", "", "Rscript", "--version"},
		{{"c", "gcc"}, LANGUAGE_BASH, ".c", "gcc -std=gnu17 -o a.out *.c -lm && exec ./a.out \"$@\"",
				"gcc", "--version"},
		{{"c++", "cpp", "g++"}, LANGUAGE_BASH, ".cpp",
				"g++ -std=c++17 -o a.out *.cpp && exec ./a.out \"$@\"", "g++", "--version"},
		{{"go", "golang"}, LANGUAGE_BASH, ".go", "go build -o a.out *.go && exec ./a.out \"$@\"",
				"go", "version"},
		{{"rust", "rs"}, LANGUAGE_BASH, ".rs", "rustc -o a.out main.rs && exec ./a.out \"$@\"",
				"rustc", "--version"},
};
_Static_assert(ARRAY_SIZE(rows) <= SERVE_LANGUAGES_MAX, "room for the versions");

const struct serve_code_row *serve_code_at(size_t i)
{
	return i < ARRAY_SIZE(rows) ? &rows[i] : NULL;
}

const struct serve_code_row *serve_code_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t k = 0; k < SERVE_CODE_NAMES && rows[i].names[k][0]; k++)
			if (str_is(name, rows[i].names[k]))
				return &rows[i];
	return NULL;
}

const char *serve_code_version(const struct serve_options *o, const struct serve_code_row *row)
{
	const char *version = o->versions.v[row - rows];

	return version[0] ? version : NULL;
}

/* The first number with a dot, as in "Python 3.11.2" or "v18.20.4". */
static void take_version(struct str text, char ret[SERVE_VERSION_MAX])
{
	for (size_t i = 0, n; i < text.n; i += n + 1) {
		for (n = 0; i + n < text.n && (ascii_is_digit(text.p[i + n]) || text.p[i + n] == '.');)
			n++;
		struct str word = str_trim(str_sub(text, i, i + n), ".");
		if (str_find(word, '.', 0) > 0 && word.n < SERVE_VERSION_MAX) {
			memcpy(ret, word.p, word.n);
			return;
		}
	}
}

static void probe_language(const struct serve_code_row *row, char ret[SERVE_VERSION_MAX])
{
	static const char dirs[][16] = {"/usr/local/bin", "/usr/bin", "/bin"};
	char output[4096], path[64];
	char *const envp[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", NULL};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *const argv[] = {(char *)row->program, (char *)row->version, NULL};
		struct process_request rq = {.path = path,
				.argv = argv,
				.envp = envp,
				.input = STR(""),
				.output = output,
				.output_max = sizeof(output),
				.timeout_ms = PROBE_MS};
		struct process_result got;
		struct err e;

		str_put(path, sizeof(path), "%s/%s", dirs[i], row->program);
		if (access(path, X_OK) != 0)
			continue;
		if (process_ask(&rq, &got, &e) == 0)
			take_version(str_n(output, got.n), ret);
		if (!ret[0])
			str_put(ret, SERVE_VERSION_MAX, "0.0.0"); /* it is there, and says no version */
		return;
	}
}

void serve_code_probe(struct serve_versions *ret)
{
	*ret = (struct serve_versions){0};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		probe_language(&rows[i], ret->v[i]);
}

/* ---- bodies ---- */

const struct json *serve_body_object(struct serve_work *w)
{
	struct json_reader r;
	const struct json *v;

	json_reader_init(&r, w->a, w->body, JSON_STRICT);
	r.depth_max = DEPTH_MAX;
	r.count_max = VALUES_MAX;
	v = json_only(&r);
	if (json_is(v, JSON_OBJECT))
		return v;
	serve_fail(w, 400, "invalid",
			v ? STR("the body is not a JSON object")
			  : str_fmt(w->a, "the body is not JSON: %.*s", STR_ARG(json_why(&r))));
	return NULL;
}

static int base64_value(char c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? (int)(at - letters) : -1;
}

int serve_base64(struct arena *a, struct str s, struct str *ret)
{
	char *to = arena_alloc(a, s.n / 4 * 3 + 3);
	unsigned bits = 0, have = 0;
	size_t n = 0;

	s = str_trim(s, "=\r\n \t");
	for (size_t i = 0; i < s.n; i++) {
		int v = base64_value(s.p[i]);

		if (v < 0 && strchr("\r\n", s.p[i]) && s.p[i])
			continue;
		if (v < 0)
			return -1;
		bits = (bits << 6 | (unsigned)v) & 0xFFFFFF;
		have += 6;
		if (have >= 8) {
			have -= 8;
			to[n++] = (char)(bits >> have & 0xFF);
		}
	}
	*ret = str_n(to, n);
	return 0;
}

static int take_file(struct serve_work *w, const struct json *v, const char *unnamed, struct run_file *ret,
		struct err *e)
{
	const struct json *name = json_key(v, "name");
	struct str encoding = json_text_at(v, "encoding");

	*ret = (struct run_file){.name = json_text(name), .text = json_text_at(v, "content")};
	if (!name && unnamed)
		ret->name = str_of(unnamed);
	if ((!ret->name.n && !unnamed) || !json_is(json_key(v, "content"), JSON_STRING))
		return err_set(e, ERR_INPUT, 0, "'files' is a list of objects with 'name' and 'content'");
	if (!encoding.n || str_is(encoding, "utf8"))
		return 0;
	if (!str_is(encoding, "base64"))
		return err_set(e, ERR_INPUT, 0, "'encoding' of a file is utf8 or base64");
	if (ret->text.n > FILES_BASE64_MAX || serve_base64(w->a, ret->text, &ret->text) != 0)
		return err_set(e, ERR_INPUT, 0, "the content of '%.*s' is not base64",
				STR_ARG(str_sub(ret->name, 0, 100)));
	return 0;
}

int serve_take_files(struct serve_work *w, const struct json *list, const char *unnamed,
		struct run_file **ret, struct err *e)
{
	struct run_file *first = NULL, **end = &first;

	if (list && !json_is(list, JSON_ARRAY))
		return err_set(e, ERR_INPUT, 0, "'files' is a list of objects with 'name' and 'content'");
	for (const struct json *v = json_items(list); v; v = v->next) {
		struct run_file *f = arena_new(w->a, struct run_file);

		if (take_file(w, v, unnamed, f, e) != 0)
			return -1;
		*end = f;
		end = &f->next;
	}
	*ret = first;
	return 0;
}

int serve_take_args(struct serve_work *w, const struct json *list, struct run_request *rq, struct err *e)
{
	char **argv;
	size_t n = 0;

	if (!list)
		return 0;
	if (!json_is(list, JSON_ARRAY) || json_size(list) > ARGS_MAX)
		return err_set(e, ERR_INPUT, 0, "'args' and 'argv' are lists of at most %d strings",
				ARGS_MAX);
	argv = arena_array(w->a, json_size(list) + 1, sizeof(*argv));
	for (const struct json *v = json_items(list); v; v = v->next) {
		if (!json_is(v, JSON_STRING) || memchr(json_text(v).p, 0, json_text(v).n))
			return err_set(e, ERR_INPUT, 0, "'args' and 'argv' are lists of strings without NUL");
		argv[n++] = str_c(w->a, json_text(v));
	}
	rq->argv = argv;
	return 0;
}
