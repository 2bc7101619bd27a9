/*
 * Matches the words of commands with the rows of dangerous commands. The words are parsed with what is known
 * of the command's options, so clusters, abbreviations, global options before a subcommand and `--` make no
 * difference. An unknown word asks where it could matter.
 */
#include "gate/danger.h"

#include "base/glob.h"
#include "gate/loopback.h"

#define LIST_WORD_MAX 128 /* bytes of one word of a row's list */

/* Reads the next blank-separated word of a list at *at; false at the end. */
static bool next_word(const char *list, size_t *at, struct str *ret)
{
	size_t from;

	while (list[*at] == ' ')
		++*at;
	from = *at;
	while (list[*at] && list[*at] != ' ')
		++*at;
	*ret = str_n(list + from, *at - from);
	return ret->n > 0;
}

static enum prefix_match from_glob(enum glob_match m)
{
	return m == GLOB_YES ? MATCH_YES : m == GLOB_MAYBE ? MATCH_MAYBE : MATCH_NO;
}

static enum prefix_match worse(enum prefix_match a, enum prefix_match b) { return a < b ? a : b; }

/* Matches one word of the command with a word of the row. An unknown word may match. */
static enum prefix_match word_is(const struct word *w, struct str want)
{
	if (w->kind == WORD_REST && !w->glob)
		return MATCH_MAYBE;
	if (w->kind == WORD_REST)
		return MATCH_NO; /* file names */
	if (w->kind == WORD_UNKNOWN && !w->text.n)
		return MATCH_MAYBE;
	return from_glob(glob_may(want, w->text, GLOB_FOLD | GLOB_ESCAPE));
}

/*
 * Matches the program and the operands that must follow it. *ret_rest is the index of the first operand after
 * them.
 */
static enum prefix_match command_is(struct judge *j, struct subject *s, const char *command, size_t *ret_rest)
{
	struct know_options *o;
	struct str want, have;
	size_t at = 0, known = 0, operand = 0;
	enum prefix_match m = MATCH_YES;

	if (!next_word(command, &at, &want) || !glob_name(want, s->base))
		return MATCH_NO;
	if (!command[at]) {
		*ret_rest = 0;
		return MATCH_YES;
	}
	o = subject_options(j, s);
	next_word(o->name, &known, &have); /* skip the program; subcommands follow */
	while (next_word(command, &at, &want)) {
		if (next_word(o->name, &known, &have)) {
			if (!glob_name(want, have))
				return MATCH_NO;
			continue;
		}
		if (operand >= o->noperands)
			return o->maybe_option ? worse(m, MATCH_MAYBE) : MATCH_NO;
		m = worse(m, word_is(&s->c->argv[o->operands[operand++]], want));
		if (m == MATCH_NO)
			return m;
	}
	*ret_rest = operand;
	return m;
}

/* "-f": the option is present; "-m=077*": with a matching value. */
static enum prefix_match option_is(const struct know_options *o, struct str want)
{
	char name[LIST_WORD_MAX];
	ptrdiff_t eq = str_find(want, '=', 0);
	struct str bare = eq > 0 ? str_first(want, (size_t)eq) : want,
			value = eq > 0 ? str_from(want, (size_t)eq + 1) : STR("");
	enum prefix_match best = MATCH_NO;

	if (bare.n >= sizeof(name))
		return MATCH_NO;
	memcpy(name, bare.p, bare.n);
	name[bare.n] = '\0';
	if (eq <= 0)
		return know_has(o, name) ? MATCH_YES : MATCH_NO;
	for (const struct know_option *x = know_option_find(o, name, NULL); x;
			x = know_option_find(o, name, x)) {
		enum prefix_match m = x->has_value ? word_is(&x->value, value)
				      : x->listed  ? MATCH_NO
						   : MATCH_MAYBE;

		if (m > best)
			best = m;
	}
	return best;
}

/*
 * Returns the index of the first word that belongs to a command which this one runs (docker exec app cat $F):
 * unknown words from there on are neither options nor operands of this one. Without such a command: argc.
 */
