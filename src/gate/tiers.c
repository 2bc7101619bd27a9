/*
 * The person's own rules. For each command, the tiers rank: deny, scoped allow, ask, allow, default; the
 * order of rules does not matter. A deny or ask rule must not be missed, so it asks where an unknown word may
 * make it match. An allow rule must not be stretched, so it must match for certain.
 */
#include "gate/tiers.h"

#include "base/glob.h"
#include "base/regex.h"
#include "gate/leading_variables.h"
#include "gate/path_table.h"
#include "gate/permission.h"

#define JOINED_MAX ((size_t)1 << 20) /* bytes of one command that regexes see */
#define NAME_COST 16                 /* budget for comparing a name */

bool tiers_afford(struct judge *j, size_t cost)
{
	j->work -= (int64_t)cost;
	return j->work >= 0;
}

/* ---- the command as text ---- */

struct spoken_text {
	struct str text;    /* the words joined by blanks; U+FFFD for an unknown one */
	struct str known;   /* the part before the first unknown word */
	bool open;          /* has an unknown word */
	bool cut;           /* a word was too long and left out */
};

static struct spoken_text join_words(struct judge *j, const struct command *c)
{
	struct buf b;

	struct spoken_text t = {0};

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < c->argc; i++) {
		struct str w = i ? c->argv[i].text : path_base(c->argv[i].text);

		if (c->argv[i].kind != WORD_EXACT || b.n + w.n > JOINED_MAX) {
			if (!t.open)
				t.known = str_dup(j->a, buf_view(&b));
			t.open = true;
			t.cut |= c->argv[i].kind == WORD_EXACT;
			w = STR("\xEF\xBF\xBD");
		}
		if (b.n > JOINED_MAX) {
			t.cut = true;
			break;
		}
		buf_str(&b, w);
		if (i + 1 < c->argc)
			buf_char(&b, ' ');
	}
	t.text = buf_view(&b);
	return t;
}

static enum regex_answer search_regex(struct judge *j, struct regex *r, struct str text)
{
	size_t from, to;

	return regex_find_within(r, text, &from, &to, &j->work);
}

/* Matches a deny rule: a regex that reaches its limit counts as a match. */
static enum prefix_match regex_denies(struct judge *j, const struct regex_rule *r,
	const struct spoken_text *t)
{
	if (search_regex(j, r->regex, t->text) != REGEX_NO)
		/* budget exhausted: reported once, elsewhere */
		return j->work < 0 ? MATCH_NO : MATCH_YES;
	return t->cut || (t->open && regex_begins_within(r->regex, t->known, &j->work)) ? MATCH_MAYBE :
			MATCH_NO;
}

/* False if an assignment before the command changes its effect, which no allow rule covers. */
static bool settings_harmless(const struct command *c)
{
	for (const struct setting *s = c->settings; s; s = s->next)
		if (leading_variable_matters(s))
			return false;
	return true;
}

/* ---- roots and globs of rules ---- */

static struct str rule_path(struct judge *j, struct str text)
{
	struct str project = j->v->project.n ? j->v->project : j->v->cwd;

	if (str_is(text, "."))
		return project;
	if (str_is(text, "~"))
		return j->v->home;
	if (str_starts(text, "~/"))
		return str_path(j->a, j->v->home, str_from(text, 2));
	if (str_starts(text, "./"))
		return str_path(j->a, project, str_from(text, 2));
	return str_starts(text, "/") ? text : str_path(j->a, j->v->cwd, text);
}

static bool is_within(struct judge *j, const struct texts *list, struct str path)
{
	for (; list && tiers_afford(j, TIERS_RULE); list = list->next) {
		struct str root = rule_path(j, list->text);

		if (str_has(root, '*') ? glob_path(root, path, GLOB_BELOW) : path_within(path,
				path_plain(j->a, root)))
			return true;
	}
	return false;
}

/* ---- redirections ---- */

static bool mode_is(enum redirect_mode mode, enum redir_op op)
{
	switch (mode) {
	case REDIRECT_READ: return op == REDIR_READ || op == REDIR_READ_WRITE;
	case REDIRECT_WRITE: return op != REDIR_READ;
	case REDIRECT_APPEND: return op == REDIR_APPEND || op == REDIR_BOTH_APPEND;
	case REDIRECT_ANY: break;
	}
	return true;
}

