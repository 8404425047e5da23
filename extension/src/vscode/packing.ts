/** *Pack Recording…*: asks what to leave out and where to put it, and has the server write one file. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordingOf } from '../core/arguments';
import { noRecording } from '../core/problem';
import type { Server } from '../core/server';
import { PACK_ENDING, kinds, packName, packedText } from '../core/sharing';
import type { RunSummary } from '../protocol.gen';
import { notify } from './problems';

export interface Packer {
  server: Server;
  /** The runs, newest first, as they are known now. */
  runs: () => readonly RunSummary[];
  newest: () => Promise<string | null>;
}

export async function packRecording(packer: Packer, argument: unknown): Promise<void> {
  const recording = recordingOf(argument)?.recording ?? (await packer.newest());
  if (recording === null) {
    await notify(noRecording);
    return;
  }
  packer.server.assertThere(recording);
  const chosen = await vscode.window.showQuickPick(kinds(), {
    title: l10n.t('Pack Recording: what to leave out'),
    placeHolder: l10n.t('None: the file holds all of it, with source text and paths'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return;
  const file = await place(
    packName(
      packer.runs().find((run) => run.recording === recording),
      recording,
    ),
  );
  if (file === undefined) return;
  const leaveOut = chosen.map(({ leaves }) => leaves);
  const result = await packer.server.request('compilescope/pack', { recording, file: file.fsPath, leaveOut });
  if (result.problem !== null) await notify(result.problem);
  const said = packedText(result);
  if (said !== undefined) await tell(said, file);
}

async function place(name: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: l10n.t('Pack Recording'),
    saveLabel: l10n.t('Pack'),
    filters: { Compilescope: [PACK_ENDING] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
}

async function tell(said: string, file: vscode.Uri): Promise<void> {
  const [reveal, copy] = [l10n.t('Reveal'), l10n.t('Copy Path')];
  const picked = await vscode.window.showInformationMessage(said, reveal, copy);
  if (picked === copy) await vscode.env.clipboard.writeText(file.fsPath);
  if (picked !== reveal) return;
  const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  await vscode.commands.executeCommand(isHere ? 'revealFileInOS' : 'revealInExplorer', file);
}
