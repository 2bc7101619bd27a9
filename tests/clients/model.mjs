// A model that does what it is told, on loopback: model.mjs SCRIPT DIR
//
// SCRIPT is a JSON list of steps, one after the other. A step is a call, {"tool": ["Bash", ...], "input": {...}}, or several at once, {"calls": [...]};
// the first of a call's names that the client offers is called. A step may have a "before": a shell command that runs here first, so that a test can change the
// world between two calls. An input's strings may hold "%ID%" (or be "%NUMBER%"): a word of an earlier result, by the step's "take" (a pattern with one group, for the result before).
//
// SCRIPT may also be {"main": [...], "NAME": [...]}: a conversation whose first words hold NAME follows that list (an agent that the first one started).
// Which call is next follows from the conversation itself: as many as it holds results are over. A request that offers none of
// the tools (a title, a summary) gets a word of text, and after the last call the turn ends.
//
// DIR gets `port` (once it listens), `results.json` (what the tools gave back in the order of the calls, as the model was told: [{"text", "error"}]) and
// `results-NAME.json`, `texts` (system and user texts, for what hooks add), `tools` (names of the tools that were offered), `offered.json` (all about them),
// `requests` (method and path, one a line).
//
// Wires: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Gemini generateContent; each with and without streaming.
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [scriptFile, dir] = process.argv.slice(2);
const given = JSON.parse(readFileSync(scriptFile, "utf8"));
const scripts = Array.isArray(given) ? { main: given } : given;
const keep = (name, value) => {
  writeFileSync(`${dir}/${name}.new`, value);
  renameSync(`${dir}/${name}.new`, `${dir}/${name}`);
};
let serial = 0;
const fresh = (kind) => `${kind}_${String(++serial).padStart(4, "0")}`;
const callsOf = (step) => step.calls ?? [step];
const known = Object.values(scripts).flat().flatMap(callsOf).flatMap((c) => c.tool);

// Any content as one text.
const flat = (c) =>
  c == null ? "" : typeof c === "string" ? c : Array.isArray(c) ? c.map(flat).join("\n") : typeof c.text === "string" ? c.text : JSON.stringify(c);

// Results of our own calls in the order of the calls (a client may add some of its own, for instance when a background command has ended).
const inOrder = (results, name) => results.filter((r) => r.id?.startsWith(`call_${name}_`)).sort((a, b) => (a.id < b.id ? -1 : 1));

// An input with the words that an earlier result had.
function filled(step, results) {
  const word = step.take ? (new RegExp(step.take).exec(results.at(-1)?.text ?? "")?.[1] ?? "") : "";
  return JSON.parse(JSON.stringify(step.input ?? {}).replaceAll('"%NUMBER%"', word || "0").replaceAll("%ID%", word));
}

const begun = new Set(); // the steps whose "before" has run

// What to do now: {calls: [{id, name, input}]} or {text}. `offered` are names of tools, `results` those of the conversation so far.
function decide(offered, unordered, texts, first) {
  if (!known.some((n) => offered.includes(n))) return { text: "ok" };
  const name = Object.keys(scripts).find((n) => n !== "main" && first.includes(n)) ?? "main";
  const results = inOrder(unordered, name);
  const rest = results.map(({ text, error }) => ({ text, error }));
  keep(name === "main" ? "results.json" : `results-${name}.json`, JSON.stringify(rest, null, 1));
  if (name === "main") {
    keep("tools", offered.join("\n"));
    keep("texts", texts.join("\n"));
  }
  let over = 0;
  const step = scripts[name].find((s) => (over += callsOf(s).length) > results.length);
  if (!step) return { text: "THE-END" };
  const at = over - callsOf(step).length;
  if (step.before && !begun.has(`${name} ${at}`)) execFileSync("/bin/bash", ["-c", step.before], { stdio: "inherit" });
  begun.add(`${name} ${at}`);
  return {
    calls: callsOf(step).map((c, i) => ({
      id: `call_${name}_${String(at + i).padStart(4, "0")}`,
      name: c.tool.find((n) => offered.includes(n)) ?? c.tool[0],
      input: filled(c, results),
    })),
  };
}

