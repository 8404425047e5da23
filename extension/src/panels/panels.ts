/** The panels: one of each kind, back in place after a reload. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { PanelHost } from '../core/panel-session';
import { PanelSession } from '../core/panel-session';
import { panelPage } from '../core/panel-page';
import type { Server } from '../core/server';
import type { Asking } from '../core/targets';
import { newerRun } from '../core/runs';
import type { RunSummary } from '../protocol.gen';
import type { PanelAction, Selection, Target, ToPanel } from '../shared/messages';
import { nowhere } from '../shared/messages';
import type { PanelKind } from '../shared/panels';
import { PANEL_KINDS, PANEL_TITLES } from '../shared/panels';
import { saveFile } from '../vscode/save-file';
import type { Sources } from '../vscode/sources';

const ACTIONS: Readonly<Record<PanelAction, { command: string; depth?: string }>> = {
  trace: { command: 'compilescope.trace' },
  traceFull: { command: 'compilescope.trace', depth: 'full' },
  // A full trace turns the caches off by itself.
  traceWithoutCaches: { command: 'compilescope.trace', depth: 'full' },
  openRecording: { command: 'compilescope.openRecording' },
  showOutput: { command: 'compilescope.showOutput' },
  restartServer: { command: 'compilescope.restart' },
};

export interface PanelsSetup {
  extensionUri: vscode.Uri;
  server: Server;
  sources: Sources;
  log: vscode.LogOutputChannel;
  /** The runs, newest first, as they are known now. */
  runs: () => readonly RunSummary[];
  /**
   * What to show of a recording, or of the run that suits the user's place when it is null; null when there is none.
   */
  target: (recording: string | null, asking: Asking) => Promise<Target | null>;
}

interface Open {
  kind: PanelKind;
  panel: vscode.WebviewPanel;
  /** Null: there was no recording to show; undefined: not decided yet. */
  target: Target | null | undefined;
  ready: boolean;
  /** The compile that the panel shows, as it says itself. */
  compileId: string | null;
}

export class Panels implements vscode.Disposable {
  readonly #open = new Set<Open>();
  readonly #disposables: vscode.Disposable[];

