/** Puts the parts together: one object that owns everything from activation to deactivation. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Problem, StatusChanged } from '../protocol.gen';
import { placeOf } from '../core/address';
import { machine } from '../core/environment';
import { OpenedLogs } from '../core/opened-logs';
import { noRecording } from '../core/problem';
import { Server } from '../core/server';
import type { Launch } from '../core/server-launch';
import { serverLaunch } from '../core/server-launch';
import type { SessionState } from '../core/session-state';
import { libraryRoots } from '../core/source-path';
import { statusOfRun, withoutIcons } from '../core/status';
import type { Watching } from '../core/watching';
import { watchedText, watchingBy } from './watching';
import { Panels } from '../panels/panels';
import { recordingOf, targetIn } from '../core/arguments';
import type { PanelKind } from '../shared/panels';
import { ClientConnection } from './client';
import { onSettings, staticHintsEnabled } from './configuration';
import { CompileCoverage } from './coverage';
import { Elsewhere } from './elsewhere';
import { explain } from './fixing';
import { registerGeneratedCode } from './generated-code';
import { InlineText } from './inline-text';
import { InterpreterInUse } from './interpreter-in-use';
import { Interpreters } from './interpreters';
import { LogWindows } from './log-windows';
import { middleware } from './middleware';
import { registerPackEditor } from './pack-editor';
import { Notifier, notify } from './problems';
import { openRecordings } from './recordings';
import { Reports } from './reports';
import { copyInstallCommand, selectInterpreter } from './select-interpreter';
import { RunCommands } from './run-commands';
import { Sources, registerGraphTexts } from './sources';
import { StatusItem } from './status-item';
import { TraceProgress } from './trace-host';
import { Tracing } from './tracing';
import { Views } from './views';
import { WhatToShow } from './what-to-show';

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
  readonly #views = new Views(this.#server, this.log, (run) => {
    if (run === undefined && this.#chosen === undefined) return;
    this.#chosen = run && statusOfRun(run);
    this.#show();
  });
  readonly watching: Watching;
  readonly runs = new RunCommands(this.#server, this.#views, () => this.#open(undefined, false));
  readonly #what = new WhatToShow(this.#server, this.#views, (text) => {
    this.log.warn(text);
  });
  readonly reports = new Reports(this.#server, () => this.#what.newest());
  readonly packer = { server: this.#server, runs: () => this.#views.runs, newest: () => this.#what.newest() };
  readonly #panels: Panels;
  readonly tracing: Tracing;
  readonly coverage: CompileCoverage;
  readonly #logs: LogWindows;
  readonly #opened: OpenedLogs;
  readonly #elsewhere: Elsewhere;
  readonly #disposables: vscode.Disposable[] = [];
  #client: ClientConnection | undefined;
  #status: StatusChanged | undefined;
  /** The same of the run that was opened or selected, if any. */
  #chosen: StatusChanged | undefined;
  /** What the user's last command ended with. */
  #problem: Problem | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    memory: vscode.Memento,
  ) {
    this.#logs = new LogWindows(this.#server, memory);
    this.#opened = new OpenedLogs(memory, isThere);
    this.watching = watchingBy(this.#server, memory, () => {
      this.#views.setWatched(watchedText(this.watching));
      this.#show();
    });
    this.tracing = new Tracing({
      server: this.#server,
      views: this.#views,
      interpreter: this.#interpreter,
      progress: this.#progress,
      logs: this.#logs,
      program: this.program,
      memory,
      ended: (problem) => {
        this.#setProblem(problem);
      },
    });
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
    const shown = [this.#panels, this.#views, this.sources, this.#inlineText, this.#statusItem];
    const parts = [...shown, this.tracing, this.coverage, this.#interpreters, this.#elsewhere];
    for (const part of [...this.#disposables, ...parts, this.program, this.log]) part.dispose();
  }

  start(): Promise<void> {
    this.#show();
    return this.#server.start();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Opens the page about a finding. */
  explain(argument: unknown): Promise<void> {
    return explain(argument, vscode.Uri.joinPath(this.extensionUri, 'docs'));
  }

  async clear(): Promise<void> {
    await this.#server.request('compilescope/clear', {});
    await this.#opened.clear();
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
    await this.#open(argument, true);
  }

  /** Opens a recording that is elsewhere now, and shows it in the panels that had it. */
  async locateRecording(argument: unknown): Promise<void> {
    const gone = recordingOf(argument)?.recording;
    const found = await this.#open(undefined, false);
    if (gone !== undefined && found !== undefined) this.#panels.moved(gone, found);
  }

  async copyInstallCommand(): Promise<void> {
    await copyInstallCommand(await this.#interpreter.inFront());
  }

  /** Opens one recording, or `many` of a folder; returns the newest of them. */
  async #open(argument: unknown, many: boolean): Promise<string | undefined> {
    let opened: string | undefined;
    for (const { recording, problem } of await openRecordings(this.#server, argument, { many })) {
      this.tracing.report(problem ?? undefined);
      if (recording === null) continue;
      await this.#opened.add(recording);
      await this.#views.update(recording);
      opened = recording;
    }
    if (opened === undefined) return undefined;
    this.#views.follow(opened);
    await this.#views.reveal(opened, null);
    return opened;
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
      isThere,
    });
  }

  #connect(launch: Launch): ClientConnection {
    const connection = new ClientConnection(launch, {
      channel: this.log,
      middleware: middleware(this.#inlineText, this.#progress),
      cwd: this.extensionUri.fsPath,
      staticHints: staticHintsEnabled(),
      recordings: this.#opened.all,
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

  async #setStaticHints(): Promise<void> {
    if (this.#server.state.name !== 'running') return;
    await this.#server.request('compilescope/setStaticHints', { enabled: staticHintsEnabled() });
  }

  #roots(): string[] {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const script = this.tracing.lastScript;
    const { executable } = this.#interpreter;
    const libraries = executable === undefined ? [] : libraryRoots(executable, (file) => machine.realPath(file));
    return [...folders, ...(script === undefined ? [] : [path.dirname(script)]), ...libraries];
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
      status: this.#status?.state === 'idle' ? (this.#chosen ?? this.#status) : this.#status,
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
    );
  }
}

function isThere(recording: string): boolean {
  const place = placeOf(recording);
  return machine.isFolder(place) || machine.isFile(place);
}
