/**
 * Edges of one level as right-angled paths. A short edge goes through the gap between its rows; a long one runs down a
 * free channel beside the boxes between, or along the side of the level. Edges of one source share their way.
 */
import { anchorOf, type Layout, type LayoutEdge, type LayoutItem, type LayoutOptions } from './layout';

export interface Placed {
  readonly items: readonly LayoutItem[];
  readonly edges: readonly LayoutEdge[];
  readonly row: Int32Array;
  readonly rows: readonly number[][];
  readonly x: Float64Array;
  readonly options: LayoutOptions;
}

const TRACK = 6;
const LANE = 7;
const CLEAR = 7;
const GAP = 15;
const MAX_TRACKS = 10;
/** An edge over more rows than this goes straight to the side. */
const MAX_SEARCH = 60;
const CORNER = 10;
const MARGIN = 14;
/** Long edges into an item with more inputs than this share one way. */
const MANY_INPUTS = 6;

type Side = 'left' | 'right' | 'vertical';

interface Way {
  readonly edge: number;
  /** Where it leaves and enters, and the channel between. */
  outX: number;
  inX: number;
  channel: number;
  outSide: Side;
  inSide: Side;
  outTrack: number;
  inTrack: number;
}

/** Segments that are taken, by channel; segments of one owner may overlap. */
class Occupied {
  readonly #taken = new Map<number, { owner: number; from: number; to: number }[]>();

  free(key: number, owner: number, from: number, to: number): boolean {
    return !(this.#taken.get(key) ?? []).some((s) => s.owner !== owner && s.from <= to && from <= s.to);
  }

  take(key: number, owner: number, from: number, to: number): void {
    const list = this.#taken.get(key);
    if (list) list.push({ owner, from, to });
    else this.#taken.set(key, [{ owner, from, to }]);
  }
}

/** Routes the edges of placed items and gives the rows their heights. */
export function route({ items, edges, row, rows, x, options }: Placed): Layout {
  const right = (i: number): number => x[i] + items[i].w;
  const centre = (i: number): number => x[i] + anchorOf(items[i]);
  const position = new Int32Array(items.length);
  for (const list of rows) list.forEach((i, k) => (position[i] = k));
  const boxes = rows.map((list) => list.filter((i) => items[i].kind === 'box'));
  const extent = rows.map((_, r) => ({
    left: boxes[r].length ? x[boxes[r][0]] : Infinity,
    right: boxes[r].length ? right(boxes[r][boxes[r].length - 1]) : -Infinity,
  }));
  const fanIn = new Int32Array(items.length);
  for (const edge of edges) fanIn[edge.to]++;

  /** Edges of one owner may overlap: those of one source, or those into one target with many inputs. */
  const isBundled = ({ from, to }: LayoutEdge): boolean => fanIn[to] > MANY_INPUTS && row[to] - row[from] > 1;
  const ownerOf = (edge: LayoutEdge): number => (isBundled(edge) ? -1 - edge.to : edge.from);
  const trunks = new Map<number, number>();
  const trunkOf = (to: number): number => {
    const known = trunks.get(to);
    if (known !== undefined) return known;
    const from = Math.min(...edges.filter((edge) => edge.to === to && isBundled(edge)).map((edge) => row[edge.from]));
    const far = extent.slice(from, row[to] + 1).reduce((most, { right: r }) => Math.max(most, r), right(to));
    const at = freeChannel(-1 - to, from, row[to], far + 2 * CLEAR, far + 2 * CLEAR);
    trunks.set(to, at);
    return at;
  };

  /** The box of row r that covers x, or -1. */
  const blocker = (r: number, at: number): number => {
    const list = boxes[r];
    let low = 0;
    let high = list.length - 1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      if (right(list[mid]) + CLEAR <= at) low = mid + 1;
      else if (x[list[mid]] - CLEAR >= at) high = mid - 1;
      else return list[mid];
    }
    return -1;
  };
  const channels = new Occupied();
  const key = (at: number): number => Math.round(at / (LANE - 1));

