/* caisson audit: verifies the record (verify), and dispatches to the other subcommands. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "audit/sign.h"
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "sys/file.h"

enum { EXIT_BROKEN_CHAIN = 1 };

#define OUT_MAX ((size_t)1 << 20)

struct audit_options {
	bool json;
	const char *key, *checkpoint;
};

#define AT(field) offsetof(struct audit_options, field)
static const struct option_row options[] = {
	{"json", OPTION_FLAG, AT(json), "", "print one JSON object"},
	{"key", OPTION_VALUE, AT(key), "KEY",
			"the public key, or a file with it; something must be signed by it"},
	{"checkpoint", OPTION_VALUE, AT(checkpoint), "FILE", "the record must go on from this checkpoint"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{0, "the chain holds"}, {EXIT_BROKEN_CHAIN, "the chain does not hold"},
	{EXIT_NO_RECORD, "there is no record"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read, or is refused because others may write it"},
};

static const struct example_row examples[] = {
	{"caisson audit verify",
			"Goes over all rows of all days; names the first that was changed, removed, "
			"reordered or inserted."},
	{"caisson audit verify --key PUBLIC --checkpoint FILE",
			"The same, and the record must go on from what was signed."},
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
		buf_fmt(b, "%" PRIu64 " rows before it hold\n", v->rows);
		return;
	}
	buf_fmt(b, "the chain holds: %" PRIu64 " rows in %" PRIu64 " day%s", v->rows, v->days,
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
					"'%s' is not what caisson audit checkpoint --export writes: %s",
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

static int run_audit_verify(const struct command_row *self, int argc, char **argv)
{
	const struct command_row *other = find_apart(argc, argv);
	struct audit_verify_job j = {0};
	bool named = argc > 1 && argv[1][0] != '-';
	int code, first;

	if (other)
		return other->run(other, argc - 1, argv + 1);
	first = options_take(self, argc - named, argv + named, &j.o, &code);
	if (first < 0)
		return code;
	if (!named || strcmp(argv[1], "verify") != 0)
		return usage_wrong(self,
				named ? "expected verify, query, show, tail, export, prune, checkpoint, "
				"keygen, reindex or replay-all" :
				"verify, query, show, tail or another subcommand is missing");
	if (first < argc - named)
		return usage_wrong(self, "no operand is expected");
	return with_arena(&j.a, audit_verify_job_run, &j);
}

const struct command_row command_audit = {
	.name = "audit",
	.synopsis = "verify [--key KEY] [--checkpoint FILE] [--json]\n"
		    "query | show | tail | export | reindex [OPTIONS]\n"
		    "checkpoint | keygen | prune | replay-all [OPTIONS]",
	.summary = "verify the record; find, show, export and drop rows of it",
	.about = "The record is what was judged and run, one JSON object a line, one file a day, below "
			"audit/ in the state directory. Each row has the hash of the row before it, "
		 "so that a row that was changed, removed, moved or put in shows.\n\n"
		 "verify goes over all rows in order and ends with the first that does not fit: file and "
		 "line, the row's number, and what was done to it (changed, removed, reordered, "
		 "inserted; torn is a last line that a killed writer left, which the next row repairs). It "
		 "prints the newest row's hash: noted elsewhere, it also shows later that rows "
		 "were cut off the end or that the whole chain was written anew, which the files alone "
		 "cannot. caisson-audit-checkpoint(1) makes such notes with a signature: --key and "
		 "--checkpoint check them; "
		 "forged is a signature that does not hold, rewritten a row that is another one than was "
		 "signed, unanchored a record in which nothing that was signed is left.\n\n"
		 "The other subcommands have pages of their own: caisson-audit-query(1), -show, -tail, "
		 "-export, -reindex, -checkpoint, -keygen, -prune and -replay-all.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_audit_verify,
};
