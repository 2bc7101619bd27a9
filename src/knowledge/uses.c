/*
 * Turns a word into one or more uses, by its kind. Some kinds parse the word: keyed values, hosts among
 * files, volumes of containers, files written beside the named one. An unknown part is reported as everything
 * it could be.
 */
#include "knowledge/apply.h"

#define ALIAS_WORDS_MAX 16

struct know_use *know_use_add(struct know_applying *ap, enum know_role role, unsigned flags, size_t from,
		size_t to, const struct word *value)
{
	struct know_use *u = arena_copy(ap->a, (struct know_use){.role = role, .flags = flags, .from = from,
			.to = to});
	if (value)
		u->value = *value;
	LIST_ADD(ap->end, u);
	return u;
}

struct word know_here(const struct know_applying *ap)
{
	return (struct word){.kind = WORD_EXACT, .text = STR("."), .at = ap->s->argv[0].at};
}

static void add_parents(struct know_applying *ap, enum know_role role, size_t from, size_t to, struct word w)
{
	if (w.kind != WORD_EXACT)
		return;
	for (size_t i = 1; i + 1 < w.text.n; i++)
		if (w.text.p[i] == '/' && w.text.p[i - 1] != '/') {
			struct word parent = w;
			parent.text = str_first(w.text, i);
			know_use_add(ap, role, 0, from, to, &parent);
		}
}

static struct word parent_of(struct word w)
{
	size_t i = w.text.n;
	while (i > 0 && w.text.p[i - 1] == '/')
		i--;
	while (i > 0 && w.text.p[i - 1] != '/')
		i--;
	while (i > 1 && w.text.p[i - 1] == '/')
		i--;
	w.text = i ? str_first(w.text, i) : STR(".");
	w.kind = text_exact(w.text) ? WORD_EXACT : WORD_UNKNOWN;
	return w;
}

static void add_suffixed(struct know_applying *ap, size_t from, size_t to, struct word w, struct str suffix)
{
	while (w.text.n > 1 && w.text.p[w.text.n - 1] == '/')
		w.text.n--; /* mv -bT a dir/ makes dir~ */
	w.text = str_cat(ap->a, w.text, suffix);
	know_use_add(ap, USE_WRITE, 0, from, to, &w);
}

static struct str last_part(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return str_base(path);
}

/* sed -i'.*.old' a/b makes a/.b.old. */
static void add_starred(struct know_applying *ap, size_t from, size_t to, struct word w, struct str suffix)
{
	struct str name = last_part(w.text);
	struct buf b;

	buf_init(&b, ap->a, 0);
	buf_str(&b, str_first(w.text, (size_t)(name.p - w.text.p)));
	for (size_t i = 0; i < suffix.n; i++)
		if (suffix.p[i] == '*')
			buf_str(&b, name);
		else
			buf_char(&b, suffix.p[i]);
	w.text = buf_view(&b);
	know_use_add(ap, USE_WRITE, 0, from, to, &w);
}

/* "a.gz" becomes "a": strips the suffix given by the option, else everything from the last dot. */
static void add_stripped(struct know_applying *ap, size_t from, size_t to, struct word w)
{
	struct str given = ap->suffix ? ap->suffix->value.text : STR("");
	size_t end = w.text.n, slash = 0;

	for (size_t i = 0; i < w.text.n; i++)
		slash = w.text.p[i] == '/' ? i + 1 : slash;
	while (end > slash && w.text.p[end - 1] != '.')
		end--;
	if (given.n && w.text.n > slash + given.n &&
		str_eq(str_from(w.text, w.text.n - given.n), given))
		end = w.text.n - given.n + 1;
	if (end < slash + 2)
		return; /* no suffix */
	w.text = str_first(w.text, end - 1);
	know_use_add(ap, USE_WRITE, 0, from, to, &w);
}

