/** The interpreter that runs scripts now, and what the server knows of it. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { InterpreterResult, Problem } from '../protocol.gen';
import type { Choice } from '../core/interpreter';
import { SERVER_ENDED, problemOf } from '../core/problem';
import type { Server } from '../core/server';
import type { Interpreters } from './interpreters';

export class InterpreterInUse {
  #choice: Choice | undefined;
  #result: InterpreterResult | undefined;
  #problem: Problem | undefined;
  #serial = 0;

  constructor(
    private readonly interpreters: Interpreters,
    private readonly server: Server,
    private readonly changed: () => void,
  ) {}

  get choice(): Choice | undefined {
    return this.#choice;
  }

  /** The interpreter itself, where the one that was chosen is a script that starts it. */
  get executable(): string | undefined {
    return this.#result?.python ?? this.#choice?.python;
  }

  /** Why scripts can't be traced with it; undefined when nothing is known against it. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Which one it is and who decided, ready to show. */
  get text(): string | undefined {
    if (this.#choice === undefined) return undefined;
    const { version, torch } = this.#result ?? {};
    const what = [version && `Python ${version}`, torch && `torch ${torch}`].filter(Boolean).join(', ');
    const { python, step } = this.#choice;
    return l10n.t('{0}, decided by {1}', what === '' ? python : `${python} (${what})`, step);
  }

  /** Climbs the ladder for a file. Throws ProblemError when no step has one. */
  async choose(scope: vscode.Uri | undefined): Promise<Choice> {
    const choice = await this.interpreters.choose(scope);
    this.#choice = choice;
    return choice;
  }

  /** The interpreter for the file in front. */
  async inFront(): Promise<string> {
    return (this.#choice ?? (await this.choose(vscode.window.activeTextEditor?.document.uri))).python;
  }

  /** Tells the server which one it is, so that it gets one ready. Only in a trusted workspace: this starts it. */
  async announce(): Promise<void> {
    if (!vscode.workspace.isTrusted || this.server.state.name !== 'running') return;
    const serial = ++this.#serial;
    let result: InterpreterResult | undefined;
    let problem: Problem | undefined;
    try {
      const { python } = await this.choose(vscode.window.activeTextEditor?.document.uri);
      result = await this.server.request('compilescope/setInterpreter', { python });
      problem = result.problem ?? undefined;
    } catch (error) {
      problem = problemOf(error);
    }
    // A later call knows better; and a server that went away in between says nothing about the interpreter.
    if (serial !== this.#serial || problem?.code === SERVER_ENDED) return;
    this.#result = result;
    this.#problem = problem;
    this.changed();
  }
}