void tiers_redirect_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct redirect_test *t = ctx;
	bool in = is_within(j, t->r->paths, w->real) &&
			(t->r->decision != VERDICT_ALLOW || is_within(j, t->r->paths, w->path)),
			hit = t->r->outside ? !in : in;

	(void)x;
	t->some |= hit;
	t->all &= hit && w->sure;
}

static enum prefix_match redirect_matches(struct judge *j, const struct redirect_rule *r,
	const struct access *x)
{
	struct redirect_test t = {.r = r, .all = true};

	if (!access_is_redirection(x) || !mode_is(r->mode, x->redirect))
		return MATCH_NO;
	if (!paths_each(j, x, tiers_redirect_one, &t))
		return MATCH_MAYBE;
	return t.all ? MATCH_YES : t.some ? MATCH_MAYBE : MATCH_NO;
}

/* ---- arguments ---- */

/*
 * Returns the part of a word that may be a path: a word that is no option, or the value of --x=value. Else
 * empty.
 */
static struct str path_argument(const struct word *w)
{
	ptrdiff_t eq = str_find(w->text, '=', 0);

	if (!str_starts(w->text, "-"))
		return w->text;
	return str_starts(w->text, "--") && eq > 0 ? str_from(w->text, (size_t)eq + 1) : STR("");
}

struct argument_count {
	const struct argument_rule *r;
	size_t hits, misses, unknown;
};

static void argument_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct argument_count *n = ctx;
	bool in = is_within(j, n->r->values, w->real);

	(void)x;
	*(in == (n->r->test == ARGUMENT_ALL_INSIDE) ? &n->hits : &n->misses) += 1;
	n->unknown += !w->sure;
}

static void argument_path(struct judge *j, const struct command *c, const struct word *w, struct str text,
		struct argument_count *n)
{
	struct access x = {.kind = ACCESS_READ, .path = *w};

	x.path.text = str_starts(text, "/") ? text : str_path(j->a, c->cwd, text);
	if ((w->kind != WORD_EXACT && !w->glob) || !paths_each(j, &x, argument_one, n))
		n->unknown++;
}

/* If a regex reaches its limit, an allow rule does not match, any other rule does. */
static void argument_text(struct judge *j, const struct argument_rule *r, const struct word *w,
		struct str text, struct argument_count *n)
{
	enum regex_answer is = REGEX_NO;
	size_t i = 0;
	bool hit;

	if (w->kind != WORD_EXACT) {
		n->unknown++;
		return;
	}
	for (const struct texts *v = r->values; v && is != REGEX_YES; v = v->next) {
		enum regex_answer one = search_regex(j, r->regexes[i++], text);

		is = one == REGEX_NO ? is : one;
	}
	hit = is == REGEX_YES || (is == REGEX_LIMIT && r->decision != VERDICT_ALLOW);
	*(hit ? &n->hits : &n->misses) += 1;
}

static bool names_command(struct judge *j, const struct texts *names, struct str base)
{
	for (; names && tiers_afford(j, NAME_COST); names = names->next)
		if (glob_name(names->text, base))
			return true;
	return false;
}

static enum prefix_match argument_matches(struct judge *j, const struct argument_rule *r,
	const struct subject *s)
{
	struct argument_count n = {.r = r};
	bool paths = r->test == ARGUMENT_ANY_OUTSIDE || r->test == ARGUMENT_ALL_INSIDE,
			all = r->test == ARGUMENT_ALL_INSIDE || r->test == ARGUMENT_ALL_MATCH;

	if (!s->base.n || !names_command(j, r->commands, s->base))
		return MATCH_NO;
	for (size_t i = 1; i < s->c->argc && tiers_afford(j, TIERS_RULE); i++) {
		const struct word *w = &s->c->argv[i];
		struct str text = paths ? path_argument(w) : w->text;

		if (w->kind == WORD_EXACT && !text.n)
			continue;
		if (paths)
			argument_path(j, s->c, w, text, &n);
		else
			argument_text(j, r, w, text, &n);
	}
	if (j->work < 0)
		return MATCH_NO;
	if (all)
		return n.misses ? MATCH_NO : n.unknown ? MATCH_MAYBE : n.hits ? MATCH_YES : MATCH_NO;
	return n.hits ? MATCH_YES : n.unknown ? MATCH_MAYBE : MATCH_NO;
}

/* ---- reporting matches ---- */

/*
 * Text of an untrusted file, including its patterns, must not reach the model: the message quotes the command
 * instead.
 */
