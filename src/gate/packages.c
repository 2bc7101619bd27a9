/*
 * npx, bunx and npm exec run a program that is installed in the project, or else fetch it. Only a box that
 * reaches the registry can do the latter.
 */
#include "gate/judge.h"

#define LEVELS_MAX 8 /* visited directories above the working directory */

struct package {
	struct str name, bin; /* "@scope/name", and the likely name of its program */
	bool local;	      /* a path */
	bool fetched;	      /* a URL, or a tag such as @latest, which only the registry can resolve */
};

static bool is_runner(const struct via *v)
{
	return v && v->kind == VIA_WRAPPER &&
			(str_is_any(str_of(v->name), "npx bunx") || !strcmp(v->name, "npm exec") ||
			!strcmp(v->name, "npm x") || !strcmp(v->name, "bun x"));
}

bool packages_runs(const struct command *c)
{
	static const char others[][12] = {"pnpx", "uvx", "pnpm dlx", "yarn dlx", "uv tool run", "pipx run"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (c->via && c->via->kind == VIA_WRAPPER && !strcmp(c->via->name, others[i]))
			return true;
	return is_runner(c->via);
}

static struct package package_of(struct str word)
{
	struct package p = {.name = word};
	size_t at = word.n;

	while (at > 1 && word.p[at - 1] != '@')
		at--;
	if (at > 1) { /* a scope's at sign is the first byte */
		p.name = str_first(word, at - 1);
		p.fetched = at == word.n || !strchr("0123456789^~v", word.p[at]);
	}
	p.bin = path_base(p.name);
	p.local = str_starts(word, ".") || str_starts(word, "/");
	p.fetched |= !p.local &&
		(str_has(word, ':') || (word.p[0] != '@' && str_has(p.name, '/')));
	return p;
}

struct package_found {
	bool any;
};

static void found_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x;
	((struct package_found *)ctx)->any |=
		w->answer && w->answer->target != PATH_ABSENT && w->answer->target != PATH_UNREADABLE;
}

/* In the first round this only asks the world. */
static bool is_present(struct judge *j, struct str dir, const char *what, struct str name)
{
	struct access x = {.kind = ACCESS_READ};
	struct package_found f = {0};

	x.path = (struct word){
		.kind = WORD_EXACT, .text = str_fmt(j->a, "%.*s/%s%.*s", STR_ARG(dir), what, STR_ARG(name))};
	paths_each(j, &x, found_one, &f);
	return f.any;
}

/* True if the row of this command is one of a program of the system, which a package has by chance: sv. */
static bool has_system_name(struct judge *j, const struct command *c)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (j->subjects[i].c == c && j->subjects[i].row)
			return subject_known(j, &j->subjects[i])->effects &
				(EFFECT_SYSTEM | EFFECT_PERSISTENCE);
	return false;
}

/*
 * True if the package is installed in this directory or one above it. A program with a knowledge row counts
 * as installed, unless a package.json lacks its node_modules or the row is one of the system.
 */
static bool is_installed(struct judge *j, const struct command *c, const struct package *p)
{
	bool known = know_find(p->bin, j->p->commands, j->p->ncommands) && !has_system_name(j, c),
	     here = false, missing = false;
	struct str dir = path_plain(j->a, c->cwd);

	for (int i = 0; i < LEVELS_MAX && dir.n > 1; i++) {
		size_t up = dir.n;
		bool project = is_present(j, dir, "package.json", STR("")),
		     modules = is_present(j, dir, "node_modules", STR(""));

		here |= is_present(j, dir, "node_modules/.bin/", p->bin) ||
			is_present(j, dir, "node_modules/", p->name);
		missing |= project && !modules;
		if (str_eq(dir, j->v->project))
			break;
		while (up > 1 && dir.p[up - 1] != '/')
			up--;
		dir = str_first(dir, up > 1 ? up - 1 : 1);
	}
	return here || (known && !missing);
}

