import { beforeEach, expect, test, vi } from 'vitest';
import { ProblemError, noServerPython } from '../src/core/problem';
import type { Connection, Ended } from '../src/core/server';
import { ConnectionLost, Server } from '../src/core/server';
import type { Launch } from '../src/core/server-launch';

const launch: Launch = { python: '/usr/bin/python3', version: '3.11.7', args: ['entry.py'], because: 'PATH' };

/** A server process under the test's control. */
class FakeConnection implements Connection {
  stops = 0;
  alive = true;
  readonly ended: Promise<Ended>;
  answer!: () => void;
  #end!: (ended: Ended) => void;
  #refuse!: (reason: Error) => void;
  readonly #started = new Promise<void>((resolve, reject) => {
    this.answer = resolve;
    this.#refuse = reject;
  });
  request: Connection['request'] = () => Promise.reject(new Error('no answer was set'));

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  start(): Promise<void> {
    return this.#started;
  }

  stop(): Promise<void> {
    this.stops += 1;
    this.end({ code: 0, signal: null, stderr: '' });
    return Promise.resolve();
  }

  end(ended: Ended): void {
    if (this.alive) this.#end(ended);
    this.alive = false;
    this.#started.catch(() => undefined);
    this.#refuse(new Error('connection closed'));
  }
}

let connections: FakeConnection[];
let states: string[];
let now: number;
let answersAtOnce: boolean;
let resolve: () => Promise<Launch>;
let server: Server;

beforeEach(() => {
  connections = [];
  states = [];
  now = 0;
  answersAtOnce = true;
  resolve = () => Promise.resolve(launch);
  server = new Server({
    resolve: () => resolve(),
    connect: () => {
      const connection = new FakeConnection();
      connections.push(connection);
      if (answersAtOnce) connection.answer();
      return connection;
    },
    onReady: () => undefined,
    onState: (state) => states.push(state.name),
    log: () => undefined,
    now: () => now,
    isThere: (recording) => recording !== '/gone',
    startTimeoutMs: 200,
  });
});

function running(): FakeConnection {
  const connection = connections.at(-1);
  if (connection === undefined) throw new Error('nothing was started');
  return connection;
}

test('starts once however often it is asked', async () => {
  await Promise.all([server.start(), server.start(), server.connection()]);
  expect(connections).toHaveLength(1);
  expect(states).toEqual(['resolving', 'starting', 'running']);
});

test('restarts that come while one is on its way become one more', async () => {
  await server.start();
  await Promise.all([server.restart(), server.restart(), server.restart(), server.restart()]);
  expect(connections.filter(({ alive }) => alive)).toHaveLength(1);
  expect(connections.length).toBeLessThanOrEqual(3);
  expect(server.state.name).toBe('running');
});

test('a stop in the middle of a start ends the process and stays down', async () => {
  answersAtOnce = false;
  const start = server.start();
  await vi.waitFor(() => {
    expect(connections).toHaveLength(1);
  });
  await Promise.all([server.stop(), start]);
  expect(running().alive).toBe(false);
  expect(server.state.name).toBe('idle');
});

test('stopping what never started is no failure', async () => {
  await server.stop();
  await server.stop();
  expect(server.state.name).toBe('idle');
});

test('no interpreter is a state with a problem, and the next start tries again', async () => {
  const problem = noServerPython('3.10', 'no Python on PATH');
  resolve = () => Promise.reject(new ProblemError(problem));
  await server.start();
  expect(server.state).toEqual({ name: 'failed', problem });
  await expect(server.connection()).rejects.toThrow(ProblemError);
  resolve = () => Promise.resolve(launch);
  await server.start();
  expect(server.state.name).toBe('running');
});

test('a process that ends while it starts is told with its last words', async () => {
  answersAtOnce = false;
  const start = server.start();
  await vi.waitFor(() => {
    expect(connections).toHaveLength(1);
  });
  const stderr = 'Traceback (most recent call last):\nModuleNotFoundError: No module named pygls\n';
  running().end({ code: 1, signal: null, stderr });
  await start;
  expect(server.state).toMatchObject({
    name: 'failed',
    problem: {
      title: "Compilescope's server ended with exit code 1 while it started.",
      detail: 'Its last words: ModuleNotFoundError: No module named pygls',
      actions: ['compilescope.restart', 'compilescope.showLogs', 'compilescope.selectInterpreter'],
    },
  });
});

test('a server that never answers is ended and told', async () => {
  answersAtOnce = false;
  await server.start();
  expect(server.state).toMatchObject({ name: 'failed', problem: { code: 'server-ended' } });
  expect(running().alive).toBe(false);
});

test('a crash is mended silently twice, then told', async () => {
  await server.start();
  const crash = { code: null, signal: 'SIGSEGV', stderr: 'Fatal Python error: Segmentation fault\n' };
  for (const started of [2, 3]) {
    running().end(crash);
    await vi.waitFor(() => {
      expect(connections).toHaveLength(started);
      expect(server.state.name).toBe('running');
    });
  }
  expect(states).not.toContain('failed');
  running().end(crash);
  await vi.waitFor(() => {
    expect(server.state.name).toBe('failed');
  });
  expect(connections).toHaveLength(3);
  expect(server.state).toMatchObject({ problem: { title: expect.stringContaining('SIGSEGV') as string } });
});

test('crashes that lie far apart are each mended', async () => {
  await server.start();
  for (let started = 2; started < 7; started += 1) {
    now += 200_000;
    running().end({ code: 1, signal: null, stderr: '' });
    await vi.waitFor(() => {
      expect(connections).toHaveLength(started);
      expect(server.state.name).toBe('running');
    });
  }
});

test('a request that was under way when the server ended is told with the reason', async () => {
  await server.start();
  const connection = running();
  connection.request = () => Promise.reject(new ConnectionLost());
  const request = server.request('compilescope/runs', {});
  connection.end({ code: 9, signal: null, stderr: 'MemoryError\n' });
  await expect(request).rejects.toMatchObject({
    problem: {
      title: "Compilescope's server ended with exit code 9 before it could answer.",
      detail: 'Its last words: MemoryError',
    },
  });
});

test("the server's own error answers pass through", async () => {
  await server.start();
  running().request = () => Promise.reject(new Error('no such recording'));
  await expect(server.request('compilescope/runs', {})).rejects.toThrow('no such recording');
});

test('a request about a recording that is gone says so, and any other failure stays as it is', async () => {
  await server.start();
  running().request = () => Promise.reject(new Error('/gone does not exist.'));
  const text = server.request('compilescope/runText', { recording: '/gone' });
  await expect(text).rejects.toMatchObject({ problem: { code: 'recording-gone' } });
  const pair = server.request('compilescope/runDiff', { before: '/there', after: '/gone' });
  await expect(pair).rejects.toMatchObject({ problem: { code: 'recording-gone' } });
  await expect(server.request('compilescope/runText', { recording: '/there' })).rejects.toThrow('does not exist');
});
