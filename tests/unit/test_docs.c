/*
 * docs/checks.md says what the program does. Its generated parts stand between <!-- NAME --> and <!-- /NAME
 * --> and must equal what the tables of the gate give; the grades in the map of validators must be those of
 * the two presets. After a change of the tables, `build/test/test_docs --write` from the top of the tree
 * brings the page up to date.
 */
#include "config/config.h"
#include "gate/gate.h"
#include "gate/path_table.h"
#include "sys/file.h"
#include "unit.h"

#define PAGE "docs/checks.md"
#define PAGE_MAX ((size_t)1 << 20)
#define WIDTH 118
#define VALIDATORS 23
#define CELLS 7 /* number, validator, id, misparsing, what the reader makes of it, standard, claude-code */

static struct arena a;
static struct str page;

static void load_preset(const char *name, struct policy *ret)
{
	struct str text = str_fmt(&a, "import: [%s]\n", name);
	struct config_source src = {.name = STR("x.yaml"), .bytes = text, .who = WHO_OWNER};
	struct config_note *notes = NULL;
	struct err e = {0};

	if (config_load(&a, &src, 1, ret, &notes, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The grade in force: the last that the policy gives, else the table's. */
static const char *grade_in(const struct policy *p, const struct check *c)
{
	enum grade g = c->grade;

	for (const struct regrade *r = p->regrades; r; r = r->next)
		if (r->id == c->id && (!c->fixed || r->grade > g))
			g = r->grade;
	return grade_name(g);
}

/* ---- generated parts ---- */

/* A bar inside a cell would end it. */
static void put_cell(struct buf *b, const char *text)
{
	for (; *text; text++)
		buf_c(b, *text == '|' ? "\\|" : (const char[]){*text, '\0'});
}

static struct str make_checks(void)
{
	struct buf b;
	size_t n;
	const struct check *rows = gate_checks(&n);

	buf_init(&b, &a, 0);
	buf_c(&b, "| id | grade | fixed | lifted by an allow rule | approved | meaning "
			"|\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < n; i++) {
		buf_fmt(&b, "| `%s` | %s | %s | %s | %s | ", check_name(rows[i].id),
			grade_name(rows[i].grade), rows[i].fixed ? "yes" : "no",
			rows[i].lift == LIFT_COMMAND ? "yes" : "no", approval_name(rows[i].approval));
		put_cell(&b, rows[i].about);
		buf_c(&b, " |\n");
	}
	return buf_view(&b);
}

static struct str make_patterns(const char *table)
{
	struct buf b;
	size_t col = 0;
	const char *pattern;

	buf_init(&b, &a, 0);
	buf_c(&b, "```\n");
	for (size_t i = 0; (pattern = path_table_pattern(table, i)); i++) {
		size_t len = strlen(pattern);

		if (col && col + len + 2 > WIDTH) {
			buf_char(&b, '\n');
			col = 0;
		}
		buf_c(&b, col ? "  " : "");
		buf_c(&b, pattern);
		col += len + (col ? 2 : 0);
	}
	buf_c(&b, "\n```\n");
	return buf_view(&b);
}

static struct str make(const char *part)
{
	return !strcmp(part, "checks") ? make_checks() : make_patterns(part);
}

static const char *const parts[] = {"checks", "protected", "unprotected", "secret", "open", "secret-dirs",
		"access"};
#define NPARTS ARRAY_SIZE(parts)

/* Where a text starts in another; -1: nowhere. */
static ptrdiff_t find(struct str in, struct str what, size_t from)
{
	for (size_t i = from; i + what.n <= in.n; i++)
		if (!memcmp(in.p + i, what.p, what.n))
			return (ptrdiff_t)i;
	return -1;
}

static bool bounds(struct str in, const char *part, size_t *ret_from, size_t *ret_to)
{
	struct str open = str_fmt(&a, "<!-- %s -->\n", part), close = str_fmt(&a, "<!-- /%s -->\n", part);
	ptrdiff_t from = find(in, open, 0), to = from < 0 ? -1 : find(in, close, (size_t)from);

	if (to < 0)
		return false;
	*ret_from = (size_t)from + open.n;
	*ret_to = (size_t)to;
	return true;
}

/* ---- the map of validators ---- */

/* Takes "| a | b |" apart; false: it is not a row of so many cells. */
static bool cells_of(struct str line, struct str *cells, size_t want)
{
	size_t n = 0, from = 1;

	if (!line.n || line.p[0] != '|')
		return false;
	while (from < line.n) {
		ptrdiff_t bar = str_find(line, '|', from);
		size_t to;

		if (bar < 0 || n == want)
			return false;
		to = (size_t)bar;
		while (from < to && line.p[from] == ' ')
			from++;
		while (to > from && line.p[to - 1] == ' ')
			to--;
		cells[n++] = str_sub(line, from, to);
		from = (size_t)bar + 1;
	}
	return n == want;
}

static const struct check *check_in(struct str cell)
{
	enum check_id id =
		cell.n > 2 && cell.p[0] == '`' ? check_find(str_sub(cell, 1, cell.n - 1)) : CHECK_NONE;

	return id ? gate_check(id) : NULL;
}

/* Each row of the map with its grades as they are; the text of the whole map, and how many rows it has. */
static struct str make_validators(struct str map, size_t *ret_rows)
{
	struct policy standard, agent;
	struct buf b;

	load_preset("standard", &standard);
	load_preset("claude-code", &agent);
	buf_init(&b, &a, 0);
	*ret_rows = 0;
	for (size_t from = 0; from < map.n;) {
		ptrdiff_t nl = str_find(map, '\n', from);
		size_t to = nl < 0 ? map.n : (size_t)nl;
		struct str line = str_sub(map, from, to), cells[CELLS];
		const struct check *c = cells_of(line, cells, CELLS) ? check_in(cells[2]) : NULL;

		from = to + 1;
		if (!c) {
			buf_str(&b, line);
			buf_char(&b, '\n');
			continue;
		}
		++*ret_rows;
		for (size_t i = 0; i < CELLS - 2; i++)
			buf_fmt(&b, "| %.*s ", STR_ARG(cells[i]));
		buf_fmt(&b, "| %s | %s |\n", grade_in(&standard, c), grade_in(&agent, c));
	}
	return buf_view(&b);
}

/* ---- tests ---- */

static void compare(const char *part, struct str got, struct str want)
{
	size_t i = 0, line = 0;

	while (i < got.n && i < want.n && got.p[i] == want.p[i])
		i++;
	if (got.n == want.n && i == got.n)
		return;
	for (line = i; line > 0 && want.p[line - 1] != '\n';)
		line--;
	ptrdiff_t end = str_find(want, '\n', line);
	struct str row = str_sub(want, line, end < 0 ? want.n : (size_t)end);
	unit_fail(__FILE__, __LINE__, "%s, %s: expected '%.*s'; test_docs --write brings it up to date", PAGE,
			part, STR_ARG(row));
}

static void test_generated_parts(void)
{
	for (size_t i = 0; i < NPARTS; i++) {
		size_t from, to;

		CHECK_ROW(bounds(page, parts[i], &from, &to), parts[i]);
		if (bounds(page, parts[i], &from, &to))
			compare(parts[i], str_sub(page, from, to), make(parts[i]));
	}
}

static void test_no_table_is_empty(void)
{
	for (size_t i = 1; i < NPARTS; i++)
		CHECK_ROW(path_table_pattern(parts[i], 3), parts[i]);
	CHECK(!path_table_pattern("nonsense", 0));
}

static void test_validators(void)
{
	size_t from, to, rows = 0, n = 0;
	struct str map;

	CHECK(bounds(page, "validators", &from, &to));
	if (!bounds(page, "validators", &from, &to))
		return;
	map = str_sub(page, from, to);
	compare("validators", map, make_validators(map, &rows));
	CHECK_INT(rows, VALIDATORS);
	/* in order, and all but newlines and redirections are marked */
	for (size_t at = 0; at < map.n; n++) {
		ptrdiff_t nl = str_find(map, '\n', at);
		size_t end = nl < 0 ? map.n : (size_t)nl;
		struct str cells[CELLS];
		bool row = cells_of(str_sub(map, at, end), cells, CELLS) && check_in(cells[2]);

		at = end + 1;
		if (!row) {
			n--;
			continue;
		}
		CHECK_STRN(cells[0], str_fmt(&a, "%zu", n + 1));
		CHECK_STR(cells[3], n + 1 == 12 || n + 1 == 16 ? "no" : "yes");
	}
	CHECK_INT(n, VALIDATORS);
}

/* ---- writing ---- */

static struct str replaced(struct str in, const char *part, struct str with)
{
	size_t from, to;

	if (!bounds(in, part, &from, &to))
		return in;
	return str_cat(&a, str_cat(&a, str_sub(in, 0, from), with), str_sub(in, to, in.n));
}

static int write_page(void)
{
	struct str out = page;
	size_t from, to, rows;
	FILE *f;

	for (size_t i = 0; i < NPARTS; i++)
		out = replaced(out, parts[i], make(parts[i]));
	if (bounds(out, "validators", &from, &to))
		out = replaced(out, "validators", make_validators(str_sub(out, from, to), &rows));
	f = fopen(PAGE, "w");
	if (!f || fwrite(out.p, 1, out.n, f) != out.n)
		return 1;
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	struct err e = {0};

	arena_init(&a, ARENA_CAP_DEFAULT);
	if (file_read(&a, PAGE, PAGE_MAX, &page, NULL, &e) != 0) {
		printf("Bail out! %s\n", e.text);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "--write"))
		return write_page();
	RUN(test_no_table_is_empty);
	RUN(test_generated_parts);
	RUN(test_validators);
	arena_free(&a);
	return unit_end();
}
