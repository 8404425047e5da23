/** Chains of views and copies, each the only user of the one before: drawn as one box, as they compute nothing. */
import type { Child, Group } from './groups';
import { type Graph, neighbours } from './model';
import { isStop, type Steps } from './steps';

/** Shorter chains stay as they are. */
const LEAST = 3;
/** Longer ones are named by their ends. */
const NAMED = 4;

/** Puts the chains among the loose nodes of a group into groups of their own. */
export function* foldChains(graph: Graph, group: Group, groups: Map<string, Group>): Steps<void> {
  const loose = new Set(group.children.filter((child): child is number => typeof child === 'number'));
  const inChain = new Map<number, Group>();
  let done = 0;
  for (const first of loose) {
    if (isStop(done++)) yield;
    if (inChain.has(first) || !isView(graph, first) || isView(graph, before(graph, first, loose))) continue;
    const nodes = chainFrom(graph, first, loose);
    if (nodes.length < LEAST || nodes.length === group.nodes.length) continue;
    const folded = grouped(graph, group, nodes);
    groups.set(folded.id, folded);
    for (const node of nodes) inChain.set(node, folded);
  }
  if (inChain.size === 0) return;
  const children: Child[] = group.children.map((child) =>
    typeof child === 'number' ? (inChain.get(child) ?? child) : child,
  );
  group.children.splice(0, group.children.length, ...new Set(children));
}

function isView({ data }: Graph, node: number): boolean {
  return node >= 0 && data.kinds[node] === 'view' && data.ops[node] !== 'placeholder';
}

/** The view whose only user a node is; -1: none. */
function before(graph: Graph, node: number, loose: ReadonlySet<number>): number {
  const inputs = neighbours(graph.inputs, node);
  const [only] = inputs;
  const isIt = inputs.length === 1 && loose.has(only) && neighbours(graph.users, only).length === 1;
  return isIt ? only : -1;
}

function chainFrom(graph: Graph, first: number, loose: ReadonlySet<number>): number[] {
  const nodes = [first];
  for (;;) {
    const at = nodes[nodes.length - 1];
    const users = neighbours(graph.users, at);
    const next = users.length === 1 ? users[0] : -1;
    if (!loose.has(next) || !isView(graph, next) || before(graph, next, loose) !== at) return nodes;
    nodes.push(next);
  }
}

function grouped(graph: Graph, parent: Group, nodes: number[]): Group {
  const names = nodes.map((node) => operator(graph.data.targets[node]));
  const title = (names.length > NAMED ? [names[0], names[1], '…', names[names.length - 1]] : names).join(' → ');
  return {
    // By the first node, which keeps its name from pass to pass.
    id: `${parent.id}/→${graph.data.names[nodes[0]]}`,
    title,
    kind: '',
    parent,
    depth: parent.depth + 1,
    children: [...nodes],
    nodes,
    ops: nodes.length,
    isCalls: false,
  };
}

/** `aten.permute.default` gives `permute`. */
function operator(target: string): string {
  return /^(?:torch\.ops\.)?(?:aten|prims)\.(\w+)/.exec(target)?.[1] ?? target.slice(target.lastIndexOf('.') + 1);
}
