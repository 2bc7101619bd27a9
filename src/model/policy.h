/*
 * A policy as the gate uses it: plain lists, made by src/config from one or more files, never changed
 * afterwards.
 *
 * Every rule starts with a struct rule: where it stands and what it says to people. Within one policy the
 * tiers of docs/policy.md decide, never the order of rules.
 */
#pragma once
#include "model/limits.h"
#include "model/verdict.h"

struct regex; /* base/regex.h */

struct texts { /* a list of texts, in order */
	struct texts *next;
	struct str text;
};

struct rule {
	struct str description, alternative; /* for the model; empty when not given */
	struct str where;                    /* "file:line", or "preset git:12" */
};

/* ---- commands ---- */

/* tools.bash.deny / ask / allow: matches a command that equals it or starts with it and a blank */
struct prefix_rule {
	struct prefix_rule *next;
	struct rule rule;
	struct str prefix;
};

struct regex_rule { /* checks (deny), allowChecks (allow): searched in the command's words joined by blanks */
	struct regex_rule *next;
	struct rule rule;
	struct str pattern;
	struct regex *regex;
};

/* write includes append */
enum redirect_mode { REDIRECT_ANY, REDIRECT_READ, REDIRECT_WRITE, REDIRECT_APPEND };

struct redirect_rule { /* redirects: */
	struct redirect_rule *next;
	struct rule rule;
	enum redirect_mode mode;
	/* true: the target lies outside all of `paths`; false: it matches one of `paths` (a glob) */
	bool outside;
	struct texts *paths;   /* roots or globs; "." is the project, "~" the home */
	enum verdict decision; /* deny, ask or allow */
};

enum argument_test { ARGUMENT_ANY_OUTSIDE, ARGUMENT_ALL_INSIDE, ARGUMENT_ANY_MATCHES, ARGUMENT_ALL_MATCH };

struct argument_rule { /* arguments: */
	struct argument_rule *next;
	struct rule rule;
	struct texts *commands; /* "rm|rmdir" taken apart; globs */
	enum argument_test test;
	struct texts *values;   /* roots for the first two, regexes for the others */
	struct regex **regexes; /* one for each value, ARGUMENT_*_MATCH* only */
	enum verdict decision;
};

struct normalise_rule { /* normalise: before prefixes are compared */
	struct normalise_rule *next;
	struct rule rule;
	struct str prefix;
	struct regex_rule *strip;
};

/* tools.bash.only: a list of program names; others are denied. Every such list must hold the name. */
struct names_rule {
	struct names_rule *next;
	struct rule rule;
	struct texts *names;
};

/* ---- code inside commands (judged by src/code's findings) ---- */

struct call_rule { /* interpreters.*.calls, .imports and .writes */
	struct call_rule *next;
	struct rule rule;
	struct texts *match;    /* alternatives; "*" inside a name */
	struct texts *outside;  /* pathArgsOutside, or outside of writes; NULL: no such condition */
	struct regex *arg;      /* argMatches, or NULL */
	enum verdict decision;
};

struct interpreter_rules {
	struct interpreter_rules *next;
	enum lang lang;
	struct str name;        /* as written: "python", "javascript", ... */
	struct texts *names;
	struct call_rule *calls, *imports, *writes;
};

/* ---- other tools, and the permission rules of clients ---- */

struct tool_rule { /* tools.deny / ask / allow: the name of a tool, a glob */
	struct tool_rule *next;
	struct rule rule;
	struct str tool;
};

/* permissions.deny / ask / allow: Bash(npm run test:*), Read(~/.ssh/id_*), Edit(src) */
struct permission_rule {
	struct permission_rule *next;
	struct rule rule;
	struct str tool;      /* "Bash", "Read", "Edit", ... */
	struct str pattern;   /* between the parentheses; `all` when there are none */
	bool all;
	/* the directory of the file it came from, for paths that start with one slash */
	struct str base;
};

/* ---- grades ---- */

struct regrade { /* checks_grade */
	struct regrade *next;
	struct rule rule;
	enum check_id id;   /* CHECK_NONE: there is no such check, which gate_verify() tells */
	struct str name;    /* as written */
	enum grade grade;
};

struct example { /* match / not_match inside a rule: tried when the policy is loaded */
	struct example *next;
	const struct rule *rule;
	struct str command;
	bool match;
	struct str where; /* file:line:column of the example itself */
};

/* PAUSED is not in any file, and no client can say it: a person made a pause (judge/pause.h). */
enum mode { MODE_DEFAULT, MODE_ACCEPT_EDITS, MODE_PLAN, MODE_BYPASS, MODE_DONT_ASK, MODE_PAUSED };
enum route { ROUTE_ADVISE, ROUTE_OFF, ROUTE_WARN, ROUTE_ASK, ROUTE_DENY };

