/** The two views: runs with all that is in them, and the newest run's findings by cost. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { FunctionSummary, Problem, RunDetailResult, RunSummary } from '../protocol.gen';
import type { Server } from '../core/server';
import * as rows from '../core/rows';
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
  });
  readonly #findingsView = vscode.window.createTreeView('compilescope.findings', {
    treeDataProvider: this.#findingsTree,
  });
  #runs: RunSummary[] = [];
  #details = new Map<string, Promise<RunDetailResult>>();
  #problem: Problem | undefined;
  #asked = 0;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** All runs, newest first, as of the last answer. */
  get runs(): readonly RunSummary[] {
    return this.#runs;
  }

  /** The compiled functions of a run. */
  async functions(recording: string): Promise<readonly FunctionSummary[]> {
    return (await this.#detail(recording)).functions;
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
        this.#runs = runs;
      } catch (error) {
        this.log.warn(`runs: ${String(error)}`);
      }
    }
    this.#redraw();
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
    for (const part of [this.#runsView, this.#findingsView, this.#runsTree, this.#findingsTree]) part.dispose();
  }

  #redraw(): void {
    const newest = this.#runs[0];
    this.#findingsView.description = newest?.title ?? '';
    setContext('hasRuns', newest !== undefined);
    setContext('empty', this.#emptyState());
    setContext('noFindings', this.#noFindings());
    this.#runsTree.refresh();
    this.#findingsTree.refresh();
  }

  /** Which welcome text suits the empty runs view; none while something else is shown there. */
  #emptyState(): string {
    if (this.#runs.length > 0) return '';
    return this.#problem === undefined ? 'no-recording' : this.#problem.code;
  }

  /** Which welcome text suits the empty findings view. */
  #noFindings(): string {
    const newest = this.#runs[0];
    if (newest === undefined) return 'no-run';
    if (newest.cleared) return 'cleared';
    if (newest.status === 'running') return 'running';
    return newest.status === 'finished' && newest.exitCode === 0 ? 'clean' : 'ended';
  }

  async #runNodes(): Promise<Node[]> {
    const problem = this.#problem;
    const welcome = this.#runs.length === 0 && problem !== undefined && WELCOME_CODES.includes(problem.code);
    const top = problem === undefined || welcome ? [] : [problemNode(problem)];
    const now = new Date();
    return Promise.resolve([
      ...top,
      ...this.#runs.map((run, index): Node => ({
        row: rows.runRow(run, now),
        expanded: index === 0,
        children: () => this.#insideRun(run.recording),
      })),
    ]);
  }

  async #insideRun(recording: string): Promise<Node[]> {
    const { functions, notes } = await this.#detail(recording);
    return [
      ...functions.map((each): Node => ({
        row: rows.functionRow(recording, each),
        children: () =>
          Promise.resolve(
            each.compiles.map((compile, index): Node => ({
              row: rows.compileRow(recording, compile, index),
              children: () => this.#insideCompile(recording, each.name, compile.id),
            })),
          ),
      })),
      ...notes.map((note, index): Node => ({ row: rows.noteRow(recording, note, index) })),
    ];
  }

  async #insideCompile(recording: string, name: string, compileId: string): Promise<Node[]> {
    const { passes, note, unrun } = await this.server.request('compilescope/passes', { recording, compileId });
    const groups = rows.phases(passes).map((phase, index): Node => {
      const row = rows.phaseRow(recording, phase, index);
      const inside = phase.passes.map((pass, at): Node => ({ row: rows.passRow(row.id, recording, name, pass, at) }));
      return { row, children: () => Promise.resolve(inside) };
    });
    groups.push(
      ...unrun.map((pass, index): Node => ({ row: rows.unrunRow(`${recording}\n${compileId}`, pass, index) })),
    );
    return note === null ? groups : [...groups, { row: rows.noteRow(`${recording}\n${compileId}`, note, 0) }];
  }

  async #findingNodes(): Promise<Node[]> {
    const newest = this.#runs[0];
    if (newest === undefined || newest.cleared) return [];
    const { findings } = await this.#detail(newest.recording);
    const isOnlyFile = new Set(findings.map(({ file }) => file)).size === 1;
    return findings.map((finding) => ({
      row: rows.findingRow(newest.recording, finding, isOnlyFile, (file) => path.basename(file)),
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
  const [row, ...ways] = rows.problemRows(problem);
  return { row, expanded: true, children: () => Promise.resolve(ways.map((way): Node => ({ row: way }))) };
}
