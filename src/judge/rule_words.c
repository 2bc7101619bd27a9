/* See rule_words.h. */
#include "judge/rule_words.h"

#include <string.h>

#include "gate/broad.h"

#define NAME_ROOM 12

/* ---- reasons ---- */

bool rule_decides(enum check_id id)
{
	return rule_widens(id) || id == CHECK_EXECUTES_FILE || id == CHECK_UNKNOWN_PROGRAM ||
	       id == CHECK_ARCHIVE_EXTRACT;
}

bool rule_widens(enum check_id id)
{
	return id == CHECK_NETWORK || id == CHECK_PACKAGE_INSTALL || id == CHECK_CONFIGURED_DEFAULT ||
		id == CHECK_NOT_CONTAINED;
}

/* ---- words ---- */

struct str rule_words(struct arena *a, const struct command *c)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < c->argc; i++) {
		const struct word *w = &c->argv[i];

		if (w->kind != WORD_EXACT || !w->text.n || b.n + w->text.n > RULE_WORDS_MAX)
			return STR("");
		for (size_t k = 0; k < w->text.n; k++)
			if ((unsigned char)w->text.p[k] <= ' ' || (unsigned char)w->text.p[k] >= 0x7f)
				/* a blank inside a word would look like a separator */
				return STR("");
		if (i)
			buf_char(&b, ' ');
		buf_str(&b, w->text);
	}
	return buf_view(&b);
}

bool rule_speaks_of(const struct judgement *j, const struct command *c)
{
	for (const struct reason *r = j->reasons; r; r = r->next) {
		if (span_overlaps(r->at, c->at))
			return true;
		for (const struct reason_place *p = r->more; p; p = p->next)
			if (span_overlaps(p->at, c->at))
				return true;
	}
	return false;
}

/*
 * Programs that get no prefix rule. For some, the second word does not tell the effect: "aws iam" lists and
 * deletes. Others have options that run commands or overwrite others' data: a rule for "git push" would also
 * allow --force to any remote.
 */
static const char deeper[] =
		"hg svn nc ncat socat telnet ftp lftp sftp rclone restic borg ansible curl wget aws gcloud "
		"az oci doctl gh glab hub kubectl oc helm docker podman nerdctl terraform tofu pulumi "
		"heroku flyctl vault consul nomad redis-cli psql mysql ssh scp rsync systemctl brew conda";

/* Subcommands of git that only read. */
static const char git_looks[] = "blame cat-file describe diff log ls-files rev-parse shortlog show status";

struct str rule_prefix(struct str words)
{
	struct str program;
	ptrdiff_t one = str_find(words, ' ', 0), two = one < 0 ? -1 : str_find(words, ' ', (size_t)one + 1);
	struct str prefix = str_first(words, two < 0 ? words.n : (size_t)two),
			second = str_from(prefix, one < 0 ? prefix.n : (size_t)one + 1);

	if (!second.n || !ascii_is_lower(second.p[0]) || prefix_broad(prefix))
		return STR("");
	program = str_first(words, (size_t)one);
	for (size_t i = program.n; i > 0; i--)
		if (program.p[i - 1] == '/') {
			program = str_from(program, i);
			break;
		}
	if (str_is_any(program, deeper) || (str_is(program, "git") && !str_is_any(second, git_looks)))
		return STR("");
	for (size_t i = 0; i < second.n; i++)
		if (!(ascii_is_lower(second.p[i]) || ascii_is_digit(second.p[i]) || second.p[i] == '-'))
			return STR("");
	return prefix;
}

/* ---- the rules of one question ---- */

struct rules {
	struct str text[RULE_PARTS_MAX];
	size_t n;
};

/* A prefix rule is possible only if rule_decides() holds for every reason. */
static bool may_widen(const struct judgement *j)
{
	for (const struct reason *r = j->reasons; r; r = r->next)
		if (!rule_decides(r->id))
			return false;
	return true;
}

/* Returns false if one of the commands cannot be expressed as a rule. */
static bool find_rules(struct arena *a, const struct facts *f, const struct judgement *j, struct rules *ret)
{
	ret->n = 0;
	for (const struct command *c = f->commands; c; c = c->next) {
		struct str words = rule_speaks_of(j, c) ? rule_words(a, c) : STR(""), prefix;
		size_t i = 0;

		if (!rule_speaks_of(j, c))
			continue;
		if (!words.n || prefix_broad(words))
			return false;
		prefix = may_widen(j) ? rule_prefix(words) : STR("");
		words = prefix.n ? prefix : words;
		while (i < ret->n && !str_eq(ret->text[i], words))
			i++;
		if (i < ret->n)
			continue;
		if (ret->n == RULE_PARTS_MAX)
			return false;
		ret->text[ret->n++] = words;
	}
	return ret->n > 0;
}

static bool is_allowed_by(struct arena *a, const struct engine_request *rq, const struct policies *p,
		const struct view *v, const struct rules *rules)
{
	struct policies with = *p;
	struct view *world = arena_new(a, struct view);
	struct judgement j;
	struct facts f;

	*world = *v;
	for (size_t i = 0; i < rules->n; i++) {
		struct prefix_rule *r = arena_copy(a, (struct prefix_rule){.next = with.own.allow,
				.prefix = rules->text[i]});

		with.own.allow = r;
	}
	return engine_judge_again(a, rq, &with, world, &f, &j, NULL) == 0 && j.verdict == VERDICT_ALLOW;
}

/* Words without blanks also count as one rule together, for people who forget quotes. */
static bool single_words(const struct rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (str_has(r->text[i], ' '))
			return false;
	return true;
}

/* The rule for a wrapper is often unnecessary: if one rule suffices alone, the others are dropped. */
struct str rules_allowing(struct arena *a, const struct engine_request *rq, const struct policies *p,
		const struct facts *f,
	const struct judgement *j)
{
	struct rules all, one;
	struct buf b;

	if (!j->view || !find_rules(a, f, j, &all))
		return STR("");
	for (size_t i = 0; i < all.n && all.n > 1; i++) {
		one = (struct rules){.text = {all.text[i]}, .n = 1};
		if (is_allowed_by(a, rq, p, j->view, &one))
			all = one;
	}
	if (!is_allowed_by(a, rq, p, j->view, &all))
		return STR("");
	buf_init(&b, a, 0);
	for (size_t i = 0; i < all.n; i++) {
		buf_c(&b, !i ? "" : single_words(&all) ? " && caisson allow " : " ");
		buf_quoted(&b, all.text[i]);
	}
	return buf_view(&b);
}
