/** The graph panel: what the user and the host do, and the page. */
import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import type { SourcePlace, ToPanel } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { stepName } from '../../src/shared/steps';
import { Host } from '../shared/host';
import { Rendering } from '../shared/rendering';
import { watchTheme } from '../shared/theme';
import type { BarActions } from './bars';
import { GraphCanvas } from './canvas';
import { sourceOf } from './details';
import type { DetailsActions } from './details-parts';
import type { DiffActions } from './diff-bar';
import { Exporter } from './exporter';
import { handleKey, type KeyActions } from './keys';
import { type ListEvents, rowId } from './list';
import { page, type PageActions } from './page';
import type { Id } from './picture';
import { hoverText } from './hover-text';
import type { Box, Path } from './scene';
import { type Step, stepInGraph, stepInList } from './selection';
import { GraphSession } from './session';
import { diffOf, lineageOf, passOf } from './shown';
import { type Side, UNFILTERED } from './state';
import type { Direction } from './walk';

export class GraphPanel {
  readonly #root: HTMLElement;
  readonly #host = new Host((event) => void this.#receive(event));
  readonly #rendering: Rendering = new Rendering(() => this.#draw());
  readonly #session = new GraphSession(this.#host, this.#rendering);
  readonly #exporter = new Exporter(this.#host, this.#session);
  #hover: Id | Path | null = null;
  #keysShown = false;
  #menuOpen = false;
  /** The stage that was scrolled into view. */
  #stageShown: string | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('resize', () => this.#rendering.soon());
    watchTheme(() => this.#session.picture.canvas?.restyle());
    this.#rendering.now();
    this.#host.send({ type: 'ready' });
  }

