/* Verdicts and reasons. Zeroed memory denies; between parts the minimum wins. */
#pragma once
#include "model/facts.h"

enum verdict { VERDICT_DENY = 0, VERDICT_ASK, VERDICT_CONTAIN, VERDICT_ALLOW };
enum grade { GRADE_OFF, GRADE_WARN, GRADE_CONTAIN, GRADE_ASK, GRADE_DENY };

struct reason {
	struct reason *next;
	const char *id;
	enum grade grade;
	struct str message;
	struct str alternative; /* may be empty */
	struct str rule;        /* "file:line", a preset's name, or empty for a built-in check */
	struct span at;
};

struct judgement {
	enum verdict verdict;
	bool complete;
	struct reason *reasons;
	struct reason *warnings;
};

static inline enum verdict verdict_min(enum verdict a, enum verdict b) { return a < b ? a : b; }
