#!/bin/sh
# Starts the test programs of go test (GOFLAGS=-exec=…) and cargo test (CARGO_TARGET_…_RUNNER) in the box of a
# declared test run, and writes events about their tests to a pipe that leads out of the box:
#
#   go     the program is told to be verbose; what it was not asked for is taken out of its output again
#   cargo  the program writes a log of its tests, which is compared with the list of them
#
# After a package of go passed, the canary of docs/validators.md: the same package with one more test that must
# fail, by -overlay, so that the project has no such file. Other programs (go run) start as they are.
REPORTS=/caisson/reports
SECONDS_MAX=20
PACKAGES_MAX=4 # canaries of one call

tell() { # FIELDS...
	[ ! -p "$REPORTS/canary" ] || printf '{"runner":"go",%s}\n' "$1" >"$REPORTS/canary"
}

# ---- go ----

# Reads verbose output: events to the pipe, the rest to standard output. Logs of a test follow its failure.
go_events='
function event(action, test) {
	gsub(/[\\"]/, "\\\\&", test)
	printf "{\"Action\":\"%s\",\"Package\":\"%s\",\"Test\":\"%s\"}\n", action, package, test > report
	fflush(report)
}
function show(line) { print line; fflush() }
{
	text = $0
	if (match($0, /=== (RUN|PAUSE|CONT|NAME) +[^ ]+$/)) {
		text = substr($0, 1, RSTART - 1)
		split(substr($0, RSTART), words, / +/)
		test = words[3]
		if (words[2] == "RUN")
			event("run", test)
	} else if (match($0, /--- (PASS|FAIL|SKIP): [^ ]+ \([0-9.]+s\)$/)) {
		text = substr($0, 1, RSTART - 1)
		split(substr($0, RSTART), words, / +/)
		event(tolower(substr(words[2], 1, 4)), words[3])
		if (words[2] == "FAIL:" && !verbose) {
			show($0)
			printf "%s", logs[words[3]]
		}
		delete logs[words[3]]
		if (text ~ /^ *$/)
			text = ""
	} else if (!verbose && test != "" && (/^    +[^ ]+\.go:[0-9]+: / || (logging && /^        /))) {
		logs[test] = logs[test] $0 "\n"
		logging = 1
		next
	}
	logging = 0
	if (verbose || text == $0)
		show($0)
	else if (text != "")
		show(text)
}
END {
	for (t in logs)
		printf "%s", logs[t]
}'

go_test() { # PROGRAM ARGUMENTS...
	program=$1
	shift
	case " $* " in
	*" -test.v=test2json"* | *" -test.list="* | *" -test.fuzz="* | *" -test.bench="*) exec "$program" "$@" ;;
	*" -test.v=true "*) verbose=1 ;;
	*) verbose=0 ;;
	esac
	package=$(printf %s "$PWD" | tr '"\\\n' '___')
	tell '"state":"started"'
	exec 4>&1
	code=$({
		{
			"$program" -test.v=true "$@" 3>&- 4>&-
			echo $? >&3
		} | awk -v report="$REPORTS/go.json" -v package="$package" -v verbose="$verbose" "$go_events" >&4
	} 3>&1)
	if [ "$code" = 0 ]; then
		printf '{"Action":"pass","Package":"%s"}\n' "$package" >"$REPORTS/go.json"
		go_canary "${program%/*/*}"
	else
		printf '{"Action":"fail","Package":"%s"}\n' "$package" >"$REPORTS/go.json"
		tell '"state":"skipped","why":"the tests did not pass"'
	fi
	exit "$code"
}

