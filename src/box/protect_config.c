/*
 * Reading git's configuration: which settings there are, and whether any could make git run something.
 *
 * One setting on a line is read, with quotes and escapes in its value. Whatever else is met (a value that goes on in the next line, an unknown
 * escape) makes the reader say that it did not understand. Its callers then expect the worst, and get the raw line as a setting "?.?".
 */
#include <ctype.h>

#include "box/protect_inner.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define NAME_BYTES 64
#define BLANKS " \t\r"

/* A name in lower case; empty when it is none. */
static struct str name_of(struct arena *a, struct str s)
{
	char *c = str_c(a, s);

	if (!s.n || s.n > NAME_BYTES)
		return STR("");
	for (size_t i = 0; i < s.n; i++) {
		if (!isalnum((unsigned char)c[i]) && c[i] != '-')
			return STR("");
		c[i] = (char)tolower((unsigned char)c[i]);
	}
	return str_n(c, s.n);
}

/* [section] or [section "sub"]: how many bytes it takes, 0: not understood. */
static size_t header(struct arena *a, struct str line, struct str *ret_section)
{
	size_t i = 1;

	while (i < line.n && line.p[i] != ']' && line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '"')
		i++;
	*ret_section = name_of(a, str_sub(line, 1, i));
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	if (i < line.n && line.p[i] == '"') {
		for (i++; i < line.n && line.p[i] != '"'; i++)
			if (line.p[i] == '\\' && ++i >= line.n)
				return 0;
		i++;
	}
	return ret_section->n && i < line.n && line.p[i] == ']' ? i + 1 : 0;
}

/* The letter that an escape in a value stands for; 0: unknown, or the value goes on in the next line. */
static char escaped(char c)
{
	switch (c) {
	case '"':
	case '\\': return c;
	case 'n': return '\n';
	case 't': return '\t';
	case 'b': return '\b';
	default: return 0;
	}
}

/* The value without quotes, escapes and comment, as git reads it. False: not understood. */
static bool value_of(struct arena *a, struct str s, struct str *ret)
{
	bool quoted = false;
	size_t keep = 0; /* blanks before this are part of the value */
	struct buf b;

	s = str_trim(s, BLANKS);
	buf_init(&b, a, s.n + 1);
	for (size_t i = 0; i < s.n && (quoted || !strchr("#;", s.p[i])); i++) {
		char c = s.p[i];

		if (c == '"') {
			quoted = !quoted;
			keep = b.n;
			continue;
		}
		if (c == '\\') {
			c = ++i < s.n ? escaped(s.p[i]) : 0;
			if (!c)
				return false;
			buf_char(&b, c);
			keep = b.n;
			continue;
		}
		buf_char(&b, c);
		if (quoted)
			keep = b.n;
	}
	while (b.n > keep && strchr(BLANKS, b.p[b.n - 1]))
		b.n--;
	*ret = buf_view(&b);
	return !quoted;
}

static bool setting(struct arena *a, struct str section, struct str line, config_fn *fn, void *ctx)
{
	ptrdiff_t equals = str_find(line, '=', 0);
	struct str key = name_of(a, str_trim(equals < 0 ? line : str_sub(line, 0, (size_t)equals), BLANKS)), value = STR("true");

	if (!section.n || !key.n || (equals >= 0 && !value_of(a, str_sub(line, (size_t)equals + 1, line.n), &value)))
		return false;
	fn(ctx, section, key, value);
	return true;
}

bool config_each(struct arena *a, struct str text, config_fn *fn, void *ctx)
{
	struct str section = STR("");
	bool understood = !memchr(text.p, 0, text.n);

	for (size_t from = 0; from < text.n;) {
		ptrdiff_t end = str_find(text, '\n', from);
		size_t to = end < 0 ? text.n : (size_t)end;
		struct str line = str_trim(str_sub(text, from, to), BLANKS);

		from = to + 1;
		if (line.n && line.p[0] == '[') {
			size_t n = header(a, line, &section);

			line = n ? str_trim(str_sub(line, n, line.n), BLANKS) : line;
			if (!n)
				section = STR("");
		}
		if (line.n && line.p[0] != '#' && line.p[0] != ';' && !setting(a, section, line, fn, ctx)) {
			understood = false;
			fn(ctx, STR("?"), STR("?"), line);
		}
	}
	return understood;
}

/* Settings that neither name a program, a file or further configuration, nor change how the network is reached. A partial clone fetches by itself. */
static const char inert[][32] = {
	"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase", "core.precomposeunicode", "core.symlinks",
	"core.autocrlf", "core.eol", "core.safecrlf", "core.sharedrepository", "core.quotepath", "core.abbrev", "core.compression", "core.sparsecheckout",
	"core.sparsecheckoutcone", "core.untrackedcache", "core.commentchar", "core.whitespace", "extensions.objectformat",
	"user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email", "init.defaultbranch",
	"remote.url", "remote.pushurl", "remote.fetch", "remote.push", "remote.tagopt", "remote.prune", "remote.prunetags", "remote.mirror",
	"branch.remote", "branch.merge", "branch.rebase", "branch.pushremote", "branch.description", "submodule.active", "submodule.url",
	"submodule.recurse", "pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "push.followtags", "merge.ff", "merge.conflictstyle", "rebase.autostash",
	"rebase.autosquash", "commit.gpgsign", "tag.gpgsign", "gc.auto", "gc.autodetach", "fetch.prune", "rerere.enabled", "feature.manyfiles", "index.version",
	"color.ui", "advice.detachedhead", "pack.threads", "receive.denycurrentbranch", "receive.denynonfastforwards", "maintenance.auto", "log.date",
};

bool config_setting_inert(struct str section, struct str key, struct str value)
{
	bool found = false;

	for (size_t i = 0; i < COUNT(inert) && !found; i++)
		found = strlen(inert[i]) == section.n + 1 + key.n && !memcmp(inert[i], section.p, section.n) &&
		        inert[i][section.n] == '.' && !memcmp(inert[i] + section.n + 1, key.p, key.n);
	/* a value "helper::address" starts a program by the name of git-remote-helper, one with a dash may be taken for an option */
	return found && !str_contains(value, STR("::")) && !str_starts(value, "-");
}

struct inert {
	bool all;
};

static void inert_one(void *ctx, struct str section, struct str key, struct str value)
{
	struct inert *r = ctx;

	r->all &= config_setting_inert(section, key, value);
}

bool config_inert(struct arena *a, struct str text)
{
	struct inert r = {.all = true};

	return config_each(a, text, inert_one, &r) && r.all;
}