  const freeChannel = (owner: number, from: number, to: number, a: number, b: number): number => {
    const clear = (at: number): boolean => {
      for (let r = from + 1; r < to; r++) if (blocker(r, at) >= 0) return false;
      return [-1, 0, 1].every((d) => channels.free(key(at) + d, owner, from, to));
    };
    let left = Math.min(a, b);
    let rightmost = Math.max(a, b);
    for (let r = from + 1; r < to; r++) {
      left = Math.min(left, extent[r].left);
      rightmost = Math.max(rightmost, extent[r].right);
    }
    const tries: number[] = [];
    if (to - from <= MAX_SEARCH) {
      tries.push(a, b);
      for (let r = from + 1; r < to; r++) {
        for (const at of [a, b]) {
          const box = blocker(r, at);
          if (box >= 0) tries.push(x[box] - CLEAR - 2, right(box) + CLEAR + 2);
        }
        if (tries.length > 24) break;
      }
    }
    const cost = (at: number): number => Math.abs(at - a) + Math.abs(at - b);
    let best: number | null = null;
    for (const at of tries) if ((best === null || cost(at) < cost(best)) && clear(at)) best = at;
    const goLeft = Math.abs(a - left) + Math.abs(b - left) <= Math.abs(a - rightmost) + Math.abs(b - rightmost);
    for (let lane = 1; lane <= 200; lane++) {
      const at = goLeft ? left - CLEAR - lane * LANE : rightmost + CLEAR + lane * LANE;
      if (best !== null && cost(best) <= cost(at)) break;
      if ([-1, 0, 1].every((d) => channels.free(key(at) + d, owner, from, to)) || lane === 200) {
        best = at;
        break;
      }
    }
    const chosen = best ?? a;
    channels.take(key(chosen), owner, from, to);
    return chosen;
  };

  // --- ways: which channel, which sides ------------------------------------------------------------------------------
  const ways: Way[] = edges.map(({ from, to, fromX, toX }, edge) => {
    const outX = fromX === undefined ? centre(from) : x[from] + fromX;
    const inX = toX === undefined ? centre(to) : x[to] + toX;
    return { edge, outX, inX, channel: outX, outSide: 'vertical', inSide: 'vertical', outTrack: -1, inTrack: -1 };
  });
  const enterAt = (way: Way, to: number, from: number): void => {
    if (edges[way.edge].toX !== undefined || items[to].kind !== 'box') return;
    const [low, high] = [x[to] + CORNER, right(to) - CORNER];
    if (from >= low && from <= high) way.inX = from;
    else if (fanIn[to] > 1) way.inX = from < low ? x[to] + items[to].w * 0.3 : x[to] + items[to].w * 0.7;
  };
  const bySpan = [...ways].sort((a, b) => {
    const span = (w: Way): number => Math.abs(row[edges[w.edge].to] - row[edges[w.edge].from]);
    return span(a) - span(b) || a.edge - b.edge;
  });
  for (const way of bySpan) {
    const { from, to, fromX, toX } = edges[way.edge];
    const span = row[to] - row[from];
    if (span === 1) {
      enterAt(way, to, way.outX);
      way.channel = way.inX;
      continue;
    }
    const back = span <= 0;
    const [top, bottom] = back ? [row[to] - 1, row[from] + 1] : [row[from], row[to]];
    way.channel = isBundled(edges[way.edge]) ? trunkOf(to) : freeChannel(from, top, bottom, way.outX, way.inX);
    const sideOf = (i: number): Side => {
      const list = boxes[row[i]];
      if (way.channel < x[i] - CLEAR && list[0] === i) return 'left';
      if (way.channel > right(i) + CLEAR && list[list.length - 1] === i) return 'right';
      return 'vertical';
    };
    if (fromX === undefined && items[from].kind === 'box') way.outSide = sideOf(from);
    if (toX === undefined && items[to].kind === 'box') way.inSide = sideOf(to);
    if (way.inSide === 'vertical') enterAt(way, to, way.channel);
  }

  // --- tracks: horizontal pieces in the gap below each row -----------------------------------------------------------
  const pieces = rows.map((): { way: Way; end: 'out' | 'in'; low: number; high: number }[] => []);
  const piece = (gap: number, way: Way, end: 'out' | 'in', a: number, b: number): void => {
    if (Math.abs(a - b) < 1) return;
    if (gap < 0) {
      way[end === 'out' ? 'outTrack' : 'inTrack'] = 0;
      return;
    }
    pieces[gap].push({ way, end, low: Math.min(a, b), high: Math.max(a, b) });
  };
  for (const way of ways) {
    const { from, to } = edges[way.edge];
    if (row[to] - row[from] === 1) {
      piece(row[from], way, 'in', way.outX, way.inX);
      continue;
    }
    if (way.outSide === 'vertical') piece(row[from], way, 'out', way.outX, way.channel);
    if (way.inSide === 'vertical') piece(row[to] - 1, way, 'in', way.channel, way.inX);
  }
  const trackCount = pieces.map((list) => {
    const tracks: { owner: number; low: number; high: number }[][] = [];
    list.sort((a, b) => a.high - a.low - (b.high - b.low) || a.way.edge - b.way.edge);
    for (const { way, end, low, high } of list) {
      const owner = ownerOf(edges[way.edge]);
      let t = tracks.findIndex((taken) =>
        taken.every((s) => s.owner === owner || s.high + 4 < low || high + 4 < s.low),
      );
      if (t < 0)
        t = options.simple || tracks.length >= MAX_TRACKS ? way.edge % Math.max(1, tracks.length) : tracks.length;
      (tracks[t] ??= []).push({ owner, low, high });
      if (end === 'out') way.outTrack = t;
      else way.inTrack = t;
    }
    return tracks.length;
  });