# True for the first package of a call, and for some of those that can change how tests end. WORK: go removes it.
go_chosen() {
	mkdir "$1/caisson" 2>/dev/null && return
	grep -qE 'func (TestMain|init)\(|\.Exit\(' ./*_test.go 2>/dev/null || return
	i=1
	while [ $i -lt $PACKAGES_MAX ]; do
		mkdir "$1/caisson.$i" 2>/dev/null && return
		i=$((i + 1))
	done
	return 1
}

# Flags of the call that choose what is built.
go_flags() {
	tr '\0' '\n' <"/proc/$PPID/cmdline" | sed -n '/^--*\(tags\|mod\|modfile\|ldflags\|gcflags\)$/{N;s/\n/=/;p;};/^--*\(tags\|mod\|modfile\|ldflags\|gcflags\)=/p;/^--*\(race\|msan\|asan\|trimpath\)$/p'
}

go_canary() { # WORK
	[ -p "$REPORTS/canary" ] || return
	if ! go_chosen "$1"; then
		tell '"state":"skipped","why":"other packages have it"'
		return
	fi
	clause=$(sed -n 's/^package  *\([A-Za-z0-9_]*\).*/package \1/p' ./*_test.go | head -n 1)
	name=TestC$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
	dir=$(mktemp -d)
	printf '%s\n\nimport "testing"\n\nfunc %s(t *testing.T) { t.Error("must fail") }\n' "$clause" "$name" >"$dir/c.go"
	printf '{"Replace": {"%s/z%s_test.go": "%s/c.go"}}\n' "$PWD" "$name" "$dir" >"$dir/overlay"
	set -f
	IFS='
'
	# shellcheck disable=SC2046
	GOFLAGS=$(printf %s "$GOFLAGS" | sed 's,-exec=[^ ]*,,') timeout $SECONDS_MAX go test -overlay="$dir/overlay" \
		-run "^$name\$" -count=1 -vet=off $(go_flags) . >"$dir/out" 2>&1 </dev/null
	status=$?
	if [ $status = 0 ]; then
		tell '"state":"done","exit":0,"passed":1,"failed":0,"skipped":0'
	elif grep -q -- "^--- FAIL: $name " "$dir/out"; then
		tell "\"state\":\"done\",\"exit\":$status,\"passed\":0,\"failed\":1,\"skipped\":0"
	else
		tell '"state":"skipped","why":"it could not be run"'
	fi
	rm -rf "$dir"
}

# ---- cargo ----

# Reads the list of tests, then the log: a suite of libtest --format json. Lines are "a::b: test" and "ok a::b".
cargo_events='
function event(type, name, how, more) {
	gsub(/[\\"]/, "\\\\&", name)
	printf "{ \"type\": \"%s\", %s\"event\": \"%s\"%s }\n", type, name == "" ? "" : "\"name\": \"" name "\", ", how, more
}
FILENAME == ARGV[1] && /: test$/ { listed[substr($0, 1, length($0) - 6)] = 1; planned++ }
FILENAME == ARGV[2] && /^(ok|failed|ignored) / { how = $1; sub(/^[a-z]+ /, ""); result[$0] = how; n[how]++ }
END {
	event("suite", "", "started", ", \"test_count\": " planned + 0)
	for (t in listed)
		event("test", t, "started", "")
	for (t in result)
		event("test", t, result[t], "")
	event("suite", "", code == 0 ? "ok" : "failed", sprintf(", \"passed\": %d, \"failed\": %d, \"ignored\": %d, \"measured\": 0",
		n["ok"], n["failed"], n["ignored"]))
}'

cargo_test() { # PROGRAM ARGUMENTS...
	case " $* " in
	*" --list "* | *" --bench "* | *" --logfile"* | *" --help "*) exec "$@" ;;
	esac
	grep -q 'Write logs to the specified file' "$1" || exec "$@" # a harness of its own
	dir=$(mktemp -d)
	"$@" --list --format terse >"$dir/list" 2>/dev/null </dev/null
	exec 4>&1
	code=$({
		{
			"$@" --logfile "$dir/log" 2>&1 >&4 3>&- 4>&-
			echo $? >&3
		} | sed -u '/^warning: `--logfile` is deprecated$/d' >&2
	} 3>&1)
	[ -e "$dir/log" ] && awk -v code="$code" "$cargo_events" "$dir/list" "$dir/log" >"$REPORTS/cargo.json"
	rm -rf "$dir"
	exit "$code"
}

case $1 in
*/go-build*.test) [ -p "$REPORTS/go.json" ] && go_test "$@" ;;
*/deps/*) [ -p "$REPORTS/cargo.json" ] && cargo_test "$@" ;;
esac
exec "$@"
