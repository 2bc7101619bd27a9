/*
 * Settings of a box merged into a repository's configuration: attacks on each setting of the list, spellings
 * that smuggle, and their benign twins. tests/unit/test_protect.c has the same with the real git.
 */
#include "box/git_merge.h"
#include "sys/git_config.h"
#include "unit.h"

static struct arena arena, *const A = &arena;

#define CORE "[core]\n\tbare = false\n"
#define ORIGIN CORE "[remote \"origin\"]\n\turl = https://example.org/a/b.git\n\tfetch = " \
	"+refs/heads/*:refs/remotes/origin/*\n"

struct row {
	const char *name;
	const char *base, *add; /* the box's copy is both together */
	const char *now;        /* NULL: the same as base */
	const char *text;       /* NULL: the same as now */
	const char *refused;    /* names, separated by blanks; NULL: it cannot be read */
};

static const struct row rows[] = {
	/* ---- taken over ---- */
	{"nothing", ORIGIN, "", NULL, NULL, ""},
	{"a comment and blank lines", ORIGIN, "\n# x\n\n; y\n", NULL, NULL, ""},
	{"a branch", ORIGIN, "[branch \"x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n", NULL,
			ORIGIN "[branch \"x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n", ""},
	{"a local upstream", ORIGIN, "[branch \"x\"]\nremote=.\nmerge=refs/heads/main\n", NULL,
			ORIGIN "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/main\n", ""},
	{"odd spellings", ORIGIN, "  [BRANCH \"x\\\"]\"] REMOTE=\"orig\"in ; y\r\n\tMERGE =refs/heads/x   "
			"\r\n", NULL,
			ORIGIN "[branch \"x\\\"]\"]\n\tremote = origin\n\tmerge = refs/heads/x\n", ""},
	{"text that needs quotes", CORE, "[branch \"x\"] description = \"a # \\\\ \\\" ; \\n\\tb \"\n", NULL,
			CORE "[branch \"x\"]\n\tdescription = \"a # \\\\ \\\" ; \\n\\tb \"\n", ""},
	{"an identity in a section that is there", CORE "[user] # mine\n\tname = A\n# end\n[a]\n\tb = c\n",
			"[user]\n\temail = a@example.org\n", NULL,
			CORE "[user] # mine\n\tname = A\n\temail = a@example.org\n# end\n[a]\n\tb = c\n", ""},
	{"the host changed something else meanwhile", ORIGIN, "[user]\n\tname = B\n", ORIGIN "[alias]\n\tx "
			"= !y\n",
			ORIGIN "[alias]\n\tx = !y\n[user]\n\tname = B\n", ""},
	{"the host made the same change", ORIGIN, "[user]\n\tname = B\n", ORIGIN "[user]\n\tname = B\n",
			NULL, ""},
	{"fetch settings", ORIGIN, "[remote \"origin\"]\n\tfetch = "
			"refs/pull/*/head:refs/remotes/origin/pr/*\n"
			"\tfetch = ^refs/heads/x\n\tprune = true\n", NULL,
			ORIGIN
			"\tfetch = refs/pull/*/head:refs/remotes/origin/pr/*\n\tfetch = ^refs/heads/x\n"
			"\tprune = true\n", ""},
	{"states of git", CORE, "[extensions] worktreeConfig = true\n[index] sparse = true\n[core] "
			"sparseCheckout = true\n"
			"[pull] rebase = false\n[pull] ff = only\n[lfs] repositoryformatversion = 0\n", NULL,
			CORE "\tsparseCheckout = true\n[extensions]\n\tworktreeConfig = true\n[index]\n"
			"\tsparse = true\n"
			"[pull]\n\trebase = false\n\tff = only\n[lfs]\n\trepositoryformatversion = 0\n", ""},
	{"a submodule", ORIGIN, "[submodule \"m\"]\n\tactive = true\n\turl = https://example.org/m\n"
			"\tupdate = none\n", NULL,
			ORIGIN "[submodule \"m\"]\n\tactive = true\n\turl = https://example.org/m\n"
			"\tupdate = none\n", ""},
	{"a submodule beside the remote", ORIGIN, "[submodule \"n\"] url = https://example.org/a/n.git\n",
			NULL,
			ORIGIN "[submodule \"n\"]\n\turl = https://example.org/a/n.git\n", ""},
	/* ---- not taken over ---- */
	{"programs", CORE, "[core]\n\tfsmonitor = x\n\tpager = x\n\thooksPath = x\n\tsshCommand = x\n"
			"\teditor = x\n"
			"\taskPass = x\n\tgitProxy = x\n\tattributesFile = x\n\tworktree = x\n\tbare = "
			"true\n", NULL, NULL,
			"core.bare core.fsmonitor core.pager core.hookspath core.sshcommand core.editor "
			"core.askpass "
			"core.gitproxy core.attributesfile core.worktree"},
	{"more programs", CORE, "[alias] st = !x\n[credential] helper = x\n[credential \"https://a\"] "
			"helper = x\n"
			"[filter \"a\"] clean = x\n[diff \"a\"] textconv = x\n[diff] external = x\n[merge "
			"\"a\"] driver = x\n"
			"[gpg] program = x\n[gpg \"ssh\"] defaultKeyCommand = x\n[sequence] editor = x\n"
			"[uploadpack] packObjectsHook = x\n[protocol \"ext\"] allow = always\n[safe] "
			"directory = *\n", NULL, NULL,
			"alias.st credential.helper credential.https://a.helper filter.a.clean "
			"diff.a.textconv diff.external "
			"merge.a.driver gpg.program gpg.ssh.defaultkeycommand sequence.editor "
			"uploadpack.packobjectshook "
			"protocol.ext.allow safe.directory"},
	{"includes", CORE, "[include]\n\tpath = x\n[includeIf \"gitdir:/\"]\n\tpath = y\n", NULL, NULL,
			"include.path includeif.gitdir:/.path"},
	{"another host", ORIGIN, "[remote \"origin\"]\n\turl = https://example.com/\n\tpushurl = x\n"
			"\tuploadpack = x\n"
			"\treceivepack = x\n\tvcs = x\n\tproxy = x\n\tmirror = true\n\tpush = x\n\ttagOpt "
			"= --tags\n"
			"\tpruneTags = true\n\tpromisor = true\n[url \"x\"] insteadOf = https://\n[http] "
			"proxy = x\n"
			"[branch \"x\"] pushRemote = origin\n[remote] pushDefault = x\n[push] default = "
			"matching\n", NULL, NULL,
			"remote.origin.url remote.origin.pushurl remote.origin.uploadpack "
			"remote.origin.receivepack "
			"remote.origin.vcs remote.origin.proxy remote.origin.mirror remote.origin.push "
			"remote.origin.tagopt "
			"remote.origin.prunetags remote.origin.promisor url.x.insteadof http.proxy "
			"branch.x.pushremote "
			"remote.pushdefault push.default"},
	{"a remote of the box, and what names it", ORIGIN, "[remote \"up\"]\n\turl = https://example.com/\n"
			"\tfetch = +refs/heads/*:refs/remotes/up/*\n[branch \"x\"]\n\tremote = up\n\tmerge "
			"= refs/heads/x\n", NULL,
			ORIGIN "[branch \"x\"]\n\tmerge = refs/heads/x\n", "remote.up.url remote.up.fetch "
			"branch.x.remote"},
	{"a remote that is an address, a path or a helper", ORIGIN, "[branch \"a\"] remote = "
			"https://example.org/a/b.git\n"
			"[branch \"b\"] remote = /tmp/x\n[branch \"c\"] remote = ext::sh -c x\n[branch "
			"\"d\"] remote = --x\n"
			"[branch \"e\"] remote = ..\n[branch \"f\"] remote\n[branch \"g\"] remote =\n",
			NULL, NULL,
			"branch.a.remote branch.b.remote branch.c.remote branch.d.remote branch.e.remote "
			"branch.f.remote "
			"branch.g.remote"},
	{"one good value and a bad one", ORIGIN, "[branch \"x\"]\n\tremote = origin\n\tremote = /tmp\n",
			NULL, NULL,
			"branch.x.remote"},
	{"refs that are none", ORIGIN, "[branch \"a\"] merge = main\n[branch \"b\"] merge = refs/heads/\n"
			"[branch \"c\"] merge = refs/heads/a:b\n[branch \"d\"] merge = refs/heads/../x\n"
			"[branch \"e\"] merge = refs/heads/*\n[branch \"f\"] merge = \"refs/heads/a b\"\n"
			"[branch \"g\"] merge = refs/tags/x\n[branch \"h\"] rebase = interactive\n", NULL,
			NULL,
			"branch.a.merge branch.b.merge branch.c.merge branch.d.merge branch.e.merge "
			"branch.f.merge "
			"branch.g.merge branch.h.rebase"},
	{"a fetch into branches", ORIGIN, "[remote \"origin\"] fetch = +refs/heads/*:refs/heads/*\n", NULL,
			NULL,
			"remote.origin.fetch"},
	{"a fetch into another remote", ORIGIN, "[remote \"origin\"] fetch = "
			"refs/heads/*:refs/remotes/up/*\n", NULL, NULL,
			"remote.origin.fetch"},
	{"a fetch that climbs", ORIGIN, "[remote \"origin\"] fetch = "
			"refs/heads/x:refs/remotes/origin/../../heads/x\n", NULL,
			NULL, "remote.origin.fetch"},
	{"a fetch of two colons", ORIGIN, "[remote \"origin\"] fetch = "
			"refs/heads/x:refs/remotes/origin/x:refs/heads/x\n",
			NULL, NULL, "remote.origin.fetch"},
	{"an identity with a line of its own", CORE, "[user]\n\tname = \"x\\n[core]\\n\\tfsmonitor = x\"\n"
			"\temail = a<b\n",
			NULL, NULL, "user.name user.email"},
	{"an identity that a script could run", CORE, "[user]\n\tname = $(x)\n\temail = `x`\n", NULL, NULL,
			"user.name user.email"},
	{"other settings of the identity", CORE, "[user]\n\tsigningKey = x\n[author] name = x\n[user "
			"\"x\"] name = x\n", NULL,
			NULL, "user.signingkey author.name user.x.name"},
	{"a submodule elsewhere", ORIGIN, "[submodule \"m\"] url = https://example.com/\n[submodule \"q\"] "
			"url = x\n"
			"[submodule \"n\"] url = https://example.com/a/n.git\n[submodule \"m\"] update = !x\n"
			"[submodule \"../x\"] active = true\n[submodule] active = x\n", NULL, NULL,
			"submodule.m.url submodule.q.url submodule.n.url submodule.m.update "
			"submodule.../x.active submodule.active"},
	{"a submodule with two addresses", ORIGIN, "[submodule \"m\"]\n\turl = https://example.org/m\n"
			"\turl = x\n", NULL, NULL,
			"submodule.m.url"},
	{"the host changed the same setting", CORE "[user]\n\tname = A\n", "[user]\n\tname = B\n", CORE
			"[user]\n\tname = C\n",
			NULL, "user.name"},
	{"a name with control characters", CORE, "[branch \"a\033[31m\"]\n\trebase = true\n", NULL, NULL,
			"branch.a?[31m.rebase"},
	/* ---- cannot be read ---- */
	{"a value on two lines", CORE, "[branch \"x\"]\n\tdescription = a\\\nb\n", NULL, NULL, NULL},
	{"a section with a dot", CORE, "[branch.x]\n\tremote = .\n", NULL, NULL, NULL},
	{"a setting without a section", "\n", "remote = origin\n", NULL, NULL, NULL},
	{"an open quote", CORE, "[user]\n\tname = \"x\n", NULL, NULL, NULL},
	{"the host's own on two lines", CORE, "[user]\n\tname = x\n", CORE "[alias]\n\tx = a\\\nb\n", NULL,
			NULL},
};

