/*
 * caisson audit keygen and caisson audit checkpoint: signatures that let somebody elsewhere verify that the
 * record only grew. Both are reached through `caisson audit` and have their own command rows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "audit/sign.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "sys/file.h"

#define KEY_NAME "audit.key" /* in the state directory */
#define OUT_MAX ((size_t)1 << 20)

struct key_options {
	bool json;
	const char *key, *export;
};

struct audit_key_job {
	struct arena a;
	struct key_options o;
	const char *operand;
	struct record_home at;
	struct buf out;
	bool found;      /* the record exists */
	int (*run)(struct audit_key_job *j, struct err *e);
	const char *name;
};

#define AT(field) offsetof(struct key_options, field)
static const struct option_row keygen_options[] = {
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
};
static const struct option_row checkpoint_options[] = {
	{"key", OPTION_VALUE, AT(key), "FILE", "the secret key (default: audit.key in the state directory)"},
	{"export", OPTION_VALUE, AT(export), "FILE",
			"also write the checkpoint to this file, to keep it elsewhere"},
	{"json", OPTION_FLAG, AT(json), "", "print the checkpoint as JSON, as --export writes it"},
	OPTION_HELP_ROW,
};

static const struct exit_row keygen_exits[] = {{0, "the key was created"}, {1, "a file of that name exists"},
		{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "the key cannot be created"}};
