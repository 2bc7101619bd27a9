#!/bin/bash
# caisson selftest: the shipped sets against the built-in policy and others, of which nothing is ever run; and
# the box, as root and as an ordinary user. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(show err)
umask 022 # what is made here is for an ordinary user as well

before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

# A home of its own: the policy of whoever runs the tests is not what is tested.
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/state
unset XDG_STATE_HOME NO_COLOR COLUMNS
mkdir -p "$HOME" "$tmp/project"
cd "$tmp/project" || exit 1
touch canary

# ---- the built-in policy ----
"$CAISSON" selftest --gate --json >"$tmp/out" 2>"$tmp/err"
jq -r '.attempts.classes[].missed[].command, (.ordinary.classes[].interrupted[] | .id + ": " + .command)' \
	"$tmp/out" >"$tmp/show" 2>&1
jq -e '.attempts.missed == 0' "$tmp/out" >/dev/null
result $? 'the built-in policy misses no attempt'
jq -e '.ordinary.interrupted * 100 <= .ordinary.total' "$tmp/out" >/dev/null
result $? 'and interrupts at most one ordinary command of a hundred'
json '.attempts.total >= 250 and (.attempts.classes | length) >= 20'
json '.ordinary.total >= 250 and (.ordinary.classes | length) >= 12'
json '.attempts | .denied + .asked + .contained + .missed == .total and .allowed == .missed'
json '[.attempts.classes[].total] | add == 0 | not'
json '([.attempts.classes[].total] | add) == .attempts.total and ([.ordinary.classes[].denied] | add) == .ordinary.denied'
json '(.policy | startswith("sha256:")) and (.project | endswith("/project"))'
json '[.attempts.classes[], .ordinary.classes[]] | all(.total >= 15 and (.title | length) > 0 and (.title | length) <= 44)'
[[ $(ls -A "$tmp/project") == canary ]]
result $? 'nothing was made or deleted'

