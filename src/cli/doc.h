/*
 * Writes one document in two formats: YAML for people, JSON for programs. Maps and lists are opened with
 * their key (NULL in a list) and closed with doc_end(). The position of a rule is a comment in YAML and the
 * key `where` in JSON. The output is safe for a terminal: control and invisible characters are escaped.
 */
#pragma once
#include "base/str.h"

#define DOC_DEPTH_MAX 16

struct doc {
	struct buf *b;
	bool json;
	unsigned depth;
	struct {
		bool list, any;   /* any: not empty */
	} level[DOC_DEPTH_MAX];
	bool dash;                /* YAML: the next key starts a list item */
	struct str where;         /* pending comment for the current line */
};

/* Opens the top-level map. */
void doc_start(struct doc *o, struct buf *b, bool json);
void doc_finish(struct doc *o);
void doc_map(struct doc *o, const char *key);
void doc_list(struct doc *o, const char *key);
void doc_end(struct doc *o);
void doc_text(struct doc *o, const char *key, struct str text);
void doc_word(struct doc *o, const char *key, const char *word); /* fixed text, not user input */
void doc_bool(struct doc *o, const char *key, bool value);
void doc_number(struct doc *o, const char *key, uint64_t value);
/* Adds a position. YAML: a comment after the next line. JSON: the key `where`, so only inside a map. */
void doc_where(struct doc *o, struct str where);
/* Writes a comment line; nothing in JSON. */
void doc_comment(struct doc *o, const char *text);

/*
 * Appends the text with control characters, invisible characters and invalid UTF-8 escaped as \xNN or \uNNNN.
 */
void put_visible(struct buf *b, struct str text);