static struct git_merged merge(const struct git_merge *m, bool *ret_read)
{
	struct git_merged got;

	*ret_read = git_merge(A, m, &got);
	return got;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		const char *now = r->now ? r->now : r->base, *text = r->text ? r->text : now;
		struct git_merge m = {.base = str_of(r->base), .now = str_of(now),
				.box = str_fmt(A, "%s%s", r->base, r->add),
				.modules = STR("[submodule \"m\"]\n\tpath = m\n\turl = "
				"https://example.org/m\n"
						"[submodule \"n\"]\n\tpath = n\n\turl = ../n.git\n")};
		bool read;
		struct git_merged got = merge(&m, &read);
		struct buf names;

		buf_init(&names, A, 0);
		for (const struct texts *t = got.refused; t; t = t->next)
			buf_fmt(&names, "%s%.*s", names.n ? " " : "", STR_ARG(t->text));
		CHECK_ROW(read == (r->refused != NULL), r->name);
		if (!str_is(got.text, text))
			unit_fail(__FILE__, __LINE__, "row '%s': text: %.*s", r->name, STR_ARG(got.text));
		if (r->refused && !str_is(buf_view(&names), r->refused))
			unit_fail(__FILE__, __LINE__, "row '%s': refused: %.*s", r->name,
					STR_ARG(buf_view(&names)));
		CHECK_ROW((got.taken > 0) == (strcmp(text, now) != 0), r->name);
	}
}

