/** What Triton made of kernels, fetched once each. */
import type { KernelStageInfo, Requests } from '../../src/shared/messages';
import type { Host } from '../shared/host';

export type StageAsk = Requests['kernelStages']['params'];

export class StageTexts {
  readonly #known = new Map<string, KernelStageInfo[]>();

  constructor(private readonly host: Host) {}

  /** The stages of a kernel, as far as they have come. */
  of(ask: StageAsk | null): readonly KernelStageInfo[] {
    return ask === null ? [] : (this.#known.get(keyOf(ask)) ?? []);
  }

  /** Asks for the stages of a kernel. False where they are known, or another question is on its way. */
  async load(ask: StageAsk): Promise<boolean> {
    const key = keyOf(ask);
    if (this.#known.has(key)) return false;
    try {
      const { stages } = await this.host.request('kernelStages', ask);
      this.#known.set(key, stages);
    } catch (error) {
      this.host.send({ type: 'log', text: String(error) });
      this.#known.set(key, []);
    }
    return true;
  }
}

const keyOf = ({ recording, compileId, graph, kernel, preview }: StageAsk): string =>
  JSON.stringify([recording, compileId, graph, kernel, preview]);
