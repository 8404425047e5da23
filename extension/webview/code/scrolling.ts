/** How the three columns move: together, and without losing their place when rows come and go. */
import { around, groupsOf, locate, placeOf } from './anchor';
import type { Column } from './column';
import type { FoldRow, NodeRow, Row } from './rows';

export type ColumnName = 'source' | 'graph' | 'code';

/**
 * Scrolls the other columns so that what is in the middle of one stands at the same height in them. Between two rows
 * with a group the others go from the place of the first to that of the second.
 */
export function scrollTogether(
  columns: Readonly<Record<ColumnName, Column>>,
  name: ColumnName,
  ofNodes: ReadonlyMap<number, readonly number[]>,
  kernel: number | null,
): void {
  const column = columns[name];
  const middle = column.offset + column.height / 2;
  const anchors = around(column.rows, column.at(middle), (row) => groupsOf(row).length > 0);
  if (anchors === null) return;
  const [above, below] = anchors;
  const a = column.middle(above);
  const b = column.middle(below);
  const part = b === a ? 0 : Math.max(0, Math.min(1, (middle - a) / (b - a)));
  for (const there of Object.values(columns)) {
    if (there === column) continue;
    const near = there.at(there.offset + there.height / 2);
    const first = locate(there, placeOf(column.rows[above], ofNodes), ofNodes, kernel, near);
    const second = locate(there, placeOf(column.rows[below], ofNodes), ofNodes, kernel, near);
    if (first < 0 && second < 0) continue;
    const from = there.middle(first < 0 ? second : first);
    const to = there.middle(second < 0 ? first : second);
    // Beyond the first and last anchor the columns move alike.
    const beyond = above === below ? middle - a : 0;
    there.scrollTo(from + (to - from) * part + beyond - there.height / 2);
  }
}

/** Remembers what stands in the upper third of the columns, or the fold `pinned`; the result puts it back there. */
export function keepPlace(columns: readonly Column[], pinned: string | null): () => void {
  const kept = columns.flatMap((column) => {
    if (column.rows.length === 0) return [];
    const fold = column.rows.findIndex((row) => row.type === 'fold' && row.key === pinned);
    const at = fold >= 0 ? fold : column.at(column.offset + column.height / 3);
    return [{ column, row: column.rows[at], y: column.top(at) - column.offset }];
  });
  return () => {
    for (const { column, row, y } of kept) {
      const at = column.rows.findIndex((one) => sameRow(one, row));
      if (at >= 0) column.scrollTo(column.top(at) - y);
    }
  };
}

/** The next row (from the middle of the view on, round to the other end) with some words in small letters; -1: none. */
export function find(column: Column, words: string, by: 1 | -1): number {
  const { rows } = column;
  const start = column.at(column.offset + column.height / 2);
  for (let i = 1; i <= rows.length; i++) {
    const at = (((start + i * by) % rows.length) + rows.length) % rows.length;
    if (textIn(rows[at]).toLowerCase().includes(words)) return at;
  }
  return -1;
}

const textIn = (row: Row): string =>
  row.type === 'node' ? `${row.node.name} ${row.node.target}` : row.type === 'fold' ? row.label : row.text;

const sameRow = (a: Row, b: Row): boolean =>
  a.type === b.type &&
  (a.type === 'node' || b.type === 'node'
    ? (a as NodeRow).position === (b as NodeRow).position
    : a.type === 'fold' || b.type === 'fold'
      ? (a as FoldRow).key === (b as FoldRow).key
      : a.line === b.line);
