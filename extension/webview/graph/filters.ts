/** Which nodes the filters leave. They combine: a node is left when every one of them leaves it. */
import { type Graph, type Neighbours, neighbours } from './model';

export interface Filter {
  /** Only what differs between the two sides, and what that is connected to. */
  readonly changed: boolean;
  /** Only so many edges around this node. */
  readonly around: { name: string; hops: number } | null;
  /** Only what lies on a way between these two nodes. */
  readonly path: { from: string; to: string } | null;
  /** Only nodes of this line, which counts from 0. */
  readonly line: { file: string; line: number } | null;
}

export const NO_FILTER: Filter = { changed: false, around: null, path: null, line: null };

/** The nodes that are left, in no order; null when no filter is on. */
export function left(graph: Graph, filter: Filter): Set<number> | null {
  const parts: Set<number>[] = [];
  if (filter.changed && graph.change) parts.push(changedNodes(graph));
  const from = filter.around && graph.byName.get(filter.around.name);
  if (from != null && filter.around) parts.push(around(graph, from, filter.around.hops));
  if (filter.path) parts.push(between(graph, graph.byName.get(filter.path.from), graph.byName.get(filter.path.to)));
  if (filter.line) parts.push(nodesOnLine(graph, filter.line.file, filter.line.line));
  const [first, ...rest] = parts;
  if (parts.length === 0) return null;
  return new Set([...first].filter((node) => rest.every((part) => part.has(node))));
}

/** Changed nodes with their neighbours. */
function changedNodes(graph: Graph): Set<number> {
  const found = new Set<number>();
  const { states } = graph.change!;
  for (let i = 0; i < graph.size; i++) {
    if (states[i] === 'same') continue;
    found.add(i);
    for (const j of neighbours(graph.inputs, i)) if (isWorthy(graph, j)) found.add(j);
    for (const j of neighbours(graph.users, i)) if (isWorthy(graph, j)) found.add(j);
  }
  return found;
}

/** A neighbour that says something about a change; the output takes everything. */
const isWorthy = (graph: Graph, node: number): boolean => graph.data.ops[node] !== 'output';

/** Node positions within `hops` edges of `from`, in both directions. */
export function around(graph: Graph, from: number, hops: number): Set<number> {
  const seen = new Set([from]);
  let front = [from];
  for (let hop = 0; hop < hops; hop++) {
    const next: number[] = [];
    for (const i of front) {
      for (const list of [neighbours(graph.inputs, i), neighbours(graph.users, i)]) {
        for (const j of list) {
          if (!seen.has(j)) {
            seen.add(j);
            next.push(j);
          }
        }
      }
    }
    front = next;
  }
  return seen;
}

/** Nodes on the ways from one node to another, in whichever direction there are any; both ends when there is none. */
export function between(graph: Graph, a: number | undefined, b: number | undefined): Set<number> {
  if (a === undefined || b === undefined) return new Set();
  for (const [from, to] of [
    [a, b],
    [b, a],
  ]) {
    const down = reach(graph.users, from);
    if (!down.has(to)) continue;
    const up = reach(graph.inputs, to);
    return new Set([...down].filter((node) => up.has(node)));
  }
  return new Set();
}

function reach(of: Neighbours, from: number): Set<number> {
  const seen = new Set([from]);
  const waiting = [from];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const next of neighbours(of, at)) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return seen;
}

function nodesOnLine(graph: Graph, file: string, line: number): Set<number> {
  const { data } = graph;
  const index = data.files.indexOf(file);
  const found = new Set<number>();
  if (index < 0) return found;
  for (let i = 0; i < graph.size; i++) {
    if (data.file[i] === index && data.line[i] <= line && line <= Math.max(data.line[i], data.endLine[i])) found.add(i);
  }
  return found;
}
