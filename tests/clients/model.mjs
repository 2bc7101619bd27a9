// A model that does what it is told, on loopback: model.mjs SCRIPT DIR
//
// SCRIPT is a JSON list of calls, one after the other: {"tool": ["Bash", ...], "input": {...}}; the first of the names that the client
// offers is called. Which call is next follows from the conversation itself: as many as it holds results are over. A request that offers none of
// the tools (a title, a summary) gets a word of text, and after the last call the turn ends.
//
// DIR gets `port` (once it listens), `results.json` (what the tools gave back, as the model was told: [{"text", "error"}]), `texts`
// (system and user texts, for what hooks add), `tools` (names of the tools that were offered), `requests` (method and path, one a line).
//
// Wires: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions, Gemini generateContent; each with and without streaming.
import { createServer } from "node:http";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const [scriptFile, dir] = process.argv.slice(2);
const script = JSON.parse(readFileSync(scriptFile, "utf8"));
const keep = (name, value) => {
  writeFileSync(`${dir}/${name}.new`, value);
  renameSync(`${dir}/${name}.new`, `${dir}/${name}`);
};
let serial = 0;
const fresh = (kind) => `${kind}_${String(++serial).padStart(4, "0")}`;

// Any content as one text.
const flat = (c) =>
  c == null ? "" : typeof c === "string" ? c : Array.isArray(c) ? c.map(flat).join("\n") : typeof c.text === "string" ? c.text : JSON.stringify(c);

// What to do now: {call: {name, input}} or {text}. `offered` are names of tools, `results` those of the conversation so far.
function decide(offered, results, texts) {
  const ours = script.some((s) => s.tool.some((n) => offered.includes(n)));
  if (!ours) return { text: "ok" };
  keep("results.json", JSON.stringify(results, null, 1));
  keep("tools", offered.join("\n"));
  keep("texts", texts.join("\n"));
  const step = script[results.length];
  if (!step) return { text: "THE-END" };
  return { call: { name: step.tool.find((n) => offered.includes(n)) ?? step.tool[0], input: step.input ?? {} } };
}

const wires = [
  {
    at: /\/messages(\?|$)/,
    read(b) {
      const parts = (b.messages ?? []).flatMap((m) => (Array.isArray(m.content) ? m.content : [{ type: "text", text: m.content }]));
      return {
        offered: (b.tools ?? []).map((t) => t.name),
        results: parts.filter((p) => p.type === "tool_result").map((p) => ({ text: flat(p.content), error: !!p.is_error })),
        texts: [flat(b.system), ...parts.filter((p) => p.type === "text").map((p) => p.text)],
      };
    },
    answer(b, d, send) {
      const block = d.call ? { type: "tool_use", id: fresh("toolu"), name: d.call.name, input: d.call.input } : { type: "text", text: d.text };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: fresh("msg"), type: "message", role: "assistant", model: b.model, content: [block], stop_reason: d.call ? "tool_use" : "end_turn", stop_sequence: null, usage };
      if (!b.stream) return send.json(message);
      const delta = d.call ? { type: "input_json_delta", partial_json: JSON.stringify(d.call.input) } : { type: "text_delta", text: d.text };
      send.event("message_start", { message: { ...message, content: [], stop_reason: null } });
      send.event("content_block_start", { index: 0, content_block: d.call ? { ...block, input: {} } : { type: "text", text: "" } });
      send.event("content_block_delta", { index: 0, delta });
      send.event("content_block_stop", { index: 0 });
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
        results: items.filter((i) => String(i.type).endsWith("_call_output")).map((i) => ({ text: flat(i.output), error: false })),
        texts: [flat(b.instructions), ...items.filter((i) => i.type === "message").map((i) => flat(i.content))],
      };
    },
    answer(b, d, send) {
      const space = d.call && (b.tools ?? []).find((t) => (t.tools ?? []).some((n) => `${t.name}__${n.name}` === d.call.name));
      const item = d.call
        ? { type: "function_call", id: fresh("fc"), call_id: fresh("call"), name: space ? d.call.name.slice(space.name.length + 2) : d.call.name, arguments: JSON.stringify(d.call.input), status: "completed", ...(space ? { namespace: space.name } : {}) }
        : { type: "message", id: fresh("msg"), role: "assistant", status: "completed", content: [{ type: "output_text", text: d.text, annotations: [] }] };
      const usage = { input_tokens: 1, input_tokens_details: { cached_tokens: 0 }, output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 2 };
      const whole = { id: fresh("resp"), object: "response", created_at: 1, status: "completed", model: b.model, output: [item], usage };
      if (!b.stream) return send.json(whole);
      send.event("response.created", { response: { ...whole, status: "in_progress", output: [], usage: null } });
      send.event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } });
      if (!d.call) send.event("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta: d.text });
      send.event("response.output_item.done", { output_index: 0, item });
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
        results: all.filter((m) => m.role === "tool").map((m) => ({ text: flat(m.content), error: false })),
        texts: all.filter((m) => m.role === "system" || m.role === "user").map((m) => flat(m.content)),
      };
    },
    answer(b, d, send) {
      const calls = d.call ? [{ index: 0, id: fresh("call"), type: "function", function: { name: d.call.name, arguments: JSON.stringify(d.call.input) } }] : undefined;
      const finish_reason = d.call ? "tool_calls" : "stop";
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
        results: parts.filter((p) => p.functionResponse).map((p) => ({ text: flat(p.functionResponse.response?.output ?? p.functionResponse.response), error: !!p.functionResponse.response?.error })),
        texts: [flat(b.systemInstruction?.parts), ...parts.filter((p) => p.text).map((p) => p.text)],
      };
    },
    answer(b, d, send, path) {
      const part = d.call ? { functionCall: { id: fresh("fc"), name: d.call.name, args: d.call.input } } : { text: b.generationConfig?.responseMimeType === "application/json" ? "{}" : d.text };
      const whole = { candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }, modelVersion: b.model ?? "scripted" };
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
      const { offered, results, texts } = wire.read(body);
      return wire.answer(body, decide(offered, results, texts), send, req.url);
    }
    if (/\/models(\?|$)/.test(req.url)) return send.json({ object: "list", data: [{ id: "scripted", object: "model" }], models: [] });
    return send.json({ error: { type: "not_found_error", message: "nothing here" } }, 404);
  });
});
server.listen(0, "127.0.0.1", () => keep("port", String(server.address().port)));
