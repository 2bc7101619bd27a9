/* Report of the directory in which a command ends. See cwd_report.h. */
#define _GNU_SOURCE
#include "run/cwd_report.h"

#include <unistd.h>

#include "sys/file.h"
#include "sys/path.h"
#include "sys/state.h"

#define CWD_FILE "/caisson/cwd"

/* The file that a shell sources at its start, and the variable that names it. */
static const struct shell {
	enum dialect dialect;
	char name[12], value[16], path[20], text[52];
} shells[] = {
	{DIALECT_BASH, "BASH_ENV", "/caisson/env", "/caisson/env", "unset BASH_ENV\ntrap 'pwd -P >|" CWD_FILE
			"' EXIT\n"},
	{DIALECT_ZSH, "ZDOTDIR", "/caisson", "/caisson/.zshenv", "unset ZDOTDIR\ntrap 'pwd -P >|" CWD_FILE
			"' EXIT\n"},
};

static const struct shell *shell_of(enum dialect d)
{
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (shells[i].dialect == d)
			return &shells[i];
	return NULL;
}

int cwd_report_prepare(struct arena *a, struct run *r, enum dialect dialect, struct str id, struct str *ret,
		struct err *e)
{
	const struct shell *shell = shell_of(dialect);
	struct spec_path *p = arena_new(a, struct spec_path), **paths = &r->spec.paths;
	struct spec_file *f = arena_new(a, struct spec_file), **files = &r->spec.files;
	struct spec_var *v = arena_new(a, struct spec_var), **env = &r->spec.env;
	struct str path;

	if (!shell)
		return err_input(e, "this shell reads nothing before its text");
	if (state_keep(a, r->world->context.view->state_dir, "tickets", str_cat(a, id, STR(".cwd")),
			STR(""), &path, e) != 0)
		return -1;
	*p = (struct spec_path){.path = path, .at = STR(CWD_FILE), .writable = true};
	*f = (struct spec_file){.path = str_of(shell->path), .text = str_of(shell->text)};
	*v = (struct spec_var){.name = str_of(shell->name), .value = str_of(shell->value)};
	while (*paths)
		paths = &(*paths)->next;
	while (*files)
		files = &(*files)->next;
	while (*env)
		env = &(*env)->next;
	*paths = p;
	*files = f;
	*env = v;
	*ret = path;
	return 0;
}

struct str cwd_report_take(struct arena *a, const struct view *v, struct str path)
{
	struct path_memo m;
	enum path_kind kind;
	struct str said = STR(""), real;
	int rc;

	if (!path.n)
		return STR("");
	rc = file_read(a, str_c(a, path), CWD_REPORT_MAX, &said, NULL, NULL);
	unlink(str_c(a, path));
	if (rc != 0 || !said.n || said.p[said.n - 1] != '\n')
		return STR("");
	said.n--;
	if (!str_starts(said, "/") || str_has(said, '\n') || str_has(said, 0))
		return STR("");
	path_memo_init(&m, a, v->cwd);
	real = path_real(&m, said, &kind);
	return kind == PATH_DIR && path_inside(real, v->project) ? real : STR("");
}
