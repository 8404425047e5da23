/** What commands are given: by a code lens, a hover, a row of the tree, another extension, or nothing at all. */
import type { FindingPlace } from '../protocol.gen';
import type { SourcePlace, Target } from '../shared/messages';
import { nowhere } from '../shared/messages';

/** What a panel is to show: all parts of a target that an argument names. */
export function targetIn(argument: unknown): Target | undefined {
  const named = recordingOf(argument);
  if (named === undefined) return undefined;
  const given = (argument ?? {}) as Record<string, unknown>;
  const text = (key: string): string | null => (typeof given[key] === 'string' ? given[key] : null);
  return {
    ...nowhere(named.recording),
    compileId: named.compileId,
    snapshot: text('snapshot'),
    node: text('node'),
    pass: typeof given['pass'] === 'number' ? given['pass'] : null,
    kernel: text('kernel'),
    source: placeIn(given['source']),
  };
}

function placeIn(given: unknown): SourcePlace | null {
  const { file, line, column, endLine, endColumn } = (given ?? {}) as Record<string, unknown>;
  if (typeof file !== 'string' || typeof line !== 'number') return null;
  const number = (value: unknown): number => (typeof value === 'number' ? value : -1);
  return { file, line, column: number(column), endLine: number(endLine), endColumn: number(endColumn) };
}

/** A finding that an argument names: `{ recording, finding }`, or a row of the findings view. */
export function findingOf(argument: unknown): { recording: string; finding: FindingPlace } | undefined {
  const { recording, finding, row } = (argument ?? {}) as Record<string, unknown>;
  const { kind, id } = (row ?? {}) as { kind?: unknown; id?: unknown };
  if (kind === 'finding' && typeof id === 'string') {
    const [from = '', rule = '', file = '', line, character] = id.split('\n');
    const place = { rule, file: file === '' ? null : file, line: Number(line), character: Number(character) };
    return { recording: from, finding: place };
  }
  const { rule, file, line, character } = (finding ?? {}) as Record<string, unknown>;
  if (typeof recording !== 'string' || typeof rule !== 'string') return undefined;
  if (typeof line !== 'number' || typeof character !== 'number') return undefined;
  return { recording, finding: { rule, file: typeof file === 'string' ? file : null, line, character } };
}

/** The recording and the compile that `compilescope.showGraph` and its like are to show. */
export function recordingOf(argument: unknown): { recording: string; compileId: string | null } | undefined {
  const given = (argument ?? {}) as Record<string, unknown>;
  const [recording, compileId] =
    typeof given['recording'] === 'string' ? [given['recording'], given['compileId']] : rowOf(given['row']);
  if (typeof recording !== 'string') return undefined;
  return { recording, compileId: typeof compileId === 'string' ? compileId : null };
}

/** Of a row's id the recording, and the compile that it stands for. */
function rowOf(row: unknown): unknown[] {
  const { id, compileId } = (row ?? {}) as { id?: unknown; compileId?: unknown };
  return typeof id === 'string' ? [id.split('\n')[0], compileId] : [];
}
