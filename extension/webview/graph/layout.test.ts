import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignRows, layout, type Layout, type LayoutEdge, type LayoutItem, spread, topological } from './layout';

const OPTIONS = { top: 0, minW: 0, maxRowW: 1300 };

const box = (w = 200, h = 26): LayoutItem => ({ w, h, kind: 'box' });

/** Random graphs whose edges go forward in program order, with some against it when `cyclic`. */
function graphs(cyclic: boolean): fc.Arbitrary<{ items: LayoutItem[]; edges: LayoutEdge[] }> {
  return fc.integer({ min: 1, max: 40 }).chain((count) => {
    const pair = fc.tuple(fc.nat(count - 1), fc.nat(count - 1));
    return fc
      .tuple(
        fc.array(fc.tuple(fc.integer({ min: 60, max: 300 }), fc.integer({ min: 20, max: 200 })), {
          minLength: count,
          maxLength: count,
        }),
        fc.array(pair, { maxLength: 80 }),
      )
      .map(([sizes, pairs]) => {
        const seen = new Set<string>();
        const edges: LayoutEdge[] = [];
        for (const [a, b] of pairs) {
          if (a === b) continue;
          const [from, to] = cyclic ? [a, b] : [Math.min(a, b), Math.max(a, b)];
          if (seen.has(`${from}>${to}`)) continue;
          seen.add(`${from}>${to}`);
          edges.push({ from, to });
        }
        return { items: sizes.map(([w, h]) => box(w, h)), edges };
      });
  });
}

const overlap = (a0: number, a1: number, b0: number, b1: number): boolean => a0 < b1 - 0.01 && b0 < a1 - 0.01;

function overlapping(items: readonly LayoutItem[], { x, y }: Layout): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0; i < items.length; i++) {
    for (let j = 0; j < i; j++) {
      const inX = overlap(x[i], x[i] + items[i].w, x[j], x[j] + items[j].w);
      if (inX && overlap(y[i], y[i] + items[i].h, y[j], y[j] + items[j].h)) found.push([j, i]);
    }
  }
  return found;
}

/** Boxes that a path crosses, besides those at its ends. */
function crossed(path: Float64Array, edge: LayoutEdge, items: readonly LayoutItem[], { x, y }: Layout): number[] {
  const found = new Set<number>();
  for (let p = 2; p < path.length; p += 2) {
    const [x0, x1] = [Math.min(path[p - 2], path[p]), Math.max(path[p - 2], path[p])];
    const [y0, y1] = [Math.min(path[p - 1], path[p + 1]), Math.max(path[p - 1], path[p + 1])];
    items.forEach((item, i) => {
      if (i === edge.from || i === edge.to) return;
      if (overlap(x0, x1 + 0.1, x[i], x[i] + item.w) && overlap(y0, y1 + 0.1, y[i], y[i] + item.h)) found.add(i);
    });
  }
  return [...found];
}

