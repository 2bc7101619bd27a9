/*
 * Rows of the report. A program could fill them with names that do not exist, so a connection that was made
 * takes the row of a refusal when all are used. Nothing here is atomic: the launcher reads the numbers after
 * the relay's end, or for show.
 */
#include "net/relay_inner.h"

/* The row to use for a host that has none: a new one, or for a connection one of a refusal. */
static struct network_connection *free_row(struct network_report *r, enum network_refusal why)
{
	if (r->n < NETWORK_REPORT_MAX)
		return &r->rows[r->n++];
	for (uint32_t i = 0; why == NETWORK_NOT_REFUSED && i < NETWORK_REPORT_MAX; i++)
		if (r->rows[i].refusal != NETWORK_NOT_REFUSED)
			return &r->rows[i];
	return NULL;
}

static struct network_connection *find_row(struct network_report *r, const char *host, uint16_t port,
		enum network_refusal why)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct network_connection *row = &r->rows[i];
		if (row->port == port && row->refusal == why && !strcmp(row->host, host))
			return row;
	}
	struct network_connection *row = free_row(r, why);
	if (!row)
		return NULL;
	r->left_out += row->count; /* of a refusal whose row this was */
	*row = (struct network_connection){.port = port, .refusal = (uint8_t)why};
	str_put(row->host, sizeof row->host, "%s", host);
	return row;
}

int relay_report_add(struct network_report *r, const char *host, uint16_t port, enum network_refusal why)
{
	struct network_connection *row = find_row(r, host, port, why);
	if (why == NETWORK_NOT_REFUSED)
		r->allowed++;
	else
		r->refused++;
	if (!row) {
		r->left_out++;
		return RELAY_ROW_NONE;
	}
	row->count++;
	return (int)(row - r->rows);
}

void relay_report_query(struct network_report *r, uint16_t unpaired[NETWORK_REPORT_MAX],
		const struct dns_result *q)
{
	int row = -1;

	for (uint32_t i = 0; i < r->n && row < 0; i++)
		if (!r->rows[i].port && r->rows[i].refusal == q->refusal && !strcmp(r->rows[i].host, q->name))
			row = (int)i;
	if (row >= 0 && unpaired[row] && unpaired[row] != q->type) {
		unpaired[row] = 0;
		return;
	}
	row = relay_report_add(r, q->name, 0, q->refusal);
	if (row != RELAY_ROW_NONE)
		unpaired[row] = q->type;
}
