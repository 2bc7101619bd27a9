/*
 * Expands file name patterns. Reads each directory completely before it opens the next. Matching backtracks
 * to the last star only.
 */
#define _GNU_SOURCE
#include "sys/glob_expand.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/file.h"

#define DENTS_STEP ((size_t)32 << 10)

/* ---- one component ---- */

static const struct {
	char name[8], members[12];  /* ranges as pairs of bytes */
} classes[] = {
	{"alpha", "azAZ"}, {"digit", "09"}, {"alnum", "azAZ09"}, {"upper", "AZ"}, {"lower", "az"},
	{"space", "\t\r  "}, {"blank", "\t\t  "},
	{"punct", "!/:@[`{~"}, {"xdigit", "09afAF"}, {"print", " ~"}, {"graph", "!~"},
	{"cntrl", "\001\037\177\177"}, {"word", "azAZ09__"},
};

/* Matches "[:name:]" at p[*i]: 1 or 0, and *i moves behind it; -1 for an unknown class. */
static int in_class(struct str p, size_t *i, unsigned char c)
{
	size_t end = *i + 2;
	while (end + 1 < p.n && !(p.p[end] == ':' && p.p[end + 1] == ']'))
		end++;
	if (end + 1 >= p.n)
		return -1;
	struct str name = str_sub(p, *i + 2, end);
	*i = end + 2;
	for (size_t k = 0; k < ARRAY_SIZE(classes); k++) {
		if (!str_is(name, classes[k].name))
			continue;
		for (const char *r = classes[k].members; *r; r += 2)
			if (c >= (unsigned char)r[0] && c <= (unsigned char)r[1])
				return 1;
		return 0;
	}
	return -1;
}

/*
 * Returns the index behind the bracket expression that starts at `from`. 0 if its ']' is missing, which makes
 * '[' an ordinary byte.
 */
static size_t bracket_end(struct str p, size_t from)
{
	size_t i = from + 1;
	if (i < p.n && (p.p[i] == '!' || p.p[i] == '^'))
		i++;
	for (size_t first = i; i < p.n; i++) {
		if (p.p[i] == ']' && i > first)
			return i + 1;
		if (p.p[i] == '\\')
			i++;
		else if (p.p[i] == '[' && i + 1 < p.n &&
				(p.p[i + 1] == ':' || p.p[i + 1] == '.' || p.p[i + 1] == '=')) {
			for (size_t k = i + 2; k + 1 < p.n; k++)
				if (p.p[k] == p.p[i + 1] && p.p[k + 1] == ']') {
					i = k + 1;
					break;
				}
		}
	}
	return 0;
}

/* True if [...] in p[from, to) contains the byte: 1, 0, or -1 if that depends on the locale. */
static int match_bracket(struct str p, size_t from, size_t to, unsigned char c)
{
	size_t i = from + 1, end = to - 1;
	bool negated = p.p[i] == '!' || p.p[i] == '^', hit = false;
	i += negated;
	while (i < end) {
		if (p.p[i] == '[' && i + 1 < end && (p.p[i + 1] == '.' || p.p[i + 1] == '='))
			return -1;
		if (p.p[i] == '[' && i + 1 < end && p.p[i + 1] == ':') {
			int in = in_class(p, &i, c);
			if (in < 0)
				return -1;
			hit |= in;
			continue;
		}
		i += p.p[i] == '\\' && i + 1 < end;
		unsigned char low = (unsigned char)p.p[i++], high = low;
		if (i + 1 < end && p.p[i] == '-') {
			i++;
			i += p.p[i] == '\\' && i + 1 < end;
			high = (unsigned char)p.p[i++];
		}
		if (low >= 0x80 || high >= 0x80)
			return -1;
		hit |= c >= low && c <= high;
	}
	return hit != negated;
}

/*
 * Matches one element of the pattern against one byte: 1, 0 or -1. *ret_next is the index behind the element.
 */
static int match_element(struct str p, size_t i, unsigned char c, size_t *ret_next)
{
	size_t end;
	*ret_next = i + 1;
	if (p.p[i] == '?')
		return 1;
	if (p.p[i] == '[' && (end = bracket_end(p, i)) > 0) {
		*ret_next = end;
		return match_bracket(p, i, end, c);
	}
	if (p.p[i] == '\\' && i + 1 < p.n)
		*ret_next = ++i + 1;
	return (unsigned char)p.p[i] == c;
}

