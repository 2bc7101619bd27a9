/* Redirections: files that are read and written, and the new standard input and output. */
#include "shell/marks.h"

/* True if the last component of the path is a number: perhaps a port. */
static bool ends_in_number(struct str path)
{
	struct str base = str_base(path);
	return base.n < path.n && str_is_digits(base);
}

/*
 * bash itself opens a connection for /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT. With a hole in the path, the
 * text before the first hole decides. It must be the beginning of one of these roots: at least /dev/, or less
 * if the path ends in a number like a port.
 */
static bool opens_network(struct str path, struct str *ret_host)
{
	static const char roots[][12] = {"/dev/tcp/", "/dev/udp/"};
	size_t known = 0;
	while (known < path.n && !text_hole(path.p[known]))
		known++;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		size_t n = strlen(roots[i]);
		if (str_starts(path, roots[i])) {
			size_t slash = str_end(path, '/', n);
			*ret_host = str_sub(path, n, slash);
			return true;
		}
		bool open = known < path.n && path.p[known] != HOLE_NUM && known < n &&
				memcmp(path.p, roots[i], known) == 0;
		if (open && (known >= strlen("/dev/") || ends_in_number(path))) {
			*ret_host = HOLE;
			return true;
		}
	}
	return false;
}

static void emit_network(struct eval *e, struct word path)
{
	struct str host;
	if (opens_network(path.text, &host))
		emit_touch(e, word_of(host, path.at), path.at);
}

static bool is_device(struct str path)
{
	return (str_starts(path, "/dev") || str_starts(path, "/proc")) && !str_is(path, "/dev/null");
}

bool may_be_device(const struct eval *e, struct word path)
{
	if (path.kind != WORD_EXACT || path_climbs(path.text))
		return true;
	if (path.text.n && path.text.p[0] == '/')
		return is_device(path_normal(e->a, STR(""), path.text));
	for (size_t i = 0; i < e->s.dirs.n; i++)
		if (is_device(path_normal(e->a, e->s.dirs.at[i], path.text)))
			return true;
	return e->s.dirs.n == 0;
}

/* Sends standard output to this file. */
static void out_to_file(struct eval *e, struct word path)
{
	/* /dev/stdout, /dev/fd/1, /proc/self/fd/1 etc. may be the captured output */
	if (may_be_device(e, path) && !str_is(path.text, "/dev/stderr"))
		out_spoil(e);
	e->out = NULL;
}

static void here_document(struct eval *e, const struct syn_redir *r)
{
	struct str body = r->here_source;
	if (!r->here_quoted && (str_has(body, '$') || str_has(body, '`') ||
			str_has(body, '\\'))) {
		uint32_t text = emit_text(e, body, TEXT_FROM(HERE_DOCUMENT), r->at);
		struct parser p;
		struct syn_part *parts = NULL;
		parser_for(e, &p, body, text);
		enum parse_result res = parse_text(&p, IN_HERE, &parts);
		parsed_aliases(e, &p);
		if (res != PARSE_LINE || p.unsure)
			emit_trouble(e, TROUBLE_CONSTRUCT, "a here-document that cannot be read", r->at);
		marks_parts(e, text, parts);
		body = res == PARSE_LINE ? expand_text(e, parts) : HOLE;
	}
	if (r->fd <= 0 && !r->var.n)
		e->s.in = (struct input){.known = true, .rest = body};
}

/*
 * >&3: the descriptor may come from a redirection that opened a file for reading. A program that opens
 * /dev/stdout may write to that file, so each such file is listed as open on descriptor 1.
 */
static void output_from(struct eval *e, struct str source, struct span at)
{
	if (str_like_any(source, "1 2 -"))
		return;
	size_t n = 0;
	for (const struct access *x = e->f->accesses; x; x = x->next)
		n++;
	eval_burn(e, n / 16 + 1);
	/* without those that this loop adds */
	for (const struct access *x = e->f->accesses; n--; x = x->next)
		if (x->kind == ACCESS_READ && x->cause == CAUSE_REDIRECT && x->redirect == REDIR_READ)
			emit_redirect_access(e, ACCESS_READ, x->path, x->below, REDIR_READ, 1, at);
}

static void duplicate_descriptor(struct eval *e, const struct syn_redir *r)
{
	struct word w = expand_target(e, r->target);
	bool out = r->op == REDIR_DUP_OUT;
	int fd = r->fd >= 0 ? r->fd : out ? 1 : 0;
	struct str t = w.text;
	e->fds_closed |= !text_exact(t) || str_ends(t, "-");
	bool number = w.kind == WORD_EXACT &&
			(str_is(t, "-") || str_is_digits(t) ||
			(t.n > 1 && t.p[t.n - 1] == '-' && str_is_digits(str_first(t, t.n - 1))));
	bool numeric_hole = t.n == 1 && t.p[0] == HOLE_NUM;
	if (out && !number && !numeric_hole && e->dialect != DIALECT_SH) { /* >&file is >file 2>&1 */
		emit_network(e, w);
		emit_redirect_access(e, ACCESS_WRITE, w, false, REDIR_DUP_OUT, 0, r->at);
		out_to_file(e, w);
		return;
	}
	if (fd == 0) {
		e->s.in = (struct input){.script = e->script_input};
		e->shared_input = true;
	}
	if (fd == 1 || fd == 2)
		output_from(e, t, r->at);
	if (fd == 1) {
		if (!(number && str_is_any(t, "2 - 1")))
			out_spoil(e);
		if (!(number && str_is(t, "1")))
			e->out = NULL;
	} else if (out && !(number && str_is_any(t, "2 -"))) {
		out_spoil(e); /* other output may now go there */
	}
}

