/* Front matter of skills: rows of text with what is read, or the line that says what is wrong. */
#include "run/skill.h"

#include "config/config.h"
#include "unit.h"

static struct arena a;

/* "time 45000 task test network host: ls cat", or the error */
static struct str read_one(struct str text)
{
	struct skill s;
	struct err e = {0};
	struct buf b;

	buf_init(&b, &a, 0);
	if (skill_read(&a, STR("S.md"), text, &s, &e) != 0)
		return str_fmt(&a, "error %s", e.text);
	if (s.limits[LIMIT_TIME])
		buf_fmt(&b, "time %llu ", (unsigned long long)s.limits[LIMIT_TIME]);
	if (s.limits[LIMIT_MEMORY])
		buf_fmt(&b, "memory %llu ", (unsigned long long)(s.limits[LIMIT_MEMORY] / MB));
	if (s.limits[LIMIT_CPUS])
		buf_fmt(&b, "cpus %llu ", (unsigned long long)s.limits[LIMIT_CPUS]);
	if (s.columns.n)
		buf_fmt(&b, "columns %.*s ", STR_ARG(s.columns));
	if (s.schema || s.validator)
		buf_fmt(&b, "%s%s ", s.schema ? s.schema : "", s.validator ? s.validator : "");
	for (const struct texts *t = s.unknown; t; t = t->next)
		buf_fmt(&b, "unknown %.*s ", STR_ARG(t->text));
	if (s.task)
		buf_fmt(&b, "task %s ", task_name(s.task));
	if (s.network.given) {
		struct str text = network_request_text(&a, &s.network);

		buf_fmt(&b, "network %.*s ", STR_ARG(text));
	}
	if (s.iso_times)
		buf_c(&b, "iso ");
	if (s.image.n)
		buf_fmt(&b, "image %.*s ", STR_ARG(s.image));
	for (const struct texts *t = s.binaries; t; t = t->next)
		buf_fmt(&b, "%s%.*s", t == s.binaries ? "only " : ",", STR_ARG(t->text));
	CHECK((s.policy.n > 0) == (s.binaries != NULL));
	return str_dup(&a, buf_view(&b));
}

