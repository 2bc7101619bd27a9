/*
 * The checks about paths: writes, deletes and reads, and where they lie. path_table.c has the tables of
 * names.
 */
#include "gate/git_changes.h"
#include "gate/overlay.h"
#include "gate/path_find.h"
#include "gate/path_table.h"
#include "gate/tiers.h"

/* If a pattern matches several files, the first one with a finding represents all of them. */
static bool was_said(const struct judge *j, enum check_id id, struct span at)
{
	for (const struct reason *r = j->ret->reasons; r; r = r->next)
		if (r->id == id && span_same(r->at, at))
			return true;
	return false;
}

/* Warn once per request: many warnings would leave no room for reasons. */
static bool was_warned(const struct judge *j, enum check_id id)
{
	for (const struct reason *r = j->ret->warnings; r; r = r->next)
		if (r->id == id)
			return true;
	return false;
}

/* An allow rule for a command does not cover its redirections; a redirect rule or an Edit() rule does. */
static void tell_graded(struct judge *j, const struct check *c, enum grade g, const struct access *x,
	const struct where *w, const char *what, const char *alternative)
{
	struct str message = str_fmt(j->a, "%s '%.*s'%s", what, STR_ARG(w->path), str_eq(w->path, w->real) ?
			"" : str_fmt_c(j->a, ", which is '%.*s'", STR_ARG(w->real)));

	if (g == GRADE_OFF || (w->wild && was_said(j, c->id, x->at)))
		return;
	if (c->lift == LIFT_COMMAND && g < GRADE_DENY && tiers_path_allowed(j, x, w)) {
		judge_step(j, STEP_LIFTED, str_of(check_name(c->id)), x->at);
		return;
	}
	if (access_is_redirection(x))
		judge_raise(j, c, &(struct finding){.grade = g, .message = message,
				.alternative = str_of(alternative ? alternative : ""), .at = x->at});
	else
		judge_raise_graded(j, c, g, x->at, message, alternative);
}

static void raise_about(struct judge *j, enum check_id id, const struct access *x, const struct where *w,
	const char *what, const char *alternative)
{
	const struct check *c = gate_check(id);

	tell_graded(j, c, judge_grade(j, c), x, w, what, alternative);
}

static bool holds_for_either(struct judge *j, const struct where *w,
	bool (*is)(const struct judge *, struct str))
{
	return is(j, w->path) || (!str_eq(w->path, w->real) && is(j, w->real));
}

static bool own_file(const struct judge *j, struct str path)
{
	struct str rest = j->v->project.n && path_within(path, j->v->project) ?
			str_from(path, j->v->project.n) : STR("");

	if (!rest.n && j->v->home.n > 1 && path_within(path, j->v->home))
		rest = str_from(path, j->v->home.n);
	if (str_is_any(rest, "/.claude/fencepost.yaml /.claude/fencepost") ||
			str_starts(rest, "/.claude/fencepost/"))
		return true;
	return path_within(path, j->v->config_dir) || path_within(path, j->v->state_dir) ||
			path_within(path, STR("/etc/caisson")) ||
	       (j->v->program.n && str_eq(path, j->v->program)) ||
	       (j->v->project.n && str_eq(path, str_cat(j->a, j->v->project, STR("/.caisson.yaml"))));
}

/* True if deleting or replacing `dir` also affects `inner`. */
static bool holds(struct str dir, struct str inner) { return inner.n && path_within(inner, dir); }

static bool holds_own_file(const struct judge *j, struct str path)
{
	return own_file(j, path) || holds(path, j->v->config_dir) || holds(path, j->v->state_dir);
}

static const char doing[][12] = {[ACCESS_READ] = "reads", [ACCESS_WRITE] = "writes",
		[ACCESS_DELETE] = "deletes", [ACCESS_EXEC] = "executes"};

static const char *phrase_for(struct judge *j, const struct access *x, const char *what)
{
	struct str cause = access_is_redirection(x) ? STR("") : access_cause(j->a, x);

	if (!cause.n)
		cause = STR("a redirection");
	return str_fmt_c(j->a, "%.*s %s %s", STR_ARG(cause), doing[x->kind], what);
}

/* ---- inside a root ---- */

