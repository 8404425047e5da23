/** The passes whose changes can be read side by side. */
import type { PassInfo } from '../../src/shared/messages';
import { noDiffReason } from './details';
import type { Row } from './model';

export interface Comparable {
  readonly pass: PassInfo;
  readonly before: string;
  readonly after: string;
}

/** Of the rows the passes that changed a graph; one inside of another is left to the outer one. */
export function comparable(rows: readonly Row[]): Comparable[] {
  return rows.flatMap((row): Comparable[] => {
    if (row.type !== 'pass' || !row.pass.changed || row.pass.depth > 0 || noDiffReason(row.pass) !== null) return [];
    const { before, after } = row.pass;
    return before === null || after === null ? [] : [{ pass: row.pass, before, after }];
  });
}