struct classifier {
	struct texts *command; /* NULL: none */
	unsigned timeout_ms;
};

struct custom_validator { /* a program of the person's own that judges results */
	struct custom_validator *next;
	struct str name, task;
	struct texts *command;
	unsigned timeout_ms;
};

/*
 * Blocks of the language whose work is done elsewhere (session start, rewriting of inputs, scanning for
 * secrets): kept as written.
 */
struct guidance {
	bool enabled, include_defaults;
	struct texts *extra;
};

struct tmp_redirect { /* /tmp/x becomes TARGET/x before judging */
	bool on;
	struct str target;
};

struct secrets {
	bool enabled, scan_inputs, scan_outputs;
	struct str scanner;
	struct texts *input_tools, *output_tools; /* empty: the built-in lists */
	struct texts *allow_rules;
	uint64_t scan_bytes_max;
	unsigned timeout_ms;
};

struct hooks { /* how clients are answered */
	bool approve;          /* what is allowed needs no question of the client's own */
	unsigned deadline_ms;  /* an answer that takes longer is a refusal */
};

struct sandbox { /* the box */
	bool enabled;          /* else nothing is contained: contain_fallback holds */
	bool always;           /* what is allowed is contained as well, where a client is answered */
	bool allow_unboxed;    /* a caller may ask to run something outside the box; a person is asked then */
	bool host_network;     /* run --network host is possible */
	/* what cannot be boxed because the client's own sandbox is around it may run in that sandbox */
	bool trust_client;
	/* a memory limit that is asked for may be watched where no cgroup enforces it */
	bool accept_watched;
	struct texts *env_pass, *env_scrub; /* names of variables, with stars */
	struct limit_set limits[LIMITS];
};

/*
 * When a row of the record is waited for until it is on the disk. BEGIN: begin, checkpoint, tombstone and
 * person rows.
 */
enum audit_sync { AUDIT_SYNC_BEGIN = 0, AUDIT_SYNC_ALWAYS, AUDIT_SYNC_NONE };

struct audit_policy { /* the record */
	bool optional;           /* what cannot be recorded may run all the same */
	enum audit_sync sync;
	unsigned retention_days;
	uint64_t quota;          /* bytes of the whole record, blobs included; 0: no limit */
	uint64_t outputs;        /* bytes of one stream that are kept; 0: streams are not kept */
	struct {
		bool required, sync, retention;
	} of_system;             /* the system's file says so: others may be stricter, not milder */
};
#define AUDIT_RETENTION_DAYS 90
#define AUDIT_RETENTION_MAX 36500
#define AUDIT_QUOTA ((uint64_t)4 << 30)
#define AUDIT_OUTPUTS ((uint64_t)16 << 20)

struct policy {
	struct str digest;     /* "sha256:..." of what was loaded */
	struct str title;      /* what it is called in answers: "built-in", "user", "project" */
	enum verdict fallback; /* `default` */
	enum verdict on_error; /* `onError`: deny or ask; VERDICT_ALLOW: not given, so the checks decide */
	enum mode mode;
	enum route route;      /* plain file work that a tool of the client does better */
	enum verdict contain_fallback;
	bool discourage_chaining, offer_manual_run;
	/* where the default is not allow, what is known to only read needs no rule; lifts nothing */
	bool allow_readonly;
	bool fold_case;        /* compare protected names without regard to case */
	bool silent;           /* an untrusted file: none of its texts reaches the model */
	bool no_lifting;       /* system policy: allow rules and milder grades of others do not count */

	struct prefix_rule *deny, *ask, *allow;
	struct regex_rule *checks, *allow_checks;
	struct redirect_rule *redirects;
	struct argument_rule *arguments;
	struct normalise_rule *normalise;
	struct names_rule *only;
	struct permission_rule *permission_deny, *permission_ask, *permission_allow;
	struct texts *ssh_allow, *ssh_deny;   /* host globs */
	struct interpreter_rules *interpreters;
	struct tool_rule *tool_deny, *tool_ask, *tool_allow;
	struct regrade *regrades;
	struct example *examples;

	struct texts *writable_roots;         /* besides the project and /tmp/claude */
	struct texts *protected_paths;        /* besides the built-in ones; gitignore patterns */
	/* globs that count as secrets besides the built-in ones; and that do not */
	struct texts *secret_paths, *secret_allow;
	struct texts *excluded_commands;      /* never boxed; no security boundary */
	struct classifier classifier;
	struct custom_validator *validators;
	struct guidance guidance;
	struct tmp_redirect redirect;
	struct secrets secrets;
	struct sandbox sandbox;
	struct hooks hooks;
	struct audit_policy audit;
	bool client_settings;                 /* the client's own permission rules are read as well */

	const struct know_row *commands;      /* the user's own knowledge rows */
	size_t ncommands;
};
