/* Tables as text: CSV and TSV (RFC 4180, with any usual separator), pandas' print and info(), psql. */
#define _GNU_SOURCE
#include "base/utf8.h"
#include "result/validate_data.h"

/* ---- CSV, TSV ---- */

struct csv {
	struct str text;
	size_t at, line;      /* line: number of the next record's line */
	char sep;
	bool quoting;         /* a misplaced or unclosed quote */
	size_t quoting_line;
};

static struct str without_bom(struct str s)
{
	return str_starts(s, "\xef\xbb\xbf") ? str_sub(s, 3, s.n) : s;
}

/* Returns the most frequent separator of the first record, outside quotes; '\0' if there is none. */
static char sniff_separator(struct str text)
{
	static const char seps[] = ",;\t|";
	size_t count[sizeof seps - 1] = {0}, best = 0;
	bool quoted = false;
	for (size_t i = 0; i < text.n && (quoted || text.p[i] != '\n'); i++) {
		if (text.p[i] == '"')
			quoted = !quoted;
		const char *sep = quoted || !text.p[i] ? NULL : strchr(seps, text.p[i]);
		if (sep)
			count[sep - seps]++;
	}
	for (size_t i = 1; i < sizeof seps - 1; i++)
		if (count[i] > count[best])
			best = i;
	return count[best] ? seps[best] : '\0';
}

static void bad_quote(struct csv *c)
{
	if (!c->quoting)
		c->quoting_line = c->line;
	c->quoting = true;
}

/*
 * Reads a quoted field at c->at; doubled quotes stay in it. It ends at the separator, or at the end of line
 * or text.
 */
static struct str quoted_field(struct csv *c, size_t *lines)
{
	size_t start = ++c->at;
	for (;;) {
		const char *p = c->at < c->text.n ? memchr(c->text.p + c->at, '"', c->text.n - c->at) : NULL;
		size_t end = p ? (size_t)(p - c->text.p) : c->text.n;
		for (; c->at < end; c->at++)
			*lines += c->text.p[c->at] == '\n';
		if (!p) {
			bad_quote(c);
			return str_sub(c->text, start, c->at);
		}
		c->at++;
		if (c->at >= c->text.n || c->text.p[c->at] != '"')
			break;
		c->at++;
	}
	struct str field = str_sub(c->text, start, c->at - 1);
	if (c->at + 1 < c->text.n && c->text.p[c->at] == '\r' && c->text.p[c->at + 1] == '\n')
		c->at++;
	if (c->at < c->text.n && c->text.p[c->at] != c->sep && c->text.p[c->at] != '\n') {
		bad_quote(c);
		while (c->at < c->text.n && c->text.p[c->at] != c->sep && c->text.p[c->at] != '\n')
			c->at++;
	}
	return field;
}

static struct str plain_field(struct csv *c)
{
	size_t start = c->at;
	for (; c->at < c->text.n; c->at++) {
		char b = c->text.p[c->at];
		if (b == c->sep || b == '\n')
			break;
		/* TSV has no quotes. */
		if (b == '"' && c->sep != '\t')
			bad_quote(c);
	}
	struct str field = str_sub(c->text, start, c->at);
	if (str_ends(field, "\r") && (c->at >= c->text.n || c->text.p[c->at] == '\n'))
		field.n--;
	return field;
}

/*
 * Reads the next record: number of fields (0: none left, or an empty line), and how many of them are empty.
 * Names go to h; cells of a row are checked against their types.
 */
static size_t csv_record(struct arena *a, struct csv *c, struct header *h, struct types *t, int64_t *missing)
{
	size_t fields = 0, lines = 1;
	bool empty = true;
	for (;;) {
		bool quoted = c->at < c->text.n && c->text.p[c->at] == '"';
		struct str f = quoted ? quoted_field(c, &lines) : plain_field(c);
		empty &= !quoted && !f.n;
		*missing += data_is_missing(f);
		if (h)
			header_add(a, h, f);
		if (t && t->n)
			data_cell(t, fields, f, c->line);
		fields++;
		if (c->at >= c->text.n || c->text.p[c->at] == '\n')
			break;
		c->at++;
	}
	c->at++;
	c->line += lines;
	return fields == 1 && empty ? 0 : fields;
}

/* A table of Markdown: a line that starts with '|', and below it a rule of '|', '-' and ':'. */
static bool is_markdown(struct str text)
{
	struct lines l = lines_of(text);
	struct str line;
	if (!lines_next(&l, &line) || !str_starts(line, "|") || !lines_next(&l, &line))
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (!line.p[i] || !strchr("|-: \r", line.p[i]))
			return false;
	return str_starts(line, "|") && str_contains(line, STR("-"));
}

