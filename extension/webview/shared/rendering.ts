/** When a page is drawn. */

export class Rendering {
  readonly #draw: () => void;
  readonly #schedule: (run: () => void) => void;
  #queued = false;

  /** `schedule`: when soon is; after what is done now, unless told otherwise. */
  constructor(draw: () => void, schedule = (run: () => void): void => queueMicrotask(run)) {
    this.#draw = draw;
    this.#schedule = schedule;
  }

  /** Draws soon, once for several changes. */
  soon(): void {
    if (this.#queued) return;
    this.#queued = true;
    this.#schedule(() => {
      if (this.#queued) this.now();
    });
  }

  now(): void {
    this.#queued = false;
    this.#draw();
  }
}
