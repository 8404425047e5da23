/** Search in a recording: hits in a list as they come, and each opens where it is. */
import * as l10n from '@vscode/l10n';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { placeOf } from '../core/address';
import { noRecording, problemOf } from '../core/problem';
import type { Opening } from '../core/search';
import { endText, kindTitle, searchRow, typed } from '../core/search';
import type { Server } from '../core/server';
import { whenBriefly } from '../core/text';
import type { RunSummary, SearchBatch, SearchHit } from '../protocol.gen';
import { openEvent } from './event-texts';
import { notify } from './problems';

/** How long the typing must rest. */
const DEBOUNCE_MS = 200;
/** How often the list is drawn anew at most, while hits come. */
const DRAW_MS = 100;
const LIMIT = 1000;
const PER_KIND = 100;

interface Item extends vscode.QuickPickItem {
  opening?: Opening;
  recording?: string;
}

/** `runs`: newest first; the first is searched when no `recording` is named. */
export async function searchRecording(
  server: Server,
  runs: readonly RunSummary[],
  recording: string | undefined,
): Promise<void> {
  const first = recording ?? runs[0]?.recording;
  if (first === undefined) await notify(noRecording);
  else new Search(server, runs, first).show();
}

class Search {
  readonly #list = vscode.window.createQuickPick<Item>();
  readonly #disposables: { dispose(): unknown }[];
  #hits: SearchHit[] = [];
  #end: Item | undefined;
  #asked: AbortController | undefined;
  #typing: NodeJS.Timeout | undefined;
  #drawing: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly runs: readonly RunSummary[],
    private recording: string,
  ) {
    const list = this.#list;
    // The server found them: nothing is left out or sorted here. Not in VS Code's types yet, and heeded by all since 1.96.
    Object.assign(list, { sortByLabel: false });
    list.matchOnDetail = true;
    list.matchOnDescription = true;
    list.keepScrollPosition = true;
    this.#disposables = [
      list,
      list.onDidChangeValue(() => {
        this.#typed();
      }),
      list.onDidAccept(() => {
        void this.#accept();
      }),
      list.onDidHide(() => {
        this.#dispose();
      }),
    ];
  }

  show(): void {
    this.#name();
    this.#draw();
    this.#list.show();
  }

  #name(): void {
    const run = this.runs.find(({ recording }) => recording === this.recording);
    const name = run === undefined ? path.basename(placeOf(this.recording)) : named(run);
    this.#list.title = l10n.t('Search {0}', name);
    this.#list.placeholder = l10n.t(
      'Operator, kernel, guard, shape, file, event. “guard: x”, “regex: a.*b”, “case: X”',
    );
  }

  /** What was asked before is not wanted any more. */
  #typed(): void {
    this.#asked?.abort();
    this.#asked = undefined;
    clearTimeout(this.#typing);
    const isEmpty = typed(this.#list.value).text === '';
    this.#list.busy = !isEmpty;
    if (!isEmpty) {
      this.#typing = setTimeout(() => void this.#search(), DEBOUNCE_MS);
      return;
    }
    this.#hits = [];
    this.#end = undefined;
    this.#draw();
  }

  async #search(): Promise<void> {
    const { value } = this.#list;
    const query = typed(value);
    const asked = new AbortController();
    this.#asked = asked;
    this.#hits = [];
    this.#end = undefined;
    const perKind = query.kinds.length > 0 ? 0 : PER_KIND;
    const params = { ...query, recording: this.recording, limit: LIMIT, perKind, partialResultToken: null };
    try {
      const result = await this.server.request('compilescope/search', params, asked.signal, (batch) => {
        if (this.#asked !== asked) return;
        this.#hits.push(...(batch as SearchBatch).hits);
        this.#drawing ??= setTimeout(() => {
          this.#draw();
        }, DRAW_MS);
      });
      if (this.#asked !== asked) return;
      const text = endText(result, query.text);
      this.#end = text === null ? undefined : note(result.count === 0 ? 'info' : 'ellipsis', text);
    } catch (error) {
      if (this.#asked !== asked) return;
      const { title, detail } = problemOf(error);
      this.#end = note('error', error instanceof Error ? error.message : title, detail);
    }
    this.#list.busy = false;
    this.#draw();
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#list.items = typed(this.#list.value).text === '' ? this.#choices() : this.#found();
  }

  #found(): Item[] {
    const items: Item[] = [];
    let kind = '';
    for (const hit of this.#hits) {
      if (hit.kind !== kind) items.push({ label: kindTitle(hit.kind), kind: vscode.QuickPickItemKind.Separator });
      kind = hit.kind;
      const { icon, label, description, detail, opening } = searchRow(this.recording, hit, (file) =>
        path.basename(file),
      );
      const below = detail === '' ? {} : { detail };
      items.push({ label: `$(${icon}) ${label}`, description, ...below, opening, alwaysShow: true });
    }
    return this.#end === undefined ? items : [...items, this.#end];
  }

  /** Without a text: the recordings that there are to search. */
  #choices(): Item[] {
    const others = this.runs.filter(({ recording }) => recording !== this.recording);
    if (others.length === 0) return [];
    const title = { label: l10n.t('Search another run'), kind: vscode.QuickPickItemKind.Separator };
    return [title, ...others.map((run) => ({ label: `$(history) ${named(run)}`, recording: run.recording }))];
  }

  async #accept(): Promise<void> {
    const [item] = this.#list.selectedItems;
    if (item?.recording !== undefined) {
      this.recording = item.recording;
      this.#name();
      this.#draw();
    } else if (item?.opening !== undefined && item.opening.type !== 'nothing') {
      const { recording } = this;
      this.#list.hide();
      await open(recording, item.opening);
    }
  }

  #dispose(): void {
    this.#asked?.abort();
    this.#asked = undefined;
    clearTimeout(this.#typing);
    clearTimeout(this.#drawing);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

async function open(recording: string, opening: Exclude<Opening, { type: 'nothing' }>): Promise<void> {
  try {
    if (opening.type === 'event') await openEvent(recording, opening.place);
    else await vscode.commands.executeCommand(opening.command, ...opening.arguments);
  } catch (error) {
    await notify(problemOf(error));
  }
}

const note = (icon: string, label: string, detail = ''): Item => ({
  label: `$(${icon}) ${label}`,
  ...(detail === '' || detail === label ? {} : { detail }),
  alwaysShow: true,
});

function named(run: RunSummary): string {
  return run.started === null ? run.title : `${run.title} ${whenBriefly(run.started, new Date())}`;
}