static int separated_detect(const struct validate_input *in, bool tabs)
{
	if (!in->task)
		return 0;
	char sep = sniff_separator(without_bom(in->out));
	if (is_markdown(without_bom(in->out)))
		return 0;
	if (tabs)
		return sep == '\t' ? 30 : 0;
	return sep == '\t' ? 0 : sep ? 25 : 5; /* one column, or nothing at all */
}

int csv_detect(const struct validate_input *in) { return separated_detect(in, false); }
int tsv_detect(const struct validate_input *in) { return separated_detect(in, true); }

static bool is_text(struct arena *a, struct validation *v, struct str t)
{
	if (t.n && memchr(t.p, 0, t.n)) {
		validation_note(a, v, NOTE_NOT_TEXT, false,
				"there are NUL bytes in the data: it is binary, or UTF-16; write it as "
				"UTF-8");
		return false;
	}
	if (!utf8_valid(t))
		validation_note(a, v, NOTE_NOT_UTF8, true,
				"the data is not UTF-8, so its names and texts may be read wrongly; write "
				"it as UTF-8");
	return true;
}

void csv_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct csv c = {.text = without_bom(in->out), .line = 1};
	struct header h = {0};
	struct types t;
	int64_t rows = 0, ragged = 0, missing = 0, ragged_got = 0, none = 0;
	size_t ragged_line = 0;
	if (!is_text(a, v, c.text))
		return;
	if (str_starts(c.text, "sep=") && c.text.n > 4) { /* first line of some spreadsheets */
		c.sep = c.text.p[4];
		ptrdiff_t end = str_find(c.text, '\n', 0);
		c.at = end < 0 ? c.text.n : (size_t)end + 1;
		c.line++;
	} else {
		c.sep = sniff_separator(c.text);
		if (!c.sep)
			/*
			 * one column; or a line of other text above the header, so that the rows below are
			 * ragged
			 */
			c.sep = ',';
	}
	while (c.at < c.text.n && !h.n) {
		if (csv_record(a, &c, &h, NULL, &none) == 0)
			h.n = 0;
	}
	if (!h.n) {
		validation_note(a, v, NOTE_DATA_EMPTY, false,
				"nothing was printed where a table was expected; find out why before going "
				"on");
		return;
	}
	data_types(a, in, &h, &t);
	while (c.at < c.text.n) {
		size_t line = c.line, n = csv_record(a, &c, NULL, &t, &missing);
		if (n == 0 && h.n > 1)
			continue;
		rows++;
		if (n != h.n && !(n == 0 && h.n == 1) && ragged++ == 0) {
			ragged_line = line;
			ragged_got = (int64_t)n;
		}
	}
	data_rows(a, in, v, rows, (int64_t)h.n);
	validation_count(a, v, "missing", missing);
	if (h.n == 1 && !in->ncolumns && !ragged)
		validation_unsure(a, v, NOTE_ONE_COLUMN,
				"any text is a table of one column, so nothing says that this is one; "
				"name the "
				"column with --columns");
	if (c.quoting)
		validation_note(a, v, NOTE_CSV_QUOTING, false,
				"line %zu: a quote is not where RFC 4180 has it; write fields with a CSV "
				"library, which doubles quotes and puts such fields in quotes",
			c.quoting_line);
	if (!h.partial)
		data_ragged(a, v, ragged, ragged_line, ragged_got, (int64_t)h.n);
	data_header(a, in, v, &h);
	data_wrong_types(a, v, &h, &t);
}

void tsv_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	csv_check(a, in, v);
}

/* ---- psql ---- */

/* ----+------ */
static bool is_rule(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '-' && line.p[i] != '+')
			return false;
	return line.n > 0 && line.p[0] == '-';
}

static size_t count_char(struct str s, char c)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

static bool psql_footer(struct str line, int64_t *ret)
{
	struct scan c = scan_of(line);
	return scan_text(&c, "(") && scan_count(&c, ret) &&
			(scan_text(&c, " rows)") || scan_text(&c, " row)"));
}

int psql_detect(const struct validate_input *in)
{
	struct lines l = lines_of(in->out);
	struct str line, before = {0};
	for (size_t i = 0; in->task && i < 64 && lines_next(&l, &line); i++) {
		if (i && is_rule(line) && count_char(line, '+') == count_char(before, '|') &&
				!lines_blank(before))
			return 80;
		before = line;
	}
	return 0;
}

static void psql_names(struct arena *a, struct str line, struct header *h)
{
	size_t from = 0;
	for (ptrdiff_t bar; (bar = str_find(line, '|', from)) >= 0; from = (size_t)bar + 1)
		header_add(a, h, lines_trim(str_sub(line, from, (size_t)bar)));
	header_add(a, h, lines_trim(str_sub(line, from, line.n)));
}

