/*
 * Turns findings in PowerShell into facts: paths and drives, hosts, code. Also decodes -EncodedCommand. See
 * powershell.h.
 */
#include "code/powershell.h"

#include "knowledge/variables.h"

#define ENCODED_MAX ((size_t)256 << 10)

/* ---- findings ---- */

/* Sets the span of findings. Clamps it: the scanner may be one byte past the end of a truncated text. */
void ps_at_span(struct ps *p, size_t from, size_t to)
{
	size_t end = to < p->w->src.n ? to : p->w->src.n;

	p->w->here = (struct span){p->w->text, (uint32_t)(from < end ? from : end), (uint32_t)end};
}

void ps_mark(struct ps *p, enum marker id)
{
	bool complete = p->w->code->complete;

	if (p->mute)
		return;
	code_marker_add(p->w, id, (TSNode){0});
	p->w->code->complete = complete && id <= MARKER_LAST_CATEGORY;
}

/*
 * Records a variable. Windows ignores the case of names, so a name without a row is recorded in upper case.
 */
void ps_setting(struct ps *p, struct str name, struct str value)
{
	char *upper;

	if (p->mute)
		return;
	if (!text_exact(name) || !name.n) {
		ps_mark(p, MARKER_ENVIRONMENT);
		return;
	}
	upper = str_c(p->a, name);
	for (size_t i = 0; i < name.n; i++)
		upper[i] = ascii_to_upper(upper[i]);
	code_setting(p->w, var_find(name) ? name : str_n(upper, name.n), value, (TSNode){0});
}

void ps_touch(struct ps *p, const struct ps_val *v)
{
	struct str url = ps_text(p, v), host = url;
	ptrdiff_t at = str_find(url, ':', 0);

	if (p->mute)
		return;
	if (v->kind == PS_LIST) {
		for (size_t i = 0; i < v->nitems; i++)
			ps_touch(p, &v->items[i]);
		return;
	}
	if (at > 0 && (size_t)at + 2 < url.n && url.p[at + 1] == '/' && url.p[at + 2] == '/')
		host = str_from(url, (size_t)at + 3);
	for (size_t i = 0; i < host.n; i++)
		if (host.p[i] == '/' || host.p[i] == '?') {
			host.n = i;
			break;
		}
	code_touch(p->w, host.n ? host : CODE_HOLE, (TSNode){0});
}

void ps_code(struct ps *p, const struct ps_val *v)
{
	struct str text = ps_text(p, v);

	if (p->mute)
		return;
	if (v->kind == PS_FETCHED)
		ps_mark(p, MARKER_DOWNLOAD_EXECUTE);
	else if (v->kind == PS_DECODED)
		ps_mark(p, MARKER_ENCODED_EXECUTE);
	else if ((v->kind == PS_TEXT || v->kind == PS_LIST) && text_exact(text))
		code_snippet(p->w, LANG_POWERSHELL, text, (TSNode){0});
	else
		ps_mark(p, MARKER_EVAL);
}

/* True if the path is on a drive outside the file system; its effects are recorded here. */
static bool other_drive(struct ps *p, enum access_kind kind, struct str path)
{
	ptrdiff_t colon = str_find(path, ':', 0);
	struct str drive = colon > 0 ? str_first(path, (size_t)colon) : STR("");
	bool change = kind == ACCESS_WRITE || kind == ACCESS_DELETE;

	if (str_contains(path, STR("::")) && !str_is_like(drive, "Registry")) { /* PROVIDER::PATH */
		if (change || kind == ACCESS_EXEC)
			ps_mark(p, MARKER_DRIVE);
		return true;
	}
	if (drive.n < 2 || str_has(drive, '/'))
		return false;
	if (str_like_any(drive, "HKLM HKCU HKCR HKU Registry Microsoft.PowerShell.Core\\Registry")) {
		static const char runs[][24] = {"/run", "winlogon", "/services", "image file execution",
				"policies", "startup", "/shell/", "appinit"};
		struct str low = str_lower(p->a, path);

		for (size_t i = 0; change && i < ARRAY_SIZE(runs); i++)
			if (str_contains(low, str_of(runs[i]))) {
				ps_mark(p, MARKER_PERSISTENCE);
				return true;
			}
		if (change)
			ps_mark(p, MARKER_SYSTEM_CHANGE);
	} else if (str_is_like(drive, "Env")) {
		if (change)
			ps_setting(p, str_from(path, (size_t)colon + 1 + (path.p[colon + 1] == '/')),
					CODE_HOLE);
	} else if (change || kind == ACCESS_EXEC) {
		ps_mark(p, MARKER_DRIVE);
	}
	return true;
}

