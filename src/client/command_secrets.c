/*
 * Redacts secrets in a command that a person is asked about, if only their position gives them away: the
 * value of a credential variable, the password after an option of curl, mysql or sshpass, an API key in a
 * header.
 *
 * The scan is textual, so quotes may mislead it. That cannot hide a command: a replaced run contains only
 * characters without a meaning to a shell, inside a word or directly after an option.
 */
#include "client/hook_pre.h"
#include "knowledge/variables.h"

#define HIDDEN "[redacted:password]"
#define LOOK_BACK_MAX 1024 /* bytes searched backwards for the program of an option */

/* Returns the length of a secret: characters that cannot end a word or start a command. */
static size_t secret_run(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n &&
			(ascii_is_name(s.p[at + n]) ||
			(s.p[at + n] && strchr("-.~+/=@%^,:!#*?", s.p[at + n]))))
		n++;
	return n;
}

static size_t skip_blanks(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && ascii_is_blank(s.p[at + n]))
		n++;
	return n;
}

static size_t skip_quote(struct str s, size_t at)
{
	return at < s.n && (s.p[at] == '\'' || s.p[at] == '"') ? 1 : 0;
}

/* True if this command, before `at`, has a word that starts with `name`. */
static bool after_program(struct str s, size_t at, const char *name)
{
	size_t end = at > LOOK_BACK_MAX ? at - LOOK_BACK_MAX : 0;

	while (at > end && !strchr(";|&\n", s.p[at - 1])) {
		bool starts = at == 1 || !ascii_is_name(s.p[at - 2]);

		if (starts && str_starts(str_from(s, at - 1), name))
			return true;
		at--;
	}
	return false;
}

/* ---- start of a secret; 0: not here ---- */

/* NAME=value */
static size_t at_variable(struct str s, size_t at)
{
	size_t n = 0, value;

	while (at + n < s.n && ascii_is_name(s.p[at + n]))
		n++;
	if (!n || at + n >= s.n || s.p[at + n] != '=')
		return 0;
	value = at + n + 1;
	value += skip_quote(s, value);
	if (var_place(str_sub(s, at, at + n)))
		return 0;
	return var_secret(str_sub(s, at, at + n), str_sub(s, value, value + secret_run(s, value))) ? value :
			0;
}

/* A password after an option: in the same word, or in the next one. */
static size_t at_option(struct str s, size_t at)
{
	static const struct {
		char program[16], option[16];
		bool next; /* the value may be the next word */
		bool user; /* the value is USER:PASSWORD */
	} rows[] = {
		{"curl", "-u", true, true}, {"curl", "--user", true, true},
		{"curl", "--proxy-user", true, true},
		{"mysql", "-p", false, false}, {"mysql", "--password=", false, false},
		{"mariadb", "-p", false, false}, {"mariadb", "--password=", false, false},
		{"sshpass", "-p", true, false}, {"docker login", "-p", true, false},
		{"docker login", "--password", true, false}, {"podman login", "-p", true, false},
		{"podman login", "--password", true, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t from = at + strlen(rows[i].option), n;

		if (!str_starts(str_from(s, at), rows[i].option) ||
				!after_program(s, at, rows[i].program))
			continue;
		if (str_starts(str_from(s, from), "-stdin"))
			continue; /* --password-stdin */
		from += rows[i].next ? skip_blanks(s, from) : 0;
		from += rows[i].next && from < s.n && s.p[from] == '=';
		from += skip_quote(s, from);
		n = secret_run(s, from);
		if (!rows[i].user)
			return n ? from : 0;
		for (size_t k = from; k + 1 < from + n; k++)
			if (s.p[k] == ':')
				return k + 1;
	}
	return 0;
}

/* X-Api-Key: value */
static size_t at_header(struct str s, size_t at)
{
	static const char names[][24] = {
		"x-api-key:", "api-key:", "x-auth-token:", "private-token:", "authorization: token"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = 0;

		while (names[i][n] && at + n < s.n && (s.p[at + n] | 0x20) == (names[i][n] | 0x20))
			n++;
		if (!names[i][n])
			return at + n + skip_blanks(s, at + n);
	}
	return 0;
}

struct str text_hide_words(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t at = 0; at < s.n;) {
		bool starts = at == 0 || (!ascii_is_name(s.p[at - 1]) && s.p[at - 1] != '-');
		size_t from = starts ? at_variable(s, at) : 0, n;

		if (starts && !from)
			from = at_option(s, at);
		if (starts && !from)
			from = at_header(s, at);
		n = from ? secret_run(s, from) : 0;
		if (!n || str_starts(str_from(s, from), "[redacted")) {
			buf_char(&b, s.p[at++]);
			continue;
		}
		buf_str(&b, str_sub(s, at, from));
		buf_c(&b, HIDDEN);
		at = from + n;
	}
	return buf_view(&b);
}