/* True for find with tests, and for git clean: they select what they delete. */
static bool chooses(const struct judge *j, const struct access *x)
{
	if (x->by && str_starts(str_of(x->by), "git ") && !access_by(x, "git rm"))
		return true;
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct command *c = j->subjects[i].c;

		if (str_is(j->subjects[i].base, "find") && command_covers(c, x->at) &&
				find_chooses(c, x->kind == ACCESS_WRITE))
			return true;
	}
	return false;
}

/* True for the root itself, everything in it, or its .git, which keeps its history. */
bool paths_whole_project(const struct judge *j, const struct access *x, const struct where *w)
{
	if (chooses(j, x))
		return false;
	for (const struct root *r = j->v->roots; r; r = r->next) {
		struct str rest;

		if (!path_within(w->real, r->path))
			continue;
		rest = str_from(w->real, r->path.n);
		if (!rest.n || str_is_any(rest, "/.git /{*,.*}") || pattern_finds_all(rest))
			return true;
		if (access_by(x, "git rm") && str_is(rest, "/:")) /* pathspec of the top directory */
			return true;
	}
	return false;
}

/* True if this replaces a directory, or puts content into it. mkdir and chmod do not. */
static bool replaces(const struct access *x)
{
	static const char harmless[] = "chmod chown chgrp touch mkdir";

	if (access_by_any(x, harmless))
		return false;
	return x->kind == ACCESS_DELETE || access_copies(x) || (x->kind == ACCESS_WRITE && x->below);
}

static bool spares_git(const struct judge *j, const struct access *x)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (str_is(j->subjects[i].base, "find") && command_covers(j->subjects[i].c, x->at) &&
				find_spares_git(j->subjects[i].c))
			return true;
	return false;
}

/* find . -name pre-commit -exec chmod +x {} + activates a hook that already exists. */
static bool activates_hooks(const struct judge *j, const struct access *x)
{
	for (size_t i = 0; i < j->nsubjects && access_by(x, "chmod"); i++) {
		const struct subject *s = &j->subjects[i];

		if (str_is(s->base, "find") && command_covers(s->c, x->at) && find_names_git(s->c))
			return true;
	}
	return false;
}

/* True if files selected by find get new content; a new mode or time does not count. */
static bool rewrites_found(const struct judge *j, const struct access *x)
{
	static const char harmless[] = "chmod touch chown chgrp";

	if (x->kind != ACCESS_WRITE || !x->path.glob || !str_ends(x->path.text, "/**"))
		return false;
	return !access_by_any(x, harmless) || activates_hooks(j, x);
}

/* Git directories with another name than .git, on the disk or made by the request, are protected, too. */
static bool in_git_dir(struct judge *j, const struct access *x, const struct where *w)
{
	if (access_copies(x) && overlay_git_dir(j, w->path, x->when)) /* a copy or link replaces it */
		return true;
	if (repository_file(j, w->real) || overlay_in_git_dir(j, w->path, x->when))
		return true;
	return !str_eq(w->path, w->real) && overlay_in_git_dir(j, w->real, x->when);
}

/* split and csplit write names that only start with the given one. */
static bool adds_characters(const struct access *x)
{
	return x->kind == ACCESS_WRITE && !x->below && (access_by(x, "split") || access_by(x, "csplit"));
}

static void inside_root(struct judge *j, const struct access *x, const struct where *w)
{
	if (rewrites_found(j, x) && !spares_git(j, x) && paths_whole_project(j, x, w)) {
		raise_about(j, CHECK_PROTECTED_WRITE, x, w, phrase_for(j, x, "also git's own files, below"),
			"choose them by -name, or leave git's out: -not -path './.git/*'");
		return;
	}
	if (x->kind == ACCESS_DELETE && (x->below || w->wild) && paths_whole_project(j, x, w)) {
		raise_about(j, CHECK_PROJECT_DELETE, x, w, phrase_for(j, x, "all of"),
			"name the files to delete");
		return;
	}
	if (holds_for_either(j, w, path_table_protected) ||
	    (adds_characters(x) && holds_for_either(j, w, path_table_protected_start)) ||
	    (replaces(x) && holds_for_either(j, w, path_table_protected_dir)) || in_git_dir(j, x, w)) {
		raise_about(j, CHECK_PROTECTED_WRITE, x, w,
			phrase_for(j, x, "a file that other programs run or obey:"),
			"show the change and let the user make it");
		return;
	}
	if (x->kind == ACCESS_DELETE && (access_by(x, "rm") || access_by(x, "find")) &&
		!was_warned(j, CHECK_PROJECT_FILES_DELETE))
		raise_about(j, CHECK_PROJECT_FILES_DELETE, x, w, phrase_for(j, x, "files of the project:"),
			NULL);
	if (x->kind == ACCESS_WRITE && w->answer && w->answer->target == PATH_FILE && w->answer->links > 1 &&
			!x->below)
		raise_about(j, CHECK_LINK_WRITE, x, w,
			phrase_for(j, x, "a file that has other names (hard links):"),
			"write to a copy");
}

