/* The tree-sitter parser within bounds. See grammar.h. */
#include "code/grammar.h"

#include <stdlib.h>

/* ---- memory ---- */

struct grammar_block {
	size_t room;                     /* usable bytes after the header */
	union {
		struct grammar_block *next;  /* next free block */
		char data[sizeof(void *)];
	};
};

#define HEADER offsetof(struct grammar_block, data)
_Static_assert(HEADER == 8, "what follows a header must be aligned");

static _Thread_local struct grammar *current; /* tree-sitter's allocator callbacks have no user data */

static size_t class_of(size_t n, size_t *ret_room)
{
	size_t class = GRAMMAR_SMALL / 16, all = GRAMMAR_SMALL;

	if (n <= GRAMMAR_SMALL - HEADER) {
		all = n < sizeof(void *) ? 16 : (n + HEADER + 15) & ~(size_t)15;
		*ret_room = all - HEADER;
		return all / 16 - 1;
	}
	for (; all - HEADER < n && class + 1 < GRAMMAR_CLASSES; class++)
		all *= 2;
	*ret_room = all - HEADER;
	return class;
}

static void *heap_take(size_t n, bool zero)
{
	struct grammar *p = current;
	struct grammar_block *b;
	size_t room, class = class_of(n, &room);

	if (!p)
		abort(); /* bug: the parser is used outside grammar_begin() ... grammar_end() */
	p->used.bytes += room;
	if (p->used.bytes > p->most.bytes || n > room)
		arena_leave(&p->heap, ARENA_FULL);
	b = p->free[class];
	if (b) {
		p->free[class] = b->next;
		if (zero)
			memset(b->data, 0, n);
		return b->data;
	}
	b = arena_alloc(&p->heap, HEADER + room);
	b->room = room;
	return b->data;
}

/* The scanners call these instead of malloc and free. */
void *grammar_calloc(size_t n, size_t size);
void grammar_free(void *at);

static void *heap_malloc(size_t n) { return heap_take(n, false); }

void *grammar_calloc(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		bytes = SIZE_MAX;
	return heap_take(bytes, true);
}

static struct grammar_block *block_of(void *at) { return (struct grammar_block *)((char *)at - HEADER); }

void grammar_free(void *at)
{
	struct grammar_block *b;
	size_t room, class;

	if (!at)
		return;
	b = block_of(at);
	class = class_of(b->room, &room);
	b->next = current->free[class];
	current->free[class] = b;
}

static void *heap_realloc(void *at, size_t n)
{
	size_t had = at ? block_of(at)->room : 0;
	void *p;

	if (at && n <= had)
		return at;
	p = heap_take(n, false);
	if (at)
		memcpy(p, at, had);
	grammar_free(at);
	return p;
}

/* ---- input and steps ---- */

static const char *read_chunk(void *payload, uint32_t at, TSPoint position, uint32_t *ret_n)
{
	struct grammar *p = payload;

	(void)position;
	*ret_n = 0;
	if (at >= p->src.n)
		return "";
	if (++p->used.reads > p->most.reads) {
		p->cut = true;
		return "";
	}
	*ret_n = p->src.n - at < GRAMMAR_CHUNK ? (uint32_t)(p->src.n - at) : GRAMMAR_CHUNK;
	return p->src.p + at;
}

/* Returns true to stop the parser. */
static bool progress(TSParseState *state)
{
	struct grammar *p = state->payload;

	p->at = state->current_byte_offset;
	return ++p->used.steps > p->most.steps || p->cut;
}

/* ---- errors ---- */

/* The original scanners. The build renames them, so that the parser calls the wrappers below. */
bool grammar_scan_python(void *own, void *lexer, const bool *valid);
bool grammar_scan_javascript(void *own, void *lexer, const bool *valid);
bool tree_sitter_python_external_scanner_scan(void *own, void *lexer, const bool *valid);
bool tree_sitter_javascript_external_scanner_scan(void *own, void *lexer, const bool *valid);

/*
 * Counts a token of error recovery. During recovery all tokens are valid, even two that never are at one
 * place in correct code.
 */
static void note_error(bool searching)
{
	struct grammar *p = current;

	if (!searching)
		return;
	if (!p->used.errors++)
		p->error_at = p->at;
	if (p->used.errors > p->most.errors)
		arena_leave(&p->heap, ARENA_FULL);
}

bool tree_sitter_python_external_scanner_scan(void *own, void *lexer, const bool *valid)
{
	enum { INDENT = 1, STRING_CONTENT = 4 };

	note_error(valid[INDENT] && valid[STRING_CONTENT]);
	return grammar_scan_python(own, lexer, valid);
}

bool tree_sitter_javascript_external_scanner_scan(void *own, void *lexer, const bool *valid)
{
	enum { AUTOMATIC_SEMICOLON, TEMPLATE_CHARS };

	note_error(valid[AUTOMATIC_SEMICOLON] && valid[TEMPLATE_CHARS]);
	return grammar_scan_javascript(own, lexer, valid);
}

/* ---- parsing ---- */

TSTree *grammar_parse(struct grammar *p, const TSLanguage *language)
{
	TSParser *parser = ts_parser_new();
	TSTree *tree;

	if (!ts_parser_set_language(parser, language))
		return NULL;
	tree = ts_parser_parse_with_options(parser, NULL,
			(TSInput){.payload = p, .read = read_chunk, .encoding = TSInputEncodingUTF8},
		(TSParseOptions){.payload = p, .progress_callback = progress});
	return p->cut ? NULL : tree;
}

void grammar_begin(struct grammar *p, struct str src)
{
	*p = (struct grammar){.src = src, .outer = current};
	p->most = (struct grammar_cost){
		.steps = GRAMMAR_STEPS_BASE + src.n / GRAMMAR_STEP_BYTES,
		.reads = GRAMMAR_READS_BASE + src.n / GRAMMAR_READ_BYTES,
		.bytes = GRAMMAR_BYTES_BASE + src.n * GRAMMAR_BYTES_PER_BYTE,
		.errors = GRAMMAR_ERRORS_MAX,
	};
	arena_init(&p->heap, GRAMMAR_HEAP_MAX);
	ts_set_allocator(heap_malloc, grammar_calloc, heap_realloc, grammar_free);
	current = p;
}

void grammar_end(struct grammar *p)
{
	current = p->outer;
	arena_free(&p->heap);
}
