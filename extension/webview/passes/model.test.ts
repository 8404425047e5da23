import { describe, expect, test } from 'vitest';
import type { MatchInfo, PassInfo, UnrunInfo } from '../../src/shared/messages';
import { errorText, stepName } from '../../src/shared/steps';
import { shortDiff } from './diff';
import { noDiffReason } from './details';
import { byPattern, matchesText } from './matches';
import { graphSpans, passModel, type Row, type RowFilter, rowsOf } from './model';

let order = 0;
const pass = (name: string, change: Partial<PassInfo> = {}): PassInfo => ({
  compileId: '0/0',
  graph: '0/0/joint',
  phase: 'joint',
  name,
  order: order++,
  depth: 0,
  seconds: 0.1,
  nodesBefore: 10,
  nodesAfter: 10,
  edgesBefore: 12,
  edgesAfter: 12,
  delta: 0,
  changed: false,
  custom: false,
  before: 'a',
  after: 'a',
  function: null,
  file: null,
  line: null,
  gap: false,
  error: null,
  kind: 'pass',
  source: null,
  slot: null,
  message: null,
  matches: [],
  why: null,
  ...change,
});

const model = (passes: PassInfo[], unrun: UnrunInfo[] = []) =>
  passModel({ compiles: [], passes, compileSeconds: 2, overhead: null, note: null, cause: null, unrun });

const FILTER: RowFilter = { text: '', hideUnchanged: false, closed: new Set(), selected: null, dismissed: new Set() };

const names = (rows: Row[]): string[] =>
  rows.map((row) => (row.type === 'phase' ? row.phase.label : row.type === 'pass' ? row.pass.name : '(why)'));

const post = (graph: string): Partial<PassInfo> => ({ phase: 'post_grad', graph: `0/0/${graph}` });

describe('passes', () => {
  test('are grouped by phase in the order in which they ran', () => {
    const { phases } = model([
      pass('p', { phase: 'pre_grad', graph: '0/0/dynamo' }),
      pass('a'),
      pass('b'),
      pass('c', post('forward')),
      pass('d', post('backward')),
      pass('e', post('forward')),
    ]);
    expect(phases.map((phase) => phase.label)).toEqual([
      'Pre-grad',
      'Joint',
      'Post-grad, forward',
      'Post-grad, backward',
      'Post-grad, forward (2)',
    ]);
  });

  test('nested time counts once', () => {
    const { seconds, phases, slowest } = model([
      pass('outer', { seconds: 0.5 }),
      pass('inner', { seconds: 0.4, depth: 1 }),
      pass('other', { seconds: 0.2 }),
    ]);
    expect(seconds).toBeCloseTo(0.7);
    expect(phases[0].seconds).toBeCloseTo(0.7);
    expect(slowest?.name).toBe('outer');
  });

  test("a phase's Δ is from its first graph to its last", () => {
    const { phases } = model([
      pass('a', { nodesBefore: 882, nodesAfter: 839, edgesBefore: 1159, edgesAfter: 1116, changed: true }),
      pass('b', { nodesBefore: 839, nodesAfter: 889, edgesBefore: 1116, edgesAfter: 1182, changed: true }),
    ]);
    expect([phases[0].nodesBefore, phases[0].nodesAfter, phases[0].delta]).toEqual([882, 889, -30]);
  });

  test('without counts there is no Δ', () => {
    const none = { nodesBefore: null, nodesAfter: null, edgesBefore: null, edgesAfter: null, delta: null };
    expect(model([pass('a', none)]).phases[0].delta).toBeNull();
    expect(graphSpans(model([pass('a', none)]))).toEqual([]);
  });

  test('hiding unchanged ones keeps phases, custom and failed passes, and the selection', () => {
    const list = [
      pass('quiet'),
      pass('chosen'),
      pass('changed', { changed: true }),
      pass('mine', { custom: true, changed: true }),
      pass('bad', { error: 'x' }),
      pass('later', post('forward')),
    ];
    const rows = rowsOf(model(list), { ...FILTER, hideUnchanged: true, selected: list[1].order });
    expect(names(rows)).toEqual(['Joint', 'chosen', 'changed', 'mine', 'bad', 'Post-grad']);
  });

  test('a filter keeps only phases with a match', () => {
    const rows = rowsOf(model([pass('fuse_a'), pass('other'), pass('x', post('forward'))]), {
      ...FILTER,
      text: 'FUSE',
    });
    expect(names(rows)).toEqual(['Joint', 'fuse_a']);
  });

  test('a custom pass that changed nothing gets a note until it is dismissed', () => {
    const one = model([pass('mine', { custom: true })]);
    expect(names(rowsOf(one, FILTER))).toEqual(['Joint', 'mine', '(why)']);
    expect(names(rowsOf(one, { ...FILTER, dismissed: new Set(['mine']) }))).toEqual(['Joint', 'mine']);
    expect(names(rowsOf(model([pass('bad', { custom: true, error: 'boom' })]), FILTER))).toEqual(['Joint', 'bad']);
  });

  test('passes of which only the time is recorded are not called unchanged', () => {
    const one = model([pass('a', { nodesBefore: null, nodesAfter: null })]);
    expect(one.unseen).toBe(true);
    expect(names(rowsOf(one, { ...FILTER, hideUnchanged: true }))).toEqual(['Joint', 'a']);
    expect(model([pass('a', { nodesBefore: 4, nodesAfter: 4 })]).unseen).toBe(false);
  });

  test('a closed phase shows its row only', () => {
    const one = model([pass('a')]);
    expect(names(rowsOf(one, { ...FILTER, closed: new Set([one.phases[0].key]) }))).toEqual(['Joint']);
  });

  test('why there is no text diff', () => {
    expect(noDiffReason(pass('a', { changed: true, before: 'a', after: 'b' }))).toBeNull();
    expect(noDiffReason(pass('a', { nodesBefore: 4, nodesAfter: 4 }))).toContain('did not change');
    expect(noDiffReason(pass('a', { nodesBefore: null, nodesAfter: null }))).toContain('is not recorded');
    expect(noDiffReason(pass('a', { changed: true, before: null, after: 'b' }))).toContain('not recorded');
  });
});

