"""The Python and the Node client against a caissond. Started by serve_clients.sh: serve_clients.py TOP DIR. TAP."""
import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time

top, tmp = sys.argv[1:3]
sys.path[:0] = [top + "/tests", top + "/clients/python"]
import caisson  # noqa: E402
from servelib import Daemon, ok, plan  # noqa: E402


def fails(call):
    try:
        return "no error", call()
    except caisson.CaissonError as e:
        return e.status, e.id


d = Daemon(tmp, "--parallel", "2", "--queue", "2")
token, weak = d.token("t", "--scopes", "all"), d.token("weak", "--scopes", "check")
d.start()
url = "http://127.0.0.1:%d" % d.port
box = caisson.Sandbox(url, token)
result = box.run("print(6 * 7)")
ok("run", result.ok and result.ran and result.stdout == "42\n" and result.exit_code == 0 and len(result.id) == 32, result)
result = box.run("import sys; print(sys.argv[1:], input(), open('a').read(), len(open('b', 'rb').read()))", args=["x"],
                 stdin="in", files={"a": "text", "b": bytes(range(256))})
ok("arguments, input and files", result.stdout == "['x'] in text 256\n", result)
result = box.run("console.log(1)", "node") if shutil.which("node", path="/usr/local/bin:/usr/bin") else box.shell("echo 1")
ok("another language", result.stdout == "1\n", result)
result = box.shell("exit 3")
ok("a failure", not result.ok and result.ran and result.status == "exit_nonzero" and result.exit_code == 3, result)
ok("a limit", box.run("while 1: pass", timeout_sec=0.3).status == "timeout")
result = box.shell("rm -rf /")
ok("a refusal", not result.ran and result.status == "denied" and result.reasons, result)
ok("check", not box.check("rm -rf /").allowed and box.check("git status").allowed)
events = list(box.stream("print('a', flush=True); import sys; print('b', file=sys.stderr)"))
ok("stream", events[0].name == "started" and events[-1].result.ok and events[0].run == events[-1].result.id and
   [e.text for e in events if e.text] == ["a\n", "b\n"], events)
ok("a stream of a refusal", [e.result.status for e in box.stream(command="rm -rf /")] == ["denied"])
stream = box.stream("import time; time.sleep(20)")
run = next(stream).run
ok("runs", [r["id"] for r in box.runs()] == [run])
box.cancel(run)
ok("cancel", [e.name for e in stream] == ["report"])
stream = box.stream("import time; time.sleep(20)")
next(stream)
stream.close()
until = time.time() + 5
while box.runs() and time.time() < until:
    time.sleep(0.05)
ok("leaving a stream ends the run", not box.runs())
result = box.shell("seq 30000")
ok("the whole output", box.output(result) == "".join("%d\n" % i for i in range(1, 30001)))
ok("audit", [r["kind"] for r in box.audit(id=result.id)] == ["begin", "end"])
ok("a wrong token", fails(lambda: caisson.Sandbox(url, "x").run("1")) == (401, "token"))
ok("a token that may not run", fails(lambda: caisson.Sandbox(url, weak).run("1")) == (403, "scope"))
ok("a wrong argument", fails(lambda: box.run("1", nonsense=1)) == (400, "invalid"))


async def together():
    many = await asyncio.gather(*[box.run_async("print(%d)" % i) for i in range(8)])
    return [r.stdout for r in many], [e.name async for e in box.stream_async("print(1)")]

ok("async", asyncio.run(together()) == (["%d\n" % i for i in range(8)], ["started", "stdout", "report"]))
result = box.run("open('a.bin', 'wb').write(bytes([0, 255])); open('b.txt', 'w').write('text')", outputs=["*"])
ok("files that come out", result.outputs == {"a.bin": bytes([0, 255]), "b.txt": b"text"}, result)


async def cancelled(make):
    task = asyncio.ensure_future(make())
    while not box.runs():
        await asyncio.sleep(0.05)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        pass
    for _ in range(100):
        if not box.runs():
            return task.cancelled()
        await asyncio.sleep(0.05)
    return box.runs()


async def read_all():
    return [e async for e in box.stream_async("import time; time.sleep(20)")]


async def leave_early():
    async for e in box.stream_async("import time; print(1, flush=True); time.sleep(20)"):
        if e.name == "stdout":
            break
    return True

ok("async: a cancelled task ends its run", asyncio.run(cancelled(lambda: box.run_async("import time; time.sleep(20)"))) is True)
ok("async: a cancelled stream too", asyncio.run(cancelled(read_all)) is True)
begun = time.time()
ok("async: leaving a stream", asyncio.run(leave_early()) and time.time() - begun < 15)
busy = caisson.Sandbox(url, token, retries=0)
threads = [threading.Thread(target=lambda: box.shell("sleep 60")) for _ in range(4)]
until = time.time() + 30
for i, thread in enumerate(threads):
    thread.start()
    while len(box.runs()) + d.call("GET", "/healthz")[1]["waiting"] <= i and time.time() < until:
        time.sleep(0.02)
ok("a full queue", (fails(lambda: busy.run("1")) or [None])[0] == 429, d.call("GET", "/healthz"))


def cancel_all():
    """The queue keeps its order: the first two runs, and the two that take their places, are the sleeping ones."""
    seen = set()
    for _ in range(2):
        new = set()
        while len(new) < 2:
            new = {run["id"] for run in box.runs()} - seen
            time.sleep(0.02)
        [box.cancel(run) for run in new]
        seen |= new
    [t.join() for t in threads]

canceller = threading.Timer(0.3, cancel_all)
canceller.start()
ok("and trying again", box.run("print(5)").stdout == "5\n")
canceller.join()

node = shutil.which("node")
script = """
import { Sandbox, CaissonError } from '%s/clients/node/caisson.mjs';
const box = new Sandbox({ url: '%s', token: '%s' });
const ok = (what, good, seen) => console.log(`${good ? 'ok' : 'not ok'} - node: ${what}${good ? '' : ' ' + JSON.stringify(seen)}`);
let r = await box.run('print(input(), open("f").read())', { lang: 'python', stdin: 'in', files: { f: 'text', g: new Uint8Array([1]) } });
ok('run', r.status === 'ok' && r.stdout === 'in text\\n', r);
r = await box.shell('exit 4');
ok('a failure', r.exit_code === 4, r);
const names = [];
for await (const e of box.stream('print(1, flush=True)', { lang: 'python' })) names.push(e.name);
ok('stream', names.join() === 'started,stdout,report', names);
for await (const e of box.stream(undefined, { command: 'sleep 20' })) break;
for (let i = 0; i < 100 && (await box.runs()).length; i++) await new Promise((d) => setTimeout(d, 50));
ok('leaving a stream ends the run', (await box.runs()).length === 0);
r = await box.shell('seq 30000');
ok('the whole output', (await box.output(r.id)).split('\\n').length === 30001);
ok('check', (await box.check('rm -rf /')).verdict === 'deny');
ok('audit', (await box.audit({ id: r.id })).length === 2);
const e = await new Sandbox({ url: '%s', token: 'x' }).run('1').catch((e) => e);
ok('a wrong token', e instanceof CaissonError && e.status === 401, e);
""" % (top, url, token, url)
if node:
    out = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
    lines = [x for x in out.stdout.splitlines() if x.startswith(("ok", "not ok"))]
    for line in lines:
        ok(line.split(" - ", 1)[1], line.startswith("ok"), line)
    ok("node: all ran", len(lines) == 8, out.stderr)
else:
    ok("node # SKIP there is no node", True)
ok("the daemon ends", d.stop() == 0)
plan()
