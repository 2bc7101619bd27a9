/*
 * Names with a special meaning in zsh alone. Tables of zsh are parameters: an assignment to functions,
 * aliases or commands, by any builtin or expansion, changes what later words run. The evaluator does not
 * model such an assignment and reports a trouble.
 */
#include "shell/eval.h"

bool zsh_table(struct str name)
{
	static const char tables[] =
		"functions dis_functions aliases dis_aliases galiases dis_galiases saliases dis_saliases "
		"commands builtins dis_builtins "
		"reswords dis_reswords options nameddirs userdirs dirstack widgets keymaps patchars "
		"dis_patchars parameters modules "
		"argv ARGC fpath FPATH module_path MODULE_PATH cdpath NULLCMD READNULLCMD TMPPREFIX STTY "
		"mapfile "
		"prompt PROMPT PROMPT2 PROMPT3 PROMPT4 SPROMPT histchars HISTCHARS UID EUID GID EGID "
		"USERNAME";
	return str_ends(name, "_functions") || str_is_any(name, tables);
}

bool zsh_function(struct str name)
{
	static const char own[] = "chpwd precmd preexec periodic zshaddhistory zshexit zsh_directory_name";
	return str_starts(name, "TRAP") || str_is_any(name, own);
}
