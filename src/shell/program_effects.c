/*
 * Programs. A row of knowledge finds files, hosts and code in the words of a command; they are listed.
 * Commands inside the command (sudo, env -S, xargs, parallel, find -exec) are evaluated.
 */
#include <strings.h>

#include "shell/eval.h"
#include "shell/known_output.h"

/*
 * Makes the variables in a program's environment unknown. Their values are not needed; their assignments are
 * listed.
 */
static void forget_exports(struct eval *e)
{
	unsigned forgot = e->forgot;
	if (e->s.vars)
		state_forget_vars(e);
	e->forgot = forgot; /* the shell itself keeps its variables */
}

/* Wrappers that add no output to the inner command's and, without options, do not fail before it. */
static bool is_transparent(const char *name, const struct word *argv, size_t argc)
{
	if (argc < 2 || argv[1].kind != WORD_EXACT || str_starts(argv[1].text, "-"))
		return false;
	if (str_is_any(str_of(name), "env nice busybox toybox"))
			return true;
	return false;
}

static struct via via_program(struct eval *e, const char *name)
{
	if (strcmp(name, "xargs") == 0)
		return (struct via){.kind = VIA_XARGS};
	if (strcmp(name, "find") == 0)
		return (struct via){.kind = VIA_FIND};
	return (struct via){.kind = VIA_WRAPPER, .name = str_c(e->a, str_of(name))};
}

/*
 * Returns the string that xargs or parallel may replace in the words of the inner command, if word i is an
 * option that sets it: -I, -i, --replace, clustered or not. Else empty.
 */
static struct str replacement_mark(const struct word *argv, size_t from, size_t i)
{
	struct str s = argv[i].text;
	ptrdiff_t at = str_starts(s, "--") ? -1 : str_find(s, 'I', 1);
	if (str_starts(s, "--"))
		return str_has(s, '=') ? str_from(s, (size_t)str_find(s, '=', 0) + 1) :
				(struct str){"", 0};
	if (at < 0)
		at = str_find(s, 'i', 1);
	if (!str_starts(s, "-") || at < 0)
		return (struct str){"", 0};
	if ((size_t)at + 1 < s.n)
		return str_from(s, (size_t)at + 1);
	return s.p[at] == 'I' && i + 1 < from ? argv[i + 1].text : (struct str){"", 0};
}

/* Puts a hole in place of the replaced string, and of {...} where that has a meaning (`braces`). */
static struct word fill_placeholder(struct eval *e, struct word w, struct str with, bool braces)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < w.text.n; i++) {
		ptrdiff_t close = braces && w.text.p[i] == '{' ? str_find(w.text, '}', i) : -1;
		bool hole = with.n && i + with.n <= w.text.n && memcmp(w.text.p + i, with.p, with.n) == 0;
		buf_char(&b, hole || close >= 0 ? HOLE_ANY : w.text.p[i]);
		if (hole)
			i += with.n - 1;
		else if (close >= 0)
			i = (size_t)close;
	}
	return w.kind == WORD_REST ? w : word_of(buf_view(&b), w.at);
}

/*
 * The paths that find puts in place of {}: those below its start directories, one pattern "DIR/" plus two
 * stars for each. False if the directories are unknown, or find follows links.
 */
static bool found_paths(struct eval *e, const struct word *argv, size_t end, struct fields *ret)
{
	size_t i = 1, n = ret->n;
	while (i < end && str_is_any(argv[i].text, "-H -P"))
		i++;
	for (size_t k = 1; k < end; k++) {
		struct str s = argv[k].text;
		if (argv[k].kind == WORD_REST || str_is_any(s, "-L -follow") ||
				str_starts(s, "-files0"))
			return false;
	}
	for (; i < end && argv[i].kind == WORD_EXACT && argv[i].text.n && !strchr("-(!,", argv[i].text.p[0]);
			i++) {
		struct str s = argv[i].text;
		for (size_t k = 0; k < s.n; k++)
			if (strchr("*?[]\\", s.p[k])) {
				ret->n = n;
				return false;
			}
		while (s.n > 1 && s.p[s.n - 1] == '/')
			s.n--;
		fields_add(e, ret,
				(struct word){.kind = WORD_REST, .glob = true,
				.text = str_cat(e->a, s, str_is(s, "/") ? STR("**") : STR("/**")),
				.at = argv[i].at});
	}
	if (i < end && argv[i].kind != WORD_EXACT) {
		ret->n = n;
		return false;
	}
	if (ret->n == n)
		fields_add(e, ret, (struct word){.kind = WORD_REST, .glob = true, .text = STR("./**"),
				.at = argv[0].at});
	return true;
}

