/** The state of the timeline panel and what changes it. */
import * as l10n from '@vscode/l10n';
import type { Problem, Selection, SourcePlace, Target, TimelineResult } from '../../src/shared/messages';
import { nowhere } from '../../src/shared/messages';
import { STAGE_KEYS } from '../shared/flame/stages';
import { FlameChart } from '../shared/flame/chart';
import { duration } from '../shared/format';
import { type Host, problemOf } from '../shared/host';
import type { Rendering } from '../shared/rendering';
import { isHeard } from '../shared/view';
import { LongList } from '../shared/list';
import {
  compileOf,
  kernelOf,
  labelOf,
  neighbour,
  placeOf,
  type Timeline,
  timelineOf,
  timeOf,
  UNIT,
  type Direction,
} from '../shared/flame/timeline';
import { chartMark, type CostRow, costRows, type Filter, foundBy, marksOf, shownBy, sums } from './model';
import { INITIAL, STATE_VERSION, type UiState } from './state';

const LOADING_AFTER_MS = 200;
const COST_ROW = 28;
const LIST_ROW = 22;

/** Seconds of a time in the server's unit. */
export const secondsOf = (time: number): number => time / UNIT;

export class TimelineSession {
  ui: UiState;
  noRecording = false;
  running = false;
  timeline: Timeline | null = null;
  problem: Problem | null = null;
  loading = false;
  announced = '';
  /** Place of the selected span, and of the selected mark among those shown. */
  span: number | null = null;
  mark: number | null = null;
  costs: readonly CostRow[] = [];
  /** The rows of the list: spans that are filtered in. */
  rows: readonly number[] = [];
  readonly chart: FlameChart;
  readonly costList = new LongList(
    () => COST_ROW,
    () => this.#render.soon(),
  );
  readonly spanList = new LongList(
    () => LIST_ROW,
    () => this.#render.soon(),
  );
  readonly #host: Host;
  readonly #render: Rendering;
  #work = 0;
  #marked: ((span: number) => boolean) | null = null;

  constructor(host: Host, rendering: Rendering, open: (span: number) => void) {
    this.#host = host;
    this.#render = rendering;
    this.ui = { ...INITIAL, list: isHeard(), ...host.restore<UiState>(STATE_VERSION) };
    this.chart = new FlameChart('Timeline of the compiles', STAGE_KEYS, {
      pick: (span) => this.select(span),
      open,
      mark: (mark) => this.selectMark(mark),
      range: () => this.#render.soon(),
      moved: () => this.#keepCamera(),
      describe: (span) => this.describe(span),
    });
  }

  get filter(): Filter {
    return { compile: this.ui.compileId, text: this.ui.text };
  }

  get shown(): ((span: number) => boolean) | null {
    return this.timeline === null ? null : shownBy(this.timeline, this.filter);
  }

  async show(target: Target | null): Promise<void> {
    this.noRecording = target === null;
    if (target === null) {
      this.timeline = null;
      this.set({ recording: null, target: null });
      return;
    }
    if (target.recording !== this.ui.recording) {
      this.ui = { ...INITIAL, list: this.ui.list, recording: target.recording };
      this.timeline = null;
    }
    await this.load();
    this.#follow(target);
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
      const result = await this.#host.request('timeline', { recording });
      if (token !== this.#work) return;
      this.#take(result);
    } catch (error) {
      if (token !== this.#work) return;
      this.problem = problemOf(error, l10n.t('The timeline could not be shown'));
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.loading = false;
    }
    this.set({});
    this.#render.now();
  }

  #take(result: TimelineResult): void {
    const first = this.timeline === null;
    this.timeline = timelineOf(result);
    this.running = result.running;
    this.problem = null;
    if (this.ui.compileId !== null && !result.compiles.includes(this.ui.compileId))
      this.ui = { ...this.ui, compileId: null };
    const { span } = this.ui;
    const known = span === null ? -1 : this.#keys().indexOf(span);
    this.span = known >= 0 ? known : null;
    this.arrange();
    if (first && this.ui.from !== null && this.ui.to !== null)
      this.chart.camera = { from: this.ui.from, to: this.ui.to };
  }

  #keys(): string[] {
    return Array.from({ length: this.timeline?.count ?? 0 }, (_, span) => this.#key(span));
  }

