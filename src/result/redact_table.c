/*
 * Shapes of secrets: rows with a prefix and a character set. A row is here only if hardly anything else looks
 * like it. The few shapes other than a run of characters after a prefix have a function.
 */
#define _GNU_SOURCE
#include "result/redact_table.h"

#define ALNUM "A-Za-z0-9"
#define WORDS "A-Za-z0-9_-"
#define HEX "0-9a-f"
#define BASE64 "A-Za-z0-9+/="
#define TOKEN68 "A-Za-z0-9._~+/=-"

#define URL_USER_MAX 128
#define URL_PASSWORD_MAX 512
#define PEM_LABEL_MAX 64
#define JWT_PART_MIN 10
#define AWS_SECRET_LEN 40
#define GAP_MAX 8 /* bytes between a name and its value */
#define PEM_WORD_MIN 32 /* minimum letters of a key's line in a command; a shorter last line stays visible */

bool redact_in_set(const char *set, char c)
{
	for (; *set; set++) {
		if (set[1] == '-' && set[2]) {
			if (c >= set[0] && c <= set[2])
				return true;
			set += 2;
		} else if (c == *set) {
			return true;
		}
	}
	return false;
}

/* Counts bytes of the set from `at` on, up to `most`. */
static size_t count_run(struct str s, size_t at, const char *set, size_t most)
{
	size_t n = 0;

	while (n < most && at + n < s.n && redact_in_set(set, s.p[at + n]))
		n++;
	return n;
}

/* True if the text ends at `at` but may continue. */
static bool is_undecided(const struct candidate *c, size_t at) { return at >= c->text.n && c->more; }

/* eyJ....eyJ....signature */
static enum found match_jwt(const struct candidate *c, size_t *ret_from, size_t *ret_to)
{
	size_t at = 0;

	for (unsigned part = 0; part < 3; part++) {
		size_t n = count_run(c->text, at, WORDS, REDACT_MATCH_MAX - at);

		if (is_undecided(c, at + n) && at + n < REDACT_MATCH_MAX)
			return FOUND_MORE;
		if (n < JWT_PART_MIN || (part == 1 && !str_starts(str_sub(c->text, at, at + n), "eyJ")))
			return FOUND_NO;
		at += n;
		if (part == 2)
			break;
		if (at >= c->text.n || c->text.p[at] != '.')
			return FOUND_NO;
		at++;
	}
	*ret_from = 0;
	*ret_to = at;
	return FOUND_YES;
}

/* ://user:password@ */
static enum found match_url(const struct candidate *c, size_t *ret_from, size_t *ret_to)
{
	static const char stops[][20] = {" \t\n/@\"'<>`()", " \t\n/@\"'<>`();|&$\\{}"};
	const char *stop = stops[c->command];
	size_t at = strlen("://"), from;

	for (; at < c->text.n && at < URL_USER_MAX && c->text.p[at] != ':'; at++)
		if (strchr(stop, c->text.p[at]))
			return FOUND_NO;
	if (is_undecided(c, at))
		return FOUND_MORE;
	if (at >= c->text.n || c->text.p[at] != ':')
		return FOUND_NO;
	from = ++at;
	for (; at < c->text.n && at - from < URL_PASSWORD_MAX && c->text.p[at] != '@'; at++)
		if (strchr(stop, c->text.p[at]))
			return FOUND_NO;
	if (is_undecided(c, at))
		return FOUND_MORE;
	/* a variable or a row of stars is not a secret */
	if (at >= c->text.n || c->text.p[at] != '@' || at == from || strchr("$*{[%", c->text.p[from]))
		return FOUND_NO;
	*ret_from = from;
	*ret_to = at;
	return FOUND_YES;
}

/* aws_secret_access_key = "..." */
static enum found match_aws_secret(const struct candidate *c, size_t *ret_from, size_t *ret_to)
{
	size_t at = strlen("aws_secret_access_key"), gap = count_run(c->text, at, " \t=:\"'", GAP_MAX), n;

	at += gap;
	n = count_run(c->text, at, "A-Za-z0-9/+", AWS_SECRET_LEN + 1);
	if (is_undecided(c, at + n))
		return FOUND_MORE;
	if (!gap || n != AWS_SECRET_LEN)
		return FOUND_NO;
	*ret_from = at;
	*ret_to = at + n;
	return FOUND_YES;
}

