/** A flame chart as an element: it draws itself, and says what was pointed at. Keys are its owner's. */
import { watchTheme } from '../theme';
import { type Camera, fit, held, panned, revealing, zoomed } from './camera';
import { readColours } from './colours';
import { type Layout, layoutOf, rowAt, rowTop, RULER, ROW } from './layout';
import { type Colours, paint, type Scene, scaleOf } from './paint';
import { type Columns, type Lane, type Mark, spanAt, type Track, tracksOf } from './spans';

export interface ChartData {
  readonly lanes: readonly Lane[];
  readonly columns: Columns;
  readonly marks: readonly Mark[];
  /** The last moment. */
  readonly length: number;
  /** Units of time in a second. */
  readonly unit: number;
  readonly open: ReadonlySet<number>;
  readonly running: boolean;
  /** Which spans there are; null: all. */
  readonly shown: ((span: number) => boolean) | null;
  /** A name that does not fit is left out rather than cut. */
  readonly wholeNames?: boolean;
}

export interface ChartEvents {
  pick(span: number | null): void;
  /** Asked for by a double click. */
  open(span: number): void;
  mark(mark: number): void;
  /** A part of the time was marked by dragging; null: no more. */
  range(range: readonly [number, number] | null): void;
  moved(): void;
  /** Lines of the text beside the pointer; the first is a name. */
  describe(span: number): readonly string[];
}

const REACH = 3;
const DRAG = 4;
const WHEEL = 0.0022;
const EMPTY: ChartData = {
  lanes: [],
  columns: { lane: [], row: [], start: [], time: [], colour: [], label: () => '' },
  marks: [],
  length: 1,
  unit: 1,
  open: new Set(),
  running: false,
  shown: null,
};

export class FlameChart {
  readonly element = document.createElement('div');
  readonly #canvas = document.createElement('canvas');
  readonly #room = document.createElement('div');
  readonly #tip = document.createElement('div');
  readonly #context: CanvasRenderingContext2D | null;
  readonly #events: ChartEvents;
  readonly #stages: readonly string[];
  #data: ChartData = EMPTY;
  #tracks: Track[] = [];
  #layout: Layout = layoutOf([], false, () => 0);
  #colours: Colours | null = null;
  #camera: Camera = fit(1);
  /** Follows the end of the time, as it was not moved. */
  #fitted = true;
  #frame = 0;
  #width = 0;
  #height = 0;
  #hovered: number | null = null;
  #found: ((span: number) => boolean) | null = null;
  #selected: number | null = null;
  #range: readonly [number, number] | null = null;
  #markAt: number | null = null;

