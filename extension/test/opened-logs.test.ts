import { expect, test } from 'vitest';
import type { Memory } from '../src/core/opened-logs';
import { OpenedLogs } from '../src/core/opened-logs';

function memory(): Memory {
  const kept = new Map<string, unknown>();
  return {
    get: <T>(key: string, otherwise: T) => (kept.get(key) as T | undefined) ?? otherwise,
    update: (key, value) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  };
}

test('what was opened is remembered once, without what is gone, until findings are cleared', async () => {
  const there = new Set(['/a.log', '/b.log']);
  const kept = memory();
  const opened = new OpenedLogs(kept, (one) => there.has(one));
  for (const one of ['/a.log', '/b.log', '/a.log']) await opened.add(one);
  expect(new OpenedLogs(kept, (one) => there.has(one)).all).toEqual(['/b.log', '/a.log']);
  there.delete('/b.log');
  expect(opened.all).toEqual(['/a.log']);
  await opened.clear();
  expect(opened.all).toEqual([]);
});

test('only the last twenty are remembered', async () => {
  const opened = new OpenedLogs(memory(), () => true);
  for (let index = 0; index < 25; index += 1) await opened.add(`/${index}.log`);
  expect(opened.all).toHaveLength(20);
  expect(opened.all.at(-1)).toBe('/24.log');
});
