/* Reasons that come from how a client calls a command, not from its words: one row per kind of note. */
#include "gate/gate.h"
#include "model/view.h"

struct amend {
	struct arena *a;
	const struct facts *f;
	const struct policy *p;
	struct judgement *j;
};

/* ---- conditions ---- */

static bool allowed(const struct amend *m) { return m->j->verdict == VERDICT_ALLOW; }
static bool contained(const struct amend *m) { return m->j->verdict == VERDICT_CONTAIN; }
static bool not_denied(const struct amend *m) { return m->j->verdict >= VERDICT_ASK; }
static bool searched(const struct amend *m) { return m->p->secrets.enabled && m->p->secrets.scan_inputs; }

/*
 * A contained command leaves our box only if the policy permits it (allow_unboxed). Leaving the client's
 * sandbox always needs a person.
 */
static bool leaves_sandbox(const struct amend *m)
{
	return m->j->verdict >= (m->p->sandbox.allow_unboxed ? VERDICT_CONTAIN : VERDICT_ALLOW);
}

/* The box opens the project and nothing else. */
static bool is_boxed(const struct amend *m)
{
	return contained(m) || (allowed(m) && gate_boxes_always(m->a, m->f, m->p));
}

/* ---- rows ---- */

static const struct amend_row {
	char name[20];
	bool (*applies)(const struct amend *m); /* NULL: always */
	enum check_id id;
	enum grade grade;
	char message[160]; /* '%': the note's text, '@': the project */
} rows[CALL_NOTE_KINDS] = {
	[NOTE_OTHER_PROJECT] = {"other-project", contained, CHECK_NOT_CONTAINED, GRADE_ASK,
		"the command would run in another project ('%'), which the box of this session does not "
		"show"},
	[NOTE_SHELL_DIFFERS] = {"shell-differs", allowed, CHECK_OPAQUE_SCRIPT, GRADE_CONTAIN,
		"the client does not name the shell, and shells would read this text differently"},
	[NOTE_SHELL_REFUSED] = {"shell-refused", NULL, CHECK_EXECUTES_FILE, GRADE_DENY, "%"},
	[NOTE_PATCH_NAME] = {"patch-name", allowed, CHECK_UNKNOWN_PROGRAM, GRADE_CONTAIN,
		"apply_patch must be followed by one here-document with the patch and nothing else"},
	[NOTE_INPUT_LONG] = {"input-long", searched, CHECK_CONFIGURED_ASK, GRADE_ASK,
		"the input is too long to search for secrets (secrets.maxScanBytes)"},
	[NOTE_INPUT_SECRET] = {"input-secret", searched, CHECK_CONFIGURED_DENY, GRADE_DENY,
		"the input contains what looks like a secret (%), and the policy denies that "
		"(secrets.scanInputs)"},
	[NOTE_UNBOXED] = {"unboxed", leaves_sandbox, CHECK_NOT_CONTAINED, GRADE_ASK,
		"the agent wants to run this outside the sandbox"},
	[NOTE_PROJECT_CHANGED] = {"project-changed", not_denied, CHECK_PROJECT_CHANGED, GRADE_ASK, "%"},
	[NOTE_NO_PROJECT] = {"no-project", is_boxed, CHECK_NOT_CONTAINED, GRADE_ASK,
		"the box needs a project, and '%' is not a project"},
	[NOTE_OUTSIDE_PROJECT] = {"outside-project", is_boxed, CHECK_NOT_CONTAINED, GRADE_ASK,
		"the command would run in '%', outside the project '@', and the box shows only the project"},
};

const char *gate_note_name(enum call_note_kind kind) { return rows[kind].name; }

bool gate_note_find(struct str name, enum call_note_kind *ret)
{
	for (size_t i = 0; i < CALL_NOTE_KINDS; i++)
		if (str_is(name, rows[i].name)) {
			*ret = (enum call_note_kind)i;
			return true;
		}
	return false;
}

/* True for a command of excluded_commands, which stays outside of the box. */
static bool is_excluded(struct arena *a, const struct command *c, const struct policy *p)
{
	for (const struct texts *t = p->excluded_commands; t && c->argc; t = t->next) {
		size_t blank = str_end(t->text, ' ', 0);
		struct str name = str_first(t->text, blank);

		if (str_ends(c->argv[0].text, str_c(a, name)))
			return true;
	}
	return false;
}

bool gate_boxes_always(struct arena *a, const struct facts *f, const struct policy *p)
{
	if (p->mode == MODE_PAUSED || !p->sandbox.always || !p->sandbox.enabled || !f->launches)
		return false;
	for (const struct command *c = f->commands; c; c = c->next)
		if (is_excluded(a, c, p))
			return false;
	return true;
}

static struct str message_of(const struct amend *m, const char *text, struct str note)
{
	struct buf b;

	buf_init(&b, m->a, 0);
	for (; *text; text++) {
		if (*text == '%')
			buf_str(&b, note);
		else if (*text == '@')
			buf_str(&b, m->j->view ? m->j->view->project : STR(""));
		else
			buf_char(&b, *text);
	}
	return buf_view(&b);
}

void gate_amend(struct arena *a, const struct facts *f, const struct policy *p, const struct call_note *notes,
		struct judgement *j)
{
	static const enum verdict most[] = {
		[GRADE_CONTAIN] = VERDICT_CONTAIN, [GRADE_ASK] = VERDICT_ASK, [GRADE_DENY] = VERDICT_DENY,
	};
	const struct amend m = {a, f, p, j};

	for (const struct call_note *n = notes; n; n = n->next) {
		const struct amend_row *row = &rows[n->kind];
		struct reason *r;

		if (row->applies && !row->applies(&m))
			continue;
		r = arena_copy(a, (struct reason){.next = j->reasons, .id = row->id, .grade = row->grade});
		r->approval = gate_check(row->id)->approval;
		r->message = message_of(&m, row->message, n->text);
		j->reasons = r;
		j->verdict = verdict_min(j->verdict, most[row->grade]);
	}
	if (notes && j->verdict == VERDICT_ASK)
		j->approval = gate_approved(a, f, j, p).run;
	gate_grant(a, j);
}
