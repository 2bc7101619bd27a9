/*
 * The keys of a policy, one row each: dotted name, who may set it, whether an untrusted file is judged by it
 * separately (struct config_key), help, example, shape of the value (policy_schema.h), parser, destination.
 * keys.c includes this file several times.
 */
#define AT(member) offsetof(struct policy, member)

KEY("import", WHO_ANYONE, false,
		"presets to import before the file's own rules", "[git, secrets]", "$presets",
		parse_import, 0)
KEY("default", WHO_TRUSTED, true,
		"verdict for a command without an objection or a rule: allow, ask or deny", "ask",
		"allow|ask|deny", value_verdict, AT(fallback))
KEY("onError", WHO_TRUSTED, true,
		"verdict for a request that cannot be judged: ask or deny", "deny", "ask|deny",
		parse_on_error, AT(on_error))
KEY("tools.bash.deny", WHO_ANYONE, false,
		"commands to deny, by how they start",
		"[npm publish, {prefix: git push, description: a person pushes}]", "$prefixRules",
		rules_prefix, AT(deny))
KEY("tools.bash.ask", WHO_ANYONE, false,
		"commands that need approval, by how they start", "[docker run]", "$prefixRules",
		rules_prefix, AT(ask))
KEY("tools.bash.allow", WHO_TRUSTED, true,
		"commands to allow although a check would ask, by how they start", "[make test]",
		"$prefixRules", rules_prefix, AT(allow))
KEY("tools.bash.only", WHO_ANYONE, false,
		"allow-list of programs; all others are denied", "[ls, cat, python3]", "$programs",
		rules_only, AT(only))
KEY("tools.bash.checks", WHO_ANYONE, false,
		"commands to deny, by regular expression",
		"[{test: '\\bfrob\\b.*--all', description: frobs everything}]", "$regexRules",
		rules_checks, AT(checks))
KEY("tools.bash.allowChecks", WHO_TRUSTED, true,
		"commands to allow although an ask rule matches, by regular expression",
		"['^git push origin feature/\\S+$']", "$regexRules", rules_allow_checks,
		AT(allow_checks))
KEY("tools.bash.redirects", WHO_ANYONE, false,
		"rules for redirections, by target",
		"[{mode: write, outside: ['.', /tmp/claude], decision: deny}]", "$redirectRules",
		rules_redirects, AT(redirects))
KEY("tools.bash.arguments", WHO_ANYONE, false,
		"rules for commands, by their arguments",
		"[{command: 'rm|rmdir', anyArgOutside: ['.'], decision: ask}]", "$argumentRules",
		rules_arguments, AT(arguments))
KEY("tools.bash.normalise", WHO_TRUSTED, true,
		"parts of a command to ignore when rules are compared",
		"[{prefix: kubectl, strip: ['-n \\S+']}]", "$normaliseRules", rules_normalise,
		AT(normalise))
KEY("tools.bash.ssh.allow", WHO_TRUSTED, true,
		"hosts that ssh may reach; others ask", "['*.test.example']", "$texts", value_texts,
		AT(ssh_allow))
KEY("tools.bash.ssh.deny", WHO_ANYONE, false,
		"hosts that ssh may not reach", "[prod-*]", "$texts", value_texts, AT(ssh_deny))
KEY("tools.bash.interpreters", WHO_ANYONE, false,
		"rules for calls, imports and writes in inline code",
		"{python: {names: [python3], imports: [{match: ctypes, decision: ask}]}}",
		"$interpreters", rules_interpreters, AT(interpreters))
KEY("tools.bash.discourageChaining", WHO_TRUSTED, true,
		"deny a chain of commands that would ask, so that its parts run one by one", "true",
		"$bool", value_bool, AT(discourage_chaining))
KEY("tools.bash.offerManualRun", WHO_TRUSTED, true,
		"tell in a denial how a person can run the command", "true", "$bool", value_bool,
		AT(offer_manual_run))
KEY("tools.deny", WHO_ANYONE, false,
		"other tools to deny, by name",
		"[{tool: mcp__mail_*, description: no mail from here}]", "$toolRules", rules_tools,
		AT(tool_deny))
KEY("tools.ask", WHO_ANYONE, false,
		"other tools that need approval, by name", "[WebFetch]", "$toolRules", rules_tools,
		AT(tool_ask))
KEY("tools.allow", WHO_TRUSTED, true,
		"other tools to allow, by name", "[mcp__docs_*]", "$toolRules", rules_tools,
		AT(tool_allow))
KEY("permissions.deny", WHO_ANYONE, false,
		"permission rules that deny", "['Read(~/.ssh/**)']", "$permissionRules",
		rules_permissions, AT(permission_deny))
