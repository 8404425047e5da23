import { describe, expect, test } from 'vitest';
import type { CompileSummary, FunctionSummary, PassInfo } from '../src/protocol.gen';
import type { Known } from '../src/core/targets';
import { compileToShow, recompileToShow } from '../src/core/targets';

const TEXT = `import torch

@torch.compile
def denoise(
    x,
    sigma,
):
    y = x * sigma

    # a note
    return y

@torch.compile(
    dynamic=True,
)
def anneal(x):
    def inner(x):
        return x + 1
    return inner(x)

x = anneal(1)
`.split('\n');
const lineOf = (text: string): number => TEXT.findIndex((line) => line.includes(text));

const compile = (id: string, nodes = 5, status = 'ok'): CompileSummary => ({
  id,
  label: id,
  status,
  seconds: 1,
  nodes,
});
const fn = (name: string, starts: string, compiles: CompileSummary[]): FunctionSummary => ({
  name,
  file: '/ws/a.py',
  line: lineOf(starts) + 1,
  seconds: 1,
  graphs: 1,
  breaks: 0,
  recompiles: 0,
  skipped: false,
  compiles,
});
const FUNCTIONS = [
  fn('denoise', '@torch.compile', [compile('0/0', 0), compile('0/1'), compile('0/2')]),
  fn('anneal', '@torch.compile(', [compile('1/0')]),
  fn('inner', 'def inner', [compile('2/0')]),
];

const known: Known = {
  functions: () => Promise.resolve(FUNCTIONS),
  passes: () => Promise.resolve([{ compileId: '7/0' }, { compileId: '0/1' }] as PassInfo[]),
};
const show = (starts: string | null, shown: string[] = [], file = '/ws/a.py'): Promise<string | null> =>
  compileToShow('r', starts === null ? null : { file, line: lineOf(starts), text: TEXT }, shown, known);

test.each([
  ['@torch.compile', '0/1'],
  ['sigma,', '0/1'],
  ['y = x', '0/1'],
  ['return y', '0/1'],
  ['dynamic=True', '1/0'],
  ['def anneal', '1/0'],
  ['return inner', '1/0'],
  ['return x + 1', '2/0'],
])('at `%s` it is the first graph of the function around it', async (text, id) => {
  expect(await show(text)).toBe(id);
});

test('outside every compiled function it is the first compile with passes', async () => {
  for (const text of ['import torch', 'x = anneal(1)', null]) expect(await show(text)).toBe('7/0');
  expect(await show('y = x', [], '/ws/other.py')).toBe('7/0');
});

test('a compile that a panel shows stays, as long as it is of the function under the cursor', async () => {
  expect(await show('y = x', ['0/2'])).toBe('0/2');
  expect(await show('y = x', ['1/0'])).toBe('0/1');
  expect(await show('import torch', ['0/2'])).toBe('0/2');
});

test('a function that only ran in eager shows that', async () => {
  const eager = [fn('denoise', '@torch.compile', [compile('3/0', 0, 'skipped')])];
  const at = { file: '/ws/a.py', line: lineOf('y = x'), text: TEXT };
  expect(await compileToShow('r', at, [], { ...known, functions: () => Promise.resolve(eager) })).toBe('3/0');
});

test('a run without passes leaves it to the panel', async () => {
  expect(await compileToShow('r', null, [], { ...known, passes: () => Promise.resolve([]) })).toBeNull();
});

test('a compile with phases of the compiler alone has no passes', async () => {
  const passes = [
    { compileId: '0/0', kind: 'phase' },
    { compileId: '1/0', kind: 'pass' },
  ] as PassInfo[];
  const all: Known = { ...known, passes: () => Promise.resolve(passes) };
  expect(await compileToShow('r', null, [], all)).toBe('1/0');
  expect(await compileToShow('r', null, [], { ...all, passes: () => Promise.resolve(passes.slice(0, 1)) })).toBe('0/0');
});

describe('the recompile panel', () => {
  const [denoise, anneal, inner] = FUNCTIONS as [FunctionSummary, FunctionSummary, FunctionSummary];
  const again = [{ ...denoise, recompiles: 1 }, { ...anneal, recompiles: 1, seconds: 9 }, inner];
  const shown = (starts: string | null, open: string[] = [], functions = again): Promise<string | null> => {
    const cursor = starts === null ? null : { file: '/ws/a.py', line: lineOf(starts), text: TEXT };
    return recompileToShow('r', cursor, open, { ...known, functions: () => Promise.resolve(functions) });
  };

  test('opens on the function at the cursor where it was compiled again, else on the dearest that was', async () => {
    expect(await shown('y = x')).toBe('0/1');
    expect(await shown('return x + 1')).toBe('1/0');
    expect(await shown(null)).toBe('1/0');
  });

  test('keeps to what a panel shows, if that was compiled again', async () => {
    expect(await shown(null, ['2/0', '0/2'])).toBe('0/2');
    expect(await shown(null, ['2/0'])).toBe('1/0');
  });

  test('opens like the others where nothing was', async () => {
    expect(await shown('return x + 1', [], FUNCTIONS)).toBe('2/0');
    expect(await shown(null, [], FUNCTIONS)).toBe('7/0');
  });
});
