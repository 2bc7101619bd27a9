/* DNS answers. The reply repeats header and question of the query, byte by byte, and adds at most one record.
 */
#include "net/dns.h"

#define HEADER 12
#define NAME_MAX_WIRE 255
#define RECORD_FIXED 10 /* type, class, TTL, length of data */
#define TTL 60
#define EDNS_SIZE 1232 /* the payload that we accept; queries are far smaller */

enum dns_type { TYPE_A = 1, TYPE_AAAA = 28, TYPE_OPT = 41 };
enum dns_rcode {
	NOERROR = 0,
	FORMERR = 1,
	SERVFAIL = 2,
	NXDOMAIN = 3,
	NOTIMP = 4,
	REFUSED = 5,
	BADVERS = 16
};
enum dns_flag { QR = 0x8000, OPCODE = 0x7800, TC = 0x0200, RD = 0x0100, RA = 0x0080, CD = 0x0010 };
#define CLASS_IN 1

struct dns_query {
	const uint8_t *p;
	size_t n;
	size_t question_end; /* 0: no question was read */
	char wire[NAME_MAX_WIRE + 1];
	struct str name; /* in wire[]: lower case */
	bool plain;      /* the name is a host name */
	uint16_t type, class;
	bool edns;
	uint8_t edns_version;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static size_t put16(uint8_t *p, unsigned n)
{
	p[0] = (uint8_t)(n >> 8);
	p[1] = (uint8_t)n;
	return 2;
}

/*
 * Reads the name at q->p[at] into `to` with dots. Returns the offset behind it, or 0. There is nothing before
 * the question that a compression pointer could stand for, so every pointer is an error.
 */
static size_t read_name(const struct dns_query *q, size_t at, char to[NAME_MAX_WIRE + 1], size_t *ret_n)
{
	size_t start = at, n = 0;

	while (at < q->n && q->p[at] != 0) {
		size_t label = q->p[at++];
		if (label > NETWORK_LABEL_MAX || label > q->n - at || at + label - start >= NAME_MAX_WIRE)
			return 0;
		if (n)
			to[n++] = '.';
		for (size_t i = 0; i < label; i++) {
			uint8_t c = q->p[at + i];
			/* A dot inside a label would read as two labels. */
			bool known = ascii_is_alnum(c) || c == '-' || c == '_';
			to[n++] = known ? ascii_to_lower((char)c) : '?';
		}
		at += label;
	}
	*ret_n = n;
	return at < q->n ? at + 1 : 0;
}

static int read_question(struct dns_query *q)
{
	size_t n, at = read_name(q, HEADER, q->wire, &n);

	if (at == 0 || q->n - at < 4)
		return -1;
	q->name = str_n(q->wire, n);
	q->plain = network_name_valid(q->name);
	q->type = get16(q->p + at);
	q->class = get16(q->p + at + 2);
	q->question_end = at + 4;
	return 0;
}

/* Additional records: EDNS is noted, signatures are not our business. Nothing may follow them. */
static int read_additional(struct dns_query *q, unsigned count)
{
	size_t at = q->question_end;

	for (unsigned i = 0; i < count; i++) {
		char name[NAME_MAX_WIRE + 1];
		size_t n, start = at;
		at = read_name(q, at, name, &n);
		if (at == 0 || q->n - at < RECORD_FIXED)
			return -1;
		if (get16(q->p + at) == TYPE_OPT) {
			if (q->edns || q->p[start] != 0)
				return -1;
			q->edns = true;
			q->edns_version = q->p[at + 5];
		}
		size_t data = get16(q->p + at + 8);
		at += RECORD_FIXED;
		if (data > q->n - at)
			return -1;
		at += data;
	}
	return at == q->n ? 0 : -1;
}

static enum dns_rcode read_query(struct dns_query *q)
{
	uint16_t flags = get16(q->p + 2);

