/*
 * Arithmetic of bash over abstract texts. Each text has a scanner and a recursive-descent parser. The value
 * of a name is a text again, evaluated by a scanner of its own.
 *
 * Like bash, the scanner looks a name up when it reads the token, before the grammar has found a use for it:
 * in `1 a[$(cmd)]` the subscript is expanded before the syntax error is detected. So the scanner calls `get`,
 * and the grammar keeps bash's two-token memory (tok, last).
 *
 * Three modes:
 * - `noeval`: a branch that is not taken. It is parsed; nothing is looked up or assigned.
 * - `maybe`: a branch that may or may not be taken. Nothing in it is certain to happen.
 * - `doubt`: an error may have ended the whole expression before. Nothing after it is certain to happen.
 */
#include "shell/arith.h"

#include "model/facts.h"
#include "shell/arith_subscript.h"

enum {
	ARITH_VALUE_DEPTH = 64, /* values that name variables whose values name variables ... */
	/* nested parentheses, unary operators, ?: and assignments, over all values */
	ARITH_NEST = 256,
};

enum tok {
	TOK_END = 0,
	TOK_NUM = 1,
	TOK_NAME,
	TOK_ASSIGN_OP,
	TOK_PREINC,
	TOK_PREDEC,
	TOK_POSTINC,
	TOK_POSTDEC,
	TOK_COND,
	TOK_EQEQ,
	TOK_NEQ,
	TOK_LEQ,
	TOK_GEQ,
	TOK_LAND,
	TOK_LOR,
	TOK_LSH,
	TOK_RSH,
	TOK_POWER, /* other tokens are their own character */
};

struct mood {
	unsigned maybe, nest, depth;
	bool doubt;
};

struct name {
	struct str text, sub;
	bool has_sub, resolved;
};

struct arith_scan {
	struct arith *ar;
	struct mood *mood;
	struct str s;
	size_t at;
	int tok, last;
	int op;              /* the operator of TOK_ASSIGN_OP */
	struct number val;   /* value of TOK_NUM and TOK_NAME */
	struct name name;    /* name of TOK_NAME */
	unsigned noeval;
	unsigned holes;      /* number of HOLE_NUM in the text, counted up to 2 */
	bool uncertain;      /* evaluated in `maybe` or `doubt`: its errors are not certain */
	bool dead;           /* no more tokens */
	/* the minus of a HOLE_NUM was returned as an operator; its number is next */
	bool minus_hole;
};

static const struct number unknown = {false, 0};
static struct number known_number(int64_t n) { return (struct number){true, n}; }
static struct number known_u(uint64_t n) { return known_number((int64_t)n); }

static struct number parse_comma(struct arith_scan *p);
static struct number parse_assign(struct arith_scan *p);
static struct number parse_conditional(struct arith_scan *p);
static struct number parse_unary(struct arith_scan *p);
static struct number eval_text(struct arith *ar, struct mood *mood, struct str text);

static bool is_number_char(char c) { return ascii_is_name(c) || c == '#' || c == '@' || c == HOLE_NUM; }

static char peek_at(const struct arith_scan *p, size_t i) { return i < p->s.n ? p->s.p[i] : '\0'; }

/* Ends this text: the scanner returns no more tokens, so every loop of the grammar ends. */
static void end_tokens(struct arith_scan *p)
{
	p->dead = true;
	p->tok = p->last = TOK_END;
}

static void give_up(struct arith_scan *p)
{
	p->ar->opaque = true;
	end_tokens(p);
}

/* A syntax error. It is certain unless the evaluation of the whole text is uncertain. */
static struct number fail_number(struct arith_scan *p)
{
	if (p->dead)
		return unknown;
	if (p->uncertain)
		p->mood->doubt = true;
	else
		p->ar->error = true;
	end_tokens(p);
	return unknown;
}

static bool is_unsure(const struct arith_scan *p) { return p->uncertain || p->mood->maybe || p->mood->doubt; }

/*
 * A value without a result (division by zero). If its evaluation is uncertain, the rest continues in `doubt`.
 */
static struct number fail_value(struct arith_scan *p)
{
	if (!is_unsure(p))
		return fail_number(p);
	p->mood->doubt = true;
	return unknown;
}

