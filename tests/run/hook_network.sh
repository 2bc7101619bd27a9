#!/bin/bash
# The network in a client's session: remotes that were there when it began, registries of installs, hosts that
# a person lists. Real git. TAP.
apart=1
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export HOME=$tmp/home CAISSON_STATE=$tmp/state
unset XDG_CONFIG_HOME XDG_STATE_HOME
P=$HOME/p
mkdir -p "$HOME/.config/caisson" "$P"
git init -q -b main "$P"
git -C "$P" remote add origin https://github.com/example/app.git
git -C "$P" remote add upstream git@github.com:upstream/app.git
git -C "$P" remote add local /srv/app.git

# decision SESSION COMMAND: what the hook answers
decision() {
	jq -nc --arg s "$1" --arg d "${DIR:-$P}" --arg c "$2" \
		'{session_id: $s, cwd: $d, hook_event_name: "PreToolUse", tool_name: "Bash",
		permission_mode: "default", tool_use_id: "t", tool_input: {command: $c}}' |
		"$CAISSON" hook --client claude-code >"$tmp/out" 2>"$tmp/err"
	local rc=$?
	if [[ -s $tmp/out ]]; then jq -r \
		'.hookSpecificOutput.permissionDecision + (if .hookSpecificOutput.updatedInput then " boxed" else "" end)' "$tmp/out"; elif [[ $rc == 0 && ! -s $tmp/err ]]; then echo quiet; else echo failed; fi
}
decides() { # DECISION SESSION COMMAND
	[[ $(decision "$2" "$3") == "$1" ]]
	result $? "$1: $3 ($2)"
}

# ---- remotes ----
decides quiet s1 'git status'
decides quiet s1 'git fetch origin'
decides quiet s1 'git fetch upstream main'
decides ask s1 'git fetch local'
decides ask s1 'git fetch --all' # one remote is a path
git -C "$P" remote remove local
decides quiet s1 'git fetch --all'
decides quiet s1 'git pull'
git -C "$P" remote add evil https://example.net/x.git
decides ask s1 'git fetch evil'
decides ask s1 'git fetch --all'
decides ask s1 'git fetch'
decides quiet s1 'git fetch origin'
decides quiet s2 'git fetch evil' # a new session takes it as it is now
git -C "$P" remote remove evil
git -C "$P" remote set-url origin https://example.net/app.git
decides ask s1 'git fetch origin'
decides ask s1 'git pull'
git -C "$P" remote set-url origin https://github.com/example/app.git
decides quiet s1 'git fetch origin'
git -C "$P" remote set-url --add origin https://example.net/app.git
decides ask s1 'git fetch origin'
git -C "$P" remote set-url --delete origin https://example.net/app.git
for setting in 'url.https://example.net/.insteadOf https://github.com/' 'core.sshCommand ./x' \
	'core.gitProxy ./x' 'credential.helper ./x' 'http.proxy http://example.net' \
	'remote.origin.proxy http://example.net' 'remote.origin.vcs x' \
	'branch.main.remote https://example.net/x'; do
	git -C "$P" config ${setting%% *} "${setting#* }"
	decides ask s1 'git fetch origin'
	git -C "$P" config --unset ${setting%% *}
