/** The state of the recompile panel and what changes it: the function, its versions, the selected one, its guards. */
import * as l10n from '@vscode/l10n';
import type {
  GuardTreeResult,
  Problem,
  RecompilesResult,
  RecompileTable,
  Selection,
  SourcePlace,
  Target,
  VersionInfo,
} from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { type Host, problemOf } from '../shared/host';
import type { Rendering } from '../shared/rendering';
import { changeText, type Column, columnsOf, elsewhere, nextFailure, otherOf, rowsOf, type ShownRows } from './model';
import { INITIAL, STATE_VERSION, type UiState } from './state';

const LOADING_AFTER_MS = 200;
const KEPT_TREES = 32;
/** A tree with more nodes opens on its upper levels. */
const LARGE_TREE = 120;

export class RecompileSession {
  ui: UiState;
  noRecording = false;
  running = false;
  result: RecompilesResult | null = null;
  problem: Problem | null = null;
  loading = false;
  /** The guards of the selected version; null while they are read. */
  tree: GuardTreeResult | null = null;
  columns: Column[] = [];
  shown: ShownRows = { rows: [], more: 0, differ: 0, names: [] };
  /** Versions that came while the panel was open. */
  fresh: ReadonlySet<string> = new Set();
  /** What a screen reader is told. */
  announced = '';
  readonly #host: Host;
  readonly #render: Rendering;
  readonly #trees = new Map<string, Promise<GuardTreeResult>>();
  #work = 0;
  /** What was shown before a reload, until something is shown again. */
  #before: string | null;

  constructor(host: Host, rendering: Rendering) {
    this.#host = host;
    this.#render = rendering;
    this.ui = { ...INITIAL, ...host.restore<UiState>(STATE_VERSION) };
    this.#before = this.ui.compileId;
  }

  get table(): RecompileTable | null {
    return this.result?.table ?? null;
  }

  get selected(): VersionInfo | null {
    return this.table?.versions.find(({ id }) => id === this.ui.compileId) ?? null;
  }

  get other(): VersionInfo | null {
    return this.table === null || this.selected === null ? null : otherOf(this.table, this.selected, this.ui.other);
  }

  // --- loading -------------------------------------------------------------------------------------------------------

  async show(target: Target | null): Promise<void> {
    this.noRecording = target === null;
    if (target === null) {
      this.result = null;
      this.set({ recording: null, target: null });
      return;
    }
    if (target.recording !== this.ui.recording) {
      const { fewer, clustered } = this.ui;
      this.ui = { ...INITIAL, fewer, clustered, recording: target.recording };
      this.result = null;
      this.#trees.clear();
    }
    const wanted = target.compileId ?? this.ui.compileId;
    const isBack = target.compileId === this.#before;
    this.#before = null;
    await this.load(wanted, wanted !== this.ui.compileId);
    // What opens the panel may name a function by its first compile: that has nothing to tell.
    if (target.compileId !== null && this.selected?.cause === null) {
      const other = isBack || this.result === null ? undefined : elsewhere(this.result);
      if (other !== undefined) await this.load(other.compileId, true);
      const dear = this.#dearest();
      if (dear !== undefined) this.select(dear.id);
    }
  }

