/** The gutters: the ribbons between two columns, and the handle that sets their widths. */
import { html, svg, type TemplateResult } from 'lit';
import { type Split, splitter } from '../shared/splitter';
import type { Column } from './column';
import { LINE } from './column';
import { colour, stretches } from './groups';
import { ribbons, type Run, runs } from './ribbons';
import type { CodeSession, ColumnName } from './session';

export const GUTTER = 34;

export function gutter(session: CodeSession, left: ColumnName, right: ColumnName, split: Split): TemplateResult {
  const height = session.column(left).height;
  const found = ribbons(runsOf(session, left), runsOf(session, right), 0, GUTTER);
  const { hot } = session;
  const ordered = [...found.filter(({ group }) => group !== hot), ...found.filter(({ group }) => group === hot)];
  return html`<div class="gutter">
    <svg aria-hidden="true" width=${GUTTER} height=${height}>
      ${ordered.map(({ group, path }) => svg`<path class="ribbon ${colour(group)} ${group === hot ? 'hot' : ''}" d=${path} />`)}
    </svg>
    ${splitter(split)}
  </div>`;
}

/** What is in view of each group in a column. */
function runsOf(session: CodeSession, name: ColumnName): Run[] {
  const column = session.column(name);
  const { offset, height } = column;
  const found: Run[] = [];
  for (const at of column.visible) {
    const row = column.rows[at];
    const from = column.top(at) - offset;
    const to = column.top(at + 1) - offset;
    if (to < 0 || from > height) continue;
    if (row.type === 'source') found.push(...sourceRuns(session, column, at, from));
    else if (row.group >= 0 && !(row.type === 'code' && isCallOfOther(session, row.kernels))) {
      found.push({ group: row.group, from, to });
    }
  }
  return runs(found, height);
}

/** A call of a kernel that is not shown has a band, but no ribbon. */
const isCallOfOther = (session: CodeSession, kernels: readonly number[]): boolean =>
  session.ui.kernel !== null && kernels.length > 0 && !kernels.includes(session.ui.kernel);

/** The groups of a source line one below the other, in the visual lines that they are in. */
function sourceRuns(session: CodeSession, column: Column, at: number, top: number): Run[] {
  const row = column.rows[at];
  if (row.type !== 'source' || row.groups.length === 0) return [];
  const cut = stretches(row.text, row.line, row.groups, session.result?.expressions ?? []);
  return column.pieces(at).flatMap((piece, i) => {
    const inside = cut.filter(({ from, to, group }) => group >= 0 && from < piece.to && to > piece.from);
    const distinct = [...new Set(inside.map(({ group }) => group))];
    const step = LINE / Math.max(1, distinct.length);
    return distinct.map((group, k) => ({
      group,
      from: top + i * LINE + k * step,
      to: top + i * LINE + (k + 1) * step,
    }));
  });
}
