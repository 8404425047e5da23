/** The panels there are. */
import * as l10n from '@vscode/l10n';

export const PANEL_KINDS = ['graph', 'passes', 'code', 'timeline', 'recompiles'] as const;

export type PanelKind = (typeof PANEL_KINDS)[number];

export const PANEL_TITLES: Readonly<Record<PanelKind, string>> = {
  graph: l10n.t('Graph'),
  passes: l10n.t('Passes'),
  code: l10n.t('Generated Code'),
  timeline: l10n.t('Timeline'),
  recompiles: l10n.t('Recompiles'),
};
