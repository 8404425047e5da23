import { describe, expect, test } from 'vitest';
import type { CompileSummary, FindingSummary, FunctionSummary, PassInfo, RunSummary } from '../src/protocol.gen';
import { passTitle } from '../src/shared/pass-title';
import { untrusted } from '../src/core/problem';
import { findingRow } from '../src/core/rows/findings';
import { passRow, phases, unrunRow } from '../src/core/rows/passes';
import { problemRows } from '../src/core/rows/problems';
import { compileRow, functionRow, runRow } from '../src/core/rows/runs';
import { kernelRow, stepRow } from '../src/core/rows/steps';
import { rankRow, ranksRow } from '../src/core/rows/ranks';
import { summaryRows } from '../src/core/rows/summary';
import { keptFunctions, runMatches } from '../src/core/run-filter';

const NOW = new Date(2026, 10, 29, 15, 0);
const run: RunSummary = {
  recording: '/ws/.compilescope/1',
  title: 'sampler.py',
  status: 'finished',
  started: new Date(2026, 10, 29, 13, 17).toISOString(),
  wallS: 5.5,
  exitCode: 0,
  depth: 'full',
  torch: '2.13.0',
  graphs: 6,
  breaks: 2,
  recompiles: 4,
  errors: 0,
  script: '/ws/sampler.py',
  cleared: false,
  target: null,
  inputs: [],
  cost: 'tracing cost 0.8 %',
};

describe('runs', () => {
  test('say when, how they ended, and how long they took', () => {
    expect(runRow(run, NOW)).toMatchObject({
      label: 'sampler.py',
      description: '13:17 · 5.50 s',
      icon: 'pass',
    });
    expect(runRow(run, NOW).tooltip.split('\n')).toEqual([
      'sampler.py',
      'today 13:17 · exit 0 · 5.50 s',
      '6 graphs · 2 breaks · 4 recompiles',
      'full depth · torch 2.13.0 · tracing cost 0.8 %',
      '/ws/.compilescope/1',
    ]);
  });

  test.each([
    [{ exitCode: 3 }, 'error', 'exit 3 · 13:17 · 5.50 s'],
    [{ status: 'running', wallS: null, exitCode: null }, 'loading~spin', 'running · 13:17'],
    [{ status: 'timed-out', exitCode: -9 }, 'watch', 'timed-out · 13:17 · 5.50 s'],
    [{ started: null, wallS: null, exitCode: null }, 'pass', ''],
  ])('%j', (change, icon, description) => {
    expect(runRow({ ...run, ...change }, NOW)).toMatchObject({ icon, description });
  });
});

describe('ranks', () => {
  test('count what differs, and open to the groups that agree', () => {
    const differs = { title: '0/1: not compiled by all ranks', groups: ['rank 0: compiled', 'rank 1: not compiled'] };
    const counted = { title: '2, with 1 difference', groups: [] };
    expect(ranksRow('/r', [counted, differs])).toMatchObject({
      label: 'Ranks',
      branch: true,
      color: 'list.warningForeground',
    });
    expect(ranksRow('/r', [counted, differs]).description).toBe('2, with 1 difference');
    expect(ranksRow('/r', [counted])).toMatchObject({ branch: false });
    expect(rankRow('/r', differs, 0)).toMatchObject({ branch: true, icon: 'diff' });
    expect(rankRow('/r', differs, 0).tooltip.split('\n')).toHaveLength(3);
    const page = { command: 'compilescope.showRanks', arguments: [{ recording: '/r' }] };
    expect([ranksRow('/r', [counted]).command, rankRow('/r', differs, 0).command]).toEqual([page, page]);
  });
});

