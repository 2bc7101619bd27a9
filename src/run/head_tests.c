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
	"fail() { echo \"verify-tests: $1\" >&2; exit 125; }\ntop=$(git rev-parse --show-toplevel) && "
	"here=$(git rev-parse --show-prefix) || fail 'not a git repository'\ncd \"$top\" && git rev-parse -q "
	"--verify HEAD^{commit} >/dev/null || fail 'the repository has no commit'\ncopy=$(mktemp -d "
	"/tmp/verify-tests.XXXXXX) || fail 'no place for a copy'\ntrap 'rm -rf \"$copy\"' EXIT\nmkdir "
	"\"$copy/w\" || fail 'no place for a copy'\ngit ls-files -z -co --exclude-standard | while IFS= read "
	"-r -d '' p; do [ -e \"$p\" ] || [ -L \"$p\" ] && printf '%s\\0' \"$p\"; done | sort -zu | tar "
	"--null --no-recursion -T - -cf - | tar xf - -C \"$copy/w\" || fail 'the code cannot be copied'\ngit "
	"ls-files -z -oi --exclude-standard --directory | while IFS= read -r -d '' p; do p=${p%/}; mkdir -p "
	"\"$copy/w/$(dirname \"$p\")\" && ln -s \"$top/$p\" \"$copy/w/$p\"; done\npaths() { git ls-files -z "
	"\"$@\" -- PATHS; }\npaths -co --exclude-standard | (cd \"$copy/w\" && xargs -0r rm -f --)\nexport "
	"GIT_INDEX_FILE=$copy/index\ngit read-tree HEAD && paths | git checkout-index -z --stdin -f "
	"--prefix=\"$copy/w/\" || fail 'the tests of HEAD cannot be read'\nunset GIT_INDEX_FILE\ncd "
	"\"$copy/w/$here\" || fail 'this directory is not in HEAD'\n\"$@\"\n";

static struct str script_text(struct arena *a)
{
	struct str text = str_of(script), mark = STR("PATHS");
	size_t at = 0;

	while (!str_eq(str_sub(text, at, at + mark.n), mark))
		at++;
	return str_cat(a, str_cat(a, str_first(text, at), test_changes_paths(a)),
			str_from(text, at + mark.n));
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
		return err_input(e, "the tests of HEAD need a workspace that is a git repository");
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
