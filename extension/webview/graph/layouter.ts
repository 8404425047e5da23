/** Has levels laid out: small ones at once, large ones in a worker that can be given up. Equal levels are laid out once. */
import workerSource from 'worker:./layout-worker.ts';
import { type Layout, layout, type LayoutEdge, type LayoutItem, type LayoutOptions } from './layout';
import { packJob, type PackedLayout, unpackLayout } from './layout-wire';
import { Cancelled } from './steps';

/** Lays out one level. Rejects with `Cancelled`. */
export type LayOut = (
  items: readonly LayoutItem[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions,
) => Layout | Promise<Layout>;

/** Levels up to this size take less than a millisecond or two. */
const SMALL = 40;
const KEPT = 3000;

export class Layouter {
  readonly #kept = new Map<string, Layout>();
  readonly #waiting = new Map<number, { done: (layout: Layout) => void; fail: (error: Error) => void }>();
  #worker: Worker | null = null;
  #canWork = true;
  #next = 1;

  readonly layOut: LayOut = (items, edges, options) => {
    const key = keyOf(items, edges, options);
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    if (items.length + edges.length <= SMALL) return this.#keep(key, layout(items, edges, options));
    const worker = this.#start();
    if (!worker) return this.#keep(key, layout(items, edges, options));
    const id = this.#next++;
    const answer = new Promise<Layout>((done, fail) => this.#waiting.set(id, { done, fail }));
    worker.postMessage(packJob(id, items, edges, options));
    return answer.then((made) => this.#keep(key, made));
  };

  /** Gives up what is being laid out. */
  cancel(): void {
    if (this.#waiting.size === 0) return;
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail(new Cancelled());
  }

  #fail(error: Error): void {
    for (const { fail } of this.#waiting.values()) fail(error);
    this.#waiting.clear();
  }

  #keep(key: string, made: Layout): Layout {
    this.#kept.set(key, made);
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(old);
    }
    return made;
  }

  /** The worker; null where the page may not have one. */
  #start(): Worker | null {
    if (this.#worker || !this.#canWork) return this.#worker;
    try {
      const address = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
      const worker = new Worker(address);
      URL.revokeObjectURL(address);
      worker.onmessage = ({ data }: MessageEvent<PackedLayout>) => {
        this.#waiting.get(data.id)?.done(unpackLayout(data));
        this.#waiting.delete(data.id);
      };
      worker.onerror = () => {
        this.#canWork = false;
        this.#worker = null;
        this.#fail(new Error('The layout failed.'));
      };
      this.#worker = worker;
    } catch {
      this.#canWork = false;
    }
    return this.#worker;
  }
}

/** What a level's layout depends on, and nothing else. */
function keyOf(items: readonly LayoutItem[], edges: readonly LayoutEdge[], options: LayoutOptions): string {
  let text = JSON.stringify(options);
  for (const { w, h, kind, anchor } of items) text += `|${w},${h},${kind},${anchor ?? ''}`;
  for (const { from, to, fromX, toX } of edges) text += `;${from},${to},${fromX ?? ''},${toX ?? ''}`;
  return text.length > 400 ? digest(text) : text;
}

/** 106 bits of a text's content. */
function digest(text: string): string {
  let [a, b, c, d] = [0x811c9dc5, 0x1b873593, 0x9e3779b9, 0x85ebca6b];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995);
    c = Math.imul(c + code, 0xc2b2ae35);
    d = Math.imul(d ^ (code + i), 0x27d4eb2f);
  }
  return [text.length, a, b, c, d].map((n) => (n >>> 0).toString(36)).join('.');
}
