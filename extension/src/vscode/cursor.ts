/** Where the user is in a Python file. */
import * as vscode from 'vscode';
import type { Cursor } from '../core/targets';

/** The cursor of the active Python editor; while something else is active, of one that can be seen. */
export function pythonCursor(): Cursor | null {
  const active = vscode.window.activeTextEditor;
  const editors = [...(active === undefined ? [] : [active]), ...vscode.window.visibleTextEditors];
  const editor = editors.find(({ document }) => document.uri.scheme === 'file' && document.languageId === 'python');
  if (editor === undefined) return null;
  const { document, selection } = editor;
  return { file: document.uri.fsPath, line: selection.active.line, text: document.getText().split(/\r\n|\r|\n/) };
}
