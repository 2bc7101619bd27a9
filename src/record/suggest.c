/* Suggests rules from the record. See suggest.h for the method. */
#define _GNU_SOURCE
#include "record/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"
#include "judge/rule_words.h"

#define ROUNDS_MAX 3
#define FIRED_START 256
#define DEAD_MAX 4096
#define REASONS_TEXT_MAX 400
#define SCRATCH_CAP ((size_t)256 << 20)

struct fired { /* a set of strings: places of rules that matched, ids of checks that fired */
	struct str *places;
	size_t n, cap;
};

struct suggest_work {
	struct arena *a;
	struct suggest *s;
	struct fired rules;
	bool checks[CHECK_IDS]; /* rules and checks that fired */
	const struct policies *policies; /* current policies, for their rules */
};

/* ---- fired rules and checks ---- */

static struct str *find_place(const struct fired *f, struct str text)
{
	for (size_t at = str_hash(text);; at++) {
		struct str *p = &f->places[at & (f->cap - 1)];

		if (!p->n || str_eq(*p, text))
			return p;
	}
}

static void add_fired(struct suggest_work *w, struct fired *f, struct str text)
{
	if (!text.n)
		return;
	if (2 * (f->n + 1) > f->cap) {
		struct fired old = *f;

		f->cap = old.cap ? 2 * old.cap : FIRED_START;
		f->places = arena_array(w->a, f->cap, sizeof(*f->places));
		for (size_t i = 0; i < old.cap; i++)
			if (old.places[i].n)
				*find_place(f, old.places[i]) = old.places[i];
	}
	struct str *p = find_place(f, text);
	if (p->n)
		return;
	*p = str_dup(w->a, text);
	f->n++;
}

static bool has_fired(const struct fired *f, struct str text)
{
	return f->cap && text.n && find_place(f, text)->n;
}

static void note_fired(struct suggest_work *w, const struct judgement *j)
{
	const struct reason *const lists[] = {j->reasons, j->warnings, j->advice};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct reason *r = lists[i]; r; r = r->next) {
			w->checks[r->id] = true;
			add_fired(w, &w->rules, r->rule);
		}
	for (const struct step *s = j->steps; s; s = s->next) {
		add_fired(w, &w->rules, s->rule);
		if (s->kind == STEP_LIFTED)
			w->checks[check_find(s->rule)] = true;
	}
}

/* ---- asks ---- */

/* Collects the commands that the reasons point at; if they point at none, all commands. */
static void find_parts(struct suggest_work *w, const struct derived *d, struct suggest_ask *ask)
{
	for (int all = 0; all < 2 && !ask->nparts && !ask->left; all++)
		for (const struct command *c = d->facts.commands; c && !ask->left; c = c->next) {
			struct str words;

			if (!all && !rule_speaks_of(&d->judgement, c))
				continue;
			words = rule_words(w->a, c);
			if (!words.n)
				ask->left = "not all of its words are known and plain";
			else if (ask->nparts == SUGGEST_PARTS_MAX)
				ask->left = "it has too many parts";
			else
				ask->parts[ask->nparts++] = words;
		}
	if (!ask->nparts && !ask->left)
		ask->left = "none of its commands needs approval";
}

static void weigh_ask(struct suggest_work *w, const struct judgement *j, struct suggest_ask *ask)
{
	struct buf b;

	buf_init(&b, w->a, 0);
	ask->mild = true;
	for (const struct reason *r = j->reasons; r; r = r->next) {
		if (b.n < REASONS_TEXT_MAX)
			buf_fmt(&b, "%s%s", b.n ? "," : "", check_name(r->id));
		if (r->id == CHECK_CONFIGURED_ASK || r->id == CHECK_PLAN_MODE)
			ask->left = "your own policy asks about it";
		else if (!rule_decides(r->id))
			ask->left = "a person should decide each time";
		ask->mild &= rule_widens(r->id);
	}
	ask->reasons = buf_view(&b);
	if (!j->complete || j->cut)
		ask->left = "it is not known completely";
}

