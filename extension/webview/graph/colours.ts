/** Which colour a node's stripe has, and the legend for it. */
import * as l10n from '@vscode/l10n';
import { duration } from '../shared/format';
import type { Theme } from '../shared/theme';
import { chain, type Tree } from './groups';
import type { Graph } from './model';
import type { ColourBy } from './state';

/** Theme colour, or null for an outline only. */
export type Mark =
  | 'blue'
  | 'green'
  | 'orange'
  | 'yellow'
  | 'purple'
  | 'red'
  | 'lines'
  | 'added'
  | 'removed'
  | 'changed'
  | 'heat1'
  | 'heat2'
  | 'heat3'
  | 'heat4'
  | null;

const KINDS: Record<string, { mark: Mark; label: string }> = {
  matmul: { mark: 'blue', label: l10n.t('matmul') },
  pointwise: { mark: 'green', label: l10n.t('pointwise') },
  reduction: { mark: 'orange', label: l10n.t('reduction') },
  view: { mark: 'lines', label: l10n.t('view, copy') },
  kernel: { mark: 'green', label: l10n.t('generated') },
  extern: { mark: 'blue', label: l10n.t('library call') },
  fallback: { mark: 'red', label: l10n.t('fallback') },
  input: { mark: null, label: l10n.t('input, output') },
  output: { mark: null, label: l10n.t('input, output') },
  other: { mark: 'purple', label: l10n.t('other') },
};

const CYCLE: Mark[] = ['blue', 'green', 'orange', 'purple', 'yellow', 'red', 'lines'];

export interface LegendEntry {
  readonly label: string;
  readonly mark: Mark;
  readonly count: number;
  /** Dashed outline in its colour: what is gone. */
  readonly dashed?: boolean;
}

export interface Colouring {
  readonly title: string;
  readonly marks: readonly Mark[];
  readonly legend: readonly LegendEntry[];
  /** Why there is no colour. */
  readonly note?: string;
}

const MAX_ENTRIES = 8;

interface Made {
  marks: Mark[];
  legend: LegendEntry[];
  note?: string;
}

function byValue(values: readonly string[], none: string): Made {
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

/** The kernel that computes a node, or of several the first that is no library call. */
function kernelOf(graph: Graph, node: number): number {
  const own = graph.data.kernel.at(node) ?? [];
  return own.find((k) => graph.data.kernels[k].kind !== 'extern') ?? own.at(0) ?? -1;
}

/** Neighbouring kernels have different colours; with more of them colours come again. */
function byKernel(graph: Graph): Made {
  const own = graph.data.names.map((_, i) => kernelOf(graph, i));
  const counts = new Map<number, number>();
  for (const k of own) counts.set(k, (counts.get(k) ?? 0) + 1);
  const named = [...counts.keys()].filter((k) => k >= 0).sort((a, b) => a - b);
  const mark = (k: number): Mark => (k < 0 ? null : CYCLE[k % CYCLE.length]);
  const shown = named.length > MAX_ENTRIES ? named.slice(0, MAX_ENTRIES - 1) : named;
  const legend: LegendEntry[] = shown.map((k) => ({
    label: `${k + 1}  ${graph.data.kernels[k].name}`,
    mark: mark(k),
    count: counts.get(k)!,
  }));
  const more = named.slice(shown.length);
  if (more.length > 0)
    legend.push({
      label: l10n.t('{0} more kernels', more.length),
      mark: null,
      count: more.reduce((n, k) => n + counts.get(k)!, 0),
    });
  if (counts.has(-1)) legend.push({ label: l10n.t('in no kernel'), mark: null, count: counts.get(-1)! });
  const note = named.length === 0 ? l10n.t('Kernels are known from the forward or backward graph on.') : '';
  return { marks: own.map(mark), legend, ...(note === '' ? {} : { note }) };
}

const HEAT: { mark: Mark; from: number }[] = [
  { mark: 'heat4', from: 0.5 },
  { mark: 'heat3', from: 0.2 },
  { mark: 'heat2', from: 0.05 },
  { mark: 'heat1', from: 0 },
];

/** By how long the kernel of each node took, against the slowest. */
function byTime(graph: Graph): Made {
  const seconds = graph.data.names.map((_, i) => secondsOf(graph, i));
  const most = seconds.reduce<number>((top, s) => Math.max(top, s ?? 0), 0);
  const none = seconds.filter((s) => s === null).length;
  if (most === 0)
    return {
      marks: seconds.map(() => null),
      legend: [{ label: l10n.t('not measured'), mark: null, count: none }],
      note: l10n.t('No run times were recorded of these kernels. A run with --profile or max-autotune has them.'),
    };
  const mark = (s: number | null): Mark => (s === null ? null : HEAT.find(({ from }) => s >= from * most)!.mark);
  const marks = seconds.map(mark);
  const legend: LegendEntry[] = HEAT.map(({ mark: own, from }, i) => ({
    label:
      i === HEAT.length - 1
        ? l10n.t('under {0}', duration(HEAT[i - 1].from * most))
        : l10n.t('from {0}', duration(from * most)),
    mark: own,
    count: marks.filter((one) => one === own).length,
  })).filter(({ count }) => count > 0);
  if (none > 0) legend.push({ label: l10n.t('not measured'), mark: null, count: none });
  return { marks, legend };
}

/** How long one call of a node's kernel took; null when that was not measured. */
export function secondsOf(graph: Graph, node: number): number | null {
  const measured = (graph.data.kernel.at(node) ?? []).map((k) => graph.data.kernels[k].seconds);
  const known = measured.filter((s) => s !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function byChange(graph: Graph): Made {
  const states = graph.change?.states ?? graph.data.names.map(() => 'same' as const);
  const labels = {
    added: l10n.t('added'),
    removed: l10n.t('removed'),
    changed: l10n.t('inputs or call changed'),
    same: l10n.t('unchanged'),
  } as const;
  const legend = (['added', 'removed', 'changed', 'same'] as const).map((state) => ({
    label: labels[state],
    mark: state === 'same' ? null : state,
    count: states.filter((one) => one === state).length,
    ...(state === 'removed' ? { dashed: true } : {}),
  }));
  return { marks: states.map((state) => (state === 'same' ? null : state)), legend };
}

function byKind(graph: Graph): Made {
  const counts = new Map<string, { mark: Mark; count: number }>();
  const marks = graph.data.kinds.map((kind) => {
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
  return { marks, legend };
}

export function colouring(graph: Graph, tree: Tree, by: ColourBy): Colouring {
  switch (by) {
    case 'dtype':
      return { title: l10n.t('Dtype'), ...byValue(graph.data.dtypes, l10n.t('no tensor')) };
    case 'module': {
      const topOf = new Map([...tree.groups.values()].map((group) => [group, chain(group)[0]?.title ?? '']));
      const tops = tree.home.map((group) => topOf.get(group)!);
      return { title: l10n.t('Module'), ...byValue(tops, l10n.t('no module')) };
    }
    case 'kernel':
      return { title: l10n.t('Kernel'), ...byKernel(graph) };
    case 'time':
      return { title: l10n.t('Time of the kernel'), ...byTime(graph) };
    case 'change':
      return { title: l10n.t('Change'), ...byChange(graph) };
    default:
      return { title: graph.isSchedule ? l10n.t('Kernel kind') : l10n.t('Op kind'), ...byKind(graph) };
  }
}

export function markColour(theme: Theme, mark: Mark): string | null {
  return mark === null ? null : theme[mark];
}
