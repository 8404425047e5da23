/** Draws a flame chart on a canvas. */
import * as l10n from '@vscode/l10n';
import { duration } from '../format';
import { type Camera, ticks } from './camera';
import { type Layout, MARKS, ROW, rowTop, RULER } from './layout';
import { blocksOf, type Columns, type Lane, type Mark, type Track } from './spans';

export interface Colours {
  readonly background: string;
  readonly foreground: string;
  readonly dim: string;
  readonly line: string;
  readonly focus: string;
  readonly mark: string;
  /** Of each place of a colour: the stripe, and what is behind the name. */
  readonly stripes: readonly string[];
  readonly fills: readonly string[];
  /** Set in high contrast: the outline of spans, which have no fill then. */
  readonly outline: string | null;
  readonly active: string;
  readonly font: string;
}

export interface Scene {
  readonly lanes: readonly Lane[];
  readonly columns: Columns;
  readonly tracks: readonly Track[];
  readonly marks: readonly Mark[];
  readonly layout: Layout;
  readonly camera: Camera;
  /** Units of time in a second. */
  readonly unit: number;
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  readonly selected: number | null;
  readonly hovered: number | null;
  /** Spans that are not faded; null: none is faded. */
  readonly found: ((span: number) => boolean) | null;
  readonly range: readonly [number, number] | null;
  /** Spans without an end, and whether they go on. */
  readonly open: ReadonlySet<number>;
  readonly running: boolean;
  /** A name that does not fit is left out rather than cut. */
  readonly wholeNames: boolean;
  readonly markAt: number | null;
}

const STRIPE = 3;
const LEAST_NAME = 28;
const LEAST_OUTLINE = 9;
const FADED = 0.28;
const TICK_ROOM = 90;

/** Pixels for each unit of time. */
export const scaleOf = ({ camera, layout, width }: Pick<Scene, 'camera' | 'layout' | 'width'>): number =>
  Math.max(width - layout.labels, 1) / (camera.to - camera.from);

export function paint(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { layout, width, height } = scene;
  context.fillStyle = colours.background;
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.font = `11px ${colours.font}`;
  grid(context, scene, colours);
  context.save();
  context.beginPath();
  context.rect(0, layout.head, width, height - layout.head);
  context.clip();
  context.translate(0, layout.head - scene.scroll);
  names(context, scene, colours);
  context.save();
  context.beginPath();
  context.rect(layout.labels, scene.scroll, width - layout.labels, height - layout.head);
  context.clip();
  for (const track of scene.tracks) row(context, scene, colours, track);
  chosen(context, scene, colours);
  context.restore();
  context.restore();
  drawMarks(context, scene, colours);
  drawRange(context, scene, colours);
}

function grid(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { camera, layout, width, height } = scene;
  const scale = scaleOf(scene);
  const { step, times } = ticks(camera, TICK_ROOM / scale);
  context.fillStyle = colours.line;
  context.fillRect(0, RULER - 1, width, 1);
  if (layout.head > RULER) context.fillRect(0, layout.head - 1, width, 1);
  for (const time of times) {
    const x = Math.round(layout.labels + (time - camera.from) * scale);
    if (x < layout.labels) continue;
    context.fillStyle = colours.line;
    context.globalAlpha = colours.outline === null ? 1 : 0.4;
    context.fillRect(x, 0, 1, height);
    context.globalAlpha = 1;
    context.fillStyle = colours.dim;
    context.fillText(timeText(time / scene.unit, step / scene.unit), x + 4, RULER / 2);
  }
}

/** A time on the ruler, with as many digits as the step needs. */
export function timeText(seconds: number, step: number): string {
  if (seconds === 0) return '0 s';
  const digits = (unit: number): number => Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  if (step >= 0.01 || seconds >= 10) return `${seconds.toFixed(digits(1))} s`;
  return `${(seconds * 1e3).toFixed(digits(1e-3))} ms`;
}

function names(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  scene.lanes.forEach((lane, number) => {
    const { top, ruled } = scene.layout.bands[number];
    if (ruled) {
      context.fillStyle = colours.line;
      context.fillRect(0, top - 3, scene.width, 1);
    }
    context.fillStyle = colours.dim;
    context.font = `12px ${colours.font}`;
    context.fillText(fitted(context, lane.name, scene.layout.labels - 20), 14, top + ROW / 2 + 1);
    context.font = `11px ${colours.font}`;
  });
}

