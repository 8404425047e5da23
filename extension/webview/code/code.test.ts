import { expect, test } from 'vitest';
import type { CodeKernelInfo, CodeTextInfo, ExpressionInfo } from '../../src/shared/messages';
import { around, kernelsOfNodes, locate } from './anchor';
import { groupAt, letter, stretches } from './groups';
import { ribbons, runs } from './ribbons';
import { codeRows, type FoldRow, nodeRows } from './rows';
import { tokens } from './tokens';
import { columns, wrap } from './wrap';

const expression = (line: number, column: number, endColumn: number): ExpressionInfo => ({
  file: 0,
  line,
  column,
  endLine: line,
  endColumn,
  text: '',
});

test('letters go on after Z', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(letter)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
});

test('each piece of a line is of the innermost expression there', () => {
  const text = 'y = f(g(x)) + 1';
  const all = [expression(0, 4, 11), expression(0, 6, 10), expression(0, 4, 15)];
  const found = stretches(text, 0, [0, 1, 2], all).map(({ from, to, group }) => [text.slice(from, to), group]);
  expect(found).toEqual([
    ['y = ', -1],
    ['f(', 0],
    ['g(x)', 1],
    [')', 0],
    [' + 1', 2],
  ]);
  expect(groupAt(all, 0, 0, 8)).toBe(1);
  expect(groupAt(all, 0, 0, 12)).toBe(2);
  expect(groupAt(all, 0, 0, 1)).toBeNull();
});

test.each([
  ['short', 20],
  ['    auto tmp4 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x1), 8);', 40],
  ['x'.repeat(500), 30],
  ['é'.repeat(40) + '漢字'.repeat(40) + '😀'.repeat(20), 24],
  [' '.repeat(300) + 'deep', 20],
])('a broken line has all of its text, and fits: %s', (text, width) => {
  const pieces = wrap(text, width);
  expect(
    pieces
      .map(({ from, to }) => text.slice(from, to))
      .join('')
      .replace(/ /g, ''),
  ).toBe(text.replace(/ /g, ''));
  for (const { from, to, indent } of pieces.slice(1)) {
    expect(columns(text.slice(from, to)) + indent).toBeLessThanOrEqual(width + 2);
    expect(() => encodeURIComponent(text.slice(from, to)), 'no half of a character').not.toThrow();
  }
});

test('syntax colours keep the text, markup included', () => {
  for (const [line, language] of [
    ['return f"<b>{x}</b>" and x < 3 & y  # <script>', 'python'],
    ['auto tmp0 = static_cast<int64_t>(x0) && "&lt;";', 'cpp'],
    ['%0 = tt.load %arg0 : tensor<8x!tt.ptr<f32>> loc(#loc1)', 'mlir'],
    ['\t@%p1 ld.global.b32 { %r1 }, [ %rd1 + 0 ]; // <i>', 'ptx'],
  ] as const) {
    expect(
      tokens(line, language)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  }
  expect(tokens('return x', 'python')[0]).toEqual({ text: 'return', kind: 'keyword' });
});

const kernel = (name: string, nodes: number[], more: Partial<CodeKernelInfo> = {}): CodeKernelInfo => ({
  name,
  kind: 'cpp',
  language: 'C++',
  operator: null,
  start: null,
  end: null,
  call: null,
  nodes,
  expressions: [0],
  main: 0,
  stages: [],
  figures: [],
  fused: null,
  hints: [],
  ...more,
});

test('a kernel that is not shown is one line; its call stays', () => {
  const text: CodeTextInfo = {
    kind: 'cpp',
    file: '',
    text: ['k = (', '  body', ')', 'def call():', '  k()', '  j()'].join('\n'),
    bands: [-1, 0, -1, -1, 0, 1],
    folds: [{ start: 1, end: 3, kind: 'kernel', label: 'k' }],
    kernels: [kernel('k', [0], { start: 2, end: 2, call: 5 }), kernel('j', [1], { call: 6, main: 1 })],
    preview: false,
    limits: [],
  };
  const shown = (at: number): string[] =>
    codeRows(text, at, new Set(), 't').map((row) =>
      row.type === 'fold' ? `${row.open ? 'open' : 'closed'} ${row.label}` : row.text,
    );
  expect(shown(1)).toEqual(['closed k', 'def call():', '  k()', '  j()']);
  expect(shown(0)).toEqual(['open k', 'k = (', ' body', ')', 'def call():', '  k()', '  j()']);
  const fold = codeRows(text, 1, new Set(), 't')[0] as FoldRow;
  expect(codeRows(text, 1, new Set([fold.key]), 't')).toHaveLength(7);
});

test('the row for a place is in its own kernel, and the nearest of its group otherwise', () => {
  const nodes = [0, 1, 2].map((group) => ({
    name: `n${group}`,
    op: 'call_function',
    target: '',
    args: '',
    shape: '',
    dtype: '',
    module: '',
    expressions: [group % 2],
    why: null,
  }));
  const rows = nodeRows(nodes, new Set());
  const index = new Map([
    [0, [0, 2]],
    [1, [1]],
  ]);
  const of = kernelsOfNodes([kernel('a', [0]), kernel('b', [1, 2])]);
  expect(locate({ rows, index }, { group: 0, kernels: [1], node: null }, of, null, 0)).toBe(2);
  expect(locate({ rows, index }, { group: 0, kernels: [], node: 0 }, of, null, 2)).toBe(0);
  expect(locate({ rows, index }, { group: 0, kernels: [], node: null }, of, null, 2)).toBe(2);
  expect(locate({ rows, index }, { group: 7, kernels: [], node: null }, of, null, 2)).toBe(-1);
  expect(around(rows, 1, (row) => row.type === 'node' && row.group === 0)).toEqual([0, 2]);
  expect(around(rows, 1, () => false)).toBeNull();
});

test('ribbons of a group keep their order, and what is out of view has none', () => {
  const from = runs(
    [
      { group: 3, from: 10, to: 40 },
      { group: 4, from: -50, to: -20 },
    ],
    100,
  );
  expect(from).toEqual([{ group: 3, from: 10, to: 40 }]);
  const to = runs(
    [
      { group: 3, from: 0, to: 19 },
      { group: 3, from: 19, to: 38 },
      { group: 3, from: 60, to: 79 },
    ],
    100,
  );
  expect(to).toHaveLength(2);
  const paths = ribbons(from, to, 0, 34).map(({ path }) => path);
  expect(paths).toHaveLength(2);
  expect(paths[0]).toMatch(/^M0.0 10.0C.* 34.0 0.0V38.0/);
  expect(paths[1]).toMatch(/^M0.0 25.0C.* 34.0 60.0V79.0/);
});
