import { describe, expect, test } from 'vitest';
import type { TimelineResult } from '../../src/shared/messages';
import { neighbour, timelineOf } from '../shared/flame/timeline';
import { costRows, foundBy, parts, shownBy, sums } from './model';
import { perfetto } from './perfetto';

const ALL = { compile: null, text: '' };

/** Two compiles on one thread, and a worker during the first. */
function result(change: Partial<TimelineResult> = {}): TimelineResult {
  return {
    time: 1000,
    running: false,
    compiles: ['0/0', '0/1'],
    compileTitles: ['0/0  f', '0/1  f'],
    stages: [
      { key: 'capture', title: 'Capture' },
      { key: 'pass', title: 'Passes' },
      { key: 'compiler', title: 'Kernel compile' },
    ],
    texts: ['dynamo', 'compile 0/0', '0/0', 'a_pass', 'compile 0/1', '0/1', 'compile_file', 'C++ <b>k</b>', 'k'],
    places: [{ file: '/a/b.py', line: 7, text: 'y = x.sin()' }],
    lanes: [
      { name: 'Main thread', kind: 'thread', process: 1, pid: 42, rank: null, rows: 2 },
      { name: 'Worker 1', kind: 'worker', process: 1, pid: 42, rank: null, rows: 1 },
    ],
    spans: {
      lane: [0, 0, 0, 1],
      row: [0, 1, 0, 0],
      parent: [-1, 0, -1, -1],
      start: [0, 100, 600, 150],
      time: [500, 200, 400, 300],
      own: [300, 200, 400, 300],
      stage: [0, 1, 0, 2],
      name: [0, 3, 0, 6],
      label: [1, 3, 4, 7],
      compile: [2, 2, 5, 2],
      graph: [-1, -1, -1, -1],
      kernel: [-1, -1, -1, 8],
      place: [-1, -1, -1, 0],
    },
    open: [],
    steps: [{ span: 1, order: 3, nodesBefore: 9, nodesAfter: 7, changed: true, custom: false, snapshot: 'abc' }],
    marks: [
      { time: 0, kind: 'first', text: '0/0 first compile', process: 1, compileId: '0/0', place: null },
      { time: 600, kind: 'recompile', text: '0/1 recompile · x', process: 1, compileId: '0/1', place: 0 },
    ],
    costs: [
      { compileId: '0/0', place: null, what: 'tracing Python', stage: 0, time: 300 },
      { compileId: '0/1', place: null, what: 'tracing Python', stage: 0, time: 400 },
      { compileId: '0/0', place: 0, what: '', stage: 1, time: 150 },
      { compileId: '0/0', place: 0, what: '', stage: 2, time: 50 },
    ],
    capture: 0.0007,
    compile: null,
    guard: 0.1,
    execute: null,
    overhead: null,
    ...change,
  };
}

test('costs are one row for each line and kind of whole-graph time, and stay all of the time', () => {
  const rows = costRows(timelineOf(result()), ALL);
  expect(rows.map(({ place, what, time }) => [place, what, time])).toEqual([
    [null, 'tracing Python', 700],
    [0, '', 200],
  ]);
  expect(rows[1].stages).toEqual([0, 150, 50]);
  expect(costRows(timelineOf(result()), { compile: '0/1', text: '' }).map(({ time }) => time)).toEqual([400]);
});

test('a range counts each moment for the innermost span', () => {
  const timeline = timelineOf(result());
  expect(sums(timeline, [0, 1000], null)).toEqual([700, 200, 300]);
  expect(sums(timeline, [150, 250], null)).toEqual([0, 100, 100]);
  expect(sums(timeline, [50, 150], null)).toEqual([50, 50, 0]);
});

test('a filter by compile and by words', () => {
  const timeline = timelineOf(result());
  const shown = shownBy(timeline, { compile: '0/1', text: '' });
  expect([0, 1, 2, 3].filter((span) => shown?.(span))).toEqual([2]);
  const found = foundBy(timeline, { compile: null, text: 'B.PY:7 sin' });
  expect([0, 1, 2, 3].filter((span) => found?.(span))).toEqual([3]);
  expect(foundBy(timeline, ALL)).toBeNull();
});

test('walking goes to parents, children and along the row', () => {
  const timeline = timelineOf(result());
  expect(neighbour(timeline, 1, 'parent', null)).toBe(0);
  expect(neighbour(timeline, 0, 'child', null)).toBe(1);
  expect(neighbour(timeline, 0, 'next', null)).toBe(2);
  expect(neighbour(timeline, 2, 'previous', null)).toBe(0);
  expect(neighbour(timeline, 2, 'next', null)).toBeNull();
  expect(neighbour(timeline, 0, 'next', (span) => span !== 2)).toBeNull();
});

test('only parts of the total that are known', () => {
  expect(parts(timelineOf(result())).map(({ title, seconds }) => [title, seconds])).toEqual([
    ['capture', 0.0007],
    ['guard', 0.1],
  ]);
});

describe('export', () => {
  const events = (filter = ALL): Record<string, unknown>[] =>
    (JSON.parse(perfetto(timelineOf(result()), filter)) as { traceEvents: Record<string, unknown>[] }).traceEvents;

  test('has every span, lane and mark', () => {
    const spans = events().filter(({ ph }) => ph === 'X');
    expect(spans.map(({ name, ts, dur, tid }) => [name, ts, dur, tid])).toEqual([
      ['compile 0/0', 0, 500, 0],
      ['a_pass', 100, 200, 0],
      ['compile 0/1', 600, 400, 0],
      ['C++ <b>k</b>', 150, 300, 1],
    ]);
    expect(spans[1]).toHaveProperty('args', {
      compile_id: '0/0',
      name: 'a_pass',
      nodes_before: 9,
      nodes_after: 7,
      changed: true,
    });
    expect(spans[3]).toMatchObject({ args: { kernel: 'k', line: '/a/b.py:7' } });
    expect(
      events()
        .filter(({ ph }) => ph === 'i')
        .map(({ ts }) => ts),
    ).toEqual([0, 600]);
    expect(events().filter(({ name }) => name === 'thread_name')).toHaveLength(2);
  });

  test('has exactly what is filtered in', () => {
    const names = (filter: typeof ALL): unknown[] =>
      events(filter)
        .filter(({ ph }) => ph !== 'M')
        .map(({ name }) => name);
    expect(names({ ...ALL, compile: '0/1' as never })).toEqual(['compile 0/1', '0/1 recompile · x']);
    expect(names({ ...ALL, text: 'pass' })).toEqual(['a_pass', '0/0 first compile', '0/1 recompile · x']);
    expect(events({ ...ALL, text: 'pass' }).filter(({ name }) => name === 'thread_name')).toHaveLength(1);
  });
});
