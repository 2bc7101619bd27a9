/*
 * Chooses the validator and evaluates its findings.
 *
 * A run that was killed or never started cannot pass, whatever it printed. An incomplete output cannot be
 * judged. Everything else depends on the format.
 */
#include "result/validate.h"

#include "result/format.h"

#include <stdio.h>

#define NOTES_MAX 64      /* further notes add nothing new */
#define MESSAGE_MAX 600
#define RIVALS_MAX 8
#define RIVAL_SURE 75     /* confidence that a summary exists, not just something similar to the format */
#define ESCAPE_MAX 4096   /* bytes of one escape sequence; a longer one is not removed */

/* Machine-readable formats before text: with equal confidence the first one wins. NULL: formats as data. */
static const struct validator *const families[] = {validators_test_machine, validators_test_text,
		validators_static, NULL, validators_data};
#define NFAMILIES ARRAY_SIZE(families)

static struct validator of_row(const struct format_row *row)
{
	return (struct validator){row->task, format_texts + row->name, EVIDENCE_PRINTED, .both = row->both,
			.row = row};
}

bool validator_at(size_t i, struct validator *ret)
{
	for (size_t f = 0; f < NFAMILIES; f++) {
		if (!families[f] && i < format_nrows) {
			*ret = of_row(&format_rows[i]);
			return true;
		}
		i -= families[f] ? 0 : format_nrows;
		for (const struct validator *r = families[f]; r && r->format; r++)
			if (i-- == 0) {
				*ret = *r;
				return true;
			}
	}
	return false;
}

void validator_check(const struct validator *r, struct arena *a, const struct validate_input *in,
		struct validation *v)
{
	if (r->row)
		format_check(r->row, r->reading, a, in, v);
	else if (r->json)
		test_json_check(r->json, a, in, v);
	else
		r->check(a, in, v);
}

void validation_count(struct arena *a, struct validation *v, const char *name, int64_t n)
{
	struct count **at = &v->counts;

	while (*at)
		at = &(*at)->next;
	*at = arena_new(a, struct count);
	(*at)->name = name;
	(*at)->n = n;
}

static void append_note(struct arena *a, struct check_note **at, struct check_note note, const char *fmt,
		va_list ap)
{
	char text[MESSAGE_MAX];
	size_t n = 0;

	for (; *at; at = &(*at)->next)
		n++;
	if (n >= NOTES_MAX)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	/* quoted names come from the output: they must not break the line or control a terminal */
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	note.message = str_dup(a, str_of(text));
	*at = arena_new(a, struct check_note);
	**at = note;
}

static void add_note(struct arena *a, struct validation *v, struct check_note note, const char *fmt,
		va_list ap)
{
	if (!note.warning)
		v->validity = VALIDITY_INVALID;
	append_note(a, &v->checks, note, fmt, ap);
}

void validation_suspect(struct arena *a, struct validation *v, enum note_id id, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append_note(a, &v->suspicions, (struct check_note){.id = id, .name = validation_note_name(id)}, fmt,
			ap);
	va_end(ap);
}

void validation_note(struct arena *a, struct validation *v, enum note_id id, bool warning, const char *fmt,
		...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(a, v, (struct check_note){.id = id, .name = validation_note_name(id), .warning = warning},
			fmt, ap);
	va_end(ap);
}

void validation_note_custom(struct arena *a, struct validation *v, const char *name, bool warning,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(a, v, (struct check_note){.name = name, .warning = warning}, fmt, ap);
	va_end(ap);
}

void validation_unsure(struct arena *a, struct validation *v, enum note_id id, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_note(a, v, (struct check_note){.id = id, .name = validation_note_name(id), .warning = true}, fmt,
			ap);
	va_end(ap);
	if (v->validity != VALIDITY_INVALID)
		v->validity = VALIDITY_INDETERMINATE;
}

/* ---- text without escape sequences ---- */