/* A value with a newline continues on the next line; psql marks that with a '+' at the end of the cell. */
static bool psql_continued(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '+' && (i + 1 == line.n || line.p[i + 1] == '|'))
			return true;
	return false;
}

struct psql {
	struct lines l;
	struct header h;
	struct types t;
	int64_t rows, ragged, got;
	size_t line, ragged_line;
	bool footer;
};

/* Splits a row into cells. A bar in a value gives more cells than columns, and they cannot be assigned. */
static void psql_cells(struct psql *t, struct str line)
{
	size_t from = 0, column = 0;
	for (ptrdiff_t bar; (bar = str_find(line, '|', from)) >= 0; from = (size_t)bar + 1)
		data_cell(&t->t, column++, lines_trim(str_sub(line, from, (size_t)bar)), t->line);
	data_cell(&t->t, column, lines_trim(str_sub(line, from, line.n)), t->line);
}

/* Reads the rows below a rule, up to the footer or an empty line. */
static void psql_rows(struct arena *a, struct validation *v, struct psql *t, size_t bars)
{
	int64_t shown = 0, continued = 0, said = -1;
	for (struct str line; lines_next(&t->l, &line);) {
		t->line++;
		if (psql_footer(line, &said) || (lines_blank(line) && !bars))
			break;
		if (lines_blank(line) && !line.n)
			break;
		shown++;
		continued += psql_continued(line);
		size_t n = count_char(line, '|');
		if (n < bars && t->ragged++ == 0) {
			t->ragged_line = t->line;
			t->got = (int64_t)n + 1;
		}
		if (t->t.n == bars + 1 && n == bars)
			psql_cells(t, line);
	}
	t->footer = said >= 0;
	if (said >= 0 && (said > shown || said < shown - continued))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the footer says %lld rows but %lld are shown; do not believe either "
				"number: run the query again and keep all of its output",
			(long long)said, (long long)shown);
	t->rows += said >= 0 ? said : shown - continued;
}

void psql_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct psql t = {.l = lines_of(in->out)};
	struct str before = {0};
	for (struct str line; lines_next(&t.l, &line);) {
		t.line++;
		size_t bars = count_char(line, '+');
		if (is_rule(line) && !lines_blank(before) && bars == count_char(before, '|')) {
			struct header *h = &t.h, one = {0};
			if (h->n) /* another table: its rows count, its names are separate */
				h = &one;
			psql_names(a, before, h);
			if (h == &t.h)
				data_types(a, in, h, &t.t);
			psql_rows(a, v, &t, bars);
			line = STR("");
		}
		before = line;
	}
	data_rows(a, in, v, t.rows, (int64_t)t.h.n);
	data_ragged(a, v, t.ragged, t.ragged_line, t.got, (int64_t)t.h.n);
	data_header(a, in, v, &t.h);
	data_wrong_types(a, v, &t.h, &t.t);
	if (!t.footer)
		validation_note(a, v, NOTE_FOOTER_MISSING, true,
				"psql printed no '(N rows)', so nothing says that these are all of them; "
				"leave the footer on");
}

/* ---- pandas ---- */

struct pandas {
	struct header h;
	int64_t rows, columns;   /* of the footer; -1: none */
	int64_t shown;
	bool empty, info, elided, wrapped;
	int64_t listed;          /* info(): columns it lists */
};

/* [2 rows x 3 columns] */
static bool pandas_footer(struct str line, struct pandas *p)
{
	struct scan c = scan_of(line);
	int64_t rows, columns;
	if (!(scan_text(&c, "[") && scan_count(&c, &rows) &&
			(scan_text(&c, " rows x ") || scan_text(&c, " row x ")) && scan_count(&c, &columns) &&
	      (scan_text(&c, " columns]") || scan_text(&c, " column]"))))
		return false;
	p->rows = rows;
	p->columns = columns;
	return true;
}

int pandas_detect(const struct validate_input *in)
{
	if (!in->task)
		return 0;
	if (str_starts(in->out, "Empty DataFrame\n") || str_starts(in->out, "<class 'pandas."))
		return 90;
	struct pandas p = {0};
	struct lines l = lines_of(in->out);
	struct str line;
	for (size_t i = 0; lines_next(&l, &line); i++)
		if (pandas_footer(line, &p))
			return 85;
	/* A small frame without footer: names above an index that counts from 0. */
	l = lines_of(in->out);
	return lines_next(&l, &line) && str_starts(line, " ") && lines_next(&l, &line) &&
			str_starts(line, "0 ") ? 35 : 0;
}

