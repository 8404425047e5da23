/** A graph as it is shown: filtered, grouped, coloured, and ready to be laid out. */
import { type Colouring, colouring } from './colours';
import { buildTree, initiallyOpen, type Tree } from './groups';
import { around, buildGraph, type Graph, subgraph } from './model';
import { SceneBuilder } from './scene';
import type { ColourBy } from './state';
import type { GraphResult } from '../../src/shared/messages';

export interface Filter {
  /** Only so many edges around this node. */
  readonly around: { name: string; hops: number } | null;
  readonly line: { file: string; line: number } | null;
}

export interface GraphView {
  readonly graph: Graph;
  readonly tree: Tree;
  readonly builder: SceneBuilder;
  readonly defaultOpen: Set<string>;
  readonly filtered: boolean;
  /** Nodes before filtering. */
  readonly total: number;
}

/** Views of one snapshot: the whole graph and the last filtered one. */
export class Snapshot {
  readonly whole: GraphView;
  #last: { key: string; view: GraphView } | null = null;

  constructor(data: GraphResult) {
    this.whole = makeView(buildGraph(data), null, data.names.length);
  }

  view(filter: Filter): GraphView {
    const { graph } = this.whole;
    const from = filter.around && graph.byName.get(filter.around.name);
    const keep = from != null && filter.around ? around(graph, from, filter.around.hops) : null;
    const onLine = filter.line ? nodesOnLine(graph, filter.line.file, filter.line.line) : null;
    if (!keep && !onLine) return this.whole;
    const key = JSON.stringify(filter);
    if (this.#last?.key === key) return this.#last.view;
    const both = keep && onLine ? new Set([...keep].filter((node) => onLine.has(node))) : (keep ?? onLine ?? new Set());
    const { graph: part, bridges } = subgraph(graph, both);
    const view = makeView(part, bridges, graph.size);
    this.#last = { key, view };
    return view;
  }

  /** The same snapshot with another layout, without ordering. */
  simple(view: GraphView): GraphView {
    return { ...view, builder: new SceneBuilder(view.graph, view.tree, { simple: true }) };
  }
}

function makeView(graph: Graph, bridges: Set<number> | null, total: number): GraphView {
  const tree = buildTree(graph);
  const builder = new SceneBuilder(graph, tree, bridges ? { bridges } : {});
  return { graph, tree, builder, defaultOpen: initiallyOpen(tree), filtered: bridges !== null, total };
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

const colourings = new WeakMap<Graph, Map<ColourBy, Colouring>>();

export function coloursOf(view: GraphView, by: ColourBy): Colouring {
  let known = colourings.get(view.graph);
  if (!known) colourings.set(view.graph, (known = new Map<ColourBy, Colouring>()));
  let made = known.get(by);
  if (!made) known.set(by, (made = colouring(view.graph, view.tree, by)));
  return made;
}
