/** Long work that can give way: a generator that stops for a moment every now and then. */

/** `yield` where the page may go on; some hundred nodes from one to the next. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The work was given up, for newer work or by the user. */
export class Cancelled extends Error {}

/** Well below the 50 ms from which on one feels that a page hangs. */
const SLICE_MS = 12;
const STRIDE = 512;

/** Gives way to what the page has to do; rejects with `Cancelled` when the work is no longer wanted. */
export type Pause = () => Promise<void> | void;

/** Whether a loop over many nodes stops for a moment at this one. */
export const isStop = (i: number): boolean => i % STRIDE === STRIDE - 1;

/** Lets input and painting go first. */
async function giveWay(): Promise<void> {
  const { scheduler } = window as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) await scheduler.yield();
  else await new Promise((done) => setTimeout(done));
}

/** A pause that lasts only when the last one was a while ago. */
export function pacing(isWanted: () => boolean = () => true): Pause {
  let since = performance.now();
  const wait = async (): Promise<void> => {
    await giveWay();
    since = performance.now();
    if (!isWanted()) throw new Cancelled();
  };
  return () => {
    if (performance.now() - since > SLICE_MS) return wait();
    if (!isWanted()) throw new Cancelled();
    return undefined;
  };
}

/** All of it now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** All of it, with pauses. */
export async function inSlices<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const wait = pause();
    if (wait) await wait;
  }
}
