/** What follows from the list of runs. */
import type { RunSummary } from '../protocol.gen';

/** The newest run of the file that the user looks at; the newest at all where there is none. `runs` is newest first. */
export function runToShow(runs: readonly RunSummary[], file: string | null): RunSummary | undefined {
  return runs.find(({ script }) => script !== null && script === file) ?? runs[0];
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
