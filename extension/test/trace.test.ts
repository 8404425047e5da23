import { beforeEach, describe, expect, test } from 'vitest';
import type { TraceParams, TraceResult } from '../src/protocol.gen';
import type { Problem } from '../src/core/problem';
import { ProblemError, noFile, noInterpreter } from '../src/core/problem';
import type { TraceHost } from '../src/core/trace';
import { Tracer, fileOf, problemOfResult } from '../src/core/trace';

const finished: TraceResult = {
  recording: '/r',
  exitCode: 0,
  status: 'finished',
  findings: 2,
  problem: null,
  difference: null,
};

let said: (Problem | undefined)[];
let sent: TraceParams[];
let events: string[];
let abort: AbortController;
let host: TraceHost;

beforeEach(() => {
  said = [];
  sent = [];
  events = [];
  abort = new AbortController();
  host = {
    trusted: () => true,
    script: () => Promise.resolve('/ws/train.py'),
    settings: () => ({
      args: ['--fast'],
      cwd: '/ws',
      env: { A: '1' },
      depth: 'full',
      profile: false,
      timeoutSeconds: 0,
    }),
    interpreter: () => Promise.resolve({ python: '/venv/bin/python', step: 'PATH', trail: [] }),
    progress: (_script, _quietly, run) => run(abort.signal),
    trace: (params) => {
      sent.push(params);
      return Promise.resolve(finished);
    },
    cancel: () => {
      events.push('cancel');
      return Promise.resolve();
    },
    setTracing: (tracing) => events.push(tracing ? 'tracing' : 'idle'),
    report: (problem) => said.push(problem),
    tellDifference: (script, difference) => events.push(`${script}: ${difference}`),
  };
});

test('what is sent is what the settings say', async () => {
  await new Tracer(host).trace(undefined);
  expect(sent).toEqual([
    {
      script: '/ws/train.py',
      module: null,
      args: ['--fast'],
      cwd: '/ws',
      python: '/venv/bin/python',
      depth: 'full',
      profile: false,
      logs: null,
      timeoutS: null,
      env: { A: '1' },
      target: null,
      inputs: [],
    },
  ]);
  expect(said).toEqual([undefined]);
  expect(events).toEqual(['tracing', 'idle']);
});

test('the depth of the command goes before that of the settings', async () => {
  await new Tracer(host).trace(undefined, { depth: 'capture' });
  expect(sent[0]?.depth).toBe('capture');
});

test('one call of a script is sent with it, and is what the newest run called', async () => {
  const tracer = new Tracer(host);
  const call = { target: 'Net(8)', inputs: ['torch.ones(2, 8)'] };
  await tracer.trace(undefined, { call });
  expect(sent[0]).toMatchObject({ script: '/ws/train.py', ...call });
  expect(tracer.lastCall('/ws/train.py')).toEqual(call);
  await tracer.trace(undefined);
  expect(sent[1]).toMatchObject({ target: null, inputs: [] });
  expect(tracer.lastCall('/ws/train.py')).toBeUndefined();
  expect([tracer.traced('/ws/train.py'), tracer.traced('/ws/other.py')]).toEqual([true, false]);
});

test('what a run changed is told', async () => {
  const again = { ...finished, difference: '2 fixed, 1 new' };
  await new Tracer({ ...host, trace: () => Promise.resolve(again) }).trace(undefined);
  expect(events).toEqual(['tracing', 'train.py: 2 fixed, 1 new', 'idle']);
});

test('in an untrusted workspace nothing is looked at, chosen or run', async () => {
  const never = (): never => {
    throw new Error('not reached');
  };
  const untrusted = { ...host, trusted: () => false, script: never, interpreter: never, trace: never };
  await new Tracer(untrusted).trace(undefined);
  expect(said.map((problem) => problem?.code)).toEqual(['untrusted']);
});

test.each([
  ['script', noFile],
  ['interpreter', noInterpreter('PATH: no Python there')],
  ['trace', noFile],
] as const)('a failure of the %s is reported and leaves nothing behind', async (part, problem) => {
  const tracer = new Tracer({ ...host, [part]: () => Promise.reject(new ProblemError(problem)) });
  expect(await tracer.trace(undefined)).toBeUndefined();
  expect(said).toEqual([problem]);
  expect(tracer.tracing).toBe(false);
  expect(events.at(-1)).toBe('idle');
});

test('one run at a time', async () => {
  let end: (result: TraceResult) => void = () => undefined;
  const tracer = new Tracer({ ...host, trace: () => new Promise((resolve) => (end = resolve)) });
  const first = tracer.trace(undefined);
  await new Promise((resolve) => setTimeout(resolve));
  expect(await tracer.trace(undefined)).toBeUndefined();
  expect(tracer.tracing).toBe(true);
  end(finished);
  expect(await first).toEqual(finished);
  expect(tracer.tracing).toBe(false);
});

describe('cancelling', () => {
  test('is passed on once, and is no problem', async () => {
    const tracer = new Tracer({
      ...host,
      trace: () => {
        abort.abort();
        return Promise.resolve({ ...finished, status: 'cancelled', exitCode: -15 });
      },
    });
    await tracer.trace(undefined);
    expect(events).toEqual(['tracing', 'cancel', 'idle']);
    expect(said).toEqual([undefined]);
  });

  test('before anything was sent, sends nothing', async () => {
    abort.abort();
    const result = await new Tracer(host).trace(undefined);
    expect(result?.status).toBe('cancelled');
    expect(sent).toEqual([]);
  });
});

describe('how a run ended', () => {
  test.each([
    [finished, undefined],
    [{ ...finished, exitCode: 1 }, 'script-failed'],
    [{ ...finished, status: 'cancelled', exitCode: -2 }, undefined],
    [{ ...finished, exitCode: -11, problem: { code: 'crashed', title: '', detail: '', actions: [] } }, 'crashed'],
    [{ ...finished, recording: null, exitCode: null, status: 'failed', problem: noFile }, 'no-file'],
  ])('%j', (result, code) => {
    expect(problemOfResult(result, 'train.py')?.code).toBe(code);
  });

  test('the message counts what is kept', () => {
    const problem = problemOfResult({ ...finished, exitCode: 3 }, 'train.py');
    expect(problem).toMatchObject({
      title: 'train.py ended with exit code 3.',
      detail: 'Its output says why. 2 findings up to then are kept.',
    });
  });
});

test('the file that an argument names', () => {
  expect(fileOf({ scheme: 'file', fsPath: '/ws/a.py' })).toBe('/ws/a.py');
  expect(fileOf({ scheme: 'git', fsPath: '/ws/a.py' })).toBeUndefined();
  expect(fileOf({ file: '/ws/b.py' })).toBe('/ws/b.py');
  expect(fileOf('/ws/c.py')).toBe('/ws/c.py');
  for (const nothing of ['file:///ws/d.py', undefined, null, 3, {}]) expect(fileOf(nothing)).toBeUndefined();
});
