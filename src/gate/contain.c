/*
 * Contains allowed commands that name files of the boxes. Replaces contain where nothing can be contained:
 * the policy has no box, or excludes a command from it. The list of excluded commands is a convenience, not a
 * boundary: they are asked about where others are contained, and nothing else changes.
 */
#include "gate/judge.h"
#include "gate/loopback.h"

/* True if the command starts with these words: "docker", "docker compose". */
static bool starts_with(const struct subject *s, struct str words)
{
	size_t at = 0;

	for (size_t i = 0; at < words.n; i++) {
		size_t blank = str_end(words, ' ', at);
		struct str word = str_sub(words, at, blank);

		if (i >= s->c->argc || s->c->argv[i].kind != WORD_EXACT ||
				!str_eq(i ? s->c->argv[i].text : s->base, word))
			return false;
		at += word.n + 1;
	}
	return words.n > 0;
}

static const struct subject *find_excluded(const struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		for (const struct texts *t = j->p->excluded_commands; t; t = t->next)
			if (starts_with(&j->subjects[i], t->text))
				return &j->subjects[i];
	return NULL;
}

/* Counts contain reasons beside an ask, too: after an approval these commands would run outside. */
static bool has_contained(const struct judge *j)
{
	for (const struct reason *r = j->ret->reasons; r; r = r->next)
		if (r->grade == GRADE_CONTAIN)
			return true;
	return j->ret->verdict == VERDICT_CONTAIN;
}

enum box_share {
	SHARE_NONE = 0,
	SHARE_BOTH,  /* a directory or pattern: the host has files there, and the boxes have others */
	SHARE_BOX,   /* only the boxes have it */
};

static enum box_share find_share(const struct judge *j, const struct word *path)
{
	const struct path_answer *p;
	const struct glob_answer *g;

	if (!str_starts(path->text, "/"))
		return SHARE_NONE;
	if (path->kind == WORD_EXACT) {
		p = pmap_get(j->answers, path->text);
		return !p || !p->kept ? SHARE_NONE : p->kind == PATH_ABSENT ? SHARE_BOX : SHARE_BOTH;
	}
	g = path->glob ? pmap_get(j->glob_answers, path_pattern(j->a, path)) : NULL;
	return !g || !g->kept ? SHARE_NONE : g->nmatches ? SHARE_BOTH : SHARE_BOX;
}

/*
 * True if the command should keep the host's files all the same. A box cannot remove or rename those, and the
 * client's tools do not see new ones of a box. In /tmp itself, a box does not have all that the host has.
 */
static bool wants_host_tmp(const struct judge *j, bool whole_tmp)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		bool reads = x->kind == ACCESS_READ || x->kind == ACCESS_EXEC;
		enum box_share share = find_share(j, &x->path);

		if (!x->elsewhere && path_within(x->path.text, STR("/tmp")) &&
				!path_within(x->path.text, j->v->project) && share != SHARE_BOX &&
				(!reads || (whole_tmp && !share)))
			return true;
	}
	return false;
}

struct box_file {
	const struct word *path; /* NULL: none */
	struct span at;
	enum box_share share;
};

/* Takes a directory or pattern only with `both`. */
static void consider(const struct judge *j, const struct word *path, struct span at, bool both,
		struct box_file *best)
{
	enum box_share share = find_share(j, path);

	if (share > best->share && (share == SHARE_BOX || both))
		*best = (struct box_file){path, at, share};
}

static bool is_tmp(const struct word *path) { return str_is_any(path->text, "/tmp /tmp/"); }

/* The name of a file that boxes have. A command that uses /tmp itself counts only if it lists it. */
static struct box_file find_box_file(const struct judge *j)
{
	struct box_file best = {0};

	for (const struct access *x = j->f->accesses; x && best.share < SHARE_BOX; x = x->next)
		if (!x->elsewhere && !access_is_import(x))
			consider(j, &x->path, x->at,
					x->kind == ACCESS_READ && !(x->below && is_tmp(&x->path)), &best);
	for (const struct look *l = j->f->looks; l && best.share < SHARE_BOX; l = l->next)
		consider(j, &l->path, l->at, !is_tmp(&l->path), &best);
	if (best.share == SHARE_BOTH && wants_host_tmp(j, is_tmp(best.path)))
		best = (struct box_file){0};
	return best;
}

