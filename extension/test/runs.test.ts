import { expect, test } from 'vitest';
import type { RunSummary } from '../src/protocol.gen';
import { followed, newerRun, runToShow } from '../src/core/runs';

const run = (recording: string, script: string | null, status = 'finished'): RunSummary => ({
  recording,
  script,
  status,
  title: '',
  started: null,
  wallS: null,
  exitCode: 0,
  depth: null,
  torch: null,
  graphs: 0,
  breaks: 0,
  recompiles: 0,
  errors: 0,
  cleared: false,
  target: null,
  inputs: [],
  cost: null,
});

test('a panel goes on to the next run of its script, once that has ended', () => {
  const older = [run('2', '/a.py'), run('1', '/a.py')];
  expect(newerRun([run('3', '/a.py'), ...older], '2')).toBe('3');
  expect(newerRun([run('3', '/a.py', 'running'), ...older], '2')).toBeUndefined();
});

test('the run to show is the newest of the file that the user looks at, else the newest', () => {
  const runs = [run('3', '/b.py'), run('2', '/a.py'), run('1', '/a.py'), run('0', null)];
  expect(runToShow(runs, '/a.py')?.recording).toBe('2');
  expect(runToShow(runs, '/c.py')?.recording).toBe('3');
  expect(runToShow(runs, null)?.recording).toBe('3');
  expect(runToShow([], '/a.py')).toBeUndefined();
});

test('a panel of another script, or of a run further back, stays', () => {
  const runs = [run('3', '/a.py'), run('2', '/b.py'), run('1', '/a.py'), run('0', '/a.py')];
  expect(newerRun(runs, '2')).toBeUndefined();
  expect(newerRun(runs, '1')).toBe('3');
  expect(newerRun(runs, '0')).toBeUndefined();
  expect(newerRun(runs, '3')).toBeUndefined();
});

test('recordings that name no script follow nothing', () => {
  expect(newerRun([run('2', null), run('1', null)], '1')).toBeUndefined();
  expect(newerRun([], '1')).toBeUndefined();
});

test('the panes stay with the run that was opened or selected until a newer one comes, or it goes', () => {
  const runs = [run('2', '/b.py'), run('1', '/a.py')];
  expect(followed('1', [], runs)).toBe('1');
  expect(followed('1', runs, runs)).toBe('1');
  expect(followed('1', runs.slice(0, 1), runs)).toBe('1');
  expect(followed('1', runs, [run('3', '/a.py', 'running'), ...runs])).toBeUndefined();
  expect(followed('1', runs, runs.slice(0, 1))).toBeUndefined();
  expect(followed(undefined, runs, runs)).toBeUndefined();
});
