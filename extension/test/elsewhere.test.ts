import { expect, test } from 'vitest';
import type { Answer } from '../src/core/elsewhere';
import { Guesses, added, fileIn, logSourceParts, mappingsIn, written } from '../src/core/elsewhere';
import type { PathCandidate } from '../src/protocol.gen';

const candidate = (there: string, here: string): PathCandidate => ({ there, here, files: 1, agree: 3, compared: 3 });

function asking(answers: Answer[], refused: string[] = []) {
  const said: string[] = [];
  const guesses = new Guesses({
    refused: () => refused,
    refuse: (there) => {
      refused.push(there);
      return Promise.resolve();
    },
    ask: (candidates) => {
      said.push(`ask ${candidates.map(({ here }) => here).join(' ')}`);
      return Promise.resolve(answers.shift());
    },
    remember: ({ there, here }) => {
      said.push(`${there} is ${here}`);
      return Promise.resolve();
    },
  });
  return { guesses, said, refused };
}

test('what is confirmed is remembered, and asked about once', async () => {
  const one = candidate('/job', '/ws/a');
  const { guesses, said } = asking([one]);
  await guesses.told([one, candidate('/job', '/ws/b')]);
  await guesses.told([one]);
  expect(said).toEqual(['ask /ws/a /ws/b', '/job is /ws/a']);
});

test('another folder than those that were guessed', async () => {
  const { guesses, said } = asking([candidate('/job', '/elsewhere')]);
  await guesses.told([candidate('/job', '/ws')]);
  expect(said).toEqual(['ask /ws', '/job is /elsewhere']);
});

test('never is never, also in another session; no answer is asked about again there', async () => {
  const first = asking(['never', undefined]);
  await first.guesses.told([candidate('/job', '/ws')]);
  await first.guesses.told([candidate('/other', '/ws')]);
  expect(first.said).toEqual(['ask /ws', 'ask /ws']);
  const second = asking([undefined], first.refused);
  await second.guesses.told([candidate('/job', '/ws')]);
  await second.guesses.told([candidate('/other', '/ws')]);
  expect(second.said).toEqual(['ask /ws']);
  expect(first.refused).toEqual(['/job']);
});

test('a folder of the workspace is written so that the setting can be shared', () => {
  expect(written('/ws/src/a', { ws: '/ws' })).toBe('${workspaceFolder}/src/a');
  expect(written('/ws', { ws: '/ws' })).toBe('${workspaceFolder}');
  expect(written('/two/src', { one: '/one', two: '/two' })).toBe('${workspaceFolder:two}/src');
  expect(written('/else/src', { ws: '/ws' })).toBe('/else/src');
  expect(written('/wsx', { ws: '/ws' })).toBe('/wsx');
});

test('what is set for a folder is replaced, the rest stays', () => {
  const set = mappingsIn([{ from: '/a', to: 'x' }, { from: 1 }, null, { from: '/b', to: 'y' }]);
  expect(added(set, { from: '/a', to: 'z' })).toEqual([
    { from: '/b', to: 'y' },
    { from: '/a', to: 'z' },
  ]);
  expect(mappingsIn('nonsense')).toEqual([]);
});

test('the address of what a log has of a file, from whichever system', () => {
  for (const file of ['/job/src/my model.py', 'C:\\job\\model.py', '']) {
    const { query } = logSourceParts(file);
    expect(fileIn(query)).toBe(file);
  }
  expect(logSourceParts('C:\\job\\model.py').path).toBe('/model (log).py');
  expect(fileIn('nonsense')).toBeUndefined();
});
