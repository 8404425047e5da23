/** The timeline of a run as the flame charts have it: spans in columns, what is known of one, and its neighbours. */
import type { TimelineResult, TimelineStep } from '../../../src/shared/messages';
import type { Columns, Lane } from './spans';

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

export const textOf = ({ result }: Timeline, place: number): string | null =>
  place < 0 ? null : (result.texts[place] ?? null);

const MOST_LETTERS = 300;

/** A name that fits on a page, whatever is in the recording. */
const short = (name: string): string => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS)}…` : name);

export const labelOf = (timeline: Timeline, span: number): string => short(timeline.columns.label(span));
export const nameOf = (timeline: Timeline, span: number): string =>
  short(textOf(timeline, timeline.result.spans.name[span]) ?? '');
export const compileOf = (timeline: Timeline, span: number): string | null =>
  textOf(timeline, timeline.result.spans.compile[span]);
export const kernelOf = (timeline: Timeline, span: number): string | null =>
  textOf(timeline, timeline.result.spans.kernel[span]);
export const graphOf = (timeline: Timeline, span: number): string | null =>
  textOf(timeline, timeline.result.spans.graph[span]);
export const timeOf = (timeline: Timeline, span: number): number => timeline.result.spans.time[span];
export const placeOf = (timeline: Timeline, span: number): number => timeline.result.spans.place[span];

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