/*
 * True if the options of xargs leave the words unchanged: number of processes, verbosity, words per command
 * (*ret_batch; 0: all).
 */
static bool keeps_words(const struct word *argv, size_t end, size_t *ret_batch)
{
	*ret_batch = 0;
	for (size_t i = 1; i < end; i++) {
		struct str s = argv[i].text;
		bool known = false, count = argv[i].kind == WORD_EXACT &&
				(str_starts(s, "-n") || str_starts(s, "-P"));
		known |= argv[i].kind == WORD_EXACT && str_is_any(s, "-r --no-run-if-empty -t --verbose");
		if (count) {
			struct str n = s.n > 2 ? str_from(s, 2) : i + 1 < end ? argv[i + 1].text :
					(struct str){"", 0};
			size_t value = 0;
			for (size_t k = 0; k < n.n && n.n < 5; k++)
				value = ascii_is_digit(n.p[k]) ? value * 10 + (size_t)(n.p[k] - '0') : 0;
			known = n.n && n.n < 5 && text_exact(n) && text_numeric(n) &&
					(value || s.p[1] == 'P');
			*ret_batch = s.p[1] == 'n' ? value : *ret_batch;
			i += s.n == 2;
		}
		if (!known)
			return false;
	}
	return true;
}

/*
 * Adds the words that xargs takes from its input. False unless the input is known and plain, and the options
 * leave it unchanged.
 */
static bool given_words(struct eval *e, const struct know_use *u, const struct word *argv, struct fields *ret,
		size_t *ret_batch)
{
	struct str s = e->s.in.rest;
	struct span at = argv[0].at;
	if (!keeps_words(argv, u->from, ret_batch) || !e->s.in.known || !text_exact(s) ||
			s.n > XARGS_INPUT_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (strchr("'\"\\", s.p[i]))
			return false;
	for (size_t i = 0; i < s.n;) {
		size_t from;
		while (i < s.n && memchr(" \t\n", s.p[i], 3))
			i++;
		for (from = i; i < s.n && !memchr(" \t\n", s.p[i], 3);)
			i++;
		if (i > from)
			fields_add(e, ret, word_of(str_sub(s, from, i), at));
	}
	return true;
}

/*
 * True if xargs -I X only replaces X with each line and adds no words: no -n, no -L, no option that is
 * unknown here.
 */
static bool replaces_only(const struct word *argv, size_t end)
{
	bool replaces = false;
	for (size_t i = 1; i < end; i++) {
		struct str s = argv[i].text;
		bool count = s.n > 2 && str_starts(s, "-P");
		for (size_t k = 2; k < s.n; k++)
			count &= ascii_is_digit(s.p[k]);
		if (argv[i].kind != WORD_EXACT)
			return false;
		if (str_is_any(s, "-I -P"))
			i++;
		else if (!(count || (str_starts(s, "-I") && s.n > 2) || str_is_any(s, "-0 -r -t")))
			return false;
		replaces |= str_starts(s, "-I");
	}
	return replaces;
}

/*
 * parallel COMMAND ::: WORDS: true if the command runs once for each word, with the word appended. The
 * command must be known, the words need not be.
 */
static bool parallel_known(const struct know_use *u, const struct word *argv, size_t argc)
{
	if (!str_is(str_base(argv[0].text), "parallel") || u->to >= argc ||
		argc - u->to > PARALLEL_WORDS_MAX || !str_is(argv[u->to].text, ":::"))
		return false;
	for (size_t i = 0; i < argc; i++) {
		struct str s = argv[i].text;

		if ((i <= u->to && argv[i].kind != WORD_EXACT) || (i > u->to && str_starts(s, ":::")))
			return false;
		if (i >= u->from && s.n && (str_has(s, '{') || str_has(s, '\'')))
			return false;
		/* other options may change how words are formed: -I, -N, --colsep */
		if (i > 0 && i < u->from && !(str_starts(s, "-j") && s.n > 2) && !str_is_any(s, "-k -u -t"))
			return false;
	}
	return true;
}

static void parallel_command(struct eval *e, const struct know_use *u, const struct word *argv, size_t argc)
{
	for (size_t i = u->to + 1; i < argc; i++) {
		struct fields fs = {0};

		for (size_t k = u->from; k < u->to; k++)
			fields_add(e, &fs, argv[k]);
		fields_add(e, &fs, argv[i]);
		call_via(e, via_program(e, "parallel"), fs.at, fs.n, CALL_PROGRAMS, argv[0].at);
	}
}

/* parallel joins the words and passes them to a shell. It quotes the words that it adds. */
static void parallel_script(struct eval *e, const struct know_use *u, const struct word *argv, size_t argc)
{
	struct str command = fields_join(e, argv + u->from, u->to - u->from);

	for (size_t i = u->to + 1; i < argc; i++)
		if (argv[i].kind == WORD_EXACT)
			inner_script(e, "parallel",
				str_fmt(e->a, "%.*s '%.*s'", STR_ARG(command), STR_ARG(argv[i].text)), false,
				argv[0].at);
		else
			inner_script(e, "parallel", command, true, argv[0].at);
}

static struct word with_line(struct eval *e, struct word w, struct str with, struct str line)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < w.text.n; i++) {
		bool here = i + with.n <= w.text.n && memcmp(w.text.p + i, with.p, with.n) == 0;
		buf_str(&b, here ? line : str_sub(w.text, i, i + 1));
		i += here ? with.n - 1 : 0;
	}
	return w.kind == WORD_EXACT ? word_of(buf_view(&b), w.at) : w;
}

