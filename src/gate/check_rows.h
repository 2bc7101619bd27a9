/*
 * The checks, in the order in which they run: id, built-in grade, whether it is fixed, what lifts it, where a person's
 * yes to it lets the command run (enum approval), what it means, the function that looks (NULL: it is raised by others:
 * the engine, the rules, another check) and, for those of syntax, which marks. checks.c makes the table of these, and
 * reads them more than once.
 */
#define MARK(kind) (1ul << MARK_##kind)
#define RULE LIFT_COMMAND /* an allow rule of the person's lifts it */
#define OUTSIDE APPROVAL_OUTSIDE
#define PLAIN APPROVAL_PLAIN
#define BOX APPROVAL_BOX
#define CODE APPROVAL_CODE
#define NETWORK APPROVAL_NETWORK

/* raised by the engine and by the person's own rules */
CHECK("internal-error", GRADE_DENY, true, 0, OUTSIDE, "caisson failed, or its memory bound was reached, before the command was judged", NULL, 0)
CHECK("policy-error", GRADE_DENY, true, 0, OUTSIDE, "a policy file does not load, so nothing is allowed", NULL, 0)
CHECK("record-error", GRADE_DENY, true, 0, OUTSIDE, "what is judged cannot be recorded, and the policy wants it to be (audit.required)", NULL, 0)
CHECK("project-changed", GRADE_ASK, true, 0, OUTSIDE, "the project or the working directory is not the directory that was judged or that the session began with: it was moved or replaced", NULL, 0)
CHECK("configured-deny", GRADE_DENY, false, 0, OUTSIDE, "a deny rule of the policy matches (ask when an unknown word may make it match)", NULL, 0)
CHECK("configured-ask", GRADE_ASK, false, 0, PLAIN, "an ask rule of the policy matches", NULL, 0)
CHECK("configured-default", GRADE_ASK, false, 0, PLAIN, "no rule matches and the policy's default is not allow; the default is the grade", tiers_default, 0)
CHECK("not-on-list", GRADE_DENY, false, 0, PLAIN, "the policy lets only some programs run (tools.bash.only), and this is none of them", NULL, 0)
CHECK("plan-mode", GRADE_ASK, false, 0, PLAIN, "in plan mode only what reads may run", tiers_plan, 0)
CHECK("classifier", GRADE_ASK, false, 0, PLAIN, "what the person's classifier answered about an ask; its answer is the grade", NULL, 0)
CHECK("chained", GRADE_DENY, false, 0, PLAIN, "a chain of commands that would be asked about, where the policy discourages chaining", NULL, 0)
CHECK("not-contained", GRADE_ASK, true, 0, OUTSIDE, "it would be contained, but the policy has no box, or excludes the command from it; contain_fallback is the grade without a box", NULL, 0)
/* caisson itself */
CHECK("caisson-files", GRADE_DENY, true, 0, OUTSIDE, "a file of caisson's own would be changed", paths_check, 0)
CHECK("caisson-milder", GRADE_DENY, true, 0, OUTSIDE, "a command that would make caisson milder, or end it", danger_words, 0)
/* what is not known */
CHECK("opaque-command", GRADE_CONTAIN, false, 0, BOX, "the name of a command that would run is not known; ask where no box bounds it", opaque_command, 0)
CHECK("opaque-script", GRADE_CONTAIN, false, RULE, BOX, "shell text that would run is not known; ask where no box bounds it", opaque_script, 0)
CHECK("opaque-path", GRADE_CONTAIN, false, RULE, BOX, "a path that would be written or deleted is not known; ask when a delete may be the whole project", opaque_path, 0)
CHECK("opaque-edit", GRADE_CONTAIN, false, RULE, BOX, "files that an editor, a formatter or a program of the project changes, or the text it changes them by, are not known", NULL, 0)
CHECK("syntax-error", GRADE_ASK, false, 0, BOX, "the shell would refuse the text; what stands before the error would still run", syntax_error, 0)
CHECK("bound-reached", GRADE_ASK, false, 0, BOX, "the text is larger, deeper or more laborious than the reader's bounds, or has a NUL byte", bound_reached, 0)
CHECK("inline-code", GRADE_CONTAIN, false, RULE, CODE, "code in another language that is not known to be harmless; ask for SQL to a server", inline_code, 0)
CHECK("code-error", GRADE_CONTAIN, false, RULE, CODE, "inline code that cannot be parsed", NULL, 0)
CHECK("code-dynamic", GRADE_CONTAIN, false, RULE, CODE, "inline code that does something which is only known when it runs", NULL, 0)
/* what runs */
CHECK("executes-file", GRADE_CONTAIN, false, RULE, CODE, "a file is executed or sourced, and its content is not judged", executes_file, 0)
CHECK("unknown-program", GRADE_CONTAIN, false, RULE, CODE, "a program of which nothing is known", danger_unknown_program, 0)
CHECK("environment", GRADE_CONTAIN, false, RULE, BOX, "a variable makes a program load or run what it names", danger_environment, 0)
CHECK("download-execute", GRADE_DENY, false, 0, OUTSIDE, "what is fetched from the network would be run at once", flow_execute, 0)
CHECK("encoded-execute", GRADE_DENY, false, 0, OUTSIDE, "what is decoded would be run unseen", NULL, 0)
CHECK("reverse-shell", GRADE_DENY, false, 0, OUTSIDE, "a shell is handed to another machine", flow_reverse_shell, 0)
CHECK("fork-bomb", GRADE_DENY, false, 0, OUTSIDE, "processes that are started without end, by a function that calls itself or by a loop", flow_fork_bomb, 0)
/* where it writes */
CHECK("outside-delete", GRADE_DENY, false, 0, OUTSIDE, "something outside the project would be deleted", NULL, 0)
CHECK("outside-overwrite", GRADE_DENY, false, 0, OUTSIDE, "a file outside the project would be overwritten", NULL, 0)
CHECK("outside-write", GRADE_ASK, false, RULE, OUTSIDE, "something outside the project would be made or added to", NULL, 0)
CHECK("system-write", GRADE_DENY, false, 0, OUTSIDE, "a directory of the system would be written to", NULL, 0)
CHECK("device-write", GRADE_DENY, false, 0, OUTSIDE, "a device would be written to", NULL, 0)
CHECK("project-delete", GRADE_ASK, false, RULE, PLAIN, "the whole project, or its history, would be deleted", NULL, 0)
CHECK("protected-write", GRADE_ASK, false, RULE, OUTSIDE, "a file inside the project that other programs run or obey would be changed", NULL, 0)
CHECK("shared-temp", GRADE_ASK, false, RULE, OUTSIDE, "a file in a directory for temporary files that may be another's", NULL, 0)
CHECK("link-write", GRADE_ASK, false, RULE, OUTSIDE, "a file that has other names (hard links) would be written to", NULL, 0)
CHECK("archive-extract", GRADE_CONTAIN, false, RULE, BOX, "data choose the names of the files that are written: an archive, a patch, a repository that is cloned", NULL, 0)
CHECK("odd-path", GRADE_ASK, false, RULE, PLAIN, "a path that other systems read differently: streams, short names, device names, trailing dots", NULL, 0)
/* what it reads */
CHECK("secret-read", GRADE_ASK, false, RULE, OUTSIDE, "a file, or a tool, that is likely to give a secret away", NULL, 0)
CHECK("secret-leak", GRADE_DENY, false, 0, OUTSIDE, "a secret is read and the network is used, in one request", flow_leak, 0)
CHECK("odd-read", GRADE_OFF, false, RULE, PLAIN, "a path that other systems read differently is read", NULL, 0)
CHECK("outside-read", GRADE_OFF, false, RULE, OUTSIDE, "a file outside the project is read, or a command works in a directory there", paths_directories, 0)
CHECK("proc-environ", GRADE_ASK, false, RULE, OUTSIDE, "the environment of a process is read", NULL, 0)
/* what it does */
CHECK("network", GRADE_ASK, false, RULE, NETWORK, "the network is used", danger_effects, 0)
CHECK("remote-change", GRADE_ASK, false, RULE, OUTSIDE, "something that others see or use is changed", NULL, 0)
CHECK("privilege", GRADE_ASK, false, RULE, OUTSIDE, "it runs with, or changes, the rights of users", NULL, 0)
CHECK("open-access", GRADE_DENY, false, 0, OUTSIDE, "others get access to the machine or to files", danger_numbers, 0)
CHECK("persistence", GRADE_ASK, false, RULE, OUTSIDE, "something is set up that runs later, or that other programs obey", NULL, 0)
CHECK("system-change", GRADE_ASK, false, RULE, OUTSIDE, "the system, or processes on it, are changed", NULL, 0)
CHECK("system-state", GRADE_DENY, false, 0, OUTSIDE, "the machine or its protections are taken down", NULL, 0)
CHECK("disk", GRADE_DENY, false, 0, OUTSIDE, "disks, partitions or firmware are changed", NULL, 0)
CHECK("destroy-data", GRADE_ASK, false, RULE, PLAIN, "files are made unrecoverable", NULL, 0)
CHECK("container-escape", GRADE_DENY, false, 0, OUTSIDE, "a container that can reach this machine", NULL, 0)
CHECK("git-destructive", GRADE_ASK, false, RULE, PLAIN, "work that is not committed, or references, may be lost", NULL, 0)
CHECK("git-rewrite", GRADE_ASK, false, RULE, PLAIN, "history is rewritten", NULL, 0)
CHECK("changed-tree", GRADE_CONTAIN, false, RULE, BOX, "a file is read or changed where an earlier command of the request may have put a link", NULL, 0)
CHECK("option-name", GRADE_CONTAIN, false, RULE, BOX, "a pattern may find a file whose name is an option of the program, one that runs or writes something", option_names_check, 0)
CHECK("git-planted", GRADE_CONTAIN, false, RULE, BOX, "git runs in or below a directory that looks, or may by then look, like a repository of its own, or in a directory that is not known", repository_planted, 0)
CHECK("git-hook", GRADE_CONTAIN, false, RULE, BOX, "git runs a hook of the repository, or a program of the project that its settings name", git_hooks_check, 0)
CHECK("unvetted-workspace", GRADE_CONTAIN, false, 0, BOX, "git, or a program that runs it, in or around a workspace where a box runs or what it planted was not all judged", repository_unvetted, 0)
CHECK("project-files-delete", GRADE_WARN, false, RULE, PLAIN, "files of the project would be deleted; git has only what was committed", NULL, 0)
CHECK("process-end", GRADE_WARN, false, RULE, OUTSIDE, "a development server, or what listens on its port, would be ended", NULL, 0)
CHECK("git-amend", GRADE_WARN, false, RULE, PLAIN, "the last commit is replaced", NULL, 0)
CHECK("database-destroy", GRADE_DENY, false, 0, OUTSIDE, "a database, table or all its rows are deleted", database_sql, 0)
CHECK("database-change", GRADE_ASK, false, RULE, OUTSIDE, "rows of a database are deleted or changed", NULL, 0)
CHECK("infrastructure", GRADE_DENY, false, 0, OUTSIDE, "infrastructure, stored data or services are destroyed", NULL, 0)
/* how it is written: the validators of docs/checks.md, and a few more. The reader has understood all of it. */
CHECK("empty-command", GRADE_OFF, false, 0, PLAIN, "there is nothing to run", text_empty, 0)
CHECK("incomplete-command", GRADE_WARN, false, RULE, PLAIN, "the text starts like a part of a command", text_marks, MARK(FRAGMENT))
CHECK("safe-substitution", GRADE_OFF, false, RULE, PLAIN, "a literal here-document inside a substitution", text_marks, MARK(SAFE_SUBST))
CHECK("git-commit", GRADE_OFF, false, RULE, PLAIN, "a commit message that is not plain text", text_git_commit, 0)
CHECK("jq-code", GRADE_WARN, false, RULE, BOX, "jq code from a file, or that calls system()", text_jq, 0)
CHECK("obfuscated-flags", GRADE_WARN, false, RULE, PLAIN, "quotes, escapes or expansions inside the name of an option", text_marks, MARK(OBFUSCATED_FLAG))
CHECK("shell-metacharacters", GRADE_OFF, false, RULE, PLAIN, "a quoted ; | or & inside an argument", text_marks, MARK(METACHARACTER))
CHECK("dangerous-variables", GRADE_OFF, false, RULE, PLAIN, "a variable next to a redirection or a pipe", text_marks, MARK(VARIABLE_CONTEXT))
CHECK("comment-quote-desync", GRADE_OFF, false, RULE, PLAIN, "a quote character inside a comment", text_marks, MARK(COMMENT_QUOTE))
CHECK("quoted-newline", GRADE_OFF, false, RULE, PLAIN, "a newline inside quotes", text_marks, MARK(QUOTED_NEWLINE))
CHECK("carriage-return", GRADE_WARN, false, RULE, PLAIN, "a carriage return in the text", text_marks, MARK(CARRIAGE_RETURN))
CHECK("newlines", GRADE_OFF, false, RULE, PLAIN, "commands on several lines", text_marks, MARK(NEWLINE))
CHECK("ifs-injection", GRADE_WARN, false, RULE, PLAIN, "$IFS in place of blanks", text_marks, MARK(IFS))
CHECK("dangerous-patterns", GRADE_OFF, false, RULE, PLAIN, "substitutions and expansions: ` `, $( ), ${ }, $[ ], those of zsh", text_marks,
 MARK(BACKTICK) | MARK(SUBSTITUTION) | MARK(PARAMETER) | MARK(OLD_ARITHMETIC) | MARK(ZSH_EXPANSION))
