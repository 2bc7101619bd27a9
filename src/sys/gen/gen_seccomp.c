/*
 * gen-seccomp > seccomp_table.c: compiles the policy of calls.c to BPF, with and without network, each with
 * and without tracing.
 * Runs at build time only; libseccomp provides the call numbers.
 *
 * The program is a search tree over ranges of call numbers with the same action, a few comparisons deep; its
 * leaves compare arguments. Before printing it, the compiler interprets it for every number and many
 * arguments, and compares the results with the policy. Calls of another architecture (int 0x80, x32) kill the
 * process, because their numbers have another meaning.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the low half of an argument is not where this filter looks for it"
#endif

#define CALLS_MAX 512      /* numbers from here on are unknown */
#define CODE_MAX 1024
/* a conditional jump reaches 255; leaves room for inserted instructions */
#define JUMP_MAX 250
#define NAME_MAX_BYTES 64
/* bit that x32 sets; larger than any native number */
#define FOREIGN 0x40000000
#define TRIALS 20000

struct leaf {
	int action;                        /* unused with `checks` */
	const struct checked_call *checks;
};

struct call_range {
	unsigned from;
	struct leaf leaf;
	size_t place;                      /* place of its comparisons in the program */
};

struct compiler {
	bool network, traced;
	uint32_t arch;
	struct leaf calls[CALLS_MAX];      /* by number; action 0: unnamed, becomes ENOSYS */
	struct call_range ranges[CALLS_MAX];
	size_t ranges_n;
	struct sock_filter code[CODE_MAX];
	size_t n;
};

static void die(const char *what, const char *which)
{
	fprintf(stderr, "gen-seccomp: %s '%s'\n", what, which);
	exit(1);
}

/* ---- policy by number ---- */

/* Returns -1 if this architecture lacks the call (open on ARM). An unknown name is a typo and fatal. */
static int number_of(const char *name)
{
	for (size_t i = 0; i < numbered_calls_n; i++)
		if (!strcmp(numbered_calls[i].name, name))
			return numbered_calls[i].nr;
	int nr = seccomp_syscall_resolve_name(name);
	if (nr == __NR_SCMP_ERROR)
		die("no such call:", name);
	if (nr >= CALLS_MAX)
		die("number too large:", name);
	return nr < 0 ? -1 : nr;
}

static void set_action(struct compiler *c, const char *name, struct leaf leaf)
{
	int nr = number_of(name);
	if (nr < 0)
		return;
	if (c->calls[nr].action || c->calls[nr].checks)
		die("named twice:", name);
	c->calls[nr] = leaf;
}

static void set_list(struct compiler *c, const struct call_list *list)
{
	char name[NAME_MAX_BYTES];
	for (const char *p = list->names; *p;) {
		size_t n = strcspn(p, " ");
		if (!n || n >= sizeof name)
			die("a bad list:", list->names);
		memcpy(name, p, n);
		name[n] = 0;
		set_action(c, name, (struct leaf){.action = list->action});
		p += n + (p[n] == ' ');
	}
}

static bool counts(const struct compiler *c, enum filter_when when)
{
	const bool is[] = {[ALWAYS] = true, [SEALED] = !c->network, [NETWORKED] = c->network,
			[UNTRACED] = !c->traced, [TRACED] = c->traced};

	return is[when];
}

static void read_policy(struct compiler *c)
{
	for (size_t i = 0; i < call_lists_n; i++)
		set_list(c, &call_lists[i]);
	for (size_t i = 0; i < checked_calls_n; i++)
		if (counts(c, checked_calls[i].when))
			set_action(c, checked_calls[i].name, (struct leaf){.checks = &checked_calls[i]});
	for (unsigned nr = 0; nr < CALLS_MAX; nr++) {
		if (!c->calls[nr].action && !c->calls[nr].checks)
			c->calls[nr].action = ENOSYS;
		const struct leaf *last = c->ranges_n ? &c->ranges[c->ranges_n - 1].leaf : NULL;
		if (!last || last->action != c->calls[nr].action || last->checks != c->calls[nr].checks)
			c->ranges[c->ranges_n++] = (struct call_range){.from = nr, .leaf = c->calls[nr]};
	}
	if (c->ranges[c->ranges_n - 1].leaf.action != ENOSYS)
		die("the last range holds a call, so larger numbers would pass:", "CALLS_MAX");
}

static uint32_t value_of(int action)
{
	if (action == ALLOW)
		return SECCOMP_RET_ALLOW;
	return SECCOMP_RET_ERRNO | (action == PRETEND ? 0 : (uint32_t)action & SECCOMP_RET_DATA);
}

/* ---- program ---- */

