/** Opens recordings that are already there. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isJob } from '../core/address';
import type { JobInfo, OpenRecordingResult } from '../protocol.gen';
import type { Server } from '../core/server';
import { fileOf } from '../core/trace';

/**
 * Asks for a recording where the argument names none, and for a folder that holds several, which of them; hands them to
 * the server, the newest last. None: the user gave up.
 */
export async function openRecordings(
  server: Server,
  argument: unknown,
  { many }: { many: boolean },
): Promise<OpenRecordingResult[]> {
  const asked = fileOf(argument) ?? (await ask());
  const chosen = asked === undefined ? [] : await choose(server, asked, many);
  const opened: OpenRecordingResult[] = [];
  for (const one of chosen) opened.push(await server.request('compilescope/openRecording', { path: one }));
  return opened;
}

/** What to open of a path, the newest last. */
async function choose(server: Server, asked: string, many: boolean): Promise<string[]> {
  const { jobs } = await server.request('compilescope/jobs', { path: asked });
  if (jobs.length === 0) return [asked];
  const name = path.basename(asked);
  const items = jobs.map((job, index) => ({ ...itemOf(job), picked: index === 0 }));
  const options = {
    title: l10n.t('Open Recording'),
    placeHolder: jobs.some(({ recording }) => isJob(recording))
      ? l10n.t('{0} holds the logs of {1} jobs', name, jobs.length)
      : l10n.t('{0} holds {1} recordings', name, jobs.length),
    matchOnDescription: true,
    ignoreFocusOut: true,
  };
  const picked = many
    ? await vscode.window.showQuickPick(items, { ...options, canPickMany: true })
    : [await vscode.window.showQuickPick(items, options)];
  return (picked ?? []).flatMap((one) => (one === undefined ? [] : [one.recording])).reverse();
}

function itemOf({ title, words, recording }: JobInfo): { label: string; description: string; recording: string } {
  return { label: title, description: words, recording };
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
