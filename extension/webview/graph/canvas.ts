/** The canvas of the graph: camera, pointer, and when to draw. */
import Flatbush from 'flatbush';
import { readTheme, type Theme } from '../shared/theme';
import { Minimap } from './minimap';
import type { Graph } from './model';
import { drawnOn, type Look } from './look';
import { Painter } from './paint';
import type { Box, Path, Scene } from './scene';
import { shiftBetween } from './stability';
import type { Camera, Framing } from './state';

const MIN_SCALE = 0.1;
const MAX_SCALE = 4;
const MARGIN = 24;
/** A small graph is drawn no larger than this, so that its text has about the size of the page's. */
const LARGEST = 1.25;
/** The first picture shows the whole graph when that is at least this large; else its top, not smaller than `LEAST`. */
const WHOLE_FROM = 0.85;
const LEAST = 0.6;
/** What is selected is drawn larger than this, or made so. */
const READABLE = 0.7;
/** With more boxes in view than this a moving picture is a shifted copy; it is drawn anew when it rests. */
const MANY = 1500;
const REST_MS = 90;
const DRAG_FROM = 4;
/** An edge is under the pointer within so many pixels, from this scale on. */
const NEAR_EDGE = 4;
const NEAR = 0.35;

export interface CanvasEvents {
  /** A box, or the background, was clicked. `chevron`: on a group's chevron. */
  click(box: Box | null, chevron: boolean): void;
  open(box: Box): void;
  hover(box: Box | null, path: Path | null): void;
  moved(camera: Camera): void;
}

export class GraphCanvas {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #map: Minimap;
  readonly #events: CanvasEvents;
  #painter: Painter;
  #theme: Theme;
  #graph: Graph | null = null;
  #scene: Scene | null = null;
  #look: Look | null = null;
  #boxes: Flatbush | null = null;
  #paths: Flatbush | null = null;
  #camera: Camera = { x: 0, y: 0, scale: 1, framing: 'start' };
  #width = 0;
  #height = 0;
  #ratio = 1;
  /** Size of the page when the canvas got its size. */
  #page = '';
  #frame = 0;
  #copy: { image: HTMLCanvasElement; camera: Camera } | null = null;
  #moving = false;
  #rest = 0;

