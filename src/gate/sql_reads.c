/*
 * SQL for a server that many may share: decides whether each statement is known to read, or to create
 * something. One pass over the tokens. False for a statement that starts in another way (do, call, merge,
 * kill), calls an unlisted function, or can be read in two ways.
 */
#include "gate/judge.h"

enum sql_token { TOKEN_NONE, TOKEN_WORD, TOKEN_NAME, TOKEN_STRING, TOKEN_SIGN };

struct sql_scan {
	struct str s;
	size_t i;
	bool psql;
	bool start, dotted;            /* at the start of a statement; after the dot of a qualified name */
	/* past select, with or values: a name before a parenthesis is a call */
	bool query;
	enum sql_token last;
	/* the last name, the one before it, and the statement's first word */
	struct str word, before, verb;
	size_t words;                  /* number of words in the statement */
};

static bool is_letter(char c) { return ascii_is_name_start(c) || (unsigned char)c >= 0x80; }

#define NAME_ROOM 28

/*
 * Words that precede a parenthesis without being a call, and functions that only compute or show something.
 */

/*
 * True if the name before a parenthesis is followed by columns, not a call: create table NAME (...), with
 * NAME (...) as.
 */
static bool is_name_next(const struct sql_scan *r)
{
	return str_like_any(r->before, "with recursive as") ||
			(str_is_like(r->verb, "create") && !r->query && str_like_any(r->before,
					"table exists on only references index key view using type"));
}

size_t sql_quoted_end(struct str s, size_t i)
{
	char q = s.p[i];

	if (q == '\'' || q == '"' || q == '`') {
		for (i++; i < s.n && s.p[i] != q; i++)
			;
		return i < s.n ? i + 1 : s.n;
	}
	if (i + 1 < s.n && q == '-' && s.p[i + 1] == '-')
		while (i < s.n && s.p[i] != '\n')
			i++;
	return i;
}

/*
 * True if servers disagree about the text at i, outside of strings: comments that nest or are executed,
 * comments that only some know, dollar-quoted strings, names with dollars.
 */
static bool is_twofold(const struct sql_scan *r)
{
	char c = r->s.p[r->i], next = r->i + 1 < r->s.n ? r->s.p[r->i + 1] : '\n',
			third = r->i + 2 < r->s.n ? r->s.p[r->i + 2] : '\n';

	return (c == '/' && next == '*') || (c == '-' && next == '-' && !ascii_is_blank_or_newline(third)) ||
			(c == '$' && (next == '$' || is_letter(next) ||
			(r->i && (is_letter(r->s.p[r->i - 1]) || ascii_is_digit(r->s.p[r->i - 1]))))) ||
			c == '\\' || (c == '`' && r->psql) ||
	       (c == '#' && !r->psql);
}

/* psql replaces :name by a variable. a::int is a cast. */
static bool is_psql_variable(const struct sql_scan *r)
{
	char next = r->i + 1 < r->s.n ? r->s.p[r->i + 1] : ' ';

	return r->psql && (!r->i || r->s.p[r->i - 1] != ':') && (is_letter(next) || ascii_is_digit(next) ||
			strchr("'\"{", next));
}

static bool word_ok(struct sql_scan *r, bool known_word)
{
	if (r->start) {
		r->start = false;
		r->words = 1;
		r->verb = r->word;
		return known_word && str_like_any(r->word,
				"select show explain with values table describe desc use begin start "
				"commit rollback end analyze vacuum set create");
	}
	r->words++;
	r->query |= known_word && str_like_any(r->word, "select with values");
	if (str_is_like(r->verb, "set"))
		return !str_like_any(r->word,
				"global persist persist_only role session authorization password statement "
				"resource");
	if (str_is_like(r->verb, "start") && r->words == 2)
		return str_is_like(r->word, "transaction");
	if (str_is_like(r->verb, "create") &&
			((r->words == 2 && !(known_word && str_like_any(r->word,
					"table index unique view schema database type sequence temp "
					"temporary materialized"))) ||
			(str_is_like(r->before, "engine") && !str_like_any(r->word,
					"innodb myisam aria memory")) ||
			str_like_any(r->word, "connection directory server federated spider connect")))
		return false;
	return !known_word || !str_like_any(r->word, "merge execute immediate prepared atomic");
}

/* Takes a word or a quoted name. */
static bool take_name(struct sql_scan *r, enum sql_token kind, struct str word)
{
	if (!r->dotted)
		r->before = r->word;
	r->dotted = false;
	r->word = word;
	r->last = kind;
	return word_ok(r, kind == TOKEN_WORD);
}