/*
 * xargs -I X: evaluates one command for each line of the input, with the line in place of X. False if the
 * lines are unknown, or not plain.
 */
static bool each_line(struct eval *e, const struct word *argv, const struct know_use *u)
{
	struct str s = e->s.in.rest, with = {"", 0};
	size_t lines = 0;
	for (size_t i = 1; i < u->from; i++) {
		struct str r = replacement_mark(argv, u->from, i);
		with = r.n ? r : with;
		if (str_is(argv[i].text, "-0") || str_starts(argv[i].text, "--"))
			return false;
	}
	if (!with.n || !replaces_only(argv, u->from) || !e->s.in.known || !text_exact(s) ||
			s.n > XARGS_INPUT_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		lines += s.p[i] == '\n';
		if (strchr("'\"\\", s.p[i]))
			return false;
	}
	if (lines > XARGS_LINES_MAX)
		return false;
	for (size_t from = 0, to; from < s.n; from = to + 1) {
		struct fields fs = {0};
		struct str line;
		for (to = from; to < s.n && s.p[to] != '\n';)
			to++;
		line = str_sub(s, from, to);
		while (line.n && strchr(" \t", line.p[0]))
			line = str_from(line, 1);
		for (size_t i = u->from; i < u->to && line.n; i++)
			fields_add(e, &fs, with_line(e, argv[i], with, line));
		if (fs.n)
			call_via(e, (struct via){.kind = VIA_XARGS}, fs.at, fs.n, CALL_PROGRAMS, argv[0].at);
	}
	return true;
}

/* xargs -n: calls one command for every `batch` words after the first `own`. */
static void call_batches(struct eval *e, const char *name, const struct fields *fs, size_t own, size_t batch,
		struct span at)
{
	for (size_t from = own; own && from < fs->n; from += batch) {
		struct fields part = {0};

		for (size_t i = 0; i < fs->n && i < from + batch; i++)
			if (i < own || i >= from)
				fields_add(e, &part, fs->at[i]);
		call_via(e, via_program(e, name), part.at, part.n, CALL_PROGRAMS, at);
	}
}

/* Returns a word of the inner command, with holes for everything that the outer program replaces. */
static struct word replaced_word(struct eval *e, const char *name, const struct word *argv,
		const struct know_use *u,
		struct word w)
{
	bool find = strcmp(name, "find") == 0;
	bool braces = !find && strcmp(name, "xargs") != 0; /* {.} {/} {1} ... of parallel and fd */