/* Returns the regular file that is read, or empty: python3 < a.py runs it as python3 a.py does. */
static struct str input_file(struct eval *e, struct word path)
{
	if (may_be_device(e, path) || !path.text.n || str_is(path.text, "/dev/null") ||
			(path.text.p[0] != '/' && (e->s.dirs.n != 1 || !text_exact(e->s.dirs.at[0]))))
		return (struct str){"", 0};
	return path_normal(e->a, path.text.p[0] == '/' ? STR("") : e->s.dirs.at[0], path.text);
}

static void redirect_one(struct eval *e, const struct syn_redir *r, struct io *io)
{
	if (r->var.n)
		var_assign_reference(e, r->var, HOLE_NUMBER, false);
	bool fd_in = r->fd <= 0 && !r->var.n, fd_out = (r->fd < 0 || r->fd == 1) && !r->var.n;
	switch (r->op) {
	case REDIR_HERE:
		here_document(e, r);
		return;
	case REDIR_HERE_STRING: {
		struct str text = expand_single(e, r->target);
		if (fd_in)
			e->s.in = (struct input){.known = true, .rest = str_cat(e->a, text, STR("\n"))};
		return;
	}
	case REDIR_DUP_IN: case REDIR_DUP_OUT:
		duplicate_descriptor(e, r);
		return;
	default: break;
	}
	struct word path = expand_target(e, r->target);
	emit_network(e, path);
	if (r->op == REDIR_READ || r->op == REDIR_READ_WRITE) {
		emit_redirect_access(e, ACCESS_READ, path, false, r->op, r->fd > 0 ? r->fd : 0, r->at);
		/* /dev/stdin, /dev/fd/0 etc. are the earlier standard input */
		if (may_be_device(e, path))
			e->shared_input = true;
		struct str printed;
		bool piped = pipe_text(e, &path, &printed); /* < <(echo x) */
		if (fd_in && piped)
			e->s.in = (struct input){.known = true, .rest = printed};
		else if (fd_in)
			e->s.in = (struct input){.script = e->s.in.script && may_be_device(e, path),
					.file = input_file(e, path)};
	}
	if (r->op != REDIR_READ && may_be_device(e, path) && !str_is(path.text, "/dev/stderr"))
		out_spoil(e); /* on any descriptor: error messages and traces would go there, too */
	bool plain = fd_out && (r->op == REDIR_WRITE || r->op == REDIR_CLOBBER || r->op == REDIR_APPEND);
	if (plain)
		content_open(e, path, r->op == REDIR_APPEND, io);
	if (r->op != REDIR_READ) {
		emit_redirect_access(e, ACCESS_WRITE, path, false, r->op, 0, r->at);
		if (r->op == REDIR_READ_WRITE ? r->fd == 1 : fd_out || r->op == REDIR_BOTH ||
				r->op == REDIR_BOTH_APPEND)
			out_to_file(e, path);
		if (plain && io->nfiles)
			e->out = &io->sink;
	}
}

/* True if opening may fail. Opening /dev/null, a here-document or a copy of fd 0, 1 or 2 does not fail. */
static bool may_fail(const struct eval *e, const struct syn_redir *r)
{
	if (r->op == REDIR_HERE || r->op == REDIR_HERE_STRING)
		return false;
	if (!r->target->plain || !r->target->parts)
		return true;
	struct str t = r->target->parts->text;
	if (r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT)
		return e->fds_closed || !str_is_any(t, "0 1 2 -");
	return !str_is(t, "/dev/null");
}

/* True if it replaces the command's standard input. */
static bool replaces_input(const struct syn_redir *r)
{
	if (r->var.n || r->fd > 0)
		return false;
	return r->fd == 0 || r->op == REDIR_READ || r->op == REDIR_READ_WRITE || r->op == REDIR_DUP_IN ||
			r->op == REDIR_HERE || r->op == REDIR_HERE_STRING;
}

bool eval_redirect(struct eval *e, const struct syn_redir *r, struct io *keep)
{
	bool fails = false, outer = e->shared_input;
	unsigned reads = e->reads;
	e->shared_input = false;
	keep->out = e->out;
	keep->in = e->s.in;
	keep->nfiles = 0;
	for (; r; r = r->next) {
		redirect_one(e, r, keep);
		fails |= may_fail(e, r);
		keep->replaced |= replaces_input(r);
	}
	/* a substitution in a target reads the old input */
	keep->reopened = e->shared_input || e->reads != reads;
	e->shared_input = outer;
	if (e->out != &keep->sink)
		keep->nfiles = 0;
	return fails;
}

void redirect_unread(struct eval *e, struct io *keep)
{
	if (e->out == &keep->sink)
		e->out = NULL;
	keep->nfiles = 0;
}

void redirect_undo(struct eval *e, struct io *keep)
{
	e->out = keep->out;
	if (!e->exec_redirects)
		content_close(e, keep);
	if (keep->replaced) {
		keep->in.known &= !keep->reopened;
		e->s.in = keep->in;
	}
}
