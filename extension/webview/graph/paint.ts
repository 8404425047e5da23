/** Draws a scene on a 2D canvas: only what is in view, and only as much of it as can be read at that size. */
import * as l10n from '@vscode/l10n';
import type { Theme } from '../shared/theme';
import { markColour } from './colours';
import { countsText } from './diff';
import type { Group } from './groups';
import { callNumber, fitType, kernelNote, shorten, titleOf } from './labels';
import { drawnOn, type Look } from './look';
import type { ChangeState, Graph } from './model';
import { paintPaths } from './paint-paths';
import { type Box, closedText, countText, type Path, type Scene } from './scene';

/** Below these scales shapes, names and everything but boxes go. */
const SHAPES_FROM = 0.6;
const NAMES_FROM = 0.35;
const DETAIL_FROM = 0.18;
const RADIUS = 4;
/** What a change is marked with beside its colour. */
const SIGNS = { added: '+', removed: '\u2212', changed: '~', same: '' } as const;

export class Painter {
  /** The box under the pointer. */
  hover: number | string | null = null;
  hoverPath: Path | null = null;
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
    paintPaths(this.#context, this.#theme, scene, look, paths, scale, this.hoverPath);
    const shown = boxes.filter((i) => drawnOn(look.side, changeOf(graph, scene.boxes[i])));
    if (scale < DETAIL_FROM) {
      this.#plain(graph, scene, look, shown);
      return;
    }
    for (const i of shown) {
      const box = scene.boxes[i];
      if (box.kind === 'closed') this.#closed(graph, box, look, scale);
      else if (box.kind === 'node') this.#node(graph, box, look, scale);
    }
  }

  /** Far away: one filled rectangle a box, grouped by colour. */
  #plain(graph: Graph, scene: Scene, look: Look, boxes: readonly number[]): void {
    const context = this.#context;
    const byColour = new Map<string, Path2D>();
    for (const i of boxes) {
      const box = scene.boxes[i];
      if (box.kind === 'frame') continue;
      const mark = typeof box.id === 'number' ? markColour(this.#theme, look.marks[box.id]) : null;
      const change = changeOf(graph, box);
      const own = change === 'same' ? mark : this.#theme[change];
      const usual = box.id === look.suspect ? this.#theme.error : (own ?? this.#theme.edge);
      const colour = box.id === look.selected ? this.#theme.focus : usual;
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

  #box(box: Box, fill: string, look: Look, stroke: string = this.#theme.border, change: ChangeState = 'same'): void {
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
    if (change !== 'same' && !this.#theme.highContrast) {
      context.globalAlpha = change === 'changed' ? 0.13 : 0.16;
      context.fillStyle = this.#theme[change];
      context.fill();
      context.globalAlpha = 1;
    }
    if (selected) {
      context.strokeStyle = this.#theme.contrastActive || this.#theme.focus;
      context.lineWidth = 2.2;
    } else if (box.id === look.suspect) {
      context.strokeStyle = this.#theme.error;
      context.lineWidth = 2.2;
    } else if (change !== 'same') {
      context.strokeStyle = this.#theme[change];
      context.lineWidth = 1.3;
    } else {
      context.strokeStyle = this.#theme.highContrast && stroke === this.#theme.border ? this.#theme.contrast : stroke;
      context.lineWidth = stroke === this.#theme.border ? 1 : 1.5;
    }
    context.setLineDash(change === 'removed' ? [4.5, 3] : []);
    context.stroke();
    context.setLineDash([]);
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
    const count = look.changes.has(box.group.id) ? '' : countText(box.group);
    const right = this.#changes(box.group, look, box.x + box.w - 10, y);
    this.#caption(count, right, y, 'right');
    const note = look.numbers.get(box.group.id);
    this.#title(box, box.x + 23, y, right - box.x - 30 - this.#measure(this.#captionFont, count), note);
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
    let right = this.#changes(group, look, box.x + box.w - 9, y);
    if (matches > 0)
      right =
        this.#pill(
          matches === 1 ? l10n.t('{0} match', matches) : l10n.t('{0} matches', matches),
          right,
          box.y + box.h / 2,
        ) - 7;
    const room = matches > 0 || scale < SHAPES_FROM ? 0 : box.w - 40 - this.#measure(this.#titleFont, group.title);
    const long = closedText(graph, group);
    const isPlain = !look.changes.has(group.id);
    const count = isPlain ? (this.#measure(this.#captionFont, long) <= room ? long : countText(group)) : '';
    this.#caption(count, right, y, 'right');
    this.#title(box, box.x + 24, y, right - this.#measure(this.#captionFont, count) - box.x - 32);
  }

  /** `+15 −3 ~1`, each in its colour, from the right; returns where they begin. */
  #changes(group: Group, look: Look, right: number, y: number): number {
    const counts = look.changes.get(group.id);
    if (!counts) return right;
    const context = this.#context;
    let at = right;
    for (const state of ['changed', 'removed', 'added'] as const) {
      if (counts[state] === 0) continue;
      const text = countsText({ added: 0, removed: 0, changed: 0, [state]: counts[state] });
      context.font = this.#captionFont;
      context.textAlign = 'right';
      context.fillStyle = this.#theme[state];
      context.fillText(text, at, y);
      at -= this.#measure(this.#captionFont, text) + 6;
    }
    return at;
  }

  #dot(box: Box): void {
    this.#context.beginPath();
    this.#context.arc(box.x + box.w - 14, box.y + box.h / 2, 6, 0, 7);
    this.#context.fillStyle = this.#theme.orange;
    this.#context.fill();
  }

  #title(box: Box, x: number, y: number, room: number, note?: string): void {
    const { title } = box.group!;
    const kind = note ?? box.group!.kind;
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
    const kernel = graph.isSchedule;
    const change = changeOf(graph, box);
    const mark = markColour(this.#theme, look.marks[node]);
    const isFallback = kernel && graph.data.kinds[node] === 'fallback';
    const stroke = matched ? this.#theme.orange : isFallback ? this.#theme.red : undefined;
    this.#box(box, this.#theme.node, look, stroke, change);
    if (kernel && (box.h > 30 || isFallback) && mark && !this.#theme.highContrast) {
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
    const left = box.x + (kernel ? 36 : change === 'same' ? 11 : 21);
    if (change !== 'same') {
      context.font = this.#titleFont;
      context.textAlign = 'left';
      context.fillStyle = this.#theme[change];
      context.fillText(SIGNS[change], box.x + 9, y);
    }
    const right = box.x + box.w - 9;
    let note = '';
    if (kernel) {
      context.font = this.#captionFont;
      this.#caption(callNumber(graph, node), box.x + 28, y, 'right');
      note = kernelNote(graph, node);
    } else if (scale >= SHAPES_FROM) note = graph.types[node];
    const name = titleOf(graph, node);
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
        this.#caption(l10n.t('+ {0} more', rest), at + 3, y + 12, 'left');
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
}

/** What became of a node; groups stay the same. */
function changeOf(graph: Graph, box: Box): ChangeState {
  return typeof box.id === 'number' ? (graph.change?.states[box.id] ?? 'same') : 'same';
}