	if (!(u->flags & USE_INSIDE))
		return w;
	w = fill_placeholder(e, w, STR("{}"), braces);
	for (size_t n = 1; n < u->from && !find; n++)
		w = fill_placeholder(e, w, replacement_mark(argv, u->from, n), braces);
	return w;
}

static void inner_command(struct eval *e, const char *name, const struct word *argv, const struct know_use *u)
{
	bool xargs = strcmp(name, "xargs") == 0, parallel = strcmp(name, "parallel") == 0, in_dir, find,
			known;
	struct str flag = u->from ? argv[u->from - 1].text : (struct str){"", 0};
	struct fields fs = {0};
	size_t batch = 0, own;

	if (xargs && each_line(e, argv, u))
		return;
	in_dir = str_is_any(flag, "-execdir -okdir");
	find = strcmp(name, "find") == 0 && !in_dir;
	for (size_t i = u->from; i < u->to; i++) {
		struct word w = argv[i];
		bool match = find && i > u->from && w.kind == WORD_EXACT && str_is(w.text, "{}");

		if (parallel && str_contains(w.text, STR("{=")))
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
					"parallel runs the perl code of a replacement string", w.at);
		if (!match || !found_paths(e, argv, u->from - 1, &fs))
			fields_add(e, &fs, replaced_word(e, name, argv, u, w));
	}
	own = fs.n;
	if (u->flags & USE_MORE) {
		known = xargs && (given_words(e, u, argv, &fs, &batch) || replaces_only(argv, u->from));
		if (!known && !(find && fs.n && found_paths(e, argv, u->from - 1, &fs))) {
			struct word rest = word_rest(argv[0].at);

			rest.likely = e->word_before; /* of the command that lists them, or writes the list */
			fields_add(e, &fs, rest);
		}
	}
	if (in_dir) {
		e->moved = true;
		e->s.dirs.n = 0; /* the directory of each match; the caller restores this */
	}
	if (batch)
		call_batches(e, name, &fs, own, batch, argv[0].at);
	if (fs.n && (!batch || fs.n == own))
		call_via(e, via_program(e, name), fs.at, fs.n, CALL_PROGRAMS, argv[0].at);
}

/* Evaluates text that a shell will run, started by the program `name`. */
void inner_script(struct eval *e, const char *name, struct str text, bool more, struct span at)
{
	if (!text_exact(text)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a script that is not known is run", at);
		return;
	}
	struct via program = via_program(e, name);
	const struct via *outer = via_enter(e, program);
	via_enter(e, (struct via){.kind = VIA_SH_C});
	struct shell_state keep = e->s;
	unsigned reads = e->reads;
	forget_exports(e);
	e->s.vars = pmap_set(e->a, e->s.vars, STR("IFS"), NULL);
	e->s.funcs = e->s.aliases = NULL;
	e->s.params = params_unknown(e, at);
	eval_text_sh(e, more ? str_cat(e->a, text, STR(" \"$@\"")) : text,
		(struct text_from){TEXT_PROGRAM, str_c(e->a, via_text(e->a, &program))}, at);
	state_return(e, &keep);
	e->s.in.known &= e->reads == reads;
	e->via = outer;
}

/*
 * Decodes one escape in a string that env -S splits. False: a separator (\_ outside of quotes), or a form
 * that is not modelled.
 */
static bool split_escape(char c, char quote, char *ret)
{
	static const char from[] = "tnfvr\\#$\"'", to[] = "\t\n\f\v\r\\#$\"'";
	const char *p = c ? strchr(from, c) : NULL;
	if (quote == '\'' && c != '\\' && c != '\'')
		return false;
	*ret = c == '_' ? ' ' : p ? to[p - from] : 0;
	return *ret && (c != '_' || quote == '"');
}

/*
 * env -S: splits at blanks, with quotes and escapes. False for variables and comments, which are not
 * modelled.
 */
