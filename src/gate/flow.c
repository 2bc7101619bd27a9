/*
 * Dangerous data flows: code from the network or from an encoding into a shell, secrets to the network, a
 * shell to a socket.
 */
#include "base/glob.h"
#include "gate/judge.h"
#include "gate/path_table.h"
#include "knowledge/variables.h"

/* Returns the pipeline around this place, or the place itself. */
static struct span pipeline_around(const struct judge *j, struct span at)
{
	struct span w = at;
	bool found = false;

	for (const struct mark *m = j->f->marks; m; m = m->next)
		if (m->kind == MARK_PIPELINE && span_encloses(m->at, at) &&
				(!found || m->at.to - m->at.from < w.to - w.from)) {
			w = m->at;
			found = true;
		}
	return w;
}

/* Returns the command that this place belongs to (the largest of a wrapper and its command). */
static struct span command_of(const struct judge *j, struct span at)
{
	struct span w = at;

	for (const struct command *c = j->f->commands; c; c = c->next)
		if (span_encloses(c->at, at) && (w.from == at.from && w.to == at.to))
			w = c->at;
	return w;
}

static bool fetches(const struct subject *s)
{
	if (str_is(s->base, "openssl") && s->c->argc > 1 && s->c->argv[1].kind == WORD_EXACT &&
			str_is_any(s->c->argv[1].text, "rand version"))
		return false; /* it connects only as a client */
	return str_is_any(s->base,
			"curl wget nc ncat netcat socat ftp lftp aria2c http https httpie xh fetch lynx "
			"w3m links elinks aws gsutil gh ssh telnet rclone tftp smbclient openssl dig "
			"nslookup host scp sftp rsync axel curlie lwp-request GET POST wget2");
}

static bool decodes(struct judge *j, struct subject *s)
{
	static const struct {
		char name[12], options[12];
	} rows[] = {{"base64", "-d"}, {"base64", "-D"}, {"base64", "--decode"}, {"base32", "-d"},
			{"basenc", "-d"}, {"basenc", "--decode"}, {"xxd", "-r"}, {"openssl", "-d"},
		{"gunzip", ""}, {"zcat", ""}, {"gzip", "-d"}, {"bunzip2", ""}, {"bzcat", ""}, {"xzcat", ""},
		{"unxz", ""}, {"uudecode", ""}, {"rev", ""}, {"tr", ""}, {"gpg", "-d"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_is(s->base, rows[i].name) &&
				(!rows[i].options[0] || know_has(subject_options(j, s), rows[i].options)))
			return true;
	return false;
}

/* Unknown code runs at this place: raises the command that fetches or decodes it. */
static void code_from(struct judge *j, struct span at)
{
	struct span own = command_of(j, at), all = pipeline_around(j, own);

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		bool here = span_overlaps(s->c->at, all);

		/* in a text derived from here */
		for (uint32_t t = s->c->at.text; !here && t > 0 && t < j->f->ntexts; t = j->f->texts[t].in)
			here = span_overlaps(j->f->texts[t].origin, all);
		if (!here || command_covers(s->c, at)) /* ssh does not fetch what it runs */
			continue;
		if (fetches(s))
			judge_raise_at_most(j, CHECK_DOWNLOAD_EXECUTE, GRADE_DENY, at,
				judge_quote(j, "what ", s->c->at, " fetches would be run immediately"),
				"download it to a file in the project, and let the user read it first");
		else if (decodes(j, s))
			judge_raise_at_most(j, CHECK_ENCODED_EXECUTE, GRADE_DENY, at,
				judge_quote(j, "what ", s->c->at, " decodes would be run without being seen"),
				"write the command out");
	}
}

/* Returns a command that fetches inside a substitution or a function, whatever happens to its output. */
static struct subject *fetched_aside(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		for (const struct via *v = j->subjects[i].c->via; v; v = v->outer) {
			bool aside =
				v->kind == VIA_SUBST || v->kind == VIA_PROCSUB || v->kind == VIA_FUNCTION;

			if (aside && fetches(&j->subjects[i]))
				return &j->subjects[i];
		}
	return NULL;
}

