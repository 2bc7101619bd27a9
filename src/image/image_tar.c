/* See image_tar.h. */
#include "image/image_tar.h"

#include <unistd.h>

#include "base/num.h"
#include "sys/file.h"

#define BLOCK 512
#define TRAILER_MAX ((uint64_t)64 << 20) /* zero bytes after the end: tar fills up a record */

struct tar_header { /* a block of the archive */
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, target[100], magic[8];
	char user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct tar_header) == BLOCK, "a header is a block");

struct tar_reader *tar_reader_new(struct arena *a, int fd)
{
	struct tar_reader *r = arena_new(a, struct tar_reader);

	r->fd = fd;
	return r;
}

/* ---- bytes ---- */

/* Fills the empty buffer. 1, 0 at EOF, -1 and *e. */
static int fill(struct tar_reader *r, struct err *e)
{
	ssize_t n = fd_read(r->fd, r->buffer, sizeof(r->buffer));

	if (n < 0)
		return err_system(e, "cannot read the archive");
	r->at = 0;
	r->n = (size_t)n;
	return n > 0;
}

/* Takes at most `max` bytes that are there, at least one. */
static int take_some(struct tar_reader *r, uint64_t max, struct str *ret, struct err *e)
{
	int rc = r->at < r->n ? 1 : fill(r, e);

	if (rc <= 0)
		return rc < 0 ? -1 : err_input(e, "the archive is incomplete");
	*ret = str_n(r->buffer + r->at, max < r->n - r->at ? (size_t)max : r->n - r->at);
	r->at += ret->n;
	return 0;
}

static int take(struct tar_reader *r, char *to, size_t n, struct err *e)
{
	struct str part;

	for (size_t at = 0; at < n; at += part.n) {
		if (take_some(r, n - at, &part, e) != 0)
			return -1;
		memcpy(to + at, part.p, part.n);
	}
	return 0;
}

static int skip(struct tar_reader *r, uint64_t n, struct err *e)
{
	struct str part;

	for (; n; n -= part.n)
		if (take_some(r, n, &part, e) != 0)
			return -1;
	return 0;
}

int tar_content(struct tar_reader *r, struct str *ret, struct err *e)
{
	*ret = STR("");
	if (!r->left)
		return 0;
	if (take_some(r, r->left, ret, e) != 0)
		return -1;
	r->left -= ret->n;
	return 0;
}

/* ---- headers ---- */

/* Text of a field, which ends at a NUL or with the field. */
static struct str field_text(const char *field, size_t n) { return str_until(str_n(field, n), 0); }
#define FIELD(h, name) field_text((h)->name, sizeof((h)->name))

static int bad_number(struct err *e)
{
	return err_input(e, "the archive has a header with an invalid number");
}

/* Octal digits with blanks around them, or (GNU) a big-endian number after a byte 0x80. */
static int parse_octal(const char *field, size_t n, uint64_t *ret, struct err *e)
{
	struct str s = str_trim(field_text(field, n), " ");
	uint64_t value = 0;

	if ((unsigned char)field[0] == 0x80) {
		for (size_t i = 1; i < n; i++) {
			if (value >> 55)
				return bad_number(e);
			value = value << 8 | (unsigned char)field[i];
		}
		*ret = value;
		return 0;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '7' || value >> 60)
			return bad_number(e);
		value = value << 3 | (uint64_t)(s.p[i] - '0');
	}
	*ret = value;
	return 0;
}
#define OCTAL(h, name, ret, e) parse_octal((h)->name, sizeof((h)->name), ret, e)

static bool is_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* The sum of all bytes, with blanks in place of the sum itself. */
static int check_sum(const struct tar_header *h, struct err *e)
{
	const unsigned char *p = (const unsigned char *)h;
	uint64_t want, sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += p[i];
	for (size_t i = 0; i < sizeof(h->sum); i++)
		sum += ' ' - (uint64_t)(unsigned char)h->sum[i];
	if (OCTAL(h, sum, &want, NULL) != 0 || sum != want)
		return err_input(e, "the archive is damaged, or not a tar archive");
	return 0;
}

static int keep_path(struct str s, char *to, size_t *n, bool *has, struct err *e)
{
	if (!s.n || s.n >= TAR_PATH_MAX || str_has(s, 0))
		return err_input(e, "the archive has a name that is empty, too long, or contains NUL");
	memcpy(to, s.p, s.n);
	*n = s.n;
	*has = true;
	return 0;
}

/* ---- extended headers ---- */

static int take_pax(struct tar_reader *r, struct str key, struct str value, bool global, struct err *e)
{
	int64_t size;

	if (str_starts(key, "GNU.sparse."))
		return err_input(e, "the archive has a sparse file; make it again without --sparse");
	if (!str_is_any(key, "path linkpath size"))
		return 0;
	if (global)
		return err_input(e, "the archive has a global header for one name");
	if (str_is(key, "path"))
		return keep_path(value, r->name, &r->nname, &r->has_name, e);
	if (str_is(key, "linkpath"))
		return keep_path(value, r->target, &r->ntarget, &r->has_target, e);
	if (num_parse(value, 0, INT64_MAX, &size) != 0)
		return bad_number(e);
	r->size = (uint64_t)size;
	r->has_size = true;
	return 0;
}

