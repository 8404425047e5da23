/** Search over all nodes of a graph, drawn or not. */
import type { Tree } from './groups';
import { chain } from './groups';
import { titleOf } from './labels';
import type { Graph } from './model';
import { atOnce, isStop, type Steps } from './steps';

/** Nodes that have every word of `query` in their name, target, type or module (of a kernel also in its operations), in program order. */
export const search = (graph: Graph, tree: Tree, query: string): number[] => atOnce(searchSteps(graph, tree, query));

export function* searchSteps(graph: Graph, tree: Tree, query: string): Steps<number[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const { names, targets, shapes } = graph.data;
  const found: number[] = [];
  for (let i = 0; i < graph.size; i++) {
    if (isStop(i)) yield;
    const inside = graph.isSchedule ? `${titleOf(graph, i)} ${graph.data.origins[i].join(' ')}` : '';
    const text = `${names[i]} ${inside} ${targets[i]} ${graph.types[i]} ${shapes[i]} ${tree.home[i].id}`.toLowerCase();
    if (words.every((word) => text.includes(word))) found.push(i);
  }
  return found;
}

/** How many matches each group has inside. */
export function matchesByGroup(tree: Tree, matches: readonly number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of matches) {
    for (const group of chain(tree.home[node])) counts.set(group.id, (counts.get(group.id) ?? 0) + 1);
  }
  return counts;
}
