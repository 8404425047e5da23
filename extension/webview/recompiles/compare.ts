/** Which two snapshots stand for two versions when their graphs are compared: the same state of the same graph. */
import type { StageInfo } from '../../src/shared/messages';

/** Later is nearer to what runs; a scheduler's or a joint graph reads worse. */
const ORDER = ['post_grad', 'aot', 'pre_grad', 'dynamo', 'joint'];

const direction = (graph: string): string => graph.slice(graph.lastIndexOf('/') + 1);

/** Directions that stand for the same: a version for training has a forward graph, one without has an inference graph. */
const sameDirection = (one: string, other: string): boolean =>
  one === other || [one, other].every((name) => name === 'forward' || name === 'inference');

export interface Pair {
  readonly before: string;
  readonly after: string;
  readonly stage: string;
}

/** The pair to compare; null when no state of a graph is recorded for both. */
export function pairOf(older: readonly StageInfo[], newer: readonly StageInfo[]): Pair | null {
  for (const stage of ORDER) {
    const mine = (all: readonly StageInfo[]): StageInfo[] =>
      all.filter((one) => one.stage === stage && one.position === 'after' && one.snapshot !== null);
    for (const one of mine(newer)) {
      const other = mine(older).find(({ graph }) => sameDirection(direction(graph), direction(one.graph)));
      if (other?.snapshot != null && one.snapshot !== null) {
        return { before: other.snapshot, after: one.snapshot, stage: one.label };
      }
    }
  }
  return null;
}