static bool burn_fuel(struct arith *ar, size_t cost)
{
	if (*ar->fuel < cost) {
		*ar->fuel = 0;
		return false;
	}
	*ar->fuel -= (unsigned)cost;
	return true;
}

/* --- variables --- */

static bool is_integer(struct str s)
{
	return (s.n == 1 && s.p[0] == HOLE_NUM) || str_is_digits(str_from(s, str_starts(s, "-")));
}

static struct number value_of(struct arith_scan *p, struct name *n)
{
	struct str text;

	if (p->noeval)
		return known_number(0);
	p->ar->resolved = (struct str){0};
	text = p->ar->get(p->ar->ctx, n->text, n->has_sub ? &n->sub : NULL);
	if (n->has_sub && p->ar->resolved.p) {
		n->sub = p->ar->resolved;
		n->resolved = true;
	}
	p->ar->resolved = (struct str){0};
	return eval_text(p->ar, p->mood, text);
}

/*
 * The variable's value if its assignment is not certain. An array element is not read again: its subscript
 * may have side effects.
 */
static struct str either_value(struct arith_scan *p, const struct name *n, struct str value)
{
	struct str old;

	if (n->has_sub)
		return str_n("\0", 1);
	old = p->ar->get(p->ar->ctx, n->text, NULL);
	if (str_eq(old, value))
		return value;
	return is_integer(old) ? str_n("\1", 1) : str_n("\0", 1);
}

static void eval_assign(struct arith_scan *p, const struct name *n, struct number v)
{
	struct str text;

	if (p->noeval || p->dead || p->ar->opaque)
		return;
	text = v.known ? str_fmt(p->ar->a, "%lld", (long long)v.n) : str_n("\1", 1);
	if (is_unsure(p))
		text = either_value(p, n, text);
	p->ar->again = n->resolved;
	p->ar->set(p->ar->ctx, n->text, n->has_sub ? &n->sub : NULL, text);
	p->ar->again = false;
}

/* --- tokens --- */

static void read_subscript(struct arith_scan *p)
{
	size_t end;

	switch (arith_subscript(p->s, p->at, &end)) {
	case SUBSCRIPT_UNCLEAR:
		give_up(p);
		break;
	case SUBSCRIPT_OPEN:
		fail_number(p);
		break;
	case SUBSCRIPT_CLOSED:
		p->name.has_sub = true;
		p->name.sub = str_sub(p->s, p->at + 1, end);
		p->at = end + 1;
		break;
	}
}

/* Digits of base n#: 0-9 a-z A-Z @ _; upper and lower case are equal up to base 36. */
static unsigned number_digit(char c, unsigned base)
{
	if (ascii_is_digit(c))
		return (unsigned)(c - '0');
	if (ascii_is_lower(c))
		return (unsigned)(c - 'a') + 10;
	if (ascii_is_upper(c))
		return (unsigned)(c - 'A') + (base <= 36 ? 10 : 36);
	return c == '@' ? 62 : 63;
}

static struct number parse_constant(struct arith_scan *p, struct str t)
{
	unsigned base = 10;
	bool based = false;
	uint64_t v = 0;
	size_t i = 0;

	if (t.p[0] == '0' && t.n > 1) {
		based = true;
		base = t.p[1] == 'x' || t.p[1] == 'X' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	for (; i < t.n; i++) {
		if (t.p[i] == '#') {
			if (based || (int64_t)v < 2 || v > 64 || i + 1 == t.n || t.p[i + 1] == '#')
				return fail_number(p);
			base = (unsigned)v;
			based = true;
			v = 0;
			continue;
		}
		if (number_digit(t.p[i], base) >= base)
			return fail_number(p);
		v = v * base + number_digit(t.p[i], base);
	}
	return known_u(v);
}

/*
 * A run of number characters, maybe with HOLE_NUM in it. Each hole is digits with or without a minus. So the
 * run is a number, a difference of numbers, or an error (08, 7x), but never a name. A hole alone, or after
 * digits that do not start with 0, is no error. With several holes in the text, one may be the month of a
 * date (08), so errors are possible.
 */
static struct number parse_number(struct arith_scan *p)
{
	size_t from = p->at, to = from;
	const char *hole;
	struct str t;

