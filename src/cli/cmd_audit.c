/* caisson audit: verifies the record (verify), and dispatches to the other subcommands. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "audit/sign.h"
#include "base/json.h"
#include "base/near.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "sys/file.h"

enum { EXIT_BROKEN_CHAIN = 1 };

#define OUT_MAX ((size_t)1 << 20)
#define WHY_ROOM 192

struct audit_options {
	bool json;
	const char *key, *checkpoint;
};

#define AT(field) offsetof(struct audit_options, field)
static const struct option_row options[] = {
	OPTION_JSON_ROW,
	{"key", OPTION_VALUE, AT(key), "KEY",
			"public key or key file; fails unless a checkpoint is signed with it"},
	{"checkpoint", OPTION_VALUE, AT(checkpoint), "FILE", "checkpoint file; fails unless the record "
			"continues from it"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "the chain is intact"}, {EXIT_BROKEN_CHAIN, "the chain is broken"},
	{EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read, or other users can write to it"},
};

static const struct example_row examples[] = {
	{"caisson audit verify",
			"Checks every row and names the first that was changed, removed, reordered or "
			"inserted."},
	{"caisson audit verify --key PUBLIC --checkpoint FILE",
			"Also checks that the record continues from a signed checkpoint."},
};

struct audit_verify_job {
	struct arena a;
	struct audit_options o;
	struct audit au;
	struct buf out;
};

/* ---- verify ---- */

static void doc_verdict(struct audit_verify_job *j, const struct audit_verdict *v)
{
	struct doc o;

	doc_start(&o, &j->out, true);
	doc_bool(&o, "ok", v->fault == AUDIT_SOUND);
	doc_number(&o, "rows", v->rows);
	doc_number(&o, "days", v->days);
	doc_number(&o, "bytes", v->bytes);
	doc_number(&o, "recovered", v->recovered);
	doc_number(&o, "missing", v->missing);
	doc_number(&o, "tombstones", v->tombstones);
	doc_number(&o, "first_seq", v->first_seq);
	doc_number(&o, "last_seq", v->last_seq);
	doc_word(&o, "last_hash", v->last_hash);
	doc_number(&o, "checkpoints", v->checkpoints);
	doc_number(&o, "signed_seq", v->signed_seq);
	if (v->fault != AUDIT_SOUND) {
		doc_map(&o, "fault");
		doc_word(&o, "kind", audit_fault_name(v->fault));
		doc_word(&o, "file", v->file);
		doc_number(&o, "line", v->line);
		doc_number(&o, "seq", v->seq);
		doc_word(&o, "why", v->why);
		doc_end(&o);
	}
	doc_finish(&o);
}

static void print_verdict(struct audit_verify_job *j, const struct audit_verdict *v)
{
	struct buf *b = &j->out;

	if (v->fault != AUDIT_SOUND) {
		if (v->file[0]) {
			put_visible(b, j->au.path);
			buf_fmt(b, "/%s:%" PRIu64 ": row %" PRIu64 " ", v->file, v->line, v->seq);
		}
		buf_fmt(b, "%s: %s\n", audit_fault_name(v->fault), v->why);
		buf_fmt(b, "%" PRIu64 " rows before it are intact\n", v->rows);
		return;
	}
	buf_fmt(b, "the chain is intact: %" PRIu64 " rows in %" PRIu64 " day%s", v->rows, v->days,
			v->days == 1 ? "" : "s");
	if (v->rows)
		buf_fmt(b, ", %" PRIu64 " to %" PRIu64 ", %s", v->first_seq, v->last_seq, v->last_hash);
	if (v->signed_seq)
		buf_fmt(b, "; signed up to row %" PRIu64, v->signed_seq);
	if (v->recovered)
		buf_fmt(b, "; repaired %" PRIu64 " time%s (caisson audit query --kind recovered)",
				v->recovered, v->recovered == 1 ? "" : "s");
	if (v->missing)
		buf_fmt(b, "; %" PRIu64 " row%s that had been written %s gone by then", v->missing,
				v->missing == 1 ? "" : "s", v->missing == 1 ? "was" : "were");
	buf_char(b, '\n');
}

