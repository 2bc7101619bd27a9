/* Keys and signatures of checkpoints. sign.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/sign.h"
#include "base/json.h"
#include "sys/file.h"

#define SECRET_START "caisson-secret-key-1 "
#define SIGNED_MAX 256

_Static_assert(crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_PUBLICKEYBYTES * 2 == AUDIT_KEY &&
		crypto_sign_BYTES * 2 == AUDIT_SIGNATURE, "Ed25519");

static bool from_hex(struct str text, unsigned char *ret, size_t n)
{
	size_t got;

	return str_is_hex(text, 2 * n) && sodium_hex2bin(ret, n, text.p, text.n, NULL, &got, NULL) == 0 &&
			got == n;
}

static void key_of_seed(const unsigned char *seed, struct audit_key *ret)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES];

	crypto_sign_seed_keypair(public, ret->secret, seed);
	sodium_bin2hex(ret->name, sizeof(ret->name), public, sizeof(public));
}

int audit_key_make(struct arena *a, struct str path, struct audit_key *ret, struct err *e)
{
	unsigned char seed[crypto_sign_SEEDBYTES];
	char line[sizeof(SECRET_START) + AUDIT_KEY + 1] = SECRET_START;
	const char *name = str_c(a, path);
	FD_CLEANUP int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_system(e, "cannot make the key file '%s'", name);
	randombytes_buf(seed, sizeof(seed));
	key_of_seed(seed, ret);
	sodium_bin2hex(line + sizeof(SECRET_START) - 1, AUDIT_KEY + 1, seed, sizeof(seed));
	line[sizeof(line) - 2] = '\n';
	int bad = fd_write_all(fd, name, str_n(line, sizeof(line) - 1), e);
	if (!bad && fsync(fd) < 0)
		bad = err_system(e, "cannot write the key file '%s'", name);
	if (bad)
		unlink(name);
	sodium_memzero(line, sizeof(line));
	sodium_memzero(seed, sizeof(seed));
	return bad;
}

int audit_key_load(struct arena *a, struct str path, uint32_t uid, struct audit_key *ret, struct err *e)
{
	const char *name = str_c(a, path);
	unsigned char seed[crypto_sign_SEEDBYTES];
	struct stat st;
	struct str text;
	FD_SCOPE f = {0};

	fd_scope(&f, a, file_open(name, &st, e));
	if (f.fd < 0)
		return -1;
	if (st.st_uid != uid)
		return err_config(e, "the key file '%s' belongs to another user", name);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_config(e, "other users can read the key file '%s': run chmod 600 on " "it", name);
	if (fd_read_file(a, f.fd, name, &st, KEY_FILE_MAX, &text, e) < 0)
		return -1;
	if (!str_starts(text, SECRET_START) || !str_ends(text, "\n") ||
			!from_hex(str_sub(text, sizeof(SECRET_START) - 1, text.n - 1), seed, sizeof(seed)))
		return err_config(e, "'%s' is not a key file of caisson audit keygen", name);
	key_of_seed(seed, ret);
	sodium_memzero(seed, sizeof(seed));
	return 0;
}

int audit_key_public(struct arena *a, struct str text, char ret[AUDIT_KEY + 1], struct err *e)
{
	unsigned char bytes[crypto_sign_PUBLICKEYBYTES];
	struct str in_file;

	if (!from_hex(text, bytes, sizeof(bytes))) {
		if (file_read(a, str_c(a, text), KEY_FILE_MAX, &in_file, NULL, e) < 0)
			return -1;
		while (in_file.n && (in_file.p[in_file.n - 1] == '\n' || in_file.p[in_file.n - 1] == '\r'))
			in_file.n--;
		if (str_starts(in_file, SECRET_START))
			return err_input(e,
					"'%.*s' is a secret key; verifying needs the public one",
					STR_ARG(text));
		if (!from_hex(in_file, bytes, sizeof(bytes)))
			return err_input(e,
					"'%.*s' is neither a public key (64 hex digits) nor a file with one",
					STR_ARG(text));
	}
	sodium_bin2hex(ret, AUDIT_KEY + 1, bytes, sizeof(bytes));
	return 0;
}

/* ---- checkpoints ---- */

/* The signed message. Its prefix keeps it apart from everything else that we sign or print. */
static size_t signed_text(const struct audit_checkpoint *cp, char ret[SIGNED_MAX])
{
	return (size_t)snprintf(ret, SIGNED_MAX, "caisson audit checkpoint 1\n%" PRIu64 "\n%s\n%s\n", cp->seq,
			cp->hash, cp->at);
}

void checkpoint_sign(const struct audit_key *key, struct audit_checkpoint *cp)
{
	char text[SIGNED_MAX];
	unsigned char signature[crypto_sign_BYTES];
	size_t n = signed_text(cp, text);

	crypto_sign_detached(signature, NULL, (const unsigned char *)text, n, key->secret);
	sodium_bin2hex(cp->signature, sizeof(cp->signature), signature, sizeof(signature));
	memcpy(cp->key, key->name, sizeof(cp->key));
}

bool checkpoint_signed(const struct audit_checkpoint *cp)
{
	char text[SIGNED_MAX];
	unsigned char signature[crypto_sign_BYTES], public[crypto_sign_PUBLICKEYBYTES];
	size_t n = signed_text(cp, text);

	return from_hex(str_of(cp->signature), signature, sizeof(signature)) &&
			from_hex(str_of(cp->key), public, sizeof(public)) &&
	       crypto_sign_verify_detached(signature, (const unsigned char *)text, n, public) == 0;
}

void checkpoint_json(struct buf *b, const struct audit_checkpoint *cp)
{
	buf_fmt(b, "{\"seq\":%" PRIu64 ",\"hash\":\"%s\",\"at\":\"%s\",\"key\":\"%s\",\"signature\":\"%s\"}",
			cp->seq, cp->hash, cp->at, cp->key, cp->signature);
}

static bool take_text(const struct json *v, const char *key, char *ret, size_t n)
{
	struct str s = json_text_at(v, key);

	if (s.n != n || str_has(s, '\0'))
		return false;
	memcpy(ret, s.p, n);
	ret[n] = '\0';
	return true;
}

int checkpoint_read(struct arena *a, struct str text, struct audit_checkpoint *ret, struct err *e)
{
	struct audit_checkpoint cp = {0};
	struct json *v;

	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	if (json_read(a, text, &v, e) < 0)
		return -1;
	const int64_t seq = json_int_at(v, "seq");
	const bool ok = seq > 0 && take_text(v, "hash", cp.hash, AUDIT_HASH) &&
			take_text(v, "at", cp.at, AUDIT_AT) && take_text(v, "key", cp.key, AUDIT_KEY) &&
			take_text(v, "signature", cp.signature, AUDIT_SIGNATURE);
	if (!ok)
		return err_input(e, "seq, hash, at, key and signature are expected");
	cp.seq = (uint64_t)seq;
	*ret = cp;
	return 0;
}

int audit_checkpoint(struct arena *a, const struct audit *au, const struct audit_key *key,
		struct audit_checkpoint *ret, struct audit_written *ret_row, struct err *e)
{
	struct audit_checkpoint cp = {0};
	const struct audit_row row = {.kind = AUDIT_CHECKPOINT, .key = key, .checkpoint = &cp};

	if (audit_append(a, au, &row, ret_row, e) < 0)
		return -1;
	*ret = cp;
	return 0;
}