KEY("permissions.ask", WHO_ANYONE, false,
		"permission rules that ask", "['Bash(git push:*)']", "$permissionRules",
		rules_permissions, AT(permission_ask))
KEY("permissions.allow", WHO_TRUSTED, true,
		"permission rules that allow", "['Bash(npm run test:*)']", "$permissionRules",
		rules_permissions, AT(permission_allow))
KEY("checks_grade", WHO_TRUSTED, true,
		"grades of checks, by id: off, warn, contain, ask or deny", "{secret-read: deny}",
		"$grades", rules_grades, AT(regrades))
KEY("mode", WHO_OWNER, false,
		"permission mode when the client names none: default, acceptEdits, plan, "
		"bypassPermissions or dontAsk", "default",
		"default|acceptEdits|plan|bypassPermissions|dontAsk", parse_mode, AT(mode))
KEY("route", WHO_TRUSTED, true,
		"plain file work for which the client has a better tool: off, advise, warn, ask or "
		"deny", "advise", "off|advise|warn|ask|deny", parse_route, AT(route))
KEY("allow_readonly", WHO_TRUSTED, true,
		"allow commands that only read even if the default is not allow", "true", "$bool",
		value_bool, AT(allow_readonly))
KEY("contain_fallback", WHO_OWNER, false,
		"verdict instead of contain where no box can run: allow, ask or deny", "ask",
		"allow|ask|deny", value_verdict, AT(contain_fallback))
KEY("fold_case", WHO_TRUSTED, true,
		"ignore case when comparing protected names", "true", "$bool", value_bool,
		AT(fold_case))
KEY("writable_roots", WHO_TRUSTED, false,
		"writable directories besides the project", "[~/scratch]", "$texts", value_texts,
		AT(writable_roots))
KEY("protected_paths", WHO_ANYONE, false,
		"further protected files, as gitignore patterns", "[migrations/**]", "$texts",
		value_texts, AT(protected_paths))
KEY("secret_paths", WHO_ANYONE, false,
		"further secret files, as gitignore patterns", "[config/prod.yaml]", "$texts",
		value_texts, AT(secret_paths))
KEY("excluded_commands", WHO_OWNER, false,
		"commands that never run in a box: caisson asks where it would contain others",
		"[docker]", "$texts", value_texts, AT(excluded_commands))
KEY("classifier", WHO_OWNER, false,
		"a program that answers questions in place of the user",
		"{command: [/usr/local/bin/judge], timeout_ms: 2000}", "$classifier", parse_classifier,
		AT(classifier))
KEY("validators", WHO_OWNER, false,
		"your own programs that check the results of runs",
		"[{name: coverage, task: test, command: [/usr/local/bin/coverage-check]}]",
		"$validators", parse_validators, AT(validators))
KEY("results.require", WHO_OWNER, false,
		"the evidence that a run with a task needs: nothing, recognised (a known format) or "
		"witnessed", "witnessed", "nothing|recognised|witnessed", parse_results_require,
		AT(results))
KEY("results.canary", WHO_OWNER, false,
		"after a test run that passes, also run tests that must fail, and report if they "
		"pass (true)", "false", "$bool", parse_results_canary, AT(results))
KEY("client_settings", WHO_OWNER, false,
		"also read the client's own permission rules", "true", "$bool", value_bool,
		AT(client_settings))
KEY("forbid_lifting", WHO_SYSTEM, false,
		"ignore allow rules and lower grades of other files", "true", "$bool", value_bool,
		AT(no_lifting))
KEY("commands", WHO_TRUSTED, false,
		"how your own commands use their arguments",
		"[{name: mywrap, style: posix, operands: {rest: command}}]", "$commands",
		parse_commands, 0)
KEY("guidance", WHO_TRUSTED, false,
		"guidance for the model when a session starts; the last block wins",
		"{enabled: true, includeDefaults: true, extra: [use make test]}", "$guidance",
		parse_guidance, AT(guidance))
KEY("redirect", WHO_TRUSTED, false,
		"rewrite /tmp/x to TARGET/x before judging; the last block wins",
		"{tmp: true, tmpTarget: /tmp/claude}", "$redirect", parse_redirect, AT(redirect))
KEY("secrets.enabled", WHO_TRUSTED, false,
		"search inputs and outputs of tools for secrets", "true", "$bool", value_bool,
		AT(secrets.enabled))
KEY("secrets.scanInputs", WHO_TRUSTED, false,
		"deny inputs that contain a secret", "true", "$bool", value_bool,
		AT(secrets.scan_inputs))
KEY("secrets.scanOutputs", WHO_TRUSTED, false,
		"redact secrets in outputs", "true", "$bool", value_bool, AT(secrets.scan_outputs))
