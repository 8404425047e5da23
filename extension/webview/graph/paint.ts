/** Draws a scene on a 2D canvas: only what is in view, and only as much of it as can be read at that size. */
import type { Theme } from '../shared/theme';
import { type Mark, markColour } from './colours';
import type { Group } from './groups';
import { fitType, kernelNote, shorten } from './labels';
import type { Graph } from './model';
import { type Box, closedText, countText, type Path, type Scene } from './scene';

/** What stands out in the drawing. */
export interface Look {
  readonly marks: readonly Mark[];
  readonly selected: number | string | null;
  /** Segments of the edges into and out of the selection. */
  readonly hot: ReadonlySet<string>;
  readonly matches: ReadonlySet<number>;
  readonly groupMatches: ReadonlyMap<string, number>;
  /** The words to mark inside names. */
  readonly words: readonly string[];
}

/** Below these scales shapes, names and everything but boxes go. */
const SHAPES_FROM = 0.6;
const NAMES_FROM = 0.35;
const DETAIL_FROM = 0.18;
const RADIUS = 4;
const BEND = 5;

export class Painter {
  /** The box under the pointer. */
  hover: number | string | null = null;
  readonly #context: CanvasRenderingContext2D;
  readonly #theme: Theme;
  readonly #widths = new Map<string, number>();
  readonly #codeWidth: number;
  readonly #chipWidth: number;
  readonly #titleFont: string;
  readonly #captionFont: string;
  readonly #codeFont: string;
  readonly #shapeFont: string;
  readonly #chipFont: string;
  readonly #closedTexts = new WeakMap<Group, string>();

  constructor(context: CanvasRenderingContext2D, theme: Theme) {
    this.#context = context;
    this.#theme = theme;
    this.#titleFont = `600 12px ${theme.font}`;
    this.#captionFont = `11px ${theme.font}`;
    this.#codeFont = `11.5px ${theme.code}`;
    this.#shapeFont = `11px ${theme.code}`;
    this.#chipFont = `10px ${theme.code}`;
    this.#codeWidth = this.#measure(this.#codeFont, 'mmmmmmmmmm') / 10;
    this.#chipWidth = this.#measure(this.#chipFont, 'mmmmmmmmmm') / 10;
  }

