/** What stands out in the drawing. */
import type { Mark } from './colours';
import type { Counts } from './diff';
import type { ChangeState } from './model';
import type { Side } from './state';

export interface Look {
  readonly marks: readonly Mark[];
  readonly selected: number | string | null;
  /** The node, or the closed group around it, that a failed compile is laid to. */
  readonly suspect: number | string | null;
  /** Segments of the edges into and out of the selection. */
  readonly hot: ReadonlySet<string>;
  readonly matches: ReadonlySet<number>;
  readonly groupMatches: ReadonlyMap<string, number>;
  /** The words to mark inside names. */
  readonly words: readonly string[];
  /** Of a comparison: which side, and how much differs in each group. */
  readonly side: Side;
  readonly changes: ReadonlyMap<string, Counts>;
  /** `change 2 of 4`, by group. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** Whether something is drawn on a side: what was added is not there before, what was removed not after. */
export const drawnOn = (side: Side, change: ChangeState): boolean =>
  side === 'overlay' || change !== (side === 'before' ? 'added' : 'removed');