# Each command stands once, and in one set only.
cat "$here"/selftest/*.txt | grep -v '^\(#\|\[[a-z]\|$\)' | sort | uniq -d >"$tmp/show"
[[ ! -s $tmp/show ]]
result $? 'no command is there twice'
: >"$tmp/show"

# A sample of what it says is what check says.
while IFS= read -r command; do
	"$CAISSON" check "$command" >/dev/null 2>&1
	(($? == 2))
	result $? "check agrees: $command"
done <<'END'
rm -rf ~/Documents ~/Pictures
mkfs.ext4 /dev/sda1
shutdown -h now
END

# ---- for people ----
run "$(jq '.attempts.missed > 0 | if . then 1 else 0 end' "$tmp/out")" 'for people' selftest --gate
out '^Attempts: what must be stopped'
out '^  erase  *deleting outside the project  *[0-9]'
out '^[0-9]* of [0-9]* attempts caught, [0-9]* missed; [0-9]* of [0-9]* ordinary commands interrupted'
! grep -q $'\033' "$tmp/out"
result $? 'no colours in a file'
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$CAISSON' selftest --gate" /dev/null </dev/null >"$tmp/out" 2>&1
	grep -q $'\033\[1m' "$tmp/out"
	result $? 'colours at a terminal'
	NO_COLOR=1 TERM=xterm script -qec "'$CAISSON' selftest --gate" /dev/null </dev/null >"$tmp/out" 2>&1
	grep -q 'attempts caught' "$tmp/out" && ! grep -q $'\033' "$tmp/out"
	result $? 'unless NO_COLOR says no'
else
	n=$((n + 1))
	echo "ok $n - colours at a terminal # SKIP there is no script(1)"
fi

# ---- other policies ----
cat >"$tmp/loose.yaml" <<'END'
checks_grade: {git-destructive: off, git-rewrite: off, remote-change: off}
classifier: {command: [touch, "$tmp/called"]}
END
sed -i "s#\$tmp#$tmp#" "$tmp/loose.yaml"
run 1 'a loose policy misses some' selftest --gate --config "$tmp/loose.yaml"
out '^Missed, these would run:'
out '^  allow git reset --hard$'
[[ ! -e $tmp/called ]]
result $? 'the classifier of the policy is not started'
run 1 'the same for machines' selftest --gate --json --config "$tmp/loose.yaml"
json '.attempts.classes[] | select(.class == "git") | .missed | map(.command) | index("git reset --hard") != null'
json '[.attempts.classes[].missed[]] | length == 0 | not'
printf 'tools: {bash: {ask: [git]}}\n' >"$tmp/strict.yaml"
"$CAISSON" selftest --gate --json --config "$tmp/strict.yaml" >"$tmp/out" 2>"$tmp/err"
json '.ordinary.classes[] | select(.class == "git") | .asked == .total and (.interrupted[0].id == "configured-ask")'
mkdir -p "$XDG_CONFIG_HOME/caisson"
cp "$tmp/strict.yaml" "$XDG_CONFIG_HOME/caisson/config.yaml"
"$CAISSON" selftest --gate --json >"$tmp/out" 2>"$tmp/err"
json '.ordinary.classes[] | select(.class == "git") | .asked == .total'
rm "$XDG_CONFIG_HOME/caisson/config.yaml"
"$CAISSON" selftest --gate --json --cwd / >"$tmp/out" 2>"$tmp/err"
json '.project == null'
"$CAISSON" selftest --gate --json --cwd /no/such/place >"$tmp/out" 2>"$tmp/err"
json '.ordinary.interrupted * 100 <= .ordinary.total'

# ---- the box ----
# box WHO WHAT COMMAND...: its attempts, all held; what is not tried is said aloud, and may only be what needs
# a tool.
chmod 755 "$tmp" # an ordinary user's run starts here
mkdir -p "$tmp/temp"
chmod 1777 "$tmp/temp"
box() {
	local who=$1 untried
	shift
	TMPDIR=$tmp/temp "$@" selftest --box --json >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	jq -c '.box.attempts[] | select(.end != "held")' "$tmp/out" >"$tmp/show" 2>&1
	[[ $rc == 0 ]] &&
		jq -e '.box | .broken == 0 and .held >= 20 and .held + .untried == (.attempts | length)' \
		"$tmp/out" >/dev/null
	result $? "the box, $who: everything held (status $rc)"
	untried=$(jq -r '[.box.attempts[] | select(.end == "untried") | "\(.name): \(.why)"] | join("; ")' \
		"$tmp/out")
	if [[ -n $untried ]]; then
		n=$((n + 1))
		echo "ok $n - the box, $who: all were tried # SKIP $untried"
	fi
	jq -e '[.box.attempts[] | select(.end == "untried") | .why | test("^there is no ")] | all' \
		"$tmp/out" >/dev/null
	result $? "the box, $who: nothing else was left out"
	json '[.box.attempts[] | select(.name == "work" or .name == "memory" or .name == "busy" or .name == "forks" or .name == "network" or .name == "survive") | .end == "held"] == [true, true, true, true, true, true]'
	json '.box.attempts[] | select(.name == "busy") | .status == "timeout" and .over_ms >= 0 and .over_ms < 1000 and .by == "timer"'
	json '.box.attempts[] | select(.name == "memory-many") | .status == "oom" and (.by | IN("cgroup1", "cgroup2", "watched"))'
	json '.box.attempts[] | select(.name == "flood") | .status == "output_limit"'
	json '.box.attempts[] | select(.name == "memory-files") | .status == "exit_nonzero" and .by == "tmpfs"'
	[[ -z $(ls -A "$tmp/temp") ]]
	result $? "the box, $who: nothing is left in the temporary directory"
	: >"$tmp/show"
}
box "$(id -un)" "$CAISSON"
if [[ $(id -u) == 0 ]]; then
	cp "$CAISSON" "$tmp/caisson"
	chmod 755 "$tmp/caisson"
	mkdir -p "$tmp/user"
	chown 61234:61234 "$tmp/user"
	box 'an ordinary user' setpriv --reuid 61234 --regid 61234 --clear-groups env HOME="$tmp/user" \
		CAISSON_STATE="$tmp/user/state" "$tmp/caisson"
else
	n=$((n + 1))
	echo "ok $n - the box, an ordinary user # SKIP the tests run as one already"
fi
[[ $(ls -A "$tmp/project") == canary ]]
result $? 'nothing was made here'
printf 'sandbox: {env: {pass: [GITHUB_TOKEN]}}\n' >"$tmp/leak.yaml"
run 1 'a policy that lets a credential in is found out' selftest --box --json --config "$tmp/leak.yaml"
json '[.box.attempts[] | select(.end == "broken") | .name] == ["environment"]'
run 1 'and shown' selftest --box --config "$tmp/leak.yaml"
out 'BROKEN: it read the canary'
if unshare -Ur true 2>/dev/null; then
	# shellcheck disable=SC2016
	run_without() { unshare -Ur sh -c \
		'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" selftest --box' "$CAISSON" \
		>"$tmp/out" 2>"$tmp/err"; }
	run_without
	[[ $? == 70 && ! -s $tmp/out ]] && grep -q 'no box can be made' "$tmp/err"
	result $? 'without boxes it says so, and passes nothing'
fi

# ---- both ----
run 0 'without options both are tested' selftest
out '^[0-9]* of [0-9]* attempts caught'
out '^The box: attempts to break out of it'
out '^  busy  *an endless loop, 500 ms allowed  *timer  *timeout +[0-9]* ms$'
out '^[0-9]* of [0-9]* held, 0 broken'
sed -n '/^The box/,$p' "$tmp/out" | awk 'length($0) > 80 { exit 1 }'
result $? 'in 80 columns'

# ---- wrong uses ----
run 64 'an operand' selftest --gate x
run 64 'an unknown option' selftest --gates
run 0 'help' selftest --help
printf 'dney: x\n' >"$tmp/bad.yaml"
run 70 'a policy that does not load' selftest --gate --config "$tmp/bad.yaml"
grep -q 'bad.yaml:1:1' "$tmp/err" && [[ ! -s $tmp/out ]]
result $? 'and says where'
"$CAISSON" help --man selftest | cmp -s - "$here/man/caisson-selftest.1"
result $? 'man/caisson-selftest.1 is what the tables say'
echo "1..$n"