function row(context: CanvasRenderingContext2D, scene: Scene, colours: Colours, track: Track): void {
  const { camera, layout, columns } = scene;
  const y = rowTop(layout, track.lane, track.row);
  if (y + ROW < scene.scroll || y > scene.scroll + scene.height) return;
  const scale = scaleOf(scene);
  const thin = new Thin();
  for (const block of blocksOf(track, columns, camera.from, camera.to, scale)) {
    const left = layout.labels + (block.from - camera.from) * scale;
    const wide = Math.max((block.to - block.from) * scale - (block.count === 1 ? 1 : 0), 1);
    const alpha = scene.found !== null && !scene.found(block.span) ? FADED : 1;
    if (block.count > 1 || wide < STRIPE) {
      thin.add(columns.colour[block.span], alpha * (wide < STRIPE ? 0.85 : 0.6), left, y, wide);
      continue;
    }
    context.globalAlpha = alpha;
    box(context, scene, colours, block.span, left, y, wide);
  }
  thin.fill(context, colours);
  context.globalAlpha = 1;
}

/** Spans without room for more than their colour: all of one colour are filled at once, which is much quicker. */
class Thin {
  readonly #kinds = new Map<string, { colour: number; alpha: number; rects: number[] }>();

  add(colour: number, alpha: number, left: number, top: number, wide: number): void {
    const key = `${colour} ${alpha}`;
    let found = this.#kinds.get(key);
    if (found === undefined) {
      found = { colour, alpha, rects: [] };
      this.#kinds.set(key, found);
    }
    // Whole pixels need no smoothing.
    found.rects.push(Math.round(left), top, Math.max(1, Math.round(wide)));
  }

  fill(context: CanvasRenderingContext2D, colours: Colours): void {
    for (const { colour, alpha, rects } of this.#kinds.values()) {
      context.fillStyle = colours.stripes[colour];
      context.globalAlpha = alpha;
      for (let at = 0; at < rects.length; at += 3) context.fillRect(rects[at], rects[at + 1], rects[at + 2], ROW);
    }
  }
}

function box(
  context: CanvasRenderingContext2D,
  scene: Scene,
  colours: Colours,
  span: number,
  left: number,
  y: number,
  wide: number,
): void {
  const colour = scene.columns.colour[span];
  context.fillStyle = colours.outline === null ? colours.fills[colour] : colours.background;
  context.fillRect(left, y, wide, ROW);
  context.fillStyle = colours.stripes[colour];
  context.fillRect(left, y, Math.min(STRIPE - 1, wide), ROW);
  if (colours.outline !== null) {
    context.strokeStyle = colours.outline;
    context.strokeRect(left + 0.5, y + 0.5, Math.max(wide - 1, 0), ROW - 1);
  }
  if (scene.open.has(span)) openEnd(context, scene, colours, left + wide, y);
  const first = Math.max(left, scene.layout.labels) + 6;
  const room = Math.min(left + wide, scene.width) - first - 4;
  if (room < LEAST_NAME) return;
  context.fillStyle = colours.foreground;
  const name = scene.columns.label(span);
  const shown = fitted(context, name, room);
  if (scene.wholeNames && shown !== name) return;
  context.fillText(shown, first, y + ROW / 2 + 0.5);
  if (shown !== name) return;
  const used = context.measureText(name).width + 7;
  const took = duration(scene.columns.time[span] / scene.unit);
  if (used + context.measureText(took).width > room) return;
  const alpha = context.globalAlpha;
  context.globalAlpha *= 0.72;
  context.fillText(took, first + used, y + ROW / 2 + 0.5);
  context.globalAlpha = alpha;
}

/** A span that goes on is hatched at its end; one whose process ended has a torn edge. */
function openEnd(context: CanvasRenderingContext2D, scene: Scene, colours: Colours, x: number, y: number): void {
  context.save();
  context.beginPath();
  if (scene.running) {
    context.rect(x - 24, y, 24, ROW);
    context.clip();
    context.beginPath();
    for (let at = -ROW; at < 24; at += 5) {
      context.moveTo(x - 24 + at, y + ROW);
      context.lineTo(x - 24 + at + ROW, y);
    }
    context.strokeStyle = colours.dim;
    context.stroke();
  } else {
    context.moveTo(x + 1, y);
    for (let at = 0; at <= ROW; at += 4) context.lineTo(x - (at % 8 === 0 ? 0 : 5), y + at);
    context.lineTo(x + 1, y + ROW);
    context.closePath();
    context.fillStyle = colours.background;
    context.fill();
  }
  context.restore();
}

