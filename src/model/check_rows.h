/*
 * The checks, in the order in which they run. This one list yields the ids and names (model/check.h) and the
 * table of the gate (gate/checks.c). A file that includes it defines GATE_CHECK before and undefines it
 * after.
 *
 *   constant   CHECK_constant is the id
 *   name       public name of the id: docs/checks.md
 *   grade      built-in grade
 *   fixed      true: no policy can lower the grade
 *   lift       COMMAND: a person's allow rule for the command lifts an ask or contain of this check
 *   approval   where the command runs after a person approves it (enum approval)
 *   function   implements the check; NULL: other code raises it (the engine, the rules, another check)
 *   marks      for syntax checks: the marks that raise it
 *   about      one line for documents and people
 */

/* raised by the engine and by the person's rules */
GATE_CHECK(INTERNAL_ERROR, "internal-error", DENY, true, NEVER, OUTSIDE, NULL, 0,
	"caisson failed, or reached its memory limit, before the command was judged")
GATE_CHECK(POLICY_ERROR, "policy-error", DENY, true, NEVER, OUTSIDE, NULL, 0,
	"a policy file does not load, so caisson allows nothing")
GATE_CHECK(RECORD_ERROR, "record-error", DENY, true, NEVER, OUTSIDE, NULL, 0,
	"the request cannot be recorded, and the policy requires it (audit.required)")
GATE_CHECK(PROJECT_CHANGED, "project-changed", ASK, true, NEVER, OUTSIDE, NULL, 0,
	"the project or working directory was moved or replaced since the session began or the command was "
	"judged")
GATE_CHECK(CONFIGURED_DENY, "configured-deny", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"a deny rule of the policy matches (ask when an unknown word may make it match)")
GATE_CHECK(CONFIGURED_ASK, "configured-ask", ASK, false, NEVER, PLAIN, NULL, 0,
	"an ask rule of the policy matches")
GATE_CHECK(CONFIGURED_DEFAULT, "configured-default", ASK, false, NEVER, PLAIN, tiers_default, 0,
	"no rule matches and the policy's default is not allow; the default is the grade")
GATE_CHECK(NOT_ON_LIST, "not-on-list", DENY, false, NEVER, PLAIN, NULL, 0,
	"the policy allows only listed programs (tools.bash.only), and this one is not listed")
GATE_CHECK(PLAN_MODE, "plan-mode", ASK, false, NEVER, PLAIN, tiers_plan, 0,
	"plan mode allows only commands that read")
GATE_CHECK(CLASSIFIER, "classifier", ASK, false, NEVER, PLAIN, NULL, 0,
	"the answer of the user's classifier; the answer is the grade")
GATE_CHECK(CHAINED, "chained", DENY, false, NEVER, PLAIN, NULL, 0,
	"a chain of commands that needs approval, and the policy wants such commands run one by one")
GATE_CHECK(NOT_CONTAINED, "not-contained", ASK, true, NEVER, OUTSIDE, NULL, 0,
	"it would be contained, but the policy turns boxes off or excludes it, or it needs a "
	"service of the host; contain_fallback is then the grade")
GATE_CHECK(BOX_FILE, "box-file", CONTAIN, false, NEVER, PLAIN, NULL, 0,
	"an allowed command names a file in /tmp that exists only in the boxes of the project, so it runs "
	"there")
GATE_CHECK(BOX_PORT, "box-port", CONTAIN, false, NEVER, PLAIN, NULL, 0,
	"an allowed command connects to a port on which boxes of the project listen, so it runs there")
GATE_CHECK(BOX_PROCESS, "box-process", DENY, false, NEVER, PLAIN, NULL, 0,
	"ends a process by its port, and the port belongs to a box of the project; caisson stop ends boxes")
/* caisson itself */
GATE_CHECK(CAISSON_FILES, "caisson-files", DENY, true, NEVER, OUTSIDE, paths_check, 0,
	"a file of caisson itself would be changed")
