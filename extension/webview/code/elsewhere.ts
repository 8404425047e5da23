/** Looks for what became of the line at the editor's cursor in the other graphs and compiles of the run. */
import * as l10n from '@vscode/l10n';
import type { CodeResult, SourcePlace } from '../../src/shared/messages';
import { type Host, problemOf } from '../shared/host';
import { groupOf } from './queries';

/** The cursor rests that long before anything is asked. */
const REST_MS = 150;

/** The graph that is shown. */
export interface Shown {
  recording: string;
  compileId: string | null;
  graph: string | null;
}

export class Elsewhere {
  readonly #nothing = new Set<string>();
  #turn = 0;

  constructor(private readonly host: Host) {}

  /** What was looked for before may be there now: the recording has changed. */
  forget(): void {
    this.#nothing.clear();
    this.give();
  }

  /** The cursor has moved on, so a search that goes on leads to nothing. */
  give(): void {
    this.#turn += 1;
  }

  /** The code of another graph, rather of the same compile, that has something of a line; null where none has. */
  async look(shown: Shown, place: SourcePlace, graphs: number): Promise<CodeResult | null> {
    const turn = ++this.#turn;
    const key = JSON.stringify([shown.recording, place.file, place.line]);
    await new Promise((rested) => setTimeout(rested, REST_MS));
    if (turn !== this.#turn || this.#nothing.has(key)) return null;
    const { recording, compileId } = shown;
    const { file, line } = place;
    try {
      for (const compile of graphs > 1 && compileId !== null ? [compileId, null] : [null]) {
        const result = await this.host.request('code', { recording, compileId: compile, graph: null, file, line });
        if (turn !== this.#turn) return null;
        const isOther = result.compileId !== compileId || result.graph !== shown.graph;
        if (isOther && hasLine(result, place)) return result;
      }
      this.#nothing.add(key);
    } catch (error) {
      this.host.send({ type: 'log', text: problemOf(error, 'code').title });
    }
    return null;
  }
}

function hasLine(result: CodeResult, place: SourcePlace): boolean {
  return groupOf(result, result.texts[0]?.kernels ?? [], place) !== undefined;
}

/** What following the cursor has changed, in a sentence. */
export function changeOf(before: Shown, now: Shown, line: number): string {
  const graph = (now.graph ?? '').slice((now.graph ?? '').lastIndexOf('/') + 1);
  return now.compileId === before.compileId
    ? l10n.t('Line {0} is in the {1} graph.', line + 1, graph)
    : l10n.t(
        'Line {0} is in compile {1}, {2} graph; before: {3}.',
        line + 1,
        now.compileId ?? '',
        graph,
        before.compileId ?? '',
      );
}
