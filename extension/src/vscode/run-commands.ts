/** Commands of the runs view: filter it, compare two of its runs. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordingOf } from '../core/arguments';
import { noRecording, problemOf } from '../core/problem';
import { RUN_SCHEME, comparisonUriParts, pairIn, recordingIn, runUriParts } from '../core/run-text-uri';
import type { Server } from '../core/server';
import { escapeMarkdown, whenBriefly } from '../core/text';
import type { RunSummary } from '../protocol.gen';
import { notify } from './problems';
import type { Views } from './views';

export class RunCommands {
  constructor(
    private readonly server: Server,
    private readonly views: Views,
  ) {}

  /** Texts of runs, by address. */
  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(RUN_SCHEME, {
      provideTextDocumentContent: (uri) => this.#text(uri),
    });
  }

  async filter(): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: l10n.t('Filter runs'),
      prompt: l10n.t('Shows only runs and functions that have this text in their name, file, state or torch version'),
      placeHolder: l10n.t('For example: forward, failed, 2.13'),
      value: this.views.filter,
    });
    if (text !== undefined) this.views.setFilter(text);
  }

  /**
   * Compares the two selected runs, older first; or the one that is given with one that is chosen: what changed, and
   * behind it the texts of both in the diff editor.
   */
  async compare(argument: unknown): Promise<void> {
    const pair = await this.#pair(recordingOf(argument)?.recording);
    if (pair === undefined) return;
    const [older, newer] = pair.sort((a, b) => (a.started ?? '').localeCompare(b.started ?? ''));
    if (older === undefined || newer === undefined) return;
    const now = new Date();
    const [left, right] = [named(older, now), named(newer, now)];
    await vscode.commands.executeCommand(
      'vscode.diff',
      vscode.Uri.from(runUriParts(older.recording, left)),
      vscode.Uri.from(runUriParts(newer.recording, right)),
      `${left} ↔ ${right}`,
      { preview: false },
    );
    const title = l10n.t('What changed');
    const changes = vscode.Uri.from(comparisonUriParts(older.recording, newer.recording, title));
    await vscode.commands.executeCommand('markdown.showPreview', changes);
  }

  async #pair(recording: string | undefined): Promise<RunSummary[] | undefined> {
    const { runs, selected } = this.views;
    if (selected.length === 2) return [...selected];
    const first = runs.find((run) => run.recording === recording) ?? selected[0] ?? runs[0];
    if (first === undefined) {
      await notify(noRecording);
      return undefined;
    }
    const now = new Date();
    const alike = (run: RunSummary): boolean => run.script === first.script && run.title === first.title;
    const others = runs
      .filter((run) => run !== first)
      .sort((a, b) => Number(alike(b)) - Number(alike(a)))
      .map((run) => ({ label: named(run, now), run }));
    const placeHolder =
      others.length > 0 ? l10n.t('Compare {0} with', named(first, now)) : l10n.t('There is no other run yet');
    const chosen = await vscode.window.showQuickPick(others, { title: l10n.t('Compare runs'), placeHolder });
    return chosen === undefined ? undefined : [first, chosen.run];
  }

  async #changes(pair: { before: string; after: string }): Promise<string> {
    try {
      return (await this.server.request('compilescope/runDiff', pair)).text;
    } catch (error) {
      const { title, detail } = problemOf(error);
      return `# ${escapeMarkdown(title)}\n\n${escapeMarkdown(detail)}\n`;
    }
  }

  async #text(uri: vscode.Uri): Promise<string> {
    const pair = pairIn(uri.query);
    const recording = recordingIn(uri.query);
    if (pair !== undefined) return this.#changes(pair);
    if (recording === undefined) return l10n.t('# not the address of a run\n');
    try {
      return (await this.server.request('compilescope/runText', { recording })).text;
    } catch (error) {
      const { title, detail } = problemOf(error);
      return `# ${title}\n# ${detail}\n`;
    }
  }
}

function named(run: RunSummary, now: Date): string {
  return run.started === null ? run.title : `${run.title} ${whenBriefly(run.started, now)}`;
}