  /** The version that took longest of those that a guard made. */
  #dearest(): VersionInfo | undefined {
    const made = this.table?.versions.filter(({ cause }) => cause !== null) ?? [];
    return made.toSorted((a, b) => b.seconds - a.seconds).at(0);
  }

  /** Asks for the function that has a compile; the dearest without one. `anew`: the selected row is not kept. */
  async load(compileId: string | null = this.ui.compileId, anew = false): Promise<void> {
    const { recording } = this.ui;
    if (recording === null) return;
    const token = ++this.#work;
    const timer = setTimeout(() => {
      if (token === this.#work) this.loading = true;
      this.#render.soon();
    }, LOADING_AFTER_MS);
    const before = this.table;
    try {
      const result = await this.#host.request('recompiles', { recording, compileId });
      if (token !== this.#work) return;
      this.result = result;
      this.problem = null;
    } catch (error) {
      if (token !== this.#work) return;
      this.problem = problemOf(error, l10n.t('The recompiles could not be shown'));
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.loading = false;
    }
    const versions = this.table?.versions ?? [];
    const sameFunction = before?.compileId === this.table?.compileId;
    const known = new Set(before?.versions.map(({ id }) => id));
    this.fresh = new Set(
      sameFunction && this.running ? versions.map(({ id }) => id).filter((id) => !known.has(id)) : [],
    );
    const id = versions.some((one) => one.id === compileId) ? compileId : null;
    const dear = versions
      .filter(({ cause }) => cause !== null)
      .toSorted((a, b) => b.seconds - a.seconds)
      .at(0);
    const chosen = id ?? dear?.id ?? versions.at(0)?.id ?? null;
    this.ui = { ...this.ui, compileId: chosen };
    if (!sameFunction || anew) this.ui = { ...this.ui, about: null, other: null, closed: [] };
    this.#arrange();
    this.set({ about: this.ui.about ?? this.selected?.cause?.about ?? null });
    this.#showTree();
    this.#render.now();
  }

  #arrange(): void {
    const { table } = this;
    this.columns = table === null ? [] : columnsOf(table, this.ui.clustered && table.versions.length > 2);
    this.shown = table === null ? { rows: [], more: 0, differ: 0, names: [] } : rowsOf(table, this.ui.fewer);
  }

  #showTree(): void {
    const { recording, compileId } = this.ui;
    this.tree = null;
    if (recording === null || compileId === null) return;
    let tree = this.#trees.get(compileId);
    if (tree === undefined) {
      tree = this.#host.request('guardTree', { recording, compileId });
      if (this.#trees.size > KEPT_TREES) this.#trees.clear();
      this.#trees.set(compileId, tree);
      tree.catch(() => this.#trees.delete(compileId));
    }
    void tree
      .catch((): GuardTreeResult => ({ latencyUs: null, count: 0, nodes: [], leftOut: 0 }))
      .then((found) => {
        if (this.ui.compileId !== compileId) return;
        this.tree = found;
        const deep = found.nodes.length > LARGE_TREE;
        if (deep && this.ui.closed.length === 0) {
          const inner = found.nodes.map((node, at) => (node.kind === '' && node.depth === 1 ? at : -1));
          this.ui = { ...this.ui, closed: inner.filter((at) => at >= 0) };
        }
        this.#render.soon();
      });
  }

  // --- state ---------------------------------------------------------------------------------------------------------

  set(change: Partial<UiState>): void {
    this.ui = { ...this.ui, ...change };
    const { recording, compileId } = this.ui;
    this.ui = { ...this.ui, target: recording === null ? null : { ...nowhere(recording), compileId } };
    this.#host.save(this.ui);
    this.#render.soon();
  }

  setView(change: Pick<Partial<UiState>, 'fewer' | 'clustered'>): void {
    this.set(change);
    this.#arrange();
    this.#render.soon();
  }

  /** Selects a version. `quiet`: another panel did. */
  select(compileId: string, about?: string | null, quiet = false): void {
    const version = this.table?.versions.find(({ id }) => id === compileId);
    if (version === undefined) return;
    const moved = compileId !== this.ui.compileId;
    const row = about === undefined ? (version.cause?.about ?? this.ui.about) : about;
    this.set({ compileId, about: row, ...(moved ? { closed: [], other: null } : {}) });
    if (moved) this.#showTree();
    this.announced =
      version.cause === null
        ? l10n.t('{0}: the first version', version.id)
        : `${version.id}: ${changeText(version.cause)}`;
    this.#render.now();
    if (!quiet) this.#tell();
  }

  /** Another panel selected a compile: its version is selected here, in its function if it is another one. */
  follow(selection: Selection): void {
    const { recording, compileId } = selection;
    if (recording !== this.ui.recording || compileId === null || compileId === this.ui.compileId) return;
    if (this.table?.versions.some(({ id }) => id === compileId)) this.select(compileId, undefined, true);
    else void this.load(compileId, true);
  }

  step(by: 1 | -1): void {
    const at = this.columns.findIndex(({ version }) => version.id === this.ui.compileId);
    const next = this.columns.at(Math.max(0, Math.min(this.columns.length - 1, at + by)));
    if (next !== undefined && next.version.id !== this.ui.compileId) this.select(next.version.id, this.ui.about);
  }

  stepRow(by: 1 | -1): void {
    const { rows } = this.shown;
    const at = rows.findIndex(({ about }) => about === this.ui.about);
    const next = rows.at(Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by)));
    if (next === undefined) return;
    this.set({ about: next.about });
    this.announced = next.about;
  }

  nextFailure(): void {
    const at = this.columns.findIndex(({ version }) => version.id === this.ui.compileId);
    const next = nextFailure(this.columns, at);
    if (next !== null) this.select(next.version.id);
  }

  toggle(position: number): void {
    const closed = new Set(this.ui.closed);
    if (!closed.delete(position)) closed.add(position);
    this.set({ closed: [...closed] });
  }

  /** Where the selected version, or the selected guard, comes from. */
  get place(): SourcePlace | null {
    const row = this.table?.rows.find(({ about }) => about === this.ui.about);
    const cause = this.selected?.cause;
    const place = cause?.about === this.ui.about ? (cause.place ?? row?.place) : (row?.place ?? cause?.place);
    if (place) return place;
    const { table } = this;
    if (table === null) return null;
    const line = table.line - 1;
    return { file: table.file, line, column: -1, endLine: line, endColumn: -1 };
  }

  #tell(): void {
    const { recording, compileId } = this.ui;
    if (recording === null) return;
    const source = this.selected?.cause?.place ?? null;
    this.#host.send({ type: 'select', selection: { ...nowhere(recording), compileId, source } });
  }
}