/* True if a fetched URL would get this file name: the part after its last slash. */
static bool named_by_address(const struct judge *j, struct str path)
{
	struct str name = path_base(path);

	for (const struct touch *t = j->f->touches; t; t = t->next) {
		struct str url = t->host.text;
		ptrdiff_t query = str_find(url, '?', 0);

		if (query > 0)
			url = str_first(url, (size_t)query);
		if (name.n && str_has(url, '/') && str_eq(path_base(url), name))
			return true;
	}
	return false;
}

#define RENAMES_MAX 4 /* renames of a fetched file that are tracked */

static struct str plain_path(struct judge *j, const struct access *x)
{
	return path_plain(j->a, x->path.text);
}

/* True if a command that fetches writes this file, or if it is a renamed or copied one. */
static bool is_fetched(struct judge *j, struct str path, unsigned renames)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_WRITE || x->path.kind != WORD_EXACT || !str_eq(plain_path(j, x), path))
			continue;
		for (size_t i = 0; i < j->nsubjects; i++)
			if (span_overlaps(pipeline_around(j, j->subjects[i].c->at), x->at) &&
				fetches(&j->subjects[i]))
				return true;
		for (const struct access *from = j->f->accesses; from && access_copies(x) &&
				renames < RENAMES_MAX; from = from->next)
			if ((from->kind == ACCESS_READ || from->kind == ACCESS_DELETE) &&
				from->path.kind == WORD_EXACT && from->at.text == x->at.text &&
				from->at.from == x->at.from && !str_eq(plain_path(j, from), path) &&
				is_fetched(j, plain_path(j, from), renames + 1))
				return true;
	}
	return false;
}

/* True if unknown code comes from a fetched file: sh < a, cat a | sh, eval "$(cat a)". */
static bool code_from_fetched(struct judge *j, struct span at)
{
	struct span all = pipeline_around(j, command_of(j, at));

	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_READ && x->path.kind == WORD_EXACT && span_overlaps(x->at, all) &&
				is_fetched(j, plain_path(j, x), 0))
			return true;
	return false;
}

static bool some_fetch(const struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (fetches(&j->subjects[i]))
			return true;
	return false;
}

void flow_execute(struct judge *j, const struct check *c)
{
	struct subject *aside = fetched_aside(j);
	bool some = some_fetch(j); /* skip the comparisons if nothing was fetched */

	for (const struct trouble *t = j->f->troubles; t; t = t->next) {
		if (t->kind != TROUBLE_OPAQUE_SCRIPT)
			continue;
		code_from(j, t->at);
		if (some && code_from_fetched(j, t->at))
			judge_say(j, c, t->at, STR("a file that was just fetched would be run"));
		if (aside)
			judge_say(j, c, t->at,
					judge_quote(j, "what ", aside->c->at,
					" fetches may be run here"));
	}
	for (const struct command *k = j->f->commands; k; k = k->next) /* $(curl ...) as the command itself */
		for (size_t i = 0; i < j->nsubjects && k->argc && k->argv[0].kind != WORD_EXACT; i++)
			if (span_encloses(k->argv[0].at, j->subjects[i].c->at) && fetches(&j->subjects[i]))
				judge_say(j, c, k->argv[0].at,
						judge_quote(j, "what ", j->subjects[i].c->at,
						" fetches would be run as a command"));
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (s->text.kind != WORD_EXACT && s->lang != LANG_SQL)
			code_from(j, s->at);
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_EXEC)
			continue;
		if (x->path.kind == WORD_EXACT && ((some && is_fetched(j, plain_path(j, x), 0)) ||
				named_by_address(j, x->path.text)))
			judge_say(j, c, x->at,
					judge_quote(j, "", x->at, " runs a file that was just fetched"));
		else if (x->path.kind != WORD_EXACT && x->cause != CAUSE_VARIABLE && x->path.text.n &&
			 x->path.ambient == false && str_starts(x->path.text, "/dev/fd/"))
			code_from(j, x->at); /* bash <(curl ...) */
	}
}

/* ---- secrets ---- */

/* env, printenv -0, export -p, declare -px; not `env X=1 make`, not `set -e`. */
static bool dumps_environment(struct judge *j, struct subject *s)
{
	if (str_is(s->base, "env") && s->row)
		return subject_known(j, s)->readonly; /* it runs no command */
	if (!str_is_any(s->base, "printenv export set declare typeset"))
		return false;
	for (size_t i = 1; i < s->c->argc; i++)
		if (s->c->argv[i].kind != WORD_EXACT || str_is(s->base, "set") ||
			!str_is_any(s->c->argv[i].text, "-0 --null -p -x -px -xp"))
			return false;
	return true;
}

