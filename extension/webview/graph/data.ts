/** What the panel has asked of the server: the stages of a compile, and the graphs that were looked at. */
import type { Problem, StagesResult } from '../../src/shared/messages';
import { type Host, RequestFailed } from '../shared/host';
import { Snapshot } from './view';

const LOADING_AFTER_MS = 200;
const KEPT_SNAPSHOTS = 8;

export class GraphData {
  stages: StagesResult | null = null;
  problem: Problem | null = null;
  /** A request has been on its way for so long that one should see it. */
  loading = false;
  readonly #host: Host;
  readonly #changed: () => void;
  readonly #snapshots = new Map<string, Snapshot>();
  #work = 0;

  constructor(host: Host, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  forget(): void {
    this.stages = null;
    this.#snapshots.clear();
  }

  /**
   * Asks for the stages of a compile and returns its id: another one when `snapshot` is in another, or when this one is
   * not in the recording.
   */
  async loadStages(recording: string, compileId: string | null, snapshot: string | null): Promise<string | null> {
    let chosen = compileId;
    await this.#busy(async () => {
      const ask = (id: string | null): Promise<StagesResult> =>
        this.#host.request('stages', { recording, compileId: id });
      let result = await ask(compileId);
      const isKnown = result.compiles.some(({ id }) => id === compileId);
      const isElsewhere = snapshot !== null && !result.stages.some((info) => info.snapshot === snapshot);
      if (!isKnown || isElsewhere) {
        if (compileId !== null) result = await ask(null);
        chosen = chooseCompile(result, isElsewhere ? snapshot : null);
        if (chosen !== null) result = await ask(chosen);
      }
      this.stages = result;
    });
    return chosen;
  }

  /** A graph, asked for once; null when there is a problem. */
  async snapshot(recording: string, id: string): Promise<Snapshot | null> {
    let snapshot = this.#snapshots.get(id);
    if (snapshot) this.problem = null;
    else {
      await this.#busy(async () => {
        snapshot = new Snapshot(await this.#host.request('graph', { recording, snapshot: id }));
      });
    }
    if (!snapshot) return null;
    this.#snapshots.delete(id);
    this.#snapshots.set(id, snapshot);
    for (const old of this.#snapshots.keys()) {
      if (this.#snapshots.size <= KEPT_SNAPSHOTS) break;
      this.#snapshots.delete(old);
    }
    return snapshot;
  }

  async #busy(work: () => Promise<void>): Promise<void> {
    const token = ++this.#work;
    const timer = setTimeout(() => {
      this.loading = token === this.#work;
      this.#changed();
    }, LOADING_AFTER_MS);
    try {
      await work();
      this.problem = null;
    } catch (error) {
      this.problem =
        error instanceof RequestFailed
          ? error.problem
          : { code: 'panel', title: 'The graph could not be shown', detail: String(error), actions: [] };
    } finally {
      clearTimeout(timer);
      if (token === this.#work) this.loading = false;
      this.#changed();
    }
  }
}

/** The compile of a snapshot, else the first that came to the passes, else the first with a graph. */
function chooseCompile({ compiles, stages }: StagesResult, snapshot: string | null): string | null {
  const recorded = stages.filter((s) => s.snapshot !== null);
  const info =
    recorded.find((s) => s.snapshot === snapshot) ?? recorded.find((s) => s.stage !== 'dynamo') ?? recorded.at(0);
  const owns = (id: string): boolean =>
    info?.graph.startsWith(`${id}/`) === true || info?.graph.startsWith(`${id}_`) === true;
  return (compiles.find(({ id }) => owns(id)) ?? compiles.at(0))?.id ?? null;
}
