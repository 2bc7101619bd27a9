/*
 * Programs that the caller's PATH finds in the project, as with an active virtual environment. A program in a
 * box may have put an `ls` there, so a plain name runs a file that nobody judged.
 */
#include "gate/judge.h"

/* No box can write a root that is the home, or holds it. */
static bool is_writable(const struct judge *j, struct str dir)
{
	for (const struct root *r = j->v->roots; r; r = r->next)
		if (path_within(dir, r->path) && !path_within(j->v->home, r->path))
			return true;
	return false;
}

/* True if the request itself may put a file at this path. */
static bool is_made(struct judge *j, struct str path)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		struct str at = x->path.kind == WORD_EXACT ? path_plain(j->a, x->path.text) : STR("");

		if (x->kind != ACCESS_WRITE || !at.n)
			continue;
		if (str_eq(at, path) || (x->below && path_within(path, at)))
			return true;
	}
	return false;
}

enum program_state { PROGRAM_ABSENT, PROGRAM_UNKNOWN, PROGRAM_FOUND };

/* A shell looks at this path. If no more can be asked, a program is absent only where boxes cannot write. */
static enum program_state look(struct judge *j, struct str path, bool writable)
{
	const struct path_answer *p = pmap_get(j->answers, path);

	if (writable && is_made(j, path))
		return PROGRAM_FOUND;
	if (p)
		return p->kind != PATH_ABSENT && p->target != PATH_DIR ? PROGRAM_FOUND : PROGRAM_ABSENT;
	if (judge_ask(j, &(struct question){.kind = QUESTION_PATH, .path = path}))
		return PROGRAM_UNKNOWN;
	return writable ? PROGRAM_FOUND : PROGRAM_ABSENT;
}

/* The file of the project that the name leads to; empty: none, or not known yet. Asks all at once. */
static struct str find_program(struct judge *j, struct str name)
{
	struct str ret = STR("");
	bool decided = false;

	for (const struct root *r = j->v->search; r; r = r->next) {
		struct str path = str_fmt(j->a, "%.*s/%.*s", STR_ARG(r->path), STR_ARG(name));
		bool writable = is_writable(j, r->path);
		enum program_state state = look(j, path, writable);

		if (!decided && state == PROGRAM_FOUND && writable)
			ret = path;
		decided |= state != PROGRAM_ABSENT;
	}
	return ret;
}

void path_programs(struct judge *j, const struct check *c)
{
	for (const struct launch *l = j->v->search ? j->f->launches : NULL; l; l = l->next) {
		bool plain = l->name.n && text_exact(l->name) && !str_has(l->name, '/');
		struct str path = plain ? find_program(j, l->name) : STR("");

		if (path.n)
			judge_say(j, c, l->at,
				str_fmt(j->a, "the PATH leads from '%.*s' to '%.*s', whose content was not "
					"judged, so it may only run in the box", STR_ARG(l->name),
					STR_ARG(path)));
	}
}
