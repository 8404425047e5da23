/** The state of the code panel and what changes it: the code, the three columns, the selection. */
import * as l10n from '@vscode/l10n';
import type {
  CodeKernelInfo,
  CodeResult,
  CodeTextInfo,
  ExpressionInfo,
  KernelStageInfo,
  Problem,
  SourcePlace,
  Target,
} from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { type Host, RequestFailed } from '../shared/host';
import { groupsOf, kernelsOfNodes, locate, type Place, placeOf } from './anchor';
import { Column } from './column';
import { groupAt, letter } from './groups';
import {
  type CodeRow,
  codeRows,
  type FoldRow,
  type NodeRow,
  nodeRows,
  type Row,
  sourceRows,
  type SourceRow,
  stageRows,
} from './rows';
import { type ColumnName, find, keepPlace, scrollTogether } from './scrolling';
import { INITIAL, STATE_VERSION, type Tab, type UiState } from './state';
import { counterpart, firstTab, isStage, stageOf, textOf, whyNot } from './tabs';

const LOADING_AFTER_MS = 300;

export interface Rendering {
  soon(): void;
  now(): void;
}

export type { ColumnName };

export class CodeSession {
  ui: UiState;
  noRecording = false;
  running = false;
  result: CodeResult | null = null;
  problem: Problem | null = null;
  loading = false;
  /** Group under the mouse. */
  hovered: number | null = null;
  /** Where the editor's cursor is, line from 0. */
  cursor: { file: string; line: number } | null = null;
  /** What a screen reader is told. */
  announced = '';
  /** The column that the user scrolls. */
  leading: ColumnName | null = null;
  readonly source: Column<SourceRow>;
  readonly graph: Column<NodeRow | FoldRow>;
  readonly code: Column<CodeRow | FoldRow>;
  readonly #host: Host;
  readonly #render: Rendering;
  #work = 0;
  #told: string | null = null;
  #stages = new Map<string, KernelStageInfo[]>();
  #ofNodes: ReadonlyMap<number, readonly number[]> = new Map();
  #arranged = '';
  /** The fold that was just opened or closed: it stays where it is. */
  #pinned: string | null = null;
  /** A group to bring into view in the columns when they are next drawn. */
  #pending: { place: Place; y: number | null; except: ColumnName | null } | null = null;

  constructor(host: Host, rendering: Rendering) {
    this.#host = host;
    this.#render = rendering;
    this.source = new Column(() => rendering.soon());
    this.graph = new Column(() => rendering.soon());
    this.code = new Column(() => rendering.soon());
    this.ui = { ...INITIAL, ...host.restore<UiState>(STATE_VERSION) };
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
    if (elsewhere) this.#stages.clear();
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
      this.problem =
        error instanceof RequestFailed
          ? error.problem
          : { code: 'panel', title: l10n.t('The code could not be shown'), detail: String(error), actions: [] };
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
    if (!result.files.some(({ path }) => path === this.ui.file)) this.ui = { ...this.ui, file: this.#mainFile(result) };
    this.#ofNodes = kernelsOfNodes(kernels);
    this.#arranged = '';
    this.set({});
    const group = this.ui.group ?? this.kernel?.main ?? -1;
    const place = { group, kernels: this.ui.kernel === null ? [] : [this.ui.kernel], node: this.ui.node };
    this.#pending = { place, y: null, except: null };
    if (isStage(this.tab)) void this.#loadStages();
  }

  /** The file that most expressions are in. */
  #mainFile(result: CodeResult): string | null {
    const counts = result.files.map((_, at) => result.expressions.filter(({ file }) => file === at).length);
    const most = counts.indexOf(Math.max(...counts));
    return result.files[most]?.path ?? null;
  }

  get tab(): Tab {
    return this.ui.tab ?? 'cpp';
  }

  /** The text that the kernels are of. */
  get text(): CodeTextInfo | null {
    return this.result === null ? null : textOf(this.result, this.tab);
  }

  get kernels(): readonly CodeKernelInfo[] {
    return this.text?.kernels ?? [];
  }

  get kernel(): CodeKernelInfo | null {
    return this.kernels[this.ui.kernel ?? -1] ?? null;
  }

  /** Position of the file in the first column. */
  get file(): number {
    return this.result?.files.findIndex(({ path }) => path === this.ui.file) ?? -1;
  }

  /** The group that is marked: the hovered one, else the selected one. */
  get hot(): number | null {
    return this.hovered ?? this.ui.group;
  }