/* Returns the end of the sequence that starts with the ESC at i, or i if it has no end. */
static size_t escape_end(struct str s, size_t i)
{
	size_t j = i + 1, stop = s.n - i > ESCAPE_MAX ? i + ESCAPE_MAX : s.n;

	if (j >= stop)
		return i + 1;
	if (s.p[j] == '[') {
		for (j++; j < stop && (unsigned char)s.p[j] >= 0x20 && (unsigned char)s.p[j] < 0x40; j++)
			;
		return j < stop && (unsigned char)s.p[j] >= 0x40 && (unsigned char)s.p[j] < 0x7f ? j + 1 : i;
	}
	if (s.p[j] == ']') {
		for (j++; j < stop && s.p[j] != '\n'; j++)
			if (s.p[j] == '\a')
				return j + 1;
			else if (s.p[j] == 033) /* any ESC ends it, so that no byte is read twice */
				return j + 1 < stop && s.p[j + 1] == '\\' ? j + 2 : i;
		return i;
	}
	return i;
}

static struct str plain_text(struct arena *a, struct str s)
{
	char *p;
	size_t n = 0;

	if (!s.n || !memchr(s.p, 033, s.n))
		return s;
	p = arena_alloc(a, s.n);
	for (size_t i = 0; i < s.n;) {
		size_t end = s.p[i] == 033 ? escape_end(s, i) : i;

		if (end > i)
			i = end;
		else
			p[n++] = s.p[i++];
	}
	return str_n(p, n);
}

/* ---- detection ---- */

static bool task_fits(const struct validate_input *in, const struct validator *r)
{
	return !in->task || in->task == r->task ||
			(r->both && (in->task == TASK_LINT || in->task == TASK_TYPECHECK));
}

/* Finds the words of the formats that fit the task. */
static void find_words(const struct validate_input *in, struct format_found *found)
{
	struct format_found wanted = {0};
	struct validator r;

	for (size_t i = 0; validator_at(i, &r); i++)
		if (task_fits(in, &r))
			format_want(&r, &wanted);
	format_find(in->out, &wanted, found);
	format_find(in->err, &wanted, found);
}

struct recognised {
	/* rivals: validators that found a summary, possibly including the best; no format: none */
	struct validator best, rivals[RIVALS_MAX];
	size_t nrivals;
};

/* True if a row of data cannot change what was recognised, so that the output need not be read by it. */
static bool is_beaten(const struct validator *r, int sure)
{
	int most = r->row ? format_sure_at_most(r->row) : DETECT_CERTAIN;

	return most <= sure && most < RIVAL_SURE;
}

static struct recognised recognise_format(struct arena *a, const struct validate_input *raw,
		const struct validate_input *text)
{
	struct recognised found = {0};
	struct format_found words = {0};
	struct validator r;
	int sure = raw->task ? 0 : DETECT_SURE - 1;

	find_words(text, &words);
	for (size_t i = 0; validator_at(i, &r); i++) {
		int n;

		if (!task_fits(raw, &r) || is_beaten(&r, sure) || !format_has_words(&r, &words))
			continue;
		n = r.row ? format_detect(r.row, a, text, &words, &r.reading) :
				r.json ? test_json_detect(r.json, raw) :
				r.detect(r.evidence == EVIDENCE_PRINTED ? text : raw);
		if (n > sure) {
			sure = n;
			found.best = r;
		}
		if (sure >= DETECT_CERTAIN)
			return found;
		if (n >= RIVAL_SURE && found.nrivals < RIVALS_MAX)
			found.rivals[found.nrivals++] = r;
	}
	return found;
}

/*
 * Two runners in one output (`pytest; npm test`), or a test that prints the summary of another runner: a pass
 * counts only if no other summary contradicts it.
 */
static void judge_rivals(struct arena *a, const struct recognised *found, const struct validate_input *raw,
		const struct validate_input *text, struct validation *v)
{
	for (size_t i = 0; i < found->nrivals && v->validity == VALIDITY_VALID && v->result == RESULT_PASS;
			i++) {
		const struct validator *r = &found->rivals[i];
		struct validation other = {.validity = VALIDITY_VALID};

		if (r->format == found->best.format || r->task != found->best.task)
			continue;
		validator_check(r, a, r->evidence == EVIDENCE_PRINTED ? text : raw, &other);
		if (other.validity == VALIDITY_INVALID || other.result == RESULT_FAIL)
			validation_note(a, v, NOTE_TWO_FORMATS, false,
					"the output holds a summary of %s and one of %s, which do not "
					"agree; run one of them at a time, alone", v->format, r->format);
	}
}