static bool one_character(struct str p)
{
	for (size_t i = 0; i < p.n; i++) {
		if (p.p[i] == '\\')
			i++;
		else if (p.p[i] == '?' || p.p[i] == '[')
			return true;
	}
	return false;
}

int glob_match(struct str p, struct str s)
{
	size_t i = 0, k = 0, star = SIZE_MAX, star_k = 0, next;
	/* the shell's locale decides how many bytes ? and [..] match in a non-ASCII name */
	if (!str_is_ascii(s) && one_character(p))
		return -1;
	while (k < s.n) {
		if (i < p.n && p.p[i] == '*') {
			star = ++i;
			star_k = k;
			continue;
		}
		int hit = i < p.n ? match_element(p, i, (unsigned char)s.p[k], &next) : 0;
		if (hit < 0)
			return -1;
		if (hit) {
			i = next;
			k++;
		} else if (star != SIZE_MAX) {
			i = star;
			k = ++star_k;
		} else {
			return 0;
		}
	}
	while (i < p.n && p.p[i] == '*')
		i++;
	return i == p.n;
}

/* True if p has an active character. Otherwise *ret_text is the text without its backslashes. */
static bool has_active(struct arena *a, struct str p, struct str *ret_text)
{
	char *text = arena_alloc(a, p.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < p.n; i++) {
		if (p.p[i] == '*' || p.p[i] == '?' || (p.p[i] == '[' && bracket_end(p, i)))
			return true;
		if (p.p[i] == '\\' && i + 1 < p.n)
			i++;
		text[n++] = p.p[i];
	}
	*ret_text = str_n(text, n);
	return false;
}

/* True for ?( *( +( @( !( which have another meaning with extglob. */
static bool is_extended(struct str p)
{
	for (size_t i = 0; i + 1 < p.n; i++) {
		if (p.p[i] == '\\')
			i++;
		else if (p.p[i + 1] == '(' && strchr("?*+@!", p.p[i]))
			return true;
	}
	return false;
}

/* ---- directories ---- */

struct expansion {
	struct arena *a;
	struct path_memo *m;
	struct str *found;
	size_t nfound, cap;
	size_t scanned;
	bool more;
};

struct component_reading {
	struct expansion *x;
	int fd;
	struct str part;   /* one component of the pattern */
	struct str *names;
	size_t n, cap;
};

static void add_name(struct arena *a, struct str **list, size_t *n, size_t *cap, struct str name)
{
	*list = arena_room(a, *list, *n, cap, sizeof(**list));
	(*list)[(*n)++] = name;
}

/* Charges one entry to both budgets; false if one is exhausted. */
static bool count_entry(struct expansion *x)
{
	return ++x->scanned <= GLOB_ENTRIES_MAX && ++x->m->entries <= PATH_ENTRIES_MAX;
}

static void try_name(struct component_reading *r, struct str name)
{
	struct str dot = r->part;
	if (dot.n > 1 && dot.p[0] == '\\')
		dot = str_from(dot, 1);
	if (name.p[0] == '.' && dot.p[0] != '.')
		return;
	int hit = glob_match(r->part, name);
	if (hit < 0)
		r->x->more = true;
	if (hit != 0)
		add_name(r->x->a, &r->names, &r->n, &r->cap, str_dup(r->x->a, name));
}

static void read_names(struct component_reading *r)
{
	_Alignas(struct dirent64) char bytes[DENTS_STEP];
	for (;;) {
		ssize_t got = syscall(SYS_getdents64, r->fd, bytes, sizeof bytes);
		if (got < 0)
			r->x->more = true;
		if (got <= 0)
			return;
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *d = (const struct dirent64 *)(bytes + at);
			at += d->d_reclen;
			if (!count_entry(r->x)) {
				r->x->more = true;
				return;
			}
			try_name(r, str_of(d->d_name));
		}
	}
}