static size_t inner_start(const struct judge *j, const struct subject *s)
{
	/* others, such as kubectl, take their options from anywhere before -- */
	bool ends = str_is_any(s->base, "docker podman nerdctl sudo doas ssh env timeout nice nohup");

	for (size_t i = 1; i < s->c->argc && !ends; i++)
		ends = str_is(s->c->argv[i].text, "--") && s->c->argv[i].kind == WORD_EXACT;
	if (!ends)
		return s->c->argc;
	for (const struct command *k = j->f->commands; k; k = k->next)
		for (size_t i = 1; k != s->c && k->argc && k->argv[0].kind == WORD_EXACT && k->via &&
				k->via->kind == VIA_WRAPPER && i < s->c->argc; i++)
			if (s->c->argv[i].kind == WORD_EXACT && span_same(s->c->argv[i].at, k->argv[0].at))
				return i;
	return s->c->argc;
}

/* True if an unknown word may be an option. A pattern that starts like a name or an address cannot. */
static bool may_hide_option(const struct subject *s, const struct know_options *o, size_t inner)
{
	for (size_t i = 1; i < inner && o->maybe_option; i++) {
		const struct word *w = &s->c->argv[i];

		if (w->kind == WORD_EXACT)
			continue;
		if ((w->kind == WORD_REST && !w->glob) || !w->text.n || text_hole(w->text.p[0]) ||
				strchr("*?[-", w->text.p[0]))
			return true;
	}
	return false;
}

static enum prefix_match any_option(const struct subject *s, const struct know_options *o, size_t inner,
		const char *list)
{
	enum prefix_match best = may_hide_option(s, o, inner) ? MATCH_MAYBE : MATCH_NO;
	struct str want;

	for (size_t at = 0; next_word(list, &at, &want);) {
		enum prefix_match m = want.p[0] == '-' ? option_is(o, want) : MATCH_NO;

		/* rows without option parsing */
		for (size_t i = 0; i < o->noperands && want.p[0] == '-' && m != MATCH_YES; i++)
			if (s->c->argv[o->operands[i]].kind == WORD_EXACT &&
					str_eq(s->c->argv[o->operands[i]].text, want))
				m = MATCH_YES;

		if (m > best)
			best = m;
	}
	return best;
}

/*
 * True if this operand may be the subcommand: it is the first one, or the words before it may be values of
 * unknown options.
 */
static bool may_be_subcommand(const struct subject *s, const struct know_options *o, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (o->operands[k] < 2 || !str_starts(s->c->argv[o->operands[k] - 1].text, "-"))
			return false;
	return !o->nwords;
}

static enum prefix_match any_operand(const struct subject *s, const struct know_options *o, size_t inner,
		size_t from, const char *list)
{
	enum prefix_match best = MATCH_NO;
	struct str want;

	for (size_t at = 0; next_word(list, &at, &want);)
		for (size_t i = from; i < o->noperands && best < MATCH_YES; i++) {
			const struct word *w = &s->c->argv[o->operands[i]];
			bool sub = want.p[0] == '^';
			bool theirs = o->operands[i] >= inner && w->kind != WORD_EXACT;
			enum prefix_match m = want.p[0] == '-' || theirs ||
							(sub && !may_be_subcommand(s, o, i))
				? MATCH_NO
				: word_is(w, str_from(want, sub));

			if (m > best)
				best = m;
		}
	/* the knowledge row may have parsed the word as a subcommand */
	for (size_t at = 0; best < MATCH_YES && next_word(list, &at, &want);)
		for (size_t i = 0; i < o->nwords; i++)
			if (want.p[0] != '-' && !str_is(want, "*") && word_is(&s->c->argv[o->words[i]],
					str_from(want, want.p[0] == '^')) == MATCH_YES)
				best = MATCH_YES;
	return best;
}

/* "=--help =-h": true if the word right after the command is one of these. */
static bool next_is(const struct subject *s, const char *command, const char *list)
{
	struct str want;
	size_t words = 0, at = 0;

	while (next_word(command, &at, &want))
		words++;
	if (words >= s->c->argc || s->c->argv[words].kind != WORD_EXACT)
		return false;
	for (at = 0; next_word(list, &at, &want);)
		if (str_eq(str_from(want, 1), s->c->argv[words].text))
			return true;
	return false;
}

