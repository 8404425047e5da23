/** The state of the graph panel and what changes it: stages, filters, open groups, the selection. */
import type { Target } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import type { Host } from '../shared/host';
import { GraphData } from './data';
import { sourceOf } from './details';
import { chain } from './groups';
import { GraphList, listRows } from './list';
import { type Id, Picture } from './picture';
import { selectedIn, spoken, staying } from './selection';
import { type Crumb, findCrumb, locate, shown, type StageBar, stageBar } from './stages';
import { INITIAL, STATE_VERSION, type UiState } from './state';
import type { Filter, Snapshot } from './view';

const EMPTY_BAR: StageBar = { steps: [], directions: [] };
/** A filtered graph of up to this many nodes is shown open. */
const SMALL_FILTERED = 40;
const NOTE_MS = 5000;

export interface Rendering {
  /** Renders soon. */
  soon(): void;
  /** Renders at once, so that what was opened is in the page. */
  now(): void;
}

export class GraphSession {
  readonly data: GraphData;
  readonly picture: Picture;
  readonly list: GraphList;
  ui: UiState;
  noRecording = false;
  running = false;
  bar = EMPTY_BAR;
  crumb: Crumb | null = null;
  cursor: { file: string; line: number } | null = null;
  /** Lists of the details that are shown whole. */
  readonly expanded = new Set<string>();
  /** What a screen reader is told. */
  announced = '';
  /** Shown in the footer for a while. */
  note = '';
  readonly #host: Host;
  readonly #render: Rendering;
  #snapshot: Snapshot | null = null;
  #noteTimer = 0;
  /** The compile that the host knows of. */
  #told: string | null = null;
  #isRestored = false;

  constructor(host: Host, rendering: Rendering) {
    this.#host = host;
    this.#render = rendering;
    const soon = (): void => rendering.soon();
    this.data = new GraphData(host, soon);
    this.picture = new Picture(soon);
    this.list = new GraphList(() => this.#onScroll());
    this.ui = { ...INITIAL, ...host.restore<UiState>(STATE_VERSION) };
  }

  async show(target: Target | null): Promise<void> {
    this.noRecording = target === null;
    if (target === null) {
      this.data.forget();
      this.set({ recording: null });
      return;
    }
    if (target.recording !== this.ui.recording) {
      const { colourBy, view, detailsClosed, detailsWidth, legendClosed } = this.ui;
      const kept = { colourBy, view, detailsClosed, detailsWidth, legendClosed };
      this.ui = { ...INITIAL, ...kept, recording: target.recording };
      this.data.forget();
    }
    if (target.compileId !== null) this.changeCompile(target.compileId);
    await this.load(target.snapshot);
    if (target.node === null) return;
    this.set({ node: target.node, group: null });
    await this.revealSelection();
  }

  /** Goes where another panel is, as far as it says so. */
  async follow(selection: Target): Promise<void> {
    if (selection.recording !== this.ui.recording) return;
    const elsewhere = selection.compileId !== null && selection.compileId !== this.ui.compileId;
    if (elsewhere || (selection.snapshot ?? selection.node) !== null) await this.show(selection);
  }

  changeCompile(compileId: string | null): void {
    if (compileId === this.ui.compileId) return;
    this.ui = { ...this.ui, compileId, camera: null, open: null, hops: 0, node: null, group: null };
  }

  /** Asks for the stages again and shows the graph of the chosen one, or this snapshot. */
  async load(wanted: string | null): Promise<void> {
    const { recording } = this.ui;
    if (recording === null) return;
    this.changeCompile(await this.data.loadStages(recording, this.ui.compileId, wanted));
    this.#tell();
    const place = wanted === null ? null : locate(this.data.stages?.stages ?? [], wanted);
    if (place) this.ui = { ...this.ui, stage: place.key, direction: place.direction, position: place.position };
    if (!this.data.problem) await this.openStage();
  }

  /** Tells the host which compile is shown. */
  #tell(): void {
    const { recording, compileId } = this.ui;
    if (recording === null || compileId === null || compileId === this.#told) return;
    this.#told = compileId;
    const selection = { ...nowhere(recording), compileId };
    this.#host.send({ type: 'select', selection });
  }

  async openStage(): Promise<void> {
    const { recording } = this.ui;
    this.bar = this.data.stages === null ? EMPTY_BAR : stageBar(this.data.stages.stages, this.ui.direction);
    this.crumb = findCrumb(this.bar, this.ui.stage);
    const id = this.crumb && shown(this.crumb, this.ui.position)?.snapshot;
    this.set({ stage: this.crumb?.key ?? null });
    if (recording === null || id == null) {
      this.picture.view = null;
      this.#snapshot = null;
      this.#render.soon();
      return;
    }
    const snapshot = await this.data.snapshot(recording, id);
    const stillWanted = this.crumb && shown(this.crumb, this.ui.position)?.snapshot === id;
    if (!snapshot || !stillWanted) return;
    this.#snapshot = snapshot;
    await this.refresh(null);
  }

  // --- the picture ---------------------------------------------------------------------------------------------------

  get open(): Set<string> {
    const { view } = this.picture;
    const isSmall = view?.filtered === true && view.graph.size <= SMALL_FILTERED;
    return new Set(this.ui.open === null || isSmall ? view?.defaultOpen : this.ui.open);
  }

  get selected(): Id | null {
    return selectedIn(this.picture.view, this.ui);
  }

  #filter(): Filter {
    const { hops, hopsFrom, thisLine } = this.ui;
    const around = hops > 0 && hopsFrom !== null ? { name: hopsFrom, hops } : null;
    return { around, line: thisLine ? this.cursor : null };
  }

