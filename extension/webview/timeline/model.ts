/** The timeline of a run: what is filtered in, and what there is to say of spans, ranges and lines. */
import * as l10n from '@vscode/l10n';
import type { TimelineMark, TimelineResult, TimelineStep } from '../../src/shared/messages';
import type { Columns, Lane, Mark } from '../shared/flame/spans';

/** Microseconds, the server's unit, in a second. */
export const UNIT = 1e6;

export interface Timeline {
  readonly result: TimelineResult;
  readonly count: number;
  readonly lanes: readonly Lane[];
  readonly columns: Columns;
  readonly open: ReadonlySet<number>;
  readonly steps: ReadonlyMap<number, TimelineStep>;
  /** The spans in each, in order. */
  readonly children: ReadonlyMap<number, readonly number[]>;
}

export function timelineOf(result: TimelineResult): Timeline {
  const { spans, texts, lanes, stages } = result;
  const count = spans.start.length;
  const children = new Map<number, number[]>();
  for (let span = 0; span < count; span++) {
    const parent = spans.parent[span];
    if (parent < 0) continue;
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [span]);
    else known.push(span);
  }
  return {
    result,
    count,
    lanes: lanes.map(({ name, rows, kind, process }) => ({ name, rows, group: `${process} ${kind}` })),
    columns: {
      lane: spans.lane,
      row: spans.row,
      start: spans.start,
      time: spans.time,
      colour: spans.stage.map((stage) => Math.min(stage, stages.length - 1)),
      label: (span) => texts[spans.label[span]] ?? '',
    },
    open: new Set(result.open),
    steps: new Map(result.steps.map((step) => [step.span, step])),
    children,
  };
}

export interface Filter {
  /** Compiles to show; null: all. */
  readonly compile: string | null;
  readonly text: string;
}

const text = ({ result }: Timeline, place: number): string | null => (place < 0 ? null : (result.texts[place] ?? null));

const MOST_LETTERS = 300;

/** A name that fits on a page, whatever is in the recording. */
const short = (name: string): string => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS)}…` : name);

export const labelOf = (timeline: Timeline, span: number): string => short(timeline.columns.label(span));
export const nameOf = (timeline: Timeline, span: number): string =>
  short(text(timeline, timeline.result.spans.name[span]) ?? '');
export const compileOf = (timeline: Timeline, span: number): string | null =>
  text(timeline, timeline.result.spans.compile[span]);
export const kernelOf = (timeline: Timeline, span: number): string | null =>
  text(timeline, timeline.result.spans.kernel[span]);
export const graphOf = (timeline: Timeline, span: number): string | null =>
  text(timeline, timeline.result.spans.graph[span]);
export const timeOf = (timeline: Timeline, span: number): number => timeline.result.spans.time[span];
export const placeOf = (timeline: Timeline, span: number): number => timeline.result.spans.place[span];

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

// --- walking ---------------------------------------------------------------------------------------------------------

export type Direction = 'parent' | 'child' | 'next' | 'previous';

/** The span that is next to another; null when there is none. Only `shown` ones. */
export function neighbour(
  timeline: Timeline,
  span: number,
  direction: Direction,
  shown: ((span: number) => boolean) | null,
): number | null {
  const { parent, lane, row } = timeline.result.spans;
  const is = (one: number): boolean => shown === null || shown(one);
  if (direction === 'parent') return parent[span] >= 0 && is(parent[span]) ? parent[span] : null;
  if (direction === 'child') return timeline.children.get(span)?.find(is) ?? null;
  const step = direction === 'next' ? 1 : -1;
  for (let at = span + step; at >= 0 && at < timeline.count; at += step) {
    if (lane[at] !== lane[span]) break;
    if (row[at] === row[span] && is(at)) return at;
  }
  return null;
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
