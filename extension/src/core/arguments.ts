/** What commands are given: by a code lens, a hover, a row of the tree, another extension, or nothing at all. */

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
