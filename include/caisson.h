/*
 * libcaisson: judges shell commands inside a program, as `caisson check` does.
 *
 *     struct caisson *c;
 *     struct caisson_answer *answer;
 *     struct caisson_error why;
 *
 *     if (caisson_open(&c, &why) != 0 || caisson_judge(c, "rm -rf /", 8, &answer, &why) != 0)
 *             deny(why.text);
 *     if (caisson_answer_verdict(answer) == CAISSON_ALLOW)
 *             ...
 *     caisson_answer_free(answer);
 *     caisson_close(c);
 *
 * Functions that can fail return 0, or -1 and fill *e, which may be NULL. Outputs (ret_...) are untouched on
 * failure. A command that was not judged must not run: treat every failure as a denial.
 *
 * The library looks at the world for each judgement: at the paths that the command names, at HOME, PWD,
 * TMPDIR, XDG_CONFIG_HOME, XDG_STATE_HOME and CAISSON_STATE, and at the policy files of the system, the
 * person and the project. Policies stay in memory and are loaded again when a file that decides about them
 * changed. It may start git, to ask which files a checkout changes, and the classifier that the policy names.
 * It never runs the command, never prints, never exits, and changes no state of the process.
 *
 * A struct caisson belongs to one thread at a time; threads may have one each. An answer is independent of
 * the struct caisson that gave it, except that both must not be used by two threads at once.
 */
#ifndef CAISSON_H
#define CAISSON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAISSON_ERROR_TEXT 512

/* Stricter is smaller. Zero denies. */
enum caisson_verdict {
	CAISSON_DENY = 0,
	CAISSON_ASK = 1,     /* a person should look at it */
	CAISSON_CONTAIN = 2, /* it may run, but only in the box (`caisson run`) */
	CAISSON_ALLOW = 3,
};

enum caisson_error_kind {
	CAISSON_ERROR_NONE = 0,
	CAISSON_ERROR_SYSTEM,   /* the kernel said no: `errnum` says why */
	CAISSON_ERROR_INPUT,    /* an argument is not acceptable */
	CAISSON_ERROR_CONFIG,   /* a policy file does not load */
	CAISSON_ERROR_LIMIT,    /* memory or another bound */
	CAISSON_ERROR_INTERNAL, /* a bug of the library */
};

struct caisson_error {
	int kind; /* enum caisson_error_kind */
	int errnum;
	char text[CAISSON_ERROR_TEXT];
};

struct caisson;        /* who judges: settings, and the policies that are loaded */
struct caisson_answer; /* one judgement */

#pragma GCC visibility push(default)

/* The version of the library: "0.1.0". */
const char *caisson_version(void);
/* "deny", "ask", "contain", "allow". */
const char *caisson_verdict_name(enum caisson_verdict verdict);

int caisson_open(struct caisson **ret_caisson, struct caisson_error *e);
void caisson_close(struct caisson *c); /* NULL is fine, here and below */

/*
 * Settings hold for the judgements that follow. NULL restores the default.
 *   policy      a policy file in place of the person's own (~/.config/caisson/config.yaml)
 *   directory   absolute: where commands would run; default: the working directory of the process
 *   shell       "bash" (default), "sh", "zsh", "powershell"
 *   mode        permission mode of a client: "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"
 */
int caisson_set_policy(struct caisson *c, const char *path, struct caisson_error *e);
int caisson_set_directory(struct caisson *c, const char *path, struct caisson_error *e);
int caisson_set_shell(struct caisson *c, const char *name, struct caisson_error *e);
int caisson_set_mode(struct caisson *c, const char *name, struct caisson_error *e);

/*
 * Judges a command of `length` bytes. Policies that do not load and commands that reach a bound are answers,
 * too: they deny, with the reason policy-error or internal-error. -1: not even that could be made.
 */
int caisson_judge(struct caisson *c, const char *command, size_t length, struct caisson_answer **ret_answer,
		  struct caisson_error *e);

/* Texts belong to the answer, end in a NUL, and live until it is freed. */
enum caisson_verdict caisson_answer_verdict(const struct caisson_answer *a);
/* Reasons, most important first: the id of a check (docs/checks.md) and a sentence. NULL: no reason i. */
size_t caisson_answer_reasons(const struct caisson_answer *a);
const char *caisson_answer_reason_id(const struct caisson_answer *a, size_t i);
const char *caisson_answer_reason_text(struct caisson_answer *a, size_t i);
/* The answer of `caisson check --json` (docs/schema/check-answer.schema.json). NULL: no memory. */
const char *caisson_answer_json(struct caisson_answer *a);
/* The explanation of `caisson check --explain`, 80 columns wide. NULL: no memory. */
const char *caisson_answer_explanation(struct caisson_answer *a);
void caisson_answer_free(struct caisson_answer *a);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
