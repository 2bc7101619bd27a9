/* Names of the kinds in a judgement. */
#include "model/verdict.h"

static const char verdict_names[][8] = {"deny", "ask", "contain", "allow"};
static const char grade_names[][8] = {"off", "warn", "contain", "ask", "deny"};
static const char approval_names[][8] = {"outside", "plain", "box", "code", "network", "split"};
static const char step_names[STEP_KINDS][16] = {"deny", "scoped allow", "ask", "allow", "default", "lifted",
		"mode", "mode", "deny", "contain", "allow", "no answer"};
static const char place_names[PLACES][16] = {"unknown", "nothing is kept", "writable root", "temporary",
		"device", "system", "outside", "project", "home"};

const char *verdict_name(enum verdict v) { return verdict_names[v]; }
const char *grade_name(enum grade g) { return grade_names[g]; }
const char *approval_name(enum approval x) { return approval_names[x]; }
const char *step_name(enum step_kind k) { return step_names[k]; }
const char *place_name(enum place p) { return place_names[p]; }
