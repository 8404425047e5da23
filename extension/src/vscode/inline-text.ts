/** Dimmed words after each line with a finding, taken from the diagnostics and so moving with them. */
import * as vscode from 'vscode';
import type { InlineFinding } from '../core/inline-text';
import { inlineText } from '../core/inline-text';
import { inlineTextEnabled, onSettings } from './configuration';

/** A diagnostic as the language client makes it: with the server's data. */
type WithData = vscode.Diagnostic & { data?: Partial<InlineFinding> };

export class InlineText implements vscode.Disposable {
  readonly #type = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      fontStyle: 'italic',
      margin: '0 0 0 3em',
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  readonly #findings = new Map<string, WithData[]>();
  readonly #disposables: { dispose(): unknown }[];

  constructor() {
    this.#disposables = [
      this.#type,
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.#drawAll();
      }),
      onSettings(['inlineText'], () => {
        this.#drawAll();
      }),
    ];
  }

  /** The server's diagnostics of one file, as they are published. */
  set(uri: vscode.Uri, diagnostics: vscode.Diagnostic[]): void {
    if (diagnostics.length === 0) this.#findings.delete(uri.toString());
    else this.#findings.set(uri.toString(), diagnostics);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === uri.toString()) this.#draw(editor);
    }
  }

  clear(): void {
    this.#findings.clear();
    this.#drawAll();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #drawAll(): void {
    for (const editor of vscode.window.visibleTextEditors) this.#draw(editor);
  }

  #draw(editor: vscode.TextEditor): void {
    const { document } = editor;
    const diagnostics = inlineTextEnabled(document.uri) ? this.#findings.get(document.uri.toString()) : undefined;
    const lines = new Map<number, InlineFinding[]>();
    for (const { range, data } of diagnostics ?? []) {
      if (data?.rule === undefined || range.start.line >= document.lineCount) continue;
      const finding = { rule: data.rule, count: data.count ?? 0, costS: data.costS ?? 0, from: data.from ?? null };
      lines.set(range.start.line, [...(lines.get(range.start.line) ?? []), finding]);
    }
    const options = [...lines].flatMap(([line, findings]): vscode.DecorationOptions[] => {
      const contentText = inlineText(findings);
      const { end } = document.lineAt(line).range;
      return contentText === ''
        ? []
        : [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText } } }];
    });
    editor.setDecorations(this.#type, options);
  }
}