  constructor(canvas: HTMLCanvasElement, map: HTMLCanvasElement, events: CanvasEvents) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d')!;
    this.#map = new Minimap(map, (x, y) => {
      const { scale } = this.#camera;
      this.#moveTo({ x: x - this.#width / 2 / scale, y: y - this.#height / 2 / scale, scale, framing: null });
    });
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
    this.#map.forget();
    this.draw();
  }

  /**
   * Shows a scene. `keep`: a box that stays where it is on the screen. `steady`: what is in both pictures does, as far as
   * it can. Returns whether the camera has its place then.
   */
  show(graph: Graph, scene: Scene, keep: number | string | null, steady = false): boolean {
    const before = keep === null ? null : this.#boxOf(keep);
    const { x: left, y: top, scale: units } = this.#camera;
    const view = { x: left, y: top, w: this.#width / units, h: this.#height / units };
    const shift =
      steady && this.#graph && this.#scene
        ? shiftBetween({ graph: this.#graph, scene: this.#scene }, { graph, scene }, view)
        : null;
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
    this.#map.forget();
    this.#copy = null;
    const after = keep === null ? null : this.#boxOf(keep);
    if (before && after) {
      const { x, y, scale, framing } = this.#camera;
      const [dx, dy] = [after.x - before.x, after.y - before.y];
      this.#camera = { x: x + dx, y: y + dy, scale, framing: dx === 0 && dy === 0 ? framing : null };
      this.#events.moved(this.camera);
    } else if (shift) {
      const { x, y, scale, framing } = this.#camera;
      this.#camera = { x: x + shift.dx, y: y + shift.dy, scale, framing };
      this.#events.moved(this.camera);
    }
    this.draw();
    return shift !== null;
  }

  setLook(look: Look): void {
    this.#look = look;
    this.#map.forget();
    this.#copy = null;
    this.draw();
  }

  setHover(id: number | string | null, path: Path | null): void {
    this.#painter.hover = id;
    this.#painter.hoverPath = path;
    this.#copy = null;
    this.draw();
  }

  /** A picture of a part of the drawing, painted anew. */
  painted(context: CanvasRenderingContext2D, scale: number): void {
    if (!this.#scene || !this.#graph || !this.#look) return;
    const painter = new Painter(context, this.#theme);
    const all = (list: readonly unknown[]): number[] => list.map((_, i) => i);
    painter.paint(this.#graph, this.#scene, this.#look, all(this.#scene.boxes), all(this.#scene.paths), scale);
  }

  get background(): string {
    return this.#theme.background;
  }

  #boxOf(id: number | string): Box | null {
    const at = this.#scene?.at.get(id);
    return at === undefined ? null : (this.#scene?.boxes[at] ?? null);
  }

  // --- camera --------------------------------------------------------------------------------------------------------

  setCamera(camera: Camera): void {
    this.#camera = { ...camera, scale: clamp(camera.scale) };
    if (this.#camera.framing) this.#camera = this.#framed(this.#camera.framing) ?? this.#camera;
    this.draw();
  }

  /** Whole graph in view. */
  fit(): void {
    this.#frameIn('whole');
  }

  /** The first picture: readable, from the top, in the middle. */
  start(): void {
    this.#frameIn('start');
  }

  #frameIn(framing: Framing): void {
    if (this.#width === 0) this.#resize();
    const camera = this.#framed(framing);
    if (camera) this.#moveTo(camera);
  }

  /** Where the camera stands so that the graph is framed in this way; null without a graph. */
  #framed(framing: Framing): Camera | null {
    if (!this.#scene) return null;
    const { w, h, spine } = this.#scene;
    const [roomW, roomH] = [this.#width - 2 * MARGIN, this.#height - 2 * MARGIN];
    const whole = Math.min(LARGEST, roomW / w, roomH / h);
    const isWhole = framing === 'whole' || whole > WHOLE_FROM;
    const scale = clamp(isWhole ? whole : Math.max(LEAST, Math.min(1, roomW / w)));
    const middle = w * scale <= this.#width ? w / 2 : spine;
    const isLow = h * scale < this.#height;
    const y = isWhole || isLow ? h / 2 - this.#height / 2 / scale : -MARGIN / scale;
    return { x: (isWhole ? w / 2 : middle) - this.#width / 2 / scale, y, scale, framing };
  }

  zoom(factor: number, at: { x: number; y: number } = { x: this.#width / 2, y: this.#height / 2 }): void {
    const { x, y, scale } = this.#camera;
    const next = clamp(scale * factor);
    this.#moveTo({ x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next, framing: null });
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.#camera;
    this.#moveTo({ x: x + dx / scale, y: y + dy / scale, scale, framing: null });
  }

  /** Moves as little as needed so that a box can be seen and read. */
  reveal(id: number | string): void {
    const camera = this.#revealing(id, this.#camera);
    if (camera !== this.#camera) this.#moveTo({ ...camera, framing: null });
  }

  /** The camera, moved as little as needed. */
  #revealing(id: number | string, camera: Camera): Camera {
    const box = this.#boxOf(id);
    if (!box) return camera;
    let { x, y, scale } = camera;
    if (scale < READABLE) {
      scale = WHOLE_FROM;
      x = box.x + box.w / 2 - this.#width / 2 / scale;
      y = box.y - this.#height / 3 / scale;
    }
    const [w, h] = [this.#width / scale, this.#height / scale];
    const edge = MARGIN / scale;
    const [width, height] = [Math.min(box.w, w - 2 * edge), Math.min(box.h, h / 3)];
    if (box.x < x + edge || box.x + width > x + w - edge) x = box.x + width / 2 - w / 2;
    if (box.y < y + edge || box.y + height > y + h - edge) y = box.y + height / 2 - h / 2;
    return x === camera.x && y === camera.y && scale === camera.scale ? camera : { ...camera, x, y, scale };
  }

  /** The whole graph is in view, at a size that can be read. */
  get isWhole(): boolean {
    if (!this.#scene) return false;
    const { w, h } = this.#scene;
    return w * WHOLE_FROM <= this.#width - 2 * MARGIN && h * WHOLE_FROM <= this.#height - 2 * MARGIN;
  }

  /** Puts the top of a box into view, at a size that can be read. */
  lookAt(id: number | string): void {
    const box = this.#boxOf(id);
    if (!box) return;
    if (this.#width === 0) this.#resize();
    const scale = clamp(Math.max(LEAST, Math.min(1, (this.#width - 2 * MARGIN) / box.w)));
    const [w, h] = [this.#width / scale, this.#height / scale];
    const isLow = box.h < h - 2 * MARGIN;
    const y = isLow ? box.y + box.h / 2 - h / 2 : box.y - MARGIN / scale;
    this.#moveTo({ x: box.x + box.w / 2 - w / 2, y, scale, framing: null });
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

  /**
   * The canvas has another size. When the page has one too, a camera that the user has not moved frames the graph anew;
   * when only the parts of the page have moved, as when the details open, it stays. The selection stays in view.
   */
  #resize(): void {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    const isSame = width === this.#width && height === this.#height && ratio === this.#ratio;
    if (isSame || width === 0) return;
    const selected = this.#look?.selected ?? null;
    const wasInView = selected !== null && this.#inView(selected) !== 'out';
    const page = `${window.innerWidth} ${window.innerHeight}`;
    const { framing } = this.#camera;
    const isFramedAnew = framing !== null && this.#page !== page;
    this.#page = page;
    this.#ratio = ratio;
    this.#width = width;
    this.#height = height;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#copy = null;
    const anew = isFramedAnew ? this.#framed(framing) : null;
    let camera = anew ?? this.#camera;
    if (selected !== null && wasInView && this.#inView(selected, camera) !== 'whole')
      camera = this.#revealing(selected, camera);
    if (camera !== this.#camera) this.#moveTo(camera);
    else this.draw();
  }

  /** How much of a box can be seen. */
  #inView(id: number | string, { x, y, scale }: Camera = this.#camera): 'whole' | 'part' | 'out' {
    const box = this.#boxOf(id);
    if (!box) return 'out';
    const [right, bottom] = [x + this.#width / scale, y + this.#height / scale];
    if (box.x >= right || box.x + box.w <= x || box.y >= bottom || box.y + box.h <= y) return 'out';
    return box.x >= x && box.x + box.w <= right && box.y >= y && box.y + box.h <= bottom ? 'whole' : 'part';
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
    const extent = { x, y, w: this.#width / scale, h: this.#height / scale };
    this.#map.draw(this.#scene, this.#look, this.#theme, extent, this.#ratio);
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

  // --- pointer -------------------------------------------------------------------------------------------------------

  /** The innermost box at a place on the canvas. */
  boxAt(px: number, py: number): Box | null {
    const { x, y, scale } = this.#camera;
    const [at, to] = [x + px / scale, y + py / scale];
    const hits = this.#boxes?.search(at, to, at, to, (i) => this.#isDrawn(this.#scene!.boxes[i])) ?? [];
    return hits.length === 0 ? null : this.#scene!.boxes[Math.max(...hits)];
  }

  #isDrawn({ id }: Box): boolean {
    const state = typeof id === 'number' ? this.#graph?.change?.states[id] : undefined;
    return state === undefined || drawnOn(this.#look?.side ?? 'overlay', state);
  }

  /** The edge at a place on the canvas; null when there is none, or a box. */
  pathAt(px: number, py: number): Path | null {
    const { x, y, scale } = this.#camera;
    if (scale < NEAR || !this.#scene) return null;
    const [at, to, reach] = [x + px / scale, y + py / scale, NEAR_EDGE / scale];
    const hits = this.#paths?.search(at - reach, to - reach, at + reach, to + reach) ?? [];
    return hits.map((i) => this.#scene!.paths[i]).find(({ points }) => isNear(points, at, to, reach)) ?? null;
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
        const box = this.boxAt(event.offsetX, event.offsetY);
        const isInside = box !== null && box.kind !== 'frame';
        this.#events.hover(box, isInside ? null : this.pathAt(event.offsetX, event.offsetY));
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
    canvas.addEventListener('pointerleave', () => this.#events.hover(null, null));
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
  }
}

const clamp = (scale: number): number => Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale));

/** Whether a right-angled path comes within `reach` of a place. */
function isNear(points: Float64Array, x: number, y: number, reach: number): boolean {
  for (let p = 2; p < points.length; p += 2) {
    const [x0, x1] = [Math.min(points[p - 2], points[p]), Math.max(points[p - 2], points[p])];
    const [y0, y1] = [Math.min(points[p - 1], points[p + 1]), Math.max(points[p - 1], points[p + 1])];
    if (x >= x0 - reach && x <= x1 + reach && y >= y0 - reach && y <= y1 + reach) return true;
  }
  return false;
}
