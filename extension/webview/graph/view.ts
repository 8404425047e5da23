/** A graph as it is shown: filtered, grouped, coloured, and ready to be laid out. */
import type { GraphDiffResult, GraphResult } from '../../src/shared/messages';
import { type Colouring, colouring } from './colours';
import { countChanges, type Counts, isChanged, type Place, places } from './diff';
import { type Filter, left } from './filters';
import { chain, countBoxes, type Homes, homesSteps, initiallyOpen, pickHomes, type Tree, treeSteps } from './groups';
import { changeOf, type Graph, graphSteps, subgraphSteps } from './model';
import { SceneBuilder } from './scene';
import type { ColourBy } from './state';
import { inSlices, type Pause, type Steps } from './steps';

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

  /** Of a large graph this takes a while, with pauses. */
  static make(data: GraphResult, diff: GraphDiffResult | null, pause: Pause): Promise<Snapshot> {
    return inSlices(Snapshot.#steps(data, diff), pause);
  }

  static *#steps(data: GraphResult, diff: GraphDiffResult | null): Steps<Snapshot> {
    const graph = yield* graphSteps(data, diff && changeOf(diff));
    const homes = yield* homesSteps(graph);
    return new Snapshot(yield* viewSteps(graph, homes, null, data.names.length), homes, diff);
  }

  async view(filter: Filter, pause: Pause): Promise<GraphView> {
    const { graph } = this.whole;
    const keep = left(graph, filter);
    if (!keep) return this.whole;
    const key = JSON.stringify(filter);
    if (this.#last?.key === key) return this.#last.view;
    const view = await inSlices(this.#part(keep), pause);
    this.#last = { key, view };
    return view;
  }

  *#part(keep: ReadonlySet<number>): Steps<GraphView> {
    const { graph } = this.whole;
    const { graph: part, bridges, kept } = yield* subgraphSteps(graph, keep);
    return yield* viewSteps(part, pickHomes(this.#homes, kept), bridges, graph.size);
  }

  /** The same snapshot with another layout, without ordering. */
  simple(view: GraphView): GraphView {
    return { ...view, builder: new SceneBuilder(view.graph, view.tree, { simple: true }) };
  }
}

function* viewSteps(graph: Graph, homes: Homes, bridges: Set<number> | null, total: number): Steps<GraphView> {
  const tree = yield* treeSteps(graph, homes);
  const builder = new SceneBuilder(graph, tree, bridges ? { bridges } : {});
  const filtered = bridges !== null;
  yield;
  const changed = places(graph, tree);
  yield;
  return {
    graph,
    tree,
    builder,
    defaultOpen: firstOpen(tree, filtered, changed),
    filtered,
    total,
    places: changed,
    changes: yield* changesOf(graph, tree),
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

function* changesOf(graph: Graph, tree: Tree): Steps<Map<string, Counts>> {
  const found = new Map<string, Counts>();
  const { change } = graph;
  if (!change) return found;
  for (const [id, group] of tree.groups) {
    const counts = countChanges(change, group.nodes);
    if (isChanged(counts)) found.set(id, counts);
    yield;
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
