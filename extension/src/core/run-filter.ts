/** What of the runs view a filter keeps. */
import type { FunctionSummary, RunSummary } from '../protocol.gen';

/** True when there is no filter, or the text is in what a run says of itself. Case does not matter. */
export function runMatches(run: RunSummary, filter: string): boolean {
  return has(filter, run.title, run.status, run.torch, run.script);
}

/** The functions that a filter keeps: all of a run that matches by itself. */
export function keptFunctions(
  run: RunSummary,
  functions: readonly FunctionSummary[],
  filter: string,
): readonly FunctionSummary[] {
  if (runMatches(run, filter)) return functions;
  return functions.filter((one) => has(filter, one.name, one.file, ...one.compiles.map(({ label }) => label)));
}

function has(filter: string, ...texts: readonly (string | null)[]): boolean {
  const wanted = filter.trim().toLowerCase();
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}
