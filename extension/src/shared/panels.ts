/** The panels there are. */

export const PANEL_KINDS = ['graph', 'passes', 'code', 'timeline', 'recompiles'] as const;

export type PanelKind = (typeof PANEL_KINDS)[number];

export const PANEL_TITLES: Readonly<Record<PanelKind, string>> = {
  graph: 'Graph',
  passes: 'Passes',
  code: 'Generated Code',
  timeline: 'Timeline',
  recompiles: 'Recompiles',
};
