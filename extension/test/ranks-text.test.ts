import { expect, test } from 'vitest';
import { ranksPage } from '../src/core/ranks-text';
import { ranksIn, ranksUriParts, recordingIn } from '../src/core/run-text-uri';

test('each difference is a table of ranks, the slowest are a list', () => {
  const page = ranksPage('train.py', [
    { title: '2, with 1 difference', groups: [] },
    { title: '0/1: another graph (post-grad)', groups: ['rank 0: sin', 'ranks 1, 2: cos: twice'] },
    { title: 'slowest at compiling 0/1: rank 1, 0.50 s', groups: [] },
  ]);
  const lines = page.split('\n').map((line) => line.replaceAll('\\', ''));
  expect(lines).toContain('# Ranks of train.py');
  expect(lines).toContain('## 0/1: another graph (post-grad)');
  expect(lines).toContain('| rank 0 | sin |');
  expect(lines).toContain('| ranks 1, 2 | cos: twice |');
  expect(lines).toContain('- slowest at compiling 0/1: rank 1, 0.50 s');
});

test('text of a recording stays text', () => {
  const page = ranksPage('<b>', [
    { title: '[x](command:y)', groups: [] },
    { title: '# <img>', groups: ['rank 0: a | b\n# c', '![](x)'] },
  ]);
  expect(page).not.toMatch(/(^|[^\\])[<[]/);
  expect(page.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(4);
});

test('the address of ranks comes back out of its URI', () => {
  const { query } = ranksUriParts('/a/1', 'Ranks');
  expect(ranksIn(query)).toBe('/a/1');
  expect(recordingIn(query)).toBeUndefined();
  for (const other of ['"/a/1"', 'null', '{', '{"ranks": 1}']) expect(ranksIn(other)).toBeUndefined();
});
