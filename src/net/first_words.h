/*
 * The protocol of a connection to a port that is neither 80 nor 443, by the client's first bytes.
 *
 * Bytes that a lenient server could take for TLS or for an HTTP request count as such: the reader of that
 * protocol then checks or refuses them. An HTTP server never speaks first. A first line without a version is
 * therefore no request if the server spoke before the client, as in SMTP.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum relay_speech { RELAY_UNDECIDED, RELAY_TLS, RELAY_HTTP, RELAY_RAW };

/* `ended`: no more bytes will come. */
enum relay_speech first_words_read(const uint8_t *p, size_t n, bool ended, bool server_first);
