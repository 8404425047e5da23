/** The state of the code panel and what changes it: the code, the three columns, the selection. */
import * as l10n from '@vscode/l10n';
import type {
  CodeKernelInfo,
  CodeResult,
  KernelStageInfo,
  Problem,
  SourcePlace,
  Target,
} from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { type Host, problemOf } from '../shared/host';
import type { Rendering } from '../shared/rendering';
import { kernelsOfNodes, type Place, placeOf } from './anchor';
import type { Column } from './column';
import { Columns, type Wanted } from './columns';
import { changeOf, Elsewhere } from './elsewhere';
import { letter } from './groups';
import { covers, groupOf, kernelsWith, mainFile, nodeOf } from './queries';
import type { FoldRow, Row } from './rows';
import type { ColumnName } from './scrolling';
import { ShownCode } from './shown';
import { type StageAsk, StageTexts } from './stage-texts';
import { INITIAL, STATE_VERSION, type Tab, type UiState } from './state';
import { counterpart, firstTab, isStage, stageOf, whyNot } from './tabs';

const LOADING_AFTER_MS = 300;

export type { ColumnName };

export class CodeSession extends ShownCode {
  noRecording = false;
  running = false;
  problem: Problem | null = null;
  loading = false;
  /** Where the editor's cursor is, line from 0. */
  cursor: { file: string; line: number } | null = null;
  /** What a screen reader is told. */
  announced = '';
  /** What following the cursor has changed, until something else is selected. */
  moved = '';
  /** The column that the user scrolls. */
  leading: ColumnName | null = null;
  readonly columns: Columns;
  readonly #host: Host;
  readonly #render: Rendering;
  readonly #stages: StageTexts;
  readonly #elsewhere: Elsewhere;
  #work = 0;
  #told: string | null = null;
  #ofNodes: ReadonlyMap<number, readonly number[]> = new Map();
  /** What to bring into view when the columns are next drawn. */
  #pending: Wanted | null = null;

  constructor(host: Host, rendering: Rendering) {
    super({ ...INITIAL, ...host.restore<UiState>(STATE_VERSION) });
    this.#host = host;
    this.#render = rendering;
    this.#stages = new StageTexts(host);
    this.#elsewhere = new Elsewhere(host);
    this.columns = new Columns(() => rendering.soon());
  }

  // --- what is shown -------------------------------------------------------------------------------------------------

