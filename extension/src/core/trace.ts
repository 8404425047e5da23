/** From the command to the end of the run: what is traced, with what, and what is said when it can't be. */
import * as path from 'node:path';
import type { TraceParams, TraceResult } from '../protocol.gen';
import type { Choice } from './interpreter';
import type { Problem } from './problem';
import { ProblemError, problemOf, scriptFailed, untrusted } from './problem';
import type { Call } from './target-call';

/** Settings that shape a run, variables filled in. */
export interface TraceSettings {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  depth: 'full' | 'capture';
  profile: boolean;
  timeoutSeconds: number;
}

/** What the flow needs from the editor. */
export interface TraceHost {
  trusted(): boolean;
  /** The file to run, saved to disk unless it is `quietly`. Throws ProblemError when there is none. */
  script(argument: unknown, quietly: boolean): Promise<string>;
  settings(script: string): TraceSettings;
  interpreter(script: string): Promise<Choice>;
  /** Shows progress with a Cancel button while `run` works. */
  progress(script: string, quietly: boolean, run: (signal: AbortSignal) => Promise<TraceResult>): Promise<TraceResult>;
  trace(params: TraceParams): Promise<TraceResult>;
  cancel(): Promise<void>;
  setTracing(tracing: boolean): void;
  /** The outcome: undefined when the last thing tried went well. `quietly`: nobody waits for it. */
  report(problem: Problem | undefined, quietly: boolean): void;
  /** What a run changed to the one before it, `2 fixed, 1 new`. */
  tellDifference(script: string, difference: string): void;
}

/** How a run differs from what the settings say. `quietly`: without a notification, for one that nobody waits for. */
export interface TraceOptions {
  depth?: 'full' | 'capture' | undefined;
  call?: Call | undefined;
  quietly?: boolean;
}

export class Tracer {
  #running: Promise<unknown> | undefined;
  #script: string | undefined;
  #preparing = false;
  readonly #calls = new Map<string, Call | undefined>();

  constructor(private readonly host: TraceHost) {}

  get tracing(): boolean {
    return this.#running !== undefined;
  }

  /** The script of the newest run of this session. */
  get lastScript(): string | undefined {
    return this.#script;
  }

  /** True while a run saves the files that it is to run. */
  get preparing(): boolean {
    return this.#preparing;
  }

  /** True for a script that was run in this session. */
  traced(script: string): boolean {
    return this.#calls.has(script);
  }

  /** What of a script was called the last time, when it was not run as a whole. */
  lastCall(script: string): Call | undefined {
    return this.#calls.get(script);
  }

  /** Runs a script, or one call of its, under the tracer; one at a time. Never fails: what went wrong is reported. */
  async trace(argument: unknown, options: TraceOptions = {}): Promise<TraceResult | undefined> {
    if (this.#running !== undefined) return undefined;
    const quietly = options.quietly ?? false;
    const run = this.#run(argument, options);
    this.#running = run;
    this.host.setTracing(true);
    try {
      const result = await run;
      const script = path.basename(this.#script ?? '');
      this.host.report(problemOfResult(result, script), quietly);
      if (result.difference !== null) this.host.tellDifference(script, result.difference);
      return result;
    } catch (error) {
      this.host.report(problemOf(error), quietly);
      return undefined;
    } finally {
      this.#running = undefined;
      this.host.setTracing(false);
    }
  }

  async #run(argument: unknown, { depth, call, quietly = false }: TraceOptions): Promise<TraceResult> {
    if (!this.host.trusted()) throw new ProblemError(untrusted);
    const script = await this.#prepared(argument, quietly);
    this.#script = script;
    this.#calls.set(script, call);
    const settings = this.host.settings(script);
    return this.host.progress(script, quietly, async (signal) => {
      const choice = await this.host.interpreter(script);
      if (signal.aborted) return cancelled;
      signal.addEventListener('abort', () => void this.host.cancel().catch(() => undefined), { once: true });
      const params = traceParams(script, choice.python, { ...settings, ...(depth ? { depth } : {}) });
      return this.host.trace({ ...params, target: call?.target ?? null, inputs: call?.inputs ?? [] });
    });
  }

  async #prepared(argument: unknown, quietly: boolean): Promise<string> {
    this.#preparing = true;
    try {
      return await this.host.script(argument, quietly);
    } finally {
      this.#preparing = false;
    }
  }
}

/** What there is to say about how a run ended. Who cancels knows it, so that is nothing to tell. */
export function problemOfResult(result: TraceResult, script: string): Problem | undefined {
  if (result.status === 'cancelled') return undefined;
  if (result.problem !== null) return result.problem;
  const { exitCode, findings } = result;
  return exitCode === null || exitCode === 0 ? undefined : scriptFailed(script, exitCode, findings);
}

export const cancelled: TraceResult = {
  recording: null,
  exitCode: null,
  status: 'cancelled',
  findings: 0,
  problem: null,
  difference: null,
};

export function traceParams(script: string, python: string, settings: TraceSettings): TraceParams {
  return {
    script,
    module: null,
    args: settings.args,
    cwd: settings.cwd,
    python,
    depth: settings.depth,
    profile: settings.profile,
    logs: null,
    timeoutS: settings.timeoutSeconds > 0 ? settings.timeoutSeconds : null,
    env: settings.env,
    target: null,
    inputs: [],
  };
}

/** The file that a command's argument names: a URI-like object, a path, or a code lens's `{uri}` or `{file}`. */
export function fileOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument.startsWith('file:') ? undefined : argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const named = argument as Record<string, unknown>;
  if (named['scheme'] === 'file' && typeof named['fsPath'] === 'string') return named['fsPath'];
  for (const key of ['file', 'script']) {
    const value = named[key];
    if (typeof value === 'string') return value;
  }
  return undefined;
}
