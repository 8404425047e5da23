/** The call stack of a finding, as a hover names it. */

export interface StackFrame {
  file: string;
  /** Counts from 0. */
  line: number;
  function: string;
}

/** The frames that an argument of `compilescope.showStack` names, innermost first; what is no frame is left out. */
export function stackIn(argument: unknown): StackFrame[] {
  const { frames } = (argument ?? {}) as { frames?: unknown };
  const all = Array.isArray(frames) ? (frames as unknown[]) : [];
  return all.flatMap((one) => {
    const { file, line, function: name } = (one ?? {}) as Record<string, unknown>;
    if (typeof file !== 'string' || typeof line !== 'number') return [];
    return [{ file, line, function: typeof name === 'string' ? name : '' }];
  });
}
