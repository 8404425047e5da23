/** How the three columns share the width of the panel. */
import { GUTTER } from './gutter';
import type { CodeSession } from './session';

const NARROW = 1000;
export const LEAST = 200;
export const CODE_LEAST = 320;
/** Line number, letter and padding of a row. */
const SOURCE_EDGE = 34 + 10;
const CODE_EDGE = 44 + 20 + 14;

/** From this width on there is room for the graph between source and code. */
const ALL_THREE = 2 * LEAST + CODE_LEAST + 2 * GUTTER;

/** Narrower than this there is room for one column alone. */
const ONE = 420;

/** Widths in pixels; 0: the column is not shown. The code has the rest, if it is shown. */
export interface Layout {
  readonly source: number;
  readonly graph: number;
  readonly codeShown: boolean;
}

export function layout({ ui }: CodeSession, width: number): Layout {
  const graphShown = width >= NARROW || ui.graphShown;
  if (width < ONE) return { source: 0, graph: graphShown ? width : 0, codeShown: !graphShown };
  // In a panel beside an editor the graph takes the place of the source, which the editor has.
  const sourceShown = !graphShown || width >= ALL_THREE;
  const most = width - GUTTER * (graphShown && sourceShown ? 2 : 1) - CODE_LEAST;
  const within = (value: number, top: number): number => Math.round(Math.max(LEAST, Math.min(top, value)));
  const source = sourceShown ? within(ui.sourceWidth ?? width * 0.27, most - (graphShown ? LEAST : 0)) : 0;
  const graph = graphShown ? within(ui.graphWidth ?? width * 0.27, most - source) : 0;
  return { source, graph, codeShown: true };
}

/** Characters that a line of source and of code have room for. */
export function room(session: CodeSession, width: number, character: number): { source: number; code: number } {
  const { source, graph } = layout(session, width);
  const code = width - source - graph - GUTTER * (Number(source > 0) + Number(graph > 0));
  return {
    source: Math.max(16, Math.floor((source - SOURCE_EDGE - 12) / character)),
    code: Math.max(16, Math.floor((code - CODE_EDGE - 12) / character)),
  };
}
