# shellcheck shell=bash
# A working day of one client in one session, then the hook's faults in the same session, and the cells of the
# table `matrix` that follow from them.
# Sourced after lib.sh by the script of each client, which may set:
#
#   SUBAGENT     steps (a JSON list) that start an agent whose prompt holds SECOND-SCRIPT and wait for its end
#   BACKGROUND   a jq filter from a command to the input of a call that goes to the background; empty: its
#                shell cannot
#   STATUS       a pattern around the exit code %s in what the model is told; empty: it is not told
#   SETTINGS     the file with the hooks, below the home
# shellcheck disable=SC2016,SC2154,SC2034 # commands are data; the variables are lib.sh's and the client's
: "${SUBAGENT=}" "${BACKGROUND=}" "${STATUS=}"
declare -A at=() # a name: the number of its call
steps=()
calls=0

call_of() { jq -nc --arg c "$1" --argjson tools "$TOOLS" "{tool: \$tools, input: (\$c | ${2:-$KEYS})}"; }
add() { # NAME STEP
	at[$1]=$calls
	steps+=("$2")
	calls=$((calls + $(jq '(.calls // [.]) | length' <<<"$2")))
}
shell() { add "$1" "$(call_of "$2")"; }                                                    # NAME COMMAND
fault() { add "$1" "$(call_of "touch ran-$1" | jq -c --arg b "$RUN/switch $1" '. + {before: $b}')"; } # KIND
steps_json() { printf '%s\n' "${steps[@]}" | jq -sc .; }
words() { text "${at[$1]}"; }
there() { [[ $(count) -gt ${at[$1]} ]]; }

# ---- outcomes ----

outside_ns=$(readlink /proc/self/ns/pid)
# Where where.sh says that it ran.
place() { # TEXT
	if [[ $1 != *'ns pid:'* ]]; then echo denied
	elif [[ $1 == *"$outside_ns"* ]]; then echo runs
	elif [[ $1 != *'net no'* ]]; then echo 'boxed with the network'
	else echo boxed; fi
}
# Nothing has run, and the model was told something.
held() { # NAME FILE
	if [[ -n $(find "$RUN" -name "$2" -print -quit) ]]; then echo runs
	elif ! there "$1"; then echo 'no result'
	elif [[ -z $(words "$1") ]]; then echo 'denied without a word'
	else echo denied; fi
}
cleaned() { # NAME
	if words "$1" | grep -q "$PACKED"; then echo shown
	elif ! words "$1" | grep -q 'build ok'; then echo lost
	elif [[ ${2:-} == success ]] && is_error "${at[$1]}" &&
		[[ $(words "$1") != *'only because caisson removed a secret'* ]]; then echo \
		'cleaned, as an error without a reason'
	else echo cleaned; fi
}
status_of() { # NAME CODE
	# shellcheck disable=SC2059
	words "$1" | grep -Eq -- "$(printf "$STATUS" "$2")"
}
# Three calls: one that is contained, one that is denied, one that is allowed and makes a file.
guarded() { # FIRST SECOND THIRD FILE
	local first
	first=$(place "$1")
	if [[ $first != "$(row_outcome contain)" ]]; then echo "the contained one: $first"
	elif [[ -e $P/denied ]]; then echo 'the denied one ran'
	elif [[ $2 != *denie* ]]; then echo 'the denied one: no reason'
	elif [[ ! -e $P/$4 ]]; then echo 'the allowed one did not run'
	else echo guarded; fi
}

# ---- the session ----

plan_day() {
	steps=() calls=0
	shell allow 'echo plain > made && cat made'
	shell deny 'touch denied; echo after'
	shell ask 'touch asked'
	shell contain './where.sh 7'
	shell secret 'cat build.log'
	shell secret-boxed './leak.sh'
	# Qwen Code loses the output of a command that ends at once
	shell secret-failed 'cat build.log; sleep 0.2; exit 4'
	shell failing 'echo oops >&2; exit 3'
	shell numbers 'date +%s'
	shell numbers-boxed './now.sh'
	shell long './big.sh'
	shell outside 'rm -rf ../outside'
	shell remove 'caisson init --remove'
	add parallel "$(jq -nc --argjson a "$(call_of ./where.sh)" --argjson b "$(call_of \
		'touch denied')" --argjson c "$(call_of 'echo at once > par')" '{calls: [$a, $b, $c]}')"
	if [[ -n $BACKGROUND ]]; then
		add background "$(call_of ./late.sh "$BACKGROUND")"
		shell late 'sleep 3; cat late.txt'
	fi
	if [[ -n $SUBAGENT ]]; then
		while IFS= read -r step; do add subagent "$step"; done < <(jq -c '.[]' <<<"$SUBAGENT")
	fi
	shell cd 'cd sub && ../where.sh'
	shell pwd 'pwd'
	shell home "cd '$P'"
	shell cd-allowed 'cd sub'
	shell pwd-allowed 'pwd'
	for kind in missing crash hang full broken; do fault "$kind"; done
	add back "$(call_of 'echo back again' | jq -c --arg b "$RUN/switch good" '. + {before: $b}')"
}

