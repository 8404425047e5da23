/** What commands are given: by a code lens, a hover, a row of the tree, another extension, or nothing at all. */

/** The recording and the compile that `compilescope.showGraph` and its like are to show. */
export function recordingOf(argument: unknown): { recording: string; compileId: string | null } | undefined {
  const given = (argument ?? {}) as Record<string, unknown>;
  const [recording, compileId] =
    typeof given['recording'] === 'string' ? [given['recording'], given['compileId']] : rowOf(given['row']);
  if (typeof recording !== 'string') return undefined;
  return { recording, compileId: typeof compileId === 'string' ? compileId : null };
}

/** Of a row's id the recording, and the compile where it stands for one. */
function rowOf(row: unknown): unknown[] {
  const { id, kind } = (row ?? {}) as { id?: unknown; kind?: unknown };
  if (typeof id !== 'string') return [];
  const [recording, compileId] = id.split('\n');
  return kind === 'compile' ? [recording, compileId] : [recording];
}