function outline(context: CanvasRenderingContext2D, scene: Scene, span: number, colour: string, width: number): void {
  const { camera, layout, columns } = scene;
  const scale = scaleOf(scene);
  const left = layout.labels + (columns.start[span] - camera.from) * scale;
  const wide = Math.max(columns.time[span] * scale - 1, LEAST_OUTLINE);
  context.strokeStyle = colour;
  context.lineWidth = width;
  const inset = width / 2;
  const y = rowTop(layout, columns.lane[span], columns.row[span]);
  // One that is too thin to see has its outline around it.
  const out = Math.max(0, (wide - columns.time[span] * scale) / 2);
  context.strokeRect(left - out + inset, y + inset, Math.max(wide - width, 1), ROW - width);
  context.lineWidth = 1;
}

function chosen(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  if (scene.hovered !== null && scene.hovered !== scene.selected)
    outline(context, scene, scene.hovered, colours.outline === null ? colours.dim : colours.active, 1);
  if (scene.selected !== null) outline(context, scene, scene.selected, colours.active, 2);
}

function drawMarks(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { camera, layout, marks } = scene;
  if (layout.head <= RULER) return;
  const scale = scaleOf(scene);
  const middle = RULER + MARKS / 2 - 0.5;
  context.fillStyle = colours.dim;
  context.font = `12px ${colours.font}`;
  context.fillText(fitted(context, l10n.t('Compiles'), layout.labels - 20), 14, middle);
  context.save();
  context.beginPath();
  context.rect(layout.labels - 6, 0, scene.width, scene.height);
  context.clip();
  let free = Number.NEGATIVE_INFINITY;
  marks.forEach((mark, number) => {
    const x = layout.labels + (mark.time - camera.from) * scale;
    if (x < layout.labels - 6 || x > scene.width + 6) return;
    if (x < free && scene.markAt !== number) return;
    const colour = mark.strong ? colours.mark : colours.dim;
    const next = marks.slice(number + 1).find(({ time }) => time > mark.time);
    const room = (next === undefined ? scene.width : layout.labels + (next.time - camera.from) * scale) - x - 22;
    context.strokeStyle = colour;
    context.setLineDash([3, 3]);
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, middle + 5);
    context.lineTo(Math.round(x) + 0.5, scene.height);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colour;
    context.beginPath();
    for (const [dx, dy] of [
      [0, -5],
      [5, 0],
      [0, 5],
      [-5, 0],
    ])
      context.lineTo(x + dx, middle + dy);
    context.fill();
    if (scene.markAt === number) {
      context.strokeStyle = colours.active;
      context.strokeRect(x - 7.5, middle - 7.5, 15, 15);
    }
    free = x + 3;
    if (room < LEAST_NAME) return;
    context.font = `600 11px ${colours.font}`;
    context.fillText(fitted(context, mark.text, room), x + 10, middle);
  });
  context.restore();
  context.font = `11px ${colours.font}`;
}

function drawRange(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  if (scene.range === null) return;
  const { camera, layout } = scene;
  const scale = scaleOf(scene);
  const at = (time: number): number => layout.labels + (time - camera.from) * scale;
  const left = Math.max(at(scene.range[0]), layout.labels);
  const right = Math.min(at(scene.range[1]), scene.width);
  if (right <= left) return;
  context.fillStyle = colours.active;
  context.globalAlpha = 0.14;
  context.fillRect(left, 0, right - left, scene.height);
  context.globalAlpha = 1;
  context.fillRect(left, 0, 1, scene.height);
  context.fillRect(right - 1, 0, 1, scene.height);
}

/** A text cut to a width, with an ellipsis; empty when nothing fits. Widths are near enough for one font. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (room <= 0) return '';
  const long = text.length > 200 ? text.slice(0, 200) : text;
  const whole = context.measureText(long).width;
  if (whole <= room && long === text) return text;
  let kept = Math.min(long.length, Math.floor((long.length * room) / whole));
  while (kept > 0 && context.measureText(`${long.slice(0, kept)}…`).width > room) kept--;
  return kept < 2 ? '' : `${long.slice(0, kept)}…`;
}
