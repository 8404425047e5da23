/** Addresses of the texts that runs are compared by. */

export const RUN_SCHEME = 'compilescope-run';

/** Parts of the address of a run's text; `title` is what its tab says. */
export function runUriParts(recording: string, title: string): { scheme: string; path: string; query: string } {
  const name = title.replace(/[^\w.,: -]+/g, ' ').trim();
  return { scheme: RUN_SCHEME, path: `/${name === '' ? 'run' : name}.txt`, query: JSON.stringify(recording) };
}

/** The recording of an address; undefined when it is none of ours. */
export function recordingIn(query: string): string | undefined {
  try {
    const recording: unknown = JSON.parse(query);
    return typeof recording === 'string' ? recording : undefined;
  } catch {
    return undefined;
  }
}
