/** A short text diff of two snapshots, for the preview. */
import * as l10n from '@vscode/l10n';
import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Lines that were left out. */
  readonly rest: number;
}

export const MAX_LINES = 200;
const CONTEXT = 3;
const TIMEOUT_MS = 800;

/** The changed lines with three around them; null when that would take too long. */
export function shortDiff(before: string, after: string): Diff | null {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, timeout: TIMEOUT_MS });
  if (!patch) return null;
  const lines: DiffLine[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of patch.hunks) {
    let [a, b] = [hunk.oldStart, hunk.newStart];
    lines.push({ kind: 'hunk', before: null, after: null, text: l10n.t('line {0}', b) });
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith('+')) {
        added++;
        lines.push({ kind: 'added', before: null, after: b++, text });
      } else if (line.startsWith('-')) {
        removed++;
        lines.push({ kind: 'removed', before: a++, after: null, text });
      } else if (line.startsWith(' ')) lines.push({ kind: 'same', before: a++, after: b++, text });
    }
  }
  return { lines: lines.slice(0, MAX_LINES), added, removed, rest: Math.max(0, lines.length - MAX_LINES) };
}