/* Returns the end of the lines of a key without its end mark. */
static size_t pem_body(struct str s, size_t at)
{
	while (at < s.n) {
		const char *nl = memchr(s.p + at, '\n', s.n - at);
		size_t end = nl ? (size_t)(nl - s.p) : s.n, from = at + count_run(s, at, " \t", end - at),
				n = count_run(s, from, "A-Za-z0-9+/=\\-", end - from);

		if (from + n < end && !(from + n + 1 < end && s.p[from + n] == ':' &&
				s.p[from + n + 1] == ' '))
			break;
		at = nl ? end + 1 : end;
	}
	return at;
}

/* True for a word of key material: long, with upper case, lower case and digits, unlike names of commands. */
static bool pem_word(struct str s)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = 0; i < s.n; i++) {
		upper |= ascii_is_upper(s.p[i]);
		lower |= ascii_is_lower(s.p[i]);
		digit |= ascii_is_digit(s.p[i]);
	}
	return s.n >= PEM_WORD_MIN && upper && lower && digit;
}

/* Skips blanks and line ends between two words of a key, also as JSON and echo escape them. */
static size_t pem_gap(struct str s, size_t at)
{
	size_t from = at;

	for (size_t n = 1; n; at += n)
		n = str_starts(str_sub(s, at, s.n), "\\n") ? 2 : count_run(s, at, " \t\r\n", 1);
	return at - from;
}

/*
 * A key in a command that a person decides about. The marks prove nothing, since a shell may run the text
 * between them. Replaces only words of key material just after the first mark, and the end mark if it follows
 * them.
 */
static enum found match_pem_words(struct str s, size_t body, size_t *ret_from, size_t *ret_to)
{
	size_t at = body, to = 0, n = 0;

	for (;; to = at + n, at = to) {
		at += pem_gap(s, at);
		n = count_run(s, at, BASE64, s.n - at);
		if (!pem_word(str_sub(s, at, at + n)))
			break;
	}
	if (!to)
		return FOUND_NO;
	if (str_starts(str_sub(s, at, s.n), "-----END ")) {
		at += strlen("-----END ");
		at += count_run(s, at, "A-Z0-9 ", PEM_LABEL_MAX);
		to = str_starts(str_sub(s, at, s.n), "-----") ? at + strlen("-----") : to;
	}
	*ret_from = 0;
	*ret_to = to;
	return FOUND_YES;
}

/* -----BEGIN ... PRIVATE KEY----- to its END. */
static enum found match_pem(const struct candidate *c, size_t *ret_from, size_t *ret_to)
{
	struct str s = str_sub(c->text, 0, REDACT_MATCH_MAX);
	bool more = c->more && c->text.n < REDACT_MATCH_MAX;
	size_t at = strlen("-----BEGIN "), label = count_run(s, at, "A-Z0-9 ", PEM_LABEL_MAX),
			body = at + label + strlen("-----");
	const char *next;

	if (more && body > s.n)
		return FOUND_MORE;
	if (!str_starts(str_sub(s, at + label, s.n), "-----") || !str_contains(str_sub(s, at, at + label),
			STR("PRIVATE KEY")))
		return FOUND_NO;
	if (c->command)
		return match_pem_words(s, body, ret_from, ret_to);
	next = memmem(s.p + body, s.n - body, "-----", strlen("-----"));
	if (next && str_starts(str_sub(s, (size_t)(next - s.p), s.n), "-----END ")) {
		size_t end = (size_t)(next - s.p) + strlen("-----END ");

		end += count_run(s, end, "A-Z0-9 ", PEM_LABEL_MAX);
		if (more && end + strlen("-----") > s.n)
			return FOUND_MORE;
		if (str_starts(str_sub(s, end, s.n), "-----")) {
			*ret_from = 0;
			*ret_to = end + strlen("-----");
			return FOUND_YES;
		}
	}
	if (more && (!next || s.n - (size_t)(next - s.p) < strlen("-----END ")))
		return FOUND_MORE;
	*ret_from = 0;
	*ret_to = pem_body(str_sub(s, 0, next ? (size_t)(next - s.p) : s.n), body);
	if (*ret_to && s.p[*ret_to - 1] == '\n')
		--*ret_to;
	return FOUND_YES;
}

