# shellcheck shell=bash
# A client's own screen, in tmux: what a person sees, and what they press. Sourced after lib.sh.
#
#   open_screen COMMAND...   the client in a terminal of 100 columns and 45 lines, in its project, with
#     nothing from our environment
#   wait_for PATTERN [S]     until a line of the screen matches; fails after S seconds (20)
#   press KEY...             as tmux names them
#   screen                   the screen as text, without empty lines at its end and with the same paths on
#                            every machine
#   close_screen             ends the client
#   tui_cells                the rows of the table that need a person, for a client whose script has
#                            `start_tui`
# shellcheck disable=SC2154 # lib.sh's variables
socket=$tmp/tmux
mux() { env -u TMUX tmux -S "$socket" -f /dev/null "$@"; }
# A client that has just been ended may still write.
trap 'close_screen; stop_model; rm -rf "$tmp" 2>/dev/null || { sleep 1; rm -rf "$tmp"; }' EXIT

open_screen() {
	mux new-session -d -s client -x 100 -y 45 -c "$P" env -i \
		PATH="$(dirname "$NODE"):/usr/local/bin:/usr/bin:/bin" HOME="$H" TMPDIR="$RUN/tmp" \
		LANG=C.UTF-8 TERM=screen-256color SHELL=/bin/bash USER=tester \
		XDG_CONFIG_HOME="$H/.config" XDG_DATA_HOME="$H/.local/share" XDG_CACHE_HOME="$H/.cache" \
		XDG_STATE_HOME="$H/.local/state" \
		DO_NOT_TRACK=1 DISABLE_TELEMETRY=1 "${ENVIRONMENT[@]}" timeout -k 5 \
		"${SESSION_TIMEOUT:-120}" "$@"
}
# Codex leaves a server behind, whose program lies in its home: it ends with the screen.
close_screen() {
	local exe
	mux kill-server 2>/dev/null
	for exe in /proc/[0-9]*/exe; do
		[[ $(readlink "$exe" 2>/dev/null) == "$tmp"/* ]] &&
			kill "$(cut -d/ -f3 <<<"$exe")" 2>/dev/null
	done
	return 0
}
screen() {
	mux capture-pane -p -t client 2>/dev/null |
		sed -e "s|$P|~/project|g; s|$RUN|~|g; s|$CAISSON|/usr/bin/caisson|g; s/\xc2\xa0/ /g; s/[[:space:]]*$//" | sed -e ':a' -e '/^\n*$/{$d;N;ba' -e '}'
}
wait_for() { # PATTERN [SECONDS]
	local i
	for ((i = 0; i < ${2:-20} * 5; i++)); do
		screen | grep -Eq -- "$1" && return 0
		sleep 0.2
	done
	return 1
}
press() {
	sleep 0.3 # a dialog that has just been drawn does not listen yet
	mux send-keys -t client "$@"
}

# A project with a policy and a Makefile whose commands say where they run, for the questions of a day: one is
# denied, one is contained, two are asked about.
tui_project() {
	new_session tui
	cat >"$H/.config/caisson/config.yaml" <<'YAML'
tools:
  bash:
    ask:
      - make release
YAML
	printf 'test:\n\t@./where.sh >tested.txt; echo "coverage 82 %%" >coverage.txt; echo "3 tests passed"\nrelease:\n\t@./where.sh >released.txt; echo "released 1.2"\n' >"$P/Makefile"
	printf 'tested.txt\nreleased.txt\n' >>"$P/.git/info/exclude" # Claude Code shows files that appear
	git -C "$P" add .
	echo mine >"$P/notes.txt"
	chmod 644 "$P/Makefile"
}
DENIED='chmod -R 777 .' CONTAINED='make test' ASKED='make release' REFUSED='git clean -fdx'
untouched() { [[ $(stat -c %a "$P/Makefile") == 644 ]]; } # the denied one did not run

# Keeps what a person sees now as shots/NAME: the lines from the first that matches FROM to the one before
# UNTIL, without those that change by themselves.
shot() { # NAME FROM [UNTIL]
	mkdir -p "$RUN/shots"
	screen | sed -n "\\%$2%,\$p" | sed "\\%${3:-no such line}%,\$d" | sed -E 's/[0-9a-f]{32}/TICKET/g' |
		grep -Ev '^ *[✢✳✶✻✽·*] .*(…|for [0-9]+s)|esc to interrupt|\? for shortcuts|auto mode on|shift\+tab|Worked for|^ *[›❯] *(Ask Codex.*)?$|gpt-5.1-codex|warnings|^─+$|Tip:|/effort' | cat -s >"$RUN/shots/$1"
	if [[ -n ${SCREENS:-} ]]; then cp "$RUN/shots/$1" "$SCREENS/$CLIENT-$1"; fi
}
# A person reads over the ends of lines. The page that keeps the screens has the same (tests/clients/screens
# writes it).
flat() { sed 's/│//g' "$1" 2>/dev/null | tr -s ' \n' ' '; }
sees() { # NAME PATTERN WHAT
	flat "$RUN/shots/$1" | grep -Eq -- "$2"
	result $? "$CLIENT: $3"
	if [[ -z ${SCREENS:-} ]]; then
		flat "$root/docs/clients-screens.md" | grep -Eq -- "$2"
		result $? "$CLIENT: $3, also in docs/clients-screens.md (tests/clients/screens writes it)"
	fi
}

# A person's questions in a session of four calls: what is on the screen at each, and what a yes to ASKED and
# a no to REFUSED do.
question='Do you want to (proceed|allow)|Yes, allow once|Allow once'
tui_cells() {
	local asked= i
	if ! command -v tmux >/dev/null; then
		cell_skipped ask-tui 'there is no tmux'
		cell_skipped approve 'there is no tmux'
		return
	fi
	tui_project
	set_up
	start_model "$(script_of "$DENIED" "$CONTAINED" "$ASKED" "$REFUSED")"
	prepare
	start_tui
	for ((i = 0; i < 60; i++)); do
		wait_for "THE-END|$question" 2 || continue
		screen | grep -q THE-END && break
		if screen | grep -q "$REFUSED"; then
			press Escape
			break
		fi
		[[ -z $asked ]] && screen | grep -q "about '$ASKED'" && asked=1 &&
			shot ask 'caisson: a person should'
		press Enter
		sleep 1
	done
	sleep 1
	untouched && [[ -e $P/notes.txt ]]
	result $? "$CLIENT: at the terminal, what is denied or refused does not run"
	if [[ -n $asked ]]; then cell ask-tui asked; else cell ask-tui \
		"$([[ -e $P/released.txt ]] && echo runs || echo denied)"; fi
	cell approve "$(place "$(cat "$P/released.txt" 2>/dev/null)")"
	if [[ -n $asked && $(row_outcome approve) == runs ]]; then
		flat "$RUN/shots/ask" | grep -q 'OUTSIDE the box'
		result $? "$CLIENT: and the question says that a yes runs it outside the box"
	fi
	close_screen
	stop_model
}
