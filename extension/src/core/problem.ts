/** Failures are data: made here, and shown in the same words by the status bar, the tree and notifications. */
import type { Problem } from '../protocol.gen';
import { count } from './text';

export type { Problem };

/** Carries a problem up to the place that shows it. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problemText(problem));
    this.name = 'ProblemError';
  }
}

/** A way out of a problem: a command and the words on its button. */
export interface Button {
  title: string;
  command: string;
}

const BUTTONS: Readonly<Record<string, string>> = {
  'compilescope.trace': 'Trace Again',
  'compilescope.changeInputs': 'Change Inputs…',
  'compilescope.cancel': 'Cancel',
  'compilescope.showOutput': 'Show Output',
  'compilescope.showLogs': 'Show Logs',
  'compilescope.showLastStep': 'Show Last Step',
  'compilescope.restart': 'Restart Server',
  'compilescope.selectInterpreter': 'Select Interpreter',
  'compilescope.openRecording': 'Open Recording…',
  'compilescope.copyInstallCommand': 'Copy Install Command',
  'compilescope.openSettings': 'Open Settings',
  'workbench.trust.manage': 'Manage Trust',
};

/** The commands that a button, a tooltip or a panel may run for a problem. */
export const PROBLEM_COMMANDS: readonly string[] = Object.keys(BUTTONS);

/** The buttons of a problem, first one primary. Actions that name no known command are left out. */
export function buttons(problem: Problem): Button[] {
  return problem.actions.flatMap((command) => {
    const title = BUTTONS[command];
    return title === undefined ? [] : [{ title, command }];
  });
}

/** What happened, why, and the way out, as running text. */
export function problemText(problem: Problem): string {
  return problem.detail === '' ? problem.title : `${problem.title} ${problem.detail}`;
}

/** The problem of any failure: the one that it carries, else its message. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return {
    code: 'unexpected',
    title: 'Compilescope met an error of its own.',
    detail: error instanceof Error ? error.message : String(error),
    actions: ['compilescope.showLogs'],
  };
}

export const untrusted: Problem = {
  code: 'untrusted',
  title: 'Tracing runs your code, and this workspace is not trusted, so nothing was run.',
  detail: 'Recordings can still be opened.',
  actions: ['workbench.trust.manage', 'compilescope.openRecording'],
};

export const noFile: Problem = {
  code: 'no-file',
  title: 'There is no Python file to trace.',
  detail: 'Open one in an editor and run the command again.',
  actions: [],
};

export const noTargetHere: Problem = {
  code: 'no-target-here',
  title: 'There is no function and no nn.Module at the cursor.',
  detail: 'Put the cursor into one and run the command again.',
  actions: [],
};

export const busy: Problem = {
  code: 'busy',
  title: 'Another run goes on.',
  detail: 'One goes on at a time.',
  actions: ['compilescope.cancel'],
};

export const notSaved: Problem = {
  code: 'not-saved',
  title: 'Nothing was traced: the file is not saved.',
  detail: 'Python runs the file on disk.',
  actions: ['compilescope.trace'],
};

export const noRecording: Problem = {
  code: 'no-recording',
  title: 'No recording yet.',
  detail: 'Trace a Python file, or open a recording that is already there.',
  actions: ['compilescope.trace', 'compilescope.openRecording'],
};

/** The run has no logs of torch's. */
export const noLogs: Problem = {
  code: 'no-logs',
  title: 'This run recorded no logs of torch.',
  detail: 'Choose which ones traces are to record, and trace again.',
  actions: ['compilescope.chooseLogs'],
};

/** The setting `key` names a Python that can't be used. */
export function badSetting(key: string, value: string, reason: string): Problem {
  return {
    code: 'bad-interpreter-setting',
    title: `The setting ${key} names an interpreter that can't be used: ${value}.`,
    detail: `${capitalised(reason)}.`,
    actions: [
      ...(key === 'compilescope.interpreter' ? ['compilescope.selectInterpreter'] : []),
      'compilescope.openSettings',
    ],
  };
}

/** No step of the ladder found an interpreter for the user's script. */
export function noInterpreter(trail: string): Problem {
  return {
    code: 'no-interpreter',
    title: "Can't trace: no Python interpreter was found.",
    detail: `Looked here: ${trail}.`,
    actions: ['compilescope.selectInterpreter'],
  };
}

/** No Python for the server itself. */
export function noServerPython(minimum: string, trail: string): Problem {
  return {
    code: 'no-server-python',
    title: `Compilescope's server needs Python ${minimum} or newer, and none was found.`,
    detail: `Looked here: ${trail}.`,
    actions: ['compilescope.selectInterpreter', 'compilescope.openSettings'],
  };
}

export const SERVER_ENDED = 'server-ended';

/** The server's process ended, or never answered. `stderr` is the end of what it said. */
export function serverEnded(what: string, stderr: string): Problem {
  const last = lastLine(stderr);
  return {
    code: SERVER_ENDED,
    title: `Compilescope's server ${what}.`,
    detail: last === '' ? 'It said nothing about why.' : `Its last words: ${last}`,
    actions: ['compilescope.restart', 'compilescope.showLogs', 'compilescope.selectInterpreter'],
  };
}

/** The program ended by itself, but not well. */
export function scriptFailed(script: string, exitCode: number, findings: number): Problem {
  const kept = findings === 0 ? '' : ` ${count(findings, 'finding')} up to then ${findings === 1 ? 'is' : 'are'} kept.`;
  return {
    code: 'script-failed',
    title: `${script} ended with exit code ${exitCode}.`,
    detail: `Its output says why.${kept}`,
    actions: ['compilescope.showOutput', 'compilescope.trace'],
  };
}

/** Refusals and outcomes of the user's own program: told once, and no state of ours that needs mending. */
const PASSING: readonly string[] = [
  'untrusted',
  'no-file',
  'not-saved',
  'no-recording',
  'no-source',
  'busy',
  'script-failed',
  'no-target-here',
  'no-target',
  'bad-target',
  'no-inputs',
  'bad-inputs',
];

/** True for a problem that is over as soon as it was told. */
export function isPassing(problem: Problem): boolean {
  return PASSING.includes(problem.code);
}

/** The recording names a source file that is not there. */
export function noSource(file: string): Problem {
  return {
    code: 'no-source',
    title: `The file is not on this machine: ${file}.`,
    detail: 'The recording may come from another machine, or the file was moved since.',
    actions: [],
  };
}

function lastLine(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return (lines.at(-1) ?? '').trim();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