static void pandas_names(struct arena *a, struct str line, struct pandas *p)
{
	for (size_t i = 0; i < line.n;) {
		while (i < line.n && ascii_is_blank(line.p[i]))
			i++;
		size_t end = i;
		while (end < line.n && line.p[end] != ' ' && line.p[end] != '\t')
			end++;
		struct str name = str_sub(line, i, end);
		if (str_is(name, "...")) {
			p->elided = true;
			p->h.partial = true;
		} else if (str_is(name, "\\")) {
			p->wrapped = true;
		} else if (name.n) {
			header_add(a, &p->h, name);
		}
		i = end;
	}
}

/* `RangeIndex: 2 entries, 0 to 1`, `Data columns (total 3 columns):`, ` 0   id      2 non-null      int64` */
static void pandas_info_line(struct arena *a, struct str line, struct pandas *p)
{
	struct scan c = scan_of(line);
	const char *index = line.n ? memmem(line.p, line.n, "Index: ", 7) : NULL;
	int64_t n;
	struct str word;
	if (index && p->rows < 0) {
		c.at = (size_t)(index - line.p) + 7;
		if (scan_count(&c, &n) && scan_text(&c, " entries"))
			p->rows = n;
	} else if (scan_text(&c, "Data columns (total ") && scan_count(&c, &n)) {
		p->columns = n;
	} else if (p->columns >= 0 && scan_blanks(&c) && scan_count(&c, &n) && scan_blanks(&c)) {
		size_t end = c.at;
		while (end < line.n && line.p[end] != ' ')
			end++;
		word = str_sub(line, c.at, end);
		header_add(a, &p->h, word);
		p->listed++;
	}
}

static void pandas_read(struct arena *a, struct str text, struct pandas *p)
{
	struct lines l = lines_of(text);
	bool header = true, names_above = false;
	for (struct str line; lines_next(&l, &line);) {
		bool below = names_above;
		names_above = false;
		if (p->info) {
			pandas_info_line(a, line, p);
		} else if (pandas_footer(line, p)) {
			return;
		} else if (lines_blank(line)) {
			header = true; /* the next block of a wrapped frame */
		} else if (header) {
			pandas_names(a, line, p);
			header = false;
			names_above = true;
		} else if (str_starts(line, "..")) {
			p->elided = true;
		/* the name of the index is on its own line below the header */
		} else if (!(below && str_find(lines_trim(line), ' ', 0) < 0)) {
			p->shown++;
		}
	}
}

/* A name with a blank looks like two names: it is found if its words are adjacent. */
static void pandas_header(struct arena *a, const struct validate_input *in, struct validation *v,
		struct pandas *p)
{
	for (size_t i = 0; i < in->ncolumns; i++) {
		enum data_type type;
		struct str name = data_type_split(in->columns[i], &type);
		if (str_find(name, ' ', 0) >= 0 && str_contains(in->out, name))
			header_add(a, &p->h, name);
		if (type != TYPE_ANY)
			validation_unsure(a, v, NOTE_TYPE_NOT_SEEN,
					"the cells of a printed frame cannot be told apart, so the type of "
					"'%.*s' is not checked; print CSV", DATA_NAME(name));
	}
	if (p->info && p->listed < p->columns) {
		p->h.partial = true;
		validation_note(a, v, NOTE_COLUMN_NOT_SHOWN, true,
				"only %lld of %lld columns are listed; print all of them to have them "
				"checked", (long long)p->listed, (long long)p->columns);
	}
	if (!p->wrapped || p->columns == (int64_t)p->h.n)
		data_header(a, in, v, &p->h);
}

void pandas_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct pandas p = {.rows = -1, .columns = -1};
	p.info = str_starts(in->out, "<class 'pandas.");
	if (str_starts(in->out, "Empty DataFrame\n")) {
		data_rows(a, in, v, 0, 0);
		return;
	}
	pandas_read(a, in->out, &p);
	if (!p.info && p.rows >= 0 && !p.wrapped && (p.elided ? p.shown > p.rows : p.shown != p.rows))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the footer says %lld rows but %lld are shown; do not believe either "
				"number: print the frame again and keep all of it",
			(long long)p.rows, (long long)p.shown);
	if (!p.info && p.rows < 0) {
		p.rows = p.shown;
		p.columns = (int64_t)p.h.n;
	}
	if (p.rows < 0 || p.columns < 0) {
		validation_unsure(a, v, NOTE_INFO_PARTIAL,
				"the number of rows or columns is not there; print all of info(), or the "
				"frame as CSV");
		return;
	}
	data_rows(a, in, v, p.rows, p.columns);
	pandas_header(a, in, v, &p);
}
