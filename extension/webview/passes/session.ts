/** The state of the pass panel and what changes it: the passes, the selection, the preview. */
import * as l10n from '@vscode/l10n';
import type { PassesResult, PassInfo, Problem, Target } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { stepName } from '../../src/shared/steps';
import type { Camera } from '../shared/flame/camera';
import { type Host, RequestFailed, problemOf } from '../shared/host';
import type { Rendering } from '../shared/rendering';
import { compileName } from '../shared/view';
import { noDiffReason, type Preview } from './details';
import { shortDiff } from './diff';
import { PassList } from './list';
import { type PassModel, passModel, type Phase, type Row, rowsOf } from './model';
import { isPass, isUnrun, isUnseen } from './steps';
import { Strip } from './strip';
import { INITIAL, STATE_VERSION, type UiState } from './state';

const LOADING_AFTER_MS = 200;
const KEPT_TEXTS = 16;
const EMPTY: PassesResult = {
  compiles: [],
  passes: [],
  compileSeconds: null,
  overhead: null,
  note: null,
  cause: null,
  unrun: [],
};

const outcome = (pass: PassInfo): string => {
  if (isUnrun(pass)) return l10n.t('never ran: {0}', pass.message ?? '');
  if (pass.error !== null) return pass.changed ? l10n.t('failed, changed the graph') : l10n.t('failed, unchanged');
  if (isUnseen(pass)) return l10n.t('changes not recorded');
  return pass.changed ? l10n.t('changed the graph') : l10n.t('unchanged');
};

export class PassSession {
  readonly list: PassList;
  readonly strip: Strip;
  ui: UiState;
  noRecording = false;
  running = false;
  result: PassesResult | null = null;
  model: PassModel = passModel(EMPTY);
  problem: Problem | null = null;
  loading = false;
  preview: Preview = { state: 'loading' };
  /** What a screen reader is told. */
  announced = '';
  readonly #host: Host;
  readonly #render: Rendering;
  readonly #texts = new Map<string, Promise<string>>();
  #previewOf: string | null = null;
  #work = 0;
  /** The compile that the host knows of. */
  #told: string | null = null;
  #restored = false;

