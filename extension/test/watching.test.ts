import { expect, test } from 'vitest';
import type { Memory } from '../src/core/opened-logs';
import { Watching, watchingText } from '../src/core/watching';
import type { WatchedFolder } from '../src/protocol.gen';

const folder = (path: string, state = 'following', polling: string | null = null): WatchedFolder => ({
  path,
  state,
  words: '2 ranks',
  polling,
  recordings: 1,
  ended: null,
});

function watched(wanted: string[], kept = new Map<string, unknown>()) {
  const memory: Memory = {
    get: <T>(key: string, otherwise: T) => (kept.get(key) as T | undefined) ?? otherwise,
    update: (key, value) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  };
  const said: string[] = [];
  const note = (word: string) => (path: string) => {
    said.push(`${word} ${path}`);
    return Promise.resolve();
  };
  const watching = new Watching({
    memory,
    running: () => true,
    wanted: () => [...wanted],
    watch: note('watch'),
    unwatch: note('unwatch'),
    changed: () => undefined,
    report: ({ code }) => said.push(code),
  });
  return { said, watching };
}

test('a server that starts again watches what was watched', async () => {
  const { said, watching } = watched(['/of/setting']);
  await watching.restart();
  await watching.start('/named');
  await watching.restart();
  expect(said).toEqual(['watch /of/setting', 'watch /named', 'watch /named', 'watch /of/setting']);
});

test('what a command named is watched in the next session, until it is stopped', async () => {
  const kept = new Map<string, unknown>();
  await watched([], kept).watching.start('/named');
  const next = watched(['/of/setting'], kept);
  await next.watching.restart();
  expect(next.said).toEqual(['watch /named', 'watch /of/setting']);
  await next.watching.stop('/named');
  const last = watched([], kept);
  await last.watching.restart();
  expect(last.said).toEqual([]);
});

test('a setting takes away only what it alone named', async () => {
  const wanted = ['/a', '/b'];
  const { said, watching } = watched(wanted);
  await watching.settingChanged();
  await watching.start('/b');
  wanted.splice(0, 2, '/c');
  await watching.settingChanged();
  expect(said.slice(3)).toEqual(['unwatch /a', 'watch /c']);
});

test('what was stopped is not watched again', async () => {
  const { said, watching } = watched([]);
  await watching.start('/a');
  await watching.stop('/a');
  await watching.restart();
  expect(said).toEqual(['watch /a', 'unwatch /a']);
});

test('a folder that went is told once', () => {
  const { said, watching } = watched([]);
  for (const state of ['following', 'gone', 'gone']) watching.told([folder('/a', state)]);
  expect(said).toEqual(['watched-gone']);
});

test('a job that broke off is told once, and so is the next', () => {
  const { said, watching } = watched([]);
  const first = { ...folder('/a'), ended: 'process 1 has ended, while compiling step [0/0]' };
  for (const one of [folder('/a'), first, first]) watching.told([one]);
  expect(said).toEqual(['watched-ended']);
  watching.told([{ ...first, ended: 'process 2 has ended, while compiling step [1/0]' }]);
  expect(said).toEqual(['watched-ended', 'watched-ended']);
});

test('the words name the folder, and why it is only looked at', () => {
  expect(watchingText([], String)).toBe('');
  expect(watchingText([folder('/w/a')], (path) => path.slice(3))).toBe('Watching a: 2 ranks');
  expect(watchingText([folder('/a', 'following', 'nfs4')], String)).toContain('nfs4');
});
