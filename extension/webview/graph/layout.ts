/**
 * Layered layout of one level of the graph, top to bottom: longest-path rows, program order within a row with a light
 * barycentre, columns by least squares, edges as right-angled paths. Deterministic; linear but for sorting.
 */
import { route } from './route';

/** `in` and `out` are the places where edges cross the frame of a group: they take no room of their own. */
export type ItemKind = 'box' | 'in' | 'out';

export interface LayoutItem {
  readonly w: number;
  readonly h: number;
  readonly kind: ItemKind;
  /** What is lined up with other items, from the left side; half the width if not given. */
  readonly anchor?: number;
}

/** An edge between items. `fromX` and `toX`: fixed end points relative to the item's left side. */
export interface LayoutEdge {
  readonly from: number;
  readonly to: number;
  readonly fromX?: number;
  readonly toX?: number;
}

export interface Layout {
  readonly w: number;
  readonly h: number;
  /** Top left corners of the items. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Where the boxes stand that are alone in their row. */
  readonly spine: number;
  /** For each edge x, y, x, y, … from its source to its target. */
  readonly paths: Float64Array[];
}

export interface LayoutOptions {
  /** Room above the first row of boxes, for a frame's header. */
  readonly top: number;
  /** Least width. */
  readonly minW: number;
  /** A row wider than this is broken into several. */
  readonly maxRowW: number;
  /** One item a row, in program order: for calls, whose order is what matters. */
  readonly sequence?: boolean;
  /** Skip the ordering sweeps and edge tracks; for graphs that take too long. */
  readonly simple?: boolean;
}

const COLUMN_GAP = 18;
const PORT_GAP = 10;

/** Sources of feedback are edges against `order`. */
export interface Order {
  /** Items in topological order, with program order between independent ones. */
  readonly order: number[];
  readonly place: Int32Array;
}

/** Topological order that stays near program order; cycles are cut at the item that comes first in program order. */
export function topological(count: number, edges: readonly LayoutEdge[]): Order {
  const out: number[][] = Array.from({ length: count }, () => []);
  const missing = new Int32Array(count);
  for (const { from, to } of edges) {
    if (from === to) continue;
    out[from].push(to);
    missing[to]++;
  }
  const order: number[] = [];
  const place = new Int32Array(count).fill(-1);
  const heap = new MinHeap();
  for (let i = 0; i < count; i++) if (missing[i] === 0) heap.push(i);
  let lowest = 0;
  while (order.length < count) {
    let at = heap.pop();
    if (at === undefined) {
      while (place[lowest] >= 0) lowest++;
      at = lowest;
    }
    if (place[at] >= 0) continue;
    place[at] = order.length;
    order.push(at);
    for (const to of out[at]) if (--missing[to] === 0 && place[to] < 0) heap.push(to);
  }
  return { order, place };
}

class MinHeap {
  readonly #items: number[] = [];

  push(value: number): void {
    const items = this.#items;
    let at = items.push(value) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (items[up] <= value) break;
      items[at] = items[up];
      at = up;
    }
    items[at] = value;
  }

  pop(): number | undefined {
    const items = this.#items;
    const top = items[0] as number | undefined;
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= items.length) break;
      if (down + 1 < items.length && items[down + 1] < items[down]) down++;
      if (items[down] >= last) break;
      items[at] = items[down];
      at = down;
    }
    items[at] = last;
    return top;
  }
}

/** Row of each item: the longest path from a source; sources come down to just above their first user. */
export function assignRows(
  items: readonly LayoutItem[],
  edges: readonly LayoutEdge[],
  { order, place }: Order,
): Int32Array {
  const count = items.length;
  const ins: number[][] = Array.from({ length: count }, () => []);
  const outs: number[][] = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    if (place[from] >= place[to]) continue;
    ins[to].push(from);
    outs[from].push(to);
  }
  const row = new Int32Array(count);
  const hasPorts = items.some((item) => item.kind === 'in');
  const light = new Uint8Array(count);
  for (const i of order) {
    let at = hasPorts && items[i].kind !== 'in' ? 1 : 0;
    let isLight = items[i].kind === 'box' ? 1 : 0;
    for (const j of ins[i]) {
      at = Math.max(at, row[j] + 1);
      if (!light[j] || outs[j].length !== 1) isLight = 0;
    }
    row[i] = at;
    light[i] = isLight;
  }
  for (let k = count - 1; k >= 0; k--) {
    const i = order[k];
    if (items[i].kind !== 'box' || outs[i].length === 0) continue;
    if (!light[i] && outs[i].length <= ins[i].length) continue;
    let first = Infinity;
    for (const j of outs[i]) if (items[j].kind === 'box') first = Math.min(first, row[j]);
    if (first !== Infinity) row[i] = Math.max(row[i], first - 1);
  }
  let last = 0;
  for (let i = 0; i < count; i++) if (items[i].kind !== 'out') last = Math.max(last, row[i]);
  for (let i = 0; i < count; i++) if (items[i].kind === 'out') row[i] = last + 1;
  return row;
}