  async show(target: Target | null): Promise<void> {
    this.noRecording = target === null;
    if (target === null) {
      this.result = null;
      this.set({ recording: null });
      return;
    }
    const elsewhere = target.recording !== this.ui.recording;
    const other = target.compileId !== null && target.compileId !== this.ui.compileId;
    if (elsewhere || other) {
      const { wrap, follow, graphShown, sourceWidth, graphWidth } = this.ui;
      const { recording, compileId } = target;
      this.ui = { ...INITIAL, wrap, follow, graphShown, sourceWidth, graphWidth, recording, compileId };
    }
    const isNew = elsewhere || other || this.result === null;
    if (isNew || target.source !== null) await this.load(isNew ? target.source : null);
    if (target.source !== null && !this.goTo(target.source)) {
      this.ui = { ...this.ui, compileId: target.compileId, graph: null };
      await this.load(target.source);
      this.goTo(target.source);
    }
    if (!this.#choose(target) && target.node !== null) await this.#inOtherGraph(target);
  }

  /** Looks for a node in the other graphs of the compile. */
  async #inOtherGraph(target: Target): Promise<void> {
    const { compileId, graph: before } = this.ui;
    for (const graph of this.result?.graphs ?? []) {
      if (graph === before) continue;
      await this.chooseGraph(compileId, graph);
      if (this.#choose(target)) return;
    }
    if (this.ui.graph !== before) await this.chooseGraph(compileId, before);
  }

  /** Goes where another panel is, as far as it says so. */
  async follow(selection: Target): Promise<void> {
    if (selection.recording !== this.ui.recording) return;
    if (selection.compileId !== null && selection.compileId !== this.ui.compileId) await this.show(selection);
    else if (!this.#choose(selection) && selection.source !== null) this.goTo(selection.source);
  }

  #choose({ node, kernel }: Target): boolean {
    const at = this.result?.nodes.findIndex((one) => one.name === node) ?? -1;
    const known = this.kernels.findIndex((one) => one.name === kernel);
    if (at >= 0)
      this.#select(
        { group: this.result?.nodes[at].expressions[0] ?? -1, kernels: this.#kernelsOf(at), node: at },
        null,
        true,
      );
    else if (known >= 0) this.chooseKernel(known);
    return at >= 0 || known >= 0;
  }

  async load(at: SourcePlace | null = null): Promise<void> {
    const { recording } = this.ui;
    if (recording === null) return;
    this.#elsewhere.forget();
    const token = ++this.#work;
    const timer = setTimeout(() => {
      if (token === this.#work) this.loading = true;
      this.#render.soon();
    }, LOADING_AFTER_MS);
    try {
      const ask = { recording, compileId: this.ui.compileId, graph: this.ui.graph };
      let result = await this.#host.request('code', { ...ask, file: at?.file ?? null, line: at?.line ?? null });
      if (
        result.texts.length === 0 &&
        this.ui.compileId !== null &&
        !result.compiles.some(({ id }) => id === this.ui.compileId)
      ) {
        result = await this.#host.request('code', { ...ask, compileId: null, graph: null, file: null, line: null });
      }
      if (token !== this.#work) return;
      this.#take(result);
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error, l10n.t('The code could not be shown'));
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.loading = false;
    }
    this.#tell();
    this.#render.now();
  }

  #take(result: CodeResult): void {
    const graph = result.graph ?? null;
    const moved = graph !== this.ui.graph;
    this.result = result;
    const tab = this.ui.tab !== null && !moved ? this.ui.tab : firstTab(result);
    const kernel = moved ? null : this.ui.kernel;
    this.ui = { ...this.ui, compileId: result.compileId ?? this.ui.compileId, graph, tab, kernel };
    if (moved) this.ui = { ...this.ui, group: null, node: null, toggled: [] };
    const { kernels } = this;
    if (this.ui.kernel === null || this.ui.kernel >= kernels.length) {
      const first = kernels.findIndex((one) => one.start !== null && one.expressions.length > 0);
      this.ui = { ...this.ui, kernel: first >= 0 ? first : kernels.length > 0 ? 0 : null };
    }
    if (whyNot(result, this.tab, this.kernel) !== null) this.ui = { ...this.ui, tab: firstTab(result) };
    if (!result.files.some(({ path }) => path === this.ui.file)) this.ui = { ...this.ui, file: mainFile(result) };
    this.#ofNodes = kernelsOfNodes(kernels);
    this.columns.forget();
    this.set({});
    const group = this.ui.group ?? this.kernel?.main ?? -1;
    const place = { group, kernels: this.ui.kernel === null ? [] : [this.ui.kernel], node: this.ui.node };
    this.#pending = { place, y: null, except: null };
    if (isStage(this.tab)) void this.#loadStages();
  }

  get stage(): KernelStageInfo | null {
    const wanted = stageOf(this.tab, this.kernel);
    return this.#stages.of(this.#stageAsk).find(({ stage }) => stage === wanted) ?? null;
  }

  get #stageAsk(): StageAsk | null {
    const { recording, compileId, graph } = this.ui;
    const { kernel, text } = this;
    if (recording === null || kernel === null) return null;
    return { recording, compileId, graph, kernel: kernel.name, preview: text?.preview ?? false };
  }

