/** The tree of groups over a graph: by module, then by size, so that no level has more than `MAX_CHILDREN` boxes. */
import * as l10n from '@vscode/l10n';
import { type Graph, type Neighbours, neighbours } from './model';
import { atOnce, isStop, type Steps } from './steps';
import { foldChains } from './view-chains';
import { type Bucket, byLine, countOps, isInput, splitBackward, splitVisits } from './split';

export const MAX_CHILDREN = 300;
/** A list of modules is shown as its members as long as that makes no more boxes than this. */
const MAX_DISSOLVED = 100;
const CHUNK = 100;
/** A graph of up to this many nodes opens with everything visible. */
const SMALL_GRAPH = 40;
/** Modules nested deeper than this are not told apart. */
const MAX_DEPTH = 16;

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
  /** They are calls of kernels. */
  readonly isCalls: boolean;
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
  return names
    .slice(from)
    .filter((name) => name !== '_modules')
    .slice(0, MAX_DEPTH);
}

/** Where each node belongs. Of a part of a graph it is what it is in the whole. */
export interface Homes {
  /** Path of each node as parts; empty at the top. */
  readonly paths: readonly string[][];
  readonly classes: ReadonlyMap<string, string>;
  /** Nodes that depend on an incoming gradient, in a graph that has its forward too. */
  readonly backward: Uint8Array;
}

/** Where the nodes of a graph belong. */
export const homesOf = (graph: Graph): Homes => atOnce(homesSteps(graph));

export function* homesSteps(graph: Graph): Steps<Homes> {
  const gradients = yield* gradientNodes(graph);
  const { names, ops } = graph.data;
  const isMixed = names.some((name, i) => ops[i] === 'placeholder' && name.startsWith('primals_'));
  const backward = isMixed ? gradients : new Uint8Array(graph.size);
  return { ...(yield* modulePaths(graph, gradients)), backward };
}

/** The homes of some nodes, in their order. */
export function pickHomes({ paths, classes, backward }: Homes, nodes: readonly number[]): Homes {
  return { paths: nodes.map((i) => paths[i]), classes, backward: Uint8Array.from(nodes, (i) => backward[i]) };
}

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
function* modulePaths(graph: Graph, gradients: Uint8Array): Steps<Pick<Homes, 'paths' | 'classes'>> {
  const { data } = graph;
  const parsed: string[][] = [];
  const classes = new Map<string, string>();
  for (const [i, [path, kind]] of data.modules.entries()) {
    if (isStop(i)) yield;
    const parts = pathParts(path);
    parsed.push(parts);
    if (kind) classes.set(parts.join('.'), kind.slice(kind.lastIndexOf('.') + 1));
  }
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
  for (let i = 0; i < graph.size; i++) {
    if (isStop(i)) yield;
    if (!known[i] && !isInput(graph, i)) above[i] = around(i, graph.inputs, above);
  }
  for (let i = graph.size - 1; i >= 0; i--) {
    if (isStop(i)) yield;
    if (!known[i]) below[i] = around(i, graph.users, below);
  }
  for (let i = 0; i < graph.size; i++) {
    if (isStop(i)) yield;
    const [a, b] = [above[i], below[i]];
    if (known[i] !== null || a === null || b === null) continue;
    // Gradients that are summed come from everywhere and belong to where they go.
    known[i] = gradients[i] && a.length === 0 ? b : common(a, b);
  }
  for (let i = graph.size - 1; i >= 0; i--) {
    if (isStop(i)) yield;
    if (known[i] !== null || !isInput(graph, i)) continue;
    let path: string[] | null = null;
    for (const j of neighbours(graph.users, i)) if (data.ops[j] !== 'output') path = common(path, known[j] ?? []);
    known[i] = path;
  }
  return { paths: known.map((path) => path ?? []), classes };
}

/** Nodes that depend on an incoming gradient. */
function* gradientNodes(graph: Graph): Steps<Uint8Array> {
  const flags = new Uint8Array(graph.size);
  const { names, ops } = graph.data;
  for (let i = 0; i < graph.size; i++) {
    if (isStop(i)) yield;
    if (ops[i] === 'placeholder') flags[i] = names[i].startsWith('tangents_') ? 1 : 0;
    else if (ops[i] !== 'output') for (const j of neighbours(graph.inputs, i)) flags[i] |= flags[j];
  }
  return flags;
}

/** Position in program order by which a child is sorted: that of its first operation. */
function firstOf(graph: Graph, child: Child): number {
  if (typeof child === 'number') return child;
  return child.nodes.find((i) => !isInput(graph, i)) ?? child.nodes[0];
}

function* sortByFirst(graph: Graph, children: Child[]): Steps<void> {
  const first = new Map<Child, number>();
  for (const [at, child] of children.entries()) {
    if (isStop(at)) yield;
    first.set(child, firstOf(graph, child));
  }
  children.sort((a, b) => first.get(a)! - first.get(b)!);
}

