/** What the panels open on when nothing names a compile: the same in both. */
import type { CompileSummary, FunctionSummary, PassInfo } from '../protocol.gen';

/** Where the cursor is in a Python file; `line` counts from 0. */
export interface Cursor {
  file: string;
  line: number;
  /** The lines of the file as it is in the editor. */
  text: readonly string[];
}

/** What the server knows about a recording. */
export interface Known {
  functions(recording: string): Promise<readonly FunctionSummary[]>;
  passes(recording: string): Promise<readonly PassInfo[]>;
}

/**
 * The compile of a recording to show: of the function under the cursor if it was compiled, else the one that a panel
 * shows already, else the first with passes. Null: there is none. `shown`: the compiles in the open panels.
 */
export async function compileToShow(
  recording: string,
  cursor: Cursor | null,
  shown: readonly string[],
  known: Known,
): Promise<string | null> {
  const at = cursor === null ? null : functionAt(await known.functions(recording), cursor);
  const own = at?.compiles.map(({ id }) => id) ?? [];
  if (at !== null && own.length > 0) return shown.find((id) => own.includes(id)) ?? firstGraph(at.compiles);
  if (shown[0] !== undefined) return shown[0];
  const steps = await known.passes(recording);
  return (steps.find(({ kind }) => kind === 'pass') ?? steps[0])?.compileId ?? null;
}

/** The first compile with a graph; where none has one, the first. */
export function firstGraph(compiles: readonly CompileSummary[]): string | null {
  const first = compiles.find(({ status, nodes }) => status === 'ok' && nodes > 1) ?? compiles[0];
  return first?.id ?? null;
}

/** The innermost of the functions around the cursor. */
function functionAt(functions: readonly FunctionSummary[], { file, line, text }: Cursor): FunctionSummary | null {
  const around = functions.filter((one) => {
    const start = one.line - 1;
    return one.file === file && start <= line && line <= lastLine(text, start);
  });
  return around.reduce<FunctionSummary | null>(
    (inner, one) => (inner === null || one.line > inner.line ? one : inner),
    null,
  );
}

const HEAD = /^\s*(?:async\s+def|def)\s/;

/** The last line of the function that starts, with its decorators, at a line. */
function lastLine(text: readonly string[], start: number): number {
  const indent = indentation(text[start] ?? '');
  const head = text.findIndex((line, at) => at >= start && HEAD.test(line) && indentation(line) === indent);
  if (head < 0) return start;
  let last = head;
  for (let at = head + 1; at < text.length; at++) {
    const line = text[at] ?? '';
    if (line.trim() === '' || /^\s*#/.test(line)) continue;
    // A line that closes the parameters is no deeper than the `def`.
    if (indentation(line) <= indent && !/^\s*[)\]}]/.test(line)) break;
    last = at;
  }
  return last;
}

const indentation = (line: string): number => line.length - line.trimStart().length;
