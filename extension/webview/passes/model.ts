/** Passes as rows: grouped by phase in execution order, filtered, with what stands out marked. */
import * as l10n from '@vscode/l10n';
import type { MatchInfo, PassesResult, PassInfo } from '../../src/shared/messages';
import { stepName } from '../../src/shared/steps';
import { directionOf, partLabel } from '../shared/directions';
import { matchesIn } from './matches';
import { isPass, isUnseen, UNRUN, unrunSteps } from './steps';

export interface Phase {
  readonly key: string;
  readonly label: string;
  readonly passes: readonly PassInfo[];
  /** Of the passes that are in no other; nested time is inside its parent's. */
  readonly seconds: number;
  /** Of these, those of passes. */
  readonly passSeconds: number;
  readonly nodesBefore: number | null;
  readonly nodesAfter: number | null;
  readonly delta: number | null;
  readonly changed: boolean;
}

export interface PassModel {
  readonly phases: readonly Phase[];
  /** Every step, those that are no pass and the passes that did not run included. */
  readonly steps: readonly PassInfo[];
  /** Passes that ran. */
  readonly passes: readonly PassInfo[];
  /** Matches by `order` of the step, with those of the passes inside of it. */
  readonly matches: ReadonlyMap<number, readonly MatchInfo[]>;
  readonly changed: number;
  /** What the passes did to the graph is not recorded, of none of them. */
  readonly unseen: boolean;
  readonly seconds: number;
  readonly slowest: PassInfo | null;
  /** Longest time of one pass, for the bars: those of phases have none. */
  readonly most: number;
}

const LABELS: Partial<Record<string, string>> = {
  pre_grad: l10n.t('Pre-grad'),
  aot: 'AOTAutograd',
  partition: l10n.t('Partition'),
  joint: l10n.t('Joint'),
  post_grad: l10n.t('Post-grad'),
};