const wires = [
  {
    at: /\/messages(\?|$)/,
    read(b) {
      const parts = (b.messages ?? []).flatMap((m) => (Array.isArray(m.content) ? m.content : [{ type: "text", text: m.content }]));
      return {
        offered: (b.tools ?? []).map((t) => t.name),
        results: parts.filter((p) => p.type === "tool_result").map((p) => ({ id: p.tool_use_id, text: flat(p.content), error: !!p.is_error })),
        first: parts.find((p) => p.type === "text" && !p.text.startsWith("<system-reminder>"))?.text ?? "",
        texts: [flat(b.system), ...parts.filter((p) => p.type === "text").map((p) => p.text)],
      };
    },
    answer(b, d, send) {
      const blocks = d.calls ? d.calls.map((c) => ({ type: "tool_use", id: c.id, name: c.name, input: c.input })) : [{ type: "text", text: d.text }];
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: fresh("msg"), type: "message", role: "assistant", model: b.model, content: blocks, stop_reason: d.calls ? "tool_use" : "end_turn", stop_sequence: null, usage };
      if (!b.stream) return send.json(message);
      send.event("message_start", { message: { ...message, content: [], stop_reason: null } });
      blocks.forEach((block, index) => {
        const call = block.type === "tool_use";
        send.event("content_block_start", { index, content_block: call ? { ...block, input: {} } : { type: "text", text: "" } });
        send.event("content_block_delta", { index, delta: call ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) } : { type: "text_delta", text: block.text } });
        send.event("content_block_stop", { index });
      });
      send.event("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage });
      send.event("message_stop", {});
      send.end();
    },
  },
  {
    at: /\/responses(\?|$)/,
    read(b) {
      const items = Array.isArray(b.input) ? b.input : [];
      return {
        offered: (b.tools ?? []).flatMap((t) => [t.name ?? t.type, ...(t.tools ?? []).map((n) => `${t.name}__${n.name}`)]),
        results: items.filter((i) => String(i.type).endsWith("_call_output")).map((i) => ({ id: i.call_id, text: flat(i.output), error: false })),
        first: items.filter((i) => i.type === "message" && i.role === "user").map((i) => flat(i.content)).join("\n"),
        texts: [flat(b.instructions), ...items.filter((i) => i.type === "message").map((i) => flat(i.content))],
      };
    },
    answer(b, d, send) {
      const callItem = (c) => {
        const space = (b.tools ?? []).find((t) => (t.tools ?? []).some((n) => `${t.name}__${n.name}` === c.name));
        const name = space ? c.name.slice(space.name.length + 2) : c.name;
        return { type: "function_call", id: fresh("fc"), call_id: c.id, name, arguments: JSON.stringify(c.input), status: "completed", ...(space ? { namespace: space.name } : {}) };
      };
      const message = () => ({ type: "message", id: fresh("msg"), role: "assistant", status: "completed", content: [{ type: "output_text", text: d.text, annotations: [] }] });
      const items = d.calls ? d.calls.map(callItem) : [message()];
      const usage = { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 };
      const whole = { id: fresh("resp"), object: "response", created_at: 1, status: "completed", model: b.model, output: items, usage };
      if (!b.stream) return send.json(whole);
      send.event("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } });
      items.forEach((item, output_index) => {
        send.event("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } });
        if (!d.calls) send.event("response.output_text.delta", { item_id: item.id, output_index, content_index: 0, delta: d.text });
        send.event("response.output_item.done", { output_index, item });
      });
      send.event("response.completed", { response: whole });
      send.end();
    },
  },
  {
    at: /\/chat\/completions(\?|$)/,
    read(b) {
      const all = b.messages ?? [];
      return {
        offered: (b.tools ?? []).map((t) => t.function?.name),
        results: all.filter((m) => m.role === "tool").map((m) => ({ id: m.tool_call_id, text: flat(m.content), error: false })),
        first: all.filter((m) => m.role === "user").map((m) => flat(m.content)).join("\n"),
        texts: all.filter((m) => m.role === "system" || m.role === "user").map((m) => flat(m.content)),
      };
    },
    answer(b, d, send) {
      const calls = d.calls?.map((c, index) => ({ index, id: c.id, type: "function", function: { name: c.name, arguments: JSON.stringify(c.input) } }));
      const finish_reason = d.calls ? "tool_calls" : "stop";
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const base = { id: fresh("chat"), created: 1, model: b.model };
      const message = { role: "assistant", content: d.text ?? null, ...(calls ? { tool_calls: calls } : {}) };
      if (!b.stream) return send.json({ ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
      const chunk = (delta, finish) => ({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish ?? null }], ...(finish ? { usage } : {}) });
      send.data(chunk({ ...message, content: d.text ?? "" }));
      send.data(chunk({}, finish_reason));
      send.line("[DONE]");
      send.end();
    },
  },
  {
    at: /:(streamGenerate|generate)Content/,
    read(b) {
      const parts = (b.contents ?? []).flatMap((c) => c.parts ?? []);
      return {
        offered: (b.tools ?? []).flatMap((t) => (t.functionDeclarations ?? []).map((f) => f.name)),
        results: parts.filter((p) => p.functionResponse).map(({ functionResponse: f }) => ({ id: f.id, text: flat(f.response?.output ?? f.response), error: !!f.response?.error })),
        first: parts.filter((p) => p.text).map((p) => p.text).join("\n"),
        texts: [flat(b.systemInstruction?.parts), ...parts.filter((p) => p.text).map((p) => p.text)],
      };
    },
    answer(b, d, send, path) {
      const text = b.generationConfig?.responseMimeType === "application/json" ? "{}" : d.text;
      const parts = d.calls ? d.calls.map((c) => ({ functionCall: { id: c.id, name: c.name, args: c.input } })) : [{ text }];
      const whole = { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }, modelVersion: b.model ?? "scripted" };
      if (!path.includes(":stream")) return send.json(whole);
      send.data(whole);
      send.end();
    },
  },
];