describe('functions and compiles', () => {
  const summary: FunctionSummary = {
    name: 'denoise',
    file: '/ws/sampler.py',
    line: 13,
    seconds: 5.46,
    graphs: 6,
    breaks: 2,
    recompiles: 4,
    skipped: false,
    compiles: [],
  };
  const compile: CompileSummary = { id: '0/1', label: '0/1  sigma 1.0 → 0.5', status: 'ok', seconds: 0.7, nodes: 16 };

  test('a function opens its source, whose lines count from 0', () => {
    const row = functionRow('r', summary);
    expect(row.description).toBe('5.46 s · 2 breaks · 4 recompiles');
    expect(row.tooltip.split('\n')).toEqual([
      'denoise',
      '6 graphs · 2 breaks · 4 recompiles · 5.46 s',
      '/ws/sampler.py:13',
    ]);
    expect(row.command?.arguments).toEqual([
      { file: '/ws/sampler.py', line: 12, column: 0, endLine: -1, endColumn: -1 },
    ]);
  });

  test('a skipped function says that it runs in eager', () => {
    const row = functionRow('r', { ...summary, skipped: true, graphs: 0, seconds: 0.04 });
    expect(row.description).toBe('0.04 s · runs in eager: 0 graphs');
  });

  test('a compile is named by its id and what changed', () => {
    expect(compileRow('r', compile, 0)).toMatchObject({
      label: '0/1',
      description: '0.70 s · sigma 1.0 → 0.5',
      icon: 'refresh',
    });
    expect(compileRow('r', { ...compile, id: '0/0', label: '0/0' }, 0)).toMatchObject({
      description: '0.70 s',
      icon: 'layers',
    });
    expect(compileRow('r', { ...compile, status: 'failed' }, 0)).toMatchObject({ icon: 'error' });
  });

  test('a row of a function stands for its first compile with a graph', () => {
    const compiles = [
      { ...compile, nodes: 0 },
      { ...compile, id: '0/2' },
    ];
    expect(functionRow('r', { ...summary, compiles }).compileId).toBe('0/2');
    expect(functionRow('r', summary).compileId).toBeUndefined();
  });

  test('the same compile of two ranks has two ids', () => {
    expect(compileRow('r', compile, 0).id).not.toBe(compileRow('r', compile, 1).id);
  });
});

describe('findings', () => {
  const finding: FindingSummary = {
    rule: 'recompile',
    severity: 'warning',
    title: '`sigma` is compiled in',
    file: '/ws/a/sampler.py',
    line: 14,
    character: 11,
    count: 4,
    costS: 2.12,
    fileNote: null,
  };

  const name = (): string => 'sampler.py';

  test('say where, how often and what it cost; numbers of lines count from 1', () => {
    const row = findingRow('r', finding, false, name);
    expect(row).toMatchObject({
      label: '`sigma` is compiled in',
      description: 'sampler.py:15 · 4 × · 2.12 s',
      icon: 'refresh',
    });
    expect(row.command?.arguments).toEqual([
      { file: '/ws/a/sampler.py', line: 14, column: 11, endLine: -1, endColumn: -1 },
    ]);
  });

  test('of one file only: the line is enough, and the tooltip has everything', () => {
    const row = findingRow('r', finding, true, name);
    expect(row.description).toBe(':15 · 4 × · 2.12 s');
    expect(row.tooltip.split('\n')).toEqual([
      '`sigma` is compiled in',
      'recompile · 4 × · 2.12 s',
      '/ws/a/sampler.py:15',
    ]);
    expect(findingRow('r', { ...finding, count: 1, costS: 0 }, true, name).description).toBe(':15');
  });

  test('one without a file opens nothing', () => {
    expect(findingRow('r', { ...finding, file: null, costS: 0 }, false, name)).toMatchObject({ description: '4 ×' });
    expect(findingRow('r', { ...finding, file: null }, false, name).command).toBeUndefined();
  });
});

