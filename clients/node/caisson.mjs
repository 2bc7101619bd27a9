// Runs untrusted code in Caisson's boxes, through a caissond (docs/serve.md). One file, nothing but fetch.
//
//     import { Sandbox } from './caisson.mjs';
//     const box = new Sandbox();                          // http://127.0.0.1:8484, token from CAISSON_TOKEN
//     const result = await box.run('console.log(6 * 7)'); // Node unless lang says otherwise
//     for await (const event of box.stream('…', { lang: 'python' })) console.log(event.name, event.text ?? '');

export class CaissonError extends Error {
  /** The server refused the request; status is that of HTTP, id a stable word for the reason. */
  constructor(status, id, message) {
    super(`${message} (${status} ${id})`);
    Object.assign(this, { name: 'CaissonError', status, id });
  }
  get busy() { return this.status === 429 || this.status === 503; }
}

const encode = (name, content) => typeof content === 'string' ? { name, content } :
  { name, content: Buffer.from(content).toString('base64'), encoding: 'base64' };

const bodyOf = (code, { lang = 'node', files, ...options } = {}) => ({
  ...options,
  ...(code === undefined || code === null ? {} : { code, lang }),
  ...(files ? { files: Object.entries(files).map(([name, content]) => encode(name, content)) } : {}),
});

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export class Sandbox {
  constructor({ url, token, retries = 5 } = {}) {
    this.url = (url ?? process.env.CAISSON_URL ?? 'http://127.0.0.1:8484').replace(/\/+$/, '');
    this.token = token ?? process.env.CAISSON_TOKEN;
    this.retries = retries;
  }

  /** Runs code; options are arguments of /v1/run: lang, stdin, args, files, timeout_sec, memory_mb, … */
  async run(code, { signal, ...options } = {}) {
    return (await this.#open('POST', '/v1/run', bodyOf(code, options), 'application/json', signal)).json();
  }

  /** Runs shell text with bash. */
  shell(command, options = {}) { return this.run(undefined, { ...options, command }); }

  /** The same as events while it runs: started {id}, stdout and stderr {text}, report {report}. Leaving the loop ends the run. */
  async *stream(code, { signal, ...options } = {}) {
    const stop = new AbortController();
    const end = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const response = await this.#open('POST', '/v1/run', bodyOf(code, options), 'text/event-stream', end);
    if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
      yield { name: 'report', report: await response.json() }; // refused: nothing ran
      return;
    }
    let rest = '', name = '', done = false;
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body) {
        const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          if (line.startsWith('event: ')) name = line.slice(7);
          else if (line.startsWith('data: ')) {
            const data = JSON.parse(line.slice(6));
            if (name === 'error') throw new CaissonError(500, data.error, data.message);
            yield name === 'report' ? { name, report: data } : { name, ...data };
          }
        }
      }
      done = true;
    } finally {
      if (!done) stop.abort();
    }
  }

  /** Judges without running. */
  async check(command, options = {}) { return (await this.#open('POST', '/v1/check', { ...options, command })).json(); }
  async cancel(id) { return (await this.#open('DELETE', `/v1/runs/${id}`)).json(); }
  async runs() { return (await (await this.#open('GET', '/v1/runs')).json()).runs; }
  async audit(filters = {}) { return (await (await this.#open('GET', `/v1/audit?${new URLSearchParams(filters)}`)).json()).rows; }

  /** The whole output of a run whose report shows it shortened. */
  async output(id, stream = 'stdout') {
    let text = '';
    for (let offset = 0; offset !== null;) {
      const part = await (await this.#open('GET', `/v1/results/${id}?stream=${stream}&offset=${offset}&bytes=65536`)).json();
      text += part.text;
      offset = part.next;
    }
    return text;
  }

  async #open(method, path, body, accept = 'application/json', signal = undefined) {
    const headers = { accept, ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}) };
    for (let left = this.retries; ; left--) {
      const response = await fetch(this.url + path, { method, headers, signal, body: body && JSON.stringify(body) });
      if (response.ok) return response;
      const answer = await response.json().catch(() => ({ error: 'http', message: `status ${response.status}` }));
      if (response.status !== 429 || left <= 0) throw new CaissonError(response.status, answer.error, answer.message);
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 1)); // nothing ran, so asking again is safe
    }
  }
}