done
# settings that take part in a request: what is sent, to whom, and what is overwritten
for setting in 'fetch.bundleURI https://example.net/x' 'remotes.default https://example.net/x' \
	'http.extraHeader X:c2VjcmV0' 'http.userAgent c2VjcmV0' \
	'http.sslVerify false' 'http.https://github.com/.sslCAInfo x' 'remote.origin.serverOption c2VjcmV0' \
	'branch.main.merge refs/heads/c2VjcmV0' \
	'branch.main.merge c2VjcmV0' 'remote.origin.promisor maybe' \
	'extensions.partialClone https://example.net/x' 'remote.https://example.net/x.promisor true' \
	'lfs.url https://example.net/x' \
	'pull.rebase interactive' 'unknown.section x' 'remote.origin.fetch +refs/heads/c2VjcmV0:refs/x'; do
	case $setting in
	remote.origin.fetch*) git -C "$P" config --replace-all remote.origin.fetch "${setting#* }" ;;
	*) git -C "$P" config ${setting%% *} "${setting#* }" ;;
	esac
	if [[ $setting == remote.origin.promisor* ]]; then
		decides quiet s1 'git fetch origin' # from a remote that was there
		git -C "$P" remote add evil https://example.net/x.git
		decides ask s1 'git fetch origin' # a missing object may come from the other
		git -C "$P" remote remove evil
	else
		decides ask s1 'git fetch origin'
	fi
	git -C "$P" config --unset ${setting%% *}
done
decides ask s1 'git remote set-branches origin c2VjcmV0; git fetch origin'
for spec in '+refs/heads/c2VjcmV0:refs/remotes/origin/c2VjcmV0' '+refs/heads/*:refs/heads/*' \
	'+refs/*:refs/*' 'refs/heads/main'; do
	git -C "$P" config remote.origin.fetch "$spec"
	decides ask s1 'git fetch origin'
done
mkdir -p "$P/.git/refs/remotes/origin/" && git init -q "$tmp/e" &&
	git -C "$tmp/e" -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x
git -C "$tmp/e" rev-parse HEAD >"$P/.git/refs/remotes/origin/dev"
for spec in '+refs/heads/dev:refs/remotes/origin/dev' '+refs/pull/*/head:refs/remotes/origin/pr/*' \
	'+refs/heads/*:refs/remotes/origin/*'; do
	git -C "$P" config remote.origin.fetch "$spec"
	decides quiet s1 'git fetch origin'
done
git -C "$P" config branch.main.merge refs/heads/dev
decides quiet s1 'git fetch origin' # the remote has it
rm "$P/.git/refs/remotes/origin/dev"
decides ask s1 'git fetch origin'
git -C "$P" symbolic-ref refs/remotes/origin/dev refs/heads/main
decides ask s1 'git fetch origin' # made by hand
rm "$P/.git/refs/remotes/origin/dev"
printf '%s refs/remotes/origin/dev\n' "$(git -C "$tmp/e" rev-parse HEAD)" >"$P/.git/packed-refs"
decides quiet s1 'git fetch origin'
rm "$P/.git/packed-refs"
git -C "$P" config branch.main.merge refs/heads/main
for setting in 'user.name x' 'core.autocrlf input' 'pull.rebase true' 'branch.main.remote origin' \
	'branch.main.vscode-merge-base origin/main' 'remote.origin.gh-resolved base' \
	'http.postBuffer 524288000' 'protocol.version 2' 'lfs.repositoryformatversion 0' 'fetch.prune true' \
	'alias.st status'; do
	git -C "$P" config ${setting%% *} "${setting#* }"
	decides quiet s1 'git pull'
	git -C "$P" config --unset ${setting%% *}
done
mkdir -p "$P/.git/branches" && echo https://example.net/x >"$P/.git/branches/evil"
decides ask s1 'git fetch --all'
decides ask s1 'git fetch evil'
rm "$P/.git/branches/evil"
git -C "$P" config --global url.https://mirror.example.org/.insteadOf https://github.com/
decides quiet s1 'git fetch origin' # the person's own settings
rm "$HOME/.gitconfig"
printf '#!/bin/sh\necho hook\n' >"$P/.git/hooks/post-merge" && chmod 755 "$P/.git/hooks/post-merge"
[[ $(decision s1 'git pull') == deny* || $(decision s1 'git pull') == ask* ]]
result $? 'a pull that runs a hook is asked about'
rm "$P/.git/hooks/post-merge"
printf '#!/bin/sh\necho hook\n' >"$P/.git/hooks/pre-rebase" && chmod 755 "$P/.git/hooks/pre-rebase"
[[ $(decision s1 'git pull --rebase') == @(deny|ask)* ]]
result $? 'a pull that rebases runs pre-rebase'
git -C "$P" config pull.rebase true
[[ $(decision s1 'git pull') == @(deny|ask)* ]]
result $? 'also by a setting'
git -C "$P" config --unset pull.rebase
rm "$P/.git/hooks/pre-rebase"
git init -q "$P/sub" && git -C "$P/sub" remote add origin https://example.net/sub.git
DIR=$P/sub decides ask s1 'git fetch'
rm -rf "$P/sub"

