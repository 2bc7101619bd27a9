/** Types of caisson.mjs. `report` is docs/schema/report.schema.json; fields that programs use most are named here. */
export interface Reason { id: string; message: string; [more: string]: unknown }
export interface OutputFile { name: string; encoding: 'utf8' | 'base64'; content: string }
export type Status = 'ok' | 'exit_nonzero' | 'signal' | 'timeout' | 'oom' | 'output_limit' | 'denied' | 'needs_approval' | 'setup_error' | 'unknown';

export interface Report {
  id: string;
  status: Status;
  exit_code: number | null;
  signal: string | number | null;
  stdout: string;
  stderr: string;
  duration_ms: number | null;
  cpu_ms: number | null;
  peak_memory_mb: number | null;
  is_error: boolean;
  error: string | null;
  reasons?: Reason[];
  /** With the option `outputs` only. */
  outputs?: OutputFile[];
  outputs_left?: number;
  outputs_complete?: boolean;
  [more: string]: unknown;
}

export interface Verdict { verdict: 'allow' | 'contain' | 'ask' | 'deny'; reasons: Reason[]; [more: string]: unknown }
export type Event =
  | { name: 'started'; id: string }
  | { name: 'stdout' | 'stderr'; text: string }
  | { name: 'report'; report: Report };

export interface RunOptions {
  lang?: string;
  stdin?: string;
  args?: string[];
  argv?: string[];
  command?: string;
  files?: Record<string, string | Uint8Array>;
  outputs?: string[];
  timeout_sec?: number;
  memory_mb?: number;
  cpus?: number;
  pids?: number;
  task?: string;
  /** Ends the run. */
  signal?: AbortSignal;
  [more: string]: unknown;
}

export class CaissonError extends Error {
  status: number;
  id: string;
  get busy(): boolean;
}

export class Sandbox {
  constructor(options?: { url?: string; token?: string; retries?: number });
  run(code: string | undefined | null, options?: RunOptions): Promise<Report>;
  shell(command: string, options?: RunOptions): Promise<Report>;
  stream(code: string | undefined | null, options?: RunOptions): AsyncGenerator<Event, void, void>;
  check(command: string, options?: Record<string, unknown>): Promise<Verdict>;
  cancel(id: string): Promise<{ cancelled: boolean }>;
  runs(): Promise<{ id: string; token: string; elapsed_ms: number }[]>;
  audit(filters?: Record<string, string | number>): Promise<Record<string, unknown>[]>;
  output(id: string, stream?: 'stdout' | 'stderr'): Promise<string>;
}