KEY("secrets.scanner", WHO_TRUSTED, false,
		"accepted for compatibility; not used", "auto", "$text", value_text,
		AT(secrets.scanner))
KEY("secrets.inputTools", WHO_TRUSTED, false,
		"tools whose inputs are searched", "[Bash, Write]", "$texts", value_texts,
		AT(secrets.input_tools))
KEY("secrets.outputTools", WHO_TRUSTED, false,
		"tools whose outputs are searched", "[Bash, Read]", "$texts", value_texts,
		AT(secrets.output_tools))
KEY("secrets.allow.paths", WHO_TRUSTED, false,
		"files that are not secrets despite their names", "[.env.example]", "$texts",
		value_texts, AT(secret_allow))
KEY("secrets.allow.rules", WHO_TRUSTED, false,
		"kinds of secrets that are not reported", "[generic-*]", "$texts", value_texts,
		AT(secrets.allow_rules))
KEY("secrets.maxScanBytes", WHO_TRUSTED, false,
		"most bytes to search", "1048576", "$count", value_size, AT(secrets.scan_bytes_max))
KEY("secrets.timeoutMs", WHO_TRUSTED, false,
		"time limit of one search", "10000", "$millis", value_millis, AT(secrets.timeout_ms))
KEY("hooks.approve", WHO_OWNER, false,
		"allowed commands run without a question by the client itself", "false", "$bool",
		value_bool, AT(hooks.approve))
KEY("hooks.deadline_ms", WHO_OWNER, false,
		"deny if a hook has no answer after this time; at most 20000", "8000", "$millis",
		value_millis, AT(hooks.deadline_ms))
KEY("sandbox.enabled", WHO_OWNER, false,
		"contain commands in boxes; if false, contain_fallback applies", "true", "$bool",
		value_bool, AT(sandbox.enabled))
KEY("sandbox.always", WHO_OWNER, false,
		"run allowed commands of agents in the box too, if the client permits it", "false",
		"$bool", value_bool, AT(sandbox.always))
KEY("sandbox.allow_unboxed", WHO_OWNER, false,
		"let a caller request a run outside the box; the user is asked", "false", "$bool",
		value_bool, AT(sandbox.allow_unboxed))
KEY("sandbox.network", WHO_OWNER, false,
		"short for network.host: deny (false) or host-allowed (true)", "deny",
		"deny|host-allowed", parse_network, AT(sandbox.host_network))
KEY("sandbox.network.host", WHO_OWNER, false,
		"permit `caisson run --network host`", "false", "$bool", value_bool,
		AT(sandbox.host_network))
KEY("sandbox.network.allow", WHO_ANYONE, false,
		"hosts that boxes of the work profile may reach; a project's own list can only "
		"remove hosts", "['api.example.org:443', '*.example.com', 'preset:registries']",
		"$texts", parse_network_allow, AT(sandbox))
KEY("sandbox.network.host_ports", WHO_OWNER, false,
		"ports of the host's 127.0.0.1 that boxes of the work profile may reach on their own "
		"loopback", "[5432]", "$ports", parse_ports, AT(sandbox.host_ports))
KEY("sandbox.network.publish", WHO_TRUSTED, false,
		"ports of the project's boxes in the background to publish on the host's 127.0.0.1 "
		"(caisson help network)", "[3000]", "$ports", parse_published, AT(sandbox.publish))
KEY("sandbox.client_sandbox", WHO_OWNER, false,
		"where a client's own sandbox prevents boxes, refuse a contained command, or trust "
		"that sandbox: refuse or trust", "refuse", "refuse|trust", parse_client_sandbox,
		AT(sandbox.trust_client))
KEY("sandbox.background", WHO_OWNER, false,
		"processes that a contained command leaves behind: keep in the background, or kill "
		"(caisson help run.md)", "keep", "keep|kill", parse_background, AT(sandbox.background))
KEY("sandbox.backend", WHO_OWNER, false,
		"backend for boxes: native, another engine, or auto for the first that works "
		"(caisson help backends)", "native", "$backend", parse_backend, AT(sandbox.backend))
KEY("sandbox.image", WHO_OWNER, false,
		"image that is the root of boxes, in place of the system's directories, or none "
		"(caisson help images)", "tools", "$text", value_text, AT(sandbox.image))
KEY("sandbox.accept_watched", WHO_OWNER, false,
		"if no cgroup can enforce a requested memory limit, watch the memory instead of "
		"refusing the run", "false", "$bool", value_bool, AT(sandbox.accept_watched))
