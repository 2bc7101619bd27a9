/*
 * Private to the gate: the state of one judgement, and how a check raises a reason.
 *
 *   gate.c            runs the checks, raises and lifts reasons
 *   checks.c          the table of checks (rows in model/check_rows.h), and the checks about unknown words
 *                     and code
 *   tiers.c           the person's own rules, with tiers_code.c (code) and tiers_tool.c (other tools)
 *   prefix_rules.c    how one prefix rule matches
 *   rule_normalise.c  parts of a command that are stripped before that
 *   paths.c           resolves and classifies paths
 *   path_checks.c     the checks about paths
 *   path_listed.c     secrets that one command lists and another one reads
 *   path_given.c      secrets that are given to programs whose reads are not known
 *   git_changes.c     files of the working tree that git would change
 *   git_hooks.c       hooks and programs of the project that git would run
 *   option_names.c    patterns that may match file names that are options or hosts
 *   overlay.c         the request's own changes, as its later commands see them
 *   processes.c       commands that kill processes
 *   packages.c        npx and similar tools, when they fetch the program they run
 *   path_programs.c   programs that the caller's PATH finds in the project
 *   repository.c      git in a directory that was made to look like a repository
 *   danger.c          commands that are dangerous by their words (rows in dangers.yaml)
 *   flow.c            commands that are dangerous by their data flow
 *   text_checks.c     syntax that a stricter policy restricts
 *   inline.c          small languages
 *   approval.c        the effect of a person's approval
 *   derive.c          the derivation of a judgement, for people
 *   explain.c         shows it
 */
#pragma once
#include "base/pmap.h"
#include "gate/gate.h"
#include "knowledge/knowledge.h"
#include "knowledge/network_forms.h"

#define GATE_REASONS_MAX 64 /* further reasons lower the verdict but are not listed */
#define GATE_MORE_MAX 512   /* further places of reasons; past it the judgement counts as cut */
#define GATE_STEPS_MAX 256
#define GATE_PLACED_MAX 256 /* paths and knowledge rows kept for --explain */
#define GATE_KNOWN_MAX 256
/* look-ups of a finding's command; past it nothing is lifted, and nothing counts as bounded by the box */
#define GATE_LIFTS_MAX 256
#define GATE_EXCERPT_MAX 60 /* bytes of a command that a message quotes; its last word may be longer */
#define GATE_WORD_MAX 512   /* bytes of an excerpt, the last word included */
#define GATE_EXCERPTS_MAX 512 /* look-ups of a wrapped command's words, for messages */
/* per judgement; past it paths are judged as written, and asked about */
#define GATE_QUESTIONS_MAX 2048

/* One command and what is known of it. */
struct subject {
	const struct command *c;
	struct str base;             /* base name of its program; empty: unknown */
	const struct know_row *row;
	struct know_options *options; /* lazy: subject_options() */
	struct know_result *known;   /* lazy: subject_known() */
	const struct net_form *form; /* lazy: network_use() */
	bool formed;
	bool installs;               /* packages: packages_installers() */
	bool allowed;                /* by one of the person's rules */
	bool matched;                 /* a rule of the policy matched, so the default does not apply */
	bool refused;                 /* ... and it does not allow this, or not for certain */
	size_t spelled;               /* words of the longest prefix that allows it */
};

struct judge {
	struct arena *a;
	const struct facts *f;
	const struct policy *p;
	const struct view *v;
	struct judgement *ret;
	struct subject *subjects;
	size_t nsubjects;
	/* set if the whole request is one piece of code, without a command around it */
	struct subject *request;
	enum grade grades[CHECK_IDS]; /* in force */
	struct reason **reasons_end, **warnings_end, **advice_end;
	struct step **steps_end;
	struct placed **placed_end;
	struct question **questions_end;
	const struct pmap *answers, *glob_answers, *asked;
	struct overlay *overlay;     /* see overlay.h */
	size_t ninstallers;            /* subjects that install packages */
	struct access_index *accesses; /* lazy: path_derived.c */
	int64_t work; /* remaining budget for comparing rules, see tiers.h */
	size_t nreasons, nmore, nlifts, nbounds, nsteps, nquestions, nplaced, nexcerpts;
};

struct finding {
	enum grade grade;
	enum approval approval; /* APPROVAL_OUTSIDE: use the check's row */
	struct str message, alternative, rule;
	struct str network; /* see struct reason */
	struct span at;
};

