import { expect, test } from 'vitest';
import { framed } from './framing';
import type { Box, Scene } from './scene';

const box = (x: number, y: number, w = 200): Box => ({ kind: 'node', id: 0, group: null, depth: 0, x, y, w, h: 40 });
const scene = (w: number, h: number, spine: number, boxes: Box[]): Scene => ({
  boxes,
  paths: [],
  at: new Map(),
  w,
  h,
  spine,
});
const SIZE = { width: 1000, height: 700 };
/** The first and last place that is in view. */
const seen = (one: Scene): [number, number] => {
  const { x, scale } = framed(one, SIZE, 'start');
  return [x, x + SIZE.width / scale];
};

test('a graph that is readable in this width is shown from side to side', () => {
  const [left, right] = seen(scene(1500, 5000, 1400, [box(0, 0), box(1300, 0)]));
  expect(left).toBeLessThanOrEqual(0);
  expect(right).toBeGreaterThanOrEqual(1500);
});

test('of a wider one what is at its top is in the middle, when all of that has room', () => {
  const [left, right] = seen(scene(6000, 5000, 3000, [box(700, 0), box(1900, 300), box(5000, 4000)]));
  expect((left + right) / 2).toBeCloseTo(1400);
});

test('else it is its spine, and no room is left empty beside the graph', () => {
  const wide = [box(0, 0), box(5800, 0)];
  const [left, right] = seen(scene(6000, 5000, 3000, wide));
  expect((left + right) / 2).toBeCloseTo(3000);
  expect(seen(scene(6000, 5000, 100, wide))[0]).toBeCloseTo(0);
  expect(seen(scene(6000, 5000, 5900, wide))[1]).toBeCloseTo(6000);
  expect(seen(scene(6000, 5000, 3000, []))[0]).toBeCloseTo(left);
});
