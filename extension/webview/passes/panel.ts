/** The pass panel: keeps the state, asks for data, and renders both. */
import { html, nothing, render, type TemplateResult } from 'lit';
import type { PassesResult, PassInfo, Problem, Target, ToPanel } from '../../src/shared/messages';
import { count, duration, many, percent, signed } from '../shared/format';
import { Host, RequestFailed } from '../shared/host';
import {
  compilePicker,
  icon,
  isTyping,
  keyCaps,
  type KeyTable,
  keysOverlay,
  messagePage,
  NOTHING_RECORDED,
  problemPage,
  type Way,
} from '../shared/view';
import { noDiffReason, noPassSelected, passDetails, phaseDetails, type Preview } from './details';
import { shortDiff } from './diff';
import { isChosen, type ListEvents, PassList } from './list';
import { graphSpans, type Kpi, type PassModel, passModel, type Phase, type Row, rowsOf } from './model';
import { INITIAL, STATE_VERSION, type UiState } from './state';

const LOADING_AFTER_MS = 200;

const KEY_TABLE: KeyTable = [
  [
    'Move',
    [
      ['↑ ↓', 'pass'],
      ['Alt ↑ ↓', 'changed pass'],
      ['← →', 'close, open a phase'],
      ['Home End', 'first, last'],
      ['Esc', 'back'],
    ],
  ],
  [
    'Look',
    [
      ['Enter', 'text diff in the diff editor'],
      ['G', 'show in graph'],
      ['H', 'hide unchanged'],
      ['/', 'filter'],
      ['?', 'all keys'],
    ],
  ],
];

export class PassPanel {
  readonly #root: HTMLElement;
  readonly #host: Host;
  readonly #list: PassList;
  #ui: UiState;
  #noRecording = false;
  #running = false;
  #result: PassesResult | null = null;
  #model: PassModel = passModel({ compiles: [], passes: [], compileSeconds: null, overhead: null, note: null });
  #problem: Problem | null = null;
  #loading = false;
  #preview: Preview = { state: 'loading' };
  #previewOf: string | null = null;
  readonly #texts = new Map<string, Promise<string>>();
  #keysShown = false;
  #announced = '';
  #work = 0;
  #queued = false;
  #restored = false;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#host = new Host((event) => this.#receive(event));
    this.#ui = { ...INITIAL, ...this.#host.restore<UiState>(STATE_VERSION) };
    this.#list = new PassList(() => this.#onScroll());
    window.addEventListener('keydown', (event) => this.#onKey(event));
    this.#renderNow();
    this.#host.send({ type: 'ready' });
  }

  // --- data ----------------------------------------------------------------------------------------------------------

