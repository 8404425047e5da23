/** The state of the graph panel and what changes it: stages, filters, open groups, the selection. */
import * as l10n from '@vscode/l10n';
import type { GraphDiffResult, Target } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import type { Host } from '../shared/host';
import type { Rendering } from '../shared/rendering';
import { isHeard } from '../shared/view';
import { GraphData } from './data';
import { sourceOf } from './details';
import { Comparison } from './comparison';
import type { Pair } from './diff';
import type { Filter } from './filters';
import { chain } from './groups';
import { GraphList, listRows } from './list';
import type { Graph } from './model';
import { type Id, Picture } from './picture';
import { selectedIn, spoken, staying } from './selection';
import { type Crumb, findCrumb, locate, shown, type StageBar, stageBar } from './stages';
import { INITIAL, STATE_VERSION, type UiState, UNFILTERED } from './state';
import type { Snapshot } from './view';

const EMPTY_BAR: StageBar = { steps: [], directions: [] };
const NOTE_MS = 5000;

export class GraphSession {
  readonly data: GraphData;
  readonly picture: Picture;
  readonly list: GraphList;
  readonly comparison = new Comparison(this);
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
  /** The stage whose picture is drawn. */
  #shownStage: string | null = null;
  #isRestored = false;
  #searched: Promise<void> = Promise.resolve();

  constructor(host: Host, rendering: Rendering) {
    this.#host = host;
    this.#render = rendering;
    const soon = (): void => rendering.soon();
    this.data = new GraphData(host, soon);
    this.picture = new Picture(soon);
    this.list = new GraphList(() => this.#onScroll());
    this.ui = { ...INITIAL, view: isHeard() ? 'list' : 'graph', ...host.restore<UiState>(STATE_VERSION) };
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
    await this.load(target.pass === null ? target.snapshot : null);
    if (target.pass !== null && (await this.comparison.openPass(target.pass))) return;
    if (target.pass !== null && target.snapshot !== null) await this.load(target.snapshot);
    if (target.node === null) return;
    this.set({ node: target.node, group: null });
    await this.revealSelection();
  }

  /** Goes where another panel is, as far as it says so. */
  async follow(selection: Target): Promise<void> {
    if (selection.recording !== this.ui.recording) return;
    const elsewhere = selection.compileId !== null && selection.compileId !== this.ui.compileId;
    if (selection.pass !== null && this.ui.diff === null && !elsewhere) return;
    if (elsewhere || (selection.snapshot ?? selection.node) !== null) await this.show(selection);
  }

  changeCompile(compileId: string | null): void {
    if (compileId === this.ui.compileId) return;
    const nothing = { camera: null, open: null, diff: null, changedOnly: false, node: null, group: null };
    this.ui = { ...this.ui, ...UNFILTERED, ...nothing, compileId };
  }

  /** Asks for the stages again and shows the graph of the chosen one, or this snapshot. */
  async load(wanted: string | null): Promise<void> {
    const { recording } = this.ui;
    if (recording === null) return;
    this.changeCompile(await this.data.loadStages(recording, this.ui.compileId, wanted));
    this.#tell();
    // Of a compile that failed the last graph is looked at first.
    const first = wanted ?? (this.ui.stage === null ? (this.data.stages?.failure?.snapshot ?? null) : null);
    const place = first === null ? null : locate(this.data.stages?.stages ?? [], first);
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
    if (recording !== null && this.ui.diff !== null) {
      await this.#openDiff(recording, this.ui.diff);
      return;
    }
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

  async #openDiff(recording: string, pair: Pair): Promise<void> {
    await this.data.loadPasses(recording, this.ui.compileId);
    const snapshot = await this.data.difference(recording, pair.before, pair.after);
    if (!snapshot || this.ui.diff !== pair) return;
    this.#snapshot = snapshot;
    await this.refresh(null);
    this.#lookAtChange();
  }

  /** A comparison that does not fit opens on its first change. */
  #lookAtChange(): void {
    const { view, canvas, scene } = this.picture;
    const [first] = view?.places ?? [];
    if (!view || !canvas || !scene || view.places.length === 0 || this.selected !== null || canvas.isWhole) return;
    const id = this.picture.drawn(first.node);
    const around = chain(view.tree.home[first.node]).find((group) => group.id === first.group?.id);
    canvas.lookAt(around && scene.at.has(around.id) ? around.id : (id ?? first.node));
  }

  // --- the picture ---------------------------------------------------------------------------------------------------

  get open(): Set<string> {
    const { view } = this.picture;
    const chosen = view?.filtered === true ? this.ui.openFiltered : this.ui.open;
    return new Set(chosen ?? view?.defaultOpen);
  }

