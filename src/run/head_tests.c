/*
 * The current code with the tests of HEAD: the program runs in a copy of the repository in /tmp, whose tests,
 * runner settings and CI files (test_changes.h) are those of the commit.
 *
 * The copy has all files that git knows or would add. Ignored ones, such as installed packages, are links to
 * the workspace, which is read-only.
 */
#include "run/spec_builder.h"
#include "run/test_changes.h"

#define WORDS_MAX 65536

/* Exit status 125: the copy could not be made, so no test ran. */
static const char script[] =
	"fail() { echo \"verify-tests: $1\" >&2; exit 125; }\n"
	"top=$(git rev-parse --show-toplevel) && here=$(git rev-parse --show-prefix) || fail 'this is no git "
	"repository'\n"
	"cd \"$top\" && git rev-parse -q --verify HEAD^{commit} >/dev/null || fail 'there is no commit'\n"
	"copy=$(mktemp -d /tmp/verify-tests.XXXXXX) || fail 'no place for a copy'\n"
	"trap 'rm -rf \"$copy\"' EXIT\n"
	"mkdir \"$copy/w\" || fail 'no place for a copy'\n"
	"git ls-files -z -co --exclude-standard | while IFS= read -r -d '' p; do [ -e \"$p\" ] || "
	"[ -L \"$p\" ] && printf '%s\\0' \"$p\"; done | sort -zu | tar --null --no-recursion -T - -cf - | "
	"tar xf - -C \"$copy/w\" || fail 'the code cannot be copied'\n"
	"git ls-files -z -oi --exclude-standard --directory | while IFS= read -r -d '' p; do p=${p%/}; "
	"mkdir -p \"$copy/w/$(dirname \"$p\")\" && ln -s \"$top/$p\" \"$copy/w/$p\"; done\n"
	"paths() { git ls-files -z \"$@\" -- PATHS; }\n"
	"paths -co --exclude-standard | (cd \"$copy/w\" && xargs -0r rm -f --)\n"
	"export GIT_INDEX_FILE=$copy/index\n"
	"git read-tree HEAD && paths | git checkout-index -z --stdin -f --prefix=\"$copy/w/\" || "
	"fail 'the tests of HEAD cannot be read'\n"
	"unset GIT_INDEX_FILE\n"
	"cd \"$copy/w/$here\" || fail 'this directory is not in HEAD'\n"
	"\"$@\"\n";

static struct str script_text(struct arena *a)
{
	struct str text = str_of(script), mark = STR("PATHS");
	size_t at = 0;

	while (!str_eq(str_sub(text, at, at + mark.n), mark))
		at++;
	return str_cat(a, str_cat(a, str_sub(text, 0, at), test_changes_paths(a)),
			str_sub(text, at + mark.n, text.n));
}

int spec_use_head_tests(struct spec_builder *m, struct err *e)
{
	char *const *argv = m->r->spec.argv;
	char **v;
	size_t n = 0;

	if (!m->rq->head_tests)
		return 0;
	while (n < WORDS_MAX && argv[n])
		n++;
	if (!m->r->spec.workspace.n || argv[n])
		return err_set(e, ERR_INPUT, 0,
				"the tests of HEAD need a workspace that is a git repository");
	v = arena_array(m->a, n + 5, sizeof(*v));
	v[0] = "/bin/bash";
	v[1] = "-c";
	v[2] = str_c(m->a, script_text(m->a));
	v[3] = "verify-tests";
	memcpy(v + 4, argv, n * sizeof(*v));
	m->r->spec.argv = v;
	m->r->spec.workspace_writable = false;
	return 0;
}
