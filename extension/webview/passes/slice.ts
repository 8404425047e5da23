/** The part of a run's timeline that one compile is, by itself. */
import type { TimelineResult } from '../../src/shared/messages';

/** Spans of a compile that no other span of it lies around, as times without a gap, and what comes before each. */
interface Stretch {
  readonly from: number;
  to: number;
  /** Time until `from` in which the compile did nothing. */
  readonly idle: number;
}

/**
 * The timeline of one compile: what the threads of the program did for it. Time begins with the compile, and time in
 * which it did nothing, as between its forward and its backward graph, is left out. Workers and calls are, too.
 */
export function sliceOf(result: TimelineResult, compileId: string): TimelineResult {
  const { spans, lanes } = result;
  const wanted = result.texts.indexOf(compileId);
  const own: number[] = [];
  for (let span = 0; span < spans.start.length; span++) {
    if (wanted >= 0 && spans.compile[span] === wanted && lanes[spans.lane[span]].kind === 'thread') own.push(span);
  }
  const process = processOf(result, own);
  const kept = own.filter((span) => lanes[spans.lane[span]].process === process);
  const places = new Map(kept.map((span, place) => [span, place]));
  const parents = kept.map((span) => parentIn(spans.parent, span, places));
  const stretches = stretchesOf(
    kept.filter((_, at) => parents[at] < 0).map((span) => [spans.start[span], spans.time[span]]),
  );
  const used = [...new Set(kept.map((span) => spans.lane[span]))].sort((a, b) => a - b);
  const rows = new Map(used.map((lane) => [lane, rowsOf(result, kept, lane)]));
  const column = (values: readonly number[]): number[] => kept.map((span) => values[span]);
  return {
    ...result,
    time: stretches.reduce((sum, { from, to }) => sum + to - from, 0),
    lanes: used.map((lane) => ({
      ...lanes[lane],
      name: used.length > 1 ? lanes[lane].name : '',
      rows: rows.get(lane)!.count,
    })),
    spans: {
      lane: kept.map((span) => used.indexOf(spans.lane[span])),
      row: kept.map((span) => spans.row[span] - rows.get(spans.lane[span])!.first),
      parent: parents,
      start: kept.map((span) => spans.start[span] - idleBefore(stretches, spans.start[span])),
      time: column(spans.time),
      own: column(spans.own),
      stage: column(spans.stage),
      name: column(spans.name),
      label: column(spans.label),
      compile: column(spans.compile),
      graph: column(spans.graph),
      kernel: column(spans.kernel),
      place: column(spans.place),
    },
    open: result.open.flatMap((span) => places.get(span) ?? []),
    steps: result.steps.flatMap((step) => {
      const span = places.get(step.span);
      return span === undefined ? [] : [{ ...step, span }];
    }),
    marks: [],
    costs: [],
  };
}

/** Of several processes that made this compile, as in a run on several ranks, the first one with passes. */
function processOf({ spans, lanes, steps }: TimelineResult, own: readonly number[]): number | null {
  const withSteps = new Set(steps.map(({ span }) => span));
  const first = own.find((span) => withSteps.has(span)) ?? own.at(0);
  return first === undefined ? null : lanes[spans.lane[first]].process;
}

/** Place of the nearest span around another that is kept; -1 without one. */
function parentIn(parents: readonly number[], span: number, places: ReadonlyMap<number, number>): number {
  // A parent stands before what lies in it: this ends for every input.
  for (let at = parents[span], last = span; at >= 0 && at < last; last = at, at = parents[at]) {
    const place = places.get(at);
    if (place !== undefined) return place;
  }
  return -1;
}

function rowsOf({ spans }: TimelineResult, kept: readonly number[], lane: number): { first: number; count: number } {
  let [first, last] = [Infinity, 0];
  for (const span of kept) {
    if (spans.lane[span] !== lane) continue;
    first = Math.min(first, spans.row[span]);
    last = Math.max(last, spans.row[span]);
  }
  return { first, count: last - first + 1 };
}

function stretchesOf(roots: (readonly [number, number])[]): Stretch[] {
  const found: Stretch[] = [];
  for (const [start, time] of roots.sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last !== undefined && start <= last.to) last.to = Math.max(last.to, start + time);
    else found.push({ from: start, to: start + time, idle: (last?.idle ?? 0) + start - (last?.to ?? 0) });
  }
  return found;
}

function idleBefore(stretches: readonly Stretch[], time: number): number {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stretches[middle].from <= time) low = middle + 1;
    else high = middle;
  }
  return stretches.at(Math.max(low - 1, 0))?.idle ?? 0;
}
