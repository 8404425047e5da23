/** Where the camera stands: pure functions of the scene, the size of the canvas and where it stood. */
import type { Box, Scene } from './scene';
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

/** Of the canvas, in pixels of the page. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const clamp = (scale: number): number => Math.max(MIN_SCALE, Math.min(MAX_SCALE, scale));

/** The graph framed in this way. */
export function framed({ boxes, w, h, spine }: Scene, { width, height }: Size, framing: Framing): Camera {
  const [roomW, roomH] = [width - 2 * MARGIN, height - 2 * MARGIN];
  const whole = Math.min(LARGEST, roomW / w, roomH / h);
  const isWhole = framing === 'whole' || whole > WHOLE_FROM;
  const scale = clamp(isWhole ? whole : Math.max(LEAST, Math.min(1, roomW / w)));
  const middle =
    w * scale <= width ? w / 2 : middleOf(boxes, spine, { width: width / scale, height: height / scale }, w);
  const isLow = h * scale < height;
  const y = isWhole || isLow ? h / 2 - height / 2 / scale : -MARGIN / scale;
  return { x: (isWhole ? w / 2 : middle) - width / 2 / scale, y, scale, framing };
}

/**
 * The middle of the first picture of a graph that is too wide for it: of what is at the top if all of that has room,
 * else the inputs'. No room is left empty beside the graph.
 */
function middleOf(boxes: readonly Box[], spine: number, room: Size, w: number): number {
  const top = boxes.filter(({ kind, y }) => kind !== 'frame' && y < room.height);
  const left = Math.min(...top.map(({ x }) => x));
  const right = Math.max(...top.map((box) => box.x + box.w));
  const middle = top.length > 0 && right - left <= room.width ? (left + right) / 2 : spine;
  return Math.max(room.width / 2, Math.min(w - room.width / 2, middle));
}

/** The whole graph is in view, at a size that can be read. */
export function fitsWhole({ w, h }: Scene, { width, height }: Size): boolean {
  return w * WHOLE_FROM <= width - 2 * MARGIN && h * WHOLE_FROM <= height - 2 * MARGIN;
}

/** Larger or smaller around a place on the canvas, which stays where it is. */
export function zoomed({ x, y, scale }: Camera, factor: number, at: { x: number; y: number }): Camera {
  const next = clamp(scale * factor);
  return { x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next, scale: next, framing: null };
}

export function panned({ x, y, scale }: Camera, dx: number, dy: number): Camera {
  return { x: x + dx / scale, y: y + dy / scale, scale, framing: null };
}

/** A place of the scene in the middle. */
export function centred({ scale }: Camera, { width, height }: Size, x: number, y: number): Camera {
  return { x: x - width / 2 / scale, y: y - height / 2 / scale, scale, framing: null };
}

/** The camera, moved as little as needed so that a box can be seen and read; the same one when it can be already. */
export function revealing(box: Box, camera: Camera, { width, height }: Size): Camera {
  let { x, y, scale } = camera;
  if (scale < READABLE) {
    scale = WHOLE_FROM;
    x = box.x + box.w / 2 - width / 2 / scale;
    y = box.y - height / 3 / scale;
  }
  const [w, h] = [width / scale, height / scale];
  const edge = MARGIN / scale;
  const [shownW, shownH] = [Math.min(box.w, w - 2 * edge), Math.min(box.h, h / 3)];
  if (box.x < x + edge || box.x + shownW > x + w - edge) x = box.x + shownW / 2 - w / 2;
  if (box.y < y + edge || box.y + shownH > y + h - edge) y = box.y + shownH / 2 - h / 2;
  return x === camera.x && y === camera.y && scale === camera.scale ? camera : { ...camera, x, y, scale };
}

/** The top of a box in view, at a size that can be read. */
export function lookingAt(box: Box, { width, height }: Size): Camera {
  const scale = clamp(Math.max(LEAST, Math.min(1, (width - 2 * MARGIN) / box.w)));
  const [w, h] = [width / scale, height / scale];
  const isLow = box.h < h - 2 * MARGIN;
  const y = isLow ? box.y + box.h / 2 - h / 2 : box.y - MARGIN / scale;
  return { x: box.x + box.w / 2 - w / 2, y, scale, framing: null };
}

/** How much of a box can be seen. */
export function inView(box: Box, { x, y, scale }: Camera, { width, height }: Size): 'whole' | 'part' | 'out' {
  const [right, bottom] = [x + width / scale, y + height / scale];
  if (box.x >= right || box.x + box.w <= x || box.y >= bottom || box.y + box.h <= y) return 'out';
  return box.x >= x && box.x + box.w <= right && box.y >= y && box.y + box.h <= bottom ? 'whole' : 'part';
}