  /** Filters, lays out and draws again. `keep`: what stays in its place on the screen. */
  async refresh(keep: Id | null, simple = false): Promise<void> {
    if (!this.#snapshot) return;
    const before = this.picture.view;
    const filtered = this.#snapshot.view(this.#filter());
    const view = simple ? this.#snapshot.simple(filtered) : filtered;
    this.picture.view = view;
    this.picture.search(this.ui.query);
    const scene = await this.picture.layOut(view, this.open);
    if (!scene) return;
    this.list.rows = listRows(view.tree, this.open);
    this.#render.now();
    const { camera, cameraOf } = this.ui;
    const known = cameraOf === view.graph.data.snapshot && !view.filtered ? camera : null;
    this.picture.show(scene, before, keep ?? (known ? null : staying(before, view, this.selected)), known);
    this.look();
    this.#render.soon();
  }

  look(): void {
    this.picture.look(this.selected, this.open, this.ui.query, this.ui.colourBy);
  }

  // --- state ---------------------------------------------------------------------------------------------------------

  set(change: Partial<UiState>): void {
    const { recording, compileId } = { ...this.ui, ...change };
    const target = recording === null ? null : { ...nowhere(recording), compileId };
    this.ui = { ...this.ui, ...change, target };
    this.#host.save(this.ui);
    this.#render.soon();
  }

  /** Puts the list where it was before a reload, once it is in the page. */
  restoreScroll(): void {
    if (this.#isRestored || this.list.rows.length === 0) return;
    this.list.scrollTo(this.ui.scroll);
    this.#isRestored = true;
  }

  #onScroll(): void {
    this.#render.soon();
    if (this.#isRestored && Math.abs(this.ui.scroll - this.list.scroll) > 4) this.set({ scroll: this.list.scroll });
  }

  select(id: Id | null, reveal: boolean): void {
    const { view } = this.picture;
    if (!view) return;
    const node = typeof id === 'number' ? id : null;
    this.expanded.clear();
    this.set({ node: node === null ? null : view.graph.data.names[node], group: typeof id === 'string' ? id : null });
    if (id !== null) this.announced = spoken(view, id);
    this.look();
    this.#render.now();
    if (reveal && id !== null) {
      if (this.ui.view === 'list') this.list.reveal(id);
      else this.picture.canvas?.reveal(id);
    }
    const { recording, compileId } = this.ui;
    if (recording === null) return;
    const { snapshot } = view.graph.data;
    const source = node === null ? null : sourceOf(view.graph, node);
    const selection = { ...nowhere(recording), compileId, snapshot, node: this.ui.node, source };
    this.#host.send({ type: 'select', selection });
  }

  /** Opens the groups around a node and selects it. */
  async goTo(node: number | undefined): Promise<void> {
    const { view } = this.picture;
    if (!view || node === undefined) return;
    const open = this.open;
    const missing = chain(view.tree.home[node]).filter((group) => !open.has(group.id));
    if (missing.length > 0) {
      for (const group of missing) open.add(group.id);
      this.set({ open: [...open] });
      await this.refresh(missing[0].id);
    }
    this.select(node, true);
  }

  async revealSelection(): Promise<void> {
    const selected = this.selected;
    if (typeof selected === 'number') await this.goTo(selected);
    else if (selected !== null) this.select(selected, true);
  }

  async toggle(id: string, want?: boolean): Promise<void> {
    const open = this.open;
    if (want ?? !open.has(id)) open.add(id);
    else open.delete(id);
    this.set({ open: [...open] });
    await this.refresh(id);
  }

  /** Tells something for a while, to everybody. */
  say(text: string): void {
    this.announced = text;
    this.note = text;
    clearTimeout(this.#noteTimer);
    this.#noteTimer = window.setTimeout(() => {
      this.note = '';
      this.#render.soon();
    }, NOTE_MS);
    this.#render.soon();
  }

  async nextMatch(step: 1 | -1): Promise<void> {
    const { matches } = this.picture;
    if (matches.length === 0) return;
    const selected = this.selected;
    const at = typeof selected === 'number' ? matches.indexOf(selected) : -1;
    const next = at < 0 ? (step > 0 ? 0 : matches.length - 1) : (at + step + matches.length) % matches.length;
    await this.goTo(matches[next]);
  }

  async stage(key: string): Promise<void> {
    const direction = key.split(':').at(1);
    this.set({ stage: key, ...(direction === undefined ? {} : { direction }), hops: 0, hopsFrom: null });
    await this.openStage();
  }

  /** Goes to a node of an earlier stage: the last one before this that has it. */
  async origin(name: string): Promise<void> {
    const { recording } = this.ui;
    const steps = this.bar.steps.flat().filter((crumb) => crumb.unavailable === null);
    const at = steps.findIndex((crumb) => crumb.key === this.crumb?.key);
    const own = this.crumb?.direction ?? null;
    const isSameSide = (crumb: Crumb): boolean => crumb.direction === null || own === null || crumb.direction === own;
    for (const crumb of steps.slice(0, Math.max(0, at)).reverse().filter(isSameSide)) {
      const id = shown(crumb, 'after')?.snapshot;
      const snapshot = id == null || recording === null ? null : await this.data.snapshot(recording, id);
      if (!snapshot?.whole.graph.byName.has(name)) continue;
      await this.stage(crumb.key);
      await this.goTo(this.picture.view?.graph.byName.get(name));
      return;
    }
    this.say(`${name} is in no earlier stage of this recording.`);
  }

  async setHops(hops: number): Promise<void> {
    const around = this.ui.hops > 0 ? this.ui.hopsFrom : this.ui.node;
    if (hops > 0 && around === null) {
      this.say('Select a node first.');
      return;
    }
    this.set({ hops, hopsFrom: hops > 0 ? around : null });
    await this.refresh(null);
    if (hops === 0) await this.revealSelection();
  }
}
