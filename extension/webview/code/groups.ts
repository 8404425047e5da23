/** Source expressions as groups of one colour and letter, and what of a line belongs to which. */
import type { ExpressionInfo } from '../../src/shared/messages';

export const COLOURS = 8;

/** A to Z, then AA, AB … */
export function letter(group: number): string {
  const last = String.fromCharCode(65 + (group % 26));
  return group < 26 ? last : letter(Math.floor(group / 26) - 1) + last;
}

/** Class of the colour of a group; empty for none. */
export const colour = (group: number): string => (group < 0 ? '' : `o${(group % COLOURS) + 1}`);

/** A stretch of a line that is one group's; `group` -1 for none. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly group: number;
}

const length = (one: ExpressionInfo): number =>
  (one.endLine - one.line) * 10_000 + one.endColumn - (one.endLine === one.line ? one.column : 0);

/** The expressions of a file by line (from 0). */
export function byLine(expressions: readonly ExpressionInfo[], file: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  expressions.forEach((one, group) => {
    if (one.file !== file) return;
    for (let line = one.line; line <= one.endLine && line < one.line + 500; line++) {
      const known = found.get(line);
      if (known) known.push(group);
      else found.set(line, [group]);
    }
  });
  return found;
}

/** A line cut into stretches, each of the innermost expression there. */
export function stretches(
  text: string,
  line: number,
  groups: readonly number[],
  all: readonly ExpressionInfo[],
): Stretch[] {
  const spans = groups
    .map((group) => ({ group, one: all[group] }))
    .sort((a, b) => length(b.one) - length(a.one))
    .map(({ group, one }) => ({
      group,
      from: one.line < line ? text.length - text.trimStart().length : one.column,
      to: Math.min(one.endLine > line ? text.length : one.endColumn, text.length),
    }));
  const cuts = [...new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])])]
    .filter((at) => at >= 0 && at <= text.length)
    .sort((a, b) => a - b);
  const found: Stretch[] = [];
  for (let i = 0; i + 1 < cuts.length; i++) {
    const from = cuts[i];
    const to = cuts[i + 1];
    const group = spans.findLast((span) => span.from <= from && span.to >= to)?.group ?? -1;
    const last = found.at(-1);
    if (last?.group === group) found[found.length - 1] = { from: last.from, to, group };
    else found.push({ from, to, group });
  }
  return found;
}

/** The innermost expression at a place of a file. */
export function groupAt(all: readonly ExpressionInfo[], file: number, line: number, column: number): number | null {
  const inside = all
    .map((one, group) => ({ one, group }))
    .filter(
      ({ one }) =>
        one.file === file &&
        (one.line < line || (one.line === line && one.column <= column)) &&
        (one.endLine > line || (one.endLine === line && one.endColumn > column)),
    )
    .sort((a, b) => length(a.one) - length(b.one));
  return inside[0]?.group ?? null;
}