static bool excepted(const struct subject *s, const struct know_options *o, const struct danger *d,
		size_t rest)
{
	const char *list = danger_text(d->except);

	if (list[0] == '=')
		return next_is(s, danger_text(d->command), list);
	return *list && (any_option(s, o, s->c->argc, list) == MATCH_YES ||
			any_operand(s, o, s->c->argc, rest, list) == MATCH_YES);
}

static enum prefix_match danger_is(struct judge *j, struct subject *s, const struct danger *d)
{
	const char *options = danger_text(d->options), *operands = danger_text(d->operands);
	size_t rest = 0;
	enum prefix_match m = command_is(j, s, danger_text(d->command), &rest);
	struct know_options *o;

	if (m == MATCH_NO)
		return m;
	o = subject_options(j, s);
	if (excepted(s, o, d, rest))
		return MATCH_NO;
	if (*options)
		m = worse(m, any_option(s, o, inner_start(j, s), options));
	if (*operands)
		m = worse(m, any_operand(s, o, inner_start(j, s), rest, operands));
	return m;
}

static bool said_as(const struct judge *j, enum check_id id, struct span at, enum grade g)
{
	for (const struct reason *r = j->ret->reasons; r; r = r->next)
		if (r->id == id && span_same(r->at, at) && r->grade >= g)
			return true;
	return false;
}

static bool was_said(const struct judge *j, enum check_id id, struct span at)
{
	return said_as(j, id, at, GRADE_OFF);
}

/* Checks about effects outside of the box: inside it, a word that only might match is harmless. */
static bool beyond_box(enum check_id id)
{
	switch (id) {
	case CHECK_REMOTE_CHANGE:
	case CHECK_INFRASTRUCTURE:
	case CHECK_CONTAINER_ESCAPE:
	case CHECK_REVERSE_SHELL:
	case CHECK_DISK:
	case CHECK_SYSTEM_STATE:
	case CHECK_SYSTEM_CHANGE: return true;
	default: return false;
	}
}

/* `git $X` may be any git command, as `$X` may be any command, so it is contained like one. */
static bool any_subcommand(const struct subject *s)
{
	return str_is(s->base, "git") && s->c->argc > 1 && s->c->argv[1].kind != WORD_EXACT;
}

/*
 * An option of curl and its value are two words, so a single unknown word cannot be an option with a value.
 */
static bool single_words_of_curl(const struct subject *s)
{
	size_t unknown = 0;

	for (size_t i = 1; i < s->c->argc; i++)
		unknown += s->c->argv[i].kind == WORD_REST ? 2 : s->c->argv[i].kind == WORD_UNKNOWN;
	return str_is(s->base, "curl") && unknown == 1;
}

static void danger_tell(struct judge *j, const struct subject *s, const struct danger *d, enum prefix_match m)
{
	const char *message = danger_text(d->message), *alternative = danger_text(d->alternative);
	enum check_id check = d->check;

	if (m == MATCH_YES && !said_as(j, check, s->c->at, judge_grade(j, gate_check(check))))
		judge_raise_at_most(j, check, GRADE_DENY, s->c->at,
				judge_quote(j, "", s->c->at, str_fmt_c(j->a, " %s", message)), alternative);
	else if (m == MATCH_MAYBE && !was_said(j, check, s->c->at) && !single_words_of_curl(s))
		judge_raise_at_most(j, check,
			(beyond_box(check) || any_subcommand(s)) && !judge_leaves_box(j, s->c->at) &&
			!judge_regraded(j, check)
				? GRADE_CONTAIN
				: GRADE_ASK,
			s->c->at,
			judge_quote(j, "an unknown argument may make ", s->c->at,
				str_fmt_c(j->a, " a command that %s", message)),
			alternative);
}

