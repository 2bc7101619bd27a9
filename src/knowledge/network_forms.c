/* See network_forms.h. */
#include "knowledge/network_forms.h"

#include "base/glob.h"

static struct str text_at(uint32_t at) { return str_of(net_texts + at); }

/*
 * `<low>`: small letters, digits. `<id>`: also dashes. `<name>`: also capitals, dots, underscores. No dash in
 * front.
 */
static bool part_is(struct str pattern, struct str part)
{
	bool low = str_is(pattern, "<low>"), id = str_is(pattern, "<id>");

	if (!low && !id && !str_is(pattern, "<name>"))
		return str_eq(pattern, part);
	for (size_t i = 0; i < part.n; i++) {
		char c = part.p[i];

		if (!ascii_is_lower(c) && !ascii_is_digit(c) && (low || c != '-') &&
			(low || id || (!ascii_is_alnum(c) && c != '.' && c != '_')))
			return false;
	}
	return part.n && part.p[0] != '-';
}

/* Takes the text up to the next slash. */
static struct str next_part(struct str *rest, bool *ret_more)
{
	ptrdiff_t slash = str_find(*rest, '/', 0);
	struct str part = slash < 0 ? *rest : str_first(*rest, (size_t)slash);

	*ret_more = slash >= 0;
	*rest = slash < 0 ? STR("") : str_from(*rest, (size_t)slash + 1);
	return part;
}

/* A pattern with `<id>` or `<name>` is compared part by part; `**` as its last part stands for any rest. */
static bool parts_match(struct str pattern, struct str text)
{
	for (bool more = true, text_more; more;) {
		struct str want = next_part(&pattern, &more);

		if (!more && str_is(want, "**"))
			return true;
		if (!part_is(want, next_part(&text, &text_more)) || more != text_more)
			return false;
	}
	return true;
}

/* `*` matches no slash, `**` does. */
static bool matches(struct str pattern, struct str text)
{
	if (str_has(pattern, '<'))
		return parts_match(pattern, text);
	return glob_may(pattern, text, GLOB_PATH) == GLOB_YES;
}

static bool in_list(struct str list, struct str text)
{
	struct str one;

	while ((one = str_word(&list)).n)
		if (matches(one, text))
			return true;
	return false;
}

/* One match of a command with a form. */
struct net_match {
	const struct net_form *form;
	const struct word *argv;
	size_t argc, at;
	struct str command; /* words of the form's name that are still missing */
	struct str options;
	size_t operands;    /* read after the name */
	bool open;          /* options that are not listed belong to the form, too */
	bool vague;         /* the next operand may be the argument of such an option */
};

/* ---- options ---- */

struct net_option {
	bool found, takes, attached; /* an argument follows; only after '=' */
	struct str values;           /* patterns separated by '|'; empty: any value */
};

/* Entries of the list: "-A", "-n:", "-o:json|yaml" (takes an argument), "--color=" (only attached). */
static struct net_option option_find(const struct net_match *m, struct str name)
{
	struct str list = m->options, one;

	while ((one = str_word(&list)).n) {
		ptrdiff_t colon = str_find(one, ':', 0);
		bool attached = str_ends(one, "=");
		struct str bare = str_first(one, colon > 0 ? (size_t)colon : one.n - attached);

		if (str_eq(bare, name))
			return (struct net_option){.found = true,
				.takes = colon > 0,
				.attached = attached,
				.values = colon > 0 ? str_from(one, (size_t)colon + 1) : STR("")};
	}
	return (struct net_option){0};
}

/* Entries that start with a dash are about options, all others about operands and values. */
static bool refused(const struct net_match *m, struct str text, bool option)
{
	struct str list = text_at(m->form->refused), one;

	while ((one = str_word(&list)).n)
		if ((one.p[0] == '-') == option && matches(one, text))
			return true;
	return false;
}

static bool may_be_unknown(const struct net_match *m, struct str what)
{
	struct str list = text_at(m->form->unknown), one;

	while ((one = str_word(&list)).n)
		if (str_eq(one, what))
			return true;
	return false;
}

static bool value_fits(const struct net_match *m, const struct net_option *o, struct str value)
{
	size_t at = 0;

	if (!m->open && refused(m, value, false))
		return false;
	while (at < o->values.n) {
		size_t end = str_end(o->values, '|', at);

		if (matches(str_sub(o->values, at, end), value))
			return true;
		at = end + 1;
	}
	return !o->values.n;
}

/*
 * True if the value of this option may be unknown: it only names a directory or a file here, or it comes from
 * the environment and goes to the person's own service.
 */
static bool value_may_be_unknown(const struct net_match *m, const struct word *w, struct str option)
{
	return w->kind == WORD_UNKNOWN && (m->open || w->ambient) && may_be_unknown(m, option);
}