/* ---- outside ---- */

/* Returns the depth below the temporary directory: 1 for /tmp/x. */
static unsigned temp_depth(const struct judge *j, struct str path)
{
	size_t from = str_starts(path, "/var/tmp/") || str_starts(path, "/dev/shm/") ? 9 : str_starts(path,
			"/tmp/") ? 5 : j->v->tmp.n + 1;
	unsigned depth = 1;

	for (size_t i = from; i < path.n; i++)
		depth += path.p[i] == '/';
	return depth;
}

/*
 * True for a temporary file that belongs to the caller: a new file, or the caller's own file directly in the
 * temporary directory. Deeper files and directories were put there on purpose, so deleting them is worth an
 * ask.
 */
static bool own_temp(struct judge *j, const struct access *x, const struct where *w)
{
	const struct path_answer *a = w->answer;

	if (path_is_temp(w->real))
		return true; /* new files whose names the program chooses */
	if (w->wild)
		return w->made; /* a pattern also matches files of others */
	if (!a || a->target == PATH_ABSENT)
		return true;
	if (a->owner != j->v->uid || (a->kind == PATH_LINK && !str_eq(a->place, w->real)))
		return false;
	return x->kind == ACCESS_WRITE && a->target == PATH_DIR ? true : a->target == PATH_FILE &&
			temp_depth(j, w->real) == 1;
}

static void in_temp(struct judge *j, const struct access *x, const struct where *w)
{
	if (access_by(x, "mktemp"))
		return;
	if (!own_temp(j, x, w))
		raise_about(j, CHECK_SHARED_TEMP, x, w,
			phrase_for(j, x, "files that others may still need:"),
			"use a directory of your own: mktemp -d");
}

/* Commands that only add, or that change no content. */
static bool adds_only(const struct access *x)
{
	return access_is_redirection(x) ? x->redirect == REDIR_APPEND :
			access_by_any(x, "touch mkdir chmod chown chgrp ln mkfifo") ||
			access_by(x, "git clone") || access_by(x, "git init") ||
			access_by(x, "git worktree add");
}

/* Directories where a client's own tools keep a session's plan and to-do list; no program obeys these. */
static bool clients_notes(const struct judge *j, struct str path)
{
	struct str rest = j->v->home.n > 1 && path_within(path, j->v->home) ?
			str_from(path, j->v->home.n) : STR("");

	return str_starts(rest, "/.claude/plans/") || str_starts(rest, "/.claude/todos/");
}

/* Returns words that tell how bad the loss is. */
static const char *deleted_thing(const struct judge *j, const struct access *x, const struct where *w)
{
	if (x->below || w->wild) {
		if (str_is_any(w->real, "/ /* /**"))
			return "the whole file system:";
		if (j->v->home.n > 1 && path_within(w->real, j->v->home) &&
			(w->real.n == j->v->home.n ||
				str_is(str_from(w->real, j->v->home.n), "/*")))
			return "the whole home directory:";
		if (w->place == PLACE_SYSTEM)
			return "a system directory:";
	}
	return "something outside the project:";
}