/* Adds other files that are written because of this one. */
static void add_company(struct know_applying *ap, struct know_spec spec, size_t from, size_t to,
		struct word w)
{
	bool beside = spec.mods & MOD_BESIDE;
	if (w.kind == WORD_REST || (w.kind == WORD_UNKNOWN && !w.text.n)) {
		if (spec.mods & (MOD_BESIDE | MOD_SUFFIX))
			know_use_add(ap, USE_WRITE, 0, from, to, &w);
		return;
	}
	struct str suffix = spec.lang ? str_of(know_string(ap->s->row, spec.lang)) : STR("");
	bool strips = str_is(suffix, "-");
	if ((spec.mods & MOD_SUFFIX) && strips)
		add_stripped(ap, from, to, w);
	else if ((spec.mods & MOD_SUFFIX) && suffix.n)
		add_suffixed(ap, from, to, w, suffix);
	if ((spec.mods & MOD_SUFFIX) && ap->suffix && !strips) {
		struct word v = ap->suffix->value;
		if (v.kind == WORD_EXACT && !str_has(v.text, '*') && !str_has(v.text, '/'))
			add_suffixed(ap, from, to, w, v.text);
		else if (v.kind == WORD_EXACT && !str_has(v.text, '/'))
			add_starred(ap, from, to, w, v.text);
		else
			/* -i'DIR/STAR': in another directory */
			know_use_add(ap, USE_WRITE, 0, from, to,
					&(struct word){.kind = WORD_UNKNOWN, .text = {"", 1}, .at = v.at});
	}
	if (beside) {
		w = parent_of(w);
		know_use_add(ap, USE_WRITE, USE_BELOW | USE_FILES, from, to, &w);
	}
}

/*
 * ln -b DIR/FILE creates the link FILE in the working directory and renames an existing FILE to FILE~. False
 * if the name is unknown.
 */
static bool add_here(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	struct word name = w;

	name.text = last_part(w.text);
	if (w.kind != WORD_EXACT || !name.text.n || str_is_any(name.text, ". .."))
		return false;
	add_company(ap, spec, from, to, name);
	know_use_add(ap, USE_READ, 0, from, to, &w);
	know_use_add(ap, USE_WRITE, 0, from, to, &name);
	return true;
}

/* cp -b -S .x FILE DIR renames an existing DIR/FILE to DIR/FILE.x. */
void know_backups(struct know_applying *ap)
{
	if (!ap->suffix || !(ap->ret->effects & (EFFECT_COPIES | EFFECT_LINKS)))
		return;
	for (const struct know_use *to = ap->ret->uses; to; to = to->next)
		for (const struct know_use *u = ap->ret->uses; u; u = u->next) {
			bool source = u->role == USE_READ || u->role == USE_DELETE;
			struct str name = last_part(u->value.text), dir = to->value.text;
			if (!source || to->role != USE_WRITE || !(to->flags & USE_BELOW) || !dir.n)
				continue;
			bool known = u->value.kind == WORD_EXACT && to->value.kind == WORD_EXACT && name.n;
			known &= ap->suffix->value.kind == WORD_EXACT && !str_is(name, ".") &&
					!str_ends(u->value.text, "/");
			struct word w = {.kind = WORD_UNKNOWN, .text = {"", 1}, .at = u->value.at};
			if (known) {
				w.kind = WORD_EXACT;
				w.text = str_fmt(ap->a, "%.*s/%.*s%.*s", STR_ARG(dir), STR_ARG(name),
					STR_ARG(ap->suffix->value.text));
			}
			know_use_add(ap, USE_WRITE, 0, u->from, u->to, &w);
		}
}

enum know_match { MATCH_NO, MATCH_YES, MATCH_MAYBE };

/*
 * Matches the text from offset i against the prefix. '*' in it (at most a few) matches anything except '='.
 * Sets *ret_end to the offset after the match.
 */
static enum know_match starts_with(struct str text, size_t i, const char *prefix, size_t *ret_end)
{
	for (; *prefix; prefix++, i++) {
		if (*prefix == '*') {
			for (size_t k = i; k <= text.n; k++) {
				enum know_match m = starts_with(text, k, prefix + 1, ret_end);
				if (m != MATCH_NO || k == text.n || text.p[k] == '=')
					return m;
			}
			return MATCH_NO;
		}
		if (i < text.n && text_hole(text.p[i]))
			return MATCH_MAYBE;
		if (i >= text.n || ascii_to_lower(text.p[i]) != ascii_to_lower(*prefix))
			return MATCH_NO;
	}
	*ret_end = i;
	return MATCH_YES;
}