void tiers_raise(struct judge *j, enum check_id id, const struct rule *r, struct str what,
	enum prefix_match m, struct span at)
{
	const struct check *c = gate_check(id);
	enum grade g = judge_grade(j, c);
	struct str text = j->p->silent ? STR("") : r->description;

	if (j->p->silent)
		what = judge_excerpt(j, at);
	if (m == MATCH_MAYBE && g > GRADE_ASK)
		g = GRADE_ASK;
	if (m == MATCH_MAYBE && j->p->silent)
		text = str_fmt(j->a,
				"an unknown argument may turn '%.*s' into a command that the policy does not "
				"allow", STR_ARG(what));
	else if (m == MATCH_MAYBE)
		text = str_fmt(j->a,
				"an unknown argument may turn this into '%.*s', which the policy does not "
				"allow", STR_ARG(what));
	else if (!text.n)
		text = str_fmt(j->a,
			id == CHECK_CONFIGURED_DENY ? "the policy denies '%.*s'"
						    : "the policy asks about '%.*s'",
			STR_ARG(what));
	judge_raise(j, c,
			&(struct finding){.grade = g, .message = text, .alternative = j->p->silent ? STR("") :
			r->alternative, .rule = r->where, .at = at});
}

void tiers_match(struct judge *j, struct subject *s, struct verdicts *v, enum verdict decision, bool scoped,
		enum prefix_match m, const struct rule *r, struct str what)
{
	if (m == MATCH_NO || (decision == VERDICT_ALLOW && m != MATCH_YES) || !tiers_afford(j, TIERS_HIT))
		return;
	if (decision == VERDICT_ALLOW) {
		*(scoped ? &v->scoped : &v->allow) = true;
		judge_step(j, scoped ? STEP_SCOPED_ALLOW : STEP_ALLOW, r->where, s->c->at);
		return;
	}
	judge_step(j, decision == VERDICT_DENY ? STEP_DENY : STEP_ASK, r->where, s->c->at);
	v->maybe |= m == MATCH_MAYBE;
	if (decision == VERDICT_DENY) {
		v->deny |= m == MATCH_YES;
		tiers_raise(j, CHECK_CONFIGURED_DENY, r, what, m, s->c->at);
	} else {
		v->ask = true;
	}
}

static void compare_prefixes(struct judge *j, struct subject *s, struct verdicts *v)
{
	struct normal c;

	tiers_normalise(j, s->c, &c);
	for (const struct prefix_rule *r = j->p->deny; r && tiers_afford(j, TIERS_RULE); r = r->next)
		tiers_match(j, s, v, VERDICT_DENY, false, normal_match(&c, r), &r->rule, r->prefix);
	for (const struct prefix_rule *r = j->p->ask; r && tiers_afford(j, TIERS_RULE); r = r->next)
		tiers_match(j, s, v, VERDICT_ASK, false, normal_match(&c, r), &r->rule, r->prefix);
	for (const struct prefix_rule *r = j->p->allow; r && tiers_afford(j, TIERS_RULE); r = r->next) {
		bool allows = rule_allows(r, c.strict) && settings_harmless(s->c);
		struct str rest = r->prefix;
		size_t n = 0;

		while (allows && str_word(&rest).n)
			n++;
		s->spelled = n > s->spelled ? n : s->spelled;
		tiers_match(j, s, v, VERDICT_ALLOW, false, allows ? MATCH_YES : MATCH_NO, &r->rule,
			r->prefix);
	}
}

static void compare_regexes(struct judge *j, struct subject *s, struct verdicts *v)
{
	struct spoken_text t;
	bool known;

	if (!j->p->checks && !j->p->allow_checks)
		return;
	t = join_words(j, s->c);
	known = !t.open && !t.cut && settings_harmless(s->c);
	for (const struct regex_rule *r = j->p->checks; r && j->work >= 0; r = r->next)
		tiers_match(j, s, v, VERDICT_DENY, true, regex_denies(j, r, &t), &r->rule, r->pattern);
	for (const struct regex_rule *r = j->p->allow_checks; r && j->work >= 0; r = r->next)
		tiers_match(j, s, v, VERDICT_ALLOW, true,
				known && search_regex(j, r->regex, t.text) == REGEX_YES ? MATCH_YES :
				MATCH_NO, &r->rule, r->pattern);
}

