// Caisson for opencode: hands every tool call to `caisson hook` before and after it runs, and does what it answers.
// Made by `caisson init --client opencode`, which writes the program's path below. Nothing here decides anything: before a call an
// answer that does not come, or is not understood, denies it. After a call nothing is denied: its output stays as it is.
import { spawnSync } from "node:child_process";

const program = "caisson";
const limit = { input: 8 << 20, output: 32 << 20, ms: 30000 };

function ask(event) {
  const text = JSON.stringify(event);
  if (Buffer.byteLength(text) > limit.input) throw new Error("caisson: the call is too large to be judged");
  const r = spawnSync(program, ["hook", "--client", "opencode"], { input: text, encoding: "utf8", timeout: limit.ms, killSignal: "SIGKILL", maxBuffer: limit.output });
  const advice = "so nothing runs. A person should run: caisson doctor --client opencode";
  if (r.status === 2 && r.stderr.trim()) throw new Error(r.stderr.trim());
  if (r.error) throw new Error(`caisson: the hook did not run (${r.error.code ?? r.error.message}), ${advice}`);
  if (r.status !== 0) throw new Error(`caisson: the hook failed with status ${r.status ?? r.signal}, ${advice}`);
  return (r.stdout.trim() && JSON.parse(r.stdout)) || {};
}

export const Caisson = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = ask({
      hook_event_name: "tool.execute.before", session_id: input.sessionID, cwd: directory,
      tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID,
    });
    if (answer.decision !== "allow") throw new Error(answer.reason || "caisson: denied");
    if (answer.args) {
      for (const key of Object.keys(output.args)) if (!(key in answer.args)) delete output.args[key];
      Object.assign(output.args, answer.args);
    }
  },
  "tool.execute.after": async (input, output) => {
    let answer = {};
    try {
      answer = ask({
        hook_event_name: "tool.execute.after", session_id: input.sessionID, cwd: directory,
        tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID,
        tool_response: { output: output.output, metadata: output.metadata },
      });
    } catch {
      return;
    }
    if (typeof answer.output === "string") output.output = answer.output;
    if (answer.context) output.output = `${output.output}\n${answer.context}`;
  },
});
