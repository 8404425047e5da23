/** The breadcrumb of stages of one compile. */
import * as l10n from '@vscode/l10n';
import type { StageInfo } from '../../src/shared/messages';
import { directionName, directionOf } from '../shared/directions';

export type Position = 'before' | 'after';

export interface Crumb {
  /** `dynamo`, `pre_grad`, `joint`, `partition:forward`, `post_grad`, `scheduler`. */
  readonly key: string;
  readonly label: string;
  readonly before: StageInfo | null;
  readonly after: StageInfo | null;
  /** Why there is nothing to see, in torch's or our words; null when there is. */
  readonly unavailable: string | null;
  /** The same in a word, `StageInfo.cause`. */
  readonly cause: string | null;
  /** (|V1| - |V2|) + (|E1| - |E2|) within the stage; null when it can't be compared. */
  readonly delta: number | null;
  /** Before and after differ, whatever Δ is. */
  readonly changed: boolean;
  readonly direction: string | null;
}

export interface StageBar {
  /** One group is one step of the breadcrumb; a step with several crumbs shows them side by side. */
  readonly steps: readonly (readonly Crumb[])[];
  readonly directions: readonly string[];
}

const LABELS: Partial<Record<string, string>> = {
  dynamo: 'Dynamo',
  pre_grad: l10n.t('Pre-grad'),
  aot: 'AOT',
  joint: l10n.t('Joint'),
  post_grad: l10n.t('Post-grad'),
  scheduler: l10n.t('Scheduler'),
};
const ORDER = Object.keys(LABELS);

export const directionLabel = (direction: string): string => {
  const name = directionName(direction);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

function crumb(key: string, label: string, direction: string | null, infos: readonly StageInfo[]): Crumb | null {
  if (infos.length === 0) return null;
  const at = (position: Position): StageInfo | null =>
    infos.find((info) => info.position === position && info.snapshot !== null) ?? null;
  const [before, after] = [at('before'), at('after')];
  const compare = before !== null && after !== null && key !== 'scheduler';
  const missing = before || after ? null : (infos.find((info) => info.unavailable) ?? null);
  return {
    key,
    label,
    before,
    after,
    unavailable: before || after ? null : (missing?.unavailable ?? l10n.t('Not recorded.')),
    cause: missing?.cause ?? null,
    delta: compare ? before.nodes - after.nodes + (before.edges - after.edges) : null,
    changed: before !== null && after !== null && before.snapshot !== after.snapshot,
    direction,
  };
}

/** Steps of the stages of one compile. `direction` picks among forward and backward for those that have both. */
export function stageBar(own: readonly StageInfo[], direction: string | null): StageBar {
  const steps: Crumb[][] = [];
  const directions = [
    ...new Set(own.filter((info) => isLate(info) && info.snapshot).map((info) => directionOf(info.graph))),
  ];
  const chosen = direction !== null && directions.includes(direction) ? direction : (directions.at(0) ?? null);
  const names = [...ORDER, ...new Set(own.map((info) => info.stage).filter((stage) => !ORDER.includes(stage)))];
  for (const stage of names) {
    const infos = own.filter((info) => info.stage === stage);
    const early = infos.filter((info) => !isLate(info));
    const late = infos.filter((info) => isLate(info) && (chosen === null || directionOf(info.graph) === chosen));
    if (stage === 'post_grad' && directions.length > 1) {
      const pair = directions.map((d) => crumb(`partition:${d}`, directionLabel(d), d, splitGraphs(own, d)));
      const made = pair.filter((c) => c !== null);
      if (made.length > 0) steps.push(made);
    }
    const mine = stage === 'aot' ? early : infos.some(isLate) ? late : early;
    const graph = lastGraph(mine, chosen);
    const side = mine.some(isLate) ? chosen : null;
    const label = LABELS[stage] ?? mine.at(0)?.label ?? stage;
    const made = crumb(
      stage,
      label,
      side,
      mine.filter((info) => info.graph === graph),
    );
    if (made) steps.push([made]);
    if (
      stage === 'aot' &&
      directions.length === 1 &&
      !own.some((info) => info.stage === 'post_grad' && info.position === 'before')
    ) {
      const only = crumb(
        `partition:${directions[0]}`,
        directionLabel(directions[0]),
        chosen,
        splitGraphs(own, directions[0]),
      );
      if (only) steps.push([only]);
    }
  }
  return { steps, directions };
}

const isLate = (info: StageInfo): boolean =>
  info.stage === 'post_grad' ||
  info.stage === 'scheduler' ||
  (info.stage === 'aot' && directionOf(info.graph).split('#')[0] !== 'joint');

/** The graph of one direction as AOTAutograd made it, before any pass. */
function splitGraphs(own: readonly StageInfo[], direction: string): StageInfo[] {
  const side = own.filter((info) => directionOf(info.graph) === direction);
  const before = side.filter((info) => info.stage === 'post_grad' && info.position === 'before');
  return before.length > 0 ? before : side.filter((info) => info.stage === 'aot');
}

/** The graph of the last attempt; of its subgraphs the one that the chosen direction is of, else the first. */
function lastGraph(infos: readonly StageInfo[], chosen: string | null): string | undefined {
  const part = chosen?.split('#')[1];
  const same = part === undefined ? [] : infos.filter((info) => info.graph.endsWith(`#${part}`));
  const whole = infos.filter((info) => !info.graph.includes('#'));
  const own = same.length > 0 ? same : whole;
  return (own.length > 0 ? own : infos).at(-1)?.graph;
}

/** The snapshot that a crumb shows. */
export function shown(crumb: Crumb, position: Position): StageInfo | null {
  const [first, second] = position === 'before' ? [crumb.before, crumb.after] : [crumb.after, crumb.before];
  return first ?? second;
}

/** The crumb with this key, else the last one before that can be shown, else the first that can. */
export function findCrumb(bar: StageBar, key: string | null): Crumb | null {
  const all = bar.steps.flat();
  const exact = all.find((c) => c.key === key);
  if (exact) return exact;
  const order = ['dynamo', 'pre_grad', 'joint', 'partition', 'post_grad', 'scheduler'];
  const rank = (k: string): number => order.indexOf(k.split(':')[0]);
  const usable = all.filter((c) => c.unavailable === null);
  if (key !== null) {
    const earlier = usable.filter((c) => rank(c.key) <= rank(key));
    if (earlier.length > 0) return earlier[earlier.length - 1];
  }
  return usable.at(0) ?? all.at(0) ?? null;
}

/** Where a snapshot is shown; null when no stage of the recording has it. */
export function locate(
  stages: readonly StageInfo[],
  snapshot: string,
): { key: string; direction: string; position: Position } | null {
  const info =
    stages.find((s) => s.snapshot === snapshot && s.position === 'after') ??
    stages.find((s) => s.snapshot === snapshot);
  if (!info) return null;
  const position = info.position === 'before' ? 'before' : 'after';
  return { key: info.stage, direction: directionOf(info.graph), position };
}