/* Effects that no box has. */
#define OUTSIDE (EFFECT_PRIVILEGE | EFFECT_PERSISTENCE | EFFECT_SYSTEM)
#define NETWORK (EFFECT_NETWORK | EFFECT_PATTERN_HOST)

/* Clients of a service of the host, whose socket no box has. The person may give boxes the one of docker. */
static bool is_host_client(const struct judge *j, const struct subject *s)
{
	static const char clients[] = "adb distrobox docker docker-compose devcontainer flatpak incus lxc "
				      "nerdctl podman podman-compose snap systemctl toolbox vagrant";

	return str_is_any(s->base, clients) && !((j->p->sandbox.sockets & BOX_SOCKET_DOCKER) &&
			str_is_any(s->base, "docker docker-compose devcontainer"));
}

/* True if it has one of these effects, needs a service of the host, or is allowed outside by its rules. */
static bool keeps_outside(struct judge *j, unsigned effects)
{
	const struct step *s = j->ret->steps;

	while (s && s->kind != STEP_LIFTED)
		s = s->next;
	if (s || find_excluded(j) || git_hooks_signs(j))
		return true;
	for (size_t i = 0; i < j->nsubjects; i++)
		if (judge_leaves_box_by(j, j->subjects[i].c->at, effects) ||
				is_host_client(j, &j->subjects[i]))
			return true;
	return false;
}

static bool may_follow(const struct judge *j)
{
	return j->ret->verdict == VERDICT_ALLOW && j->p->sandbox.enabled && j->p->mode != MODE_PAUSED &&
	       (j->nsubjects || j->f->looks) && !j->request && path_within(j->v->cwd, j->v->project);
}

/*
 * One /tmp for the commands of a session: an allowed command that names a file of the boxes runs in the box,
 * too. That is a convenience, not a boundary: a command that works only outside stays there.
 */
static void follow_box_files(struct judge *j)
{
	const struct check *c = gate_check(CHECK_BOX_FILE);
	struct box_file f;

	if (!may_follow(j))
		return;
	f = find_box_file(j);
	if (f.path && !keeps_outside(j, OUTSIDE | NETWORK))
		judge_raise(j, c, &(struct finding){.grade = judge_grade(j, c), .at = f.at,
				.message = str_fmt(j->a, f.share == SHARE_BOX ?
				"'%.*s' exists only in the boxes of the project" :
				"the boxes of the project have files in '%.*s'", STR_ARG(f.path->text))});
}

static bool boxes_listen(const struct view *v, uint16_t port)
{
	for (size_t i = 0; i < v->box_ports.n; i++)
		if (v->box_ports.at[i] == port)
			return true;
	return false;
}

/* False if it may connect to a host elsewhere. *ret: its first port on which boxes listen; 0: none. */
static bool stays_local(struct judge *j, struct subject *s, uint16_t *ret)
{
	const struct know_result *k = subject_known(j, s);
	bool any = false;

	*ret = 0;
	for (const struct know_use *u = k->uses; u; u = u->next) {
		uint16_t port;

		if (u->role != USE_HOST)
			continue;
		if (!loopback_port(&u->value, &port))
			return false;
		any = true;
		if (!*ret && boxes_listen(j->v, port))
			*ret = port;
	}
	return any || !(k->effects & EFFECT_NETWORK);
}

/* The first command that connects to a port of boxes; NULL: none, or another needs the host's network. */
static const struct subject *find_box_port(struct judge *j, uint16_t *ret)
{
	const struct subject *found = NULL;

	for (size_t i = 0; i < j->nsubjects; i++) {
		uint16_t port;

		if (!stays_local(j, &j->subjects[i], &port))
			return NULL;
		if (port && !found) {
			found = &j->subjects[i];
			*ret = port;
		}
	}
	return found;
}

/* The same for servers: the loopback of the boxes is not the host's. */
static void follow_box_ports(struct judge *j)
{
	const struct check *c = gate_check(CHECK_BOX_PORT);
	const struct subject *s;
	uint16_t port;

	if (!j->v->box_ports.n || !may_follow(j))
		return;
	s = find_box_port(j, &port);
	if (s && !keeps_outside(j, OUTSIDE))
		judge_raise(j, c, &(struct finding){.grade = judge_grade(j, c), .at = s->c->at,
				.message = str_fmt(j->a, "boxes of the project listen on port %u", port)});
}

