/** What a comparison of two states says: its counts, its changes by group, and which states there are to compare. */
import * as l10n from '@vscode/l10n';
import type { GraphDiffResult, PassInfo } from '../../src/shared/messages';
import { stepName } from '../../src/shared/steps';
import { signed } from '../shared/format';
import type { Group, Tree } from './groups';
import type { Change, Graph } from './model';

/** How many nodes were added, removed and changed. */
export interface Counts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

export function countChanges({ states }: Change, nodes: Iterable<number>): Counts {
  const counts = { added: 0, removed: 0, changed: 0 };
  for (const node of nodes) {
    const state = states[node];
    if (state !== 'same') counts[state]++;
  }
  return counts;
}

/** The same of all nodes of a comparison. */
export function countStates(states: readonly string[]): Counts {
  const of = (state: string): number => states.filter((one) => one === state).length;
  return { added: of('added'), removed: of('removed'), changed: of('changed') };
}

export const isChanged = ({ added, removed, changed }: Counts): boolean => added + removed + changed > 0;

/** `+15 −3 ~1`, without what is zero. */
export function countsText({ added, removed, changed }: Counts): string {
  const parts = [added ? `+${added}` : '', removed ? `\u2212${removed}` : '', changed ? `~${changed}` : ''];
  return parts.filter(Boolean).join(' ');
}

/** One place that changed: a group in which nodes differ, not counting those in groups inside. */
export interface Place {
  /** Null: nodes of no group. */
  readonly group: Group | null;
  readonly title: string;
  readonly counts: Counts;
  /** The first node of the change. */
  readonly node: number;
  /** What was added, removed and changed, by operator: equal for equal rewrites. */
  readonly shape: string;
}

/** Places that changed, in program order. */
export function places(graph: Graph, tree: Tree): Place[] {
  const { change } = graph;
  if (!change) return [];
  const found = new Map<Group, number[]>();
  for (let i = 0; i < graph.size; i++) {
    if (change.states[i] === 'same') continue;
    const home = block(tree.home[i]);
    const own = found.get(home);
    if (own) own.push(i);
    else found.set(home, [i]);
  }
  return [...found].map(([group, nodes]) => ({
    group: group.parent === null ? null : group,
    title: group.parent === null ? l10n.t('outside of every module') : pathOf(group),
    counts: countChanges(change, nodes),
    node: nodes.find((i) => change.states[i] === 'added') ?? nodes[0],
    shape: nodes
      .map((i) => `${change.states[i]} ${graph.data.targets[i]}`)
      .sort()
      .join('\n'),
  }));
}

/** The innermost group around that is a module and not a line or a pack of nodes. */
function block(group: Group): Group {
  let at = group;
  while (at.parent !== null && (/:\d+( |$)/.test(at.title) || at.id.includes('/~'))) at = at.parent;
  return at;
}

function pathOf(group: Group): string {
  const titles: string[] = [];
  for (let at = group; at.parent !== null; at = at.parent) titles.unshift(at.title);
  return titles.join('.');
}

/** In words, when all places were rewritten in the same way: `The same rewrite in four groups.` */
export function sameRewrite(all: readonly Place[]): string | null {
  if (all.length < 2 || all.some(({ shape }) => shape !== all[0].shape)) return null;
  const words = [
    '',
    '',
    l10n.t('two'),
    l10n.t('three'),
    l10n.t('four'),
    l10n.t('five'),
    l10n.t('six'),
    l10n.t('seven'),
    l10n.t('eight'),
    l10n.t('nine'),
    l10n.t('ten'),
    l10n.t('eleven'),
    l10n.t('twelve'),
  ];
  return l10n.t('The same rewrite in {0} places.', words[all.length] ?? String(all.length));
}

/** `Δ = (839 − 887) + (1116 − 1180) = −48 − 64 = −112`. */
export function formula(d: Pick<GraphDiffResult, 'nodesBefore' | 'nodesAfter' | 'edgesBefore' | 'edgesAfter'>): string {
  const nodes = d.nodesBefore - d.nodesAfter;
  const edges = d.edgesBefore - d.edgesAfter;
  const sum = `${signed(nodes).replace('+', '')} ${edges < 0 ? '\u2212' : '+'} ${Math.abs(edges)}`;
  return `Δ = (${d.nodesBefore} \u2212 ${d.nodesAfter}) + (${d.edgesBefore} \u2212 ${d.edgesAfter}) = ${sum} = `;
}

// --- which states there are ------------------------------------------------------------------------------------------

/** One recorded state of a graph. */
export interface State {
  readonly snapshot: string;
  readonly label: string;
}

/** The pair of states around one step. */
export interface Pair {
  readonly before: string;
  readonly after: string;
  /** `order` of the pass between; null for a whole stage or a choice of the user's. */
  readonly pass: number | null;
}

/** Passes of a graph that changed it and whose states are recorded, in order. */
export function changedPasses(passes: readonly PassInfo[], graph: string): PassInfo[] {
  return passes.filter(
    (pass) =>
      pass.graph === graph &&
      pass.before !== null &&
      pass.after !== null &&
      pass.before !== pass.after &&
      (pass.source === null || pass.source === graph) &&
      pass.phase !== 'scheduler',
  );
}

/** The states of a graph that can be compared, in order, each once. `first` and `last`: those of its stage. */
export function statesOf(passes: readonly PassInfo[]): State[] {
  const found = new Map<string, string>();
  for (const pass of passes) {
    if (pass.before !== null && !found.has(pass.before)) found.set(pass.before, l10n.t('before {0}', stepName(pass)));
    if (pass.after !== null) found.set(pass.after, l10n.t('after {0}', stepName(pass)));
  }
  return [...found].map(([snapshot, label]) => ({ snapshot, label }));
}
