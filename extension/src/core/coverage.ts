/** What compile coverage shows in an editor: marks by kind, and the words about a file. */
import * as l10n from '@vscode/l10n';
import type { CoverageResult } from '../protocol.gen';

export const STATES = ['captured', 'eager', 'skipped', 'not_run'] as const;
export type CoverageState = (typeof STATES)[number];

/** A state, fresh or of lines that were edited since. Each has a shape of its own in the gutter. */
export interface MarkKind {
  state: CoverageState;
  stale: boolean;
}

/** Lines from 0, both included, and what to say of them. */
export interface Mark {
  start: number;
  end: number;
  text: string;
}

export const KINDS: readonly MarkKind[] = STATES.flatMap((state) => [
  { state, stale: false },
  { state, stale: true },
]);

/** The name of the icon and colour of a kind. */
export function iconName({ state, stale }: MarkKind): string {
  return stale ? `${state}_stale` : state;
}

export const LEGEND: Readonly<Record<CoverageState, { name: string; shape: string; means: string }>> = {
  captured: { name: l10n.t('captured'), shape: l10n.t('solid'), means: l10n.t('in a graph') },
  eager: { name: l10n.t('eager'), shape: l10n.t('dashed'), means: l10n.t('in Python, because a graph ends there') },
  skipped: { name: l10n.t('skipped'), shape: l10n.t('double'), means: l10n.t('the whole function runs in Python') },
  not_run: { name: l10n.t('not run'), shape: l10n.t('dotted'), means: l10n.t('no traced call came there') },
};

/** The marks of one kind; lines that the document does not have (it was just edited) are left out. */
export function marks(result: CoverageResult, kind: MarkKind, lineCount: number): Mark[] {
  return result.regions
    .filter(({ state, stale, start }) => state === kind.state && stale === kind.stale && start < lineCount)
    .map(({ start, end, text, stale }) => ({
      start,
      end: Math.min(end, lineCount - 1),
      text: markText(LEGEND[kind.state], text, stale ? result.run : null),
    }));
}

function markText({ name, shape }: { name: string; shape: string }, text: string, editedSince: string | null): string {
  return editedSince === null
    ? l10n.t('{0} ({1}): {2}', name, shape, text)
    : l10n.t('{0} ({1}): {2} (edited since, {3})', name, shape, text, editedSince);
}

/** `compiled 75 %`; what is not all of it never says 100, nor 0 what is not none. */
export function coverageText(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return l10n.t('no coverage');
  const shown = percent === 0 || percent === 100 ? percent : Math.min(Math.max(Math.round(percent), 1), 99);
  return l10n.t('compiled {0} %', shown);
}

/** The tooltip of the status bar, as Markdown without text of the program's: the run, the functions' share, a legend. */
export function coverageTooltip(result: CoverageResult | undefined): string {
  const known = result !== undefined && result.functions.length > 0;
  const about = known
    ? l10n.t('**Compile coverage** of this file, {0}', result.run)
    : l10n.t('No run on show knows a compiled function of this file. Trace it to see its coverage.');
  const rows = STATES.map((state) => {
    const { name, shape, means } = LEGEND[state];
    return `| ${name} | ${shape} | ${means} |`;
  });
  return [
    about,
    '',
    l10n.t('| State | Bar | |'),
    '|:--|:--|:--|',
    ...rows,
    '',
    l10n.t('Click to hide compile coverage.'),
  ].join('\n');
}
