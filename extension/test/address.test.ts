/** Addresses of jobs in a folder. */
import { expect, test } from 'vitest';
import { isJob, placeOf } from '../src/core/address';

test.each([
  ['/traces/a.log', '/traces/a.log', false],
  ['/traces#1', '/traces#1', false],
  ['/traces#job=dedicated_log_torch_trace_rank_0_x.log', '/traces', true],
  ['/a#job=b#job=node0/c.log', '/a#job=b', true],
])('%s is in %s', (recording, place, job) => {
  expect([placeOf(recording), isJob(recording)]).toEqual([place, job]);
});
