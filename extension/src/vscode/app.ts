/** Puts the parts together: one object that owns everything from activation to deactivation. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Problem, StatusChanged, TraceParams, TraceResult } from '../protocol.gen';
import { machine } from '../core/environment';
import { Fixer } from '../core/fixing';
import { isPassing, noRecording, untrusted } from '../core/problem';
import { SaveTracer } from '../core/save-tracer';
import { Server } from '../core/server';
import type { Launch } from '../core/server-launch';
import { serverLaunch } from '../core/server-launch';
import type { SessionState } from '../core/session-state';
import { libraryRoots } from '../core/source-path';
import { withoutIcons } from '../core/status';
import { Tracer } from '../core/trace';
import { watchedText, watchingBy } from './watching';
import { Panels } from '../panels/panels';
import { recordingOf, targetIn } from '../core/arguments';
import type { PanelKind } from '../shared/panels';
import { ClientConnection } from './client';
import { onSettings, staticHintsEnabled, traceOnSave } from './configuration';
import { CompileCoverage } from './coverage';
import { Elsewhere } from './elsewhere';
import { FixEditor, explain } from './fixing';
import { registerGeneratedCode } from './generated-code';
import { InlineText } from './inline-text';
import { InterpreterInUse } from './interpreter-in-use';
import { Interpreters } from './interpreters';
import { LogWindows } from './log-windows';
import { middleware } from './middleware';
import { registerPackEditor } from './pack-editor';
import { Notifier, notify } from './problems';
import { openRecording } from './recordings';
import { Reports } from './reports';
import { copyInstallCommand, selectInterpreter } from './select-interpreter';
import { RunCommands } from './run-commands';
import { Sources, registerGraphTexts } from './sources';
import { StatusItem } from './status-item';
import { TargetTracing } from './target-tracing';
import { TraceProgress, scriptToRun, traceHost } from './trace-host';
import { Views } from './views';
import { WhatToShow } from './what-to-show';

/** How long the status bar says what a run changed. */
const DIFFERENCE_MS = 15_000;

