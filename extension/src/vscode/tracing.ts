/** All that runs the user's program: traces, also of single functions and on save, and fixes that are tried. */
import * as vscode from 'vscode';
import { recordingOf } from '../core/arguments';
import { Fixer } from '../core/fixing';
import { isPassing, untrusted } from '../core/problem';
import { SaveTracer } from '../core/save-tracer';
import type { Server } from '../core/server';
import { Tracer } from '../core/trace';
import type { Problem, TraceParams, TraceResult } from '../protocol.gen';
import { traceOnSave } from './configuration';
import { FixEditor } from './fixing';
import type { InterpreterInUse } from './interpreter-in-use';
import type { LogWindows } from './log-windows';
import { notify } from './problems';
import { TargetTracing } from './target-tracing';
import type { TraceProgress } from './trace-host';
import { scriptToRun, traceHost } from './trace-host';
import type { Views } from './views';

/** How long the status bar says what a run changed. */
const DIFFERENCE_MS = 15_000;

export interface TracingParts {
  server: Server;
  views: Views;
  interpreter: InterpreterInUse;
  progress: TraceProgress;
  logs: LogWindows;
  /** What the program prints. */
  program: vscode.OutputChannel;
  memory: vscode.Memento;
  /** What the last command ended with; undefined: well. */
  ended(problem: Problem | undefined): void;
}

export class Tracing implements vscode.Disposable {
  readonly #tracer: Tracer;
  readonly #targets: TargetTracing;
  readonly #saves: SaveTracer;
  readonly #fixEditor: FixEditor;
  readonly #fixer: Fixer;
  readonly #saving: vscode.Disposable;
  #fixing = false;

  constructor(private readonly parts: TracingParts) {
    const { server, views, interpreter, progress, memory } = parts;
    this.#tracer = new Tracer(this.#host());
    this.#targets = new TargetTracing(server, this.#tracer, views, memory);
    this.#saves = new SaveTracer({
      wanted: (script) => vscode.workspace.isTrusted && traceOnSave(vscode.Uri.file(script)),
      traced: (script) => this.#tracer.traced(script),
      tracing: () => this.#tracer.tracing || this.#fixing,
      trace: (script) => this.#traceSaved(script),
    });
    this.#fixEditor = new FixEditor(server, progress, {
      python: async (file) => (await interpreter.choose(vscode.Uri.file(file))).python,
      report: (problem) => {
        this.report(problem);
      },
    });
    this.#fixer = new Fixer(this.#fixEditor);
    this.#saving = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      // What a run saves by itself, before it starts, is what it traces.
      if (uri.scheme === 'file' && !this.#tracer.preparing) this.#saves.saved(uri.fsPath);
    });
  }

  /** The script that was traced last. */
  get lastScript(): string | undefined {
    return this.#tracer.lastScript;
  }

  async trace(argument: unknown): Promise<void> {
    const depth = (argument as { depth?: unknown } | null | undefined)?.depth;
    const known = depth === 'full' || depth === 'capture' ? depth : undefined;
    await this.#tracer.trace(argument, { depth: known, call: this.#targets.callOf(recordingOf(argument)?.recording) });
    this.#saves.ended();
  }

  /** Traces a function or module by itself: the one of a code lens, else the one at the cursor. */
  async traceTarget(argument: unknown): Promise<void> {
    await this.#targets.trace(argument);
    this.#saves.ended();
  }

  /** Traces the function or module of the last time again, with other inputs. */
  async changeInputs(): Promise<void> {
    await this.#targets.changeInputs();
    this.#saves.ended();
  }

  /** Asks which of torch's logs traces record, traces, and opens a window with what was logged. */
  async chooseLogs(argument: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      await notify(untrusted);
      return;
    }
    const { logs, interpreter } = this.parts;
    if (!(await logs.choose(await interpreter.inFront()))) return;
    const result = await this.#tracer.trace(argument);
    const recording = result?.recording ?? null;
    if (recording !== null && logs.settings !== null) await logs.open(recording);
  }

  /** Makes the fixes that a hover or a code action names. */
  applyFix(argument: unknown): Promise<void> {
    return this.#fixer.apply(argument);
  }

  /** Tries the fixes that a hover or a code action names, and makes them when they are proven. */
  async fixAndVerify(argument: unknown): Promise<void> {
    this.#fixing = true;
    try {
      await this.#fixer.fixAndVerify(argument);
    } finally {
      this.#fixing = false;
      this.#saves.ended();
    }
  }

  async cancel(): Promise<void> {
    await this.parts.server.request('compilescope/cancel', {});
  }

  /** Says what a command ended with. */
  report(problem: Problem | undefined): void {
    this.#ended(problem);
    if (problem !== undefined) void notify(problem);
  }

  dispose(): void {
    for (const part of [this.#saving, this.#saves, this.#fixEditor]) part.dispose();
  }

  /** A run that nobody waits for says in the status bar what went wrong. */
  #reportQuietly(problem: Problem | undefined): void {
    this.#ended(problem);
    if (problem !== undefined) vscode.window.setStatusBarMessage(`$(warning) ${problem.title}`, DIFFERENCE_MS);
  }

  #ended(problem: Problem | undefined): void {
    this.parts.ended(problem === undefined || isPassing(problem) ? undefined : problem);
  }

  /** Traces a script that was saved, as it was traced last, but only the capture. */
  async #traceSaved(script: string): Promise<void> {
    await this.#tracer.trace(script, { depth: 'capture', call: this.#tracer.lastCall(script), quietly: true });
    this.#saves.ended();
  }

  #trace(params: TraceParams): Promise<TraceResult> {
    const { program, server, logs } = this.parts;
    program.clear();
    return server.request('compilescope/trace', { ...params, logs: logs.settings });
  }

  #host(): ConstructorParameters<typeof Tracer>[0] {
    const { progress, views, interpreter } = this.parts;
    return traceHost(progress, {
      script: (argument, quietly) => {
        if (quietly && typeof argument === 'string') return Promise.resolve(argument);
        const recording = recordingOf(argument)?.recording;
        const again = views.runs.find((run) => run.recording === recording)?.script;
        return scriptToRun(argument, again ?? undefined, this.#tracer.lastScript);
      },
      interpreter: (script) => interpreter.choose(vscode.Uri.file(script)),
      trace: (params) => this.#trace(params),
      cancel: () => this.cancel(),
      setTracing: (tracing) => {
        void vscode.commands.executeCommand('setContext', 'compilescope.tracing', tracing);
      },
      report: (problem, quietly) => {
        if (quietly) this.#reportQuietly(problem);
        else this.report(problem);
      },
      tellDifference: (script, difference) => {
        vscode.window.setStatusBarMessage(`$(telescope) ${script}: ${difference}`, DIFFERENCE_MS);
      },
    });
  }
}
