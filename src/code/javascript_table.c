/* Look-up in the table of functions of Node, Bun and Deno (knowledge/code/javascript.yaml); their modules. */
#include "code/javascript.h"

struct module {
	char specifier[24], path[20];
};

/* Modules whose qualified name differs from their specifier; then all others. */
static const struct module renamed[] = {
	{"fs/promises", "fs.promises"}, {"path/posix", "path"}, {"path/win32", "path.win32"},
	{"assert/strict", "assert"}, {"util/types", "util.types"}, {"sys", "util"}, {"module", "Module"},
	{"stream/promises", "stream"}, {"stream/web", "stream"}, {"stream/consumers", "stream"},
	{"timers/promises", "timers.promises"}, {"dns/promises", "dns.promises"},
	{"readline/promises", "readline"},
	{"test/reporters", "test"}, {"inspector/promises", "inspector"}, {"bun", "Bun"},
};
static const char modules[][20] = {
	"fs", "path", "os", "child_process", "http", "https", "http2", "net", "tls", "dgram", "dns", "crypto",
	"util", "url", "querystring", "zlib", "stream", "events", "assert", "buffer", "vm", "v8",
	"readline", "repl", "worker_threads", "cluster", "perf_hooks", "process", "console", "timers", "tty",
	"string_decoder", "punycode", "constants", "async_hooks", "diagnostics_channel", "inspector",
	"trace_events", "wasi", "domain", "test", "sqlite", "sea", "bun:sqlite", "bun:ffi", "bun:jsc",
	"bun:test",
};

/* Prefixes that mean another qualified name. */
static const struct module spellings[] = {
	{"process.mainModule", "module"}, {"require.main", "module"}, {"module.require", "require"},
	{"path.posix", "path"}, {"buffer.Buffer", "Buffer"}, {"Module.Module", "Module"},
	{"util.promisify.custom", "util.custom"}, {"timers.setTimeout", "setTimeout"},
	{"timers.setInterval", "setInterval"}, {"timers.setImmediate", "setImmediate"},
	{"assert.strict", "assert"},
	{"Bun.fetch", "fetch"}, {"perf_hooks.performance", "performance"}, {"process.process", "process"},
	{"worker_threads.default", "worker_threads"},
};

static bool first_part_is(const char *name, struct str first)
{
	return !strncmp(name, first.p, first.n) && (name[first.n] == '\0' || name[first.n] == '.');
}

static struct str first_part(struct str path)
{
	ptrdiff_t dot = str_find(path, '.', 0);

	return dot < 0 ? path : str_first(path, (size_t)dot);
}

/* From the end: of two rows that match, the longer one stands there. */
static const struct js_row *find_starred(struct str path)
{
	for (size_t i = path.n ? js_rows_n : 0; i-- > 0;) {
		const char *name = js_rows[i].name;
		size_t n = name[0] == path.p[0] ? strlen(name) : 0;

		if (n > 1 && name[n - 1] == '*' && path.n > n - 1 && !memcmp(path.p, name, n - 1))
			return &js_rows[i];
	}
	return NULL;
}

static const struct js_row *find_row(struct code_walk *w, struct str path)
{
	static const char paired[][16] = {"fs", "child_process", "Bun", "Deno"};
	const struct js_row *r = CODE_ROW(path, js_rows);
	struct str name = path;

	for (size_t i = 0; !r && i < ARRAY_SIZE(paired); i++) {
		if (!str_is(first_part(path), paired[i]))
			continue;
		if (str_starts(path, "fs.promises."))
			name = str_cat(w->a, STR("fs."), str_from(path, strlen("fs.promises.")));
		else if (str_ends(path, "Sync"))
			name = str_first(path, path.n - strlen("Sync"));
		r = CODE_ROW(name, js_rows);
	}
	return r ? r : find_starred(name);
}

const struct js_row *js_row(struct code_walk *w, struct str path)
{
	struct js_name *n = js_name_get(w, path);

	if (!n->row_known)
		n->row = find_row(w, path);
	n->row_known = true;
	return n->row;
}

struct str js_builtin(struct str specifier)
{
	struct str s = str_starts(specifier, "node:") ? str_from(specifier, 5) : specifier;

	ptrdiff_t i = STR_ROW(renamed, specifier, s);

	if (i >= 0)
		return str_of(renamed[i].path);
	if (s.n == specifier.n && str_is_any(s, "test sqlite sea"))
		return STR(""); /* only with the prefix node: */
	i = STR_INDEX(modules, s);
	if (i >= 0)
		return str_of(modules[i]);
	return STR("");
}

static bool is_world(struct str name)
{
	return str_is_any(name, "globalThis global window self");
}

static bool find_global(struct str name)
{
	for (size_t i = 0; i < js_rows_n; i++)
		if (js_rows[i].name[0] == name.p[0] && first_part_is(js_rows[i].name, name))
			return true;
	if (STR_INDEX(modules, name) >= 0)
		return true;
	return is_world(name) || str_is(name, "Module");
}

bool js_global(struct code_walk *w, struct str name)
{
	struct js_name *n = name.n ? js_name_get(w, name) : NULL;

	if (n && n->global == JS_GLOBAL_UNKNOWN)
		n->global = find_global(name) ? JS_GLOBAL_YES : JS_GLOBAL_NO;
	return n && n->global == JS_GLOBAL_YES;
}

/* Replaces a prefix of `path` that ends at a dot or at its end. False if it does not match. */
static bool respell_path(struct code_walk *w, struct str *path, const struct module *m)
{
	size_t n = strlen(m->specifier);

	if (!str_starts(*path, m->specifier) || (path->n > n && path->p[n] != '.'))
		return false;
	*path = str_cat(w->a, str_of(m->path), str_from(*path, n));
	return true;
}

struct str js_canonical(struct code_walk *w, struct str path)
{
	bool changed = true;

	for (unsigned round = 0; changed && round < JS_PATH_PARTS_MAX; round++) {
		struct str first = first_part(path), rest = str_from(path, first.n + 1);

		changed = false;
		if (is_world(first) && rest.n) {
			path = rest;
			changed = true;
		}
		for (size_t i = 0; i < ARRAY_SIZE(spellings); i++)
			changed |= respell_path(w, &path, &spellings[i]);
		if (str_ends(path, ".default") && js_builtin(str_first(path, path.n - 8)).n)
			path = str_first(path, path.n - 8);
	}
	return path;
}

bool js_effect_name(struct str method)
{
	return str_is_any(method,
			"rmSync rmdirSync unlinkSync writeFileSync appendFileSync renameSync copyFileSync "
			"cpSync mkdirSync symlinkSync linkSync chmodSync chownSync truncateSync "
			"createWriteStream writeFile appendFile rmdir unlink copyFile symlink chmod chown "
			"execSync execFile execFileSync spawn spawnSync fork dlopen binding "
			"runInThisContext runInNewContext rm cp utimes lutimes createConnection execve "
			"setuid setgid");
}
