/** What the panels open on when nothing names a compile. */
import type { CompileSummary, FunctionSummary, PassInfo } from '../protocol.gen';
import type { PanelKind } from '../shared/panels';

/** Where the cursor is in a Python file; `line` counts from 0. */
export interface Cursor {
  file: string;
  line: number;
  /** The lines of the file as it is in the editor. */
  text: readonly string[];
}

/** The panel that asks, and the compiles of a recording that the open panels show. */
export interface Asking {
  kind: PanelKind;
  shown: (recording: string) => string[];
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

/**
 * What the recompile panel opens on: as `compileToShow`, but of a function that was compiled again where one was. The
 * panel then finds its recompile.
 */
export async function recompileToShow(
  recording: string,
  cursor: Cursor | null,
  shown: readonly string[],
  known: Known,
): Promise<string | null> {
  const functions = await known.functions(recording);
  const again = functions.filter(({ recompiles }) => recompiles > 0);
  if (again.length === 0) return compileToShow(recording, cursor, shown, known);
  const at = cursor === null ? null : functionAt(functions, cursor);
  const ids = new Set(again.flatMap(({ compiles }) => compiles.map(({ id }) => id)));
  if (at === null || !again.includes(at)) {
    const open = shown.find((id) => ids.has(id));
    if (open !== undefined) return open;
  }
  const dearest = again.reduce((most, one) => (one.seconds > most.seconds ? one : most));
  return firstGraph((at !== null && again.includes(at) ? at : dearest).compiles);
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
