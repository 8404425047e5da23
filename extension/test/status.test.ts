import { describe, expect, test } from 'vitest';
import type { StatusChanged } from '../src/protocol.gen';
import { noRecording } from '../src/core/problem';
import type { StatusInput } from '../src/core/status';
import { MENU, findingsText, statusOfRun, statusView, withoutIcons } from '../src/core/status';

const launch = { python: '/usr/bin/python3', version: '3.11.7', args: [], because: 'PATH' };
const quiet: StatusChanged = {
  state: 'idle',
  text: '',
  tooltip: '',
  breaks: 0,
  recompiles: 0,
  skipped: 0,
  errors: 0,
  graphs: 0,
};
const input = (change: Partial<StatusInput> = {}): StatusInput => ({
  session: { name: 'running', launch },
  status: undefined,
  problem: undefined,
  interpreterProblem: undefined,
  trusted: true,
  interpreter: undefined,
  ...change,
});

test('a run that was opened or selected is told as the server would', () => {
  const run = {
    ...{ recording: '/r', title: 'a.py', status: 'finished', started: null, wallS: null, exitCode: 0, depth: null },
    ...{ torch: null, graphs: 2, breaks: 1, recompiles: 0, errors: 0, cleared: false, target: null, inputs: [] },
    ...{ cost: null, script: null },
  };
  const skipped = { rule: 'frame-skipped', severity: 'warning', title: '', file: null, line: 0, character: 0 };
  const findings = [{ ...skipped, count: 3, costS: 0, fileNote: null }];
  const status = statusOfRun({ run, findings });
  expect(statusView(input({ status })).text).toBe('$(telescope) 1 break · 1 skipped');
  expect(status.tooltip).toBe('a.py: 2 graphs · 1 break · 1 skipped');
  expect(statusOfRun({ run: { ...run, breaks: 0 }, findings: [] }).tooltip).toBe('a.py: 2 graphs');
});

describe('the text', () => {
  test.each([
    [{ breaks: 2, recompiles: 4, skipped: 1, graphs: 6 }, '2 breaks · 4 recompiles · 1 skipped'],
    [{ breaks: 1, graphs: 2 }, '1 break'],
    [{ errors: 1, breaks: 1, graphs: 2 }, '1 error · 1 break'],
    [{ graphs: 1 }, '1 graph'],
    [{ graphs: 3 }, '3 graphs'],
    [{}, 'Compilescope'],
  ])('for %j is %s', (counts, expected) => {
    expect(findingsText({ ...quiet, ...counts })).toBe(expected);
  });

  test('before the first trace it is only the name, and may be hidden', () => {
    expect(statusView(input())).toMatchObject({ text: '$(telescope) Compilescope', tone: 'plain', quiet: true });
  });

  test('while tracing it spins and says what the server says', () => {
    const status = { ...quiet, state: 'tracing', text: '$(loading~spin) denoise [0/0] code generation' };
    expect(statusView(input({ status })).text).toBe('$(loading~spin) denoise [0/0] code generation');
  });

  test('what the server says brings no icons of its own', () => {
    const status = { ...quiet, state: 'tracing', text: '$(loading~spin) compile $(bug) x' };
    expect(statusView(input({ status })).text).toBe('$(loading~spin) compile x');
    expect(withoutIcons('$(a) b $(c~spin) d')).toBe('b d');
  });

  test('findings are coloured, a clean run is not', () => {
    expect(statusView(input({ status: { ...quiet, breaks: 1, graphs: 2 } })).tone).toBe('findings');
    expect(statusView(input({ status: { ...quiet, graphs: 1 } })).tone).toBe('plain');
  });
});

describe('problems', () => {
  test('a server that failed is an error with its ways out in the tooltip', () => {
    const problem = { code: 'server-ended', title: 'It ended.', detail: 'Why.', actions: ['compilescope.restart'] };
    const view = statusView(input({ session: { name: 'failed', problem } }));
    expect(view).toMatchObject({ text: '$(error) Compilescope', tone: 'error', quiet: false });
    expect(view.tooltip).toContain('[Restart Server](command:compilescope.restart)');
  });

  test('an interpreter without torch is told in the tooltip, quietly, until somebody traces', () => {
    const noTorch = { code: 'no-torch', title: 'No torch.', detail: '', actions: ['compilescope.selectInterpreter'] };
    const view = statusView(input({ interpreterProblem: noTorch }));
    expect(view.tone).toBe('plain');
    expect(view.tooltip).toContain('No torch');
    expect(statusView(input({ problem: noTorch })).tone).toBe('warning');
  });

  test('text of a problem can add neither a link nor an icon', () => {
    const problem = { ...noRecording, title: '[click](command:workbench.action.quit) $(bug) <b>' };
    const { tooltip } = statusView(input({ problem }));
    expect(tooltip).not.toContain('[click](command:');
    expect(tooltip).not.toContain('$(bug)');
    expect(tooltip).not.toContain('<b>');
  });
});

test('the tooltip is a menu of all actions', () => {
  const { tooltip } = statusView(input());
  for (const { title, command } of MENU) expect(tooltip).toMatch(new RegExp(`${title}\\]\\(command:${command}\\)`));
});
