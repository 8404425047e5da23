import { expect, test } from 'vitest';
import type {
  CauseInfo,
  FunctionChoice,
  GuardNode,
  GuardRow,
  RecompileTable,
  StageInfo,
  VersionInfo,
} from '../../src/shared/messages';
import { pairOf } from './compare';
import {
  bandsOf,
  cellOf,
  columnsOf,
  elsewhere,
  failedNodes,
  markdown,
  nextFailure,
  otherOf,
  rowsOf,
  scaleOf,
  shortValue,
  visibleNodes,
} from './model';

const cause = (about: string, version: string, old: string | null, now: string | null): CauseInfo => ({
  about,
  version,
  check: about,
  guard: `${about} == ${old ?? ''}`,
  old,
  new: now,
  words: `${version}: torch's words`,
  place: null,
  caller: null,
  also: [],
  explanation: '',
  write: '',
  note: '',
  hints: [],
  code: 'recompile',
  fix: null,
});

const version = (id: string, made: CauseInfo | null, calls: number | null = 1): VersionInfo => ({
  id,
  status: 'ok',
  seconds: 0.5,
  calls,
  guards: 3,
  guardS: 1e-4,
  dead: null,
  open: false,
  read: true,
  cause: made,
});

const row = (about: string, cells: (string | null)[], failures: number[] = []): GuardRow => ({
  about,
  kind: 'CONST',
  place: null,
  failures,
  cells,
  same: null,
});

const same = (about: string): GuardRow => ({ ...row(about, []), same: '1' });

const table = (versions: VersionInfo[], rows: GuardRow[]): RecompileTable => ({
  compileId: '0/0',
  function: 'f',
  file: '/app/f.py',
  line: 1,
  resumed: null,
  versions,
  rows,
  more: 7,
  calls: 4,
  guardS: 4e-4,
  recompileS: 1.5,
  recompiles: 3,
  limit: null,
  refusals: [],
  dimensions: [],
  source: null,
  unread: 0,
  noCalls: null,
  noGuards: null,
});

const FOUR = table(
  [
    version('0/0', null),
    version('0/1', cause('n', '0/0', '1', '2')),
    version('0/2', cause('m', '0/1', 'a', 'b')),
    version('0/3', cause('n', '0/2', '2', '3')),
  ],
  [
    row('n', ['1', '2', '2', '3'], [1, 3]),
    row('m', ['a', 'a', 'b', 'b'], [2]),
    row('k', ['x', null, null, 'x']),
    ...['s1', 's2', 's3', 's4'].map(same),
  ],
);

test('a cell is what is accepted, dim when the column left of it says the same, and what failed where it did', () => {
  const columns = columnsOf(FOUR, false);
  const cells = (at: number) =>
    columns.map((column, index) =>
      cellOf(FOUR.rows[at], column, columns.at(index === 0 ? columns.length : index - 1) ?? null),
    );
  expect(cells(0)).toEqual([
    { type: 'text', text: '1', same: false },
    { type: 'failed', old: '1', now: '2', whole: '1 → 2' },
    { type: 'text', text: '2', same: true },
    { type: 'failed', old: '2', now: '3', whole: '2 → 3' },
  ]);
  expect(cells(2).map(({ type }) => type)).toEqual(['text', 'none', 'none', 'text']);
});

test('a guard that can not be read shows the words of torch, and what was not read is not known', () => {
  const odd = { ...version('0/1', cause('?', '0/0', null, null)), read: false };
  const [, column] = columnsOf(table([version('0/0', null), odd], []), false);
  expect(cellOf(row('?', [null, null], [1]), column, null)).toMatchObject({
    type: 'failed',
    now: "0/0: torch's words",
  });
  expect(cellOf(row('n', ['1', null]), column, null)).toEqual({ type: 'unknown' });
});

test('clustered columns stand by the guard that made them, in the order of the rows', () => {
  const columns = columnsOf(FOUR, true);
  expect(columns.map((one) => one.version.id)).toEqual(['0/0', '0/1', '0/3', '0/2']);
  expect(columns.map(({ cluster }) => cluster)).toEqual([
    { about: 'first', size: 1 },
    { about: 'n', size: 2 },
    null,
    { about: 'm', size: 1 },
  ]);
});

test('rows that failed come with three that did not; the others are counted', () => {
  const few = rowsOf(FOUR, true);
  expect(few.rows.map(({ about }) => about)).toEqual(['n', 'm', 'k', 's1', 's2']);
  expect([few.more, few.differ, few.names]).toEqual([2 + 7, 0, ['s3', 's4']]);
  expect(rowsOf(FOUR, false).rows.length).toBe(7);
});

test('the next failure goes around, and a version is compared with the one that did not fit', () => {
  const columns = columnsOf(FOUR, false);
  expect([0, 1, 3].map((at) => nextFailure(columns, at)?.version.id)).toEqual(['0/1', '0/2', '0/1']);
  expect(nextFailure(columnsOf(table([version('0/0', null)], []), false), 0)).toBeNull();
  const [first, , third] = FOUR.versions;
  expect(otherOf(FOUR, third, null)?.id).toBe('0/1');
  expect(otherOf(FOUR, third, '0/3')?.id).toBe('0/3');
  expect(otherOf(FOUR, first, null)?.id).toBe('0/1');
  expect(otherOf(table([first], []), first, null)).toBeNull();
});

