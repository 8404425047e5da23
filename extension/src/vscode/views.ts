/** The views: runs with all that is in them, the findings by cost of one of them, and what it came to. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { FunctionSummary, Problem, RankNote, RunDetailResult, RunSummary } from '../protocol.gen';
import type { Server } from '../core/server';
import { findingRow } from '../core/rows/findings';
import { passRow, phaseRow, phases, unrunRow } from '../core/rows/passes';
import { problemRows } from '../core/rows/problems';
import { rankRow, ranksRow } from '../core/rows/ranks';
import { noteRow } from '../core/rows/row';
import { compileRow, functionRow, runRow } from '../core/rows/runs';
import { kernelRow, stepRow } from '../core/rows/steps';
import { summaryRows } from '../core/rows/summary';
import { keptFunctions, runMatches } from '../core/run-filter';
import { followed } from '../core/runs';
import { damageNode } from './log-places';
import { exportsNode, recordedNode } from './recorded';
import type { Node } from './tree';
import { RowTree } from './tree';

/** Empty states that have a text of their own in the manifest. */
const WELCOME_CODES: readonly string[] = ['no-torch', 'untrusted'];

export class Views implements vscode.Disposable {
  readonly #runsTree = new RowTree(() => this.#runNodes());
  readonly #findingsTree = new RowTree(() => this.#findingNodes());
  readonly #runsView = vscode.window.createTreeView('compilescope.runs', {
    treeDataProvider: this.#runsTree,
    showCollapseAll: true,
    canSelectMany: true,
  });
  readonly #findingsView = vscode.window.createTreeView('compilescope.findings', {
    treeDataProvider: this.#findingsTree,
  });
  readonly #summaryTree = new RowTree(() => this.#summaryNodes());
  readonly #summaryView = vscode.window.createTreeView('compilescope.summary', {
    treeDataProvider: this.#summaryTree,
  });
  #runs: RunSummary[] = [];
  /** The run that was opened or selected last; undefined: the panes are about the newest. */
  #chosen: string | undefined;
  #selected: string | undefined;
  #filter = '';
  #watched = '';
  #details = new Map<string, Promise<RunDetailResult>>();
  #problem: Problem | undefined;
  #asked = 0;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
    private readonly onChosen: (detail: RunDetailResult | undefined) => void,
  ) {
    this.#runsView.onDidChangeSelection(({ selection }) => {
      this.#select(selection);
    });
  }

  /** All runs, newest first, as of the last answer. */
  get runs(): readonly RunSummary[] {
    return this.#runs;
  }

  /** The runs that are selected in the tree. */
  get selected(): readonly RunSummary[] {
    const ids = this.#runsView.selection.map(({ row }) => row.id);
    return this.#runs.filter(({ recording }) => ids.includes(recording));
  }

  get filter(): string {
    return this.#filter;
  }

  /** Shows only what has this text in it; everything when it is empty. */
  setFilter(text: string): void {
    this.#filter = text.trim();
    setContext('filtered', this.#filter !== '');
    this.#runsTree.refresh();
  }

  /** Says above the runs which folders are watched. */
  setWatched(text: string): void {
    this.#watched = text;
    setContext('watching', text !== '');
    this.#runsTree.refresh();
  }

  /** The compiled functions of a run. */
  async functions(recording: string): Promise<readonly FunctionSummary[]> {
    return (await this.#detail(recording)).functions;
  }

  /** Where the ranks of a run differ. */
  async ranks(recording: string): Promise<readonly RankNote[]> {
    return (await this.#detail(recording)).ranks;
  }

  /** Shows or forgets what went wrong; it stands above the runs. */
  setProblem(problem: Problem | undefined): void {
    this.#problem = problem;
    this.#redraw();
  }

  /** Asks the server for the runs, and for the insides of `recording` (of all when null) when they are looked at. */
  async update(recording: string | null): Promise<void> {
    if (recording === null) this.#details.clear();
    else this.#details.delete(recording);
    const serial = ++this.#asked;
    if (this.server.state.name === 'running') {
      try {
        const { runs } = await this.server.request('compilescope/runs', {});
        if (serial !== this.#asked) return;
        this.#chosen = followed(this.#chosen, this.#runs, runs);
        this.#runs = runs;
      } catch (error) {
        this.log.warn(`runs: ${String(error)}`);
      }
    }
    this.#redraw();
    void this.#tellChosen();
  }

  /** Has the panes beside the runs, and the status bar, be about this run until a newer one comes. */
  follow(recording: string): void {
    this.#chosen = recording;
    this.#redrawPanes();
    void this.#tellChosen();
  }

  /** Opens the tree at a compile. The view comes to the front and leaves the focus where it is. */
  async reveal(recording: string, compileId: string | null): Promise<void> {
    const run = (await this.#runsTree.getChildren()).find((node) => node.row.id === recording);
    if (run === undefined) return;
    let target = run;
    if (compileId !== null) {
      for (const node of await this.#runsTree.getChildren(run)) {
        const compiles = await this.#runsTree.getChildren(node);
        target = compiles.find(({ row }) => row.kind === 'compile' && row.label === compileId) ?? target;
      }
    }
    await this.#runsView.reveal(target, { select: true, focus: false, expand: true });
  }

  dispose(): void {
    const views = [this.#runsView, this.#findingsView, this.#summaryView];
    for (const part of [...views, this.#runsTree, this.#findingsTree, this.#summaryTree]) part.dispose();
  }

  /** The run that the panes are about. */
  get #shown(): RunSummary | undefined {
    return this.#runs.find(({ recording }) => recording === this.#chosen) ?? this.#runs[0];
  }

  /** Follows a selection that is another run's than the one before: a tree that is drawn anew selects again, too. */
  #select(selection: readonly Node[]): void {
    const [node] = selection;
    if (node === undefined || selection.length > 1) return;
    let top = node;
    for (let above = this.#runsTree.getParent(top); above !== undefined; above = this.#runsTree.getParent(top)) {
      top = above;
    }
    const recording = top.row.id;
    if (recording === this.#selected || this.#runs.every((run) => run.recording !== recording)) return;
    this.#selected = recording;
    this.follow(recording);
  }

  #redraw(): void {
    setContext('hasRuns', this.#runs.length > 0);
    setContext('empty', this.#emptyState());
    this.#runsTree.refresh();
    this.#redrawPanes();
  }

  #redrawPanes(): void {
    const description = this.#shown?.title ?? '';
    this.#findingsView.description = description;
    this.#summaryView.description = this.#shown === this.#runs[0] ? '' : description;
    setContext('noFindings', this.#noFindings());
    this.#findingsTree.refresh();
    this.#summaryTree.refresh();
  }

  /** Says which run was opened or selected; undefined: none was, or its findings were cleared. */
  async #tellChosen(): Promise<void> {
    const chosen = this.#chosen;
    const run = this.#runs.find(({ recording }) => recording === chosen);
    const isKnown = run !== undefined && !run.cleared;
    const detail = isKnown ? await this.#detail(run.recording).catch(() => undefined) : undefined;
    if (chosen === this.#chosen) this.onChosen(detail);
  }

  /** Which welcome text suits the empty runs view; none while something else is shown there. */
  #emptyState(): string {
    if (this.#runs.length > 0) return '';
    return this.#problem === undefined ? 'no-recording' : this.#problem.code;
  }

  /** Which welcome text suits the empty findings view. */
  #noFindings(): string {
    const shown = this.#shown;
    if (shown === undefined) return 'no-run';
    if (shown.cleared) return 'cleared';
    if (shown.status === 'running') return 'running';
    // Of a job that ran elsewhere the exit code is not known.
    return shown.status === 'finished' && (shown.exitCode ?? 0) === 0 ? 'clean' : 'ended';
  }

  async #runNodes(): Promise<Node[]> {
    const problem = this.#problem;
    const welcome = this.#runs.length === 0 && problem !== undefined && WELCOME_CODES.includes(problem.code);
    const top = problem === undefined || welcome ? [] : [problemNode(problem)];
    const now = new Date();
    const shown = await this.#shownRuns();
    const lines = [this.#watched, this.#filterMessage(shown.length)].filter(Boolean);
    this.#runsView.message = lines.join('\n');
    return [
      ...top,
      ...shown.map((run, index): Node => ({
        row: runRow(run, now),
        expanded: index === 0 || this.#filter !== '',
        children: () => this.#insideRun(run),
      })),
    ];
  }

  /** What stands above the runs while there is a filter. */
  #filterMessage(kept: number): string {
    if (this.#filter === '') return '';
    return kept > 0 || this.#runs.length === 0
      ? l10n.t('Only what has “{0}” in it', this.#filter)
      : l10n.t('Nothing has “{0}” in its name, file, state or version', this.#filter);
  }

  /** The runs that the filter keeps. */
  async #shownRuns(): Promise<readonly RunSummary[]> {
    const filter = this.#filter;
    if (filter === '') return this.#runs;
    const kept = await Promise.all(
      this.#runs.map(async (run) => {
        if (runMatches(run, filter)) return true;
        const functions = await this.functions(run.recording).catch(() => []);
        return keptFunctions(run, functions, filter).length > 0;
      }),
    );
    return this.#runs.filter((_, index) => kept[index]);
  }

  async #insideRun(run: RunSummary): Promise<Node[]> {
    const { recording } = run;
    const { functions, notes, ranks, exports, damage } = await this.#detail(recording);
    return [
      ...keptFunctions(run, functions, this.#filter).map((each): Node => ({
        row: functionRow(recording, each),
        children: () =>
          Promise.resolve(
            each.compiles.map((compile, index): Node => ({
              row: compileRow(recording, compile, index),
              children: () => this.#insideCompile(recording, each.name, compile.id),
            })),
          ),
      })),
      ...(exports.length > 0 ? [exportsNode(recording, exports)] : []),
      ...(ranks.length > 0 ? [this.#ranksNode(recording, ranks)] : []),
      ...(damage === null ? [] : [damageNode(recording, damage)]),
      ...notes.map((note, index): Node => ({ row: noteRow(recording, note, index) })),
    ];
  }

  #ranksNode(recording: string, ranks: readonly RankNote[]): Node {
    const inside = ranks.slice(1).map((note, index): Node => ({
      row: rankRow(recording, note, index),
      children: () =>
        Promise.resolve(
          note.groups.map((group, at): Node => ({ row: noteRow(`${recording}\nranks ${index}`, group, at) })),
        ),
    }));
    return { row: ranksRow(recording, ranks), children: () => Promise.resolve(inside) };
  }

  async #insideCompile(recording: string, name: string, compileId: string): Promise<Node[]> {
    const { steps, kernels } = await this.server.request('compilescope/compileDetail', { recording, compileId });
    const inside = steps.map((step): Node => ({
      row: stepRow(recording, compileId, step),
      children: () =>
        step.key === 'passes'
          ? this.#passNodes(recording, name, compileId)
          : Promise.resolve(
              kernels.map((kernel, index): Node => ({ row: kernelRow(recording, compileId, kernel, index) })),
            ),
    }));
    return [...inside, recordedNode(this.server, recording, compileId)];
  }

  async #passNodes(recording: string, name: string, compileId: string): Promise<Node[]> {
    const { passes, note, unrun } = await this.server.request('compilescope/passes', { recording, compileId });
    const groups = phases(passes).map((phase, index): Node => {
      const row = phaseRow(recording, phase, index);
      const inside = phase.passes.map((pass, at): Node => ({ row: passRow(row.id, recording, name, pass, at) }));
      return { row, children: () => Promise.resolve(inside) };
    });
    groups.push(...unrun.map((pass, index): Node => ({ row: unrunRow(`${recording}\n${compileId}`, pass, index) })));
    return note === null ? groups : [...groups, { row: noteRow(`${recording}\n${compileId}`, note, 0) }];
  }

  async #summaryNodes(): Promise<Node[]> {
    const shown = this.#shown;
    if (shown === undefined) return [];
    return summaryRows(await this.#detail(shown.recording)).map((row): Node => ({ row }));
  }

  async #findingNodes(): Promise<Node[]> {
    const shown = this.#shown;
    if (shown === undefined || shown.cleared) return [];
    const { findings } = await this.#detail(shown.recording);
    const isOnlyFile = new Set(findings.map(({ file }) => file)).size === 1;
    return findings.map((finding) => ({
      row: findingRow(shown.recording, finding, isOnlyFile, (file) => path.basename(file)),
    }));
  }

  /** The insides of a run, asked for once until it changes. */
  #detail(recording: string): Promise<RunDetailResult> {
    let detail = this.#details.get(recording);
    if (detail === undefined) {
      detail = this.server.request('compilescope/runDetail', { recording });
      detail.catch(() => this.#details.delete(recording));
      this.#details.set(recording, detail);
    }
    return detail;
  }
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand('setContext', `compilescope.${key}`, value);
}

function problemNode(problem: Problem): Node {
  const [row, ...ways] = problemRows(problem);
  return { row, expanded: true, children: () => Promise.resolve(ways.map((way): Node => ({ row: way }))) };
}
