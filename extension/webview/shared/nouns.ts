/** Things that panels count: the text for one, and for any other number. */
import * as l10n from '@vscode/l10n';

export const NOUNS = {
  call: [l10n.t('{0} call'), l10n.t('{0} calls')],
  'changed pass': [l10n.t('{0} changed pass'), l10n.t('{0} changed passes')],
  edge: [l10n.t('{0} edge'), l10n.t('{0} edges')],
  group: [l10n.t('{0} group'), l10n.t('{0} groups')],
  guard: [l10n.t('{0} guard'), l10n.t('{0} guards')],
  input: [l10n.t('{0} input'), l10n.t('{0} inputs')],
  'kernel call': [l10n.t('{0} kernel call'), l10n.t('{0} kernel calls')],
  line: [l10n.t('{0} line'), l10n.t('{0} lines')],
  match: [l10n.t('{0} match'), l10n.t('{0} matches')],
  node: [l10n.t('{0} node'), l10n.t('{0} nodes')],
  'other op': [l10n.t('{0} other op'), l10n.t('{0} other ops')],
  pass: [l10n.t('{0} pass'), l10n.t('{0} passes')],
  place: [l10n.t('{0} place'), l10n.t('{0} places')],
  recompile: [l10n.t('{0} recompile'), l10n.t('{0} recompiles')],
  span: [l10n.t('{0} span'), l10n.t('{0} spans')],
  step: [l10n.t('{0} step'), l10n.t('{0} steps')],
  time: [l10n.t('{0} time'), l10n.t('{0} times')],
  user: [l10n.t('{0} user'), l10n.t('{0} users')],
  version: [l10n.t('{0} version'), l10n.t('{0} versions')],
} as const;

export type Noun = keyof typeof NOUNS;
