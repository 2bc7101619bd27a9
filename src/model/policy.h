/*
 * A policy as the gate uses it: plain lists that src/config builds from one or more files. They never change
 * afterwards.
 *
 * Every rule starts with a struct rule: its source and its message. Within one policy the tiers of
 * docs/policy.md decide, never the order of rules.
 */
#pragma once
#include "base/texts.h"
#include "model/backend_choice.h"
#include "model/limits.h"
#include "model/validation.h"
#include "model/verdict.h"

struct regex; /* base/regex.h */

struct rule {
	struct str description, alternative; /* shown to the model; empty: not given */
	struct str where;                    /* "file:line", or "preset git:12" */
};

/* ---- commands ---- */

/* tools.bash.deny / ask / allow: matches the prefix itself, alone or followed by a blank */
struct prefix_rule {
	struct prefix_rule *next;
	struct rule rule;
	struct str prefix;
};

struct regex_rule { /* checks (deny), allowChecks (allow): searched in the words, joined by blanks */
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
	/* true: the target lies outside all `paths`; false: it matches one of them (globs) */
	bool outside;
	struct texts *paths;   /* roots or globs; "." is the project, "~" the home */
	enum verdict decision; /* deny, ask or allow */
};

enum argument_test { ARGUMENT_ANY_OUTSIDE, ARGUMENT_ALL_INSIDE, ARGUMENT_ANY_MATCHES, ARGUMENT_ALL_MATCH };

struct argument_rule { /* arguments: */
	struct argument_rule *next;
	struct rule rule;
	struct texts *commands; /* globs; "rm|rmdir" is split into two */
	enum argument_test test;
	struct texts *values;   /* roots for the first two tests, regexes for the others */
	struct regex **regexes; /* one per value, ARGUMENT_*_MATCH* only */
	enum verdict decision;
};

struct normalise_rule { /* normalise: applied before prefixes are compared */
	struct normalise_rule *next;
	struct rule rule;
	struct str prefix;
	struct regex_rule *strip;
};

/* tools.bash.only: an allow-list of program names. Several lists must all hold the name. */
struct names_rule {
	struct names_rule *next;
	struct rule rule;
	struct texts *names;
};

/* ---- code inside commands (judged by the findings of src/code) ---- */

