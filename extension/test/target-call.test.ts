import { beforeEach, expect, test } from 'vitest';
import type { TargetInfo } from '../src/protocol.gen';
import type { AskingHost, Question, Remembered } from '../src/core/target-call';
import { callOf, learn, targetOf } from '../src/core/target-call';

const net: TargetInfo = {
  file: '/ws/net.py',
  name: 'Net',
  made: 'Net(width=8)',
  inputs: 'torch.randn(4, 8)',
  signature: 'Net.forward(x)',
};
const loss: TargetInfo = { ...net, name: 'loss', made: 'loss', inputs: 'torch.randn(4, 8)', signature: 'loss(x)' };

let asked: Question[];
let answers: (string | undefined)[];
let memory: Map<string, Remembered>;
let host: AskingHost;

beforeEach(() => {
  asked = [];
  answers = [];
  memory = new Map();
  host = {
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answers.shift());
    },
    recall: (key) => memory.get(key),
    remember: (key, call) => memory.set(key, call),
  };
});

test('the inputs of a function are asked for once, with a proposal', async () => {
  answers = ['torch.ones(3)'];
  const call = { target: 'loss', inputs: ['torch.ones(3)'] };
  expect(await callOf(loss, false, host)).toEqual(call);
  expect(asked.map(({ value }) => value)).toEqual(['torch.randn(4, 8)']);
  expect(asked[0]?.prompt).toContain('loss(x)');
  expect(await callOf(loss, false, host)).toEqual(call);
  expect(asked).toHaveLength(1);
});

test('of a class that needs arguments it is asked first how it is made', async () => {
  answers = ['Net(3)', ' torch.ones(2, 3) '];
  expect(await callOf(net, false, host)).toEqual({ target: 'Net(3)', inputs: ['torch.ones(2, 3)'] });
  expect(asked.map(({ value }) => value)).toEqual(['Net(width=8)', 'torch.randn(4, 8)']);
});

test('what was answered before is proposed when the inputs are to change', async () => {
  answers = ['Net(3)', 'a', 'Net(4)', 'b'];
  await callOf(net, false, host);
  expect(await callOf(net, true, host)).toEqual({ target: 'Net(4)', inputs: ['b'] });
  expect(asked.slice(2).map(({ value }) => value)).toEqual(['Net(3)', 'a']);
});

test('targets of other files and names are others', async () => {
  answers = ['a', 'b', 'c'];
  await callOf(loss, false, host);
  await callOf({ ...loss, file: '/ws/other.py' }, false, host);
  await callOf({ ...loss, name: 'other', made: 'other' }, false, host);
  expect(asked).toHaveLength(3);
});

test('whoever gives up runs nothing and changes nothing', async () => {
  answers = [undefined];
  expect(await callOf(net, false, host)).toBeUndefined();
  answers = ['Net(3)', undefined];
  expect(await callOf(net, false, host)).toBeUndefined();
  expect(memory.size).toBe(0);
});

test('a function that needs no inputs is not asked about', async () => {
  expect(await callOf({ ...loss, inputs: '' }, false, host)).toEqual({ target: 'loss', inputs: [] });
  expect(asked).toEqual([]);
  answers = [''];
  expect(await callOf({ ...loss, inputs: '' }, true, host)).toEqual({ target: 'loss', inputs: [] });
});

test('inputs that did not fit are asked for again, and what they were is proposed', async () => {
  answers = ['torch.ones(3', 'torch.ones(3)'];
  const call = (await callOf(loss, false, host)) ?? { target: '', inputs: [] };
  learn(loss, call, 'bad-inputs', host);
  await callOf(loss, false, host);
  expect(asked[1]?.value).toBe('torch.ones(3');
  learn(loss, call, undefined, host);
  learn(loss, call, 'crashed', host);
  await callOf(loss, false, host);
  expect(asked).toHaveLength(2);
});

test('what a code lens gives', () => {
  expect(targetOf({ target: net, ask: true })).toEqual({ target: net, ask: true });
  expect(targetOf({ target: net })).toEqual({ target: net, ask: false });
  for (const other of [undefined, null, {}, { target: null }, { target: { name: 'x' } }, { file: '/a.py' }, 'x']) {
    expect(targetOf(other)).toBeUndefined();
  }
});
