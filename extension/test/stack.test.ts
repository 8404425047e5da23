import { expect, test } from 'vitest';
import { stackIn } from '../src/core/stack';

test('only frames are taken out of what a command is given', () => {
  const frame = { file: '/a.py', line: 3, function: 'f' };
  expect(stackIn({ frames: [frame, null, { file: 7 }, { file: '/b.py', line: 1 }] })).toEqual([
    frame,
    { file: '/b.py', line: 1, function: '' },
  ]);
  for (const odd of [undefined, null, 'x', { frames: 'x' }, {}]) expect(stackIn(odd)).toEqual([]);
});
