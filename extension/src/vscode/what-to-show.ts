/** Which recording and which compile a command is about when its argument does not say so. */
import type { Server } from '../core/server';
import { runToShow } from '../core/runs';
import type { Asking, Known } from '../core/targets';
import { compileToShow, recompileToShow } from '../core/targets';
import type { Target } from '../shared/messages';
import { nowhere } from '../shared/messages';
import { pythonCursor } from './cursor';
import type { Views } from './views';

export class WhatToShow {
  constructor(
    private readonly server: Server,
    private readonly views: Views,
    private readonly log: (text: string) => void,
  ) {}

  /** The newest recording; null: there is none. */
  async newest(): Promise<string | null> {
    if (this.views.runs.length === 0) await this.views.update(null);
    return this.views.runs[0]?.recording ?? null;
  }

  /** The line that the user is on, for a panel that finds the compile itself; null: no Python file, or no recording. */
  async line(): Promise<Target | null> {
    const cursor = pythonCursor();
    if (cursor === null) return null;
    if (this.views.runs.length === 0) await this.views.update(null);
    const recording = runToShow(this.views.runs, cursor.file)?.recording;
    if (recording === undefined) return null;
    const { file, line } = cursor;
    return { ...nowhere(recording), source: { file, line, column: -1, endLine: line, endColumn: -1 } };
  }

  /** What the panels open on when nothing names a compile. Failures are left to the panel, which asks again. */
  async target(recording: string | null, { kind, shown }: Asking): Promise<Target | null> {
    const cursor = pythonCursor();
    if (this.views.runs.length === 0) await this.views.update(null);
    const wanted = recording ?? runToShow(this.views.runs, cursor?.file ?? null)?.recording ?? null;
    if (wanted === null) return null;
    const known: Known = {
      functions: (of) => this.views.functions(of),
      passes: async (of) => {
        const result = await this.server.request('compilescope/passes', { recording: of, compileId: null });
        return result.passes;
      },
    };
    const choose = kind === 'recompiles' ? recompileToShow : compileToShow;
    const compileId = await choose(wanted, cursor, shown(wanted), known).catch((error: unknown) => {
      this.log(`which compile: ${String(error)}`);
      return null;
    });
    return { ...nowhere(wanted), compileId };
  }
}