#define TRACKED "[branch \"x\"]\n\tremote = origin\n\tmerge = refs/heads/x\n"

static void test_removed(void)
{
	static const struct {
		const char *base, *box, *text;
		size_t refused;
	} list[] = {
		{ORIGIN TRACKED, ORIGIN, ORIGIN, 0}, /* git branch -d */
		{ORIGIN TRACKED, ORIGIN "[branch \"y\"]\n\tremote = origin\n\tmerge = refs/heads/x\n",
				ORIGIN "[branch \"y\"]\n\tremote = origin\n\tmerge = refs/heads/x\n", 0},
				/* git branch -m */
		{ORIGIN "[branch \"x\"] remote = origin\n[a] b = c", ORIGIN "[a] b = c\n", ORIGIN "[a] b = "
				"c\n", 0},
		{ORIGIN "[branch \"x\"]\n\t# kept\n\tremote = origin\n", ORIGIN, ORIGIN "[branch \"x\"]\n"
				"\t# kept\n", 0},
		{ORIGIN "[branch \"x\"]\n\tpushRemote = no\n", ORIGIN, ORIGIN "[branch \"x\"]\n"
				"\tpushRemote = no\n", 1},
		{ORIGIN, CORE, ORIGIN, 2},           /* git remote remove */
		{ORIGIN "[user]\n\tname = A\n", ORIGIN, ORIGIN "[user]\n\tname = A\n", 1},
		{ORIGIN TRACKED, "", ORIGIN TRACKED, 0}, /* an emptied copy says nothing */
		{ORIGIN TRACKED, "[user]\n\tname = A\n", ORIGIN TRACKED, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		struct git_merge m = {.base = str_of(list[i].base), .now = str_of(list[i].base),
				.box = str_of(list[i].box)};
		bool read;
		struct git_merged got = merge(&m, &read);
		size_t n = 0;

		for (const struct texts *t = got.refused; t; t = t->next)
			n++;
		CHECK_ROW(str_is(got.text, list[i].text), list[i].box);
		CHECK_INT(n, list[i].refused);
	}
}

/* However the bytes of the box's copy look, the host's settings stay, and nothing beyond the list appears. */
static void only_listed(void *ctx, const struct git_setting *s)
{
	(void)ctx;
	CHECK(str_is_any(s->section, "core remote branch user submodule pull index extensions lfs alias"));
	CHECK(!str_is(s->section, "core") || str_is_any(s->key, "bare sparsecheckout sparsecheckoutcone"));
	CHECK(!str_is(s->section, "alias") || str_is(s->value, "!mine"));
	CHECK(!str_is(s->section, "remote") || !str_is(s->key, "url") ||
			str_is(s->value, "https://example.org/a/b.git"));
}

static void test_bytes(void)
{
	static const char *const parts[] = {"[branch \"x\"]", "[core]", "\n", "\r\n", "\\", "\"", "#", "=",
			" ", "\t",
			"remote", "fsmonitor", "= x", "origin", "[remote \"origin\"]", "url",
			"description = ", "]", "[", "\\n",
			"[user]", "name = ", "merge = refs/heads/", "!", "\033", ";", "alias", "[alias]",
			"x = !evil", "a"};
	const char *base = ORIGIN "[alias]\n\tx = !mine\n";
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct buf b;
		bool read;

		buf_init(&b, A, 0);
		buf_c(&b, base);
		for (int n = 0; n < 12; n++) {
			seed = seed * 1103515245u + 12345u;
			buf_c(&b, parts[(seed >> 16) % ARRAY_SIZE(parts)]);
		}
		struct git_merge m = {.base = str_of(base), .now = str_of(base), .box = buf_view(&b)};
		struct git_merged got = merge(&m, &read);

		CHECK(git_config_each(A, got.text, only_listed, NULL));
		CHECK(str_starts(got.text, ORIGIN));
		arena_free(A);
		arena_init(A, ARENA_CAP_DEFAULT);
	}
}

static void test_bounds(void)
{
	struct buf b;
	bool read;

	buf_init(&b, A, 0);
	buf_c(&b, CORE);
	for (int i = 0; i < 3000; i++)
		buf_fmt(&b, "[branch \"%d\"] rebase = true\n", i);
	struct git_merge m = {.base = STR(CORE), .now = STR(CORE), .box = buf_view(&b)};
	struct git_merged got = merge(&m, &read);
	CHECK(!read && !got.taken && str_is(got.text, CORE));
	m.box = str_n("[core]\nbare = false\n[user]\nname = a\0b\n", 38);
	got = merge(&m, &read);
	CHECK(!read && !got.taken);
}

int main(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	RUN(test_rows);
	RUN(test_removed);
	RUN(test_bytes);
	RUN(test_bounds);
	return unit_end();
}