static void check_outside(struct judge *j, const struct access *x, const struct where *w)
{
	bool exists = w->answer && w->answer->target != PATH_ABSENT;

	if (j->f->tool.n && x->kind == ACCESS_WRITE && clients_notes(j, w->path) && clients_notes(j, w->real))
		return;
	if (path_table_opens_access(j, w->path) || path_table_opens_access(j, w->real))
		raise_about(j, CHECK_OPEN_ACCESS, x, w, phrase_for(j, x, "files that control access:"),
			NULL);
	if (path_table_protected(j, w->path) ||
			(!str_eq(w->path, w->real) && path_table_protected(j, w->real)))
		raise_about(j, CHECK_PERSISTENCE, x, w,
			phrase_for(j, x, "a file that other programs run or obey:"), NULL);
	if (w->place == PLACE_DEVICE || w->place == PLACE_NULL)
		raise_about(j, CHECK_DEVICE_WRITE, x, w, phrase_for(j, x, "a device:"), NULL);
	else if (x->kind == ACCESS_DELETE &&
		 !access_by(x, "git worktree remove")) /* git keeps uncommitted work */
		raise_about(j, CHECK_OUTSIDE_DELETE, x, w, phrase_for(j, x, deleted_thing(j, x, w)),
			"delete inside the project only, or ask the user to do it");
	/* a file in the home directory is outside, but not the system's */
	else if (w->place == PLACE_SYSTEM && !str_eq(w->real, j->v->home))
		raise_about(j, CHECK_SYSTEM_WRITE, x, w, phrase_for(j, x, "in a system directory:"),
			NULL);
	/* an editing tool shows its change */
	else if (exists && !adds_only(x) && !x->below && !j->f->tool.n)
		raise_about(j, CHECK_OUTSIDE_OVERWRITE, x, w,
			phrase_for(j, x, "over a file outside the project:"), "write inside the project");
	else
		raise_about(j, CHECK_OUTSIDE_WRITE, x, w, phrase_for(j, x, "outside the project:"),
			"write inside the project");
}

/* ---- one path of one access ---- */

/* True for mkdir of an existing directory, or of one above a root: mkdir -p creates nothing. */
static bool makes_nothing(const struct judge *j, const struct access *x, const struct where *w)
{
	if (x->kind != ACCESS_WRITE || x->below || !(access_by(x, "mkdir") || access_by(x, "install")))
		return false;
	for (const struct root *r = j->v->roots; r; r = r->next)
		if (path_within(r->path, w->real))
			return true;
	return w->answer && w->answer->target == PATH_DIR && access_by(x, "mkdir");
}

static bool is_null(const struct access *x, const struct where *w)
{
	return w->place == PLACE_NULL && x->kind == ACCESS_WRITE && !access_by(x, "mv") &&
	       !access_by(x, "ln");
}

/* find -L follows links, so its deletes land wherever they lead. */
static bool follows_links(const struct judge *j, const struct access *x)
{
	for (size_t i = 0; x->kind == ACCESS_DELETE && i < j->nsubjects; i++) {
		const struct command *c = j->subjects[i].c;

		for (size_t k = 1; str_is(j->subjects[i].base, "find") && k < c->argc &&
				command_covers(c, x->at); k++)
			if (c->argv[k].kind == WORD_EXACT &&
					str_is_any(c->argv[k].text, "-L -follow"))
				return true;
	}
	return false;
}

/*
 * In the box links lead only to the project. Only deleting the whole project, or a place known to lie
 * outside, is worth an ask.
 */
static void tell_unresolved(struct judge *j, const struct access *x, const struct where *w)
{
	const struct check *c = gate_check(CHECK_OPAQUE_PATH);
	bool outside = !j->p->sandbox.enabled || (w->place != PLACE_ROOT && w->place != PLACE_TEMP &&
			w->place != PLACE_UNKNOWN);
	enum grade g = outside || (x->kind == ACCESS_DELETE && paths_whole_project(j, x, w))
		? judge_grade_unbounded(j, c)
		: judge_grade(j, c);

	tell_graded(j, c, g, x, w, phrase_for(j, x, "a path whose links could not be resolved:"),
		"write the path out");
}

static void check_change(struct judge *j, const struct access *x, const struct where *w)
{
	if (is_null(x, w) || makes_nothing(j, x, w))
		return;
	if (!w->sure || follows_links(j, x))
		tell_unresolved(j, x, w);
	else if (w->place == PLACE_ROOT)
		inside_root(j, x, w);
	else if (w->place == PLACE_TEMP || (x->kind == ACCESS_WRITE && path_is_temp(w->real)))
		in_temp(j, x, w);
	else
		check_outside(j, x, w);
	if (x->kind == ACCESS_DELETE && x->below ? holds_for_either(j, w, holds_own_file)
						 : holds_for_either(j, w, own_file))
		raise_about(j, CHECK_CAISSON_FILES, x, w, phrase_for(j, x, "caisson's own files:"),
			"only the user may change them, in a terminal");
}

