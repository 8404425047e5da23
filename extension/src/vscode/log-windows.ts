/** Log windows: choose which of torch's logs traces record, and read what one recorded in VS Code's own editor. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { LogRow } from '../core/logs';
import { choices, levelsOf, recorded, settingsOf } from '../core/logs';
import { LOG_SCHEME, logAddress, logUriParts } from '../core/log-uri';
import { ProblemError, noLogs, problemOf } from '../core/problem';
import type { Server } from '../core/server';

const KEY = 'logs';

type Item = vscode.QuickPickItem & { token?: string };

export class LogWindows {
  constructor(
    private readonly server: Server,
    private readonly memory: vscode.Memento,
  ) {}

  /** What traces of this workspace record, as in `TORCH_LOGS`; null for nothing. */
  get settings(): string | null {
    return settingsOf(this.#chosen);
  }

  /** Asks which logs to record; false when the user gave up. */
  async choose(python: string | null): Promise<boolean> {
    const asked = this.server.request('compilescope/logNames', { python, cwd: null });
    const title = { location: vscode.ProgressLocation.Window, title: l10n.t('Asking torch which logs it has') };
    const { names, torch, problem } = await vscode.window.withProgress(title, () => asked);
    if (problem !== null) throw new ProblemError(problem);
    const before = new Set(this.#chosen);
    const items = choices(names).map((row) => ({ ...itemOf(row), picked: before.has(row.token ?? '') }));
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Logs of torch {0} to record with each trace (none: record no logs)', torch ?? ''),
      placeHolder: l10n.t('They are recorded, not printed; each has a window of its own afterwards'),
      canPickMany: true,
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    if (picked === undefined) return false;
    await this.memory.update(KEY, tokens(picked));
    return true;
  }

  /** Opens a window with what a run recorded, filtered by log and level. */
  async open(recording: string): Promise<void> {
    this.server.assertThere(recording);
    const { logs } = await this.server.request('compilescope/logCounts', { recording });
    if (logs.length === 0) throw new ProblemError(noLogs);
    const all = await vscode.window.showQuickPick(recorded(logs).map(itemOf), {
      title: l10n.t('Logs to read (none: all of them)'),
      canPickMany: true,
    });
    if (all === undefined) return;
    const names = tokens(all);
    const level = await vscode.window.showQuickPick(levelsOf(logs, names).map(itemOf), {
      title: l10n.t('From which level on'),
      placeHolder: l10n.t('Records and bytes that each level would print'),
    });
    if (level?.token === undefined) return;
    const uri = vscode.Uri.from(logUriParts({ recording, names, level: level.token }));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** The texts of log windows, by address. */
  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(LOG_SCHEME, {
      provideTextDocumentContent: async (uri) => {
        const address = logAddress(uri.query);
        if (address === undefined) return l10n.t('not the address of a log\n');
        try {
          return (await this.server.request('compilescope/logText', address)).text;
        } catch (error) {
          const { title, detail } = problemOf(error);
          return `${title}\n${detail}\n`;
        }
      },
    });
  }

  get #chosen(): string[] {
    return this.memory.get<string[]>(KEY, []);
  }
}

function itemOf({ label, description, detail, token }: LogRow): Item {
  if (token === undefined) return { label, kind: vscode.QuickPickItemKind.Separator };
  return {
    label,
    token,
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
  };
}

function tokens(items: readonly Item[]): string[] {
  return items.flatMap(({ token }) => (token === undefined ? [] : [token]));
}