static bool split_words(struct eval *e, struct str s, struct span at, struct fields *ret)
{
	struct buf b;
	char quote = 0;
	bool word = false;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i <= s.n; i++) {
		char c = i < s.n ? s.p[i] : ' ', real;
		bool blank = !quote && memchr(" \t\n\r\v\f", c, 6);
		if (!blank && c == '\\' && !quote && i + 1 < s.n && s.p[i + 1] == '_')
			blank = ++i > 0;
		if (blank && word) {
			fields_add(e, ret, word_of(str_dup(e->a, buf_view(&b)), at));
			buf_init(&b, e->a, 0);
			word = false;
		}
		if (blank)
			continue;
		if (i >= s.n || c == '$' || (c == '#' && !word && !quote))
			return false;
		word = true;
		if (c == '\\') {
			if (++i >= s.n || !split_escape(s.p[i], quote, &real))
				return false;
			buf_char(&b, real);
		} else if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
		} else {
			buf_char(&b, c);
		}
	}
	return !quote;
}

static void split_string(struct eval *e, const struct word *argv, const struct know_use *u)
{
	struct fields fs = {0};
	if (u->value.kind != WORD_EXACT || !text_exact(u->value.text) ||
			!split_words(e, u->value.text, u->value.at, &fs)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a string that env splits is not known", u->value.at);
		return;
	}
	struct fields all = {0};
	fields_add(e, &all, argv[0]); /* env again: the words may be options and assignments */
	for (size_t k = 0; k < fs.n; k++)
		fields_add(e, &all, fs.at[k]);
	for (size_t k = u->from; k < u->to; k++)
		fields_add(e, &all, argv[k]);
	if (all.n > 1)
		call_via(e, via_program(e, "env"), all.at, all.n, CALL_PROGRAMS, argv[0].at);
}

static void stdin_commands(struct eval *e, const char *name, struct span at)
{
	if (!e->s.in.known || !text_exact(e->s.in.rest)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
				"a script that is not known is run from standard input", at);
		return;
	}
	struct str text = e->s.in.rest;
	in_forget(e);
	inner_script(e, name, text, false, at);
}

static void use_assign(struct eval *e, struct word w, struct pmap const **vars)
{
	ptrdiff_t eq = str_find(w.text, '=', 0);
	if (eq < 0 || !text_exact(str_first(w.text, (size_t)eq))) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "an environment variable that is not known is set",
				w.at);
		return;
	}
	struct str name = str_first(w.text, (size_t)eq), value = str_from(w.text, (size_t)eq + 1);
	struct shell_value *v = arena_copy(e->a, (struct shell_value){.set = true, .exported = true,
			.text = value});
	*vars = pmap_set(e->a, *vars, name, v);
	e->home_touched |= str_is_any(name, "HOME PWD");
	assign_effect(e, name, value, ASSIGN_LEADING, w.at);
}

/*
 * Options of pwsh may be abbreviated and written in any case, and one of them changes the directory. An
 * option that is not in the tables is unknown.
 */
static void powershell_options(struct eval *e, const struct word *argv, size_t n)
{
	static const char known[][20] = {"-noprofile", "-nop", "-noninteractive", "-noni", "-nologo", "-nol",
			"-noexit", "-noe", "-login", "-l", "-sta", "-mta", "-executionpolicy", "-ep", "-ex",
			"-exec",
		"-outputformat", "-o", "-of", "-inputformat", "-if", "-version", "-v", "-help", "-h",
		"-interactive", "-i", "-custompipename", "-command", "-c", "-encodedcommand", "-e", "-ec",
		"-en", "-enc", "-enco",
		"-encoded", "-file", "-f", "-settingsfile", "-settings", "-configurationname", "-config",
		"-configurationfile", "-psconsolefile"};
	static const char exact[][20] = {"-WorkingDirectory", "-wd", "-wo", "-WindowStyle", "-windowstyle",
			"-w"};
	for (size_t i = 1; i < n; i++) {
		struct str w = argv[i].text;
		bool found = argv[i].kind == WORD_EXACT && (!w.n || w.p[0] != '-');
		for (size_t k = 0; k < ARRAY_SIZE(known) && !found; k++)
			found = w.n == strlen(known[k]) && !strncasecmp(w.p, known[k], w.n);
		for (size_t k = 0; k < ARRAY_SIZE(exact) && !found; k++)
			found = str_is(w, exact[k]);
		if (!found)
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "an option of PowerShell that is not known",
					argv[i].at);
	}
}

/*
 * Code in another language, in a word or on standard input. A file on standard input is executed, as a named
 * file is.
 */