struct call_rule { /* interpreters.*.calls, .imports and .writes */
	struct call_rule *next;
	struct rule rule;
	struct texts *match;    /* alternatives; "*" is a wildcard */
	struct texts *outside;  /* pathArgsOutside, or outside of writes; NULL: no condition */
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

struct tool_rule { /* tools.deny / ask / allow: a glob for tool names */
	struct tool_rule *next;
	struct rule rule;
	struct str tool;
};

/* permissions.deny / ask / allow: Bash(npm run test:*), Read(~/.ssh/id_*), Edit(src) */
struct permission_rule {
	struct permission_rule *next;
	struct rule rule;
	struct str tool;      /* "Bash", "Read", "Edit", ... */
	struct str pattern;   /* the text between the parentheses; `all`: no parentheses */
	bool all;
	/* directory of the rule's file; base of paths that start with one slash */
	struct str base;
};

/* ---- grades ---- */

struct regrade { /* the key checks_grade */
	struct regrade *next;
	struct rule rule;
	enum check_id id;   /* CHECK_NONE: unknown check; gate_verify() reports it */
	struct str name;    /* as written */
	enum grade grade;
};

struct example { /* match / not_match inside a rule; verified when the policy is loaded */
	struct example *next;
	const struct rule *rule;
	struct str command;
	bool match;
	struct str where; /* file:line:column of the example itself */
};

/* MODE_PAUSED comes from no file and no client: only a person can pause Caisson (judge/pause.h). */
enum mode { MODE_DEFAULT, MODE_ACCEPT_EDITS, MODE_PLAN, MODE_BYPASS, MODE_DONT_ASK, MODE_PAUSED };
enum route { ROUTE_ADVISE, ROUTE_OFF, ROUTE_WARN, ROUTE_ASK, ROUTE_DENY };

struct classifier {
	struct texts *command; /* NULL: none */
	unsigned timeout_ms;
};

struct custom_validator { /* a person's own program that judges results */
	struct custom_validator *next;
	struct str name;
	enum task task;
	struct texts *command;
	unsigned timeout_ms;
};

/*
 * Blocks of the policy that other modules implement (session start, rewriting of inputs, scanning for
 * secrets). They are stored as written.
 */
struct guidance {
	bool enabled, include_defaults;
	struct texts *extra;
};

struct tmp_redirect { /* /tmp/x is rewritten to TARGET/x before judging */
	bool on;
	struct str target;
};

struct secrets {
	bool enabled, scan_inputs, scan_outputs;
	struct str scanner;
	struct texts *input_tools, *output_tools; /* empty: the built-in list */
	struct texts *allow_rules;
	uint64_t scan_bytes_max;
	unsigned timeout_ms;
};

struct hooks { /* answers to clients */
	bool approve;          /* an allowed command runs without a question by the client */
	unsigned deadline_ms;  /* a slower answer becomes a refusal */
};

/* Sockets of the person that a box may get: bits. box_socket_name() has their names. */
enum box_socket { BOX_SOCKET_SSH = 1, BOX_SOCKET_GPG = 2, BOX_SOCKET_DOCKER = 4 };
#define BOX_SOCKETS 3

static inline const char *box_socket_name(size_t i)
{
	static const char names[BOX_SOCKETS][12] = {"ssh-agent", "gpg-agent", "docker"};

	return names[i];
}

#define CACHES_PROJECT ((uint64_t)10 << 30)
#define CACHES_TOTAL ((uint64_t)40 << 30)

struct sandbox { /* settings of the box */
	struct str image;            /* the image that is the root; empty: none */
	bool enabled;          /* false: no command is contained; contain_fallback applies */
	bool always;           /* clients: allowed commands are contained too */
	bool allow_unboxed;    /* a caller may request a run outside the box; a person must approve it */
	bool host_network;     /* run --network host is possible */
	/*
	 * Hosts that boxes of the work profile reach: rules (model/network.h) and "preset:NAME".
	 * network_only, if network_limited: boxes reach no other hosts, whoever grants them.
	 */
	struct texts *network_allow, *network_only;
	bool network_limited;
	/* numbers: ports of the host's loopback that boxes of the work profile reach */
	struct texts *host_ports;
	struct texts *publish;      /* ports of boxes that lead there from the host's loopback */
	/* a command that cannot be boxed inside the client's own sandbox may run there without a box */
	bool trust_client;
	/* an explicit memory limit may be watched where no cgroup enforces it */
	bool accept_watched;
	unsigned sockets;      /* of boxes of the work profile: enum box_socket */
	bool background;       /* processes that a contained command leaves stay in the background */
	enum backend_choice backend; /* how boxes are made, unless the caller says */
	bool ptrace;           /* programs of a box may trace each other */
	/* further paths of boxes of the work profile: absolute, "~/x", or relative to the project */
	struct texts *read, *write;
	/* bytes of caches that boxes have written: of one project, and of all; 0: no limit */
	uint64_t caches_project, caches_total;
	struct texts *env_pass, *env_scrub; /* names of variables; "*" is a wildcard */
	struct limit_set limits[LIMITS];
};

/* The evidence that a run with a named task needs. Zeroed memory: its output must be recognised. */
enum result_need { RESULT_NEEDS_FORMAT, RESULT_NEEDS_NOTHING, RESULT_NEEDS_WITNESS };

struct result_policy {
	enum result_need need;
	bool of_system; /* set by the system's file: other files may be stricter, not milder */
	bool no_canary; /* test runs get no tests that must fail */
};

/*
 * Rows of the record whose append waits until they are on the disk. BEGIN: begin, checkpoint, tombstone and
 * person rows.
 */
enum audit_sync { AUDIT_SYNC_BEGIN = 0, AUDIT_SYNC_ALWAYS, AUDIT_SYNC_NONE };

struct audit_policy { /* settings of the record */
	bool optional;           /* a run may go on although it cannot be recorded */
	enum audit_sync sync;
	unsigned retention_days;
	uint64_t quota;          /* bytes of the whole record, blobs included; 0: no limit */
	uint64_t outputs;        /* bytes stored per stream; 0: streams are not stored */
	struct {
		bool required, sync, retention;
	} of_system;             /* set by the system's file: other files may be stricter, not milder */
};
#define AUDIT_RETENTION_DAYS 90
#define AUDIT_RETENTION_MAX 36500
#define AUDIT_QUOTA ((uint64_t)4 << 30)
#define AUDIT_OUTPUTS ((uint64_t)16 << 20)

struct policy {
	struct str digest;     /* "sha256:..." of the loaded files */
	struct str title;      /* name in answers: "built-in", "user", "project" */
	enum verdict fallback; /* `default` */
	enum verdict on_error; /* `onError`: deny or ask; VERDICT_ALLOW: not given, the checks decide */
	enum mode mode;
	enum route route;      /* for plain file work that a client tool does better */
	enum verdict contain_fallback;
	bool discourage_chaining, offer_manual_run;
	/* if `default` is not allow: read-only commands need no allow rule. Lifts no finding */
	bool allow_readonly;
	bool fold_case;        /* compare protected names case-insensitively */
	bool silent;           /* untrusted file: the model sees none of its texts */
	bool no_lifting;       /* system policy: ignore allow rules and milder grades of other policies */

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

	struct texts *writable_roots;         /* in addition to the project and /tmp/claude */
	struct texts *protected_paths;        /* in addition to the built-in ones; gitignore patterns */
	/* globs: secrets in addition to the built-in ones, and exceptions */
	struct texts *secret_paths, *secret_allow;
	struct texts *excluded_commands;      /* never boxed; not a security boundary */
	struct classifier classifier;
	struct custom_validator *validators;
	struct result_policy results;
	struct guidance guidance;
	struct tmp_redirect redirect;
	struct secrets secrets;
	struct sandbox sandbox;
	struct hooks hooks;
	struct audit_policy audit;
	bool client_settings;                 /* also read the client's own permission rules */

	const struct know_row *commands;      /* the user's own knowledge rows */
	size_t ncommands;
};
