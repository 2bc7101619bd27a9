/*
 * The effects of environment variables on programs, as data: the rows of knowledge/variables.yaml, embedded
 * at build time without pointers. The shell reader, the readers of inline code, the gate, the environment of
 * the box and redaction all ask here. Pure. docs/knowledge.md ("Variables") describes the rows.
 */
#pragma once
#include "model/facts.h"

enum var_effect { /* what setting the variable makes programs do */
	VAR_NONE,       /* nothing that matters; also a name that a wider row would take */
	VAR_CHANGES,    /* they behave differently, but load, run and write nothing that the value names */
	VAR_PROMPT,     /* the shell expands it as a prompt */
	VAR_PATH,       /* they find other programs */
	VAR_STARTUP,    /* a shell reads this file when it starts */
	VAR_SCRIPT,     /* the shell runs it */
	VAR_UNFOLLOWED, /* it changes what runs in a way that nobody follows here */
	/* they load code, or settings that run code, from files or directories, between colons */
	VAR_LOAD,
	VAR_OPTIONS,    /* options that may make a program load code, run something or write */
	VAR_COMMAND,    /* they run this command line, with words of their own added */
	VAR_CODE,       /* code in the language var_lang() */
	VAR_WRITE,      /* they write this file */
	VAR_WRITE_TREE, /* they write below this directory */
	VAR_HOST,       /* they contact this machine */
	VAR_EFFECTS
};

enum var_box { /* when the box gets the caller's value */
	VAR_BOX_LISTED, /* when a person's policy lists it (sandbox.env_pass) */
	VAR_BOX_NEVER,  /* not even then */
	VAR_BOX_MADE,   /* never: the box makes a value of its own */
	VAR_BOX_WORK,   /* always in the profile `work` */
	VAR_BOX_ALWAYS,
};

enum { /* bits of a row */
	/* `cat`, `true` and their kin switch it off: a rule that allows the command still holds */
	VAR_IDLE = 1,
	VAR_FOLD = 2,     /* programs read it in either case */
	VAR_HIJACKS = 4,  /* it decides what programs execute: an agent cannot set it for a box */
	VAR_OPERANDS = 8, /* VAR_OPTIONS: words without a dash are operands, and harmless */
};

struct var_row {
	uint16_t name, safe, between, set, lang; /* texts: offsets into var_texts; 0: none */
	uint8_t effect, box, bits;
};

/*
 * The row that counts for a name: one that spells it out, else the pattern with the most letters. NULL:
 * nothing is known.
 */
const struct var_row *var_find(struct str name);
/* The same with letters in either case, for those who cannot know which the program reads. */
const struct var_row *var_find_folded(struct str name);
/* The value does nothing of what the row is about. `home` stands for ~ in the row's values; may be empty. */
bool var_ordinary(const struct var_row *r, struct str value, struct str home);
/* Does every value of the variable count, also those that would be ordinary elsewhere? */
bool var_always_acts(const struct var_row *r);
/* A value that switches a row with VAR_IDLE off. */
bool var_idle(struct str value);
/* The language of VAR_CODE. */
const char *var_lang(const struct var_row *r);
/* The i-th variable that every box sets, and its value. False: there are no more. */
bool var_set_in_box(size_t i, struct str *ret_name, struct str *ret_value);

/* Does the name, or the value, look like a credential? */
bool var_secret(struct str name, struct str value);
/* Does the name say where something is? Its value is then no secret, whatever else the name says. */
bool var_place(struct str name);

/* ---- the baked table: made by gen-knowledge --variables ---- */
/* the letters of the pattern, as bits: most names lack one */
struct var_secret { uint32_t letters; uint16_t name; };
extern const char var_texts[];
/* names sorted in upper case; patterns, the most letters first */
extern const struct var_row var_rows[], var_patterns[];
extern const struct var_secret var_secrets[];
extern const uint16_t var_places[], var_credentials[], var_sets[]; /* texts; texts; indexes of var_rows */
extern const uint16_t var_idle_list;
extern const size_t var_nrows, var_npatterns, var_nsecrets, var_nplaces, var_ncredentials, var_nsets;

static inline const char *var_text(uint16_t at) { return var_texts + at; }
static inline char var_upper(char c) { return ascii_is_lower(c) ? (char)(c - 32) : c; }