#define CONTAINED_MAX 64

/*
 * "~x": emits the text after each x in the value, up to ';' or '}' (curl -F a=@FILE;type=b, -w
 * %output{FILE}).
 */
static void emit_contained(struct know_applying *ap, struct know_spec spec, size_t from, size_t to,
		struct word w, const char *needle)
{
	size_t n = strlen(needle), found = 0;
	for (size_t i = 0; n && i + n <= w.text.n; i++) {
		if (memcmp(w.text.p + i, needle, n) != 0)
			continue;
		size_t end = i + n;
		while (end < w.text.n && w.text.p[end] != ';' && w.text.p[end] != '}')
			end++;
		struct word part = {.kind = WORD_EXACT, .ambient = w.ambient,
				.text = str_sub(w.text, i + n, end), .at = w.at};
		if (!text_exact(part.text))
			part.kind = WORD_UNKNOWN;
		if (++found > CONTAINED_MAX)
			know_use_add(ap, USE_OPAQUE, 0, from, to, &w);
		if (found > CONTAINED_MAX)
			return;
		know_emit(ap, spec, from, to, part);
	}
	if (!found && !text_exact(w.text)) /* the unknown part may contain it */
		know_emit(ap, spec, from, to, (struct word){.kind = WORD_UNKNOWN, .text = STR(""),
				.at = w.at});
}

/* Returns the fixed prefix of a glob pattern: every match starts with it. */
static struct word pattern_start(struct know_applying *ap, struct word w)
{
	size_t n = 0;
	while (w.glob && n < w.text.n && !text_hole(w.text.p[n]) &&
		!strchr("*?[]\\(){}!+@^~#<|", w.text.p[n]))
		n++;
	if (!n)
		return w;
	return (struct word){.kind = WORD_UNKNOWN,
		.ambient = w.ambient,
		.text = str_cat(ap->a, str_first(w.text, n), str_n("\0", 1)),
		.at = w.at};
}

void know_emit_keyed(struct know_applying *ap, bool inside, size_t from, size_t to, struct word w)
{
	const struct know_row *r = ap->s->row;
	const struct know_value *v = know_values(r);
	if (w.kind == WORD_REST)
		w = pattern_start(ap, w);
	if (w.kind == WORD_REST) {
		know_use_add(ap, USE_OPAQUE, 0, from, to, &w);
		return;
	}
	for (size_t i = 0; i < r->nvalues; i++) {
		size_t end = 0;
		const char *prefix = know_string(r, v[i].prefix);
		if (prefix[0] == '~' && prefix[1] == '%' && !inside)
			continue; /* curl -w expands %output{FILE}, curl -H does not */
		if (prefix[0] == '~') {
			emit_contained(ap, v[i].spec, from, to, w, prefix + 1);
			continue; /* the value may match further keys */
		}
		enum know_match m = starts_with(w.text, 0, prefix, &end);
		if (m == MATCH_MAYBE) {
			bool runs = know_runs(v[i].spec.kind);
			struct word any = {.kind = WORD_UNKNOWN, .text = STR(""), .at = w.at};
			if (runs)
				know_use_add(ap, USE_OPAQUE, 0, from, to, &w);
			else
				know_emit(ap, v[i].spec, from, to, any);
		}
		if (m == MATCH_YES) {
			/* "Key = value" and "Key  value": a longer separator than in the row */
			bool blank = end && w.text.p[end - 1] == ' ' && end < w.text.n &&
					(ascii_is_blank(w.text.p[end]) ||
					w.text.p[end] == '=');
			if (blank && know_runs(v[i].spec.kind))
				know_use_add(ap, USE_OPAQUE, 0, from, to, &w);
			else if (v[i].spec.kind != KIND_KEYED)
				know_emit(ap, v[i].spec, from, to, know_part(w, end));
			return;
		}
	}
}

