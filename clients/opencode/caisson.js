// Caisson for opencode: hands every tool call to `caisson hook` before and after it runs, and does what it answers.
// Made by `caisson init --client opencode`, which writes the program's path below. Nothing here decides anything: an answer that
// does not come, or is not understood, denies the call.
import { spawnSync } from "node:child_process";

const program = "caisson";
const limit = { input: 8 << 20, output: 32 << 20, ms: 30000 };

function ask(event) {
  const text = JSON.stringify(event);
  if (Buffer.byteLength(text) > limit.input) throw new Error("caisson: the call is too large to be judged");
  const r = spawnSync(program, ["hook", "--client", "opencode"], { input: text, encoding: "utf8", timeout: limit.ms, maxBuffer: limit.output });
  if (r.error) throw new Error(`caisson: the hook did not run (${r.error.code ?? r.error.message}), so the call is denied`);
  if (r.status !== 0) throw new Error((r.stderr || "").trim() || `caisson: the hook ended with ${r.status ?? r.signal}, so the call is denied`);
  return r.stdout.trim() ? JSON.parse(r.stdout) : {};
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
    const answer = ask({
      hook_event_name: "tool.execute.after", session_id: input.sessionID, cwd: directory,
      tool_name: input.tool, tool_input: input.args, tool_use_id: input.callID,
      tool_response: { output: output.output, metadata: output.metadata },
    });
    if (typeof answer.output === "string") output.output = answer.output;
    if (answer.context) output.output = `${output.output}\n${answer.context}`;
  },
});
