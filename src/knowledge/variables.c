/* See variables.h. */
#include "knowledge/variables.h"

#define NAME_LOOK_MAX 256    /* bytes of a name searched for words such as TOKEN */
#define VALUE_LOOK_MAX 4096  /* bytes of a value searched for credentials */
#define CREDENTIAL_MIN 16    /* minimum length in bytes: shorter values are ordinary words */

/* ---- names ---- */

/*
 * A minimal matcher: stars only, no setup cost. Before each run every variable is compared with many rows,
 * which is too slow with the matcher of policies.
 */
static bool matches_pattern(const char *pattern, struct str text, bool fold)
{
	const char *star = NULL;
	size_t at = 0, again = 0;

	while (at < text.n) {
		if (*pattern == '*') {
			star = ++pattern;
			again = at;
			if (!*star)
				return true;
		} else if (*pattern == text.p[at] ||
				(fold && ascii_to_upper(*pattern) == ascii_to_upper(text.p[at]))) {
			pattern++;
			at++;
		} else if (star) {
			const char *next = fold ? &text.p[again + 1] : memchr(&text.p[again + 1], *star,
					text.n - again - 1);

			if (!next)
				return false;
			pattern = star;
			at = again = (size_t)(next - text.p);
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Compares in the sort order of the rows: upper case. */
static int compare_folded(struct str name, const char *row)
{
	for (size_t i = 0; i < name.n; i++) {
		int d = (unsigned char)ascii_to_upper(name.p[i]) - (unsigned char)ascii_to_upper(row[i]);

		if (d || !row[i])
			return d ? d : 1;
	}
	return row[name.n] ? -1 : 0;
}

static size_t first_row(struct str name)
{
	size_t low = 0, high = var_nrows;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare_folded(name, var_text(var_rows[mid].name)) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct var_row *find_row(struct str name, bool fold)
{
	const struct var_row *any = NULL;

	if (!name.n || !text_exact(name))
		return NULL;
	for (size_t i = first_row(name); i < var_nrows &&
			compare_folded(name, var_text(var_rows[i].name)) == 0; i++) {
		if (str_is(name, var_text(var_rows[i].name)))
			return &var_rows[i];
		if (!any && (fold || (var_rows[i].bits & VAR_FOLD)))
			any = &var_rows[i];
	}
	for (size_t i = 0; !any && i < var_npatterns; i++) {
		const char *pattern = var_text(var_patterns[i].name);

		if (*pattern != '*' && ascii_to_upper(*pattern) != ascii_to_upper(name.p[0]))
			continue; /* the common case */
		if (matches_pattern(pattern, name, fold || (var_patterns[i].bits & VAR_FOLD)))
			return &var_patterns[i];
	}
	return any;
}

const struct var_row *var_find(struct str name) { return find_row(name, false); }
const struct var_row *var_find_folded(struct str name) { return find_row(name, true); }
const char *var_lang(const struct var_row *r) { return var_text(r->lang); }

bool var_set_in_box(size_t i, struct str *ret_name, struct str *ret_value, unsigned *ret_bits)
{
	const struct var_row *r = i < var_nsets ? &var_rows[var_sets[i]] : NULL;

	if (!r)
		return false;
	*ret_name = str_of(var_text(r->name));
	*ret_value = str_of(var_text(r->set));
	*ret_bits = r->bits & (VAR_OFFLINE | VAR_UNTRACED);
	return true;
}

/* ---- ordinary values ---- */

/*
 * True if the value matches one entry of a list. A trailing star matches anything; a leading ~ is the home
 * directory.
 */
static bool entry_is(struct str entry, struct str value, struct str home)
{
	bool start = entry.p[entry.n - 1] == '*';

	entry.n -= start;
	if (entry.n && entry.p[0] == '~' && home.n > 1 && value.n >= home.n &&
			!memcmp(value.p, home.p, home.n)) {
		if (path_climbs(value))
			return false;
		entry = str_from(entry, 1);
		value = str_from(value, home.n);
	}
	return value.n >= entry.n && (start || value.n == entry.n) &&
			(!entry.n || !memcmp(value.p, entry.p, entry.n));
}

static bool in_list(const char *list, struct str value, struct str home)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n && entry_is(str_n(list, n), value, home))
			return true;
		list += n + (list[n] == ' ');
	}
	return false;
}

bool var_idle(struct str value) { return !value.n || in_list(var_text(var_idle_list), value, STR("")); }

/* True for a program in the list, also with a version (gcc-12) or a target triple (TRIPLE-gcc). */
static bool known_tool(const char *list, struct str word)
{
	size_t n = word.n;

	if (in_list(list, word, STR("")))
		return true;
	while (n && (ascii_is_digit(word.p[n - 1]) || word.p[n - 1] == '.'))
		n--;
	if (n < word.n && n > 1 && word.p[n - 1] == '-')
		word.n = n - 1;
	for (size_t i = word.n; i-- > 1;)
		if (word.p[i] == '-' && in_list(list, str_first(word, i + 1), STR("")))
			return in_list(list, str_from(word, i + 1), STR(""));
	return in_list(list, word, STR(""));
}

static bool safe_word(const struct var_row *r, struct str word)
{
	for (size_t k = 0; k < word.n; k++)
		if (strchr("$`;|&<>()'\"\\\n", word.p[k]))
			return false; /* special syntax for the program that splits the value */
	if (!word.n || ((r->bits & VAR_OPERANDS) && word.p[0] != '-'))
		return true;
	return r->effect == VAR_COMMAND ? known_tool(var_text(r->safe), word) : in_list(var_text(r->safe),
			word, STR(""));
}

static bool safe_words(const struct var_row *r, struct str value)
{
	const char *between = var_text(r->between);

	for (size_t i = 0; i < value.n; i++) {
		size_t from = i;

		while (i < value.n && value.p[i] != ' ' && value.p[i] != '\t' && !strchr(between, value.p[i]))
			i++;
		if (!safe_word(r, str_sub(value, from, i)))
			return false;
	}
	return true;
}

/* True for an empty path, or one that only the administrator can write. */
static bool trusted_place(struct str path)
{
	static const char roots[][12] = {"/usr/", "/lib/", "/lib64/", "/etc/", "/nix/store/"};

	if (path.n == 0 || str_is(path, "/dev/null"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (str_starts(path, roots[i]))
			return !path_climbs(path);
	return false;
}

static bool trusted_places(struct str value)
{
	for (size_t from = 0; from <= value.n;) {
		size_t to = str_end(value, ':', from);

		if ((from == to && value.n) || !trusted_place(str_sub(value, from, to)))
			return false; /* an empty entry among others is the working directory */
		from = to + 1;
	}
	return true;
}

/* True if every value of the variable has the effect, even values that are ordinary for other rows. */
static bool always_acts(const struct var_row *r)
{
	return r->effect == VAR_PROMPT || r->effect == VAR_PATH || r->effect == VAR_SCRIPT ||
			(r->effect == VAR_UNFOLLOWED && !r->safe);
}

bool var_ordinary(const struct var_row *r, struct str value, struct str home)
{
	bool listed;

	if (r->effect == VAR_NONE || r->effect == VAR_CHANGES)
		return true;
	if (always_acts(r))
		return false;
	if (value.n == 0)
		return true;
	if (!text_exact(value))
		return false;
	listed = in_list(var_text(r->safe), value, home);
	switch (r->effect) {
	case VAR_OPTIONS: return safe_words(r, value);
	case VAR_COMMAND: return r->safe && safe_words(r, value);
	case VAR_LOAD: case VAR_STARTUP: return listed || trusted_places(value);
	case VAR_WRITE: return listed || str_is(value, "/dev/null");
	case VAR_HOST: return listed || str_starts(value, "unix:") || value.p[0] == '/';
	default: return listed;
	}
}

/* ---- secrets ---- */

static uint32_t letters_of(struct str s)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < s.n; i++)
		bits |= 1u << (s.p[i] & 31);
	return bits;
}

static bool secret_name(struct str name)
{
	struct str s = str_first(name, NAME_LOOK_MAX);
	uint32_t lacks = ~letters_of(s); /* the lower five bits of a letter do not depend on its case */

	for (size_t i = 0; i < var_nsecrets; i++)
		if (!(var_secrets[i].letters & lacks) &&
			matches_pattern(var_text(var_secrets[i].name), s, true))
			return true;
	return false;
}

/* True if the value matches. A question mark matches a capital letter or digit. */
static bool credential_is(const char *pattern, struct str value)
{
	size_t n, q;

	if (pattern[0] != '*' && pattern[0] != value.p[0])
		return false; /* the common case */
	n = strlen(pattern);
	q = strcspn(pattern, "?");
	if (q == n)
		return matches_pattern(pattern, value, false);
	if (value.n != n || memcmp(value.p, pattern, q) != 0)
		return false;
	for (; q < n; q++)
		if (!(ascii_is_upper(value.p[q]) || ascii_is_digit(value.p[q])))
			return false;
	return true;
}

/* scheme://user:password@host */
static bool url_with_password(struct str v)
{
	for (ptrdiff_t at = str_find(v, ':', 0); at >= 0 && (size_t)at + 3 < v.n;
			at = str_find(v, ':', (size_t)at + 1)) {
		bool colon = false;

		if (v.p[at + 1] != '/' || v.p[at + 2] != '/')
			continue;
		for (size_t k = (size_t)at + 3; k < v.n && v.p[k] != '/' && v.p[k] != ' '; k++) {
			colon |= v.p[k] == ':';
			if (v.p[k] == '@' && colon)
				return true;
		}
	}
	return false;
}

bool var_secret(struct str name, struct str value)
{
	struct str v = str_first(value, VALUE_LOOK_MAX);

	if (secret_name(name))
		return true;
	for (size_t i = 0; v.n >= CREDENTIAL_MIN && i < var_ncredentials; i++)
		if (credential_is(var_text(var_credentials[i]), v))
			return true;
	return url_with_password(v);
}

struct str var_usual(struct str name)
{
	const struct var_row *r = var_find(name);
	size_t suffix = name.n;

	if (r && r->usual)
		return str_of(var_text(r->usual));
	while (suffix > 0 && name.p[suffix - 1] != '_')
		suffix--;
	if (suffix > 1 && str_is_any(str_from(name, suffix), "FILE PATH CREDENTIALS") && var_place(name) &&
			(var_secret(str_first(name, suffix - 1), STR("")) || str_ends(name, "CREDENTIALS")))
		return STR("/run/secrets/x");
	return STR("");
}

bool var_place(struct str name)
{
	for (size_t i = 0; i < var_nplaces; i++)
		if (matches_pattern(var_text(var_places[i]), name, false))
			return true;
	return false;
}