/* A line break in a header or an address starts another line of the request, or another request. */
static bool breaks_line(const struct net_match *m, struct str word)
{
	bool request = m->form->use == NET_USE_GET || m->form->use == NET_USE_FOLLOW;

	for (size_t i = 0; request && i < word.n; i++)
		if ((unsigned char)word.p[i] < ' ')
			return true;
	return false;
}

/* The argument is the next word. */
static bool take_next(struct net_match *m, const struct net_option *o, struct str name)
{
	if (m->at + 1 >= m->argc)
		return false;
	m->at++;
	if (m->argv[m->at].kind != WORD_EXACT)
		return value_may_be_unknown(m, &m->argv[m->at], name);
	if (breaks_line(m, m->argv[m->at].text))
		return false;
	/* The tool may take a word with a dash for an option of its own. */
	return !str_starts(m->argv[m->at].text, "-") && value_fits(m, o, m->argv[m->at].text);
}

/*
 * -nNAME. A form of several commands may give an argument to a letter that is a flag in one of them. Then the
 * rest is more options: without listed values it has no byte of a host or a path.
 */
static bool attached_fits(const struct net_match *m, const struct net_option *o, struct str value)
{
	if (str_starts(value, "="))
		value = str_from(value, 1);
	for (size_t i = 0; i < value.n && !m->open && !o->values.n; i++)
		if (!ascii_is_alnum(value.p[i]) && value.p[i] != '-' && value.p[i] != '_')
			return false;
	return value_fits(m, o, value);
}

static bool take_long(struct net_match *m, struct str word)
{
	ptrdiff_t eq = str_find(word, '=', 0);
	struct str value = eq > 0 ? str_from(word, (size_t)eq + 1) : STR("");
	struct net_option o = option_find(m, eq > 0 ? str_first(word, (size_t)eq) : word);

	if (!o.found) {
		m->vague |= eq < 0 && !m->operands;
		return m->open && (eq < 0 || !refused(m, value, false));
	}
	if (o.takes)
		return eq > 0 ? value_fits(m, &o, value) : take_next(m, &o, word);
	return eq < 0 || o.attached || m->open || str_is_any(value, "true false");
}

/* -A, -nNAME, -n NAME, -sSfLo FILE; in an open form also -Dskip. */
static bool take_short(struct net_match *m, struct str word)
{
	char name[3] = "-";

	for (size_t i = 1; i < word.n; i++) {
		struct net_option o;
		struct str value = str_from(word, i + 1);

		name[1] = word.p[i];
		o = option_find(m, str_n(name, 2));
		if (!o.found) {
			m->vague |= !m->operands;
			return m->open && !refused(m, value, false);
		}
		if (!o.takes)
			continue;
		if (!value.n)
			return take_next(m, &o, str_n(name, 2));
		return attached_fits(m, &o, value);
	}
	return true;
}

static bool take_option(struct net_match *m, struct str word)
{
	struct net_option whole;

	if (refused(m, word, true))
		return false;
	if (str_starts(word, "--"))
		return take_long(m, word);
	whole = option_find(m, word); /* -nv, -ws */
	return whole.found ? !whole.takes || take_next(m, &whole, word) : take_short(m, word);
}

/* ---- operands ---- */

/* "pods,svc" and "pod/name": every kind must be listed. */
static bool kinds_listed(struct str list, struct str word)
{
	for (size_t at = 0, end; at <= word.n; at = end + 1) {
		end = str_end(word, ',', at);
		struct str kind = str_until(str_sub(word, at, end), '/');

		if (!kind.n || !in_list(list, kind))
			return false;
	}
	return true;
}

static bool take_operand(struct net_match *m, struct str word)
{
	struct str want = str_word(&m->command), first = text_at(m->form->first);

	/* First the name: most forms end there, and looking for refused words takes long. */
	if (want.n && !matches(want, word))
		return false;
	if (refused(m, word, false))
		return false;
	if (want.n)
		return true;
	if (m->operands++ == 0 && first.n)
		return kinds_listed(first, word);
	return (m->open && !m->form->words) || in_list(text_at(m->form->words), word);
}

/*
 * httpx[http2] names itself, or a file that differs in a byte. Another pattern names files of a known
 * directory if the form says so. A star also stands for unknown text.
 */
static bool glob_fits(const struct net_match *m, struct str glob)
{
	struct str list = text_at(m->form->unknown), one;
	size_t sets = 0, wild = 0;

	for (size_t i = 0; i < glob.n; i++) {
		if (glob.p[i] == '/' && sets + wild)
			return false;
		sets += glob.p[i] == '[';
		wild += strchr("*?()|<>^#~", glob.p[i]) != NULL;
	}
	if (sets == 1 && !wild)
		return true;
	while ((one = str_word(&list)).n)
		if (one.n > 1 && one.p[0] != '-' && matches(one, glob))
			return true;
	return false;
}

