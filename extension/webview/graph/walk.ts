/** Where the arrow keys lead from a drawn box. */
import { type Tree } from './groups';
import { type Graph, neighbours } from './model';
import { type Box, type Scene, standIn } from './scene';

export type Direction = 'up' | 'down' | 'left' | 'right';

/** The next box along an edge (up, down) or beside (left, right); null when there is none. */
export function nextBox(
  graph: Graph,
  tree: Tree,
  scene: Scene,
  from: number | string,
  direction: Direction,
): number | string | null {
  const at = scene.at.get(from);
  if (at === undefined) return null;
  const box = scene.boxes[at];
  if (direction === 'left' || direction === 'right') return beside(scene, box, direction);
  const nodes = typeof from === 'number' ? [from] : (box.group?.nodes ?? []);
  const inside = new Set(nodes);
  const near = new Set<number | string>();
  for (const node of nodes) {
    for (const other of neighbours(direction === 'up' ? graph.inputs : graph.users, node)) {
      if (!inside.has(other)) near.add(standIn(scene, tree, other));
    }
  }
  near.delete(from);
  const target = nearest(scene, box, [...near], direction);
  if (target !== null) return target;
  return nearest(
    scene,
    box,
    scene.boxes.filter((b) => b.depth === box.depth && b.id !== box.id).map((b) => b.id),
    direction,
  );
}

function nearest(
  scene: Scene,
  box: Box,
  ids: readonly (number | string)[],
  direction: 'up' | 'down',
): number | string | null {
  let best: number | string | null = null;
  let least = Infinity;
  for (const id of ids) {
    const at = scene.at.get(id);
    if (at === undefined) continue;
    const other = scene.boxes[at];
    const dy = direction === 'up' ? box.y - other.y : other.y - box.y;
    if (dy <= 0) continue;
    const dx = Math.abs(other.x + other.w / 2 - box.x - box.w / 2);
    if (dy + dx * 0.5 < least) {
      least = dy + dx * 0.5;
      best = id;
    }
  }
  return best;
}

function beside(scene: Scene, box: Box, direction: 'left' | 'right'): number | string | null {
  let best: Box | null = null;
  for (const other of scene.boxes) {
    if (other.depth !== box.depth || Math.abs(other.y - box.y) > 1) continue;
    const gap = direction === 'left' ? box.x - other.x : other.x - box.x;
    if (gap <= 0) continue;
    if (best === null || gap < Math.abs(best.x - box.x)) best = other;
  }
  return best?.id ?? null;
}