/* Raises assignments to caisson's own environment variables. */
static void own_settings(struct judge *j)
{
	for (const struct setting *s = j->f->settings; s; s = s->next)
		if (str_starts(s->name, "CAISSON_"))
			judge_raise_at_most(j, CHECK_CAISSON_MILDER, GRADE_DENY, s->at,
				judge_quote(j, "", s->at, " would point caisson to other files"), NULL);
	for (const struct command *c = j->f->commands; c; c = c->next)
		for (const struct setting *s = c->settings; s && c->argc && str_is(path_base(c->argv[0].text),
				"caisson"); s = s->next)
			if (str_starts(s->name, "XDG_") || str_is(s->name, "HOME"))
				judge_raise_at_most(j, CHECK_CAISSON_MILDER, GRADE_DENY, s->at,
					judge_quote(j, "", s->at, " would point caisson to other files"),
							NULL);
}

/* Returns the first row from `from` on that may describe this program; danger_nrows: none. */
static size_t next_row(const struct subject *s, size_t from)
{
	char second = s->base.n > 1 ? s->base.p[1] : '\0';
	const char *at;

	for (; s->base.n && from < danger_nrows; from++) {
		at = memchr(danger_firsts + from, s->base.p[0], danger_nrows - from);
		if (!at)
			break;
		from = (size_t)(at - danger_firsts);
		if (danger_seconds[from] == '*' || danger_seconds[from] == second)
			return from;
	}
	return danger_nrows;
}

void danger_words(struct judge *j, const struct check *c)
{
	(void)c;
	own_settings(j);
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		/* a read-only form: git config --get, kubectl delete --help */
		bool readonly = s->row && subject_known(j, s)->readonly;

		for (size_t k = next_row(s, 0); k < danger_nrows; k = next_row(s, k + 1)) {
			const struct danger *d = &danger_rows[k];

			if (!readonly || d->check == CHECK_SECRET_READ)
				danger_tell(j, s, d, danger_is(j, s, d));
		}
	}
}

/* ---- effects ---- */

/* curl file:///a reads a file; with -T it would write one. */
static bool reads_file(struct judge *j, struct subject *s, const struct word *url)
{
	struct know_options *o = subject_options(j, s);

	return str_is(s->base, "curl") && url->kind == WORD_EXACT && str_starts(url->text, "file:///") &&
		!o->maybe_option && !know_has(o, "-T");
}

/* True if all hosts of the command are known to be this machine. */
static bool stays_here(struct judge *j, struct subject *s)
{
	bool any = false;

	for (const struct know_use *u = subject_known(j, s)->uses; u; u = u->next) {
		if (u->role != USE_HOST)
			continue;
		any = true;
		if (reads_file(j, s, &u->value))
			continue;
		if (!loopback_is(&u->value))
			return false;
	}
	return any;
}

/* rsync * d: true if one of the names may be a remote host. */
static bool finds_host(struct judge *j, struct subject *s)
{
	bool found = false;

	for (const struct know_use *u = subject_known(j, s)->uses; u; u = u->next)
		found |= u->role == USE_HOST && (u->flags & USE_PATTERN) &&
			!option_names_no_host(j, s, &u->value);
	return found;
}

/*
 * True for python -m pip list: it runs in the box, because the project may shadow modules, and needs no
 * network there.
 */
static bool lists_packages(const struct subject *s)
{
	static const char words[][12] = {"list", "show", "freeze", "check", "inspect", "debug", "help",
			"--version", "-V", "--help"};

	for (size_t i = 1; i + 2 < s->c->argc &&
			(str_starts(s->base, "python") || str_starts(s->base, "pypy") ||
			str_is(s->base, "py")); i++) {
		if (s->c->argv[i].kind != WORD_EXACT || !str_is(s->c->argv[i].text, "-m"))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(words) && str_is(s->c->argv[i + 1].text, "pip"); k++)
			if (s->c->argv[i + 2].kind == WORD_EXACT && str_is(s->c->argv[i + 2].text, words[k]))
				return true;
		return false;
	}
	return false;
}

static const struct {
	unsigned effect;
	enum check_id check;
	char message[36], alternative[72];
} effects[] = {
	{EFFECT_NETWORK, CHECK_NETWORK, " uses the network",
		"use what is already on this machine, or ask the user to allow it"},
	{EFFECT_PRIVILEGE, CHECK_PRIVILEGE, " runs as another user",
		"try it without this, or ask the user to run it"},
	{EFFECT_PERSISTENCE, CHECK_PERSISTENCE, " sets up something that runs later",
		"ask the user to set it up"},
	{EFFECT_SYSTEM, CHECK_SYSTEM_CHANGE, " changes the system", "ask the user to run it"},
	{EFFECT_HISTORY, CHECK_GIT_REWRITE, " rewrites history", ""},
};