GATE_CHECK(CAISSON_MILDER, "caisson-milder", DENY, true, NEVER, OUTSIDE, danger_words, 0,
	"a command that would weaken or stop caisson")
/* unknown effects */
GATE_CHECK(OPAQUE_COMMAND, "opaque-command", CONTAIN, false, NEVER, BOX, opaque_command, 0,
	"the name of a command is unknown before it runs; ask if no box can contain it")
GATE_CHECK(OPAQUE_SCRIPT, "opaque-script", CONTAIN, false, COMMAND, BOX, opaque_script, 0,
	"shell text is unknown before it runs; ask if no box can contain it")
GATE_CHECK(OPAQUE_PATH, "opaque-path", CONTAIN, false, COMMAND, BOX, opaque_path, 0,
	"a path that would be written or deleted is unknown before the command runs; ask if it may be the "
	"whole project")
GATE_CHECK(OPAQUE_EDIT, "opaque-edit", CONTAIN, false, COMMAND, BOX, NULL, 0,
	"an editor, formatter or program of the project changes files that are unknown before it runs")
GATE_CHECK(SYNTAX_ERROR, "syntax-error", ASK, false, NEVER, BOX, syntax_error, 0,
	"the text has a syntax error; commands before the error would still run")
GATE_CHECK(BOUND_REACHED, "bound-reached", ASK, false, NEVER, BOX, bound_reached, 0,
	"the text exceeds the parser's limits of size, nesting or steps, or contains a NUL byte")
GATE_CHECK(INLINE_CODE, "inline-code", CONTAIN, false, COMMAND, CODE, inline_code, 0,
	"code in another language that may not be harmless; ask for SQL to a server")
GATE_CHECK(CODE_ERROR, "code-error", CONTAIN, false, COMMAND, CODE, NULL, 0,
	"inline code that cannot be parsed")
GATE_CHECK(CODE_DYNAMIC, "code-dynamic", CONTAIN, false, COMMAND, CODE, NULL, 0,
	"inline code whose effect is unknown before it runs")
/* execution */
GATE_CHECK(EXECUTES_FILE, "executes-file", CONTAIN, false, COMMAND, CODE, executes_file, 0,
	"a file is executed or sourced, and its content was not judged")
GATE_CHECK(UNKNOWN_PROGRAM, "unknown-program", CONTAIN, false, COMMAND, CODE, danger_unknown_program, 0,
	"a program that caisson does not know")
GATE_CHECK(ENVIRONMENT, "environment", CONTAIN, false, COMMAND, BOX, danger_environment, 0,
	"a variable makes a program load or run a file")
GATE_CHECK(DOWNLOAD_EXECUTE, "download-execute", DENY, false, NEVER, OUTSIDE, flow_execute, 0,
	"code from the network would be run immediately")
GATE_CHECK(ENCODED_EXECUTE, "encoded-execute", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"decoded data would be run without being seen")
GATE_CHECK(REVERSE_SHELL, "reverse-shell", DENY, false, NEVER, OUTSIDE, flow_reverse_shell, 0,
	"a shell is handed to another machine")
GATE_CHECK(FORK_BOMB, "fork-bomb", DENY, false, NEVER, OUTSIDE, flow_fork_bomb, 0,
	"a function or loop that starts processes without end")
/* writes */
GATE_CHECK(OUTSIDE_DELETE, "outside-delete", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"something outside the project would be deleted")
GATE_CHECK(OUTSIDE_OVERWRITE, "outside-overwrite", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"a file outside the project would be overwritten")
GATE_CHECK(OUTSIDE_WRITE, "outside-write", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"a file outside the project would be created or appended to")
GATE_CHECK(SYSTEM_WRITE, "system-write", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"a system directory would be written to")
GATE_CHECK(DEVICE_WRITE, "device-write", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"a device would be written to")
GATE_CHECK(PROJECT_DELETE, "project-delete", ASK, false, COMMAND, PLAIN, NULL, 0,
	"the whole project, or its history, would be deleted")
