/** The life of the server as one value, changed only here. Status bar, tree and commands read nothing else. */
import type { Problem } from '../protocol.gen';
import type { Launch } from './server-launch';

export type SessionState =
  | { name: 'idle' }
  | { name: 'resolving' }
  | { name: 'starting'; launch: Launch }
  | { name: 'running'; launch: Launch }
  | { name: 'failed'; problem: Problem }
  | { name: 'stopping' };

export type SessionEvent =
  | { type: 'start' }
  | { type: 'resolved'; launch: Launch }
  | { type: 'ready' }
  | { type: 'failed'; problem: Problem }
  | { type: 'stop' }
  | { type: 'stopped' };

/** The state after `event`; the same state when the event means nothing in it. */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'start':
      return state.name === 'idle' || state.name === 'failed' ? { name: 'resolving' } : state;
    case 'resolved':
      return state.name === 'resolving' ? { name: 'starting', launch: event.launch } : state;
    case 'ready':
      return state.name === 'starting' ? { name: 'running', launch: state.launch } : state;
    case 'failed':
      return state.name === 'stopping' || state.name === 'idle' ? state : { name: 'failed', problem: event.problem };
    case 'stop':
      if (state.name === 'idle' || state.name === 'stopping') return state;
      return state.name === 'failed' ? { name: 'idle' } : { name: 'stopping' };
    case 'stopped':
      return state.name === 'stopping' ? { name: 'idle' } : state;
  }
}
