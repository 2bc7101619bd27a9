/*
 * The effect of a person's yes to an ask. The principle: a yes answers the question, and the command then
 * runs as it would have run without it. A command that would be contained stays in the box, with the network
 * if the question was about that. git's own work on the project, which would be allowed, does not move into a
 * box because of a question.
 *
 * A reason that the box cannot honour (a secret, another machine, a file outside) lets its command run
 * outside. It must not take another command with it: `make test && git push` is two requests.
 */
#include "gate/judge.h"

#define LEVELS_MAX 64 /* nesting of texts; a command further out counts as another command */

/* ---- one reason ---- */

/*
 * The box has no services of the host, no other privileges and no credentials, so it cannot honour a command
 * that needs these. Among the commands that use the network, only package managers stay in the box.
 */
enum approval approval_of(struct judge *j, const struct check *c, const struct finding *fd)
{
	enum approval x = fd->approval ? fd->approval : c->approval;
	bool boxed = x == APPROVAL_BOX || x == APPROVAL_CODE || x == APPROVAL_NETWORK;

	if (fd->grade != GRADE_ASK || !boxed)
		return x;
	if (x == APPROVAL_NETWORK && !fd->network.n && !packages_install(j, fd->at))
		return APPROVAL_OUTSIDE;
	return judge_leaves_box_by(j, fd->at, EFFECT_PRIVILEGE | EFFECT_PERSISTENCE | EFFECT_SYSTEM)
		       ? APPROVAL_OUTSIDE
		       : x;
}

/* ---- places ---- */

/*
 * A place of a reason and the innermost command around it; `up` is the same for the text that contains its
 * text.
 */
struct approval_level {
	struct approval_level *up;
	struct span at, command;
	const struct via *via; /* how the command is reached */
	bool aside;            /* the place is in a substitution of the command */
};

static const struct command *command_at(const struct facts *f, struct span at)
{
	const struct command *inner = NULL;

	for (const struct command *c = f->commands; c; c = c->next)
		if (span_encloses(c->at, at) &&
			(!inner || c->at.to - c->at.from < inner->at.to - inner->at.from))
			inner = c;
	return inner;
}

/*
 * A place in code of another language belongs to the command that runs the code. A place without any command
 * belongs to itself.
 */
static struct approval_level *levels_of(struct arena *a, const struct facts *f, struct span at,
	unsigned depth)
{
	struct approval_level *l = arena_new(a, struct approval_level);
	const struct command *c = command_at(f, at);
	bool outermost = at.text == 0 || at.text >= f->ntexts || depth >= LEVELS_MAX;

	*l = (struct approval_level){
		.up = outermost ? NULL : levels_of(a, f, f->texts[at.text].origin, depth + 1), .at = at};
	l->command = c ? c->at : l->up ? l->up->command : at;
	l->via = c ? c->via : l->up ? l->up->via : NULL;
	l->aside = c && span_substituted(f, c->at, at);
	return l;
}

static size_t via_depth(const struct via *v)
{
	size_t n = 0;

	for (; v; v = v->outer)
		n++;
	return n;
}

static const struct via *via_at(const struct via *v, size_t depth)
{
	for (size_t n = via_depth(v); n > depth + 1; n--)
		v = v->outer;
	return v;
}

/*
 * True if the shell runs `inner` while it expands the words of `outer`: the ways to both are the same, until
 * the way to `inner` goes through a substitution.
 */
static bool substituted(const struct via *outer, const struct via *inner)
{
	size_t n = 0, outer_depth = via_depth(outer), depth = via_depth(inner);

	while (n < outer_depth && n < depth && via_same(via_at(outer, n), via_at(inner, n)))
		n++;
	return n < depth &&
	       (via_at(inner, n)->kind == VIA_SUBST || via_at(inner, n)->kind == VIA_PROCSUB);
}

/*
 * True if the command of `outer` runs the one at `l`, or is the same. A reason without a place is about the
 * whole request. A wrapper (sudo, timeout) encloses its command, or shares its first byte; a shell encloses
 * its text. A command in an argument's $( ) is another command.
 */
