/** Things that are counted: the text for one, and for any other number. */
import * as l10n from '@vscode/l10n';

const NOUNS = {
  error: [l10n.t('{0} error'), l10n.t('{0} errors')],
  break: [l10n.t('{0} break'), l10n.t('{0} breaks')],
  recompile: [l10n.t('{0} recompile'), l10n.t('{0} recompiles')],
  graph: [l10n.t('{0} graph'), l10n.t('{0} graphs')],
  function: [l10n.t('{0} function'), l10n.t('{0} functions')],
  node: [l10n.t('{0} node'), l10n.t('{0} nodes')],
  record: [l10n.t('{0} record'), l10n.t('{0} records')],
} as const;

export type Noun = keyof typeof NOUNS;

/** `1 break`, `2 breaks`. */
export function count(number: number, noun: Noun): string {
  return NOUNS[noun][number === 1 ? 0 : 1].replace('{0}', String(number));
}
