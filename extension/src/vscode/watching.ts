/** Folders that are watched: by the server, and how the user names and stops them. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { fileOf } from '../core/trace';
import type { Server } from '../core/server';
import { Watching, watchingText } from '../core/watching';
import { watchFolders } from './configuration';
import { notify } from './problems';

/** `changed`: something about the folders is other than before. */
export function watchingBy(server: Server, memory: vscode.Memento, changed: () => void): Watching {
  const watching = new Watching({
    memory,
    running: () => server.state.name === 'running',
    wanted: watchFolders,
    watch: async (path) => {
      watching.told((await server.request('compilescope/watch', { path })).folders);
    },
    unwatch: async (path) => {
      await server.request('compilescope/unwatch', { path });
    },
    changed,
    report: (problem) => void notify(problem),
  });
  return watching;
}

/** One line for each folder, those of the workspace by their path in it. */
export function watchedText(watching: Watching): string {
  return watchingText(watching.folders, (path) => vscode.workspace.asRelativePath(path));
}

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
