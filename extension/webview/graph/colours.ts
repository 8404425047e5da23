/** Which colour a node's stripe has, and the legend for it. */
import type { Theme } from '../shared/theme';
import { chain, type Tree } from './groups';
import type { Graph } from './model';
import type { ColourBy } from './state';

/** Theme colour, or null for an outline only. */
export type Mark = 'blue' | 'green' | 'orange' | 'yellow' | 'purple' | 'red' | 'lines' | null;

const KINDS: Record<string, { mark: Mark; label: string }> = {
  matmul: { mark: 'blue', label: 'matmul' },
  pointwise: { mark: 'green', label: 'pointwise' },
  reduction: { mark: 'orange', label: 'reduction' },
  view: { mark: 'lines', label: 'view, copy' },
  kernel: { mark: 'green', label: 'fused kernel' },
  extern: { mark: 'blue', label: 'library call' },
  fallback: { mark: 'red', label: 'fallback' },
  input: { mark: null, label: 'input, output' },
  output: { mark: null, label: 'input, output' },
  other: { mark: 'purple', label: 'other' },
};

const CYCLE: Mark[] = ['blue', 'green', 'orange', 'purple', 'yellow', 'red', 'lines'];

export interface LegendEntry {
  readonly label: string;
  readonly mark: Mark;
  readonly count: number;
}

export interface Colouring {
  readonly title: string;
  readonly marks: readonly Mark[];
  readonly legend: readonly LegendEntry[];
}

const TITLES: Record<ColourBy, string> = { kind: 'Op kind', dtype: 'Dtype', module: 'Module' };
const MAX_ENTRIES = 8;

function byValue(values: readonly string[], none: string): { marks: Mark[]; legend: LegendEntry[] } {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const named = [...counts.keys()].filter((value) => value !== '');
  const shown = named.length > MAX_ENTRIES ? named.slice(0, MAX_ENTRIES - 1) : named;
  const mark = new Map(shown.map((value, i) => [value, CYCLE[i % CYCLE.length]]));
  const legend: LegendEntry[] = shown.map((value) => ({
    label: value,
    mark: mark.get(value)!,
    count: counts.get(value)!,
  }));
  const rest = values.filter((value) => !mark.has(value)).length;
  if (rest > 0) legend.push({ label: named.length > shown.length ? 'other' : none, mark: null, count: rest });
  return { marks: values.map((value) => mark.get(value) ?? null), legend };
}

export function colouring(graph: Graph, tree: Tree, by: ColourBy): Colouring {
  const { data } = graph;
  if (by === 'dtype') return { title: TITLES.dtype, ...byValue(data.dtypes, 'no tensor') };
  if (by === 'module') {
    const tops = tree.home.map((group) => chain(group)[0]?.title ?? '');
    return { title: TITLES.module, ...byValue(tops, 'no module') };
  }
  const counts = new Map<string, { mark: Mark; count: number }>();
  const marks = data.kinds.map((kind) => {
    const { mark, label } = KINDS[kind] ?? KINDS['other'];
    const entry = counts.get(label);
    if (entry) entry.count++;
    else counts.set(label, { mark, count: 1 });
    return mark;
  });
  const order = [...new Set(Object.values(KINDS).map((kind) => kind.label))];
  const legend = order.flatMap((label) => {
    const entry = counts.get(label);
    return entry ? [{ label, ...entry }] : [];
  });
  return { title: data.ops.includes('kernel') ? 'Kernel kind' : TITLES.kind, marks, legend };
}

export function markColour(theme: Theme, mark: Mark): string | null {
  return mark === null ? null : theme[mark];
}