bool flow_expands_secret(const struct judge *j, struct span at)
{
	struct str s = at.text < j->f->ntexts ? str_sub(j->f->texts[at.text].bytes, at.from, at.to) : STR("");

	for (size_t i = 0; i + 1 < s.n; i++) {
		size_t from = i + 1, to;

		if (s.p[i] != '$')
			continue;
		while (from < s.n && strchr("{!#", s.p[from]))
			from++;
		for (to = from; to < s.n && (ascii_is_alnum(s.p[to]) || s.p[to] == '_');)
			to++;
		if (var_secret(str_sub(s, from, to), STR("")))
			return true;
	}
	return false;
}

/* printenv TOKEN, echo "$TOKEN". */
static bool prints_secret(const struct judge *j, const struct subject *s)
{
	bool unknown = false; /* '$TOKEN' in quotes is no secret */

	for (size_t i = 1; i < s->c->argc; i++)
		unknown |= s->c->argv[i].kind != WORD_EXACT;
	if (str_is_any(s->base, "echo printf"))
		return unknown && flow_expands_secret(j, s->c->at);
	for (size_t i = 1; i < s->c->argc && str_is(s->base, "printenv"); i++)
		if (s->c->argv[i].kind != WORD_EXACT || var_secret(s->c->argv[i].text, STR("")))
			return true;
	return false;
}

/* Code of a language that reads its environment: python -c 'print(os.environ)'. */
static bool code_shows_environment(const struct subject *s)
{
	static const char marks[][12] = {
		"environ", "process.env", "getenv", "ENV[", "%ENV", "$ENV", "phpinfo"};

	for (size_t i = 1; i < s->c->argc; i++)
		for (size_t k = 0; k < ARRAY_SIZE(marks); k++)
			if (str_contains(s->c->argv[i].text, str_of(marks[k])))
				return true;
	return str_is(s->base, "php") && s->c->argc > 1 && str_is(s->c->argv[1].text, "-i");
}

/* Returns the command that sources a likely secret; NULL: none. */
static const struct subject *sources_secret(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];

		if (!str_is_any(s->base, ". source"))
			continue;
		for (const struct access *x = j->f->accesses; x; x = x->next) {
			struct where w;

			if (x->kind != ACCESS_EXEC || x->path.kind != WORD_EXACT ||
					!command_covers(s->c, x->at))
				continue;
			w = paths_lexical(j, STR("/"), x->path.text);
			if (path_table_secret(j, &w, false))
				return s;
		}
	}
	return NULL;
}

/* set -x, set -o verbose, bash -xc: the shell prints the lines or the commands that it reads. */
static bool traces(const struct subject *s)
{
	bool shell = str_is_any(s->base, "bash sh dash zsh ksh");

	for (size_t i = 1; i < s->c->argc && (shell || str_is(s->base, "set")); i++) {
		struct str w = s->c->argv[i].text;

		if (str_is_any(w, "xtrace verbose") && str_is_any(s->c->argv[i - 1].text, "-o -eo -euo"))
			return true;
		if (w.n < 2 || w.p[0] != '-' || w.p[1] == '-')
			continue;
		if (str_has(w, 'x') || str_has(w, 'v'))
			return true;
	}
	return false;
}

/* declare -p, also of one variable. */
static bool shows_variables(const struct subject *s)
{
	bool declares = str_is_any(s->base, "declare typeset export readonly local");

	for (size_t i = 1; declares && i < s->c->argc; i++)
		if (str_starts(s->c->argv[i].text, "-") && str_has(s->c->argv[i].text, 'p'))
			return true;
	return false;
}

/* . .env; env: the variables of the secret are shown. */
static void show_sourced(struct judge *j)
{
	const struct subject *source = sources_secret(j);

	for (size_t i = 0; source && i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (!s->c->elsewhere && (dumps_environment(j, s) || prints_secret(j, s) ||
				code_shows_environment(s) || shows_variables(s) || traces(s)))
			judge_raise_at_most(j, CHECK_SECRET_READ, GRADE_ASK, s->c->at,
				judge_quote(j, "", s->c->at,
					" shows variables of a likely secret that the request sources"),
				NULL);
	}
}

