/** Commands of the runs view: filter it, search a run, compare two. */
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { recordingOf } from '../core/arguments';
import { noRecording, problemOf } from '../core/problem';
import { ranksPage } from '../core/ranks-text';
import {
  RUN_SCHEME,
  comparisonUriParts,
  pairIn,
  ranksIn,
  ranksUriParts,
  recordingIn,
  runUriParts,
} from '../core/run-text-uri';
import type { Server } from '../core/server';
import { escapeMarkdown, whenBriefly } from '../core/text';
import type { RunSummary } from '../protocol.gen';
import { registerEventTexts } from './event-texts';
import { LogPlaces } from './log-places';
import { notify } from './problems';
import { searchRecording } from './search';
import type { Views } from './views';

export class RunCommands {
  constructor(
    private readonly server: Server,
    private readonly views: Views,
    private readonly open: () => Promise<string | undefined>,
  ) {}

  /** Texts of runs and of their events, by address. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(
      registerEventTexts(this.server),
      new LogPlaces(this.server),
      vscode.workspace.registerTextDocumentContentProvider(RUN_SCHEME, {
        provideTextDocumentContent: (uri) => this.#text(uri),
      }),
    );
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

  /** Searches the run that is given, selected, or the newest. */
  async search(argument: unknown): Promise<void> {
    if (this.views.runs.length === 0) await this.views.update(null);
    const recording = recordingOf(argument)?.recording ?? this.views.selected[0]?.recording;
    await searchRecording(this.server, this.views.runs, recording);
  }

  /**
   * Compares the two selected runs, older first; or the one that is given with one that is chosen or opened: what
   * changed, and behind it the texts of both in the diff editor.
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

  /** Shows where the ranks of a run differ. */
  async showRanks(argument: unknown): Promise<void> {
    const recording = recordingOf(argument)?.recording;
    if (recording === undefined) return;
    const page = vscode.Uri.from(ranksUriParts(recording, l10n.t('Ranks')));
    await vscode.commands.executeCommand('markdown.showPreview', page);
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
      .map((run) => ({ label: named(run, now), description: run.torch === null ? '' : `torch ${run.torch}`, run }));
    const another = { label: l10n.t('$(folder-opened) Another recording, pack or folder…'), run: undefined };
    const chosen = await vscode.window.showQuickPick([...others, another], {
      title: l10n.t('Compare runs'),
      placeHolder: l10n.t('Compare {0} with', named(first, now)),
    });
    if (chosen === undefined) return undefined;
    const second = chosen.run ?? (await this.#opened());
    return second === undefined || second.recording === first.recording ? undefined : [first, second];
  }

  /** A run that the user opens for this. */
  async #opened(): Promise<RunSummary | undefined> {
    const recording = await this.open();
    return this.views.runs.find((run) => run.recording === recording);
  }

  async #changes(pair: { before: string; after: string }): Promise<string> {
    try {
      return (await this.server.request('compilescope/runDiff', pair)).text;
    } catch (error) {
      const { title, detail } = problemOf(error);
      return `# ${escapeMarkdown(title)}\n\n${escapeMarkdown(detail)}\n`;
    }
  }

  async #ranks(recording: string): Promise<string> {
    const run = this.views.runs.find((one) => one.recording === recording);
    return ranksPage(run?.title ?? recording, await this.views.ranks(recording));
  }

  async #text(uri: vscode.Uri): Promise<string> {
    const pair = pairIn(uri.query);
    const job = ranksIn(uri.query);
    const recording = recordingIn(uri.query);
    if (pair !== undefined) return this.#changes(pair);
    if (job !== undefined) return this.#ranks(job);
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
