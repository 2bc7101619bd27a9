/* The part of a report about connections by name (docs/network.md). */
#include "base/json_write.h"
#include "run/run.h"

static void put_row(struct buf *b, const struct network_connection *c)
{
	json_put_open(b, NULL, '{');
	json_put_field(b, "host", str_of(c->host));
	json_put_key(b, "port");
	if (c->port)
		buf_fmt(b, "%u", c->port);
	else
		buf_c(b, "null"); /* a name query */
	json_put_bool(b, "allowed", !c->refusal);
	buf_fmt(b, ",\"count\":%u,\"bytes_in\":%llu,\"bytes_out\":%llu,\"ms\":%u", c->count,
			(unsigned long long)c->bytes_in, (unsigned long long)c->bytes_out, c->ms);
	json_put_name(b, "reason",
			c->refusal ? network_refusal_name((enum network_refusal)c->refusal) : NULL);
	buf_char(b, '}');
}

void report_network(struct buf *b, const struct network_spec *n, const struct outcome *o)
{
	const struct network_report *r = o->network;

	json_put_open(b, "network", '{');
	json_put_field(b, "mode", str_of(network_name(n)));
	if (!r) { /* nobody counted */
		buf_c(b, ",\"allowed\":null,\"refused\":null,\"connections\":[],\"left_out\":null,"
			"\"relay_ended\":false}");
		return;
	}
	buf_fmt(b, ",\"allowed\":%llu,\"refused\":%llu", (unsigned long long)r->allowed,
			(unsigned long long)r->refused);
	json_put_open(b, "connections", '[');
	for (uint32_t i = 0; i < r->n; i++)
		put_row(b, &r->rows[i]);
	buf_fmt(b, "],\"left_out\":%llu", (unsigned long long)r->left_out);
	json_put_bool(b, "relay_ended", o->relay_died);
	buf_char(b, '}');
}
