/*
 * Commands that kill processes. The box has only its own processes, so a contained kill reaches nothing: such
 * a command runs on the host or is asked about.
 *
 *   quiet    jobs of the shell, and processes that the request itself started ($!)
 *   warn     development servers by name (pkill -f "next dev") or by the port they listen on (lsof -ti:3000)
 *   ask      any other process of the user
 *   deny     all processes, vital services, caisson (dangers.yaml has those by name)
 */
#include "base/num.h"
#include "gate/judge.h"

/* ---- development servers ---- */

/* Commands that people restart at will while they work. */
static const char servers[][24] = {"next dev", "next start", "next-server", "vite", "webpack",
	"webpack-dev-server", "nodemon", "react-scripts", "http-server", "live-server", "uvicorn", "gunicorn",
	"hypercorn", "daphne", "flask run", "runserver", "http.server", "rails server", "rails s", "puma",
	"jekyll serve", "hugo server", "storybook", "ts-node-dev", "tsx watch", "ng serve", "nuxt dev",
	"nuxi dev", "astro dev", "remix dev", "expo start", "metro", "wrangler dev", "browser-sync",
	"mkdocs serve", "sphinx-autobuild", "streamlit run", "npm run dev", "npm run start", "npm start",
	"pnpm dev", "pnpm run dev", "yarn dev", "bun dev", "bun run dev", "cargo watch", "artisan serve",
	"php -S", "parcel", "esbuild", "turbo dev", "nx serve", "vitest", "jest", "playwright test", ""};

/*
 * Words of programs that must not be killed without an ask: caisson, agents and editors, session managers,
 * databases.
 */
static const char kept[][16] = {"caisson", "claude", "codex", "gemini", "cursor", "copilot", "opencode",
	"windsurf", "qwen", "code", "electron", "ssh", "systemd", "dbus", "tmux", "screen", "bash", "zsh",
	"fish", "login", "xorg", "wayland", "gnome", "plasma", "postgres", "mysql", "mariadb", "redis",
	"mongo", "docker", "containerd", "cli.", "index.", "main.js", ""};

static const struct {
	unsigned from, to;
} dev_ports[] = {{1234, 1234}, {1313, 1313}, {3000, 3010}, {4000, 4010}, {4173, 4173}, {4200, 4200},
	{4321, 4321}, {5000, 5010}, {5173, 5183}, {5500, 5500}, {6006, 6006}, {8000, 8010}, {8080, 8090},
	{8888, 8888}, {9000, 9000}, {19000, 19006}};

static bool is_dev_port(struct str s)
{
	unsigned port = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]) || port > 65535)
			return false;
		port = port * 10 + (unsigned)(s.p[i] - '0');
	}
	for (size_t i = 0; i < ARRAY_SIZE(dev_ports); i++)
		if (port >= dev_ports[i].from && port <= dev_ports[i].to)
			return true;
	return false;
}