/* Lowers the verdict by the finding's grade and lists it under the check's id. */
void judge_raise(struct judge *j, const struct check *c, const struct finding *fd);
/*
 * Raises the check with its grade in force. If the check's row permits it, an allow rule for the command at
 * this place lifts the finding.
 */
void judge_say(struct judge *j, const struct check *c, struct span at, struct str message);
void judge_raise_with(struct judge *j, const struct check *c, struct span at, struct str message,
		const char *alternative);
/* The same by id, with `most` as the strictest grade (a rule that only may match asks). */
void judge_raise_at_most(struct judge *j, enum check_id id, enum grade most, struct span at,
	struct str message, const char *alternative);
/* Raises a check whose command may run in a box that reaches `words`, unless an allow rule lifts it. */
void judge_raise_network(struct judge *j, const struct check *c, struct span at, struct str message,
		const char *alternative, struct str words);
/* approval.c: returns the row's approval, unless a command around the place works outside of any box. */
enum approval approval_of(struct judge *j, const struct check *c, const struct finding *fd);
/* Sets the effect of approving all reasons together, and applies the modes paused and bypassPermissions. */
void approval_finish(struct judge *j);
/* contain.c: replaces contain where nothing can be contained */
void contain_finish(struct judge *j);
enum grade judge_grade(const struct judge *j, const struct check *c);
/* True if a policy sets the grade of this check. */
bool judge_regraded(const struct judge *j, enum check_id id);
/*
 * Returns the grade of a finding that the box does not bound: contain becomes ask, unless a policy set the
 * grade.
 */
enum grade judge_grade_unbounded(const struct judge *j, const struct check *c);
void judge_raise_graded(struct judge *j, const struct check *c, enum grade g, struct span at,
		struct str message, const char *alternative);
/*
 * True if a command around this place works outside of any box: on another machine, with other privileges,
 * through a service.
 */
bool judge_leaves_box(struct judge *j, struct span at);
/*
 * True if a substitution ($( ), <( ), backticks) encloses `at`, but not `outer`: then the shell runs it, not
 * `outer`.
 */
bool span_substituted(const struct facts *f, struct span outer, struct span at);
bool judge_leaves_box_by(struct judge *j, struct span at, unsigned effects); /* ... by one of `effects` */
/*
 * True if the person's rules allow the command that this place belongs to, and every command that overlaps
 * it.
 */
bool judge_lifted(struct judge *j, struct span at);
/* Returns the bytes at a place for a message, shortened and on one line. */
struct str judge_excerpt(struct judge *j, struct span at);
/* Returns "before'excerpt'after". */
struct str judge_quote(struct judge *j, const char *before, struct span at, const char *after);
bool subject_is_program(const struct judge *j, const struct subject *s);
struct know_options *subject_options(struct judge *j, struct subject *s);
struct know_result *subject_known(struct judge *j, struct subject *s);

/* paths.c. Asks the world, once per question. False if there are too many questions. */
bool judge_ask(struct judge *j, const struct question *asked);

/* derive.c. Records a step of the derivation, once. */
void judge_step(struct judge *j, enum step_kind k, struct str rule, struct span at);
struct where;
/* True if names are compared case-insensitively, because of the policy or of the file system. */
static inline bool judge_folds(const struct judge *j) { return j->p->fold_case || j->v->fold_case; }
void judge_placed(struct judge *j, const struct access *x, const struct where *w);
void judge_known(struct judge *j);

/* prefix_rules.c */
enum prefix_match { MATCH_NO = 0, MATCH_MAYBE, MATCH_YES };
/*
 * For deny and ask rules: an unknown word may be the rule's word; any directory before the command's name is
 * ignored.
 */
enum prefix_match rule_match(const struct prefix_rule *r, const struct command *c);
/*
 * For allow rules: every word of the rule must be present and known; only a system directory before the name
 * is ignored.
 */
bool rule_allows(const struct prefix_rule *r, const struct command *c);
bool path_is_system_program(struct str path);
struct str path_base(struct str path);

/* tiers.c */
void tiers_decide(struct judge *j); /* runs before the checks; decides which commands are allowed */
void tiers_default(struct judge *j, const struct check *c);
void tiers_plan(struct judge *j, const struct check *c);