	if (flags & OPCODE)
		return NOTIMP;
	if ((flags & TC) || get16(q->p + 4) != 1 || get16(q->p + 6) || get16(q->p + 8))
		return FORMERR;
	if (read_question(q) != 0 || read_additional(q, get16(q->p + 10)) != 0)
		return FORMERR;
	if (q->edns && q->edns_version != 0)
		return BADVERS;
	return q->class == CLASS_IN ? NOERROR : REFUSED;
}

static const uint8_t loopback_v4[4] = {127, 0, 0, 1}, loopback_v6[IP_BYTES] = {[15] = 1};

static bool is_local(struct str name)
{
	return str_is(name, "localhost") || str_ends(name, ".localhost");
}

/* The record's data: 4 or 16 bytes, 0 for no record. */
static enum dns_rcode look_up(struct net_names *names, const struct dns_query *q, uint8_t data[IP_BYTES],
		size_t *ret_n, enum network_refusal *ret_refusal)
{
	bool address = q->type == TYPE_A || q->type == TYPE_AAAA;
	bool local = is_local(q->name);
	uint16_t number = 0;

	*ret_n = 0;
	if (!q->plain || (!local && !net_names_listed(names, q->name))) {
		*ret_refusal = address ? NETWORK_NOT_LISTED : NETWORK_NOT_REFUSED;
		return NXDOMAIN;
	}
	if (!address)
		return NOERROR;
	if (!local && !(number = net_names_assign(names, q->name))) {
		*ret_refusal = NETWORK_LIMIT;
		return SERVFAIL;
	}
	*ret_n = q->type == TYPE_A ? 4 : IP_BYTES;
	if (local)
		memcpy(data, q->type == TYPE_A ? loopback_v4 : loopback_v6, *ret_n);
	else if (q->type == TYPE_A)
		net_names_v4(number, data);
	else
		net_names_v6(number, data);
	return NOERROR;
}

static size_t put_reply(const struct dns_query *q, enum dns_rcode rcode, const uint8_t *data, size_t ndata,
		uint8_t ret[DNS_REPLY_MAX])
{
	size_t n = q->question_end ? q->question_end : HEADER;
	unsigned flags = get16(q->p + 2) & (OPCODE | RD | CD);

	memcpy(ret, q->p, n);
	(void)put16(ret + 2, QR | RA | flags | (rcode & 15));
	(void)put16(ret + 4, q->question_end != 0);
	(void)put16(ret + 6, ndata != 0);
	(void)put16(ret + 8, 0);
	(void)put16(ret + 10, q->edns);
	if (ndata) {
		n += put16(ret + n, 0xc000 | HEADER); /* the name of the question */
		n += put16(ret + n, q->type);
		n += put16(ret + n, CLASS_IN);
		n += put16(ret + n, 0);
		n += put16(ret + n, TTL);
		n += put16(ret + n, (unsigned)ndata);
		memcpy(ret + n, data, ndata);
		n += ndata;
	}
	if (q->edns) {
		ret[n++] = 0;
		n += put16(ret + n, TYPE_OPT);
		n += put16(ret + n, EDNS_SIZE);
		n += put16(ret + n, (rcode >> 4) << 8); /* upper bits of the rcode, version 0 */
		n += put16(ret + n, 0);
		n += put16(ret + n, 0);
	}
	return n;
}

size_t dns_answer(struct net_names *names, const uint8_t *query, size_t n, uint8_t ret[DNS_REPLY_MAX],
		struct dns_result *ret_result)
{
	struct dns_query q = {.p = query, .n = n};
	struct dns_result result = {.refusal = NETWORK_NOT_REFUSED};
	uint8_t data[IP_BYTES] = {0};
	size_t ndata = 0;

	*ret_result = result;
	if (n < HEADER || (get16(query + 2) & QR))
		return 0;
	enum dns_rcode rcode = read_query(&q);
	if (q.question_end) {
		result.type = q.type;
		memcpy(result.name, q.name.p, q.name.n);
	}
	if (rcode == NOERROR)
		rcode = look_up(names, &q, data, &ndata, &result.refusal);
	*ret_result = result;
	return put_reply(&q, rcode, data, ndata, ret);
}
