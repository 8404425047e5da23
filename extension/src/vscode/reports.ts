/** Commands that hand a run or a finding on: the report in a browser, as a file, or as Markdown for an issue. */
import * as l10n from '@vscode/l10n';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { placeOf } from '../core/address';
import { findingOf, recordingOf } from '../core/arguments';
import { noRecording } from '../core/problem';
import { themed } from '../core/report-page';
import type { Server } from '../core/server';
import type { ReportResult } from '../protocol.gen';
import { notify } from './problems';

const FORMATS = [
  { label: 'HTML', description: l10n.t('one file for a browser'), format: 'html' },
  { label: 'SARIF', description: l10n.t('for code scanning'), format: 'sarif' },
  { label: 'Markdown', description: l10n.t('for an issue'), format: 'markdown' },
  { label: 'JSON', description: l10n.t('for programs'), format: 'json' },
  { label: l10n.t('Text'), description: l10n.t('as the command line prints it'), format: 'text' },
  { label: 'OpenMetrics', description: l10n.t('figures for a monitoring job'), format: 'openmetrics' },
  { label: 'Perfetto', description: l10n.t('the timeline, for ui.perfetto.dev'), format: 'perfetto' },
  { label: 'LCOV', description: l10n.t('which lines are compiled'), format: 'lcov' },
  { label: 'Cobertura', description: l10n.t('which lines are compiled'), format: 'cobertura' },
] as const;

export class Reports {
  constructor(
    private readonly server: Server,
    private readonly newest: () => Promise<string | null>,
  ) {}

  /** Writes the report of a run beside its recording and opens it: in the browser, or here when that is elsewhere. */
  async open(argument: unknown): Promise<void> {
    const recording = await this.#recording(argument);
    if (recording === undefined) return;
    const report = await this.#writing(recording, 'html');
    const file = await written(recording, report);
    // A browser on the user's own machine has no files of another one.
    const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
    if (!isHere || !(await vscode.env.openExternal(file))) shown(report);
  }

  /** Asks for a format and a place, and writes the report of a run there. */
  async save(argument: unknown): Promise<void> {
    const recording = await this.#recording(argument);
    if (recording === undefined) return;
    const placeHolder = l10n.t('User and machine names are left out of every format');
    const chosen = await vscode.window.showQuickPick(FORMATS, { title: l10n.t('Save report'), placeHolder });
    if (chosen === undefined) return;
    await saved(await this.#writing(recording, chosen.format), chosen.format);
  }

  /** Copies a finding, or else a whole run, as Markdown. */
  async copy(argument: unknown): Promise<void> {
    const named = findingOf(argument);
    const recording = named?.recording ?? (await this.#recording(argument));
    if (recording === undefined) return;
    const finding = named?.finding ?? null;
    const { text } = await this.server.request('compilescope/report', { recording, format: 'markdown', finding });
    await vscode.env.clipboard.writeText(text);
    const said =
      finding === null
        ? l10n.t('$(check) Copied the run as Markdown')
        : l10n.t('$(check) Copied the finding as Markdown');
    vscode.window.setStatusBarMessage(said, 5_000);
  }

  async #recording(argument: unknown): Promise<string | undefined> {
    const recording = recordingOf(argument)?.recording ?? (await this.newest());
    if (recording === null) await notify(noRecording);
    else this.server.assertThere(recording);
    return recording ?? undefined;
  }

  #writing(recording: string, format: string): Thenable<ReportResult> {
    const location = vscode.ProgressLocation.Window;
    return vscode.window.withProgress({ location, title: l10n.t('Writing the report') }, () =>
      this.server.request('compilescope/report', { recording, format, finding: null }),
    );
  }
}

/** A page without scripts. */
function shown({ text }: ReportResult): void {
  const title = l10n.t('Compile report');
  const options = { enableScripts: false, localResourceRoots: [], enableFindWidget: true };
  const panel = vscode.window.createWebviewPanel('compilescope.report', title, vscode.ViewColumn.Active, options);
  const show = (): void => {
    panel.webview.html = themed(text, DARK.has(vscode.window.activeColorTheme.kind));
  };
  show();
  const following = vscode.window.onDidChangeActiveColorTheme(show);
  panel.onDidDispose(() => {
    following.dispose();
  });
}

const DARK = new Set([vscode.ColorThemeKind.Dark, vscode.ColorThemeKind.HighContrast]);

/** Beside the recording, or in the folder for temporary files where that can't be written to. */
async function written(recording: string, { name, text }: ReportResult): Promise<vscode.Uri> {
  const content = Buffer.from(text, 'utf8');
  const place = placeOf(recording);
  const isFolder = ((await vscode.workspace.fs.stat(vscode.Uri.file(place))).type & vscode.FileType.Directory) !== 0;
  const beside = vscode.Uri.file(path.join(isFolder ? place : path.dirname(place), name));
  try {
    await vscode.workspace.fs.writeFile(beside, content);
    return beside;
  } catch {
    const elsewhere = vscode.Uri.file(path.join(os.tmpdir(), `compilescope-${path.basename(place)}-${name}`));
    await vscode.workspace.fs.writeFile(elsewhere, content);
    return elsewhere;
  }
}

async function saved({ name, text }: ReportResult, format: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog({
    title: l10n.t('Save report'),
    filters: { [format]: [path.extname(name).slice(1)] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (uri === undefined) return;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(text, 'utf8'));
  vscode.window.setStatusBarMessage(l10n.t('$(check) Saved {0}', path.basename(uri.path)), 5_000);
}