describe('passes', () => {
  const pass: PassInfo = {
    compileId: '0/0',
    graph: '0/0/forward',
    phase: 'post_grad',
    name: 'reorder_for_locality',
    order: 3,
    depth: 0,
    seconds: 0.01,
    nodesBefore: 10,
    nodesAfter: 8,
    edgesBefore: 12,
    edgesAfter: 9,
    delta: 5,
    changed: true,
    custom: false,
    before: 'aa',
    after: 'bb',
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
  };

  test('neighbours of the same graph and phase are together, in order', () => {
    const list = [pass, { ...pass, order: 4 }, { ...pass, phase: 'joint', order: 5 }, { ...pass, order: 6 }];
    expect(phases(list).map(({ name, passes }) => [name, passes.map(({ order }) => order)])).toEqual([
      ['post_grad', [3, 4]],
      ['joint', [5]],
      ['post_grad', [6]],
    ]);
  });

  test('a pass that changed the graph opens the comparison, one that did not opens nothing', () => {
    expect(passRow('p', 'r', 'f', pass, 0)).toMatchObject({
      description: 'Δ +5 · 0.01 s',
      command: {
        command: 'compilescope.openDiff',
        arguments: [{ recording: 'r', before: 'aa', after: 'bb', title: passTitle(pass, 'f') }],
      },
    });
    const inert = passRow('p', 'r', 'f', { ...pass, changed: false, after: 'aa', delta: 0 }, 0);
    expect(inert.description).toBe('no change · 0.01 s');
    expect(inert.command).toBeUndefined();
  });

  test('a phase and a gap are in words and no pass; a custom pass has its function, slot and error', () => {
    const gap = passRow('p', 'r', 'f', { ...pass, name: '', kind: 'gap', gap: true }, 0);
    expect([gap.label, gap.icon]).toEqual(['changed outside of every observed pass', 'question']);
    const phase = passRow('p', 'r', 'f', { ...pass, name: 'partition', kind: 'phase', source: '0/0/joint' }, 0);
    expect([phase.label, phase.icon]).toEqual(['The joint graph is split', 'arrow-right']);
    expect(phase.description).not.toContain('Δ');
    const own = { custom: true, slot: 'joint_custom_pre_pass', function: 'm.fuse', file: '/ws/m.py', line: 3 };
    const row = passRow('p', 'r', 'f', { ...pass, ...own, error: 'KeyError', message: 'gone' }, 0);
    expect([row.label, row.icon]).toEqual(['fuse', 'error']);
    for (const part of ['joint_custom_pre_pass', '/ws/m.py:3', 'KeyError: gone']) expect(row.tooltip).toContain(part);
  });

  test('passes that did not run are dimmed, say why, and lead to their code', () => {
    const unrun = { compileId: '0/0', slot: 's', function: 'm.f', file: '/ws/m.py', line: 3, reason: 'No backward.' };
    const row = unrunRow('r', unrun, 0);
    expect(row).toMatchObject({ label: 'f', description: 'never ran · No backward.', icon: 'circle-slash' });
    expect(row.command?.arguments).toMatchObject([{ file: '/ws/m.py', line: 2 }]);
    expect(unrunRow('r', { ...unrun, file: null }, 0).command).toBeUndefined();
  });

  test('a comparison is named by pass, phase and compile', () => {
    expect(passTitle(pass, 'run')).toBe('reorder_for_locality · post-grad, forward, of run [0/0]');
    const joint = { ...pass, phase: 'joint', graph: '0/1_1/joint', compileId: '0/1' };
    expect(passTitle(joint, 'run')).toBe('reorder_for_locality · joint of run [0/1]');
  });

  test('growth has a minus sign', () => {
    expect(passRow('p', 'r', 'f', { ...pass, delta: -4 }, 0).description).toContain('Δ −4');
  });
});

test('a problem is a row with its ways out below it', () => {
  const [row, ...ways] = problemRows(untrusted);
  expect(row).toMatchObject({ label: untrusted.title, description: untrusted.detail, branch: true });
  expect(ways.map(({ label, command }) => [label, command?.command])).toEqual([
    ['Manage Trust', 'workbench.trust.manage'],
    ['Open Recording…', 'compilescope.openRecording'],
  ]);
});

