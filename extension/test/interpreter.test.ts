import { describe, expect, test } from 'vitest';
import type { Environment } from '../src/core/environment';
import { machine, pythonsOnPath } from '../src/core/environment';
import type { Step } from '../src/core/interpreter';
import { chooseInterpreter } from '../src/core/interpreter';
import { ProblemError } from '../src/core/problem';
import type { ServerCandidate } from '../src/core/server-launch';
import { serverLaunch } from '../src/core/server-launch';

const anything = (): boolean => true;

function step(name: string, answer: { python: string } | { nothing: string } | Error | undefined): Step {
  return {
    name,
    find: () =>
      answer === undefined
        ? new Promise(() => undefined)
        : answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve(answer),
  };
}

async function problemOf(promise: Promise<unknown>): Promise<ProblemError['problem']> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProblemError)) throw new Error('expected a problem');
  return error.problem;
}

describe('the ladder', () => {
  test('the first step that knows one decides, and says so', async () => {
    const steps = [
      step('setting', { nothing: 'not set' }),
      step('extension', { python: '/venv/bin/python' }),
      step('PATH', { python: '/usr/bin/python3' }),
    ];
    expect(await chooseInterpreter(steps, anything)).toEqual({
      python: '/venv/bin/python',
      step: 'extension',
      trail: ['setting: not set'],
    });
  });

  test('a step that fails, hangs, or names what is not there is passed over', async () => {
    const steps = [
      step('broken', new Error('no such API')),
      step('slow', undefined),
      step('stale', { python: '/gone/python' }),
      step('PATH', { python: '/usr/bin/python3' }),
    ];
    const choice = await chooseInterpreter(steps, (python) => !python.startsWith('/gone'), 20);
    expect(choice.python).toBe('/usr/bin/python3');
    expect(choice.trail).toEqual([
      'broken: failed (no such API)',
      'slow: no answer within 0.02 s',
      'stale: /gone/python is not there',
    ]);
  });

  test('what a setting names is never passed over', async () => {
    const steps: Step[] = [
      { ...step('compilescope.interpreter', { python: '/typo/python' }), setting: 'compilescope.interpreter' },
      step('PATH', { python: '/usr/bin/python3' }),
    ];
    const problem = await problemOf(chooseInterpreter(steps, (python) => python === '/usr/bin/python3'));
    expect(problem.code).toBe('bad-interpreter-setting');
    expect(problem.title).toContain('/typo/python');
    expect(problem.actions).toContain('compilescope.selectInterpreter');
  });

  test('when no step has one, the problem says where was looked', async () => {
    const problem = await problemOf(chooseInterpreter([step('PATH', { nothing: 'no Python there' })], anything));
    expect(problem.detail).toContain('PATH: no Python there');
  });
});

describe('the interpreter of the server', () => {
  const versions: Record<string, string> = {
    '/old/python': '3.8.10',
    '/new/python': '3.12.1',
    '/ten/python': '3.10.0',
  };
  const environment = {
    pythonVersion: (python: string) =>
      Promise.resolve(
        versions[python] === undefined ? { error: 'there is no such file' } : { version: versions[python] },
      ),
  };
  const candidate = (python: string, setting?: string): ServerCandidate => ({
    python,
    because: setting ?? 'PATH',
    ...(setting === undefined ? {} : { setting }),
  });

  test('one that is too old is passed over', async () => {
    const launch = await serverLaunch('entry.py', [candidate('/old/python'), candidate('/ten/python')], environment);
    expect(launch.python).toBe('/ten/python');
  });

  test('it is started apart from everything that is installed', async () => {
    const launch = await serverLaunch('entry.py', [candidate('/new/python')], environment);
    expect(launch.args.slice(0, 2)).toEqual(['-I', '-S']);
    expect(launch.args.at(-1)).toBe('entry.py');
  });

  test('when a setting names one that is too old, that is the problem', async () => {
    const chosen = candidate('/old/python', 'compilescope.server.interpreter');
    const problem = await problemOf(serverLaunch('entry.py', [chosen, candidate('/new/python')], environment));
    expect(problem.code).toBe('bad-interpreter-setting');
    expect(problem.detail).toBe('It is Python 3.8.10, older than 3.10.');
  });

  test('when none will do, each one and its reason is told', async () => {
    const problem = await problemOf(
      serverLaunch('entry.py', [candidate('/old/python'), candidate('/x/python')], environment),
    );
    expect(problem.code).toBe('no-server-python');
    expect(problem.detail).toContain('/old/python (PATH): it is Python 3.8.10');
    expect(problem.detail).toContain('/x/python (PATH): there is no such file');
  });
});

describe('PATH', () => {
  const on = (platform: NodeJS.Platform, variable: string, files: string[]): Environment => ({
    ...machine,
    platform,
    variables: { PATH: variable },
    isFile: (file) => files.includes(file),
  });

  test('its order is kept, python3 before python', () => {
    const environment = on('linux', '/a:/b', ['/a/python', '/b/python3', '/a/python3']);
    expect(pythonsOnPath(environment)).toEqual(['/a/python3', '/a/python', '/b/python3']);
  });

  test('entries that depend on the current folder are passed over', () => {
    expect(pythonsOnPath(on('linux', '.::bin:/b', ['./python3', 'bin/python3', '/b/python3']))).toEqual(['/b/python3']);
  });

  test("the Store's stand-in for Python on Windows is passed over", () => {
    const store = 'C:\\Users\\me\\AppData\\Local\\Microsoft\\WindowsApps';
    const environment = on('win32', `${store};C:\\Python311`, [`${store}\\python.exe`, 'C:\\Python311\\python.exe']);
    expect(pythonsOnPath(environment)).toEqual(['C:\\Python311\\python.exe']);
  });
});

test('this machine tells the version of a real Python, and why something else is none', async () => {
  const [python] = pythonsOnPath(machine);
  expect(await machine.pythonVersion(python ?? 'python3')).toMatchObject({
    version: expect.stringMatching(/^3\.\d+/) as string,
  });
  expect(await machine.pythonVersion('/nowhere/python')).toEqual({ error: 'there is no such file' });
  expect(await machine.pythonVersion(process.execPath)).toHaveProperty('error');
});