	while (to < p->s.n && is_number_char(p->s.p[to]))
		to++;
	p->at = to;
	t = str_sub(p->s, from, to);
	hole = memchr(t.p, HOLE_NUM, t.n);
	if (!hole)
		return parse_constant(p, t);
	if (hole != t.p + t.n - 1 || t.p[0] == '0' || p->holes > 1)
		p->mood->doubt = true;
	for (const char *c = t.p; c < hole; c++)
		if (!ascii_is_digit(*c))
			p->mood->doubt = true;
	return unknown;
}

static const char two_char[][3] = {
	[TOK_EQEQ] = "==", [TOK_NEQ] = "!=", [TOK_LEQ] = "<=", [TOK_GEQ] = ">=", [TOK_LAND] = "&&",
	[TOK_LOR] = "||",  [TOK_LSH] = "<<", [TOK_RSH] = ">>", [TOK_POWER] = "**",
};

/* The meaning of ++ and -- depends on the tokens before and after. 0: two signs. */
static int lex_increment(struct arith_scan *p, char c)
{
	size_t i = p->at + 2;

	if (p->tok == TOK_NAME)
		return c == '-' ? TOK_POSTDEC : TOK_POSTINC;
	if (p->tok == TOK_NUM && (p->last == TOK_PREINC || p->last == TOK_PREDEC)) {
		fail_number(p);
		return TOK_END;
	}
	while (ascii_is_blank_or_newline(peek_at(p, i)) && i < p->s.n)
		i++;
	if (ascii_is_name_start(peek_at(p, i)))
		return c == '-' ? TOK_PREDEC : TOK_PREINC;
	return 0;
}

/* Scans an operator at p->at; sets p->op for an assignment. */
static int lex_operator(struct arith_scan *p)
{
	char c = p->s.p[p->at], c1 = peek_at(p, p->at + 1);
	int inc;

	for (int t = TOK_EQEQ; t <= TOK_POWER; t++) {
		if (c != two_char[t][0] || c1 != two_char[t][1])
			continue;
		p->at += 2;
		if ((t == TOK_LSH || t == TOK_RSH) && peek_at(p, p->at) == '=') {
			p->at++;
			p->op = t;
			return TOK_ASSIGN_OP;
		}
		return t;
	}
	if ((c == '-' || c == '+') && c1 == c) {
		inc = lex_increment(p, c);
		if (p->dead)
			return TOK_END;
		p->at += inc ? 2 : 1;
		return inc ? inc : c;
	}
	if (c1 == '=' && strchr("*/%+-&^|", c)) {
		p->at += 2;
		p->op = c;
		return TOK_ASSIGN_OP;
	}
	if (!strchr("=<>+-*/%!()&|^~?:,", c)) {
		fail_number(p);
		return TOK_END;
	}
	p->at++;
	return c;
}

/*
 * Looks ahead past a name: is the next token a plain = ? An error in that token comes before the name is
 * looked up.
 */
static bool assigned_next(struct arith_scan *p)
{
	struct arith_scan ahead = *p;
	char c;

	while (ahead.at < ahead.s.n && ascii_is_blank_or_newline(ahead.s.p[ahead.at]))
		ahead.at++;
	c = peek_at(&ahead, ahead.at);
	if (ahead.at >= ahead.s.n || ascii_is_name_start(c) || c == HOLE_NUM)
		return false;
	ahead.tok = TOK_NAME;
	if (ascii_is_digit(c))
		parse_number(&ahead);
	else
		c = (char)lex_operator(&ahead);
	if (ahead.dead)
		end_tokens(p);
	return c == '=';
}

static void read_name(struct arith_scan *p)
{
	size_t from = p->at;
	bool after_inc = p->last == TOK_PREINC || p->last == TOK_PREDEC;
	bool plain_assign;

	while (ascii_is_name(peek_at(p, p->at)))
		p->at++;
	if (peek_at(p, p->at) == HOLE_NUM) {
		give_up(p); /* x7 or x-7: the rest parses differently, even where nothing is looked up */
		return;
	}
	p->name = (struct name){.text = str_sub(p->s, from, p->at)};
	if (peek_at(p, p->at) == '[')
		read_subscript(p);
	if (p->dead)
		return;
	plain_assign = assigned_next(p);
	if (p->dead)
		return;
	p->val = after_inc || !plain_assign ? value_of(p, &p->name) : known_number(0);
	if (p->ar->error || p->ar->opaque)
		end_tokens(p);
}

static bool ends_operand(int tok)
{
	return tok == TOK_NUM || tok == TOK_NAME || tok == ')' || tok == TOK_POSTINC || tok == TOK_POSTDEC;
}

/* Reads the next token into p->tok, with its value or name; p->last is the one before. */
static void lex_next(struct arith_scan *p)
{
	int was = p->tok, t;
	char c;

	if (p->dead)
		return;
	if (!burn_fuel(p->ar, 1)) {
		give_up(p);
		return;
	}
	while (p->at < p->s.n && ascii_is_blank_or_newline(p->s.p[p->at]))
		p->at++;
	if (p->at >= p->s.n) {
		t = TOK_END;
	} else if (ascii_is_name_start(c = p->s.p[p->at])) {
		read_name(p);
		t = TOK_NAME;
	} else if (c == HOLE_NUM && ends_operand(was) && !p->minus_hole) {
		p->minus_hole = p->mood->doubt = true; /* an error, or the minus of a negative number */
		t = '-';
	} else if (text_digit(c)) {
		p->minus_hole = false;
		p->val = parse_number(p);
		t = TOK_NUM;
	} else {
		t = lex_operator(p);
	}
	if (p->dead)
		return;
	p->last = was;
	p->tok = t;
}

/* --- operators --- */

static uint64_t wrapping_power(uint64_t base, uint64_t exponent)
{
	uint64_t result = 1;

	for (; exponent; exponent >>= 1, base *= base)
		if (exponent & 1)
			result *= base;
	return result;
}

static struct number divide_numbers(struct arith_scan *p, int op, struct number x, struct number y)
{
	if (y.known && y.n == 0)
		return !p->noeval ? fail_value(p) : op == '/' || !x.known ? x : known_number(0);
	if (!y.known && !p->noeval)
		p->mood->doubt = true;
	if (!x.known || !y.known)
		return unknown;
	if (y.n == -1)
		return known_u(op == '/' ? -(uint64_t)x.n : 0);
	return known_number(op == '/' ? x.n / y.n : x.n % y.n);
}

static struct number apply_operator(struct arith_scan *p, int op, struct number x, struct number y)
{
	uint64_t a = (uint64_t)x.n, b = (uint64_t)y.n;