/* Reading a name or a directory listing reveals no secret. */
static bool reads_content(const struct access *x)
{
	static const char ops[] =
			"stat ls du test [ [[ realpath readlink basename dirname find tree chmod chown "
			"chgrp touch file exa eza fd cd ssh-add ssh";

	return x->kind == ACCESS_READ && !access_by_any(x, ops);
}

#define NAME_LETTERS_MIN 3 /* shorter patterns could find out a value letter by letter */

/*
 * True if grep looks for the name of a variable (KEY, ^key=) or for any line. Other patterns find out a
 * value, guess by guess: in small letters, or in letters of any case.
 */
static bool looks_for_name(const struct subject *s, const struct know_options *o)
{
	const struct word *w = o->noperands ? &s->c->argv[o->operands[0]] : NULL;
	bool anchored = w && str_starts(w->text, "^"), lower = false, ends;
	struct str name;
	size_t n = 0;

	if (!w || w->kind != WORD_EXACT || o->maybe_option || know_has(o, "-e") || know_has(o, "-f"))
		return false;
	name = str_from(w->text, anchored);
	while (n < name.n && ascii_is_name_start((unsigned char)name.p[n]))
		lower |= ascii_is_lower(name.p[n++]);
	ends = n + 1 == name.n && name.p[n] == '=';
	if (!w->text.n || str_is_any(w->text, ". =") || (anchored && ends && n))
		return true;
	if (lower || know_has(o, "-i") || know_has(o, "-y"))
		return false;
	return n >= NAME_LETTERS_MIN && (n == name.n || ends);
}

/*
 * True if the program prints nothing of what the file holds: a number, a checksum, or whether it has a
 * variable. Comparisons with other files (cmp, diff -q) find out what a file holds.
 */
bool paths_print_nothing(struct judge *j, const struct access *x)
{
	static const struct {
		char programs[64], options[24]; /* with one of these; ! without them */
		bool names;                     /* only with the name of a variable as the pattern */
	} silent[] = {
		{"wc", "!--files0-from", false},
		{"md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", "!-c --check", false},
		{"grep egrep fgrep", "-q -c -l -L", true},
	};

	for (size_t i = 0; i < j->nsubjects && x->cause == CAUSE_COMMAND && x->by; i++) {
		struct subject *s = &j->subjects[i];

		for (size_t k = 0; k < ARRAY_SIZE(silent); k++) {
			bool without = silent[k].options[0] == '!', has = false;
			struct str rest = str_of(silent[k].options + without), word;
			struct know_options *o = NULL;

			if (!str_is(s->base, x->by) || !str_is_any(s->base, silent[k].programs) ||
					!command_covers_given(s->c, x->at))
				continue;
			o = subject_options(j, s);
			while (o && (word = str_word(&rest)).n)
				has |= know_has(o, str_c(j->a, word));
			return o && has != without && (!silent[k].names || looks_for_name(s, o));
		}
	}
	return false;
}

/*
 * True for the pattern of a search whose further words are not known: one of them may be an option that makes
 * the pattern a file, but hardly ever is.
 */
static bool is_search_pattern(struct judge *j, const struct access *x)
{
	static const char searches[] = "grep egrep fgrep zgrep rg ag yq xq";

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		struct know_options *o;
		const struct word *first;

		if (!str_is_any(s->base, searches) || !access_by_any(x, searches) ||
				!command_covers_given(s->c, x->at))
			continue;
		o = subject_options(j, s);
		if (!o->noperands || know_has(o, "-e") || know_has(o, "-f") || know_has(o, "--files"))
			continue;
		first = &s->c->argv[o->operands[0]];
		if (s->c->argv[s->c->argc - 1].kind == WORD_REST && first->kind == WORD_EXACT &&
				text_exact(s->c->cwd) && str_eq(path_plain(j->a, x->path.text),
				paths_lexical(j, s->c->cwd, first->text).path))
			return true;
	}
	return false;
}

/* Reads that show nothing of the file, or that another check judges. */
static bool is_no_read(struct judge *j, const struct access *x)
{
	return paths_print_nothing(j, x) || is_search_pattern(j, x) || paths_found_by_name(j, x) ||
	       paths_keeps_secret(j, x);
}