static bool looks_up(const struct command *c)
{
	return c->argc && c->argv[0].kind == WORD_EXACT && c->argv[0].text.n && is_runner(c->via) &&
		text_exact(c->cwd) && str_starts(c->cwd, "/");
}

/* True if the command, or its name behind assignments, begins where its wrapped command does. */
static bool begins_at(const struct command *c, struct span at)
{
	return c->argc && c->at.text == at.text &&
		(c->at.from == at.from ||
			(c->argv[0].at.text == at.text && c->argv[0].at.from == at.from));
}

/* npx --no-install, --offline: fetches nothing. */
static bool stays_offline(const struct judge *j, struct span at)
{
	for (const struct command *c = j->f->commands; c; c = c->next)
		for (size_t i = 1; begins_at(c, at) && i < c->argc &&
			c->argv[i].kind == WORD_EXACT && str_starts(c->argv[i].text, "-");
			i++)
			if (str_like_any(c->argv[i].text, "--no-install --offline --no"))
				return true;
	return false;
}

void packages_ask(struct judge *j, const struct command *c)
{
	if (looks_up(c)) {
		struct package p = package_of(c->argv[0].text);

		is_installed(j, c, &p);
	}
}

/* Returns the command that runs this one (npx), if it fetches from a registry only; else NULL. */
static struct subject *registry_runner(struct judge *j, const struct command *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->c != c && begins_at(s->c, c->at) &&
			network_use(j, s) == NET_USE_REGISTRY)
			return s;
	}
	return NULL;
}

static bool runs_unknown_package(struct judge *j, struct subject *s)
{
	bool runner = str_is_any(s->base, "npx bunx"), unknown = false;

	for (size_t i = 1; i < s->c->argc; i++) {
		const struct word *w = &s->c->argv[i];

		unknown |= w->kind != WORD_EXACT;
		runner |= w->kind == WORD_EXACT && str_is_any(w->text, "exec x") &&
			str_is_any(s->base, "npm bun");
	}
	return runner && unknown && network_use(j, s) != NET_USE_REGISTRY && !stays_offline(j, s->c->at);
}

/* go run HOST/PATH@VERSION: a host that `go get` asks about, or an unknown one. */
static bool runs_other_module(const struct command *c)
{
	struct word get[3] = {
		{.kind = WORD_EXACT, .text = STR("go")}, {.kind = WORD_EXACT, .text = STR("get")}};

	for (size_t i = 2; i < c->argc; i++) {
		struct str word = c->argv[i].text;

		get[2] = c->argv[i];
		if (get[2].kind != WORD_EXACT)
			return true;
		if (str_starts(word, ".") || str_starts(word, "/") || str_ends(word, ".go"))
			return false; /* what follows are arguments of the program */
		if (str_find(word, '/', 0) > 0 && str_find(word, '@', 0) > 0)
			return !net_form_find(STR("go"), get, ARRAY_SIZE(get));
	}
	return false;
}

/* go mod edit -require "$X" leaves a name for the next go command. */
static bool names_unknown_module(const struct subject *s)
{
	const struct command *c = s->c;
	bool unknown = false;

	if (!str_is(s->base, "go") || c->argc < 3 || c->argv[1].kind != WORD_EXACT)
		return false;
	if (str_is(c->argv[1].text, "run"))
		return runs_other_module(c);
	for (size_t i = 3; i < c->argc; i++)
		unknown |= c->argv[i].kind != WORD_EXACT;
	return unknown && str_is(c->argv[1].text, "mod") && c->argv[2].kind == WORD_EXACT &&
		str_is(c->argv[2].text, "edit");
}

/* npx "$X" in a box that reaches a registry for another command: the registry may see the text. */
static void unknown_packages(struct judge *j, const struct check *c)
{
	bool reached = false;

	for (size_t i = 0; i < j->nsubjects; i++)
		reached |= network_use(j, &j->subjects[i]) == NET_USE_REGISTRY;
	for (size_t i = 0; reached && i < j->nsubjects; i++)
		if (runs_unknown_package(j, &j->subjects[i]) || names_unknown_module(&j->subjects[i]))
			judge_say(j, c, j->subjects[i].c->at,
				judge_quote(j, "", j->subjects[i].c->at,
					" may fetch a package whose name is unknown, and another part of the "
					"request reaches the registry"));
}

