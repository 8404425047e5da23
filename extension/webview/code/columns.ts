/** The three columns: their rows, and how they scroll. */
import type { CodeKernelInfo, CodeResult, CodeTextInfo, KernelStageInfo } from '../../src/shared/messages';
import { groupsOf, locate, type Place } from './anchor';
import { Column } from './column';
import {
  type CodeRow,
  codeRows,
  type FoldRow,
  type NodeRow,
  nodeRows,
  sourceRows,
  type SourceRow,
  stageRows,
} from './rows';
import { type ColumnName, find, keepPlace, scrollTogether } from './scrolling';
import type { Tab, UiState } from './state';
import { isStage } from './tabs';

/** Where a place is to stand in the columns, but in the one that it was chosen in. `y`: its height there. */
export interface Wanted {
  readonly place: Place;
  readonly y: number | null;
  readonly except: ColumnName | null;
}

/** What the rows are made from. */
export interface Content {
  readonly result: CodeResult;
  readonly ui: UiState;
  readonly tab: Tab;
  /** Position of the file in the first column. */
  readonly file: number;
  readonly text: CodeTextInfo | null;
  readonly kernels: readonly CodeKernelInfo[];
  readonly stage: KernelStageInfo | null;
}

export class Columns {
  readonly source: Column<SourceRow>;
  readonly graph: Column<NodeRow | FoldRow>;
  readonly code: Column<CodeRow | FoldRow>;
  /** The fold that was just opened or closed: it stays where it is. */
  pinned: string | null = null;
  #arranged = '';

  constructor(changed: () => void) {
    this.source = new Column(changed);
    this.graph = new Column(changed);
    this.code = new Column(changed);
  }

  /** The rows are to be made anew, from the top. */
  forget(): void {
    this.#arranged = '';
  }

  /** Puts the rows in the columns, if something that they depend on has changed. Sizes in characters. */
  arrange(
    { result, ui, tab, file, text, kernels, stage: known }: Content,
    room: { source: number; code: number },
  ): void {
    const stage = isStage(tab) ? known : null;
    const wrapped = ui.wrap ? `${room.source} ${room.code}` : '';
    const key = [ui.graph, ui.file, tab, ui.kernel, ui.toggled.join(), wrapped, stage === null].join('|');
    if (key === this.#arranged) return;
    const kept = this.#arranged === '' ? null : keepPlace([this.source, this.graph, this.code], this.pinned);
    this.#arranged = key;
    const toggled = new Set(ui.toggled);
    this.source.set(sourceRows(result, file), ui.wrap ? room.source : null);
    this.graph.set(nodeRows(result.nodes, toggled), null);
    const ofText = text === null ? [] : codeRows(text, ui.kernel, toggled, `${tab}:${text.preview}`);
    const ofStage = stage === null ? [] : stageRows(stage, ui.kernel, toggled);
    this.code.set(isStage(tab) ? ofStage : ofText, ui.wrap ? room.code : null, (row) =>
      row.type === 'fold' && row.code && !row.open
        ? [...new Set(row.kernels.flatMap((at) => kernels[at]?.expressions ?? []))]
        : groupsOf(row),
    );
    kept?.();
    this.pinned = null;
  }

  /** Scrolls to what is wanted. Call when the columns are in the page. */
  bring({ place, y, except }: Wanted, ofNodes: ReadonlyMap<number, readonly number[]>, kernel: number | null): void {
    for (const name of ['source', 'graph', 'code'] as const) {
      if (name === except) continue;
      const column: Column = this[name];
      const near = column.at(column.offset + column.height / 2);
      const at = locate(column, place, ofNodes, kernel, near);
      column.reveal(at < 0 && name === 'code' ? this.#rowOfKernel(place.kernels[0]) : at, y ?? column.height / 4);
    }
  }

  #rowOfKernel(kernel: number | undefined): number {
    return kernel === undefined ? -1 : this.code.rows.findIndex((row) => row.kernels.includes(kernel));
  }

  /** Scrolls the other columns so that what is in the middle of one stands at the same height in them. */
  together(name: ColumnName, ofNodes: ReadonlyMap<number, readonly number[]>, kernel: number | null): void {
    if (this[name].moved)
      scrollTogether({ source: this.source, graph: this.graph, code: this.code }, name, ofNodes, kernel);
  }

  /** Goes to the next row of a column that has some words, and returns its position; -1: there is none. */
  find(words: string, by: 1 | -1, name: ColumnName): number {
    const wanted = words.trim().toLowerCase();
    const column: Column = this[name];
    const at = wanted === '' ? -1 : find(column, wanted, by);
    if (at >= 0) column.scrollTo(column.middle(at) - column.height / 2);
    return at;
  }

  /** The next or previous row of a column that is of another group than a place; from its middle without a place. */
  next(
    name: ColumnName,
    by: 1 | -1,
    place: Place | null,
    ofNodes: ReadonlyMap<number, readonly number[]>,
  ): { at: number; group: number } | null {
    const column: Column = this[name];
    const here = place === null ? -1 : locate(column, place, ofNodes, place.kernels[0] ?? null, 0);
    const from = here < 0 ? column.at(column.offset + column.height / 2) : here;
    for (let at = from + by; at >= 0 && at < column.rows.length; at += by) {
      const own = groupsOf(column.rows[at]);
      const group = by > 0 ? own[0] : own.at(-1);
      if (group !== undefined && group !== place?.group) return { at, group };
    }
    return null;
  }
}
