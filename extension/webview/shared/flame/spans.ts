/** Spans of a flame chart in columns, found by binary search. Times are numbers of any one unit. */

export interface Lane {
  readonly name: string;
  /** How deep it nests. */
  readonly rows: number;
  /** Lanes of another group have a line between them. */
  readonly group: string;
}

/** Columns of equal length. Spans of one row of a lane never overlap, and come by their start. */
export interface Columns {
  readonly lane: ArrayLike<number>;
  readonly row: ArrayLike<number>;
  readonly start: ArrayLike<number>;
  readonly time: ArrayLike<number>;
  /** Place of a colour. */
  readonly colour: ArrayLike<number>;
  readonly label: (span: number) => string;
}

/** What happened at one moment, for a line through all lanes. */
export interface Mark {
  readonly time: number;
  readonly text: string;
  readonly strong: boolean;
}

/** One row of a lane, with its spans by start. */
export interface Track {
  readonly lane: number;
  readonly row: number;
  readonly spans: Uint32Array;
}

/** The tracks of the spans that `shown` lets through, by lane and row. */
export function tracksOf(
  lanes: readonly Lane[],
  columns: Columns,
  shown: ((span: number) => boolean) | null = null,
): Track[] {
  const lists = lanes.map(({ rows }) => Array.from({ length: rows }, (): number[] => []));
  for (let span = 0; span < columns.start.length; span++) {
    if (shown === null || shown(span)) lists[columns.lane[span]]?.[columns.row[span]]?.push(span);
  }
  return lists.flatMap((rows, lane) => rows.map((spans, row) => ({ lane, row, spans: Uint32Array.from(spans) })));
}

const end = (columns: Columns, span: number): number => columns.start[span] + columns.time[span];

/** Place in `track` of the first span that ends after `time`, at `from` or later; the length when there is none. */
export function firstAfter({ spans }: Track, columns: Columns, time: number, from = 0): number {
  let low = from;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end(columns, spans[middle]) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The span of a track at `time`, or the nearest within `reach`; null without one. */
export function spanAt(track: Track, columns: Columns, time: number, reach: number): number | null {
  const after = firstAfter(track, columns, time - reach);
  let best: number | null = null;
  let nearest = reach;
  for (let at = after; at < track.spans.length; at++) {
    const span = track.spans[at];
    const distance = Math.max(columns.start[span] - time, time - end(columns, span), 0);
    if (columns.start[span] > time + reach) break;
    if (distance < nearest || (distance === 0 && best === null)) [best, nearest] = [span, distance];
    if (distance === 0) break;
  }
  return best;
}

/** What there is to draw of a track: a span, or several that are closer together than a pixel. */
export interface Block {
  readonly span: number;
  /** How many spans there are in it. */
  count: number;
  from: number;
  to: number;
}

/** The blocks of a track between two times, with `scale` pixels for each unit of time: no more than there are pixels. */
export function blocksOf(track: Track, columns: Columns, from: number, to: number, scale: number): Block[] {
  const blocks: Block[] = [];
  const pixel = 1 / scale;
  let at = firstAfter(track, columns, from);
  while (at < track.spans.length) {
    const span = track.spans[at];
    const start = columns.start[span];
    if (start >= to) break;
    if (columns.time[span] >= pixel) {
      blocks.push({ span, count: 1, from: start, to: start + columns.time[span] });
      at++;
      continue;
    }
    const next = nextAfter(track, columns, start + pixel, at + 1);
    const last = track.spans[next - 1];
    const previous = blocks.at(-1);
    const upTo = Math.min(end(columns, last), Math.max(start + pixel, end(columns, last)));
    if (previous !== undefined && previous.count > 1 && start - previous.to < pixel) {
      previous.count += next - at;
      previous.to = upTo;
    } else blocks.push({ span, count: next - at, from: start, to: upTo });
    at = next;
  }
  return blocks;
}

/** Place of the first span at `from` or later that begins at `time` or later, or that is a pixel wide itself. */
function nextAfter({ spans }: Track, columns: Columns, time: number, from: number): number {
  let low = from;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (columns.start[spans[middle]] >= time) high = middle;
    else low = middle + 1;
  }
  // The last one may be wide: then it is drawn by itself.
  const pixel = time - columns.start[spans[from - 1]];
  return low > from && columns.time[spans[low - 1]] >= pixel ? low - 1 : low;
}