  async #receive(event: Exclude<ToPanel, { type: 'response' }>): Promise<void> {
    const session = this.#session;
    if (event.type === 'show') await session.show(event.target);
    else if (event.type === 'selected') await session.follow(event.selection);
    else if (event.type === 'cursor') {
      const hasMoved = event.at?.file !== session.cursor?.file || event.at?.line !== session.cursor?.line;
      session.cursor = event.at;
      this.#rendering.soon();
      if (hasMoved && session.ui.thisLine) await session.refresh(null);
    } else if (event.recording === session.ui.recording) {
      session.running = event.running;
      await session.load(null);
    }
  }

  /** Enter or double click: a node's source, or a group's inside. */
  #activate(id: Id | null): void {
    if (typeof id === 'string') void this.#session.toggle(id);
    const { view } = this.#session.picture;
    if (typeof id !== 'number' || !view) return;
    const place = sourceOf(view.graph, id);
    if (place) this.#openSource(place);
    else this.#session.say(l10n.t('No source was recorded for this node.'));
  }

  #openSource(place: SourcePlace): void {
    this.#host.send({ type: 'openSource', place, preserveFocus: false });
  }

  #setView(view: 'graph' | 'list'): void {
    this.#session.set({ view });
    this.#rendering.now();
    this.#focus();
    const selected = this.#session.selected;
    if (selected !== null && view === 'list') requestAnimationFrame(() => this.#session.list.reveal(selected));
  }

  #focus(): void {
    const place = this.#session.ui.view === 'graph' ? '#canvas' : '#list [role=tree]';
    this.#root.querySelector<HTMLElement>(place)?.focus();
  }

  // --- what the user does --------------------------------------------------------------------------------------------

  readonly #bars: BarActions = {
    compile: (id) => {
      this.#session.changeCompile(id);
      void this.#session.load(null);
    },
    stage: (key) => void this.#session.stage(key),
    position: (position) => {
      this.#session.set({ position });
      void this.#session.openStage();
    },
    query: (query) => void this.#session.search(query),
    nextMatch: (step) => void this.#session.nextMatch(step),
    toggleChanged: () => void this.#toggleChanged(),
    togglePath: () => void this.#session.setPath(),
    toggleDiff: () => void this.#toggleDiff(),
    toggleMenu: (isOpen) => {
      if (isOpen === this.#menuOpen) return;
      this.#menuOpen = isOpen;
      this.#rendering.now();
      if (isOpen) this.#root.querySelector<HTMLElement>('[role=menuitem]')?.focus();
      else if (document.activeElement === document.body) this.#root.querySelector<HTMLElement>('#menu-button')?.focus();
    },
    export: (what) => {
      this.#bars.toggleMenu(false);
      void this.#exporter.export(what);
    },
    toggleHops: () => void this.#session.setHops(this.#session.ui.hops > 0 ? 0 : 1),
    toggleLine: () => void this.#session.filter({ thisLine: !this.#session.ui.thisLine }),
    colourBy: (colourBy) => {
      this.#session.set({ colourBy });
      this.#session.look();
    },
    view: (view) => this.#setView(view),
    legend: (closed) => this.#session.set({ legendClosed: closed }),
    keys: () => this.#showKeys(),
    passes: () => {
      const { recording, compileId } = this.#session.ui;
      const snapshot = this.#session.picture.view?.graph.data.snapshot ?? null;
      if (recording === null) return;
      this.#host.send({ type: 'showPanel', panel: 'passes', target: { ...nowhere(recording), compileId, snapshot } });
    },
  };

  readonly #details: DetailsActions = {
    node: (name) => void this.#session.goTo(this.#session.picture.view?.graph.byName.get(name)),
    group: (id) => this.#session.select(id, true),
    source: (place) => this.#openSource(place),
    place: (node) => void this.#session.goTo(node),
    other: (snapshot, name) => void this.#session.other(snapshot, name),
    code: (kernel) => this.#showCode(kernel),
    textDiff: () => this.#textDiff(),
    showPass: () => {
      const { recording, compileId, diff } = this.#session.ui;
      if (recording === null || diff === null) return;
      const target = { ...nowhere(recording), compileId, snapshot: diff.after, pass: diff.pass };
      this.#host.send({ type: 'showPanel', panel: 'passes', target });
    },
    copy: (text) => this.#host.send({ type: 'copy', text }),
    close: () => this.#session.set({ detailsClosed: true }),
    toggle: (id) => void this.#session.toggle(id),
    more: (list) => {
      this.#session.expanded.add(list);
      this.#rendering.soon();
    },
  };

  readonly #diff: DiffActions = {
    pair: (before, after) => void this.#session.comparison.compare({ before, after, pass: null }),
    side: (side) => this.#setSide(side),
    nextChange: (step) => void this.#session.comparison.nextChange(step),
    nextPass: (step) => void this.#session.comparison.nextPass(step),
    closeDiff: () => void this.#session.comparison.closeDiff(),
  };

  #setSide(side: Side): void {
    if (this.#session.ui.diff === null) return;
    this.#session.set({ side });
    this.#session.look();
  }

  async #toggleDiff(): Promise<void> {
    if (this.#session.ui.diff === null) await this.#session.comparison.compareStage();
    else await this.#session.comparison.closeDiff();
  }

  async #toggleChanged(): Promise<void> {
    if (this.#session.ui.diff === null) await this.#session.comparison.compareStage();
    else await this.#session.filter({ changedOnly: !this.#session.ui.changedOnly });
  }

  #showCode(kernel: string | null): void {
    const { recording, compileId } = this.#session.ui;
    const { view } = this.#session.picture;
    const selected = this.#session.selected;
    if (recording === null || !view) return;
    const node = typeof selected === 'number' ? selected : null;
    const source = node === null ? null : sourceOf(view.graph, node);
    const own = node === null ? undefined : view.graph.data.kernel.at(node)?.at(0);
    const name = kernel ?? (own === undefined ? null : view.graph.data.kernels[own].name);
    const { snapshot } = view.graph.data;
    const target = { ...nowhere(recording), compileId, snapshot, node: this.#session.ui.node, kernel: name, source };
    this.#host.send({ type: 'showPanel', panel: 'code', target });
  }

  #textDiff(): void {
    const { recording, diff } = this.#session.ui;
    if (recording === null || diff === null) return;
    const { pass, stage } = diffOf(this.#session) ?? { pass: null, stage: '' };
    const title = pass === null ? stage : stepName(pass);
    this.#host.send({ type: 'openDiff', recording, before: diff.before, after: diff.after, title });
  }

  readonly #listEvents: ListEvents = {
    click: (row) => this.#session.select(rowId(row.child), false),
    chevron: (row) => typeof row.child !== 'number' && void this.#session.toggle(row.child.id),
    activate: (row) => this.#activate(rowId(row.child)),
  };

  readonly #page: PageActions = {
    bars: this.#bars,
    diff: this.#diff,
    details: this.#details,
    list: this.#listEvents,
    go: (way) => this.#host.go(way),
    clearFilters: () => {
      void this.#session.filter({ ...UNFILTERED, changedOnly: false });
    },
    zoom: (factor) => this.#session.picture.canvas?.zoom(factor),
    fit: () => this.#session.picture.canvas?.fit(),
    simpleLayout: () => void this.#session.refresh(null, true),
    showDetails: () => this.#session.set({ detailsClosed: false }),
    resizeDetails: (detailsWidth) => this.#session.set({ detailsWidth }),
    escape: () => this.#escape(),
  };

  readonly #keys: KeyActions = {
    walk: (direction) => void this.#walk(direction),
    enter: () => this.#activate(this.#session.selected),
    find: () => {
      const field = this.#root.querySelector<HTMLInputElement>('#search');
      field?.focus();
      field?.select();
    },
    stage: (step) => {
      const all = this.#session.bar.steps.flat();
      const at = all.findIndex((crumb) => crumb.key === this.#session.crumb?.key) + step;
      const next = at >= 0 ? all.at(at) : undefined;
      if (next) void this.#session.stage(next.key);
    },
    pass: (step) => void this.#session.comparison.nextPass(step),
    diff: () => void this.#toggleDiff(),
    side: (side) => this.#setSide(side),
    change: (step) => void this.#session.comparison.nextChange(step),
    changed: () => void this.#toggleChanged(),
    path: () => void this.#session.setPath(),
    code: () => this.#showCode(null),
    hops: () => void this.#session.setHops(this.#session.ui.hops + 1),
    line: () => this.#bars.toggleLine(),
    zoom: (factor) => this.#session.picture.canvas?.zoom(factor),
    fit: () => this.#session.picture.canvas?.fit(),
    toggleView: () => this.#setView(this.#session.ui.view === 'graph' ? 'list' : 'graph'),
    escape: () => this.#escape(),
    keys: () => this.#showKeys(),
    edge: (end) => {
      const row = this.#session.list.rows.at(end === 'first' ? 0 : -1);
      if (row) this.#session.select(rowId(row.child), true);
    },
  };

  #onKey(event: KeyboardEvent): void {
    const at = document.activeElement;
    const inside = at === null || at === document.body || at.closest('#canvas, #list') !== null;
    handleKey(event, inside && !this.#keysShown, this.#keys);
  }

  async #walk(direction: Direction): Promise<void> {
    const { view } = this.#session.picture;
    if (!view) return;
    const selected = this.#session.selected;
    const step: Step =
      this.#session.ui.view === 'list'
        ? stepInList(view, this.#session.list.rows, this.#session.open, selected, direction)
        : stepInGraph(this.#session.picture, this.#session.picture.drawn(selected), direction);
    if (step === null) return;
    if ('select' in step) this.#session.select(step.select, true);
    else if ('open' in step) await this.#session.toggle(step.open, true);
    else await this.#session.toggle(step.close, false);
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  /** One step back: overlay, search field, filters, selection. */
  #escape(): void {
    if (this.#keysShown) {
      this.#keysShown = false;
      this.#rendering.soon();
      this.#focus();
    } else if (document.activeElement?.id === 'search') {
      if (this.#session.ui.query !== '') this.#bars.query('');
      this.#focus();
    } else if (this.#session.ui.path !== null) void this.#session.filter({ path: null });
    else if (this.#session.ui.hops > 0) void this.#session.setHops(0);
    else if (this.#session.ui.thisLine) this.#bars.toggleLine();
    else if (this.#session.ui.query !== '') this.#bars.query('');
    else if (this.#session.selected !== null) this.#session.select(null, false);
    else if (this.#session.ui.diff !== null) void this.#session.comparison.closeDiff();
  }

  // --- rendering -----------------------------------------------------------------------------------------------------

  #draw(): void {
    const all = {
      ui: this.#session.ui,
      noRecording: this.#session.noRecording,
      running: this.#session.running,
      data: this.#session.data,
      bar: this.#session.bar,
      crumb: this.#session.crumb,
      picture: this.#session.picture,
      list: this.#session.list,
      open: this.#session.open,
      selected: this.#session.selected,
      cursor: this.#session.cursor,
      expanded: this.#session.expanded,
      keysShown: this.#keysShown,
      menuOpen: this.#menuOpen,
      lineage: lineageOf(this.#session),
      diff: diffOf(this.#session),
      pass: passOf(this.#session),
      announced: this.#session.announced,
      note: this.#session.note,
    };
    const { list, picture } = this.#session;
    const draw = (): void => {
      render(page(all, this.#page), this.#root);
    };
    draw();
    picture.canvas ??= this.#makeCanvas();
    if (this.#stageShown !== all.crumb?.key) {
      this.#stageShown = all.crumb?.key;
      this.#root.querySelector('.stage[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    const element = this.#root.querySelector<HTMLElement>('#list');
    list.attach(element);
    if (!element) return;
    // The list knows which rows are in view only when it is in the page.
    if (!element.querySelector('.list-row')) draw();
    this.#session.restoreScroll();
  }

  #makeCanvas(): GraphCanvas | null {
    const canvas = this.#root.querySelector<HTMLCanvasElement>('#canvas');
    const map = this.#root.querySelector<HTMLCanvasElement>('#minimap');
    if (!canvas || !map) return null;
    return new GraphCanvas(canvas, map, {
      click: (box, isChevron) => {
        canvas.focus();
        if (isChevron && typeof box?.id === 'string') void this.#session.toggle(box.id);
        else this.#session.select(box?.id ?? null, false);
      },
      open: (box) => this.#activate(box.id),
      hover: (box, path) => this.#onHover(box, path, canvas),
      moved: (camera) => {
        const { view } = this.#session.picture;
        if (view && !view.filtered) this.#session.set({ camera, cameraOf: view.graph.data.snapshot });
      },
    });
  }

  #onHover(box: Box | null, path: Path | null, canvas: HTMLCanvasElement): void {
    const { view } = this.#session.picture;
    const id = box && box.kind !== 'frame' ? box.id : null;
    if (!view || (id ?? path) === this.#hover) return;
    this.#hover = id ?? path;
    this.#session.picture.canvas?.setHover(id, path);
    canvas.title = hoverText(view, id, path);
  }
}