describe('layout', () => {
  test('boxes never overlap', () => {
    fc.assert(
      fc.property(graphs(true), ({ items, edges }) => {
        expect(overlapping(items, layout(items, edges, OPTIONS))).toEqual([]);
      }),
    );
  });

  test('an edge goes down when the graph has no cycle', () => {
    fc.assert(
      fc.property(graphs(false), ({ items, edges }) => {
        const { y } = layout(items, edges, OPTIONS);
        for (const { from, to } of edges) expect(y[to]).toBeGreaterThanOrEqual(y[from] + items[from].h);
      }),
    );
  });

  test('paths are right-angled, start and end at the border of their boxes, and pass no other box', () => {
    fc.assert(
      fc.property(graphs(false), ({ items, edges }) => {
        const placed = layout(items, edges, OPTIONS);
        const onBorder = (i: number, px: number, py: number): boolean => {
          const [x0, y0, x1, y1] = [placed.x[i], placed.y[i], placed.x[i] + items[i].w, placed.y[i] + items[i].h];
          const inside = px >= x0 - 0.5 && px <= x1 + 0.5 && py >= y0 - 0.5 && py <= y1 + 0.5;
          return inside && [px - x0, px - x1, py - y0, py - y1].some((d) => Math.abs(d) < 0.5);
        };
        edges.forEach((edge, e) => {
          const path = placed.paths[e];
          for (let p = 2; p < path.length; p += 2)
            expect(path[p] === path[p - 2] || path[p + 1] === path[p - 1]).toBe(true);
          expect(onBorder(edge.from, path[0], path[1])).toBe(true);
          expect(onBorder(edge.to, path[path.length - 2], path[path.length - 1])).toBe(true);
          expect(crossed(path, edge, items, placed)).toEqual([]);
        });
      }),
    );
  });

  test('everything is inside the size that it reports', () => {
    fc.assert(
      fc.property(graphs(true), ({ items, edges }) => {
        const { w, x, paths } = layout(items, edges, OPTIONS);
        items.forEach((item, i) => {
          expect(x[i]).toBeGreaterThanOrEqual(-0.01);
          expect(x[i] + item.w).toBeLessThanOrEqual(w + 0.01);
        });
        for (const path of paths) {
          for (let p = 0; p < path.length; p += 2) {
            expect(path[p]).toBeGreaterThanOrEqual(-0.01);
            expect(path[p]).toBeLessThanOrEqual(w + 0.01);
          }
        }
      }),
    );
  });

  test('the same graph gets the same layout', () => {
    fc.assert(
      fc.property(graphs(true), ({ items, edges }) => {
        expect(layout(items, edges, OPTIONS)).toEqual(layout(items, edges, OPTIONS));
      }),
    );
  });

  test('a chain is one straight line', () => {
    const items = Array.from({ length: 20 }, () => box());
    const edges = items.slice(1).map((_, i) => ({ from: i, to: i + 1 }));
    const { x, paths } = layout(items, edges, OPTIONS);
    expect(new Set(x)).toEqual(new Set([x[0]]));
    for (const path of paths) expect(path).toHaveLength(4);
  });

  test('a node that a pass adds at the end of a chain moves no other', () => {
    const items = Array.from({ length: 10 }, () => box());
    const edges = items.slice(1).map((_, i) => ({ from: i, to: i + 1 }));
    const before = layout(items, edges, OPTIONS);
    const after = layout([...items, box()], [...edges, { from: 9, to: 10 }], OPTIONS);
    expect(after.x.slice(0, 10)).toEqual(before.x);
    expect(after.y.slice(0, 10)).toEqual(before.y);
  });

  test('a weight stands just above its only user', () => {
    const items = [box(), box(), box(), box(), box()];
    const edges = [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 2, to: 3 },
      { from: 4, to: 3 },
    ];
    const row = assignRows(items, edges, topological(items.length, edges));
    expect([...row]).toEqual([0, 1, 2, 3, 2]);
  });

  test('20,000 nodes on one level have a place each', () => {
    const items = Array.from({ length: 20_000 }, () => box());
    const edges: LayoutEdge[] = [];
    for (let i = 1; i < items.length; i++) {
      edges.push({ from: i - 1, to: i });
      if (i > 8 && i % 5 === 0) edges.push({ from: i - 8, to: i });
    }
    const made = layout(items, edges, OPTIONS);
    expect(made.x.every(Number.isFinite) && made.y.every(Number.isFinite)).toBe(true);
    expect(new Set(Array.from(made.x, (x, i) => `${x} ${made.y[i]}`)).size).toBe(items.length);
  });
});

describe('topological order', () => {
  test('holds all items once, sources before targets, program order among the independent', () => {
    fc.assert(
      fc.property(graphs(false), ({ items, edges }) => {
        const { order, place } = topological(items.length, edges);
        expect([...order].sort((a, b) => a - b)).toEqual(items.map((_, i) => i));
        for (const { from, to } of edges) expect(place[from]).toBeLessThan(place[to]);
        expect(topological(items.length, []).order).toEqual(items.map((_, i) => i));
      }),
    );
  });

  test('holds all items of a cycle too', () => {
    const { order } = topological(3, [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 2, to: 0 },
    ]);
    expect(order).toEqual([0, 1, 2]);
  });
});

describe('spread', () => {
  test('keeps what fits and centres what collides', () => {
    expect(spread([0, 100], [1, 1], [50])).toEqual([0, 100]);
    expect(spread([10, 10, 10], [1, 1, 1], [20, 20])).toEqual([-10, 10, 30]);
    expect(spread([0, 0], [3, 1], [40])).toEqual([-10, 30]);
  });

  test('keeps the gaps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 2, maxLength: 30 }), (wanted) => {
        const gaps = wanted.slice(1).map((_, i) => 10 + (i % 3) * 7);
        const centres = spread(
          wanted,
          wanted.map(() => 1),
          gaps,
        );
        gaps.forEach((gap, i) => expect(centres[i + 1] - centres[i]).toBeGreaterThanOrEqual(gap - 1e-6));
      }),
    );
  });
});