/* "deployment/$NAME" from the environment: no option, no address, and of a kind that the form lists. */
static bool names_listed_kind(struct net_match *m, const struct word *w)
{
	struct str list = text_at(m->form->words), one;

	if (m->open || m->command.n || m->form->first || w->kind != WORD_UNKNOWN || !w->ambient)
		return false;
	while ((one = str_word(&list)).n) {
		struct str kind = str_first(one, one.n - 1); /* "deployment/" */

		if (str_ends(one, "/*") && kind.n > 1 && !str_has(kind, '*') &&
			str_eq(str_first(w->text, kind.n), kind)) {
			m->operands++;
			return true;
		}
	}
	return false;
}

/*
 * The registry would see a name made of unknown text. Words after the name of a runner's package only reach
 * that package.
 */
static bool take_unknown(struct net_match *m, const struct word *w)
{
	ptrdiff_t eq = str_find(w->text, '=', 0);

	if (eq > 0 && str_starts(w->text, "--") && text_exact(str_first(w->text, (size_t)eq)))
		return value_may_be_unknown(m, w, str_first(w->text, (size_t)eq));
	if (names_listed_kind(m, w))
		return true;
	if (m->command.n || !m->open)
		return false;
	if (m->operands && !m->vague && may_be_unknown(m, STR("*")))
		return true;
	return w->glob && glob_fits(m, w->text) && take_operand(m, w->text);
}

static bool take_word(struct net_match *m)
{
	const struct word *w = &m->argv[m->at];

	if (w->kind != WORD_EXACT)
		return take_unknown(m, w);
	if (breaks_line(m, w->text))
		return false;
	if (str_is(w->text, "--"))
		return m->open;
	return w->text.n > 1 && w->text.p[0] == '-' ? take_option(m, w->text) : take_operand(m, w->text);
}

static bool fits(const struct net_form *f, struct str name, const struct word *argv, size_t argc)
{
	struct net_match m = {.form = f,
		.argv = argv,
		.argc = argc,
		.command = text_at(f->command),
		.options = text_at(f->options)};

	if (!str_eq(str_word(&m.command), name))
		return false;
	m.open = f->use == NET_USE_REGISTRY;
	for (m.at = 1; m.at < argc; m.at++)
		if (!take_word(&m))
			return false;
	return !str_word(&m.command).n;
}

/* The forms are sorted by command, so those of a program stand together. *ret_end is one after the last. */
static size_t forms_of(struct str name, size_t *ret_end)
{
	size_t from = 0, end = net_nforms;

	while (from < end) {
		size_t middle = from + (end - from) / 2;

		if (strncmp(net_texts + net_forms[middle].command, name.p, name.n) < 0)
			from = middle + 1;
		else
			end = middle;
	}
	while (end < net_nforms && !strncmp(net_texts + net_forms[end].command, name.p, name.n))
		end++;
	*ret_end = end;
	return from;
}

const struct net_form *net_form_find(struct str name, const struct word *argv, size_t argc)
{
	size_t end = 0;

	for (size_t i = name.n ? forms_of(name, &end) : 0; i < end; i++)
		if (fits(&net_forms[i], name, argv, argc))
			return &net_forms[i];
	return NULL;
}

const char *net_form_tool(const struct net_form *f) { return net_texts + f->tool; }

bool net_variable_harmless(struct str name, struct str value)
{
	struct str list = text_at(net_variables), one;

	while ((one = str_word(&list)).n) {
		ptrdiff_t colon = str_find(one, ':', 0);

		if (one.p[0] == '!' && matches(str_from(one, 1), name))
			return false;
		if (matches(colon > 0 ? str_first(one, (size_t)colon) : one, name))
			return colon < 0 || matches(str_from(one, (size_t)colon + 1), value);
	}
	return false;
}

bool net_host_is_forge(struct str host) { return str_is_any(host, net_texts + net_forges); }

bool net_branch_is_common(struct str name) { return str_is_any(name, net_texts + net_branches); }

struct str net_source_hosts(struct str source)
{
	struct str list = text_at(net_sources), one;

	while ((one = str_word(&list)).n) {
		ptrdiff_t eq = str_find(one, '=', 0);

		if (eq > 0 && str_eq(str_first(one, (size_t)eq), source))
			return str_from(one, (size_t)eq + 1);
	}
	return STR("");
}

struct str net_program_tool(struct str name)
{
	size_t end = 0;

	for (size_t i = name.n ? forms_of(name, &end) : 0; i < end; i++) {
		struct str command = text_at(net_forms[i].command);

		if (net_forms[i].use == NET_USE_REGISTRY && str_eq(str_word(&command), name))
			return text_at(net_forms[i].tool);
	}
	return STR("");
}