test('equal ranges of a dimension are one band, to scale, and an open end reaches the end', () => {
  const spans = [
    { version: '0/0', low: 4, high: 4, seen: '4', text: '4' },
    { version: '0/1', low: 2, high: 6, seen: '5', text: '2…6' },
    { version: '0/2', low: 7, high: null, seen: '8', text: '≥ 7' },
    { version: '0/3', low: 2, high: 6, seen: '5', text: '2…6' },
  ];
  const one = {
    expression: 'x.shape[0]',
    since: '0/1',
    symbols: ['s77'],
    spans,
    sentences: [],
    place: null,
    saves: null,
  };
  const bands = bandsOf(one, FOUR.versions);
  expect(bands.map(({ text, versions, calls, seen }) => [text, versions.length, calls, seen])).toEqual([
    ['4', 1, 1, ['4']],
    ['2…6', 2, 2, ['5']],
    ['≥ 7', 1, 1, ['8']],
  ]);
  const places = bands.map(scaleOf(bands));
  expect(places[1].start).toBeLessThan(places[0].start);
  expect(places[0].end).toBeLessThan(places[1].end);
  expect(places[1].end).toBeLessThan(places[2].start);
  expect(places[2].end).toBe(1);
});

test('closed values hide what is below them; a failed guard is marked with the values above it', () => {
  const node = (depth: number, text: string, about: string[] = []): GuardNode => ({
    depth,
    text,
    code: text,
    kind: about.length > 0 ? 'EQUALS_MATCH' : '',
    checks: 1,
    about,
    place: null,
  });
  const nodes = [node(0, 'G'), node(1, 'cfg'), node(2, 'mode', ['cfg.mode']), node(0, 'x'), node(1, 'n == 2', ['n'])];
  expect(visibleNodes(nodes, new Set([0]))).toEqual([0, 3, 4]);
  expect(visibleNodes(nodes, new Set([1, 3]))).toEqual([0, 1, 3]);
  expect([...failedNodes(nodes, new Set(['cfg.mode']))]).toEqual([0, 1, 2]);
});

test('the graphs of two versions are compared in the last state that both have', () => {
  const stage = (graph: string, name: string, snapshot: string | null): StageInfo => ({
    graph,
    stage: name,
    position: 'after',
    label: name,
    snapshot,
    nodes: 1,
    edges: 0,
    unavailable: null,
    cause: null,
  });
  const training = [stage('0/0/dynamo', 'dynamo', 'a'), stage('0/0/forward', 'post_grad', 'b')];
  const inference = [stage('0/1/dynamo', 'dynamo', 'c'), stage('0/1/inference', 'post_grad', 'd')];
  expect(pairOf(training, inference)).toMatchObject({ before: 'b', after: 'd' });
  expect(pairOf([training[0]], inference)).toMatchObject({ before: 'a', after: 'c' });
  expect(pairOf([], inference)).toBeNull();
});

test('values are short, and Markdown has no row that a value could break', () => {
  expect(['0.3333333333333333', '1e-05', '-12.25', "'a'"].map(shortValue)).toEqual([
    '0.3333',
    '1e-05',
    '-12.25',
    "'a'",
  ]);
  expect(['float32', 'torch.bfloat16', 'int64', 'uint8', 'complex64', 'floats'].map(shortValue)).toEqual([
    'f32',
    'torch.bf16',
    'i64',
    'u8',
    'c64',
    'floats',
  ]);
  const text = markdown(table([version('0/1', cause('n', '0/0', 'a|`b`\n', '2'))], []));
  expect(text.split('\n').filter((line) => line.startsWith('|')).length).toBe(3);
  expect(text).toContain('a\\|ˋbˋ');
});

test('of a function that has one version here, the rank that compiled it again is found', () => {
  const choice = (compileId: string, recompiles: number, more: Partial<FunctionChoice> = {}): FunctionChoice => {
    const own = { function: 'f', file: '/app/f.py', line: 1, resumed: null, rank: 1, ...more };
    return { compileId, versions: recompiles + 1, recompiles, costS: recompiles, ...own };
  };
  const one = { ...table([version('4/0', null)], []), recompiles: 0 };
  const found = (...functions: FunctionChoice[]) => elsewhere({ functions, table: one })?.compileId;
  const piece = choice('rank1:5/0', 2, { line: 3, resumed: 3 });
  expect(found(choice('rank1:0/0', 9, { function: 'g' }), piece, choice('rank1:4/0', 1))).toBe('rank1:4/0');
  expect(found(piece, choice('rank1:4/0', 0))).toBe('rank1:5/0');
  expect(found(choice('4/0', 0), choice('rank1:4/0', 0))).toBeUndefined();
  expect(elsewhere({ functions: [piece], table: FOUR })).toBeUndefined();
});
