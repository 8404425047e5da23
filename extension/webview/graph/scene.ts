/** What is drawn for a set of open groups: boxes and edge paths with absolute positions. */
import * as l10n from '@vscode/l10n';
import { type Child, type Group, type Tree, chain } from './groups';
import { type Layout, type LayoutEdge, type LayoutItem, layout } from './layout';
import type { LayOut } from './layouter';
import { type ChangeState, type Graph, neighbours, pairKey } from './model';
import { atOnce, inSlices, isStop, type Pause, type Steps } from './steps';

export const HEADER = 26;
const PAD = 16;
const NODE_H = 26;
const GROUP_H = 28;
const KERNEL_H = 46;
const KERNEL_W = 560;
const MIN_W = 170;
const MAX_W = 300;
/** Estimated widths of a character of the code, title and caption fonts. */
const CODE_CHAR = 7;
const TITLE_CHAR = 6.6;
const TEXT_CHAR = 6;
/** More crossing edges than this share one place on the frame. */
const MAX_PORTS = 16;

export type BoxKind = 'node' | 'closed' | 'frame';

export interface Box {
  readonly kind: BoxKind;
  /** Node position, or the group's id. */
  readonly id: number | string;
  readonly group: Group | null;
  readonly depth: number;
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface Path {
  /** x, y, x, y, … */
  readonly points: Float64Array;
  /** Ends inside the drawing: an arrow only where the edge reaches its target's box. */
  readonly arrow: boolean;
  /** Goes through nodes that a filter left out. */
  readonly thin: boolean;
  readonly segment: string;
  /** Added or removed, when all edges on it are. */
  readonly change: ChangeState;
  /** The boxes at its ends; null where it goes on across a frame. */
  readonly ends: readonly [Key, Key];
}

export interface Scene {
  readonly boxes: readonly Box[];
  readonly paths: readonly Path[];
  /** Index in `boxes` of each drawn node and group. */
  readonly at: ReadonlyMap<number | string, number>;
  readonly w: number;
  readonly h: number;
  readonly spine: number;
}

export interface SceneOptions {
  readonly simple?: boolean;
  readonly bridges?: ReadonlySet<number>;
}

/** One open group with its children and the edges between them, before it has a place. */
interface Level {
  readonly group: Group;
  readonly parent: Level | null;
  readonly child: Map<number, number>;
  readonly ports: { side: 'in' | 'out'; key: number }[];
  readonly portAt: { in: Map<number, number>; out: Map<number, number> };
  readonly edges: { from: number; to: number; thin: boolean; change: ChangeState }[];
  readonly inner: Map<number, Level>;
}

type Key = number | string | null;

const childKey = (child: Child): number | string => (typeof child === 'number' ? child : child.id);

const frameSize = (level: Level, { w, h }: Layout): { w: number; h: number } => ({
  w: w + 2 * PAD,
  h: h + (level.ports.some((port) => port.side === 'out') ? 0 : PAD),
});

/** Builds and caches scenes of one graph. Results depend only on the graph and the open groups. */
export class SceneBuilder {
  readonly #graph: Graph;
  readonly #tree: Tree;
  readonly #options: SceneOptions;
  readonly #cache = new Map<string, { key: string; layout: Layout }>();
  readonly #widths = new Map<Group, number>();
  readonly #kernels: boolean;
  #root: Level | null = null;

  constructor(graph: Graph, tree: Tree, options: SceneOptions = {}) {
    this.#graph = graph;
    this.#tree = tree;
    this.#options = options;
    this.#kernels = graph.isSchedule;
  }

