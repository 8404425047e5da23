/** Addresses of generated code: which text of which graph, with a readable name for the tab. */
import type { CodeAddress } from '../shared/messages';

export const CODE_SCHEME = 'compilescope-code';

/** By the name's end VS Code takes the language. */
const ENDS: Readonly<Record<string, string>> = { cpp: 'py', triton: 'py', ttir: 'mlir', ttgir: 'mlir', llir: 'll' };

/** The parts of a URI that stands for a text; Inductor's own code is Python with C++ or Triton in it. */
export function codeUriParts(address: CodeAddress): { scheme: string; path: string; query: string } {
  const [of, which = ''] = splitGraph(address.graph ?? '');
  const name = address.kernel ?? `generated code ${which}`.trim();
  const safe = `${name} [${of}]`.replace(/[^\w.@()[\]· -]+/g, '_');
  const end = ENDS[address.kind] ?? address.kind.replace(/\W+/g, '');
  return { scheme: CODE_SCHEME, path: `/${safe}.${end}`, query: JSON.stringify(address) };
}

/** `0/0/forward` as compile and graph. */
function splitGraph(graph: string): [string, string?] {
  const at = graph.lastIndexOf('/');
  return at < 0 ? [graph] : [graph.slice(0, at), graph.slice(at + 1)];
}

/** The text that an argument or a URI's query names; undefined when it names none. */
export function codeAddress(given: unknown): CodeAddress | undefined {
  const { recording, compileId, graph, kind, kernel, preview } = (given ?? {}) as Record<string, unknown>;
  if (typeof recording !== 'string' || typeof kind !== 'string') return undefined;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    recording,
    compileId: text(compileId),
    graph: text(graph),
    kind,
    kernel: text(kernel),
    preview: preview === true,
  };
}

/** The address in a URI's query. */
export function codeAddressIn(query: string): CodeAddress | undefined {
  try {
    return codeAddress(JSON.parse(query));
  } catch {
    return undefined;
  }
}