  // --- heights -------------------------------------------------------------------------------------------------------
  const y = new Float64Array(items.length);
  const tops: number[] = [];
  const bottoms: number[] = [];
  const hasPorts = rows.length > 0 && rows[0].some((i) => items[i].kind === 'in');
  let at = hasPorts ? 0 : options.top;
  rows.forEach((list, r) => {
    const height = list.reduce((most, i) => Math.max(most, items[i].h), 0);
    tops.push(at);
    for (const i of list) y[i] = at;
    at += height;
    bottoms.push(at);
    if (r === rows.length - 1) return;
    if (hasPorts && r === 0) at += options.top;
    at += GAP + Math.max(0, trackCount[r] - 1) * TRACK;
  });
  const height = at;
  const trackY = (gap: number, track: number): number =>
    gap < 0
      ? -MARGIN / 2
      : bottoms[gap] + (hasPorts && gap === 0 ? options.top : 0) + (gap === rows.length - 1 ? 4 : 6) + track * TRACK;

  // --- paths ---------------------------------------------------------------------------------------------------------
  const entries = new Map<string, number>();
  const sideY = (i: number, side: Side): number => {
    const name = fanIn[i] > MANY_INPUTS ? '' : `${i}${side}`;
    if (name === '') return y[i] + Math.min(items[i].h / 2, 14);
    const n = entries.get(name) ?? 0;
    entries.set(name, n + 1);
    const room = Math.min(items[i].h, 60);
    const step = n === 0 ? 0 : ((n + 1) >> 1) * (n % 2 ? 1 : -1) * 5;
    return y[i] + Math.min(room / 2, 14) + Math.max(-room / 2 + 3, Math.min(room / 2 - 3, step));
  };
  const outY = new Map<string, number>();
  const paths = ways.map((way) => {
    const { from, to } = edges[way.edge];
    const span = row[to] - row[from];
    const points: number[] = [];
    const add = (px: number, py: number): void => {
      const n = points.length;
      if (n >= 4 && points[n - 2] === px && points[n - 4] === px) points[n - 1] = py;
      else if (n < 2 || points[n - 2] !== px || points[n - 1] !== py) points.push(px, py);
    };
    if (span === 1) {
      add(way.outX, y[from] + items[from].h);
      if (way.inTrack >= 0) {
        const ty = trackY(row[from], way.inTrack);
        add(way.outX, ty);
        add(way.inX, ty);
      } else if (way.outX !== way.inX) way.inX = way.outX;
      add(way.inX, y[to]);
      return Float64Array.from(points);
    }
    if (way.outSide === 'vertical') {
      add(way.outX, y[from] + items[from].h);
      if (way.outTrack >= 0) {
        const ty = trackY(row[from], way.outTrack);
        add(way.outX, ty);
        add(way.channel, ty);
      } else if (way.channel !== way.outX) way.channel = way.outX;
    } else {
      const name = `${from}${way.outSide}`;
      const sy = outY.get(name) ?? sideY(from, way.outSide);
      outY.set(name, sy);
      add(way.outSide === 'left' ? x[from] : right(from), sy);
      add(way.channel, sy);
    }
    if (way.inSide === 'vertical') {
      if (way.inTrack >= 0) {
        const ty = trackY(row[to] - 1, way.inTrack);
        add(way.channel, ty);
        add(way.inX, ty);
      } else if (way.channel !== way.inX) way.inX = way.channel;
      add(way.inX, y[to]);
    } else {
      const sy = sideY(to, way.inSide);
      add(way.channel, sy);
      add(way.inSide === 'left' ? x[to] : right(to), sy);
    }
    return Float64Array.from(points);
  });

  // --- move everything to x ≥ 0 --------------------------------------------------------------------------------------
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < items.length; i++) {
    low = Math.min(low, x[i]);
    high = Math.max(high, right(i));
  }
  for (const path of paths) {
    for (let p = 0; p < path.length; p += 2) {
      low = Math.min(low, path[p]);
      high = Math.max(high, path[p]);
    }
  }
  if (items.length === 0) low = high = 0;
  const width = Math.max(options.minW, high - low);
  const shift = (width - (high - low)) / 2 - low;
  const moved = x.map((v) => v + shift);
  for (const path of paths) for (let p = 0; p < path.length; p += 2) path[p] += shift;
  return { w: width, h: height, x: moved, y, spine: shift, paths };
}