  #setOpen(open: ReadonlySet<string>): void {
    const isFiltered = this.picture.view?.filtered === true;
    this.set(isFiltered ? { openFiltered: [...open] } : { open: [...open] });
  }

  /** What the server says of the comparison that is shown. */
  get diff(): GraphDiffResult | null {
    return this.#snapshot?.diff ?? null;
  }

  get selected(): Id | null {
    return selectedIn(this.picture.view, this.ui);
  }

  #filter(): Filter {
    const { changedOnly, diff, hops, hopsFrom, path, thisLine } = this.ui;
    return {
      changed: changedOnly && diff !== null,
      around: hops > 0 && hopsFrom !== null ? { name: hopsFrom, hops } : null,
      path: path && path.to !== null ? { from: path.from, to: path.to } : null,
      line: thisLine ? this.cursor : null,
    };
  }

  /** Filters, lays out and draws again. `keep`: what stays in its place on the screen. */
  async refresh(keep: Id | null, simple = false): Promise<void> {
    const snapshot = this.#snapshot;
    if (!snapshot) return;
    const before = this.picture.view;
    const made = await this.picture.prepare(async (pause) => {
      const filtered = await snapshot.view(this.#filter(), pause);
      const view = simple ? snapshot.simple(filtered) : filtered;
      this.picture.view = view;
      await this.picture.search(this.ui.query);
      return { view, scene: await this.picture.layOut(view, this.open, pause) };
    });
    if (!made) return;
    const { view, scene } = made;
    this.list.rows = listRows(view.tree, this.open);
    this.#render.now();
    const { camera, cameraOf } = this.ui;
    const known = cameraOf === view.graph.data.snapshot && !view.filtered ? camera : null;
    const alike = before !== null && before.filtered === view.filtered;
    // From pass to pass nodes keep their place; another stage is another picture.
    const steady = alike && this.#shownStage === this.ui.stage;
    this.#shownStage = this.ui.stage;
    const stays = alike && !known ? staying(before, view, this.selected) : null;
    this.picture.show(scene, before, { keep: keep ?? stays, camera: known, steady });
    this.look();
    this.#render.soon();
  }

  look(): void {
    this.picture.look(this.selected, this.data.stages?.failure?.node ?? null, this.open, this.ui);
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

  /** Opens the groups around a node and selects it, unless something else was selected meanwhile. */
  async goTo(node: number | undefined): Promise<void> {
    const { view } = this.picture;
    if (!view || node === undefined) return;
    const name = view.graph.data.names[node];
    const open = this.open;
    const missing = chain(view.tree.home[node]).filter((group) => !open.has(group.id));
    if (missing.length > 0) {
      for (const group of missing) open.add(group.id);
      this.set({ node: name, group: null });
      this.#setOpen(open);
      await this.refresh(missing[0].id);
      if (this.ui.node !== name) return;
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
    this.#setOpen(open);
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

  async search(query: string): Promise<void> {
    this.set({ query });
    this.#searched = this.picture.search(query);
    await this.#searched;
    this.look();
    this.#render.soon();
  }

  /** Goes on from match to match, as soon as they are found. */
  async nextMatch(step: 1 | -1): Promise<void> {
    await this.#searched;
    const { matches } = this.picture;
    if (matches.length === 0) return;
    const selected = this.selected;
    const at = typeof selected === 'number' ? matches.indexOf(selected) : -1;
    const next = at < 0 ? (step > 0 ? 0 : matches.length - 1) : (at + step + matches.length) % matches.length;
    await this.goTo(matches[next]);
  }

  async stage(key: string): Promise<void> {
    const direction = key.split(':').at(1);
    const none = { ...UNFILTERED, diff: null, changedOnly: false };
    this.set({ stage: key, ...(direction === undefined ? {} : { direction }), ...none });
    await this.openStage();
  }

  /** Goes to a node of another snapshot. */
  async other(snapshot: string, name: string): Promise<void> {
    const place = locate(this.data.stages?.stages ?? [], snapshot);
    if (place === null) {
      this.say(l10n.t('{0} is in no other stage of this recording.', name));
      return;
    }
    this.set({ ...UNFILTERED, stage: place.key, direction: place.direction, position: place.position });
    await this.openStage();
    const { view } = this.picture;
    const node = view && (view.graph.byName.get(name) ?? partOf(view.graph, name));
    if (node == null) this.say(l10n.t('{0} is not in this graph.', name));
    else await this.goTo(node);
  }

  async setHops(hops: number): Promise<void> {
    const around = this.ui.hops > 0 ? this.ui.hopsFrom : this.ui.node;
    if (hops > 0 && around === null) {
      this.say(l10n.t('Select a node first.'));
      return;
    }
    this.set({ hops, hopsFrom: hops > 0 ? around : null, openFiltered: null });
    await this.refresh(null);
    if (hops === 0) await this.revealSelection();
  }

  /** Turns filters off and on. */
  async filter(change: Partial<UiState>): Promise<void> {
    this.set({ openFiltered: null, ...change });
    await this.refresh(null);
  }

  /** The ways between two nodes: the first call takes one end, the second the other, the third shows all again. */
  async setPath(): Promise<void> {
    const { node, path } = this.ui;
    if (path?.to != null) {
      await this.filter({ path: null });
      await this.revealSelection();
    } else if (node === null) this.say(l10n.t('Select a node first.'));
    else if (path === null || path.from === node) {
      this.set({ path: path === null ? { from: node, to: null } : null });
      if (path === null) this.say(l10n.t('From {0}: select another node and press P again.', node));
    } else await this.filter({ path: { from: path.from, to: node } });
  }
}

/** The kernel call that a node of the scheduler's is in. */
function partOf({ data, isSchedule }: Graph, name: string): number | undefined {
  if (!isSchedule) return undefined;
  const parts = name.split('_');
  const at = data.names.findIndex((one) => {
    const own = new Set(one.split('_'));
    return parts.every((part) => own.has(part));
  });
  return at < 0 ? undefined : at;
}