/* Records "LENGTH KEY=VALUE\n", in which the length counts the whole record. */
static int parse_pax(struct tar_reader *r, struct str text, bool global, struct err *e)
{
	while (text.n) {
		size_t blank = str_end(text, ' ', 0), equals = str_end(text, '=', 0);
		int64_t n;

		if (num_parse(str_first(text, blank), 5, (int64_t)text.n, &n) != 0 || equals < blank ||
				equals + 2 > (size_t)n || text.p[n - 1] != '\n')
			return err_input(e, "the archive has an invalid extended header");
		if (take_pax(r, str_sub(text, blank + 1, equals), str_sub(text, equals + 1, (size_t)n - 1),
				global, e) != 0)
			return -1;
		text = str_from(text, (size_t)n);
	}
	return 0;
}

/* An entry that describes the next one. */
static int take_extended(struct tar_reader *r, char type, uint64_t size, struct err *e)
{
	struct str text;

	if (size > sizeof(r->header))
		return err_limit(e, "the archive has an extended header of more than %zu bytes",
				sizeof(r->header));
	if (take(r, r->header, (size_t)size, e) != 0 || skip(r, (BLOCK - size % BLOCK) % BLOCK, e) != 0)
		return -1;
	text = str_n(r->header, (size_t)size);
	if (type == 'x' || type == 'g')
		return parse_pax(r, text, type == 'g', e);
	text = str_until(text, 0);
	return type == 'L' ? keep_path(text, r->name, &r->nname, &r->has_name, e)
			   : keep_path(text, r->target, &r->ntarget, &r->has_target, e);
}

/* ---- entries ---- */

static int entry_kind(char type, struct str name, enum tar_kind *ret, struct err *e)
{
	static const struct {
		char type;
		enum tar_kind kind;
	} kinds[] = {{'0', TAR_FILE}, {0, TAR_FILE}, {'7', TAR_FILE}, {'1', TAR_HARD_LINK}, {'2', TAR_LINK},
			{'3', TAR_SPECIAL}, {'4', TAR_SPECIAL}, {'5', TAR_DIR}, {'6', TAR_SPECIAL}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type) {
			*ret = kinds[i].kind == TAR_FILE && str_ends(name, "/") ? TAR_DIR : kinds[i].kind;
			return 0;
		}
	return err_input(e, "'%.*s' in the archive is of the unknown type '%c'", STR_ARG(name),
			type > ' ' && type < 127 ? type : '?');
}

static int header_names(struct tar_reader *r, const struct tar_header *h, struct err *e)
{
	struct str name = FIELD(h, name), prefix = FIELD(h, prefix), target = FIELD(h, target);
	char whole[sizeof(h->prefix) + sizeof(h->name) + 2];

	if (!r->has_name) {
		bool split = !memcmp(h->magic, "ustar\0", 6) && prefix.n;

		str_put(whole, sizeof(whole), "%.*s%s%.*s", split ? (int)prefix.n : 0, prefix.p,
				split ? "/" : "", STR_ARG(name));
		if (keep_path(str_of(whole), r->name, &r->nname, &r->has_name, e) != 0)
			return -1;
	}
	if (!r->has_target && target.n)
		return keep_path(target, r->target, &r->ntarget, &r->has_target, e);
	return 0;
}

static int take_entry(struct tar_reader *r, const struct tar_header *h, uint64_t size, struct tar_entry *ret,
		struct err *e)
{
	struct tar_entry t = {0};
	uint64_t mode;

	if (header_names(r, h, e) != 0 || OCTAL(h, mode, &mode, e) != 0)
		return -1;
	t.name = str_n(r->name, r->nname);
	t.target = str_n(r->target, r->has_target ? r->ntarget : 0);
	t.executable = mode & 0111;
	if (entry_kind(h->type, t.name, &t.kind, e) != 0)
		return -1;
	/* Links may have the size of their target, without its content. */
	t.size = t.kind == TAR_FILE ? (r->has_size ? r->size : size) : 0;
	if (t.size > INT64_MAX - BLOCK)
		return bad_number(e);
	r->left = t.size;
	r->padding = (BLOCK - t.size % BLOCK) % BLOCK;
	r->has_name = r->has_target = r->has_size = false;
	*ret = t;
	return 1;
}

/* Whoever reads only the first of two archives in a row has half of an image. */
static int take_trailer(struct tar_reader *r, struct err *e)
{
	uint64_t n = 0;
	int rc = 1;

	for (; rc > 0; rc = fill(r, e)) {
		n += r->n - r->at;
		if (n > TRAILER_MAX || !is_zero(r->buffer + r->at, r->n - r->at))
			return err_input(e, "the archive goes on after its end");
	}
	return rc;
}

int tar_next(struct tar_reader *r, struct tar_entry *ret, struct err *e)
{
	struct tar_header h;
	uint64_t size;

	if (skip(r, r->left + r->padding, e) != 0)
		return -1;
	r->left = r->padding = 0;
	for (;;) {
		if (take(r, (char *)&h, sizeof(h), e) != 0)
			return -1;
		if (is_zero((const char *)&h, sizeof(h)))
			return r->has_name || r->has_target || r->has_size
					? err_input(e, "the archive is incomplete")
					: take_trailer(r, e);
		if (check_sum(&h, e) != 0 || OCTAL(&h, size, &size, e) != 0)
			return -1;
		if (!h.type || !strchr("xgLK", h.type))
			return take_entry(r, &h, size, ret, e);
		if (take_extended(r, h.type, size, e) != 0)
			return -1;
	}
}