/* mkdir, rm, symlink() and the like act on the name: only a directory on the way to it can lead elsewhere. */
static bool follows_last(const struct access *x)
{
	if (str_ends(x->path.text, "/"))
		return true;
	/* ln may create inside the directory; then it also has `below` */
	if (x->change == CHANGE_LINK && !x->below)
		return false;
	return x->kind != ACCESS_DELETE && !access_by(x, "mkdir");
}

/* Returns the whole command that this place belongs to. */
static struct span command_at(const struct judge *j, struct span at)
{
	struct span whole = at;

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct span c = j->subjects[i].c->at;

		if (span_encloses(c, at) && (c.to - c.from < whole.to - whole.from || whole.from == at.from))
			whole = c;
	}
	return whole;
}

/* Returns the change that may have replaced the path, or a directory on the way to it, by a link. */
static const struct access *link_maker(struct judge *j, const struct access *x, struct str path)
{
	bool follows = follows_last(x);
	struct str upto = follows ? path : path_above(path);
	const struct access *maker = overlay_tree(j, upto, x->when);

	if (maker && overlay_contained(j, maker))
		maker = NULL;
	/* reads through a link are judged by its target: paths_through_new_names() */
	if (!maker && x->kind != ACCESS_READ)
		maker = overlay_link(j, path, follows, x->when);
	return maker;
}

/* "o/../x" is not x if o is a link. */
static const struct access *climbing_maker(struct judge *j, const struct access *x)
{
	struct str text = x->path.text;
	const struct access *maker = NULL;

	for (size_t i = 1; x->path.kind == WORD_EXACT && i + 2 < text.n && !maker; i++) {
		struct str upto;

		if (memcmp(text.p + i, "/..", 3) != 0 || (i + 3 < text.n && text.p[i + 3] != '/'))
			continue;
		upto = path_plain(j->a, str_first(text, i));
		maker = overlay_tree(j, upto, x->when);
		if (!maker || overlay_contained(j, maker))
			maker = overlay_link(j, upto, true, x->when);
	}
	return maker;
}

/* git follows no links in its work tree. */
static void changed_tree(struct judge *j, const struct access *x, const struct where *w)
{
	const struct access *maker;

	if (x->kind == ACCESS_READ ? !reads_content(x) : x->change == CHANGE_WORK_TREE)
		return;
	if (w->place == PLACE_NULL || w->place == PLACE_DEVICE)
		return;
	maker = link_maker(j, x, w->path);
	if (!maker && !str_eq(w->path, w->real))
		maker = link_maker(j, x, w->real);
	if (!maker)
		maker = climbing_maker(j, x);
	if (!maker && x->below && x->kind == ACCESS_WRITE)
		maker = overlay_tree_below(j, w->path, x->when);
	if (maker && !overlay_contained(j, maker))
		raise_about(j, CHECK_CHANGED_TREE, x, w,
			str_c(j->a,
				judge_quote(j, "", command_at(j, maker->at),
				" may have put a symbolic link at")),
			NULL);
}

static void check_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)ctx;
	judge_placed(j, x, w);
	changed_tree(j, x, w);
	if (x->kind == ACCESS_WRITE || x->kind == ACCESS_DELETE)
		check_change(j, x, w);
	if (x->kind == ACCESS_READ && (path_table_environ(w->path, w->real) ||
			(x->below && reads_content(x) && path_table_process(w->real))) &&
			paths_finds_environ(j, x))
		raise_about(j, CHECK_PROC_ENVIRON, x, w, phrase_for(j, x, "the environment of a process:"),
			NULL);
	else if ((reads_content(x) && path_table_secret(j, w, x->below) && !is_no_read(j, x)) ||
			paths_renames_secret(j, x, w))
		raise_about(j, CHECK_SECRET_READ, x, w, phrase_for(j, x, "a likely secret:"),
			"list the names only, or use an example file");
	if (x->kind == ACCESS_READ && (w->place == PLACE_SYSTEM || w->place == PLACE_OUTSIDE ||
			w->place == PLACE_UNKNOWN))
		raise_about(j, CHECK_OUTSIDE_READ, x, w, phrase_for(j, x, "outside the project:"), NULL);
	if (path_table_odd(w->path) || (!str_eq(w->path, w->real) && path_table_odd(w->real)))
		raise_about(j,
			x->kind != ACCESS_READ || str_contains(w->path, STR("::$")) ? CHECK_ODD_PATH
										    : CHECK_ODD_READ,
			x, w, phrase_for(j, x, "a path that other systems read differently:"),
			"use a plain name");
	if (x->change == CHANGE_TREE)
		raise_about(j, CHECK_ARCHIVE_EXTRACT, x, w,
			phrase_for(j, x, "files named by its data, below"), NULL);
}

