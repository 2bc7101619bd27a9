/*
 * The keys of a policy, one row each: dotted name, who may set it, whether an untrusted file is judged by it
 * separately (struct config_key), help, example, parser, destination. keys.c includes this file several
 * times.
 */
#define AT(member) offsetof(struct policy, member)

KEY("import", WHO_ANYONE, false, "presets that come before the file's own content", "[git, secrets]",
		parse_import, 0)
KEY("default", WHO_TRUSTED, true,
		"verdict for a command that no check and no rule speaks about: allow, ask or deny", "ask",
		value_verdict, AT(fallback))
KEY("onError", WHO_TRUSTED, true, "verdict for what cannot be judged: ask or deny", "deny", parse_on_error,
		AT(on_error))
KEY("tools.bash.deny", WHO_ANYONE, false, "commands that are denied, by how they start",
		"[npm publish, {prefix: git push, description: a person pushes}]",
 rules_prefix, AT(deny))
KEY("tools.bash.ask", WHO_ANYONE, false, "commands that a person must confirm, by how they start",
		"[docker run]", rules_prefix, AT(ask))
KEY("tools.bash.allow", WHO_TRUSTED, true,
		"commands that may run although a check would ask, by how they start", "[make test]",
		rules_prefix, AT(allow))
KEY("tools.bash.only", WHO_ANYONE, false, "the only programs that may be started; others are denied",
		"[ls, cat, python3]", rules_only, AT(only))
KEY("tools.bash.checks", WHO_ANYONE, false, "commands that are denied, by regular expression",
		"[{test: '\\bfrob\\b.*--all', description: frobs everything}]",
 rules_checks, AT(checks))
KEY("tools.bash.allowChecks", WHO_TRUSTED, true,
		"commands that may run although an ask rule speaks of them, by regular expression",
		"['^git push origin feature/\\S+$']",
 rules_allow_checks, AT(allow_checks))
KEY("tools.bash.redirects", WHO_ANYONE, false, "redirections, by where they lead",
		"[{mode: write, outside: ['.', /tmp/claude], decision: deny}]",
 rules_redirects, AT(redirects))
KEY("tools.bash.arguments", WHO_ANYONE, false, "commands, by their arguments",
		"[{command: 'rm|rmdir', anyArgOutside: ['.'], decision: ask}]",
 rules_arguments, AT(arguments))
KEY("tools.bash.normalise", WHO_TRUSTED, true, "what is left out of a command before rules are compared",
		"[{prefix: kubectl, strip: ['-n \\S+']}]",
 rules_normalise, AT(normalise))
KEY("tools.bash.ssh.allow", WHO_TRUSTED, true, "hosts that ssh may reach; others ask", "['*.test.example']",
		value_texts, AT(ssh_allow))
KEY("tools.bash.ssh.deny", WHO_ANYONE, false, "hosts that ssh may not reach", "[prod-*]", value_texts,
		AT(ssh_deny))
KEY("tools.bash.interpreters", WHO_ANYONE, false, "calls, imports and writes in code inside a command",
		"{python: {names: [python3], imports: [{match: ctypes, decision: ask}]}}",
 rules_interpreters, AT(interpreters))
KEY("tools.bash.discourageChaining", WHO_TRUSTED, true,
		"a chain of commands that would ask is denied, so that its parts are run one by one", "true",
 value_bool, AT(discourage_chaining))
KEY("tools.bash.offerManualRun", WHO_TRUSTED, true, "a denial says how a person can run the command", "true",
		value_bool, AT(offer_manual_run))
KEY("tools.deny", WHO_ANYONE, false, "other tools that are denied, by name",
		"[{tool: mcp__mail_*, description: no mail from here}]", rules_tools, AT(tool_deny))
KEY("tools.ask", WHO_ANYONE, false, "other tools that a person must confirm, by name", "[WebFetch]",
		rules_tools, AT(tool_ask))
KEY("tools.allow", WHO_TRUSTED, true, "other tools that may be used, by name", "[mcp__docs_*]", rules_tools,
		AT(tool_allow))
KEY("permissions.deny", WHO_ANYONE, false, "permission rules that deny", "['Read(~/.ssh/**)']",
		rules_permissions, AT(permission_deny))
