/** The picture of a graph: laid out for the open groups, searched, and drawn with what stands out. */
import * as l10n from '@vscode/l10n';
import type { GraphCanvas } from './canvas';
import { Layouter } from './layouter';
import { type Scene, standIn } from './scene';
import { matchesByGroup, searchSteps } from './search';
import type { Camera, UiState } from './state';
import { Cancelled, inSlices, pacing, type Pause } from './steps';
import { coloursOf, type GraphView } from './view';

const SLOW_LAYOUT_MS = 2500;
/** The edges of a group with more nodes are not made to stand out. */
const MAX_HOT_NODES = 1000;

/** A node's position or a group's id. */
export type Id = number | string;

/** Where the camera goes with a new picture. */
export interface Aim {
  /** A box that keeps its place on the screen. */
  readonly keep: Id | null;
  /** Where it was when the graph was looked at last. */
  readonly camera: Camera | null;
  /** What both pictures show keeps its place. */
  readonly steady: boolean;
}

export class Picture {
  view: GraphView | null = null;
  canvas: GraphCanvas | null = null;
  /** The snapshot that is drawn. */
  drawnOf = '';
  /** Laying out takes long. */
  slow = false;
  matches: readonly number[] = [];
  matchSet: ReadonlySet<number> = new Set();
  groupMatches: ReadonlyMap<string, number> = new Map();
  readonly #changed: () => void;
  readonly #layouter = new Layouter();
  #cancel: (() => void) | null = null;
  #searches = 0;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get scene(): Scene | null {
    return this.canvas?.scene ?? null;
  }

  /** The drawn box that stands for something. */
  drawn(id: Id | null): Id | null {
    return typeof id === 'number' && this.view && this.scene ? standIn(this.scene, this.view.tree, id) : id;
  }

  /** Finds what matches, unless something newer is searched for. */
  async search(query: string): Promise<void> {
    const { view } = this;
    const turn = ++this.#searches;
    let matches: number[] = [];
    try {
      const pause = pacing(() => turn === this.#searches);
      if (view) matches = await inSlices(searchSteps(view.graph, view.tree, query), pause);
    } catch (error) {
      if (error instanceof Cancelled) return;
      throw error;
    }
    if (turn !== this.#searches) return;
    this.matches = matches;
    this.matchSet = new Set(matches);
    this.groupMatches = view ? matchesByGroup(view.tree, matches) : new Map<string, number>();
  }

  cancel(): void {
    this.#cancel?.();
    this.#layouter.cancel();
  }

  /** Lays out a view. */
  layOut(view: GraphView, open: ReadonlySet<string>, pause: Pause): Promise<Scene> {
    return view.builder.build(open, pause, this.#layouter.layOut);
  }

  /** Does work on the next picture; null when it was given up, for newer work or by the user. */
  async prepare<T>(work: (pause: Pause) => Promise<T>): Promise<T | null> {
    this.cancel();
    let given = false;
    this.#cancel = () => (given = true);
    const timer = setTimeout(() => {
      this.slow = true;
      this.#changed();
    }, SLOW_LAYOUT_MS);
    try {
      return await work(pacing(() => !given));
    } catch (error) {
      if (error instanceof Cancelled) return null;
      throw error;
    } finally {
      clearTimeout(timer);
      if (this.slow) this.#changed();
      this.slow = false;
    }
  }

  /** Draws a scene. With no other aim the camera goes to the start, when this is another graph than before. */
  show(scene: Scene, before: GraphView | null, { keep, camera, steady }: Aim): void {
    const { view, canvas } = this;
    if (!view || !canvas) return;
    this.drawnOf = view.graph.data.snapshot;
    const isOther = before?.graph !== view.graph;
    const isPlaced = canvas.show(view.graph, scene, keep, isOther && steady && keep === null && camera === null);
    if (!isOther || isPlaced) return;
    if (camera) canvas.setCamera(camera);
    else if (keep === null) canvas.start();
  }

  /** Makes the selection, its edges, the matches and the node that a failure is laid to stand out. */
  look(
    selected: Id | null,
    suspect: string | null,
    open: ReadonlySet<string>,
    { query, colourBy, side }: UiState,
  ): void {
    const { view, canvas } = this;
    if (!view || !canvas?.scene) return;
    const hot = new Set<string>();
    const isOpen = typeof selected === 'string' && open.has(selected);
    const nodes = typeof selected === 'number' ? [selected] : (view.tree.groups.get(selected ?? '-')?.nodes ?? []);
    if (!isOpen && nodes.length <= MAX_HOT_NODES) {
      for (const node of nodes) {
        const { inputs, users } = view.builder.segmentsOf(node);
        for (const segment of inputs) hot.add(segment);
        for (const segment of users) hot.add(segment);
      }
    }
    const of = view.places.length;
    const numbers = view.places.flatMap(({ group }, i): [string, string][] =>
      group ? [[group.id, l10n.t('change {0} of {1}', i + 1, of)]] : [],
    );
    canvas.setLook({
      marks: coloursOf(view, colourBy).marks,
      selected: this.drawn(selected),
      suspect: this.drawn((suspect === null ? undefined : view.graph.byName.get(suspect)) ?? null),
      hot,
      matches: this.matchSet,
      groupMatches: this.groupMatches,
      words: query.toLowerCase().split(/\s+/).filter(Boolean),
      side: view.graph.change ? side : 'overlay',
      changes: view.changes,
      numbers: new Map(numbers),
    });
  }
}