static const uint8_t role_of[KIND_COUNT] = {
	[KIND_READ] = USE_READ, [KIND_WRITE] = USE_WRITE, [KIND_DELETE] = USE_DELETE, [KIND_EXEC] = USE_EXEC,
	[KIND_DIR] = USE_DIR,
	[KIND_SCRIPT] = USE_SCRIPT, [KIND_SPLIT] = USE_SPLIT, [KIND_CODE] = USE_CODE, [KIND_HOST] = USE_HOST,
	[KIND_ASSIGN] = USE_ASSIGN,
	[KIND_OPAQUE] = USE_OPAQUE, [KIND_STDIN_SCRIPT] = USE_STDIN_SCRIPT,
	[KIND_STDIN_COMMAND] = USE_STDIN_COMMAND,
	[KIND_COMMAND] = USE_COMMAND, [KIND_FETCH] = USE_HOST, [KIND_OPTIONS] = USE_OPAQUE,
};

static void add_host(struct know_applying *ap, bool host, size_t from, size_t to, struct word w)
{
	if (!host)
		return; /* a container: neither a local file nor the network */
	know_use_add(ap, USE_HOST, 0, from, to, &w);
	ap->ret->effects |= EFFECT_NETWORK;
}

/*
 * Emits HOST:PATH or SCHEME://... as a host. True if the word is certainly not a local file. An unknown word
 * may be either.
 */
static bool emit_remote(struct know_applying *ap, bool host, size_t from, size_t to, struct word w)
{
	for (size_t i = 0; i < w.text.n && (w.kind != WORD_REST || w.glob); i++) {
		if (text_hole(w.text.p[i]) || (w.glob && strchr("*?[\\", w.text.p[i])))
			break;
		if (w.text.p[i] == '/')
			return false;
		if (w.text.p[i] == ':') {
			add_host(ap, host, from, to, w);
			return i > 0;
		}
	}
	if (w.kind == WORD_REST && w.glob && host) {
		know_use_add(ap, USE_HOST, USE_PATTERN, from, to, &w);
		ap->ret->effects |= EFFECT_PATTERN_HOST;
	} else if (w.kind != WORD_EXACT) {
		add_host(ap, host, from, to, w);
	}
	return false;
}

/* Returns the offset of the value of source= or src= in a --mount, or -1. */
static ptrdiff_t mount_source(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (i > 0 && s.p[i - 1] != ',')
			continue;
		struct str rest = str_from(s, i);
		if (str_starts(rest, "source="))
			return (ptrdiff_t)i + 7;
		if (str_starts(rest, "src="))
			return (ptrdiff_t)i + 4;
	}
	return -1;
}

/*
 * Emits the local directory that a container mounts. A name without a slash is a volume of the container
 * engine.
 */
static void emit_volume(struct know_applying *ap, size_t from, size_t to, struct word w)
{
	bool mount = str_starts(w.text, "type=") || mount_source(w.text) >= 0;
	ptrdiff_t at = mount ? mount_source(w.text) : 0;
	if (at < 0)
		return; /* a tmpfs, or an anonymous volume */
	size_t end = (size_t)at;
	while (end < w.text.n && w.text.p[end] != (mount ? ',' : ':'))
		end++;
	struct word path = w;
	if (w.kind != WORD_REST) {
		path.text = str_sub(w.text, (size_t)at, end);
		path.kind = text_exact(path.text) ? WORD_EXACT : WORD_UNKNOWN;
	}
	bool name = path.kind == WORD_EXACT && !str_has(path.text, '/') &&
			!str_starts(path.text, ".") && !str_starts(path.text, "~");
	struct str options = str_from(w.text, end);
	bool ro = str_ends(options, ":ro") || str_contains(options, STR(",readonly")) ||
			str_contains(options, STR(",ro"));
	if (!name && path.text.n + (path.kind != WORD_EXACT))
		know_use_add(ap, ro && text_exact(options) ? USE_READ : USE_WRITE, USE_TREE, from, to, &path);
}

/* A file:// URL names a local file. */
static void emit_file_url(struct know_applying *ap, size_t from, size_t to, struct word w)
{
	struct word path = know_part(w, str_starts(w.text, "file://localhost/") ? 16 : 7);
	if (str_starts(w.text, "file://") && path.text.n)
		know_use_add(ap, USE_READ, 0, from, to, &path);
}

