import { beforeEach, expect, test } from 'vitest';
import type { PanelHost } from '../src/core/panel-session';
import { PanelSession } from '../src/core/panel-session';
import { ProblemError, noRecording } from '../src/core/problem';
import type { Target, ToPanel } from '../src/shared/messages';
import { nowhere } from '../src/shared/messages';

const target: Target = { ...nowhere('/r'), compileId: '0/0' };
let sent: ToPanel[];
let calls: unknown[][];
let host: PanelHost;
let session: PanelSession;

beforeEach(() => {
  sent = [];
  calls = [];
  const call =
    (name: string) =>
    (...given: unknown[]) => {
      calls.push([name, ...given]);
      return Promise.resolve();
    };
  host = {
    send: (message) => sent.push(message),
    target: () => Promise.resolve(target),
    request: () => Promise.reject(new Error('no answer was set')),
    openSource: call('openSource'),
    openDiff: call('openDiff'),
    openChanges: call('openChanges'),
    saveFile: call('saveFile'),
    show: call('show'),
    selected: (selection) => calls.push(['selected', selection.source]),
    action: call('action'),
    command: call('command'),
    copy: call('copy'),
    log: (text) => calls.push(['log', text]),
  };
  session = new PanelSession(host);
});

test('a panel that is ready is told what to show', async () => {
  await session.receive({ type: 'ready' });
  expect(sent).toEqual([{ type: 'show', target }]);
});

test('a request has exactly one answer, with its number', async () => {
  const asked: unknown[] = [];
  host.request = (method, params) => {
    asked.push(method, params);
    return Promise.resolve({ text: 'graph' } as never);
  };
  await session.receive({ type: 'request', id: 7, method: 'graphText', params: { recording: '/r', snapshot: 'a' } });
  expect(asked).toEqual(['graphText', { recording: '/r', snapshot: 'a' }]);
  expect(sent).toEqual([{ type: 'response', id: 7, result: { text: 'graph' } }]);
});

test('a failed request is answered with its problem', async () => {
  host.request = () => Promise.reject(new ProblemError(noRecording));
  await session.receive({ type: 'request', id: 8, method: 'stages', params: { recording: '/r', compileId: null } });
  expect(sent).toEqual([{ type: 'response', id: 8, problem: noRecording }]);
});

test('a method that the contract does not have never reaches the server', async () => {
  await session.receive({ type: 'request', id: 9, method: 'trace', params: {} });
  expect(sent).toMatchObject([{ type: 'response', id: 9, problem: { code: 'unknown-request' } }]);
});

test('cancelling and closing give requests up', async () => {
  const signals: AbortSignal[] = [];
  host.request = (_method, _params, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error('given up'));
      });
    });
  };
  const params = { recording: '/r', snapshot: 'a' };
  const first = session.receive({ type: 'request', id: 1, method: 'graph', params });
  const second = session.receive({ type: 'request', id: 2, method: 'graph', params });
  await session.receive({ type: 'cancel', id: 1 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  session.dispose();
  await Promise.all([first, second]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('wishes are passed on', async () => {
  const place = { file: '/a.py', line: 1, column: 2, endLine: 1, endColumn: 5 };
  await session.receive({ type: 'openSource', place, preserveFocus: true });
  await session.receive({ type: 'openDiff', recording: '/r', before: 'a', after: 'b', title: 't' });
  await session.receive({ type: 'showPanel', panel: 'passes', target });
  await session.receive({ type: 'select', selection: { ...target, source: place } });
  await session.receive({ type: 'copy', text: 'x' });
  expect(calls).toEqual([
    ['openSource', place, true],
    ['openDiff', '/r', 'a', 'b', 't'],
    ['show', 'passes', target],
    ['selected', place],
    ['copy', 'x'],
  ]);
});

test('only the commands that mend problems are run', async () => {
  await session.receive({ type: 'command', command: 'compilescope.restart' });
  await session.receive({ type: 'command', command: 'workbench.action.terminal.sendSequence' });
  expect(calls[0]).toEqual(['command', 'compilescope.restart']);
  expect(calls).toHaveLength(2);
  expect(calls[1]?.[0]).toBe('log');
});

test.each([undefined, null, 'text', {}, { type: 'nonsense' }])('%j does no harm', async (message) => {
  await session.receive(message);
  expect(sent).toEqual([]);
  expect(calls.map(([name]) => name)).toEqual(['log']);
});
