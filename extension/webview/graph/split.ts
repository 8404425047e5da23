/** Finer groups than modules: forward and backward, one for each call of a module, one for each source line. */
import { baseName } from '../shared/format';
import { type Graph, type Neighbours, neighbours } from './model';
import { isStop, type Steps } from './steps';

/** More calls of one module than this stay in one group. */
const MAX_VISITS = 4;
/** Nodes that are gone through to tell calls apart on one level; what is beyond stays in one group. */
const MAX_WORK = 400_000;
/** With more loose operations than this on one level, those of one source line are put together. */
const MAX_LOOSE = 24;
const MIN_LINE_GROUP = 4;

export const isInput = (graph: Graph, i: number): boolean =>
  graph.data.ops[i] === 'placeholder' || graph.data.ops[i] === 'get_attr';

export const countOps = (graph: Graph, nodes: readonly number[]): number =>
  nodes.reduce((n, i) => n + (isInput(graph, i) ? 0 : 1), 0);

/** Strongly connected components with more than one member, among `count` buckets (Tarjan, iterative). */
function cycles(count: number, next: readonly Set<number>[]): number[][] {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack: number[] = [];
  const found: number[][] = [];
  let clock = 0;
  for (let s = 0; s < count; s++) {
    if (index[s] >= 0) continue;
    const work: { at: number; rest: Iterator<number> }[] = [];
    const enter = (v: number): void => {
      index[v] = low[v] = clock++;
      stack.push(v);
      onStack[v] = 1;
      work.push({ at: v, rest: next[v].values() });
    };
    enter(s);
    while (work.length > 0) {
      const top = work[work.length - 1];
      const step = top.rest.next();
      if (!step.done) {
        if (index[step.value] < 0) enter(step.value);
        else if (onStack[step.value]) low[top.at] = Math.min(low[top.at], index[step.value]);
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above) low[above.at] = Math.min(low[above.at], low[top.at]);
      if (low[top.at] !== index[top.at]) continue;
      const part: number[] = [];
      let v: number;
      do {
        v = stack.pop()!;
        onStack[v] = 0;
        part.push(v);
      } while (v !== top.at);
      if (part.length > 1) found.push(part);
    }
  }
  return found;
}

export interface Bucket {
  key: string;
  title: string;
  kind: string;
  path: string[];
  nodes: number[];
}

/** Splits groups into their forward and backward parts. */
export function* splitBackward(buckets: readonly Bucket[], backward: Uint8Array, graph: Graph): Steps<Bucket[]> {
  const parts: Bucket[] = [];
  for (const bucket of buckets) {
    yield;
    const isBack = (i: number): boolean => (isInput(graph, i) ? false : backward[i] === 1);
    const back = bucket.nodes.filter(isBack);
    if (back.length === 0) {
      parts.push(bucket);
      continue;
    }
    const rest = bucket.nodes.filter((i) => !isBack(i));
    const suffix = ' backward';
    const own = { ...bucket, key: bucket.key + suffix, title: bucket.title + suffix, nodes: back };
    if (countOps(graph, rest) === 0) parts.push({ ...own, nodes: bucket.nodes });
    else parts.push({ ...bucket, nodes: rest }, own);
  }
  return parts;
}