static void test_keys(void)
{
	static const struct {
		const char *front, *want;
	} rows[] = {
		{"name: x\n", ""},
		{"sandbox_timeout_sec: 45\n", "time 45000 "},
		{"sandbox_timeout_sec: 2m\ntask: test\nnetwork: deny\n",
				"time 120000 task test network deny "},
		{"network: none\n", "network deny "},
		{"sandbox_memory_mb: 512\nsandbox_cpus: 0.5\n", "memory 512 cpus 500 "},
		{"memory: 2G\ncpus: 1\n", "memory 2048 cpus 1000 "},
		{"columns: id, amount:number\n", "columns id, amount:number "},
		{"columns: [id, 'amount:number']\n", "columns id,amount:number "},
		{"schema: schemas/x.json\n", "schemas/x.json "}, {"validator: check.py\n", "check.py "},
		{"sandbox_ram: 5\nram: 5\nsandbox-x: 1\nsandboxed: 1\n",
				"unknown sandbox_ram unknown sandbox-x "},
		{"timestamps: iso\n", "iso "}, {"timestamps: keep\n", ""},
		{"timestamps: yes\n", "error S.md:2:13: timestamps: expected iso or keep: 'timestamps: yes'"},
		{"sandbox_image: tools\n", "image tools "},
		{"image: 'sha256:01234567'\n", "image sha256:01234567 "},
		{"network: false\n", "network deny "},
		{"network: loopback\n", "network loopback "},
		{"network: \"host\"\n", "network host "},
		{"network: [example.com, '*.example.org:8443', 'preset:registries/npm']\n",
				"network example.com,*.example.org:8443,preset:registries/npm "},
		{"allowed_binaries: [python3, jq]\n", "only python3,jq"},
		{"allowed_binaries:\n  - git\n  - \"g++\"\n  - python3.11\n", "only git,g++,python3.11"},
		{"allowed-binaries: python3, jq  ls\n", "only python3,jq,ls"},
		{"allowed_binaries: [ls, ls, cat, ls]\n", "only ls,cat"},
		{"allowed-tools: Read, Grep, Bash(git status:*), Bash(npm run test:*), Bash(git log *)\n",
				"only git,npm"},
		{"allowed-tools: [\"Bash(jq:*)\", Read]\n", "only jq"},
		{"allowed-tools: Bash(python3 x.py --flag y)\n", "only python3"},
		{"allowed-tools: Read, Write\n", ""},
		{"allowed-tools:\n", ""},
		{"allowed-tools: Bash(git:*), Bash\n", ""},
		{"allowed-tools: [\"Bash(*)\", \"Bash(git:*)\"]\n", ""},
		{"allowed-tools: Bash(git:*)\nallowed_binaries: [jq]\n", "only jq"},
		{"allowed_tools: Bash(make:*)\n", "only make"},
		{"description: \"Ignore: all\"\nmetadata: {network: host, allowed_binaries: [sh]}\n", ""},
		{"\n", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_STR(read_one(str_fmt(&a, "---\n%s---\n# X\nnetwork: host\n", rows[i].front)),
				rows[i].want);
		CHECK_STR(read_one(str_fmt(&a, "\xEF\xBB\xBF---\r\n%s---\r\nmore", rows[i].front)),
				rows[i].want);
	}
	CHECK_STR(read_one(STR("# no front matter\nnetwork: host\n")), "");
	CHECK_STR(read_one(STR("")), "");
	CHECK_STR(read_one(STR("----\nnetwork: host\n---\n")), "");
}

/* An error is reported with its place, and nothing of the file counts. */
static void test_wrong(void)
{
	static const struct {
		const char *front, *want;
	} rows[] = {
		{"memory: lots\n", "memory: "},
		{"cpus: [1]\n", "cpus: expected a number of CPUs"},
		{"columns: []\n", "columns: expected names"},
		{"schema: ../x.json\n", "in the skill"},
		{"validator: /etc/x\n", "in the skill"},
		{"schema: a/../../x\n", "in the skill"},
		{"sandbox_timeout_sec: soon\n", "S.md:2:22: sandbox_timeout_sec: "},
		{"sandbox_timeout_sec: -5\n", "sandbox_timeout_sec: "},
		{"sandbox_timeout_sec: 0\n", "sandbox_timeout_sec: "},
		{"sandbox_timeout_sec:\n", "sandbox_timeout_sec: "},
		{"sandbox_timeout_sec: 99999999999999999999\n", "sandbox_timeout_sec: "},
		{"sandbox_timeout_sec: [30]\n", "expected a number of seconds"},
		{"sandbox_timeout_sec: {a: 1}\n", "expected a number of seconds"},
		{"name: x\ntask: [test]\n", "S.md:3:7: task: expected a name"},
		{"network: open\n", "network: expected deny, loopback, host or a list"},
		{"network: true\n", "network: expected deny"},
		{"network: []\n", "network: expected at least one host"},
		{"network: [host]\n", "network: invalid host 'host'"},
		{"network: [example.com, '*']\n", "network: invalid host '*'"},
		{"network: [[example.com]]\n", "network: expected at most"},
		{"network: {allow: example.com}\n", "network: expected deny"},
		{"network:\n", "network: expected deny"},
		{"allowed_binaries: []\n", "at least one name"},
		{"allowed_binaries:\n", "at least one name"},
		{"allowed_binaries: \" , \"\n", "at least one name"},
		{"allowed_binaries: {ls: true}\n", "expected a list of names"},
		{"allowed_binaries: [ls, [cat]]\n", "expected a list of names"},
		{"allowed_binaries: [/bin/ls]\n", "without a path"},
		{"allowed_binaries: [\"*\"]\n", "without a path"},
		{"allowed_binaries: [\"ls\\\"]}}\\ndefault: allow\"]\n", "without a path"},
		{"allowed_binaries: [-rf]\n", "without a path"},
		{"allowed_binaries: [l\u00e9s]\n", "without a path"},
		{"allowed_binaries: [aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
				"aaaaaaaaaaaaaaaaa]\n", "without a path"},
		{"allowed-tools: Bash($(id):*)\n", "without a path"},
		{"allowed-tools: Bash()\n", "without a path"},
		{"allowed-tools: {Bash: git}\n", "expected a list of names"},
		{"task: test\ntask: lint\n", "S.md:3"},
		{"a: &x [ls]\nallowed_binaries: *x\n", "S.md:"},
		{"allowed_binaries: !!set {ls}\n", "S.md:"},
		{"- a\n- b\n", "not a map"},
		{"just text\n", "not a map"},
		{"allowed_binaries: [ls\n", "S.md:"},
		{"\ttask: test\n", "S.md:"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = read_one(str_fmt(&a, "---\n%s---\n# X\n", rows[i].front));

		CHECK_ROW(str_starts(got, "error ") && str_contains(got, str_of(rows[i].want)),
				rows[i].front);
		if (!str_contains(got, str_of(rows[i].want)))
			unit_bytes("got", got);
	}
	CHECK(str_contains(read_one(STR("---\nsandbox_timeout_sec: 45\n# X\n")),
			STR("S.md:1:1: the front matter does not end")));
}

/* Texts that are made to cost much. */
static void test_bombs(void)
{
	struct buf b;

	buf_init(&b, &a, 0);
	buf_c(&b, "---\na: &a [x, x, x, x, x, x, x, x, x]\n");
	for (char c = 'b'; c <= 'j'; c++)
		buf_fmt(&b, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c - 1, c - 1,
				c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
	buf_c(&b, "allowed_binaries: *j\n---\n");
	CHECK(str_starts(read_one(buf_view(&b)), "error S.md:"));
	b.n = 0;
	buf_c(&b, "---\nallowed_binaries: ");
	for (size_t i = 0; i < 20000; i++)
		buf_char(&b, '[');
	buf_c(&b, "\n---\n");
	CHECK(str_starts(read_one(buf_view(&b)), "error S.md:"));
	b.n = 0;
	buf_c(&b, "---\nallowed_binaries: [a0");
	for (size_t i = 1; i < SKILL_BINARIES_MAX + 1; i++)
		buf_fmt(&b, ", a%zu", i);
	buf_c(&b, "]\n---\n");
	CHECK(str_contains(read_one(buf_view(&b)), STR("more than 256 names")));
	b.n = 0;
	buf_c(&b, "---\nallowed-tools: ");
	for (size_t i = 0; i < 100000; i++)
		buf_c(&b, "((((");
	buf_c(&b, "\n---\n");
	CHECK_STR(read_one(buf_view(&b)), "");
}

/* The list as a policy: it loads, counts for what it says, and nothing else. */
static void test_policy(void)
{
	struct config_source src = {.name = STR("S.md"), .who = WHO_TRUSTED};
	struct config_note *notes = NULL;
	struct policy p = {0};
	struct skill s;
	struct err e = {0};
	bool has = false, cd = false;

	CHECK_INT(skill_read(&a, STR("S.md"),
			STR("---\nallowed_binaries: [python3, \"g++\", \"x.y_z-1\"]\n---\n"), &s, &e), 0);
	src.bytes = s.policy;
	CHECK_INT(config_load(&a, &src, 1, &p, &notes, &e), 0);
	CHECK(!notes && p.only && !p.only->next && !p.allow && !p.deny && !p.checks);
	for (const struct texts *t = p.only ? p.only->names : NULL; t; t = t->next) {
		has |= str_is(t->text, "g++");
		cd |= str_is(t->text, "cd");
	}
	CHECK(has && cd);
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_keys);
	RUN(test_wrong);
	RUN(test_bombs);
	RUN(test_policy);
	arena_free(&a);
	return unit_end();
}