export class App implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Compilescope', { log: true });
  readonly program = vscode.window.createOutputChannel('Compilescope: Program');
  readonly sources = new Sources(machine, () => this.#roots());
  readonly #notifier = new Notifier();
  readonly #statusItem = new StatusItem();
  readonly #inlineText = new InlineText();
  readonly #progress = new TraceProgress();
  readonly #interpreters = new Interpreters(machine, this.log);
  readonly #server = this.#makeServer();
  readonly #interpreter = new InterpreterInUse(this.#interpreters, this.#server, () => {
    this.#show();
  });
  readonly #views = new Views(this.#server, this.log);
  readonly watching = watchingBy(this.#server, () => {
    this.#views.setWatched(watchedText(this.watching));
    this.#show();
  });
  readonly runs = new RunCommands(this.#server, this.#views);
  readonly #what = new WhatToShow(this.#server, this.#views, (text) => {
    this.log.warn(text);
  });
  readonly reports = new Reports(this.#server, () => this.#what.newest());
  readonly packer = { server: this.#server, runs: () => this.#views.runs, newest: () => this.#what.newest() };
  readonly #panels: Panels;
  readonly coverage: CompileCoverage;
  readonly #targets: TargetTracing;
  readonly #logs: LogWindows;
  readonly #elsewhere: Elsewhere;
  readonly #tracer = new Tracer(this.#traceHost());
  readonly #saves = new SaveTracer({
    wanted: (script) => vscode.workspace.isTrusted && traceOnSave(vscode.Uri.file(script)),
    traced: (script) => this.#tracer.traced(script),
    tracing: () => this.#tracer.tracing || this.#fixing,
    trace: (script) => this.#traceSaved(script),
  });
  readonly #fixEditor = new FixEditor(this.#server, this.#progress, {
    python: async (file) => (await this.#interpreter.choose(vscode.Uri.file(file))).python,
    report: (problem) => {
      this.#report(problem);
    },
  });
  readonly #fixer = new Fixer(this.#fixEditor);
  readonly #disposables: vscode.Disposable[] = [];
  #client: ClientConnection | undefined;
  #status: StatusChanged | undefined;
  #fixing = false;
  /** What the user's last command ended with. */
  #problem: Problem | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    memory: vscode.Memento,
  ) {
    this.#targets = new TargetTracing(this.#server, this.#tracer, this.#views, memory);
    this.#logs = new LogWindows(this.#server, memory);
    this.#elsewhere = new Elsewhere(this.#server, memory, this.sources);
    this.coverage = new CompileCoverage(extensionUri, this.#server, memory);
    this.#panels = new Panels({
      extensionUri,
      server: this.#server,
      sources: this.sources,
      log: this.log,
      runs: () => this.#views.runs,
      target: (recording, shown) => this.#what.target(recording, shown),
    });
    this.#listen();
  }

  dispose(): void {
    const shown = [this.#panels, this.#views, this.sources, this.#inlineText, this.#statusItem, this.#fixEditor];
    const parts = [...shown, this.coverage, this.#interpreters, this.#saves, this.#elsewhere];
    for (const part of [...this.#disposables, ...parts, this.program, this.log]) part.dispose();
  }

  start(): Promise<void> {
    this.#show();
    return this.#server.start();
  }

  stop(): Promise<void> {
    return this.#server.stop();
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

  /** Opens the page about a finding. */
  explain(argument: unknown): Promise<void> {
    return explain(argument, vscode.Uri.joinPath(this.extensionUri, 'docs'));
  }

  async cancel(): Promise<void> {
    await this.#server.request('compilescope/cancel', {});
  }

  async clear(): Promise<void> {
    await this.#server.request('compilescope/clear', {});
    this.#setProblem(undefined);
  }

  async showPanel(kind: PanelKind, argument: unknown): Promise<void> {
    const target = targetIn(argument) ?? (kind === 'code' ? ((await this.#what.line()) ?? undefined) : undefined);
    if (target === undefined && (await this.#what.newest()) === null) await notify(noRecording);
    else await this.#panels.show(kind, target ?? null);
  }

  /** Shows all runs again. */
  clearFilter(): void {
    this.#views.setFilter('');
  }

  async showCompile(argument: unknown): Promise<void> {
    const named = recordingOf(argument) ?? { recording: await this.#what.newest(), compileId: null };
    if (named.recording === null) await notify(noRecording);
    else await this.#views.reveal(named.recording, named.compileId);
  }

  /** Asks which of torch's logs traces record, traces, and opens a window with what was logged. */
  async chooseLogs(argument: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      await notify(untrusted);
      return;
    }
    if (!(await this.#logs.choose(await this.#python()))) return;
    const result = await this.#tracer.trace(argument);
    const recording = result?.recording ?? null;
    if (recording !== null && this.#logs.settings !== null) await this.#logs.open(recording);
  }

  async openLog(argument: unknown): Promise<void> {
    const recording = recordingOf(argument)?.recording ?? (await this.#what.newest());
    if (recording === null) await notify(noRecording);
    else await this.#logs.open(recording);
  }

  async restart(): Promise<void> {
    this.#notifier.over();
    this.#problem = undefined;
    await this.#server.restart();
  }

  async selectInterpreter(): Promise<void> {
    const scope = vscode.window.activeTextEditor?.document.uri;
    if (!(await selectInterpreter(this.#interpreters, this.#interpreter.choice, scope))) return;
    this.#setProblem(undefined);
    if (this.#server.state.name === 'failed') await this.restart();
    else await this.#interpreter.announce();
  }

  async openRecording(argument: unknown): Promise<void> {
    const result = await openRecording(this.#server, argument);
    if (result === undefined) return;
    this.#report(result.problem ?? undefined);
    if (result.recording === null) return;
    await this.#views.update(result.recording);
    await this.#views.reveal(result.recording, null);
  }

  async copyInstallCommand(): Promise<void> {
    await copyInstallCommand(await this.#python());
  }

  /** The interpreter for the file in front. */
  async #python(): Promise<string> {
    const scope = vscode.window.activeTextEditor?.document.uri;
    return (this.#interpreter.choice ?? (await this.#interpreter.choose(scope))).python;
  }

  #makeServer(): Server {
    const entry = (): string =>
      vscode.Uri.joinPath(this.extensionUri, 'pyserver', 'compilescope', 'lsp', '__main__.py').fsPath;
    return new Server({
      resolve: () => serverLaunch(entry(), this.#interpreters.serverCandidates(), machine),
      connect: (launch) => this.#connect(launch),
      onReady: () => {
        this.#notifier.over();
      },
      onState: (state) => {
        this.#onState(state);
      },
      log: (text) => {
        this.log.info(text);
      },
      now: () => Date.now(),
    });
  }

  #connect(launch: Launch): ClientConnection {
    const connection = new ClientConnection(launch, {
      channel: this.log,
      middleware: middleware(this.#inlineText, this.#progress),
      cwd: this.extensionUri.fsPath,
      staticHints: staticHintsEnabled(),
    });
    connection.onNotification('compilescope/status', (status) => {
      this.#status = status;
      if (status.state !== 'idle') this.#progress.report(withoutIcons(status.text));
      this.#show();
    });
    connection.onNotification('compilescope/runsChanged', ({ recording }) => void this.#runsChanged(recording));
    connection.onNotification('compilescope/watched', ({ folders }) => {
      this.watching.told(folders);
    });
    this.#elsewhere.listen(connection);
    connection.onNotification('compilescope/output', ({ text }) => {
      this.program.append(text);
    });
    this.#client = connection;
    return connection;
  }

  async #runsChanged(recording: string | null): Promise<void> {
    this.coverage.refresh();
    await this.#views.update(recording);
    this.#panels.changed(recording);
  }

  #onState(state: SessionState): void {
    if (state.name === 'failed') this.#notifier.tell(state.problem);
    if (state.name === 'running') {
      void this.#interpreter.announce();
      void this.watching.restart();
      void this.#runsChanged(null);
    } else {
      this.#status = undefined;
      this.#inlineText.clear();
    }
    this.#show();
  }

  #traceHost(): ConstructorParameters<typeof Tracer>[0] {
    return traceHost(this.#progress, {
      script: (argument, quietly) => {
        if (quietly && typeof argument === 'string') return Promise.resolve(argument);
        const recording = recordingOf(argument)?.recording;
        const again = this.#views.runs.find((run) => run.recording === recording)?.script;
        return scriptToRun(argument, again ?? undefined, this.#tracer.lastScript);
      },
      interpreter: (script) => this.#interpreter.choose(vscode.Uri.file(script)),
      trace: (params) => this.#trace(params),
      cancel: () => this.cancel(),
      setTracing: (tracing) => {
        void vscode.commands.executeCommand('setContext', 'compilescope.tracing', tracing);
      },
      report: (problem, quietly) => {
        if (quietly) this.#reportQuietly(problem);
        else this.#report(problem);
      },
      tellDifference: (script, difference) => {
        vscode.window.setStatusBarMessage(`$(telescope) ${script}: ${difference}`, DIFFERENCE_MS);
      },
    });
  }

  /** Traces a script that was saved, as it was traced last, but only the capture. */
  async #traceSaved(script: string): Promise<void> {
    await this.#tracer.trace(script, { depth: 'capture', call: this.#tracer.lastCall(script), quietly: true });
    this.#saves.ended();
  }

  /** A run that nobody waits for says in the status bar what went wrong. */
  #reportQuietly(problem: Problem | undefined): void {
    this.#setProblem(problem === undefined || isPassing(problem) ? undefined : problem);
    if (problem !== undefined) vscode.window.setStatusBarMessage(`$(warning) ${problem.title}`, DIFFERENCE_MS);
  }

  #trace(params: TraceParams): Promise<TraceResult> {
    this.program.clear();
    return this.#server.request('compilescope/trace', { ...params, logs: this.#logs.settings });
  }

  async #setStaticHints(): Promise<void> {
    if (this.#server.state.name !== 'running') return;
    await this.#server.request('compilescope/setStaticHints', { enabled: staticHintsEnabled() });
  }

  #roots(): string[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const script = this.#tracer.lastScript;
    const { executable } = this.#interpreter;
    const libraries = executable === undefined ? [] : libraryRoots(executable, (file) => machine.realPath(file));
    return [...folders, ...(script === undefined ? [] : [path.dirname(script)]), ...libraries];
  }

  #report(problem: Problem | undefined): void {
    this.#setProblem(problem === undefined || isPassing(problem) ? undefined : problem);
    if (problem !== undefined) void notify(problem);
  }

  #setProblem(problem: Problem | undefined): void {
    this.#problem = problem;
    this.#show();
  }

  /** Brings the status bar and the tree up to date with all that is known. */
  #show(): void {
    const session = this.#server.state;
    this.#views.setProblem(session.name === 'failed' ? session.problem : (this.#problem ?? this.#interpreter.problem));
    this.#statusItem.show({
      session,
      status: this.#status,
      problem: this.#problem,
      interpreterProblem: this.#interpreter.problem,
      trusted: vscode.workspace.isTrusted,
      watched: watchedText(this.watching),
      interpreter: this.#interpreter.text,
    });
  }

  #listen(): void {
    const announce = (): void => {
      if (this.#server.state.name === 'failed') void this.restart();
      else void this.#interpreter.announce();
    };
    this.#disposables.push(
      registerGraphTexts(this.#server),
      registerPackEditor(this.#server, this.#views),
      registerGeneratedCode(this.#server),
      this.runs.register(),
      this.#logs.register(),
      onSettings(['interpreter'], announce),
      this.#interpreters.onDidChange(announce),
      onSettings(['server.interpreter'], () => void this.restart()),
      onSettings(['statusBar'], () => {
        this.#show();
      }),
      onSettings(['watchFolders'], () => void this.watching.settingChanged()),
      onSettings(['staticHints'], () => void this.#setStaticHints()),
      onSettings(['codeLens.enabled'], () => this.#client?.refreshCodeLenses()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#setProblem(undefined);
        announce();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.#show();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        // What a run saves by itself, before it starts, is what it traces.
        if (uri.scheme === 'file' && !this.#tracer.preparing) this.#saves.saved(uri.fsPath);
      }),
    );
  }
}
