/** Failures are data: made here, and shown in the same words by the status bar, the tree and notifications. */
import * as l10n from '@vscode/l10n';
import type { Problem } from '../protocol.gen';

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
  'compilescope.trace': l10n.t('Trace Again'),
  'compilescope.changeInputs': l10n.t('Change Inputs…'),
  'compilescope.cancel': l10n.t('Cancel'),
  'compilescope.showOutput': l10n.t('Show Output'),
  'compilescope.showLogs': l10n.t('Show Logs'),
  'compilescope.showLastStep': l10n.t('Show Last Step'),
  'compilescope.restart': l10n.t('Restart Server'),
  'compilescope.selectInterpreter': l10n.t('Select Interpreter'),
  'compilescope.openRecording': l10n.t('Open Recording…'),
  'compilescope.locateRecording': l10n.t('Locate…'),
  'compilescope.stopWatching': l10n.t('Stop Watching'),
  'compilescope.copyInstallCommand': l10n.t('Copy Install Command'),
  'compilescope.openSettings': l10n.t('Open Settings'),
  'workbench.trust.manage': l10n.t('Manage Trust'),
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
    title: l10n.t('Compilescope met an error of its own.'),
    detail: error instanceof Error ? error.message : String(error),
    actions: ['compilescope.showLogs'],
  };
}

/** A file that is only in a virtual workspace. */
export const onlyOnDisk: Problem = {
  code: 'only-on-disk',
  title: l10n.t('Only files on disk can be opened as a recording.'),
  detail: l10n.t('Copy it to a disk and open it there.'),
  actions: [],
};

/** The user did not wait for a recording to open. */
export const openingGivenUp: Problem = {
  code: 'given-up',
  title: l10n.t('Opening was cancelled.'),
  detail: l10n.t('Close this editor and open the file again to have it read.'),
  actions: [],
};

export const untrusted: Problem = {
  code: 'untrusted',
  title: l10n.t('Tracing runs your code, and this workspace is not trusted, so nothing was run.'),
  detail: l10n.t('Recordings can still be opened.'),
  actions: ['workbench.trust.manage', 'compilescope.openRecording'],
};

export const noFile: Problem = {
  code: 'no-file',
  title: l10n.t('There is no Python file to trace.'),
  detail: l10n.t('Open one in an editor and run the command again.'),
  actions: [],
};

export const noTargetHere: Problem = {
  code: 'no-target-here',
  title: l10n.t('There is no function and no nn.Module at the cursor.'),
  detail: l10n.t('Put the cursor into one and run the command again.'),
  actions: [],
};

export const busy: Problem = {
  code: 'busy',
  title: l10n.t('Another run goes on.'),
  detail: l10n.t('One goes on at a time.'),
  actions: ['compilescope.cancel'],
};

export const notSaved: Problem = {
  code: 'not-saved',
  title: l10n.t('Nothing was traced: the file is not saved.'),
  detail: l10n.t('Python runs the file on disk.'),
  actions: ['compilescope.trace'],
};

export const noRecording: Problem = {
  code: 'no-recording',
  title: l10n.t('No recording yet.'),
  detail: l10n.t('Trace a Python file, or open a recording that is already there.'),
  actions: ['compilescope.trace', 'compilescope.openRecording'],
};

/** The run has no logs of torch's. */
export const noLogs: Problem = {
  code: 'no-logs',
  title: l10n.t('This run recorded no logs of torch.'),
  detail: l10n.t('Choose which ones traces are to record, and trace again.'),
  actions: ['compilescope.chooseLogs'],
};

/** The setting `key` names a Python that can't be used. */
export function badSetting(key: string, value: string, reason: string): Problem {
  return {
    code: 'bad-interpreter-setting',
    title: l10n.t("The setting {0} names an interpreter that can't be used: {1}.", key, value),
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
    title: l10n.t("Can't trace: no Python interpreter was found."),
    detail: l10n.t('Looked here: {0}.', trail),
    actions: ['compilescope.selectInterpreter'],
  };
}

/** No Python for the server itself. */
export function noServerPython(minimum: string, trail: string): Problem {
  return {
    code: 'no-server-python',
    title: l10n.t("Compilescope's server needs Python {0} or newer, and none was found.", minimum),
    detail: l10n.t('Looked here: {0}.', trail),
    actions: ['compilescope.selectInterpreter', 'compilescope.openSettings'],
  };
}

export const SERVER_ENDED = 'server-ended';

/** The server's process ended, or never answered. `stderr` is the end of what it said. */
export function serverEnded(title: string, stderr: string): Problem {
  const last = lastLine(stderr);
  return {
    code: SERVER_ENDED,
    title,
    detail: last === '' ? l10n.t('It said nothing about why.') : l10n.t('Its last words: {0}', last),
    actions: ['compilescope.restart', 'compilescope.showLogs', 'compilescope.selectInterpreter'],
  };
}

/** The program ended by itself, but not well. */
export function scriptFailed(script: string, exitCode: number, findings: number): Problem {
  return {
    code: 'script-failed',
    title: l10n.t('{0} ended with exit code {1}.', script, exitCode),
    detail: keptText(findings),
    actions: ['compilescope.showOutput', 'compilescope.trace'],
  };
}

function keptText(findings: number): string {
  if (findings === 0) return l10n.t('Its output says why.');
  return findings === 1
    ? l10n.t('Its output says why. {0} finding up to then is kept.', findings)
    : l10n.t('Its output says why. {0} findings up to then are kept.', findings);
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

/** A recording that a panel shows was removed, or moved. */
export function recordingGone(recording: string): Problem {
  return {
    code: 'recording-gone',
    title: l10n.t('This recording is not there any more.'),
    detail: l10n.t('{0} was moved or removed. Say where it is now, or trace again.', recording),
    actions: ['compilescope.locateRecording', 'compilescope.trace'],
  };
}

/** The recording names a source file that is not there. */
export function noSource(file: string): Problem {
  return {
    code: 'no-source',
    title: l10n.t('The file is not on this machine: {0}.', file),
    detail: l10n.t('The recording may come from another machine, or the file was moved since.'),
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
