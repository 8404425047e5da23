/** A graph with its edges in both directions, built once from the server's columns. */
import type { GraphDiffResult, GraphResult } from '../../src/shared/messages';
import { atOnce, isStop, type Steps } from './steps';

/** Short names as torch's own prints use them: `f32`, `bf16`, `i64`. */
const DTYPES: Partial<Record<string, string>> = {
  float64: 'f64',
  float32: 'f32',
  float16: 'f16',
  bfloat16: 'bf16',
  complex64: 'c64',
  complex128: 'c128',
  int64: 'i64',
  int32: 'i32',
  int16: 'i16',
  int8: 'i8',
  uint8: 'u8',
};

const BYTES: Partial<Record<string, number>> = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  complex64: 8,
  complex128: 16,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
};

/** Neighbour lists of all nodes in two arrays: those of node `i` are `list[start[i] .. start[i + 1])`. */
export interface Neighbours {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

/** What became of a node or an edge between two states. */
export type ChangeState = 'same' | 'added' | 'removed' | 'changed';

/** Two states laid over each other: one entry for each node. */
export interface Change {
  readonly states: readonly ChangeState[];
  /** What a changed node called before. */
  readonly was: readonly string[];
  /** Removed nodes that an added one stands for. */
  readonly replaces: readonly (readonly string[])[];
  /** Edges that are on one side only, by `pairKey`. */
  readonly edges: ReadonlyMap<number, ChangeState>;
}

export interface Graph {
  readonly data: GraphResult;
  readonly size: number;
  readonly edgeCount: number;
  readonly inputs: Neighbours;
  readonly users: Neighbours;
  /** `f32[4,8]` for each node, empty when its value is no tensor. */
  readonly types: readonly string[];
  /** Position by name. */
  readonly byName: ReadonlyMap<string, number>;
  /** Null: this is one state and no comparison. */
  readonly change: Change | null;
  /** It holds calls of kernels in their order, and no operations. */
  readonly isSchedule: boolean;
}

/** A number for a pair of positions. */
export const pairKey = (from: number, to: number): number => from * 2 ** 26 + to;

/** Neighbours of node `i`. */
export function neighbours(of: Neighbours, i: number): Int32Array {
  return of.list.subarray(of.start[i], of.start[i + 1]);
}

function* collect(size: number, edges: readonly number[], at: 0 | 1): Steps<Neighbours> {
  const start = new Int32Array(size + 1);
  for (let e = 0; e < edges.length; e += 2) {
    if (isStop(e >> 1)) yield;
    start[edges[e + at] + 1]++;
  }
  for (let i = 0; i < size; i++) start[i + 1] += start[i];
  const next = start.slice(0, size);
  const list = new Int32Array(edges.length / 2);
  for (let e = 0; e < edges.length; e += 2) {
    if (isStop(e >> 1)) yield;
    list[next[edges[e + at]]++] = edges[e + 1 - at];
  }
  return { start, list };
}

/** Dimensions of a shape however it is written: `[4, 8]`, `(4, 8)`, `4, 8`. */
export function dimensions(shape: string): string[] {
  const inner = shape.replace(/^[[(]|[\])]$/g, '').trim();
  return inner === '' ? [] : inner.split(/\s*,\s*/).filter((part) => part !== '');
}

/** `f32[4,8]`, or empty without a dtype. */
export function typeText(dtype: string, shape: string): string {
  if (dtype === '') return '';
  const name = dtype.replace(/^torch\./, '');
  return `${DTYPES[name] ?? name}[${dimensions(shape).join(',')}]`;
}

/** Bytes of a dense tensor, or null when a dimension is symbolic or the dtype is unknown. */
export function byteSize(dtype: string, shape: string): number | null {
  const unit = BYTES[dtype.replace(/^torch\./, '')];
  if (unit === undefined) return null;
  let total = unit;
  for (const dim of dimensions(shape)) {
    if (!/^\d+$/.test(dim)) return null;
    total *= Number(dim);
  }
  return total;
}

/** A comparison's change, from the server's columns. */
export function changeOf({ graph, states, edgeStates, was, replaces }: GraphDiffResult): Change {
  const edges = new Map<number, ChangeState>();
  edgeStates.forEach((state, e) => {
    if (state !== 'same') edges.set(pairKey(graph.edges[2 * e], graph.edges[2 * e + 1]), state as ChangeState);
  });
  return { states: states as ChangeState[], was, replaces, edges };
}

export const buildGraph = (data: GraphResult, change: Change | null = null): Graph => atOnce(graphSteps(data, change));

export function* graphSteps(data: GraphResult, change: Change | null = null): Steps<Graph> {
  const size = data.names.length;
  const inputs = yield* collect(size, data.edges, 1);
  yield;
  const users = yield* collect(size, data.edges, 0);
  const types: string[] = [];
  const byName = new Map<string, number>();
  for (let i = 0; i < size; i++) {
    types.push(typeText(data.dtypes[i], data.shapes[i]));
    byName.set(data.names[i], i);
    if (isStop(i)) yield;
  }
  const isSchedule = data.ops.includes('kernel');
  return { data, size, edgeCount: data.edges.length / 2, inputs, users, types, byName, change, isSchedule };
}

/** How many kept ancestors one left-out node may pass on; keeps bridging linear on dense graphs. */
const MAX_BRIDGES = 8;

/**
 * The graph of the nodes in `keep`. An edge through left-out nodes becomes one edge; those edges are in `bridges` as
 * positions of edges in the new graph's columns.
 */
export const subgraph = (graph: Graph, keep: ReadonlySet<number>): Part => atOnce(subgraphSteps(graph, keep));

export interface Part {
  readonly graph: Graph;
  readonly bridges: Set<number>;
  readonly kept: readonly number[];
}

export function* subgraphSteps(graph: Graph, keep: ReadonlySet<number>): Steps<Part> {
  const { data } = graph;
  const kept = [...keep].sort((a, b) => a - b);
  const place = new Map(kept.map((node, i) => [node, i]));
  const edges: number[] = [];
  const bridges = new Set<number>();
  const changed = new Map<number, ChangeState>();
  const passed = new Map<number, Set<number>>();
  for (let i = 0; i < graph.size; i++) {
    if (isStop(i)) yield;
    const direct = new Set<number>();
    const through = new Set<number>();
    for (const j of neighbours(graph.inputs, i)) {
      const at = place.get(j);
      if (at !== undefined) direct.add(at);
      else for (const k of passed.get(j) ?? []) through.add(k);
    }
    const to = place.get(i);
    if (to === undefined) {
      const out = new Set<number>();
      for (const k of [...direct, ...through]) {
        if (out.size === MAX_BRIDGES) break;
        out.add(k);
      }
      passed.set(i, out);
      continue;
    }
    for (const from of direct) {
      const state = graph.change?.edges.get(pairKey(kept[from], i));
      if (state) changed.set(pairKey(from, to), state);
      edges.push(from, to);
    }
    for (const from of through) {
      if (direct.has(from)) continue;
      bridges.add(edges.length / 2);
      edges.push(from, to);
    }
  }
  const pick = <T>(column: readonly T[]): T[] => kept.map((i) => column[i]);
  const next: GraphResult = {
    ...data,
    names: pick(data.names),
    ops: pick(data.ops),
    targets: pick(data.targets),
    args: pick(data.args),
    kinds: pick(data.kinds),
    dtypes: pick(data.dtypes),
    shapes: pick(data.shapes),
    strides: pick(data.strides),
    devices: pick(data.devices),
    module: pick(data.module),
    file: pick(data.file),
    line: pick(data.line),
    column: pick(data.column),
    endLine: pick(data.endLine),
    endColumn: pick(data.endColumn),
    code: pick(data.code),
    origins: pick(data.origins),
    kernel: pick(data.kernel),
    edges,
  };
  const { change } = graph;
  const own = change && {
    states: pick(change.states),
    was: pick(change.was),
    replaces: pick(change.replaces),
    edges: changed,
  };
  return { graph: yield* graphSteps(next, own), bridges, kept };
}
