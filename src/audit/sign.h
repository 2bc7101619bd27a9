/*
 * Signed checkpoints: an Ed25519 signature over "row `seq` of this record has this hash", which fixes all
 * rows before it.
 *
 * A checkpoint is a row about the row right before it. It can also be exported to a file and kept where the
 * machine's own users cannot reach it. A rewritten chain does not contain that row with that hash, and
 * without the secret key nobody can sign another one. docs/audit.md says what this does not prevent.
 *
 * The secret key is a file (0600) with one line, `caisson-secret-key-1 ` and the seed in hex; the public key
 * is 64 hex digits.
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

/* Writes a new key to a new file; an existing file is an error (ERR_SYSTEM, EEXIST). */
int audit_key_make(struct arena *a, struct str path, struct audit_key *ret, struct err *e);
/* Refuses a file that belongs to somebody else, or that others may read or write. */
int audit_key_load(struct arena *a, struct str path, uint32_t uid, struct audit_key *ret, struct err *e);
/* `text` is a public key, or the name of a file that contains one. */
int audit_key_public(struct arena *a, struct str text, char ret[AUDIT_KEY + 1], struct err *e);

/* Signs seq, hash and at. */
void checkpoint_sign(const struct audit_key *key, struct audit_checkpoint *cp);
/* Is it signed by the key that it names? */
bool checkpoint_signed(const struct audit_checkpoint *cp);
/* The object, as rows and files have it. */
void checkpoint_json(struct buf *b, const struct audit_checkpoint *cp);
/* Parses the line of an exported checkpoint; does not check the signature. */
int checkpoint_read(struct arena *a, struct str text, struct audit_checkpoint *ret, struct err *e);
/* Appends a checkpoint about the newest row. */
int audit_checkpoint(struct arena *a, const struct audit *au, const struct audit_key *key,
		struct audit_checkpoint *ret, struct audit_written *ret_row, struct err *e);