/* paths.c */
struct where { /* one resolved path that an access may touch */
	struct str path;    /* as written, absolute, normalized */
	struct str real;    /* resolved for this kind of access; equals path if unknown */
	const struct path_answer *answer; /* NULL: no answer yet */
	enum place place;   /* place of `real` */
	bool wild;          /* from a pattern, or with an unknown number or name in it */
	bool made;          /* ... with an unknown name after known letters: output of mktemp */
	bool sure;          /* false: links could not be resolved */
};

/* Calls fn for every path that the access may touch. False if these are unknown: then fn was not called. */
bool paths_each(struct judge *j, const struct access *x, void (*fn)(struct judge *, const struct access *,
		const struct where *, void *), void *ctx);
/* For callers that only want the world to be asked. */
void paths_visit_nothing(struct judge *j, const struct access *x, const struct where *w, void *ctx);
/*
 * Asks the world about all accesses; true if an answer is missing. A cheap first round: nothing is judged
 * without the answers.
 */
bool paths_ask(struct judge *j);
/* Normalizes //, . and .. textually. */
struct str path_plain(struct arena *a, struct str path);
bool path_within(struct str path, struct str dir); /* equal to dir, or below it */
struct str path_above(struct str path); /* parent of a normalized path; of / it is / */
enum place path_place(const struct judge *j, struct str path);
bool path_is_temp(struct str path); /* /tmp itself and the like */
#define PACKAGE_FILES "/__init__.*" /* in a directory: makes it a Python package */
bool access_is_import(const struct access *x); /* code would load this file if it exists */
bool access_is_redirection(const struct access *x);
bool access_connects(const struct access *x); /* /inet/tcp/...: gawk opens a connection */
bool path_known(const struct word *w);
/* Returns a known path as a file name pattern, with stars for its unknown parts. */
struct str path_pattern(struct arena *a, const struct word *w);

/* the checks; the table in checks.c names them */
void danger_words(struct judge *j, const struct check *c);
void danger_numbers(struct judge *j, const struct check *c);
void danger_effects(struct judge *j, const struct check *c);
void danger_unknown_program(struct judge *j, const struct check *c);
void danger_environment(struct judge *j, const struct check *c);
void repository_ask(struct judge *j); /* repository.c: asks the world in advance */
/* The directory git works in if the command starts in `dir`: each -C is relative to it. Empty if unknown. */
struct str repository_start(struct judge *j, struct subject *s, struct str dir);
/*
 * Returns a directory from which git finds the repository that it works in, if the command starts in `dir`.
 * Paths of the command do not start there. Empty if unknown.
 */
struct str repository_seen_from(struct judge *j, struct subject *s, struct str dir);
void processes_check(struct judge *j, struct subject *s); /* processes.c: kill, pkill, killall, fuser */
void packages_ask(struct judge *j, const struct command *c); /* packages.c: asks the world in advance */
void packages_fetch(struct judge *j, const struct check *c);
/* True if a command at this place fetches packages into the project, or fetches the program it runs. */
bool packages_install(const struct judge *j, struct span at);
/* Marks the subjects that install packages, and counts them. */
size_t packages_installers(const struct judge *j);
/* True if npx, uvx or the like runs this command: its name is one of a package, not of a system command. */
bool packages_runs(const struct command *c);
/* network_uses.c: commands whose use of the network is known (knowledge/network.yaml) */
enum net_use network_use(struct judge *j, struct subject *s);
/* Judges the network of a command by its form. False if it has no form that says more than `network`. */
bool network_uses_tell(struct judge *j, struct subject *s);
/* Asks about allowed reads that would now run in the box, where they reach nothing. */
void network_uses_in_box(struct judge *j);
/*
 * True for a file by which git runs programs (config, hooks), in a directory that has the content of a git
 * directory on disk.
 */
