/** Asks which folder to watch, or to watch no longer. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileOf } from '../core/trace';
import type { Watching } from '../core/watching';

export async function startWatching(watching: Watching, argument: unknown): Promise<void> {
  const path = fileOf(argument) ?? (await ask());
  if (path !== undefined) await watching.start(path);
}

/** Stops the only folder at once, and asks for one of several. */
export async function stopWatching(watching: Watching): Promise<void> {
  const paths = watching.folders.map(({ path }) => path);
  const chosen =
    paths.length < 2 ? paths[0] : await vscode.window.showQuickPick(paths, { title: l10n.t('Stop Watching') });
  if (chosen !== undefined) await watching.stop(chosen);
}

async function ask(): Promise<string | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Watch Trace Folder'),
    openLabel: l10n.t('Watch'),
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return chosen?.[0]?.fsPath;
}
