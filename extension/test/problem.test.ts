import { expect, test } from 'vitest';
import {
  recordingGone,
  ProblemError,
  badSetting,
  buttons,
  isPassing,
  problemOf,
  problemText,
  serverEnded,
  untrusted,
} from '../src/core/problem';

test('the message of an untrusted workspace is that of the mock-up', () => {
  expect(problemText(untrusted)).toBe(
    'Tracing runs your code, and this workspace is not trusted, so nothing was run. Recordings can still be opened.',
  );
  expect(buttons(untrusted).map(({ title }) => title)).toEqual(['Manage Trust', 'Open Recording…']);
  expect(isPassing(untrusted)).toBe(true);
});

test("the server's actions become buttons in its order; those that are not known are left out", () => {
  const problem = {
    code: 'no-torch',
    title: '',
    detail: '',
    actions: ['compilescope.selectInterpreter', 'workbench.action.quit', 'compilescope.copyInstallCommand'],
  };
  expect(buttons(problem)).toEqual([
    { title: 'Select Interpreter', command: 'compilescope.selectInterpreter' },
    { title: 'Copy Install Command', command: 'compilescope.copyInstallCommand' },
  ]);
});

test('the last words of a server are its last line with something on it', () => {
  expect(serverEnded('ended', 'Traceback\n  File "x"\nOSError: full\n\n').detail).toBe('Its last words: OSError: full');
  expect(serverEnded('ended', ' \n').detail).toBe('It said nothing about why.');
});

test('a setting for the server is mended in the settings, one for scripts by choosing', () => {
  const actions = (key: string): string[] => badSetting(key, '/x', 'there is no such file').actions;
  expect(actions('compilescope.server.interpreter')).toEqual(['compilescope.openSettings']);
  expect(actions('compilescope.interpreter')[0]).toBe('compilescope.selectInterpreter');
});

test('a recording that is gone can be looked for, or made anew', () => {
  const gone = recordingGone('/work/.compilescope/1');
  expect(gone.detail).toContain('/work/.compilescope/1');
  expect(buttons(gone).map(({ title }) => title)).toEqual(['Locate…', 'Trace Again']);
});

test('any failure has a problem', () => {
  expect(problemOf(new ProblemError(untrusted))).toBe(untrusted);
  expect(problemOf(new Error('disk full')).detail).toBe('disk full');
  expect(problemOf('odd').detail).toBe('odd');
});