GATE_CHECK(PROTECTED_WRITE, "protected-write", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"a file inside the project that other programs run or obey would be changed")
GATE_CHECK(SHARED_TEMP, "shared-temp", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"a file in a shared temporary directory that may belong to someone else")
GATE_CHECK(LINK_WRITE, "link-write", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"a file that has other names (hard links) would be written to")
GATE_CHECK(ARCHIVE_EXTRACT, "archive-extract", CONTAIN, false, COMMAND, BOX, NULL, 0,
	"data choose the names of the written files: an archive, a patch, a cloned repository")
GATE_CHECK(ODD_PATH, "odd-path", ASK, false, COMMAND, PLAIN, NULL, 0,
	"a path that other systems read differently: streams, short names, device names, trailing dots")
/* reads */
GATE_CHECK(SECRET_READ, "secret-read", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"a file or tool that likely reveals a secret")
GATE_CHECK(SECRET_LEAK, "secret-leak", DENY, false, NEVER, OUTSIDE, flow_leak, 0,
	"a secret is read and the network is used, in one request")
GATE_CHECK(ODD_READ, "odd-read", OFF, false, COMMAND, PLAIN, NULL, 0,
	"a path that other systems read differently is read")
GATE_CHECK(OUTSIDE_READ, "outside-read", OFF, false, COMMAND, OUTSIDE, paths_directories, 0,
	"a file outside the project is read, or a command works in a directory there")
GATE_CHECK(PROC_ENVIRON, "proc-environ", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"the environment of a process is read")
/* other effects */
GATE_CHECK(NETWORK, "network", ASK, false, COMMAND, NETWORK, danger_effects, 0,
	"the network is used")
GATE_CHECK(NETWORK_READ, "network-read", OFF, false, COMMAND, OUTSIDE, NULL, 0,
	"a known client reads from one of the user's services, or git fetches from a remote")
GATE_CHECK(PACKAGE_INSTALL, "package-install", CONTAIN, false, COMMAND, NETWORK, NULL, 0,
	"packages come from the registries of the user's tools; the box reaches no other host")
GATE_CHECK(REMOTE_CHANGE, "remote-change", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"changes something that others see or use")
GATE_CHECK(PRIVILEGE, "privilege", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"runs as another user, or changes the rights of users")
GATE_CHECK(OPEN_ACCESS, "open-access", DENY, false, NEVER, OUTSIDE, danger_numbers, 0,
	"others get access to the machine or to files")
GATE_CHECK(PERSISTENCE, "persistence", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"something is set up that runs later, or that other programs obey")
GATE_CHECK(SYSTEM_CHANGE, "system-change", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"changes the system or its processes")
GATE_CHECK(SYSTEM_STATE, "system-state", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"shuts the machine or its protections down")
GATE_CHECK(DISK, "disk", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"disks, partitions or firmware are changed")
GATE_CHECK(DESTROY_DATA, "destroy-data", ASK, false, COMMAND, PLAIN, NULL, 0,
	"files are made unrecoverable")
GATE_CHECK(CONTAINER_ESCAPE, "container-escape", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"a container with access to this machine")
GATE_CHECK(GIT_DESTRUCTIVE, "git-destructive", ASK, false, COMMAND, PLAIN, NULL, 0,
	"uncommitted work or references may be lost")
GATE_CHECK(GIT_REWRITE, "git-rewrite", ASK, false, COMMAND, PLAIN, NULL, 0,
	"history is rewritten")
GATE_CHECK(CHANGED_TREE, "changed-tree", CONTAIN, false, COMMAND, BOX, NULL, 0,
	"a file is read or changed where an earlier command of the request may have put a link")
GATE_CHECK(OPTION_NAME, "option-name", CONTAIN, false, COMMAND, BOX, option_names_check, 0,
	"a pattern may match a file name that acts as a dangerous option of the program")