/*
 * Charges the comparison of a permission rule with a command: every star is a backtracking point. Most rules
 * differ at the first byte.
 */
static bool afford_permission(struct judge *j, const struct permission_rule *r, const struct command *c)
{
	size_t bytes = 0, stars = 1;

	if (r->all || (r->pattern.n && c->argc && c->argv[0].text.n && !strchr("*\"' ", r->pattern.p[0]) &&
			r->pattern.p[0] != path_base(c->argv[0].text).p[0]))
		return tiers_afford(j, TIERS_RULE);
	for (size_t i = 0; i < r->pattern.n; i++)
		stars += r->pattern.p[i] == '*';
	for (size_t i = 0; i < c->argc; i++)
		bytes += c->argv[i].text.n;
	bytes = bytes > GLOB_STEPS_MAX / stars ? GLOB_STEPS_MAX : bytes * stars;
	return tiers_afford(j, TIERS_RULE + r->pattern.n + 2 * bytes);
}

static void compare_permissions(struct judge *j, struct subject *s, struct verdicts *v)
{
	for (const struct permission_rule *r = j->p->permission_deny; r && afford_permission(j, r, s->c);
			r = r->next)
		tiers_match(j, s, v, VERDICT_DENY, false, permission_bash(r, s->c), &r->rule, r->pattern);
	for (const struct permission_rule *r = j->p->permission_ask; r && afford_permission(j, r, s->c);
			r = r->next)
		tiers_match(j, s, v, VERDICT_ASK, false, permission_bash(r, s->c), &r->rule, r->pattern);
	for (const struct permission_rule *r = j->p->permission_allow; r && afford_permission(j, r, s->c);
			r = r->next)
		tiers_match(j, s, v, VERDICT_ALLOW, false, permission_bash_allows(r, s->c) ? MATCH_YES :
				MATCH_NO, &r->rule, r->pattern);
	/* timeout, nice ... around an allowed command */
	if (!v->allow && j->work >= 0 && permission_allowed(j->p->permission_allow, j->f, s->c)) {
		v->allow = true;
		judge_step(j, STEP_ALLOW, STR("through a command that it runs"), s->c->at);
	}
}

/* ---- ssh ---- */

/*
 * Returns the host of "ssh://user@host:22", "user@[::1]:22" or "user@host": the part after the last @. For
 * copies the form is "host:path".
 */
static struct str bare_host(struct str host, bool copies)
{
	ptrdiff_t scheme = str_find(host, ':', 0), end;
	bool address = scheme > 0 && str_starts(str_from(host, (size_t)scheme), "://");
	size_t at;

	if (address) {
		host = str_from(host, (size_t)scheme + 3);
		host = str_until(host, '/');
	} else if (copies && scheme >= 0 && !str_has(str_first(host, (size_t)scheme), '[')) {
		host = str_first(host, (size_t)scheme);
	}
	for (at = host.n; at > 0 && host.p[at - 1] != '@';)
		at--;
	host = str_from(host, at);
	if (str_starts(host, "["))
		return str_from(str_until(host, ']'), 1);
	end = str_find(host, ':', 0);
	return end >= 0 && str_find(host, ':', (size_t)end + 1) < 0 ? str_first(host, (size_t)end) : host;
}

/*
 * A pattern with an @ also names the user. An allow rule must not take a user name for a host: db-*@elsewhere
 * is not db-*.
 */
static bool host_in(struct judge *j, const struct texts *list, struct str host, bool copies, bool deny)
{
	struct str bare = bare_host(host, copies);

	for (; list && tiers_afford(j, NAME_COST); list = list->next)
		if (glob_name(list->text, bare) || ((deny || str_has(list->text, '@')) &&
				glob_name(list->text, host)))
			return true;
	return false;
}

struct ssh_says {
	bool denied, asked, allowed, unknown;
	struct str host; /* the denied host, or else the one to ask about */
};

static void one_host(struct judge *j, struct str host, bool copies, struct ssh_says *ret)
{
	if (host_in(j, j->p->ssh_deny, host, copies, true)) {
		ret->host = host;
		ret->denied = true;
	} else if (j->p->ssh_allow && host_in(j, j->p->ssh_allow, host, copies, false)) {
		ret->allowed = true;
	} else if (j->p->ssh_allow) {
		ret->host = ret->denied ? ret->host : host;
		ret->asked = true;
	}
}