/* True if this place is inside code of another language. */
static bool in_code(const struct judge *j, struct span at)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (s->code && s->code->error_at.text == at.text && at.text > 0)
			return true;
	return false;
}

/* True if this place is the target of a redirection. The shell itself opens /dev/tcp/HOST/PORT. */
static bool in_redirection(const struct judge *j, struct span at)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (access_is_redirection(x) && x->at.text == at.text && x->at.from <= at.from &&
				at.to <= x->at.to)
			return true;
	return false;
}

/*
 * Raises hosts that no command contacts itself: hosts in a variable (DOCKER_HOST), in code or in a
 * redirection.
 */
static void hosts_of_variables(struct judge *j, const struct check *c)
{
	for (const struct touch *t = j->f->touches; t; t = t->next)
		if ((in_code(j, t->at) || in_redirection(j, t->at)) && !loopback_is(&t->host))
			judge_say(j, c, t->at, judge_quote(j, "", t->at, " uses the network"));
	for (const struct touch *t = j->f->touches; t; t = t->next)
		for (const struct setting *s = j->f->settings; s; s = s->next)
			if (s->at.text == t->at.text && s->at.from == t->at.from && !loopback_is(&t->host))
				judge_say(j, c, t->at,
						judge_quote(j, "", t->at,
						" leads programs to another machine"));
}

static bool ends_processes(const struct subject *s) /* see processes.c */
{
	return str_is_any(s->base, "pkill killall fuser");
}

/* gawk connects when it opens /inet/tcp/0/HOST/PORT, however it gets that name. */
static void connecting_names(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (access_connects(x))
			judge_say(j, c, x->at,
					judge_quote(j, "", x->at,
					" connects to another machine through a file name"));
}

void danger_effects(struct judge *j, const struct check *c)
{
	hosts_of_variables(j, c);
	packages_fetch(j, c);
	connecting_names(j, c);
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		unsigned has = s->row ? subject_known(j, s)->effects : 0;

		if ((has & EFFECT_PATTERN_HOST) && finds_host(j, s))
			has |= EFFECT_NETWORK;
		for (size_t k = 0; k < ARRAY_SIZE(effects); k++)
			if ((has & effects[k].effect) && !was_said(j, effects[k].check, s->c->at) &&
					!(effects[k].effect == EFFECT_NETWORK &&
					(stays_here(j, s) || lists_packages(s) || network_uses_tell(j, s))) &&
			    /* git's have rows in dangers.yaml, */
			    !(effects[k].effect == EFFECT_HISTORY && str_is(s->base, "git")) &&
			    !(effects[k].effect == EFFECT_SYSTEM && ends_processes(s)) &&
			    /* a package with the name of a service manager: npx sv create */
			    !((effects[k].effect & (EFFECT_SYSTEM | EFFECT_PERSISTENCE)) &&
					packages_runs(s->c)) &&
			    /* and caisson's, too */
			    !(effects[k].effect == EFFECT_PRIVILEGE && str_is(s->base, "caisson")))
				judge_raise_at_most(j, effects[k].check, GRADE_DENY, s->c->at,
						judge_quote(j, "", s->c->at, effects[k].message),
						effects[k].alternative);
	}
}

/* ---- chmod: numeric and symbolic modes ---- */

