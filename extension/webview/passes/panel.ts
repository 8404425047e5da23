/** The pass panel: what the user and the host do, and the page. */
import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import type { PassInfo } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { passTitle } from '../../src/shared/pass-title';
import { many } from '../shared/format';
import { Host } from '../shared/host';
import { Rendering } from '../shared/rendering';
import { isTyping } from '../shared/view';
import { comparable } from './changes';
import { noDiffReason } from './details';
import { isChosen, type ListEvents } from './list';
import type { Row } from './model';
import { page, type PageActions } from './page';
import { PassSession } from './session';
import { ZOOM } from './strip-view';

export class PassPanel {
  readonly #root: HTMLElement;
  readonly #host = new Host((event) => {
    const session = this.#session;
    if (event.type === 'show') void session.show(event.target);
    else if (event.type === 'selected') void session.follow(event.selection);
    else if (event.type === 'changed' && event.recording === session.ui.recording) {
      session.running = event.running;
      void session.reload();
    }
  });
  readonly #rendering: Rendering = new Rendering(() => this.#draw());
  readonly #session: PassSession = new PassSession(this.#host, this.#rendering);
  #keysShown = false;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('resize', () => this.#rendering.soon());
    this.#rendering.now();
    this.#host.send({ type: 'ready' });
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  readonly #listEvents: ListEvents = {
    pick: (row) => this.#session.selectRow(row, false),
    open: (row) => row.type === 'pass' && this.#openDiff(row.pass),
    toggle: (phase) => this.#session.toggle(phase),
    source: (pass) => this.#openSource(pass),
    dismiss: (pass) => {
      this.#session.set({ dismissed: [...this.#session.ui.dismissed, pass.name] });
      this.#session.arrange();
    },
  };

  #openDiff(pass: PassInfo): void {
    const { recording } = this.#session.ui;
    if (recording === null) return;
    if (noDiffReason(pass) !== null || pass.before === null || pass.after === null) {
      this.#session.announced = noDiffReason(pass) ?? '';
      this.#rendering.soon();
      return;
    }
    this.#host.send({
      type: 'openDiff',
      recording,
      before: pass.before,
      after: pass.after,
      title: passTitle(pass, this.#session.functionName),
    });
  }

  /** What the filters leave of the changed passes, one below the other. */
  #compareAll(): void {
    const { recording } = this.#session.ui;
    const passes = comparable(this.#session.list.rows);
    if (recording === null || passes.length === 0) {
      this.#session.announced = l10n.t('No pass in the list changed a graph.');
      this.#rendering.soon();
      return;
    }
    const { functionName } = this.#session;
    this.#host.send({
      type: 'openChanges',
      recording,
      title: `${functionName}: ${many(passes.length, 'changed pass')}`,
      changes: passes.map(({ pass, before, after }) => ({ title: passTitle(pass, functionName), before, after })),
    });
  }

  #showInGraph(pass: PassInfo): void {
    const { recording } = this.#session.ui;
    const snapshot = pass.after ?? pass.before;
    if (recording === null || snapshot === null) return;
    this.#host.send({
      type: 'showPanel',
      panel: 'graph',
      target: { ...nowhere(recording), compileId: pass.compileId, snapshot, pass: pass.order },
    });
  }

  #showInTimeline(): void {
    const { recording, compileId, pass } = this.#session.ui;
    if (recording === null) return;
    this.#host.send({ type: 'showPanel', panel: 'timeline', target: { ...nowhere(recording), compileId, pass } });
  }

  #openSource({ file, line }: { file: string | null; line: number | null }): void {
    if (file === null) return;
    const first = (line ?? 1) - 1;
    this.#host.send({
      type: 'openSource',
      place: { file, line: first, column: -1, endLine: first, endColumn: -1 },
      preserveFocus: false,
    });
  }

  #step(step: 1 | -1, wanted: (row: Row) => boolean): void {
    const rows = this.#session.list.rows;
    const at = rows.findIndex((row) => isChosen(row, this.#session.ui.pass, this.#session.ui.phase));
    for (let i = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step; i >= 0 && i < rows.length; i += step) {
      if (wanted(rows[i])) {
        this.#session.selectRow(rows[i], true);
        return;
      }
    }
  }

  #onKey(event: KeyboardEvent): void {
    const active = document.activeElement;
    if (event.key === 'Escape') {
      this.#escape();
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey) return;
    const inside = active === null || active === document.body || active.closest('#list') !== null;
    if (event.key === '?') this.#showKeys();
    else if (this.#keysShown) return;
    else if (active === this.#session.strip.chart.element) {
      if (this.#inTimeline(event)) event.preventDefault();
    } else if (inside && this.#single(event)) event.preventDefault();
  }

  #inTimeline(event: KeyboardEvent): boolean {
    const { strip } = this.#session;
    switch (event.key) {
      case '+':
      case '=':
        strip.chart.zoom(ZOOM);
        return true;
      case '-':
        strip.chart.zoom(1 / ZOOM);
        return true;
      case '0':
        strip.chart.camera = null;
        return true;
      case 'ArrowLeft':
        strip.walk('previous');
        return true;
      case 'ArrowRight':
        strip.walk('next');
        return true;
      case 'ArrowUp':
        strip.walk('parent');
        return true;
      case 'ArrowDown':
        strip.walk('child');
        return true;
      default:
        return false;
    }
  }

  #single(event: KeyboardEvent): boolean {
    const isRow = (row: Row): boolean => row.type !== 'callout';
    const isChange = (row: Row): boolean => row.type === 'pass' && row.pass.changed && row.pass.kind !== 'phase';
    const pass = this.#session.selected;
    const phase = this.#session.model.phases.find((p) =>
      pass ? p.passes.includes(pass) : p.key === this.#session.ui.phase,
    );
    const rows = this.#session.list.rows.filter(isRow);
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        this.#step(event.key === 'ArrowDown' ? 1 : -1, event.altKey ? isChange : isRow);
        return true;
      case 'ArrowLeft':
        if (phase && pass) this.#session.selectRow({ type: 'phase', phase, open: true }, true);
        else if (phase) this.#session.toggle(phase, false);
        return true;
      case 'ArrowRight':
        if (phase && !pass) this.#session.toggle(phase, true);
        return true;
      case 'Home':
      case 'End': {
        const row = rows.at(event.key === 'Home' ? 0 : -1);
        if (row) this.#session.selectRow(row, true);
        return true;
      }
      case 'Enter':
        if (pass) this.#openDiff(pass);
        else if (phase) this.#session.toggle(phase);
        return true;
      case 'h':
      case 'H':
        this.#hideUnchanged();
        return true;
      case 'm':
      case 'M':
        this.#compareAll();
        return true;
      case 'g':
      case 'G':
        if (pass) this.#showInGraph(pass);
        return true;
      case 't':
      case 'T':
        this.#session.strip.chart.element.focus();
        return true;
      case '/':
        document.getElementById('filter')?.focus();
        return true;
      default:
        return false;
    }
  }

  #hideUnchanged(): void {
    this.#session.set({ hideUnchanged: !this.#session.ui.hideUnchanged });
    this.#session.arrange();
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  #escape(): void {
    if (this.#keysShown) this.#keysShown = false;
    else if (document.activeElement !== this.#session.strip.chart.element && this.#session.ui.text !== '') {
      this.#session.set({ text: '' });
      this.#session.arrange();
    }
    this.#rendering.soon();
    document.querySelector<HTMLElement>('#list [role=tree]')?.focus();
  }

  readonly #page: PageActions = {
    list: this.#listEvents,
    details: {
      diff: (pass) => this.#openDiff(pass),
      graph: (pass) => this.#showInGraph(pass),
      source: (pass) => this.#openSource(pass),
      place: (file, line) => this.#openSource({ file, line }),
    },
    strip: {
      height: (stripHeight) => this.#session.set({ stripHeight }),
      timeline: () => this.#showInTimeline(),
    },
    go: (way) => this.#host.go(way),
    hideUnchanged: () => this.#hideUnchanged(),
    compareAll: () => this.#compareAll(),
    showKeys: () => this.#showKeys(),
    escape: () => this.#escape(),
  };

  // --- rendering -----------------------------------------------------------------------------------------------------

  #draw(): void {
    const { list } = this.#session;
    const draw = (): void => {
      render(page(this.#session, this.#keysShown, this.#page), this.#root);
    };
    draw();
    list.attach(this.#root.querySelector<HTMLElement>('#list'));
    // The list knows which rows are in view only when it is in the page.
    if (list.rows.length > 0 && !this.#root.querySelector('.row')) draw();
  }
}