/* True for "node server.js" or "app.py": one script by name. */
static bool names_script(struct str s)
{
	static const char ends[][8] = {".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".php", ""};

	for (size_t i = 0; *ends[i]; i++)
		if (str_ends(s, ends[i]) && s.n > strlen(ends[i]) + 2)
			return true;
	return false;
}

/* True if a pkill pattern names a development server and, as far as its words tell, nothing else. */
static bool names_server(struct judge *j, struct str pattern)
{
	struct str s = str_lower(j->a, pattern);

	for (size_t i = 0; i < s.n; i++)
		if (!(ascii_is_lower(s.p[i]) || ascii_is_digit(s.p[i]) ||
			    strchr(" _./:@=-", s.p[i])))
			return false;
	for (size_t i = 0; *kept[i]; i++)
		if (str_contains(s, str_of(kept[i])))
			return false;
	for (size_t i = 0; *servers[i]; i++) {
		struct str want = str_lower(j->a, str_of(servers[i]));

		for (size_t k = 0; k + want.n <= s.n; k++)
			if (!memcmp(s.p + k, want.p, want.n) && (k == 0 || strchr(" /", s.p[k - 1])) &&
				(k + want.n == s.n || s.p[k + want.n] == ' '))
				return true;
	}
	return names_script(s);
}

/* ---- pkill, pgrep, lsof, fuser ---- */

/* True for an option of pkill, pgrep or killall that leaves the selection to the pattern. */
static bool is_plain_option(struct str s)
{
	if (str_like_any(s,
			"-9 -15 -2 -1 -TERM -KILL -INT -HUP -QUIT -SIGTERM -SIGKILL -SIGINT -SIGHUP --full "
			"--exact"))
		return true;
	for (size_t i = 1; i < s.n; i++)
		if (!strchr("fxe", s.p[i])) /* not -v of pgrep, which inverts the selection */
			return false;
	return s.n > 1 && s.p[0] == '-';
}

/* True if the only operand names a development server. */
static bool chooses_server(struct judge *j, const struct command *c)
{
	size_t names = 0;

	for (size_t i = 1; i < c->argc; i++) {
		struct str s = c->argv[i].text;

		if (c->argv[i].kind != WORD_EXACT)
			return false;
		if (str_starts(s, "-") ? !is_plain_option(s) : !names_server(j, s))
			return false;
		names += !str_starts(s, "-");
	}
	return names == 1;
}

/* lsof -ti:3000, lsof -t -i tcp:3000 -sTCP:LISTEN */
static bool chooses_port(const struct command *c)
{
	size_t ports = 0;

	for (size_t i = 1; i < c->argc; i++) {
		struct str s = c->argv[i].text;
		ptrdiff_t colon = str_find(s, ':', 0);
		size_t letter = str_starts(s, "-");

		if (c->argv[i].kind != WORD_EXACT)
			return false;
		if (str_is(s, "-sTCP:LISTEN"))
			continue;
		while (letter && letter < s.n && strchr("tinP", s.p[letter]))
			letter++;
		if (colon < 0 ? letter != s.n : !is_dev_port(str_from(s, (size_t)colon + 1)))
			return false;
		if (colon >= 0 && letter != (size_t)colon &&
			!str_is(str_sub(s, letter, (size_t)colon), "tcp") &&
			!str_is(str_sub(s, letter, (size_t)colon), "TCP"))
			return false;
		ports += colon >= 0;
	}
	return ports == 1;
}

static bool is_source(struct judge *j, const struct subject *s)
{
	if (!s->c->argc || !subject_is_program(j, s))
		return false;
	return str_is(s->base, "pgrep") ? chooses_server(j, s->c)
					: str_is(s->base, "lsof") && chooses_port(s->c);
}

static struct str bytes_at(const struct judge *j, struct span at)
{
	return at.text < j->f->ntexts ? str_sub(j->f->texts[at.text].bytes, at.from, at.to) : STR("");
}

/* Returns the text inside $( ) if the word consists of nothing else. */
static struct str substituted_command(struct str word)
{
	if (word.n > 2 && word.p[0] == '"' && word.p[word.n - 1] == '"')
		word = str_sub(word, 1, word.n - 1);
	if (word.n < 4 || !str_starts(word, "$(") || word.p[word.n - 1] != ')')
		return STR("");
	word = str_sub(word, 2, word.n - 1);
	while (word.n && word.p[word.n - 1] == ' ')
		word.n--;
	while (word.n && word.p[0] == ' ')
		word = str_from(word, 1);
	return word;
}

/* kill $(lsof -ti:3000) */
static bool word_from_server(struct judge *j, const struct word *w)
{
	struct str inner = substituted_command(bytes_at(j, w->at));

	for (size_t i = 0; i < j->nsubjects && inner.n; i++)
		if (span_encloses(w->at, j->subjects[i].c->at) &&
			str_eq(bytes_at(j, j->subjects[i].c->at), inner))
			return is_source(j, &j->subjects[i]);
	return false;
}

/* lsof -ti:3000 | xargs kill. Another input (<, xargs -a) would replace the pipe. */
static bool pipe_from_server(struct judge *j, const struct subject *kill, struct span pipeline)
{
	struct str text = bytes_at(j, pipeline);
	size_t sources = 0;

	if (!text.n || str_has(text, '<'))
		return false;
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];

		if (s->c == kill->c || !span_encloses(pipeline, s->c->at))
			continue;
		for (size_t k = 1; str_is(s->base, "xargs") && k < s->c->argc; k++)
			if (str_starts(s->c->argv[k].text, "-a") || str_starts(s->c->argv[k].text, "--a"))
				return false;
		if (!str_is(s->base, "xargs") && !is_source(j, s))
			return false;
		sources += !str_is(s->base, "xargs");
	}
	return sources == 1;
}