  async #loadStages(): Promise<void> {
    const { kernel } = this;
    const ask = this.#stageAsk;
    if (ask === null || kernel === null || !(await this.#stages.load(ask))) return;
    this.columns.forget();
    this.#bring({ group: this.ui.group ?? kernel.main, kernels: [], node: null }, null, null);
    this.#render.soon();
  }

  // --- rows ----------------------------------------------------------------------------------------------------------

  /** Puts the rows in the columns, if something that they depend on has changed. Sizes in characters. */
  arrange(room: { source: number; code: number }): void {
    const { result, ui, tab, file, text, kernels, stage } = this;
    if (result !== null) this.columns.arrange({ result, ui, tab, file, text, kernels, stage }, room);
  }

  column(name: ColumnName): Column {
    return this.columns[name];
  }

  // --- selection -----------------------------------------------------------------------------------------------------

  set(change: Partial<UiState>): void {
    this.ui = { ...this.ui, ...change };
    const { recording, compileId } = this.ui;
    const target = recording === null ? null : { ...nowhere(recording), compileId };
    this.ui = { ...this.ui, target };
    this.#host.save(this.ui);
    this.#render.soon();
  }

  #kernelsOf(node: number): readonly number[] {
    return this.#ofNodes.get(node) ?? [];
  }

  /** Selects what a row is about, and brings it into view in the other columns at the same height. */
  selectRow(name: ColumnName, at: number, group?: number): void {
    const column = this.column(name);
    const row = column.rows[at] as Row | undefined;
    if (row === undefined) return;
    const place = placeOf(row, this.#ofNodes, group);
    const y = column.top(at) - column.offset;
    this.#select(place, { y, except: name }, false);
  }

  #select(place: Place, from: { y: number; except: ColumnName } | null, quiet: boolean): void {
    const { kernels } = this;
    const known = place.kernels.length > 0 ? place.kernels : kernelsWith(kernels, place.group);
    const kernel =
      this.ui.kernel !== null && known.includes(this.ui.kernel) ? this.ui.kernel : (known.at(0) ?? this.ui.kernel);
    const node = place.node ?? nodeOf(this.result, kernels[kernel ?? -1], place.group);
    const one = this.result?.expressions[place.group];
    const file = one === undefined ? this.ui.file : (this.result?.files[one.file]?.path ?? this.ui.file);
    this.moved = '';
    this.set({ group: place.group < 0 ? null : place.group, kernel, node, file });
    if (isStage(this.tab)) {
      if (this.result && whyNot(this.result, this.tab, this.kernel) !== null) this.set({ tab: 'triton' });
      else void this.#loadStages();
    }
    const wanted = { ...place, kernels: kernel === null ? [] : [kernel], node };
    this.#bring(wanted, from?.y ?? null, from?.except ?? null);
    this.announced = one === undefined ? (kernels[kernel ?? -1]?.name ?? '') : `${letter(place.group)}: ${one.text}`;
    if (!quiet) this.#post();
  }