/*
 * Loading a filter takes the kernel a third of a microsecond for each instruction, so the program is short:
 * returns and equal comparisons exist once and are shared by jumps. It is written from end to start, so every
 * jump target already exists. Places are distances from the end.
 */
static size_t put_instruction(struct compiler *c, unsigned short code, uint32_t k, size_t jt, size_t jf)
{
	if (c->n >= CODE_MAX)
		die("program too long:", "CODE_MAX");
	c->code[c->n] = (struct sock_filter){code, (unsigned char)jt, (unsigned char)jf, k};
	return c->n++;
}

static bool in_reach(const struct compiler *c, size_t place)
{
	return c->n - place <= JUMP_MAX;
}

static size_t put_return(struct compiler *c, uint32_t value)
{
	for (size_t i = c->n; i-- > 0 && in_reach(c, i);)
		if (c->code[i].code == (BPF_RET | BPF_K) && c->code[i].k == value)
			return i;
	return put_instruction(c, BPF_RET | BPF_K, value, 0, 0);
}

/* Returns the place, or a nearer instruction that leads there. */
static size_t place_in_reach(struct compiler *c, size_t place)
{
	if (in_reach(c, place))
		return place;
	if (c->code[place].code == (BPF_RET | BPF_K))
		return put_return(c, c->code[place].k);
	return put_instruction(c, BPF_JMP | BPF_JA, (uint32_t)(c->n - place - 1), 0, 0);
}

static size_t put_jump(struct compiler *c, unsigned short op, uint32_t k, size_t yes, size_t no)
{
	yes = place_in_reach(c, yes);
	no = place_in_reach(c, no);
	return put_instruction(c, BPF_JMP | op | BPF_K, k, c->n - yes - 1, c->n - no - 1);
}

