/*
 * Private to the gate: the state of one judgement, and how a check raises a reason.
 *
 *   judge.c      running the checks, raising, lifting
 *   checks.c     the table of checks (rows in model/check_rows.h), and those about what is not known
 *   tiers.c      the person's own rules; prefix_rules.c: how one rule matches; rule_normalise.c: what is left
 *                out before
 *   paths.c      what a path is and where it lies;  path_checks.c: the checks about paths
 *   git_changes.c   which files of the working tree git would change
 *   git_hooks.c  hooks and programs of the project that git would run
 *   option_names.c  patterns that may find files whose names are options or hosts
 *   overlay.c    what the request itself changes, as its later commands see it
 *   processes.c  which processes a command ends
 *   packages.c   npx and its kin, when they fetch what they run
 *   repository.c  git in a directory that was made to look like a repository
 *   danger.c     commands that are dangerous by their words (rows in danger_rows.h); flow.c: by what flows
 *                where
 *   text_checks.c  syntax that a stricter policy wants to see;  inline.c: small languages
 *   approval.c   what a person's yes to an ask lets happen
 *   derive.c     what the judgement remembers of its way, for people;  explain.c: showing it
 */
#pragma once
#include "base/pmap.h"
#include "gate/gate.h"
#include "knowledge/knowledge.h"

#define GATE_REASONS_MAX 64 /* more are counted in the verdict but not listed */
#define GATE_MORE_MAX 512   /* further places of reasons; past it reasons count as cut */
#define GATE_STEPS_MAX 256
#define GATE_PLACED_MAX 256 /* places and rows that are remembered for --explain */
#define GATE_KNOWN_MAX 256
/*
 * look-ups of the command a finding belongs to; past it nothing is lifted, and nothing counts as bounded by
 * the box
 */
#define GATE_LIFTS_MAX 256
#define GATE_EXCERPT_MAX 60 /* bytes of a command that a message quotes, and the rest of its last word */
#define GATE_WORD_MAX 512   /* bytes of a message's excerpt, the last word included */
#define GATE_EXCERPTS_MAX 512 /* messages that look for the words of a wrapped command */
/* of one judgement; past it paths are judged as they are written, and asked about */
#define GATE_QUESTIONS_MAX 2048

/* One command, with what is known of it. */
struct subject {
	const struct command *c;
	struct str base;             /* base name of its program; empty when it is not known */
	const struct know_row *row;
	struct know_options *options; /* made when first needed: subject_options() */
	struct know_result *known;   /* likewise: subject_known() */
	bool allowed;                /* by a rule of the person's own */
	bool spoken;                 /* some rule of the policy spoke about it, so the default does not */
};

struct judge {
	struct arena *a;
	const struct facts *f;
	const struct policy *p;
	const struct view *v;
	struct judgement *ret;
	struct subject *subjects;
	size_t nsubjects;
	/* when all of the request is one piece of code, without a command around it */
	struct subject *request;
	enum grade grades[CHECK_IDS]; /* in force */
	struct reason **reasons_end, **warnings_end, **advice_end;
	struct step **steps_end;
	struct placed **placed_end;
	struct question **questions_end;
	const struct pmap *answers, *glob_answers, *asked;
	struct overlay *overlay;     /* overlay.h */
	int64_t work; /* left for comparing rules: tiers.h */
	size_t nreasons, nmore, nlifts, nbounds, nsteps, nquestions, nplaced, nexcerpts;
};

struct finding {
	enum grade grade;
	enum approval approval; /* APPROVAL_OUTSIDE: what the check's row says */
	struct str message, alternative, rule;
	struct span at;
};

/* Lowers the verdict by the finding's grade and lists it under the check's id. */
void judge_raise(struct judge *j, const struct check *c, const struct finding *fd);
/*
 * The grade in force and a message; lifted when the check's row says so and a rule allows the command at this
 * place.
 */
void judge_say(struct judge *j, const struct check *c, struct span at, struct str message);
void judge_tell(struct judge *j, const struct check *c, struct span at, struct str message,
		const char *alternative);
/* The same by id, and at most this grade (a rule that only may match asks). */
void judge_tell_at_most(struct judge *j, enum check_id id, enum grade most, struct span at,
	struct str message, const char *alternative);
/* approval.c: the row's, unless a command around the place works outside of any box. */
enum approval approval_of(struct judge *j, const struct check *c, const struct finding *fd);
/* The effect of a yes to all reasons together, and the effect of the mode bypassPermissions on it. */
void approval_finish(struct judge *j);
/* contain.c: what becomes of contain where nothing can be contained */
void contain_finish(struct judge *j);
enum grade judge_grade(const struct judge *j, const struct check *c);
/* Does a policy choose the grade of this check? */
bool judge_regraded(const struct judge *j, enum check_id id);
/* Where the box does not bound the finding: contain becomes ask, unless a policy chose the grade. */
enum grade judge_grade_unbounded(const struct judge *j, const struct check *c);
void judge_tell_graded(struct judge *j, const struct check *c, enum grade g, struct span at,
		struct str message, const char *alternative);
