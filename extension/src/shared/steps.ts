/** What a step of a graph is called: a pass, a phase of the compiler that is no pass, or a gap that nothing observed. */
import * as l10n from '@vscode/l10n';
import type { PassInfo } from '../protocol.gen';

export const GAP = l10n.t('changed outside of every observed pass');

const PHASES: Partial<Record<string, string>> = {
  aot_trace: l10n.t('AOTAutograd traces the graph anew'),
  partition: l10n.t('The joint graph is split'),
  view_to_reshape: l10n.t('Views become reshapes'),
  freeze: l10n.t('Parameters become constants'),
  lowering: l10n.t('Lowered to scheduler nodes'),
  fusion: l10n.t('The scheduler fuses nodes'),
};

/** A phase and a gap in plain words; a pass in a slot by the program's own function, since torch calls it as the slot. */
export function stepName({ kind, name, slot, function: qualified }: PassInfo): string {
  if (kind === 'gap') return GAP;
  if (kind === 'phase') return PHASES[name] ?? name.replaceAll('_', ' ');
  return slot !== null && qualified !== null ? ownName(qualified) : name;
}

/** `mod.Class.method` and `mod.outer.<locals>.inner` by their last name. */
export const ownName = (qualified: string): string => qualified.slice(qualified.lastIndexOf('.') + 1);

/** What the step raised, in one line: `TypeError: no such node`; null when it raised nothing. */
export const errorText = ({ error, message }: PassInfo): string | null =>
  error === null ? null : message === null || message === '' ? error : `${error}: ${message}`;