static bool is_number(struct str s)
{
	size_t i = s.n > 1 && s.p[0] == '-';

	for (; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

enum { MODE_SET_ID = 06000, MODE_OTHERS_WRITE = 02 };

/*
 * Returns the bits above that a chmod mode grants. Symbolic modes such as u+s,o+w are read letter by letter.
 */
static unsigned granted(struct str mode)
{
	unsigned value = 0;

	if (is_number(mode)) {
		for (size_t i = 0; i < mode.n && mode.n <= 5; i++)
			value = value * 8 + (unsigned)(mode.p[i] - '0');
		return value & (MODE_SET_ID | MODE_OTHERS_WRITE);
	}
	for (size_t i = 0; i < mode.n;) {
		size_t comma = str_end(mode, ',', i);
		size_t end = comma, op = i;
		bool others = false;

		while (op < end && !strchr("+-=", mode.p[op]))
			others |= mode.p[op] == 'o' || mode.p[op] == 'a', op++;
		for (size_t k = op + 1; op < end && mode.p[op] != '-' && k < end; k++) {
			value |= mode.p[k] == 's' ? MODE_SET_ID : 0;
			value |= mode.p[k] == 'w' && others ? MODE_OTHERS_WRITE : 0;
		}
		i = end + 1;
	}
	return value;
}

static void check_chmod(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);
	const struct word *mode = o->noperands ? &s->c->argv[o->operands[0]] : NULL;
	unsigned bits = mode && mode->kind == WORD_EXACT ? granted(mode->text) : 0;

	if (!mode || know_has(o, "--reference"))
		return;
	if (mode->kind != WORD_EXACT)
		judge_raise_at_most(j, CHECK_OPEN_ACCESS, GRADE_ASK, s->c->at,
			judge_quote(j, "the permissions that ", s->c->at, " sets are unknown"),
			"write the mode out");
	else if (bits & MODE_SET_ID)
		judge_raise_at_most(j, CHECK_OPEN_ACCESS, GRADE_DENY, s->c->at,
			judge_quote(j, "", s->c->at, " lets a program run with its owner's rights"), NULL);
	else if (bits & MODE_OTHERS_WRITE)
		judge_raise_at_most(j, CHECK_OPEN_ACCESS, know_has(o, "-R") ? GRADE_DENY : GRADE_ASK,
			s->c->at, judge_quote(j, "", s->c->at, " lets everyone write there"),
			"give the right to one user: chmod u+w");
}

/* ---- archives: HOST:FILE is a remote file ---- */

static bool names_host(const struct word *w)
{
	for (size_t i = 0; i < w->text.n && w->kind == WORD_EXACT && w->text.p[i] != '/'; i++)
		if (w->text.p[i] == ':')
			return i > 0;
	return false;
}

static void check_archive(struct judge *j, struct subject *s, const char *option)
{
	struct know_options *o = subject_options(j, s);

	for (const struct know_option *x = know_option_find(o, option, NULL);
			x && !know_has(o, "--force-local"); x = know_option_find(o, option, x))
		if (x->has_value && names_host(&x->value))
			judge_raise_at_most(j, CHECK_NETWORK, GRADE_DENY, s->c->at,
				judge_quote(j, "", s->c->at, " uses an archive on another machine"),
				"use a file on this machine");
}

void danger_numbers(struct judge *j, const struct check *c)
{
	(void)c;
	for (size_t i = 0; i < j->nsubjects; i++) {
		processes_check(j, &j->subjects[i]);
		if (str_is(j->subjects[i].base, "chmod"))
			check_chmod(j, &j->subjects[i]);
		else if (str_is_any(j->subjects[i].base, "tar gtar"))
			check_archive(j, &j->subjects[i], "-f");
	}
}

/*
 * A program without a knowledge row may do anything. A program named by a path outside the system is an
 * executed file, which has its own check.
 */
void danger_unknown_program(struct judge *j, const struct check *c)
{
	for (const struct launch *l = j->f->launches; l; l = l->next) {
		bool path = memchr(l->name.p, '/', l->name.n) != NULL;

		if (str_is(l->name, "caisson") || know_find(path_base(l->name), j->p->commands,
				j->p->ncommands) || (path && !path_is_system_program(l->name)))
			continue;
		judge_say(j, c, l->at, judge_quote(j, "caisson does not know the program ", l->at,
				", so it may only run in the box"));
	}
}

void danger_environment(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_EXEC && x->cause == CAUSE_VARIABLE)
			judge_say(j, c, x->at,
				str_fmt(j->a,
					"%s makes programs load or run what it names, so this may only run "
					"in the box",
					x->by));
}
