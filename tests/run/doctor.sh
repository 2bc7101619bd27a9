#!/bin/bash
# caisson doctor: rows, exit codes, and that what it says is true: hosts that lack something are made with
# namespaces of their own. TAP.
# shellcheck disable=SC2016 # commands are data
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
ORDINARY=61234 # a user that no host has
chmod 755 "$tmp"

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
json() { jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "$2"; }

export HOME=$tmp/home CAISSON_STATE=$tmp/state XDG_CONFIG_HOME=$tmp/home/.config
unset XDG_STATE_HOME NO_COLOR COLUMNS
mkdir -p "$HOME" "$tmp/project" "$tmp/user"
cp "$CAISSON" "$tmp/caisson"
chmod 755 "$tmp/caisson"
cd "$tmp/project" || exit 1

mounts=$(wc -l </proc/self/mountinfo)

# ---- whoever runs this ----
"$CAISSON" doctor --json >"$tmp/out" 2>"$tmp/err"
rc=$?
json '.v == 1 and (.rows | length) >= 15' 'the rows as JSON'
json '[.rows[] | (.state | IN("yes", "partly", "no")) and (.weight | IN("needed", "wall", "extra")) and (.by | length > 0) and (.title | length <= 19)] | all' 'each has a state, a weight and what enforces it'
json '[.rows[].id] | length == (unique | length)' 'each once'
json '[.rows[].id] | contains(["user-namespaces", "namespaces", "mounts", "proc", "seccomp", "landlock", "memory", "pids", "cpu", "swap", "cores", "state", "policy", "box"])' 'all that matters is there'
want=$(jq -r 'if .box == "all" then 0 elif .box == "fallbacks" then 1 else 2 end' "$tmp/out")
[[ $rc == "$want" ]]
result $? "the exit status is what it says (status $rc)"
jq -e '(.box == "all") == ([.rows[] | select(.weight != "extra") | .state == "yes"] | all)' "$tmp/out" \
	>/dev/null
result $? 'and follows from the rows'
"$CAISSON" doctor >"$tmp/out" 2>"$tmp/err"
[[ $? == "$rc" ]] && grep -q '^  user namespaces  *\(yes\|no\)' "$tmp/out" && [[ ! -s $tmp/err ]]
result $? 'the same for people'
grep -v '^    ' "$tmp/out" | awk 'length($0) > 80 && NF > 2 { exit 1 }'
result $? 'in 80 columns'
! grep -q $'\033' "$tmp/out"
result $? 'no colours in a file'
if command -v script >/dev/null; then
	TERM=xterm script -qec "'$CAISSON' doctor" /dev/null </dev/null >"$tmp/out" 2>&1
	grep -q $'\033\[3[123]m' "$tmp/out"
	result $? 'colours at a terminal'
else
	skip 'colours at a terminal' 'there is no script(1)'
fi
[[ $(wc -l </proc/self/mountinfo) == "$mounts" && -z $(ls -A "$tmp/project") && ! -e $tmp/state ]]
result $? 'nothing is left: no mounts, no files'

# ---- an ordinary user ----
as_user() { setpriv --reuid $ORDINARY --regid $ORDINARY --clear-groups env HOME="$tmp/user" \
	CAISSON_STATE="$tmp/user/state" "$@"; }
if [[ $(id -u) == 0 ]]; then
	chown $ORDINARY:$ORDINARY "$tmp/user"
	as_user "$tmp/caisson" doctor --json >"$tmp/out" 2>"$tmp/err"
	rc=$?
	json '.rows[] | select(.id == "box") | .state == "yes"' 'an ordinary user: a box runs'
	json '.rows[] | select(.id == "idmap") | .state == "yes"' 'an ordinary user: needs no mapped owners'
	jq -e '.rows[] | select(.id == "memory") | .state == "yes" or (.state == "partly" and (.todo | length) > 0)' "$tmp/out" >/dev/null
	result $? "an ordinary user: memory is limited by a group, or doctor says how (status $rc)"
	as_user "$tmp/caisson" doctor --json >"$tmp/out" 2>"$tmp/err"
	json '(.rows[] | select(.id == "memory") | .state == "partly") == (.box == "fallbacks")' \
		'an ordinary user: watching memory is a fallback'
else
	skip 'an ordinary user' 'the tests run as one already'
fi

# ---- hosts that lack something ----
if unshare -Ur true 2>/dev/null; then
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" doctor --json' \
		"$tmp/caisson" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[[ $rc == 2 ]] && jq -e '.box == "none"' "$tmp/out" >/dev/null
	result $? "no user namespaces: no box (status $rc)"
	json '.rows[] | select(.id == "user-namespaces") | .state == "no" and (.by | test("max_user_namespaces")) and (.todo | join("\n") | test("sysctl"))' 'and says which setting, and how to change it'
	json '.rows[] | select(.id == "mounts") | .state == "no" and (.by | test("needs user namespaces"))' \
		'what depends on them is not tried'
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_net_namespaces && exec "$0" doctor --json' \
		"$tmp/caisson" >"$tmp/out" 2>"$tmp/err"
	[[ $? == 2 ]] &&
		jq -e '.rows[] | select(.id == "namespaces") | .state == "no" and (.by | test("net"))' \
		"$tmp/out" >/dev/null
	result $? 'one kind of namespace missing: named'
	if (($(grep -c ' - proc ' /proc/self/mountinfo) > 1)); then
		skip 'a /proc with parts hidden' \
			'another /proc is mounted on this host, and the kernel is content with that one'
	else
		unshare -Urm --propagation private sh -c \
			'mount -t tmpfs none /proc/sys && exec "$0" doctor --json' "$tmp/caisson" \
			>"$tmp/out" 2>"$tmp/err"
		[[ $? == 2 ]] &&
			jq -e '.rows[] | select(.id == "proc") | .state == "no" and (.by | test("hidden"))' \
			"$tmp/out" >/dev/null
		result $? 'a /proc with parts hidden, as containers have it: named'
	fi
else
	skip 'hosts that lack something' 'no user namespaces here to make them with'
fi

# ---- caisson's own files ----
printf 'dney: x\n' >"$tmp/bad.yaml"
"$CAISSON" doctor --json --config "$tmp/bad.yaml" >"$tmp/out" 2>"$tmp/err"
rc=$?
json '.rows[] | select(.id == "policy") | .state == "no" and (.by | test("bad.yaml:1:1"))' \
	'a policy that does not load is found'
((rc >= 1))
result $? "and is not everything on (status $rc)"
json '.rows[] | select(.id == "box") | .state == "yes"' 'while boxes can still be made'
mkdir -p .git
CAISSON_STATE=$tmp/project/state "$CAISSON" doctor --json >"$tmp/out" 2>"$tmp/err"
json '.rows[] | select(.id == "state") | .state == "no"' 'state inside the project is refused'
[[ ! -e $tmp/project/state ]]
result $? 'and not made'

# ---- wrong uses ----
for args in '--frob' 'x' '--config'; do
	# shellcheck disable=SC2086
	"$CAISSON" doctor $args >"$tmp/out" 2>"$tmp/err"
	[[ $? == 64 && $(wc -l <"$tmp/err") == 1 && ! -s $tmp/out ]]
	result $? "doctor $args is a wrong use"
done
"$CAISSON" help --man doctor | cmp -s - "$here/man/caisson-doctor.1"
result $? 'man/caisson-doctor.1 is what the tables say'
echo "1..$n"