  get stage(): KernelStageInfo | null {
    const stages = this.#stages.get(this.#stageKey) ?? [];
    return stages.find(({ stage }) => stage === stageOf(this.tab, this.kernel)) ?? null;
  }

  get #stageKey(): string {
    return [this.ui.graph, this.kernel?.name, this.text?.preview].join(' ');
  }

  async #loadStages(): Promise<void> {
    const { recording, compileId, graph } = this.ui;
    const key = this.#stageKey;
    const { kernel, text } = this;
    if (recording === null || kernel === null || this.#stages.has(key)) return;
    try {
      const ask = { recording, compileId, graph, kernel: kernel.name, preview: text?.preview ?? false };
      const { stages } = await this.#host.request('kernelStages', ask);
      this.#stages.set(key, stages);
    } catch (error) {
      this.#host.send({ type: 'log', text: String(error) });
      this.#stages.set(key, []);
    }
    this.#arranged = '';
    this.#bring({ group: this.ui.group ?? kernel.main, kernels: [], node: null }, null, null);
    this.#render.soon();
  }

  // --- rows ----------------------------------------------------------------------------------------------------------

  /** Puts the rows in the columns, if something that they depend on has changed. Sizes in characters. */
  arrange(room: { source: number; code: number }): void {
    const { result, ui } = this;
    if (result === null) return;
    const stage = isStage(this.tab) ? this.stage : null;
    const wrapped = ui.wrap ? `${room.source} ${room.code}` : '';
    const key = [ui.graph, ui.file, this.tab, ui.kernel, ui.toggled.join(), wrapped, stage === null].join('|');
    if (key === this.#arranged) return;
    const kept = this.#arranged === '' ? null : keepPlace(Object.values(this.#columns), this.#pinned);
    this.#arranged = key;
    const toggled = new Set(ui.toggled);
    this.source.set(sourceRows(result, this.file), ui.wrap ? room.source : null);
    this.graph.set(nodeRows(result.nodes, toggled), null);
    const { text } = this;
    const rows = isStage(this.tab)
      ? stage === null
        ? []
        : stageRows(stage, ui.kernel, toggled)
      : text === null
        ? []
        : codeRows(text, ui.kernel, toggled, `${this.tab}:${text.preview}`);
    const { kernels } = this;
    this.code.set(rows, ui.wrap ? room.code : null, (row) =>
      row.type === 'fold' && row.code && !row.open
        ? [...new Set(row.kernels.flatMap((at) => kernels[at]?.expressions ?? []))]
        : groupsOf(row),
    );
    kept?.();
    this.#pinned = null;
  }

  get #columns(): Record<ColumnName, Column> {
    return { source: this.source, graph: this.graph, code: this.code };
  }

  column(name: ColumnName): Column {
    return this[name];
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
    const known = place.kernels.length > 0 ? place.kernels : this.#kernelsWith(place.group);
    const kernel =
      this.ui.kernel !== null && known.includes(this.ui.kernel) ? this.ui.kernel : (known.at(0) ?? this.ui.kernel);
    const node = place.node ?? this.#nodeOf(kernel, place.group);
    const one = this.result?.expressions[place.group];
    const file = one === undefined ? this.ui.file : (this.result?.files[one.file]?.path ?? this.ui.file);
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

  /** Kernels with a group, those first that are mainly of it. */
  #kernelsWith(group: number): number[] {
    const all = this.kernels.map((one, at) => ({ one, at })).filter(({ one }) => one.expressions.includes(group));
    return [...all.filter(({ one }) => one.main === group), ...all.filter(({ one }) => one.main !== group)].map(
      ({ at }) => at,
    );
  }

  #nodeOf(kernel: number | null, group: number): number | null {
    const own = this.kernels[kernel ?? -1]?.nodes.filter((at) => this.result?.nodes[at].expressions[0] === group) ?? [];
    return own.at(-1) ?? null;
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
    const { place, y, except } = pending;
    for (const name of ['source', 'graph', 'code'] as const) {
      if (name === except) continue;
      const column = this.column(name);
      const near = column.at(column.offset + column.height / 2);
      const at = locate(column, place, this.#ofNodes, this.ui.kernel, near);
      const kernel = at < 0 && name === 'code' ? this.#rowOfKernel(place.kernels[0]) : at;
      column.reveal(kernel, y ?? column.height / 4);
    }
    return true;
  }

  #rowOfKernel(kernel: number | undefined): number {
    return kernel === undefined ? -1 : this.code.rows.findIndex((row) => row.kernels.includes(kernel));
  }

  /** Selects what is at a place of the source. False where this graph has nothing of it. */
  goTo(place: SourcePlace): boolean {
    const { result } = this;
    const file = result?.files.findIndex(({ path }) => samePath(path, place.file)) ?? -1;
    if (!result || file < 0) return false;
    const exact = place.column < 0 ? null : groupAt(result.expressions, file, place.line, place.column);
    const isThere = ({ file: of, line, endLine }: ExpressionInfo): boolean =>
      of === file && line <= place.line && endLine >= place.line;
    const onLine = result.expressions.flatMap((one, group) => (isThere(one) ? [group] : []));
    const working = onLine.find((group) => this.kernels.some(({ main }) => main === group));
    const group = exact ?? working ?? onLine.at(0);
    if (group === undefined) return false;
    this.#select({ group, kernels: [], node: null }, null, true);
    return true;
  }

  /** The editor's cursor has moved. */
  onCursor(at: { file: string; line: number } | null): void {
    this.cursor = at;
    if (at !== null && this.ui.follow) {
      const on = this.result?.expressions[this.ui.group ?? -1];
      const path = this.result?.files[on?.file ?? -1]?.path;
      const already =
        on && path !== undefined && samePath(path, at.file) && on.line <= at.line && on.endLine >= at.line;
      if (already !== true) this.goTo({ file: at.file, line: at.line, column: -1, endLine: at.line, endColumn: -1 });
    }
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
    this.#pinned = row.key;
    this.set({ toggled });
  }

  async chooseGraph(compileId: string | null, graph: string | null): Promise<void> {
    this.ui = { ...this.ui, compileId, graph };
    if (graph !== null) this.ui = { ...this.ui, kernel: null, node: null };
    const group = this.ui.group;
    this.#arranged = '';
    await this.load();
    if (graph !== null && group !== null) this.#select({ group, kernels: [], node: null }, null, true);
  }

  /** The next or previous group in a column. */
  step(name: ColumnName, by: 1 | -1): void {
    const column = this.column(name);
    const group = this.ui.group;
    const here =
      group === null
        ? -1
        : locate(
            column,
            { group, kernels: this.ui.kernel === null ? [] : [this.ui.kernel], node: this.ui.node },
            this.#ofNodes,
            this.ui.kernel,
            0,
          );
    const from = here < 0 ? column.at(column.offset + column.height / 2) : here;
    for (let at = from + by; at >= 0 && at < column.rows.length; at += by) {
      const row = column.rows[at];
      const own = groupsOf(row);
      const next = by > 0 ? own[0] : own.at(-1);
      if (next !== undefined && next !== group) {
        this.selectRow(name, at, next);
        column.reveal(at);
        return;
      }
    }
  }

  /** The place of the selected group in the source. */
  get place(): SourcePlace | null {
    const one = this.result?.expressions[this.ui.group ?? -1];
    const file = this.result?.files[one?.file ?? -1]?.path;
    if (!one || file === undefined) return null;
    return { file, line: one.line, column: one.column, endLine: one.endLine, endColumn: one.endColumn };
  }

  get selection(): Target | null {
    const { recording, compileId, node } = this.ui;
    if (recording === null) return null;
    const name = this.result?.nodes[node ?? -1]?.name ?? null;
    return { ...nowhere(recording), compileId, node: name, kernel: this.kernel?.name ?? null, source: this.place };
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
    const column = this.column(name);
    if (!column.moved || name !== this.leading) return;
    scrollTogether(this.#columns, name, this.#ofNodes, this.ui.kernel);
  }

  // --- find ----------------------------------------------------------------------------------------------------------

  /** Goes to the next row of the code (else of another column) that has some words. */
  find(words: string, by: 1 | -1, name: ColumnName): boolean {
    const wanted = words.trim().toLowerCase();
    if (wanted === '') return false;
    const column = this.column(name);
    const at = find(column, wanted, by);
    if (at < 0) return false;
    column.scrollTo(column.middle(at) - column.height / 2);
    this.found = { column: name, at };
    this.#render.soon();
    return true;
  }

  found: { column: ColumnName; at: number } | null = null;
}

/** Whether two paths are the same file, whatever a drive's letter looks like. */
const samePath = (a: string, b: string): boolean =>
  a === b || (/^[a-z]:/i.test(a) && a.replace(/\\/g, '/').toLowerCase() === b.replace(/\\/g, '/').toLowerCase());