/* Asks about a command that would fail in the box because the box has no signing key. */
static void makes_signature(struct judge *j, const struct check *c)
{
	struct subject *s = git_hooks_signs(j);
	struct finding f = {.grade = GRADE_ASK};

	if (!s)
		return;
	f.at = s->c->at;
	f.message = str_fmt(j->a, "this would be contained, but '%s' makes a signature, and no box has the "
			"key",
		subject_options(j, s)->name);
	f.alternative = STR("sign in a separate command, or leave the signature out: --no-gpg-sign");
	judge_raise(j, c, &f);
}

/* True if the command at `outer` is at this place, or runs the text that the place is in. */
static bool runs_place(const struct judge *j, struct span outer, struct span at)
{
	while (!span_encloses(outer, at) || span_substituted(j->f, outer, at)) {
		if (at.text == 0 || at.text >= j->f->ntexts)
			return false;
		at = j->f->texts[at.text].origin;
	}
	return true;
}

/* Programs that run the command in their own words. */
static bool is_wrapper(enum via_kind k) { return k == VIA_WRAPPER || k == VIA_XARGS || k == VIA_FIND; }

/* A wrapped command has the place of its wrapper's name: returns the place of the outermost wrapper. */
static struct span wrapped_place(const struct judge *j, const struct command *c)
{
	struct span at = c->at;

	for (size_t i = 0; c->via && is_wrapper(c->via->kind) && i < j->nsubjects; i++)
		if (span_encloses(j->subjects[i].c->at, at) &&
			!span_substituted(j->f, j->subjects[i].c->at, c->at))
			at = j->subjects[i].c->at;
	return at;
}

/* Returns the client that a contained part of the request is, or that runs it: docker exec x python a.py. */
static const struct subject *find_host_client(struct judge *j)
{
	for (const struct reason *r = j->ret->reasons; r; r = r->next) {
		if (r->grade != GRADE_CONTAIN || r->id == CHECK_ENVIRONMENT)
			continue;
		for (size_t i = 0; i < j->nsubjects; i++) {
			const struct subject *s = &j->subjects[i];

			if (is_host_client(j, s) && runs_place(j, wrapped_place(j, s->c), r->at))
				return s;
		}
	}
	return NULL;
}

/* Asks about a command that would fail in the box for want of a service of the host. */
static void needs_host(struct judge *j, const struct check *c)
{
	const struct subject *s = j->ret->verdict == VERDICT_CONTAIN ? find_host_client(j) : NULL;

	if (s)
		judge_raise(j, c, &(struct finding){.grade = GRADE_ASK, .at = s->c->at,
				.message = str_fmt(j->a, "this would be contained, but '%.*s' talks to a "
				"service of the host, which no box can reach", STR_ARG(s->base))});
}

void contain_finish(struct judge *j)
{
	static const enum grade grades[] = {[VERDICT_DENY] = GRADE_DENY, [VERDICT_ASK] = GRADE_ASK,
			[VERDICT_CONTAIN] = GRADE_ASK, [VERDICT_ALLOW] = GRADE_WARN};
	const struct check *c = gate_check(CHECK_NOT_CONTAINED);
	const struct subject *s;

	follow_box_files(j);
	follow_box_ports(j);
	if (!has_contained(j))
		return;
	if (!j->p->sandbox.enabled) {
		/* the reasons become warnings */
		if (j->p->contain_fallback == VERDICT_ALLOW && j->ret->verdict == VERDICT_CONTAIN) {
			j->ret->verdict = VERDICT_ALLOW;
			*j->warnings_end = j->ret->reasons;
			j->warnings_end = j->reasons_end;
			j->ret->reasons = NULL;
			j->reasons_end = &j->ret->reasons;
		}
		judge_raise(j, c, &(struct finding){.grade = grades[j->p->contain_fallback],
				.approval = APPROVAL_PLAIN,
			.message = STR(
			"this would be contained, but the policy turns boxes off (sandbox.enabled)")});
		return;
	}
	makes_signature(j, c);
	network_uses_in_box(j);
	needs_host(j, c);
	s = find_excluded(j);
	if (s)
		judge_raise(j, c, &(struct finding){.grade = GRADE_ASK, .at = s->c->at,
				.message = str_fmt(j->a,
				"this would be contained, but '%.*s' never runs in the box "
				"(excluded_commands)",
				STR_ARG(s->base))});
}