  #measure(font: string, text: string): number {
    const key = `${font}|${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    this.#context.font = font;
    const width = this.#context.measureText(text).width;
    if (this.#widths.size > 5000) this.#widths.clear();
    this.#widths.set(key, width);
    return width;
  }

  /** Draws these boxes and paths; the context is already scaled to drawing units. */
  paint(
    graph: Graph,
    scene: Scene,
    look: Look,
    boxes: readonly number[],
    paths: readonly number[],
    scale: number,
  ): void {
    for (const i of boxes) if (scene.boxes[i].kind === 'frame') this.#frame(scene.boxes[i], look, scale);
    this.#paths(scene, look, paths, scale);
    if (scale < DETAIL_FROM) {
      this.#plain(scene, look, boxes);
      return;
    }
    for (const i of boxes) {
      const box = scene.boxes[i];
      if (box.kind === 'closed') this.#closed(graph, box, look, scale);
      else if (box.kind === 'node') this.#node(graph, box, look, scale);
    }
  }

  /** Far away: one filled rectangle a box, grouped by colour. */
  #plain(scene: Scene, look: Look, boxes: readonly number[]): void {
    const context = this.#context;
    const byColour = new Map<string, Path2D>();
    for (const i of boxes) {
      const box = scene.boxes[i];
      if (box.kind === 'frame') continue;
      const mark = typeof box.id === 'number' ? markColour(this.#theme, look.marks[box.id]) : null;
      const colour = box.id === look.selected ? this.#theme.focus : (mark ?? this.#theme.edge);
      let path = byColour.get(colour);
      if (!path) byColour.set(colour, (path = new Path2D()));
      path.rect(box.x, box.y, box.w, box.h);
    }
    context.globalAlpha = 0.75;
    for (const [colour, path] of byColour) {
      context.fillStyle = colour;
      context.fill(path);
    }
    context.globalAlpha = 1;
  }

  #box(box: Box, fill: string, look: Look, stroke: string = this.#theme.border): void {
    const context = this.#context;
    const selected = box.id === look.selected;
    context.beginPath();
    context.roundRect(box.x, box.y, box.w, box.h, RADIUS);
    if (!this.#theme.highContrast) {
      context.fillStyle = fill;
      context.fill();
    } else {
      context.fillStyle = this.#theme.background;
      context.fill();
    }
    if (selected) {
      context.strokeStyle = this.#theme.contrastActive || this.#theme.focus;
      context.lineWidth = 2.2;
    } else {
      context.strokeStyle = this.#theme.highContrast && stroke === this.#theme.border ? this.#theme.contrast : stroke;
      context.lineWidth = stroke === this.#theme.border ? 1 : 1.5;
    }
    context.stroke();
    if (box.id === this.hover && !selected) {
      context.globalAlpha = 0.06;
      context.fillStyle = this.#theme.foreground;
      context.fill();
      context.globalAlpha = 1;
    }
  }

  #frame(box: Box, look: Look, scale: number): void {
    this.#box(box, box.depth % 2 ? this.#theme.background : this.#theme.group, look);
    if (scale < NAMES_FROM || !box.group) return;
    const y = box.y + 16;
    this.#chevron(box.x + 13, box.y + 12, true);
    const count = countText(box.group);
    this.#caption(count, box.x + box.w - 10, y, 'right');
    this.#title(box, box.x + 23, y, box.w - 40 - this.#measure(this.#captionFont, count));
  }

  #closed(graph: Graph, box: Box, look: Look, scale: number): void {
    const group = box.group!;
    const context = this.#context;
    if (scale >= NAMES_FROM && !this.#theme.highContrast) {
      context.beginPath();
      context.roundRect(box.x + 3, box.y + 3, box.w, box.h, RADIUS);
      context.fillStyle = this.#theme.group;
      context.fill();
      context.strokeStyle = this.#theme.border;
      context.lineWidth = 1;
      context.stroke();
    }
    const matches = look.groupMatches.get(group.id) ?? 0;
    this.#box(box, this.#theme.node, look);
    if (scale < NAMES_FROM) {
      if (matches > 0) this.#dot(box);
      return;
    }
    const y = box.y + box.h / 2 + 4;
    this.#chevron(box.x + 13, box.y + box.h / 2, false);
    let right = box.x + box.w - 9;
    if (matches > 0)
      right = this.#pill(`${matches} ${matches === 1 ? 'match' : 'matches'}`, right, box.y + box.h / 2) - 7;
    const room = matches > 0 || scale < SHAPES_FROM ? 0 : box.w - 40 - this.#measure(this.#titleFont, group.title);
    let long = this.#closedTexts.get(group);
    if (long === undefined) this.#closedTexts.set(group, (long = closedText(graph, group)));
    const count = this.#measure(this.#captionFont, long) <= room ? long : countText(group);
    this.#caption(count, right, y, 'right');
    this.#title(box, box.x + 24, y, right - this.#measure(this.#captionFont, count) - box.x - 32);
  }

  #dot(box: Box): void {
    this.#context.beginPath();
    this.#context.arc(box.x + box.w - 14, box.y + box.h / 2, 6, 0, 7);
    this.#context.fillStyle = this.#theme.orange;
    this.#context.fill();
  }

  #title(box: Box, x: number, y: number, room: number): void {
    const { title, kind } = box.group!;
    const context = this.#context;
    context.textAlign = 'left';
    context.fillStyle = this.#theme.foreground;
    const text = this.#fit(this.#titleFont, title, room);
    context.font = this.#titleFont;
    context.fillText(text, x, y);
    const used = this.#measure(this.#titleFont, text) + 5;
    if (kind !== '' && text === title && room - used > 30)
      this.#caption(this.#fit(this.#captionFont, kind, room - used), x + used, y, 'left');
  }

  #caption(text: string, x: number, y: number, align: CanvasTextAlign): void {
    const context = this.#context;
    context.font = this.#captionFont;
    context.textAlign = align;
    context.fillStyle = this.#theme.dim;
    context.fillText(text, x, y);
  }

  /** Text that fits, cut in the middle so that a number at its end stays. */
  #fit(font: string, text: string, room: number): string {
    if (this.#measure(font, text) <= room) return text;
    const keep = Math.floor((text.length * room) / this.#measure(font, text)) - 1;
    return shorten(text, keep);
  }

  #pill(text: string, right: number, middle: number): number {
    const context = this.#context;
    const font = `10px ${this.#theme.font}`;
    const width = this.#measure(font, text) + 14;
    context.beginPath();
    context.roundRect(right - width, middle - 8, width, 16, 8);
    context.fillStyle = this.#theme.badge;
    context.fill();
    context.font = font;
    context.textAlign = 'center';
    context.fillStyle = this.#theme.badgeText;
    context.fillText(text, right - width / 2, middle + 3.5);
    return right - width;
  }

