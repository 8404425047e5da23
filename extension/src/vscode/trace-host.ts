/** The editor's part in a trace: the file, its settings, the interpreter, progress. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { ProblemError, noFile, notSaved } from '../core/problem';
import type { TraceHost } from '../core/trace';
import { fileOf } from '../core/trace';
import { traceSettings } from './configuration';

/** Progress of the run that goes on, as the server reports it. */
export class TraceProgress {
  #report: ((message: string) => void) | undefined;

  /** True while a run's own progress is shown; then the server's need not be. */
  get active(): boolean {
    return this.#report !== undefined;
  }

  report(message: string): void {
    this.#report?.(message);
  }

  /** Shows a notification with Cancel while `run` works; `quietly`: the status bar alone says so. */
  async during<T>(title: string, quietly: boolean, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (quietly)
      return this.#reporting(
        () => undefined,
        () => run(new AbortController().signal),
      );
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => {
        controller.abort();
      });
      const report = (message: string): void => {
        progress.report({ message });
      };
      return this.#reporting(report, () => run(controller.signal));
    });
  }

  async #reporting<T>(report: (message: string) => void, run: () => Promise<T>): Promise<T> {
    this.#report = report;
    try {
      return await run();
    } finally {
      this.#report = undefined;
    }
  }
}

/**
 * The script to run, saved first: what the argument names, else `again`, else the Python file that the user looks at,
 * else `last`. Throws ProblemError when there is none.
 */
export async function scriptToRun(
  argument: unknown,
  again: string | undefined,
  last: string | undefined,
): Promise<string> {
  const named = fileOf(argument) ?? uriOf(argument) ?? again;
  const active = vscode.window.activeTextEditor?.document;
  if (named === undefined && active?.isUntitled === true && active.languageId === 'python') return saveUntitled();
  const script = named ?? lookedAt() ?? last;
  if (script === undefined) throw new ProblemError(noFile);
  await saveAll();
  return script;
}

/** The Python file in the active editor; while a panel has the focus, the one that is seen beside it. */
function lookedAt(): string | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  const editors = activeTextEditor === undefined ? visibleTextEditors : [activeTextEditor];
  const documents = editors.map(({ document }) => document);
  return documents.find(({ languageId, uri }) => languageId === 'python' && uri.scheme === 'file')?.uri.fsPath;
}

async function saveUntitled(): Promise<string> {
  await vscode.window.activeTextEditor?.document.save();
  // Saving opens the file in place of the untitled one.
  const script = lookedAt();
  if (script === undefined) throw new ProblemError(notSaved);
  return script;
}

/** The program imports other files too, so all of Python is saved. */
async function saveAll(): Promise<void> {
  const dirty = vscode.workspace.textDocuments.filter(
    (document) => document.isDirty && document.languageId === 'python' && document.uri.scheme === 'file',
  );
  const saved = await Promise.all(dirty.map((document) => document.save()));
  if (saved.includes(false)) throw new ProblemError(notSaved);
}

function uriOf(argument: unknown): string | undefined {
  const text = typeof argument === 'string' ? argument : (argument as { uri?: unknown } | null | undefined)?.uri;
  return typeof text === 'string' && text.startsWith('file:') ? vscode.Uri.parse(text).fsPath : undefined;
}

/** What the rest of the extension has to do with a trace. */
export type TraceParts = Omit<TraceHost, 'trusted' | 'settings' | 'progress'>;

/** The whole host, from the parts that are not this file's business. */
export function traceHost(progress: TraceProgress, parts: TraceParts): TraceHost {
  return {
    ...parts,
    trusted: () => vscode.workspace.isTrusted,
    settings: traceSettings,
    progress: (script, quietly, run) => progress.during(l10n.t('Tracing {0}', path.basename(script)), quietly, run),
  };
}
