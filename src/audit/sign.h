/*
 * Signed checkpoints: "row `seq` of this record has this hash, and so everything before it is as it is", by an Ed25519 key.
 *
 * A checkpoint is a row of the record, about the row right before it, and may be written to a file as well, to be kept where the machine's
 * own people cannot reach it. A chain that was written anew does not hold that row with that hash, and without the secret key no row can be
 * signed. docs/audit.md says what this does not stop.
 *
 * The secret key is a file (0600) with one line, `caisson-secret-key-1 ` and the seed in hex; the public key is 64 hex digits.
 */
#pragma once
#include "audit/audit.h"

#define AUDIT_KEY 64       /* hex digits of a public key */
#define AUDIT_SIGNATURE 128
#define AUDIT_AT 27        /* 2026-01-31T23:59:59.123456Z */
#define CHECKPOINT_TEXT_MAX 4096 /* bytes of an exported one */
#define KEY_FILE_MAX 4096

struct audit_key {
	unsigned char secret[64]; /* as libsodium has it */
	char name[AUDIT_KEY + 1]; /* the public key */
};

struct audit_checkpoint {
	uint64_t seq;
	char hash[AUDIT_HASH + 1], at[AUDIT_AT + 1], key[AUDIT_KEY + 1], signature[AUDIT_SIGNATURE + 1];
};

/* A new key in a new file; one that is there already is an error (ERR_SYSTEM, EEXIST). */
int audit_key_make(struct arena *a, struct str path, struct audit_key *ret, struct err *e);
/* A file that is not the caller's, or that others may read or write, is refused. */
int audit_key_load(struct arena *a, struct str path, uint32_t uid, struct audit_key *ret, struct err *e);
/* `text` is a public key, or the name of a file that holds one. */
int audit_key_public(struct arena *a, struct str text, char ret[AUDIT_KEY + 1], struct err *e);

/* Signs seq, hash and at. */
void checkpoint_sign(const struct audit_key *key, struct audit_checkpoint *cp);
/* Is it signed by the key that it names? */
bool checkpoint_signed(const struct audit_checkpoint *cp);
/* The object, as rows and files have it. */
void checkpoint_json(struct buf *b, const struct audit_checkpoint *cp);
/* The line of an exported one; whether it is signed is another question. */
int checkpoint_read(struct str text, struct audit_checkpoint *ret, struct err *e);
/* Appends a checkpoint about the newest row. */
int audit_checkpoint(struct arena *a, const struct audit *au, const struct audit_key *key, struct audit_checkpoint *ret, struct audit_written *ret_row, struct err *e);