function sequenceRows(items: readonly LayoutItem[]): Int32Array {
  let next = 1;
  const row = Int32Array.from(items, ({ kind }) => (kind === 'box' ? next++ : 0));
  items.forEach(({ kind }, i) => {
    if (kind === 'out') row[i] = next;
  });
  return row;
}

/** Items by row, without empty rows, each in program order; rows that are too wide are broken. */
function makeRows(items: readonly LayoutItem[], row: Int32Array, maxW: number): number[][] {
  const byRow = new Map<number, number[]>();
  for (let i = 0; i < items.length; i++) {
    const list = byRow.get(row[i]);
    if (list) list.push(i);
    else byRow.set(row[i], [i]);
  }
  const rows: number[][] = [];
  for (const [, list] of [...byRow].sort(([a], [b]) => a - b)) {
    let part: number[] = [];
    let width = 0;
    for (const i of list) {
      const w = items[i].kind === 'box' ? items[i].w + COLUMN_GAP : 0;
      if (part.length > 0 && width + w > maxW) {
        rows.push(part);
        part = [];
        width = 0;
      }
      part.push(i);
      width += w;
    }
    rows.push(part);
  }
  rows.forEach((list, r) => {
    for (const i of list) row[i] = r;
  });
  return rows;
}

/**
 * Centres as near as possible to `wanted` (least squares with `weight`) so that neighbours keep `gap[k]` between the
 * centres of k and k + 1: pool-adjacent-violators on the gap-corrected positions.
 */
export function spread(wanted: readonly number[], weight: readonly number[], gap: readonly number[]): number[] {
  const shift: number[] = [0];
  for (let k = 1; k < wanted.length; k++) shift.push(shift[k - 1] + gap[k - 1]);
  const pools: { sum: number; weight: number; count: number }[] = [];
  for (let k = 0; k < wanted.length; k++) {
    let pool = { sum: (wanted[k] - shift[k]) * weight[k], weight: weight[k], count: 1 };
    while (pools.length > 0) {
      const before = pools[pools.length - 1];
      if (before.sum / before.weight <= pool.sum / pool.weight) break;
      pools.pop();
      pool = { sum: before.sum + pool.sum, weight: before.weight + pool.weight, count: before.count + pool.count };
    }
    pools.push(pool);
  }
  const centres: number[] = [];
  for (const pool of pools) for (let n = 0; n < pool.count; n++) centres.push(pool.sum / pool.weight);
  return centres.map((c, k) => c + shift[k]);
}

interface Link {
  /** The other item. */
  readonly item: number;
  /** Its end of the edge relative to its anchor, and ours relative to our anchor. */
  readonly there: number;
  readonly here: number;
  readonly weight: number;
}

export const anchorOf = (item: LayoutItem): number => item.anchor ?? item.w / 2;

function links(items: readonly LayoutItem[], edges: readonly LayoutEdge[], row: Int32Array): [Link[][], Link[][]] {
  const up: Link[][] = items.map(() => []);
  const down: Link[][] = items.map(() => []);
  for (const { from, to, fromX, toX } of edges) {
    const span = row[to] - row[from];
    if (span <= 0) continue;
    const a = fromX === undefined ? 0 : fromX - anchorOf(items[from]);
    const b = toX === undefined ? 0 : toX - anchorOf(items[to]);
    const weight = 1 / (span * span);
    up[to].push({ item: from, there: a, here: b, weight });
    down[from].push({ item: to, there: b, here: a, weight });
  }
  return [up, down];
}

