/*
 * Makes a record for measuring and testing: rows STATE N DAYS [SEED] writes N rows over DAYS days that end
 * yesterday, with a chain that holds, as fast as the disk takes them. Half of the rows are verdicts of hooks,
 * the others are runs: begin and end. The same arguments make the same rows.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "base/num.h"
#include "sys/file.h"

#define BUFFER ((size_t)1 << 20)
#define AGENTS 40
#define PER_ARENA 1000 /* rows whose memory is given back together */
#define OPEN_RUNS 16   /* that go on at the same time */

struct random {
	uint64_t s;
};

static uint64_t next_random(struct random *r)
{
	uint64_t z = (r->s += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static unsigned below(struct random *r, unsigned n) { return (unsigned)(next_random(r) % n); }

#define PICK(r, list) (list)[below((r), ARRAY_SIZE(list))]

struct run { /* a begin row whose end is to come */
	char id[AUDIT_ID_MAX + 1], command[256];
	unsigned agent;
};

struct maker {
	struct random r;
	char *out;
	size_t n;
	int fd, dir;
	char name[DAY_NAME + 1], hash[AUDIT_HASH + 1];
	uint64_t seq;
	struct run runs[OPEN_RUNS];
	unsigned nruns;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void flush(struct maker *m)
{
	if (m->n && fd_write_all(m->fd, m->name, str_n(m->out, m->n), NULL) < 0)
		die(m->name);
	m->n = 0;
}

static void turn(struct maker *m, const char *ts)
{
	char name[DAY_NAME + 1];
	snprintf(name, sizeof name, "%.10s.jsonl", ts);
	if (m->fd >= 0 && !strcmp(name, m->name))
		return;
	if (m->fd >= 0)
		flush(m);
	fd_close(&m->fd);
	memcpy(m->name, name, sizeof name);
	m->fd = openat(m->dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (m->fd < 0)
		die(name);
}

static void command(struct random *r, char *ret, size_t n)
{
	static const char *const plain[] = {"git status", "ls -la", "npm test", "cargo build", "make -j8",
			"pytest -q", "git diff HEAD~1", "go test ./...", "docker ps", "cat package.json"};
	static const char *const files[] = {"src/main.c", "lib/util.py", "app/models/user.rb", "README.md",
			"web/index.tsx", "tests/test_api.py", "docs/intro.md"};
	static const char *const words[] = {"config", "handler", "parse_row", "TODO", "session", "render",
			"commit", "async"};
	switch (below(r, 8)) {
	case 0: case 1: case 2:
		snprintf(ret, n, "%s", PICK(r, plain));
		break;
	case 3:
		snprintf(ret, n, "grep -rn \"%s_%u\" %s", PICK(r, words), below(r, 500), PICK(r, files));
		break;
	case 4:
		snprintf(ret, n, "sed -n '%u,%up' %s", below(r, 900), 900 + below(r, 400), PICK(r, files));
		break;
	case 5:
		snprintf(ret, n, "python3 - <<'EOF'\nimport json\nprint(json.load(open(\"%s\"))['%s'])\nEOF",
				PICK(r, files), PICK(r, words));
		break;
	case 6:
		snprintf(ret, n, "git commit -m \"%s: %s %u\" && git push origin feature/%s-%u",
				PICK(r, words), PICK(r, words), below(r, 10000), PICK(r, words),
				below(r, 1000));
		break;
	default:
		snprintf(ret, n, "cd /home/dev/project%u && npm run %s -- --filter=%s", below(r, 30),
				PICK(r, words), PICK(r, words));
	}
}

static void put_row(struct maker *m, struct arena *a, const struct audit_row *row, int64_t us)
{
	struct str body;
	char ts[AUDIT_TS_CHARS + 1];
	struct err e = {0};
	if (row_body(a, row, &body, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	audit_time_text(us, ts);
	turn(m, ts);
	if (m->n + body.n + FRAME_START_MAX + FRAME_END + 2 > BUFFER)
		flush(m);
	char *line = m->out + m->n;
	size_t n = (size_t)snprintf(line, FRAME_START_MAX, "{\"v\":1,\"seq\":%" PRIu64
			",\"id\":\"%.*s\",\"kind\":\"%s\",\"ts\":\"%s\"", ++m->seq, STR_ARG(row->id),
			audit_kind_name(row->kind), ts);
	memcpy(line + n, body.p, body.n);
	n += body.n;
	n += (size_t)snprintf(line + n, FRAME_END, ",\"prev\":\"%s\"", m->seq > 1 ? m->hash : AUDIT_ZERO);
	hash_text(str_n(line, n), m->hash);
	n += (size_t)snprintf(line + n, HASH_FIELD + 2, ",\"hash\":\"%s\"}\n", m->hash);
	m->n += n;
}

static struct str digest(struct arena *a, struct random *r, unsigned kinds)
{
	struct random one = {.s = below(r, kinds)};
	uint64_t w[4];
	for (int i = 0; i < 4; i++)
		w[i] = next_random(&one);
	return str_fmt(a, "sha256:%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64, w[0], w[1], w[2],
			w[3]);
}

static void begin_row(struct maker *m, struct arena *a, struct audit_row *row)
{
	static const char *const verdicts[] = {"allow", "allow", "allow", "allow", "allow", "allow", "ask",
			"ask", "deny", "contain"};
	static const char *const ids[] = {"secret-read", "outside-write", "network", "delete-outside",
			"privilege", "unknown-command"};
	struct str *reasons = arena_array(a, 2, sizeof *reasons);
	const char *verdict = row->kind == AUDIT_BEGIN ? "contain" : PICK(&m->r, verdicts);
	row->verdict = str_of(verdict);
	row->cwd = str_fmt(a, "/home/dev/project%u", below(&m->r, 30));
	row->policy = digest(a, &m->r, 3);
	row->view = digest(a, &m->r, 5000);
	row->reasons = reasons;
	if (verdict[0] != 'a' || verdict[1] == 's')
		for (row->nreasons = 0; row->nreasons <= below(&m->r, 2); row->nreasons++)
			reasons[row->nreasons] = str_of(PICK(&m->r, ids));
	if (row->kind == AUDIT_BEGIN)
		row->backend = STR("namespaces"),
				row->spec = STR(
				"{\"argv\":[\"bash\",\"-c\",\"true\"],\"profile\":\"work\","
				"\"limits\":{\"cpu_milli\":2000,\"memory\":1073741824,\"time_ms\":30000,"
				"\"pids\":256}}");
}

static void end_row(struct maker *m, struct arena *a, struct audit_row *row)
{
	static const char *const statuses[] = {"ok", "ok", "ok", "ok", "ok", "exit_nonzero", "exit_nonzero",
			"timeout", "signal"};
	const char *status = below(&m->r, 500) ? PICK(&m->r, statuses) : "oom";
	row->verdict = STR("contain");
	row->status = str_of(status);
	row->backend = STR("namespaces");
	row->exit_code = (struct audit_number){true, status[0] == 'o' ? 0 : 1};
	row->duration_ms = (struct audit_number){true, 5 + below(&m->r, 60000)};
	row->cpu_ms = (struct audit_number){true, 5 + below(&m->r, 20000)};
	row->peak_memory_mb = (struct audit_number){true, 2 + below(&m->r, 800)};
	row->validation.outcome = STR("valid");
	row->validation.result = STR("pass");
	row->validation.task = STR("exec");
	row->out = digest(a, &m->r, 1u << 30);
	row->err = digest(a, &m->r, 100);
}

static void one_row(struct maker *m, struct arena *a, int64_t us)
{
	struct audit_row row = {.client = STR("claude-code"), .tool = STR("Bash")};
	struct run fresh = {0}, *run = &fresh;
	const bool ends = m->nruns == OPEN_RUNS || (m->nruns && below(&m->r, 4) == 0);
	if (ends) {
		unsigned i = below(&m->r, m->nruns);
		fresh = m->runs[i];
		m->runs[i] = m->runs[--m->nruns];
		row.kind = AUDIT_END;
	} else {
		snprintf(fresh.id, sizeof fresh.id, "%016" PRIx64 "%016" PRIx64, next_random(&m->r),
				next_random(&m->r));
		command(&m->r, fresh.command, sizeof fresh.command);
		fresh.agent = below(&m->r, 4) ? below(&m->r, AGENTS) : below(&m->r, 3);
		row.kind = below(&m->r, 3) ? AUDIT_VERDICT : AUDIT_BEGIN;
		if (row.kind == AUDIT_BEGIN)
			m->runs[m->nruns++] = fresh;
	}
	row.id = str_of(run->id);
	row.command = str_of(run->command);
	row.agent_id = str_fmt(a, "agent-%02u", run->agent);
	row.session = str_fmt(a, "s-%u-%u", run->agent, (unsigned)(us / AUDIT_DAY_US));
	row.tool_use_id = str_fmt(a, "toolu_%.24s", run->id);
	if (ends)
		end_row(m, a, &row);
	else
		begin_row(m, a, &row);
	put_row(m, a, &row, us);
}

int main(int argc, char **argv)
{
	int64_t n, days, seed = 1;
	if (argc < 4 || num_parse(str_of(argv[2]), 1, 100000000, &n) < 0 ||
			num_parse(str_of(argv[3]), 1, 3650, &days) < 0 ||
			(argc > 4 && num_parse(str_of(argv[4]), 0, INT64_MAX, &seed) < 0)) {
		fprintf(stderr, "usage: rows STATE N DAYS [SEED]\n");
		return 64;
	}
	struct maker *m = calloc(1, sizeof *m);
	const int64_t end = (int64_t)time(NULL) * 1000000 / AUDIT_DAY_US * AUDIT_DAY_US,
			start = end - days * AUDIT_DAY_US;
	*m = (struct maker){.r = {(uint64_t)seed}, .out = malloc(BUFFER), .fd = -1};
	if ((mkdir(argv[1], 0700) < 0 && access(argv[1], W_OK) < 0) || chdir(argv[1]) < 0 ||
			mkdir("audit", 0700) < 0 ||
			(m->dir = open("audit", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		die(argv[1]);
	for (int64_t i = 0; i < n;) {
		struct arena a;
		arena_init(&a, ARENA_CAP_DEFAULT);
		for (int k = 0; k < PER_ARENA && i < n; k++, i++)
			one_row(m, &a, start + (int64_t)((__int128)(end - start) * i / n) +
					(int64_t)below(&m->r, 100));
		arena_free(&a);
	}
	flush(m);
	fd_close(&m->fd);
	return 0;
}
