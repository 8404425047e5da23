/** A graph as it is shown: filtered, grouped, coloured, and ready to be laid out. */
import type { GraphDiffResult, GraphResult } from '../../src/shared/messages';
import { type Colouring, colouring } from './colours';
import { countChanges, type Counts, isChanged, type Place, places } from './diff';
import { type Filter, left } from './filters';
import { buildTree, chain, countBoxes, type Homes, homesOf, initiallyOpen, pickHomes, type Tree } from './groups';
import { buildGraph, changeOf, type Graph, subgraph } from './model';
import { SceneBuilder } from './scene';
import type { ColourBy } from './state';

export interface GraphView {
  readonly graph: Graph;
  readonly tree: Tree;
  readonly builder: SceneBuilder;
  readonly defaultOpen: Set<string>;
  readonly filtered: boolean;
  /** Nodes before filtering. */
  readonly total: number;
  /** Where the two sides of a comparison differ, in order. */
  readonly places: readonly Place[];
  /** How much differs in each group that has any of it. */
  readonly changes: ReadonlyMap<string, Counts>;
}

/** A filtered graph of up to this many nodes is shown open. */
const SMALL_FILTERED = 150;
const MOST_BOXES = 300;
const LARGE = 5000;

/** Views of one snapshot, or of two that are compared: the whole graph and the last filtered one. */
export class Snapshot {
  readonly whole: GraphView;
  /** What the server says of a comparison. */
  readonly diff: GraphDiffResult | null;
  readonly #homes: Homes;
  #last: { key: string; view: GraphView } | null = null;

  private constructor(whole: GraphView, homes: Homes, diff: GraphDiffResult | null) {
    this.whole = whole;
    this.#homes = homes;
    this.diff = diff;
  }

  /** Of a large graph it lets the page go on from time to time. */
  static async make(data: GraphResult, diff: GraphDiffResult | null = null): Promise<Snapshot> {
    const pause = async (): Promise<void> => {
      if (data.names.length > LARGE) await new Promise((done) => setTimeout(done));
    };
    const graph = buildGraph(data, diff && changeOf(diff));
    await pause();
    const homes = homesOf(graph);
    await pause();
    return new Snapshot(makeView(graph, homes, null, data.names.length), homes, diff);
  }

  view(filter: Filter): GraphView {
    const { graph } = this.whole;
    const keep = left(graph, filter);
    if (!keep) return this.whole;
    const key = JSON.stringify(filter);
    if (this.#last?.key === key) return this.#last.view;
    const { graph: part, bridges, kept } = subgraph(graph, keep);
    const view = makeView(part, pickHomes(this.#homes, kept), bridges, graph.size);
    this.#last = { key, view };
    return view;
  }

  /** The same snapshot with another layout, without ordering. */
  simple(view: GraphView): GraphView {
    return { ...view, builder: new SceneBuilder(view.graph, view.tree, { simple: true }) };
  }
}

function makeView(graph: Graph, homes: Homes, bridges: Set<number> | null, total: number): GraphView {
  const tree = buildTree(graph, homes);
  const builder = new SceneBuilder(graph, tree, bridges ? { bridges } : {});
  const filtered = bridges !== null;
  const changed = places(graph, tree);
  return {
    graph,
    tree,
    builder,
    defaultOpen: firstOpen(tree, filtered, changed),
    filtered,
    total,
    places: changed,
    changes: changesOf(graph, tree),
  };
}

/** What is open at first: a small part whole; of a comparison the first place that changed. */
function firstOpen(tree: Tree, filtered: boolean, changed: readonly Place[]): Set<string> {
  const all = new Set([...tree.groups.keys()].filter((id) => id !== ''));
  if (filtered && tree.root.nodes.length <= SMALL_FILTERED && countBoxes(tree, all).boxes <= MOST_BOXES) return all;
  const open = initiallyOpen(tree);
  const [first] = changed;
  if (changed.length > 0) for (const group of chain(tree.home[first.node])) open.add(group.id);
  return open;
}

function changesOf(graph: Graph, tree: Tree): Map<string, Counts> {
  const found = new Map<string, Counts>();
  const { change } = graph;
  if (!change) return found;
  for (const [id, group] of tree.groups) {
    const counts = countChanges(change, group.nodes);
    if (isChanged(counts)) found.set(id, counts);
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