day() {
	new_session day
	own_program
	set_up
	result $? "$CLIENT: caisson init"
	shorten_limits
	plan_day
	session "$(jq -nc --argjson main "$(steps_json)" --argjson sub "[$(call_of ./where.sh), $(call_of \
		'touch denied'), $(call_of \
		'echo second > sub.made')]" '{main: $main, "SECOND-SCRIPT": $sub}')"
	[[ $(count) == "$calls" ]]
	result $? "$CLIENT: $calls calls, $(count) results"
	day_cells
	fault_cells
}

day_cells() {
	local codes=kept
	cell allow "$([[ $(words allow) == *plain* && -e $P/made ]] && echo runs || echo denied)"
	cell deny "$(held deny denied)"
	[[ $(words deny) == *'touch denied'* ]]
	result $? "$CLIENT: a denial names the command"
	cell ask "$(held ask asked)"
	cell contain "$(place "$(words contain)")"
	cell secret "$(cleaned secret success)"
	if [[ $(row_outcome contain) == boxed ]]; then
		[[ $(cleaned secret-boxed success) == cleaned ]]
		result $? "$CLIENT: a secret in the output of a contained command is replaced ($(cleaned secret-boxed success))"
		grep -q '"status":"exit_nonzero","exit_code":7' "$H"/.local/state/caisson/audit/*.jsonl
		result $? "$CLIENT: the record has the exit code of a contained command"
	fi
	cell secret-failed "$(cleaned secret-failed)"
	cell numbers "$(words numbers | grep -Eq '(^|[^0-9])1[0-9]{9}([^0-9]|$)' && { [[ $(row_outcome contain) != boxed ]] || words numbers-boxed | grep -Eq '(^|[^0-9])1[0-9]{9}([^0-9]|$)'; } && echo kept || echo changed)"
	if [[ -n $STATUS ]]; then
		status_of failing 3 || codes='lost: failing'
		status_of secret-failed 4 || codes='lost where the output is cleaned'
		[[ $(row_outcome contain) != boxed ]] || status_of contain 7 || codes='lost: contained'
		cell status "$codes"
	else
		cell status ''
	fi
	[[ $(words failing) == *oops* ]]
	result $? "$CLIENT: what a failing command says is there"
	cell long "$(long_outcome)"
	cell parallel "$(guarded "$(words parallel)" "$(text $((at[parallel] + 1)))" x par)"
	cell subagent "$(RESULTS=results-SECOND-SCRIPT.json; guarded "$(text 0)" "$(text 1)" x sub.made)"
	if [[ -n $BACKGROUND ]]; then cell background "$(place "$(words late)")"; else cell background ''; fi
	cell cd "$(cd_outcome)"
	[[ -e $RUN/outside/canary ]] && there outside
	result $? "$CLIENT: what would delete outside of the project did not run"
	grep -q "$PROGRAM_HERE" "$H/$SETTINGS" && there remove
	result $? "$CLIENT: the hooks cannot be taken out from inside"
}

long_outcome() {
	local file
	if [[ $(row_outcome contain) != boxed ]]; then held long nothing-of-it; return; fi
	[[ $(words long | wc -c) -lt 120000 ]] || { echo "$(words long | wc -c) bytes"; return; }
	file=$(words long | grep -oE '/[^ ,)"]+' | while IFS= read -r f; do [[ -f $f &&
		$(tail -n 1 "$f") == 200000* ]] && echo "$f"; done | head -n 1)
	# Some clients remove their file at the end of the session.
	if [[ -n $file ]] ||
		words long | grep -Eq '199999|aved to: /'; then echo shortened; else echo lost; fi
}

# The next command is where it is after a `cd` that nobody touched: in that directory, or in the project again
# where each call has a new shell.
cd_outcome() {
	if [[ $(row_outcome contain) == boxed &&
		$(place "$(words cd)") != boxed ]]; then echo 'the contained one did not run'
	elif [[ $(words pwd |
		grep -o '/[^ ]*/project[/a-z]*') == "$(words pwd-allowed | grep -o '/[^ ]*/project[/a-z]*')" \
		]]; then echo kept
	else echo "$(words pwd) instead of $(words pwd-allowed)"; fi
}

fault_cells() {
	local kind
	for kind in missing crash hang full broken; do cell "$kind" "$(held "$kind" "ran-$kind")"; done
	[[ $(words broken) == *config.yaml* ]]
	result $? "$CLIENT: the model is told which policy does not load"
	[[ $(words back) == *'back again'* ]]
	result $? "$CLIENT: all is well again afterwards"
}