static bool carries(const struct approval_level *outer, const struct approval_level *l)
{
	struct span from = outer->command;

	if (outer->at.from == outer->at.to)
		return true;
	if (substituted(outer->via, l->via))
		return false;
	if (l->aside != outer->aside && l->command.text == from.text && l->command.from == from.from)
		return false; /* a redirection without a command: $(> file) */
	for (; l; l = l->up)
		if (span_encloses(from, l->at) ||
			(from.text == l->command.text && from.from == l->command.from))
			return true;
	return false;
}

/* ---- the sum ---- */

struct approval_cause { /* a place of a reason that contributes to the verdict */
	enum grade grade;
	enum approval approval;
	const struct approval_level *level;
	bool named;          /* says which hosts it needs */
	bool boxed, outside; /* wants the box; cannot be honoured by the box */
};

struct causes {
	struct approval_cause *list;
	size_t n;
};

static bool wants_box(enum grade grade, enum approval x)
{
	return grade == GRADE_CONTAIN || x == APPROVAL_BOX || x == APPROVAL_CODE;
}

/* True if the command that asks for the network executes unjudged code. */
static bool executes(const struct causes *all, const struct approval_cause *net)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct approval_cause *c = &all->list[i];

		if (c->approval == APPROVAL_CODE &&
			(carries(net->level, c->level) || carries(c->level, net->level)))
			return true;
	}
	return false;
}

static void add_cause(struct arena *a, const struct facts *f, struct causes *all, const struct reason *r,
	enum approval x, struct span at)
{
	all->list[all->n++] = (struct approval_cause){.grade = r->grade,
		.approval = x,
		.level = levels_of(a, f, at, 0),
		.named = r->network.n > 0,
		.boxed = wants_box(r->grade, x)};
}

static struct causes causes_of(struct arena *a, const struct facts *f, const struct judgement *j)
{
	struct causes all = {0};

	for (const struct reason *r = j->reasons; r; r = r->next) {
		all.n++;
		for (const struct reason_place *p = r->more; p; p = p->next)
			all.n++;
	}
	all.list = arena_array(a, all.n, sizeof(*all.list));
	all.n = 0;
	for (const struct reason *r = j->reasons; r; r = r->next) {
		if (r->grade != GRADE_ASK && r->grade != GRADE_CONTAIN)
			continue;
		add_cause(a, f, &all, r, r->approval, r->at);
		for (const struct reason_place *p = r->more; p; p = p->next)
			add_cause(a, f, &all, r, p->approval, p->at);
	}
	for (size_t i = 0; i < all.n; i++) {
		struct approval_cause *c = &all.list[i];
		bool network = c->grade == GRADE_ASK && c->approval == APPROVAL_NETWORK;

		c->outside = (c->grade == GRADE_ASK && c->approval == APPROVAL_OUTSIDE) ||
			     (network && !c->named && !executes(&all, c));
	}
	return all;
}

/* True if this command, or a command that runs it, has a reason to leave the box. */
static bool carried(const struct causes *all, const struct approval_cause *boxed)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i].outside && carries(all->list[i].level, boxed->level))
			return true;
	return false;
}

static struct approved let_out(const struct causes *all, const struct approval_cause *outside)
{
	struct approved x = {.run = APPROVAL_OUTSIDE, .outside = outside->level->command};

	for (size_t i = 0; i < all->n; i++) {
		const struct approval_cause *c = &all->list[i];

		if (!c->boxed)
			continue;
		x.unboxed = true;
		if (!carried(all, c))
			return (struct approved){APPROVAL_SPLIT, false, c->level->command, x.outside};
	}
	return x;
}

struct approved gate_approved(
	struct arena *a, const struct facts *f, const struct judgement *j, const struct policy *p)
{
	struct causes all = causes_of(a, f, j);
	struct approved x = {.run = APPROVAL_PLAIN};

