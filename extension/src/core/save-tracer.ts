/** Trace on save: one run at a time, a moment after the last save, and only of what the user traced before. */

/** So long after a save nothing more may be saved: "save all" and formatters save several times. */
const QUIET_MS = 400;

export interface SaveHost {
  /** Whether the user wants it for this script, and it may run. */
  wanted(script: string): boolean;
  /** Whether the user traced this script in this session. */
  traced(script: string): boolean;
  /** A run, ours or the user's, goes on. */
  tracing(): boolean;
  trace(script: string): Promise<void>;
}

export class SaveTracer {
  #waiting: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly host: SaveHost) {}

  /** A file was saved. */
  saved(script: string): void {
    if (!this.host.traced(script) || !this.host.wanted(script)) return;
    this.#waiting = script;
    this.#again();
  }

  /** A run has ended: what was saved meanwhile is traced now. */
  ended(): void {
    if (this.#waiting !== undefined) this.#again();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
  }

  #again(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const script = this.#waiting;
      // While a run goes on it waits for `ended`.
      if (script === undefined || this.host.tracing()) return;
      this.#waiting = undefined;
      if (this.host.wanted(script)) void this.host.trace(script);
    }, QUIET_MS);
  }
}