KEY("sandbox.read", WHO_TRUSTED, false,
		"further paths that boxes of the work profile may read; relative paths start at the "
		"project", "[../shared, ~/data]", "$texts", value_texts, AT(sandbox.read))
KEY("sandbox.write", WHO_TRUSTED, false,
		"further paths that boxes of the work profile may write; no repositories",
		"[~/scratch]", "$texts", value_texts, AT(sandbox.write))
KEY("sandbox.ptrace", WHO_TRUSTED, false,
		"let programs in boxes of the work profile trace each other (gdb, strace, leak "
		"detectors); opens a large part of the kernel", "true", "$bool", value_bool,
		AT(sandbox.ptrace))
KEY("sandbox.sockets", WHO_OWNER, false,
		"your own sockets in boxes of the work profile, with all your rights there: "
		"ssh-agent, gpg-agent, docker (root)", "[ssh-agent]", "$sockets", parse_sockets,
		AT(sandbox.sockets))
KEY("sandbox.caches.project", WHO_OWNER, false,
		"size limit of the caches written by boxes of one project; 0: no limit", "10G",
		"$size", parse_audit_quota, AT(sandbox.caches_project))
KEY("sandbox.caches.total", WHO_OWNER, false,
		"size limit of the caches of all projects; the least recently used go first; 0: no "
		"limit", "40G", "$size", parse_audit_quota, AT(sandbox.caches_total))
KEY("sandbox.env.pass", WHO_OWNER, false,
		"variables of the caller to pass into the box; a full name passes even a credential",
		"[MY_SETTING, 'MYTOOL_*']", "$texts", value_texts, AT(sandbox.env_pass))
KEY("sandbox.env.scrub", WHO_ANYONE, false,
		"variables of the caller that never pass into the box", "['INTERNAL_*']", "$texts",
		value_texts, AT(sandbox.env_scrub))
KEY("sandbox.limits.cpus", WHO_ANYONE, false,
		"CPUs of a box; in the system's and a project's file the maximum", "2", "$number",
		parse_cpus, AT(sandbox.limits[LIMIT_CPUS]))
KEY("sandbox.limits.memory", WHO_ANYONE, false,
		"memory of a box; a plain number is megabytes", "1G", "$size", parse_memory,
		AT(sandbox.limits[LIMIT_MEMORY]))
KEY("sandbox.limits.timeout", WHO_ANYONE, false,
		"time limit of a run; a plain number is seconds", "30", "$duration", parse_time,
		AT(sandbox.limits[LIMIT_TIME]))
KEY("sandbox.limits.pids", WHO_ANYONE, false,
		"processes and threads in a box", "256", "$number", parse_pids,
		AT(sandbox.limits[LIMIT_PIDS]))
KEY("sandbox.limits.scratch", WHO_ANYONE, false,
		"size of the files in a box's own /tmp and home", "128M", "$size", parse_scratch,
		AT(sandbox.limits[LIMIT_SCRATCH]))
KEY("sandbox.limits.output", WHO_ANYONE, false,
		"bytes of each output stream", "64M", "$size", parse_output,
		AT(sandbox.limits[LIMIT_OUTPUT]))
KEY("sandbox.limits.cpu_time", WHO_ANYONE, false,
		"CPU time of a run", "60", "$duration", parse_cpu_time,
		AT(sandbox.limits[LIMIT_CPU_TIME]))
KEY("sandbox.limits.io", WHO_ANYONE, false,
		"bytes a second read from and written to each disk", "20M", "$size", parse_io,
		AT(sandbox.limits[LIMIT_IO]))
KEY("audit.required", WHO_OWNER, false,
		"refuse what cannot be recorded; other files can only be stricter than the system's",
		"true", "$bool", parse_audit_required, 0)
KEY("audit.sync", WHO_OWNER, false,
		"rows to sync to disk: always, begin (before a program starts) or none", "begin",
		"always|begin|none", parse_audit_sync, 0)
KEY("audit.retention_days", WHO_OWNER, false,
		"days of the record to keep; at least 90", "90", "$days", parse_audit_retention, 0)
KEY("audit.quota", WHO_OWNER, false,
		"warn if the record with its outputs is larger than this; 0: never", "4G", "$size",
		parse_audit_quota, AT(audit.quota))
KEY("audit.outputs", WHO_OWNER, false,
		"bytes of each output stream to keep in the record (both ends of a longer one); 0: "
		"none", "16M", "$size", parse_audit_outputs, AT(audit.outputs))
KEY("meta.title", WHO_ANYONE, false,
		"title of the file; for readers only", "Our rules", "$prose", value_nothing, 0)
KEY("meta.description", WHO_ANYONE, false,
		"description of the file; for readers only", "Team policy", "$prose", value_nothing, 0)
