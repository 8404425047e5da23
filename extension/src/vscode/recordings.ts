/** Opens recordings that are already there. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { OpenRecordingResult } from '../protocol.gen';
import type { Server } from '../core/server';
import { fileOf } from '../core/trace';

/** Asks for a recording where the argument names none, and hands it to the server. Undefined: the user gave up. */
export async function openRecording(server: Server, argument: unknown): Promise<OpenRecordingResult | undefined> {
  const path = fileOf(argument) ?? (await ask());
  return path === undefined ? undefined : server.request('compilescope/openRecording', { path });
}

async function ask(): Promise<string | undefined> {
  const kind = await vscode.window.showQuickPick(
    [
      { label: l10n.t('$(folder) Folder'), description: l10n.t('a recording, or a TORCH_TRACE folder'), folder: true },
      {
        label: l10n.t('$(file) File'),
        description: l10n.t('a TORCH_TRACE log, also .gz or .zst, or a pack'),
        folder: false,
      },
    ],
    { title: l10n.t('Open Recording'), placeHolder: l10n.t('Nothing is run: a recording is only read') },
  );
  if (kind === undefined) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Open Recording'),
    openLabel: l10n.t('Open Recording'),
    canSelectFiles: !kind.folder,
    canSelectFolders: kind.folder,
    canSelectMany: false,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return chosen?.[0]?.fsPath;
}
