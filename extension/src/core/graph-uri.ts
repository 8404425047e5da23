/** Addresses of graph texts: which snapshot of which recording, with a readable name for the tab. */

export const GRAPH_SCHEME = 'compilescope-graph';

export interface GraphAddress {
  recording: string;
  snapshot: string;
}

/** The parts of a URI that stands for a snapshot's text. */
export function graphUriParts(address: GraphAddress, name: string): { scheme: string; path: string; query: string } {
  const safe = name.replace(/[^\w.@()[\]· -]+/g, '_');
  return { scheme: GRAPH_SCHEME, path: `/${safe}.fxgraph`, query: JSON.stringify(address) };
}

/** The snapshot that a URI's query names; undefined when it names none. */
export function graphAddress(query: string): GraphAddress | undefined {
  try {
    const value = JSON.parse(query) as Partial<GraphAddress> | null;
    const { recording, snapshot } = value ?? {};
    return typeof recording === 'string' && typeof snapshot === 'string' ? { recording, snapshot } : undefined;
  } catch {
    return undefined;
  }
}
