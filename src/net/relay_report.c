/* Rows of the report. Nothing here is atomic: the launcher reads numbers after the relay's end, or for show.
 */
#include "net/relay_inner.h"

static struct network_connection *find_row(
		struct network_report *r, const char *host, uint16_t port, enum network_refusal why)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct network_connection *row = &r->rows[i];
		if (row->port == port && row->refusal == why && !strcmp(row->host, host))
			return row;
	}
	if (r->n == NETWORK_REPORT_MAX)
		return NULL;
	struct network_connection *row = &r->rows[r->n];
	str_put(row->host, sizeof row->host, "%s", host);
	row->port = port;
	row->refusal = (uint8_t)why;
	r->n++;
	return row;
}

int relay_report_add(struct network_report *r, const char *host, uint16_t port, enum network_refusal why)
{
	struct network_connection *row = find_row(r, host, port, why);
	if (why == NETWORK_NOT_REFUSED)
		r->allowed++;
	else
		r->refused++;
	if (!row)
		return RELAY_ROW_NONE;
	row->count++;
	return (int)(row - r->rows);
}
