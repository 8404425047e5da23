import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SaveHost } from '../src/core/save-tracer';
import { SaveTracer } from '../src/core/save-tracer';

let running: boolean;
let wanted: boolean;
let runs: string[];
let host: SaveHost;

beforeEach(() => {
  vi.useFakeTimers();
  [running, wanted, runs] = [false, true, []];
  host = {
    wanted: () => wanted,
    traced: (script) => script !== '/ws/never.py',
    tracing: () => running,
    trace: (script) => {
      runs.push(script);
      return Promise.resolve();
    },
  };
});

afterEach(() => {
  vi.useRealTimers();
});

test('several saves are one run, a moment after the last', () => {
  const saves = new SaveTracer(host);
  saves.saved('/ws/train.py');
  vi.advanceTimersByTime(200);
  saves.saved('/ws/train.py');
  vi.advanceTimersByTime(300);
  expect(runs).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(runs).toEqual(['/ws/train.py']);
  vi.advanceTimersByTime(10_000);
  expect(runs).toHaveLength(1);
});

test('only what the user traced, and only where that is wanted', () => {
  const saves = new SaveTracer(host);
  saves.saved('/ws/never.py');
  vi.advanceTimersByTime(1_000);
  wanted = false;
  saves.saved('/ws/train.py');
  vi.advanceTimersByTime(1_000);
  expect(runs).toEqual([]);
});

test('what is saved during a run is traced after it, once', () => {
  const saves = new SaveTracer(host);
  running = true;
  saves.saved('/ws/train.py');
  saves.saved('/ws/train.py');
  vi.advanceTimersByTime(5_000);
  expect(runs).toEqual([]);
  running = false;
  saves.ended();
  vi.advanceTimersByTime(1_000);
  expect(runs).toEqual(['/ws/train.py']);
  saves.ended();
  vi.advanceTimersByTime(1_000);
  expect(runs).toHaveLength(1);
});

test('nothing runs once it is disposed of', () => {
  const saves = new SaveTracer(host);
  saves.saved('/ws/train.py');
  saves.dispose();
  vi.advanceTimersByTime(1_000);
  expect(runs).toEqual([]);
});
