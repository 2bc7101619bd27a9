// A tool for the OpenAI Agents SDK that runs Python in a box. npm install @openai/agents zod; CAISSON_URL, CAISSON_TOKEN: docs/serve.md.
import { tool } from '@openai/agents';
import { z } from 'zod';
import { Sandbox } from '../../clients/node/caisson.mjs'; // copy it beside your program

const box = new Sandbox();

export const runPython = tool({
  name: 'run_python',
  description: 'Runs Python code in a fresh sandbox without network and returns what it printed.',
  parameters: z.object({ code: z.string() }),
  execute: async ({ code }) => {
    const result = await box.run(code, { lang: 'python', timeout_sec: 20 });
    return JSON.stringify({ status: result.status, stdout: result.stdout, stderr: result.stderr });
  },
});