function separation(a: LayoutItem, b: LayoutItem): number {
  const gap = a.kind === 'box' && b.kind === 'box' ? COLUMN_GAP : PORT_GAP;
  return a.w - anchorOf(a) + gap + anchorOf(b);
}

/** Where an item wants its anchor because of its links; null without any. */
function pull(list: readonly Link[], at: Float64Array): { at: number; weight: number } | null {
  let sum = 0;
  let weight = 0;
  for (const link of list) {
    sum += (at[link.item] + link.there - link.here) * link.weight;
    weight += link.weight;
  }
  return weight > 0 ? { at: sum / weight, weight } : null;
}

/** Anchors of all items. A box that is alone in its row stands at 0, so that chains are straight. */
function place(
  items: readonly LayoutItem[],
  rows: number[][],
  up: Link[][],
  down: Link[][],
  sweeps: number,
): Float64Array {
  const at = new Float64Array(items.length);
  const alone = rows.map((list) => list.length === 1 && items[list[0]].kind === 'box');
  const settle = (r: number, useUp: boolean, useDown: boolean): void => {
    if (alone[r]) return;
    const list = rows[r];
    const wanted: number[] = [];
    const weight: number[] = [];
    for (const i of list) {
      const above = useUp ? pull(up[i], at) : null;
      const below = useDown ? pull(down[i], at) : null;
      const total = (above?.weight ?? 0) + (below?.weight ?? 0);
      if (total === 0) {
        wanted.push(at[i]);
        weight.push(0.05);
      } else {
        wanted.push(((above ? above.at * above.weight : 0) + (below ? below.at * below.weight : 0)) / total);
        weight.push(total);
      }
    }
    const gaps = list.slice(1).map((i, k) => separation(items[list[k]], items[i]));
    spread(wanted, weight, gaps).forEach((c, k) => (at[list[k]] = c));
  };
  const reorder = (list: number[], towards: Link[][]): void => {
    if (list.length < 2) return;
    const key = new Map<number, number>();
    for (const i of list) key.set(i, pull(towards[i], at)?.at ?? at[i]);
    list.sort((a, b) => {
      const d = key.get(a)! - key.get(b)!;
      return Math.abs(d) > 0.5 ? d : a - b;
    });
  };
  rows.forEach((list, r) => {
    if (sweeps > 0) reorder(list, up);
    settle(r, true, false);
  });
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let r = rows.length - 1; r >= 0; r--) {
      if (sweep === 0 && rows[r].every((i) => down[i].length > 0)) reorder(rows[r], down);
      settle(r, true, true);
    }
    for (let r = 0; r < rows.length; r++) settle(r, true, true);
  }
  if (sweeps > 0) straighten(items, rows, up, at, alone);
  return at;
}

/** Moves items that are nearly below their only predecessor to exactly below it, where there is room. */
function straighten(
  items: readonly LayoutItem[],
  rows: readonly number[][],
  up: readonly Link[][],
  at: Float64Array,
  alone: readonly boolean[],
): void {
  rows.forEach((list, r) => {
    if (alone[r]) return;
    list.forEach((i, k) => {
      const link = up[i].length === 1 ? up[i][0] : undefined;
      if (link?.weight !== 1) return;
      const target = at[link.item] + link.there - link.here;
      if (Math.abs(target - at[i]) > items[i].w / 2) return;
      const left = k > 0 ? at[list[k - 1]] + separation(items[list[k - 1]], items[i]) : -Infinity;
      const right = k < list.length - 1 ? at[list[k + 1]] - separation(items[i], items[list[k + 1]]) : Infinity;
      if (left <= right) at[i] = Math.max(left, Math.min(right, target));
    });
  });
}

/** Lays out one level. Items come in program order. */
export function layout(items: readonly LayoutItem[], edges: readonly LayoutEdge[], options: LayoutOptions): Layout {
  const order = topological(items.length, edges);
  const row = options.sequence ? sequenceRows(items) : assignRows(items, edges, order);
  const rows = makeRows(items, row, options.maxRowW);
  const [up, down] = links(items, edges, row);
  const anchors = place(items, rows, up, down, options.simple ? 0 : 3);
  const x = anchors.map((at, i) => at - anchorOf(items[i]));
  for (const list of rows) list.sort((a, b) => x[a] - x[b] || a - b);
  return route({ items, edges, row, rows, x, options });
}