/* Checks every host: jump hosts, and both ends of a copy. */
static struct ssh_says ssh_says(struct judge *j, struct subject *s)
{
	struct ssh_says ret = {.host = STR("")};

	if ((!j->p->ssh_allow && !j->p->ssh_deny) || !str_is_any(s->base, "ssh scp sftp"))
		return ret;
	for (const struct know_use *u = subject_known(j, s)->uses; u; u = u->next) {
		struct str hosts = u->value.text;

		if (u->role != USE_HOST)
			continue;
		if (u->value.kind != WORD_EXACT) {
			ret.unknown = true;
			continue;
		}
		for (size_t from = 0; from <= hosts.n;) {
			size_t to = str_end(hosts, ',', from);

			one_host(j, str_sub(hosts, from, to), !str_is(s->base, "ssh"), &ret);
			from = to + 1;
		}
	}
	return ret;
}

static const struct rule ssh_rule = {.where = {"tools.bash.ssh", 14}};

static void compare_ssh(struct judge *j, struct subject *s, struct verdicts *v)
{
	struct ssh_says says = ssh_says(j, s);

	if (says.denied)
		tiers_match(j, s, v, VERDICT_DENY, false, MATCH_YES, &ssh_rule, says.host);
	if (says.unknown)
		tiers_match(j, s, v, VERDICT_DENY, false, MATCH_MAYBE, &ssh_rule,
				STR("ssh to a host that is denied"));
	if (says.asked)
		tiers_match(j, s, v, VERDICT_ASK, false, MATCH_YES, &ssh_rule, says.host);
	else if (says.allowed && !says.denied && !says.unknown)
		tiers_match(j, s, v, VERDICT_ALLOW, true, MATCH_YES, &ssh_rule, s->base);
}

/* Returns the trouble of a part of the request that runs unknown code, or NULL. */
static const struct trouble *unknown_run(const struct judge *j)
{
	const struct trouble *t = j->f->troubles;

	while (t && t->kind != TROUBLE_OPAQUE_SCRIPT && t->kind != TROUBLE_CONSTRUCT)
		t = t->next;
	return t;
}

/* An unknown command may be a program that is not on the list. */
static void list_unknown(struct judge *j)
{
	const struct trouble *t = unknown_run(j);

	if (!j->p->only)
		return;
	if (t)
		judge_raise_at_most(j, CHECK_NOT_ON_LIST, GRADE_ASK, t->at,
			STR("this may run a program that is not on the policy's list"), NULL);
	for (size_t i = 0; i < j->nsubjects; i++)
		if (!j->subjects[i].base.n && j->subjects[i].c->argc)
			judge_raise_at_most(j, CHECK_NOT_ON_LIST, GRADE_ASK, j->subjects[i].c->at,
				judge_quote(j, "", j->subjects[i].c->at,
					" may be a program that is not on the policy's list"),
				NULL);
}

static void compare_arguments(struct judge *j, struct subject *s, struct verdicts *v)
{
	for (const struct argument_rule *r = j->p->arguments; r && tiers_afford(j, TIERS_RULE); r = r->next)
		tiers_match(j, s, v, r->decision, true, argument_matches(j, r, s), &r->rule, s->base);
	for (const struct names_rule *r = j->p->only; r && j->work >= 0; r = r->next)
		if (s->base.n && !names_command(j, r->names, s->base) && tiers_afford(j, TIERS_HIT))
			judge_raise(j, gate_check(CHECK_NOT_ON_LIST),
				&(struct finding){.grade = judge_grade(j, gate_check(CHECK_NOT_ON_LIST)),
					.rule = r->rule.where,
					.at = s->c->at,
					.alternative = j->p->silent ? STR("") : r->rule.alternative,
					.message = str_fmt(j->a,
						"'%.*s' is not on the policy's list of programs",
						STR_ARG(s->base))});
}

/* ---- modes ---- */

struct edits {
	bool any, bad;
};

static void edit_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct edits *e = ctx;

	e->bad |= w->place != PLACE_ROOT || !w->sure;
	if (x->kind == ACCESS_READ) {
		e->bad |= path_table_secret(j, w, x->below);
		return;
	}
	e->any = true;
	e->bad |= path_table_protected(j, w->path) || path_table_protected(j, w->real) ||
			(x->kind == ACCESS_DELETE && paths_whole_project(j, x, w));
}