  constructor(host: Host, rendering: Rendering) {
    this.#host = host;
    this.#render = rendering;
    this.list = new PassList(() => this.#onScroll());
    this.ui = { ...INITIAL, ...host.restore<UiState>(STATE_VERSION) };
    this.strip = new Strip(host, {
      pick: (order) => this.#pick(order),
      moved: (camera) => this.#keepCamera(camera),
      changed: () => rendering.soon(),
    });
  }

  async show(target: Target | null): Promise<void> {
    this.noRecording = target === null;
    if (target === null) {
      this.result = null;
      this.set({ recording: null, target: null });
      return;
    }
    if (target.recording !== this.ui.recording) {
      const { hideUnchanged, dismissed, listWidth, stripHeight } = this.ui;
      this.ui = { ...INITIAL, hideUnchanged, dismissed, listWidth, stripHeight, recording: target.recording };
      this.result = null;
      this.#texts.clear();
    }
    if (target.compileId !== null && target.compileId !== this.ui.compileId) {
      this.ui = { ...this.ui, compileId: target.compileId, pass: null, phase: null, camera: null };
    }
    this.ui = { ...this.ui, target };
    await this.load();
    const wanted =
      this.model.steps.find((pass) => pass.order === target.pass) ??
      (target.snapshot === null
        ? undefined
        : this.model.steps.find((pass) => pass.after === target.snapshot && pass.changed));
    if (wanted) this.select(wanted, true);
  }

  /** Goes where another panel is, as far as it says so. */
  async follow(selection: Target): Promise<void> {
    if (selection.recording !== this.ui.recording) return;
    const elsewhere = selection.compileId !== null && selection.compileId !== this.ui.compileId;
    if (elsewhere || selection.pass !== null) await this.show(selection);
  }

  /** There may be more of the recording. */
  async reload(): Promise<void> {
    this.strip.forget();
    await this.load();
  }

  async load(): Promise<void> {
    const { recording } = this.ui;
    if (recording === null) return;
    const token = ++this.#work;
    const timer = setTimeout(() => {
      if (token === this.#work) this.loading = true;
      this.#render.soon();
    }, LOADING_AFTER_MS);
    try {
      let result = await this.#host.request('passes', { recording, compileId: this.ui.compileId });
      const known = result.compiles.some(({ id }) => id === this.ui.compileId);
      if (!known) {
        if (this.ui.compileId !== null) result = await this.#host.request('passes', { recording, compileId: null });
        const compileId =
          (result.passes.find(isPass) ?? result.passes.at(0))?.compileId ?? result.compiles.at(0)?.id ?? null;
        if (compileId !== null) result = await this.#host.request('passes', { recording, compileId });
        this.ui = { ...this.ui, compileId };
      }
      if (token !== this.#work) return;
      this.result = result;
      this.model = passModel(result);
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error, l10n.t('The passes could not be shown'));
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.loading = false;
    }
    this.#fallBack();
    this.set({});
    this.#tell();
    this.arrange();
    this.#showSelected();
    if (this.ui.compileId !== null && !this.model.steps.every(isUnrun))
      void this.strip.show(recording, this.ui.compileId, this.ui.camera);
    this.#render.now();
    if (!this.#restored) {
      this.#restored = true;
      this.list.scrollTo(this.ui.scroll);
    }
  }

  /** Tells the host which compile is shown. */
  #tell(): void {
    const { recording, compileId } = this.ui;
    if (recording === null || compileId === null || compileId === this.#told) return;
    this.#told = compileId;
    const selection = { ...nowhere(recording), compileId };
    this.#host.send({ type: 'select', selection });
  }

  /** Name of the function that the shown compile is of. */
  get functionName(): string {
    const compile = this.result?.compiles.find(({ id }) => id === this.ui.compileId);
    return compile === undefined ? '' : compileName(compile);
  }

  /** A selection that is not there any more goes to the first pass that changed something. */
  #fallBack(): void {
    const { steps, phases } = this.model;
    if (this.ui.pass !== null && steps.some((pass) => pass.order === this.ui.pass)) return;
    if (this.ui.phase !== null && phases.some((phase) => phase.key === this.ui.phase)) return;
    const changed = steps.filter((pass) => pass.changed && noDiffReason(pass) === null);
    const first = changed.find(isPass) ?? changed.at(0) ?? steps.at(0);
    this.ui = { ...this.ui, pass: first?.order ?? null, phase: null };
  }

  get selected(): PassInfo | null {
    return this.model.steps.find((pass) => pass.order === this.ui.pass) ?? null;
  }

  #text(snapshot: string): Promise<string> {
    const recording = this.ui.recording ?? '';
    let text = this.#texts.get(snapshot);
    if (!text) {
      text = this.#host.request('graphText', { recording, snapshot }).then((result) => result.text);
      if (this.#texts.size > KEPT_TEXTS) this.#texts.clear();
      this.#texts.set(snapshot, text);
      text.catch(() => this.#texts.delete(snapshot));
    }
    return text;
  }

  #showSelected(): void {
    const phase = this.model.phases.find(({ key }) => this.ui.pass === null && key === this.ui.phase);
    this.strip.choose(this.ui.pass, new Set(phase?.passes.map(({ order }) => order)));
    this.#showPreview();
  }

  #showPreview(): void {
    const pass = this.selected;
    const key = pass && noDiffReason(pass) === null ? `${pass.before}:${pass.after}` : null;
    if (key === this.#previewOf) return;
    this.#previewOf = key;
    this.preview = { state: 'loading' };
    if (!pass || key === null || pass.before === null || pass.after === null) return;
    void Promise.all([this.#text(pass.before), this.#text(pass.after)])
      .then(([before, after]): Preview => {
        const diff = shortDiff(before, after);
        return diff
          ? { state: 'diff', diff }
          : { state: 'none', reason: l10n.t('Too much changed for a preview. The diff editor shows it.') };
      })
      .catch((error: unknown): Preview => {
        const reason = error instanceof RequestFailed ? error.problem.title : String(error);
        return { state: 'none', reason };
      })
      .then((preview) => {
        if (this.#previewOf !== key) return;
        this.preview = preview;
        this.#render.soon();
      });
  }

  // --- state ---------------------------------------------------------------------------------------------------------

  set(change: Partial<UiState>): void {
    this.ui = { ...this.ui, ...change };
    const { recording, compileId, pass } = this.ui;
    const target = recording === null ? null : { ...nowhere(recording), compileId, pass };
    this.ui = { ...this.ui, target };
    this.#host.save(this.ui);
    this.#render.soon();
  }

  arrange(): void {
    const { text, hideUnchanged, closed, pass, dismissed } = this.ui;
    this.list.set(
      rowsOf(this.model, {
        text,
        hideUnchanged,
        closed: new Set(closed),
        selected: pass,
        dismissed: new Set(dismissed),
      }),
    );
    this.#render.soon();
  }

  select(pass: PassInfo, reveal: boolean): void {
    const phase = this.model.phases.find((p) => p.passes.includes(pass));
    const closed = this.ui.closed.filter((key) => key !== phase?.key);
    this.set({ pass: pass.order, phase: null, closed });
    this.arrange();
    this.#showSelected();
    this.announced = `${stepName(pass)}, ${outcome(pass)}`;
    this.#render.now();
    if (reveal) this.list.reveal(this.list.rows.findIndex((row) => row.type === 'pass' && row.pass === pass));
    const { recording, compileId } = this.ui;
    if (recording === null) return;
    this.#host.send({
      type: 'select',
      selection: { ...nowhere(recording), compileId, snapshot: pass.after, pass: pass.order },
    });
  }

  selectRow(row: Row, reveal: boolean): void {
    if (row.type === 'pass' || row.type === 'callout') {
      this.select(row.pass, reveal);
      return;
    }
    this.set({ pass: null, phase: row.phase.key });
    this.arrange();
    this.#showSelected();
    this.#render.now();
    if (reveal) this.list.reveal(this.list.rows.findIndex((r) => r.type === 'phase' && r.phase === row.phase));
  }

  toggle(phase: Phase, want?: boolean): void {
    const closed = new Set(this.ui.closed);
    if (want ?? closed.has(phase.key)) closed.delete(phase.key);
    else closed.add(phase.key);
    this.set({ closed: [...closed], pass: null, phase: phase.key });
    this.arrange();
    this.#showSelected();
  }

  /** The block of a step was picked in the timeline. */
  #pick(order: number): void {
    const pass = this.model.steps.find((step) => step.order === order);
    if (pass !== undefined && order !== this.ui.pass) this.select(pass, true);
  }

  #keepCamera(camera: Camera | null): void {
    if (camera?.from === this.ui.camera?.from && camera?.to === this.ui.camera?.to) return;
    this.ui = { ...this.ui, camera };
    this.#host.save(this.ui);
  }

  #onScroll(): void {
    this.#render.soon();
    if (this.#restored && Math.abs(this.ui.scroll - this.list.scroll) > 4) this.set({ scroll: this.list.scroll });
  }
}