/* Emits writes whose names come from data: below a directory, or listed in a file or on standard input. */
static void emit_names(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	unsigned flags = spec.mods & MOD_USE_FLAGS;

	if (spec.kind == KIND_NAMES) {
		w = to > from ? w : know_here(ap);
		know_use_add(ap, USE_WRITE, flags | USE_BELOW | USE_NAMES, from, to, &w);
		return;
	}
	if (w.kind == WORD_EXACT && str_is(w.text, "-"))
		from = to = 0;
	if (to > from && !(flags & USE_INSIDE))
		know_use_add(ap, USE_READ, 0, from, to, &w);
	know_use_add(ap, USE_DATA, flags, from, to, &w)->lang = know_string(ap->s->row, spec.lang);
}

/* Emits writes by git: to its work tree, repositories, git directories. */
static void emit_git(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	static const unsigned flags[KIND_COUNT] = {[KIND_WORK_TREE] = USE_WORK_TREE | USE_BELOW,
		[KIND_REPOSITORY] = USE_REPOSITORY, [KIND_GIT_DIR] = USE_GIT_DIR};

	if (from == to || spec.kind == KIND_WORK_TREE)
		w = know_here(ap);
	know_use_add(ap, USE_WRITE, flags[spec.kind] | (spec.mods & USE_TREE), from, to, &w);
	if (spec.kind == KIND_REPOSITORY && (spec.mods & USE_TREE))
		know_use_add(ap, USE_WRITE, USE_WORK_TREE | USE_BELOW, from, to, &w);
}

/*
 * Emits the file that a URL is saved to: its last component. Any name, if the program may decode or expand
 * that component.
 */
static void emit_fetched(struct know_applying *ap, size_t from, size_t to, struct word w)
{
	size_t end = 0, start = 0;
	struct word name = w;

	while (end < w.text.n && !strchr("?#", w.text.p[end]))
		end++;
	for (size_t i = 0; i < end; i++)
		start = w.text.p[i] == '/' ? i + 1 : start;
	name.text = str_sub(w.text, start, end);
	if (w.kind != WORD_EXACT || !name.text.n || start < 2 || w.text.p[start - 2] == '/' ||
			strpbrk(str_c(ap->a, name.text), "%[{*~"))
		emit_names(ap, (struct know_spec){.kind = KIND_NAMES}, 0, 0, w);
	else
		know_use_add(ap, USE_WRITE, 0, from, to, &name);
}

static void emit_destination(struct know_applying *ap, struct know_spec spec, size_t from, size_t to,
		struct word w)
{
	unsigned flags = spec.mods & MOD_USE_FLAGS & ~(unsigned)(spec.mods & MOD_REMOTE ? USE_ELSEWHERE : 0);

	if (spec.kind == KIND_MIRROR)
		know_use_add(ap, USE_DELETE, flags | USE_TREE, from, to, &w);
	if (spec.mods & MOD_PARENTS)
		add_parents(ap, USE_WRITE, from, to, w);
	know_use_add(ap, USE_WRITE, flags, from, to, &w);
	know_use_add(ap, USE_WRITE, flags | USE_BELOW, from, to, &w);
}

/* True if the alias consists of plain words and `git WORDS` only reads: status, log --oneline. */
static bool alias_reads(struct know_applying *ap, struct word value)
{
	static const char more[] = "-=.%:/_,";
	struct word argv[ALIAS_WORDS_MAX + 1] = {{.kind = WORD_EXACT, .text = STR("git"), .at = value.at}};
	struct str rest = value.text, word;
	struct know_result r = {0};
	size_t n = 1;

	if (value.kind != WORD_EXACT)
		return false;
	for (size_t i = 0; i < rest.n; i++) {
		char c = ascii_to_lower(rest.p[i]);

		if (!(ascii_is_lower(c) || ascii_is_digit(c) || c == ' ' || strchr(more, c)))
			return false;
	}
	while ((word = str_word(&rest)).n) {
		if (n > ALIAS_WORDS_MAX)
			return false;
		argv[n++] = (struct word){.kind = WORD_EXACT, .text = word, .at = value.at};
	}
	know_apply(ap->a, know_find(STR("git"), NULL, 0), argv, n, &r);
	return n > 1 && r.readonly && !r.effects;
}

