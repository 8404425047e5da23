/** Asks where to save a file that a panel has made, and writes it. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { MadeFile } from '../shared/messages';

/** Rejects when the file can't be written; does nothing when the user gives no place. */
export async function saveFile({ name, content, encoding }: MadeFile): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const proposed = path.basename(name).replace(/[^\w.-]+/g, '-');
  const uri = await vscode.window.showSaveDialog({
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, proposed) }),
  });
  if (uri === undefined) return;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(content, encoding));
  vscode.window.setStatusBarMessage(l10n.t('$(check) Saved {0}', path.basename(uri.path)), 5_000);
}
