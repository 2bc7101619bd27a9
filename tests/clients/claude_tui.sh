#!/bin/bash
# Claude Code's screen in tmux: what a person sees at a denial, a contained command and a question, and what
# their answer does. TAP.
# needs: claude-code
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code TOOLS='["Bash"]' KEYS='{command: .}'
need_client claude-code claude
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
command -v tmux >/dev/null || skip_all 'there is no tmux'

tui_project
set_up
result $? "$CLIENT: caisson init"
# A question about a host and the project's own code: a yes opens that host, in the box.
# another registry is asked about; nothing is fetched
NETWORKED='npm install --no-audit --no-fund --registry=https://npm.example.org'
echo '{"name": "demo", "version": "1.0.0", "scripts": {"postinstall": "./where.sh >installed.txt"}}' \
	>"$P/package.json"
echo installed.txt >>"$P/.git/info/exclude"
start_model "$(script_of "$DENIED" "$CONTAINED" "$ASKED" "$NETWORKED" "$REFUSED")"
# Not its first start: nothing is explained, and the folder is trusted.
jq -n --arg p "$P" \
	'{hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: {approved: ["not-a-key"], rejected: []},
	projects: {($p): {hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true}}}' >"$H/.claude.json"
claude_environment
open_screen "$PROGRAM" "$PROMPT"

wait_for 'Do you want to proceed' 40
result $? "$CLIENT: a question is on the screen"
shot day "❯ $PROMPT" 'Bash command\|Running 1 shell'
shot ask 'Bash command'
sees day "caisson: denied: 'chmod -R 777 \\.' lets everyone write there" 'a denial says what and why'
untouched
result $? "$CLIENT: and nothing ran"
sees day 'Bash\(make test\) ⎿ 3 tests passed' 'a contained command looks as it was written, with its output'
[[ $(place "$(cat "$P/tested.txt")") == boxed ]]
result $? "$CLIENT: and ran in the box"
sees ask "the policy asks about 'make release'" 'a question gives its reason'
sees ask '# make release' 'shows what runs'
sees ask 'If you approve, it runs in the box' 'and what a yes does'
sees ask '1\. Yes 2\. No' 'with two answers'
cell ask-tui "$([[ -e $P/released.txt ]] && echo runs || echo asked)"

press 1
wait_for "'npm install" 20
result $? "$CLIENT: the next question is on the screen"
cell approve "$(place "$(cat "$P/released.txt" 2>/dev/null)")"
shot network 'Bash command'
sees network 'If you approve, it runs in the box, with the package registries of npm and npm\.example\.org only' \
	'a question about a host says that a yes opens it, in the box'
sees network "caisson allow 'npm install'" 'and how it is allowed for good'
press 1
wait_for 'git clean -fdx' 40
result $? "$CLIENT: a third question is on the screen"
if [[ $(command -v npm) == /usr/* ]]; then
	[[ $(place "$(cat "$P/installed.txt" 2>/dev/null)") == boxed &&
		$(cat "$P/installed.txt") == *'key none'* ]]
	result $? "$CLIENT: what was approved runs in the box, without the rest of the network and without the client's key"
else skip "$CLIENT: what was approved runs in the box" 'there is no npm that a box sees'; fi
press 2
wait_for 'No|Interrupted|rejected' 10
sleep 0.5
shot refused 'git clean -fdx'
sees refused 'Interrupted|rejected|No' 'a refusal is seen'
[[ -e $P/notes.txt ]]
result $? "$CLIENT: what a person refuses does not run"
close_screen
stop_model
all_rows tui
finish