/* True if this error makes the directory look empty to a shell, too. */
static bool same_for_the_shell(int why)
{
	return why == ENOENT || why == ENOTDIR || why == EACCES || why == ELOOP || why == ENAMETOOLONG;
}

static void read_dir(struct expansion *x, const char *path, struct component_reading *r)
{
	struct statfs fs;
	FD_SCOPE f = {0};

	fd_scope(&f, x->a, open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (f.fd < 0) {
		x->more |= !same_for_the_shell(errno);
		return;
	}
	if (fstatfs(f.fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC) {
		x->more = true;
		return;
	}
	r->fd = f.fd;
	read_names(r);
}

/*
 * Lists the names in `dir` that match one component. Opens the directory by its resolved path, so that
 * /proc/self has the meaning defined in path.h.
 */
static void list_directory(struct expansion *x, struct str dir, struct str part,
	struct component_reading *ret)
{
	struct path_answer where;
	*ret = (struct component_reading){.x = x, .fd = -1, .part = part};
	path_look(x->m, dir, &where);
	if (!count_entry(x) || !where.real.n || where.target == PATH_OTHER ||
		where.target == PATH_UNREADABLE) {
		x->more = true;
		return;
	}
	if (where.target == PATH_DIR)
		read_dir(x, str_c(x->a, where.real), ret);
}

static void expand_rest(struct expansion *x, struct str done, struct str rest, unsigned depth);

/* `done` is the path found so far; `rest` is empty or starts with a slash. */
static void add_found(struct expansion *x, struct str done, struct str rest, unsigned depth)
{
	struct path_answer where;
	if (x->nfound >= GLOB_MATCHES_MAX) {
		x->more = true;
		return;
	}
	if (!rest.n) {
		add_name(x->a, &x->found, &x->nfound, &x->cap, done);
		return;
	}
	path_look(x->m, done, &where);
	/* path_look() resolves "file/.." as text, the kernel does not */
	if (where.target != PATH_FILE && where.target != PATH_ABSENT)
		expand_rest(x, done, rest, depth + 1);
}

static void expand_rest(struct expansion *x, struct str done, struct str rest, unsigned depth)
{
	size_t slashes = 0, end;
	struct path_answer where;
	while (slashes < rest.n && rest.p[slashes] == '/')
		slashes++;
	for (end = slashes; end < rest.n && rest.p[end] != '/';)
		end++;
	struct str part = str_sub(rest, slashes, end), after = str_from(rest, end), text;
	done = str_cat(x->a, done, str_first(rest, slashes));
	if (depth > GLOB_DEPTH_MAX || done.n + part.n >= PATH_MAX) {
		x->more = true;
		return;
	}
	if (!part.n) { /* trailing slash: directories only */
		path_look(x->m, done, &where);
		x->more |= !where.real.n;
		if (where.target == PATH_DIR)
			add_found(x, done, after, depth);
		return;
	}
	if (!has_active(x->a, part, &text)) {
		done = str_cat(x->a, done, text);
		/* bash checks that the last component exists (a dangling link counts), but no earlier one */
		if (!after.n) {
			path_look(x->m, done, &where);
			x->more |= !where.place.n;
		}
		if (after.n || (where.kind != PATH_ABSENT && where.kind != PATH_UNREADABLE))
			add_found(x, done, after, depth);
		return;
	}
	struct component_reading r;
	list_directory(x, done, part, &r);
	for (size_t i = 0; i < r.n; i++)
		add_found(x, str_cat(x->a, done, r.names[i]), after, depth);
}

void glob_expand(struct path_memo *m, struct str pattern, struct glob_answer *ret)
{
	struct expansion x = {.a = m->a, .m = m};
	bool sane = pattern.n && pattern.p[0] == '/' && pattern.n < PATH_MAX &&
			!str_has(pattern, '\0');
	*ret = (struct glob_answer){.pattern = pattern};
	if (!sane || is_extended(pattern)) {
		ret->more = true;
		return;
	}
	expand_rest(&x, STR(""), pattern, 0);
	if (x.nfound)
		qsort(x.found, x.nfound, sizeof *x.found, str_order);
	ret->matches = x.found;
	ret->nmatches = x.nfound;
	ret->more = x.more;
}
