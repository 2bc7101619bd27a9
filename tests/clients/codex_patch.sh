#!/bin/bash
# Codex itself: which texts of its shell tool it takes for its patch tool, and whether those that caisson
# judges as a patch are all among them. TAP.
# needs: codex node
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/codex_lib.sh"

PATCHES=$here/patches.json
texts() { jq -c --arg cwd "$P" \
	'[to_entries[] | .key as $i | .value.text | gsub("@CWD@"; $cwd) | gsub("@"; "*** Begin Patch\n*** Add File: f\($i).txt\n+hi $HOME\n*** End Patch") |
	{tool: ["exec_command"], input: {cmd: ., yield_time_ms: 8000}}]' "$PATCHES"; }

# ---- without caisson: what the client takes ----
new_session alone
mkdir "$H/.codex"
SESSION_TIMEOUT=240 session "$(texts)"
total=$(jq length "$PATCHES")
[[ $(count) == "$total" ]]
result $? "$total texts, $total results ($(count))"
for ((i = 0; i < total; i++)); do
	taken=false
	text "$i" | grep -q '^Success. Updated' && ! text "$i" | grep -q '^Process exited' && taken=true
	want=$(jq -r ".[$i].codex" "$PATCHES")
	[[ $want == "$taken" ]] && { [[ $taken == true ]] ||
		[[ $(jq -r ".[$i].ours" "$PATCHES") == false ]]; }
	result $? "the client: $(jq -c ".[$i].text[0:40]" "$PATCHES"): $taken"
done

# ---- with caisson: patches are applied, and judged ----
new_session guarded
set_up
session "$(jq -nc '[
	"apply_patch <<'"'EOF'"'\n*** Begin Patch\n*** Add File: new.txt\n+new $HOME\n*** End Patch\nEOF",
	"cd sub && apply_patch <<'"'EOF'"'\n*** Begin Patch\n*** Add File: below.txt\n+below\n*** End Patch\nEOF\n",
	"apply_patch <<'"'EOF'"'\n*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch\nEOF",
	"cd .git/hooks && apply_patch <<'"'EOF'"'\n*** Begin Patch\n*** Add File: pre-push\n+x\n*** End Patch\nEOF",
	"cd .git/hooks && apply_patch x <<'"'EOF'"'\n*** Begin Patch\n*** Add File: post-merge\n+x\n*** End Patch\nEOF"
] | map({tool: ["exec_command"], input: {cmd: ., yield_time_ms: 8000}})')"
[[ $(cat "$P/new.txt" 2>/dev/null) == 'new $HOME' && $(cat "$P/sub/below.txt" 2>/dev/null) == below ]]
result $? 'patches of the project are applied, as without caisson'
says 0 'Success. Updated the following files' 'and the model is told so'
[[ $(count) == 5 && ! -e $P/.git/hooks/pre-commit && ! -e $P/.git/hooks/pre-push &&
	! -e $P/.git/hooks/post-merge ]]
result $? 'one of a hook of git is not, whatever its spelling'
finish
