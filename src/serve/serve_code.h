/* Code of a language in the body of a request: languages, files, arguments. */
#pragma once
#include "serve/serve.h"

#define SERVE_CODE_NAMES 5

struct serve_code_row {
	char names[SERVE_CODE_NAMES][12]; /* the first is the name of the runtime, the others are aliases */
	enum run_language language;       /* an interpreter */
	char ending[8];                   /* compiled: of the files */
	char build[96];                /* compiled: shell text that builds and starts; empty: interpreted */
	char program[12], version[12]; /* how its version is asked */
};

const struct serve_code_row *serve_code_at(size_t i); /* NULL after the last */
const struct serve_code_row *serve_code_find(struct str name);
/* The version that this host has; NULL: it has none. */
const char *serve_code_version(const struct serve_options *o, const struct serve_code_row *row);
/* Asks all languages for their versions, once, when the server starts. */
void serve_code_probe(struct serve_versions *ret);

/* The body as an object; NULL: it is none, and the answer is out. */
const struct json *serve_body_object(struct serve_work *w);
/* [{"name":…, "content":…, "encoding":…}]; a file without a name is called `unnamed`; NULL: it must have one.
 */
int serve_take_files(struct serve_work *w, const struct json *list, const char *unnamed,
		struct run_file **ret, struct err *e);
/* A list of strings: the arguments of the program. NULL is none. */
int serve_take_args(struct serve_work *w, const struct json *list, struct run_request *rq, struct err *e);
int serve_base64(struct arena *a, struct str s, struct str *ret);

/* serve_piston.c: the bodies of other APIs as w->run->request. Text for stdin becomes ours. */
int serve_piston_request(struct serve_work *w, const struct json *body, const struct serve_code_row *row,
		struct err *e);
int serve_fusion_request(struct serve_work *w, const struct json *body, const struct serve_code_row *row,
		struct err *e);

/* serve_outputs.c: patterns of files that the run hands out. NULL is none. */
int serve_take_outputs(struct serve_work *w, const struct json *list, struct err *e);
/* Adds the files to a report that is complete, as members of its object. */
void serve_put_outputs(struct serve_work *w, struct buf *b);