  constructor(private readonly setup: PanelsSetup) {
    this.#disposables = PANEL_KINDS.map((kind) =>
      vscode.window.registerWebviewPanelSerializer(viewType(kind), {
        deserializeWebviewPanel: (panel, state: unknown) => {
          panel.webview.options = this.#options();
          this.#adopt(kind, panel, targetOf(state));
          return Promise.resolve();
        },
      }),
    );
    this.#disposables.push(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const { document } = textEditor;
        if (document.uri.scheme !== 'file' || document.languageId !== 'python') return;
        const line = selections[0]?.active.line ?? 0;
        this.#broadcast({ type: 'cursor', at: { file: document.uri.fsPath, line } });
      }),
    );
  }

  /** Shows a panel at a target; what that leaves open follows from where the user is. */
  async show(kind: PanelKind, target: Target | null): Promise<void> {
    const isPlace = target !== null && (target.compileId ?? target.snapshot ?? target.source) !== null;
    const wanted = isPlace ? target : await this.#choose(kind, target?.recording ?? null);
    const known = [...this.#open].find((open) => open.kind === kind);
    if (known !== undefined) {
      known.panel.reveal(undefined, false);
      this.#retarget(known, wanted);
      return;
    }
    const panel = vscode.window.createWebviewPanel(viewType(kind), PANEL_TITLES[kind], this.#column(), this.#options());
    this.#adopt(kind, panel, wanted);
  }

  /** With the other panels, and never over the text that the user is in. */
  #column(): vscode.ViewColumn {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return vscode.ViewColumn.Active;
    const columns = [...this.#open].map(({ panel }) => panel.viewColumn);
    return columns.find((column) => column !== undefined && column !== editor.viewColumn) ?? vscode.ViewColumn.Beside;
  }

  /** Tells the panels that a recording (all, when null) has grown or ended; those of an older run go on to the next. */
  changed(recording: string | null): void {
    const runs = this.setup.runs();
    for (const open of this.#open) {
      const shown = open.target?.recording;
      const next = open.target === null ? runs[0]?.recording : newerRun(runs, shown);
      if (next !== undefined) {
        this.#retarget(open, { ...nowhere(next), compileId: open.compileId });
      } else if (shown !== undefined && (recording === null || recording === shown) && open.ready) {
        const running = runs.some((run) => run.recording === shown && run.status === 'running');
        this.#send(open, { type: 'changed', recording: shown, running });
        this.#name(open);
      }
    }
  }

  /** What showed a recording that is gone shows it where it is now. */
  moved(gone: string, found: string): void {
    for (const open of this.#open) {
      if (open.target?.recording === gone) this.#retarget(open, { ...open.target, recording: found });
    }
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    for (const { panel } of this.#open) panel.dispose();
  }

  #adopt(kind: PanelKind, panel: vscode.WebviewPanel, target: Target | null | undefined): void {
    const open: Open = { kind, panel, target, ready: false, compileId: target?.compileId ?? null };
    const session = new PanelSession(this.#host(open));
    this.#open.add(open);
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.setup.extensionUri, 'media', `compilescope-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.webview.onDidReceiveMessage((message: unknown) => session.receive(message));
    panel.onDidDispose(() => {
      session.dispose();
      this.#open.delete(open);
      this.setup.sources.mark(null);
    });
    this.#name(open);
    const media = (name: string): string =>
      panel.webview.asWebviewUri(vscode.Uri.joinPath(this.setup.extensionUri, 'media', name)).toString();
    panel.webview.html = panelPage({
      title: PANEL_TITLES[kind],
      script: media(`${kind}.js`),
      styles: [media('base.css'), media(`${kind}.css`)],
      cspSource: panel.webview.cspSource,
      nonce: randomBytes(16).toString('base64'),
      language: vscode.env.language,
      texts: vscode.l10n.bundle,
    });
  }

  #host(open: Open): PanelHost {
    const { server, sources, log } = this.setup;
    return {
      send: (message) => {
        this.#send(open, message);
      },
      target: async () => {
        open.ready = true;
        open.target ??= await this.#choose(open.kind, null);
        this.#name(open);
        return open.target;
      },
      request: (method, params, signal) => server.request(`compilescope/${method}`, params, signal),
      openSource: (place, preserveFocus) => sources.open(place, preserveFocus),
      openDiff: (recording, before, after, title) => sources.diff({ recording, before, after, title }),
      openChanges: (recording, title, changes) => sources.changes(recording, title, changes),
      show: (kind, target) => this.show(kind, { ...nowhere(target.recording), ...target }),
      saveFile: (file) => saveFile(file),
      selected: (selection) => {
        this.#selected(open, selection);
      },
      action: async (action) => {
        const { command, depth } = ACTIONS[action];
        await vscode.commands.executeCommand(command, { recording: open.target?.recording, depth });
      },
      command: async (command) => {
        const gone = command === 'compilescope.locateRecording' ? { recording: open.target?.recording } : undefined;
        await vscode.commands.executeCommand(command, gone);
      },
      copy: async (text) => {
        await vscode.env.clipboard.writeText(text);
      },
      log: (text) => {
        log.info(text);
      },
    };
  }

  /** Only the panel that the user is in leads; one that follows it says what it shows, and no more. */
  #selected(open: Open, selection: Selection): void {
    open.compileId = selection.compileId;
    if (!open.panel.active) return;
    this.setup.sources.mark(selection.source);
    for (const other of this.#open) {
      const follows = other !== open && other.ready && other.target?.recording === selection.recording;
      if (follows) this.#send(other, { type: 'selected', selection });
    }
  }

  #retarget(open: Open, target: Target | null): void {
    if (target?.recording !== open.target?.recording) open.compileId = null;
    open.compileId = target?.compileId ?? open.compileId;
    open.target = target;
    this.#name(open);
    if (open.ready) this.#send(open, { type: 'show', target });
  }

  /** Puts the name of the run beside the kind of the panel. */
  #name(open: Open): void {
    const run = this.setup.runs().find(({ recording }) => recording === open.target?.recording);
    open.panel.title = run === undefined ? PANEL_TITLES[open.kind] : `${PANEL_TITLES[open.kind]}: ${run.title}`;
  }

  #send(open: Open, message: ToPanel): void {
    void open.panel.webview.postMessage(message);
  }

  #broadcast(message: ToPanel): void {
    for (const open of this.#open) if (open.ready) this.#send(open, message);
  }

  #options(): vscode.WebviewPanelOptions & vscode.WebviewOptions {
    const media = vscode.Uri.joinPath(this.setup.extensionUri, 'media');
    return { enableScripts: true, localResourceRoots: [media], enableFindWidget: false };
  }

  #choose(kind: PanelKind, recording: string | null): Promise<Target | null> {
    const shown = (of: string): string[] =>
      [...this.#open].flatMap(({ target, compileId }) =>
        target?.recording === of && compileId !== null ? [compileId] : [],
      );
    return this.setup.target(recording, { kind, shown });
  }
}

function viewType(kind: PanelKind): string {
  return `compilescope.${kind}`;
}

/** The target that a panel kept in its state, for after a reload; undefined when there is none in it. */
function targetOf(state: unknown): Target | undefined {
  const target = (state as { target?: Partial<Target> } | null | undefined)?.target;
  if (typeof target?.recording !== 'string') return undefined;
  return { ...nowhere(target.recording), ...target };
}