GATE_CHECK(GIT_PLANTED, "git-planted", CONTAIN, false, COMMAND, BOX, repository_planted, 0,
	"git runs in a directory that looks, or may by then look, like a planted repository, or in an "
	"unknown directory")
GATE_CHECK(GIT_HOOK, "git-hook", CONTAIN, false, COMMAND, BOX, git_hooks_check, 0,
	"git runs a hook of the repository, or a program of the project that its settings name")
GATE_CHECK(UNVETTED_WORKSPACE, "unvetted-workspace", CONTAIN, false, NEVER, BOX, repository_unvetted, 0,
	"git runs in or around a workspace where a box is running or left repositories that are not checked "
	"yet")
GATE_CHECK(PROJECT_FILES_DELETE, "project-files-delete", WARN, false, COMMAND, PLAIN, NULL, 0,
	"files of the project would be deleted; git keeps only committed files")
GATE_CHECK(PROCESS_END, "process-end", WARN, false, COMMAND, OUTSIDE, NULL, 0,
	"a development server, or the process on its port, would be ended")
GATE_CHECK(GIT_AMEND, "git-amend", WARN, false, COMMAND, PLAIN, NULL, 0,
	"the last commit is replaced")
GATE_CHECK(DATABASE_DESTROY, "database-destroy", DENY, false, NEVER, OUTSIDE, database_sql, 0,
	"a database, a table or all its rows would be deleted")
GATE_CHECK(DATABASE_CHANGE, "database-change", ASK, false, COMMAND, OUTSIDE, NULL, 0,
	"rows of a database are deleted or changed")
GATE_CHECK(INFRASTRUCTURE, "infrastructure", DENY, false, NEVER, OUTSIDE, NULL, 0,
	"infrastructure, stored data or services are destroyed")
/* syntax: the validators of docs/checks.md and a few more; the parser has understood all of the text */
GATE_CHECK(EMPTY_COMMAND, "empty-command", OFF, false, NEVER, PLAIN, text_empty, 0,
	"the text contains no command")
GATE_CHECK(INCOMPLETE_COMMAND, "incomplete-command", WARN, false, COMMAND, PLAIN, text_marks, MARK(FRAGMENT),
	"the text starts like a part of a command")
GATE_CHECK(SAFE_SUBSTITUTION, "safe-substitution", OFF, false, COMMAND, PLAIN, text_marks, MARK(SAFE_SUBST),
	"a literal here-document inside a substitution")
GATE_CHECK(GIT_COMMIT, "git-commit", OFF, false, COMMAND, PLAIN, text_git_commit, 0,
	"a commit message that is not plain text")
GATE_CHECK(JQ_CODE, "jq-code", WARN, false, COMMAND, BOX, text_jq, 0,
	"jq code from a file, or that calls system()")
GATE_CHECK(OBFUSCATED_FLAGS, "obfuscated-flags", WARN, false, COMMAND, PLAIN, text_marks,
	MARK(OBFUSCATED_FLAG),
	"quotes, escapes or expansions inside the name of an option")
GATE_CHECK(SHELL_METACHARACTERS, "shell-metacharacters", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(METACHARACTER),
	"a quoted ; | or & inside an argument")
GATE_CHECK(DANGEROUS_VARIABLES, "dangerous-variables", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(VARIABLE_CONTEXT),
	"a variable next to a redirection or a pipe")
GATE_CHECK(COMMENT_QUOTE_DESYNC, "comment-quote-desync", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(COMMENT_QUOTE),
	"a quote character inside a comment")
GATE_CHECK(QUOTED_NEWLINE, "quoted-newline", OFF, false, COMMAND, PLAIN, text_marks, MARK(QUOTED_NEWLINE),
	"a newline inside quotes")