describe('inside of a compile', () => {
  test('a step says what it is, how much it did and how long it took', () => {
    const row = stepRow('/r', '0/0', { key: 'passes', seconds: 0.531, note: '23, 4 changed' });
    expect(row).toMatchObject({ label: 'Passes', description: '23, 4 changed · 0.53 s', branch: true, kind: 'step' });
    expect(row.command).toEqual({
      command: 'compilescope.showPasses',
      arguments: [{ recording: '/r', compileId: '0/0' }],
    });
  });

  test('a time that was not recorded is left out, and an unknown step keeps its name', () => {
    expect(stepRow('/r', '0/0', { key: 'guards', seconds: null, note: '47' }).description).toBe('47');
    const row = stepRow('/r', '0/0', { key: 'later', seconds: 1, note: '' });
    expect(row).toMatchObject({ label: 'later', branch: false });
    expect(row).not.toHaveProperty('command');
  });

  test('a kernel opens its code at the line that it comes from', () => {
    const kernel = { name: 'cpp_fused_add_0', kind: 'cpp', graph: '0/0/forward', nodes: 3, operator: null };
    const row = kernelRow('/r', '0/0', { ...kernel, file: '/ws/a.py', line: 4 }, 0);
    expect(row).toMatchObject({ label: 'cpp_fused_add_0', description: 'forward · 3 nodes · line 5' });
    expect(row.command?.arguments).toMatchObject([
      { kernel: 'cpp_fused_add_0', source: { file: '/ws/a.py', line: 4 } },
    ]);
  });

  test('a fallback is told apart by its icon and by its words', () => {
    const kernel = { name: 'k', kind: 'fallback', graph: '0/0/inference', nodes: 1, operator: 'aten.sort.default' };
    const row = kernelRow('/r', '0/0', { ...kernel, file: null, line: null }, 0);
    expect(row).toMatchObject({ label: 'aten.sort.default', icon: 'warning' });
    expect(row.tooltip).toContain('without a lowering');
  });
});

describe('the filter of the runs view', () => {
  const one: FunctionSummary = {
    name: 'denoise',
    file: '/ws/model.py',
    line: 1,
    seconds: 1,
    graphs: 1,
    breaks: 0,
    recompiles: 0,
    skipped: false,
    compiles: [{ id: '0/1', label: '0/1  sigma 1.0 → 0.5', status: 'ok', seconds: 1, nodes: 3 }],
  };
  const other = { ...one, name: 'encode', compiles: [] };

  test('keeps a whole run that matches, else only its functions that do', () => {
    expect(keptFunctions(run, [one, other], 'SAMPLER')).toEqual([one, other]);
    expect(keptFunctions(run, [one, other], 'enco')).toEqual([other]);
    expect(keptFunctions(run, [one, other], 'sigma 1.0')).toEqual([one]);
    expect(keptFunctions(run, [one, other], '')).toEqual([one, other]);
  });

  test('looks at name, state and version of a run', () => {
    expect(['2.13', 'finished', ' sampler '].map((text) => runMatches(run, text))).toEqual([true, true, true]);
    expect(runMatches(run, 'failed')).toBe(false);
  });

  test('the summary says what a run came to, and nothing of one that compiled nothing', () => {
    const again = {
      rule: 'recompile',
      severity: 'information',
      title: '',
      file: null,
      line: 0,
      character: 0,
      count: 4,
    };
    const detail = {
      run,
      functions: [one, { ...other, graphs: 0, skipped: true }],
      notes: [],
      ranks: [],
      exports: [],
      damage: null,
    };
    const texts = summaryRows({ ...detail, findings: [{ ...again, costS: 0.5, fileNote: null }] }).map(
      ({ label }) => label,
    );
    expect(texts).toEqual([
      'Compiling took 2.00 s, 0.50 s of it on recompiles',
      '2 functions: 1 in graphs, 1 with a frame in eager',
      'full depth · torch 2.13.0 · tracing cost 0.8 %',
    ]);
    expect(summaryRows({ run, functions: [], findings: [], notes: [], ranks: [], exports: [], damage: null })).toEqual(
      [],
    );
  });
});