static void use_code(struct eval *e, const struct know_result *k, const struct know_use *u,
		const struct word *argv, size_t argc)
{
	struct span at = argv[0].at;
	enum lang lang = u->lang ? lang_find(str_of(u->lang)) : LANG_OTHER;
	bool rest = lang == LANG_POWERSHELL; /* all words after it are code, too */
	if (lang == LANG_POWERSHELL || lang == LANG_POWERSHELL_ENCODED)
		powershell_options(e, argv, u->from < argc ? u->from : argc);
	bool in = u->from == u->to || (rest && str_is(u->value.text, "-")); /* code from standard input */
	if (in && !e->s.in.known && e->s.in.file.n && !e->elsewhere) {
		emit_access(e, ACCESS_EXEC, word_of(e->s.in.file, at), false, k->name, at);
		content_run(e, word_of(e->s.in.file, at), str_base(argv[0].text), argv, argc, argc);
		return;
	}
	struct word text = in && e->s.in.known ? word_of(e->s.in.rest, at) : in ? word_of(HOLE, at) :
			u->value;
	if (rest && !in && u->to < argc) {
		size_t n = argc;

		while (n > u->to && argv[n - 1].kind == WORD_REST)
			n--;
		if (text.kind != WORD_REST && n > u->to)
			text = word_of(str_cat(e->a, str_cat(e->a, text.text, STR(" ")),
					fields_join(e, argv + u->to, n - u->to)), at);
		if (n < argc) { /* xargs may add words or not: list both */
			emit_snippet(e, u->lang, text, at);
			text = word_of(HOLE, at);
		}
	}
	emit_snippet(e, u->lang ? u->lang : "unknown", text, at);
}

/* The state that a write of this program leaves behind. */
static enum change_kind change_of(const struct know_result *k, const struct know_use *u)
{
	if (u->flags & USE_NAMES)
		return CHANGE_TREE;
	if (u->flags & USE_FILES)
		return CHANGE_FILES;
	if (u->flags & USE_WORK_TREE)
		return CHANGE_WORK_TREE;
	if (u->flags & USE_REPOSITORY)
		return CHANGE_REPOSITORY;
	if (u->flags & USE_GIT_DIR)
		return CHANGE_GIT_DIR;
	if (k->effects & EFFECT_LINKS)
		return CHANGE_LINK;
	return k->effects & EFFECT_COPIES ? CHANGE_COPY : CHANGE_PLAIN;
}

static void use_write(struct eval *e, const struct know_result *k, const struct know_use *u, bool below,
		struct span at)
{
	/* a URI with a path and options */
	bool address = strcmp(k->name, "sqlite3") == 0 && str_starts(u->value.text, "file:");
	bool temporary = u->from == u->to && str_is(u->value.text, "/tmp") && var_get(e, STR("TMPDIR"));
	e->change = change_of(k, u);
	emit_access(e, ACCESS_WRITE, temporary || address ? word_of(HOLE, at) : u->value, below, k->name, at);
	e->change = CHANGE_PLAIN;
}

/* The program runs commands that cannot be known. */
static void use_opaque(struct eval *e, const struct know_result *k, struct span at)
{
	struct word rest = word_rest(at);
	const struct via *outer = via_enter(e, via_program(e, k->name));
	emit_command(e, &rest, 1, at);
	e->via = outer;
}