static struct span pipeline_of(const struct judge *j, struct span at)
{
	struct span w = {0};

	for (const struct mark *m = j->f->marks; m; m = m->next)
		if (m->kind == MARK_PIPELINE && span_encloses(m->at, at) &&
			(!w.to || m->at.to - m->at.from < w.to - w.from))
			w = m->at;
	return w;
}

/* A port of `lsof -ti:3000` or `fuser -k 3000/tcp` on which boxes of the project listen; 0: none. */
static uint16_t box_port_of(const struct judge *j, const struct command *c)
{
	for (size_t i = 1; i < c->argc; i++) {
		struct str s = c->argv[i].text;
		ptrdiff_t colon = str_find(s, ':', 0);
		struct str number = str_ends(s, "/tcp") ? str_sub(s, 0, s.n - 4)
							: str_sub(s, (size_t)(colon + 1), s.n);
		int64_t port;

		if (num_parse(number, 1, UINT16_MAX, &port) != 0)
			continue;
		for (size_t k = 0; k < j->v->box_ports.n; k++)
			if (j->v->box_ports.at[k] == port)
				return (uint16_t)port;
	}
	return 0;
}

/* Processes of boxes have no port on the host: the command would find nothing, or another process. */
static bool tell_box(struct judge *j, struct span at)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];
		uint16_t port = str_is_any(s->base, "lsof fuser") ? box_port_of(j, s->c) : 0;

		if (!port)
			continue;
		judge_raise_at_most(j, CHECK_BOX_PROCESS, GRADE_DENY, at,
			str_fmt(j->a, "the process that listens on port %u is in a box of the project", port),
			"caisson ps lists the boxes, caisson stop ID ends one");
		return true;
	}
	return false;
}

static void tell_server(struct judge *j, struct span at)
{
	if (tell_box(j, at))
		return;
	judge_raise_at_most(j, CHECK_PROCESS_END, GRADE_DENY, at,
		judge_quote(j, "", at, " ends a development server"), NULL);
}

/* ---- kill ---- */

/*
 * True if the request mentions processes that it started, and not its parent process. Else a number may be
 * any process.
 */
static bool has_own_jobs(const struct judge *j)
{
	static const char marks[][10] = {"$!", "${!}", "$$", "BASHPID", "jobs", ""};
	bool own = false;

	for (size_t t = 0; t < j->f->ntexts; t++) {
		if (str_contains(j->f->texts[t].bytes, STR("PPID")))
			return false;
		for (size_t i = 0; *marks[i]; i++)
			own |= str_contains(j->f->texts[t].bytes, str_of(marks[i]));
	}
	return own;
}

/* True for $! or the output of `jobs -p`. */
static bool is_own(const struct judge *j, const struct word *w)
{
	struct str text = bytes_at(j, w->at);

	if (w->kind == WORD_EXACT)
		return str_starts(w->text, "%");
	if (w->kind == WORD_UNKNOWN && w->text.n == 1 && w->text.p[0] == HOLE_NUM)
		return has_own_jobs(j);
	if (str_is(text, "$!") || str_is(text, "\"$!\""))
		return true;
	for (const struct command *c = j->f->commands; c; c = c->next)
		if (c->via->kind == VIA_FUNCTION)
			return false; /* a function may be named jobs */
	return str_is(text, "$(jobs -p)") || str_is(text, "\"$(jobs -p)\"");
}