static int verify_record(struct audit_verify_job *j, struct err *e)
{
	struct audit_verdict v;
	struct audit_anchor anchor = {0};
	struct audit_checkpoint cp;
	char key[AUDIT_KEY + 1];
	struct str text;

	if (j->o.key) {
		if (audit_key_public(&j->a, str_of(j->o.key), key, e) < 0)
			return -1;
		anchor.key = str_of(key);
	}
	if (j->o.checkpoint) {
		struct err why;

		if (file_read(&j->a, j->o.checkpoint, CHECKPOINT_TEXT_MAX, &text, NULL, e) < 0)
			return -1;
		if (checkpoint_read(&j->a, text, &cp, &why) < 0)
			return err_set(e, why.kind, 0,
					"'%s' is not a file from caisson audit checkpoint --export: %s",
					j->o.checkpoint, why.text);
		anchor.checkpoint = &cp;
	}
	if (audit_verify(&j->a, &j->au, &anchor, &v, e) < 0)
		return -1;
	if (j->o.json)
		doc_verdict(j, &v);
	else
		print_verdict(j, &v);
	return v.fault == AUDIT_SOUND ? 0 : EXIT_BROKEN_CHAIN;
}

/* ---- the command ---- */

static int audit_verify_job_run(void *arg)
{
	struct audit_verify_job *j = arg;
	struct record_home at;
	struct err e = {0};

	buf_init(&j->out, &j->a, OUT_MAX);
	home_find(&j->a, &at);
	if (home_open(&j->a, &at, false, &e) < 0)
		return home_failed("audit verify", &e);
	j->au = at.audit;
	int rc = verify_record(j, &e);
	home_close(&at);
	if (rc < 0) {
		output_error("audit verify: %s", e.text);
		return EXIT_INTERNAL;
	}
	return output_write(buf_view(&j->out), rc);
}

/* Subcommands with their own command rows. */
static const struct command_row *const apart[] = {
	&command_audit_checkpoint, &command_audit_export, &command_audit_keygen, &command_audit_prune,
			&command_audit_query, &command_audit_reindex, &command_audit_replay_all,
			&command_audit_show,
	&command_audit_tail,
};

static const struct command_row *find_apart(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(apart); i++)
		if (!strcmp(argv[1], apart[i]->name + strlen("audit ")))
			return apart[i];
	return NULL;
}

static int unknown_audit(const struct command_row *self, const char *name)
{
	struct near guess = {.word = str_of(name)};
	char why[WHY_ROOM];

	near_try(&guess, "verify");
	for (size_t i = 0; i < ARRAY_SIZE(apart); i++)
		near_try(&guess, apart[i]->name + strlen("audit "));
	str_put(why, sizeof(why), "unknown subcommand '%.40s'%s%s%s", name,
			guess.best ? ", did you mean '" : " (use verify, query, show, tail, export, prune, "
			"checkpoint, keygen, reindex or replay-all)", guess.best ? guess.best : "",
			guess.best ? "'" : "");
	return usage_wrong(self, why);
}

static int run_audit_verify(const struct command_row *self, int argc, char **argv)
{
	const struct command_row *other = find_apart(argc, argv);
	struct audit_verify_job j = {0};
	bool named = argc > 1 && argv[1][0] != '-';
	int code, first;

	if (other)
		return other->run(other, argc - 1, argv + 1);
	if (named && strcmp(argv[1], "verify") != 0)
		return unknown_audit(self, argv[1]);
	first = options_take(self, argc - named, argv + named, &j.o, &code);
	if (first < 0)
		return code;
	if (!named)
		return usage_wrong(self, "no subcommand given (verify, query, show, tail, ...)");
	if (first < argc - named)
		return usage_extra(self, argv + named + first, 0, "");
	return with_arena(&j.a, audit_verify_job_run, &j);
}

const struct command_row command_audit = {
	.name = "audit",
	.synopsis = "verify [--key KEY] [--checkpoint FILE] [--json]\n"
		    "query | show | tail | export | reindex [OPTIONS]\n"
		    "checkpoint | keygen | prune | replay-all [OPTIONS]",
	.summary = "verify, search, show, export and prune the record",
	.about = "The record holds every command that was judged or run, as one JSON object a line and one "
			"file a day, below audit/ in the state directory. Each row contains the hash of the "
			"row before it, so a row that was changed, removed, moved or inserted is "
			"noticed.\n\nverify checks all rows in order and stops at the first that does not "
			"fit. It prints the file and line, the number of the row, and what happened to it: "
			"changed, removed, reordered, inserted, or torn (the last line of a writer that was "
			"killed; the next row repairs it). It also prints the hash of the newest row. Keep "
			"this hash elsewhere to notice later that rows were cut off the end or that the "
			"whole chain was rewritten, which the files alone cannot show. "
			"caisson-audit-checkpoint(1) writes such notes with a signature, and --key and "
			"--checkpoint verify them: forged is an invalid signature, rewritten a row that "
			"differs from the signed one, unanchored a record without any signed row.\n\nThe "
			"other subcommands have their own pages: caisson-audit-query(1), -show, -tail, "
			"-export, -reindex, -checkpoint, -keygen, -prune and -replay-all.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_audit_verify,
};
