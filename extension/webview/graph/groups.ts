/** The tree of groups over a graph: by module, then by size, so that no level has more than `MAX_CHILDREN` boxes. */
import { type Graph, type Neighbours, neighbours } from './model';

export const MAX_CHILDREN = 300;
/** A list of modules is shown as its members as long as that makes no more boxes than this. */
const MAX_DISSOLVED = 100;
/** More calls of one module than this stay in one group. */
const MAX_VISITS = 4;
const CHUNK = 100;

export interface Group {
  /** Stable from stage to stage: the module's path, and what tells its calls apart. */
  readonly id: string;
  readonly title: string;
  /** The module's class, or empty. */
  readonly kind: string;
  parent: Group | null;
  depth: number;
  /** Groups and node positions in program order. */
  readonly children: Child[];
  /** All nodes inside, in program order. */
  readonly nodes: number[];
  /** How many of them are operations and not inputs. */
  readonly ops: number;
}

export type Child = Group | number;

export interface Tree {
  readonly root: Group;
  readonly groups: ReadonlyMap<string, Group>;
  /** The innermost group of each node. */
  readonly home: readonly Group[];
}

/** Parts of a module path: `L['self'].layers[0].attn` gives `layers`, `0`, `attn`. */
export function pathParts(path: string): string[] {
  const parts = path.match(/[^.[\]]+/g) ?? [];
  const names = parts.map((part) => part.replace(/^['"]|['"]$/g, ''));
  let from = 0;
  while (from < names.length && /^(L|G|self|_modules)$/.test(names[from])) from++;
  return names.slice(from).filter((name) => name !== '_modules');
}

interface Modules {
  /** Path of each node as parts; empty at the top. */
  readonly paths: string[][];
  readonly classes: Map<string, string>;
}

const isInput = (graph: Graph, i: number): boolean =>
  graph.data.ops[i] === 'placeholder' || graph.data.ops[i] === 'get_attr';

const countOps = (graph: Graph, nodes: readonly number[]): number =>
  nodes.reduce((n, i) => n + (isInput(graph, i) ? 0 : 1), 0);

function common(a: string[] | null, b: string[]): string[] {
  if (a === null) return b;
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return a.slice(0, n);
}

/**
 * The module path of each node. A node without one goes where its neighbours are: an input to all its users, another
 * node to what the modules before and after it have in common.
 */
function modulePaths(graph: Graph): Modules {
  const { data } = graph;
  const parsed = data.modules.map(([path]) => pathParts(path));
  const classes = new Map<string, string>();
  data.modules.forEach(([, kind], i) => {
    if (kind) classes.set(parsed[i].join('.'), kind.slice(kind.lastIndexOf('.') + 1));
  });
  const known: (string[] | null)[] = data.module.map((m) => (m >= 0 ? parsed[m] : null));
  const above: (string[] | null)[] = [...known];
  const below: (string[] | null)[] = [...known];
  const around = (i: number, of: Neighbours, paths: (string[] | null)[]): string[] | null => {
    let path: string[] | null = null;
    for (const j of neighbours(of, i)) {
      const near = paths[j];
      if (near !== null) path = common(path, near);
    }
    return path;
  };
  for (let i = 0; i < graph.size; i++) if (!known[i] && !isInput(graph, i)) above[i] = around(i, graph.inputs, above);
  for (let i = graph.size - 1; i >= 0; i--) if (!known[i]) below[i] = around(i, graph.users, below);
  for (let i = 0; i < graph.size; i++) {
    const [a, b] = [above[i], below[i]];
    if (known[i] === null && a !== null && b !== null) known[i] = common(a, b);
  }
  for (let i = graph.size - 1; i >= 0; i--) {
    if (known[i] !== null || !isInput(graph, i)) continue;
    let path: string[] | null = null;
    for (const j of neighbours(graph.users, i)) path = common(path, known[j] ?? []);
    known[i] = path;
  }
  return { paths: known.map((path) => path ?? []), classes };
}

/** Nodes that depend on an incoming gradient; empty set in graphs without one. */
function backwardNodes(graph: Graph): Uint8Array {
  const flags = new Uint8Array(graph.size);
  const { names, ops } = graph.data;
  let forward = false;
  for (let i = 0; i < graph.size; i++) {
    if (ops[i] === 'placeholder') {
      flags[i] = names[i].startsWith('tangents_') ? 1 : 0;
      forward ||= names[i].startsWith('primals_') && flags[i] === 0;
    } else if (ops[i] !== 'output') {
      for (const j of neighbours(graph.inputs, i)) flags[i] |= flags[j];
    }
  }
  return forward ? flags : flags.fill(0);
}

/** Strongly connected components with more than one member, among `count` buckets (Tarjan, iterative). */
function cycles(count: number, next: readonly Set<number>[]): number[][] {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let clock = 0;
  for (let s = 0; s < count; s++) {
    if (index[s] >= 0) continue;
    const work: { at: number; rest: Iterator<number> }[] = [];
    const enter = (v: number): void => {
      index[v] = low[v] = clock++;
      stack.push(v);
      onStack[v] = 1;
      work.push({ at: v, rest: next[v].values() });
    };
    enter(s);
    while (work.length > 0) {
      const top = work[work.length - 1];
      const step = top.rest.next();
      if (!step.done) {
        if (index[step.value] < 0) enter(step.value);
        else if (onStack[step.value]) low[top.at] = Math.min(low[top.at], index[step.value]);
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) low[above.at] = Math.min(low[above.at], low[top.at]);
      if (low[top.at] !== index[top.at]) continue;
      const part: number[] = [];
      let v: number;
      do {
        v = stack.pop()!;
        onStack[v] = 0;
        part.push(v);
      } while (v !== top.at);
      if (part.length > 1) found.push(part);
    }
  }
  return found;
}

interface Bucket {
  key: string;
  title: string;
  path: string[];
  nodes: number[];
}

/** Splits groups that data leaves and enters again (a module called twice, forward and backward) into one per visit. */
function splitVisits(graph: Graph, nodes: readonly number[], buckets: Bucket[], backward: Uint8Array): Bucket[] {
  if (buckets.length < 2) return buckets;
  const of = new Map<number, number>();
  buckets.forEach((bucket, b) => {
    for (const i of bucket.nodes) of.set(i, b);
  });
  const next = buckets.map(() => new Set<number>());
  for (const i of nodes) {
    const from = of.get(i);
    if (from === undefined) continue;
    for (const j of neighbours(graph.users, i)) {
      const to = of.get(j);
      if (to !== undefined && to !== from) next[from].add(to);
    }
  }
  const split = new Map<number, Bucket[]>();
  for (const part of cycles(buckets.length, next)) {
    for (const b of part) {
      const visits = new Map<number, number[]>();
      const left = new Map<number, number>();
      for (const i of nodes) {
        let count = 0;
        for (const j of neighbours(graph.inputs, i)) {
          const seen = left.get(j);
          if (seen === undefined) continue;
          count = Math.max(count, of.get(j) === b && of.get(i) !== b ? seen + 1 : seen);
        }
        left.set(i, count);
        if (of.get(i) !== b) continue;
        const visit = visits.get(count);
        if (visit) visit.push(i);
        else visits.set(count, [i]);
      }
      if (visits.size < 2 || visits.size > MAX_VISITS) continue;
      const parts = [...visits.entries()].sort(([x], [y]) => x - y).map(([, list]) => list);
      const ops = (list: number[]): number[] => list.filter((i) => !isInput(graph, i));
      split.set(
        b,
        parts.map((list, k) => {
          const back = ops(list).length > 0 && ops(list).every((i) => backward[i] === 1);
          const suffix = k === 0 ? '' : back ? ' backward' : ` call ${k + 1}`;
          const base = buckets[b];
          return { key: base.key + suffix, title: base.title + suffix, path: base.path, nodes: list };
        }),
      );
    }
  }
  return buckets.flatMap((bucket, b) => split.get(b) ?? [bucket]);
}

/** Position in program order by which a child is sorted: that of its first operation. */
function firstOf(graph: Graph, child: Child): number {
  if (typeof child === 'number') return child;
  return child.nodes.find((i) => !isInput(graph, i)) ?? child.nodes[0];
}

/** The tree of groups of `graph`. */
export function buildTree(graph: Graph): Tree {
  const { paths, classes } = modulePaths(graph);
  const backward = backwardNodes(graph);
  const groups = new Map<string, Group>();

  const bucketsAt = (nodes: readonly number[], depth: number, prefix: string, room: number): [Bucket[], number[]] => {
    const buckets = new Map<string, Bucket>();
    const leaves: number[] = [];
    for (const i of nodes) {
      const path = paths[i];
      if (path.length <= depth) {
        leaves.push(i);
        continue;
      }
      const bucket = buckets.get(path[depth]);
      if (bucket) bucket.nodes.push(i);
      else {
        const title = prefix === '' ? path[depth] : `${prefix}.${path[depth]}`;
        buckets.set(path[depth], { key: title, title, path: path.slice(0, depth + 1), nodes: [i] });
      }
    }
    const out: Bucket[] = [];
    for (const bucket of buckets.values()) {
      const [inner, own] = bucketsAt(bucket.nodes, depth + 1, bucket.title, room);
      const small = own.every((i) => isInput(graph, i)) && own.length <= 2;
      if (inner.length > 0 && small && inner.length + buckets.size <= room) {
        out.push(...inner);
        leaves.push(...own);
      } else out.push(bucket);
    }
    return [out, leaves];
  };

  const make = (
    id: string,
    title: string,
    kind: string,
    parent: Group | null,
    nodes: number[],
    pathLength: number,
  ): Group => {
    const ops = countOps(graph, nodes);
    const group: Group = { id, title, kind, parent, depth: parent ? parent.depth + 1 : 0, children: [], nodes, ops };
    groups.set(id, group);
    const [buckets, leaves] = bucketsAt(nodes, pathLength, '', MAX_DISSOLVED);
    group.children.push(...leaves);
    for (const bucket of splitVisits(graph, nodes, buckets, backward)) {
      if (bucket.nodes.length === 1) {
        group.children.push(bucket.nodes[0]);
        continue;
      }
      const childId = id === '' ? bucket.key : `${id}/${bucket.key}`;
      const childKind = classes.get(bucket.path.join('.')) ?? '';
      group.children.push(make(childId, bucket.title, childKind, group, bucket.nodes, bucket.path.length));
    }
    group.children.sort((a, b) => firstOf(graph, a) - firstOf(graph, b));
    bound(graph, group, groups);
    return group;
  };

  const all = Array.from({ length: graph.size }, (_, i) => i);
  const root = make('', '', '', null, all, 0);
  const home: Group[] = new Array<Group>(graph.size);
  for (const group of groups.values()) {
    for (const child of group.children) if (typeof child === 'number') home[child] = group;
  }
  return { root, groups, home };
}

/** Packs the children of a group that has too many into groups of consecutive ones. */
function bound(graph: Graph, group: Group, groups: Map<string, Group>): void {
  let level = 0;
  while (group.children.length > MAX_CHILDREN) {
    const { children } = group;
    const parts = Math.ceil(children.length / CHUNK);
    const packed: Group[] = [];
    for (let p = 0; p < parts; p++) {
      const from = Math.floor((p * children.length) / parts);
      const own = children.slice(from, Math.floor(((p + 1) * children.length) / parts));
      const nodes = own.flatMap((child) => (typeof child === 'number' ? [child] : child.nodes)).sort((a, b) => a - b);
      const title = `nodes ${nodes[0] + 1}–${nodes[nodes.length - 1] + 1}`;
      const pack: Group = {
        id: `${group.id}/~${level}.${p}`,
        title,
        kind: '',
        parent: group,
        depth: group.depth + 1,
        children: own,
        nodes,
        ops: countOps(graph, nodes),
      };
      for (const child of own) if (typeof child !== 'number') reparent(child, pack);
      groups.set(pack.id, pack);
      packed.push(pack);
    }
    children.splice(0, children.length, ...packed);
    level++;
  }
}

function reparent(group: Group, parent: Group): void {
  group.parent = parent;
  group.depth = parent.depth + 1;
  for (const child of group.children) if (typeof child !== 'number') reparent(child, group);
}

/** Groups from the outermost to the innermost around a group, without the root, with the group itself. */
export function chain(group: Group): Group[] {
  const out: Group[] = [];
  for (let at: Group | null = group; at !== null && at.parent !== null; at = at.parent) out.unshift(at);
  return out;
}

/** How many boxes are drawn with these groups open. */
export function countBoxes(tree: Tree, open: ReadonlySet<string>): { nodes: number; closed: number; boxes: number } {
  let nodes = 0;
  let closed = 0;
  let boxes = 0;
  const walk = (group: Group): void => {
    for (const child of group.children) {
      boxes++;
      if (typeof child === 'number') nodes++;
      else if (open.has(child.id)) walk(child);
      else closed++;
    }
  };
  walk(tree.root);
  return { nodes, closed, boxes };
}

/** A graph of up to this many nodes opens with everything visible. */
const SMALL_GRAPH = 40;

/** What is open at first: everything in a small graph, else only groups that are alone on their level. */
export function initiallyOpen(tree: Tree): Set<string> {
  const open = new Set<string>();
  if (tree.root.nodes.length <= SMALL_GRAPH) {
    for (const id of tree.groups.keys()) if (id !== '') open.add(id);
    return open;
  }
  let at = tree.root;
  for (;;) {
    const inner = at.children.filter((child): child is Group => typeof child !== 'number');
    if (inner.length !== 1 || at.children.length > 12) return open;
    at = inner[0];
    open.add(at.id);
  }
}
