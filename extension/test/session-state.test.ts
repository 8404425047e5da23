import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionEvent, SessionState } from '../src/core/session-state';
import { nextState } from '../src/core/session-state';

const launch = { python: '/usr/bin/python3', version: '3.11.7', args: [], because: 'PATH' };
const problem = { code: 'server-ended', title: 'It ended.', detail: '', actions: [] };

function after(...events: SessionEvent[]): SessionState {
  return events.reduce(nextState, { name: 'idle' });
}

test('a start goes through resolving and starting to running', () => {
  expect(after({ type: 'start' }).name).toBe('resolving');
  expect(after({ type: 'start' }, { type: 'resolved', launch })).toEqual({ name: 'starting', launch });
  expect(after({ type: 'start' }, { type: 'resolved', launch }, { type: 'ready' })).toEqual({
    name: 'running',
    launch,
  });
});

test('a failure keeps its problem until the next start or stop', () => {
  const failed = after({ type: 'start' }, { type: 'failed', problem });
  expect(failed).toEqual({ name: 'failed', problem });
  expect(nextState(failed, { type: 'ready' })).toBe(failed);
  expect(nextState(failed, { type: 'start' }).name).toBe('resolving');
});

test('a failure while stopping is no failure', () => {
  const stopping = after({ type: 'start' }, { type: 'resolved', launch }, { type: 'stop' });
  expect(nextState(stopping, { type: 'failed', problem })).toEqual({ name: 'stopping' });
});

test('from every state a stop leads to idle, whatever came before', () => {
  const event = fc.constantFrom<SessionEvent>(
    { type: 'start' },
    { type: 'resolved', launch },
    { type: 'ready' },
    { type: 'failed', problem },
    { type: 'stop' },
    { type: 'stopped' },
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const state = [...events, { type: 'stop' } as const, { type: 'stopped' } as const].reduce<SessionState>(
        nextState,
        {
          name: 'idle',
        },
      );
      expect(state.name).toBe('idle');
    }),
  );
});

test('running is reached only by ready after starting', () => {
  const event = fc.constantFrom<SessionEvent>(
    { type: 'start' },
    { type: 'ready' },
    { type: 'failed', problem },
    { type: 'stop' },
    { type: 'stopped' },
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      expect(events.reduce<SessionState>(nextState, { name: 'idle' }).name).not.toBe('running');
    }),
  );
});