static void *note_request(void *ctx, const struct replay *r, enum verdict from, const struct derived *d)
{
	struct suggest_work *w = ctx;
	struct suggest *s = w->s;
	struct suggest_ask *ask;

	(void)from;
	note_fired(w, &d->judgement);
	if (d->judgement.verdict != VERDICT_ASK)
		return NULL;
	for (size_t i = 0; i < s->nasks; i++)
		if (str_eq(s->asks[i].command, r->command))
			return &s->asks[i];
	if (s->nasks == SUGGEST_ASKS_MAX) {
		s->more = true;
		return NULL;
	}
	ask = &s->asks[s->nasks++];
	ask->command = str_dup(w->a, r->command);
	ask->r = (struct replay){.id = str_dup(w->a, r->id), .command = ask->command,
			.cwd = str_dup(w->a, r->cwd), .said = str_dup(w->a, r->said),
			.policy = str_dup(w->a, r->policy),
		.view = str_dup(w->a, r->view), .answers = str_dup(w->a, r->answers)};
	weigh_ask(w, &d->judgement, ask);
	if (!ask->left)
		find_parts(w, d, ask);
	return ask;
}

static void count_request(void *ctx, void *tag, enum verdict from, enum verdict to)
{
	struct suggest_work *w = ctx;
	struct suggest_ask *ask = tag;

	(void)from;
	w->s->asked += to == VERDICT_ASK;
	if (ask)
		ask->n++;
}

static int asks_most_first(const void *x, const void *y)
{
	const struct suggest_ask *a = x, *b = y;

	return a->n != b->n ? (a->n < b->n ? 1 : -1) : str_cmp(a->command, b->command);
}

/* ---- rules ---- */

static struct suggest_rule *find_rule(struct suggest *s, bool prefix, struct str text)
{
	for (size_t i = 0; i < s->nrules; i++)
		if (s->rules[i].prefix == prefix && str_eq(s->rules[i].text, text))
			return &s->rules[i];
	return NULL;
}

static struct suggest_rule *add_rule(struct suggest *s, bool prefix, struct str text, struct str reasons)
{
	struct suggest_rule *r = find_rule(s, prefix, text);

	if (r)
		return r;
	if (s->nrules == SUGGEST_RULES_MAX) {
		s->more = true;
		return NULL;
	}
	r = &s->rules[s->nrules++];
	*r = (struct suggest_rule){.prefix = prefix, .text = text, .reasons = reasons};
	return r;
}

static size_t count_alike(const struct suggest *s, struct str prefix)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nasks; i++) {
		const struct suggest_ask *ask = &s->asks[i];

		for (size_t k = 0; k < ask->nparts; k++)
			if (!ask->left && ask->mild && str_eq(rule_prefix(ask->parts[k]), prefix)) {
				n++;
				break;
			}
	}
	return n;
}

/* Returns the rule that allows one command of an ask; NULL: none left. */
static struct suggest_rule *rule_for(struct suggest *s, const struct suggest_ask *ask, size_t part)
{
	struct str prefix = ask->mild ? rule_prefix(ask->parts[part]) : STR("");
	struct suggest_rule *r = prefix.n ? find_rule(s, true, prefix) : NULL;

	r = r && !r->dropped ? r : find_rule(s, false, ask->parts[part]);
	return r && !r->dropped ? r : NULL;
}

/* Most frequent first, so that the bound cuts off the rare ones. */
static void make_rules(struct suggest *s, uint64_t least)
{
	for (size_t i = 0; i < s->nasks; i++) {
		struct suggest_ask *ask = &s->asks[i];

		for (size_t k = 0; k < ask->nparts && !ask->left; k++) {
			struct str prefix = ask->mild ? rule_prefix(ask->parts[k]) : STR("");
			bool wide = prefix.n && count_alike(s, prefix) >= SUGGEST_PREFIX_LEAST;

			if (!wide && ask->n < least)
				ask->left = prefix.n ? "asked about too rarely" :
						"asked about too rarely, and a rule for its first words "
						"would allow too much";
			else if (!add_rule(s, wide, wide ? prefix : ask->parts[k], ask->reasons))
				ask->left = "enough rules already";
		}
	}
}

/* ---- trying them ---- */

struct rule_attempt {
	struct arena *scratch;
	struct trial *t;
	const struct replay *r;
	enum verdict verdict;
	bool ok;
};