#define EXIT_NOT_FOUND 127 /* of a shell */

static void not_recognised(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct validator r;
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; validator_at(i, &r); i++)
		if (task_fits(in, &r))
			buf_fmt(&b, "%s%s", b.n ? ", " : "", r.format);
	if (!b.n)
		validation_unsure(a, v, NOTE_NOT_RECOGNISED, "there is no validator for the task '%.40s'",
				in->task ? task_name(in->task) : "");
	else if (in->exit_code == EXIT_NOT_FOUND)
		validation_unsure(a, v, NOTE_NOT_RECOGNISED,
				"the tool did not run: a command was not found (exit code %d); install it, "
				"or name a path that the box shows", EXIT_NOT_FOUND);
	else
		validation_unsure(a, v, NOTE_NOT_RECOGNISED,
				"no result was recognised in the output; let the tool print its summary, or "
				"a machine-readable report (known: %.*s)",
			STR_ARG(buf_view(&b)));
}

/* ---- status of the run ---- */

static void judge_run(struct arena *a, const struct validate_input *in, struct validation *v)
{
	static const char killed[][28] = {[STATUS_SIGNAL] = "was ended by a signal",
			[STATUS_TIMEOUT] = "ran out of time", [STATUS_OOM] = "ran out of memory",
		[STATUS_OUTPUT_LIMIT] = "printed more than it may"};
	static const char never[][24] = {[STATUS_SETUP_ERROR] = "could not be started",
			[STATUS_DENIED] = "was denied", [STATUS_NEEDS_APPROVAL] = "waits for approval"};
	size_t s = (size_t)in->status;

	if (s < ARRAY_SIZE(killed) && killed[s][0])
		validation_note(a, v, NOTE_RUN_KILLED, false,
				"the command %s before it was done, so nothing that it printed is a result; "
				"fix that first and run it again", killed[s]);
	else if (s < ARRAY_SIZE(never) && never[s][0])
		validation_unsure(a, v, NOTE_NOT_RUN, "the command %s, so there is no result", never[s]);
	else if (in->cut)
		validation_unsure(a, v, NOTE_OUTPUT_CUT,
				"parts of the output are missing, so its numbers cannot be checked; let the "
				"command print less, or write a report to a file");
}

void validate_run(struct arena *a, const struct validate_input *in, struct validation *ret)
{
	struct validation v = {.task = in->task, .validity = VALIDITY_VALID};

	judge_run(a, in, &v);
	*ret = v;
}

void validate_text(struct arena *a, const struct validate_input *in, struct validation *ret)
{
	struct validate_input text = *in;
	struct validation v = {.task = in->task};
	const struct validator *r;
	struct recognised found;

	text.out = plain_text(a, in->out);
	text.err = plain_text(a, in->err);
	found = recognise_format(a, in, &text);
	r = &found.best;
	if (r->format) {
		v.task = in->task ? in->task : r->task;
		v.format = r->format;
		v.evidence = r->evidence;
		v.validity = VALIDITY_VALID;
		/* Sums are wrong if parts of the output are missing, so the checks would mean nothing. */
		if (!in->cut) {
			validator_check(r, a, r->evidence == EVIDENCE_PRINTED ? &text : in, &v);
			judge_rivals(a, &found, in, &text, &v);
			validate_command(a, in, &v);
		}
	} else {
		not_recognised(a, in, &v);
	}
	judge_run(a, in, &v);
	for (const struct check_note *n = v.checks; n; n = n->next) {
		if (!n->warning)
			v.validity = VALIDITY_INVALID;
		if (n->id == NOTE_TWO_SUMMARIES)
			/* a test may have printed one of them: the failure is certain, the counts are not */
			v.counts = NULL;
	}
	if (v.validity != VALIDITY_VALID)
		v.result = RESULT_NONE;
	*ret = v;
}
