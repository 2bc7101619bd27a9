/*
 * Compiles and matches with PCRE2.
 *
 * PCRE2's match limit counts backtracking from one starting point only, and counts a scan of any length as
 * one step. So it bounds neither `\s+$` on a million spaces nor `(.*,)*x`. Patterns are therefore compiled
 * with a callout before each item, which sums up how far the matcher moved since the last one. The match
 * stops when the sum exceeds a budget that depends on the subject's length. JIT is not used: it needs memory
 * that is writable and executable.
 *
 * Compiled patterns are in the arena, so leaving the arena_run in the middle of compiling leaks nothing.
 * Matching uses malloc: it needs memory only until it returns, and is never left early.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <pcre2.h>

#include "base/regex_scan.h"
#include "base/utf8.h"

#define MESSAGE_MAX 160
#define REPEAT_MAX 65535u /* PCRE2's bound on the numbers in {m,n} */

#define OPTIONS \
	(PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | \
			PCRE2_DOLLAR_ENDONLY | \
		PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT)

struct regex {
	struct arena *a;
	struct str pattern;
	const char *pool; /* text of the literals */
	struct regex_scan scan;
	bool compiled;    /* true also after a failure */
	pcre2_code *code; /* NULL if compiling failed, which is a bug */
	pcre2_match_context *bounds;
	/* characters that an item may read before it fails, beyond the visible progress */
	uint32_t item_cost;
	bool back_references;
};

/* Remaining budget of one match. */
struct regex_work {
	int64_t left;
	size_t last; /* last position of the matcher */
	const struct regex *r;
};

static void *code_alloc(size_t n, void *arena)
{
	return arena_alloc(arena, n);
}

static void code_free(void *p, void *arena)
{
	(void)p, (void)arena;
}

/* ---- compiling ---- */

/* Exact repetitions fail without a callout, so their sum is charged to every item. */
static uint32_t sum_of_repeats(struct str p)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < p.n; i++) {
		uint32_t n = 0;
		if (p.p[i] != '{')
			continue;
		for (; i + 1 < p.n && ascii_is_digit(p.p[i + 1]); i++)
			n = n < REPEAT_MAX ? n * 10 + (uint32_t)(p.p[i + 1] - '0') : REPEAT_MAX;
		sum += n < REPEAT_MAX ? n : REPEAT_MAX;
	}
	return sum;
}

static int on_callout(pcre2_callout_block *block, void *arg)
{
	struct regex_work *w = arg;
	size_t at = block->current_position;
	size_t moved = at > w->last ? at - w->last : w->last - at;

	w->last = at;
	w->left -= (int64_t)(moved + w->r->item_cost);
	/* A back-reference may compare the whole capture and then fail. */
	if (w->r->back_references && at > block->start_match)
		w->left -= (int64_t)(at - block->start_match);
	return w->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static int bad_pattern(struct err *e, size_t *ret_offset, size_t offset, const char *why)
{
	if (ret_offset)
		*ret_offset = offset;
	return err_config(e, "not a regular expression: %s (at byte %zu)", why, offset);
}

static int too_large(struct regex *r, size_t *ret_offset, struct err *e)
{
	r->code = NULL;
	return bad_pattern(e, ret_offset, 0, "compiled, it is too large");
}

static void learn_costs(struct regex *r)
{
	uint32_t behind = 0, references = 0;

	pcre2_pattern_info(r->code, PCRE2_INFO_MAXLOOKBEHIND, &behind);
	pcre2_pattern_info(r->code, PCRE2_INFO_BACKREFMAX, &references);
	r->item_cost = REGEX_WORK_STEP + behind + sum_of_repeats(r->pattern);
	r->back_references = references > 0;
}

/* Sets r->code. Leaves the arena_run if the arena is full. */
static int compile_regex(struct regex *r, size_t *ret_offset, struct err *e)
{
	pcre2_general_context *memory = pcre2_general_context_create(code_alloc, code_free, r->a);
	pcre2_compile_context *how = pcre2_compile_context_create(memory);
	char why[MESSAGE_MAX] = "?";
	size_t offset = 0, size = 0;
	int code = 0;

	pcre2_set_max_pattern_length(how, REGEX_PATTERN_MAX);
	pcre2_set_parens_nest_limit(how, REGEX_NEST_MAX);
	pcre2_set_newline(how, PCRE2_NEWLINE_LF);
	pcre2_set_bsr(how, PCRE2_BSR_UNICODE);
	r->compiled = true;
	r->code =
		pcre2_compile((PCRE2_SPTR)r->pattern.p, r->pattern.n,
		OPTIONS | (r->scan.nocase ? PCRE2_CASELESS : 0), &code, &offset, how);
	if (!r->code) {
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
		return bad_pattern(e, ret_offset, offset < r->pattern.n ? offset : r->pattern.n, why);
	}
	pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &size);
	if (size > REGEX_CODE_MAX)
		return too_large(r, ret_offset, e);
	learn_costs(r);
	r->bounds = pcre2_match_context_create(memory);
	pcre2_set_depth_limit(r->bounds, REGEX_DEPTH_MAX);
	pcre2_set_heap_limit(r->bounds, REGEX_HEAP_MAX_KIB);
	return 0;
}

