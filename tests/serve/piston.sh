#!/bin/bash
# Published clients of Piston, unchanged, against caissond: piston-client of npm. TAP.
tmp_template=/tmp/caisson-serve-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! command -v node npm >/dev/null || ! (cd "$tmp" && npm init -y && timeout 100 npm install --ignore-scripts piston-client@1.0.2) >"$tmp/npm" 2>&1; then
	echo "1..0 # SKIP piston-client cannot be installed: $(tail -n 1 "$tmp/npm" | head -c 200)"
	exit 0
fi
mkdir -p "$tmp/home" "$tmp/project"
cd "$tmp/project" || exit 1
coproc daemon { HOME=$tmp/home CAISSON_STATE=$tmp/state exec "$BUILD/caissond" --listen 127.0.0.1:0 --open run 2>"$tmp/err"; }
# shellcheck disable=SC2154 # coproc sets it
pid=$daemon_PID
read -r _ _ url <&"${daemon[0]}"
cat >"$tmp/calls.mjs" <<'END'
import piston from 'piston-client';
const client = piston({ server: process.argv[2] });
const show = async (name, ...args) => console.log(name, JSON.stringify((await client.execute(...args)).run ?? 'no run'));
console.log('runtimes', (await client.runtimes()).some((r) => r.language === 'python'));
await show('python', 'python', 'print("Hello World")');
await show('config', { language: 'bash', version: '5', files: [{ name: 'a.sh', content: 'cat; echo $1' }], stdin: 'in ', args: ['x'] });
await show('timeout', 'bash', 'sleep 9', { runTimeout: 300 });
await show('exit', 'python', 'raise SystemExit(3)');
END
node "$tmp/calls.mjs" "$url" >"$tmp/out" 2>&1
has() { grep -q -- "$1" "$tmp/out"; }
has '^runtimes true'
result $? 'piston-client: runtimes'
has '^python .*"stdout":"Hello World\\n".*"code":0,"signal":null'
result $? 'piston-client: code of a language'
has '^config .*"stdout":"in x\\n"'
result $? 'piston-client: files, input, arguments'
has '^timeout .*"code":null,"signal":"SIGKILL","status":"TO"'
result $? 'piston-client: a time limit'
has '^exit .*"code":3'
result $? 'piston-client: an exit code'
kill "$pid" && wait "$pid"
result $? 'the daemon ends'
echo "1..$n"