  #bring(place: Place, y: number | null, except: ColumnName | null): void {
    this.#pending = { place, y, except };
    this.#render.soon();
  }

  /** Call after the columns are in the page: scrolls to what was selected. True when something moved. */
  settle(): boolean {
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return false;
    this.columns.bring(pending, this.#ofNodes, this.ui.kernel);
    return true;
  }

  /** Selects what is at a place of the source. False where this graph has nothing of it. */
  goTo(place: SourcePlace): boolean {
    const group = this.result === null ? undefined : groupOf(this.result, this.kernels, place);
    if (group === undefined) return false;
    this.#select({ group, kernels: [], node: null }, null, true);
    return true;
  }

  /** The editor's cursor has moved. */
  onCursor(at: { file: string; line: number } | null): void {
    this.cursor = at;
    this.#elsewhere.give();
    if (at !== null && this.ui.follow && !covers(this.place, at)) {
      const place = { ...at, column: -1, endLine: at.line, endColumn: -1 };
      if (!this.goTo(place)) void this.#goElsewhere(place);
    }
    this.#render.soon();
  }

  /** Shows another graph of the run, if one has something of a place that this one has nothing of. */
  async #goElsewhere(place: SourcePlace): Promise<void> {
    const { recording, compileId, graph } = this.ui;
    if (recording === null || this.result === null) return;
    const before = { recording, compileId, graph };
    const work = this.#work;
    const found = await this.#elsewhere.look(before, place, this.result.graphs.length);
    if (found === null || work !== this.#work || !this.ui.follow) return;
    this.ui = { ...this.ui, group: null };
    this.#take(found);
    this.goTo(place);
    this.moved = changeOf(before, { ...this.ui, recording }, place.line);
    this.announced = this.moved;
    this.#tell();
    this.#render.soon();
  }

  hover(group: number | null): void {
    if (group === this.hovered) return;
    this.hovered = group;
    this.#render.soon();
  }

  chooseGroup(group: number): void {
    const kernels = this.ui.kernel === null ? [] : [this.ui.kernel];
    this.#select({ group, kernels, node: null }, null, false);
  }

  chooseKernel(at: number): void {
    const one = this.kernels[at] as CodeKernelInfo | undefined;
    if (one === undefined) return;
    this.#select({ group: one.main, kernels: [at], node: null }, null, false);
  }

  chooseTab(tab: Tab): void {
    if (this.result === null || whyNot(this.result, tab, this.kernel) !== null) return;
    const before = this.text;
    const old = this.kernel;
    this.ui = { ...this.ui, tab };
    if (this.text !== before) {
      const kernel = old === null ? null : counterpart(old, this.kernels);
      this.ui = { ...this.ui, kernel: kernel ?? (this.kernels.length > 0 ? 0 : null) };
      this.#ofNodes = kernelsOfNodes(this.kernels);
    }
    if (isStage(tab)) void this.#loadStages();
    this.set({});
    const group = this.ui.group ?? this.kernel?.main ?? -1;
    this.#bring(
      { group, kernels: this.ui.kernel === null ? [] : [this.ui.kernel], node: this.ui.node },
      null,
      'source',
    );
  }

  toggle(row: FoldRow): void {
    const toggled = this.ui.toggled.filter((key) => key !== row.key);
    if (toggled.length === this.ui.toggled.length) toggled.push(row.key);
    this.columns.pinned = row.key;
    this.set({ toggled });
  }

  async chooseGraph(compileId: string | null, graph: string | null): Promise<void> {
    this.ui = { ...this.ui, compileId, graph };
    if (graph !== null) this.ui = { ...this.ui, kernel: null, node: null };
    const group = this.ui.group;
    this.columns.forget();
    await this.load();
    if (graph !== null && group !== null) this.#select({ group, kernels: [], node: null }, null, true);
  }

  /** The next or previous group in a column. */
  step(name: ColumnName, by: 1 | -1): void {
    const { group, kernel } = this.ui;
    const place = group === null ? null : { group, kernels: kernel === null ? [] : [kernel], node: this.ui.node };
    const next = this.columns.next(name, by, place, this.#ofNodes);
    if (next === null) return;
    this.selectRow(name, next.at, next.group);
    this.column(name).reveal(next.at);
  }

  #post(): void {
    const { selection } = this;
    if (selection) this.#host.send({ type: 'select', selection });
  }

  /** Tells the host which compile is shown. */
  #tell(): void {
    const { recording, compileId } = this.ui;
    if (recording === null || compileId === null || compileId === this.#told) return;
    this.#told = compileId;
    this.#host.send({ type: 'select', selection: { ...nowhere(recording), compileId } });
  }

  // --- scrolling together --------------------------------------------------------------------------------------------

  /** Scrolls the other columns so that what is in the middle of one stands at the same height in them. */
  scrolled(name: ColumnName): void {
    if (name === this.leading) this.columns.together(name, this.#ofNodes, this.ui.kernel);
  }

  // --- find ----------------------------------------------------------------------------------------------------------

  /** Goes to the next row of the code (else of another column) that has some words. */
  find(words: string, by: 1 | -1, name: ColumnName): boolean {
    const at = this.columns.find(words, by, name);
    if (at < 0) return false;
    this.found = { column: name, at };
    this.#render.soon();
    return true;
  }

  found: { column: ColumnName; at: number } | null = null;
}
