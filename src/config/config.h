/*
 * A policy from YAML. The keys are rows of a table: what each is called, how it is read, where it goes and who may set it.
 * What does not load is an error with file, line and column, never a milder policy.
 */
#pragma once
#include "base/err.h"
#include "model/policy.h"

enum config_who {
	WHO_ANYONE,  /* also an untrusted project: it only makes things stricter */
	WHO_TRUSTED, /* the user, or a project file the user trusted */
	WHO_OWNER,   /* the user and the system only */
};

struct config_key {
	const char *name; /* dotted */
	enum config_who who;
	const char *help;
};

/* Key number i, or NULL after the last. */
const struct config_key *config_key(size_t i);
/* The policy that holds when there is no file. Points to constants only. */
void config_default(struct policy *ret);
/* The built-in policy as a user would write it; config_default() says the same. */
struct str config_default_text(void);
/*
 * Reads the bytes of the file called path_name. The built-in deny rules stay in force before the file's own; an empty file is the default.
 * On failure *ret is untouched and e->text is "file:line:column: what: 'the line'".
 */
int config_load(struct arena *a, struct str path_name, struct str bytes, struct policy *ret, struct err *e);
/* "sha256:<hex>" of the bytes. */
struct str config_digest(struct arena *a, struct str bytes);
