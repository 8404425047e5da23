/** Which boxes and edges of a scene are where. */
import Flatbush from 'flatbush';
import type { Box, Path, Scene } from './scene';

export class Places {
  readonly #scene: Scene;
  readonly #boxes: Flatbush | null;
  readonly #paths: Flatbush | null;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#boxes = indexed(scene.boxes.map(({ x, y, w, h }) => [x, y, x + w, y + h]));
    this.#paths = indexed(scene.paths.map(({ points }) => extent(points)));
  }

  /** Positions of the boxes and edges in a part of the scene, in the order in which they are drawn. */
  within(x: number, y: number, w: number, h: number): { boxes: number[]; paths: number[] } {
    return {
      boxes: this.#boxes?.search(x, y, x + w, y + h).sort((a, b) => a - b) ?? [],
      paths: this.#paths?.search(x, y, x + w, y + h) ?? [],
    };
  }

  /** The innermost box at a place that `isDrawn`. */
  boxAt(x: number, y: number, isDrawn: (box: Box) => boolean): Box | null {
    const hits = this.#boxes?.search(x, y, x, y, (i) => isDrawn(this.#scene.boxes[i])) ?? [];
    return hits.length === 0 ? null : this.#scene.boxes[Math.max(...hits)];
  }

  /** An edge that comes within `reach` of a place. */
  pathNear(x: number, y: number, reach: number): Path | null {
    const hits = this.#paths?.search(x - reach, y - reach, x + reach, y + reach) ?? [];
    return hits.map((i) => this.#scene.paths[i]).find(({ points }) => isNear(points, x, y, reach)) ?? null;
  }
}

function indexed(boxes: readonly (readonly number[])[]): Flatbush | null {
  if (boxes.length === 0) return null;
  const index = new Flatbush(boxes.length);
  for (const [x0, y0, x1, y1] of boxes) index.add(x0, y0, x1, y1);
  index.finish();
  return index;
}

function extent(points: Float64Array): number[] {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let p = 0; p < points.length; p += 2) {
    x0 = Math.min(x0, points[p]);
    x1 = Math.max(x1, points[p]);
    y0 = Math.min(y0, points[p + 1]);
    y1 = Math.max(y1, points[p + 1]);
  }
  return [x0, y0, x1, y1];
}

/** Whether a right-angled path comes within `reach` of a place. */
function isNear(points: Float64Array, x: number, y: number, reach: number): boolean {
  for (let p = 2; p < points.length; p += 2) {
    const [x0, x1] = [Math.min(points[p - 2], points[p]), Math.max(points[p - 2], points[p])];
    const [y0, y1] = [Math.min(points[p - 1], points[p + 1]), Math.max(points[p - 1], points[p + 1])];
    if (x >= x0 - reach && x <= x1 + reach && y >= y0 - reach && y <= y1 + reach) return true;
  }
  return false;
}