bool repository_file(struct judge *j, struct str path);
void repository_planted(struct judge *j, const struct check *c);
void repository_unvetted(struct judge *j, const struct check *c);
void path_programs(struct judge *j, const struct check *c);
/* git_hooks.c: hooks and programs of the project that git runs */
void git_hooks_check(struct judge *j, const struct check *c);
/* True if the first operand is a path, not the name of a remote: git fetch ../b. */
bool git_hooks_from_path(struct judge *j, struct subject *s);
/* True if git fetches from a remote that was there when the session began. */
bool git_hooks_remote_known(struct judge *j, struct subject *s);
/* True if a refspec writes nothing but branches, tags and notes, and forces none. */
bool git_hooks_refspec_plain(struct str spec);
/* Returns a command that makes signatures (git commit -S), which needs a key that no box has; else NULL. */
struct subject *git_hooks_signs(struct judge *j);
/* NULL: not known yet; asks for it */
const struct git_answer *git_hooks_answer(struct judge *j, struct str dir);
void flow_execute(struct judge *j, const struct check *c);
void flow_leak(struct judge *j, const struct check *c);
void flow_reverse_shell(struct judge *j, const struct check *c);
void flow_fork_bomb(struct judge *j, const struct check *c);
void paths_check(struct judge *j, const struct check *c);
void paths_directories(struct judge *j, const struct check *c);
/* True if the access covers a root of the project, everything in it, or its .git. */
bool paths_whole_project(const struct judge *j, const struct access *x, const struct where *w);
bool paths_found(struct judge *j, const struct access *x); /* find selects by its tests what this deletes */
void checks_run(struct judge *j); /* checks.c: runs the whole table, in order */
/*
 * path_pattern.c: true if each component of the pattern ("/?*", "/[!.]*", "/!(x)") matches nearly every name.
 */
bool pattern_finds_all(struct str pattern);
/* path_derived.c: paths that no word names */
/*
 * Calls fn for the files that the request opens for reading and that a write to a descriptor's path may
 * change.
 */
void paths_through_descriptor(struct judge *j, const struct access *x,
	void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
void paths_into_directory(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
void paths_through_new_names(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx);
/* cp .env .env.bak: the copy stays in the project, and its name still marks it as a secret. */
bool paths_keeps_secret(struct judge *j, const struct access *x);
bool paths_renames_secret(struct judge *j, const struct access *x, const struct where *w);
void paths_git(struct judge *j, void (*fn)(struct judge *, const struct access *, const struct where *,
		void *), void *ctx);
/* Resolves nothing: the path as written, in a directory. */
struct where paths_lexical(struct judge *j, struct str dir, struct str text);
void paths_raise_secret(struct judge *j, const struct subject *s, const char *what);
/* path_listed.c: secrets that one command lists and another one reads */
void paths_listed_secrets(struct judge *j);
/* A command of find reads what find chooses, so the tests of find decide: paths_listed_secrets(). */
bool paths_found_by_name(struct judge *j, const struct access *x);
/* False if a command of find reads this, and the names that find asks for exclude /proc/PID/environ. */
bool paths_finds_environ(struct judge *j, const struct access *x);
/* path_given.c: secrets that are given to programs whose reads are not known */
void paths_given_secrets(struct judge *j);
/*
 * path_checks.c: true if the program prints nothing of what the file holds: a number, a checksum, a name, or
 * whether files differ.
 */
bool paths_print_nothing(struct judge *j, const struct access *x);
bool access_copies(const struct access *x);
void text_marks(struct judge *j, const struct check *c);
void text_empty(struct judge *j, const struct check *c);
void text_git_commit(struct judge *j, const struct check *c);
void text_jq(struct judge *j, const struct check *c);
void text_zsh(struct judge *j, const struct check *c);
void text_many(struct judge *j, const struct check *c);
void database_sql(struct judge *j, const struct check *c);
/* True if every statement is known to read or to create something. `psql`: its dialect, else mysql's. */
bool sql_reads(struct str s, bool psql);
/* Skips a string, a quoted name or a comment at i. Returns the index after it, or i if there is none. */
size_t sql_quoted_end(struct str s, size_t i);
void advice_route(struct judge *j, const struct check *c);
bool access_reads_secret(struct judge *j, const struct access *x);
/* True if the text of the command expands a variable whose name carries a secret: $TOKEN, ${TOKEN:-x}. */
bool flow_expands_secret(const struct judge *j, struct span at);

/* option_names.c */
void option_names_ask(struct judge *j); /* asks the world in advance */
void option_names_check(struct judge *j, const struct check *c);
/* True if the name starts with a dash and the pattern may match it. */
bool option_name_fits(struct str pattern, struct str name);
/* True if the directory may hold a name that starts with a dash and that the pattern may match. */
bool option_name_in(struct judge *j, struct str dir, struct str pattern, struct moment use);
/*
 * True if a pattern that may name hosts (rsync * d) matches local names only. False also if that is unknown.
 */
bool option_names_no_host(struct judge *j, const struct subject *s, const struct word *w);

/* inline.c: true if this code can neither run a command nor write a file. */
bool inline_harmless(const struct snippet *s);