static bool take_sign(struct sql_scan *r, char c)
{
	if (c == '(' && !r->start && ((r->last == TOKEN_WORD && !str_like_any(r->word,
			"select from where and or not in exists any all some on using join as by having "
			"limit offset union intersect except values distinct when then else case between "
			"like ilike is over filter group within row array lateral materialized sets cube "
			"rollup with explain vacuum analyze verbose key unique check include default range "
			"list hash partition similar to top if interval char character varchar varying "
			"nchar nvarchar bit binary varbinary numeric decimal dec float double int integer "
			"tinyint smallint mediumint bigint timestamp timestamptz datetime year enum set "
			"text blob vector count sum avg min max coalesce nullif greatest least cast "
			"convert extract grouping bool_and bool_or every stddev stddev_pop stddev_samp "
			"variance var_pop var_samp corr mode percentile_cont percentile_disc row_number "
			"rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value "
			"nth_value any_value string_agg array_agg group_concat json_agg jsonb_agg "
			"json_object_agg jsonb_object_agg json_arrayagg json_objectagg abs ceil ceiling "
			"floor round trunc mod power pow sqrt exp ln log sign random rand div width_bucket "
			"lower upper initcap length char_length character_length octet_length substring "
			"substr left right trim ltrim rtrim btrim lpad rpad concat concat_ws position "
			"strpos instr locate split_part substring_index reverse repeat ascii chr hex unhex "
			"md5 sha1 sha2 sha256 encode decode translate format quote_ident quote_literal "
			"regexp_match regexp_matches regexp_like regexp_substr regexp_split_to_array "
			"regexp_split_to_table string_to_array to_char to_date to_number to_timestamp now "
			"date time curdate curtime current_date current_timestamp localtimestamp "
			"clock_timestamp date_trunc date_part age make_date make_interval date_add "
			"date_sub datediff timestampdiff timestampadd date_format str_to_date month day "
			"hour minute second week weekday dayofweek unix_timestamp from_unixtime "
			"utc_timestamp last_day generate_series unnest array_length array_to_string "
			"array_position cardinality array_remove array_append array_cat to_json to_jsonb "
			"row_to_json json_build_object jsonb_build_object json_build_array "
			"jsonb_build_array json_array_elements jsonb_array_elements "
			"jsonb_array_elements_text json_each jsonb_each jsonb_each_text json_object_keys "
			"jsonb_object_keys jsonb_array_length json_array_length jsonb_typeof json_typeof "
			"jsonb_pretty jsonb_path_query jsonb_extract_path jsonb_extract_path_text "
			"json_extract json_unquote json_length json_keys json_contains json_valid "
			"json_object json_array json_table to_tsvector to_tsquery plainto_tsquery "
			"websearch_to_tsquery ts_rank similarity ifnull isnull uuid gen_random_uuid "
			"uuid_generate_v4 nextval currval version database schema user current_user "
			"session_user current_database current_schema current_schemas current_setting "
			"found_rows row_count last_insert_id connection_id pg_size_pretty pg_database_size "
			"pg_table_size pg_total_relation_size pg_relation_size pg_indexes_size "
			"pg_get_viewdef pg_get_indexdef pg_get_constraintdef pg_get_functiondef "
			"pg_get_expr pg_typeof pg_column_size pg_backend_pid pg_postmaster_start_time "
			"pg_table_is_visible pg_is_in_recovery pg_blocking_pids obj_description "
			"col_description format_type to_regclass has_table_privilege st_x st_y st_astext "
			"st_asgeojson st_distance st_dwithin st_contains st_intersects st_srid st_area")) ||
			r->last == TOKEN_NAME) && !is_name_next(r))
		return false;
	if (c == ':' && is_psql_variable(r))
		return false;
	if (r->start && c != '(' && c != ';')
		return false;
	r->dotted = c == '.' && r->last != TOKEN_SIGN;
	if (c == ';')
		*r = (struct sql_scan){.s = r->s, .i = r->i, .psql = r->psql, .start = true};
	/* `before` needs adjacent names; engine = x also counts */
	else if (c != '.' && c != '=')
		r->word = STR("");
	r->last = TOKEN_SIGN;
	r->i++;
	return true;
}

static bool take_token(struct sql_scan *r)
{
	struct str s = r->s;
	size_t from = r->i, end;
	char c = s.p[from];

	if (ascii_is_blank_or_newline(c)) {
		r->i++;
		return true;
	}
	if (r->start && r->psql && c == '\\') { /* a client command, see inline.c */
		while (r->i < s.n && s.p[r->i] != '\n')
			r->i++;
		return true;
	}
	if (is_twofold(r))
		return false;
	if ((end = sql_quoted_end(s, from)) > from) {
		r->i = end;
		if (c == '-')
			return true;
		if (c == '\'') {
			bool engine = str_is_like(r->verb, "create") && str_is_like(r->word, "engine");

			r->last = TOKEN_STRING;
			return !r->start && !engine;
		}
		return take_name(r, TOKEN_NAME, str_sub(s, from + 1, end - from > 1 ? end - 1 : end));
	}
	if (!is_letter(c) && !ascii_is_digit(c))
		return take_sign(r, c);
	while (r->i < s.n && (is_letter(s.p[r->i]) || ascii_is_digit(s.p[r->i])))
		r->i++;
	if (ascii_is_digit(c)) { /* a number; some servers read a name */
		r->last = TOKEN_NAME;
		r->before = STR("");
		return !r->start;
	}
	return take_name(r, TOKEN_WORD, str_sub(s, from, r->i));
}

bool sql_reads(struct str s, bool psql)
{
	struct sql_scan r = {.s = s, .psql = psql, .start = true};

	for (size_t i = 0; i < s.n; i++)
		/*
		 * for some servers a carriage return ends a comment, and other control characters are blanks
		 */
		if ((unsigned char)s.p[i] < ' ' && !ascii_is_blank_or_newline(s.p[i]))
			return false;
	while (r.i < s.n)
		if (!take_token(&r))
			return false;
	return true;
}