/*
 * Does a command around this place work outside of any box: on another machine, with other rights, through a
 * service?
 */
bool judge_leaves_box(struct judge *j, struct span at);
/*
 * Does a substitution ($( ), <( ), backticks) hold `at`, but not `outer`? Then the shell runs it, not
 * `outer`.
 */
bool span_substituted(const struct facts *f, struct span outer, struct span at);
bool judge_leaves_box_by(struct judge *j, struct span at, unsigned effects); /* ... and by which EFFECT_* */
/*
 * True when the command that this place belongs to, and whatever shares its range, is allowed by rules of the
 * person's own.
 */
bool judge_lifted(struct judge *j, struct span at);
/* The bytes at a place, shortened and on one line, for a message. */
struct str judge_excerpt(struct judge *j, struct span at);
/* "before'excerpt'after" */
struct str judge_quote(struct judge *j, const char *before, struct span at, const char *after);
bool subject_is_program(const struct judge *j, const struct subject *s);
struct know_options *subject_options(struct judge *j, struct subject *s);
struct know_result *subject_known(struct judge *j, struct subject *s);

/* paths.c. Asks the world, once for each question. False: there were too many. */
bool judge_ask(struct judge *j, const struct question *asked);

/* derive.c. The same step is remembered once. */
void judge_step(struct judge *j, const char *what, struct str rule, struct span at);
struct where;
/* Are names compared without regard to case: because the policy says so, or because the file system does? */
static inline bool judge_folds(const struct judge *j) { return j->p->fold_case || j->v->fold_case; }
void judge_placed(struct judge *j, const struct access *x, const struct where *w);
void judge_known(struct judge *j);

/* prefix_rules.c */
enum prefix_match { MATCH_NO = 0, MATCH_MAYBE, MATCH_YES };
/*
 * deny and ask rules: an unknown word may be the rule's word; any directory before the command's name is
 * ignored.
 */
enum prefix_match rule_match(const struct prefix_rule *r, const struct command *c);
/*
 * allow rules: every word of the rule must be there, known; a directory is ignored only when it is one of the
 * system's.
 */
bool rule_allows(const struct prefix_rule *r, const struct command *c);
bool path_is_system_program(struct str path);
struct str path_base(struct str path);

/* tiers.c */
void tiers_decide(struct judge *j); /* before the checks: which commands are allowed */
void tiers_default(struct judge *j, const struct check *c);
void tiers_plan(struct judge *j, const struct check *c);

/* paths.c */
enum place {
	PLACE_UNKNOWN = 0,
	PLACE_NULL,    /* /dev/null and its kin: nothing is kept */
	PLACE_ROOT,    /* inside a root that may be written */
	PLACE_TEMP,    /* inside the shared directory for temporary files */
	PLACE_DEVICE,
	PLACE_SYSTEM,
	PLACE_OUTSIDE,
};

struct where { /* one path that an access may touch, resolved */
	struct str path;    /* as written, absolute, in plain form */
	struct str real;    /* resolved for this kind of access; equals path when nothing is known */
	const struct path_answer *answer; /* NULL: not asked for */
	enum place place;   /* the stricter of both */
	bool wild;          /* made from a pattern or from a number or name that is not known */
	bool made;          /* ... from a name that is not known, after known letters: what mktemp printed */
	bool sure;          /* false: links could not be resolved */
};

/*
 * Calls fn for every path that the access may touch. False when what it touches is not known: nothing was
 * called.
 */
bool paths_each(struct judge *j, const struct access *x, void (*fn)(struct judge *, const struct access *,
		const struct where *, void *), void *ctx);
/*
 * Asks for all that the accesses need; true when something is missing. Cheap: nothing is judged on answers
 * that are not there.
 */
bool paths_ask(struct judge *j);
/* Textually: no //, ., .. */
struct str path_plain(struct arena *a, struct str path);
bool path_within(struct str path, struct str dir); /* equal or below */
struct str path_above(struct str path); /* of a plain path; of / itself */
enum place path_place(const struct judge *j, struct str path);
bool path_is_temp(struct str path); /* /tmp itself, and its kin */
#define PACKAGE_FILES "/__init__.*" /* in a directory: it is a package of Python */
bool access_is_import(const struct access *x); /* code would load this file if it is there */
bool access_is_redirection(const struct access *x);
bool access_connects(const struct access *x); /* /inet/tcp/...: a file of gawk's that is a connection */
bool path_known(const struct word *w);
/* A known path as a file name pattern, with stars for what is not known. */
struct str path_pattern(struct arena *a, const struct word *w);

