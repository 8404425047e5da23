/** Questions about the code of a graph: which group, node, kernel or file something belongs to. */
import type { CodeKernelInfo, CodeResult, ExpressionInfo, SourcePlace } from '../../src/shared/messages';
import { groupAt } from './groups';

/** The file that most expressions are in. */
export function mainFile(result: CodeResult): string | null {
  const counts = result.files.map((_, at) => result.expressions.filter(({ file }) => file === at).length);
  const most = counts.indexOf(Math.max(...counts));
  return result.files[most]?.path ?? null;
}

/** Kernels with a group, those first that are mainly of it. */
export function kernelsWith(kernels: readonly CodeKernelInfo[], group: number): number[] {
  const all = kernels.map((one, at) => ({ one, at })).filter(({ one }) => one.expressions.includes(group));
  return [...all.filter(({ one }) => one.main === group), ...all.filter(({ one }) => one.main !== group)].map(
    ({ at }) => at,
  );
}

/** The last node of a kernel that is of a group. */
export function nodeOf(result: CodeResult | null, kernel: CodeKernelInfo | undefined, group: number): number | null {
  return kernel?.nodes.filter((at) => result?.nodes[at].expressions[0] === group).at(-1) ?? null;
}

/** The group at a place of the source; of several on a line one that a kernel is mainly of. None: undefined. */
export function groupOf(
  result: CodeResult,
  kernels: readonly CodeKernelInfo[],
  place: SourcePlace,
): number | undefined {
  const file = result.files.findIndex(({ path }) => samePath(path, place.file));
  if (file < 0) return undefined;
  const exact = place.column < 0 ? null : groupAt(result.expressions, file, place.line, place.column);
  const isThere = ({ file: of, line, endLine }: ExpressionInfo): boolean =>
    of === file && line <= place.line && endLine >= place.line;
  const onLine = result.expressions.flatMap((one, group) => (isThere(one) ? [group] : []));
  const working = onLine.find((group) => kernels.some(({ main }) => main === group));
  return exact ?? working ?? onLine.at(0);
}

/** Where a group is in the source. */
export function placeOfGroup(result: CodeResult | null, group: number | null): SourcePlace | null {
  const one = result?.expressions[group ?? -1];
  const file = result?.files[one?.file ?? -1]?.path;
  if (!one || file === undefined) return null;
  return { file, line: one.line, column: one.column, endLine: one.endLine, endColumn: one.endColumn };
}

/** Whether a place covers a line of a file. */
export const covers = (place: SourcePlace | null, at: { file: string; line: number }): boolean =>
  place !== null && samePath(place.file, at.file) && place.line <= at.line && place.endLine >= at.line;

/** Whether two paths are the same file, whatever a drive's letter looks like. */
export const samePath = (a: string, b: string): boolean =>
  a === b || (/^[a-z]:/i.test(a) && a.replace(/\\/g, '/').toLowerCase() === b.replace(/\\/g, '/').toLowerCase());