  #chevron(x: number, y: number, open: boolean): void {
    const context = this.#context;
    context.beginPath();
    if (open) {
      context.moveTo(x - 4, y - 2);
      context.lineTo(x, y + 2);
      context.lineTo(x + 4, y - 2);
    } else {
      context.moveTo(x - 2, y - 4);
      context.lineTo(x + 2, y);
      context.lineTo(x - 2, y + 4);
    }
    context.strokeStyle = this.#theme.foreground;
    context.lineWidth = 1.2;
    context.stroke();
  }

  #node(graph: Graph, box: Box, look: Look, scale: number): void {
    const context = this.#context;
    const node = box.id as number;
    const matched = look.matches.has(node);
    const kernel = graph.data.ops[node] === 'kernel';
    const mark = markColour(this.#theme, look.marks[node]);
    this.#box(box, this.#theme.node, look, matched ? this.#theme.orange : undefined);
    if (kernel && box.h > 30 && mark && !this.#theme.highContrast) {
      context.globalAlpha = 0.09;
      context.fillStyle = mark;
      context.fill();
      context.globalAlpha = 1;
    }
    if (mark) {
      context.beginPath();
      context.roundRect(box.x + 1, box.y + 1, 3, box.h - 2, 1.5);
      context.fillStyle = mark;
      context.fill();
    }
    if (scale < NAMES_FROM) return;
    const y = box.y + 17;
    const left = box.x + (kernel ? 36 : 11);
    const right = box.x + box.w - 9;
    let note = '';
    if (kernel) {
      context.font = this.#captionFont;
      this.#caption(String(node), box.x + 26, y, 'right');
      note = kernelNote(graph, node);
    } else if (scale >= SHAPES_FROM) note = graph.types[node];
    const name = graph.data.names[node];
    let nameRoom = right - left;
    if (note !== '') {
      const font = kernel ? this.#captionFont : this.#shapeFont;
      const nameWidth = Math.min(name.length * this.#codeWidth, (right - left) * 0.6);
      const text = fitType(note, right - left - nameWidth - 10, this.#measure(font, 'mmmmmmmmmm') / 10);
      if (text !== '') {
        context.font = font;
        context.textAlign = 'right';
        context.fillStyle = mark === this.#theme.red ? this.#theme.red : this.#theme.dim;
        context.fillText(text, right, y);
        nameRoom -= this.#measure(font, text) + 10;
      }
    }
    const text = shorten(name, Math.floor(nameRoom / this.#codeWidth));
    if (matched) this.#marks(text, look.words, left, box.y + 5);
    context.font = this.#codeFont;
    context.textAlign = 'left';
    context.fillStyle = this.#theme.foreground;
    context.fillText(text, left, y);
    if (kernel && box.h > 30 && scale >= SHAPES_FROM) this.#chips(graph.data.origins[node], left, box.y + 24, right);
  }

  #marks(text: string, words: readonly string[], x: number, y: number): void {
    const context = this.#context;
    context.fillStyle = this.#theme.match;
    const lower = text.toLowerCase();
    for (const word of words) {
      const at = lower.indexOf(word);
      if (at < 0) continue;
      context.beginPath();
      context.roundRect(x + at * this.#codeWidth - 1, y, word.length * this.#codeWidth + 2, 16, 2);
      context.fill();
    }
  }

  #chips(names: readonly string[], x: number, y: number, right: number): void {
    const context = this.#context;
    let at = x;
    for (let i = 0; i < names.length; i++) {
      const width = names[i].length * this.#chipWidth + 12;
      const rest = names.length - i;
      if (at + width > right - (rest > 1 ? 60 : 0)) {
        this.#caption(`+ ${rest} more`, at + 3, y + 12, 'left');
        return;
      }
      context.beginPath();
      context.roundRect(at, y, width, 16, 3);
      context.fillStyle = this.#theme.node;
      context.fill();
      context.strokeStyle = this.#theme.border;
      context.lineWidth = 1;
      context.stroke();
      context.font = this.#chipFont;
      context.textAlign = 'left';
      context.fillStyle = this.#theme.foreground;
      context.fillText(names[i], at + 6, y + 11.5);
      at += width + 5;
    }
  }

  #paths(scene: Scene, look: Look, paths: readonly number[], scale: number): void {
    const context = this.#context;
    const plain = new Path2D();
    const thin = new Path2D();
    const hot = new Path2D();
    const heads = new Path2D();
    const hotHeads = new Path2D();
    const detail = scale >= DETAIL_FROM;
    for (const i of paths) {
      const path = scene.paths[i];
      const isHot = look.hot.has(path.segment);
      const line = isHot ? hot : path.thin ? thin : plain;
      trace(line, path, detail);
      if (path.arrow && detail) arrow(isHot ? hotHeads : heads, path, isHot ? 4 : 3);
    }
    context.lineJoin = 'round';
    context.strokeStyle = this.#theme.highContrast ? this.#theme.foreground : this.#theme.edge;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = Math.max(1.1, 0.5 / scale);
    if (!detail) context.globalAlpha = 0.5;
    context.stroke(plain);
    context.fill(heads);
    context.globalAlpha = 0.7;
    context.setLineDash([3, 3]);
    context.stroke(thin);
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.strokeStyle = this.#theme.contrastActive || this.#theme.focus;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = Math.max(1.8, 1 / scale);
    context.stroke(hot);
    context.fill(hotHeads);
  }
}

function trace(line: Path2D, { points }: Path, round: boolean): void {
  line.moveTo(points[0], points[1]);
  const last = points.length - 2;
  for (let p = 2; p < last; p += 2) {
    if (!round) {
      line.lineTo(points[p], points[p + 1]);
      continue;
    }
    const before = Math.hypot(points[p] - points[p - 2], points[p + 1] - points[p - 1]);
    const after = Math.hypot(points[p + 2] - points[p], points[p + 3] - points[p + 1]);
    line.arcTo(points[p], points[p + 1], points[p + 2], points[p + 3], Math.min(BEND, before / 2, after / 2));
  }
  line.lineTo(points[last], points[last + 1]);
}

function arrow(heads: Path2D, { points }: Path, half: number): void {
  const last = points.length - 2;
  const [x, y] = [points[last], points[last + 1]];
  const dx = Math.sign(x - points[last - 2]);
  const dy = Math.sign(y - points[last - 1]);
  const length = half * 1.9;
  heads.moveTo(x, y);
  heads.lineTo(x - dx * length - dy * half, y - dy * length - dx * half);
  heads.lineTo(x - dx * length + dy * half, y - dy * length + dx * half);
  heads.closePath();
}
