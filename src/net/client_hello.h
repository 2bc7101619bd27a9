/*
 * The first message of a TLS client, from which the relay takes the name of the server (SNI).
 *
 * The caller keeps the bytes that arrived, reads again when there are more, and passes nothing on before the
 * whole message is there. The message may span several records. Anything that two TLS libraries could read
 * differently is refused: SSLv2, empty or foreign records, bytes behind the message in its last record, a
 * length that does not fit exactly, a second server name.
 *
 * A server of TLS 1.3 may ask for a second ClientHello, whose name counts. The client must not send it, or
 * anything else, before the relay has seen that answer (hello_answer_read()).
 *
 * An encrypted ClientHello is refused because its real name is hidden. Browsers also send a dummy extension
 * (GREASE) that cannot be told from a real one.
 */
#pragma once
#include "model/network_report.h"

#define CLIENT_HELLO_MAX 16384 /* bytes with record headers; a longer message is refused */

struct client_hello {
	/* NETWORK_NOT_REFUSED, NETWORK_NO_SNI, NETWORK_OTHER_SNI (not a host name), NETWORK_ECH,
	 * NETWORK_BAD_TLS */
	enum network_refusal refusal;
	char name[NETWORK_HOST_MAX + 1]; /* lower case; "" if refused */
	size_t bytes;                    /* with record headers; 0 if refused */
};

enum client_hello_start { CLIENT_HELLO_OTHER, CLIENT_HELLO_UNCERTAIN, CLIENT_HELLO_BEGUN };
/*
 * Tells a TLS client from other protocols by its first bytes. Everything counts that some TLS server accepts:
 * SSLv2's format, records of any version, and an alert in front. client_hello_read() refuses these forms.
 */
enum client_hello_start client_hello_begins(const uint8_t *p, size_t n);

/* False: more bytes are needed, and *ret is untouched. Bytes that no ClientHello starts with are refused at
 * once. */
bool client_hello_read(const uint8_t *p, size_t n, struct client_hello *ret);

/* The record that starts here: true for one of handshake messages; its length, 0 if that is not known. */
static inline bool client_hello_is_handshake(const uint8_t *p) { return p[0] == 22; }
static inline size_t client_hello_record(const uint8_t *p, size_t n)
{
	return n < 5 ? 0 : 5 + ((size_t)p[3] << 8 | p[4]);
}

enum hello_answer { HELLO_ANSWER_MORE, HELLO_ANSWER_OTHER, HELLO_ANSWER_RETRY };
/* Tells from the server's first bytes if it asks for a second ClientHello (HelloRetryRequest). */
enum hello_answer hello_answer_read(const uint8_t *p, size_t n);
