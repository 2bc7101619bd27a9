/*
 * Look-up in the tables of Python's standard library: knowledge/code/python.yaml. They are sorted by bytes.
 */
#include "code/python.h"

const struct py_row *py_row(struct str name) { return CODE_ROW(name, py_rows); }
bool py_is_inner(struct str name) { return code_listed(name, &py_inner); }
bool py_is_builtin(struct str name) { return code_listed(name, &py_builtins); }
bool py_harmless_name(struct str name) { return code_listed(name, &py_harmless); }
bool py_effect_name(struct str name) { return code_listed(name, &py_effects); }
bool py_special_name(struct str name) { return code_listed(name, &py_special); }

bool py_is_stdlib(struct str name)
{
	ptrdiff_t dot = str_find(name, '.', 0);

	return code_listed(dot < 0 ? name : str_first(name, (size_t)dot), &py_stdlib);
}

bool code_python_module(struct str name) { return py_is_stdlib(name); }

enum py_module py_module(struct str name)
{
	if (code_listed(name, &py_pure))
		return PY_MODULE_PURE;
	if (code_listed(name, &py_listed))
		return PY_MODULE_LISTED;
	return code_listed(name, &py_stdlib) ? PY_MODULE_STDLIB : PY_MODULE_OTHER;
}
