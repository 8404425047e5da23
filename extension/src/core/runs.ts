/** What follows from the list of runs. */
import type { RunSummary } from '../protocol.gen';

/** The newest run of the file that the user looks at; the newest at all where there is none. `runs` is newest first. */
export function runToShow(runs: readonly RunSummary[], file: string | null): RunSummary | undefined {
  return runs.find(({ script }) => script !== null && script === file) ?? runs[0];
}

/**
 * The run that the panes are about from now on; undefined: the newest. That is the one opened or selected last, until
 * a newer one comes or it is no longer there. `before`, `now`: the runs, newest first.
 */
export function followed(
  chosen: string | undefined,
  before: readonly RunSummary[],
  now: readonly RunSummary[],
): string | undefined {
  const newest = now[0]?.recording;
  const isNew = before.length > 0 && before.every(({ recording }) => recording !== newest);
  return isNew || now.every(({ recording }) => recording !== chosen) ? undefined : chosen;
}

/**
 * The recording that takes the place of `shown` in a panel: the newest run, once it has ended, if `shown` is a run of
 * the same script just before it. Undefined: `shown` stays. `runs` is newest first.
 */
export function newerRun(runs: readonly RunSummary[], shown: string | undefined): string | undefined {
  const [newest, ...older] = runs;
  if (newest === undefined || newest.status === 'running' || newest.script === null) return undefined;
  const before = older.find((run) => run.script === newest.script);
  return before !== undefined && before.recording === shown ? newest.recording : undefined;
}