/* sed can run commands and write files, which is no plain edit. */
static bool runs_code(const struct judge *j, const struct command *c)
{
	for (const struct snippet *n = j->f->snippets; n; n = n->next)
		if (n->at.text == c->at.text && n->at.from < c->at.to && c->at.from < n->at.to &&
				!inline_harmless(n))
			return true;
	return false;
}

/* acceptEdits: plain file work inside the roots needs no ask. */
static bool accepted_edit(struct judge *j, const struct subject *s)
{
	struct edits e = {0};
	bool named = false;

	named |= str_is_any(s->base, "mkdir touch rm rmdir mv cp sed");
	if (j->p->mode != MODE_ACCEPT_EDITS || !named || !j->f->complete || !settings_harmless(s->c) ||
			runs_code(j, s->c))
		return false;
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (tiers_afford(j, NAME_COST) && x->at.text == s->c->argv[0].at.text &&
				x->at.from == s->c->argv[0].at.from && !paths_each(j, x, edit_one, &e))
			return false;
	return e.any && !e.bad && j->work >= 0;
}

/*
 * True for a command known to only read, or a builtin that changes the directory or compares and leaves
 * nothing behind.
 */
static bool only_reads(struct judge *j, struct subject *s)
{
	if (str_is_any(s->c->argc ? s->c->argv[0].text : STR(""),
			"cd pushd popd dirs pwd true false : test [ [[ exit return break continue shift "
			"wait"))
		return s->c->argv[0].kind == WORD_EXACT;
	return s->row &&
			(subject_known(j, s)->readonly ||
			(settings_harmless(s->c) && tiers_code_reads(j, s)));
}

static void decide_command(struct judge *j, struct subject *s)
{
	struct verdicts v = {0};

	compare_prefixes(j, s, &v);
	compare_regexes(j, s, &v);
	compare_permissions(j, s, &v);
	compare_ssh(j, s, &v);
	compare_arguments(j, s, &v);
	tiers_compare_code(j, s, &v);
	if (j->work < 0) { /* the budget ended before all rules were compared */
		s->matched = true;
		return;
	}
	if (accepted_edit(j, s)) {
		v.allow = true;
		judge_step(j, STEP_ALLOW, STR("mode acceptEdits"), s->c->at);
	}
	s->matched = v.deny || v.scoped || v.ask || v.allow || v.maybe;
	if (j->p->allow_readonly && !s->matched && only_reads(j, s)) {
		/* not `allowed`: checks about its reads and its syntax still apply */
		s->matched = true;
		judge_step(j, STEP_ALLOW, STR("commands that only read"), s->c->at);
	}
	s->allowed = !v.deny && !v.maybe && (v.scoped || (v.allow && !v.ask));
	s->refused = !s->allowed && (v.deny || v.maybe || v.ask);
}

/* True if the words of `inner` are the last ones of `outer`, after the first. */
static bool ends_with(const struct command *outer, const struct command *inner)
{
	size_t skip = outer->argc - inner->argc;

	if (outer->argc <= inner->argc || outer->at.text != inner->at.text)
		return false;
	for (size_t i = 0; i < inner->argc; i++)
		if (inner->argv[i].kind != WORD_EXACT || outer->argv[skip + i].kind != WORD_EXACT ||
			!str_eq(inner->argv[i].text, outer->argv[skip + i].text))
			return false;
	return inner->argc > 0;
}

/* A rule for `sudo ls` also names `ls`: it allows that command, where sudo runs it. */
static void allow_spelled(struct judge *j, struct subject *s)
{
	const struct via *v = s->c->via;

	if (s->allowed || s->refused || !v || v->kind != VIA_WRAPPER || j->work < 0)
		return;
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *w = &j->subjects[i];

		if (w->allowed && span_encloses(w->c->at, s->c->at) && ends_with(w->c, s->c) &&
			w->spelled > w->c->argc - s->c->argc)
			s->allowed = s->matched = true;
	}
}

void tiers_raise_ask(struct judge *j, struct subject *s, const struct rule *r, struct str what,
	enum prefix_match m)
{
	if (m != MATCH_NO && tiers_afford(j, TIERS_HIT))
		tiers_raise(j, CHECK_CONFIGURED_ASK, r, what, m, s->c->at);
}

/*
 * Ask rules apply only where no scoped allow outranks them, so they are raised after all rules were compared.
 */