/** The tree of groups of `graph`. */
export const buildTree = (graph: Graph): Tree => atOnce(treeSteps(graph, homesOf(graph)));

export function* treeSteps(graph: Graph, { paths, classes, backward }: Homes): Steps<Tree> {
  const groups = new Map<string, Group>();
  const isKernels = graph.isSchedule;

  function* bucketsAt(
    nodes: readonly number[],
    depth: number,
    prefix: string,
    room: number,
  ): Steps<[Bucket[], number[]]> {
    const buckets = new Map<string, Bucket>();
    const leaves: number[] = [];
    let done = 0;
    for (const i of nodes) {
      if (isStop(done++)) yield;
      const path = paths[i];
      if (path.length <= depth) {
        leaves.push(i);
        continue;
      }
      const bucket = buckets.get(path[depth]);
      if (bucket) bucket.nodes.push(i);
      else {
        const title = prefix === '' ? path[depth] : `${prefix}.${path[depth]}`;
        const own = path.slice(0, depth + 1);
        buckets.set(path[depth], { key: title, title, kind: classes.get(own.join('.')) ?? '', path: own, nodes: [i] });
      }
    }
    const out: Bucket[] = [];
    for (const bucket of buckets.values()) {
      const [inner, own] = yield* bucketsAt(bucket.nodes, depth + 1, bucket.title, room);
      const small = own.every((i) => isInput(graph, i)) && own.length <= 2;
      if (inner.length > 0 && small && inner.length + buckets.size <= room) {
        out.push(...inner);
        leaves.push(...own);
      } else out.push(bucket);
    }
    return [out, leaves];
  }

  function* make(
    id: string,
    title: string,
    kind: string,
    parent: Group | null,
    nodes: number[],
    pathLength: number,
  ): Steps<Group> {
    yield;
    const ops = countOps(graph, nodes);
    const depth = parent ? parent.depth + 1 : 0;
    const group: Group = { id, title, kind, parent, depth, children: [], nodes, ops, isCalls: isKernels };
    groups.set(id, group);
    const mixed = parent === null || !/ backward(\/|$)/.test(id);
    const [buckets, leaves] = yield* bucketsAt(nodes, pathLength, '', MAX_DISSOLVED);
    const [lines, loose] = pathLength === Infinity || isKernels ? [[], leaves] : yield* byLine(graph, leaves);
    group.children.push(...loose);
    const all = [...buckets, ...lines];
    yield;
    for (const bucket of yield* splitVisits(graph, nodes, mixed ? yield* splitBackward(all, backward, graph) : all)) {
      if (bucket.nodes.length === 1) {
        group.children.push(bucket.nodes[0]);
        continue;
      }
      const childId = id === '' ? bucket.key : `${id}/${bucket.key}`;
      // The nodes of one line are in no deeper module.
      const depth = bucket.path.length > 0 ? bucket.path.length : Infinity;
      group.children.push(yield* make(childId, bucket.title, bucket.kind, group, bucket.nodes, depth));
    }
    yield* sortByFirst(graph, group.children);
    // A small graph is shown with everything in it.
    if (graph.size > SMALL_GRAPH && !isKernels) yield* foldChains(graph, group, groups);
    yield* bound(graph, group, groups);
    return group;
  }

  const all = Array.from({ length: graph.size }, (_, i) => i);
  const root = yield* make('', '', '', null, all, 0);
  const home: Group[] = new Array<Group>(graph.size);
  for (const group of groups.values()) {
    for (const child of group.children) if (typeof child === 'number') home[child] = group;
    yield;
  }
  return { root, groups, home };
}

/** Packs the children of a group that has too many into groups of consecutive ones. */
function* bound(graph: Graph, group: Group, groups: Map<string, Group>): Steps<void> {
  let level = 0;
  while (group.children.length > MAX_CHILDREN) {
    const { children } = group;
    const parts = Math.ceil(children.length / CHUNK);
    const packed: Group[] = [];
    for (let p = 0; p < parts; p++) {
      yield;
      const from = Math.floor((p * children.length) / parts);
      const own = children.slice(from, Math.floor(((p + 1) * children.length) / parts));
      const nodes = own.flatMap((child) => (typeof child === 'number' ? [child] : child.nodes)).sort((a, b) => a - b);
      const title = l10n.t('nodes {0}–{1}', nodes[0] + 1, nodes[nodes.length - 1] + 1);
      const pack: Group = {
        id: `${group.id}/~${level}.${p}`,
        title,
        kind: '',
        parent: group,
        depth: group.depth + 1,
        children: own,
        nodes,
        ops: countOps(graph, nodes),
        isCalls: group.isCalls,
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
  for (let at = group; at.parent !== null; at = at.parent) out.unshift(at);
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
