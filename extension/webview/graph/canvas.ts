/** The canvas of the graph: camera, pointer, and when to draw. */
import { readTheme, type Theme } from '../shared/theme';
import { centred, clamp, fitsWhole, framed, inView, lookingAt, panned, revealing, type Size, zoomed } from './framing';
import { Minimap } from './minimap';
import type { Graph } from './model';
import { drawnOn, type Look } from './look';
import { Painter } from './paint';
import { Places } from './places';
import { listen, type PointerEvents } from './pointer';
import type { Box, Path, Scene } from './scene';
import { shiftBetween } from './stability';
import type { Camera, Framing } from './state';

/** With more boxes in view than this a moving picture is a shifted copy; it is drawn anew when it rests. */
const MANY = 1500;
const REST_MS = 90;
/** An edge is under the pointer within so many pixels, from this scale on. */
const NEAR_EDGE = 4;
const NEAR = 0.35;

export interface CanvasEvents extends PointerEvents {
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
  #places: Places | null = null;
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
  /** What the camera was put to, until anything else moves it. */
  #lookedAt: number | string | null = null;

  constructor(canvas: HTMLCanvasElement, map: HTMLCanvasElement, events: CanvasEvents) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d')!;
    this.#map = new Minimap(map, (x, y) => this.#moveTo(centred(this.#camera, this.#size, x, y)));
    this.#events = events;
    this.#theme = readTheme();
    this.#painter = new Painter(this.#context, this.#theme);
    listen(canvas, this, events);
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
    this.#places = new Places(scene);
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

  #boxOf(id: number | string | null): Box | null {
    const at = id === null ? undefined : this.#scene?.at.get(id);
    return at === undefined ? null : (this.#scene?.boxes[at] ?? null);
  }

  // --- camera --------------------------------------------------------------------------------------------------------

  setCamera(camera: Camera): void {
    this.#lookedAt = null;
    this.#camera = { ...camera, scale: clamp(camera.scale) };
    const { framing } = this.#camera;
    if (framing && this.#scene) this.#camera = framed(this.#scene, this.#size, framing);
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
    if (this.#scene) this.#moveTo(framed(this.#scene, this.#size, framing));
  }

  get #size(): Size {
    return { width: this.#width, height: this.#height };
  }

  zoom(factor: number, at: { x: number; y: number } = { x: this.#width / 2, y: this.#height / 2 }): void {
    this.#moveTo(zoomed(this.#camera, factor, at));
  }

  pan(dx: number, dy: number): void {
    this.#moveTo(panned(this.#camera, dx, dy));
  }

  /** Moves as little as needed so that a box can be seen and read. */
  reveal(id: number | string): void {
    const box = this.#boxOf(id);
    const camera = box ? revealing(box, this.#camera, this.#size) : this.#camera;
    if (camera !== this.#camera) this.#moveTo({ ...camera, framing: null });
  }

  /** The whole graph is in view, at a size that can be read. */
  get isWhole(): boolean {
    return this.#scene !== null && fitsWhole(this.#scene, this.#size);
  }

  /** Puts the top of a box into view, at a size that can be read. */
  lookAt(id: number | string): void {
    const box = this.#boxOf(id);
    if (!box) return;
    if (this.#width === 0) this.#resize();
    this.#moveTo(lookingAt(box, this.#size));
    this.#lookedAt = id;
  }

  #moveTo(camera: Camera): void {
    this.#lookedAt = null;
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
   * when only the parts of the page have moved, as when the details open, it stays, unless it has just been put to a
   * box. The selection stays in view.
   */
  #resize(): void {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    const isSame = width === this.#width && height === this.#height && ratio === this.#ratio;
    if (isSame || width === 0) return;
    const selected = this.#boxOf(this.#look?.selected ?? null);
    const wasInView = selected !== null && inView(selected, this.#camera, this.#size) !== 'out';
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
    let camera = isFramedAnew && this.#scene ? framed(this.#scene, this.#size, framing) : this.#camera;
    const looked = this.#lookedAt;
    const box = this.#boxOf(looked);
    if (box !== null) camera = lookingAt(box, this.#size);
    if (selected !== null && wasInView && inView(selected, camera, this.#size) !== 'whole')
      camera = revealing(selected, camera, this.#size);
    if (camera !== this.#camera) this.#moveTo(camera);
    else this.draw();
    this.#lookedAt = looked;
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
      const { boxes, paths } = this.#places?.within(x, y, w, h) ?? { boxes: [], paths: [] };
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

  // --- what is where -------------------------------------------------------------------------------------------------

  /** The innermost box at a place on the canvas. */
  boxAt(px: number, py: number): Box | null {
    const { x, y, scale } = this.#camera;
    return this.#places?.boxAt(x + px / scale, y + py / scale, (box) => this.#isDrawn(box)) ?? null;
  }

  #isDrawn({ id }: Box): boolean {
    const state = typeof id === 'number' ? this.#graph?.change?.states[id] : undefined;
    return state === undefined || drawnOn(this.#look?.side ?? 'overlay', state);
  }

  /** The edge at a place on the canvas; null when there is none, or when edges are too small to be meant. */
  pathAt(px: number, py: number): Path | null {
    const { x, y, scale } = this.#camera;
    if (scale < NEAR) return null;
    return this.#places?.pathNear(x + px / scale, y + py / scale, NEAR_EDGE / scale) ?? null;
  }
}