/* Outside the scanner's subset every repeated group counts as varying. */
static bool repeats_group(struct str p)
{
	for (size_t i = 1; i < p.n; i++) {
		if (p.p[i - 1] == ')' && (p.p[i] == '*' || p.p[i] == '+' || p.p[i] == '{'))
			return true;
	}
	return false;
}

int regex_new(struct arena *a, struct str pattern, unsigned flags, struct regex **ret, size_t *ret_offset,
		struct err *e)
{
	if (pattern.n > REGEX_PATTERN_MAX)
		return bad_pattern(e, ret_offset, REGEX_PATTERN_MAX, "it is too long");

	struct regex *r = arena_new(a, struct regex);
	char *pool = arena_alloc(a, REGEX_POOL(pattern.n));
	bool nocase = flags & REGEX_NOCASE;

	r->a = a;
	r->pattern = str_dup(a, pattern);
	r->pool = pool;
	if (!regex_scan(r->pattern, nocase, pool, &r->scan)) {
		r->scan = (struct regex_scan){.nocase = nocase, .nested = repeats_group(r->pattern)};
		if (compile_regex(r, ret_offset, e))
			return -1;
	}
	*ret = r;
	return 0;
}

static int compile_late(void *arg)
{
	struct regex *r = arg;

	/* The scanner guarantees that this works; if not, r->code is NULL and the answer REGEX_LIMIT. */
	(void)compile_regex(r, NULL, NULL);
	return 0;
}

/* ---- the search for literals ---- */

static bool starts_folded(const char *s, struct str needle)
{
	size_t i = 1;

	while (i < needle.n && (s[i] == needle.p[i] || s[i] == ascii_to_upper(needle.p[i])))
		i++;
	return i == needle.n;
}

static const char *next_byte(const char *from, const char *end, char c)
{
	const char *found = memchr(from, c, (size_t)(end - from));

	return found ? found : end;
}

/*
 * needle is ASCII, in lower case and not empty. Searches both cases of its first letter with memchr, which is
 * several times faster.
 */
static bool holds_folded(struct str s, struct str needle)
{
	const char small = needle.p[0], large = ascii_to_upper(small);

	if (s.n < needle.n)
		return false;
	const char *end = s.p + s.n - needle.n + 1;
	const char *one = next_byte(s.p, end, small), *two = large == small ? end : next_byte(s.p, end,
			large);
	while (one < end || two < end) {
		const char *at = one < two ? one : two;
		if (starts_folded(at, needle))
			return true;
		if (at == one)
			one = next_byte(at + 1, end, small);
		else
			two = next_byte(at + 1, end, large);
	}
	return false;
}

/* Cost of searching one literal: memchr reads many bytes at a time. */
static int64_t search_cost(size_t n) { return (int64_t)(n / 8) + REGEX_WORK_STEP; }

/* True if the literals allow a match. */
static bool may_match(const struct regex *r, struct str s)
{
	const struct regex_literals *must = &r->scan.must;

	for (unsigned i = 0; i < must->n; i++) {
		struct str literal = str_n(r->pool + must->lit[i].at, must->lit[i].n);
		if (r->scan.nocase ? holds_folded(s, literal) : str_contains(s, literal))
			return true;
	}
	if (!must->n)
		return true;
	/*
	 * Case-insensitively, U+017F equals s and U+212A equals k: the only characters beyond ASCII with this
	 * property.
	 */
	return r->scan.nocase && (str_contains(s, STR("\xc5\xbf")) || str_contains(s, STR("\xe2\x84\xaa")));
}

/* ---- matching ---- */