function sender(res) {
  let open = false;
  let n = 0;
  const line = (text) => {
    if (!open) res.writeHead(200, { "content-type": "text/event-stream" });
    open = true;
    res.write(`data: ${text}\n\n`);
  };
  return {
    line,
    data: (o) => line(JSON.stringify(o)),
    event(type, o) {
      if (!open) res.writeHead(200, { "content-type": "text/event-stream" });
      open = true;
      res.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: n++, ...o })}\n\n`);
    },
    end: () => res.end(),
    json(o, status = 200) {
      res.writeHead(status, { "content-type": "application/json" });
      res.end(JSON.stringify(o));
    },
  };
}

const server = createServer((req, res) => {
  const chunks = [];
  req.on("data", (c) => chunks.push(c));
  req.on("end", () => {
    const send = sender(res);
    appendFileSync(`${dir}/requests`, `${req.method} ${req.url}\n`);
    let body = {};
    try {
      body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
    } catch {
      return send.json({ error: { message: "not JSON" } }, 400);
    }
    if (/count_?tokens/i.test(req.url)) return send.json({ input_tokens: 1, totalTokens: 1 });
    const wire = req.method === "POST" && wires.find((w) => w.at.test(req.url));
    if (wire) {
      const { offered, results, texts, first } = wire.read(body);
      keep("offered.json", JSON.stringify(body.tools ?? []));
      return wire.answer(body, decide(offered, results, texts, first), send, req.url);
    }
    if (/\/models(\?|$)/.test(req.url)) return send.json({ object: "list", data: [{ id: "scripted", object: "model" }], models: [] });
    return send.json({ error: { type: "not_found_error", message: "nothing here" } }, 404);
  });
});
server.listen(0, "127.0.0.1", () => keep("port", String(server.address().port)));