/* the checks; the table in checks.c names them */
void danger_words(struct judge *j, const struct check *c);
void danger_numbers(struct judge *j, const struct check *c);
void danger_effects(struct judge *j, const struct check *c);
void danger_unknown_program(struct judge *j, const struct check *c);
void danger_environment(struct judge *j, const struct check *c);
void repository_ask(struct judge *j); /* repository.c: what it will need to know of the world */
/* The directory git works in: that of the command, and then each -C from there. Empty: not known. */
struct str repository_directory(struct judge *j, struct subject *s);
/* ... when the command is started in `dir`. */
struct str repository_start(struct judge *j, struct subject *s, struct str dir);
/*
 * A directory from which git finds the repository that it works in when the command is started in `dir`;
 * paths of the command do not start there. Empty: not known.
 */
struct str repository_seen_from(struct judge *j, struct subject *s, struct str dir);
void processes_check(struct judge *j, struct subject *s); /* processes.c: kill, pkill, killall, fuser */
void packages_ask(struct judge *j, const struct command *c); /* packages.c, likewise */
void packages_fetch(struct judge *j, const struct check *c);
/* Does a command at this place fetch packages into the project, or fetch what it runs? */
bool packages_install(const struct judge *j, struct span at);
/*
 * A file by which git runs something (config, hooks), in what is a git directory on the disk by its content.
 */
bool repository_file(struct judge *j, struct str path);
void repository_planted(struct judge *j, const struct check *c);
void repository_unvetted(struct judge *j, const struct check *c);
/* git_hooks.c: hooks and programs of the project that git runs */
void git_hooks_check(struct judge *j, const struct check *c);
/* A command that makes signatures, which no box can: git commit -S. NULL: none does. */
struct subject *git_hooks_signs(struct judge *j);
/* NULL: not known yet, and asked for */
const struct git_answer *git_hooks_answer(struct judge *j, struct str dir);
void flow_execute(struct judge *j, const struct check *c);
void flow_leak(struct judge *j, const struct check *c);
void flow_reverse_shell(struct judge *j, const struct check *c);
void flow_fork_bomb(struct judge *j, const struct check *c);
void paths_check(struct judge *j, const struct check *c);
void paths_directories(struct judge *j, const struct check *c);
/* a root, all that is in it, or its history */
bool paths_whole_project(const struct judge *j, const struct access *x, const struct where *w);
bool paths_found(struct judge *j, const struct access *x); /* find chose by its tests what this deletes */
void checks_run(struct judge *j); /* checks.c: all of the table, in its order */
/*
 * path_pattern.c: does a pattern ("/?*", "/[!.]*", "/!(x)") find nearly every name in each of its components?
 */
bool pattern_finds_all(struct str pattern);
/* path_derived.c: paths that no word names. */
/* A write to a descriptor's path may change the files that the request opens for reading. */
void paths_through_descriptor(struct judge *j, const struct access *x,
	void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
void paths_into_directory(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
void paths_through_new_names(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
bool paths_renames_secret(struct judge *j, const struct access *x, const struct where *w);
void paths_git(struct judge *j, void (*fn)(struct judge *, const struct access *, const struct where *,
		void *), void *ctx);
void paths_unknown_program(struct judge *j);
void paths_listed_secrets(struct judge *j);
bool access_copies(const struct access *x);
void text_marks(struct judge *j, const struct check *c);
void text_empty(struct judge *j, const struct check *c);
void text_git_commit(struct judge *j, const struct check *c);
void text_jq(struct judge *j, const struct check *c);
void text_zsh(struct judge *j, const struct check *c);
void text_many(struct judge *j, const struct check *c);
void database_sql(struct judge *j, const struct check *c);
/* is each of its statements known to read, or to make something new? psql: or mysql */
bool sql_reads(struct str s, bool psql);
void advice_route(struct judge *j, const struct check *c);
bool access_reads_secret(struct judge *j, const struct access *x);

/* option_names.c */
void option_names_ask(struct judge *j); /* what it will need to know of the world */
void option_names_check(struct judge *j, const struct check *c);
/* May the pattern find this name, and does the name start with a dash? */
bool option_name_fits(struct str pattern, struct str name);
/* May there be a name in the directory that starts with a dash, and that the pattern finds? */
bool option_name_in(struct judge *j, struct str dir, struct str pattern, struct moment use);
/* Does a pattern that may name hosts (rsync * d) find local names only? False: not known. */
bool option_names_no_host(struct judge *j, const struct subject *s, const struct word *w);

/* inline.c: true when this code can neither run a command nor write a file. */
bool inline_harmless(const struct snippet *s);