CHECK("redirections", GRADE_OFF, false, RULE, PLAIN, "a redirection to or from a file other than the safe ones", text_marks, MARK(REDIRECTION))
CHECK("escaped-whitespace", GRADE_OFF, false, RULE, PLAIN, "a backslash before a blank", text_marks, MARK(ESCAPED_BLANK))
CHECK("escaped-operators", GRADE_OFF, false, RULE, PLAIN, "a backslash before an operator", text_marks, MARK(ESCAPED_OPERATOR))
CHECK("unicode-whitespace", GRADE_ASK, false, RULE, PLAIN, "white space that is not ASCII, outside of quotes", text_marks, MARK(UNICODE_BLANK))
CHECK("midword-hash", GRADE_OFF, false, RULE, PLAIN, "a # next to a quote inside a word", text_marks, MARK(MIDWORD_HASH))
CHECK("brace-expansion", GRADE_OFF, false, RULE, PLAIN, "a brace expansion", text_marks, MARK(BRACES))
CHECK("zsh-commands", GRADE_ASK, false, RULE, BOX, "a builtin of zsh that reaches past the shell", text_zsh, 0)
CHECK("malformed-tokens", GRADE_WARN, false, RULE, PLAIN, "a word with unbalanced brackets or quotes", text_marks, MARK(MALFORMED))
CHECK("invisible-characters", GRADE_ASK, false, RULE, PLAIN, "characters that cannot be seen or that reorder what is shown", text_marks, MARK(INVISIBLE))
CHECK("homoglyphs", GRADE_ASK, false, RULE, PLAIN, "letters of other scripts that look like ASCII", text_marks, MARK(HOMOGLYPH))
CHECK("arithmetic-injection", GRADE_ASK, false, RULE, BOX, "arithmetic over a value that may hold a command", text_marks, MARK(ARITHMETIC_CODE))
CHECK("prompt-expansion", GRADE_WARN, false, RULE, BOX, "a text that is expanded like a prompt", text_marks, MARK(PROMPT_EXPANSION))
CHECK("many-commands", GRADE_WARN, false, RULE, PLAIN, "more than 50 commands in one request", text_many, 0)
CHECK("file-route", GRADE_OFF, false, 0, PLAIN, "plain file work that a tool of the client does better; `route` is its grade", advice_route, 0)
CHECK("unknown-construct", GRADE_CONTAIN, false, 0, BOX, "the reader does not follow this construct", unknown_construct, 0) /* last: it is also the net */

#undef OUTSIDE
#undef PLAIN
#undef BOX
#undef CODE
#undef NETWORK