static const struct exit_row checkpoint_exits[] = {
	{0, "the row was written"}, {1, "nothing to sign, or no usable key"},
	{EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be written"}};

static const struct example_row keygen_examples[] = {
	{"caisson audit keygen", "Creates audit.key in the state directory and prints the public key."},
	{"caisson audit keygen /media/stick/caisson.key",
			"Puts the secret key on a removable medium."},
};
static const struct example_row checkpoint_examples[] = {
	{"caisson audit checkpoint --export checkpoint.json",
			"Signs the newest row; keep the file on another machine."},
	{"caisson audit verify --key PUBLIC --checkpoint checkpoint.json",
			"Checks later that the record continues from it."},
};

static struct str key_path(struct audit_key_job *j, const char *given)
{
	return given ? str_of(given) : str_fmt(&j->a, "%.*s/" KEY_NAME, STR_ARG(j->at.state));
}

/* ---- keygen ---- */

static int keygen(struct audit_key_job *j, struct err *e)
{
	struct str path = key_path(j, j->operand);
	struct audit_key key;
	struct doc o;

	if ((!j->operand && home_make(&j->a, &j->at, e) < 0) || audit_key_make(&j->a, path, &key, e) < 0)
		return -1;
	if (j->o.json) {
		doc_start(&o, &j->out, true);
		doc_word(&o, "public_key", key.name);
		doc_text(&o, "file", path);
		doc_finish(&o);
		return 0;
	}
	buf_fmt(&j->out, "%s\n", key.name);
	output_error("audit keygen: this is the public key; the secret one is in '%.*s'", STR_ARG(path));
	return 0;
}

/* ---- checkpoint ---- */

static int checkpoint(struct audit_key_job *j, struct err *e)
{
	struct audit_key key;
	struct audit_checkpoint cp;
	struct audit_written row;
	struct buf text;

	if (home_open(&j->a, &j->at, false, e) < 0)
		return -1;
	if (audit_key_load(&j->a, key_path(j, j->o.key), j->at.uid, &key, e) < 0) {
		if (e->kind == ERR_SYSTEM && e->errnum == ENOENT)
			err_config(e, "no key '%.*s' (caisson audit keygen creates one)",
					STR_ARG(key_path(j, j->o.key)));
		return -1;
	}
	if (audit_checkpoint(&j->a, &j->at.audit, &key, &cp, &row, e) < 0)
		return -1;
	buf_init(&text, &j->a, CHECKPOINT_TEXT_MAX);
	checkpoint_json(&text, &cp);
	buf_char(&text, '\n');
	if (j->o.export && file_replace(j->o.export, buf_view(&text), e) < 0)
		return -1;
	if (j->o.json)
		buf_str(&j->out, buf_view(&text));
	else
		buf_fmt(&j->out, "row %" PRIu64 " signs row %" PRIu64 ", %s, by %s\n", row.seq, cp.seq,
				cp.hash, cp.key);
	return 0;
}

/* ---- both ---- */

static int exit_of(const struct err *e, const struct audit_key_job *j)
{
	if (e->kind == ERR_SYSTEM && e->errnum == ENOENT && j->run == checkpoint && !j->found)
		return EXIT_NO_RECORD;
	return e->kind == ERR_INPUT || e->kind == ERR_CONFIG ||
			(e->kind == ERR_SYSTEM && (e->errnum == EEXIST || e->errnum == ENOENT)) ? 1 :
			EXIT_INTERNAL;
}

static int audit_key_job_run(void *arg)
{
	struct audit_key_job *j = arg;
	struct err e = {0};
	int rc;

	buf_init(&j->out, &j->a, OUT_MAX);
	home_find(&j->a, &j->at);
	rc = j->run(j, &e);
	j->found = j->at.opened;
	home_close(&j->at);
	if (rc < 0) {
		output_error("%s: %s", j->name, e.text);
		return exit_of(&e, j);
	}
	return output_write(buf_view(&j->out), 0);
}

static int start_key_command(const struct command_row *self, int argc, char **argv,
		int (*fn)(struct audit_key_job *j, struct err *e), bool operand)
{
	struct audit_key_job j = {.run = fn, .name = self->name};
	int code, first = options_take(self, argc, argv, &j.o, &code);

	if (first < 0)
		return code;
	if (first + operand < argc)
		return usage_wrong(self, operand ? "give one file" : "unexpected argument");
	j.operand = first < argc ? argv[first] : NULL;
	if ((j.operand && !*j.operand) || (j.o.key && !*j.o.key) || (j.o.export && !*j.o.export))
		return usage_wrong(self, "the file name is empty");
	return with_arena(&j.a, audit_key_job_run, &j);
}

static int run_keygen(const struct command_row *self, int argc, char **argv)
{
	return start_key_command(self, argc, argv, keygen, true);
}
static int run_checkpoint(const struct command_row *self, int argc, char **argv)
{
	return start_key_command(self, argc, argv, checkpoint, false);
}

const struct command_row command_audit_keygen = {
	.name = "audit keygen",
	.synopsis = "[--json] [FILE]",
	.summary = "create a key that signs the record",
	.about = "Creates an Ed25519 key: the secret key in a new file (mode 0600; audit.key in the state "
			"directory unless FILE is given), the public key on standard output. An existing "
			"file is never replaced. Keep the public key where the record cannot be changed; "
			"caisson audit verify --key takes it.\n\nAnyone who can read the secret key can sign "
			"a rewritten record. On the same machine the key protects against people who can "
			"write the record but cannot read the key. Kept elsewhere, and attached only while a "
			"checkpoint is made, it protects against everyone. Agents may not run this command.",
	COMMAND_OPTIONS(keygen_options),
	COMMAND_EXITS(keygen_exits),
	COMMAND_EXAMPLES(keygen_examples),
	.run = run_keygen,
};

const struct command_row command_audit_checkpoint = {
	.name = "audit checkpoint",
	.synopsis = "[--key FILE] [--export FILE] [--json]",
	.summary = "sign the newest row of the record",
	.about = "Appends a row with the number and hash of the newest row, the time, and a signature of "
			"these. Each row contains the hash of the row before it, so the signature covers "
			"everything recorded so far. --export writes the same to a file. Keep the file where "
			"nobody who can write the record can reach it: caisson audit verify --checkpoint "
			"FILE then proves that the record continues from there.\n\nA checkpoint says nothing "
			"about later rows. Agents may not run this command.",
	COMMAND_OPTIONS(checkpoint_options),
	COMMAND_EXITS(checkpoint_exits),
	COMMAND_EXAMPLES(checkpoint_examples),
	.run = run_checkpoint,
};