/** Splits groups that data leaves and enters again (a module called twice) into one per visit. */
export function* splitVisits(graph: Graph, nodes: readonly number[], buckets: Bucket[]): Steps<Bucket[]> {
  if (buckets.length < 2) return buckets;
  const of = new Map<number, number>();
  let done = 0;
  for (const [b, bucket] of buckets.entries()) {
    for (const i of bucket.nodes) {
      if (isStop(done++)) yield;
      of.set(i, b);
    }
  }
  const next = buckets.map(() => new Set<number>());
  for (const i of nodes) {
    if (isStop(done++)) yield;
    const from = of.get(i);
    if (from === undefined) continue;
    for (const j of neighbours(graph.users, i)) {
      const to = of.get(j);
      if (to !== undefined && to !== from) next[from].add(to);
    }
  }
  const split = new Map<number, Bucket[]>();
  let work = 0;
  for (const part of cycles(buckets.length, next)) {
    for (const b of part) {
      work += nodes.length;
      if (work > MAX_WORK) break;
      const visits = new Map<number, number[]>();
      const left = new Map<number, number>();
      for (const i of nodes) {
        if (isStop(done++)) yield;
        let count = 0;
        for (const j of neighbours(graph.inputs, i)) {
          const seen = left.get(j);
          if (seen === undefined) continue;
          count = Math.max(count, of.get(j) === b && of.get(i) !== b ? seen + 1 : seen);
        }
        left.set(i, count);
        if (of.get(i) !== b) continue;
        const visit = visits.get(count);
        if (visit) visit.push(i);
        else visits.set(count, [i]);
      }
      if (visits.size < 2 || visits.size > MAX_VISITS) continue;
      const parts = [...visits.entries()].sort(([x], [y]) => x - y).map(([, list]) => list);
      split.set(
        b,
        parts.map((list, k) => {
          const suffix = k === 0 ? '' : ` (${k + 1})`;
          const base = buckets[b];
          return { ...base, key: base.key + suffix, title: base.title + suffix, nodes: list };
        }),
      );
    }
  }
  return buckets.flatMap((bucket, b) => split.get(b) ?? [bucket]);
}

/**
 * Loose nodes of the same source line as one group each, when there are many loose nodes; and the others. A node without
 * a line belongs to the line before and after it.
 */
export function* byLine(graph: Graph, leaves: number[]): Steps<[Bucket[], number[]]> {
  const { data } = graph;
  if (countOps(graph, leaves) <= MAX_LOOSE) return [[], leaves];
  const loose = leaves.filter((i) => !isInput(graph, i) && data.ops[i] !== 'output');
  const own = new Map<number, string>();
  for (const i of loose) if (data.file[i] >= 0 && data.line[i] >= 0) own.set(i, `${data.file[i]}:${data.line[i]}`);
  const only = (i: number, of: Neighbours, lines: ReadonlyMap<number, string>): string | undefined => {
    const found = new Set<string>();
    for (const j of neighbours(of, i)) {
      const line = lines.get(j);
      if (line !== undefined) found.add(line);
    }
    return found.size === 1 ? [...found][0] : undefined;
  };
  const [above, below] = [new Map(own), new Map(own)];
  const spread = (i: number, of: Neighbours, lines: Map<number, string>): void => {
    const line = lines.get(i) ?? only(i, of, lines);
    if (line !== undefined) lines.set(i, line);
  };
  for (let at = 0; at < loose.length; at++) {
    if (isStop(at)) yield;
    spread(loose[at], graph.inputs, above);
  }
  for (let at = loose.length - 1; at >= 0; at--) {
    if (isStop(at)) yield;
    spread(loose[at], graph.users, below);
  }
  const lines = new Map<string, number[]>();
  for (const [at, i] of loose.entries()) {
    if (isStop(at)) yield;
    const [a, b] = [above.get(i), below.get(i)];
    if (a !== undefined && b !== undefined && a !== b) continue;
    const key = a ?? b;
    if (key === undefined) continue;
    const list = lines.get(key);
    if (list) list.push(i);
    else lines.set(key, [i]);
  }
  const found = [...lines].filter(([, list]) => list.length >= MIN_LINE_GROUP && list.length < leaves.length);
  const buckets = found.map(([key, nodes]): Bucket => {
    const at = nodes.find((i) => own.get(i) === key)!;
    const title = `${baseName(data.files[data.file[at]])}:${data.line[at] + 1}`;
    return { key: title, title, kind: data.code[at].trim(), path: [], nodes };
  });
  const inside = new Map(buckets.flatMap((bucket) => bucket.nodes.map((i): [number, Bucket] => [i, bucket])));
  for (const [at, i] of leaves.entries()) {
    if (isStop(at)) yield;
    if (!isInput(graph, i)) continue;
    const users = new Set(
      [...neighbours(graph.users, i)].filter((j) => data.ops[j] !== 'output').map((j) => inside.get(j)),
    );
    const [bucket] = users;
    if (users.size !== 1 || bucket === undefined) continue;
    bucket.nodes.push(i);
    inside.set(i, bucket);
  }
  for (const bucket of buckets) bucket.nodes.sort((a, b) => a - b);
  return [buckets, leaves.filter((i) => !inside.has(i))];
}