static int judge_one(void *arg)
{
	struct rule_attempt *x = arg;
	const struct policies *p;
	struct derived *d = arena_new(x->scratch, struct derived);

	x->ok = trial_policies(x->t, x->r->policy, &p, NULL) == 0 && replay_under(x->scratch, x->t->blobs,
			x->r, p, d, NULL) == 0;
	x->verdict = x->ok ? d->judgement.verdict : VERDICT_DENY;
	return 0;
}

/*
 * Judges the asked commands with all rules. Drops the rules that allow no command. True: no rule was dropped.
 */
static bool try_rules(struct suggest_work *w, struct trial *t, struct str yaml)
{
	struct suggest *s = w->s;
	bool all = true;

	t->extra = arena_copy(w->a, (struct policy_file){.path = STR("suggested.yaml"), .bytes = yaml,
	.base = STR("/"),
			.kind = POLICY_CAISSON, .who = WHO_OWNER});
	trial_forget(t);
	s->removed = 0;
	for (size_t i = 0; i < s->nrules; i++)
		s->rules[i].n = s->rules[i].commands = 0;
	for (size_t i = 0; i < s->nasks; i++) {
		struct suggest_ask *ask = &s->asks[i];
		struct arena scratch;
		struct rule_attempt x = {.scratch = &scratch, .t = t, .r = &ask->r};

		if (ask->left)
			continue;
		arena_init_in(&scratch, SCRATCH_CAP, w->a);
		if (arena_run(&scratch, judge_one, &x) < 0)
			x.verdict = VERDICT_DENY;
		arena_free(&scratch);
		if (x.verdict != VERDICT_ALLOW) {
			ask->left = "no rule of this kind allows it";
			all = false;
			continue;
		}
		s->removed += ask->n;
		for (size_t k = 0; k < ask->nparts; k++) {
			struct suggest_rule *r = rule_for(s, ask, k);

			if (r) {
				r->n += ask->n;
				r->commands++;
			}
		}
	}
	for (size_t i = 0; i < s->nrules; i++)
		if (!s->rules[i].dropped && !s->rules[i].n) {
			s->rules[i].dropped = true;
			all = false;
		}
	return all;
}

static int rules_most_first(const void *x, const void *y)
{
	const struct suggest_rule *a = x, *b = y;

	return a->n != b->n ? (a->n < b->n ? 1 : -1) : str_cmp(a->text, b->text);
}

static void settle_rules(struct suggest_work *w, struct trial *t)
{
	struct suggest *s = w->s;
	size_t n = 0;

	for (int round = 0; round < ROUNDS_MAX; round++) {
		struct buf yaml;

		buf_init(&yaml, w->a, 0);
		suggest_yaml(&yaml, s);
		if (try_rules(w, t, buf_view(&yaml)))
			break;
	}
	for (size_t i = 0; i < s->nrules; i++)
		if (!s->rules[i].dropped)
			s->rules[n++] = s->rules[i];
	s->nrules = n;
	qsort(s->rules, s->nrules, sizeof(*s->rules), rules_most_first);
}

/* ---- unused rules and checks ---- */

static bool of_user(const struct suggest_work *w, struct str where)
{
	for (const struct policy_file *f = w->policies->files; f; f = f->next)
		if (f->who == WHO_OWNER && where.n > f->path.n && where.p[f->path.n] == ':' &&
				!memcmp(where.p, f->path.p, f->path.n))
			return true;
	return false;
}

static void note_dead(struct suggest_work *w, const char *what, const struct rule *rule, struct str text)
{
	struct suggest *s = w->s;

	if (s->ndead < DEAD_MAX && of_user(w, rule->where) && !has_fired(&w->rules, rule->where))
		s->dead[s->ndead++] = (struct suggest_dead){rule->where, text, what};
}

