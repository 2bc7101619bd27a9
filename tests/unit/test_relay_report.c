/* src/net/relay_report.c: rows of the relay's report, and the count of what they leave out. */
#include "net/relay_inner.h"
#include "unit.h"

static struct network_report report;

static uint64_t counted(void)
{
	uint64_t sum = report.left_out;

	for (uint32_t i = 0; i < report.n; i++)
		sum += report.rows[i].count;
	return sum;
}

static int add(const char *prefix, unsigned i, enum network_refusal why)
{
	char host[32];

	str_put(host, sizeof(host), "%s%u.example.org", prefix, i);
	return relay_report_add(&report, host, why ? 0 : 443, why);
}

/* A program that fills the rows cannot hide a host without a trace. */
static void test_full(void)
{
	report = (struct network_report){0};
	for (unsigned i = 0; i < NETWORK_REPORT_MAX; i++)
		CHECK(add("a", i, NETWORK_NOT_REFUSED) >= 0);
	CHECK_INT(report.left_out, 0);
	CHECK_INT(add("hidden", 0, NETWORK_NOT_REFUSED), RELAY_ROW_NONE);
	CHECK_INT(add("hidden", 0, NETWORK_NOT_REFUSED), RELAY_ROW_NONE);
	CHECK_INT(add("refused", 0, NETWORK_NOT_LISTED), RELAY_ROW_NONE);
	CHECK(add("a", 5, NETWORK_NOT_REFUSED) >= 0);
	CHECK_INT(report.left_out, 3);
	CHECK_INT(counted(), report.allowed + report.refused);
}

/* A connection that takes the row of a refusal leaves out every refusal of that row. */
static void test_replaced(void)
{
	report = (struct network_report){0};
	for (unsigned i = 0; i < NETWORK_REPORT_MAX; i++)
		add("r", i, NETWORK_NOT_LISTED);
	for (unsigned i = 0; i < 6; i++)
		add("r", 0, NETWORK_NOT_LISTED);
	CHECK_INT(report.left_out, 0);
	CHECK_INT(add("good", 0, NETWORK_NOT_REFUSED), 0);
	CHECK_INT(report.left_out, 7);
	CHECK_INT(report.n, NETWORK_REPORT_MAX);
	CHECK_INT(counted(), report.allowed + report.refused);
}

int main(void)
{
	RUN(test_full);
	RUN(test_replaced);
	return unit_end();
}
