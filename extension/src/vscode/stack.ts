/** The call stack of a finding in a list: the chosen frame opens. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { stackIn } from '../core/stack';
import type { Sources } from './sources';

export async function showStack(argument: unknown, sources: Sources): Promise<void> {
  const frames = stackIn(argument);
  const items = frames.map((frame) => ({
    label: frame.function === '' ? '<module>' : frame.function,
    description: `${path.basename(frame.file)}:${String(frame.line + 1)}`,
    detail: vscode.workspace.asRelativePath(frame.file),
    frame,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: l10n.t('Call stack, innermost first'),
    placeHolder: l10n.t('Open a frame'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen === undefined) return;
  const { file, line } = chosen.frame;
  await sources.open({ file, line, column: -1, endLine: line, endColumn: -1 });
}