function phaseLabel(phase: string, graph: string, several: boolean): string {
  const words = phase.replace(/_/g, ' ');
  const label = LABELS[phase] ?? words.charAt(0).toUpperCase() + words.slice(1);
  const [name, ...part] = directionOf(graph).split('#');
  const isSide = several && /^(forward|backward|inference)$/.test(name);
  return label + (isSide ? `, ${name}` : '') + (part.length === 0 ? '' : ` ${partLabel(part[0])}`);
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Whether a step left another kind of graph than it found, so that their sizes don't compare. */
const isOther = (pass: PassInfo): boolean =>
  pass.source !== null || (pass.kind === 'phase' && pass.phase === 'scheduler');

/** Δ of a step; null where there is none to give. */
export const deltaOf = (pass: PassInfo): number | null => (isOther(pass) ? null : pass.delta);

function makePhase(key: string, label: string, passes: readonly PassInfo[]): Phase {
  const own = passes.every(({ graph }) => graph === passes[0].graph) ? passes : [];
  const first = own.find((pass) => pass.nodesBefore !== null);
  const last = [...own].reverse().find((pass) => pass.nodesAfter !== null);
  const known =
    first && last && first.edgesBefore !== null && last.edgesAfter !== null && !passes.some((pass) => isOther(pass));
  const top = passes.filter((pass) => pass.depth === 0);
  const seconds = (steps: readonly PassInfo[]): number => sum(steps.map((pass) => pass.seconds));
  return {
    key,
    label,
    passes,
    seconds: seconds(top),
    passSeconds: seconds(top.filter(isPass)),
    nodesBefore: first?.nodesBefore ?? null,
    nodesAfter: last?.nodesAfter ?? null,
    delta: known ? first.nodesBefore! - last.nodesAfter! + (first.edgesBefore! - last.edgesAfter!) : null,
    changed: passes.some((pass) => pass.changed),
  };
}

/** Phase and graph of a step. The partition gives several graphs at once; what has no observer is with its neighbours. */
function groupOf({ phase, graph, name }: PassInfo): string {
  if (name === 'partition' && phase === 'aot') return 'partition joint';
  return `${phase === 'inductor' ? 'post_grad' : phase} ${graph}`;
}

/** Groups steps of one compile; they come in the order in which they ran. Passes that did not run are the last group. */
export function passModel(result: PassesResult): PassModel {
  const { passes: ran } = result;
  const sides = new Set(ran.filter((pass) => pass.phase === 'post_grad').map((pass) => directionOf(pass.graph)));
  const phases: Phase[] = [];
  let from = 0;
  for (let i = 1; i <= ran.length; i++) {
    if (i < ran.length && groupOf(ran[i]) === groupOf(ran[from])) continue;
    const [phase, graph] = groupOf(ran[from]).split(' ');
    const label = phaseLabel(phase, graph, sides.size > 1);
    const again = phases.filter((p) => p.label === label).length;
    phases.push(makePhase(`${phase}:${graph}:${again}`, again ? `${label} (${again + 1})` : label, ran.slice(from, i)));
    from = i;
  }
  const unrun = unrunSteps(result);
  if (unrun.length > 0) phases.push(makePhase(UNRUN, l10n.t('Your passes that did not run'), unrun));
  const passes = ran.filter(isPass);
  const top = passes.filter((pass) => pass.depth === 0);
  const slowest = top.reduce<PassInfo | null>(
    (best, pass) => (best === null || pass.seconds > best.seconds ? pass : best),
    null,
  );
  return {
    phases,
    steps: [...ran, ...unrun],
    passes,
    matches: matchesIn(ran),
    changed: top.filter((pass) => pass.changed).length,
    unseen: passes.length > 0 && passes.every(isUnseen),
    seconds: sum(phases.map((phase) => phase.passSeconds)),
    slowest: slowest !== null && slowest.seconds > 0 && top.length > 1 ? slowest : null,
    most: Math.max(0, ...passes.map((pass) => pass.seconds)),
  };
}

export type Row =
  | { readonly type: 'phase'; readonly phase: Phase; readonly open: boolean }
  | { readonly type: 'pass'; readonly phase: Phase; readonly pass: PassInfo }
  | { readonly type: 'callout'; readonly phase: Phase; readonly pass: PassInfo };

export interface RowFilter {
  readonly text: string;
  readonly hideUnchanged: boolean;
  readonly closed: ReadonlySet<string>;
  /** `order` of the selected pass; it is never hidden as unchanged. */
  readonly selected: number | null;
  /** Passes whose callout was dismissed. */
  readonly dismissed: ReadonlySet<string>;
}

/** A custom pass that ran and changed nothing. */
export const isInert = (pass: PassInfo): boolean => isPass(pass) && pass.custom && !pass.changed && pass.error === null;

/** Rows that are shown. A filter keeps only phases with a match; hiding unchanged passes keeps all phases. */
export function rowsOf(model: PassModel, filter: RowFilter): Row[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: Row[] = [];
  for (const phase of model.phases) {
    const shown = phase.passes.filter((pass) => {
      const patterns = pass.matches.map(({ pattern }) => pattern);
      const text = [pass.name, stepName(pass), pass.function, pass.slot, phase.label, ...patterns]
        .join(' ')
        .toLowerCase();
      if (!words.every((word) => text.includes(word))) return false;
      const quiet = !pass.changed && !pass.custom && pass.error === null && !isUnseen(pass);
      return !filter.hideUnchanged || !quiet || pass.order === filter.selected;
    });
    if (words.length > 0 && shown.length === 0) continue;
    const open = !filter.closed.has(phase.key);
    rows.push({ type: 'phase', phase, open });
    if (!open) continue;
    for (const pass of shown) {
      rows.push({ type: 'pass', phase, pass });
      if (isInert(pass) && !filter.dismissed.has(pass.name)) rows.push({ type: 'callout', phase, pass });
    }
  }
  return rows;
}

export interface Kpi {
  readonly strong: string;
  readonly text: string;
  readonly note: string;
}

/** Graphs that the passes worked on: the joint one (or the only one), then those after the split. */
export function graphSpans(
  model: PassModel,
): { direction: string; before: number; after: number; delta: number | null }[] {
  const spans = new Map<string, Phase[]>();
  for (const phase of model.phases) {
    if (phase.nodesBefore === null || phase.nodesAfter === null || phase.passes.some(isOther)) continue;
    const name = directionOf(phase.passes[0].graph);
    spans.set(name, [...(spans.get(name) ?? []), phase]);
  }
  return [...spans].map(([name, phases]) => ({
    direction: name,
    before: phases[0].nodesBefore!,
    after: phases[phases.length - 1].nodesAfter!,
    delta: phases.every((phase) => phase.delta !== null) ? sum(phases.map((phase) => phase.delta!)) : null,
  }));
}
