/** Opens what a recording points at: source files, and texts of graphs in VS Code's own diff editor. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Environment } from '../core/environment';
import { GRAPH_SCHEME, graphAddress, graphUriParts } from '../core/graph-uri';
import { noSource, problemOf } from '../core/problem';
import type { Server } from '../core/server';
import { isInside } from '../core/source-path';
import type { Change, SourcePlace } from '../shared/messages';
import { notify } from './problems';

export interface DiffRequest {
  recording: string;
  before: string;
  after: string;
  title: string;
}

export class Sources implements vscode.Disposable {
  readonly #mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    isWholeLine: true,
  });
  readonly #allowed = new Set<string>();

  #logged: (file: string) => Promise<vscode.Uri | undefined> = () => Promise.resolve(undefined);

  /** `roots`: the folders whose files open without a question. */
  constructor(
    private readonly environment: Environment,
    private readonly roots: () => string[],
  ) {}

  /** What to open instead of files that are not on this machine. */
  whenMissing(logged: (file: string) => Promise<vscode.Uri | undefined>): void {
    this.#logged = logged;
  }

  /**
   * Opens a file at a place, or what the recording has of it when it is not on this machine. One that is not of this
   * workspace or of the interpreter's library is asked about first.
   */
  async open(place: SourcePlace, preserveFocus = false): Promise<void> {
    const file = path.isAbsolute(place.file) ? path.normalize(place.file) : place.file;
    const isHere = path.isAbsolute(file) && this.environment.isFile(file);
    if (isHere && !(await this.#mayOpen(file))) return;
    const uri = isHere ? vscode.Uri.file(file) : await this.#logged(file);
    if (uri === undefined) {
      await notify(noSource(file));
      return;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    const selection = rangeOf(place, document);
    await vscode.window.showTextDocument(document, {
      selection: preserveFocus ? new vscode.Range(selection.start, selection.start) : selection,
      preserveFocus,
      viewColumn: columnFor(document),
    });
  }

  /** Marks a place in the editors that show its file; null takes the mark away. Never opens or scrolls anything. */
  mark(place: SourcePlace | null): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const here = place !== null && editor.document.uri.scheme === 'file' && editor.document.uri.fsPath === place.file;
      editor.setDecorations(this.#mark, here ? [rangeOf(place, editor.document)] : []);
    }
  }

  /** The two texts side by side. */
  async diff(request: DiffRequest): Promise<void> {
    const [before, after] = sides(request.recording, request);
    await vscode.commands.executeCommand('vscode.diff', before, after, request.title, { preview: true });
  }

  /** Several pairs of texts, one below the other. */
  async changes(recording: string, title: string, changes: readonly Change[]): Promise<void> {
    const rows = changes.map((change) => {
      const [before, after] = sides(recording, change);
      return [after, before, after];
    });
    await vscode.commands.executeCommand('vscode.changes', title, rows);
  }

  dispose(): void {
    this.#mark.dispose();
  }

  async #mayOpen(file: string): Promise<boolean> {
    const real = this.environment.realPath(file);
    if (
      isInside(
        real,
        this.roots().map((root) => this.environment.realPath(root)),
      ) ||
      this.#allowed.has(real)
    )
      return true;
    const message = l10n.t('The recording points to a file outside this workspace: {0}', file);
    const open = await vscode.window.showWarningMessage(message, { modal: true }, l10n.t('Open'));
    if (open !== undefined) this.#allowed.add(real);
    return open !== undefined;
  }
}

/** The addresses of the two texts of a comparison. */
function sides(recording: string, { title, before, after }: Change): [vscode.Uri, vscode.Uri] {
  const uri = (snapshot: string, side: string): vscode.Uri =>
    vscode.Uri.from(graphUriParts({ recording, snapshot }, `${title} ${side}`));
  return [uri(before, 'before'), uri(after, 'after')];
}

/** Texts of graphs, by address. What was fetched once stays right: a snapshot never changes. */
export function registerGraphTexts(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(GRAPH_SCHEME, {
    async provideTextDocumentContent(uri) {
      const address = graphAddress(uri.query);
      if (address === undefined) return l10n.t('# not the address of a graph\n');
      try {
        return (await server.request('compilescope/graphText', address)).text;
      } catch (error) {
        const { title, detail } = problemOf(error);
        return `# ${title}\n# ${detail}\n`;
      }
    },
  });
}

/** The exact range where it is known, else the line without its indentation; moved inside the document. */
function rangeOf(place: SourcePlace, document: vscode.TextDocument): vscode.Range {
  const line = document.lineAt(Math.min(Math.max(place.line, 0), document.lineCount - 1));
  const start = place.column >= 0 ? place.column : line.firstNonWhitespaceCharacterIndex;
  if (place.endLine < 0 || place.endColumn < 0) {
    return new vscode.Range(
      line.lineNumber,
      start,
      line.lineNumber,
      place.column >= 0 ? start : line.range.end.character,
    );
  }
  return document.validateRange(new vscode.Range(line.lineNumber, start, place.endLine, place.endColumn));
}

/** Where the document is shown already, else beside a panel rather than over it. */
export function columnFor(document: vscode.TextDocument): vscode.ViewColumn {
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  if (shown !== undefined) return shown;
  const panelIsActive = vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
  if (!panelIsActive) return vscode.ViewColumn.Active;
  const other = vscode.window.tabGroups.all.find(
    (group) => !group.isActive && !(group.activeTab?.input instanceof vscode.TabInputWebview),
  );
  return other?.viewColumn ?? vscode.ViewColumn.Beside;
}
