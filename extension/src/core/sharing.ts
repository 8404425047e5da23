/** Handing a recording on as one file: what can be left out of it, and what it is called. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import { placeOf } from './address';
import type { PackResult, RunSummary } from '../protocol.gen';

export const PACK_ENDING = 'compilescope';

export interface LeaveOut {
  label: string;
  detail: string;
  /** As the server knows it. */
  leaves: string;
}

/** What a pack can leave out. */
export function kinds(): LeaveOut[] {
  return [
    {
      leaves: 'source',
      label: l10n.t('Source text'),
      detail: l10n.t('The text of your files, and every line of it that is quoted elsewhere'),
    },
    {
      leaves: 'paths',
      label: l10n.t('Paths, users and machines'),
      detail: l10n.t('Each folder becomes a token; names of files stay'),
    },
    {
      leaves: 'names',
      label: l10n.t('Names of files'),
      detail: l10n.t('With the paths: each file becomes a token, too'),
    },
    {
      leaves: 'payloads',
      label: l10n.t('Payloads of events'),
      detail: l10n.t('Graphs, code, guards and most findings: what stays is what was compiled, and how long it took'),
    },
  ];
}

/** `train.compilescope` for a run of `train.py`. */
export function packName(run: RunSummary | undefined, recording: string): string {
  const named = run?.script ?? placeOf(recording);
  const plain = path.basename(named).replace(/(?:\.(?:py|log|gz|zst|compilescope))+$/, '');
  return `${plain.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^\.+/, '') || 'recording'}.${PACK_ENDING}`;
}

/** What became of it; undefined when the user gave up. */
export function packedText({ file, words, leftOut }: PackResult): string | undefined {
  if (file === null) return undefined;
  const name = path.basename(file);
  return leftOut === ''
    ? l10n.t('{0} holds the whole recording ({1}), source text and paths included.', name, words)
    : l10n.t('{0} holds the recording ({1}) without: {2}.', name, words, leftOut);
}