static uint32_t steps_for(const struct regex *r, size_t n)
{
	size_t steps = r->scan.nested ? REGEX_STEPS_BASE : REGEX_STEPS_BASE + n * REGEX_STEPS_PER_BYTE;

	return n > UINT32_MAX / (2 * REGEX_STEPS_PER_BYTE) ? UINT32_MAX : (uint32_t)steps;
}

/*
 * Returns PCRE2's result: 1 for a match, else a negative code. Exhausted bounds, lack of memory and bugs give
 * codes other than "no match". Charges the steps to *work and never uses more.
 */
static int match_once(struct regex *r, struct str s, uint32_t options, size_t ret_span[2], int64_t *work)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	struct regex_work w = {.left = REGEX_WORK_BASE + (int64_t)s.n * REGEX_WORK_PER_BYTE, .r = r};
	int64_t most;

	if (!data)
		return PCRE2_ERROR_NOMEMORY;
	*work -= REGEX_WORK_CALL + search_cost(s.n); /* cost of the UTF-8 check and of finding start points */
	most = w.left = *work < 0 ? 0 : *work < w.left ? *work : w.left;
	pcre2_set_match_limit(r->bounds, steps_for(r, s.n));
	pcre2_set_callout(r->bounds, on_callout, &w);
	int code = pcre2_match(r->code, (PCRE2_SPTR)s.p, s.n, 0, options, data, r->bounds);
	if (code >= 0) {
		const size_t *ends = pcre2_get_ovector_pointer(data);
		ret_span[0] = ends[0];
		ret_span[1] = ends[1];
		code = 1;
	}
	*work -= most - w.left;
	pcre2_match_data_free(data);
	return code;
}

struct repair {
	struct arena *a;
	struct str s;
};

static int repair_text(void *arg)
{
	struct repair *x = arg;

	x->s = utf8_repair(x->a, x->s);
	return 0;
}

/* Returns the offset in `raw` of byte `at` of its repaired form. */
static size_t raw_offset(struct str raw, size_t at)
{
	size_t i = 0, out = 0;

	while (i < raw.n && out < at) {
		size_t start = i;
		out += utf8_next(raw, &i) == UTF8_BAD ? 3 : i - start;
	}
	return i;
}

static bool is_utf_error(int code)
{
	return code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21;
}

/*
 * Returns PCRE2's result for a subject that may not be UTF-8; PCRE2_ERROR_NOMEMORY without a compiled form.
 */
static int match_any(struct regex *r, struct str s, uint32_t options, size_t ret_span[2], int64_t *work)
{
	if (!r->compiled && arena_run(r->a, compile_late, r) != 0) {
		r->compiled = false;
		return PCRE2_ERROR_NOMEMORY;
	}
	if (!r->code)
		return PCRE2_ERROR_NOMEMORY;

	int code = match_once(r, s, options, ret_span, work);
	if (is_utf_error(code)) {
		struct repair x = {r->a, s};
		if (arena_run(r->a, repair_text, &x) != 0)
			return PCRE2_ERROR_NOMEMORY;
		code = match_once(r, x.s, options, ret_span, work);
		if (code > 0) {
			ret_span[0] = raw_offset(s, ret_span[0]);
			ret_span[1] = raw_offset(s, ret_span[1]);
		}
	}
	return code;
}

bool regex_begins_within(struct regex *r, struct str subject, int64_t *work)
{
	size_t span[2];

	return match_any(r, subject.n ? subject : STR(""), PCRE2_PARTIAL_SOFT, span,
			work) != PCRE2_ERROR_NOMATCH;
}

enum regex_answer regex_find_within(struct regex *r, struct str subject, size_t *ret_start, size_t *ret_end,
		int64_t *work)
{
	struct str s = subject.n ? subject : STR("");
	size_t span[2];

	*work -= r->scan.must.n * search_cost(s.n);
	if (!may_match(r, s))
		return REGEX_NO;
	int code = match_any(r, s, 0, span, work);
	if (code <= 0)
		return code == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_LIMIT;
	*ret_start = span[0];
	*ret_end = span[1] < span[0] ? span[0] : span[1];
	return REGEX_YES;
}

enum regex_answer regex_match(struct regex *r, struct str subject)
{
	size_t start, end;
	int64_t work = INT64_MAX;

	return regex_find_within(r, subject, &start, &end, &work);
}

struct str regex_pattern(const struct regex *r)
{
	return r->pattern;
}

bool regex_is_compiled(const struct regex *r)
{
	return r->code != NULL;
}