void packages_fetch(struct judge *j, const struct check *c)
{
	unknown_packages(j, c);
	for (const struct command *k = j->f->commands; k; k = k->next) {
		struct subject *runner;
		struct package p;

		if (!looks_up(k) || stays_offline(j, k->at))
			continue;
		p = package_of(k->argv[0].text);
		if (p.local || (!p.fetched && is_installed(j, k, &p)))
			continue;
		runner = registry_runner(j, k);
		judge_raise_network(j, runner ? gate_check(CHECK_PACKAGE_INSTALL) : c, k->at,
			str_fmt(j->a,
				"'%.*s' is not installed in the project, so it is fetched from the network",
				STR_ARG(k->argv[0].text)),
			"install it as a dependency first",
			runner ? str_fmt(j->a, "preset:%s", net_form_tool(runner->form)) : STR(""));
	}
}

/* ---- installing into the project ---- */

/*
 * Package managers, with subcommands that fetch packages into the project or fetch the program they run. They
 * need the network but none of the person's credentials, so a box with the network is enough. "." is the
 * program without a subcommand.
 */
static const struct {
	char program[12], words[100];
} installers[] = {
	{"npm", "install i in isntall add ci clean-install it update up upgrade dedupe exec x create init "
			"audit"},
	{"pnpm", "install i add update up upgrade fetch dlx create"},
	{"yarn", ". install add up upgrade dlx create"},
	{"bun", "install i add update x create"}, {"npx", "*"}, {"bunx", "*"}, {"pnpx", "*"}, {"uvx", "*"},
	{"pip", "install download wheel"}, {"pip3", "install download wheel"},
	{"uv", "sync add lock pip run tool"},
	{"poetry", "install add update lock sync"}, {"pipenv", "install sync update lock"},
	{"pdm", "install add sync update lock"}, {"cargo", "add fetch update generate-lockfile vendor"},
	{"go", "get"}, {"bundle", ". install update add lock"}, {"composer", "install update require i u r"},
	{"dotnet", "restore add"}, {"mix", "deps.get"},
};

static struct str first_word(const struct command *c, size_t from)
{
	while (from < c->argc && c->argv[from].kind == WORD_EXACT && str_starts(c->argv[from].text, "-"))
		from++;
	if (from == c->argc)
		return STR(".");
	return c->argv[from].kind == WORD_EXACT ? c->argv[from].text : STR("");
}

/* True for the machine's or the person's own directories, which the box does not write. */
static bool is_global(const struct command *c)
{
	for (size_t i = 1; i < c->argc; i++)
		if (c->argv[i].kind == WORD_EXACT && str_like_any(c->argv[i].text,
				"-g --global --location=global --user --system"))
			return true;
	return false;
}

static bool is_among(struct str word, const char *words)
{
	struct str rest = str_of(words), one;

	while ((one = str_word(&rest)).n)
		if (str_eq(one, word) || str_is(one, "*"))
			return true;
	return false;
}

static bool installs(const struct subject *s)
{
	const struct command *c = s->c;
	bool module = str_starts(s->base, "python") && c->argc > 2 && str_is(c->argv[1].text, "-m");
	struct str program = module ? c->argv[2].text : s->base, word = first_word(c, module ? 3 : 1);

	ptrdiff_t i = STR_ROW(installers, program, program);

	if (i >= 0)
		return !is_global(c) && is_among(word, installers[i].words);
	return false;
}

size_t packages_installers(const struct judge *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		s->installs = s->c->argc && installs(s);
		n += s->installs;
	}
	return n;
}

bool packages_install(const struct judge *j, struct span at)
{
	for (size_t i = 0; j->ninstallers && i < j->nsubjects; i++)
		if (j->subjects[i].installs && span_encloses(j->subjects[i].c->at, at))
			return true;
	return false;
}
