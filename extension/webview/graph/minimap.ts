/** The small picture of the whole graph in a corner, with a frame around what is in view. */
import type { Theme } from '../shared/theme';
import { markColour } from './colours';
import type { Look } from './look';
import type { Scene } from './scene';

const MARGIN = 6;
const MAX_SCALE = 0.2;

/** A rectangle of the drawing. */
export interface Extent {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export class Minimap {
  readonly #canvas: HTMLCanvasElement;
  #scene: Scene | null = null;
  #image: HTMLCanvasElement | null = null;

  /** `jump` is called with a place of the drawing that the user points at. */
  constructor(canvas: HTMLCanvasElement, jump: (x: number, y: number) => void) {
    this.#canvas = canvas;
    const onPointer = (event: PointerEvent): void => {
      if (!this.#scene || event.buttons === 0) return;
      const { scale, left, top } = this.#place(this.#scene);
      jump((event.offsetX - left) / scale, (event.offsetY - top) / scale);
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      onPointer(event);
    });
    canvas.addEventListener('pointermove', onPointer);
  }

  /** What it shows has changed: it is painted anew with the next drawing. */
  forget(): void {
    this.#image = null;
  }

  draw(scene: Scene, look: Look, theme: Theme, view: Extent, ratio: number): void {
    this.#scene = scene;
    const canvas = this.#canvas;
    const { width, height, scale, left, top } = this.#place(scene);
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.#image?.width !== canvas.width) this.#image = this.#paint(scene, look, theme, ratio);
    context.drawImage(this.#image, 0, 0, width, height);
    const [x0, y0] = [Math.max(1, left + view.x * scale), Math.max(1, top + view.y * scale)];
    const x1 = Math.min(width - 1, left + (view.x + view.w) * scale);
    const y1 = Math.min(height - 1, top + (view.y + view.h) * scale);
    context.beginPath();
    context.roundRect(x0, y0, Math.max(4, x1 - x0), Math.max(4, y1 - y0), 2);
    context.fillStyle = theme.focus;
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = theme.focus;
    context.lineWidth = 1.3;
    context.stroke();
  }

  #place({ w, h }: Scene): { width: number; height: number; scale: number; left: number; top: number } {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const [roomW, roomH] = [width - 2 * MARGIN, height - 2 * MARGIN];
    const scale = Math.min(roomW / Math.max(w, 1), roomH / Math.max(h, 1), MAX_SCALE);
    return { width, height, scale, left: (width - w * scale) / 2, top: (height - h * scale) / 2 };
  }

  #paint(scene: Scene, look: Look, theme: Theme, ratio: number): HTMLCanvasElement {
    const { scale, left, top } = this.#place(scene);
    const image = document.createElement('canvas');
    image.width = this.#canvas.width;
    image.height = this.#canvas.height;
    const context = image.getContext('2d')!;
    context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
    const least = 1 / scale;
    for (const box of scene.boxes) {
      const mark = typeof box.id === 'number' ? markColour(theme, look.marks[box.id]) : null;
      context.globalAlpha = box.kind === 'frame' ? 0.12 : mark ? 0.9 : 0.45;
      context.fillStyle = box.id === look.selected ? theme.focus : (mark ?? theme.lines);
      context.fillRect(box.x, box.y, Math.max(box.w, least), Math.max(box.h, least));
    }
    return image;
  }
}
