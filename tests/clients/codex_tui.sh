#!/bin/bash
# Codex's screen in tmux: trusting the hooks, then what a person sees at a denial, a contained command and one
# that would be asked about. TAP.
# needs: codex node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/codex_lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
command -v tmux >/dev/null || skip_all 'there is no tmux'
doctor() { env -i PATH="$PATH" HOME="$H" CODEX_HOME="$H/.codex" "$CAISSON" doctor --client codex 2>&1; }

tui_project
mkdir -p "$H/.codex"
set_up
result $? "$CLIENT: caisson init"
start_model "$(script_of "$DENIED" "$CONTAINED" "$ASKED" "$REFUSED")"
prepare
ENVIRONMENT=(CODEX_HOME="$H/.codex" SCRIPTED_KEY=not-a-key)
doctor >"$RUN/doctor"
if [[ $? != 0 ]] && grep -qi 'trust' "$RUN/doctor"; then doctor_before=0; else doctor_before=1; fi
open_screen "$PROGRAM" "$PROMPT"

wait_for 'Hooks need review' 40
result $? "$CLIENT: the first start asks about the hooks"
shot trust 'Hooks need review'
sees trust 'Trust all and continue' 'and lets a person trust them'
press 2
sleep 1
if screen | grep -q 'Trust all and continue'; then press Enter; fi

wait_for 'THE-END' 40
result $? "$CLIENT: the session runs to its end"
shot day "› $PROMPT" 'THE-END'
sees day "Blocked by hook └ caisson: denied: 'chmod -R 777 \\.' lets everyone write there" \
	'a denial says what and why'
untouched
result $? "$CLIENT: and nothing ran"
sees day 'Ran [^ ]*caisson run --ticket TICKET └ 3 tests passed' 'a contained command shows its output'
[[ $(place "$(cat "$P/tested.txt" 2>/dev/null)") == boxed ]]
result $? "$CLIENT: and ran in the box, in the sandbox mode that Codex starts in"
sees day "Blocked by hook └ caisson: denied: the policy asks about 'make release'" \
	'what would be asked about is blocked, with the reason'
sees day 'Codex cannot ask' 'and the reason why nobody was asked'
cell ask-tui "$([[ -e $P/released.txt ]] && echo runs || echo denied)"
cell approve "$(place "$(cat "$P/released.txt" 2>/dev/null)")"
[[ -e $P/notes.txt ]]
result $? "$CLIENT: what nobody answered did not run"
close_screen

# What a person has trusted holds for `codex exec`, too, and doctor reads it.
result "$doctor_before" "$CLIENT: doctor says that hooks are not trusted before they are"
doctor >"$RUN/doctor"
result $? "$CLIENT: and that all is well afterwards"
stop_model
rm -rf "$RUN/model"
mkdir "$RUN/model"
cp "$H/.codex/config.toml" "$RUN/trusted.toml"
prepare() { sed "s|127.0.0.1:[0-9]*/|127.0.0.1:$PORT/|" "$RUN/trusted.toml" >"$H/.codex/config.toml"; }
start() { TRUSTED='' codex_exec; }
session "$(script_of "$DENIED" "$CONTAINED")"
untouched && [[ $(count) == 2 ]]
result $? "$CLIENT: trusted hooks deny in codex exec"
says 1 '3 tests passed' "$CLIENT: and contain there, in its sandbox"
all_rows tui
finish
