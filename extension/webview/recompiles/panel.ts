/** The recompile panel: what the user and the host do, and the page. */
import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import type { SourcePlace } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { Host, RequestFailed } from '../shared/host';
import { Rendering } from '../shared/rendering';
import { LongList } from '../shared/list';
import { isTyping } from '../shared/view';
import { pairOf } from './compare';
import { type Column, markdown, visibleNodes } from './model';
import { page, type PageActions } from './page';
import { RecompileSession } from './session';
import { TREE_ROW } from './side';

export class RecompilePanel {
  readonly #root: HTMLElement;
  readonly #host = new Host((event) => {
    const session = this.#session;
    if (event.type === 'show') void session.show(event.target);
    else if (event.type === 'selected') session.follow(event.selection);
    else if (event.type === 'changed' && event.recording === session.ui.recording) {
      session.running = event.running;
      void session.load();
    }
  });
  readonly #rendering: Rendering = new Rendering(() => this.#draw());
  readonly #session: RecompileSession = new RecompileSession(this.#host, this.#rendering);
  readonly #tree = new LongList(
    () => TREE_ROW,
    () => this.#rendering.soon(),
  );
  #keysShown = false;
  /** The version that was last brought into view by itself. */
  #inView: string | null = null;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('resize', () => this.#rendering.soon());
    this.#rendering.now();
    this.#host.send({ type: 'ready' });
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  #pick(column: Column, about: string | null, second: boolean): void {
    const { id } = column.version;
    if (second) {
      this.#session.set({ other: id === this.#session.ui.compileId ? null : id });
      return;
    }
    this.#session.select(id, about ?? undefined);
  }

  #openSource(place: Partial<SourcePlace> & { file: string; line: number }, preserveFocus = false): void {
    const { file, line, column = -1, endLine = line, endColumn = -1 } = place;
    this.#host.send({ type: 'openSource', place: { file, line, column, endLine, endColumn }, preserveFocus });
  }

  #openSelected(): void {
    const { place } = this.#session;
    if (place !== null) this.#openSource(place);
  }

  #showGraph(compileId: string): void {
    const { recording } = this.#session.ui;
    if (recording === null) return;
    this.#host.send({ type: 'showPanel', panel: 'graph', target: { ...nowhere(recording), compileId } });
  }

  async #compare(): Promise<void> {
    const { ui, selected, other, table } = this.#session;
    const { recording } = ui;
    if (recording === null || selected === null || other === null || table === null) return;
    const [older, newer] =
      table.versions.indexOf(other) < table.versions.indexOf(selected) ? [other, selected] : [selected, other];
    try {
      const [before, after] = await Promise.all(
        [older, newer].map(({ id }) => this.#host.request('stages', { recording, compileId: id })),
      );
      const pair = pairOf(before.stages, after.stages);
      if (pair === null) {
        this.#say(before.note ?? after.note ?? l10n.t('No graph of both versions is recorded in the same state.'));
        return;
      }
      const title = `${table.function}: ${older.id} ↔ ${newer.id}, ${pair.stage}`;
      this.#host.send({ type: 'openDiff', recording, before: pair.before, after: pair.after, title });
    } catch (error) {
      this.#say(error instanceof RequestFailed ? error.problem.title : String(error));
    }
  }

  #say(text: string): void {
    this.#session.announced = text;
    this.#rendering.soon();
  }

  readonly #page: PageActions = {
    table: {
      pick: (column, row, second) => this.#pick(column, row?.about ?? null, second),
      open: () => this.#openSelected(),
      source: (row) => {
        if (row.place !== null) this.#openSource(row.place);
      },
      more: () => this.#session.setView({ fewer: !this.#session.ui.fewer }),
      scrolled: () => this.#rendering.soon(),
    },
    details: {
      select: (version) => this.#session.select(version.id),
      place: (place) => this.#openSource(place),
      graph: (version) => this.#showGraph(version.id),
    },
    side: {
      toggle: (position) => this.#session.toggle(position),
      node: (node) => {
        const row = this.#session.table?.rows.find(({ about }) => node.about.includes(about));
        if (row !== undefined) this.#session.set({ about: row.about });
        if (node.place !== null) this.#openSource(node.place, true);
      },
      dimension: ({ place }) => {
        if (place !== null) this.#openSource(place);
      },
    },
    go: (way) => this.#host.go(way),
    pick: (compileId) => {
      this.#session.set({ compileId: null });
      void this.#session.load(compileId, true);
    },
    fewer: () => this.#session.setView({ fewer: !this.#session.ui.fewer }),
    cluster: () => this.#session.setView({ clustered: !this.#session.ui.clustered }),
    compare: () => void this.#compare(),
    copy: () => {
      const { table } = this.#session;
      if (table === null) return;
      this.#host.send({ type: 'copy', text: markdown(table) });
      this.#say(l10n.t('Copied'));
    },
    showKeys: () => this.#showKeys(),
    escape: () => this.#escape(),
  };

  // --- keys ----------------------------------------------------------------------------------------------------------

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#escape();
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || this.#keysShown) return;
    if (event.key === '?') {
      this.#showKeys();
      return;
    }
    const active = document.activeElement;
    const inside = active === null || active === document.body || active.closest('#grid') !== null;
    if (this.#letter(event) || (inside && this.#move(event))) {
      event.preventDefault();
      if (inside) this.#reveal();
    }
  }

  #letter({ key }: KeyboardEvent): boolean {
    const { selected } = this.#session;
    switch (key.toLowerCase()) {
      case 'n':
        this.#session.nextFailure();
        return true;
      case 'c':
        void this.#compare();
        return true;
      case 'g':
        if (selected !== null) this.#showGraph(selected.id);
        return true;
      case 'a':
        this.#session.setView({ fewer: !this.#session.ui.fewer });
        return true;
      default:
        return false;
    }
  }

  #move({ key }: KeyboardEvent): boolean {
    const { columns } = this.#session;
    switch (key) {
      case 'ArrowLeft':
      case 'ArrowRight':
        this.#session.step(key === 'ArrowLeft' ? -1 : 1);
        return true;
      case 'ArrowUp':
      case 'ArrowDown':
        this.#session.stepRow(key === 'ArrowUp' ? -1 : 1);
        return true;
      case 'Home':
      case 'End': {
        const column = columns.at(key === 'Home' ? 0 : -1);
        if (column !== undefined) this.#session.select(column.version.id, this.#session.ui.about);
        return true;
      }
      case 'Enter':
        this.#openSelected();
        return true;
      default:
        return false;
    }
  }

  /** Scrolls the table so that the selected cell is in view. */
  #reveal(): void {
    this.#rendering.now();
    this.#scrollToSelected();
  }

  #scrollToSelected(): void {
    const grid = this.#root.querySelector<HTMLElement>('#grid');
    const { columns, ui } = this.#session;
    const at = columns.findIndex(({ version }) => version.id === ui.compileId);
    const cell =
      this.#root.querySelector<HTMLElement>('td.active') ??
      this.#root.querySelector<HTMLElement>('th.version.selected');
    if (cell !== null) cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    else if (grid !== null && at >= 0) {
      const first = this.#root.querySelector<HTMLElement>('th.version');
      grid.scrollLeft = Math.max(0, at * (first?.offsetWidth ?? 0) - grid.clientWidth / 2);
    }
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  #escape(): void {
    if (this.#keysShown) this.#keysShown = false;
    else if (this.#session.ui.other !== null) this.#session.set({ other: null });
    this.#rendering.soon();
    this.#root.querySelector<HTMLElement>('#grid table')?.focus();
  }

  // --- rendering -----------------------------------------------------------------------------------------------------

  #draw(): void {
    const session = this.#session;
    const draw = (): void => {
      const scroller = this.#root.querySelector<HTMLElement>('#grid');
      render(page(session, this.#tree, scroller, this.#keysShown, this.#page), this.#root);
    };
    const nodes = session.tree?.nodes ?? [];
    const shown = visibleNodes(nodes, new Set(session.ui.closed)).length;
    draw();
    this.#tree.attach(this.#root.querySelector<HTMLElement>('#tree'), shown);
    // The list knows which rows are in view only when it is in the page.
    if (shown > 0) draw();
    const { compileId } = session.ui;
    if (compileId !== this.#inView && this.#root.querySelector('th.version') !== null) {
      this.#inView = compileId;
      this.#scrollToSelected();
    }
  }
}