static void kill_one(struct judge *j, const struct subject *s, const struct word *w)
{
	struct span pipeline = pipeline_of(j, s->c->at);
	bool xargs = s->c->via && s->c->via->kind == VIA_XARGS;

	if (is_own(j, w))
		return;
	if (w->kind == WORD_EXACT && str_is_any(w->text, "-1 1 0"))
		judge_raise_at_most(j, CHECK_SYSTEM_STATE, GRADE_DENY, s->c->at,
			judge_quote(j, "", s->c->at, " ends all processes, or processes that the machine "
					"needs"),
			"kill one process by its PID");
	else if (w->kind != WORD_EXACT && (xargs ? pipe_from_server(j, s, pipeline) : word_from_server(j, w)))
		tell_server(j, s->c->at);
	else if (w->kind == WORD_EXACT || !tell_box(j, s->c->at))
		judge_raise_at_most(j, CHECK_SYSTEM_CHANGE, GRADE_DENY, s->c->at,
			judge_quote(j, "", s->c->at,
				w->kind == WORD_EXACT ? " ends a process"
						      : " ends processes that are unknown before it runs"),
			"end what you started by its job (kill %1) or by $!");
}

static void check_kill(struct judge *j, const struct subject *s)
{
	bool signalled = false, ended = false;

	for (size_t i = 1; i < s->c->argc; i++) {
		const struct word *w = &s->c->argv[i];

		if (w->kind == WORD_EXACT && !ended && str_is(w->text, "--")) {
			ended = true;
		} else if (w->kind == WORD_EXACT && !ended &&
			str_is_any(w->text, "-l -L -0")) {
			return;
		} else if (w->kind == WORD_EXACT && !ended &&
			str_is_any(w->text, "-s -n")) {
			if (i + 1 < s->c->argc && str_is(s->c->argv[i + 1].text, "0"))
				return;
			signalled = true;
			i++;
		} else if (w->kind == WORD_EXACT && !ended && !signalled && str_starts(w->text, "-") &&
			(!str_is(w->text, "-1") || i + 1 < s->c->argc)) {
			signalled = true; /* -9, -KILL; -1 alone is a target */
		} else {
			kill_one(j, s, w);
		}
	}
}

/* True for pkill -0 and killall -l, which kill nothing. */
static bool sends_nothing(const struct command *c)
{
	for (size_t i = 1; i < c->argc; i++)
		if (c->argv[i].kind == WORD_EXACT &&
			str_is_any(c->argv[i].text, "-0 -l"))
			return true;
	return false;
}

/* pkill -P $$: children of this shell. */
static bool ends_children(const struct judge *j, const struct command *c)
{
	return c->argc == 3 && str_is(c->argv[1].text, "-P") && c->argv[2].kind == WORD_UNKNOWN &&
		is_own(j, &c->argv[2]);
}

/* fuser -k 3000/tcp */
static bool frees_port(const struct command *c)
{
	for (size_t i = 1; i < c->argc; i++) {
		struct str s = c->argv[i].text;

		if (c->argv[i].kind != WORD_EXACT)
			return false;
		if (!str_is_any(s, "-k --kill -9 -s") &&
			!(str_ends(s, "/tcp") && is_dev_port(str_first(s, s.n - 4))))
			return false;
	}
	return true;
}

void processes_check(struct judge *j, struct subject *s)
{
	bool many = str_is_any(s->base, "pkill killall");

	if (str_is(s->base, "kill"))
		check_kill(j, s);
	else if (many && (sends_nothing(s->c) || ends_children(j, s->c)))
		return;
	else if (many ? chooses_server(j, s->c)
		      : str_is(s->base, "fuser") && know_has(subject_options(j, s), "-k") && frees_port(s->c))
		tell_server(j, s->c->at);
	else if (many)
		judge_raise_at_most(j, CHECK_SYSTEM_CHANGE, GRADE_DENY, s->c->at,
			judge_quote(j, "", s->c->at, " ends every process of that name"),
			"end what you started by its job (kill %1) or by $!");
	else if (str_is(s->base, "fuser") &&
		(know_has(subject_options(j, s), "-k") || subject_options(j, s)->maybe_option) &&
		!tell_box(j, s->c->at))
		judge_raise_at_most(j, CHECK_SYSTEM_CHANGE, GRADE_DENY, s->c->at,
			judge_quote(j, "", s->c->at, " ends processes"), NULL);
}