const struct redact_row redact_rows[] = {
	{"aws-key", "AKIA", "A-Z2-7", 16, 16, ROW_EXACT, SHAPE_RUN},
	{"aws-key", "ASIA", "A-Z2-7", 16, 16, ROW_EXACT, SHAPE_RUN},
	{"aws-key", "ABIA", "A-Z2-7", 16, 16, ROW_EXACT, SHAPE_RUN},
	{"aws-key", "ACCA", "A-Z2-7", 16, 16, ROW_EXACT, SHAPE_RUN},
	{"aws-secret", "aws_secret_access_key", "", 0, 0, ROW_NOCASE, SHAPE_AWS_SECRET},
	{"azure-key", "AccountKey=", BASE64, 60, 0, ROW_INSIDE, SHAPE_RUN},
	{"azure-key", "SharedAccessKey=", BASE64, 40, 0, ROW_INSIDE, SHAPE_RUN},
	{"google-key", "AIza", WORDS, 35, 35, ROW_EXACT, SHAPE_RUN},
	{"google-token", "ya29.", WORDS, 20, 0, 0, SHAPE_RUN},
	{"google-secret", "GOCSPX-", WORDS, 28, 0, 0, SHAPE_RUN},
	{"github-token", "ghp_", ALNUM, 36, 0, ROW_INSIDE, SHAPE_RUN},
	{"github-token", "gho_", ALNUM, 36, 0, ROW_INSIDE, SHAPE_RUN},
	{"github-token", "ghu_", ALNUM, 36, 0, ROW_INSIDE, SHAPE_RUN},
	{"github-token", "ghs_", ALNUM, 36, 0, ROW_INSIDE, SHAPE_RUN},
	{"github-token", "ghr_", ALNUM, 36, 0, ROW_INSIDE, SHAPE_RUN},
	{"github-token", "github_pat_", "A-Za-z0-9_", 40, 0, ROW_INSIDE, SHAPE_RUN},
	{"gitlab-token", "glpat-", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"gitlab-token", "gldt-", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"gitlab-token", "glrt-", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"gitlab-token", "glptt-", WORDS, 40, 0, ROW_INSIDE, SHAPE_RUN},
	{"gitlab-token", "glcbt-", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xoxb-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xoxp-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xoxa-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xoxr-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xoxs-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-token", "xapp-", "A-Za-z0-9-", 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"slack-webhook", "hooks.slack.com/services/", "A-Za-z0-9/", 30, 0, 0, SHAPE_RUN},
	{"discord-webhook", "discord.com/api/webhooks/", "A-Za-z0-9_/-", 60, 0, 0, SHAPE_RUN},
	{"stripe-key", "sk_live_", ALNUM, 16, 0, ROW_INSIDE, SHAPE_RUN},
	{"stripe-key", "rk_live_", ALNUM, 16, 0, ROW_INSIDE, SHAPE_RUN},
	{"stripe-key", "sk_test_", ALNUM, 16, 0, ROW_INSIDE, SHAPE_RUN},
	{"stripe-key", "rk_test_", ALNUM, 16, 0, ROW_INSIDE, SHAPE_RUN},
	{"stripe-key", "whsec_", BASE64, 32, 0, ROW_INSIDE, SHAPE_RUN},
	{"anthropic-key", "sk-ant-", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"openai-key", "sk-proj-", WORDS, 20, 0, 0, SHAPE_RUN},
	{"openai-key", "sk-svcacct-", WORDS, 20, 0, 0, SHAPE_RUN},
	{"openai-key", "sk-admin-", WORDS, 20, 0, 0, SHAPE_RUN},
	{"openai-key", "sk-", ALNUM, 48, 48, ROW_EXACT | ROW_DIGIT, SHAPE_RUN},
	{"openrouter-key", "sk-or-v1-", HEX, 64, 0, 0, SHAPE_RUN},
	{"huggingface-token", "hf_", ALNUM, 34, 0, 0, SHAPE_RUN},
	{"replicate-token", "r8_", ALNUM, 37, 0, 0, SHAPE_RUN},
	{"groq-key", "gsk_", ALNUM, 50, 0, 0, SHAPE_RUN},
	{"npm-token", "npm_", ALNUM, 36, 0, 0, SHAPE_RUN},
	{"pypi-token", "pypi-AgE", WORDS, 50, 0, 0, SHAPE_RUN},
	{"rubygems-key", "rubygems_", HEX, 48, 0, 0, SHAPE_RUN},
	{"docker-token", "dckr_pat_", WORDS, 20, 0, ROW_INSIDE, SHAPE_RUN},
	{"sendgrid-key", "SG.", "A-Za-z0-9._-", 60, 0, 0, SHAPE_RUN},
	{"mailgun-key", "key-", HEX, 32, 32, ROW_EXACT | ROW_DIGIT, SHAPE_RUN},
	{"databricks-token", "dapi", HEX, 32, 34, ROW_EXACT | ROW_DIGIT, SHAPE_RUN},
	{"digitalocean-token", "dop_v1_", HEX, 64, 0, ROW_INSIDE, SHAPE_RUN},
	{"digitalocean-token", "doo_v1_", HEX, 64, 0, ROW_INSIDE, SHAPE_RUN},
	{"shopify-token", "shpat_", "0-9a-fA-F", 32, 0, ROW_INSIDE, SHAPE_RUN},
	{"shopify-token", "shpss_", "0-9a-fA-F", 32, 0, ROW_INSIDE, SHAPE_RUN},
	{"square-token", "sq0atp-", WORDS, 22, 0, 0, SHAPE_RUN},
	{"square-token", "sq0csp-", WORDS, 40, 0, 0, SHAPE_RUN},
	{"linear-key", "lin_api_", ALNUM, 32, 0, 0, SHAPE_RUN},
	{"notion-token", "ntn_", ALNUM, 40, 0, 0, SHAPE_RUN},
	{"newrelic-key", "NRAK-", "A-Z0-9", 27, 0, 0, SHAPE_RUN},
	{"grafana-token", "glsa_", "A-Za-z0-9_", 32, 0, 0, SHAPE_RUN},
	{"grafana-token", "glc_", BASE64, 32, 0, 0, SHAPE_RUN},
	{"vault-token", "hvs.", WORDS, 24, 0, 0, SHAPE_RUN},
	{"vault-token", "hvb.", WORDS, 24, 0, 0, SHAPE_RUN},
	{"doppler-token", "dp.pt.", ALNUM, 40, 0, 0, SHAPE_RUN},
	{"pulumi-token", "pul-", HEX, 40, 40, ROW_EXACT, SHAPE_RUN},
	{"planetscale-token", "pscale_tkn_", WORDS, 30, 0, 0, SHAPE_RUN},
	{"planetscale-token", "pscale_pw_", WORDS, 30, 0, 0, SHAPE_RUN},
	{"supabase-token", "sbp_", HEX, 40, 0, 0, SHAPE_RUN},
	{"age-key", "AGE-SECRET-KEY-1", "A-Z0-9", 58, 0, ROW_INSIDE, SHAPE_RUN},
	{"jwt", "eyJ", "", 0, 0, 0, SHAPE_JWT},
	{"bearer", "bearer ", TOKEN68, 20, 0, ROW_NOCASE | ROW_DIGIT, SHAPE_RUN},
	{"basic-auth", "authorization: basic ", BASE64, 8, 0, ROW_NOCASE, SHAPE_RUN},
	{"url-password", "://", "", 0, 0, ROW_INSIDE, SHAPE_URL},
	{"private-key", "-----BEGIN ", "", 0, 0, ROW_INSIDE, SHAPE_PEM},
};
const size_t redact_nrows = ARRAY_SIZE(redact_rows);

enum found redact_shape(enum redact_shape shape, const struct candidate *c, size_t *ret_from, size_t *ret_to)
{
	switch (shape) {
	case SHAPE_RUN: break; /* described by the row itself */
	case SHAPE_AWS_SECRET: return match_aws_secret(c, ret_from, ret_to);
	case SHAPE_JWT: return match_jwt(c, ret_from, ret_to);
	case SHAPE_URL: return match_url(c, ret_from, ret_to);
	case SHAPE_PEM: return match_pem(c, ret_from, ret_to);
	}
	return FOUND_NO;
}
