#!/bin/bash
# The tools of examples/agents in real agent frameworks (npm), against caissond. TAP.
tmp_template=/tmp/caisson-serve-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
packages=(@langchain/core@1.2.13 ai@6.0.326 @openai/agents@0.20.0 zod@4.6.7)
mkdir -p "$tmp/home" "$tmp/project" "$tmp/top/examples"
cp -r "$here/examples/agents" "$tmp/top/examples/"
cp -r "$here/clients" "$tmp/top/"
if ! command -v node npm >/dev/null || ! (cd "$tmp/top" && npm init -y && timeout 200 npm install --ignore-scripts "${packages[@]}") >"$tmp/npm" 2>&1; then
	echo "1..0 # SKIP the frameworks cannot be installed: $(tail -n 1 "$tmp/npm" | head -c 200)"
	exit 0
fi
cd "$tmp/project" || exit 1
coproc daemon { HOME=$tmp/home CAISSON_STATE=$tmp/state exec "$BUILD/caissond" --listen 127.0.0.1:0 --open run 2>"$tmp/err"; }
# shellcheck disable=SC2154 # coproc sets it
pid=$daemon_PID
read -r _ _ CAISSON_URL <&"${daemon[0]}"
export CAISSON_URL
cat >"$tmp/top/calls.mjs" <<'END'
import * as langchain from './examples/agents/langchain.mjs';
import * as ai from './examples/agents/ai-sdk.mjs';
import * as openai from './examples/agents/openai-agents.mjs';
import { RunContext } from '@openai/agents';
const code = 'print(6 * 7)';
console.log('langchain', await langchain.runPython.invoke({ code }));
console.log('ai', JSON.stringify(await ai.runPython.execute({ code }, {})));
console.log('openai', await openai.runPython.invoke(new RunContext(), JSON.stringify({ code })));
END
node "$tmp/top/calls.mjs" >"$tmp/out" 2>&1
PYTHONPATH=$tmp/top/examples/agents /usr/bin/python3 -B -c 'import asyncio, tools
print("python", tools.run_python("print(6 * 7)"))
print("score", asyncio.run(tools.score(["print(42)", "print(41)", "1/0", "print(6 * 7)"])))' >>"$tmp/out" 2>&1
has() { grep -q -- "$1" "$tmp/out" || { sed 's/^/# /' "$tmp/out" | head -n 20 && false; }; }
for name in langchain ai openai; do
	has "^$name .*\"status\":\"ok\",\"stdout\":\"42\\\\n\""
	result $? "$name: the tool runs code in a box"
done
has '^python .*"stdout": "42\\n"'
result $? 'python: the function runs code in a box'
has '^score 2$'
result $? 'python: many at once'
kill "$pid" && wait "$pid"
result $? 'the daemon ends'
echo "1..$n"