static size_t put_load(struct compiler *c, size_t offset)
{
	return put_instruction(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* True if both compare the same bits. */
static bool same_word(const struct arm *a, const struct arm *b)
{
	return a->arg == b->arg && a->high == b->high && a->mask == b->mask;
}

static size_t word_of(const struct arm *a)
{
	return offsetof(struct seccomp_data, args) + 8u * a->arg + (a->high ? 4 : 0);
}

static bool same_checks(const struct checked_call *a, const struct checked_call *b)
{
	bool same = a->otherwise == b->otherwise;
	for (size_t i = 0; i < ARMS_MAX && same; i++) {
		const struct arm *x = &a->arms[i], *y = &b->arms[i];
		same = x->action == y->action && x->unless == y->unless && same_word(x, y) &&
				x->value == y->value;
	}
	return same;
}

static size_t put_checks(struct compiler *c, const struct checked_call *k)
{
	/* after: the arm that SKIP jumps to; prove_filter() detects a load that this jump misses */
	size_t n = 0, next, after = 0;
	while (n < ARMS_MAX && k->arms[n].action)
		n++;
	next = put_return(c, value_of(k->otherwise));
	while (n-- > 0) {
		const struct arm *a = &k->arms[n];
		size_t hit = a->action == SKIP ? after : put_return(c, value_of(a->action)), here;
		here = put_jump(c, BPF_JEQ, a->value, a->unless ? next : hit, a->unless ? hit : next);
		bool loaded = n > 0 && same_word(a, &a[-1]); /* by the previous arm */
		if (!loaded && a->mask != UINT32_MAX)
			put_instruction(c, BPF_ALU | BPF_AND | BPF_K, a->mask, 0, 0);
		if (!loaded)
			here = put_load(c, word_of(a));
		after = next;
		next = here;
	}
	return next;
}

static size_t put_leaf(struct compiler *c, struct call_range *r)
{
	if (!r->leaf.checks)
		return put_return(c, value_of(r->leaf.action));
	/* already written */
	for (struct call_range *other = r + 1; other < &c->ranges[c->ranges_n]; other++)
		if (other->leaf.checks && same_checks(r->leaf.checks, other->leaf.checks))
			return r->place = other->place;
	return r->place = put_checks(c, r->leaf.checks);
}

/*
 * Expects the call number to be loaded and in the ranges [low, high). Halves them at each step, so the depth
 * is at most log2(CALLS_MAX).
 */
static size_t put_tree(struct compiler *c, size_t low, size_t high)
{
	if (high - low == 1)
		return put_leaf(c, &c->ranges[low]);
	size_t middle = (low + high) / 2;
	size_t right = put_tree(c, middle, high), left = put_tree(c, low, middle);
	return put_jump(c, BPF_JGE, c->ranges[middle].from, right, left);
}

static void compile_filter(struct compiler *c)
{
	size_t tree = put_tree(c, 0, c->ranges_n), killed = put_return(c, SECCOMP_RET_KILL_PROCESS);
	put_jump(c, BPF_JSET, FOREIGN, killed, tree);
	size_t native = put_load(c, offsetof(struct seccomp_data, nr));
	put_jump(c, BPF_JEQ, c->arch, native, killed);
	put_load(c, offsetof(struct seccomp_data, arch));
	for (size_t i = 0; i < c->n / 2; i++) {
		struct sock_filter last = c->code[c->n - 1 - i];
		c->code[c->n - 1 - i] = c->code[i];
		c->code[i] = last;
	}
}

/* ---- proof ---- */

static uint32_t decide_call(const struct compiler *c, const struct seccomp_data *d)
{
	uint32_t nr = (uint32_t)d->nr;
	if (d->arch != c->arch || nr & FOREIGN)
		return SECCOMP_RET_KILL_PROCESS;
	if (nr >= CALLS_MAX)
		return value_of(ENOSYS);
	const struct checked_call *k = c->calls[nr].checks;
	if (!k)
		return value_of(c->calls[nr].action);
	for (size_t i = 0; i < ARMS_MAX && k->arms[i].action; i++) {
		const struct arm *a = &k->arms[i];
		uint32_t word = (uint32_t)(d->args[a->arg] >> (a->high ? 32 : 0));
		if (((word & a->mask) == a->value) == a->unless)
			continue;
		if (a->action != SKIP)
			return value_of(a->action);
		i++;
	}
	return value_of(k->otherwise);
}

static uint32_t interpret_filter(const struct compiler *c, const struct seccomp_data *d)
{
	uint32_t a = 0;
	for (size_t pc = 0; pc < c->n; pc++) {
		const struct sock_filter *f = &c->code[pc];
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS: memcpy(&a, (const char *)d + f->k, sizeof a); break;
		case BPF_ALU | BPF_AND | BPF_K: a &= f->k; break;
		case BPF_JMP | BPF_JEQ | BPF_K: pc += a == f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: pc += a >= f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JSET | BPF_K: pc += a & f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JA: pc += f->k; break;
		case BPF_RET | BPF_K: return f->k;
		default: die("unknown instruction in", "the program"); break;
		}
	}
	die("fell off the end of", "the program");
	return 0;
}

static void compare_both(const struct compiler *c, const struct seccomp_data *d)
{
	char text[NAME_MAX_BYTES];
	snprintf(text, sizeof text, "%d of %08x", d->nr, d->arch);
	if (interpret_filter(c, d) != decide_call(c, d))
		die("program and policy differ for call", text);
}

/* Returns a value from the call's comparisons or near one, with a random or empty high half. */
static uint64_t some_value(const struct checked_call *k)
{
	const struct arm *a = &k->arms[rand() % ARMS_MAX];
	const uint32_t low[] = {0, UINT32_MAX, a->value, a->value ^ 1u << rand() % 32, a->mask,
			a->value | (~a->mask & (uint32_t)rand()), (uint32_t)rand()};
	return low[(size_t)rand() % (sizeof low / sizeof *low)] | (rand() & 1 ? (uint64_t)rand() << 32 : 0);
}

static void prove_filter(const struct compiler *c)
{
	srand(1);
	for (int nr = -2; nr < 2 * CALLS_MAX; nr++) {
		struct seccomp_data d = {.nr = nr, .arch = c->arch};
		compare_both(c, &d);
		d.nr |= FOREIGN;
		compare_both(c, &d);
		d.arch = AUDIT_ARCH_I386;
		compare_both(c, &d);
	}
	for (int nr = 0; nr < CALLS_MAX; nr++)
		for (int t = 0; c->calls[nr].checks && t < TRIALS; t++) {
			struct seccomp_data d = {.nr = nr, .arch = c->arch};
			for (int i = 0; i < 6; i++)
				d.args[i] = some_value(c->calls[nr].checks);
			compare_both(c, &d);
		}
}

static void print_filter(const char *name, bool network, bool traced)
{
	static struct compiler c;
	c = (struct compiler){.network = network, .traced = traced, .arch = seccomp_arch_native()};
	read_policy(&c);
	compile_filter(&c);
	prove_filter(&c);
	printf("\nconst struct sock_filter seccomp_%s[] = {\n", name);
	for (size_t i = 0; i < c.n; i++)
		printf("\t{0x%02x, %d, %d, 0x%08x},\n", c.code[i].code, c.code[i].jt, c.code[i].jf,
				c.code[i].k);
	printf("};\nconst unsigned short seccomp_%s_n = %zu;\n", name, c.n);
}

int main(void)
{
	printf("/* Made by gen-seccomp from src/sys/gen/calls.c. */\n#include \"sys/seccomp_table.h\"\n");
	print_filter("sealed", false, false);
	print_filter("networked", true, false);
	print_filter("sealed_traced", false, true);
	print_filter("networked_traced", true, true);
	return fflush(stdout) != 0;
}
