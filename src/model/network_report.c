/* Ids and texts of the reasons for which the relay refuses a connection. */
#include "model/network_report.h"

static const struct {
	const char *name, *text;
} refusals[] = {
		[NETWORK_NOT_REFUSED] = {"", ""},
		[NETWORK_NOT_LISTED] = {"not-listed", "the host is not listed"},
		[NETWORK_PORT] = {"port", "the host is listed with other ports"},
		[NETWORK_NO_SNI] = {"no-sni", "the TLS client named no host"},
		[NETWORK_OTHER_SNI] = {"other-sni", "the TLS client named another host"},
		[NETWORK_ECH] = {"encrypted-client-hello", "the TLS client encrypted the name of its host"},
		[NETWORK_BAD_TLS] = {"bad-tls", "the TLS client's first message could not be read"},
		[NETWORK_OTHER_HOST] = {"other-host", "an HTTP request named another host"},
		[NETWORK_BAD_HTTP] = {"bad-http",
				"an HTTP request could not be read without doubt, or is HTTP/2 without TLS"},
		[NETWORK_PRIVATE] = {"private-address", "the name resolves to a private or special address"},
		[NETWORK_UNRESOLVED] = {"unresolved", "the name could not be resolved"},
		[NETWORK_UNREACHABLE] = {"unreachable", "the host could not be reached"},
		[NETWORK_PROXY] = {"proxy", "the proxy refused the connection or failed"},
		[NETWORK_LIMIT] = {"limit", "too many connections at a time"},
};
_Static_assert(ARRAY_SIZE(refusals) == NETWORK_REFUSALS, "one row per refusal");

const char *network_refusal_name(enum network_refusal r)
{
	return (size_t)r < NETWORK_REFUSALS ? refusals[r].name : "unknown";
}

const char *network_refusal_text(enum network_refusal r)
{
	return (size_t)r < NETWORK_REFUSALS ? refusals[r].text : "unknown";
}
