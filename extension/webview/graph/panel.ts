/** The graph panel: keeps the state, asks for data, and renders both. */
import { html, nothing, render, type TemplateResult } from 'lit';
import type { Problem, StagesResult, Target, ToPanel } from '../../src/shared/messages';
import { many } from '../shared/format';
import { Host, RequestFailed } from '../shared/host';
import { watchTheme } from '../shared/theme';
import { keysOverlay, type Message, messagePage, NOTHING_RECORDED, problemPage, type Way } from '../shared/view';
import { type BarActions, footer, legendView, stageBarView, toolBar } from './bars';
import { GraphCanvas } from './canvas';
import { groupDetails, nodeDetails, nothingSelected, sourceOf } from './details';
import { chain, countBoxes, type Group } from './groups';
import { handleKey, KEY_TABLE, type KeyActions } from './keys';
import { GraphList, listRows, rowId } from './list';
import { neighbours } from './model';
import { type Box, standIn } from './scene';
import { matchesByGroup, search } from './search';
import { type Crumb, findCrumb, locate, shown, type StageBar, stageBar } from './stages';
import { INITIAL, STATE_VERSION, type UiState } from './state';
import { coloursOf, type Filter, type GraphView, Snapshot } from './view';
import { nextBox } from './walk';

const LOADING_AFTER_MS = 200;
const SLICE_MS = 12;
const SLOW_LAYOUT_MS = 2500;
const KEPT_SNAPSHOTS = 8;
const EMPTY_BAR: StageBar = { steps: [], directions: [] };

export class GraphPanel {
  readonly #root: HTMLElement;
  readonly #host: Host;
  #ui: UiState;
  #noRecording = false;
  #running = false;
  #stages: StagesResult | null = null;
  #bar: StageBar = EMPTY_BAR;
  #crumb: Crumb | null = null;
  #problem: Problem | null = null;
  #snapshots = new Map<string, Snapshot>();
  #snapshot: Snapshot | null = null;
  #view: GraphView | null = null;
  #canvas: GraphCanvas | null = null;
  readonly #list: GraphList;
  #cursor: { file: string; line: number } | null = null;
  #matches: number[] = [];
  #matchSet: Set<number> = new Set();
  #groupMatches: Map<string, number> = new Map();
  #hover: number | string | null = null;
  #expanded = new Set<string>();
  #loading = false;
  #slow = false;
  #cancelLayout: (() => void) | null = null;
  #keysShown = false;
  #announced = '';
  #wanted: string | null = null;
  #work = 0;
  #queued = false;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#host = new Host((event) => this.#receive(event));
    this.#ui = { ...INITIAL, ...this.#host.restore<UiState>(STATE_VERSION) };
    this.#list = new GraphList(() => this.#render());
    window.addEventListener('keydown', (event) => this.#onKey(event));
    watchTheme(() => this.#canvas?.restyle());
    this.#renderNow();
    this.#host.send({ type: 'ready' });
  }

  // --- host ----------------------------------------------------------------------------------------------------------

  #receive(event: Exclude<ToPanel, { type: 'response' }>): void {
    if (event.type === 'show') void this.#show(event.target);
    else if (event.type === 'cursor') this.#setCursor(event.at);
    else if (event.recording === this.#ui.recording) {
      this.#running = event.running;
      void this.#load();
    }
  }

  #setCursor(at: { file: string; line: number } | null): void {
    const moved = at?.file !== this.#cursor?.file || at?.line !== this.#cursor?.line;
    this.#cursor = at;
    if (moved && this.#ui.thisLine) void this.#refresh(null);
    else this.#render();
  }

  async #show(target: Target | null): Promise<void> {
    this.#noRecording = target === null;
    if (target === null) {
      this.#stages = null;
      this.#set({ recording: null });
      return;
    }
    if (target.recording !== this.#ui.recording) {
      const { colourBy, view, detailsClosed, legendClosed } = this.#ui;
      this.#ui = { ...INITIAL, colourBy, view, detailsClosed, legendClosed, recording: target.recording };
      this.#stages = null;
      this.#snapshots.clear();
    }
    if (target.compileId !== null && target.compileId !== this.#ui.compileId) this.#changeCompile(target.compileId);
    this.#wanted = target.snapshot;
    await this.#load();
    if (target.node === null) return;
    this.#set({ node: target.node, group: null });
    await this.#revealSelection();
  }

