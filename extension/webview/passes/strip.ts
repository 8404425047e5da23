/** The timeline of the compile that is shown: its chart, and which of its blocks is selected. */
import * as l10n from '@vscode/l10n';
import type { TimelineResult } from '../../src/shared/messages';
import { duration } from '../shared/format';
import { type Camera } from '../shared/flame/camera';
import { FlameChart } from '../shared/flame/chart';
import { STAGE_KEYS } from '../shared/flame/stages';
import { type Host, RequestFailed } from '../shared/host';
import { type Direction, labelOf, neighbour, type Timeline, timelineOf, timeOf, UNIT } from '../shared/flame/timeline';
import { sliceOf } from './slice';

export interface StripEvents {
  /** The block of a step was picked. */
  pick(order: number): void;
  /** Another part of the time is in view; null: all of it. */
  moved(camera: Camera | null): void;
  changed(): void;
}

export class Strip {
  readonly chart: FlameChart;
  timeline: Timeline | null = null;
  /** Why there is no chart. */
  note: string | null = null;
  span: number | null = null;
  readonly #host: Host;
  readonly #events: StripEvents;
  #orders = new Map<number, number>();
  #run: { recording: string; result: Promise<TimelineResult> } | null = null;
  #of: string | null = null;
  #work = 0;
  /** The step that is selected in the list. */
  #order: number | null = null;
  #group: ReadonlySet<number> = new Set();

  constructor(host: Host, events: StripEvents) {
    this.#host = host;
    this.#events = events;
    this.chart = new FlameChart(l10n.t('Compile timeline'), STAGE_KEYS, {
      pick: (span) => this.pick(span),
      open: (span) => this.chart.reveal(span, true),
      mark: () => undefined,
      range: (range) => {
        if (range === null) return;
        this.chart.range = null;
        this.chart.zoomTo(...range);
      },
      moved: () => events.moved(this.chart.camera),
      describe: (span) => this.describe(span),
    });
  }

  /** Forgets the run, as there may be more of it. */
  forget(): void {
    this.#run = null;
  }

  /** Shows a compile; `camera`: what was in view of it. */
  async show(recording: string, compileId: string, camera: Camera | null): Promise<void> {
    const token = ++this.#work;
    let sliced: TimelineResult | null = null;
    try {
      if (this.#run?.recording !== recording)
        this.#run = { recording, result: this.#host.request('timeline', { recording }) };
      sliced = sliceOf(await this.#run.result, compileId);
    } catch (error) {
      this.#run = null;
      if (token !== this.#work) return;
      this.note = l10n.t('No timeline: {0}', error instanceof RequestFailed ? error.problem.title : String(error));
    }
    if (token !== this.#work) return;
    const isTimed = sliced !== null && sliced.spans.start.length > 0 && sliced.time > 0;
    if (sliced !== null && !isTimed)
      this.note = l10n.t('The times of this compile were not recorded, so there is no timeline.');
    this.timeline = sliced !== null && isTimed ? timelineOf(sliced) : null;
    this.#orders = new Map([...(this.timeline?.steps.values() ?? [])].map(({ order, span }) => [order, span]));
    this.span = null;
    if (this.timeline !== null) {
      this.note = null;
      this.#draw(this.timeline, this.#of === `${recording} ${compileId}` ? this.chart.camera : camera);
      this.#of = `${recording} ${compileId}`;
    }
    this.choose(this.#order, this.#group);
    this.#events.changed();
    // The chart is in the page only then.
    requestAnimationFrame(() => {
      if (this.span !== null) this.chart.scrollTo(this.span);
    });
  }

  #draw(timeline: Timeline, camera: Camera | null): void {
    const { result, lanes, columns, open } = timeline;
    this.chart.set({
      lanes,
      columns,
      marks: [],
      length: result.time,
      unit: UNIT,
      open,
      running: result.running,
      shown: null,
      wholeNames: true,
    });
    this.chart.camera = camera;
  }

  /** Outlines the block of a step of the list, or with none leaves a group of steps unfaded. */
  choose(order: number | null, group: ReadonlySet<number> = new Set()): void {
    const isOther = order !== this.#order;
    this.#order = order;
    this.#group = group;
    this.span = order === null ? null : (this.#orders.get(order) ?? null);
    this.chart.selected = this.span;
    const spans = new Set([...group].flatMap((one) => this.#orders.get(one) ?? []));
    this.chart.found = spans.size === 0 ? null : (span) => spans.has(span);
    if (this.span !== null && isOther) this.chart.reveal(this.span);
  }

  /** A block was picked here. */
  pick(span: number | null, reveal = false): void {
    if (span === null) return;
    this.span = span;
    this.chart.selected = span;
    this.chart.found = null;
    if (reveal) this.chart.reveal(span);
    const step = this.timeline?.steps.get(span);
    if (step !== undefined) this.#events.pick(step.order);
    this.#events.changed();
  }

  walk(direction: Direction): void {
    if (this.timeline === null) return;
    const next = this.span === null ? 0 : neighbour(this.timeline, this.span, direction, null);
    if (next !== null) this.pick(next, true);
  }

  /** Name, stage and time of a block. */
  describe(span: number): string[] {
    const { timeline } = this;
    if (timeline === null) return [''];
    const { spans, stages } = timeline.result;
    const whole = duration(timeOf(timeline, span) / UNIT);
    const own = duration(spans.own[span] / UNIT);
    const time = timeline.children.has(span) ? l10n.t('{0}, {1} itself', whole, own) : whole;
    return [labelOf(timeline, span), `${stages[spans.stage[span]].title} · ${time}`];
  }
}
