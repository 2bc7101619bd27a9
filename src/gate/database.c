/* SQL and other database code that destroys or changes data: keywords outside of strings and comments. */
#include "gate/judge.h"

#define SQL_WORDS_MAX 65536 /* words read; longer code counts as a change */

/* MySQL executes comments of the form slash-star-bang, so these are read, not skipped. */
static bool sql_word(struct str s, size_t *i, struct str *ret)
{
	while (*i < s.n) {
		size_t from, next = sql_quoted_end(s, *i);

		if (next > *i) {
			*i = next;
			continue;
		}
		if (!ascii_is_name_start(s.p[*i])) {
			++*i;
			continue;
		}
		for (from = *i; *i < s.n && (ascii_is_name_start(s.p[*i]) || ascii_is_digit(s.p[*i])); ++*i)
			;
		*ret = str_sub(s, from, *i);
		return true;
	}
	return false;
}

enum harm { HARM_NONE, HARM_CHANGE, HARM_DESTROY };

static enum harm sql_harm(struct str s)
{
	enum harm worst = HARM_NONE;
	struct str w, before = STR("");
	bool delete = false, where = false;
	size_t i = 0;

	for (size_t n = 0; sql_word(s, &i, &w); n++) {
		if (n >= SQL_WORDS_MAX)
			return HARM_CHANGE;
		if (str_is_like(w, "truncate") || (str_is_like(before, "drop") && !str_is_like(w, "column") &&
				!str_is_like(w, "constraint") && !str_is_like(w, "default") &&
				!str_is_like(w, "index")))
			return HARM_DESTROY;
		delete |= str_is_like(before, "delete") && str_is_like(w, "from");
		where |= str_like_any(w, "where limit");
		if (str_like_any(w, "delete update insert alter drop replace grant revoke attach"))
			worst = HARM_CHANGE;
		before = w;
	}
	return delete && !where ? HARM_DESTROY : worst;
}

static enum harm mongo_harm(struct str s)
{
	static const char destroys[][16] = {"dropDatabase", ".drop(", "dropIndexes", "deleteMany({})",
			"remove({})", "shutdownServer", "dropUser"};
	static const char changes[][16] = {"delete", "remove", "update", "insert", "replace", "rename",
			"bulkWrite", "findAndModify", "$out", "$merge", "eval"};

	for (size_t i = 0; i < ARRAY_SIZE(destroys); i++)
		if (str_contains(s, str_of(destroys[i])))
			return HARM_DESTROY;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (str_contains(s, str_of(changes[i])))
			return HARM_CHANGE;
	return HARM_NONE;
}

/* ---- redis ---- */

/* True if this command, with the word after it, only reads. */
static bool redis_reads(struct str command, struct str next)
{
	static const char groups[] = "object memory slowlog client command latency pubsub xinfo";

	return str_like_any(command,
			"get mget exists ttl pttl expiretime pexpiretime type keys scan strlen getrange "
			"substr getbit bitcount bitpos bitfield_ro hget hmget hgetall hkeys hvals hlen "
			"hexists hscan hstrlen hrandfield lrange llen lindex lpos smembers sismember "
			"smismember scard srandmember sscan sinter sunion sdiff sintercard zrange "
			"zrangebyscore zrangebylex zrevrange zrevrangebyscore zrevrangebylex zrank "
			"zrevrank zcard zcount zlexcount zscore zmscore zscan zrandmember zinter zunion "
			"zdiff xrange xrevrange xlen xread xpending geopos geodist geohash geosearch "
			"pfcount ping echo info dbsize time lastsave randomkey role dump sort_ro lcs "
			"monitor subscribe psubscribe lolwut json.get") || str_is_like(command, "command") ||
			(str_like_any(command, groups) && str_like_any(next,
					"usage stats doctor get len list info getname id encoding refcount "
					"idletime freq help count docs getkeys channels numsub numpat "
					"history latest stream groups consumers malloc-stats graph"));
}

/* The first word names the command; an unknown flag may take that word as its argument. */
static bool redis_changes(const struct command *k)
{
	for (size_t i = 1; i < k->argc; i++) {
		if (k->argv[i].kind == WORD_REST && i + 1 == k->argc)
			return false; /* may be any words, so judged as such */
		if (k->argv[i].kind != WORD_EXACT)
			return true;
		if (str_is_any(k->argv[i].text, "--eval --cluster"))
			return false; /* a script is executed; a cluster is asked about anyway */
		if (!str_starts(k->argv[i].text, "-"))
			return !redis_reads(k->argv[i].text, i + 1 < k->argc &&
					k->argv[i + 1].kind == WORD_EXACT ? k->argv[i + 1].text : STR(""));
		if (str_like_any(k->argv[i].text,
				"-h -p -t -s -a -u -r -i -n -d -D -X --user --pass --uri --sni --cacert "
				"--cacertdir --cert --key --pipe-timeout --pattern --quoted-pattern "
				"--count --cursor --memkeys-samples --intrinsic-latency --rdb "
				"--functions-rdb"))
			i++;
		else if (!str_like_any(k->argv[i].text,
				"--raw --no-raw --csv --json --quoted-json --stat --latency "
				"--latency-history --latency-dist --scan --bigkeys --memkeys --hotkeys "
				"--keystats --pipe --tls --insecure --no-auth-warning --askpass --version "
				"--help --verbose -v -c -x -e -2 -3 -4 -6"))
			return true;
	}
	return false;
}

static void database_redis(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];

		if (str_is_any(s->base, "redis-cli valkey-cli keydb-cli") && redis_changes(s->c))
			judge_raise_at_most(j, CHECK_DATABASE_CHANGE, GRADE_DENY, s->c->at,
				STR("this may change the database"), NULL);
	}
}

/* Returns the program that gets the code. */
static struct str program_at(const struct judge *j, struct span at)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (j->subjects[i].c->argc && j->subjects[i].c->argv[0].at.text == at.text &&
				j->subjects[i].c->argv[0].at.from == at.from)
			return j->subjects[i].base;
	return STR("");
}

/* Clients of a server that many may share. */
static bool is_server(struct str program)
{
	return str_is_any(program, "psql mysql mariadb");
}

void database_sql(struct judge *j, const struct check *c)
{
	database_redis(j);
	for (const struct snippet *s = j->f->snippets; s; s = s->next) {
		struct str program = program_at(j, s->at);
		bool mongo = str_starts(program, "mongo");
		bool known = true;
		enum harm h;

		if (s->lang != LANG_SQL && !mongo)
			continue;
		h = mongo ? mongo_harm(s->text.text) : sql_harm(s->text.text);
		if (h == HARM_NONE && s->text.kind != WORD_REST && is_server(program) &&
				!sql_reads(s->text.text, str_is(program, "psql"))) {
			h = HARM_CHANGE;
			known = false;
		}
		if (h == HARM_DESTROY) /* an sqlite file in the project is a file of the project */
			judge_raise_at_most(j, c->id, str_starts(program, "sqlite") ||
					str_is(program, "duckdb") ? GRADE_ASK : GRADE_DENY, s->at,
				STR("this deletes a table, a database or all rows of a table"),
				"ask the user to run it");
		else if (h == HARM_CHANGE)
			judge_raise_at_most(j, CHECK_DATABASE_CHANGE, GRADE_DENY, s->at,
				known ? STR("this changes rows or tables of a database") :
				STR("this is not plainly a read, so it may change the database"), NULL);
	}
}