	if (op == '/' || op == '%')
		return divide_numbers(p, op, x, y);
	if (!x.known || !y.known)
		return unknown;
	switch (op) {
	case '*': return known_u(a * b);
	case '+': return known_u(a + b);
	case '-': return known_u(a - b);
	case '&': return known_u(a & b);
	case '|': return known_u(a | b);
	case '^': return known_u(a ^ b);
	case TOK_LSH: return known_u(a << (b & 63));
	case TOK_RSH: return known_number(x.n >> (b & 63));
	case TOK_EQEQ: return known_number(x.n == y.n);
	case TOK_NEQ: return known_number(x.n != y.n);
	case TOK_LEQ: return known_number(x.n <= y.n);
	case TOK_GEQ: return known_number(x.n >= y.n);
	case '<': return known_number(x.n < y.n);
	case '>': return known_number(x.n > y.n);
	default: return unknown;
	}
}

/* --- grammar, from the tightest to the loosest --- */

static bool enter_level(struct arith_scan *p)
{
	if (p->mood->nest >= ARITH_NEST) {
		give_up(p);
		return false;
	}
	p->mood->nest++;
	return true;
}

static void leave_level(struct arith_scan *p) { p->mood->nest--; }

static struct number add_one(struct number v, bool up)
{
	return v.known ? known_u((uint64_t)v.n + (up ? 1 : UINT64_MAX)) : unknown;
}

static struct number pre_increment(struct arith_scan *p)
{
	bool up = p->tok == TOK_PREINC;
	struct number v;