describe('steps that are no pass', () => {
  const phase = (name: string, change: Partial<PassInfo> = {}): PassInfo =>
    pass(name, { kind: 'phase', phase: 'aot', changed: true, ...change });
  const trace = phase('aot_trace', { seconds: 9, source: '0/0/dynamo', nodesBefore: 5, nodesAfter: 40, delta: -70 });
  const gap = pass('', { kind: 'gap', gap: true, changed: true, seconds: 0 });

  test('have no part in the number of passes, their time and the slowest', () => {
    const one = model([trace, pass('a', { seconds: 0.2 }), gap, pass('b', { seconds: 0.3 })]);
    expect(one.passes.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(one.changed).toBe(0);
    expect(one.seconds).toBeCloseTo(0.5);
    expect(one.slowest?.name).toBe('b');
    expect(one.most).toBeCloseTo(0.3);
  });

  test('are rows in their place, in words', () => {
    const rows = rowsOf(model([trace, pass('a'), gap]), { ...FILTER, hideUnchanged: true });
    expect(rows.map((row) => (row.type === 'pass' ? stepName(row.pass) : 'group'))).toEqual([
      'group',
      'AOTAutograd traces the graph anew',
      'group',
      'changed outside of every observed pass',
    ]);
  });

  test('sizes of two kinds of graph are not compared', () => {
    const one = model([trace, pass('a', { nodesBefore: 40, nodesAfter: 38, changed: true })]);
    expect(one.phases.map(({ delta }) => delta)).toEqual([null, 2]);
    expect(graphSpans(one)).toEqual([{ direction: 'joint', before: 40, after: 38, delta: 2 }]);
  });
});

describe('passes of the program', () => {
  const own = { custom: true, slot: 'joint_custom_pre_pass', function: 'mine.Rules.fuse' };
  const unrun: UnrunInfo = {
    compileId: '0/0',
    slot: 'custom_partitioner_fn',
    function: 'mine.balance',
    file: '/p/mine.py',
    line: 7,
    reason: 'No backward.',
  };

  test('have the name of their function, and are found by it, by slot and by pattern', () => {
    const matches = [{ pattern: 'silu', target: 't', nodes: ['a'], created: [], file: null, line: null }];
    const one = model([pass('joint_custom_pre_pass', { ...own, changed: true, matches }), pass('other')]);
    expect(stepName(one.passes[0])).toBe('fuse');
    for (const text of ['fuse', 'custom_pre', 'SILU'])
      expect(names(rowsOf(one, { ...FILTER, text }))).toEqual(['Joint', 'joint_custom_pre_pass']);
  });

  test('that did not run come last, also when unchanged ones are hidden, and count as none', () => {
    const one = model([pass('a', { changed: true })], [unrun]);
    const rows = rowsOf(one, { ...FILTER, hideUnchanged: true });
    expect(names(rows)).toEqual(['Joint', 'a', 'Your passes that did not run', 'custom_partitioner_fn']);
    expect(one.passes).toHaveLength(1);
    const row = rows[3];
    expect(row.type === 'pass' && [row.pass.message, noDiffReason(row.pass)]).toEqual([
      'No backward.',
      'This pass never ran. No backward.',
    ]);
  });

  test('that failed say with what', () => {
    expect(errorText(pass('a', { error: 'KeyError', message: 'no such node' }))).toBe('KeyError: no such node');
    expect(errorText(pass('a', { error: 'KeyError', message: '' }))).toBe('KeyError');
    expect(errorText(pass('a'))).toBeNull();
    expect(noDiffReason(pass('a', { error: 'KeyError' }))).toContain('failed');
  });
});

describe('matches', () => {
  const match = (pattern: string): MatchInfo => ({
    pattern,
    target: 't',
    nodes: ['a'],
    created: [],
    file: null,
    line: null,
  });

  test('of passes inside of a pass are its own too', () => {
    const list = [
      pass('outer'),
      pass('inner', { depth: 1, matches: [match('x')] }),
      pass('next', { depth: 1, matches: [match('y')] }),
      pass('after', { matches: [match('z')] }),
    ];
    const found = model(list).matches;
    const patterns = list.map(({ order }) => found.get(order)?.map(({ pattern }) => pattern));
    expect(patterns).toEqual([['x', 'y'], ['x'], ['y'], ['z']]);
  });

  test('are counted by pattern, most first', () => {
    const list = ['x', 'y', 'y'].map(match);
    expect(byPattern(list).map(([pattern, own]) => [pattern, own.length])).toEqual([
      ['y', 2],
      ['x', 1],
    ]);
    expect(matchesText(list)).toBe('3 matches\n2 × y\n1 × x');
    expect(matchesText([match('x')])).toBe('1 match\n1 × x');
  });
});

describe('short diff', () => {
  const text = (lines: string[]): string => `${lines.join('\n')}\n`;
  const base = Array.from({ length: 50 }, (_, i) => `line ${i}`);

  test('shows changed lines with three around them and both line numbers', () => {
    const after = [...base.slice(0, 20), 'new', ...base.slice(21)];
    const diff = shortDiff(text(base), text(after))!;
    expect([diff.added, diff.removed, diff.rest]).toEqual([1, 1, 0]);
    expect(diff.lines.map((line) => line.kind)).toEqual([
      'hunk',
      'same',
      'same',
      'same',
      'removed',
      'added',
      'same',
      'same',
      'same',
    ]);
    expect(diff.lines[4]).toEqual({ kind: 'removed', before: 21, after: null, text: 'line 20' });
    expect(diff.lines[5]).toEqual({ kind: 'added', before: null, after: 21, text: 'new' });
  });

  test('stops after 200 lines and says how many are left', () => {
    const diff = shortDiff(text(base), text(Array.from({ length: 300 }, (_, i) => `other ${i}`)))!;
    expect(diff.lines).toHaveLength(200);
    expect(diff.rest).toBe(1 + 50 + 300 - 200);
    expect(diff.added).toBe(300);
  });
});