static void apply_use(struct eval *e, const struct know_result *k, const struct know_use *u,
		const struct word *argv, size_t argc)
{
	bool below = u->flags & (USE_TREE | USE_BELOW), elsewhere = u->flags & USE_ELSEWHERE;
	struct span at = argv[0].at;
	e->elsewhere += elsewhere;
	switch (u->role) {
	case USE_READ:
		if (u->flags & USE_INSIDE)
			emit_listed_access(e, u->value, below, k->name, at);
		else
			emit_access(e, ACCESS_READ, u->value, below, k->name, at);
		break;
	case USE_WRITE: use_write(e, k, u, below, at); break;
	case USE_DELETE: emit_access(e, ACCESS_DELETE, u->value, below, k->name, at); break;
	case USE_EXEC:
		emit_access(e, ACCESS_EXEC, u->value, below, k->name, at);
		content_run(e, u->value, str_base(argv[0].text), argv, u->to, argc);
		break;
	case USE_DIR: {
		struct str path = u->value.kind == WORD_REST || path_climbs(u->value.text) ? HOLE :
				u->value.text;
		dirs_change(e, path);
		state_assume(&e->s, true);
		break;
	}
	case USE_COMMAND:
		if (parallel_known(u, argv, argc))
			parallel_command(e, u, argv, argc);
		else
			inner_command(e, k->name, argv, u);
		break;
	case USE_SCRIPT:
		if (parallel_known(u, argv, argc)) {
			parallel_script(e, u, argv, argc);
			break;
		}
		inner_script(e, k->name, u->to > u->from + 1 ? fields_join(e, argv + u->from, u->to - u->from)
							: u->value.kind == WORD_REST ? HOLE : u->value.text,
									u->flags & USE_MORE, at); break;
	case USE_SPLIT: split_string(e, argv, u); break;
	case USE_STDIN_SCRIPT: case USE_STDIN_COMMAND: stdin_commands(e, k->name, at); break;
	case USE_CODE: use_code(e, k, u, argv, argc); break;
	case USE_DATA: names_from_data(e, k, u, argv, argc); break;
	case USE_HOST: emit_touch(e, u->value, at); break;
	case USE_ASSIGN: use_assign(e, u->value, &e->s.vars); break;
	case USE_OPAQUE: use_opaque(e, k, at); break;
	}
	e->elsewhere -= elsewhere;
}

/* Wrappers that pass their environment on unchanged; others may clear or change it. */
static bool keeps_environment(const char *name, const struct word *argv, size_t argc)
{
	if (str_is_any(str_of(name),
			"nice nohup timeout time stdbuf setsid ionice chrt taskset xargs find flock "
			"busybox"))
			return true;
	return strcmp(name, "env") == 0 && argc > 1 && argv[1].kind == WORD_EXACT &&
			!str_starts(argv[1].text, "-");
}

static bool runs_something(const struct know_use *u)
{
	return u->role == USE_COMMAND || u->role == USE_SCRIPT || u->role == USE_SPLIT ||
			u->role == USE_OPAQUE ||
	       u->role == USE_STDIN_SCRIPT || u->role == USE_STDIN_COMMAND;
}

/* tar -C DIR NAME: the name in the directory. The facts have both alone, which is enough for any check. */
static void look_in_directory(struct eval *e, const struct know_use *uses)
{
	for (const struct know_use *dir = uses; dir; dir = dir->next) {
		const struct word *in = &dir->value;
		if (dir->role != USE_READ || in->kind != WORD_EXACT || !str_starts(in->text, "/"))
			continue;
		for (const struct know_use *u = uses; u; u = u->next)
			if (u->role == USE_READ && u->value.kind == WORD_EXACT &&
					!str_starts(u->value.text, "/"))
				emit_look(e, word_of(str_path(e->a, in->text, u->value.text), in->at));
	}
}

/*
 * Evaluates a known program: its files, inner commands, scripts and code. True if it wraps another command.
 */
static bool known_program(struct eval *e, const struct know_row *row, const struct word *argv, size_t argc)
{
	struct know_result k = {0};
	know_apply(e->a, row, argv, argc, &k);
	struct shell_state keep = e->s;
	struct setting *settings = e->settings;
	if (!keeps_environment(k.name, argv, argc))
		forget_exports(e);
	bool inner = false, loops = false, wraps = false;
	struct unordered own = order_open(e);
	if (k.effects & EFFECT_INCLUDES) /* before its writes: file contents are known now */
		includes_read(e, k.name, argv, argc);
	/* its own files first: they all have one moment */
	for (const struct know_use *u = k.uses; u; u = u->next) {
		if ((k.effects & EFFECT_LINKS) && u->role == USE_WRITE)
			emit_link(e, u->value, argv[0].at);
		if (!runs_something(u))
			apply_use(e, &k, u, argv, argc);
	}
	if (e->moved)
		relative_effects(e, keep.vars);
	if (strcmp(k.name, "tar") == 0)
		look_in_directory(e, k.uses);
	size_t own_end = e->nmoments;
	for (const struct know_use *u = k.uses; u; u = u->next) {
		inner |= u->role == USE_COMMAND || u->role == USE_OPAQUE;
		/* runs once per word */
		loops |= (u->role == USE_COMMAND || u->role == USE_SCRIPT) &&
				(u->flags & (USE_MORE | USE_INSIDE));
		wraps |= u->role == USE_COMMAND || u->role == USE_SCRIPT || u->role == USE_SPLIT;
		if (wraps && !is_transparent(k.name, argv, argc))
			out_spoil(e);
		if (runs_something(u))
			apply_use(e, &k, u, argv, argc);
	}
	if (!inner && strcmp(k.name, "xargs") == 0) { /* without a command, xargs runs echo */
		struct word echo[2] = {word_of(STR("echo"), argv[0].at), word_rest(argv[0].at)};
		call_via(e, (struct via){.kind = VIA_XARGS}, echo, 2, CALL_PROGRAMS, argv[0].at);
	}
	order_close_program(e, own, own_end, loops);
	state_return(e, &keep);
	e->settings = settings;
	if (k.effects & EFFECT_WORKSPACE)
		emit_access(e, ACCESS_EXEC, word_of(HOLE, argv[0].at), false, k.name, argv[0].at);
	return wraps;
}

