// A tool for the AI SDK that runs Python in a box. npm install ai zod; CAISSON_URL, CAISSON_TOKEN: docs/serve.md.
import { tool } from 'ai';
import { z } from 'zod';
import { Sandbox } from '../../clients/node/caisson.mjs'; // copy it beside your program

const box = new Sandbox();

export const runPython = tool({
  description: 'Runs Python code in a fresh sandbox without network and returns what it printed.',
  inputSchema: z.object({ code: z.string() }),
  execute: async ({ code }, { abortSignal } = {}) => { // a call that the model's caller gives up ends the run
    const result = await box.run(code, { lang: 'python', timeout_sec: 20, signal: abortSignal });
    return { status: result.status, stdout: result.stdout, stderr: result.stderr };
  },
});