/* A read whose path is not known. Its text, and what it probably looks like, may show a secret. */
static void check_likely(struct judge *j, const struct access *x)
{
	struct str text = x->path.glob ? STR("") : x->path.text;

	if (!reads_content(x))
		return;
	if (path_table_environ_likely(j, text) || path_table_environ_likely(j, x->path.likely) ||
			(x->path.glob && path_table_environ_found(j, x->path.text) &&
			paths_finds_environ(j, x)))
		judge_say(j, gate_check(CHECK_PROC_ENVIRON), x->at,
			str_of(phrase_for(j, x, "the environment of a process")));
	else if ((path_table_secret_likely(j, text, x->below) ||
			path_table_secret_likely(j, x->path.likely, x->below)) && !paths_print_nothing(j, x))
		judge_say(j, gate_check(CHECK_SECRET_READ), x->at,
			str_of(phrase_for(j, x, "a likely secret")));
}

/* Files on another machine or in a container. */
static void check_elsewhere(struct judge *j, const struct access *x)
{
	if (x->kind == ACCESS_DELETE && x->path.kind == WORD_EXACT &&
		path_place(j, path_plain(j->a, x->path.text)) == PLACE_SYSTEM)
		judge_raise_at_most(j, CHECK_OUTSIDE_DELETE, GRADE_DENY, x->at,
			judge_quote(j, "", x->at,
				" deletes system directories on another machine or in a container"),
			NULL);
	else if (x->kind == ACCESS_WRITE || x->kind == ACCESS_DELETE)
		judge_raise_at_most(j, CHECK_REMOTE_CHANGE, GRADE_ASK, x->at,
			judge_quote(j, "", x->at, " changes files on another machine or in a container"),
			NULL);
	else if (reads_content(x) && path_table_secret_elsewhere(j, x->path.text, x->below))
		judge_say(j, gate_check(CHECK_SECRET_READ), x->at,
			judge_quote(j, "", x->at,
				" reads a likely secret of another machine or container"));
}

void paths_check(struct judge *j, const struct check *c)
{
	bool copies = false; /* most requests make no new names */

	(void)c;
	for (const struct access *x = j->f->accesses; x && !copies; x = x->next)
		copies = x->kind == ACCESS_WRITE && access_copies(x);
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		struct where w = {0};

		if (x->elsewhere) {
			check_elsewhere(j, x);
		} else if (x->kind != ACCESS_EXEC) {
			if (!paths_each(j, x, check_one, NULL) || x->path.kind != WORD_EXACT)
				check_likely(j, x);
			paths_into_directory(j, x, check_one, NULL);
			paths_through_descriptor(j, x, check_one, NULL);
			if (copies)
				paths_through_new_names(j, x, check_one, NULL);
		/* the target does not matter, so it is not resolved */
		} else if (x->path.kind == WORD_EXACT && str_starts(x->path.text, "/")) {
			w.path = w.real = path_plain(j->a, x->path.text);
			w.place = path_place(j, w.path);
			judge_placed(j, x, &w);
			/* bash -v and error messages print it */
			if (w.place != PLACE_ROOT && path_table_secret(j, &w, false))
				raise_about(j, CHECK_SECRET_READ, x, &w,
					phrase_for(j, x, "a likely secret:"), NULL);
		}
	}
	paths_git(j, check_one, NULL);
	git_changes_check(j);
	paths_given_secrets(j);
	paths_listed_secrets(j);
}

static void secret_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	*(bool *)ctx |= reads_content(x) &&
			(path_table_environ(w->path, w->real) || path_table_secret(j, w, x->below));
}

bool access_reads_secret(struct judge *j, const struct access *x)
{
	bool secret = false;

	if (x->kind == ACCESS_READ && !x->elsewhere)
		secret = !paths_each(j, x, secret_one, &secret) ? reads_content(x) &&
				path_table_secret_text(j, x->path.text) : secret;
	return secret;
}