	p->last = p->tok;
	lex_next(p);
	if (p->dead || p->tok != TOK_NAME)
		return fail_number(p);
	v = add_one(p->val, up);
	eval_assign(p, &p->name, v);
	p->tok = TOK_NUM; /* so that --x=7 and ++x++ are errors */
	lex_next(p);
	return v;
}

/*
 * a-H with a negative H reads as a-- and a number. The resulting error comes after a was changed. This is the
 * only case in which the sign of an unknown number changes the tokens before it.
 */
static void minus_before_hole(struct arith_scan *p)
{
	size_t i = p->at;

	while (i < p->s.n && ascii_is_blank_or_newline(p->s.p[i]))
		i++;
	if (peek_at(p, i) != '-' || peek_at(p, i + 1) != HOLE_NUM || i + 1 >= p->s.n)
		return;
	p->mood->doubt = true;
	eval_assign(p, &p->name, unknown);
}

static struct number name_operand(struct arith_scan *p)
{
	struct number v = p->val;
	struct name n = p->name;

	minus_before_hole(p);
	lex_next(p);
	if (p->tok == TOK_POSTINC || p->tok == TOK_POSTDEC) {
		eval_assign(p, &n, add_one(v, p->tok == TOK_POSTINC));
		p->tok = TOK_NUM; /* so that x++=7 is an error */
		lex_next(p);
	}
	if (p->last == TOK_NAME)
		p->name = n;
	return v;
}

static struct number parse_operand(struct arith_scan *p)
{
	struct number v = p->val;

	switch (p->tok) {
	case TOK_PREINC:
	case TOK_PREDEC:
		return pre_increment(p);
	case '(':
		lex_next(p);
		v = parse_comma(p);
		if (p->tok != ')')
			return fail_number(p);
		lex_next(p);
		return v;
	case TOK_NUM:
		lex_next(p);
		return v;
	case TOK_NAME:
		return name_operand(p);
	default:
		return fail_number(p);
	}
}

static struct number parse_unary(struct arith_scan *p)
{
	int op = p->tok;
	struct number v = unknown;

	if (p->dead || !enter_level(p))
		return unknown;
	if (op == '!' || op == '~' || op == '-' || op == '+') {
		lex_next(p);
		v = parse_unary(p);
		p->last = TOK_NUM;
		if (v.known && op == '!')
			v = known_number(!v.n);
		else if (v.known && op != '+')
			v = known_u(op == '~' ? ~(uint64_t)v.n : -(uint64_t)v.n);
	} else {
		v = parse_operand(p);
	}
	leave_level(p);
	return v;
}

/*
 * A negative exponent is an error. bash 5.2 reports it even in a branch that is not taken, where names count
 * as 0; bash 5.3 does not. So in such a branch, and in one that may not be taken, the expression may or may
 * not continue.
 */
static struct number raise_number(struct arith_scan *p, struct number x, struct number y)
{
	if (p->mood->maybe || !y.known || (p->noeval && y.n < 0))
		p->mood->doubt = true;
	if (!y.known)
		return unknown;
	if (y.n == 0)
		return known_number(1);
	if (y.n < 0)
		return p->noeval ? known_number(1) : fail_value(p);
	return x.known ? known_u(wrapping_power((uint64_t)x.n, (uint64_t)y.n)) : unknown;
}

/* ** is right-associative and binds tighter than *, but looser than a sign on its left. */
static struct number parse_powers(struct arith_scan *p)
{
	struct number x = parse_unary(p), y;

	while (p->tok == TOK_POWER && enter_level(p)) {
		lex_next(p);
		y = parse_powers(p);
		p->last = TOK_NUM;
		leave_level(p);
		x = raise_number(p, x, y);
	}
	return x;
}

/* Precedence of the operators between ** and &&. */
static int level_of(int op)
{
	switch (op) {
	case '*': case '/': case '%': return 7;
	case '+': case '-': return 6;
	case TOK_LSH: case TOK_RSH: return 5;
	case '<': case '>': case TOK_LEQ: case TOK_GEQ: return 4;
	case TOK_EQEQ: case TOK_NEQ: return 3;
	case '&': return 2;
	case '^': return 1;
	case '|': return 0;
	default: return -1;
	}
}

static struct number parse_binary(struct arith_scan *p, int level)
{
	struct number x = parse_powers(p), y;

	for (int at; (at = level_of(p->tok)) >= level;) {
		int op = p->tok;

		lex_next(p);
		y = parse_binary(p, at + 1);
		if (p->dead)
			return unknown;
		x = apply_operator(p, op, x, y);
		p->last = TOK_NUM;
	}
	return x;
}

/* Parses part() as a branch that is taken if cond is not 0 (with `otherwise`: if it is 0). */
static struct number parse_branch(struct arith_scan *p, struct number cond, bool otherwise,
		struct number (*part)(struct arith_scan *))
{
	bool off = cond.known && (cond.n != 0) == otherwise;
	struct number v;

