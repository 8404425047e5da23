/** Addresses of the texts that runs are compared by. */

export const RUN_SCHEME = 'compilescope-run';

/** Parts of the address of a run's text; `title` is what its tab says. */
export function runUriParts(recording: string, title: string): { scheme: string; path: string; query: string } {
  const name = title.replace(/[^\w.,: -]+/g, ' ').trim();
  return { scheme: RUN_SCHEME, path: `/${name === '' ? 'run' : name}.txt`, query: JSON.stringify(recording) };
}

/** Parts of the address of what changed between two runs. */
export function comparisonUriParts(
  before: string,
  after: string,
  title: string,
): { scheme: string; path: string; query: string } {
  return { scheme: RUN_SCHEME, path: `/${title}.md`, query: JSON.stringify([before, after]) };
}

/** The two recordings of an address of a comparison; undefined when it is none. */
export function pairIn(query: string): { before: string; after: string } | undefined {
  try {
    const pair: unknown = JSON.parse(query);
    if (!Array.isArray(pair) || pair.length !== 2) return undefined;
    const [before, after] = pair as unknown[];
    return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined;
  } catch {
    return undefined;
  }
}

/** Parts of the address of what the ranks of a run differ in. */
export function ranksUriParts(recording: string, title: string): { scheme: string; path: string; query: string } {
  return { scheme: RUN_SCHEME, path: `/${title}.md`, query: JSON.stringify({ ranks: recording }) };
}

/** The recording of an address of ranks; undefined when it is none. */
export function ranksIn(query: string): string | undefined {
  try {
    const { ranks } = (JSON.parse(query) ?? {}) as { ranks?: unknown };
    return typeof ranks === 'string' ? ranks : undefined;
  } catch {
    return undefined;
  }
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
