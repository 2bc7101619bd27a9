/* src/box/seatbelt.c: the text of profiles for macOS, where none of it was ever tried. */
#define _GNU_SOURCE
#include "box/seatbelt.h"
#include "unit.h"

static struct arena arena;

static bool has(struct str text, const char *part)
{
	return memmem(text.p, text.n, part, strlen(part));
}

/* The rule for the parameter with this path: `verb (kind (param "PN"))`. */
static bool rules(struct str text, const char *verb, const char *kind, const char *path)
{
	for (unsigned i = 0; i < 4096; i++) {
		char head[256], rule[256];

		str_put(head, sizeof(head), ";   -D P%u=%s\n", i, path);
		str_put(rule, sizeof(rule), "(%s (%s (param \"P%u\")))\n", verb, kind, i);
		if (has(text, head) && has(text, rule))
			return true;
	}
	return false;
}

static void test_workspace(void)
{
	struct texts own = {.text = STR("deep/er/file")};
	struct spec s = {.workspace = STR("/w s"), .workspace_writable = true, .protected = &own};
	struct str text;

	CHECK_INT(seatbelt_profile(&arena, &s, &text, NULL), 0);
	CHECK(has(text, "\n(version 1)\n(deny default)\n"));
	CHECK(rules(text, "allow file-read*", "subpath", "/w s"));
	CHECK(rules(text, "allow file-write*", "subpath", "/w s"));
	CHECK(rules(text, "deny file-write-unlink", "literal", "/w s"));
	CHECK(rules(text, "deny file-write*", "subpath", "/w s/.git/hooks"));
	CHECK(rules(text, "deny file-write-unlink", "literal", "/w s/.git"));
	CHECK(rules(text, "deny file-write*", "subpath", "/w s/.bashrc"));
	CHECK(rules(text, "deny file-write*", "subpath", "/w s/deep/er/file"));
	CHECK(rules(text, "deny file-write-unlink", "literal", "/w s/deep"));
	CHECK(rules(text, "deny file-write-unlink", "literal", "/w s/deep/er"));
	CHECK(!rules(text, "deny file-write*", "subpath", "/w s/.npmrc")); /* may change, is reported */
	CHECK(!has(text, "network"));
	s.workspace_writable = false;
	CHECK_INT(seatbelt_profile(&arena, &s, &text, NULL), 0);
	CHECK(rules(text, "allow file-read*", "subpath", "/w s"));
	CHECK(!rules(text, "allow file-write*", "subpath", "/w s"));
}

static void test_network(void)
{
	struct spec s = {.network = {.mode = NETWORK_LOOPBACK}};
	struct err e = {0};
	struct str text;

	CHECK_INT(seatbelt_profile(&arena, &s, &text, &e), 0);
	CHECK(has(text, "(allow network* (local ip \"localhost:*\") (remote ip \"localhost:*\"))"));
	s.network.mode = NETWORK_HOST;
	CHECK_INT(seatbelt_profile(&arena, &s, &text, &e), 0);
	CHECK(has(text, "\n(allow network*)\n"));
	s.network.mode = NETWORK_NAMES;
	CHECK_INT(seatbelt_profile(&arena, &s, &text, &e), -1);
	CHECK(strstr(e.text, "no network by name"));
}

/* A path cannot add rules. */
static void test_paths(void)
{
	struct spec_path writes = {.path = STR("/data\")) (allow default) ;"), .writable = true};
	struct spec_path breaks = {.path = STR("/x\n(allow default)")};
	struct spec s = {.paths = &writes};
	struct err e = {0};
	struct str text;

	CHECK_INT(seatbelt_profile(&arena, &s, &text, &e), 0);
	CHECK(rules(text, "allow file-write*", "subpath", "/data\")) (allow default) ;"));
	CHECK(!has(text, "\n(allow default)"));
	s.paths = &breaks;
	CHECK_INT(seatbelt_profile(&arena, &s, &text, &e), -1);
	CHECK(strstr(e.text, "control character"));
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_workspace);
	RUN(test_network);
	RUN(test_paths);
	arena_free(&arena);
	return unit_end();
}
