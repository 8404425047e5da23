/** The timeline of a run: what is filtered in, and what there is to say of spans, ranges and lines. */
import * as l10n from '@vscode/l10n';
import type { TimelineMark } from '../../src/shared/messages';
import type { Mark } from '../shared/flame/spans';
import { type Timeline } from '../shared/flame/timeline';

export interface Filter {
  /** Compiles to show; null: all. */
  readonly compile: string | null;
  readonly text: string;
}

/** Which spans are of the compiles that are shown; null: all are. */
export function shownBy(timeline: Timeline, { compile }: Filter): ((span: number) => boolean) | null {
  if (compile === null) return null;
  const wanted = timeline.result.texts.indexOf(compile);
  const { compile: column } = timeline.result.spans;
  return (span) => column[span] === wanted;
}

/** Which spans a text is in: their labels, torch's names, kernels and lines; null without a text. */
export function foundBy(timeline: Timeline, { text: wanted }: Filter): ((span: number) => boolean) | null {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const { spans, texts, places } = timeline.result;
  const inText = texts.map((one) => one.toLowerCase());
  const inPlace = places.map((one) => `${one.file}:${one.line} ${one.text}`.toLowerCase());
  const known = new Map<string, boolean>();
  return (span) => {
    const { label, name, kernel, place } = spans;
    const key = `${label[span]} ${name[span]} ${kernel[span]} ${place[span]}`;
    let found = known.get(key);
    if (found === undefined) {
      const all = [
        inText[label[span]],
        inText[name[span]],
        inText[kernel[span]] ?? '',
        inPlace[place[span]] ?? '',
      ].join(' ');
      found = words.every((word) => all.includes(word));
      known.set(key, found);
    }
    return found;
  };
}

/** The marks of the compiles that are shown, and those of no compile. */
export function marksOf({ result }: Timeline, { compile }: Filter): TimelineMark[] {
  return result.marks.filter(({ compileId }) => compile === null || compileId === null || compileId === compile);
}

export const chartMark = ({ time, text: words, kind }: TimelineMark): Mark => ({
  time,
  text: words,
  strong: kind !== 'first',
});

/** Time of each stage between two moments, over all threads: each moment counts for the innermost span. */
export function sums(
  { result, count }: Timeline,
  [from, to]: readonly [number, number],
  shown: ((span: number) => boolean) | null,
): number[] {
  const { start, time, stage, parent } = result.spans;
  const found = result.stages.map(() => 0);
  const overlap = (span: number): number =>
    Math.max(0, Math.min(start[span] + time[span], to) - Math.max(start[span], from));
  for (let span = 0; span < count; span++) {
    if (shown !== null && !shown(span)) continue;
    const inside = overlap(span);
    if (inside === 0) continue;
    found[stage[span]] += inside;
    if (parent[span] >= 0 && (shown === null || shown(parent[span]))) found[stage[parent[span]]] -= inside;
  }
  return found;
}

// --- lines -----------------------------------------------------------------------------------------------------------

export interface CostRow {
  readonly key: string;
  /** Place in the result's places; null for what is of the whole graph. */
  readonly place: number | null;
  readonly what: string;
  readonly time: number;
  /** Time of each stage. */
  readonly stages: readonly number[];
}

/** The costs of the compiles that are shown, by line, the dearest first; together they are all of the time. */
export function costRows({ result }: Timeline, { compile }: Filter): CostRow[] {
  const rows = new Map<string, { place: number | null; what: string; stages: number[] }>();
  for (const { compileId, place, what, stage, time } of result.costs) {
    if (compile !== null && compileId !== compile) continue;
    const key = place === null ? `whole ${what}` : `line ${place}`;
    let row = rows.get(key);
    if (row === undefined) {
      row = { place, what, stages: result.stages.map(() => 0) };
      rows.set(key, row);
    }
    row.stages[stage] += time;
  }
  return [...rows]
    .map(([key, row]) => ({ ...row, key, time: row.stages.reduce((a, b) => a + b, 0) }))
    .sort((a, b) => b.time - a.time);
}

/** The part of T_total, in order, that are known. */
export function parts({ result }: Timeline): { key: string; title: string; seconds: number }[] {
  const all = [
    { key: 'capture', title: l10n.t('capture'), seconds: result.capture },
    { key: 'codegen', title: l10n.t('compile'), seconds: result.compile },
    { key: 'guard', title: l10n.t('guard'), seconds: result.guard },
    { key: 'execute', title: l10n.t('execute'), seconds: result.execute },
  ];
  return all.flatMap((one) => (one.seconds === null ? [] : [{ ...one, seconds: one.seconds }]));
}
