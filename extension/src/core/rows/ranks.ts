/** Rows that say where the ranks of a job differ, and which was the slowest. */
import * as l10n from '@vscode/l10n';
import type { RankNote } from '../../protocol.gen';
import type { Row } from './row';
import { WARNING, lines, noteRow } from './row';

/** The row that holds the others; its description is the first note, which counts them. */
export function ranksRow(recording: string, ranks: readonly RankNote[]): Row {
  const differ = ranks.some(({ groups }) => groups.length > 0);
  return {
    ...noteRow(`${recording}\nranks`, l10n.t('Ranks'), 0),
    description: ranks[0]?.title ?? '',
    icon: 'server-process',
    ...(differ ? { color: WARNING } : {}),
    branch: ranks.length > 1,
    kind: 'ranks',
    command: showing(recording),
  };
}

export function rankRow(recording: string, note: RankNote, index: number): Row {
  return {
    ...noteRow(`${recording}\nranks`, note.title, index + 1),
    tooltip: lines(note.title, ...note.groups),
    icon: note.groups.length > 0 ? 'diff' : 'watch',
    branch: note.groups.length > 0,
    command: showing(recording),
  };
}

/** Opens the page about the ranks. */
function showing(recording: string): NonNullable<Row['command']> {
  return { command: 'compilescope.showRanks', arguments: [{ recording }] };
}
