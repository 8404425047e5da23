/** Which row of one column stands beside which of another. */
import type { CodeKernelInfo } from '../../src/shared/messages';
import type { Row } from './rows';

/** The groups that a row is found by. */
export function groupsOf(row: Row): readonly number[] {
  if (row.type === 'source') return row.groups;
  if (row.type === 'node') return row.node.expressions;
  return row.group < 0 ? [] : [row.group];
}

/** What a row is about. */
export interface Place {
  readonly group: number;
  readonly kernels: readonly number[];
  readonly node: number | null;
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly index: ReadonlyMap<number, readonly number[]>;
}

/** Kernels by the node that they compute. */
export function kernelsOfNodes(kernels: readonly CodeKernelInfo[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  kernels.forEach((kernel, at) => {
    for (const node of kernel.nodes) {
      const known = found.get(node);
      if (known) known.push(at);
      else found.set(node, [at]);
    }
  });
  return found;
}

export function placeOf(row: Row, ofNodes: ReadonlyMap<number, readonly number[]>, group?: number): Place {
  const own = group ?? groupsOf(row).at(0) ?? -1;
  if (row.type === 'node') return { group: own, kernels: ofNodes.get(row.position) ?? [], node: row.position };
  return { group: own, kernels: row.type === 'source' ? [] : row.kernels, node: null };
}

/**
 * The row for a place: of its node, else of its group in one of its kernels, else of its group; the nearest to `near`
 * where several fit. `shown`: the kernel that is unfolded. -1: there is none.
 */
export function locate(
  { rows, index }: Rows,
  place: Place,
  ofNodes: ReadonlyMap<number, readonly number[]>,
  shown: number | null,
  near: number,
): number {
  let best = -1;
  let most = -Infinity;
  for (const at of index.get(place.group) ?? []) {
    const score = fit(rows[at], place, ofNodes, shown) - Math.abs(at - near) / (rows.length + 1);
    if (score > most) {
      most = score;
      best = at;
    }
  }
  return best;
}

function fit(row: Row, place: Place, ofNodes: ReadonlyMap<number, readonly number[]>, shown: number | null): number {
  if (row.type === 'source') return 0;
  if (row.type === 'node') {
    if (row.position === place.node) return 8;
    const own = row.group === place.group ? 1 : 0;
    const together = (ofNodes.get(row.position) ?? []).some((kernel) => place.kernels.includes(kernel));
    return own + (together ? 4 : 0);
  }
  const here = row.kernels.some((kernel) => place.kernels.includes(kernel)) ? 4 : 0;
  const isShown = shown !== null && row.kernels[0] === shown ? 2 : 0;
  return here + isShown + (row.type === 'code' ? 1 : 0);
}

/** The rows with a group that are nearest above and below a height; the same twice at an end; null without any. */
export function around(
  rows: readonly Row[],
  at: number,
  isAnchor: (row: Row) => boolean,
  reach = 400,
): readonly [number, number] | null {
  let above = at;
  while (above >= 0 && at - above < reach && !isAnchor(rows[above])) above--;
  let below = at + 1;
  while (below < rows.length && below - at < reach && !isAnchor(rows[below])) below++;
  const hasAbove = above >= 0 && isAnchor(rows[above]);
  const hasBelow = below < rows.length && isAnchor(rows[below]);
  if (!hasAbove && !hasBelow) return null;
  return [hasAbove ? above : below, hasBelow ? below : above];
}
