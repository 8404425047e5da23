/** The editor's part in fixing: messages, the difference, undo, and the note beside a change. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { FixHost } from '../core/fixing';
import { lineAfter } from '../core/fixing';
import type { Problem } from '../core/problem';
import type { Server } from '../core/server';
import type { FixedFile } from '../protocol.gen';
import { traceSettings } from './configuration';
import type { TraceProgress } from './trace-host';

const SCHEME = 'compilescope-text';
const KEPT = 20;

/** Texts that belong to no file: what a file was before a fix, values that differed. */
class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  #count = 0;

  add(name: string, text: string): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: String(this.#count) });
    this.#texts.set(uri.toString(), text);
    const oldest = [...this.#texts.keys()].slice(0, -KEPT);
    for (const one of oldest) this.#texts.delete(one);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

/** What was proven, beside the change, until that line is edited. */
class Notes implements vscode.Disposable {
  readonly #type = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('terminal.ansiGreen'), margin: '0 0 0 3em' },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  readonly #notes = new Map<string, { line: number; text: string }>();
  readonly #disposables: { dispose(): unknown }[];

  constructor() {
    this.#disposables = [
      this.#type,
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#edited(event);
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.#draw();
      }),
    ];
  }

  set(file: string, line: number, text: string): void {
    this.#notes.set(file, { line, text });
    this.#draw();
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const file = document.uri.fsPath;
    const note = this.#notes.get(file);
    if (note === undefined) return;
    let line: number | undefined = note.line;
    for (const { range, text } of contentChanges) {
      const added = text.split('\n').length - 1;
      line = line === undefined ? line : lineAfter(line, { first: range.start.line, last: range.end.line, added });
    }
    if (line === undefined) this.#notes.delete(file);
    else this.#notes.set(file, { ...note, line });
    this.#draw();
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const note = this.#notes.get(editor.document.uri.fsPath);
      const options: vscode.DecorationOptions[] = [];
      if (note !== undefined && note.line < editor.document.lineCount) {
        const { end } = editor.document.lineAt(note.line).range;
        const renderOptions = { after: { contentText: `✓ ${note.text}` } };
        options.push({ range: new vscode.Range(end, end), renderOptions });
      }
      editor.setDecorations(this.#type, options);
    }
  }
}

export class FixEditor implements FixHost, vscode.Disposable {
  readonly #texts = new Texts();
  readonly #notes = new Notes();

  constructor(
    private readonly server: Server,
    private readonly progress: TraceProgress,
    private readonly parts: { python(file: string): Promise<string>; report(problem: Problem): void },
  ) {}

  trusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  async settings(file: string): ReturnType<FixHost['settings']> {
    return { python: await this.parts.python(file), env: traceSettings(file).env };
  }

  applyFix(params: Parameters<FixHost['applyFix']>[0]): ReturnType<FixHost['applyFix']> {
    return this.server.request('compilescope/applyFix', params);
  }

  fixAndVerify(params: Parameters<FixHost['fixAndVerify']>[0]): ReturnType<FixHost['fixAndVerify']> {
    return this.progress.during(l10n.t('Verifying a fix'), false, (signal) => {
      const cancel = (): void => void this.server.request('compilescope/cancel', {}).catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      return this.server.request('compilescope/fixAndVerify', params);
    });
  }

  async say(tone: 'information' | 'warning', message: string, buttons: string[]): Promise<string | undefined> {
    return tone === 'information'
      ? vscode.window.showInformationMessage(message, ...buttons)
      : vscode.window.showWarningMessage(message, ...buttons);
  }

  report(problem: Problem): void {
    this.parts.report(problem);
  }

  async showDiff(files: FixedFile[]): Promise<void> {
    const pairs = files.map(({ file, before }): [vscode.Uri, vscode.Uri] => [
      this.#texts.add(path.basename(file), before),
      vscode.Uri.file(file),
    ]);
    const [first] = pairs;
    if (first === undefined) return;
    const [before, after] = first;
    const title = l10n.t('{0}: before and after the fix', path.basename(after.fsPath));
    if (pairs.length === 1)
      await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
    else
      await vscode.commands.executeCommand(
        'vscode.changes',
        'Fixes',
        pairs.map(([old, now]) => [now, old, now]),
      );
  }

  async undo(files: FixedFile[]): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    for (const { file, before, after } of files) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
      const text = document.getText();
      if (withoutReturns(text) !== withoutReturns(after)) return false;
      edit.replace(document.uri, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), before);
    }
    return vscode.workspace.applyEdit(edit);
  }

  async showValues(text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#texts.add('values that differ.txt', text));
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  mark(file: FixedFile, note: string): void {
    this.#notes.set(vscode.Uri.file(file.file).fsPath, file.line, note);
  }

  dispose(): void {
    this.#texts.dispose();
    this.#notes.dispose();
  }
}

/** The page about a finding: torch's in the browser, our own as a preview. Anything else is not opened. */
export async function explain(argument: unknown, own: vscode.Uri): Promise<void> {
  const href = (argument as { href?: unknown } | null | undefined)?.href;
  if (typeof href !== 'string') return;
  const uri = vscode.Uri.parse(href);
  const inside = uri.scheme === 'file' && uri.fsPath.startsWith(own.fsPath + path.sep) && uri.path.endsWith('.md');
  if (inside) await vscode.commands.executeCommand('markdown.showPreview', uri);
  else if (uri.scheme === 'https') await vscode.env.openExternal(uri);
}

/** The editor may have given a file line ends of its own. */
function withoutReturns(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