  #receive(event: Exclude<ToPanel, { type: 'response' }>): void {
    if (event.type === 'show') void this.#show(event.target);
    else if (event.type === 'changed' && event.recording === this.#ui.recording) {
      this.#running = event.running;
      void this.#load();
    }
  }

  async #show(target: Target | null): Promise<void> {
    this.#noRecording = target === null;
    if (target === null) {
      this.#result = null;
      this.#set({ recording: null, target: null });
      return;
    }
    if (target.recording !== this.#ui.recording) {
      const { hideUnchanged, dismissed } = this.#ui;
      this.#ui = { ...INITIAL, hideUnchanged, dismissed, recording: target.recording };
      this.#result = null;
      this.#texts.clear();
    }
    if (target.compileId !== null && target.compileId !== this.#ui.compileId) {
      this.#ui = { ...this.#ui, compileId: target.compileId, pass: null, phase: null };
    }
    this.#ui = { ...this.#ui, target };
    await this.#load();
    const wanted =
      this.#model.passes.find((pass) => pass.order === target.pass) ??
      (target.snapshot === null
        ? undefined
        : this.#model.passes.find((pass) => pass.after === target.snapshot && pass.changed));
    if (wanted) this.#select(wanted, true);
  }

  async #load(): Promise<void> {
    const { recording } = this.#ui;
    if (recording === null) return;
    const token = ++this.#work;
    const timer = setTimeout(() => {
      if (token === this.#work) this.#loading = true;
      this.#render();
    }, LOADING_AFTER_MS);
    try {
      let result = await this.#host.request('passes', { recording, compileId: this.#ui.compileId });
      const known = result.compiles.some(({ id }) => id === this.#ui.compileId);
      if (!known) {
        const compileId = longestCompile(result);
        if (this.#ui.compileId !== null || compileId !== null) {
          result = await this.#host.request('passes', { recording, compileId });
        }
        this.#ui = { ...this.#ui, compileId };
      }
      if (token !== this.#work) return;
      this.#result = result;
      this.#model = passModel(result);
      this.#problem = null;
    } catch (error) {
      this.#problem =
        error instanceof RequestFailed
          ? error.problem
          : { code: 'panel', title: 'The passes could not be shown', detail: String(error), actions: [] };
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.#loading = false;
    }
    this.#fallBack();
    this.#set({});
    this.#arrange();
    this.#showPreview();
    this.#renderNow();
    if (!this.#restored) {
      this.#restored = true;
      this.#list.scrollTo(this.#ui.scroll);
    }
  }

  /** A selection that is not there any more goes to the first pass that changed something. */
  #fallBack(): void {
    const { passes, phases } = this.#model;
    if (this.#ui.pass !== null && passes.some((pass) => pass.order === this.#ui.pass)) return;
    if (this.#ui.phase !== null && phases.some((phase) => phase.key === this.#ui.phase)) return;
    const first = passes.find((pass) => pass.changed && noDiffReason(pass) === null) ?? passes[0];
    this.#ui = { ...this.#ui, pass: first?.order ?? null, phase: null };
  }

  get #selected(): PassInfo | null {
    return this.#model.passes.find((pass) => pass.order === this.#ui.pass) ?? null;
  }

  #text(snapshot: string): Promise<string> {
    const recording = this.#ui.recording ?? '';
    let text = this.#texts.get(snapshot);
    if (!text) {
      text = this.#host.request('graphText', { recording, snapshot }).then((result) => result.text);
      if (this.#texts.size > 16) this.#texts.clear();
      this.#texts.set(snapshot, text);
      text.catch(() => this.#texts.delete(snapshot));
    }
    return text;
  }

  #showPreview(): void {
    const pass = this.#selected;
    const key = pass && noDiffReason(pass) === null ? `${pass.before}:${pass.after}` : null;
    if (key === this.#previewOf) return;
    this.#previewOf = key;
    this.#preview = { state: 'loading' };
    if (!pass || key === null || pass.before === null || pass.after === null) return;
    void Promise.all([this.#text(pass.before), this.#text(pass.after)])
      .then(([before, after]): Preview => {
        const diff = shortDiff(before, after);
        return diff
          ? { state: 'diff', diff }
          : { state: 'none', reason: 'Too much changed for a preview. The diff editor shows it.' };
      })
      .catch((error: unknown): Preview => {
        const reason = error instanceof RequestFailed ? error.problem.title : String(error);
        return { state: 'none', reason };
      })
      .then((preview) => {
        if (this.#previewOf !== key) return;
        this.#preview = preview;
        this.#render();
      });
  }

  // --- state ---------------------------------------------------------------------------------------------------------

  #set(change: Partial<UiState>): void {
    this.#ui = { ...this.#ui, ...change };
    const { recording, compileId, pass } = this.#ui;
    const target = recording === null ? null : { recording, compileId, snapshot: null, node: null, pass };
    this.#ui = { ...this.#ui, target };
    this.#host.save(this.#ui);
    this.#render();
  }

  #arrange(): void {
    const { text, hideUnchanged, closed, pass, dismissed } = this.#ui;
    this.#list.set(
      rowsOf(this.#model, {
        text,
        hideUnchanged,
        closed: new Set(closed),
        selected: pass,
        dismissed: new Set(dismissed),
      }),
    );
    this.#render();
  }

  #select(pass: PassInfo, reveal: boolean): void {
    const phase = this.#model.phases.find((p) => p.passes.includes(pass));
    const closed = this.#ui.closed.filter((key) => key !== phase?.key);
    this.#set({ pass: pass.order, phase: null, closed });
    this.#arrange();
    this.#showPreview();
    this.#announced = `${pass.name}, ${pass.changed ? 'changed the graph' : 'unchanged'}`;
    this.#renderNow();
    if (reveal) this.#list.reveal(this.#list.rows.findIndex((row) => row.type === 'pass' && row.pass === pass));
    const { recording, compileId } = this.#ui;
    if (recording === null) return;
    this.#host.send({
      type: 'select',
      selection: { recording, compileId, snapshot: pass.after, node: null, pass: pass.order, source: null },
    });
  }

  #selectRow(row: Row, reveal: boolean): void {
    if (row.type === 'pass' || row.type === 'callout') {
      this.#select(row.pass, reveal);
      return;
    }
    this.#set({ pass: null, phase: row.phase.key });
    this.#arrange();
    this.#showPreview();
    this.#renderNow();
    if (reveal) this.#list.reveal(this.#list.rows.findIndex((r) => r.type === 'phase' && r.phase === row.phase));
  }

  #toggle(phase: Phase, want?: boolean): void {
    const closed = new Set(this.#ui.closed);
    if (want ?? closed.has(phase.key)) closed.delete(phase.key);
    else closed.add(phase.key);
    this.#set({ closed: [...closed], pass: null, phase: phase.key });
    this.#arrange();
    this.#showPreview();
  }

  #onScroll(): void {
    this.#render();
    if (this.#restored && Math.abs(this.#ui.scroll - this.#list.scroll) > 4) this.#set({ scroll: this.#list.scroll });
  }

  // --- actions -------------------------------------------------------------------------------------------------------

  readonly #listEvents: ListEvents = {
    pick: (row) => this.#selectRow(row, false),
    open: (row) => row.type === 'pass' && this.#openDiff(row.pass),
    toggle: (phase) => this.#toggle(phase),
    source: (pass) => this.#openSource(pass),
    dismiss: (pass) => {
      this.#set({ dismissed: [...this.#ui.dismissed, pass.name] });
      this.#arrange();
    },
  };

  #openDiff(pass: PassInfo): void {
    const { recording } = this.#ui;
    if (recording === null) return;
    if (noDiffReason(pass) !== null || pass.before === null || pass.after === null) {
      this.#announced = noDiffReason(pass) ?? '';
      this.#render();
      return;
    }
    this.#host.send({
      type: 'openDiff',
      recording,
      before: pass.before,
      after: pass.after,
      title: `${pass.name} (before ↔ after)`,
    });
  }

  #showInGraph(pass: PassInfo): void {
    const { recording } = this.#ui;
    const snapshot = pass.after ?? pass.before;
    if (recording === null || snapshot === null) return;
    this.#host.send({
      type: 'showGraph',
      target: { recording, compileId: pass.compileId, snapshot, node: null, pass: pass.order },
    });
  }

  #openSource(pass: PassInfo): void {
    if (pass.file === null) return;
    const line = (pass.line ?? 1) - 1;
    this.#host.send({
      type: 'openSource',
      place: { file: pass.file, line, column: -1, endLine: line, endColumn: -1 },
      preserveFocus: false,
    });
  }

  #step(step: 1 | -1, wanted: (row: Row) => boolean): void {
    const rows = this.#list.rows;
    const at = rows.findIndex((row) => isChosen(row, this.#ui.pass, this.#ui.phase));
    for (let i = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step; i >= 0 && i < rows.length; i += step) {
      if (wanted(rows[i])) {
        this.#selectRow(rows[i], true);
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
    else if (inside && !this.#keysShown && this.#single(event)) event.preventDefault();
  }

  #single(event: KeyboardEvent): boolean {
    const isRow = (row: Row): boolean => row.type !== 'callout';
    const isChange = (row: Row): boolean => row.type === 'pass' && row.pass.changed;
    const pass = this.#selected;
    const phase = this.#model.phases.find((p) => (pass ? p.passes.includes(pass) : p.key === this.#ui.phase));
    const rows = this.#list.rows.filter(isRow);
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        this.#step(event.key === 'ArrowDown' ? 1 : -1, event.altKey ? isChange : isRow);
        return true;
      case 'ArrowLeft':
        if (phase && pass) this.#selectRow({ type: 'phase', phase, open: true }, true);
        else if (phase) this.#toggle(phase, false);
        return true;
      case 'ArrowRight':
        if (phase && !pass) this.#toggle(phase, true);
        return true;
      case 'Home':
      case 'End': {
        const row = event.key === 'Home' ? rows[0] : rows[rows.length - 1];
        if (row) this.#selectRow(row, true);
        return true;
      }
      case 'Enter':
        if (pass) this.#openDiff(pass);
        else if (phase) this.#toggle(phase);
        return true;
      case 'h':
      case 'H':
        this.#hideUnchanged();
        return true;
      case 'g':
      case 'G':
        if (pass) this.#showInGraph(pass);
        return true;
      case '/':
        document.getElementById('filter')?.focus();
        return true;
      default:
        return false;
    }
  }

  #hideUnchanged(): void {
    this.#set({ hideUnchanged: !this.#ui.hideUnchanged });
    this.#arrange();
  }

  #showKeys(): void {
    this.#keysShown = true;
    this.#renderNow();
    this.#root.querySelector<HTMLElement>('.overlay-box')?.focus();
  }

  #escape(): void {
    if (this.#keysShown) this.#keysShown = false;
    else if (this.#ui.text !== '') {
      this.#set({ text: '' });
      this.#arrange();
    }
    this.#render();
    document.querySelector<HTMLElement>('#list [role=tree]')?.focus();
  }

  readonly #go = (way: Way): void => {
    if (way.command !== undefined) this.#host.send({ type: 'command', command: way.command });
    else if (way.action !== undefined) this.#host.send({ type: 'action', action: way.action });
  };

  // --- rendering -----------------------------------------------------------------------------------------------------

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
    this.#list.attach(document.getElementById('list'));
    // The list knows its height only when it is in the page.
    if (this.#list.rows.length > 0 && !this.#root.querySelector('.row')) render(this.#template(), this.#root);
  }

  #kpis(): Kpi[] {
    const { passes, changed, seconds } = this.#model;
    const { compileSeconds, overhead } = this.#result ?? { compileSeconds: null, overhead: null };
    const kpis: Kpi[] = [
      {
        strong: count(passes.length),
        text: passes.length === 1 ? 'pass' : 'passes',
        note: `${count(changed)} changed the graph`,
      },
    ];
    const share =
      compileSeconds !== null && compileSeconds > 0
        ? `${percent(seconds / compileSeconds)} of the ${duration(compileSeconds)} compile`
        : 'in passes';
    kpis.push({ strong: duration(seconds), text: '', note: share });
    const spans = graphSpans(this.#model);
    const split = spans.filter(({ direction }) => /^(forward|backward)$/.test(direction));
    const main =
      spans.find(({ direction }) => direction === 'joint') ?? spans.find((span) => !split.includes(span)) ?? spans[0];
    const delta = (value: number | null): string => (value === null ? '' : `, Δ ${signed(value)}`);
    if (main)
      kpis.push({
        strong: main.before === main.after ? count(main.after) : `${count(main.before)} → ${count(main.after)}`,
        text: 'nodes',
        note: `${main.direction} graph${delta(main.delta)}`,
      });
    if (split.length > 1 && main && !split.includes(main)) {
      const total = split.every((span) => span.delta !== null)
        ? split.reduce((sum, span) => sum + (span.delta ?? 0), 0)
        : null;
      kpis.push({
        strong: split.map((span) => count(span.after)).join(' + '),
        text: 'nodes',
        note: `after the split${delta(total)}`,
      });
    }
    if (overhead !== null) kpis.push({ strong: `η ${percent(overhead)}`, text: '', note: 'tracing overhead' });
    return kpis;
  }

  #page(): TemplateResult | null {
    if (this.#noRecording) return messagePage(NOTHING_RECORDED, this.#go);
    if (this.#problem) return problemPage(this.#problem, this.#go);
    if (!this.#result) return html`<div class="page" role="status"><p>Loading the recording…</p></div>`;
    if (this.#model.passes.length > 0) return null;
    if (this.#running)
      return messagePage({ icon: 'sync', title: 'No pass yet', detail: 'Passes appear as they run.' }, this.#go);
    const note = this.#result.note;
    const cached = note !== null && /cache/i.test(note);
    const shallow = note !== null && /capture/i.test(note);
    return messagePage(
      {
        icon: 'layers',
        title: cached ? 'This graph came from the cache, so no passes ran' : 'No passes were recorded',
        detail: note ?? 'Nothing in this run reached the passes of the compiler.',
        ways: [
          cached
            ? { label: 'Trace without caches', action: 'traceWithoutCaches' }
            : { label: shallow ? 'Trace at full depth' : 'Compile and trace', action: shallow ? 'traceFull' : 'trace' },
          { label: 'Show output', action: 'showOutput' },
        ],
      },
      this.#go,
    );
  }

  #summary(): TemplateResult {
    return html`<header class="bar summary">
      ${compilePicker(this.#result?.compiles ?? [], this.#ui.compileId, (compileId) => {
        this.#set({ compileId, pass: null, phase: null, closed: [], scroll: 0 });
        void this.#load();
      })}
      ${
        this.#model.passes.length === 0
          ? nothing
          : this.#kpis().map(
              ({ strong, text, note }) =>
                html`<div class="kpi">
                  <div><b class="num">${strong}</b> ${text}</div>
                  <div class="note">${note}</div>
                </div>`,
            )
      }
    </header>`;
  }

  #left(): TemplateResult {
    const shown = this.#list.rows.filter((row) => row.type === 'pass').length;
    const total = this.#model.passes.length;
    const filtering = this.#ui.text.trim() !== '';
    return html`<section class="left" aria-label="Passes">
      <div class="bar tools">
        <label class="field filter">
          ${icon('filter')}
          <input
            id="filter"
            type="text"
            placeholder="Filter passes"
            aria-label="Filter passes"
            spellcheck="false"
            .value=${this.#ui.text}
            @input=${(event: Event) => {
              this.#set({ text: (event.target as HTMLInputElement).value });
              this.#arrange();
            }}
          />
        </label>
        <button
          class="tb"
          aria-pressed=${this.#ui.hideUnchanged}
          title="Hide passes that changed nothing (H)"
          @click=${() => this.#hideUnchanged()}
        >
          ${icon(this.#ui.hideUnchanged ? 'eye-closed' : 'eye')}Hide unchanged
        </button>
        <span class="grow"></span>
        <span class="dim num"
          >${filtering || this.#ui.hideUnchanged ? `${shown} of ${many(total, 'pass').replace(/ss$/, 'sses')}` : ''}</span
        >
      </div>
      <div class="head" aria-hidden="true">
        <span></span><span>Pass, in order</span><span class="time"><span class="track">Time</span><span></span></span
        ><span class="nodes">Nodes</span><span class="delta">Δ</span>
      </div>
      ${
        this.#list.rows.length === 0
          ? html`<div class="page" role="status">
              <h2>No pass matches</h2>
              <div class="page-ways">
                <vscode-button
                  @click=${() => {
                    this.#set({ text: '', hideUnchanged: false });
                    this.#arrange();
                  }}
                  >Clear filters</vscode-button
                >
              </div>
            </div>`
          : this.#list.render(this.#model, this.#ui.pass, this.#ui.phase, this.#listEvents)
      }
    </section>`;
  }

  #right(): TemplateResult {
    const pass = this.#selected;
    const phase = this.#model.phases.find((p) => (pass ? p.passes.includes(pass) : p.key === this.#ui.phase));
    const act = {
      diff: (p: PassInfo) => this.#openDiff(p),
      graph: (p: PassInfo) => this.#showInGraph(p),
      source: (p: PassInfo) => this.#openSource(p),
    };
    const content =
      pass && phase
        ? passDetails(pass, phase, this.#model, this.#preview, act)
        : phase
          ? phaseDetails(phase, this.#model)
          : noPassSelected();
    return html`<section class="right" aria-label="Selected pass">${content}</section>`;
  }

  #template(): TemplateResult {
    const page = this.#page();
    const note = this.#running ? 'Recording…' : (this.#result?.note ?? '');
    const keys: [string, string][] = [
      ['↑ ↓', 'pass'],
      ['Alt ↓', 'next changed'],
      ['H', 'hide unchanged'],
      ['/', 'filter'],
      ['Enter', 'diff editor'],
      ['G', 'graph'],
    ];
    return html`${this.#result && !this.#noRecording ? this.#summary() : nothing}
      ${this.#loading ? html`<div class="progress" role="progressbar" aria-label="Loading"></div>` : nothing}
      <main>
        <h1 class="hidden-text">Passes</h1>
        ${page ?? html`${this.#left()}${this.#right()}`}
      </main>
      ${
        page === null
          ? html`<footer class="bar foot">
              <span class="clip">${note}</span><span class="grow"></span>
              <span class="keys">${keys.map(([key, what]) => html`<span>${keyCaps(key)} ${what}</span>`)}</span>
              <button @click=${() => this.#showKeys()}><kbd>?</kbd> all keys</button>
            </footer>`
          : nothing
      }
      <div class="hidden-text" role="status" aria-live="polite">${this.#announced}</div>
      ${this.#keysShown ? keysOverlay(KEY_TABLE, () => this.#escape()) : nothing}`;
  }
}

/** The compile whose passes took longest. */
function longestCompile(result: PassesResult): string | null {
  const seconds = new Map<string, number>();
  for (const pass of result.passes) {
    if (pass.depth === 0) seconds.set(pass.compileId, (seconds.get(pass.compileId) ?? 0) + pass.seconds);
  }
  const best = [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0];
  return result.compiles.some(({ id }) => id === best) ? best! : (result.compiles[0]?.id ?? null);
}
