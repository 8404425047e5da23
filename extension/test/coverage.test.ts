import { describe, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { coverageText, coverageTooltip, iconName, KINDS, LEGEND, marks, STATES } from '../src/core/coverage';
import type { CoverageResult } from '../src/protocol.gen';

const RESULT: CoverageResult = {
  functions: [{ name: 'step', line: 3, percent: 75 }],
  regions: [
    { start: 4, end: 6, state: 'captured', stale: false, text: 'In a graph: compile 0/0' },
    { start: 7, end: 7, state: 'eager', stale: false, text: 'Runs in Python: line 8 broke the graph' },
    { start: 8, end: 9, state: 'captured', stale: true, text: 'In a graph: compile 1/0' },
    { start: 10, end: 10, state: 'not_run', stale: false, text: 'Not run in this trace' },
    { start: 11, end: 11, state: 'of a later server', stale: false, text: '?' },
  ],
  percent: 75,
  run: 'from the run at 14:02',
};

describe('marks', () => {
  test('each region is drawn once, by its kind', () => {
    const drawn = KINDS.flatMap((kind) =>
      marks(RESULT, kind, 100).map((mark) => [iconName(kind), mark.start, mark.end]),
    );
    expect(drawn).toEqual([
      ['captured', 4, 6],
      ['captured_stale', 8, 9],
      ['eager', 7, 7],
      ['not_run', 10, 10],
    ]);
  });

  test('they say what the bar means, why, and from which run it is when the lines were edited', () => {
    const [fresh] = marks(RESULT, { state: 'eager', stale: false }, 100);
    expect(fresh?.text).toBe('eager (dashed): Runs in Python: line 8 broke the graph');
    const [stale] = marks(RESULT, { state: 'captured', stale: true }, 100);
    expect(stale?.text).toBe('captured (solid): In a graph: compile 1/0 (edited since, from the run at 14:02)');
  });

  test('lines that the document does not have any more are left out', () => {
    expect(marks(RESULT, { state: 'captured', stale: false }, 6)).toMatchObject([{ start: 4, end: 5 }]);
    expect(marks(RESULT, { state: 'eager', stale: false }, 7)).toEqual([]);
  });

  test('every state has a shape of its own, and an icon for both themes', () => {
    expect(new Set(STATES.map((state) => LEGEND[state].shape)).size).toBe(STATES.length);
    const media = path.resolve(import.meta.dirname, '../../media/coverage');
    for (const kind of KINDS)
      for (const theme of ['light', 'dark'])
        expect(existsSync(path.join(media, `${iconName(kind)}_${theme}.svg`)), iconName(kind)).toBe(true);
  });
});

test.each([
  [75.4, 'compiled 75 %'],
  [99.7, 'compiled 99 %'],
  [0.2, 'compiled 1 %'],
  [100, 'compiled 100 %'],
  [0, 'compiled 0 %'],
  [null, 'no coverage'],
  [undefined, 'no coverage'],
])('%s is said as %s', (percent, text) => {
  expect(coverageText(percent)).toBe(text);
});

describe('tooltip', () => {
  test('a legend of all states, and of which run it is', () => {
    const text = coverageTooltip(RESULT);
    expect(text).toContain('from the run at 14:02');
    for (const state of STATES) expect(text).toContain(`| ${LEGEND[state].name} | ${LEGEND[state].shape} |`);
  });

  test('what to do where nothing is known', () => {
    expect(coverageTooltip({ ...RESULT, functions: [], regions: [] })).toContain('Trace it to see its coverage');
    expect(coverageTooltip(undefined)).toContain('Trace it');
  });
});