static void raise_asks(struct judge *j, struct subject *s)
{
	struct normal c;
	struct ssh_says ssh;

	if (s->allowed || !s->matched || j->work < 0)
		return;
	tiers_normalise(j, s->c, &c);
	for (const struct prefix_rule *r = j->p->ask; r && tiers_afford(j, TIERS_RULE); r = r->next)
		tiers_raise_ask(j, s, &r->rule, r->prefix, normal_match(&c, r));
	for (const struct permission_rule *r = j->p->permission_ask; r && afford_permission(j, r, s->c);
			r = r->next)
		tiers_raise_ask(j, s, &r->rule, r->pattern, permission_bash(r, s->c));
	for (const struct argument_rule *r = j->p->arguments; r && tiers_afford(j, TIERS_RULE); r = r->next)
		tiers_raise_ask(j, s, &r->rule, s->base, r->decision == VERDICT_ASK ? argument_matches(j, r,
				s) : MATCH_NO);
	ssh = ssh_says(j, s);
	tiers_raise_ask(j, s, &ssh_rule, ssh.host, ssh.asked && !ssh.denied ? MATCH_YES : MATCH_NO);
	tiers_compare_code(j, s, NULL);
}

/* Raises matching deny and ask rules; true if a rule matched. */
static bool decide_redirect(struct judge *j, const struct access *x, enum verdict decision)
{
	bool found = false;

	for (const struct redirect_rule *r = j->p->redirects; r && tiers_afford(j, TIERS_RULE); r = r->next) {
		enum prefix_match m = r->decision == decision ? redirect_matches(j, r, x) : MATCH_NO;

		if (m == MATCH_NO || !tiers_afford(j, TIERS_HIT) ||
				(decision == VERDICT_ALLOW && m != MATCH_YES))
			continue;
		found = true;
		judge_step(j, decision == VERDICT_DENY ? STEP_DENY : decision == VERDICT_ASK ? STEP_ASK :
				STEP_SCOPED_ALLOW, r->rule.where, x->at);
		if (decision != VERDICT_ALLOW)
			tiers_raise(j,
				decision == VERDICT_DENY ? CHECK_CONFIGURED_DENY : CHECK_CONFIGURED_ASK,
				&r->rule, judge_excerpt(j, x->at), m, x->at);
	}
	return found;
}

static void decide_redirects(struct judge *j)
{
	for (const struct access *x = j->f->accesses; x && j->p->redirects; x = x->next) {
		if (decide_redirect(j, x, VERDICT_DENY))
			continue;
		if (!decide_redirect(j, x, VERDICT_ALLOW))
			decide_redirect(j, x, VERDICT_ASK);
	}
}

/* ---- Read() and Edit() ---- */

struct path_test {
	const struct permission_rule *r;
	enum prefix_match some;
};

static void path_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct path_test *t = ctx;
	unsigned flags = (judge_folds(j) ? PERMISSION_FOLD : 0) | (x->below ? PERMISSION_BELOW : 0);
	enum prefix_match m = permission_file(t->r, j->v, w->path, flags),
			real = permission_file(t->r, j->v, w->real, flags);

	if (real > m)
		m = real;
	if (m > t->some)
		t->some = m;
}

static void path_rules(
	struct judge *j, const struct access *x, const struct permission_rule *rules, enum check_id id)
{
	for (const struct permission_rule *r = rules; r && tiers_afford(j, TIERS_RULE + r->pattern.n);
			r = r->next) {
		struct path_test t = {.r = r};

		if (x->kind == ACCESS_EXEC || !permission_covers(r, x->kind))
			continue;
		if (!paths_each(j, x, path_one, &t))
			t.some = x->kind == ACCESS_READ && !x->path.text.n ? MATCH_NO : permission_path(r,
					j->v, x->path.text);
		if (t.some == MATCH_NO || !tiers_afford(j, TIERS_HIT))
			continue;
		judge_step(j, rules == j->p->permission_deny ? STEP_DENY : STEP_ASK, r->rule.where, x->at);
		tiers_raise(j, id, &r->rule,
				str_fmt(j->a, "%.*s(%.*s)", STR_ARG(r->tool), STR_ARG(r->pattern)), t.some,
				x->at);
	}
}

bool tiers_path_allowed(struct judge *j, const struct access *x, const struct where *w)
{
	for (const struct permission_rule *r = j->p->permission_allow;
			r && tiers_afford(j, TIERS_RULE + r->pattern.n); r = r->next)
		if (permission_covers(r, x->kind) && permission_path(r, j->v, w->real) == MATCH_YES &&
				permission_path(r, j->v, w->path) == MATCH_YES) {
			judge_step(j, STEP_ALLOW, r->rule.where, x->at);
			return true;
		}
	return access_is_redirection(x) && decide_redirect(j, x, VERDICT_ALLOW);
}

