import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, held, panned, revealing, ticks, zoomed } from './camera';
import { layoutOf, rowAt, rowTop } from './layout';
import { timeText } from './paint';
import { blocksOf, type Columns, firstAfter, spanAt, tracksOf } from './spans';

/** Spans of one row, each as (start, time). */
function columns(spans: readonly (readonly [number, number])[]): Columns {
  return {
    lane: spans.map(() => 0),
    row: spans.map(() => 0),
    start: spans.map(([start]) => start),
    time: spans.map(([, time]) => time),
    colour: spans.map(() => 0),
    label: String,
  };
}

const LANE = [{ name: 'Main thread', rows: 1, group: 'a' }];

/** Spans that do not overlap, by start. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 400 })), { maxLength: 60 })
  .map((gaps) => {
    let at = 0;
    return gaps.map(([gap, time]): [number, number] => {
      const start = at + gap;
      at = start + time;
      return [start, time];
    });
  });

describe('spans', () => {
  test('the first span after a moment is found as by looking at all', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: -5, max: 9000 }), (spans, time) => {
        const [track] = tracksOf(LANE, columns(spans));
        const all = spans.findIndex(([start, took]) => start + took > time);
        expect(firstAfter(track, columns(spans), time)).toBe(all < 0 ? spans.length : all);
      }),
    );
  });

  test('every span is in one block, wide ones by themselves, and there are no more blocks than pixels and wide spans', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0.01, max: 3, noNaN: true }), (spans, scale) => {
        const own = columns(spans);
        const [track] = tracksOf(LANE, own);
        const end = Math.max(1, ...spans.map(([start, time]) => start + time + 1));
        const blocks = blocksOf(track, own, -1, end, scale);
        const inView = spans.filter(([start, time]) => start + time > -1);
        expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(inView.length);
        const wide = spans.filter(([, time]) => time >= 1 / scale).length;
        expect(
          blocks.filter(({ count, from, to }) => count === 1 && to - from >= 1 / scale).length,
        ).toBeGreaterThanOrEqual(wide);
        expect(blocks.length).toBeLessThanOrEqual(2 * wide + Math.ceil(end * scale) + 2);
        for (const [one, next] of blocks.slice(1).map((block, at) => [blocks[at], block])) {
          expect(next.from).toBeGreaterThanOrEqual(one.from);
        }
      }),
    );
  });

  test('the span under the pointer, or the nearest within reach', () => {
    const own = columns([
      [0, 10],
      [20, 1],
      [40, 5],
    ]);
    const [track] = tracksOf(LANE, own);
    expect(spanAt(track, own, 5, 2)).toBe(0);
    expect(spanAt(track, own, 22, 2)).toBe(1);
    expect(spanAt(track, own, 30, 2)).toBeNull();
  });

  test('spans that are filtered out are in no track', () => {
    const own = columns([
      [0, 10],
      [20, 1],
    ]);
    expect([...tracksOf(LANE, own, (span) => span === 1)[0].spans]).toEqual([1]);
  });
});

describe('camera', () => {
  test('zooming keeps the moment under the pointer where it is', () => {
    const before = { from: 20, to: 60 };
    const after = zoomed(before, 2, 30, 100);
    expect((30 - after.from) / (after.to - after.from)).toBeCloseTo((30 - 20) / 40);
    expect(after.to - after.from).toBeCloseTo(20);
  });

  test('zooming out ends at all of it', () => {
    expect(zoomed({ from: 20, to: 60 }, 0.01, 30, 100)).toEqual(fit(100));
    expect(panned(fit(100), 0.5, 100)).toEqual(fit(100));
  });

  test('a camera stays within what there is', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e4, max: 1e4 }),
        fc.double({ noNaN: true, min: 0, max: 1e4 }),
        (from, width) => {
          const camera = held({ from, to: from + width }, 1000);
          expect(camera.from).toBeGreaterThanOrEqual(fit(1000).from - 1e-6);
          expect(camera.to).toBeLessThanOrEqual(fit(1000).to + 1e-6);
          expect(camera.to).toBeGreaterThan(camera.from);
        },
      ),
    );
  });

  test('a span comes into view with no more movement than it takes', () => {
    const camera = { from: 0, to: 10 };
    expect(revealing(camera, 2, 3, 100)).toBe(camera);
    const moved = revealing(camera, 50, 52, 100);
    expect(moved.to - moved.from).toBeCloseTo(10);
    expect(moved.from).toBeLessThan(50);
    expect(moved.to).toBeGreaterThan(52);
  });

  test('the ruler has round steps', () => {
    expect(ticks({ from: 0, to: 12e6 }, 1e6).step).toBe(1e6);
    expect(ticks({ from: 0, to: 12e6 }, 1.1e6).step).toBe(2e6);
    expect(timeText(0, 1)).toBe('0 s');
    expect(timeText(1.5, 0.5)).toBe('1.5 s');
    expect(timeText(0.0125, 0.0005)).toBe('12.5 ms');
  });
});

test('each row is found where it is', () => {
  const lanes = [
    { name: 'Main thread', rows: 3, group: 'a' },
    { name: 'Worker 1', rows: 1, group: 'b' },
  ];
  const layout = layoutOf(lanes, true, () => 60);
  for (const [lane, { rows: count }] of lanes.entries()) {
    for (let row = 0; row < count; row++) expect(rowAt(layout, rowTop(layout, lane, row) + 5)).toEqual({ lane, row });
  }
  expect(layout.bands.map(({ ruled }) => ruled)).toEqual([false, true]);
});