static void emit_alias(struct know_applying *ap, size_t from, size_t to, struct word w)
{
	const struct know_scan *s = ap->s;

	ap->changes = true;
	if (to + 1 == s->argc && alias_reads(ap, s->argv[to]))
		return;
	if (s->argv[from].kind != WORD_REST) /* a pattern cannot expand to this */
		ap->ret->effects |= EFFECT_PERSISTENCE;
	know_use_add(ap, USE_OPAQUE, 0, from, to, &w);
}

/* The program writes files of its own choice to the working directory, or to /tmp. */
static void emit_here(struct know_applying *ap, struct know_spec spec, unsigned flags, size_t from, size_t to,
		struct word w)
{
	if ((spec.mods & MOD_SUFFIX) && add_here(ap, spec, from, to, w))
		return;
	w = know_here(ap);
	if (spec.kind == KIND_WRITE_TMP)
		w.text = STR("/tmp");
	flags |= spec.mods & MOD_BESIDE ? USE_BELOW | USE_FILES : USE_BELOW;
	know_use_add(ap, USE_WRITE, flags, from, to, &w);
}

static void emit_inner_command(struct know_applying *ap, struct know_spec spec, unsigned flags, size_t from,
		size_t to)
{
	if (to == from)
		return;
	know_use_add(ap, USE_COMMAND, flags, from, to, NULL);
	if (spec.mods & MOD_JOINED)
		know_use_add(ap, USE_SCRIPT, flags, from, to, &ap->s->argv[from]);
}

void know_emit(struct know_applying *ap, struct know_spec spec, size_t from, size_t to, struct word w)
{
	unsigned flags = spec.mods & MOD_USE_FLAGS;
	if (w.kind == WORD_EXACT && str_is(w.text, "-") && spec.kind == KIND_EXEC && ap->ops.empty.kind) {
		spec = ap->ops.empty; /* python3 - reads the program from standard input */
		from = to = 0;
		w = (struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = w.at};
	}
	if ((spec.mods & MOD_REMOTE) && emit_remote(ap, !(flags & USE_ELSEWHERE), from, to, w))
		return;
	if (spec.mods & MOD_REMOTE)
		flags &= ~(unsigned)USE_ELSEWHERE;
	if (spec.mods & (MOD_SUFFIX | MOD_BESIDE) && spec.kind != KIND_WORD && spec.kind != KIND_WRITE_CWD)
		add_company(ap, spec, from, to, w);
	switch (spec.kind) {
	case KIND_NONE: case KIND_WORD: return;
	case KIND_KEYED:
		know_emit_keyed(ap, spec.mods & USE_INSIDE, from, to, w);
		return;
	case KIND_VOLUME: emit_volume(ap, from, to, w); return;
	case KIND_SYSTEM:
		ap->ret->effects |= EFFECT_SYSTEM;
		ap->changes = true;
		return;
	case KIND_CHANGE: ap->changes = true; return;
	case KIND_ALIAS: emit_alias(ap, from, to, w); return;
	case KIND_DEST: case KIND_MIRROR:
		emit_destination(ap, spec, from, to, w);
		return;
	case KIND_WRITE_CWD: case KIND_WRITE_TMP:
		emit_here(ap, spec, flags, from, to, w);
		return;
	case KIND_NAMES:
	case KIND_DATA:
		emit_names(ap, spec, from, to, w);
		return;
	case KIND_WORK_TREE: case KIND_REPOSITORY: case KIND_GIT_DIR:
		emit_git(ap, spec, from, to, w);
		return;
	case KIND_COMMAND: emit_inner_command(ap, spec, flags, from, to); return;
	case KIND_SPLIT:
		from = to, to = ap->s->argc;
		break;
	case KIND_OPTIONS:
		know_use_add(ap, USE_READ, USE_INSIDE, from, to, &w);
		break;
	case KIND_FETCH:
		emit_fetched(ap, from, to, w);
		/* FALLTHROUGH */
	case KIND_HOST:
		emit_file_url(ap, from, to, w);
		ap->ret->effects |= EFFECT_NETWORK;
		break;
	}
	if (spec.mods & MOD_PARENTS)
		add_parents(ap, role_of[spec.kind], from, to, w);
	struct know_use *u = know_use_add(ap, role_of[spec.kind], flags, from, to, &w);
	if (spec.kind == KIND_CODE)
		u->lang = know_string(ap->s->row, spec.lang);
}
