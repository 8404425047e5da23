/** What the panel has asked of the server: the stages of a compile, and the graphs that were looked at. */
import * as l10n from '@vscode/l10n';
import type { LineageResult, PassInfo, Problem, StagesResult } from '../../src/shared/messages';
import { type Host, problemOf } from '../shared/host';
import { Cancelled, pacing, type Pause } from './steps';
import { Snapshot } from './view';

const LOADING_AFTER_MS = 200;
const KEPT_SNAPSHOTS = 12;
const KEPT_LINEAGES = 500;

export class GraphData {
  stages: StagesResult | null = null;
  /** The passes of the compile whose states were asked for last. */
  passes: readonly PassInfo[] = [];
  problem: Problem | null = null;
  /** A request has been on its way for so long that one should see it. */
  loading = false;
  readonly #host: Host;
  readonly #changed: () => void;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #lineages = new Map<string, LineageResult | null | undefined>();
  #passesOf: string | null = null;
  #work = 0;

  constructor(host: Host, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  forget(): void {
    this.stages = null;
    this.passes = [];
    this.#passesOf = null;
    this.#snapshots.clear();
    this.#lineages.clear();
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
    return this.#kept(id, async (pause) =>
      Snapshot.make(await this.#host.request('graph', { recording, snapshot: id }), null, pause),
    );
  }

  /** Two states of a graph laid over each other; null when there is a problem. */
  async difference(recording: string, before: string, after: string): Promise<Snapshot | null> {
    return this.#kept(`${before}:${after}`, async (pause) => {
      const diff = await this.#host.request('graphDiff', { recording, before, after });
      return Snapshot.make(diff.graph, diff, pause);
    });
  }

  /** Asks for the passes of a compile, once. Without them there is nothing to step through, and that is all. */
  async loadPasses(recording: string, compileId: string | null): Promise<void> {
    const key = `${recording} ${compileId ?? ''}`;
    if (key === this.#passesOf) return;
    this.#passesOf = key;
    try {
      this.passes = (await this.#host.request('passes', { recording, compileId })).passes;
    } catch {
      this.passes = [];
    }
  }

  /** What a node came from and became, once it is known; undefined until then, null when it can't be had. */
  lineage(recording: string, snapshot: string, node: string): LineageResult | null | undefined {
    const key = `${snapshot} ${node}`;
    if (this.#lineages.has(key)) return this.#lineages.get(key);
    if (this.#lineages.size >= KEPT_LINEAGES) this.#lineages.clear();
    this.#lineages.set(key, undefined);
    this.#host
      .request('lineage', { recording, snapshot, node })
      .catch(() => null)
      .then((found) => {
        this.#lineages.set(key, found);
        this.#changed();
      })
      .catch(() => undefined);
    return undefined;
  }

  async #kept(key: string, ask: (pause: Pause) => Promise<Snapshot>): Promise<Snapshot | null> {
    let snapshot = this.#snapshots.get(key);
    if (snapshot) this.problem = null;
    else {
      await this.#busy(async (pause) => {
        snapshot = await ask(pause);
      });
    }
    if (!snapshot) return null;
    this.#snapshots.delete(key);
    this.#snapshots.set(key, snapshot);
    for (const old of this.#snapshots.keys()) {
      if (this.#snapshots.size <= KEPT_SNAPSHOTS) break;
      this.#snapshots.delete(old);
    }
    return snapshot;
  }

  /** Newer work gives up older. */
  async #busy(work: (pause: Pause) => Promise<void>): Promise<void> {
    const token = ++this.#work;
    const timer = setTimeout(() => {
      this.loading = token === this.#work;
      this.#changed();
    }, LOADING_AFTER_MS);
    try {
      await work(pacing(() => token === this.#work));
      this.problem = null;
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.problem = problemOf(error, l10n.t('The graph could not be shown'));
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
