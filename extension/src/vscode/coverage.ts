/** Compile coverage in the gutter and the overview ruler, switched on and off for the workspace. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { MarkKind } from '../core/coverage';
import { coverageText, coverageTooltip, iconName, KINDS, marks } from '../core/coverage';
import { escapeMarkdown } from '../core/text';
import type { Server } from '../core/server';
import type { CoverageResult } from '../protocol.gen';

const REMEMBERED = 'compilescope.coverage';
/** A pause in the typing; until then VS Code moves the marks by itself. */
const PAUSE_MS = 300;
const OPACITY_STALE = '0.7';

export class CompileCoverage implements vscode.Disposable {
  readonly #types: { kind: MarkKind; type: vscode.TextEditorDecorationType }[];
  readonly #item = vscode.window.createStatusBarItem('compilescope.coverage', vscode.StatusBarAlignment.Left, 9);
  readonly #known = new Map<string, CoverageResult>();
  readonly #disposables: { dispose(): unknown }[];
  #shown: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    extensionUri: vscode.Uri,
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {
    this.#types = KINDS.map((kind) => ({ kind, type: decorationType(kind, extensionUri) }));
    this.#shown = memory.get(REMEMBERED, false);
    this.#item.name = l10n.t('Compilescope: Compile Coverage');
    this.#item.command = 'compilescope.toggleCoverage';
    this.#disposables = [
      ...this.#types.map(({ type }) => type),
      this.#item,
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.refresh();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.#showItem();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#shown && isPython(document)) this.#soon();
      }),
    ];
    this.#tellContext();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async toggle(): Promise<void> {
    this.#shown = !this.#shown;
    await this.memory.update(REMEMBERED, this.#shown);
    this.#tellContext();
    this.refresh();
  }

  /** Asks the server again and draws what it answers: after each run, and when other editors are seen. */
  refresh(): void {
    this.#known.clear();
    this.#showItem();
    for (const editor of vscode.window.visibleTextEditors) void this.#draw(editor);
  }

  async #draw(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (!this.#shown || !isPython(document)) {
      for (const { type } of this.#types) editor.setDecorations(type, []);
      return;
    }
    if (this.server.state.name !== 'running') return;
    const { version } = document;
    const result = await this.server
      .request('compilescope/coverage', { file: document.uri.toString() })
      .catch(() => undefined);
    // What was typed meanwhile asks again by itself.
    if (result === undefined || document.version !== version || !this.#isShown()) return;
    this.#known.set(document.uri.toString(), result);
    for (const { kind, type } of this.#types) editor.setDecorations(type, decorations(result, kind, document));
    this.#showItem();
  }

  #isShown(): boolean {
    return this.#shown;
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const editor of vscode.window.visibleTextEditors) void this.#draw(editor);
    }, PAUSE_MS);
  }

  #showItem(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (!this.#shown || document === undefined || !isPython(document)) {
      this.#item.hide();
      return;
    }
    const result = this.#known.get(document.uri.toString());
    const text = coverageText(result?.percent);
    this.#item.text = `$(checklist) ${text}`;
    this.#item.tooltip = new vscode.MarkdownString(coverageTooltip(result));
    this.#item.accessibilityInformation = { label: l10n.t('Compile coverage: {0}', text) };
    this.#item.show();
  }

  #tellContext(): void {
    void vscode.commands.executeCommand('setContext', 'compilescope.coverage', this.#shown);
  }
}

function decorationType(kind: MarkKind, extensionUri: vscode.Uri): vscode.TextEditorDecorationType {
  const icon = (theme: string): vscode.Uri =>
    vscode.Uri.joinPath(extensionUri, 'media', 'coverage', `${iconName(kind)}_${theme}.svg`);
  return vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: icon('light') },
    dark: { gutterIconPath: icon('dark') },
    gutterIconSize: 'contain',
    // Lines that did not run say nothing about compiling: they are no reason to scroll there.
    ...(kind.state !== 'not_run' && {
      overviewRulerColor: new vscode.ThemeColor(`compilescope.coverage.${kind.state}`),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
    ...(kind.stale && { opacity: OPACITY_STALE }),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

/** One for each line: the words show over its indentation, so that the text keeps the hovers of its own. */
function decorations(
  result: CoverageResult,
  kind: MarkKind,
  document: vscode.TextDocument,
): vscode.DecorationOptions[] {
  return marks(result, kind, document.lineCount).flatMap(({ start, end, text }) => {
    const said = escapeMarkdown(text);
    const hoverMessage = new vscode.MarkdownString(
      start === end
        ? l10n.t('Line {0}, {1}', start + 1, said)
        : l10n.t('Lines {0} to {1}, {2}', start + 1, end + 1, said),
    );
    return Array.from({ length: end - start + 1 }, (_, index) => {
      const line = start + index;
      const indentation = document.lineAt(line).firstNonWhitespaceCharacterIndex;
      return { range: new vscode.Range(line, 0, line, indentation), hoverMessage };
    });
  });
}

function isPython(document: vscode.TextDocument): boolean {
  return document.languageId === 'python' && document.uri.scheme === 'file';
}