KEY("permissions.ask", WHO_ANYONE, false, "permission rules that ask", "['Bash(git push:*)']",
		rules_permissions, AT(permission_ask))
KEY("permissions.allow", WHO_TRUSTED, true, "permission rules that allow", "['Bash(npm run test:*)']",
		rules_permissions, AT(permission_allow))
KEY("checks_grade", WHO_TRUSTED, true, "grades of checks, by id: off, warn, contain, ask or deny",
		"{secret-read: deny}", rules_grades, AT(regrades))
KEY("mode", WHO_OWNER, false,
		"permission mode when the client names none: default, acceptEdits, plan, bypassPermissions "
		"or dontAsk", "default", parse_mode, AT(mode))
KEY("route", WHO_TRUSTED, true,
		"plain file work that a tool of the client does better: off, advise, warn, ask or deny",
		"advise", parse_route, AT(route))
KEY("allow_readonly", WHO_TRUSTED, true,
		"commands that are known to only read need no rule where the default is not allow", "true",
		value_bool, AT(allow_readonly))
KEY("contain_fallback", WHO_OWNER, false,
		"verdict instead of contain where nothing can be contained: allow, ask or deny", "ask",
		value_verdict, AT(contain_fallback))
KEY("fold_case", WHO_TRUSTED, true, "protected names are compared without regard to case", "true", value_bool,
		AT(fold_case))
KEY("writable_roots", WHO_TRUSTED, false, "directories besides the project that may be written",
		"[~/scratch]", value_texts, AT(writable_roots))
KEY("protected_paths", WHO_ANYONE, false,
		"files that may not be written, besides the built-in ones; gitignore patterns",
		"[migrations/**]", value_texts, AT(protected_paths))
KEY("secret_paths", WHO_ANYONE, false,
		"files that count as secrets, besides the built-in ones; gitignore patterns",
		"[config/prod.yaml]", value_texts, AT(secret_paths))
KEY("excluded_commands", WHO_OWNER, false,
		"commands that are never put into a box: they are asked about where others are contained",
		"[docker]", value_texts, AT(excluded_commands))
KEY("classifier", WHO_OWNER, false, "a program that is asked about what would ask",
		"{command: [/usr/local/bin/judge], timeout_ms: 2000}", parse_classifier, AT(classifier))
KEY("validators", WHO_OWNER, false, "programs of your own that judge the results of runs",
		"[{name: coverage, task: test, command: [/usr/local/bin/coverage-check]}]", parse_validators,
		AT(validators))
KEY("results.require", WHO_OWNER, false,
		"the evidence that a run with a task needs: nothing, recognised (a known format) or "
		"witnessed",
		"witnessed", parse_results_require, AT(results))
KEY("results.canary", WHO_OWNER, false,
		"a test run that passes also tries tests that must fail, and says so if they pass (true)",
		"false", parse_results_canary, AT(results))
KEY("client_settings", WHO_OWNER, false, "the client's own permission rules are read as well", "true",
		value_bool, AT(client_settings))
KEY("forbid_lifting", WHO_SYSTEM, false, "allow rules and milder grades of other files do not count", "true",
		value_bool, AT(no_lifting))
KEY("commands", WHO_TRUSTED, false, "what commands of your own do with their arguments",
		"[{name: mywrap, style: posix, operands: {rest: command}}]", parse_commands, 0)
KEY("guidance", WHO_TRUSTED, false, "what the model is told when a session starts; the last block holds",
		"{enabled: true, includeDefaults: true, extra: [use make test]}",
 parse_guidance, AT(guidance))
KEY("redirect", WHO_TRUSTED, false, "/tmp/x becomes TARGET/x before it is judged; the last block holds",
		"{tmp: true, tmpTarget: /tmp/claude}", parse_redirect, AT(redirect))
KEY("secrets.enabled", WHO_TRUSTED, false, "inputs and outputs of tools are searched for secrets", "true",
		value_bool, AT(secrets.enabled))
KEY("secrets.scanInputs", WHO_TRUSTED, false, "inputs with a secret are denied", "true", value_bool,
		AT(secrets.scan_inputs))
KEY("secrets.scanOutputs", WHO_TRUSTED, false, "secrets in outputs are made unreadable", "true", value_bool,
		AT(secrets.scan_outputs))