static void say_too_laborious(struct judge *j)
{
	const struct check *c = gate_check(CHECK_BOUND_REACHED);

	j->ret->cut = true; /* further reasons are unknown */
	judge_raise(j, c,
			&(struct finding){.grade = GRADE_ASK,
			.message = STR("comparing all of this with the rules of the policy takes too long"),
			.alternative = STR("run it in parts")});
}

void tiers_decide(struct judge *j)
{
	j->work = TIERS_WORK_MAX;
	for (size_t i = 0; i < j->nsubjects; i++)
		decide_command(j, &j->subjects[i]);
	for (size_t i = 0; i < j->nsubjects; i++)
		allow_spelled(j, &j->subjects[i]);
	tiers_decide_request(j);
	for (size_t i = 0; i < j->nsubjects; i++)
		raise_asks(j, &j->subjects[i]);
	list_unknown(j);
	decide_redirects(j);
	tiers_tool(j);
	for (const struct access *x = j->f->accesses; x && (j->p->permission_deny || j->p->permission_ask);
			x = x->next) {
		path_rules(j, x, j->p->permission_deny, CHECK_CONFIGURED_DENY);
		path_rules(j, x, j->p->permission_ask, CHECK_CONFIGURED_ASK);
	}
	if (j->work < 0)
		say_too_laborious(j);
}

/* Plan mode: only known read-only forms. The effects of shell builtins appear among the writes. */
static void plan_unknown(struct judge *j, const struct check *c)
{
	const struct trouble *t = unknown_run(j);

	if (t)
		judge_say(j, c, t->at, STR("the command is unknown before it runs, and plan mode allows only "
				"reading"));
	for (size_t i = 0; i < j->nsubjects; i++)
		if (!j->subjects[i].base.n && j->subjects[i].c->argc)
			judge_say(j, c, j->subjects[i].c->at,
				judge_quote(j, "the command that ", j->subjects[i].c->at,
					" runs is unknown, and plan mode allows only reading"));
	for (const struct snippet *s = j->f->snippets; s; s = s->next)
		if (s->code ? !s->code->complete : !inline_harmless(s))
			judge_say(
				j, c, s->at, STR("the effect of this code is unknown, and plan mode allows "
						"only reading"));
}

void tiers_plan(struct judge *j, const struct check *c)
{
	if (j->p->mode != MODE_PLAN || j->f->tool.n) /* in plan mode the client restricts its own tools */
		return;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->row && subject_known(j, s)->readonly)
			continue;
		for (const struct launch *l = j->f->launches; l; l = l->next)
			if (l->at.text == s->c->at.text && l->at.from == s->c->argv[0].at.from) {
				judge_say(j, c, s->c->at,
						judge_quote(j, "", s->c->at,
						" does more than read, and plan mode allows only reading"));
				break;
			}
	}
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if ((x->kind == ACCESS_WRITE || x->kind == ACCESS_DELETE) &&
				!(x->path.kind == WORD_EXACT && path_place(j, x->path.text) == PLACE_NULL))
			judge_say(j, c, x->at, judge_quote(j, "", x->at, " writes, and plan mode allows only "
					"reading"));
	plan_unknown(j, c);
}

void tiers_default(struct judge *j, const struct check *c)
{
	static const enum grade grades[] = {GRADE_DENY, GRADE_ASK, GRADE_CONTAIN, GRADE_OFF};
	enum grade g = grades[j->p->fallback];

	if (j->request && !j->request->matched && g != GRADE_OFF)
		judge_raise(j, c, &(struct finding){.grade = g, .at = j->request->c->at,
				.message = STR(
				"no rule of the policy allows this code, and its default is not allow")});
	for (size_t i = 0; i < j->nsubjects && g != GRADE_OFF; i++)
		if (!j->subjects[i].matched) {
			judge_step(j, STEP_DEFAULT, str_of(grade_name(g)), j->subjects[i].c->at);
			judge_raise(j, c, &(struct finding){.grade = g, .at = j->subjects[i].c->at,
				.message = judge_quote(j, "no rule of the policy allows ",
				j->subjects[i].c->at, ", and its default is not allow")});
		}
}