	for (size_t i = 0; i < all.n; i++) {
		struct approval_cause *c = &all.list[i];

		c->boxed &= p->sandbox.enabled;
		if (c->grade == GRADE_ASK && c->approval == APPROVAL_NETWORK)
			x.run = APPROVAL_NETWORK;
		else if (c->boxed && x.run == APPROVAL_PLAIN)
			x.run = APPROVAL_BOX;
	}
	for (size_t i = 0; i < all.n; i++)
		if (all.list[i].outside)
			return let_out(&all, &all.list[i]);
	if (j->cut && x.run != APPROVAL_PLAIN) /* an unlisted reason may require outside */
		x.run = APPROVAL_SPLIT;
	else if (j->cut)
		x.run = APPROVAL_OUTSIDE;
	return x;
}

/* ---- the network of the box ---- */

static void add_words(struct arena *a, struct texts **list, struct str words)
{
	struct str word;

	while ((word = str_word(&words)).n)
		if (!texts_have(*list, word))
			texts_add(a, list, word);
}

/* True if the reason asks, or asked before a mode of the client answered, for a network in the box. */
static bool asks_network(const struct reason *r)
{
	return r->grade == GRADE_ASK && r->approval == APPROVAL_NETWORK;
}

/*
 * A contained command gets the words of its contain reasons. An approved one also gets those of the asks; an
 * ask that cannot say what it needs gets the network of this machine.
 */
void gate_grant(struct arena *a, struct judgement *j)
{
	bool approved = j->approval == APPROVAL_NETWORK &&
		(j->verdict == VERDICT_ASK || j->verdict == VERDICT_CONTAIN);
	const struct reason *lists[] = {j->reasons, j->warnings};
	bool host = false;

	j->network = NULL;
	if (j->verdict != VERDICT_CONTAIN && !approved)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct reason *r = lists[i]; r; r = r->next) {
			bool asked = approved && asks_network(r);

			host |= asked && !r->network.n;
			if (asked || r->grade == GRADE_CONTAIN)
				add_words(a, &j->network, r->network);
		}
	if (host) {
		j->network = NULL;
		add_words(a, &j->network, STR("host"));
	}
}

/* ---- modes that stand for a yes ---- */

/* Turns the reasons of a grade into warnings. */
static void lift(struct judge *j, enum grade g)
{
	for (struct reason **at = &j->ret->reasons; *at;) {
		struct reason *r = *at;

		if (r->grade != g) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		r->next = NULL;
		LIST_ADD(j->warnings_end, r);
	}
}

/* paused: no questions and no boxes. A text that was not read to its end still runs in the box. */
static void finish_paused(struct judge *j)
{
	if (j->ret->verdict != VERDICT_ASK && j->ret->verdict != VERDICT_CONTAIN)
		return;
	judge_step(j, STEP_PAUSE, STR("paused"), (struct span){0});
	lift(j, GRADE_ASK);
	j->ret->verdict = j->ret->complete ? VERDICT_ALLOW : VERDICT_CONTAIN;
	if (j->ret->verdict == VERDICT_ALLOW)
		lift(j, GRADE_CONTAIN);
}

/*
 * bypassPermissions: the person wants no questions. That is a yes to commands that the box bounds, and to
 * commands that need no box. All others are still asked about, and so is a host that nobody listed: data may
 * leave through it. A text that was not read to its end runs in the box in any case.
 */
void approval_finish(struct judge *j)
{
	enum approval run;
	bool boxed;

	if (j->p->mode == MODE_PAUSED)
		finish_paused(j);
	gate_grant(j->a, j->ret);
	if (j->ret->verdict != VERDICT_ASK)
		return;
	run = j->ret->approval = gate_approved(j->a, j->f, j->ret, j->p).run;
	gate_grant(j->a, j->ret);
	boxed = run == APPROVAL_BOX;
	if (j->p->mode != MODE_BYPASS || (!boxed && run != APPROVAL_PLAIN))
		return;
	judge_step(j, STEP_MODE, STR("bypassPermissions"), (struct span){0});
	lift(j, GRADE_ASK);
	j->ret->verdict = boxed || !j->ret->complete ? VERDICT_CONTAIN : VERDICT_ALLOW;
	if (j->ret->verdict == VERDICT_ALLOW)
		lift(j, GRADE_CONTAIN); /* the policy has no box */
	gate_grant(j->a, j->ret);
}
