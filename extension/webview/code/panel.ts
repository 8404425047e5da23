/** The code panel: what the user and the host do, and the page. */
import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import { nowhere } from '../../src/shared/messages';
import { Host } from '../shared/host';
import { Rendering } from '../shared/rendering';
import { isTyping } from '../shared/view';
import { menuContext } from './menu';
import type { FoldRow } from './rows';
import { CodeSession, type ColumnName } from './session';
import type { PageActions } from './actions';
import { page } from './page';
import { room } from './room';
import { TABS } from './state';

export class CodePanel {
  readonly #root: HTMLElement;
  readonly #host = new Host((event) => {
    const session = this.#session;
    if (event.type === 'show') void session.show(event.target);
    else if (event.type === 'selected') void session.follow(event.selection);
    else if (event.type === 'cursor') session.onCursor(event.at);
    else if (event.recording === session.ui.recording) {
      session.running = event.running;
      void session.load();
    }
  });
  readonly #rendering: Rendering = new Rendering(
    () => this.#draw(),
    (run) => requestAnimationFrame(run),
  );
  readonly #session: CodeSession = new CodeSession(this.#host, this.#rendering);
  #keysShown = false;
  #listening = new WeakSet<HTMLElement>();

  constructor(root: HTMLElement) {
    this.#root = root;
    window.addEventListener('keydown', (event) => this.#onKey(event));
    window.addEventListener('resize', () => this.#rendering.soon());
    this.#rendering.now();
    this.#host.send({ type: 'ready' });
  }

  // --- mouse ---------------------------------------------------------------------------------------------------------

  #listen(element: HTMLElement): void {
    if (this.#listening.has(element)) return;
    this.#listening.add(element);
    const name = element.dataset['column'] as ColumnName;
    element.addEventListener('click', (event) => this.#onClick(name, event));
    element.addEventListener('dblclick', () => this.#openSource());
    element.addEventListener('contextmenu', (event) => this.#onMenu(name, element, event));
    element.addEventListener('mouseover', (event) => this.#session.hover(this.#groupUnder(name, event)));
    element.addEventListener('mouseleave', () => this.#session.hover(null));
    for (const type of ['wheel', 'pointerdown', 'touchstart', 'keydown']) {
      element.addEventListener(type, () => (this.#session.leading = name), { passive: true });
    }
    element.addEventListener('scroll', () => {
      this.#session.scrolled(name);
      this.#rendering.soon();
    });
  }

  #rowUnder(event: MouseEvent): { at: number; group: number | undefined } | null {
    const target = event.target as HTMLElement;
    const at = target.closest<HTMLElement>('[data-at]')?.dataset['at'];
    const group = target.closest<HTMLElement>('[data-g]')?.dataset['g'];
    return at === undefined ? null : { at: Number(at), group: group === undefined ? undefined : Number(group) };
  }

  #groupUnder(name: ColumnName, event: MouseEvent): number | null {
    const under = this.#rowUnder(event);
    const row = under === null ? undefined : this.#session.column(name).rows[under.at];
    if (row === undefined) return null;
    const own = row.type === 'source' ? -1 : row.group;
    return under?.group ?? (own >= 0 ? own : null);
  }

  #onClick(name: ColumnName, event: MouseEvent): void {
    const under = this.#rowUnder(event);
    if (under === null || (window.getSelection()?.toString() ?? '') !== '') return;
    const row = this.#session.column(name).rows[under.at];
    if (row.type === 'fold') {
      if (row.code) this.#onKernel(row, event);
      else this.#session.toggle(row);
    } else this.#session.selectRow(name, under.at, under.group);
  }

  /** A click on a kernel's row shows it; on the arrow, or on the one that is shown, it folds or unfolds. */
  #onKernel(row: FoldRow, event: MouseEvent): void {
    const { session } = { session: this.#session };
    const arrow = (event.target as HTMLElement).closest('.codicon') !== null;
    const shown = session.ui.kernel !== null && row.kernels.includes(session.ui.kernel);
    if (arrow || shown || row.kernels.length === 0) session.toggle(row);
    else session.chooseKernel(row.kernels[0]);
  }

  /** Before VS Code opens its menu: selects the row under the mouse, and says what the menu is about. */
  #onMenu(name: ColumnName, element: HTMLElement, event: MouseEvent): void {
    const session = this.#session;
    const selected = window.getSelection()?.toString() ?? '';
    const under = this.#rowUnder(event);
    const chosen = document.getElementById(element.getAttribute('aria-activedescendant') ?? '');
    if (under === null && chosen !== null && event.isTrusted) {
      // By keyboard it is about the selected row, and opens there.
      event.stopPropagation();
      event.preventDefault();
      const { left, bottom } = chosen.getBoundingClientRect();
      const init = { bubbles: true, cancelable: true, clientX: left + 24, clientY: bottom };
      chosen.dispatchEvent(new MouseEvent('contextmenu', init));
      return;
    }
    const row = under === null ? undefined : session.column(name).rows[under.at];
    if (under !== null && event.isTrusted && selected === '' && row?.type !== 'fold')
      session.selectRow(name, under.at, under.group);
    element.dataset['vscodeContext'] = JSON.stringify(menuContext(session, name, row, selected));
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  #openSource(): void {
    const { place } = this.#session;
    const { file } = this.#session.ui;
    const start = { line: 0, column: 0, endLine: 0, endColumn: 0 };
    const wanted = place ?? (file === null ? null : { file, ...start });
    if (wanted) this.#host.send({ type: 'openSource', place: wanted, preserveFocus: false });
  }

  #showInGraph(): void {
    const { recording, compileId } = this.#session.ui;
    const { selection } = this.#session;
    if (recording === null || selection === null) return;
    this.#host.send({ type: 'showPanel', panel: 'graph', target: { ...nowhere(recording), ...selection, compileId } });
  }

  #find(words: string, by: 1 | -1): void {
    if (!this.#session.find(words, by, 'code') && words.trim() !== '') {
      this.#session.announced = l10n.t('“{0}” is not in the code that is shown.', words.trim());
      this.#rendering.soon();
    }
  }

  get #column(): ColumnName {
    const active = document.activeElement?.closest<HTMLElement>('[data-column]');
    return (active?.dataset['column'] as ColumnName | undefined) ?? 'code';
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      this.#escape();
      return;
    }
    if (isTyping(event) || event.ctrlKey || event.metaKey) return;
    if (event.altKey) {
      if (event.code === 'KeyZ') {
        event.preventDefault();
        this.#session.set({ wrap: !this.#session.ui.wrap });
      }
      return;
    }
    const active = document.activeElement;
    const inside = active === null || active === document.body || active.closest('.col') !== null;
    if (event.key === '?') this.#showKeys();
    else if (active?.closest('[role=tablist]') != null && this.#onTab(event)) event.preventDefault();
    else if (!this.#keysShown && (inside || !/^(Arrow|Enter)/.test(event.key)) && this.#single(event)) {
      event.preventDefault();
    }
  }

  #onTab(event: KeyboardEvent): boolean {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return false;
    const ids = TABS.map(({ id }) => id);
    let at = ids.indexOf(this.#session.tab);
    const before = this.#session.tab;
    do {
      at = (at + by + ids.length) % ids.length;
      this.#session.chooseTab(ids[at]);
    } while (this.#session.tab === before && ids[at] !== before);
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.tab[aria-selected=true]')?.focus();
    return true;
  }

  #single(event: KeyboardEvent): boolean {
    const session = this.#session;
    const kernel = session.ui.kernel ?? 0;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        session.step(this.#column, event.key === 'ArrowDown' ? 1 : -1);
        return true;
      case '[':
      case ']':
        session.chooseKernel(kernel + (event.key === ']' ? 1 : -1));
        return true;
      case 'f':
      case 'F':
        session.set({ follow: !session.ui.follow });
        return true;
      case 'g':
      case 'G':
        this.#showInGraph();
        return true;
      case '/':
        document.getElementById('find')?.focus();
        return true;
      case 'Enter':
        this.#openSource();
        return true;
      default: {
        const tab = TABS[Number(event.key) - 1];
        if (/^[1-6]$/.test(event.key)) session.chooseTab(tab.id);
        return /^[1-6]$/.test(event.key);
      }
    }
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#rendering.now();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  #escape(): void {
    this.#keysShown = false;
    this.#session.found = null;
    this.#rendering.soon();
    document.getElementById(`col-${this.#column}`)?.focus();
  }

  readonly #page: PageActions = {
    go: (way) => this.#host.go(way),
    showKeys: () => this.#showKeys(),
    escape: () => this.#escape(),
    openFile: () => this.#openSource(),
    find: (words, by) => this.#find(words, by),
  };

  // --- rendering -----------------------------------------------------------------------------------------------------

  #draw(): void {
    const session = this.#session;
    const draw = (): void => {
      render(page(session, this.#keysShown, this.#page), this.#root);
    };
    session.arrange(room(session, window.innerWidth, this.#character()));
    draw();
    this.#attach();
    const moved = session.settle();
    // The columns know which rows are in view only when they are in the page.
    if (moved || (session.columns.code.rows.length > 0 && !this.#root.querySelector('.r'))) draw();
  }

  #attach(): void {
    for (const name of ['source', 'graph', 'code'] as const) {
      const element = this.#root.querySelector<HTMLElement>(`#col-${name}`);
      this.#session.column(name).attach(element);
      if (element) this.#listen(element);
    }
  }

  /** Width of a character of code. */
  #character(): number {
    const probe = this.#root.querySelector('#character');
    return probe === null ? 7.2 : probe.getBoundingClientRect().width / 100;
  }
}
