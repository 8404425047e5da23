/** Graphs for tests. */
import type { GraphResult } from '../../src/shared/messages';

export interface NodeSpec {
  name: string;
  inputs?: readonly number[];
  op?: string;
  kind?: string;
  module?: string;
  line?: number;
  shape?: string;
}

/** A graph in the server's columns. */
export function graphOf(nodes: readonly NodeSpec[]): GraphResult {
  const modules: string[][] = [];
  const place = new Map<string, number>();
  const moduleOf = (path: string | undefined): number => {
    if (path === undefined) return -1;
    let at = place.get(path);
    if (at === undefined) {
      at = modules.push([`L['self'].${path}`, 'Module']) - 1;
      place.set(path, at);
    }
    return at;
  };
  const all = <T>(value: (node: NodeSpec) => T): T[] => nodes.map(value);
  return {
    snapshot: 's',
    names: all((node) => node.name),
    ops: all((node) => node.op ?? 'call_function'),
    targets: all((node) => `aten.${node.name}.default`),
    args: all(() => '()'),
    kinds: all((node) => node.kind ?? 'pointwise'),
    dtypes: all((node) => (node.shape === undefined ? '' : 'float32')),
    shapes: all((node) => node.shape ?? ''),
    strides: all(() => ''),
    devices: all(() => ''),
    module: all((node) => moduleOf(node.module)),
    modules,
    file: all((node) => (node.line === undefined ? -1 : 0)),
    files: ['/a/b.py'],
    line: all((node) => node.line ?? -1),
    column: all(() => -1),
    endLine: all((node) => node.line ?? -1),
    endColumn: all(() => -1),
    code: all((node) => (node.line === undefined ? '' : `    line_${node.line}()`)),
    origins: all(() => []),
    kernel: all(() => []),
    kernels: [],
    edges: nodes.flatMap((node, i) => [...new Set(node.inputs ?? [])].flatMap((from) => [from, i])),
  };
}
