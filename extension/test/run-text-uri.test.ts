import { expect, test } from 'vitest';
import { comparisonUriParts, pairIn, recordingIn, runUriParts } from '../src/core/run-text-uri';

test('an address is that of one run, of a comparison, or none of ours', () => {
  const both = comparisonUriParts('/a/1', '/a/2', 'What changed');
  expect(both.path).toBe('/What changed.md');
  expect(pairIn(both.query)).toEqual({ before: '/a/1', after: '/a/2' });
  expect(recordingIn(both.query)).toBeUndefined();
  const one = runUriParts('/a/1', 'train.py 10:00');
  expect(recordingIn(one.query)).toBe('/a/1');
  for (const query of [one.query, '[1, 2]', '["a"]', '{', 'null']) expect(pairIn(query)).toBeUndefined();
});
