/** What the page depends on beside the picture: the lineage of the selection, and what is compared. */
import type { LineageResult } from '../../src/shared/messages';
import { countStates, statesOf } from './diff';
import type { DiffInput } from './diff-bar';
import type { FootInput } from './foot';
import type { GraphSession } from './session';

export function lineageOf({ picture, data, ui, selected }: GraphSession): LineageResult | null | undefined {
  if (typeof selected !== 'number' || !picture.view || ui.recording === null || ui.diff !== null) return null;
  const { snapshot, names } = picture.view.graph.data;
  return data.lineage(ui.recording, snapshot, names[selected]);
}

export function diffOf({ ui, data, picture, crumb, diff, comparison }: GraphSession): DiffInput | null {
  if (ui.diff === null || diff === null) return null;
  const { view } = picture;
  return {
    diff,
    pair: ui.diff,
    pass: data.passes.find(({ order }) => order === ui.diff?.pass) ?? null,
    stage: crumb?.label ?? '',
    counts: countStates(diff.states),
    states: statesOf(comparison.changedPasses),
    side: ui.side,
    at: comparison.changeAt,
    places: view?.places.length ?? 0,
  };
}

/** The pass that is compared, and its place among all passes of the compile. */
export function passOf({ ui, data }: GraphSession): FootInput['pass'] {
  const passes = data.passes.filter(({ kind }) => kind === 'pass');
  const at = passes.findIndex(({ order }) => order === ui.diff?.pass);
  return ui.diff === null || at < 0 ? null : { at: at + 1, of: passes.length, seconds: passes[at].seconds };
}