git -C "$P" config submodule.x.url https://github.com/example/x.git
decides ask s1 'git fetch origin' # the remote of a submodule may be another
decides quiet s1 'git fetch --no-recurse-submodules origin'
git -C "$P" config --remove-section submodule.x
git -C "$P" remote set-url upstream https://git.example.org/app.git
decides quiet s3 'git fetch upstream'
decides ask s3 'git fetch upstream c2VjcmV0' # its server would read the name
decides quiet s3 'git fetch origin main'

# ---- what is recorded can be judged again ----
for c in 'git fetch origin' 'gh pr list' 'npm ci'; do decision s1 "$c" >/dev/null; done
for id in $(jq -r 'select(.kind == "verdict") | .id' "$CAISSON_STATE"/audit/*.jsonl | tail -3); do
	"$CAISSON" replay "$id" >"$tmp/out" 2>"$tmp/err"
	result $? 'a row is replayed with the same verdict'
done

# ---- installs and hosts ----
decides 'allow boxed' s1 'npm ci'
grep -q 'the package registries of npm only' "$tmp/out"
result $? 'the answer says what the box reaches'
jq -e '.network == ["preset:registries/npm"]' "$CAISSON_STATE"/tickets/* 2>/dev/null | grep -q true
result $? 'and so does the ticket'
"$CAISSON" check --explain --cwd "$P" 'npm ci' 2>&1 | grep -q 'preset:registries/npm'
result $? 'and --explain'
decides 'ask boxed' s1 'curl https://api.example.org/x'
grep -q 'with api.example.org only' "$tmp/out" && grep -q 'caisson allow --host api.example.org' "$tmp/out"
result $? 'a question about a host offers the host, and a yes opens no other'
cd "$P" || exit 1
timeout 30 /usr/bin/python3 "$here/tests/terminal.py" yes "$CAISSON" allow --host api.example.org \
	>"$tmp/out" 2>"$tmp/err" </dev/null
grep -q '^      - api.example.org$' "$HOME/.config/caisson/config.yaml"
result $? 'caisson allow --host writes it into the policy'
decides quiet s1 'curl https://api.example.org/x'
decides 'ask boxed' s1 'curl https://other.example.org/x'
decides ask s1 'curl -d @x https://api.example.org/x'
decides 'allow boxed' s1 'curl -L https://api.example.org/x'
grep -q 'runs in the box: only the hosts of the policy' "$tmp/out"
result $? '... where a server that sends it on leads nowhere else'
decides 'allow boxed' s1 'git ls-remote https://api.example.org/x.git'
"$CAISSON" allow --host 'https://api.example.org' --dry-run >"$tmp/out" 2>"$tmp/err"
[[ $? != 0 ]]
result $? 'an address is no host'
timeout 30 /usr/bin/python3 "$here/tests/terminal.py" yes "$CAISSON" allow --remove --host api.example.org \
	>"$tmp/out" 2>"$tmp/err" </dev/null
decides 'ask boxed' s1 'curl https://api.example.org/x'
decides 'ask boxed' s1 'git clone https://api.example.org/x.git'
grep -q 'with api.example.org only' "$tmp/out"
result $? 'a yes to a clone runs it in the box, with its host alone'
decides ask s1 'git clone git@api.example.org:x.git'
echo "1..$n"
