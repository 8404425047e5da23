/** How far the camera has to move so that what two pictures have in common stays where it is on the screen. */
import type { Graph } from './model';
import type { Box, Scene } from './scene';

export interface Pictured {
  readonly graph: Graph;
  readonly scene: Scene;
}

/** Of what is in view, so much has to be in the next picture too. */
const LEAST_SHARE = 0.4;

/** A name that a box has from one state of a graph to the next. */
const keyOf = (graph: Graph, { id, kind }: Box): string =>
  typeof id === 'number' ? `n${graph.data.names[id]}` : `${kind === 'frame' ? 'f' : 'g'}${id}`;

/**
 * The median way that the boxes in view go from one picture to the next; null when too few of them are in both. With the
 * camera moved by it, most of them stay in place.
 */
export function shiftBetween(
  before: Pictured,
  after: Pictured,
  view: { x: number; y: number; w: number; h: number },
): { dx: number; dy: number } | null {
  const next = new Map<string, Box>();
  for (const box of after.scene.boxes) next.set(keyOf(after.graph, box), box);
  const ways: { dx: number; dy: number }[] = [];
  let seen = 0;
  for (const box of before.scene.boxes) {
    const isOut =
      box.x > view.x + view.w || box.x + box.w < view.x || box.y > view.y + view.h || box.y + box.h < view.y;
    if (isOut) continue;
    seen++;
    const other = next.get(keyOf(before.graph, box));
    if (other) ways.push({ dx: other.x - box.x, dy: other.y - box.y });
  }
  if (seen === 0 || ways.length < LEAST_SHARE * seen) return null;
  const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1];
  return { dx: middle(ways.map(({ dx }) => dx)), dy: middle(ways.map(({ dy }) => dy)) };
}