/*
 * Returns TMPDIR if the script sets it. The environment's TMPDIR counts as /tmp, as it does for the files
 * that programs create there.
 */
static struct str temporary_dir(const struct eval *e)
{
	const struct shell_value *v = var_get(e, STR("TMPDIR"));
	if (!v || (!v->set && !v->maybe))
		return STR("/tmp");
	return v->kind == VALUE_TEXT && v->exported && !v->doubt_exported && !v->maybe && v->text.n &&
			names_only(v->text) ? v->text : (struct str){"", 0};
}

static void run_path(struct eval *e, const struct word *argv, size_t argc)
{
	emit_access(e, ACCESS_EXEC, argv[0], false, "run", argv[0].at);
	content_run(e, argv[0], STR(""), argv, 1, argc);
}

void call_program(struct eval *e, const struct word *argv, size_t argc)
{
	struct str name = argv[0].text, base = str_base(name);
	e->s.status = -1;
	emit_launch(e, name, argv[0].at);
	bool slash = memchr(name.p, '/', name.n) != NULL;
	if (slash && !system_path(name))
		run_path(e, argv, argc);
	else if (!slash && (e->s.options & OPT_PATH_CHANGED))
		emit_variable_access(e, ACCESS_EXEC, word_of(HOLE, argv[0].at), false, "PATH", argv[0].at);
	if (shell_program(e, base, argv, argc))
		return;
	const struct know_row *row = know_find(base, e->rq->own, e->rq->nown);
	const struct pmap *files = e->s.files;
	bool wraps = row && known_program(e, row, argv, argc);
	if (str_is(base, "tee"))
		content_tee(e, argv, argc, files);
	bool unbuffered = str_is_any(base, "head dd");
	for (size_t i = 1; i < argc && str_is(base, "sed"); i++)
		unbuffered |= str_starts(argv[i].text, "-u") || str_starts(argv[i].text, "--u");
	if (e->s.in.script && unbuffered)
		emit_trouble(e, TROUBLE_CONSTRUCT, "a part of the script's own text is read by a command",
				argv[0].at);
	struct str text;
	struct word *named = arena_array(e->a, argc, sizeof *named);
	memcpy(named, argv, argc * sizeof *named);
	named[0].text = base;
	struct output_env env = {.dialect = e->dialect, .external = true,
			.in = e->s.in.known ? &e->s.in.rest : NULL,
				 .cwd = e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE, .tmp = temporary_dir(e)};
	bool devices = false;
	for (size_t i = 1; i < argc && str_is(base, "tee"); i++)
		devices |= may_be_device(e, argv[i]);
	if (wraps) /* any output is that of the inner command */
		;
	else if (devices)
		out_spoil(e);
	else if (e->out && !slash && output_of(e->a, named, argc, &env, &text)) {
		out_add(e, text);
		/* no output if they fail */
		e->out->may_miss |= text.n && text.p[0] == HOLE_NUM &&
				(str_is_any(base, "stat expr") || str_ends(base, "grep"));
	}
	else
		out_unknown(e);
	in_forget(e);
}