  #key(span: number): string {
    if (this.timeline === null) return '';
    const { lane, row, start } = this.timeline.result.spans;
    return `${lane[span]} ${row[span]} ${start[span]} ${labelOf(this.timeline, span)}`;
  }

  /** Works out anew what is shown, after another filter or other data. */
  arrange(): void {
    const { timeline } = this;
    if (timeline === null) return;
    const shown = this.shown;
    const found = foundBy(timeline, this.filter);
    if (this.span !== null && shown !== null && !shown(this.span)) this.span = null;
    this.costs = costRows(timeline, this.filter);
    const rows: number[] = [];
    for (let span = 0; span < timeline.count; span++) {
      if ((shown === null || shown(span)) && (found === null || found(span))) rows.push(span);
    }
    this.rows = rows;
    this.mark = null;
    this.chart.set({
      lanes: timeline.lanes,
      columns: timeline.columns,
      marks: marksOf(timeline, this.filter).map(chartMark),
      length: timeline.result.time,
      unit: UNIT,
      open: timeline.open,
      running: timeline.result.running,
      shown,
    });
    this.chart.selected = this.span;
    this.chart.markAt = null;
    this.#fade();
    this.costList.resize(this.costs.length);
    this.spanList.resize(rows.length);
    this.#render.soon();
  }

  /** What is faded: all but what was searched for, else all but the selected line. */
  #fade(): void {
    const { timeline } = this;
    if (timeline === null) return;
    const row = this.costs.find(({ key }) => key === this.ui.cost);
    const place = row?.place ?? null;
    this.#marked = place === null ? null : (span) => placeOf(timeline, span) === place;
    this.chart.found = foundBy(timeline, this.filter) ?? this.#marked;
  }

  set(change: Partial<UiState>): void {
    this.ui = { ...this.ui, ...change };
    const { recording, compileId } = this.ui;
    this.ui = { ...this.ui, target: recording === null ? null : { ...nowhere(recording), compileId } };
    this.#host.save(this.ui);
    this.#render.soon();
  }

  #keepCamera(): void {
    const camera = this.chart.camera;
    const change = { from: camera?.from ?? null, to: camera?.to ?? null };
    if (change.from === this.ui.from && change.to === this.ui.to) return;
    this.ui = { ...this.ui, ...change };
    this.#host.save(this.ui);
  }

  // --- selection -----------------------------------------------------------------------------------------------------

  select(span: number | null, reveal = false, tell = true): void {
    this.span = span;
    this.mark = null;
    this.chart.markAt = null;
    this.chart.selected = span;
    this.set({ span: span === null ? null : this.#key(span), cost: null });
    this.#fade();
    if (span === null || this.timeline === null) return;
    this.announced = this.describe(span).join(', ');
    if (reveal) {
      this.chart.reveal(span);
      this.spanList.reveal(this.rows.indexOf(span));
    }
    if (tell) this.#tell(span);
    this.#render.soon();
  }

  selectMark(mark: number): void {
    const { timeline } = this;
    if (timeline === null) return;
    const found = marksOf(timeline, this.filter).at(mark);
    if (found === undefined) return;
    const root = this.#rootAt(found.time, found.compileId);
    if (root !== null) this.select(root, false);
    this.mark = mark;
    this.chart.markAt = mark;
    this.chart.revealTime(found.time);
    this.announced = found.text;
    this.#render.soon();
  }

  #rootAt(time: number, compileId: string | null): number | null {
    const { timeline } = this;
    if (timeline === null || compileId === null) return null;
    const { start, parent } = timeline.result.spans;
    for (let span = 0; span < timeline.count; span++) {
      if (parent[span] < 0 && start[span] === time && compileOf(timeline, span) === compileId) return span;
    }
    return null;
  }

  nextMark(step: 1 | -1): void {
    if (this.timeline === null) return;
    const marks = marksOf(this.timeline, this.filter);
    if (marks.length === 0) return;
    const at = this.mark === null ? (step > 0 ? 0 : marks.length - 1) : this.mark + step;
    this.selectMark((at + marks.length) % marks.length);
  }

  walk(direction: Direction): void {
    const { timeline, shown } = this;
    if (timeline === null) return;
    if (this.span === null) {
      const first = this.rows.at(0);
      if (first !== undefined) this.select(first, true);
      return;
    }
    const next = neighbour(timeline, this.span, direction, shown);
    if (next !== null) this.select(next, true);
  }

  /** The next span that was searched for. */
  nextFound(step: 1 | -1): void {
    if (this.rows.length === 0) return;
    const at = this.span === null ? -1 : this.rows.indexOf(this.span);
    const next = at < 0 ? (step > 0 ? 0 : this.rows.length - 1) : (at + step + this.rows.length) % this.rows.length;
    this.select(this.rows[next], true);
  }

  selectCost(row: CostRow | null, reveal = false): void {
    this.span = null;
    this.chart.selected = null;
    this.set({ cost: row?.key ?? null, span: null });
    this.#fade();
    if (row === null) return;
    if (reveal) this.costList.reveal(this.costs.indexOf(row));
    const source = row.place === null ? null : this.sourceOf(row.place);
    this.announced = this.costText(row);
    const { recording, compileId } = this.ui;
    if (recording === null) return;
    this.#host.send({ type: 'select', selection: { ...nowhere(recording), compileId, source } });
  }

  costText(row: CostRow): string {
    const place = row.place === null ? null : this.timeline?.result.places[row.place];
    const time = duration(secondsOf(row.time));
    return place ? l10n.t('line {0}, {1}', place.line, time) : l10n.t('whole graph: {0}, {1}', row.what, time);
  }

  get selectedCost(): CostRow | null {
    return this.costs.find(({ key }) => key === this.ui.cost) ?? null;
  }

  sourceOf(place: number): SourcePlace | null {
    const found = this.timeline?.result.places[place];
    if (found === undefined) return null;
    return { file: found.file, line: found.line - 1, column: -1, endLine: found.line - 1, endColumn: -1 };
  }

  /** What a span is for the other panels. */
  targetOf(span: number): Target | null {
    const { recording } = this.ui;
    const { timeline } = this;
    if (recording === null || timeline === null) return null;
    const step = timeline.steps.get(span);
    const place = placeOf(timeline, span);
    return {
      ...nowhere(recording),
      compileId: compileOf(timeline, span),
      pass: step?.order ?? null,
      snapshot: step?.snapshot ?? null,
      kernel: kernelOf(timeline, span),
      source: place < 0 ? null : this.sourceOf(place),
    };
  }

  #tell(span: number): void {
    const selection = this.targetOf(span);
    if (selection !== null) this.#host.send({ type: 'select', selection });
  }

  /** Another panel, or a command, names something: it is selected here, if it is here. */
  follow(selection: Selection): void {
    if (selection.recording === this.ui.recording) this.#follow(selection);
  }

  #follow({ compileId, pass, kernel, source }: Target): void {
    const { timeline } = this;
    if (timeline === null) return;
    let found: number | null = null;
    if (pass !== null)
      found =
        [...timeline.steps.values()].find(
          (step) => step.order === pass && (compileId === null || compileOf(timeline, step.span) === compileId),
        )?.span ?? null;
    else if (kernel !== null)
      found = this.#first(
        (span) =>
          kernelOf(timeline, span) === kernel && (compileId === null || compileOf(timeline, span) === compileId),
      );
    if (found !== null) {
      this.select(found, true, false);
      return;
    }
    if (source !== null) {
      const row = this.costs.find(({ place }) => {
        const known = place === null ? undefined : timeline.result.places[place];
        return known?.file === source.file && known.line === source.line + 1;
      });
      if (row !== undefined) {
        this.ui = { ...this.ui, cost: row.key };
        this.#fade();
        this.costList.reveal(this.costs.indexOf(row));
        this.#render.soon();
      }
    } else if (compileId !== null && this.span === null) {
      const root = this.#first(
        (span) => timeline.result.spans.parent[span] < 0 && compileOf(timeline, span) === compileId,
      );
      if (root !== null) this.select(root, true, false);
    }
  }

  #first(wanted: (span: number) => boolean): number | null {
    for (let span = 0; span < (this.timeline?.count ?? 0); span++) if (wanted(span)) return span;
    return null;
  }

  /** Name, time and place of a span. */
  describe(span: number): string[] {
    const { timeline } = this;
    if (timeline === null) return [''];
    const { spans, stages } = timeline.result;
    const place = placeOf(timeline, span) < 0 ? undefined : timeline.result.places[placeOf(timeline, span)];
    const own = spans.own[span];
    const whole = duration(secondsOf(timeOf(timeline, span)));
    const time = timeline.children.has(span) ? l10n.t('{0}, {1} itself', whole, duration(secondsOf(own))) : whole;
    const lines = [labelOf(timeline, span), `${stages[spans.stage[span]].title} · ${time}`];
    if (timeline.open.has(span))
      lines.push(timeline.result.running ? l10n.t('Still running') : l10n.t('Its process ended meanwhile'));
    if (place !== undefined) lines.push(l10n.t('line {0}: {1}', place.line, place.text));
    return lines;
  }

  /** Time of each stage in the range that was dragged; null without one. */
  get rangeSums(): { time: number; stages: number[] } | null {
    const range = this.chart.range;
    if (range === null || this.timeline === null) return null;
    return { time: range[1] - range[0], stages: sums(this.timeline, range, this.shown) };
  }
}
