/** What is filtered in as a trace that Perfetto opens (Chrome's trace event format, JSON). */
import { compileOf, graphOf, kernelOf, labelOf, nameOf, type Timeline } from '../shared/flame/timeline';
import { type Filter, foundBy, marksOf, shownBy } from './model';

type Event = Record<string, unknown>;

/** The trace: a process for each of the run, a thread for each lane, an instant for each mark. */
export function perfetto(timeline: Timeline, filter: Filter): string {
  const shown = shownBy(timeline, filter);
  const found = foundBy(timeline, filter);
  const spans: number[] = [];
  for (let span = 0; span < timeline.count; span++) {
    if ((shown === null || shown(span)) && (found === null || found(span))) spans.push(span);
  }
  const used = new Set(spans.map((span) => timeline.result.spans.lane[span]));
  const events = [
    ...names(timeline, used),
    ...spans.map((span) => spanEvent(timeline, span)),
    ...marksOf(timeline, filter).map((mark): Event => {
      const lane = Math.max(
        timeline.result.lanes.findIndex(({ process }) => process === mark.process),
        0,
      );
      return { ph: 'i', s: 'g', name: mark.text, cat: mark.kind, pid: mark.process, tid: lane, ts: mark.time };
    }),
  ];
  return JSON.stringify({ traceEvents: events, displayTimeUnit: 'ms' });
}

function names({ result }: Timeline, used: ReadonlySet<number>): Event[] {
  return result.lanes.flatMap((lane, number): Event[] => {
    if (!used.has(number)) return [];
    const base = { ph: 'M', pid: lane.process, tid: number };
    const process = lane.rank === null ? `process ${lane.pid ?? lane.process}` : `rank ${lane.rank}`;
    return [
      { ...base, name: 'process_name', args: { name: process } },
      { ...base, name: 'thread_name', args: { name: lane.name } },
      { ...base, name: 'thread_sort_index', args: { sort_index: number } },
    ];
  });
}

function spanEvent(timeline: Timeline, span: number): Event {
  const { spans, places, stages, lanes } = timeline.result;
  const step = timeline.steps.get(span);
  const place = spans.place[span] < 0 ? undefined : places[spans.place[span]];
  const args: Event = {
    compile_id: compileOf(timeline, span),
    name: nameOf(timeline, span),
    graph: graphOf(timeline, span),
    kernel: kernelOf(timeline, span),
    line: place === undefined ? null : `${place.file}:${place.line}`,
    nodes_before: step?.nodesBefore ?? null,
    nodes_after: step?.nodesAfter ?? null,
    changed: step?.changed ?? null,
  };
  return {
    ph: 'X',
    name: labelOf(timeline, span),
    cat: stages[spans.stage[span]].title,
    ts: spans.start[span],
    dur: spans.time[span],
    pid: lanes[spans.lane[span]].process,
    tid: spans.lane[span],
    args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
  };
}
