/** The timeline panel: what the user and the host do, and the page. */
import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import { baseName } from '../shared/format';
import { Host } from '../shared/host';
import { Rendering } from '../shared/rendering';
import { isTyping } from '../shared/view';
import { placeOf } from '../shared/flame/timeline';
import { page, type PageActions } from './page';
import { perfetto } from './perfetto';
import { TimelineSession } from './session';

const ZOOM = 1.6;
const PAN = 0.2;

export class TimelinePanel {
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
  readonly #session: TimelineSession = new TimelineSession(this.#host, this.#rendering, (span) => this.#openSpan(span));
  #keysShown = false;

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('resize', () => this.#rendering.soon());
    this.#rendering.now();
    this.#host.send({ type: 'ready' });
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  #openPlace(place: number, preserveFocus = false): void {
    const source = this.#session.sourceOf(place);
    if (source !== null) this.#host.send({ type: 'openSource', place: source, preserveFocus });
  }

  #openSpan(span: number): void {
    const { timeline } = this.#session;
    if (timeline === null) return;
    if (placeOf(timeline, span) >= 0) this.#openPlace(placeOf(timeline, span));
    else this.#say(l10n.t('This span is not about one line.'));
  }

  #say(text: string): void {
    this.#session.announced = text;
    this.#rendering.soon();
  }

  #showPanel(panel: 'graph' | 'passes' | 'code', span: number): void {
    const target = this.#session.targetOf(span);
    if (target !== null) this.#host.send({ type: 'showPanel', panel, target });
  }

  /** The pass of a span, or the first in it. */
  #passOf(span: number): number {
    const { timeline } = this.#session;
    return timeline?.steps.has(span) === false
      ? (timeline.children.get(span)?.find((one) => timeline.steps.has(one)) ?? span)
      : span;
  }

  #export(): void {
    const { timeline, filter, ui } = this.#session;
    if (timeline === null || ui.recording === null) return;
    const name = `${baseName(ui.recording) || 'run'}-timeline.json`;
    this.#host.send({ type: 'saveFile', file: { name, content: perfetto(timeline, filter), encoding: 'utf8' } });
  }

  #zoomToSelected(): void {
    const { chart, span } = this.#session;
    if (chart.range !== null) {
      chart.zoomTo(...chart.range);
      chart.range = null;
      this.#rendering.soon();
    } else if (span !== null) chart.reveal(span, true);
  }

  #toggleList(): void {
    this.#session.set({ list: !this.#session.ui.list });
    this.#rendering.now();
    this.#focusMain();
    if (this.#session.ui.list && this.#session.span !== null)
      this.#session.spanList.reveal(this.#session.rows.indexOf(this.#session.span), 'center');
  }

  #focusMain(): void {
    if (this.#session.ui.list) this.#root.querySelector<HTMLElement>('#spans [role=tree]')?.focus();
    else this.#session.chart.element.focus();
  }

  // --- keys ----------------------------------------------------------------------------------------------------------

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#escape();
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?') {
      this.#showKeys();
      return;
    }
    if (this.#keysShown || this.#session.timeline === null) return;
    const active = document.activeElement;
    const inCosts = active?.closest('#costs') !== null && active !== null;
    const inList = active?.closest('#spans') !== null && active !== null;
    const free = active === null || active === document.body || active === this.#session.chart.element;
    const done =
      (inCosts && this.#inCosts(event)) ||
      (inList && this.#inList(event)) ||
      (free && this.#inChart(event)) ||
      ((free || inCosts || inList) && this.#anywhere(event));
    if (done) event.preventDefault();
  }

  #inCosts(event: KeyboardEvent): boolean {
    const { costs, selectedCost } = this.#session;
    const at = selectedCost === null ? -1 : costs.indexOf(selectedCost);
    const to = (place: number): boolean => {
      const row = costs.at(Math.max(0, Math.min(place, costs.length - 1)));
      if (row !== undefined) this.#session.selectCost(row, true);
      return true;
    };
    switch (event.key) {
      case 'ArrowDown':
        return to(at + 1);
      case 'ArrowUp':
        return to(at - 1);
      case 'Home':
        return to(0);
      case 'End':
        return to(costs.length - 1);
      case 'Enter':
        if (selectedCost !== null && selectedCost.place !== null) this.#openPlace(selectedCost.place);
        return true;
      default:
        return false;
    }
  }

  #inList(event: KeyboardEvent): boolean {
    const { rows } = this.#session;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const at = this.#session.span === null ? -1 : rows.indexOf(this.#session.span);
        const next = rows.at(Math.max(0, Math.min(at + (event.key === 'ArrowDown' ? 1 : -1), rows.length - 1)));
        if (next !== undefined) this.#session.select(next, true);
        return true;
      }
      case 'ArrowLeft':
        this.#session.walk('parent');
        return true;
      case 'ArrowRight':
        this.#session.walk('child');
        return true;
      case 'Home':
      case 'End': {
        const row = rows.at(event.key === 'Home' ? 0 : -1);
        if (row !== undefined) this.#session.select(row, true);
        return true;
      }
      case 'Enter':
        if (this.#session.span !== null) this.#openSpan(this.#session.span);
        return true;
      default:
        return false;
    }
  }

  #inChart(event: KeyboardEvent): boolean {
    const { chart } = this.#session;
    switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
      case 'w':
      case '+':
      case '=':
        chart.zoom(ZOOM);
        return true;
      case 's':
      case '-':
        chart.zoom(1 / ZOOM);
        return true;
      case 'a':
        chart.pan(-PAN);
        return true;
      case 'd':
        chart.pan(PAN);
        return true;
      case '0':
        chart.camera = null;
        return true;
      case 'f':
        this.#zoomToSelected();
        return true;
      case 'ArrowUp':
        this.#session.walk('parent');
        return true;
      case 'ArrowDown':
        this.#session.walk('child');
        return true;
      case 'ArrowLeft':
        this.#session.walk('previous');
        return true;
      case 'ArrowRight':
        this.#session.walk('next');
        return true;
      case 'Enter':
        if (this.#session.span !== null) this.#openSpan(this.#session.span);
        return true;
      default:
        return false;
    }
  }

  #anywhere(event: KeyboardEvent): boolean {
    switch (event.key) {
      case 'm':
        this.#session.nextMark(1);
        return true;
      case 'M':
        this.#session.nextMark(-1);
        return true;
      case 'l':
      case 'L':
        this.#toggleList();
        return true;
      case 'e':
      case 'E':
        this.#export();
        return true;
      case '/':
        document.getElementById('find')?.focus();
        return true;
      default:
        return false;
    }
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  #escape(): void {
    const session = this.#session;
    if (this.#keysShown) this.#keysShown = false;
    else if (session.chart.range !== null) session.chart.range = null;
    else if (session.ui.text !== '') {
      session.set({ text: '' });
      session.arrange();
    } else if (session.span !== null) session.select(null);
    else if (session.ui.cost !== null) session.selectCost(null);
    this.#rendering.now();
    this.#focusMain();
  }

  readonly #page: PageActions = {
    costs: {
      pick: (row) => this.#session.selectCost(row),
      open: (row) => row.place !== null && this.#openPlace(row.place),
    },
    list: { pick: (span) => this.#session.select(span), open: (span) => this.#openSpan(span) },
    details: {
      source: (place) => this.#openPlace(place),
      passes: (span) => this.#showPanel('passes', this.#passOf(span)),
      graph: (span) => this.#showPanel('graph', span),
      code: (span) => this.#showPanel('code', span),
      pick: (span) => this.#session.select(span, true),
    },
    go: (way) => this.#host.go(way),
    zoom: (factor) => this.#session.chart.zoom(factor),
    fit: () => {
      this.#session.chart.camera = null;
    },
    exportTrace: () => this.#export(),
    toggleList: () => this.#toggleList(),
    showKeys: () => this.#showKeys(),
    escape: () => this.#escape(),
  };

  // --- rendering -----------------------------------------------------------------------------------------------------

  #draw(): void {
    const session = this.#session;
    const draw = (): void => {
      render(page(session, this.#keysShown, this.#page), this.#root);
    };
    draw();
    session.costList.attach(this.#root.querySelector<HTMLElement>('#costs'), session.costs.length);
    session.spanList.attach(this.#root.querySelector<HTMLElement>('#spans'), session.rows.length);
    // A list knows which rows are in view only when it is in the page.
    const empty = session.ui.list
      ? session.rows.length > 0 && !this.#root.querySelector('.span-row')
      : session.costs.length > 0 && !this.#root.querySelector('.cost');
    if (empty) draw();
  }
}