static bool is_wild(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '*' || s.p[i] == '?' || s.p[i] == '[')
			return true;
	return false;
}

struct str ps_path(struct ps *p, struct str text)
{
	char *c = str_c(p->a, text);
	struct str path = str_n(c, text.n), home = p->w->v->home;

	for (size_t i = 0; i < path.n; i++)
		if (c[i] == '\\')
			c[i] = '/';
	if (path.n && c[0] == '~' && (path.n == 1 || c[1] == '/') && home.n)
		return str_cat(p->a, home, str_from(path, 1));
	if (path.n > 1 && c[1] == ':' && ((c[0] | 32) >= 'a' && (c[0] | 32) <= 'z'))
		return str_cat(p->a, STR("/"), path); /* C:/x lies outside all directories known here */
	return path;
}

void ps_access(struct ps *p, enum access_kind kind, const struct ps_val *v, bool below, bool literal,
		const char *op)
{
	struct str path;

	if (p->mute || v->kind == PS_NULL)
		return;
	if (v->kind == PS_LIST) {
		for (size_t i = 0; i < v->nitems; i++)
			ps_access(p, kind, &v->items[i], below, literal, op);
		return;
	}
	path = v->kind == PS_FILES ? v->text : ps_text(p, v);
	if (path.n && text_hole(path.p[0])) {
		code_access(p->w, kind, CODE_HOLE, below, op, (TSNode){0});
		return;
	}
	if (str_starts(path, "\\\\.\\"))
		ps_mark(p, MARKER_DESTRUCTION);
	else if (str_starts(path, "\\\\") && path.n > 2 && ps_name_char(path.p[2])) { /* \\machine\share */
		ps_mark(p, MARKER_NETWORK);
		code_touch(p->w, CODE_HOLE, (TSNode){0});
	}
	path = ps_path(p, path);
	if (other_drive(p, kind, path))
		return;
	if (str_is_like(path, "nul"))
		return;
	code_access(p->w, kind, path, below || (v->kind == PS_FILES && v->below), op, (TSNode){0});
	if ((literal && v->kind != PS_FILES) || !is_wild(path) || !text_exact(path))
		return;
	/* expand wildcards in the access just added */
	for (struct access *x = p->w->f->accesses; x; x = x->next)
		if (!x->next && x->path.kind == WORD_EXACT) {
			x->path.kind = WORD_REST;
			x->path.glob = true;
		}
}

/* ---- -EncodedCommand: base64 of UTF-16, little-endian ---- */

static int sextet_value(char c)
{
	if (ascii_is_upper(c))
		return c - 'A';
	if (ascii_is_lower(c))
		return c - 'a' + 26;
	if (ascii_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode_base64(struct code_walk *w, struct str s, struct str *ret)
{
	struct buf bytes, out;
	uint32_t acc = 0;
	unsigned bits = 0;

	buf_init(&bytes, w->a, ENCODED_MAX);
	buf_init(&out, w->a, 2 * ENCODED_MAX);
	for (size_t i = 0; i < s.n; i++) {
		int v = sextet_value(s.p[i]);

		if (s.p[i] == '=' || s.p[i] == '\n' || s.p[i] == '\r' || ascii_is_blank(s.p[i]))
			continue;
		if (v < 0)
			return false;
		acc = (acc << 6 | (uint32_t)v) & 0xFFFFFF;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			buf_char(&bytes, (char)(acc >> bits & 0xFF));
		}
	}
	if (bytes.n % 2 || !bytes.n)
		return false;
	for (size_t i = 0; i < bytes.n; i += 2) {
		unsigned c = (unsigned char)bytes.p[i] | (unsigned)(unsigned char)bytes.p[i + 1] << 8;

		/* PowerShell may read other characters as quotes or dashes: do not decode them */
		if (c >= 0x80)
			return false;
		buf_char(&out, (char)c);
	}
	*ret = buf_view(&out);
	return true;
}

void powershell_encoded_walk(struct code_walk *w, TSNode root)
{
	struct str text;

	(void)root;
	w->here = (struct span){w->text, 0, (uint32_t)w->src.n};
	if (w->src.n < ENCODED_MAX && decode_base64(w, w->src, &text))
		code_snippet(w, LANG_POWERSHELL, text, (TSNode){0});
	else
		code_marker_add(w, MARKER_ENCODED, (TSNode){0});
}