static void find_dead(struct suggest_work *w)
{
	const struct policy *p = &w->policies->own;
	const struct {
		const char *what;
		const struct prefix_rule *list;
	} prefixes[] = {{"deny", p->deny}, {"ask", p->ask}, {"allow", p->allow}};
	const struct {
		const char *what;
		const struct regex_rule *list;
	} regexes[] = {{"checks", p->checks}, {"allowChecks", p->allow_checks}};

	w->s->dead = arena_array(w->a, DEAD_MAX, sizeof(*w->s->dead));
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		for (const struct prefix_rule *r = prefixes[i].list; r; r = r->next)
			note_dead(w, prefixes[i].what, &r->rule, r->prefix);
	for (size_t i = 0; i < ARRAY_SIZE(regexes); i++)
		for (const struct regex_rule *r = regexes[i].list; r; r = r->next)
			note_dead(w, regexes[i].what, &r->rule, r->pattern);
	for (const struct redirect_rule *r = p->redirects; r; r = r->next)
		note_dead(w, "redirects", &r->rule, r->paths ? r->paths->text : STR(""));
	for (const struct argument_rule *r = p->arguments; r; r = r->next)
		note_dead(w, "arguments", &r->rule, r->commands ? r->commands->text : STR(""));
}

static void find_silent(struct suggest_work *w)
{
	w->s->silent = arena_array(w->a, CHECK_IDS, sizeof(*w->s->silent));
	for (enum check_id id = CHECK_NONE + 1; id < CHECK_IDS; id++)
		if (gate_check(id)->grade != GRADE_OFF && !w->checks[id])
			w->s->silent[w->s->nsilent++] = id;
}

int suggest_make(struct arena *a, const struct audit *au, const struct blobs *blobs, const char *config,
		const struct audit_filter *f, uint64_t least, struct suggest *ret, struct err *e)
{
	struct suggest s = {0};
	struct policies now;
	struct suggest_work w = {.a = a, .s = &s, .policies = &now};
	struct trial t;

	s.asks = arena_array(a, SUGGEST_ASKS_MAX, sizeof(*s.asks));
	s.rules = arena_array(a, SUGGEST_RULES_MAX, sizeof(*s.rules));
	if (policies_load(a, &(struct policies_request){.config = config, .alone = config != NULL}, &now,
			e) < 0) {
		if (e)
			e->kind = ERR_CONFIG; /* on any error, for example if it is not a file */
		return -1;
	}
	if (trial_open(a, blobs, config, &t, e) < 0 ||
		replay_each(a, au, &t, f, &(struct replay_visitor){&w, note_request, count_request},
		&s.counts, e) < 0)
		return -1;
	qsort(s.asks, s.nasks, sizeof(*s.asks), asks_most_first);
	make_rules(&s, least);
	settle_rules(&w, &t);
	find_dead(&w);
	find_silent(&w);
	*ret = s;
	return 0;
}

/* ---- output ---- */

/* In single quotes, as in YAML. */
static void put_quoted(struct buf *b, struct str s)
{
	buf_char(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_char(b, '\'');
		buf_char(b, s.p[i]);
	}
	buf_char(b, '\'');
}

struct str suggest_expression(struct arena *a, struct str words)
{
	struct buf b;

	buf_init(&b, a, 0);
	buf_char(&b, '^');
	for (size_t i = 0; i < words.n; i++) {
		if (strchr("\\^$.|?*+()[]{}/", words.p[i]))
			buf_char(&b, '\\');
		buf_char(&b, words.p[i]);
	}
	buf_char(&b, '$');
	return buf_view(&b);
}

static void put_rules(struct buf *b, const struct suggest *s, bool prefix, const char *key)
{
	bool any = false;

	for (size_t i = 0; i < s->nrules; i++) {
		const struct suggest_rule *r = &s->rules[i];

		if (r->dropped || r->prefix != prefix)
			continue;
		if (!any)
			buf_fmt(b, "    %s:\n", key);
		any = true;
		buf_c(b, "      - ");
		put_quoted(b, prefix ? r->text : suggest_expression(b->a, r->text));
		if (r->n)
			buf_fmt(b, " # asked about %llu times%s: %.*s", (unsigned long long)r->n,
					r->commands > 1 ? ", in several forms" : "", STR_ARG(r->reasons));
		buf_char(b, '\n');
	}
}

void suggest_yaml(struct buf *b, const struct suggest *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nrules; i++)
		n += !s->rules[i].dropped;
	if (!n)
		return;
	buf_c(b, "tools:\n  bash:\n");
	put_rules(b, s, true, "allow");
	put_rules(b, s, false, "allowChecks");
}
