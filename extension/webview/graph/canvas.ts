/** The canvas of the graph: camera, pointer, and when to draw. */
import Flatbush from 'flatbush';
import { readTheme, type Theme } from '../shared/theme';
import { markColour } from './colours';
import type { Graph } from './model';
import { type Look, Painter } from './paint';
import type { Box, Scene } from './scene';
import type { Camera } from './state';

const MIN_SCALE = 0.1;
const MAX_SCALE = 4;
const MARGIN = 24;
/** With more boxes in view than this a moving picture is a shifted copy; it is drawn anew when it rests. */
const MANY = 1500;
const REST_MS = 90;
const DRAG_FROM = 4;

export interface CanvasEvents {
  /** A box, or the background, was clicked. `chevron`: on a group's chevron. */
  click(box: Box | null, chevron: boolean): void;
  open(box: Box): void;
  hover(box: Box | null): void;
  moved(camera: Camera): void;
}

export class GraphCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #map: HTMLCanvasElement;
  readonly #events: CanvasEvents;
  #painter: Painter;
  #theme: Theme;
  #graph: Graph | null = null;
  #scene: Scene | null = null;
  #look: Look | null = null;
  #boxes: Flatbush | null = null;
  #paths: Flatbush | null = null;
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #width = 0;
  #height = 0;
  #ratio = 1;
  #frame = 0;
  #copy: { image: HTMLCanvasElement; camera: Camera } | null = null;
  #mapImage: HTMLCanvasElement | null = null;
  #moving = false;
  #rest = 0;

  constructor(canvas: HTMLCanvasElement, map: HTMLCanvasElement, events: CanvasEvents) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d')!;
    this.#map = map;
    this.#events = events;
    this.#theme = readTheme();
    this.#painter = new Painter(this.#context, this.#theme);
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  get camera(): Camera {
    return { ...this.#camera };
  }

  get scene(): Scene | null {
    return this.#scene;
  }

  /** Rereads the theme. */
  restyle(): void {
    this.#theme = readTheme();
    this.#painter = new Painter(this.#context, this.#theme);
    this.#mapImage = null;
    this.draw();
  }

  /** Shows a scene. `keep`: a box that stays where it is on the screen. */
  show(graph: Graph, scene: Scene, keep: number | string | null): void {
    const before = keep === null ? null : this.#boxOf(keep);
    this.#graph = graph;
    this.#scene = scene;
    this.#boxes = null;
    this.#paths = null;
    if (scene.boxes.length > 0) {
      const index = new Flatbush(scene.boxes.length);
      for (const box of scene.boxes) index.add(box.x, box.y, box.x + box.w, box.y + box.h);
      index.finish();
      this.#boxes = index;
    }
    if (scene.paths.length > 0) {
      const index = new Flatbush(scene.paths.length);
      for (const { points } of scene.paths) {
        let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
        for (let p = 0; p < points.length; p += 2) {
          x0 = Math.min(x0, points[p]);
          x1 = Math.max(x1, points[p]);
          y0 = Math.min(y0, points[p + 1]);
          y1 = Math.max(y1, points[p + 1]);
        }
        index.add(x0, y0, x1, y1);
      }
      index.finish();
      this.#paths = index;
    }
    this.#mapImage = null;
    this.#copy = null;
    const after = keep === null ? null : this.#boxOf(keep);
    if (before && after) {
      this.#camera.x += after.x - before.x;
      this.#camera.y += after.y - before.y;
      this.#events.moved(this.camera);
    }
    this.draw();
  }

  setLook(look: Look): void {
    this.#look = look;
    this.#mapImage = null;
    this.#copy = null;
    this.draw();
  }

  setHover(id: number | string | null): void {
    this.#painter.hover = id;
    this.draw();
  }

  #boxOf(id: number | string): Box | null {
    const at = this.#scene?.at.get(id);
    return at === undefined ? null : (this.#scene?.boxes[at] ?? null);
  }

  // --- camera --------------------------------------------------------------------------------------------------------

  setCamera(camera: Camera): void {
    this.#camera = { ...camera, scale: clamp(camera.scale) };
    this.draw();
  }

  /** Whole graph in view. */
  fit(): void {
    if (!this.#scene) return;
    const { w, h } = this.#scene;
    const scale = clamp(Math.min(1, (this.#width - 2 * MARGIN) / w, (this.#height - 2 * MARGIN) / h));
    this.#moveTo({ x: w / 2 - this.#width / 2 / scale, y: h / 2 - this.#height / 2 / scale, scale });
  }

  /** The first picture: readable, from the top, in the middle. */
  start(): void {
    if (!this.#scene) return;
    if (this.#width === 0) this.#resize();
    const { w, h, spine } = this.#scene;
    const whole = Math.min(1, (this.#width - 2 * MARGIN) / w, (this.#height - 2 * MARGIN) / h);
    const scale = clamp(whole > 0.85 ? whole : Math.max(0.5, Math.min(1, (this.#width - 2 * MARGIN) / w)));
    const middle = w * scale <= this.#width ? w / 2 : spine;
    const top = h * scale < this.#height ? h / 2 - this.#height / 2 / scale : -MARGIN / scale;
    this.#moveTo({ x: middle - this.#width / 2 / scale, y: top, scale });
  }

  zoom(factor: number, at: { x: number; y: number } = { x: this.#width / 2, y: this.#height / 2 }): void {
    const { x, y, scale } = this.#camera;
    const next = clamp(scale * factor);
    this.#moveTo({ x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next });
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.#camera;
    this.#moveTo({ x: x + dx / scale, y: y + dy / scale, scale });
  }

  /** Moves as little as needed so that a box can be seen and read. */
  reveal(id: number | string): void {
    const box = this.#boxOf(id);
    if (!box) return;
    let { x, y, scale } = this.#camera;
    if (scale < 0.5) {
      scale = 0.8;
      x = box.x + box.w / 2 - this.#width / 2 / scale;
      y = box.y - this.#height / 3 / scale;
    }
    const [w, h] = [this.#width / scale, this.#height / scale];
    const edge = MARGIN / scale;
    const height = Math.min(box.h, h / 3);
    if (box.x < x + edge || box.x + box.w > x + w - edge) x = box.x + box.w / 2 - w / 2;
    if (box.y < y + edge || box.y + height > y + h - edge) y = box.y + height / 2 - h / 2;
    this.#moveTo({ x, y, scale });
  }

  #moveTo(camera: Camera): void {
    this.#camera = camera;
    this.#moving = true;
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => {
      this.#moving = false;
      if (this.#copy) {
        this.#copy = null;
        this.draw();
      }
      this.#events.moved(this.camera);
    }, REST_MS);
    this.draw();
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #resize(): void {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const selected = this.#look?.selected ?? null;
    const wasInView = selected !== null && this.#inView(selected);
    this.#ratio = window.devicePixelRatio || 1;
    this.#width = width;
    this.#height = height;
    this.#canvas.width = Math.round(width * this.#ratio);
    this.#canvas.height = Math.round(height * this.#ratio);
    this.#copy = null;
    if (selected !== null && wasInView && !this.#inView(selected)) this.reveal(selected);
    else this.draw();
  }

  #inView(id: number | string): boolean {
    const box = this.#boxOf(id);
    const { x, y, scale } = this.#camera;
    if (!box) return false;
    const [right, bottom] = [x + this.#width / scale, y + this.#height / scale];
    return box.x < right && box.x + box.w > x && box.y + box.h <= bottom && box.y + box.h > y;
  }

  /** Draws at the next frame. */
  draw(): void {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.drawNow();
      });
    }
  }

  drawNow(): void {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    if (!this.#scene || !this.#graph || !this.#look || this.#width === 0) return;
    const { x, y, scale } = this.#camera;
    if (this.#moving && this.#copy) {
      this.#drawCopy(this.#copy);
    } else {
      const [w, h] = [this.#width / scale, this.#height / scale];
      const boxes = this.#boxes?.search(x, y, x + w, y + h).sort((a, b) => a - b) ?? [];
      const paths = this.#paths?.search(x, y, x + w, y + h) ?? [];
      const units = scale * this.#ratio;
      context.setTransform(units, 0, 0, units, -x * units, -y * units);
      this.#painter.paint(this.#graph, this.#scene, this.#look, boxes, paths, scale);
      if (boxes.length + paths.length > MANY && !this.#copy) this.#keepCopy();
    }
    this.#drawMap();
  }

  #keepCopy(): void {
    const image = document.createElement('canvas');
    image.width = this.#canvas.width;
    image.height = this.#canvas.height;
    image.getContext('2d')!.drawImage(this.#canvas, 0, 0);
    this.#copy = { image, camera: this.camera };
  }

  #drawCopy({ image, camera }: { image: HTMLCanvasElement; camera: Camera }): void {
    const { x, y, scale } = this.#camera;
    const k = scale / camera.scale;
    const units = scale * this.#ratio;
    this.#context.setTransform(k, 0, 0, k, (camera.x - x) * units, (camera.y - y) * units);
    this.#context.drawImage(image, 0, 0);
  }

  #drawMap(): void {
    const scene = this.#scene!;
    const ratio = this.#ratio;
    const { width, height } = this.#map.getBoundingClientRect();
    if (width === 0) return;
    this.#map.width = Math.round(width * ratio);
    this.#map.height = Math.round(height * ratio);
    const scale = this.#mapScale(width, height);
    const context = this.#map.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.#mapImage === null || this.#mapImage.width !== this.#map.width) this.#mapImage = this.#paintMap(scale);
    context.drawImage(this.#mapImage, 0, 0, width, height);
    const [left, top] = [(width - scene.w * scale) / 2, (height - scene.h * scale) / 2];
    const view = this.#camera;
    const [x0, y0] = [Math.max(1, left + view.x * scale), Math.max(1, top + view.y * scale)];
    const x1 = Math.min(width - 1, left + (view.x + this.#width / view.scale) * scale);
    const y1 = Math.min(height - 1, top + (view.y + this.#height / view.scale) * scale);
    context.beginPath();
    context.roundRect(x0, y0, Math.max(4, x1 - x0), Math.max(4, y1 - y0), 2);
    context.fillStyle = this.#theme.focus;
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = this.#theme.focus;
    context.lineWidth = 1.3;
    context.stroke();
  }

  #mapScale(width: number, height: number): number {
    const { w, h } = this.#scene!;
    return Math.min((width - 12) / Math.max(w, 1), (height - 12) / Math.max(h, 1), 0.2);
  }

  #paintMap(scale: number): HTMLCanvasElement {
    const scene = this.#scene!;
    const image = document.createElement('canvas');
    image.width = this.#map.width;
    image.height = this.#map.height;
    const context = image.getContext('2d')!;
    const ratio = this.#ratio;
    const [left, top] = [(image.width / ratio - scene.w * scale) / 2, (image.height / ratio - scene.h * scale) / 2];
    context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
    const least = 1 / scale;
    for (const box of scene.boxes) {
      const mark = typeof box.id === 'number' ? markColour(this.#theme, this.#look!.marks[box.id]) : null;
      context.globalAlpha = box.kind === 'frame' ? 0.12 : mark ? 0.9 : 0.45;
      context.fillStyle = box.id === this.#look!.selected ? this.#theme.focus : (mark ?? this.#theme.lines);
      context.fillRect(box.x, box.y, Math.max(box.w, least), Math.max(box.h, least));
    }
    return image;
  }

  // --- pointer -------------------------------------------------------------------------------------------------------

  /** The innermost box at a place on the canvas. */
  boxAt(px: number, py: number): Box | null {
    const { x, y, scale } = this.#camera;
    const [at, to] = [x + px / scale, y + py / scale];
    const hits = this.#boxes?.search(at, to, at, to) ?? [];
    return hits.length === 0 ? null : this.#scene!.boxes[Math.max(...hits)];
  }

  #listen(): void {
    const canvas = this.#canvas;
    let down: { x: number; y: number; id: number; dragged: boolean } | null = null;
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button > 1) return;
      down = { x: event.offsetX, y: event.offsetY, id: event.pointerId, dragged: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!down) {
        this.#events.hover(this.boxAt(event.offsetX, event.offsetY));
        return;
      }
      const [dx, dy] = [event.offsetX - down.x, event.offsetY - down.y];
      if (!down.dragged && Math.hypot(dx, dy) < DRAG_FROM) return;
      down.dragged = true;
      canvas.classList.add('dragging');
      this.pan(-dx, -dy);
      down.x = event.offsetX;
      down.y = event.offsetY;
    });
    canvas.addEventListener('pointerup', (event) => {
      canvas.classList.remove('dragging');
      if (down && !down.dragged && event.button === 0) {
        const box = this.boxAt(event.offsetX, event.offsetY);
        const world = this.#camera.x + event.offsetX / this.#camera.scale;
        const header = this.#camera.y + event.offsetY / this.#camera.scale - (box?.y ?? 0) < 28;
        this.#events.click(box, box !== null && box.kind !== 'node' && world - box.x < 22 && header);
      }
      down = null;
    });
    canvas.addEventListener('pointerleave', () => this.#events.hover(null));
    canvas.addEventListener('dblclick', (event) => {
      const box = this.boxAt(event.offsetX, event.offsetY);
      if (box) this.#events.open(box);
    });
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const unit = event.deltaMode === 1 ? 16 : 1;
        if (event.ctrlKey || event.metaKey) {
          const step = Math.max(-60, Math.min(60, event.deltaY * unit));
          this.zoom(Math.exp(-step * 0.008), { x: event.offsetX, y: event.offsetY });
        } else if (event.shiftKey && event.deltaX === 0) this.pan(event.deltaY * unit, 0);
        else this.pan(event.deltaX * unit, event.deltaY * unit);
      },
      { passive: false },
    );
    const jump = (event: PointerEvent): void => {
      if (!this.#scene || event.buttons === 0) return;
      const { width, height } = this.#map.getBoundingClientRect();
      const scale = this.#mapScale(width, height);
      const cx = (event.offsetX - (width - this.#scene.w * scale) / 2) / scale;
      const cy = (event.offsetY - (height - this.#scene.h * scale) / 2) / scale;
      const zoom = this.#camera.scale;
      this.#moveTo({ x: cx - this.#width / 2 / zoom, y: cy - this.#height / 2 / zoom, scale: zoom });
    };
    this.#map.addEventListener('pointerdown', (event) => {
      this.#map.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.#map.addEventListener('pointermove', jump);
  }
}

const clamp = (scale: number): number => Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale));
