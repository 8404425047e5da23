/** A level and its layout as typed arrays, for the way to the worker and back. */
import type { Layout, LayoutEdge, LayoutItem, LayoutOptions } from './layout';

export interface Job {
  readonly id: number;
  /** Four numbers an item: width, height, kind, anchor (NaN: none). */
  readonly items: Float64Array;
  /** Four numbers an edge: from, to, fromX, toX (NaN: none). */
  readonly edges: Float64Array;
  readonly options: LayoutOptions;
}

export interface PackedLayout {
  readonly id: number;
  readonly w: number;
  readonly h: number;
  readonly spine: number;
  readonly x: Float64Array<ArrayBuffer>;
  readonly y: Float64Array<ArrayBuffer>;
  /** All paths one after the other, and where each ends. */
  readonly points: Float64Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
}

const KINDS = ['box', 'in', 'out'] as const;
const orNone = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

export function packJob(
  id: number,
  items: readonly LayoutItem[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions,
): Job {
  return {
    id,
    items: Float64Array.from(items.flatMap(({ w, h, kind, anchor }) => [w, h, KINDS.indexOf(kind), anchor ?? NaN])),
    edges: Float64Array.from(edges.flatMap(({ from, to, fromX, toX }) => [from, to, fromX ?? NaN, toX ?? NaN])),
    options,
  };
}

export function unpackJob({ items, edges, options }: Job): [LayoutItem[], LayoutEdge[], LayoutOptions] {
  const outItems: LayoutItem[] = [];
  for (let at = 0; at < items.length; at += 4) {
    const anchor = orNone(items[at + 3]);
    const item = { w: items[at], h: items[at + 1], kind: KINDS[items[at + 2]] };
    outItems.push(anchor === undefined ? item : { ...item, anchor });
  }
  const outEdges: LayoutEdge[] = [];
  for (let at = 0; at < edges.length; at += 4) {
    const [fromX, toX] = [orNone(edges[at + 2]), orNone(edges[at + 3])];
    outEdges.push({
      from: edges[at],
      to: edges[at + 1],
      ...(fromX === undefined ? {} : { fromX }),
      ...(toX === undefined ? {} : { toX }),
    });
  }
  return [outItems, outEdges, options];
}

export function packLayout(id: number, { w, h, spine, x, y, paths }: Layout): PackedLayout {
  const ends = new Int32Array(paths.length);
  let total = 0;
  paths.forEach((path, p) => (ends[p] = total += path.length));
  const points = new Float64Array(total);
  paths.forEach((path, p) => {
    points.set(path, p === 0 ? 0 : ends[p - 1]);
  });
  return { id, w, h, spine, x: new Float64Array(x), y: new Float64Array(y), points, ends };
}

export function unpackLayout({ w, h, spine, x, y, points, ends }: PackedLayout): Layout {
  const paths = Array.from(ends, (end, p) => points.subarray(p === 0 ? 0 : ends[p - 1], end));
  return { w, h, spine, x, y, paths };
}