KEY("secrets.scanner", WHO_TRUSTED, false, "kept for files that name a scanner", "auto", value_text,
		AT(secrets.scanner))
KEY("secrets.inputTools", WHO_TRUSTED, false, "tools whose inputs are searched", "[Bash, Write]", value_texts,
		AT(secrets.input_tools))
KEY("secrets.outputTools", WHO_TRUSTED, false, "tools whose outputs are searched", "[Bash, Read]",
		value_texts, AT(secrets.output_tools))
KEY("secrets.allow.paths", WHO_TRUSTED, false, "files that are no secrets although their names say so",
		"[.env.example]", value_texts, AT(secret_allow))
KEY("secrets.allow.rules", WHO_TRUSTED, false, "kinds of secrets that are not reported", "[generic-*]",
		value_texts, AT(secrets.allow_rules))
KEY("secrets.maxScanBytes", WHO_TRUSTED, false, "more than this is not searched", "1048576", value_size,
		AT(secrets.scan_bytes_max))
KEY("secrets.timeoutMs", WHO_TRUSTED, false, "time for one search", "10000", value_millis,
		AT(secrets.timeout_ms))
KEY("hooks.approve", WHO_OWNER, false, "what is allowed runs without a question of the client's own", "false",
		value_bool, AT(hooks.approve))
KEY("hooks.deadline_ms", WHO_OWNER, false, "a hook that has no answer after this time denies; at most 20000",
		"8000", value_millis, AT(hooks.deadline_ms))
KEY("sandbox.enabled", WHO_OWNER, false, "commands may be contained; else contain_fallback holds for them",
		"true", value_bool, AT(sandbox.enabled))
KEY("sandbox.always", WHO_OWNER, false,
		"agents' commands that are allowed run in the box as well, where the client lets them be "
		"put there", "false", value_bool, AT(sandbox.always))
KEY("sandbox.allow_unboxed", WHO_OWNER, false,
		"a caller may ask to run a command outside the box; a person is asked then", "false",
		value_bool, AT(sandbox.allow_unboxed))
KEY("sandbox.network", WHO_OWNER, false, "short for network.host: deny (false) or host-allowed (true)",
		"deny", parse_network, AT(sandbox.host_network))
KEY("sandbox.network.host", WHO_OWNER, false, "`caisson run --network host` is possible", "false", value_bool,
		AT(sandbox.host_network))
KEY("sandbox.network.allow", WHO_ANYONE, false,
		"hosts that boxes of the work profile reach; a project's own list adds none and takes away "
		"the others", "['api.example.org:443', '*.example.com', 'preset:registries']",
 parse_network_allow, AT(sandbox))
KEY("sandbox.network.host_ports", WHO_OWNER, false,
		"ports of the host's 127.0.0.1 that boxes of the work profile reach at their own", "[5432]",
		parse_ports, AT(sandbox.host_ports))
KEY("sandbox.client_sandbox", WHO_OWNER, false,
		"in a client's own sandbox, where no box can be made, a contained command is refused, or "
		"runs in that sandbox: refuse or trust", "refuse", parse_client_sandbox,
		AT(sandbox.trust_client))
KEY("sandbox.background", WHO_OWNER, false,
		"processes that a contained command leaves behind end with it, or stay in the background: "
		"kill or keep (docs/run.md)", "kill", parse_background, AT(sandbox.background))
KEY("sandbox.backend", WHO_OWNER, false,
		"how boxes are made: native, another engine, or auto for the first that can "
		"(docs/backends.md)", "native", parse_backend, AT(sandbox.backend))
KEY("sandbox.accept_watched", WHO_OWNER, false,
		"where no cgroup enforces a memory limit that is asked for, it is watched; else the run is "
		"refused", "false", value_bool, AT(sandbox.accept_watched))
KEY("sandbox.read", WHO_TRUSTED, false,
		"further paths that boxes of the work profile can read; relative ones start at the project",
		"[../shared, ~/data]", value_texts, AT(sandbox.read))
KEY("sandbox.write", WHO_TRUSTED, false, "further paths that they can write, likewise; no repositories",
		"[~/scratch]", value_texts, AT(sandbox.write))