  constructor(label: string, stages: readonly string[], events: ChartEvents) {
    this.#events = events;
    this.#stages = stages;
    this.element.className = 'flame';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'application');
    this.element.setAttribute('aria-label', label);
    this.#room.className = 'flame-room';
    this.#tip.className = 'flame-tip';
    this.#tip.hidden = true;
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.element.append(this.#room, this.#canvas, this.#tip);
    this.#context = this.#canvas.getContext('2d');
    new ResizeObserver(() => this.#resize()).observe(this.element);
    watchTheme(() => {
      this.#colours = null;
      this.draw();
    });
    this.element.addEventListener('scroll', () => this.draw());
    this.element.addEventListener('pointerdown', (event) => this.#press(event));
    this.element.addEventListener('pointermove', (event) => this.#hover(event));
    this.element.addEventListener('pointerleave', () => this.#leave());
    this.element.addEventListener('dblclick', (event) => {
      const span = this.#at(event);
      if (span !== null) this.#events.open(span);
    });
    this.element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
  }

  // --- what it shows -------------------------------------------------------------------------------------------------

  set(data: ChartData): void {
    this.#data = data;
    this.#tracks = tracksOf(data.lanes, data.columns, data.shown);
    this.#hovered = null;
    const context = this.#context;
    if (context !== null) context.font = '12px sans-serif';
    this.#layout = layoutOf(data.lanes, data.marks.length > 0, (text) => context?.measureText(text).width ?? 0);
    this.element.style.setProperty('flex-basis', `${this.naturalHeight}px`);
    this.#room.style.height = `${this.naturalHeight}px`;
    this.#camera = this.#fitted ? fit(data.length) : held(this.#camera, data.length);
    this.draw();
  }

  /** Height at which nothing has to scroll. */
  get naturalHeight(): number {
    return this.#layout.head + this.#layout.height + 1;
  }

  set selected(span: number | null) {
    this.#selected = span;
    this.draw();
  }

  set found(found: ((span: number) => boolean) | null) {
    this.#found = found;
    this.draw();
  }

  get range(): readonly [number, number] | null {
    return this.#range;
  }

  set range(range: readonly [number, number] | null) {
    this.#range = range;
    this.draw();
  }

  set markAt(mark: number | null) {
    this.#markAt = mark;
    this.draw();
  }

  /** Null: all is in view, and stays so when there is more. */
  get camera(): Camera | null {
    return this.#fitted ? null : this.#camera;
  }

  set camera(camera: Camera | null) {
    this.#move(camera === null ? fit(this.#data.length) : held(camera, this.#data.length));
  }

  zoom(factor: number, around?: number): void {
    const { from, to } = this.#camera;
    this.#move(zoomed(this.#camera, factor, around ?? (from + to) / 2, this.#data.length));
  }

  pan(share: number): void {
    this.#move(panned(this.#camera, share, this.#data.length));
  }

  /** Brings a span into view; `close`: as large as it can be. */
  reveal(span: number, close = false): void {
    const { start, time, lane, row } = this.#data.columns;
    this.#move(revealing(this.#camera, start[span], start[span] + time[span], this.#data.length, close));
    this.#scrollTo(lane[span], row[span]);
  }

  /** Scrolls to the row of a span, and leaves alone what part of the time is in view. */
  scrollTo(span: number): void {
    const { lane, row } = this.#data.columns;
    this.#scrollTo(lane[span], row[span]);
  }

  #scrollTo(lane: number, row: number): void {
    const top = rowTop(this.#layout, lane, row);
    const room = this.element.clientHeight - this.#layout.head;
    const { scrollTop } = this.element;
    if (top < scrollTop) this.element.scrollTop = top - 4;
    else if (top + ROW > scrollTop + room) this.element.scrollTop = top + ROW - room + 4;
  }

  revealTime(time: number): void {
    this.#move(revealing(this.#camera, time, time, this.#data.length));
  }

  zoomTo(from: number, to: number): void {
    this.#move(revealing(this.#camera, from, to, this.#data.length, true));
  }

  #move(camera: Camera): void {
    const all = fit(this.#data.length);
    this.#fitted = camera.to - camera.from >= (all.to - all.from) * 0.9999;
    this.#camera = camera;
    this.#hideTip();
    this.draw();
    this.#events.moved();
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #resize(): void {
    this.#width = this.element.clientWidth;
    this.#height = this.element.clientHeight;
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(this.#width * ratio);
    this.#canvas.height = Math.round(this.#height * ratio);
    this.#canvas.style.width = `${this.#width}px`;
    this.#canvas.style.height = `${this.#height}px`;
    this.paintNow();
  }

  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => this.paintNow());
  }

  #scene(): Scene {
    const { lanes, columns, marks, unit, open, running, wholeNames = false } = this.#data;
    return {
      lanes,
      columns,
      marks,
      unit,
      open,
      running,
      wholeNames,
      tracks: this.#tracks,
      layout: this.#layout,
      camera: this.#camera,
      scroll: this.element.scrollTop,
      width: this.#width,
      height: this.#height,
      selected: this.#selected,
      hovered: this.#hovered,
      found: this.#found,
      range: this.#range,
      markAt: this.#markAt,
    };
  }

  /** Draws at once; for measuring, too. */
  paintNow(): void {
    this.#frame = 0;
    const context = this.#context;
    if (context === null || this.#width === 0) return;
    this.#colours ??= readColours(this.#stages);
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, this.#scene(), this.#colours);
  }

  // --- mouse ---------------------------------------------------------------------------------------------------------

  #place(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #time(x: number): number {
    return this.#camera.from + (x - this.#layout.labels) / scaleOf(this.#scene());
  }

  #at(event: MouseEvent): number | null {
    const { x, y } = this.#place(event);
    if (x < this.#layout.labels || y < this.#layout.head) return null;
    const found = rowAt(this.#layout, y - this.#layout.head + this.element.scrollTop);
    if (found === null) return null;
    const track = this.#tracks.find(({ lane, row }) => lane === found.lane && row === found.row);
    if (track === undefined) return null;
    return spanAt(track, this.#data.columns, this.#time(x), REACH / scaleOf(this.#scene()));
  }

  #markAtPlace(event: MouseEvent): number | null {
    const { x, y } = this.#place(event);
    if (y < RULER || y >= this.#layout.head) return null;
    const scale = scaleOf(this.#scene());
    const at = this.#data.marks.map(({ time }) => this.#layout.labels + (time - this.#camera.from) * scale);
    const before = at.filter((one) => one - 7 <= x).length - 1;
    return before >= 0 ? before : null;
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { x } = this.#place(event);
    if (x > this.element.clientWidth) return;
    const begun = this.#time(x);
    const pans = event.shiftKey;
    let dragged = false;
    let last = x;
    this.element.setPointerCapture(event.pointerId);
    const move = (now: PointerEvent): void => {
      const at = this.#place(now).x;
      if (!dragged && Math.abs(at - x) < DRAG) return;
      dragged = true;
      this.#hideTip();
      if (pans) {
        this.pan((last - at) / Math.max(this.#width - this.#layout.labels, 1));
        last = at;
        return;
      }
      const time = this.#time(at);
      const clamp = (one: number): number => Math.max(0, Math.min(this.#data.length, one));
      this.range = [clamp(Math.min(begun, time)), clamp(Math.max(begun, time))];
    };
    const up = (): void => {
      this.element.removeEventListener('pointermove', move);
      this.element.removeEventListener('pointerup', up);
      this.element.removeEventListener('pointercancel', up);
      if (dragged && !pans) this.#events.range(this.#range);
      else if (!dragged) this.#click(event);
    };
    this.element.addEventListener('pointermove', move);
    this.element.addEventListener('pointerup', up);
    this.element.addEventListener('pointercancel', up);
  }

  #click(event: PointerEvent): void {
    const mark = this.#markAtPlace(event);
    if (mark !== null) {
      this.#events.mark(mark);
      return;
    }
    if (this.#range !== null) {
      this.range = null;
      this.#events.range(null);
    }
    this.#events.pick(this.#at(event));
  }

  #hover(event: PointerEvent): void {
    if (event.buttons !== 0) return;
    const mark = this.#markAtPlace(event);
    const span = this.#at(event);
    if (span !== this.#hovered) {
      this.#hovered = span;
      this.draw();
    }
    if (mark !== null) this.#showTip(event, [this.#data.marks[mark].text]);
    else if (span !== null) this.#showTip(event, this.#events.describe(span));
    else this.#hideTip();
  }

  #leave(): void {
    this.#hideTip();
    if (this.#hovered === null) return;
    this.#hovered = null;
    this.draw();
  }

  #showTip(event: MouseEvent, lines: readonly string[]): void {
    const [name, ...rest] = lines;
    const title = document.createElement('b');
    title.textContent = name.length > 300 ? `${name.slice(0, 300)}…` : name;
    const texts = rest.map((line) => {
      const element = document.createElement('div');
      element.textContent = line;
      return element;
    });
    this.#tip.replaceChildren(title, ...texts);
    this.#tip.hidden = false;
    const { offsetWidth, offsetHeight } = this.#tip;
    const left = Math.min(event.clientX + 12, window.innerWidth - offsetWidth - 6);
    const below = event.clientY + 16;
    const top = below + offsetHeight > window.innerHeight ? event.clientY - offsetHeight - 10 : below;
    this.#tip.style.left = `${Math.max(left, 4)}px`;
    this.#tip.style.top = `${Math.max(top, 4)}px`;
  }

  #hideTip(): void {
    this.#tip.hidden = true;
  }

  #wheel(event: WheelEvent): void {
    const taller = this.element.scrollHeight > this.element.clientHeight;
    if (event.altKey && taller) return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.pan(sideways / Math.max(this.#width - this.#layout.labels, 1));
      return;
    }
    this.zoom(Math.exp(-event.deltaY * WHEEL), this.#time(Math.max(this.#place(event).x, this.#layout.labels)));
  }
}