  #changeCompile(compileId: string | null): void {
    this.#ui = { ...this.#ui, compileId, camera: null, open: null, hops: 0, node: null, group: null };
  }

  /** Asks for the stages again and shows the graph of the chosen one. */
  async #load(): Promise<void> {
    const { recording } = this.#ui;
    if (recording === null) return;
    await this.#busy(async () => {
      let result = await this.#host.request('stages', { recording, compileId: this.#ui.compileId });
      const { compileId } = this.#ui;
      const known = result.compiles.some(({ id }) => id === compileId);
      const wanted = this.#wanted !== null && !result.stages.some((info) => info.snapshot === this.#wanted);
      if (!known || wanted) {
        if (compileId !== null) result = await this.#host.request('stages', { recording, compileId: null });
        const chosen = chooseCompile(result, wanted ? this.#wanted : null);
        if (chosen !== compileId) this.#changeCompile(chosen);
        if (chosen !== null) result = await this.#host.request('stages', { recording, compileId: chosen });
      }
      this.#stages = result;
    });
    if (this.#problem) return;
    const wanted = this.#wanted === null ? null : locate(this.#stages?.stages ?? [], this.#wanted);
    this.#wanted = null;
    if (wanted) {
      this.#ui = { ...this.#ui, stage: wanted.key, direction: wanted.direction, position: wanted.position };
    }
    await this.#openStage();
  }

  async #busy(work: () => Promise<void>): Promise<void> {
    const token = ++this.#work;
    const timer = setTimeout(() => {
      if (token === this.#work) this.#loading = true;
      this.#render();
    }, LOADING_AFTER_MS);
    try {
      await work();
      this.#problem = null;
    } catch (error) {
      this.#problem =
        error instanceof RequestFailed
          ? error.problem
          : { code: 'panel', title: 'The graph could not be shown', detail: String(error), actions: [] };
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.#loading = false;
      this.#render();
    }
  }

  async #openStage(): Promise<void> {
    const { recording } = this.#ui;
    this.#bar = this.#stages === null ? EMPTY_BAR : stageBar(this.#stages.stages, this.#ui.direction);
    this.#crumb = findCrumb(this.#bar, this.#ui.stage);
    const info = this.#crumb ? shown(this.#crumb, this.#ui.position) : null;
    this.#set({ stage: this.#crumb?.key ?? null });
    if (recording === null || info?.snapshot == null) {
      this.#view = null;
      this.#snapshot = null;
      this.#render();
      return;
    }
    const id = info.snapshot;
    const snapshot = await this.#fetch(id);
    if (!snapshot) return;
    this.#snapshot = snapshot;
    await this.#refresh(null);
  }

  /** A snapshot, asked for once; null when there is a problem, which is shown. */
  async #fetch(id: string): Promise<Snapshot | null> {
    const { recording } = this.#ui;
    let snapshot = this.#snapshots.get(id);
    if (!snapshot && recording !== null) {
      await this.#busy(async () => {
        snapshot = new Snapshot(await this.#host.request('graph', { recording, snapshot: id }));
      });
    }
    if (!snapshot) return null;
    this.#snapshots.delete(id);
    this.#snapshots.set(id, snapshot);
    for (const old of this.#snapshots.keys()) {
      if (this.#snapshots.size <= KEPT_SNAPSHOTS) break;
      this.#snapshots.delete(old);
    }
    return snapshot;
  }

  // --- the picture ---------------------------------------------------------------------------------------------------

  get #open(): Set<string> {
    if (this.#ui.open === null || (this.#view?.filtered && this.#view.graph.size <= 40)) {
      return this.#view?.defaultOpen ?? new Set();
    }
    return new Set(this.#ui.open);
  }

  #filter(): Filter {
    const { hops, hopsFrom, thisLine } = this.#ui;
    return {
      around: hops > 0 && hopsFrom !== null ? { name: hopsFrom, hops } : null,
      line: thisLine ? this.#cursor : null,
    };
  }

  /** Filters, lays out and draws again. `keep`: what stays in its place on the screen. */
  async #refresh(keep: number | string | null, simple = false): Promise<void> {
    if (!this.#snapshot) return;
    const before = this.#view;
    let view = this.#snapshot.view(this.#filter());
    if (simple) view = this.#snapshot.simple(view);
    this.#view = view;
    this.#search();
    this.#cancelLayout?.();
    const scene = await this.#layout(view);
    if (!scene) return;
    this.#list.rows = listRows(view.tree, this.#open);
    this.#renderNow();
    const selected = this.#selected;
    const sameGraph = before?.graph === view.graph;
    const known = this.#ui.camera !== null && this.#ui.cameraOf === view.graph.data.snapshot && !view.filtered;
    const stays = keep ?? (sameGraph || known ? null : this.#drawnBefore(before, selected));
    this.#canvas?.show(view.graph, scene, stays);
    this.#updateLook();
    if (!sameGraph && known && this.#ui.camera) this.#canvas?.setCamera(this.#ui.camera);
    else if (!sameGraph && stays === null) this.#canvas?.start();
    this.#render();
  }

  /** The selection, when it was drawn in the picture before under the same id: it keeps its place. */
  #drawnBefore(before: GraphView | null, selected: number | string | null): number | string | null {
    if (typeof selected === 'string' || selected === null || !before) return selected;
    const name = this.#view?.graph.data.names[selected] ?? '';
    return before.graph.byName.get(name) === selected ? selected : null;
  }

  async #layout(view: GraphView): Promise<Awaited<ReturnType<typeof view.builder.build>> | null> {
    let cancelled = false;
    this.#cancelLayout = () => (cancelled = true);
    const slow = setTimeout(() => {
      this.#slow = true;
      this.#render();
    }, SLOW_LAYOUT_MS);
    let since = performance.now();
    try {
      return await view.builder.build(this.#open, async () => {
        if (performance.now() - since > SLICE_MS) {
          await new Promise((done) => setTimeout(done));
          since = performance.now();
        }
        if (cancelled) throw new Cancelled();
      });
    } catch (error) {
      if (error instanceof Cancelled) return null;
      throw error;
    } finally {
      clearTimeout(slow);
      this.#slow = false;
    }
  }

  #search(): void {
    const view = this.#view;
    this.#matches = view ? search(view.graph, view.tree, this.#ui.query) : [];
    this.#matchSet = new Set(this.#matches);
    this.#groupMatches = view ? matchesByGroup(view.tree, this.#matches) : new Map();
  }

  /** Position of the selected node, id of the selected group, or null. */
  get #selected(): number | string | null {
    const view = this.#view;
    if (!view) return null;
    if (this.#ui.node !== null) return view.graph.byName.get(this.#ui.node) ?? null;
    for (let id = this.#ui.group ?? ''; id !== ''; id = id.slice(0, Math.max(0, id.lastIndexOf('/')))) {
      if (view.tree.groups.has(id)) return id;
    }
    return null;
  }

  #updateLook(): void {
    const view = this.#view;
    const scene = this.#canvas?.scene;
    if (!view || !scene || !this.#canvas) return;
    const selected = this.#selected;
    const drawn = typeof selected === 'number' ? standIn(scene, view.tree, selected) : selected;
    const hot = new Set<string>();
    const nodes = typeof selected === 'number' ? [selected] : (view.tree.groups.get(selected ?? '-')?.nodes ?? []);
    if (nodes.length <= 1000 && !(typeof selected === 'string' && this.#open.has(selected))) {
      for (const node of nodes) {
        const { inputs, users } = view.builder.segmentsOf(node);
        for (const segment of inputs) hot.add(segment);
        for (const segment of users) hot.add(segment);
      }
    }
    this.#canvas.setLook({
      marks: coloursOf(view, this.#ui.colourBy).marks,
      selected: drawn,
      hot,
      matches: this.#matchSet,
      groupMatches: this.#groupMatches,
      words: this.#ui.query.toLowerCase().split(/\s+/).filter(Boolean),
      hover: this.#hover,
      focused: document.activeElement?.id === 'canvas',
    });
  }

  // --- state ---------------------------------------------------------------------------------------------------------

  #set(change: Partial<UiState>): void {
    const { recording, compileId } = { ...this.#ui, ...change };
    const target = recording === null ? null : { recording, compileId, snapshot: null, node: null, pass: null };
    this.#ui = { ...this.#ui, ...change, target };
    this.#host.save(this.#ui);
    this.#render();
  }

  #select(id: number | string | null, reveal: boolean): void {
    const view = this.#view;
    if (!view) return;
    const node = typeof id === 'number' ? id : null;
    this.#expanded.clear();
    this.#set({ node: node === null ? null : view.graph.data.names[node], group: typeof id === 'string' ? id : null });
    this.#announce(id);
    this.#updateLook();
    this.#renderNow();
    if (reveal && id !== null) {
      if (this.#ui.view === 'list') this.#list.reveal(id);
      else this.#canvas?.reveal(id);
    }
    const { recording, compileId } = this.#ui;
    if (recording === null) return;
    this.#host.send({
      type: 'select',
      selection: {
        recording,
        compileId,
        snapshot: view.graph.data.snapshot,
        node: this.#ui.node,
        pass: null,
        source: node === null ? null : sourceOf(view.graph, node),
      },
    });
  }

  #announce(id: number | string | null): void {
    const view = this.#view;
    if (!view || id === null) return;
    if (typeof id === 'string') {
      const group = view.tree.groups.get(id);
      if (group) this.#announced = `${group.title}, ${group.kind || 'group'}, ${many(group.nodes.length, 'node')}`;
      return;
    }
    const { names, targets } = view.graph.data;
    const ins = many(neighbours(view.graph.inputs, id).length, 'input');
    const outs = many(neighbours(view.graph.users, id).length, 'user');
    this.#announced = [names[id], targets[id], view.graph.types[id], ins, outs].filter(Boolean).join(', ');
  }

  /** Opens the groups around a node and selects it. */
  async #goTo(node: number): Promise<void> {
    const view = this.#view;
    if (!view) return;
    const open = this.#open;
    const missing = chain(view.tree.home[node]).filter((group) => !open.has(group.id));
    if (missing.length > 0) {
      for (const group of missing) open.add(group.id);
      this.#set({ open: [...open] });
      await this.#refresh(missing[0].id);
    }
    this.#select(node, true);
  }

  async #revealSelection(): Promise<void> {
    const selected = this.#selected;
    if (typeof selected === 'number') await this.#goTo(selected);
    else if (selected !== null) this.#select(selected, true);
  }

  async #toggle(id: string, want?: boolean): Promise<void> {
    const open = this.#open;
    const isOpen = want ?? !open.has(id);
    if (isOpen) open.add(id);
    else open.delete(id);
    this.#set({ open: [...open] });
    await this.#refresh(id);
  }

  async #nextMatch(step: 1 | -1): Promise<void> {
    if (this.#matches.length === 0) return;
    const selected = this.#selected;
    const at = typeof selected === 'number' ? this.#matches.indexOf(selected) : -1;
    const count = this.#matches.length;
    const next = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
    await this.#goTo(this.#matches[next]);
  }

  async #stage(key: string): Promise<void> {
    const [, direction] = key.split(':');
    this.#set({ stage: key, ...(direction === undefined ? {} : { direction }), hops: 0, hopsFrom: null });
    await this.#openStage();
  }

  #source(node: number, preserveFocus: boolean): void {
    const place = this.#view && sourceOf(this.#view.graph, node);
    if (place) this.#host.send({ type: 'openSource', place, preserveFocus });
    else this.#say('No source was recorded for this node.');
  }

  #say(text: string): void {
    this.#announced = text;
    this.#render();
  }

  /** Goes to a node of an earlier stage: the last one before this that has it. */
  async #origin(name: string): Promise<void> {
    const steps = this.#bar.steps.flat().filter((crumb) => crumb.unavailable === null);
    const at = steps.findIndex((crumb) => crumb.key === this.#crumb?.key);
    const own = this.#crumb?.direction ?? null;
    const sameSide = (crumb: Crumb): boolean => crumb.direction === null || own === null || crumb.direction === own;
    for (const crumb of steps.slice(0, Math.max(0, at)).reverse().filter(sameSide)) {
      const id = shown(crumb, 'after')?.snapshot;
      const snapshot = id == null ? null : await this.#fetch(id);
      if (!snapshot?.whole.graph.byName.has(name)) continue;
      await this.#stage(crumb.key);
      const node = this.#view?.graph.byName.get(name);
      if (node !== undefined) await this.#goTo(node);
      return;
    }
    this.#say(`${name} is in no earlier stage of this recording.`);
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  readonly #bars: BarActions = {
    compile: (id) => {
      this.#changeCompile(id);
      void this.#load();
    },
    stage: (key) => void this.#stage(key),
    position: (position) => {
      this.#set({ position });
      void this.#openStage();
    },
    query: (query) => {
      this.#set({ query });
      this.#search();
      this.#updateLook();
    },
    nextMatch: (step) => void this.#nextMatch(step),
    toggleHops: () => void this.#setHops(this.#ui.hops > 0 ? 0 : 1),
    toggleLine: () => {
      this.#set({ thisLine: !this.#ui.thisLine });
      void this.#refresh(null);
    },
    colourBy: (colourBy) => {
      this.#set({ colourBy });
      this.#updateLook();
    },
    view: (view) => this.#setView(view),
    legend: () => this.#set({ legendClosed: !this.#ui.legendClosed }),
    keys: () => this.#showKeys(),
    passes: () => {
      const { recording, compileId } = this.#ui;
      if (recording === null) return;
      const snapshot = this.#view?.graph.data.snapshot ?? null;
      this.#host.send({ type: 'showPasses', target: { recording, compileId, snapshot, node: null, pass: null } });
    },
  };

  readonly #keys: KeyActions = {
    walk: (direction) => void this.#walk(direction),
    enter: () => {
      const selected = this.#selected;
      if (typeof selected === 'number') this.#source(selected, false);
      else if (selected !== null) void this.#toggle(selected);
    },
    find: () => {
      const field = document.getElementById('search') as HTMLInputElement | null;
      field?.focus();
      field?.select();
    },
    stage: (step) => {
      const all = this.#bar.steps.flat();
      const next = all[all.findIndex((crumb) => crumb.key === this.#crumb?.key) + step];
      if (next) void this.#stage(next.key);
    },
    hops: () => void this.#setHops(this.#ui.hops + 1),
    line: () => this.#bars.toggleLine(),
    zoom: (factor) => this.#canvas?.zoom(factor),
    fit: () => this.#canvas?.fit(),
    toggleView: () => this.#setView(this.#ui.view === 'graph' ? 'list' : 'graph'),
    escape: () => this.#escape(),
    keys: () => this.#showKeys(),
    edge: (end) => {
      const rows = this.#list.rows;
      const row = end === 'first' ? rows[0] : rows[rows.length - 1];
      if (row) this.#select(rowId(row.child), true);
    },
  };

  #onKey(event: KeyboardEvent): void {
    const at = document.activeElement;
    const inside = at === null || at === document.body || at.closest('#canvas, #list') !== null;
    handleKey(event, inside && !this.#keysShown, this.#keys);
  }

  async #walk(direction: 'up' | 'down' | 'left' | 'right'): Promise<void> {
    const view = this.#view;
    const scene = this.#canvas?.scene;
    if (!view || !scene) return;
    if (this.#ui.view === 'list') {
      await this.#walkList(direction);
      return;
    }
    const selected = this.#selected;
    const drawn = typeof selected === 'number' ? standIn(scene, view.tree, selected) : selected;
    if (drawn === null || !scene.at.has(drawn)) {
      const first = scene.boxes[0] as Box | undefined;
      if (first) this.#select(first.id, true);
      return;
    }
    const box = scene.boxes[scene.at.get(drawn)!];
    if (box.kind === 'closed' && direction === 'right') return this.#toggle(box.id as string, true);
    if (box.kind === 'frame' && direction === 'left') return this.#toggle(box.id as string, false);
    if (box.kind === 'frame' && direction === 'down') {
      const first = box.group!.children[0];
      this.#select(typeof first === 'number' ? first : first.id, true);
      return;
    }
    const next = nextBox(view.graph, view.tree, scene, drawn, direction);
    if (next !== null) this.#select(next, true);
    else if (direction === 'left' || direction === 'up') this.#selectParent(drawn);
  }

  #selectParent(id: number | string): void {
    const view = this.#view!;
    const parent: Group | null | undefined =
      typeof id === 'number' ? view.tree.home[id] : view.tree.groups.get(id)?.parent;
    if (parent && parent.parent !== null) this.#select(parent.id, true);
  }

  async #walkList(direction: 'up' | 'down' | 'left' | 'right'): Promise<void> {
    const rows = this.#list.rows;
    const selected = this.#selected;
    const at = rows.findIndex((row) => rowId(row.child) === selected);
    const child = rows[at]?.child;
    if (direction === 'left' || direction === 'right') {
      if (child === undefined) return;
      const isOpen = typeof child !== 'number' && this.#open.has(child.id);
      if (typeof child !== 'number' && isOpen !== (direction === 'right'))
        await this.#toggle(child.id, direction === 'right');
      else if (direction === 'left') this.#selectParent(rowId(child));
      return;
    }
    const next = rows[at < 0 ? 0 : at + (direction === 'down' ? 1 : -1)];
    if (next) this.#select(rowId(next.child), true);
  }

  async #setHops(hops: number): Promise<void> {
    const selected = this.#selected;
    const node = this.#ui.hops > 0 ? this.#ui.hopsFrom : typeof selected === 'number' ? this.#ui.node : null;
    if (hops > 0 && node === null) {
      this.#say('Select a node first.');
      return;
    }
    this.#set({ hops, hopsFrom: hops > 0 ? node : null });
    await this.#refresh(null);
    if (hops === 0) await this.#revealSelection();
  }

  #setView(view: 'graph' | 'list'): void {
    this.#set({ view });
    this.#renderNow();
    this.#render();
    const target =
      view === 'graph' ? document.getElementById('canvas') : document.querySelector<HTMLElement>('#list [role=tree]');
    target?.focus();
    const selected = this.#selected;
    if (selected !== null && view === 'list') requestAnimationFrame(() => this.#list.reveal(selected));
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#renderNow();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  /** One step back: overlay, search field, filters, selection. */
  #escape(): void {
    if (this.#keysShown) {
      this.#keysShown = false;
      this.#render();
      document.getElementById('canvas')?.focus();
      return;
    }
    if (document.activeElement?.id === 'search') {
      if (this.#ui.query !== '') this.#bars.query('');
      document.getElementById('canvas')?.focus();
      return;
    }
    if (this.#ui.hops > 0) void this.#setHops(0);
    else if (this.#ui.thisLine) this.#bars.toggleLine();
    else if (this.#ui.query !== '') this.#bars.query('');
    else if (this.#selected !== null) this.#select(null, false);
  }

  readonly #go = (way: Way): void => {
    if (way.command !== undefined) this.#host.send({ type: 'command', command: way.command });
    else if (way.action !== undefined) this.#host.send({ type: 'action', action: way.action });
  };

  // --- rendering -----------------------------------------------------------------------------------------------------

  /** Renders soon, once for several changes. */
  #render(): void {
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => {
      if (this.#queued) this.#renderNow();
    });
  }

  #renderNow(): void {
    this.#queued = false;
    render(this.#template(), this.#root);
    const canvas = document.getElementById('canvas');
    const map = document.getElementById('minimap');
    if (!this.#canvas && canvas instanceof HTMLCanvasElement && map instanceof HTMLCanvasElement) {
      this.#canvas = new GraphCanvas(canvas, map, {
        click: (box, chevron) => this.#onClick(box, chevron),
        open: (box) => {
          if (typeof box.id === 'number') this.#source(box.id, false);
          else void this.#toggle(box.id);
        },
        hover: (box) => {
          const id = box && box.kind !== 'frame' ? box.id : null;
          if (id === this.#hover) return;
          this.#hover = id;
          canvas.title = box && typeof box.id === 'number' ? this.#tooltip(box.id) : '';
          this.#updateLook();
        },
        moved: (camera) => {
          if (this.#view && !this.#view.filtered) this.#set({ camera, cameraOf: this.#view.graph.data.snapshot });
        },
      });
    }
    this.#list.attach(this.#ui.view === 'list' ? document.getElementById('list') : null);
  }

  #tooltip(node: number): string {
    const graph = this.#view?.graph;
    if (!graph) return '';
    const code = graph.data.code[node].trim();
    return [graph.data.names[node], graph.data.targets[node], graph.types[node], code].filter(Boolean).join('\n');
  }

  #onClick(box: Box | null, chevron: boolean): void {
    document.getElementById('canvas')?.focus();
    if (chevron && typeof box?.id === 'string') void this.#toggle(box.id);
    else this.#select(box?.id ?? null, false);
  }

  #page(): TemplateResult | null {
    const empty = (message: Message): TemplateResult => messagePage(message, this.#go);
    if (this.#noRecording) return empty(NOTHING_RECORDED);
    if (this.#problem) return problemPage(this.#problem, this.#go);
    if (!this.#stages) return html`<div class="page" role="status"><p>Loading the recording…</p></div>`;
    if (!this.#crumb) {
      const detail = this.#running
        ? 'Stages appear as they are recorded.'
        : 'Nothing in this run was compiled, or the compile ended before its first graph.';
      const ways: Way[] = this.#running
        ? []
        : [
            { label: 'Compile and trace', action: 'trace' },
            { label: 'Show output', action: 'showOutput' },
          ];
      return empty({
        icon: 'type-hierarchy-sub',
        title: this.#running ? 'No graph yet' : 'No graph was recorded',
        detail,
        ways,
      });
    }
    if (this.#crumb.unavailable !== null) {
      return empty({
        icon: 'circle-slash',
        title: `${this.#crumb.label} was not recorded`,
        detail: this.#crumb.unavailable,
        ways: [{ label: 'Trace at full depth', action: 'traceFull' }],
      });
    }
    if (!this.#view) return html`<div class="page" role="status"><p>Loading the graph…</p></div>`;
    if (this.#view.graph.size === 0) {
      const clear = (): void => {
        this.#set({ hops: 0, hopsFrom: null, thisLine: false });
        void this.#refresh(null);
      };
      return html`<div class="page" role="status">
        <h2>No node matches</h2>
        <p>
          ${this.#ui.thisLine ? 'No node of this graph comes from the line at the editor cursor.' : 'The filters leave nothing.'}
        </p>
        <div class="page-ways"><vscode-button @click=${clear}>Clear filters</vscode-button></div>
      </div>`;
    }
    return null;
  }

  #shownText(): string {
    const view = this.#view;
    if (!view) return '';
    const { nodes, closed } = countBoxes(view.tree, this.#open);
    const of = view.filtered ? `${many(view.graph.size, 'node')} of ${view.total}` : many(view.total, 'node');
    if (nodes === view.graph.size) return of;
    return `${nodes} of ${of} · ${many(closed, 'group')} closed`;
  }

  #details(): TemplateResult {
    const view = this.#view!;
    const selected = this.#selected;
    const input = {
      graph: view.graph,
      tree: view.tree,
      colouring: coloursOf(view, this.#ui.colourBy),
      expanded: this.#expanded,
      open: this.#open,
    };
    const act = {
      node: (name: string) => {
        const node = view.graph.byName.get(name);
        if (node !== undefined) void this.#goTo(node);
      },
      group: (id: string) => this.#select(id, true),
      source: (place: Parameters<typeof this.sendSource>[0]) => this.sendSource(place),
      origin: (name: string) => void this.#origin(name),
      copy: (text: string) => this.#host.send({ type: 'copy', text }),
      close: () => this.#set({ detailsClosed: true }),
      toggle: (id: string) => void this.#toggle(id),
      more: (list: string) => {
        this.#expanded.add(list);
        this.#render();
      },
    };
    if (typeof selected === 'number') return nodeDetails(selected, input, act);
    const group = selected === null ? undefined : view.tree.groups.get(selected);
    return group ? groupDetails(group, input, act) : nothingSelected(view.graph, view.tree);
  }

  private sendSource(place: NonNullable<ReturnType<typeof sourceOf>>): void {
    this.#host.send({ type: 'openSource', place, preserveFocus: false });
  }

  #template(): TemplateResult {
    const page = this.#page();
    const { view: mode } = this.#ui;
    const bars = this.#stages !== null && !this.#noRecording;
    const drawn = page === null;
    return html`<header>
        <h1 class="hidden-text">Graph</h1>
        ${bars ? stageBarView(this.#stages!.compiles, this.#ui.compileId, this.#bar, this.#crumb, this.#bars) : nothing}
        ${
          bars && this.#crumb?.unavailable === null
            ? toolBar(
                {
                  ui: this.#ui,
                  crumb: this.#crumb,
                  matchCount: this.#matches.length,
                  matchAt: this.#matches.indexOf(typeof this.#selected === 'number' ? this.#selected : -1),
                  cursor: this.#cursor,
                  hasSelection: typeof this.#selected === 'number',
                  shownText: this.#shownText(),
                },
                this.#bars,
              )
            : nothing
        }
      </header>
      ${this.#loading ? html`<div class="progress" role="progressbar" aria-label="Loading"></div>` : nothing}
      <main>
        ${page ?? nothing}
        <div class="drawing" ?hidden=${!drawn || mode !== 'graph'}>
          <canvas
            id="canvas"
            tabindex="0"
            role="application"
            aria-label="Graph. Press Alt+L for a list of the same nodes."
            @focus=${() => this.#updateLook()}
          ></canvas>
          ${drawn && this.#view ? legendView(coloursOf(this.#view, this.#ui.colourBy), this.#ui.legendClosed, this.#bars) : nothing}
          <div class="card zoom">
            <button class="tb ic" title="Zoom in (+)" aria-label="Zoom in" @click=${() => this.#canvas?.zoom(1.25)}>
              <i class="codicon codicon-zoom-in"></i>
            </button>
            <button class="tb ic" title="Zoom out (-)" aria-label="Zoom out" @click=${() => this.#canvas?.zoom(0.8)}>
              <i class="codicon codicon-zoom-out"></i>
            </button>
            <button class="tb ic" title="Whole graph (0)" aria-label="Whole graph" @click=${() => this.#canvas?.fit()}>
              <i class="codicon codicon-screen-full"></i>
            </button>
          </div>
          <div class="card minimap"><canvas id="minimap" aria-hidden="true"></canvas></div>
          ${
            this.#slow
              ? html`<div class="card slow" role="status">
                  Still laying out ${many(this.#view?.graph.size ?? 0, 'node')}
                  <vscode-button secondary @click=${() => this.#cancelLayout?.()}>Cancel</vscode-button>
                  <vscode-button @click=${() => void this.#refresh(null, true)}>Simple layout</vscode-button>
                </div>`
              : nothing
          }
        </div>
        ${
          drawn && mode === 'list' && this.#view
            ? this.#list.render(
                {
                  graph: this.#view.graph,
                  colouring: coloursOf(this.#view, this.#ui.colourBy),
                  open: this.#open,
                  selected: this.#selected,
                  matches: this.#matchSet,
                  groupMatches: this.#groupMatches,
                },
                {
                  click: (row) => this.#select(rowId(row.child), false),
                  chevron: (row) => typeof row.child !== 'number' && void this.#toggle(row.child.id),
                  activate: (row) =>
                    typeof row.child === 'number' ? this.#source(row.child, false) : void this.#toggle(row.child.id),
                },
              )
            : nothing
        }
        ${drawn && this.#view && !this.#ui.detailsClosed ? html`<aside class="details" aria-label="Details" tabindex="0">${this.#details()}</aside>` : nothing}
        ${
          drawn && this.#ui.detailsClosed
            ? html`<button
                class="tb ic details-open"
                title="Show details"
                aria-label="Show details"
                @click=${() => this.#set({ detailsClosed: false })}
              >
                <i class="codicon codicon-layout-sidebar-right"></i>
              </button>`
            : nothing
        }
      </main>
      ${bars ? footer(this.#crumb, this.#ui, this.#running, this.#bars) : nothing}
      <div class="hidden-text" role="status" aria-live="polite">${this.#announced}</div>
      ${this.#keysShown ? keysOverlay(KEY_TABLE, () => this.#escape()) : nothing}`;
  }
}

/** The compile of a snapshot, else the one with the largest graph. */
function chooseCompile({ compiles, stages }: StagesResult, snapshot: string | null): string | null {
  const info = stages.find((s) => s.snapshot === snapshot) ?? [...stages].sort((a, b) => b.nodes - a.nodes)[0];
  return (
    compiles.find(({ id }) => info?.graph.startsWith(`${id}/`) || info?.graph.startsWith(`${id}_`))?.id ??
    compiles[0]?.id ??
    null
  );
}

class Cancelled extends Error {}
