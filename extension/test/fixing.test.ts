import { beforeEach, describe, expect, test } from 'vitest';
import type { FixHost } from '../src/core/fixing';
import { APPLY_ANYWAY, Fixer, SHOW_DIFF, SHOW_VALUES, UNDO, fixesOf, lineAfter } from '../src/core/fixing';
import type { FixResult } from '../src/protocol.gen';

const choice = { file: '/ws/a.py', line: 4, character: 7, code: 'GB0170', fix: 'Write the if as torch.where' };
const argument = { recording: '/r', fixes: [choice] };
const file = { file: '/ws/a.py', before: 'old', after: 'new', line: 4 };
const applied: FixResult = {
  status: 'applied',
  message: 'Break gone, outputs equal.',
  files: [file],
  values: null,
  note: 'break gone',
  problem: null,
};
const unproven: FixResult = { ...applied, status: 'unproven', message: 'Not applied.', files: [], values: 'values' };

let events: unknown[];
let answer: FixResult;
let pick: string | undefined;
let edited: boolean;
let host: FixHost;

beforeEach(() => {
  [events, answer, pick, edited] = [[], applied, undefined, false];
  const note =
    (name: string) =>
    (...given: unknown[]): Promise<void> => {
      events.push([name, ...given]);
      return Promise.resolve();
    };
  host = {
    trusted: () => true,
    settings: () => Promise.resolve({ python: '/venv/python', env: { A: '1' } }),
    applyFix: (params) => {
      events.push(['apply', params]);
      return Promise.resolve({ ...applied, message: '' });
    },
    fixAndVerify: (params) => {
      events.push(['verify', params]);
      return Promise.resolve(answer);
    },
    say: (tone, message, buttons) => {
      events.push([tone, message, buttons]);
      return Promise.resolve(pick);
    },
    report: (problem) => events.push(['report', problem.code]),
    showDiff: note('diff'),
    undo: (files) => {
      events.push(['undo', files]);
      return Promise.resolve(!edited);
    },
    showValues: note('values'),
    mark: (...given) => events.push(['mark', ...given]),
  };
});

describe('a fix that is proven', () => {
  test('is told with its difference and a way back, and noted beside the line', async () => {
    await new Fixer(host).fixAndVerify(argument);
    expect(events).toEqual([
      ['verify', { ...argument, python: '/venv/python', env: { A: '1' } }],
      ['mark', file, 'break gone'],
      ['information', 'Break gone, outputs equal.', [SHOW_DIFF, UNDO]],
    ]);
  });

  test.each([
    [SHOW_DIFF, ['diff', [file]]],
    [UNDO, ['undo', [file]]],
  ])('%s', async (button, event) => {
    pick = button;
    await new Fixer(host).fixAndVerify(argument);
    expect(events.at(-1)).toEqual(event);
  });

  test('is not undone over edits of the user', async () => {
    [pick, edited] = [UNDO, true];
    await new Fixer(host).fixAndVerify(argument);
    expect(events.at(-1)).toEqual(['warning', 'Not undone: the file was edited since.', []]);
  });
});

describe('a fix that is not proven', () => {
  test('changes nothing and says why', async () => {
    answer = unproven;
    await new Fixer(host).fixAndVerify(argument);
    expect(events.slice(1)).toEqual([['warning', 'Not applied.', [SHOW_VALUES, APPLY_ANYWAY]]]);
  });

  test('is made if the user wants it anyway', async () => {
    [answer, pick] = [{ ...unproven, values: null }, APPLY_ANYWAY];
    await new Fixer(host).fixAndVerify(argument);
    expect(events[1]).toEqual(['warning', 'Not applied.', [APPLY_ANYWAY]]);
    expect(events.at(-1)).toEqual(['apply', argument]);
  });

  test('shows the values that differ', async () => {
    [answer, pick] = [unproven, SHOW_VALUES];
    await new Fixer(host).fixAndVerify(argument);
    expect(events.at(-1)).toEqual(['values', 'values']);
  });
});

test('nothing is run in an untrusted workspace', async () => {
  await new Fixer({ ...host, trusted: () => false }).fixAndVerify(argument);
  expect(events).toEqual([['report', 'untrusted']]);
});

test('one that was cancelled needs no words', async () => {
  answer = { ...unproven, status: 'cancelled', message: '' };
  await new Fixer(host).fixAndVerify(argument);
  expect(events).toHaveLength(1);
});

test('what could not be run is reported with its way out', async () => {
  const problem = { code: 'no-torch', title: 't', detail: '', actions: [] };
  answer = { ...unproven, status: 'refused', problem };
  await new Fixer(host).fixAndVerify(argument);
  expect(events.at(-1)).toEqual(['report', 'no-torch']);
});

test.each([undefined, {}, { recording: '/r', fixes: [] }, { recording: '/r', fixes: [{ ...choice, line: 'x' }] }])(
  'an argument that names no fix is none: %j',
  (given) => {
    expect(fixesOf(given)).toBeUndefined();
  },
);

test('a note moves with its line and goes when that is edited', () => {
  expect(lineAfter(5, { first: 1, last: 1, added: 2 })).toBe(7);
  expect(lineAfter(5, { first: 1, last: 3, added: 0 })).toBe(3);
  expect(lineAfter(5, { first: 6, last: 6, added: 2 })).toBe(5);
  expect(lineAfter(5, { first: 4, last: 5, added: 0 })).toBeUndefined();
});