GATE_CHECK(CARRIAGE_RETURN, "carriage-return", WARN, false, COMMAND, PLAIN, text_marks, MARK(CARRIAGE_RETURN),
	"a carriage return in the text")
GATE_CHECK(NEWLINES, "newlines", OFF, false, COMMAND, PLAIN, text_marks, MARK(NEWLINE),
	"commands on several lines")
GATE_CHECK(IFS_INJECTION, "ifs-injection", WARN, false, COMMAND, PLAIN, text_marks, MARK(IFS),
	"$IFS in place of blanks")
GATE_CHECK(DANGEROUS_PATTERNS, "dangerous-patterns", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(BACKTICK) | MARK(SUBSTITUTION) | MARK(PARAMETER) | MARK(OLD_ARITHMETIC) | MARK(ZSH_EXPANSION),
	"substitutions and expansions: ` `, $( ), ${ }, $[ ], those of zsh")
GATE_CHECK(REDIRECTIONS, "redirections", OFF, false, COMMAND, PLAIN, text_marks, MARK(REDIRECTION),
	"a redirection to or from a file other than the safe ones")
GATE_CHECK(ESCAPED_WHITESPACE, "escaped-whitespace", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(ESCAPED_BLANK),
	"a backslash before a blank")
GATE_CHECK(ESCAPED_OPERATORS, "escaped-operators", OFF, false, COMMAND, PLAIN, text_marks,
	MARK(ESCAPED_OPERATOR),
	"a backslash before an operator")
GATE_CHECK(UNICODE_WHITESPACE, "unicode-whitespace", ASK, false, COMMAND, PLAIN, text_marks,
	MARK(UNICODE_BLANK),
	"white space that is not ASCII, outside of quotes")
GATE_CHECK(MIDWORD_HASH, "midword-hash", OFF, false, COMMAND, PLAIN, text_marks, MARK(MIDWORD_HASH),
	"a # next to a quote inside a word")
GATE_CHECK(BRACE_EXPANSION, "brace-expansion", OFF, false, COMMAND, PLAIN, text_marks, MARK(BRACES),
	"a brace expansion")
GATE_CHECK(ZSH_COMMANDS, "zsh-commands", ASK, false, COMMAND, BOX, text_zsh, 0,
	"a builtin of zsh that reaches past the shell")
GATE_CHECK(MALFORMED_TOKENS, "malformed-tokens", WARN, false, COMMAND, PLAIN, text_marks, MARK(MALFORMED),
	"a word with unbalanced brackets or quotes")
GATE_CHECK(INVISIBLE_CHARACTERS, "invisible-characters", ASK, false, COMMAND, PLAIN, text_marks,
	MARK(INVISIBLE),
	"characters that cannot be seen or that reorder what is shown")
GATE_CHECK(HOMOGLYPHS, "homoglyphs", ASK, false, COMMAND, PLAIN, text_marks, MARK(HOMOGLYPH),
	"letters of other scripts that look like ASCII")
GATE_CHECK(ARITHMETIC_INJECTION, "arithmetic-injection", ASK, false, COMMAND, BOX, text_marks,
	MARK(ARITHMETIC_CODE),
	"arithmetic over a value that may hold a command")
GATE_CHECK(PROMPT_EXPANSION, "prompt-expansion", WARN, false, COMMAND, BOX, text_marks,
	MARK(PROMPT_EXPANSION),
	"a text that is expanded like a prompt")
GATE_CHECK(MANY_COMMANDS, "many-commands", WARN, false, COMMAND, PLAIN, text_many, 0,
	"more than 50 commands in one request")
GATE_CHECK(FILE_ROUTE, "file-route", OFF, false, NEVER, PLAIN, advice_route, 0,
	"plain file work that a tool of the client does better; `route` is its grade")
GATE_CHECK(UNKNOWN_CONSTRUCT, "unknown-construct", CONTAIN, false, NEVER, BOX, unknown_construct, 0,
	"the reader does not follow this construct") /* last: also the safety net */
