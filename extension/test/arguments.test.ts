import { describe, expect, test } from 'vitest';
import { findingOf } from '../src/core/arguments';
import { findingRow } from '../src/core/rows/findings';

const FINDING = {
  rule: 'graph-break',
  file: '/w/a.py',
  line: 4,
  character: 7,
  title: 'a\nb',
  severity: 'warning',
  count: 1,
  costS: 0,
  fileNote: null,
};

describe('the finding that a command is about', () => {
  test('of a code action', () => {
    const finding = { rule: 'recompile', file: null, line: 1, character: 0 };
    expect(findingOf({ recording: '/r', finding })).toEqual({ recording: '/r', finding });
  });

  test('of a row of the findings view', () => {
    const row = findingRow('/r', FINDING, true, (file) => file);
    const { rule, file, line, character } = FINDING;
    expect(findingOf({ row })).toEqual({ recording: '/r', finding: { rule, file, line, character } });
  });

  test('none of a row of a run, of a recording alone, and of nothing', () => {
    for (const one of [{ row: { id: '/r', kind: 'run' } }, { recording: '/r' }, undefined, null, 3])
      expect(findingOf(one)).toBeUndefined();
  });
});
