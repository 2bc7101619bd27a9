/*
 * The text of a command tells what its output cannot: that it only shows an old log, or that a tool reports
 * success without doing the work, because it lists, skips the checks, or hands its tests to another program.
 */
#include "result/validate.h"

#include "result/lines.h"

static const struct {
	char tool[12], option[20];
	const char *meaning;
} rows[] = {
	{"mocha", "--dry-run", "mocha only lists its tests"},
	{"rspec", "--dry-run", "RSpec only lists its examples"},
	{"go test", "-list", "go only lists its tests"},
	{"go test", "-exec", "go hands its tests to another program"},
	{"go test", "-c", "go only compiles the tests"},
	{"cargo test", "--no-run", "cargo only compiles the tests"},
	{"ctest", "-N", "ctest only lists its tests"},
	{"ctest", "--show-only", "ctest only lists its tests"},
	{"jest", "--listTests", "jest only lists its files"},
	{"playwright", "--list", "Playwright only lists its tests"},
	{"phpunit", "--list-tests", "PHPUnit only lists its tests"},
	{"prove", "--dry", "prove only lists its files"},
	{"pytest", "--collect-only", "pytest only lists its tests"},
	{"pytest", "--co", "pytest only lists its tests"},
	{"pytest", "--setup-plan", "pytest only plans its tests"},
	{"pytest", "--assert=plain", "pytest leaves assertions to Python, which -O removes"},
	{"pytest", "-O", "python -O removes every assertion"},
	{"pytest", "-OO", "python -OO removes every assertion"},
	{"unittest", "-O", "python -O removes every assert statement"},
	{"tsc", "--noCheck", "tsc does not check types"},
	{"tsc", "--version", "tsc prints its version"},
	{"tsc", "--showConfig", "tsc prints its configuration"},
	{"tsc", "--listFilesOnly", "tsc only lists files"},
};

/* True if `word` stands between blanks, quotes or operators. */
static bool has_word(struct str s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++) {
		bool before = !i || strchr(" \t\n'\"/;&|(=", s.p[i - 1]),
				behind = i + n == s.n || strchr(" \t\n'\";&|)=", s.p[i + n]);

		if (before && behind && !memcmp(s.p + i, word, n))
			return true;
	}
	return false;
}

void validate_command(struct arena *a, const struct validate_input *in, struct validation *v)
{
	if (v->validity != VALIDITY_VALID || v->result != RESULT_PASS)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (has_word(in->command, rows[i].tool) && has_word(in->command, rows[i].option)) {
			validation_unsure(a, v, NOTE_DRY_RUN,
					"the command has %s: %s, so this is no pass; leave it out",
					rows[i].option, rows[i].meaning);
			return;
		}
}

/* ---- commands that show a part ---- */

bool validate_shows_part(struct str command)
{
	ptrdiff_t at;

	while ((at = str_find(command, '|', 0)) >= 0)
		command = str_sub(command, (size_t)at + 1, command.n);
	command = lines_trim(command);
	return str_starts(command, "tail ") || str_starts(command, "head ") || str_is(command, "tail") ||
			str_is(command, "head");
}

/* ---- commands that only print ---- */

#define PRINTERS "bat cat cd cut fold grep head jq less more nl rg sort tac tail tr uniq wc xz zcat zless"

static bool is_printer(struct str part)
{
	struct lines l = lines_of(part);
	struct str line, word = STR("");
	struct scan c;

	if (!lines_next(&l, &line))
		return false;
	c = scan_of(lines_trim(line));
	while (c.at < c.s.n) { /* assignments come first */
		size_t end = str_end(c.s, ' ', c.at);

		word = str_sub(c.s, c.at, end);
		if (!str_contains(word, STR("=")))
			break;
		c.at += word.n + 1;
	}
	return str_is_any(str_base(word), PRINTERS) || str_starts(scan_rest(&c), "git show ") ||
			str_starts(scan_rest(&c), "git log");
}

bool validate_only_prints(struct str command)
{
	size_t from = 0;

	if (!lines_trim(command).n || str_contains(command, STR("`")) || str_contains(command, STR("$(")) ||
			str_contains(command, STR("<(")))
		return false;
	for (size_t i = 0; i <= command.n; i++) {
		struct str part = str_sub(command, from, i);

		if (i < command.n && !strchr("|;&\n", command.p[i]))
			continue;
		if (!lines_blank(part) && !is_printer(part))
			return false;
		from = i + 1;
	}
	return true;
}