KEY("sandbox.ptrace", WHO_TRUSTED, false,
		"programs in boxes of the work profile may trace each other (gdb, strace, leaks), which "
		"opens a large part of the kernel",
		"true", value_bool, AT(sandbox.ptrace))
KEY("sandbox.sockets", WHO_OWNER, false,
		"your own sockets in boxes of the work profile, which can do all that you can there: "
		"ssh-agent, gpg-agent, docker (root)", "[ssh-agent]", parse_sockets, AT(sandbox.sockets))
KEY("sandbox.caches.project", WHO_OWNER, false,
		"size of the caches that boxes of one project have written; 0: no limit", "10G",
		parse_audit_quota, AT(sandbox.caches_project))
KEY("sandbox.caches.total", WHO_OWNER, false,
		"size of the caches of all projects, above which those of the least recently used go; 0: no "
		"limit", "40G", parse_audit_quota, AT(sandbox.caches_total))
KEY("sandbox.env.pass", WHO_OWNER, false,
		"variables of the caller that programs in the box get as well; one that is named in full "
		"also when it looks like a credential", "[MY_SETTING, 'MYTOOL_*']",
 value_texts, AT(sandbox.env_pass))
KEY("sandbox.env.scrub", WHO_ANYONE, false, "variables that programs in the box never get from the caller",
		"['INTERNAL_*']", value_texts, AT(sandbox.env_scrub))
KEY("sandbox.limits.cpus", WHO_ANYONE, false,
		"CPUs of a box; in the system's file and in a project's the most that anybody gets", "2",
		parse_cpus, AT(sandbox.limits[LIMIT_CPUS]))
KEY("sandbox.limits.memory", WHO_ANYONE, false, "memory of a box, likewise; a plain number is megabytes",
		"1G", parse_memory, AT(sandbox.limits[LIMIT_MEMORY]))
KEY("sandbox.limits.timeout", WHO_ANYONE, false, "time of a run, likewise; a plain number is seconds", "30",
		parse_time, AT(sandbox.limits[LIMIT_TIME]))
KEY("sandbox.limits.pids", WHO_ANYONE, false, "processes and threads in a box, likewise", "256", parse_pids,
		AT(sandbox.limits[LIMIT_PIDS]))
KEY("sandbox.limits.scratch", WHO_ANYONE, false, "files of the box's own, likewise", "128M", parse_scratch,
		AT(sandbox.limits[LIMIT_SCRATCH]))
KEY("sandbox.limits.output", WHO_ANYONE, false, "bytes of each output stream, likewise", "64M", parse_output,
		AT(sandbox.limits[LIMIT_OUTPUT]))
KEY("sandbox.limits.cpu_time", WHO_ANYONE, false, "CPU time of a run, likewise", "60", parse_cpu_time,
		AT(sandbox.limits[LIMIT_CPU_TIME]))
KEY("sandbox.limits.io", WHO_ANYONE, false, "bytes a second from each disk and to it, likewise", "20M",
		parse_io, AT(sandbox.limits[LIMIT_IO]))
KEY("audit.required", WHO_OWNER, false,
		"what cannot be recorded does not run; what the system's file says can only be made "
		"stricter, here and in the next two", "true",
 parse_audit_required, 0)
KEY("audit.sync", WHO_OWNER, false,
		"rows of the record that are waited for until they are on the disk: always, begin (before a "
		"program starts) or none", "begin", parse_audit_sync, 0)
KEY("audit.retention_days", WHO_OWNER, false, "days of the record that are kept at least; 90 is the least",
		"90", parse_audit_retention, 0)
KEY("audit.quota", WHO_OWNER, false,
		"size of the whole record, outputs included, above which there is a warning; 0: none", "4G",
		parse_audit_quota, AT(audit.quota))
KEY("audit.outputs", WHO_OWNER, false,
		"bytes of each output stream that the record keeps; of a longer one both ends are; 0: none",
		"16M", parse_audit_outputs, AT(audit.outputs))
KEY("meta.title", WHO_ANYONE, false, "what the file is about; not used", "Our rules", value_nothing, 0)
KEY("meta.description", WHO_ANYONE, false, "the same at length; not used", "What we agreed on", value_nothing,
		0)
