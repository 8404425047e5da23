/** Traces a function or a module by itself, with inputs that are asked for once. */
import * as vscode from 'vscode';
import type { TargetInfo } from '../protocol.gen';
import { busy, noTargetHere } from '../core/problem';
import type { Server } from '../core/server';
import type { AskingHost, Call } from '../core/target-call';
import { callOf, learn, targetOf } from '../core/target-call';
import type { Tracer } from '../core/trace';
import { pythonCursor } from './cursor';
import { notify } from './problems';
import { targetCalls } from './target-calls';
import type { Views } from './views';

export class TargetTracing {
  readonly #calls: AskingHost;
  /** What was traced last by itself. */
  #last: TargetInfo | undefined;

  constructor(
    private readonly server: Server,
    private readonly tracer: Tracer,
    private readonly views: Views,
    memory: vscode.Memento,
  ) {
    this.#calls = targetCalls(memory);
  }

  /** The one of a code lens, else the one at the cursor. */
  async trace(argument: unknown): Promise<void> {
    const given = targetOf(argument) ?? (await this.#atCursor());
    if (given === undefined || this.tracer.tracing) {
      await notify(given === undefined ? noTargetHere : busy);
      return;
    }
    // Where nothing may run, nothing is asked: the tracer says so.
    const call = vscode.workspace.isTrusted ? await callOf(given.target, given.ask, this.#calls) : undefined;
    if (call === undefined && vscode.workspace.isTrusted) return;
    this.#last = given.target;
    const result = await this.tracer.trace({ file: given.target.file }, { call });
    if (call !== undefined) learn(given.target, call, result?.problem?.code, this.#calls);
  }

  /** What was traced last by itself, again and with other inputs. */
  changeInputs(): Promise<void> {
    return this.trace(this.#last === undefined ? undefined : { target: this.#last, ask: true });
  }

  /** What a run called, when it did not run its script as a whole. */
  callOf(recording: string | undefined): Call | undefined {
    const run = this.views.runs.find((one) => one.recording === recording);
    return run?.target == null ? undefined : { target: run.target, inputs: run.inputs };
  }

  async #atCursor(): Promise<ReturnType<typeof targetOf>> {
    const cursor = pythonCursor();
    if (cursor === null) return undefined;
    const { file, line } = cursor;
    const { target } = await this.server.request('compilescope/targetAt', { file, line });
    return target === null ? undefined : { target, ask: true };
  }
}
