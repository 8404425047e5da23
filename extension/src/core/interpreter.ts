/** The ladder to the interpreter that runs the user's script: the first step that knows one decides. */
import * as l10n from '@vscode/l10n';
import { ProblemError, badSetting, noInterpreter } from './problem';

/** One step. `find` gives a path, or says why it has none. */
export interface Step {
  name: string;
  find(): Promise<{ python: string } | { nothing: string }>;
  /** The setting behind this step: what it names is used or reported, never passed over. */
  setting?: string;
}

/** The interpreter, which step decided, and what the steps before it said. */
export interface Choice {
  python: string;
  step: string;
  trail: string[];
}

export const STEP_TIMEOUT_MS = 5_000;

/** Climbs until a step answers; one that takes longer than `timeoutMs` is passed over. Throws ProblemError. */
export async function chooseInterpreter(
  steps: readonly Step[],
  usable: (python: string) => boolean,
  timeoutMs = STEP_TIMEOUT_MS,
): Promise<Choice> {
  const trail: string[] = [];
  for (const step of steps) {
    const found = await withTimeout(step, timeoutMs);
    if ('nothing' in found) {
      trail.push(`${step.name}: ${found.nothing}`);
    } else if (usable(found.python)) {
      return { python: found.python, step: step.name, trail };
    } else if (step.setting !== undefined) {
      throw new ProblemError(badSetting(step.setting, found.python, l10n.t('there is no such file')));
    } else {
      trail.push(l10n.t('{0}: {1} is not there', step.name, found.python));
    }
  }
  throw new ProblemError(noInterpreter(trail.join('; ')));
}

async function withTimeout(step: Step, timeoutMs: number): Promise<{ python: string } | { nothing: string }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ nothing: string }>((resolve) => {
    timer = setTimeout(() => {
      resolve({ nothing: l10n.t('no answer within {0} s', timeoutMs / 1000) });
    }, timeoutMs);
  });
  const answer = step.find().catch((error: unknown) => ({
    nothing: l10n.t('failed ({0})', error instanceof Error ? error.message : String(error)),
  }));
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