	p->noeval += off;
	p->mood->maybe += !cond.known;
	lex_next(p);
	v = p->dead || p->tok == TOK_END ? fail_number(p) : part(p);
	p->noeval -= off;
	p->mood->maybe -= !cond.known;
	return v;
}

static struct number parse_bits(struct arith_scan *p) { return parse_binary(p, 0); }

static struct number apply_logical(struct number x, struct number y, bool is_and)
{
	int64_t decides = !is_and; /* truth value for which one side decides the result alone */

	if ((x.known && (x.n != 0) == decides) || (y.known && (y.n != 0) == decides))
		return known_number(decides);
	return x.known && y.known ? known_number(!decides) : unknown;
}

static struct number parse_ands(struct arith_scan *p)
{
	struct number x = parse_bits(p);

	while (p->tok == TOK_LAND) {
		x = apply_logical(x, parse_branch(p, x, false, parse_bits), true);
		p->last = TOK_LAND;
	}
	return x;
}

static struct number parse_ors(struct arith_scan *p)
{
	struct number x = parse_ands(p);

	while (p->tok == TOK_LOR) {
		x = apply_logical(x, parse_branch(p, x, true, parse_ands), false);
		p->last = TOK_LOR;
	}
	return x;
}

static struct number parse_conditional(struct arith_scan *p)
{
	struct number cond = parse_ors(p), yes, no;

	if (p->tok != '?' || !enter_level(p))
		return cond;
	yes = parse_branch(p, cond, false, parse_comma);
	if (p->tok != ':')
		no = fail_number(p);
	else
		no = parse_branch(p, cond, true, parse_conditional);
	p->last = TOK_COND;
	leave_level(p);
	if (p->dead)
		return unknown;
	if (cond.known)
		return cond.n ? yes : no;
	return yes.known && no.known && yes.n == no.n ? yes : unknown;
}

static struct number parse_assign(struct arith_scan *p)
{
	struct number v = parse_conditional(p), right;
	int op = p->tok == TOK_ASSIGN_OP ? p->op : p->tok == '=' ? '=' : 0;
	struct name n = p->name;

	if (!op || p->dead)
		return v;
	if (p->last != TOK_NAME)
		return fail_number(p);
	if (!enter_level(p))
		return unknown;
	lex_next(p);
	right = parse_assign(p);
	leave_level(p);
	if (p->dead)
		return unknown;
	if (op != '=')
		right = apply_operator(p, op, v, right);
	eval_assign(p, &n, right);
	return right;
}

static struct number parse_comma(struct arith_scan *p)
{
	struct number v = parse_assign(p);

	while (p->tok == ',') {
		lex_next(p);
		v = parse_assign(p);
	}
	return v;
}

static bool all_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_blank_or_newline(s.p[i]))
			return false;
	return true;
}

static struct number eval_text(struct arith *ar, struct mood *mood, struct str text)
{
	struct arith_scan p = {.ar = ar, .mood = mood, .s = text, .uncertain = mood->maybe || mood->doubt};
	struct number v;

	if (!text.n || all_blank(text))
		return known_number(0);
	if (text_open(text) || mood->depth >= ARITH_VALUE_DEPTH || !burn_fuel(ar, text.n / 32)) {
		ar->opaque = true;
		return unknown;
	}
	for (size_t i = 0; i < text.n && p.holes < 2; i++)
		p.holes += text.p[i] == HOLE_NUM;
	mood->depth++;
	lex_next(&p);
	v = parse_comma(&p);
	if (p.tok != TOK_END)
		v = fail_number(&p);
	mood->depth--;
	return p.dead ? unknown : v;
}

struct number arith_eval(struct arith *ar, struct str expr)
{
	struct mood mood = {0};
	bool error = ar->error, opaque = ar->opaque;
	struct number v;

	ar->error = ar->opaque = false;
	v = eval_text(ar, &mood, expr);
	if (ar->error || ar->opaque)
		v = unknown;
	ar->may_fail |= mood.doubt || ar->error;
	ar->error |= error;
	ar->opaque |= opaque;
	return v;
}