  /**
   * The scene with these groups open. `pause` is called between groups and may throw to give up; it is awaited so that
   * a large graph doesn't block the page.
   */
  async build(open: ReadonlySet<string>, pause: Pause = () => undefined, layOut: LayOut = layout): Promise<Scene> {
    const root = await inSlices(this.#level(this.#tree.root, null, open), pause);
    const layouts = new Map<Level, Layout>();
    const run = async (level: Level): Promise<string> => {
      let key = '';
      for (const [, inner] of level.inner) key += await run(inner);
      key = `${level.group.id}(${key})`;
      const cached = this.#cache.get(level.group.id);
      if (cached?.key === key) {
        layouts.set(level, cached.layout);
        return key;
      }
      await pause();
      await inSlices(this.#texts(level.group), pause);
      const done = await this.#place(level, layouts, layOut);
      layouts.set(level, done);
      this.#cache.set(level.group.id, { key, layout: done });
      return key;
    };
    await run(root);
    this.#root = root;
    return this.#compose(root, layouts);
  }

  /** The drawn segments of the edges between `node` and its inputs and users. */
  segmentsOf(node: number): { inputs: Set<string>; users: Set<string> } {
    const inputs = new Set<string>();
    const users = new Set<string>();
    for (const from of neighbours(this.#graph.inputs, node)) this.#segments(from, node, inputs);
    for (const to of neighbours(this.#graph.users, node)) this.#segments(node, to, users);
    return { inputs, users };
  }

  #segments(from: number, to: number, out: Set<string>): void {
    const walk = (level: Level): void => {
      const a = level.child.get(from);
      const b = level.child.get(to);
      if (a === undefined && b === undefined) return;
      if (a !== undefined && a === b) {
        const inner = level.inner.get(a);
        if (inner) walk(inner);
        return;
      }
      const start = a ?? this.#port(level, 'in', from);
      const end = b ?? this.#port(level, 'out', to);
      if (start !== undefined && end !== undefined) out.add(`${level.group.id}:${start}>${end}`);
      for (const at of [a, b]) {
        const inner = at === undefined ? undefined : level.inner.get(at);
        if (inner) walk(inner);
      }
    };
    if (this.#root) walk(this.#root);
  }

  /** Item of `node` in this level: a child, or the port through which its edges come. */
  #key(level: Level, side: 'in' | 'out', node: number): number | undefined {
    return level.child.get(node) ?? this.#port(level, side, node);
  }

  #port(level: Level, side: 'in' | 'out', node: number): number | undefined {
    if (level.parent === null) return undefined;
    const outer = this.#key(level.parent, side, node);
    if (outer === undefined) return undefined;
    const map = level.portAt[side];
    const known = map.get(outer);
    if (known !== undefined) return known;
    const same = level.ports.filter((port) => port.side === side);
    let at: number;
    if (same.length >= MAX_PORTS) at = level.group.children.length + level.ports.lastIndexOf(same[same.length - 1]);
    else at = level.group.children.length + level.ports.push({ side, key: outer }) - 1;
    map.set(outer, at);
    return at;
  }

  *#level(group: Group, parent: Level | null, open: ReadonlySet<string>): Steps<Level> {
    const level: Level = {
      group,
      parent,
      child: new Map(),
      ports: [],
      portAt: { in: new Map(), out: new Map() },
      edges: [],
      inner: new Map(),
    };
    let done = 0;
    for (const [at, child] of group.children.entries()) {
      for (const node of typeof child === 'number' ? [child] : child.nodes) {
        level.child.set(node, at);
        if (isStop(done++)) yield;
      }
    }
    const seen = new Map<number, number>();
    const bridges = this.#options.bridges;
    const connect = (from: number | undefined, to: number | undefined, a: number, b: number): void => {
      if (from === undefined || to === undefined || from === to) return;
      const thin = thinPairs?.has(a * this.#graph.size + b) ?? false;
      const change = this.#graph.change?.edges.get(pairKey(a, b)) ?? 'same';
      const key = from * 1_000_003 + to;
      const known = seen.get(key);
      if (known === undefined) {
        seen.set(key, level.edges.length);
        level.edges.push({ from, to, thin, change });
        return;
      }
      const edge = level.edges[known];
      if (!thin) edge.thin = false;
      if (edge.change !== change) edge.change = 'same';
    };
    const thinPairs = bridges?.size ? this.#thinPairs(bridges) : null;
    for (const node of group.nodes) {
      if (isStop(done++)) yield;
      const to = level.child.get(node);
      for (const source of neighbours(this.#graph.inputs, node)) {
        connect(this.#key(level, 'in', source), to, source, node);
      }
      if (parent === null) continue;
      for (const user of neighbours(this.#graph.users, node)) {
        if (level.child.has(user)) continue;
        connect(to, this.#port(level, 'out', user), node, user);
      }
    }
    for (const [at, child] of group.children.entries()) {
      if (typeof child !== 'number' && open.has(child.id)) level.inner.set(at, yield* this.#level(child, level, open));
    }
    return level;
  }

  #thinCache: Set<number> | null = null;
  #thinPairs(bridges: ReadonlySet<number>): Set<number> {
    const { edges } = this.#graph.data;
    this.#thinCache ??= new Set([...bridges].map((e) => edges[2 * e] * this.#graph.size + edges[2 * e + 1]));
    return this.#thinCache;
  }

  /** What closed groups say, before it is asked for in the middle of a drawing. */
  *#texts(group: Group): Steps<void> {
    for (const child of group.children) if (typeof child !== 'number') yield* closedTextSteps(this.#graph, child);
  }

  /** Width that all simple boxes of a group share. */
  #width(group: Group): number {
    let width = this.#widths.get(group);
    if (width === undefined) this.#widths.set(group, (width = this.#widest(group)));
    return width;
  }

  #widest(group: Group): number {
    const { names } = this.#graph.data;
    let most = MIN_W;
    for (const child of group.children) {
      if (typeof child === 'number') {
        most = Math.max(most, 36 + (names[child].length + this.#graph.types[child].length) * CODE_CHAR);
      } else {
        const text =
          child.title.length * TITLE_CHAR + (child.kind.length + closedText(this.#graph, child).length) * TEXT_CHAR;
        most = Math.max(most, 64 + text);
      }
      if (most >= MAX_W) return MAX_W;
    }
    return Math.ceil(most / 10) * 10;
  }

  #place(level: Level, layouts: ReadonlyMap<Level, Layout>, layOut: LayOut): Layout | Promise<Layout> {
    const { group } = level;
    const width = this.#width(group);
    const items: LayoutItem[] = group.children.map((child, at): LayoutItem => {
      if (typeof child === 'number') return { ...this.#nodeSize(child, width), kind: 'box' };
      const inner = level.inner.get(at);
      if (!inner) return { w: width, h: GROUP_H, kind: 'box' };
      const size = layouts.get(inner)!;
      return { ...frameSize(inner, size), kind: 'box', anchor: size.spine + PAD };
    });
    for (const port of level.ports) items.push({ w: 0, h: 0, kind: port.side });
    const portX = (item: number, side: 'in' | 'out', other: number): number | undefined => {
      const inner = level.inner.get(item);
      const port = inner?.portAt[side].get(other);
      if (!inner || port === undefined) return undefined;
      return layouts.get(inner)!.x[port] + PAD;
    };
    const edges = level.edges.map(({ from, to }): LayoutEdge => {
      const fromX = portX(from, 'out', to);
      const toX = portX(to, 'in', from);
      return { from, to, ...(fromX === undefined ? {} : { fromX }), ...(toX === undefined ? {} : { toX }) };
    });
    const titleW = Math.min(MAX_W, 90 + (group.title.length + group.kind.length) * TITLE_CHAR);
    const isRoot = level.parent === null;
    return layOut(items, edges, {
      top: isRoot ? 0 : HEADER,
      minW: isRoot ? 0 : titleW,
      maxRowW: Math.max(6 * (width + 18), 1300),
      ...(this.#kernels ? { sequence: true } : {}),
      ...(this.#options.simple ? { simple: true } : {}),
    });
  }

  #nodeSize(node: number, width: number): { w: number; h: number } {
    if (!this.#kernels) return { w: width, h: NODE_H };
    const isCall = /^(extern|fallback)$/.test(this.#graph.data.kinds[node]);
    return { w: KERNEL_W, h: !isCall && this.#graph.data.origins[node].length > 0 ? KERNEL_H : NODE_H };
  }

  #compose(root: Level, layouts: ReadonlyMap<Level, Layout>): Scene {
    const boxes: Box[] = [];
    const paths: Path[] = [];
    const at = new Map<number | string, number>();
    const draw = (level: Level, dx: number, dy: number, depth: number): void => {
      const place = layouts.get(level)!;
      const { children } = level.group;
      level.edges.forEach((edge, e) => {
        const points = place.paths[e].map((v, p) => v + (p % 2 ? dy : dx));
        const last = points.length - 1;
        if (last < 3) return;
        const open = level.inner.get(edge.to)?.portAt.in.has(edge.from) ?? false;
        paths.push({
          points,
          arrow: edge.to < children.length && !open,
          thin: edge.thin,
          segment: `${level.group.id}:${edge.from}>${edge.to}`,
          change: edge.change,
          ends: [edge.from, edge.to].map((i) => (i < children.length ? childKey(children[i]) : null)) as [Key, Key],
        });
      });
      children.forEach((child, c) => {
        const x = dx + place.x[c];
        const y = dy + place.y[c];
        const inner = level.inner.get(c);
        const group = typeof child === 'number' ? null : child;
        const id = childKey(child);
        at.set(id, boxes.length);
        if (inner) {
          const size = layouts.get(inner)!;
          boxes.push({ kind: 'frame', id, group, depth, x, y, ...frameSize(inner, size) });
          draw(inner, x + PAD, y, depth + 1);
        } else {
          const simple = group ? { w: this.#width(level.group), h: GROUP_H } : null;
          const size = simple ?? this.#nodeSize(child as number, this.#width(level.group));
          boxes.push({ kind: group ? 'closed' : 'node', id, group, depth, x, y, ...size });
        }
      });
    };
    draw(root, 0, 0, 0);
    const size = layouts.get(root)!;
    return { boxes, paths, at, w: size.w, h: size.h, spine: size.spine };
  }
}

/** `88 ops`. */
export function countText(group: Group): string {
  if (group.isCalls) return group.ops === 1 ? l10n.t('{0} kernel', 1) : l10n.t('{0} kernels', group.ops);
  if (group.ops === 0) return l10n.t('{0} inputs', group.nodes.length);
  return group.ops === 1 ? l10n.t('{0} op', 1) : l10n.t('{0} ops', group.ops);
}

/** `4 ops · f32[4,128,768]`: what a closed group hands on, too. */
export const closedText = (graph: Graph, group: Group): string => atOnce(closedTextSteps(graph, group));

const closedTexts = new WeakMap<Group, string>();

function* closedTextSteps(graph: Graph, group: Group): Steps<string> {
  let text = closedTexts.get(group);
  if (text === undefined) closedTexts.set(group, (text = yield* textOfClosed(graph, group)));
  return text;
}

function* textOfClosed(graph: Graph, group: Group): Steps<string> {
  const inside = new Set(group.nodes);
  let result = -1;
  let soonest = Infinity;
  let done = 0;
  for (const node of group.nodes) {
    if (isStop(done++)) yield;
    for (const user of neighbours(graph.users, node)) {
      if (inside.has(user) || graph.data.ops[user] === 'output' || user > soonest) continue;
      soonest = user;
      result = node;
    }
  }
  const type = result < 0 || group.ops === 0 ? '' : graph.types[result];
  return type === '' || type.length > 20 ? countText(group) : `${countText(group)} · ${type}`;
}

/** The drawn box that stands for a node: its own, or that of the outermost closed group around it. */
export function standIn(scene: Scene, tree: Tree, node: number): number | string {
  if (scene.at.has(node)) return node;
  for (const group of chain(tree.home[node])) {
    const at = scene.at.get(group.id);
    if (at !== undefined && scene.boxes[at].kind === 'closed') return group.id;
  }
  return node;
}
