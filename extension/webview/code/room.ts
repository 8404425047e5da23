/** How the three columns share the width of the panel. */
import { GUTTER } from './gutter';
import type { CodeSession } from './session';

const NARROW = 1000;
export const LEAST = 200;
export const CODE_LEAST = 320;
/** Line number, letter and padding of a row. */
const SOURCE_EDGE = 34 + 10;
const CODE_EDGE = 44 + 20 + 14;

export interface Layout {
  readonly source: number;
  readonly graph: number;
  readonly graphShown: boolean;
}

export function layout({ ui }: CodeSession, width: number): Layout {
  const graphShown = width >= NARROW || ui.graphShown;
  const gutters = GUTTER * (graphShown ? 2 : 1);
  const most = width - gutters - CODE_LEAST;
  const within = (value: number, top: number): number => Math.max(LEAST, Math.min(top, value));
  const source = Math.round(within(ui.sourceWidth ?? width * 0.27, most - (graphShown ? LEAST : 0)));
  const graph = graphShown ? Math.round(within(ui.graphWidth ?? width * 0.27, most - source)) : 0;
  return { source, graph, graphShown };
}

/** Characters that a line of source and of code have room for. */
export function room(session: CodeSession, width: number, character: number): { source: number; code: number } {
  const { source, graph, graphShown } = layout(session, width);
  const code = width - source - graph - GUTTER * (graphShown ? 2 : 1);
  return {
    source: Math.max(16, Math.floor((source - SOURCE_EDGE - 12) / character)),
    code: Math.max(16, Math.floor((code - CODE_EDGE - 12) / character)),
  };
}
