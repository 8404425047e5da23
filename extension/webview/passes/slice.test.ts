import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TimelineResult } from '../../src/shared/messages';
import { sliceOf } from './slice';

type Span = readonly [lane: number, row: number, parent: number, start: number, time: number, compile: number];

/** A run on two processes with a worker; the compiles are `a` and `b`. */
function run(spans: readonly Span[], steps: readonly (readonly [number, number])[] = []): TimelineResult {
  const column = (at: number): number[] => spans.map((span) => span[at]);
  const none = spans.map(() => -1);
  const lane = (name: string, kind: string, process: number): TimelineResult['lanes'][number] => ({
    name,
    kind,
    process,
    pid: process,
    rank: null,
    rows: 9,
  });
  return {
    time: 10_000,
    running: false,
    compiles: ['a', 'b'],
    compileTitles: ['a', 'b'],
    stages: [{ key: 'pass', title: 'Passes' }],
    texts: ['a', 'b'],
    places: [],
    lanes: [
      lane('Main thread', 'thread', 1),
      lane('Worker', 'worker', 1),
      lane('Calls', 'calls', 1),
      lane('Main thread', 'thread', 2),
      lane('Thread 2', 'thread', 1),
    ],
    spans: {
      lane: column(0),
      row: column(1),
      parent: column(2),
      start: column(3),
      time: column(4),
      own: column(4),
      stage: spans.map(() => 0),
      name: none,
      label: none,
      compile: column(5),
      graph: none,
      kernel: none,
      place: none,
    },
    open: [],
    steps: steps.map(([span, order]) => ({
      span,
      order,
      nodesBefore: 1,
      nodesAfter: 1,
      changed: false,
      custom: false,
      snapshot: null,
    })),
    marks: [],
    costs: [],
    capture: null,
    compile: null,
    guard: null,
    execute: null,
    overhead: null,
  };
}

test('one compile begins at 0, without the time of others, workers, calls and other processes', () => {
  const spans: Span[] = [
    [0, 0, -1, 100, 300, 1], // b, with the forward graph of a within it
    [0, 1, 0, 150, 100, 0],
    [0, 2, 1, 160, 40, 0],
    [0, 0, -1, 700, 50, 0], // the backward graph of a
    [1, 0, -1, 170, 30, 0],
    [2, 0, -1, 600, 10, 0],
    [3, 0, -1, 0, 900, 0],
  ];
  const found = sliceOf(
    run(spans, [
      [2, 7],
      [0, 3],
    ]),
    'a',
  );
  expect(found.lanes.map(({ name, rows }) => [name, rows])).toEqual([['', 3]]);
  expect(found.spans.start).toEqual([0, 10, 100]);
  expect(found.spans.row).toEqual([1, 2, 0]);
  expect(found.spans.parent).toEqual([-1, 0, -1]);
  expect(found.time).toBe(150);
  expect(found.steps.map(({ span, order }) => [span, order])).toEqual([[1, 7]]);
});

test('threads have their names when there are several; an unknown compile has nothing', () => {
  const spans: Span[] = [
    [0, 2, -1, 0, 10, 0],
    [4, 0, -1, 5, 20, 0],
  ];
  const found = sliceOf(run(spans), 'a');
  expect(found.lanes.map(({ name, rows }) => [name, rows])).toEqual([
    ['Main thread', 1],
    ['Thread 2', 1],
  ]);
  expect(found.spans.row).toEqual([0, 0]);
  expect(found.time).toBe(25);
  for (const compile of ['b', 'nothing']) expect(sliceOf(run(spans), compile).spans.start).toEqual([]);
});

test('whatever the parents say, it ends, and nothing is before 0 or after the end', () => {
  const span = fc.tuple(
    fc.constantFrom(0, 4),
    fc.nat(3),
    fc.integer({ min: -2, max: 30 }),
    fc.nat(1000),
    fc.nat(100),
    fc.nat(1),
  );
  fc.assert(
    fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
      const { spans: found, time } = sliceOf(run(spans), 'a');
      found.parent.forEach((parent, at) => expect(parent).toBeLessThan(at));
      found.start.forEach((start, at) => {
        if (found.parent[at] >= 0) return;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + found.time[at]).toBeLessThanOrEqual(time);
      });
    }),
  );
});