static void show_environment(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->c->elsewhere &&
			(dumps_environment(j, s) || prints_secret(j, s) || code_shows_environment(s)))
			judge_raise_at_most(j, CHECK_SECRET_READ, GRADE_ASK, s->c->at,
				judge_quote(j, "", s->c->at,
					" shows the environment of another machine or container, which may "
					"contain passwords"),
				NULL);
	}
}

static bool subject_sends(struct judge *j, struct subject *s)
{
	return s->row && (subject_known(j, s)->effects & (EFFECT_NETWORK | EFFECT_PATTERN_HOST));
}

static bool sends_within(struct judge *j, struct span all)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (span_overlaps(all, j->subjects[i].c->at) && subject_sends(j, &j->subjects[i]))
			return true;
	return false;
}

/*
 * Raises a request that prints the environment and sends something. In one pipeline it is what is sent;
 * elsewhere it need not be, so a person is asked.
 */
static void leak_environment(struct judge *j, const struct check *c, struct span sender)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct span at = j->subjects[i].c->at;
		struct span all = pipeline_around(j, at);
		bool dumps = dumps_environment(j, &j->subjects[i]), piped;

		if (!dumps && !prints_secret(j, &j->subjects[i]))
			continue;
		/* a token is often piped into a program that logs in */
		piped = dumps && (span_overlaps(all, sender) || sends_within(j, all));
		judge_raise_at_most(j, c->id, piped ? GRADE_DENY : GRADE_ASK, at,
			judge_quote(j, "the environment may contain secrets, and ", sender,
				" could send them away"),
			"print the environment in a separate command");
	}
}

/*
 * Raises a request that reads a secret and sends something. Listing or counting secrets is left to other
 * checks.
 */
void flow_leak(struct judge *j, const struct check *c)
{
	struct span sender = {0}, secret = {0};
	bool sends = false, found = false;

	show_environment(j);
	show_sourced(j);
	for (size_t i = 0; i < j->nsubjects && !sends; i++) {
		sends = subject_sends(j, &j->subjects[i]);
		sender = j->subjects[i].c->at;
	}
	for (const struct access *x = j->f->accesses; x && !sends; x = x->next) {
		sends = access_connects(x);
		sender = x->at;
	}
	if (!sends)
		return;
	for (const struct access *x = j->f->accesses; x && !found; x = x->next) {
		found = access_reads_secret(j, x);
		secret = x->at;
	}
	if (!found)
		leak_environment(j, c, sender);
	else
		judge_say(j, c, secret, judge_quote(j, "a secret is read, and ", sender,
				" could send it away"));
}

/* ---- reverse shells ---- */

static bool is_socket(struct str path)
{
	return str_starts(path, "/dev/tcp/") || str_starts(path, "/dev/udp/") ||
			str_contains(path, STR("/dev/tcp/")) || str_contains(path, STR("/dev/udp/"));
}

void flow_reverse_shell(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (access_is_redirection(x) && x->path.text.n && is_socket(x->path.text))
			judge_say(j, c, x->at,
					judge_quote(j, "", x->at, " connects this shell to another machine"));
}

/*
 * A function that starts itself twice, which the reader abandons at its depth bound, or a loop that does
 * nothing but start jobs.
 */
void flow_fork_bomb(struct judge *j, const struct check *c)
{
	for (const struct mark *m = j->f->marks; m; m = m->next)
		if (m->kind == MARK_SPAWNS)
			judge_say(j, c, m->at,
					STR("an endless loop that starts background jobs fills the machine "
					"with processes"));
	for (const struct trouble *t = j->f->troubles; t; t = t->next) {
		if (t->kind != TROUBLE_BOUND || !t->message || !strstr(t->message, "functions call"))
			continue;
		for (const struct mark *m = j->f->marks; m; m = m->next)
			if (m->kind == MARK_PIPELINE) {
				judge_say(j, c, t->at,
						STR("a function that starts itself in a pipe fills the "
						"machine with processes"));
				return;
			}
	}
}
